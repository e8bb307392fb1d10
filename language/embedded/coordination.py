"""Coordinations: "and" between clauses that share a beginning, so that none of them loses what it shares.

"Make sure that A is shut and that B is on" asks for both, and "I want A open and B on" leaves out what it
repeats. Both are written out here, before clauses are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ..english import lexicon
from ..english.chunks import Chunk, kinds
from ..english.lexicon import STATES
from .senses import is_person

_STATED = re.compile(r"n(?P<between>[bmwtf]*)s")


def ungapped(part: Sequence[Chunk]) -> list[list[Chunk]]:
    """A clause as several, where states or receivers are joined: "I want A open", "and I want B on"."""
    row = list(part)
    handed = re.search(r"vnn(,?c)(?=nn\Z)", kinds(row))
    if handed is not None and all(is_person(row[i].text) for i in (handed.start() + 1, handed.end())):
        # "bring Tobi a banana and Niko an orange"
        return [row[: handed.start(1)], [row[handed.end() - 1], row[handed.start()], *row[handed.end() :]]]
    letters = _letters(row)
    first = _STATED.search(letters)
    if first is None:
        return [row]
    cut = next((i for i in range(first.end(), len(row)) if _continues(letters, i)), None)
    if cut is None:
        return [row]
    lead = [c for c in row[: first.start()] if c.kind not in "c,"]
    shared = row[first.start() + 1 : first.end() - 1]
    rest = row[cut:]
    while rest and rest[0].kind in "c,":
        rest = rest[1:]
    joint = Chunk("c", "and", "and")
    return [row[:cut], *ungapped([joint, *lead, rest[0], *shared, *rest[1:]])]


def _letters(row: Sequence[Chunk]) -> str:
    """The letters of a row with each state as "s", and a subject as "i"."""
    return "".join("s" if _is_state(c) else "i" if c.kind == "s" else c.kind for c in row)


def _is_state(chunk: Chunk) -> bool:
    if chunk.kind == "e":
        return chunk.base in ("on", "off")
    return chunk.kind == "a" or (
        chunk.kind == "d" and (chunk.text.lower() in STATES or bool(lexicon.meanings(chunk.base)))
    )


def _continues(letters: str, at: int) -> bool:
    """Return whether a conjunction is followed by another thing and its state or place."""
    return re.match(r"(?:,|,?c)n(?:s|pn)", letters[at:]) is not None


def governed(parts: Iterable[Sequence[Chunk]]) -> Iterator[Sequence[Chunk]]:
    """The clauses of a sentence, with "make sure" repeated before each statement that it governs."""
    ensured = False
    for part in parts:
        start = next((i for i, c in enumerate(part) if c.kind not in "c,"), len(part))
        joint, body = list(part[:start]), list(part[start:])
        if ensured and joint and _states_a_thing(body):
            if body[0].text.lower().startswith("that "):
                body[0] = replace(body[0], text=body[0].text[5:], base=body[0].text[5:].lower())
            yield [*joint, Chunk("v", "ensure", "ensure"), *body]
            continue
        ensured = any(c.base == "ensure" for c in body)
        yield part


def _states_a_thing(body: Sequence[Chunk]) -> bool:
    """Return whether a clause says how a thing is: "(that) the radio is on"."""
    verb = next((i for i, c in enumerate(body) if c.kind in "bhmwtfvg"), len(body))
    if verb == len(body) or body[verb].kind != "b":
        return False
    subject = [c for c in body[:verb] if c.kind in "nos"]
    return bool(subject) and all(
        c.kind != "s" or c.base in ("it", "they", "that", "this") for c in subject
    ) and not is_person(subject[0].text)  # fmt: skip
