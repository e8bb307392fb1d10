"""Splitting a goal into subgoals: conjuncts that share nothing but the robot's place and its empty hand.

Two conjuncts belong together when one speaks of a fact that the other depends on, or when both depend on a
fact that changes and is no mere toggle. A toggle is what one action flips and another flips back without
needing anything else that changes, like a fridge's door: whoever comes second finds it as it is, so it ties
nothing together. (A dishwasher's door asks for the machine to be off; it ties only where something turns the
machine on.) Two that both have alternatives meet only through a third. These rules may be changed, since the
merged plan is carried out and checked; the order of the groups must not depend on hashing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...compiler.forms import branches, literals
from ...compiler.relevance import Closure, closure
from ...domains.action import GroundAction
from ...domains.formula import Atom, Formula
from ...simulator.belief import Belief
from ...simulator.facts import Facts, ground_args


def split(conjuncts: Sequence[Formula], belief: Belief, facts: Facts) -> list[tuple[Formula, ...]]:
    """Group conjuncts (in normal form) that must be planned together, in their order."""
    pack = belief.pack
    resources = {pack.at, pack.mapping.robot_free.predicate}
    spoken: list[set[Atom]] = []
    needed: list[set[Atom]] = []
    acting: list[list[GroundAction]] = []
    free: list[bool] = []
    for conjunct in conjuncts:
        targets = list(literals(conjunct))
        relevant = closure(targets, belief, facts)
        spoken.append({a for a, _ in targets if a.predicate != pack.at})
        needed.append({a for a in relevant.facts if a.predicate not in resources})
        # A conjunct with alternatives can dodge what another one holds; it is tied by what it speaks of,
        # and two of them by nothing: which alternatives go together shows when they are carried out.
        several = (choices := branches(conjunct, 1)) is None or len(choices) > 1
        free.append(several)
        # What makes a derived literal true is no effect of one action: every action counts.
        through = any(a.predicate in pack.mapping.derived for a, _ in targets)
        serving = [*relevant.actions.values()] if through else useful(relevant, targets, facts)
        acting.append([] if several else serving)
    changing = {e for actions in acting for a in actions for e in (*a.add, *a.delete)}
    tied: list[set[Atom]] = []
    for actions in acting:
        touched = {e for a in actions for e in (*a.precondition, *a.add, *a.delete)} & changing
        touched = {a for a in touched if a.predicate not in resources}
        tied.append(touched - toggles(actions, changing, pack.at))
    group = list(range(len(conjuncts)))

    def root(index: int) -> int:
        while group[index] != index:
            index = group[index]
        return index

    for i in range(len(conjuncts)):
        for j in range(i):
            meet = spoken[i] & needed[j] or spoken[j] & needed[i] or tied[i] & tied[j]
            if meet and not (free[i] and free[j]):
                low, high = sorted((root(i), root(j)))
                group[high] = low
    groups: dict[int, list[Formula]] = {}
    for index, conjunct in enumerate(conjuncts):
        groups.setdefault(root(index), []).append(conjunct)
    return [tuple(g) for g in groups.values()]


def useful(relevant: Closure, targets: Iterable[tuple[Atom, bool]], now: Facts) -> list[GroundAction]:
    """The actions of a closure that could serve; what holds is a target only where one of them ends it."""
    chosen: dict[GroundAction, None] = {}
    open_targets = dict.fromkeys(targets)
    grew = True
    while grew:
        grew = False
        added = {e for a in chosen for e in a.add}
        deleted = {e for a in chosen for e in a.delete}
        missing: dict[bool, set[Atom]] = {True: set(), False: set()}
        for atom, positive in open_targets:
            holds = now.holds(atom.predicate, ground_args(atom))
            if holds != positive or atom in (deleted if positive else added):
                missing[positive].add(atom)
        for action in relevant.actions.values():
            serves = not missing[True].isdisjoint(action.add) or not missing[False].isdisjoint(action.delete)
            if serves and action not in chosen:
                chosen[action] = None
                open_targets |= dict.fromkeys((a, True) for a in action.precondition)
                grew = True
    return list(chosen)


def toggles(actions: Iterable[GroundAction], changing: set[Atom], at: str) -> set[Atom]:
    """The facts that are only ever flipped by actions which need nothing that changes but their opposite."""
    touching: dict[Atom, list[GroundAction]] = {}
    for action in actions:
        for atom in (*action.add, *action.delete):
            touching.setdefault(atom, []).append(action)
    loose = set()
    for atom, those in touching.items():
        if all(_flips(a, changing, at) for a in those) and len(atom.args) == 1:
            loose.add(atom)
    return loose


def _flips(action: GroundAction, changing: set[Atom], at: str) -> bool:
    """Return whether all that an action needs is static, its place, or what it takes away itself."""
    needs = [a for a in action.precondition if a in changing and a.predicate != at]
    return bool(action.delete) and all(a in action.delete for a in needs)
