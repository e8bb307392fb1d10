"""Order of systems by success, and paired tests of them: fixed before any run, of readers, and exploratory.

Different methods with different readers are a pair only where one leads and the other is the best system of
the next method: all such pairs would be too many to say anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from ...datasets.task import original_id
from ..bench.comparison import FAMILY, SUBJECT
from ..bench.results import NO_READER, Kind, Results, RunRow, System
from ..synthetic_reader import SYNTHETIC
from .engine_tables import of_engines
from .statistics import (
    Interval,
    bootstrap,
    holm,
    mcnemar,
    paired_difference,
    sign_flip,
)
from .tables import KINDS, ReportTable, Value, judged, share_in, system_names, table_of

FIXED, READERS, EXPLORATORY = "family", "readers", "exploratory"
"""Roles of paired comparisons."""


def pairs(results: Results) -> ReportTable | None:
    """Return paired tests: of the family in the manifest, of readers, and exploratory ones of each hybrid."""
    rows: list[tuple[Value, ...]] = []
    compared = _compared(results)
    names = system_names(results.systems)
    for engine in results.engines:
        for role, systems in compared.items():
            tested = [(a, b, compare(results, a, b)) for a, b in systems if a.engine == engine]
            tested = [one for one in tested if one[2].n]
            p_values = [pair.p for _, _, pair in tested]
            missing = _family_size(results) - len(p_values) if role == FIXED else 0
            adjusted = iter(holm([*p_values, *[1.0] * missing]))
            for a, b, pair in tested:
                corrected = None if role == EXPLORATORY else next(adjusted)
                numbers = (pair.n, pair.first, pair.second, pair.p, corrected)
                rows.append((names[a], names[b], engine, *numbers, role))
    columns = ("first", "second", "engine", "tasks", "only first", "only second", "p", "p (Holm)", "role")
    return table_of(
        "Paired comparisons",
        columns,
        rows,
        fixed=FIXED,
        subject=SUBJECT,
        methods=", ".join(FAMILY),
        readers=READERS,
    )


def _compared(results: Results) -> Mapping[str, list[tuple[System, System]]]:
    """Return pairs of systems by role: of the family, of readers, and of each hybrid with all others."""
    fixed = [tuple(names) for names in results.manifest["family"]]
    both = [(a, b) for a in results.systems for b in results.systems if a != b and a.engine == b.engine]
    family = [(a, b) for a, b in both if a.reader == b.reader and (a.method, b.method) in fixed]
    readers = [(a, b) for a, b in both if a.method == b.method]
    others = [
        (a, b)
        for a, b in both
        if a.method.startswith("hybrid")
        and a.method != b.method
        and _share_reader(a, b)
        and (a, b) not in family
    ]
    leading = [leaders(standings(results, kind))[:2] for kind in KINDS]
    ahead = [(one[0].system, one[1].system) for one in leading if len(one) > 1]
    across = [pair for pair in ahead if pair in both and pair not in readers and not _share_reader(*pair)]
    return {
        FIXED: sorted(family, key=lambda pair: fixed.index((pair[0].method, pair[1].method))),
        READERS: _once(readers),
        EXPLORATORY: _once([*others, *across]),
    }


def _share_reader(first: System, second: System) -> bool:
    """Return whether two systems have one reader, or one of them none."""
    return first.reader == second.reader or NO_READER in (first.reader, second.reader)


def _once(ordered: Sequence[tuple[System, System]]) -> list[tuple[System, System]]:
    """Return pairs without those that are there the other way round before."""
    return [(a, b) for i, (a, b) in enumerate(ordered) if (b, a) not in ordered[:i]]


def _family_size(results: Results) -> int:
    """Return the number of comparisons to correct for: all that were fixed, by each reader."""
    readers = len(set(results.readers) - {NO_READER}) or 1
    return max(len(FAMILY), len(results.manifest["family"])) * readers


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems on the tasks that both ran, by the differences of their success on each."""

    differences: tuple[float, ...]
    single: bool
    """True with one answer a task."""
    both: float
    """The number of tasks that both solve; with several answers a task means, summed."""

    @property
    def n(self) -> int:
        return len(self.differences)

    @property
    def first(self) -> float:
        return sum(d for d in self.differences if d > 0)

    @property
    def second(self) -> float:
        return -sum(d for d in self.differences if d < 0)

    @property
    def p(self) -> float:
        return mcnemar(int(self.first), int(self.second)) if self.single else sign_flip(self.differences)

    @property
    def lead(self) -> Interval:
        """The difference of success with its interval; with several answers a task by the bootstrap."""
        if self.single:
            first, second, both = int(self.first), int(self.second), int(self.both)
            return paired_difference(both, first, second, self.n - both - first - second)
        return bootstrap([[difference] for difference in self.differences])


def compare(results: Results, first: System, second: System, kind: Kind | None = None) -> Pair:
    """Compare two systems in the runs that both made, by task; of one ``kind`` or of all with a gold."""
    a, b = (
        {
            (row.task, row.repeat): row.succeeded
            for row in judged(r for r in results.of(system) if r.kind in ((kind,) if kind else KINDS))
        }
        for system in (first, second)
    )
    by_id: dict[str, list[tuple[bool, bool]]] = {}
    for run in a:
        if run in b:
            by_id.setdefault(original_id(run[0]), []).append((a[run], b[run]))
    groups = by_id.values()
    differences = tuple(fmean(x - y for x, y in group) for group in groups)
    both = sum(fmean(x and y for x, y in group) for group in groups)
    return Pair(differences, all(len(group) == 1 for group in groups), both)


# The order of systems by success: who leads among methods, each by its best system

KNOWING = ("gold", "known-positions", "known-sightings")
"""Methods that know the answer: none of them is said to lead, nor is one with the reader gold."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A system with its runs of one kind, and their share of success, each task counted once."""

    system: System
    rows: tuple[RunRow, ...]
    success: Interval


def standings(results: Results, kind: Kind) -> list[Standing]:
    """Return the systems that made runs on every task of a kind, the best one first."""
    rows = judged(row for row in results.rows if row.kind == kind)
    tasks = {row.task for row in rows}
    informed = knowing(results, kind)
    ranked = []
    for system in results.systems:
        own = tuple(row for row in rows if row.system == system)
        if own and system not in informed and {row.task for row in own} == tasks:
            ranked.append(Standing(system, own, share_in(own, lambda row: row.succeeded)))
    return sorted(ranked, key=lambda one: -one.success.value)


def knowing(results: Results, kind: Kind) -> frozenset[System]:
    """Return the systems of a kind that know the answer, or whose reader is made from it."""
    methods = () if of_engines(results) else KNOWING
    made = {row.system for row in results.rows if row.kind == kind}
    return frozenset(
        system
        for system in made
        if system.method in methods or system.reader.partition(":")[0] in ("gold", SYNTHETIC)
    )


def leaders(ranked: Sequence[Standing]) -> list[Standing]:
    """Return the best system of each method, the best one first; all systems where there is one method."""
    best: dict[str, Standing] = {}
    for one in ranked:
        best.setdefault(one.system.method, one)
    return list(best.values()) if len(best) > 1 else list(ranked)
