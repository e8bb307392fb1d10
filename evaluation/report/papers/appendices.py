"""Tables beside SayPlan's appendices: rooms and paths of each search (tables 13 to 16), plans of each task.

Each task of SayPlan has a line with what the paper printed for it beside our runs of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from statistics import fmean
from typing import TypeVar

from ....datasets.task import original_id
from ....domains.files import items, objects
from ...bench.results import Results, RunRow
from ...searching import OPENING
from ..tables import (
    Entrant,
    ReportTable,
    Value,
    by_task,
    entrants,
    judged,
    mean_of,
    system_names,
    table_of,
)
from .counterparts import Folder, not_run
from .published import PATHS, PUBLISHED, SAYPLANS

THEIRS, PEOPLES = "SayPlan (GPT-4), published", "Human, published"


def beside_appendices(folders: Sequence[Folder], always: bool = False) -> Iterator[ReportTable]:
    """Yield the tables of the tasks that ran; ``always`` with a line "not run" for each other task."""
    for folder in folders:
        for table in (rooms_explored(folder.results), plans_by_task(folder.results)):
            if table is not None:
                yield replace(table, title=folder.titled(table.title))
    for maker in (paths_explored, plans_not_run) if always else (paths_explored,):
        if (one := maker(folders, always)) is not None:
            yield one


def paths_explored(folders: Sequence[Folder], always: bool = False) -> ReportTable | None:
    """Return the rooms of each search in their order: SayPlan's, people's and ours, a line each.

    ``always`` also for tasks without a run.
    """
    ran = [
        (folder, row)
        for folder in folders
        for row in judged(folder.results.rows)
        if row.set in PATHS and row.kind == "search"
    ]
    rows: list[tuple[Value, ...]] = []
    for name in (one for one in PATHS if always or any(row.set == one for _, row in ran)):
        for number, printed in enumerate(PATHS[name], 1):
            task = f"{name}-{number:02}"
            ours = [(folder, row) for folder, row in ran if original_id(row.task) == task]
            if not (ours or always):
                continue
            for who, path in zip((THEIRS, PEOPLES), printed, strict=True):
                rows.append(_path(task, who, path, printed[1]))
            for folder, row in ours:
                names = system_names(folder.results.systems)
                again = f", repeat {row.repeat}" * (row.repeat > 1)
                rows.append(
                    _path(row.task, folder.titled(names[row.system] + again), rooms_opened(row), printed[1])
                )
            if not ours:
                rows.append((task, not_run("sayplan", [name], PUBLISHED[0].pack), None, None, ""))
    columns = ("task", "path of", "rooms", "order", "sequence")
    return table_of("Paths of searches, beside SayPlan's tables 13 to 16", columns, rows)


def _path(task: str, who: str, path: Sequence[str], people: Sequence[str]) -> tuple[Value, ...]:
    """Return the line of a path."""
    rooms, theirs = (tuple(dict.fromkeys(one)) for one in (path, people))
    return (task, who, len(rooms), order_overlap(rooms, theirs), ", ".join(path))


def rooms_explored(results: Results) -> ReportTable | None:
    """Return the rooms opened in each search task of SayPlan, and how like people's their order is."""
    lines = [line for line in entrants(results, "search") if line.set in PATHS]
    if not lines:
        return None
    rows: list[tuple[Value, ...]] = []
    tasks = _of_tasks(lines)
    for name in dict.fromkeys(line.set for line in lines):
        cells = {
            task: (*chain.from_iterable(map(_explored, runs)), *_published(task, name))
            for of_set, task, runs in tasks
            if of_set == name
        }
        rows += [(task, *values) for task, values in cells.items()]
        columns = enumerate(zip(*cells.values(), strict=True))
        sums = [mean_of(values) if place % 2 else _total(values) for place, values in columns]
        rows.append((f"{name}: sum, mean", *sums))
    printed = ("SayPlan (GPT-4), published", "SayPlan (GPT-4), published: order", "Human, published")
    heads = ("task", *_heads(lines, "order"), *printed)
    return table_of("Rooms explored, beside SayPlan's tables 13 to 16", heads, rows)


def _of_tasks(lines: Sequence[Entrant]) -> list[tuple[str, str, list[Sequence[RunRow]]]]:
    """Return set and id of each task with the runs of every system, in the order of :func:`_heads`."""
    systems = dict.fromkeys(line.system for line in lines)
    table: list[tuple[str, str, list[Sequence[RunRow]]]] = []
    for name in dict.fromkeys(line.set for line in lines):
        ours = {line.system: by_task(line.rows) for line in lines if line.set == name}
        for task in sorted({task for groups in ours.values() for task in groups}):
            table.append((name, task, [ours.get(system, {}).get(task, ()) for system in systems]))
    return table


