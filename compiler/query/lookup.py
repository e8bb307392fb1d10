"""Indexed lookup of atoms in a scene as it is: their truth, and the nodes that fit an argument.

Truth is that of :class:`World`, which looks around step by step. Here the results that backtracking needs
again and again are kept: the room of each thing, the contents of each room, the members of classes, the
columns of predicates. A faster index belongs here; :meth:`Lookup.holds` must stay the truth of goals, and
:meth:`Lookup.matching` may name too many nodes but never too few.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache, cached_property

from ...simulator.belief import Belief
from ...simulator.world import World


class Lookup:
    """Facts of a belief, derived ones, classes and attributes; an index is built when it is first needed."""

    def __init__(self, belief: Belief) -> None:
        self.belief, self.scene, self.pack = belief, belief.scene, belief.pack
        self.world = World(belief)
        self.room_of = cache(self.world.state.room_of)
        self.members = cache(lambda kind: tuple(belief.members(kind)))
        """The nodes of a type or class in scene order."""
        self.member_set = cache(lambda kind: frozenset(self.members(kind)))

    def holds(self, predicate: str, args: tuple[str, ...]) -> bool:
        """Return the truth of a ground atom, as goals mean it."""
        mapping = self.pack.mapping
        if mapping.derived.get(predicate) == "room":
            return self.room_of(args[0]) == args[1]
        if predicate not in self.pack.domain.predicates and self.belief.is_type(predicate):
            return predicate not in mapping.derived and args[0] in self.member_set(predicate)
        return self.world.holds(predicate, args)

    @cached_property
    def contents(self) -> Mapping[str, list[str]]:
        """The things in each room, the room itself included, as ``in_room`` means it."""
        contents: dict[str, list[str]] = {}
        for name in self.scene.nodes:
            if (room := self.room_of(name)) is not None:
                contents.setdefault(room, []).append(name)
        return contents

    def matching(self, predicate: str, index: int, values: Sequence[str | None]) -> Collection[str] | None:
        """Return the nodes that may be an argument of a true atom; ``None`` for any node.

        ``values`` are the arguments, where known. The nodes returned may be too many, never too few.
        """
        meaning = self.pack.mapping.derived.get(predicate)
        if meaning == "room":
            other = values[1 - index]
            if other is None:
                return None
            if index == 0:
                return self.contents.get(other, ())
            room = self.room_of(other)
            return (room,) if room is not None else ()
        if meaning is not None:
            return self.world.state.around(self.world.state.stands_at)
        if predicate in self.pack.domain.predicates:
            with_argument = self.belief.facts.with_argument
            facts = [with_argument(predicate, i, v) for i, v in enumerate(values) if v is not None]
            if facts:
                return [fact[index] for fact in min(facts, key=len)]
            return dict.fromkeys(fact[index] for fact in self.belief.facts.all(predicate))
        if self.belief.is_type(predicate):
            return self.members(predicate)
        scene = self.scene
        return (*scene.by_class.get(predicate, ()), *scene.by_attribute.get(predicate, ()))
