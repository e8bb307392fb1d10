"""Reasons to doubt that a goal was read from its instruction, for readers that may guess.

A small model puts a thing somewhere where it does not know a place, and drops what it has no sentence for.
Either goal passes every check. So the names of a goal are looked for in the words of the instruction
(``unsupported``), and the things that the instruction names in the goal: what is called so in the part of
the scene that the reader was shown, and neither named by the goal nor around anything that is, is left out.
A goal with either is worth a question; the audit of the goal asks for both (``pipeline.audit``), and whoever
drives the reader decides what becomes of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ...domains.formula import Formula, names
from ...simulator.belief import Belief
from ...simulator.scene import Scene
from ..english import embedding
from ..sentences.support import unsupported
from .search.name_index import NameIndex

MOST_LISTED = 3
"""Most things that are listed for one name."""


@dataclass(frozen=True, slots=True)
class Doubts:
    """``unsupported`` are names of a goal for which the instruction gives no reason.

    ``left_out`` has the words by which the instruction names things of which the goal says nothing, with the
    first of these things; ``forgotten`` are words of which a whole part is missing (:mod:`.forgotten`).
    """

    unsupported: tuple[str, ...] = ()
    left_out: tuple[tuple[str, tuple[str, ...]], ...] = ()
    forgotten: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.unsupported or self.left_out or self.forgotten)

    @property
    def feedback(self) -> tuple[str, ...]:
        """Words for the reader, a line for each kind."""
        lines = []
        if self.unsupported:
            listed = " and ".join(self.unsupported)
            lines.append(f"the task says nothing of {listed}; name what it speaks of, or leave that out")
        for words, nodes in self.left_out:
            lines.append(f"the task speaks of {words}, and no sentence names {' or '.join(nodes)}")
        for words, nodes in self.forgotten:
            meant = f" ({' or '.join(nodes)})" if nodes and nodes != (words,) else ""
            lines.append(
                f"the task says {words}{meant}, and the goal has no part for it; add one, or say it again"
            )
        return tuple(lines)


NO_DOUBTS = Doubts()


def without_reason(
    instruction: str, goal: Formula, belief: Belief, place: str | None = None
) -> tuple[str, ...]:
    """Return the names of a goal for which the instruction gives no reason.

    Likeness by sentence embeddings is one, too, where these are installed, and so is ``place``, where the
    instruction is given, for "me" and "here".
    """
    similarity = embedding.load() if embedding.installed() else None
    return unsupported(instruction, goal, belief, similarity, place)


def left_out(
    instruction: str, goal: Formula, unused: Collection[str], scene: Scene, shown: Scene
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the names of things in an instruction of which a goal names nothing, and says no word.

    ``unused`` are the words of which it says nothing, and ``shown`` is what its reader has seen of the scene.
    """
    if not unused:
        return
    named = [name for name in names(goal) if name in scene.nodes]
    touched = {around for name in named for around in (name, *scene.ancestors(name))}
    index = NameIndex(shown)
    for words in index.names_in(instruction):
        fits = index.fitting(words)
        if fits.named and words.split()[-1] in unused and touched.isdisjoint(fits.nodes):
            yield words, fits.nodes[:MOST_LISTED]
