"""Contradictions among the places that a conjunction demands: a thing in two rooms, the robot at two places.

Facts that must hold together tie things to one room: what is in or on something shares its room, what is held
shares the robot's. Fixed nodes and ``in_room`` name that room, and two names for one tie contradict each
other. Places of the scene alone decide; nothing is planned. Where the pack's actions are not shown to keep
each thing in one place, what it is in or on ties it to no room. A rule may be added if it holds in every
state that plans can reach.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ...domains.formula import GroundAtom
from ...domains.mapping import ROOM
from ...simulator.belief import Belief

ROBOT = ""
"""The robot's own tie; no node has an empty name."""


@dataclass(frozen=True, slots=True)
class PlaceConflict:
    """A fact that cannot hold with an ``earlier`` one, or with the scene where that is ``None``, and why."""

    fact: GroundAtom
    earlier: GroundAtom | None
    why: str

    def __str__(self) -> str:
        together = (
            f"{self.earlier} and {self.fact} cannot both hold" if self.earlier else f"{self.fact} cannot hold"
        )
        return f"{together}: {self.why}"


class RequiredPlaces:
    """The rooms that ground facts demand, added one by one."""

    def __init__(self, belief: Belief) -> None:
        self.belief = belief
        self.nodes, self.mapping = belief.scene.nodes, belief.pack.mapping
        self._tie: dict[str, str] = {}
        self._rooms: dict[str, tuple[str, GroundAtom | None]] = {}
        self._robot_at: list[tuple[str, GroundAtom]] = []

    @cached_property
    def one_place(self) -> bool:
        """True if a thing is never in or on two things, or held besides: shown, as far as it counts."""
        where = {*self.belief.pack.locations, self.mapping.robot_held.predicate}
        groups = self.belief.exclusive.values()
        return self.belief.invariants.once or any(where <= {p.predicate for p in g} for g in groups)

    def add(self, atom: GroundAtom) -> PlaceConflict | None:
        """Add a fact; return its conflict with those before, if there is one."""
        args, derived = atom.args, self.mapping.derived.get(atom.predicate)
        if derived == ROOM:
            return self._demand(self._anchor(args[0]), args[1], atom)
        if derived == self.belief.pack.at or atom.predicate == self.belief.pack.at:
            return self._robot(args[0], atom)
        held = atom.predicate == self.mapping.robot_held.predicate
        if (held or atom.predicate in self.belief.pack.locations) and self.one_place:
            return self._share(args[0], ROBOT if held else args[1], atom)
        return None

    def _robot(self, place: str, atom: GroundAtom) -> PlaceConflict | None:
        if self.nodes[place].type == "object":
            return self._share(ROBOT, place, atom)
        for other, earlier in self._robot_at:
            if place not in self._around(other) and other not in self._around(place):
                return PlaceConflict(atom, earlier, f"the robot is at one place, {other} or {place}")
        self._robot_at.append((place, atom))
        *_, outermost = self._around(place)
        return self._demand(ROBOT, outermost, atom)

    def _share(self, name: str, other: str, atom: GroundAtom) -> PlaceConflict | None:
        """Tie a thing to what it is in or on, or to the hand; a fixed node gives its room instead.

        A fact in conflict ties nothing: the next conflict would name things that have no part in it.
        """
        for one, fixed in ((name, other), (other, name)):
            room = self._fixed_room(fixed) if fixed != ROBOT else None
            if room is not None:
                self._anchor(one)
                before, earlier = self._rooms.setdefault(self._root(one), (room, atom))
                if before == room:
                    return None
                return PlaceConflict(atom, earlier, f"{self._name(one)} is in {room} then, not in {before}")
        low, high = self._root(name), self._root(other)
        if low == high:
            return None
        mine, theirs = self._rooms.get(low), self._rooms.get(high)
        if mine is not None and theirs is not None and mine[0] != theirs[0]:
            earlier = mine[1] if mine[1] != atom else theirs[1]
            return PlaceConflict(
                atom, earlier, f"{self._name(name)} is in {theirs[0]} then, not in {mine[0]}"
            )
        self._tie[low] = high
        if mine is not None:
            self._rooms.setdefault(high, mine)
        return None

    def _demand(self, name: str, room: str, atom: GroundAtom) -> PlaceConflict | None:
        before, earlier = self._rooms.setdefault(self._root(name), (room, atom))
        if before == room:
            return None
        if earlier is None:
            room_itself = name == before
            why = f"{name} is a room" if room_itself else f"{name} is in {before} for good"
            return PlaceConflict(atom, None, why)
        return PlaceConflict(atom, earlier, f"{self._name(name)} is in {before} then, not in {room}")

    def _anchor(self, name: str) -> str:
        """Return a thing, with the room that it has for good noted if it is fixed."""
        room = self._fixed_room(name) if name != ROBOT else None
        if room is not None:
            self._rooms.setdefault(self._root(name), (room, None))
        return name

    def _fixed_room(self, name: str) -> str | None:
        return None if self.nodes[name].type == "object" else self.belief.scene.room_of(name)

    def _around(self, place: str) -> Iterator[str]:
        """Yield a fixed place and what it stands in, up to its room, or to its floor outside of rooms."""
        above: str | None = place
        while above is not None:
            yield above
            above = self.belief.scene.above(above)

    def _root(self, name: str) -> str:
        while name in self._tie:
            name = self._tie[name]
        return name

    def _name(self, name: str) -> str:
        return name or "the robot"
