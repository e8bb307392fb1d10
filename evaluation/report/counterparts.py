"""Own lines of the tables that papers printed: each printed line by the runs at hand, or the words "not run".

Printed figures are not among them: they stand in a table of their own before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

from ...datasets.library import UNIONS
from ..bench.results import Results, RunRow, System
from ..plan_errors import ERROR_KINDS
from .error_tables import graph_measure, graph_number, has_error
from .published import PublishedTable
from .statistics import share_of
from .tables import ReportTable, Value, by_task, judged, measured

Measure = Callable[[Sequence[RunRow]], Value]


def _share(holds: Callable[[RunRow], bool]) -> Measure:
    """Return the measure of runs for which something holds, with its interval over tasks."""
    return lambda rows: share_of([[holds(row) for row in group] for group in by_task(rows).values()])


def _mean(number: Callable[[RunRow], float | None]) -> Measure:
    """Return the measure of the mean of a number over the runs that have it."""

    def mean(rows: Sequence[RunRow]) -> Value:
        values = [value for row in rows if (value := number(row)) is not None]
        return fmean(values) if values else None

    return mean


def _succeeds(name: str) -> Measure:
    return _share(lambda row: row.holds(name))


def _errs(kind: str) -> Measure:
    return _share(lambda row: has_error(row, kind))


MEASURES: Mapping[str, Measure] = {
    **{name: _succeeds(name) for name in ("success", "executable")},
    **{kind: _errs(kind) for kind in ERROR_KINDS},
    "SR": _share(lambda row: graph_measure(row, "whole") is True),
    "APP": _mean(lambda row: graph_number(row, "precision")),
    "APL": _mean(lambda row: graph_number(row, "actions")),
    "NRR": _mean(lambda row: graph_number(row, "relevance")),
    "SPL": _mean(measured("spl")),
    "tau": _mean(measured("tau")),
}
"""The measures of printed tables, by the names that ``published.toml`` has."""


def counterpart(results: Results, printed: PublishedTable, always: bool = False) -> ReportTable | None:
    """Return own lines of a printed table: those of each system that made its runs, or what a line needs.

    Without any such run there is none, unless it is ``always`` asked for.
    """
    here = printed.here
    methods = {line[0] for line in here.lines if not isinstance(line, str)}
    if not always and not any(system.method in methods for system in results.systems):
        return None
    if here.by_reader:
        columns, rows = _by_reader(results, printed)
    else:
        columns = (*printed.columns[here.labels :], "n", "by")
        pairs = zip(printed.rows, here.lines, strict=True)
        rows = [own for row, line in pairs for own in _lines(results, printed, row, line)]
    notes = ("By gold goals, in rebuilt scenes, with other models: no line repeats the paper's run.",)
    title = f"Here: {printed.source}. {printed.title}"
    return ReportTable(title, (*printed.columns[: here.labels], *columns), tuple(rows), notes)


def _lines(
    results: Results, printed: PublishedTable, row: Sequence[str], line: tuple[str, str] | str
) -> Iterable[tuple[Value, ...]]:
    """Yield the own lines of a printed one."""
    here = printed.here
    labels = tuple(row[: here.labels])
    nothing: tuple[Value, ...] = (None,) * (len(printed.columns) - here.labels)
    if isinstance(line, str):
        yield (*labels, *nothing, None, f"not run: {line}")
        return
    method, of_line = line
    sets = list(dict.fromkeys(name or of_line for name, _ in here.cells))
    made = _systems(results, method, sets)
    for system, name in made.items():
        values = [
            MEASURES[measure](rows) if (rows := _rows(results, system, a_set or of_line)) else None
            for a_set, measure in here.cells
        ]
        count = sum(len(_rows(results, system, each)) for each in sets)
        yield (*labels, *values, count, name)
    if not made:
        yield (*labels, *nothing, 0, f"not run: groundplan bench --methods {method} --tasks {','.join(sets)}")


def _by_reader(results: Results, printed: PublishedTable) -> tuple[tuple[str, ...], list[tuple[Value, ...]]]:
    """Return the columns of readers, and the rows of a table whose printed columns are models."""
    here = printed.here
    lines = [line for line in here.lines if not isinstance(line, str)]
    systems = {s: None for method, a_set in lines for s in _systems(results, method, [a_set])}
    columns = tuple(dict.fromkeys(_asked(s) for s in systems)) or ("not run",)
    rows: list[tuple[Value, ...]] = []
    for row, (method, a_set) in zip(printed.rows, lines, strict=True):
        cells = {
            _asked(s): MEASURES[here.by_reader](runs)
            for s in systems
            if s.method == method and (runs := _rows(results, s, a_set))
        }
        command = f"groundplan bench --methods {method} --tasks {a_set}"
        values = (cells.get(column) for column in columns) if systems else (command,)
        rows.append((*row[: here.labels], *values))
    return columns, rows


def _asked(system: System) -> str:
    """Return the name of a column: the reader, and the engine."""
    return f"{system.reader}, {system.engine}"


def _systems(results: Results, method: str, sets: Iterable[str]) -> Mapping[System, str]:
    """Return the systems of a method that made runs on one of some sets, with their names."""
    made = [
        system
        for system in results.systems
        if system.method == method and any(_rows(results, system, name) for name in sets)
    ]
    return {system: ", ".join(dict.fromkeys(system)) for system in made}


def _rows(results: Results, system: System, name: str) -> tuple[RunRow, ...]:
    """Return the runs of a system on a set, or on a union if it made some on each of its sets."""
    sets = UNIONS.get(name, (name,))
    rows = judged(row for row in results.of(system) if row.set in sets)
    return rows if {row.set for row in rows} == set(sets) else ()
