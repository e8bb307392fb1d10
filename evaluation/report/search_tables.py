"""Tables of search tasks: success and precision, rooms opened beside the paper's, tokens by step, looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import Any

from ...domains.files import mapping, number, objects
from ...methods.sight import SEES
from ..bench.results import Results, RunRow
from .statistics import bootstrap, holm, share_of, wilcoxon
from .tables import (
    HEAD,
    INVENTED,
    Cell,
    Entrant,
    ReportTable,
    Value,
    by_line,
    by_task,
    charged,
    entrants,
    mean,
    mean_of,
    measured,
    share,
    share_that,
    system_names,
    table_of,
    with_unions,
)

MEASURES = ("success", "answered", "answer_right")
WALK_MEASURES = ("tau", "tied", "metres", "moves", "looks", "to_tour", "to_sighting")
WALKER = "least-cost"
"""The search of unknown houses that others are tested against."""
KNOWING = ("known-positions", "known-sightings")
STEPS = (1, 2, 3, 5, 8, 12, 20, 30, 50)
"""Steps of a search for which the tokens are given."""


def searching(results: Results) -> ReportTable | None:
    """Return the measures of search tasks, beside opening everything and opening nothing."""
    lines = with_unions(results, [x for x in entrants(results, "search") if not _walked(x)])
    cells = {
        **{measure.replace("_", " "): share(measure) for measure in MEASURES},
        **{name: mean(measured(name)) for name in ("precision", "opened", "needed")},
        "stagnated": share_that(lambda row: row.number("repeated")),
        "invented": INVENTED,
    }
    table = by_line("Search", lines, cells)
    if table is None:
        return None
    rows: list[tuple[Value, ...]] = []
    for name in dict.fromkeys(line.set for line in lines):
        rows += [row for row in table.rows if row[0] == name]
        rows += _baselines(name, [line for line in lines if line.set == name])
    return replace(table, rows=tuple(rows))


def _baselines(name: str, lines: Sequence[Entrant]) -> list[tuple[Value, ...]]:
    """Return what opening every room, and no room, would come to on the tasks of some lines."""
    tasks = by_task(row for line in lines for row in line.rows).values()
    needed = [min(row.number("needed") or 0.0 for row in rows) for rows in tasks]
    rooms = [rows[0].number("rooms") or 1.0 for rows in tasks]
    n, all_open = len(needed), share_of([[True] for _ in needed])
    precision = fmean(a / b for a, b in zip(needed, rooms, strict=True))
    none_open = share_of([[count == 0] for count in needed])
    rest: tuple[Value, ...] = (None, None)
    return [
        (name, "(open all)", "", "", n, all_open, None, None, precision, fmean(rooms), fmean(needed), *rest),
        (name, "(open none)", "", "", n, none_open, None, None, None, 0.0, fmean(needed), *rest),
    ]


def _walked(line: Entrant) -> bool:
    """Return whether a line is of searches of houses, in which a robot walks."""
    return any("spl" in row.measures for row in line.rows)


def walking(results: Results) -> ReportTable | None:
    """Return the measures of searches of unexplored houses."""
    lines = [line for line in entrants(results, "search") if _walked(line)]
    cells: dict[str, Cell] = {
        "success": share("success"),
        "SPL": lambda line: bootstrap([[_spl(row) for row in g] for g in by_task(line.rows).values()]),
        **{name: mean(measured(name)) for name in WALK_MEASURES},
    }
    return by_line("Searches of unknown houses", lines, cells)


def _spl(row: RunRow) -> float:
    return row.number("spl") or 0.0


def walking_pairs(results: Results) -> ReportTable | None:
    """Return paired tests of the SPL of :data:`WALKER` against every other search of unknown houses."""
    lines = [line for line in entrants(results, "search") if _walked(line)]
    rows: list[tuple[Value, ...]] = []
    for ours in (line for line in lines if line.method == WALKER):
        others = [x for x in lines if x.method.partition(" with ")[0] not in (WALKER, *KNOWING)]
        for other, x, y, p, corrected in _tested(ours, others, lines, _spls):
            differences = [a - b for a, b in zip(x, y, strict=True)]
            numbers = (len(x), sum(d > 0 for d in differences), sum(d < 0 for d in differences))
            rows.append((WALKER, other, ours.system.engine, *numbers, fmean(differences), p, corrected))
    columns = ("first", "second", "engine", "tasks", "better", "worse", "difference", "p", "p (Holm)")
    return table_of("SPL in pairs", columns, rows, walker=WALKER)


def _tested(
    ours: Entrant,
    others: Sequence[Entrant],
    lines: Sequence[Entrant],
    by_tasks: Callable[[Entrant], Mapping[str, float]],
) -> Iterator[tuple[str, list[float], list[float], float, float]]:
    """Yield for each other line of its set and engine the name, and both values for each task of both.

    Behind them is the p-value of their difference, as it is and corrected for all of these lines.
    """
    names, mine = system_names(line.system for line in lines), by_tasks(ours)
    family: list[tuple[str, list[float], list[float]]] = []
    for line in others:
        if (line.set, line.system.engine) == (ours.set, ours.system.engine):
            theirs = by_tasks(line)
            if tasks := [task for task in mine if task in theirs]:
                x, y = ([values[task] for task in tasks] for values in (mine, theirs))
                family.append((names[line.system], x, y))
    p_values = [wilcoxon([a - b for a, b in zip(x, y, strict=True)]) for _, x, y in family]
    for (other, x, y), p, corrected in zip(family, p_values, holm(p_values), strict=True):
        yield other, x, y, p, corrected


def _spls(line: Entrant) -> Mapping[str, float]:
    """Return the mean SPL by task."""
    return {task: fmean(map(_spl, rows)) for task, rows in by_task(line.rows).items()}


def tokens_by_step(results: Results) -> ReportTable | None:
    """Return the mean tokens of each request of a search, as in SayPlan's figure 3."""
    lines = [line for line in entrants(results, "search") if any(map(_tokens, line.rows))]
    cells = {"requests": mean(lambda row: len(_tokens(row)))}
    cells |= {f"step {number}": mean(partial(_tokens_of, number=number)) for number in STEPS}
    return by_line("Tokens by step of a search", lines, cells)


