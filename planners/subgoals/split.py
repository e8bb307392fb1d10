"""Splitting a goal into subgoals: conjuncts that share nothing but the robot's place and its empty hand.

Two conjuncts belong together when one mentions a fact that the other depends on, or when both depend on a
fact that changes and is no mere toggle. A toggle is what one action flips and another flips back without
needing anything else that changes, like a fridge's door: whoever comes second finds it as it is, so it ties
nothing together. (A dishwasher's door asks for the machine to be off; it ties only where something turns the
machine on.) Two that both have alternatives meet only through a third. These rules may be changed, since the
merged plan is carried out and checked; the order of the groups must not depend on hashing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...compiler.forms import branches, holds_now, literals
from ...compiler.relevance import Closure, closure
from ...domains.action import GroundAction
from ...domains.deadline import check_time
from ...domains.formula import Formula, GroundAtom
from ...simulator.belief import Belief
from ...simulator.facts import Facts

WORK = "splitting the goal into parts"


def split(conjuncts: Sequence[Formula], belief: Belief, facts: Facts) -> list[tuple[Formula, ...]]:
    """Group conjuncts (in normal form) that must be planned together, in their order."""
    if len(conjuncts) == 1:
        return [(conjuncts[0],)]
    depending = _Dependencies(conjuncts, belief, facts)
    groups = _components(depending.spoken, depending.needed, depending.tied(), depending.free)
    return [tuple(conjuncts[i] for i in group) for group in groups]


class _Dependencies:
    """Facts that each of some conjuncts mentions and needs, and the actions that may serve it.

    ``free`` says which conjuncts have alternatives. Such a one can dodge what another one holds; it is tied
    by what it mentions, and two of them by nothing: which alternatives go together shows when they are
    carried out.
    """

    def __init__(self, conjuncts: Sequence[Formula], belief: Belief, facts: Facts) -> None:
        self.conjuncts, self.belief, self.facts = conjuncts, belief, facts
        self.resources = {belief.pack.at, belief.pack.mapping.robot_free.predicate}
        self.spoken = [{a for a, _ in literals(c) if a.predicate != belief.pack.at} for c in conjuncts]
        options = [branches(c, 1) for c in conjuncts]
        self.free = [some is None or len(some) > 1 for some in options]
        self.needed: list[set[GroundAtom]] = [set() for _ in conjuncts]
        self.acting: list[list[GroundAction]] = [[] for _ in conjuncts]
        self._follow_all()

    def _follow_all(self) -> None:
        """Find what the open conjuncts depend on, and those that hold and that the open ones may change."""
        holding: list[int] = []
        touched: set[GroundAtom] = set()
        for index, conjunct in enumerate(self.conjuncts):
            check_time(WORK)
            if holds_now(conjunct, self.facts):
                holding.append(index)
                continue
            relevant = self._follow(index)
            touched |= self.needed[index]
            touched.update(e for a in relevant.actions.values() for e in (*a.add, *a.delete))
        for index in holding:
            # What holds, and nothing that the others do could change, is tied to none of them.
            if self._is_derived(index) or not self.spoken[index].isdisjoint(touched):
                check_time(WORK)
                self._follow(index)

    def _follow(self, index: int) -> Closure:
        targets = list(literals(self.conjuncts[index]))
        relevant = closure(targets, self.belief, self.facts)
        self.needed[index] = {a for a in relevant.facts if a.predicate not in self.resources}
        if not self.free[index]:
            # What makes a derived literal true is no effect of one action: every action counts.
            every = self._is_derived(index)
            actions = [*relevant.actions.values()] if every else useful(relevant, targets, self.facts)
            self.acting[index] = actions
        return relevant

    def _is_derived(self, index: int) -> bool:
        derived = self.belief.pack.mapping.derived
        return any(a.predicate in derived for a, _ in literals(self.conjuncts[index]))

    def tied(self) -> list[set[GroundAtom]]:
        """Return for each conjunct the changing facts that tie it to others that depend on them."""
        changing = {e for actions in self.acting for a in actions for e in (*a.add, *a.delete)}
        tied: list[set[GroundAtom]] = []
        for actions in self.acting:
            own = {e for a in actions for e in (*a.precondition, *a.add, *a.delete)} & changing
            own = {a for a in own if a.predicate not in self.resources}
            tied.append(own - toggles(actions, changing, self.belief.pack.at))
        return tied


def depends_on_hand(goal: Formula, belief: Belief, facts: Facts) -> bool:
    """Return whether an action that may serve a goal, or the goal, mentions the hand being empty."""
    empty = belief.pack.mapping.robot_free.predicate
    return any(a.predicate == empty for a in closure(literals(goal), belief, facts).facts)


def _components(
    spoken: Sequence[set[GroundAtom]],
    needed: Sequence[set[GroundAtom]],
    tied: Sequence[set[GroundAtom]],
    free: Sequence[bool],
) -> list[list[int]]:
    """Group indices of which one mentions what another needs, or which are tied to the same fact.

    Two that are free are not grouped for that. Each fact is looked at once, and not each pair.
    """
    group = list(range(len(spoken)))

    def root(index: int) -> int:
        while group[index] != index:
            group[index] = group[group[index]]
            index = group[index]
        return index

    def join(indices: Sequence[int]) -> None:
        for index in indices[1:]:
            low, high = sorted((root(indices[0]), root(index)))
            group[high] = low

    speaking, needing, tying = _by_fact(spoken), _by_fact(needed), _by_fact(tied)
    for fact, speakers in speaking.items():
        needers = needing.get(fact, [])
        for bound, others in ((speakers, needers), (needers, speakers)):
            bound = [i for i in bound if not free[i]]
            if bound and others:
                join([*bound, *others])
    for indices in tying.values():
        join(indices)
    groups: dict[int, list[int]] = {}
    for index in range(len(spoken)):
        groups.setdefault(root(index), []).append(index)
    return list(groups.values())


def _by_fact(sets: Sequence[set[GroundAtom]]) -> dict[GroundAtom, list[int]]:
    """Return the indices of the sets that have a fact. Its order is that of sets, good for grouping alone."""
    indices: dict[GroundAtom, list[int]] = {}
    for index, facts in enumerate(sets):
        for fact in facts:
            indices.setdefault(fact, []).append(index)
    return indices


def useful(relevant: Closure, targets: Iterable[tuple[GroundAtom, bool]], now: Facts) -> list[GroundAction]:
    """The actions of a closure that could serve; what holds is a target only where one of them ends it."""
    chosen: dict[GroundAction, None] = {}
    open_targets = dict.fromkeys(targets)
    grew = True
    while grew:
        grew = False
        added = {e for a in chosen for e in a.add}
        deleted = {e for a in chosen for e in a.delete}
        missing: dict[bool, set[GroundAtom]] = {True: set(), False: set()}
        for atom, positive in open_targets:
            holds = now.holds(atom.predicate, atom.args)
            if holds != positive or atom in (deleted if positive else added):
                missing[positive].add(atom)
        for action in relevant.actions.values():
            serves = not missing[True].isdisjoint(action.add) or not missing[False].isdisjoint(action.delete)
            if serves and action not in chosen:
                chosen[action] = None
                open_targets |= dict.fromkeys((a, True) for a in action.precondition)
                grew = True
    return list(chosen)


def toggles(actions: Iterable[GroundAction], changing: set[GroundAtom], at: str) -> set[GroundAtom]:
    """The facts that are only ever flipped by actions which need nothing that changes but their opposite."""
    touching: dict[GroundAtom, list[GroundAction]] = {}
    for action in actions:
        for atom in (*action.add, *action.delete):
            touching.setdefault(atom, []).append(action)
    loose = set()
    for atom, those in touching.items():
        if all(_flips(a, changing, at) for a in those) and len(atom.args) == 1:
            loose.add(atom)
    return loose


def _flips(action: GroundAction, changing: set[GroundAtom], at: str) -> bool:
    """Return whether all that an action needs is static, its place, or what it takes away itself."""
    needs = [a for a in action.precondition if a in changing and a.predicate != at]
    return bool(action.delete) and all(a in action.delete for a in needs)
