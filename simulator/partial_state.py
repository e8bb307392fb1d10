"""States of which only a part is known: facts are true, false or open, and the places of things follow.

A :class:`PartialState` answers for goals as the world does (``domains.evaluate.OpenState``), from a table of
what is known of facts, and from facts that are assumed on top of it, one after the other. Facts that
exclude each other, and the containment of things, decide more. It serves proofs, which go through cases, and
any other reader that does not know everything. Rules may be added; each must be true of every state of which
this is a part, so it has to say why it rules out nothing. What no rule decides stays open.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from ..domains.evaluate import possible
from ..domains.exclusive import ExclusionIndex, Groups
from ..domains.formula import Atom, Formula, GroundAtom, TrajectoryConstraint
from ..domains.mapping import ROOM
from .belief import Belief
from .facts import Args

PartialArgs = tuple[str | None, ...]
"""Arguments of a fact; ``None`` stands for anything."""

BUILT = ("room", "pose", "asset", "part")
"""Types of nodes that stay where they are and are in a room or are one."""

Key = tuple[str, str]
"""A group of facts that exclude each other, and what these are about; the empty text is the robot."""

_IN_ROOM, _AT = " room", " at"  # no group of a pack begins with a space


class Table(Protocol):
    """Interface of a table of facts, of which some are open."""

    def value(self, predicate: str, args: PartialArgs) -> bool | None:
        """Return whether a fact is true, ``None`` where that is open.

        For a pattern, ``False`` says that none of its instances is true, and nothing else is said of it.
        """

    def spend(self, steps: int = 1) -> None:
        """Count work; a table may raise where it becomes too much."""


class Assumptions:
    """Facts that are assumed true or false, one after the other, and what these exclude."""

    def __init__(self, belief: Belief, index: ExclusionIndex) -> None:
        self.facts: dict[tuple[str, Args], bool] = {}
        self._pack, self._nodes, self._index = belief.pack, belief.scene.nodes, index
        self._held, self._derived = belief.pack.mapping.robot_held.predicate, belief.pack.mapping.derived
        # Of each set of rivals with an assumed fact, that fact; and where the robot is assumed to be.
        self._taken: dict[Key, tuple[str, Args]] = {}
        self._stations: list[str] = []
        links = [index.keys(p, ("x", "y")) for p in belief.pack.locations]
        held = index.keys(self._held, ("x",))
        self._one_place = next((k[0] for k in held if k[1] and all(k in keys for keys in links)), "")
        """The group by which every thing is in one place or held, if there is one."""
        self._one_stand = next((k for k in index.keys(belief.pack.at, ("x",)) if not k[1]), None)

    def assume(self, atom: GroundAtom, value: bool) -> None:
        """Take an atom for true or for false, until :meth:`retract`."""
        fact = atom.predicate, atom.args
        self.facts[fact] = value
        if value:
            for key in self._keys(*fact):
                self._taken.setdefault(key, fact)
            if self._derived.get(atom.predicate) == self._pack.at:
                self._stations.append(fact[1][0])

    def retract(self, left: int = 0) -> None:
        """Take back the latest assumptions until some number of them is left."""
        while len(self.facts) > left:
            fact, value = self.facts.popitem()
            if not value:
                continue
            for key in self._keys(*fact):
                if self._taken[key] == fact:
                    del self._taken[key]
            if self._derived.get(fact[0]) == self._pack.at:
                self._stations.pop()

    def _keys(self, predicate: str, args: Args) -> list[Key]:
        """Return the sets of facts that one is in and of which at most one is true.

        By definition nothing is in two rooms, and the robot is not in two rooms or at two poses.
        """
        meaning = self._derived.get(predicate)
        if meaning == ROOM:
            return [(_IN_ROOM, args[0])]
        if meaning is not None:
            return [(_AT, "")] if self._nodes[args[0]].type in ("room", "pose") else []
        return self._index.keys(predicate, args)

    def rivals(self, predicate: str, args: Args) -> Hashable:
        """Return a name for a set of facts, this one among them, of which at most one is true; or ``None``.

        Of several it is the one about the robot, which is the same for all things.
        """
        return min(self._keys(predicate, args), key=lambda key: key[1], default=None)

    def value(self, predicate: str, args: Args) -> bool | None:
        """Return whether a fact is assumed to be true, or excluded by one that is; ``None`` for neither."""
        value = self.facts.get((predicate, args))
        if value is not None:
            return value
        for key in self._index.keys(predicate, args):
            if key in self._taken and self._taken[key] != (predicate, args):
                return False
        return None

    def robot_places(self) -> Iterator[tuple[str, bool]]:
        """Yield where the robot is assumed to be, and whether that is what it stands at."""
        if self._one_stand is not None and self._one_stand in self._taken:
            predicate, args = self._taken[self._one_stand]
            if predicate == self._pack.at:
                yield args[0], True
        for place in self._stations:
            yield place, False

    def place_of(self, name: str) -> Args | None:
        """Return the place that a thing is assumed to be at, none for one in the hand; ``None`` if open."""
        predicate, args = self._taken.get((self._one_place, name), ("", ()))
        return args[1:] if predicate in self._pack.locations or predicate == self._held else None

    def excludes_room(self, name: str, room: str) -> bool:
        """Return whether a thing is assumed to be in another room."""
        other = self._taken.get((_IN_ROOM, name))
        return other is not None and other[1][1] != room


class _Building:
    """The nodes that stay where they are, what is in each of them, and what can have things in or on it."""

    def __init__(self, belief: Belief, table: Table) -> None:
        self._scene, self._locations, self._table = belief.scene, belief.pack.locations, table
        self._inside: dict[str, dict[str, None]] = {}
        self._receivers: dict[str, dict[str, None]] = {}

    def is_fixed(self, name: str) -> bool:
        return self._scene.nodes[name].type != "object"

    @cached_property
    def fixed(self) -> Mapping[str, None]:
        return dict.fromkeys(filter(self.is_fixed, self._scene.nodes))

    def inside(self, place: str) -> Mapping[str, None]:
        """Return a place and all that is fixed in it, as the world climbs from there to the place."""
        if place not in self._inside:
            self._inside[place] = dict.fromkeys((place, *self._scene.built_in(place)))
        return self._inside[place]

    def receiving(self, place: str) -> Mapping[str, None]:
        """Return what in a place something may be in, on or under."""
        if place not in self._receivers:
            self._receivers[place] = dict.fromkeys(filter(self._receives, self.inside(place)))
        return self._receivers[place]

    def _receives(self, name: str) -> bool:
        return any(self._table.value(p, (None, name)) is not False for p in self._locations)

    @cached_property
    def carriers(self) -> Mapping[str, None]:
        """The movable things that something may be in, on or under."""
        return dict.fromkeys(filter(self._receives, self._scene.by_type.get("object", ())))


class PartialState:
    """A state known in part, by a table and by ``assumptions``; ``groups`` are those that hold in it."""

    def __init__(self, belief: Belief, table: Table, groups: Groups) -> None:
        self.belief, self.pack, self.scene, self.table = belief, belief.pack, belief.scene, table
        self.groups = groups
        self.assumptions = Assumptions(belief, ExclusionIndex(groups))
        self.building = _Building(belief, table)
        self._held, self._derived = self.pack.mapping.robot_held.predicate, self.pack.mapping.derived
        invariants = belief.invariants
        self._contained = bool(groups) and invariants.contained
        """True if nothing is in itself, through others or not, and the robot stands at nothing it holds."""
        self._placed = self._contained and invariants.placed
        self._stays = self._contained and invariants.stays

    # Truth

    def rivals(self, predicate: str, args: Args) -> Hashable:
        """Return a name for a set of facts of which at most one is true."""
        return self.assumptions.rivals(predicate, args)

    def members(self, type_or_class: str) -> Sequence[str]:
        """Return the nodes that a type or class of a goal ranges over, in scene order."""
        names = self.belief.members(type_or_class)
        self.table.spend(1 + len(names) // 32)  # a name costs little until something is asked of it
        return names

    def happened(self, literal: Formula) -> bool | None:
        """Return ``False`` for what no state makes true, whatever is assumed of this one, or no run keeps.

        Of constraints only an ``always`` is looked into.
        """
        if isinstance(literal, TrajectoryConstraint):
            if literal.kind != "always":
                return None
            literal = literal.parts[0]
        return None if possible(literal, True, self._anywhen, {}) else False

    @cached_property
    def _anywhen(self) -> PartialState:
        return PartialState(self.belief, self.table, self.groups)

    def holds(self, predicate: str, args: Args) -> bool | None:
        """Return whether an atom of a goal is true, as the world decides it; ``None`` where that is open."""
        meaning = self._derived.get(predicate)
        if meaning is not None:
            value = self._in_room(args[0], args[1]) if meaning == ROOM else self._robot_at(args[0])
            return self.assumptions.facts.get((predicate, args)) if value is None else value
        if predicate in self.pack.domain.predicates:
            return self.fact(predicate, args)
        return self.belief.classified(predicate, args)

    def basis(self, atom: GroundAtom) -> GroundAtom:
        """Return an open atom that another rests on: of a thing in a room, if the robot is there with it."""
        if self._derived.get(atom.predicate) == ROOM:
            thing, room = atom.args
            for one in (Atom(self.pack.standing, (room,)), Atom(self._held, (thing,))):
                if one.predicate != self.pack.at and self.holds(one.predicate, one.args) is None:
                    return one
        return atom

    def fact(self, predicate: str, args: Args) -> bool | None:
        """Return whether a fact is true, ``None`` where that is open."""
        if self.assumptions.facts and predicate in self.pack.fluents:
            value = self.assumptions.value(predicate, args)
            if value is not None:
                return value
        if self._contained:
            if predicate in self.pack.locations and args[0] == args[1]:
                return False
            if predicate == self._held and args[0] in (at for at, _ in self.assumptions.robot_places()):
                return False
        return self.table.value(predicate, args)

    # The robot

    def _robot_at(self, place: str) -> bool | None:
        """Return whether the robot stands at a place or at something in it."""
        here, fixed = self.building.inside(place), self.building.is_fixed(place)
        for one, stands in self.assumptions.robot_places():
            if one == place or one in here:
                return True
            if self.building.is_fixed(one):
                # Of two fixed places neither of which is around the other, the robot is at one.
                if stands or (fixed and place not in self.building.inside(one)):
                    return False
            elif fixed and self._contained:
                # It is where that thing is: neither is in the robot's hand.
                if not self._may_lie(one, place, False):
                    return False
                if not self._may_lie_elsewhere(one, place, False):
                    return True
        if not any(map(self._may_stand, here)) and not any(
            c not in here and self._may_stand(c) and self._may_lie(c, place, False) for c in self._reached
        ):
            return False
        if not (self._stays and fixed):
            return None
        away = any(self._may_stand(n) for n in self.building.fixed if n not in here)
        away = away or any(
            self._may_stand(c) and self._may_lie_elsewhere(c, place, False) for c in self._reached
        )
        return None if away else True

    def _may_stand(self, place: str) -> bool:
        return self.fact(self.pack.at, (place,)) is not False

    @cached_property
    def _reached(self) -> tuple[str, ...]:
        """The movable things that the robot may reach into."""
        objects = self.scene.by_type.get("object", ())
        return tuple(c for c in objects if self.table.value(self.pack.at, (c,)) is not False)

    # Things

    def _in_room(self, name: str, room: str) -> bool | None:
        """Return whether a thing is in a room: by what it is in or on, or in the hand of the robot there."""
        if self.scene.nodes[room].type != "room":
            return False
        if self.building.is_fixed(name):
            return self.scene.nodes[name].type in BUILT and self.scene.room_of(name) == room
        if self.assumptions.excludes_room(name, room):
            return False
        derived = self.pack.standing in self._derived
        robot = self.holds(self.pack.standing, (room,)) if derived else self._robot_at(room)
        if not self._may_lie(name, room, robot is not False):
            return False
        return None if self._may_lie_elsewhere(name, room, robot is not True) else True

    def _may_lie(self, name: str, place: str, hand: bool) -> bool:
        """Return whether a thing may be in a place, to any depth, or in the hand where ``hand`` counts it."""
        ends = self.building.receiving(place)
        return bool(hand or ends) and any(
            (hand and self._may_be_held(thing)) or any(self._may_be_at(thing, ends))
            for thing in self._around(name)
        )

    def _may_lie_elsewhere(self, name: str, place: str, hand: bool) -> bool:
        """Return whether a thing may be anywhere but in a place, the hand included where ``hand`` counts it.

        Every thing is somewhere only where that is shown of the pack and true of the scene.
        """
        here = self.building.inside(place)
        return any(
            not self._somewhere(thing)
            or (hand and self._may_be_held(thing))
            or any(end not in here for end in self._may_be_at(thing, self._first(thing)))
            or any(end not in here for end in self._may_be_at(thing, self.building.fixed))
            for thing in self._around(name)
        )

    def _around(self, name: str) -> Iterator[str]:
        """Yield a thing and every movable one that it may be in or on, to any depth."""
        queue, seen = [name], {name}
        while queue:
            thing = queue.pop()
            yield thing
            settled = self.assumptions.place_of(thing)
            carriers = self.building.carriers if settled is None else dict.fromkeys(settled)
            for carrier in self._may_be_at(thing, carriers):
                if carrier not in seen and not self.building.is_fixed(carrier):
                    seen.add(carrier)
                    queue.append(carrier)

    def _may_be_at(self, name: str, places: Mapping[str, None]) -> Iterator[str]:
        """Yield those of some places that a thing may be in, on or under by itself."""
        settled = self.assumptions.place_of(name)
        among = places if settled is None else [place for place in settled if place in places]
        if among:
            relations = [p for p in self.pack.locations if self.table.value(p, (name, None)) is not False]
            for place in among if relations else ():
                if any(self.fact(p, (name, place)) is not False for p in relations):
                    yield place

    def _may_be_held(self, thing: str) -> bool:
        return self.fact(self._held, (thing,)) is not False

    def _first(self, thing: str) -> Mapping[str, None]:
        """Return the fixed place of a thing at the start, the likeliest one."""
        links = (args for p in self.pack.locations for args in self.belief.facts.with_argument(p, 0, thing))
        return dict.fromkeys(args[1] for args in links if self.building.is_fixed(args[1]))

    def _somewhere(self, thing: str) -> bool:
        """Return whether a thing is always in or on something or in the hand, and never in itself."""
        places = (*self.pack.locations, self._held)
        return self._placed and any(self.belief.facts.with_argument(p, 0, thing) for p in places)
