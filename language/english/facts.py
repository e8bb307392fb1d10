"""Facts that requests ask for: from senses of verbs to facts of a pack, and which tools its events need.

The reader knows senses ("heat", "inside"). The table ``[reads]`` of the pack's ``language.toml`` has the fact
of each sense; what heats, washes or brews follows from the preconditions of the pack's events. No module of
this folder names a predicate: a new fact belongs in the pack, a new tool in :data:`TOOLS`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Literal

from ...domains.action import Action, bind
from ...domains.formula import Atom
from ...domains.pack import Pack
from ...simulator.scene import Node
from .phrases import NoReferent

Role = Literal["machine", "cloth", "thing"]
"""Parts in an event: a machine that the thing is put into or onto, a cloth that is put onto it, the thing."""

TOOLS: dict[str, tuple[str, Role]] = {
    "clean": ("clean", "cloth"), "wipe": ("clean", "cloth"), "dust": ("clean", "cloth"),
    "wash": ("wash", "machine"), "heat": ("heat", "machine"), "cool": ("cool", "machine"),
    "brew": ("fill", "machine"), "drink": ("fill", "thing"),
}  # fmt: skip
"""Senses and roles of what one does a thing with: "something to wipe it with", "something to drink from"."""


def readable(pack: Pack) -> bool:
    """Return whether the pack says which facts requests ask for."""
    return pack.language is not None and bool(pack.language.reads)


class RequestFacts:
    """The facts of one pack, by sense."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack

    def fact(self, sense: str, *names: str) -> Atom:
        """The fact that a sense asks for of some nodes. Raises :class:`NoReferent` for none in the pack."""
        fact = self.pack.language.fact(sense, *names) if self.pack.language is not None else None
        if fact is None:
            raise NoReferent(f"the pack {self.pack.name} has no fact for '{sense}'")
        return fact

    def predicate(self, sense: str) -> str | None:
        """The predicate of the fact of a sense; ``None`` for none in the pack."""
        pattern = self.pack.language.reads.get(sense) if self.pack.language is not None else None
        return pattern.predicate if pattern is not None else None

    def placement(self, node: Node) -> Atom:
        """The fact of where a node is now."""
        return bind(self.pack.mapping.relations[node.relation], {"x": node.id, "y": node.parent or ""})

    def capable(self, node: Node, tool: str) -> bool:
        """Return whether a node may serve as a tool of :data:`TOOLS`, by its classes and affordances."""
        mapping = self.pack.mapping
        facts = [a for c in node.classes for a in mapping.classes.get(c, ())]
        facts += [a for name in node.affordances for a in mapping.affordances.get(name, ())]
        return tool in TOOLS and any(a.predicate in self._needs[TOOLS[tool]] for a in facts)

    @cached_property
    def _needs(self) -> dict[tuple[str, Role], frozenset[str]]:
        """The static predicates that events need of the nodes in each role."""
        pack = self.pack
        return {
            (sense, role): frozenset(p for e in pack.events for p in _static(pack, e, sense, role))
            for sense, role in TOOLS.values()
        }


def _static(pack: Pack, event: Action, sense: str, role: Role) -> Iterator[str]:
    """The static predicates that an event for the fact of a sense needs of the node in a role."""
    pattern = pack.language.reads.get(sense) if pack.language is not None else None
    for effect in event.add:
        if pattern is None or effect.predicate != pattern.predicate:
            continue
        thing = effect.args[0]
        placed = [a.args for a in event.precondition if len(a.args) == 2 and thing in a.args]
        nodes = {
            "thing": {thing},
            "machine": {place for item, place in placed if item == thing},
            "cloth": {item for item, place in placed if place == thing},
        }[role]
        for atom in event.precondition:
            if len(atom.args) == 1 and atom.args[0] in nodes and atom.predicate not in pack.fluents:
                yield atom.predicate
