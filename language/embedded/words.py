"""English words as far as rules need them: tokens, plurals, endings, and names of nodes as words."""

from __future__ import annotations

import re
from functools import lru_cache

STOP = frozenset(
    "a an the of to in on at it its is are was were be been am and or that this these those there here"
    " i me my we us our you your he him his she her they them their with for from by into onto some any"
    " please".split()
)

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_DIGITS = re.compile(r"(?<=[^\W\d_])(?=\d)")


def plain(text: str) -> str:
    """A text on one line with straight apostrophes and without hyphens inside words."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub("[\N{RIGHT SINGLE QUOTATION MARK}\N{MODIFIER LETTER APOSTROPHE}`]", "'", text)
    return re.sub(r"(?<=[^\W\d_])-(?=[^\W\d_])", "", text)


def tokens(text: str) -> list[str]:
    """The words of a text, lower-case, ``'s`` kept."""
    return [t.lower() for t in _TOKEN.findall(plain(text))]


@lru_cache(maxsize=65536)
def name_words(name: str) -> tuple[str, ...]:
    """The words that a node's name is made of: ``meeting_room1`` → meeting, room, 1."""
    if re.search(r"[^\W\d_]+\d+[^\W\d_]", name):
        return tuple(t.lower() for t in _TOKEN.findall(name.replace("_", " ")))
    spaced = _DIGITS.sub(" ", _CAMEL.sub(" ", name.replace("_", " ").replace("-", " ")))
    return tuple(t.lower() for t in _TOKEN.findall(spaced))


def content_words(text: str) -> list[str]:
    """The words that carry meaning, possessive endings removed."""
    words = (w.removesuffix("'s") for w in tokens(text.replace("_", " ")))
    return [w for w in words if w not in STOP]


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """A noun without its plural ending, roughly."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes", "oes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without the commonest endings: what ``smelling`` and ``smelly`` share."""
    base = singular(word)
    for ending in ("ing", "ed", "en", "y", "e"):
        if base.endswith(ending) and len(base) - len(ending) >= 3:
            base = base.removesuffix(ending)
            if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "sl":
                base = base[:-1]
            break
    return base


def is_plural(word: str) -> bool:
    return singular(word) != word


def alike(a: str, b: str) -> bool:
    """Whether two words are forms of one: equal stems, or one is the other cut short (``undergrad``)."""
    if a == b or stem(a) == stem(b):
        return True
    short, long = sorted((a, b), key=len)
    return len(short) >= 6 and long.startswith(short)
