"""What an atom needs to be decided, and what can stand in it, by indexes over the initial state of a belief.

Truth is that of :class:`World`, which looks around step by step. Here what is asked for again and again is
kept: the room of each thing, what is in each room, the members of classes, the columns of predicates.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from ...simulator.belief import Belief
from ...simulator.world import World


class Lookup:
    """Facts of a belief, derived ones, classes and attributes; built as they are asked for."""

    def __init__(self, belief: Belief) -> None:
        self.belief, self.scene, self.pack = belief, belief.scene, belief.pack
        self.world = World(belief)
        self._members: dict[str, tuple[str, ...]] = {}
        self._inside: dict[str, frozenset[str]] = {}
        self._rooms: dict[str, str | None] = {}
        self._columns: dict[tuple[str, int], tuple[str, ...]] = {}

    def holds(self, predicate: str, args: tuple[str, ...]) -> bool:
        """The truth of a ground atom, as goals mean it."""
        mapping = self.pack.mapping
        if mapping.derived.get(predicate) == "room":
            return self.room_of(args[0]) == args[1]
        if predicate not in self.pack.domain.predicates and self.belief.is_type(predicate):
            return predicate not in mapping.derived and args[0] in self.inside(predicate)
        return self.world.holds(predicate, args)

    def room_of(self, name: str) -> str | None:
        if name not in self._rooms:
            self._rooms[name] = self.world.room_of(name)
        return self._rooms[name]

    @cached_property
    def contents(self) -> Mapping[str, list[str]]:
        """What is in each room, the room itself included, as ``in_room`` means it."""
        found: dict[str, list[str]] = {}
        for name in self.scene.nodes:
            if (room := self.room_of(name)) is not None:
                found.setdefault(room, []).append(name)
        return found

    def members(self, kind: str) -> tuple[str, ...]:
        if kind not in self._members:
            self._members[kind] = tuple(self.belief.members(kind))
        return self._members[kind]

    def inside(self, kind: str) -> frozenset[str]:
        if kind not in self._inside:
            self._inside[kind] = frozenset(self.members(kind))
        return self._inside[kind]

    def matching(self, predicate: str, place: int, values: Sequence[str | None]) -> Collection[str] | None:
        """What can stand at a place of an atom that is a fact; ``values`` are its arguments, where known.

        It may be more than that, never less; ``None`` for anything.
        """
        meaning = self.pack.mapping.derived.get(predicate)
        if meaning == "room":
            other = values[1 - place]
            if other is None:
                return None
            if place == 0:
                return self.contents.get(other, ())
            room = self.room_of(other)
            return (room,) if room is not None else ()
        if meaning is not None:
            return self.world.around(self.world.stands_at)
        if predicate in self.pack.domain.predicates:
            with_argument = self.belief.facts.with_argument
            found = [with_argument(predicate, i, v) for i, v in enumerate(values) if v is not None]
            if found:
                return [fact[place] for fact in min(found, key=len)]
            return self.column(predicate, place)
        if self.belief.is_type(predicate):
            return self.members(predicate)
        both = self.scene.by_class.get(predicate, ()), self.scene.by_attribute.get(predicate, ())
        return both[0] + both[1]

    def column(self, predicate: str, place: int) -> tuple[str, ...]:
        """Everything that stands at an argument place of a predicate's facts."""
        key = predicate, place
        if key not in self._columns:
            facts = self.belief.facts.all(predicate)
            self._columns[key] = tuple(dict.fromkeys(fact[place] for fact in facts))
        return self._columns[key]
