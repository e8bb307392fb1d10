"""Splitting a goal into errands: conjuncts that share nothing but the robot's place and its empty hand.

Two conjuncts belong together when one speaks of a fact that the other depends on, or when both depend on a
fact that changes and is no mere toggle. A toggle is what one action flips and another flips back without
needing anything else, like a fridge's door: whoever comes second finds it as it is, so it ties nothing
together. A dishwasher's door is none, because it asks for the machine to be off.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..compiler.normal import branches, literals
from ..compiler.relevance import Closure, closure
from ..domains.action import GroundAction
from ..domains.formula import Atom, Formula
from ..simulator.facts import Facts
from ..simulator.grounding import Belief


def split(conjuncts: Sequence[Formula], belief: Belief, facts: Facts) -> list[tuple[Formula, ...]]:
    """Group conjuncts (in normal form) that must be planned together, in their order."""
    pack = belief.pack
    resources = {pack.at, pack.mapped.robot_free.predicate}
    spoken: list[set[Atom]] = []
    needed: list[set[Atom]] = []
    tied: list[set[Atom]] = []
    for conjunct in conjuncts:
        wanted = list(literals(conjunct))
        found = closure(wanted, belief, facts)
        spoken.append({a for a, _ in wanted if a.predicate != pack.at})
        mutable = {a for a in found.facts if a.predicate not in resources}
        needed.append(mutable)
        # A conjunct with alternatives can dodge what another one holds; it is tied by what it speaks of.
        several = (choices := branches(conjunct, 1)) is None or len(choices) > 1
        loose = mutable if several else toggles(found, pack.at)
        tied.append({a for a in mutable if a not in loose})
    group = list(range(len(conjuncts)))

    def root(index: int) -> int:
        while group[index] != index:
            index = group[index]
        return index

    for i in range(len(conjuncts)):
        for j in range(i):
            if spoken[i] & needed[j] or spoken[j] & needed[i] or tied[i] & tied[j]:
                low, high = sorted((root(i), root(j)))
                group[high] = low
    groups: dict[int, list[Formula]] = {}
    for index, conjunct in enumerate(conjuncts):
        groups.setdefault(root(index), []).append(conjunct)
    return [tuple(g) for g in groups.values()]


def toggles(found: Closure, at: str) -> set[Atom]:
    """The facts of a closure that are only ever flipped by actions which need nothing but their opposite."""
    touching: dict[Atom, list[GroundAction]] = {}
    for action in found.actions.values():
        for atom in (*action.add, *action.delete):
            touching.setdefault(atom, []).append(action)
    loose = set()
    for atom, actions in touching.items():
        if all(_flips(a, found, at) for a in actions) and len(atom.args) == 1:
            loose.add(atom)
    return loose


def _flips(action: GroundAction, found: Closure, at: str) -> bool:
    """Whether what an action needs is static, its place, or what it takes away itself."""
    changing = [a for a in action.precondition if a in found.facts and a.predicate != at]
    return bool(action.delete) and all(a in action.delete for a in changing)
