"""The difference between a world and the belief that it started from, by comparing all facts."""

from __future__ import annotations

from groundplan.domains.formula import Atom
from groundplan.simulator.world import World


def new_facts(world: World) -> list[Atom]:
    """Return what has become true, sorted by predicate and arguments."""
    new = set(world.state.facts) - set(world.belief.facts)
    return sorted(new, key=lambda a: (a.predicate, a.args))
