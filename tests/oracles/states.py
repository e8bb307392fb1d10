"""The truth of a goal's atoms in a state that is given by its facts, with containment read off them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from groundplan.domains.formula import Formula
from groundplan.domains.mapping import ROOM
from groundplan.simulator.belief import Belief

Fact = tuple[str, tuple[str, ...]]
"""A predicate and its arguments."""


@dataclass(frozen=True, slots=True)
class State:
    """A state for ``meaning``, with containment read off the facts."""

    belief: Belief
    is_true: Callable[[Fact], bool]
    has_happened: Callable[[Formula], bool]

    def holds(self, predicate: str, args: tuple[str, ...]) -> bool:
        pack = self.belief.pack
        meaning = pack.mapping.derived.get(predicate)
        if meaning == ROOM:
            return self._room(args[0]) == args[1]
        if meaning is not None:
            return args[0] in self._around(self._robot())
        if predicate in pack.domain.predicates:
            return self.is_true((predicate, args))
        node = self.belief.scene.nodes[args[0]]
        if self.belief.is_type(predicate):
            return args[0] in self.belief.members(predicate)
        return predicate in node.classes or predicate in node.attributes

    def happened(self, literal: Formula) -> bool:
        return self.has_happened(literal)

    def members(self, type_or_class: str) -> Sequence[str]:
        return self.belief.members(type_or_class)

    def _robot(self) -> str:
        return next(n for n in self.belief.scene.nodes if self.is_true((self.belief.pack.at, (n,))))

    def above(self, name: str) -> str | None:
        if self.belief.scene.nodes[name].type != "object":
            return (
                self.belief.scene.nodes[name].parent
                if self.belief.scene.nodes[name].type in ("asset", "part")
                else None
            )
        for predicate in self.belief.pack.locations:
            for other in self.belief.scene.nodes:
                if self.is_true((predicate, (name, other))):
                    return other
        return None

    def _around(self, name: str) -> list[str]:
        chain = [name]
        while (above := self.above(chain[-1])) is not None and above not in chain:
            chain.append(above)
        return chain

    def _room(self, name: str) -> str | None:
        top = self._around(name)[-1]
        if self.is_true((self.belief.pack.mapping.robot_held.predicate, (top,))):
            top = self._around(self._robot())[-1]
        return top if self.belief.scene.nodes[top].type == "room" else None
