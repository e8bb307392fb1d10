"""The order of systems by success: who leads among methods, each by its best system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..bench.results import Kind, Results, RunRow, System
from ..synthetic_reader import SYNTHETIC
from .engine_tables import of_engines
from .statistics import Interval
from .tables import judged, share_in

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