def _heads(lines: Sequence[Entrant], second: str) -> list[str]:
    """Return the names of two columns for each system."""
    names = system_names(line.system for line in lines).values()
    return [cell for name in names for cell in (name, f"{name}: {second}")]


def order_overlap(path: Sequence[str], other: Sequence[str]) -> float:
    """Return how alike two paths are: Dice's coefficient of their longest common subsequence.

    >>> order_overlap(["a", "b", "c"], ["b", "c", "d"])
    0.6666666666666666
    """
    lengths = [0] * (len(other) + 1)
    for room in path:
        above = 0
        for place, theirs in enumerate(other, 1):
            kept = lengths[place]
            lengths[place] = above + 1 if room == theirs else max(kept, lengths[place - 1])
            above = kept
    return 2 * lengths[-1] / (len(path) + len(other)) if path or other else 1.0


def rooms_opened(row: RunRow) -> list[str]:
    """Return what a search opened, in the order of its moves, or as a search in one step lists it."""
    steps = objects(row.record.get("trace"))
    moves = [step.get("node") for step in steps if step.get("command") in OPENING]
    return list(dict.fromkeys(map(str, moves or items(row.record.get("opened")))))


_Printed = TypeVar("_Printed")


def _printed(task: str, of_set: Sequence[_Printed]) -> _Printed | None:
    """Return what was printed of a task, by the number at the end of its id."""
    number = original_id(task).rpartition("-")[2]
    return of_set[int(number) - 1] if number.isdigit() and 1 <= int(number) <= len(of_set) else None


def _path_of(task: str, name: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the printed paths of a task, each room once: of SayPlan, and of people."""
    paths = _printed(task, PATHS[name])
    return None if paths is None else (tuple(dict.fromkeys(paths[0])), tuple(dict.fromkeys(paths[1])))


def _published(task: str, name: str) -> tuple[Value, ...]:
    paths = _path_of(task, name)
    return (None,) * 3 if paths is None else (len(paths[0]), order_overlap(*paths), len(paths[1]))


def _explored(rows: Sequence[RunRow]) -> tuple[float | None, float | None]:
    """Return the mean number of rooms opened, and the mean likeness of their order to that of people."""
    alike = [
        order_overlap(rooms, paths[1])
        for row in rows
        if (rooms := rooms_opened(row)) and (paths := _path_of(row.task, row.set)) is not None
    ]
    return (mean_of(row.number("opened") for row in rows), mean_of(alike))


def _total(values: Sequence[float | None]) -> float | None:
    """Return the sum of values, ``None`` where one is missing."""
    there = [value for value in values if value is not None]
    return sum(there) if len(there) == len(values) else None


def plans_by_task(results: Results) -> ReportTable | None:
    """Return success and plans after the first for each planning task of SayPlan, beside the paper's."""
    lines = [line for line in entrants(results, "plan") if line.set in SAYPLANS]
    if not lines:
        return None
    rows = [
        (task, *chain.from_iterable(map(_cells, runs)), *(_printed(task, SAYPLANS[name]) or (None,) * 3))
        for name, task, runs in _of_tasks(lines)
    ]
    both = _heads(lines, "again")
    columns = ("task", *both, "correct, published", "executable, published", "again, published")
    return table_of("Plans, beside SayPlan's appendix G", columns, rows)


def _cells(rows: Sequence[RunRow]) -> tuple[float | None, float | None]:
    """Return the share of runs that succeeded, and the mean of plans or goals after the first."""
    if not rows:
        return (None, None)
    return (fmean(row.holds("success") for row in rows), fmean(_again(row) for row in rows))


def _again(row: RunRow) -> int:
    return max(0, *(len(items(row.record.get(key))) - 1 for key in ("attempts", "goals")))


def plans_not_run(folders: Sequence[Folder], always: bool = True) -> ReportTable | None:
    """Return what SayPlan's appendix G says of each planning task without a run."""
    ran = {original_id(row.task) for folder in folders for row in folder.results.rows}
    rows = tuple(
        (task, *printed, not_run("sayplan", [name], PUBLISHED[0].pack))
        for name, of_set in SAYPLANS.items()
        for number, printed in enumerate(of_set, 1)
        if (task := f"{name}-{number:02}") not in ran
    )
    columns = ("task", "correct, published", "executable, published", "again, published", "here")
    return table_of("SayPlan's appendix G, without a run here", columns, rows)
