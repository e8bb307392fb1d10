"""What was said so far, and what a clause comes to mean."""

from __future__ import annotations

from dataclasses import dataclass

from ...domains.formula import Atom, Formula, Var, rebuild
from ...simulator.scene import Node
from .frames import Frame
from .links import Link
from .phrases import Phrase


@dataclass
class Context:
    """What was said so far: who "he" is, what "it" is, where the speaker is."""

    person: str | None = None
    speaker: Phrase | None = None
    last: Link | None = None
    before: Link | None = None
    many: Link | None = None
    place: Link | None = None
    rooms: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    mention: Phrase | None = None
    frames: tuple[Frame, ...] = ()
    doubts: tuple[float, ...] = ()
    spots: tuple[Phrase, ...] = ()
    pending: tuple[Node, tuple[Node, ...]] | None = None

    def trust(self, link: Link) -> Link:
        """Note how sure a link is, as part of how sure the reading is."""
        self.doubts = (*self.doubts, link.confidence)
        return link


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a clause asks for, and the nodes that it is about."""

    formula: Formula
    nodes: tuple[str, ...]
    confidence: float = 1.0


def generalise(formula: Formula, name: str, variable: Var) -> Formula:
    """A formula with a variable in the place of a name."""
    if isinstance(formula, Atom):
        return Atom(formula.predicate, tuple(variable if a == name else a for a in formula.args))
    return rebuild(formula, lambda part: generalise(part, name, variable))