def _tokens(row: RunRow) -> list[int]:
    counts = (step.get("tokens") for step in objects(row.record.get("trace")))
    return [count for count in counts if isinstance(count, int) and count > 0]


def _tokens_of(row: RunRow, number: int) -> int | None:
    """Return the tokens of a request of a search; ``None`` where it had fewer."""
    return next(iter(_tokens(row)[number - 1 :]), None)


ACTING_MEASURES = ("looks", "metres", "steps")
LOOKER = "expected-cost"
"""The method that the others are compared with: the hybrid's order of looks."""


def hidden_things(results: Results) -> ReportTable | None:
    """Return what came of tasks in which movable things are hidden until somebody looks."""
    cells = {
        "success": share("success"),
        "reached": share_that(partial(_held, key="reached")),
        "false done": FALSE_DONE,
        **{key: mean(partial(_acting, key=key)) for key in ACTING_MEASURES},
        "calls": mean(charged("calls")),
    }
    return by_line("Tasks in which things are hidden", _acting_lines(results), cells)


def _held(row: RunRow, key: str) -> bool:
    return _acted(row).get(key) is True


def _acting(row: RunRow, key: str) -> float | None:
    return number(_acted(row).get(key))


FALSE_DONE = share_that(partial(_held, key="false_done"))


def eyes(results: Results) -> ReportTable | None:
    """Return success by what the robot was told of things: F1 of the descriptions beside it."""
    lines = _acting_lines(results)
    if not any(line.method.partition(SEES)[1] for line in lines):
        return None
    sets = list(dict.fromkeys(line.set for line in lines))
    if len(sets) > 1:
        for system in dict.fromkeys(line.system for line in lines):
            own = [line for line in lines if line.system == system]
            rows_of_all = tuple(row for line in own for row in line.rows)
            lines += [Entrant(system, "all", rows_of_all)] if len(own) == len(sets) else []
    rows: list[tuple[Value, ...]] = []
    for line in lines:
        method, _, eye = line.method.partition(SEES)
        counts = {key: sum(_counted(row, key) for row in line.rows) for key in _OF_EYES}
        total = counts["described"] + counts["there"]
        empty = None if eye and not counts["looks"] else 1.0
        of_runs = [2 * counts[key] / total if total else empty for key in ("nodes", "edges")]
        names = (line.set, method, line.system.reader, line.system.engine, len(line.rows), eye or NO_FAULTS)
        rows.append((*names, *of_runs, share("success")(line), FALSE_DONE(line)))
    columns = (*HEAD, "eye", "node F1", "edge F1", "success", "false done")
    return table_of("Success by what an eye says", columns, rows)


NO_FAULTS = "true:"
"""The eye of a method that has none: the simulator's truth."""
_OF_EYES = ("looks", "described", "there", "nodes", "edges")


def _counted(row: RunRow, key: str) -> float:
    return number(mapping(row.record.get("eye")).get(key)) or 0


def looks_in_pairs(results: Results) -> ReportTable | None:
    """Return paired tests of the looks and metres of :data:`LOOKER` against every other method."""
    rows: list[tuple[Value, ...]] = []
    lines = _acting_lines(results)
    others = [line for line in lines if line.method != LOOKER]
    for ours in (line for line in lines if line.method == LOOKER):
        for key in ("looks", "metres"):
            for other, x, y, p, corrected in _tested(ours, others, lines, partial(_successes, key=key)):
                fewer = sum(a < b for a, b in zip(x, y, strict=True))
                more = sum(a > b for a, b in zip(x, y, strict=True))
                rows.append((LOOKER, other, key, len(x), fewer, more, fmean(x), fmean(y), p, corrected))
    columns = tuple("first,second,measure,tasks,fewer,more,mean,mean of the other,p,p (Holm)".split(","))
    return table_of("Looks and metres in pairs", columns, rows, looker=LOOKER)


def _acting_lines(results: Results) -> list[Entrant]:
    return [line for line in entrants(results, "plan") if any(_acted(row) for row in line.rows)]


def _successes(line: Entrant, key: str) -> dict[str, float]:
    """Return the mean of a measure by task, over the tasks of which every run succeeds."""
    means = {}
    for task, group in by_task(line.rows).items():
        value = mean_of(_acting(row, key) for row in group)
        if value is not None and all(row.holds("success") for row in group):
            means[task] = value
    return means


def _acted(row: RunRow) -> Mapping[str, Any]:
    return mapping(row.measures.get("acting"))
