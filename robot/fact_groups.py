"""Facts that exclude each other in every state that a program can lead to, and what follows from one of them.

The groups are those that the pack's actions are shown to keep and that hold where the program starts
(``Belief.exclusive``), so a program carries them and nobody needs the pack. Where each action that ends a
fact of a group begins another one of the same thing, exactly one holds of every thing that has one at the
start: then a fact follows from the others being false as well.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..domains.checks.induction import keeps_one
from ..domains.exclusive import ExclusionIndex
from ..domains.formula import Atom, GroundAtom, as_ground
from ..domains.storage.json_record import JsonRecord
from ..simulator.belief import Belief


@dataclass(frozen=True, slots=True)
class FactGroup(JsonRecord):
    """Patterns of facts of which at most one holds of a thing, and the things of which exactly one does.

    A pattern is about its first argument; one without arguments, or with ``*``, is about the robot.
    """

    facts: tuple[Atom, ...]
    one_of: tuple[str, ...] = ()


def groups_of(belief: Belief, facts: Iterable[GroundAtom]) -> tuple[FactGroup, ...]:
    """Return the groups of a belief, with the things that some facts are about."""
    things = tuple(dict.fromkeys(argument for fact in facts for argument in fact.args))
    groups: list[FactGroup] = []
    for patterns in belief.exclusive.values():
        one_of: list[str] = []
        if keeps_one(patterns, belief.pack.domain):
            holds = belief.facts.holds
            one_of = [thing for thing in things if any(holds(p.predicate, (thing,)) for p in patterns)]
        groups.append(FactGroup(patterns, tuple(one_of)))
    return tuple(groups)


class FactLaws:
    """The laws of some groups over the facts that were named so far."""

    def __init__(self, groups: Iterable[FactGroup], named: Iterable[GroundAtom]) -> None:
        numbered = {str(number): group for number, group in enumerate(groups)}
        self._index = ExclusionIndex({number: group.facts for number, group in numbered.items()})
        self._rivals: dict[tuple[str, str], dict[GroundAtom, None]] = {}
        self._one_of = {(n, thing) for n, group in numbered.items() for thing in group.one_of}
        every = [Atom(f.predicate, (t,)) for g in numbered.values() for t in g.one_of for f in g.facts]
        for fact in (*named, *map(as_ground, every)):
            self._note(fact)

    def _note(self, fact: GroundAtom) -> list[tuple[str, str]]:
        keys = self._index.keys(fact.predicate, fact.args)
        for key in keys:
            self._rivals.setdefault(key, {})[fact] = None
        return keys

    def follow(
        self, facts: Mapping[GroundAtom, bool]
    ) -> tuple[dict[GroundAtom, bool], tuple[GroundAtom, GroundAtom] | None]:
        """Return facts with all that follows from them, and two of them that contradict each other.

        Where there are two, what follows is cut short.
        """
        truth = dict(facts)
        source = {fact: fact for fact in truth}
        waiting = deque(truth)
        while waiting:
            fact = waiting.popleft()
            for key in self._note(fact):
                for rival, holds in self._implied(fact, key, truth).items():
                    if rival not in truth:
                        truth[rival], source[rival] = holds, source[fact]
                        waiting.append(rival)
                    elif truth[rival] != holds:
                        return truth, (source[rival], source[fact])
        return truth, None

    def _implied(
        self, fact: GroundAtom, key: tuple[str, str], truth: Mapping[GroundAtom, bool]
    ) -> dict[GroundAtom, bool]:
        """Return what one group makes of a fact: all others false, or the last one left true."""
        others = [rival for rival in self._rivals[key] if rival != fact]
        if truth[fact]:
            return dict.fromkeys(others, False)
        left = [rival for rival in others if truth.get(rival, True)]
        if key not in self._one_of or len(left) > 1:
            return {}
        return dict.fromkeys((left or others)[:1], True)
