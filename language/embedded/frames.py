"""Frames: what a clause asks for, or what it only tells, before any scene is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from .phrases import Phrase

CONTEXT = frozenset({"told", "nothing", "speaker", "list"})
"""Verbs of frames that do not ask for anything by a verb that is known."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a sentence speaks of: a phrase that "it" may stand for, and all of its phrases."""

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
    said: str = ""
    also: str = ""
    told: Told | None = None
