"""The summary of a report: who leads, by how much, at what n, a sentence for each kind of task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from ...domains.errors import counted
from ..bench.results import Kind, Results, System
from .engine_tables import of_engines, scores
from .pairs import Standing, compare, knowing, leaders, standings
from .statistics import bootstrap
from .tables import by_task, system_names

WORDS: Mapping[Kind, str] = {"plan": "Planning", "search": "Search", "decline": "Tasks without a solution"}


def summary(results: Results, timed: bool = True) -> tuple[str, ...]:
    """Return a sentence for each kind of task of which a system made runs, and one of engines' scores.

    Systems are compared on all tasks of the kind together, where each made runs on every one of them; how
    many did not is said. A method stands there by its best system. Those that know the answer, and those of
    the synthetic reader, are left out. Without ``timed`` no score is said that a clock measured.
    """
    sentences = [_sentence(results, kind) for kind in WORDS]
    if of_engines(results):
        sentences.append(_scores(results, timed))
    return tuple(filter(None, sentences))


def _scores(results: Results, timed: bool) -> str:
    """Return the scores of engines in planning competitions, the best engine of each first."""
    parts = [
        f"{score} {', '.join(f'{engine} {total:.2f}' for engine, total in sums.items())}"
        for score, sums in scores(results, timed).items()
    ]
    n = max(Counter(row.engine for row in results.rows if row.kind == "plan").values(), default=0)
    return f"Scores of planning competitions, of {n} at most: {'; '.join(parts)}." if n else ""


def _sentence(results: Results, kind: Kind) -> str:
    ranked = standings(results, kind)
    best = leaders(ranked)
    if not best:
        return ""
    names = system_names(results.systems)
    first, *others = best
    n = f"{WORDS[kind]}, {counted(len(by_task(first.rows)), 'task')}"
    fewer = (
        len({row.system for row in results.rows if row.kind == kind})
        - len(ranked)
        - len(knowing(results, kind))
    )
    rest = f" {counted(fewer, 'other system')} ran fewer tasks." if fewer else ""
    if not others:
        return f"{n}: {names[first.system]} succeeds in {_counts(first)}.{rest}"
    return f"{n}: {_lead(results, kind, ranked, best, names)}{rest}"


def _lead(
    results: Results,
    kind: Kind,
    ranked: Sequence[Standing],
    best: Sequence[Standing],
    names: Mapping[System, str],
) -> str:
    """Return who leads among several systems, and by how much."""
    first, second = best[:2]
    if first.success.value == second.success.value:
        level = [one for one in best if one.success.value == first.success.value]
        if (walked := _by_length(level, names)) is not None:
            return walked
        others = len(best) - len(level)
        rest = f"; {counted(others, 'other')} behind" if others else ""
        return f"{_listed(names, level)} are level at {_counts(first)}{rest}."
    pair = compare(results, first.system, second.system, kind)
    lead = pair.lead
    among = ""
    if len({one.system.method for one in best}) > 1:
        by = ", each by its best reader and engine," if len(ranked) > len(best) else ""
        among = f" {counted(len(best), 'method')}{by}"
    return (
        f"{names[first.system]} leads{among} with {_counts(first)}, by {100 * lead.value:.1f} points "
        f"({100 * lead.low:.1f} to {100 * lead.high:.1f}) before {names[second.system]} with "
        f"{_counts(second)}; p = {pair.p:.2g} for this pair alone, uncorrected and picked after the runs."
    )


def _by_length(level: Iterable[Standing], names: Mapping[System, str]) -> str | None:
    """Return which of some searches of houses that find as much drives the shorter way; else ``None``."""
    lengths: list[tuple[float, Standing, Mapping[str, float]]] = []
    for one in level:
        of_tasks = {task: [row.number("spl") for row in rows] for task, rows in by_task(one.rows).items()}
        means = {task: fmean(walks) for task, each in of_tasks.items() if (walks := _numbers(each))}
        if len(means) < len(of_tasks):
            return None
        lengths.append((fmean(means.values()), one, means))
    (more, ahead, first), (less, behind, second) = sorted(lengths, key=lambda each: -each[0])[:2]
    if more == less:
        return None
    gap = bootstrap([[first[task] - second[task]] for task in first])
    return (
        f"{names[ahead.system]} leads by path efficiency, SPL {more:.3f} before {names[behind.system]} with "
        f"{less:.3f}, by {gap.value:.3f} ({gap.low:.3f} to {gap.high:.3f}), where both find as much: "
        f"{_counts(ahead)}. The tests stand under SPL in pairs."
    )


def _numbers(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _counts(one: Standing) -> str:
    right = sum(row.succeeded for row in one.rows)
    ends = f"{100 * one.success.low:.1f} to {100 * one.success.high:.1f}"
    return f"{right} of {counted(len(one.rows), 'run')} ({100 * one.success.value:.1f} %, {ends})"


def _listed(names: Mapping[System, str], level: Iterable[Standing]) -> str:
    *others, last = (names[one.system] for one in level)
    return f"{', '.join(others)} and {last}"
