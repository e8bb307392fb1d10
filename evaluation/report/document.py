"""A report: the tables of a comparison, published figures beside them, and every run that failed.

:func:`report_on` decides what is in it; the forms it is written in are in ``formats`` and ``page``. The same
rows give the same report byte for byte, in every form, where the tables of times are left out and the same
data sets are prepared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...datasets.task import Task
from ...domains.deadline import check_time
from ...domains.errors import counted
from ...domains.files import mapping
from ..bench.results import Results, RunRow, rules_in
from ..bench.stored import KIND as STORED
from ..synthetic_reader import SYNTHETIC
from . import error_tables, search_tables, tables
from .chart import Chart
from .charts import charts_of
from .engine_tables import engine_seconds, engines, of_engines, runs_table
from .failures import tasks_of
from .pairs import pairs
from .papers.appendices import beside_appendices
from .papers.counterparts import Folder, counterpart
from .papers.published import PUBLISHED, other_sets
from .prices import PriceTable, money
from .reader_table import SHOWN_SETTINGS, readers
from .summary import summary
from .tables import ReportTable, cannot, flat

TABLES: Sequence[Callable[[Results], ReportTable | None]] = (
    readers,
    tables.budgets,
    tables.planning,
    tables.information,
    search_tables.searching,
    tables.without_solution,
    tables.ungraded,
    tables.by_label,
    search_tables.walking,
    search_tables.walking_pairs,
    search_tables.hidden_things,
    search_tables.eyes,
    search_tables.looks_in_pairs,
    search_tables.tokens_by_step,
    tables.clusters,
    pairs,
    error_tables.graphs,
    error_tables.kinds_of_errors,
    error_tables.faults,
    error_tables.repairs,
    tables.endings,
    tables.unsupported,
    tables.spending,
    engines,
    engine_seconds,
    tables.seconds,
)
"""The tables of a report, in its order; one that has nothing to say is left out."""

COMPARING = (pairs,)
"""Tables that compare methods with each other."""
PLAN_SEARCHES = ("intent", "intent_skip", "errors", "execution_errors", "wrong_nodes")
"""Measures of a plan that are found by searches, within a time."""
CALLS = ("calls", "foreign_calls")
"""Calls of a row's model, and those that were answered by what was written to other prompts."""
MADE_UP = ("gold",)
"""Readers that know the answer: their results say what the other parts of a method are worth, no more."""


@dataclass(frozen=True)
class Report:
    """A report as a value: a title, a summary, what it is of, notes, tables, and the runs that failed."""

    title: str
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    tables: tuple[ReportTable, ...]
    flat: ReportTable
    runs: ReportTable
    failures: tuple[RunRow, ...]
    charts: tuple[Chart, ...] = ()
    tasks: Mapping[str, Task] = field(default_factory=dict)
    """The tasks of runs that failed, where the gold here is that of the runs."""
    summary: tuple[str, ...] = ()
    """Sentences that say who is ahead, by how much, at what n."""


def report_on(
    results: Results, timed: bool = True, prices: PriceTable | None = None, papers: bool = False
) -> Report:
    """Return the report on a comparison, finished or not; without ``timed`` nothing that a clock measured.

    Printed tables that are about its task sets stand beside its own, with ``papers`` all of them. With
    ``prices`` it says what models cost. Tables with results of the synthetic reader are marked, and neither
    methods nor published figures are compared by them.
    """
    others, mark = without_synthetic(results), _mark(results)
    makers: Iterable[Callable[[Results], ReportTable | None]] = TABLES
    if of_engines(results):
        makers = dict.fromkeys((engines, engine_seconds, *TABLES))
    made: list[ReportTable] = []
    for make in makers:
        check_time("the tables of a report")
        compares = make in COMPARING
        if (table := make(others if compares else results)) is not None:
            made.append(table if compares else replace(table, title=f"{table.title}{mark}"))
    if prices is not None and (costs := money(results, prices)) is not None:
        made.append(replace(costs, title=f"{costs.title}{mark}"))
    if others.rows or not mark:
        made += printed_tables([Folder(others)], papers)
    failures = tuple(row for row in results.rows if row.failed and not cannot(row))
    lines, runs = flat(results), runs_table(results)
    if not timed:
        made = [table for table in made if not table.timed]
        lines = replace(lines, columns=lines.columns[:-1], rows=tuple(row[:-1] for row in lines.rows))
        runs = replace(runs, columns=runs.columns[:-2], rows=tuple(row[:-2] for row in runs.rows))
    return Report(
        "Comparison of methods",
        _facts(results),
        _notes(results),
        tuple(made),
        lines,
        runs,
        failures,
        _charts(results, timed),
        tasks_of(results, failures),
        summary(results, timed),
    )


def report_on_papers(folders: Sequence[Folder], why: str) -> Report:
    """Return the printed tables with own lines of folders that cannot be joined, and no other table.

    ``why`` says what differs. Each line names its folder. Results of the synthetic reader are left out.
    """
    shown = [folder for folder in folders if not _is_synthetic(folder.results)]
    facts = tuple(
        (folder.name, "; ".join(f"{k}: {v}" for k, v in _facts(folder.results) if v)) for folder in folders
    )
    notes = [f"These folders are not one comparison ({why}): lines are told apart by folder, and not tested."]
    notes += [
        f"{folder.name}: left out, its reader is synthetic." for folder in folders if folder not in shown
    ]
    notes += [folder.titled(note) for folder in shown for note in _notes(folder.results)]
    nothing = ReportTable("Results", (), ())
    return Report(
        "Printed tables of the papers, with lines of several folders",
        facts,
        tuple(notes),
        tuple(printed_tables(shown, always=True)),
        nothing,
        nothing,
        (),
    )


