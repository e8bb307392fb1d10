"""Clauses of an instruction and their readings, each after those before it.

Sentences are cut in ``cutting``.
How long a state is to last, and what goes on with a request before, is noted here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from ..english import lexicon
from ..english.chunks import Chunk, acts, kinds, sentences
from ..english.phrases import PEOPLE
from ..english.words import content_words, singular
from .cutting import is_span, parts
from .forms import LASTS, remarks
from .frames import CONTEXT, Frame
from .requests import choices, frames
from .verb_rules import SWITCHES, is_person

MAX_CHARACTERS = 2000
"""Most characters of an instruction: each clause is read in the context of those before."""

MAX_CLAUSES = 24
_CHANGED = re.compile(
    r"(?is)\b(?:must|should|ought)\b[^.;!?]*\b(?:still|already|by now|somewhere|apparently|probably|because"
    r"|as far as|right(?=\?)|(?:i|we) (?:think|guess|believe|suppose|reckon))\b"
    r"|\b(?:maybe|perhaps|probably|apparently)\b[^.;!?]*\b(?:must|should|ought|wants?|needs?)\b"
    r"|\A(?!.*\b(?:throw|toss|trash|bin)).*\b(instead|rather)\b"
    r"|\b(now and then|or so|over and over|again and again)\b"
)
"""What somebody takes to be so ("it must be on by now"), what replaces a request, and how often it is meant.

What is thrown away may be replaced: "trash the apple and put a fresh one there instead".
"""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause and its readings; none means that it was not understood."""

    text: str
    frames: tuple[Frame, ...]
    nouns: tuple[str, ...] = ()
    """The content words of its noun phrases, none of which may be left unread."""
    limit: str = ""
    """The first word in it that negates or restricts."""


@lru_cache(maxsize=256)
def read_clauses(instruction: str) -> tuple[Clause, ...]:
    """Cut an instruction into clauses and read each; an empty tuple for a text without words."""
    if (changed := _CHANGED.search(instruction)) is not None:
        return (Clause(instruction[:200], (), limit=next(filter(None, changed.groups()), "")),)
    clauses: list[Clause] = []
    for row in sentences(instruction):
        _read_sentence(row, clauses)
        if len(clauses) > MAX_CLAUSES:
            return (Clause(instruction[:200], ()),)
    clauses = [c for c in clauses if re.search(r"\w", c.text)]
    telling = [c for c in clauses if not (c.frames and all(f.verb == "nothing" for f in c.frames))]
    return tuple(telling or clauses)


def _read_sentence(row: Sequence[Chunk], clauses: list[Clause]) -> None:
    """Add the clauses of a sentence to those before it."""
    subject: Sequence[Chunk] = ()
    for part in parts(row, any(map(_asking, clauses))):
        clause = _read(part, subject, clauses)
        if _is_no_background(clause, part, clauses):
            clause = replace(clause, frames=_asking(clause))
        clauses.append(clause)
        subject = _subject(part) or subject


def _asking(clause: Clause) -> tuple[Frame, ...]:
    return tuple(f for f in clause.frames if f.verb not in CONTEXT)


def _is_no_background(clause: Clause, part: Sequence[Chunk], before: Sequence[Clause]) -> bool:
    """Return whether a clause must be read as a request or not at all, after those before it."""
    asking, states = bool(_asking(clause)), any(f.verb == "context" for f in clause.frames)
    if not any(map(_asking, before)):
        return False
    if asking:
        return not any(c.kind == "o" for c in part)
    waits = not states and "v" in kinds(part) and set(kinds(part)) <= set("cv,")  # "but wait"
    return waits or (states and not remarks(part))


def _read(part: Sequence[Chunk], subject: Sequence[Chunk], before: Sequence[Clause]) -> Clause:
    text = " ".join(c.text for c in part)
    readings = tuple(dict.fromkeys(frames(part, subject)))
    if any(f.mood == "not" for f in readings):
        # "do not close it" says how something just spoken of is left; anything else is a prohibition.
        after_request = bool(before) and bool(before[-1].frames) and before[-1].frames[0].verb not in CONTEXT
        spoken = (
            {q.head for f in before[-1].frames for p in f.mentioned for q in (p, *(w for _, w in p.places))}
            if after_request
            else set()
        )
        left = all(p.kind == "it" or p.head in spoken for f in readings for p in f.items)
        readings = tuple(replace(f, mood="") for f in readings) if after_request and left else ()
    last = before[-1].frames[0] if before and before[-1].frames else Frame("nothing")
    if not any(acts(c) or c.kind in "wbfmh" for c in part):
        readings = _verbless(part, readings, last)
    limit = next((c.text for c in part if c.kind == "x"), "")
    return Clause(text, _enduring(part, readings), _nouns(part), limit)


def _verbless(part: Sequence[Chunk], readings: tuple[Frame, ...], last: Frame) -> tuple[Frame, ...]:
    """The readings of a clause without a verb, which goes on with the request before: "and then off"."""
    switched = {c.base for c in part} & {"on", "off"}
    if switched and last.verb in ("on", "off"):  # "on and off" may be again and again
        then = any(c.base in ("then", "again") for c in part) and set(kinds(part)) <= set("cej,")
        return (Frame(min(switched), last.items),) if then else ()
    gapped = last.verb == "context" and kinds(part[:1]) == "c"
    one = kinds(part[:2]) == ",n" and part[1].base in ("the one", "the ones")
    return () if one or gapped else readings  # "Niko took the pen to the hall and the cup to the lab"


def _enduring(part: Sequence[Chunk], readings: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """Note in the frames of a clause that a state is to last; none for so many minutes."""
    if any(c.text.lower() in LASTS for c in part):  # "the fridge must stay closed": not only in the end
        return tuple(replace(f, mood="stay") if f.verb in SWITCHES else f for f in readings)
    span = any(p.base == "for" and c.kind == "n" and is_span(c) for p, c in pairwise(part))
    return () if span else readings  # no goal says how long


def _nouns(part: Sequence[Chunk]) -> tuple[str, ...]:
    """The content words of noun phrases, but for occasions and for who wishes: "Will needs it for a test"."""
    words: list[str] = []
    chosen = {i for at, c in enumerate(part) if c.base == "or" for i in choices(part, at)}
    for i, c in enumerate(part):
        purpose = i > 0 and part[i - 1].base == "for" and (is_span(c) or _is_occasion(c))
        wishes = i == 0 and is_person(c.text) and len(part) > 1 and part[1].kind in "wmhf"
        if c.kind == "n" and not purpose and not wishes and i not in chosen:
            words += [w for w in content_words(c.text) if w not in lexicon.POLITE]
    return tuple(words)


def _is_occasion(chunk: Chunk) -> bool:
    """Return whether somebody, a meal or an activity is what something is for, which no goal says."""
    word = chunk.text.lower().split()[-1]
    return is_person(chunk.text) or word.endswith("ing") or singular(word) in PEOPLE | _OCCASIONS


_OCCASIONS = frozenset("breakfast lunch dinner supper tea dessert sandwich party test guest".split())


def _subject(part: Sequence[Chunk]) -> Sequence[Chunk]:
    """The thing that a clause is about, for a clause after it that leaves it out."""
    at = next((i for i, c in enumerate(part) if c.kind in "bhmwtfdv"), 0)
    if at and all(c.kind in "nopc,j" for c in part[:at]) and any(c.kind == "n" for c in part[:at]):
        return [c for c in part[:at] if c.kind != "j"]
    return ()
