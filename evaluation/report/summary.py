"""The summary of a report: who is ahead, by how much, at what n, a sentence for planning and for search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...domains.errors import counted
from ..bench.results import Results, RunRow, System
from .engine_tables import of_engines
from .pairs import compare
from .statistics import share_of
from .tables import by_task, judged, system_names

KNOWING = ("gold", "known-positions", "known-sightings")
"""Methods that know the answer: none of them is said to be ahead, nor is one with the reader gold."""
WORDS = {"plan": "Planning", "search": "Search"}


def summary(results: Results) -> tuple[str, ...]:
    """Return a sentence for each kind of task of which two systems made runs.

    Systems are compared on all tasks of the kind together, where each made runs on every one of them.
    """
    return tuple(filter(None, (_sentence(results, kind) for kind in WORDS)))


def _sentence(results: Results, kind: str) -> str:
    rows = judged(row for row in results.rows if row.kind == kind)
    tasks = {row.task for row in rows}
    omitted = () if of_engines(results) else KNOWING
    runs = {
        system: [row for row in rows if row.system == system]
        for system in results.systems
        if system.method not in omitted and system.reader.partition(":")[0] != "gold"
    }
    whole = {s: own for s, own in runs.items() if own and {row.task for row in own} == tasks}
    if len(whole) < 2:
        return ""
    names = system_names(results.systems)
    ranked = sorted(whole, key=lambda system: -_share(whole[system]))
    first, second = ranked[:2]
    n = f"{WORDS[kind]}, {counted(len(by_task(rows)), 'task')}"
    lead = _share(whole[first]) - _share(whole[second])
    if not lead:
        level = [s for s in ranked if _share(whole[s]) == _share(whole[first])]
        others = len(ranked) - len(level)
        rest = f"; {counted(others, 'other')} behind" if others else ""
        return f"{n}: {_listed(names, level)} are level at {_counts(whole[first])}{rest}."
    pair = compare(results, first, second)
    return (
        f"{n}: {names[first]} is ahead with {_counts(whole[first])}, by {100 * lead:.1f} points before "
        f"{names[second]} with {_counts(whole[second])}; p = {pair.p:.2g} for this pair alone, uncorrected "
        "and picked after the runs."
    )


def _share(rows: Sequence[RunRow]) -> float:
    """Return the share of success, each task counted once."""
    return share_of([[row.succeeded for row in group] for group in by_task(rows).values()]).value


def _counts(rows: Sequence[RunRow]) -> str:
    share = share_of([[row.succeeded for row in group] for group in by_task(rows).values()])
    right = sum(row.succeeded for row in rows)
    ends = f"{100 * share.low:.1f} to {100 * share.high:.1f}"
    return f"{right} of {counted(len(rows), 'run')} ({100 * share.value:.1f} %, {ends})"


def _listed(names: Mapping[System, str], systems: Iterable[System]) -> str:
    *others, last = (names[system] for system in systems)
    return f"{', '.join(others)} and {last}"
