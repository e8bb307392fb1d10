"""Frames: the readings of a clause, a request or mere context, before any scene is looked at.

Everything before this point is English, everything after it is about the nodes of a scene.
"""

from __future__ import annotations

from dataclasses import dataclass

from .phrases import Phrase

CONTEXT = frozenset({"context", "nothing", "speaker", "list"})
"""Verbs of frames that do not ask for anything by a verb that is known."""


@dataclass(frozen=True, slots=True)
class Background:
    """The phrases of a sentence that asks for nothing: the one that "it" may stand for, and all of them."""

    phrase: Phrase | None = None
    all: tuple[Phrase, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """One reading of a clause: what is done (``verb``), with what, and where it goes or who gets it.

    ``said`` is "want" for the wish of a third person; ``also`` is a second verb for the same things; ``told``
    is context.
    """

    verb: str
    items: tuple[Phrase, ...] = ()
    relation: str = ""
    to: Phrase | None = None
    mood: str = ""
    also: str = ""
    background: Background | None = None
