"""Relative clauses: what they say of a noun, as describing words and places of that noun."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from ..english import lexicon
from ..english.chunks import Chunk, kinds
from ..english.phrases import SAID

_BETWEEN = "kbhmsj"
"""Kinds of chunks between a noun and the verb of a relative clause about it."""
_SPEAKERS = (lexicon.SUBJECTS | {"it"}) - {"there"}
"""Subjects of a relative clause without "that": "the mug I left", "the lab it is addressed to"."""
_REDUCED = ("sd", "sv", "sf", "shd", "shv", "shm", "sbd", "sbg", "smv")
_SMELLS = frozenset("smell smells stink stinks reek reeks".split())
_TOLD = frozenset("want wants need needs like likes left forgot arrived delivered".split())
"""Verbs of what a scene does not say of a thing."""
_ALL = ("everything", "all", "anything", "something", "whatever")


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
    if result[-1].base.startswith("any "):  # one of those that are so, or each: not said
        result.append(Chunk("x", "that", lexicon.UNREAD))
    if here == len(row):
        return here
    verb = row[here]
    if kinds(row[at : here + 1]).startswith("shm"):  # "all the kale we have"
        return at + 2
    if verb.kind == "p":
        alone = [c.base for c in result[-2:-1]] != ["of"] and row[at].kind == "k"
        if not alone or follows[:1] != "n":
            return here
        where = f"{result[-1].text} {verb.base} {row[here + 1].text}"  # its own place
        result[-1] = Chunk("n", where, result[-1].base)
        return here + 2
    noun = _described(result) if "b" in kinds(between) and "s" not in kinds(between) else -1
    if verb.base in _SMELLS:
        _describe(result, noun, "smelly")
    elif verb.kind in "dgvf":
        return here + _fold_verb(result, noun, verb, follows)
    elif verb.kind in "nae" and (follows[:1] not in tuple("bmhw") or "b" in kinds(between)):
        _describe(result, noun, verb.text.lower())
    else:
        return at
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


def _described(row: Sequence[Chunk]) -> int:
    """Return which noun a relative clause is about: "everything on the table that is dirty", or the last."""
    at = len(row) - 1
    while at >= 2 and kinds(row[at - 2 : at]) == "np" and row[at - 1].base != "of":
        at -= 2
    return at if row[at].text.lower() in _ALL else -1


def _describe(row: list[Chunk], at: int, word: str) -> None:
    row[at] = Chunk("n", described(row[at].text, SAID if word in _TOLD else word), row[at].base)


def described(text: str, word: str) -> str:
    """A noun phrase with one more describing word, after its determiners."""
    words = text.split()
    first = words[0].lower()
    if first in _ALL and not words[1:]:
        return f"all {word} things" if first != "something" else f"a {word} thing"
    lead = list(takewhile(lambda w: w.isdigit() or w.lower() in lexicon.DETERMINERS, words[:-1])) or ["the"]
    return " ".join([*lead, word, *(words[len(lead) :] if words[0] in lead else words)])
