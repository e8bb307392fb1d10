"""Frames: the readings of a clause, a request or mere context, before any scene is looked at.

Modules that make frames know English only; those that read them know the nodes of a scene. A verb of a frame
that is not in ``CONTEXT`` needs a function in ``verbs.VERBS``.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..english.phrases import Phrase

CONTEXT = frozenset({"context", "nothing", "speaker"})
"""Verbs of frames that do not ask for anything by a verb that is known."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One reading of a clause: what is done (``verb``), with what, and where it goes or who gets it.

    ``mood`` is "want" for the wish of a third person, "not" for a prohibition, "stay" where things that are
    there already are meant ("leave them there"), "keep" where that is so of some ("keep them there"), "be"
    where such will do ("they should be there"), and "got" where a verb says what is fetched, and not surely
    where it goes; of a state "stay" is one that is to last, also on the way, and "so" one that is wished for.
    ``also`` is a second verb for the same things; ``background`` is what a sentence tells of that asks for
    nothing, for which "it" may stand, and ``told`` is all that it tells of.
    """

    verb: str
    items: tuple[Phrase, ...] = ()
    relation: str = ""
    to: Phrase | None = None
    mood: str = ""
    also: str = ""
    background: Phrase | None = None
    told: tuple[Phrase, ...] = ()

    @property
    def mentioned(self) -> tuple[Phrase, ...]:
        """The phrases that it is about: of things, and of where they go."""
        return self.items if self.to is None else (*self.items, self.to)