def printed_tables(folders: Sequence[Folder], always: bool = False) -> Iterator[ReportTable]:
    """Yield the printed tables about the sets that ran, each with own lines; ``always`` all of them."""
    sets = {row.set for folder in folders for row in folder.results.rows}
    for one in PUBLISHED:
        check_time("the tables of a report")
        if always or sets & set(one.sets):
            title = f"Published by others: {one.source}. {one.title}"
            yield ReportTable(title, one.columns, one.rows, one.flags, foreign=True)
            if (own := counterpart(folders, one, always)) is not None:
                yield own
    yield from beside_appendices(folders, always)


def without_synthetic(results: Results) -> Results:
    """Return results without the runs of the synthetic reader."""
    systems = [list(s) for s in results.systems if s.reader.partition(":")[0] != SYNTHETIC]
    rows = tuple(row for row in results.rows if row.reader.partition(":")[0] != SYNTHETIC)
    return replace(results, manifest={**results.manifest, "systems": systems}, rows=rows)


def _is_synthetic(results: Results) -> bool:
    return any(name.partition(":")[0] == SYNTHETIC for name in results.readers)


def _mark(results: Results) -> str:
    """Return what stands behind titles of tables and charts with lines of the synthetic reader."""
    if not _is_synthetic(results):
        return ""
    return " (with the reader synthetic)" if without_synthetic(results).rows else " (reader synthetic)"


def _charts(results: Results, timed: bool) -> tuple[Chart, ...]:
    mark = _mark(results)
    return tuple(replace(chart, title=f"{chart.title}{mark}") for chart in charts_of(results, timed))


def _described(reader: tuple[str, Mapping[str, object]]) -> str:
    """Return the name of a reader with the settings that are a number or a word, for people."""
    name, settings = reader
    plain = {k: v for k, v in settings.items() if k in SHOWN_SETTINGS and isinstance(v, str | int | float)}
    return name + (f" ({', '.join(f'{k} {v}' for k, v in plain.items())})" if plain else "")


def _facts(results: Results) -> tuple[tuple[str, str], ...]:
    manifest = results.manifest
    limits, pack = (mapping(manifest.get(key)) for key in ("limits", "pack"))
    readers = "; ".join(map(_described, results.readers.items()))
    facts = {
        "reader" if len(results.readers) == 1 else "readers": readers,
        "methods": ", ".join(results.methods),
        "engines": ", ".join(f"{name} {version}".strip() for name, version in manifest["engines"].items()),
        "pack": f"{pack.get('name', '')}{' (one-handed)' if pack.get('one_handed') is True else ''}",
        "rules": " ".join(rules_in(manifest)),
        "tasks": str(len(manifest["tasks"])),
        "repeats": str(manifest.get("repeats", 1)),
        "runs": f"{len(results.rows)} of {results.planned}",
        "limits of a run": ", ".join(f"{k} {v}" for k, v in limits.items() if v is not None),
        "groundplan": str(manifest.get("version", "")),
    }
    return tuple((name, value) for name, value in facts.items() if value or name not in ("pack", "rules"))


def _stored(results: Results, reader: str) -> str:
    """Return the words about a reader that gives the answers to other prompts; empty for any other."""
    tokens = [row.tokens for row in results.rows if row.reader == reader]
    calls, foreign = (sum(int(n) for t in tokens if isinstance(n := t.get(key), int)) for key in CALLS)
    if reader.partition(":")[0] != STORED:
        return ""
    return (
        f"The answers of {reader} were stored before, and are given again by task: {foreign} of its {calls} "
        "calls got an answer that was written to another prompt. No figure of it measures a model."
    )


def _notes(results: Results) -> tuple[str, ...]:
    notes = []
    if missing := results.planned - len(results.rows):
        notes.append(
            f"Not finished: {missing} of {results.planned} runs have not been made, and count nowhere."
        )
    if _is_synthetic(results):
        notes.append(
            "The reader synthetic is no model, but gold goals with errors put in at given rates. Its figures "
            "are of the loop around it: methods are not compared by them, and no line of the papers' tables "
            "has them."
        )
    notes += [
        f"The reader {reader} knows the gold goals: no figure of it is one of a language model."
        for reader in results.readers
        if reader.partition(":")[0] in MADE_UP
    ]
    notes += filter(None, (_stored(results, reader) for reader in results.readers))
    programs = results.manifest.get("programs")
    if isinstance(programs, list):
        notes.append(f"{len(programs)} states of the program made these runs: it was changed in between.")
    unchecked = Counter(name for row in results.rows for name in PLAN_SEARCHES if not row.decided(name))
    if unchecked:
        named = ", ".join(f"{name} of {counted(number, 'run')}" for name, number in unchecked.items())
        notes.append(f"Not judged in the time of a run, and in no share of their measure: {named}.")
    if any(not row.reproducible for row in results.rows):
        notes.append(
            "Some runs were decided by a clock or a signal, and may end otherwise when they are run again."
        )
    sets = other_sets(row.set for row in results.rows)
    notes += [f"{name}: {words}." for name, words in sets.items()]
    if any(row.set.startswith(("office-", "home-")) for row in results.rows):
        notes.append(
            "SayPlan's instructions and plans are printed in its paper: language models were trained on them."
        )
    return tuple(notes)
