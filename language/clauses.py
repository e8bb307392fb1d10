"""From an instruction to clauses: where one request ends and the next begins.

A sentence is cut where a conjunction or a comma is followed by a verb, and further only where that makes it
readable. A clause without frames spoils the whole instruction: conditions and prohibitions are not read half.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .frames import CONTEXT, DETERMINER, Frame, frames_of
from .manners import bare
from .words import plain

MAX_CHARACTERS = 2000
MAX_CUTS = 5
"""More places than this where a sentence might be cut are not tried in every combination."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause and its readings; none means that it was not understood."""

    text: str
    frames: tuple[Frame, ...]


# Words that begin a clause after "and" or a comma.
_VERBS = frozenset(
    "put|place|move|set|lay|leave|carry|bring|take|transfer|deliver|return|relocate|shift|insert|load|deposit"
    "|position|drop|throw|toss|dump|get|fetch|give|hand|pass|serve|turn|switch"
    "|power|start|run|stop|open|close|shut|heat|warm|reheat"
    "|microwave|chill|cool|refrigerate|wash|rinse|clean|wipe|dust|scrub|make|brew"
    "|prepare|pour|check|test|hide"
    "|store|file|stow|pick|grab|hold|go|drive|navigate|travel|head|locate|find|look|search|empty|bin|discard"
    "|dispose|trash|take|deal|correct|sort|arrange|swap|fill|cook|cut|use|ensure"
    "|let|do|tell|pop|stick|chuck|stash|tuck"
    "|collect|unload|replace|see|have|polish|keep|ditch|slide|slip|come|swing"
    "|gather|clear|transport|conceal|send|add|rid".split("|")
)
# Verbs that are adjectives or nouns as well, and begin one only before a determiner.
_NOUNS = frozenset(
    "clean empty open warm cool bin hand file head cut store load set drop run pop clear stick".split()
)
_JOINT = re.compile(
    r"(?:,\s*|\s+)(?:and then|and also|and after that|and|then|but|so|which|that(?= "
    r"(?:needs|should|belongs|has to|goes|must)))\s+|,\s*|\s+[-\u2013\u2014]+\s+"
    r"|:\s+|\s*\u2014\s*",
    re.I,
)
_FINITE = re.compile(
    r"(?:needs?|wants?|fancy|fancies|would|could|should|has to|have to|must|belongs?"
    r"|goes|is|am|are)\b",
    re.I,
)


@lru_cache(maxsize=256)
def read_clauses(instruction: str) -> tuple[Clause, ...]:
    """Cut an instruction into clauses and read each; an empty tuple for a text without words."""
    text = plain(instruction[:MAX_CHARACTERS])
    sentences = [s.strip() for s in re.split(r"[.!?;]+(?=\s|\Z)", text) if s.strip()]
    pieces = [c.strip() for s in sentences for c in _cut(s)]
    clauses = [x for c in pieces for x in _clauses(c)]
    return tuple(x for x in clauses if re.search(r"\w", x.text)) or tuple(clauses)


def _clauses(piece: str) -> list[Clause]:
    """A piece as one clause, or cut further where only that makes it readable."""
    whole = Clause(piece, _read(piece))
    joints = list(_JOINT.finditer(piece))[:MAX_CUTS]
    if not joints or len(piece) > 400:
        return [whole]
    best: list[Clause] = []
    for size in range(1, len(joints) + 1):
        for chosen in itertools.combinations(joints, size):
            starts = [0, *(j.end() for j in chosen)]
            ends = [*(j.start() for j in chosen), len(piece)]
            parts = [piece[a:b].strip(" ,") for a, b in zip(starts, ends, strict=True)]
            read = [Clause(p, _read(_subject(parts[0], p))) for p in parts if p]
            if not read:
                continue
            if _asks(read[0].frames) and read[0].frames[0].verb in ("put", "give"):
                # "Bring the phone to Filipe and the scissors to Tobi."
                read = [c if _asks(c.frames) else Clause(c.text, _gapped(c)) for c in read]
            asking, asked = _asking(read), _asking(best)
            enough = asking == len(read) if _asks(whole.frames) else asking > 0
            if enough and asking > asked and all(c.frames for c in read):
                best = read
        if best:
            return best
    return [whole]


def _subject(first: str, part: str) -> str:
    """A part that leaves its subject to the first one: "I'm at the table and fancy an apple"."""
    if not _FINITE.match(part):
        return part
    found = re.match(r"i\b|we\b|(?-i:[A-Z][a-z]+)(?= (?:is|was|has|needs|wants|would))", first, re.I)
    return f"{found[0] if found else 'it'} {part}"


def _gapped(clause: Clause) -> tuple[Frame, ...]:
    """A clause that leaves its verb to the one before: "the scissors to Tobi"."""
    whole = re.match(DETERMINER, clause.text, re.I) and not re.search(r"\b(?:is|are|was|has)\b", clause.text)
    return (_read(f"put {clause.text}") if whole else ()) or clause.frames


def _asks(frames: tuple[Frame, ...]) -> bool:
    """Whether the likeliest reading of a clause asks for something by a known verb."""
    return bool(frames) and frames[0].verb not in CONTEXT


def _asking(clauses: list[Clause]) -> int:
    return sum(_asks(c.frames) for c in clauses)


def _cut(sentence: str) -> Iterator[str]:
    """Cut where a conjunction or a comma is followed by a verb."""
    start = 0
    for found in _JOINT.finditer(sentence):
        rest = sentence[found.end() :]
        word, _, after = bare(rest[:120]).partition(" ")
        verb = word.lower().strip(",")
        if verb not in _VERBS or not after or not sentence[start : found.start()].strip():
            continue
        if verb in _NOUNS and not re.match(DETERMINER, after, re.I):
            continue
        before = sentence[start : found.start()]
        if len(before) < 40 and bare(before).lower() in ("", "go", "come"):
            continue
        yield sentence[start : found.start()]
        start = found.end()
    yield sentence[start:]


def _read(piece: str) -> tuple[Frame, ...]:
    return tuple(dict.fromkeys(frames_of(bare(piece))))
