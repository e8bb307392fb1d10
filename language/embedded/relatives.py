"""Relative clauses: what they say of a noun, as describing words and places of that noun."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from ..english import lexicon
from ..english.chunks import Chunk, kinds
from ..english.phrases import SAID
from ..english.words import is_plural

_BETWEEN = "kbhmsj"
"""Kinds of chunks between a noun and the verb of a relative clause about it."""
_SPEAKERS = (lexicon.SUBJECTS | {"it"}) - {"there"}
"""Subjects of a relative clause without "that": "the mug I left", "the lab it is addressed to"."""
_REDUCED = ("sd", "sv", "sf", "shd", "shv", "shm", "sbd", "sbg", "smv")
_SMELLS = frozenset("smell smells stink stinks reek reeks".split())
_TOLD = frozenset("want wants need needs like likes left forgot arrived delivered".split())
"""Verbs of what a scene does not say of a thing."""
_ALL = ("everything", "anything", "something", "whatever")


def folded(row: Sequence[Chunk]) -> list[Chunk]:
    """A row of chunks without relative clauses."""
    result: list[Chunk] = []
    at = 0
    while at < len(row):
        result.append(row[at])
        at += 1
        if result[-1].kind in ("n", "o") and _is_relative(row[at : at + 3]):
            at = _fold(result, row, at)
    return result


def _is_relative(after: Sequence[Chunk]) -> bool:
    letters = kinds(after)
    reduced = letters.startswith(_REDUCED) and after[0].base in _SPEAKERS
    return letters.startswith("k") or reduced


def _fold(result: list[Chunk], row: Sequence[Chunk], at: int) -> int:
    """Describe a noun by the relative clause after it; return where to go on reading."""
    here = next((i for i in range(at, len(row)) if row[i].kind not in _BETWEEN), len(row))
    between, follows = row[at:here], kinds(row[here + 1 : here + 3])
    noun = _described_noun(result, between)
    if result[noun].base.startswith("any "):  # one of those that are so, or each: not said
        result.append(Chunk("x", "that", lexicon.UNREAD))
    if here == len(row):
        return here
    verb = row[here]
    if kinds(row[at : here + 1]).startswith("shm"):  # "all the kale we have"
        return at + 2
    if verb.kind == "p":
        alone = noun == len(result) - 1 and result[noun - 1].base != "of" and row[at].kind == "k"
        return _fold_place(result, noun, row, here, alone)
    if verb.base in _SMELLS:
        _describe(result, noun, "smelly")
    elif verb.kind in "dgvf":
        return here + _fold_verb(result, noun, verb, follows)
    elif verb.kind in "nae" and (follows[:1] not in tuple("bmhw") or "b" in kinds(between)):
        _describe(result, noun, verb.text.lower())
    else:
        return at
    return here + 1


def _fold_place(result: list[Chunk], noun: int, row: Sequence[Chunk], here: int, alone: bool) -> int:
    """Add the place of a relative clause to its noun: "that is on the desk", "it is for"."""
    follows = kinds(row[here + 1 : here + 2])
    if follows == "n" and alone:  # its own place
        where = f"{result[noun].text} {row[here].base} {row[here + 1].text}"
        result[noun] = Chunk("n", where, result[noun].base)
        return here + 2
    if follows in ("n", "o", "r"):
        return here
    _describe(result, noun, "correct")  # "the lab it is for"
    return here + 1


def _fold_verb(result: list[Chunk], noun: int, verb: Chunk, follows: str) -> int:
    """Describe a noun by the verb of a relative clause; return how many chunks that takes."""
    if follows in ("pn", "po"):
        return 1
    if follows[:1] == "p" or (follows[:1] == "e" and follows[1:] not in ("n", "o")):
        _describe(result, noun, "correct")
        return 2
    ends = follows[:1] in ("", *",c:mbwhj")
    _describe(result, noun, verb.text.lower() if ends else SAID)
    return 1


def _described_noun(row: Sequence[Chunk], between: Sequence[Chunk]) -> int:
    """Return which noun of a row a relative clause after it describes: the last that agrees in number.

    "Everything on the table that is dirty" and "the mugs in the kitchen that are dirty" speak of what is
    there, and of no dirty table or kitchen. ``between`` leads to the verb of the relative clause.
    """
    last = len(row) - 1
    if any(c.kind == "s" for c in between) or not any(c.kind == "b" for c in between):
        return last  # "the lab it is for"
    plural = any(c.base in ("are", "were") for c in between)
    at = last
    while at >= 2 and row[at - 1].kind == "p" and row[at - 2].kind == "n" and row[at - 1].base != "of":
        if _is_many(row[at]) == plural and row[at - 2].text.lower() not in _ALL:
            break
        at -= 2
    return at if _is_many(row[at]) == plural else last


def _is_many(chunk: Chunk) -> bool:
    words = chunk.text.lower().split()
    return words[0] in ("these", "those", "both", "they", "them") or is_plural(words[-1])


def _describe(row: list[Chunk], at: int, word: str) -> None:
    row[at] = Chunk("n", described(row[at].text, SAID if word in _TOLD else word), row[at].base)


def described(text: str, word: str) -> str:
    """A noun phrase with one more describing word, after its determiners."""
    words = text.split()
    first = words[0].lower()
    if first in ("everything", "all", "anything", "something", "whatever") and not words[1:]:
        return f"all {word} things" if first != "something" else f"a {word} thing"
    lead = list(takewhile(lambda w: w.isdigit() or w.lower() in lexicon.DETERMINERS, words[:-1])) or ["the"]
    return " ".join([*lead, word, *(words[len(lead) :] if words[0] in lead else words)])
