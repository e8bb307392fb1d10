"""Estimates of what single facts cost: where a change begins, where it ends, and the handling.

A change of a fact is an errand: the robot comes to where the thing is, carries it to where it is to be, and
goes on from there; a change of a state (a door, a machine) begins and ends at the thing. Estimates may be
changed freely, since plans are made and judged by others; they must not depend on hashing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

from ...compiler.whereabouts import unmet_requirement
from ...domains.formula import (
    And,
    Atom,
    Cardinality,
    Formula,
    GroundAtom,
    Or,
    Var,
    disjunction,
    is_ground_atom,
    rebuild,
)
from ...simulator.belief import Belief
from ...simulator.facts import Facts
from ...simulator.world import World

FAR = 1_000_000
"""Millimetres that stand for a place which no route leads to."""

LAST = 1000
"""Millimetres added for leaving the robot or its hand in a certain way: a thing is better put down."""


class Turn(IntEnum):
    """The turn of an errand: at the end the hand keeps something, and then the robot stays somewhere."""

    ANY = 0
    HAND = 1
    ROBOT = 2


@dataclass(frozen=True, slots=True)
class Errand:
    """A change of facts about ``subject``: the robot comes to ``source`` and goes on from ``target``.

    Both are rooms or poses. ``carried`` is true where a thing is brought somewhere.
    """

    subject: str
    source: str
    target: str
    carried: bool = False
    turn: Turn = Turn.ANY

    def before(self, other: Errand) -> bool:
        """Return whether the other errand can come after this one."""
        return self.turn is Turn.ANY or self.turn < other.turn


@dataclass
class Estimates:
    """Errands of facts from one state on; distances are the routes between anchors."""

    belief: Belief
    facts: Facts
    _anchors: dict[str, str] = field(default_factory=dict)

    @cached_property
    def world(self) -> World:
        return World(self.belief, (), self.facts)

    @cached_property
    def effort(self) -> int:
        """The least effort of a manipulation in the pack (millimetres)."""
        efforts = (action.cost or 0 for action in self.belief.pack.manipulations)
        return min((effort for effort in efforts if effort > 0), default=0)

    @property
    def start(self) -> str:
        return self.anchor(self.world.state.stands_at)

    def anchor(self, name: str) -> str:
        """The room or pose that a node is in now; a held thing is where the robot is."""
        if name not in self._anchors:
            top = self.world.state.anchor_of(name)
            if self.belief.scene.nodes[top].type not in ("room", "pose"):
                top = self.world.state.anchor
            self._anchors[name] = top
        return self._anchors[name]

    def distance(self, here: str, there: str) -> int:
        routes = self.belief.routes
        return routes.distance(here, there) if routes.connected(here, there) else FAR

    def is_place(self, atom: GroundAtom) -> bool:
        """Return whether a fact says where a thing is."""
        held = self.belief.pack.mapping.robot_held.predicate
        return atom.predicate in self.belief.pack.locations or atom.predicate == held

    def holds(self, atom: GroundAtom) -> bool:
        return self.facts.holds(atom.predicate, atom.args)

    def errand(self, atom: GroundAtom, positive: bool = True) -> Errand:
        """The errand of making a fact true, or false."""
        args = atom.args
        if self.is_place(atom):
            source = self.anchor(args[0])
            if len(args) == 1:
                return Errand(args[0], source, source, True, Turn.HAND)
            return Errand(args[0], source, self.anchor(args[1]), True)
        if atom.predicate == self.belief.pack.at:
            target = self.anchor(args[0])
            return Errand("", target, target, turn=Turn.ROBOT)
        if not args:
            return Errand(atom.predicate, self.start, self.start)
        target = self.anchor(args[-1] if positive else args[0])
        return Errand(args[0], self.anchor(args[0]), target)

    def handling(self, atom: GroundAtom) -> int:
        """The millimetres that making a fact true costs beside driving."""
        args = atom.args
        if self.is_place(atom):
            held = self.facts.holds(self.belief.pack.mapping.robot_held.predicate, args[:1])
            fetching = 0 if held else self.effort * (1 + self.obstacles(args[0]))
            return fetching + (LAST if len(args) == 1 else self.putting(atom))
        if atom.predicate == self.belief.pack.at:
            return LAST
        return self.effort

    def putting(self, atom: GroundAtom) -> int:
        """The handling of putting a thing down: letting go, and opening what is closed."""
        place = atom.args[1]
        seen = self.belief.pack.mapping.sight.get(atom.predicate)
        closed = seen is not None and not self.facts.holds(seen.predicate, (place,))
        return self.effort * (2 if closed else 1)

    def obstacles(self, name: str) -> int:
        """The number of closed places around a thing."""
        sight, count, here = self.belief.pack.mapping.sight, 0, name
        for place in self.world.state.around(name)[1:]:
            for predicate, seen in sight.items():
                if self.facts.holds(predicate, (here, place)):
                    count += not self.facts.holds(seen.predicate, (place,))
            here = place
        return count

    # What else could be done

    def at_hand(self, count: int) -> list[GroundAtom]:
        """The nearest things that the robot could hold."""
        held = self.belief.pack.mapping.robot_held.predicate
        atoms = (Atom(held, (name,)) for name in self.belief.scene.by_type.get("object", ()))
        possible = [a for a in atoms if not self.holds(a) and self.possible(a)]

        def price(atom: GroundAtom) -> tuple[int, str]:
            source = self.anchor(atom.args[0])
            return self.distance(self.start, source) + self.handling(atom), str(atom)

        return sorted(possible, key=price)[:count]

    def possible(self, atom: GroundAtom) -> bool:
        """Return whether a thing could be brought where a fact says, by the pack's requirements."""
        args = atom.args
        if atom.predicate == self.belief.pack.mapping.robot_held.predicate:
            return unmet_requirement(atom.predicate, args, self.belief, self.facts) is None
        needs = self.belief.pack.mapping.requires.get(atom.predicate)
        if needs is not None and unmet_requirement(atom.predicate, args, self.belief, self.facts) is not None:
            return False
        return self.distance(self.start, self.anchor(args[1])) < FAR

    @cached_property
    def rooms(self) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
        """Each room with the relations and places in it that things could be brought to."""
        mapping = self.belief.pack.mapping
        offers = []
        for room in self.belief.scene.by_type.get("room", ()):
            pairs = []
            for place in (room, *self.belief.scene.built_in(room)):
                for predicate in self.belief.pack.locations:
                    needs = [n for n in mapping.requires.get(predicate, ()) if n.args == (Var("y"),)]
                    if needs and all(self.facts.holds(n.predicate, (place,)) for n in needs):
                        pairs.append((predicate, place))
            if pairs:
                offers.append((room, tuple(pairs)))
        return tuple(offers)

    def elsewhere(self, name: str, barred: frozenset[GroundAtom], count: int) -> list[GroundAtom]:
        """The nearest places for a thing other than the barred ones, at most one in each room."""
        here = self.anchor(name)
        near = sorted(self.rooms, key=lambda offer: (self.distance(here, offer[0]), offer[0]))
        atoms: list[GroundAtom] = []
        for _, pairs in near:
            free = (Atom(predicate, (name, place)) for predicate, place in pairs if place != name)
            allowed = [a for a in free if a not in barred and not self.holds(a) and self.possible(a)]
            atoms += sorted(allowed, key=self.putting)[:1]
            if len(atoms) >= count:
                break
        return atoms


def thinned(goal: Formula, estimates: Estimates) -> Formula:
    """Keep one of the places in a room for a thing, the one that takes the least handling: a stronger goal.

    Holding a thing there is left out where it can be put down.
    """
    match goal:
        case Or(parts):
            best: dict[Errand, GroundAtom] = {}
            others: list[Formula] = []
            for part in parts:
                if not is_ground_atom(part) or not estimates.is_place(part) or estimates.holds(part):
                    others.append(thinned(part, estimates))
                elif estimates.possible(part):
                    errand = estimates.errand(part)
                    kept = best.setdefault(errand, part)
                    if estimates.handling(part) < estimates.handling(kept):
                        best[errand] = part
            held = estimates.belief.pack.mapping.robot_held.predicate
            put_down = {errand.subject for errand in best}
            needed = (p for p in others if not _holds_one_of(put_down, p, held))
            return disjunction([*best.values(), *needed])
        case And() | Cardinality():
            return rebuild(goal, lambda part: thinned(part, estimates))
    return goal


def _holds_one_of(names: set[str], part: Formula, held: str) -> bool:
    return isinstance(part, And) and any(
        is_ground_atom(p) and p.predicate == held and p.args[0] in names for p in part.parts
    )
