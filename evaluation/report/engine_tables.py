"""Tables of engines on the gold goals, by the measures of planning competitions.

The satisficing score of a task is the cost of the best plan that any engine here has, or its proved lower
bound, divided by the engine's own. The agile score is 1 up to a second, then 1 - log t / log L for a time t
and the limit L of a run (International Planning Competitions 2018 and 2023, with L = 300 s there). PAR10 is
the mean of the seconds, those of unsolved tasks counted as ten times the limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import log
from statistics import fmean

from ...domains.files import mapping, number
from ..bench.results import Results, RunRow
from .tables import (
    Entrant,
    ReportTable,
    Value,
    by_task,
    cost_ratio,
    entrants,
    gold_costs,
    mean,
    measured,
    table_of,
    took,
)

PENALTY = 10
STATISTICS = ("expanded", "evaluated", "generated", "plan_length")


def statistic(row: RunRow, key: str) -> int | None:
    """Return a number that an engine said of its work, summed over the problems that it was given."""
    value = mapping(row.record.get("statistics")).get(key)
    return value if isinstance(value, int) else None


def engine_seconds_of(row: RunRow) -> float | None:
    """Return the seconds of an engine in a run by our clock, with its start."""
    return row.timings.get("engine", row.timings.get("plan"))


def engines(results: Results) -> ReportTable | None:
    """Return coverage, satisficing score and the engines' own statistics on the gold goals."""
    lines = _on_common_tasks(results)
    if not lines:
        return None
    best = gold_costs(results)
    rows: list[tuple[Value, ...]] = []
    for line, shared in lines:
        optimal = sum(row.record.get("optimal") is True for row in line.rows)
        counts = len(line.rows), sum(row.succeeded for row in line.rows), optimal
        score = _satisficing(line.rows, best)
        means = [mean(partial(statistic, key=key))(shared) for key in STATISTICS]
        costs = mean(_plan_metres)(shared), mean(measured("cost"))(shared)
        rows.append((
            line.set, line.system.engine, *counts, score, len(by_task(shared.rows)), *means, *costs
        ))  # fmt: skip
    columns = (
        "set", "engine", "n", "solved", "optimal", "satisficing", "by all", *STATISTICS, "plan_cost", "cost",
    )  # fmt: skip
    return table_of("Engines on the gold goals", columns, rows)


def _satisficing(rows: Iterable[RunRow], best: Mapping[str, float]) -> float:
    """Return the sum of satisficing scores; ``best`` are the best known costs by task."""
    return sum(1 / ratio for row in rows if (ratio := cost_ratio(row, best)))


def scores(results: Results, timed: bool = True) -> dict[str, dict[str, float]]:
    """Return by score the sum that each engine has over its runs on gold goals, the highest first.

    Without ``timed``, and where no clock measured the engines, there is no agile score.
    """
    best, clock = gold_costs(results), Clock.of(results.manifest)
    rows = {
        engine: [r for r in results.rows if r.engine == engine and r.kind == "plan"]
        for engine in results.engines
    }
    timed = timed and any(engine_seconds_of(row) is not None for row in results.rows)
    sums = {"satisficing": {engine: _satisficing(of_engine, best) for engine, of_engine in rows.items()}}
    if timed:
        sums["agile"] = {engine: sum(map(clock.agile, of_engine)) for engine, of_engine in rows.items()}
    return {score: dict(sorted(of.items(), key=lambda pair: -pair[1])) for score, of in sums.items()}


def _plan_metres(row: RunRow) -> float | None:
    millimetres = statistic(row, "plan_cost")
    return None if millimetres is None else millimetres * 0.001


def engine_seconds(results: Results) -> ReportTable | None:
    """Return the agile score, PAR10 and the mean seconds of engines on the gold goals."""
    lines = _on_common_tasks(results)
    keys = ("engine", "engine_translate", "engine_search")
    if not any(key in row.timings for line, _ in lines for row in line.rows for key in keys):
        return None
    clock = Clock.of(results.manifest)
    rows = [
        (
            line.set,
            line.system.engine,
            sum(map(clock.agile, line.rows)),
            fmean(map(clock.penalized, line.rows)),
            len(by_task(shared.rows)),
            *(mean(took(key))(shared) for key in keys),
        )
        for line, shared in lines
    ]
    columns = ("set", "engine", "agile", "PAR10 s", "by all", "engine s", "translate s", "search s")
    return table_of(
        "Seconds of engines on the gold goals", columns, rows, timed=True, limit=clock.limit, penalty=PENALTY
    )


@dataclass(frozen=True, slots=True)
class Clock:
    """Scores of times by the limit of a run, in seconds."""

    limit: float

    @classmethod
    def of(cls, manifest: Mapping[str, object]) -> Clock:
        """Return the clock of a comparison: with the limit of its runs, 300 s where that is not known."""
        seconds = number(mapping(manifest.get("limits")).get("seconds")) or 0
        return cls(float(seconds) if seconds > 1 else 300.0)

    def agile(self, row: RunRow) -> float:
        """Return the agile score of a run: 1 up to a second, 0 at the limit and without a plan."""
        seconds = engine_seconds_of(row)
        if not row.succeeded or seconds is None:
            return 0.0
        return 1.0 if seconds <= 1 else max(0.0, 1 - log(seconds) / log(self.limit))

    def penalized(self, row: RunRow) -> float:
        """Return the seconds of a run, ten times the limit without a plan."""
        seconds = engine_seconds_of(row)
        return seconds if row.succeeded and seconds is not None else PENALTY * self.limit


def of_engines(results: Results) -> bool:
    """Return whether a comparison is one of engines: gold goals alone."""
    return results.methods == ("gold",) and len(results.engines) > 1


def runs_table(results: Results) -> ReportTable:
    """Return a line for each run, for programs: its ending, cost, bound and the engine's work."""
    columns = (
        "task", "set", "method", "reader", "engine", "repeat",
        "outcome", "success", "cost", "bound", "optimal", *STATISTICS,
        "calls", "prompt_tokens", "completion_tokens", "schema_tokens", "engine_seconds", "seconds",
    )  # fmt: skip
    rows = tuple(
        (
            row.task, row.set, *row.system, row.repeat, row.outcome, int(row.succeeded), row.number("cost"),
            number(row.record.get("bound")), _yes(row.record.get("optimal")),
            *(statistic(row, key) for key in STATISTICS),
            *(number(row.tokens.get(key)) for key in ("calls", "prompt", "completion", "schema_tokens")),
            engine_seconds_of(row), row.timings.get("run"),
        )
        for row in results.rows
    )  # fmt: skip
    return ReportTable("Runs", columns, rows)


def _yes(value: object) -> int | None:
    return int(value) if isinstance(value, bool) else None


def _on_common_tasks(results: Results) -> list[tuple[Entrant, Entrant]]:
    """Return the lines of the method gold, each with its part on the tasks that every engine solved."""
    lines = [line for line in entrants(results, "plan") if line.method == "gold"]
    solved = [(line.set, {row.task for row in line.rows if row.succeeded}) for line in lines]
    parts: list[tuple[Entrant, Entrant]] = []
    for line in lines:
        common = set.intersection(*(tasks for name, tasks in solved if name == line.set))
        rows: Sequence[RunRow] = [row for row in line.rows if row.task in common]
        parts.append((line, Entrant(line.system, line.set, tuple(rows))))
    return parts
