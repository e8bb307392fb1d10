"""Charts of a report, as values (``chart``): what is drawn is decided here, how it looks in ``plots``; their
words are in ``charts.toml``.

Each chart is over all sets of a kind together, a line for each method, with each reader and engine where
there are several. Runs that a method cannot make are left out, as in the tables. Shares have 95 % intervals
over tasks.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from importlib.resources import files
from statistics import fmean
from typing import Any

from ...domains.files import number as any_number
from ...domains.files import objects
from ..bench.results import Kind, Results, RunRow
from .chart import Chart, Point, Series, SystemLook
from .engine_tables import engine_seconds_of, of_engines, statistic
from .tables import BUDGETS, cost_ratio, gold_costs, judged, measured, share_in, system_names, within

STAGES = ("search", "write", "repair", "check", "plan")
"""Seconds of a run that follow each other; the rest of ``run`` is loading and judging."""
REST = "rest"
MAX_STEPS = 60
"""Steps of a run up to which tokens are drawn."""


def charts_of(results: Results, timed: bool = True) -> tuple[Chart, ...]:
    """Return the charts that results have something for; without ``timed`` none of what a clock measured."""
    made = (
        coverage_chart(results) if of_engines(results) else None,
        engines_chart(results) if of_engines(results) else None,
        shares_chart(results, "plan"),
        shares_chart(results, "search"),
        success_chart(results, "plan"),
        success_chart(results, "search"),
        sizes_chart(results),
        steps_chart(results),
        cost_chart(results),
        numbers_chart(results, "spl", measured("spl")),
        numbers_chart(results, "looks", _acting_number),
        endings_chart(results),
        stages_chart(results),
    )
    looks = looks_of(results)
    return tuple(
        replace(chart, looks=looks) for chart in made if chart is not None and (timed or not chart.timed)
    )


def looks_of(results: Results) -> Mapping[str, SystemLook]:
    """Return the look of each system by its short name; with a single method each has its own colour."""
    names = system_names(row.system for row in judged(results.rows))
    if len({system.method for system in names}) == 1:
        return {name: SystemLook(number, 0) for number, name in enumerate(names.values())}
    methods = list(dict.fromkeys(system.method for system in names))
    givens = list(dict.fromkeys((system.reader, system.engine) for system in names))
    return {
        name: SystemLook(methods.index(system.method), givens.index((system.reader, system.engine)))
        for system, name in names.items()
    }


def chart_of(name: str, series: Iterable[Series], categories: Iterable[str] = ()) -> Chart | None:
    """Return a chart with its words and looks, those of :data:`CHARTS`; ``None`` where nothing is drawn."""
    drawn = tuple(one for one in series if one.points)
    return Chart(name, series=drawn, categories=tuple(categories), **CHARTS[name]) if drawn else None


CHARTS: Mapping[str, Mapping[str, Any]] = tomllib.loads(
    files(__package__).joinpath("charts.toml").read_text(encoding="utf-8")
)


def shares_chart(results: Results, kind: Kind) -> Chart | None:
    """Return the share of success of each system, with its interval."""
    lines = _lines(row for row in results.rows if row.kind == kind)
    series = []
    for place, (name, rows) in enumerate(lines.items()):
        share = share_in(rows, lambda row: row.succeeded)
        point = Point(100 * share.value, place, 100 * share.low, 100 * share.high)
        series.append(Series(name, (point,)))
    runs = {name: len(rows) for name, rows in lines.items()}
    alike = len(set(runs.values())) == 1
    names = (name if alike else f"{name}, n = {runs[name]}" for name in lines)
    return chart_of(f"shares-{kind}", series, names)


def sizes_chart(results: Results) -> Chart | None:
    """Return the mean tokens of a run by the size of its scene, where there are scenes of several sizes."""
    sizes = {
        name: task["nodes"]
        for name, task in results.manifest["tasks"].items()
        if isinstance(task, dict) and isinstance(task.get("nodes"), int)
    }
    series = []
    for name, rows in _lines(results.rows).items():
        by_size: dict[int, list[int]] = {}
        for row in rows:
            if row.total_tokens and row.task in sizes:
                by_size.setdefault(sizes[row.task], []).append(row.total_tokens)
        series.append(Series(name, tuple(Point(n, fmean(by_size[n])) for n in sorted(by_size))))
    several = len({point.x for one in series for point in one.points}) > 1
    return chart_of("sizes", series) if several else None


def numbers_chart(results: Results, name: str, number: Callable[[RunRow], float | None]) -> Chart | None:
    """Return a number of each run, such as the SPL of a search or the looks of a robot, by system."""
    lines = {
        system: sorted(value for row in rows if (value := number(row)) is not None)
        for system, rows in _lines(results.rows).items()
    }
    shown = {system: values for system, values in lines.items() if values}
    series = (
        Series(system, tuple(Point(value, place) for value in values))
        for place, (system, values) in enumerate(shown.items())
    )
    return chart_of(name, series, shown)


def _acting_number(row: RunRow) -> float | None:
    """Return the looks of a run: those of its judgement in a world, where it acted in one."""
    acting = row.measures.get("acting")
    return any_number((acting if isinstance(acting, dict) else row.measures).get("looks"))


def endings_chart(results: Results) -> Chart | None:
    """Return how often each outcome came, by system."""
    lines = _lines(results.rows)
    counts = [Counter(row.outcome for row in rows) for rows in lines.values()]
    series = (
        Series(outcome, tuple(Point(count[outcome], place) for place, count in enumerate(counts)))
        for outcome in sorted({outcome for count in counts for outcome in count})
    )
    return chart_of("endings", series, lines)


def coverage_chart(results: Results) -> Chart | None:
    """Return the tasks that each engine has solved by a time."""
    series = []
    for name, rows in _lines(results.rows).items():
        times = sorted(t for row in rows if row.succeeded and (t := engine_seconds_of(row)) is not None)
        series.append(Series(name, tuple(Point(t, place) for place, t in enumerate(times, 1))))
    return chart_of("coverage", series)


def engines_chart(results: Results) -> Chart | None:
    """Return the states that two engines expanded, a point for each task that both solved."""
    first, second = list(_lines(results.rows).items())[:2]
    theirs = {row.task: n for row in second[1] if row.succeeded and (n := statistic(row, "expanded"))}
    points = tuple(
        Point(n, theirs[row.task])
        for row in first[1]
        if row.succeeded and row.task in theirs and (n := statistic(row, "expanded"))
    )
    chart = chart_of("engines", [Series("task", points)])
    return None if chart is None else replace(chart, x=first[0], y=second[0])


def success_chart(results: Results, kind: Kind) -> Chart | None:
    """Return success within a budget of tokens, for each budget of the table."""
    lines = _lines(row for row in results.rows if row.kind == kind)
    if not any(row.total_tokens for rows in lines.values() for row in rows):
        return None
    series = []
    for name, rows in lines.items():
        level = not any(row.total_tokens for row in rows)
        shares = {budget: share_in(rows, within(budget)) for budget in BUDGETS}
        points = (
            Point(n, 100 * share.value, 100 * share.low, 100 * share.high) for n, share in shares.items()
        )
        series.append(Series(name, tuple(points), level))
    return chart_of(f"success-{kind}", series)


def steps_chart(results: Results) -> Chart | None:
    """Return the mean tokens of the first, second, .. step of a run."""
    series = []
    for name, rows in _lines(results.rows).items():
        runs = [steps for row in rows if (steps := tokens_of_steps(row.record))]
        longest = min(MAX_STEPS, max(map(len, runs), default=0))
        means = (fmean(run[i] for run in runs if len(run) > i) for i in range(longest))
        series.append(Series(name, tuple(Point(i, mean) for i, mean in enumerate(means, 1))))
    return chart_of("steps", series)


def tokens_of_steps(record: Mapping[str, object]) -> list[float]:
    """Return the tokens of the moves, goals and plans of a record that took some, in that order."""
    steps = (one for key in ("trace", "goals", "attempts") for one in objects(record.get(key)))
    tokens = (one.get("tokens") for one in steps)
    return [float(number) for number in tokens if isinstance(number, int) and number > 0]


def stages_chart(results: Results) -> Chart | None:
    """Return the mean seconds of a run by stage."""
    lines = _lines(results.rows)
    seconds: dict[str, list[float]] = {
        stage: [fmean(_seconds(row, stage) for row in rows) for rows in lines.values()]
        for stage in (*STAGES, REST)
    }
    series = (
        Series(stage, tuple(Point(mean, place) for place, mean in enumerate(means)))
        for stage, means in seconds.items()
        if any(means)
    )
    return chart_of("stages", series, lines)


def _seconds(row: RunRow, stage: str) -> float:
    if stage != REST:
        return row.timings.get(stage, 0.0)
    return max(0.0, row.timings.get("run", 0.0) - sum(row.timings.get(each, 0.0) for each in STAGES))


def cost_chart(results: Results) -> Chart | None:
    """Return what each successful plan costs, as a multiple of the best known."""
    best = gold_costs(results)
    return numbers_chart(results, "cost", lambda row: cost_ratio(row, best) if row.kind == "plan" else None)


def _lines(rows: Iterable[RunRow]) -> dict[str, tuple[RunRow, ...]]:
    """Return the runs of each system by its short name, in the order of the comparison."""
    kept = judged(rows)
    names = system_names(row.system for row in kept)
    lines: dict[str, list[RunRow]] = {}
    for row in kept:
        lines.setdefault(names[row.system], []).append(row)
    return {name: tuple(of_line) for name, of_line in lines.items()}
