"""Noun phrases: "all 6 complimentary t-shirts given to the PhD students" as words, number, owner and places.

There is no tagger behind this, only the order of English noun phrases: a determiner, an owner, words that
describe, the head last, and then prepositions that say where. What does not fit gives ``None``, and the
reader declines. Word lists may grow; a form that is in doubt must stay ``None``. What linking makes of a
phrase is here, too: the nodes that it means, or the reason why there are none, which users read and which may
be reworded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ...simulator.scene import Node
from .lexicon import OBJECTS, PERSONS, POLITE, WHOLE
from .thesaurus import synonyms
from .wordpiece import vocabulary
from .words import STOP, is_plural, singular, tokens

Kind = Literal["the", "a", "all", "count", "it", "person", "held", "tool"]

_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
NUMBERS = {w: n for n, w in enumerate(_NUMBERS.split())}
GENERIC = frozenset("thing item object stuff something anything belonging possession everything one".split())
COLLECTIVE = frozenset("cutlery crockery tableware stationery silverware".split())
PEOPLE = frozenset("student people person member staff attendee guest visitor someone".split())
MINE = "mine"
"""Owner of what is the speaker's: "my desk"."""
FITTING = frozenset("appropriate correct right proper suitable".split())
"""Adjectives that leave it to the reader to know where something belongs."""

SAID = "said"
"""Describing word for a relative clause that says what no scene says: "the mug that I forgot"."""

_ALL = WHOLE - {"any", "anything"}
_PERSONS = PERSONS - {"myself", "here"}
_POINTING = frozenset("this that these those".split())
_MANNER = frozenset(w for w in POLITE if w.endswith("ly")) - {"only"}
_WHERE = re.compile(
    r"\s+((?:given|belonging) to|on top of|on|inside of|inside|in|at|from|of|under|underneath|next to|near"
    r"|beside|with)\s+",
    re.I,
)
RELATIONS = {
    "on top of": "on", "inside of": "in", "inside": "in", "at": "at", "given to": "of", "belonging to": "of",
    "from": "from", "of": "of", "under": "under", "underneath": "under", "next to": "near", "near": "near",
    "beside": "near",
}  # fmt: skip
"""Prepositions as the relations that they say: those that mean the same are one."""
_HELD = re.compile(
    r"(?:what|whatever|the (?:thing|item|object)(?: that)?) (?:the (?:agent|robot)|you)(?: is| are|'re|'s)"
    r"(?: currently)? (?:holding|carrying)",
    re.I,
)
NUMBER = rf"(?:\d{{1,3}}|{'|'.join(w for w in NUMBERS if w != 'zero')})"
_DETERMINER = re.compile(
    rf"(?P<word>(?:all|each|both|any|some|{NUMBER}) of|all|every|each|both|any|some|an|a|the|this|that|these"
    rf"|those|my|our|your(?= (?:hand|gripper)\b)|another|his|her|their|its|{NUMBER})\s+",
    re.I,
)
_OWNER = re.compile(r"(?P<owner>[^\W_][\w ]*?)(?:'s|(?<=s)')(?:\s+(?P<rest>.+))?\Z")
_UNREADABLE = re.compile(
    r"\b(?:who|whom|where|which|that|when|not|no|without|except|or|but|if|than|other|somewhere|anywhere)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase. ``words`` describe, the head last; ``places`` are pairs of a relation and a phrase.

    ``owner`` is a name as it was said, ``his`` for whoever was mentioned last, or :data:`MINE`.
    """

    text: str
    words: tuple[str, ...] = ()
    kind: Kind = "the"
    number: int | None = None
    owner: str | None = None
    places: tuple[tuple[str, Phrase], ...] = ()
    total: int | None = None
    """How many the things are that some are taken of: two in "one of the two drones"."""

    @property
    def head(self) -> str:
        return self.words[-1] if self.words else ""

    @property
    def generic(self) -> bool:
        """Return whether the head says nothing: "one of his things"."""
        return not self.words or singular(self.head) in GENERIC

    def __str__(self) -> str:
        return self.text


def number_of(word: str) -> int | None:
    """The number that a word or digits say; ``None`` for any other word."""
    return int(word) if word.isdigit() else NUMBERS.get(word.lower())


def is_speaker(phrase: Phrase | None) -> bool:
    """Return whether a phrase means whoever speaks, or the place where that is: "me", "here"."""
    return phrase is not None and phrase.kind == "person" and phrase.words[:1] in (("me",), ("us",))


def says_all(phrase: Phrase) -> bool:
    """Return whether a phrase says that it is about all there are: "every pen", "all the pens"."""
    return phrase.text.lower().partition(" ")[0] in _ALL


def points(phrase: Phrase) -> bool:
    """Return whether a phrase points at something and says no more of it: "this pen"."""
    first = phrase.text.split()[0].lower() if phrase.words else ""
    return first in _POINTING and phrase.kind in ("the", "all") and not phrase.places and not phrase.owner


def read_phrase(text: str) -> Phrase | None:
    """Read a noun phrase, or ``None`` where its form is not known."""
    text = text.strip(" ,.!?;:\"'")
    lower = text.lower()
    if not text or len(text) > 300:
        return None
    if lower == "the heldobject" or _HELD.fullmatch(text):
        return Phrase(text, kind="held")
    if lower == "the cleaningtool":
        return Phrase(text, ("clean",), "tool")
    if lower in OBJECTS or lower == "both":
        return Phrase(text, kind="it")
    if lower in _PERSONS:
        return Phrase(text, (lower,), "person")
    return _full(text)


def _full(text: str) -> Phrase | None:
    lead = _DETERMINER.match(text)
    partitive = lead is not None and lead["word"].lower().endswith(" of")
    place = _WHERE.search(text, lead.end() - 1 if lead is not None and partitive else 0)
    if place is None:
        return _core(text)
    core, where = _core(text[: place.start()]), read_phrase(text[place.end() :])
    if core is None or where is None:
        return None
    relation = place[1].lower()
    relation = RELATIONS.get(relation, relation)
    if relation == "of" and _is_stuff(where):  # "a bottle of water"
        return replace(core, text=text, words=(*where.words, *core.words))
    if relation == "of" and where.kind == "person":  # "the office of Filipe"
        return replace(core, text=text, owner=where.text)
    # "the fork on the table in the kitchen": the last place is one of the table.
    return replace(core, text=text, places=((relation, where),))


def _is_stuff(phrase: Phrase) -> bool:
    """Return whether a phrase describes what it is part of: "water", but not "the box" nor "desk 2"."""
    named = _DETERMINER.match(phrase.text + " ") or phrase.head.isdigit()
    return phrase.text.islower() and not phrase.places and not named


_NAMES = frozenset(
    "hans jens mats mads miles frances wes les ross williams peters rogers evans davis andrews brooks adams"
    " collins edwards roberts stevens wells phillips".split()
)
"""Names that would be plurals."""


def is_name(word: str) -> bool:
    """Return whether a word is written like a name and is no plural of an English noun: "Keys", "Phones".

    An ending in "as" is one of names ("Thomas", "Andreas").
    """
    if not word[:1].isupper():
        return False
    if word[-1] == "s" and len(word) > 2 and word[:-1].isupper():
        return False  # "CDs"
    lower = word.lower()
    noun = singular(lower)
    if noun == lower or len(noun) < 3 or lower.endswith("as") or lower in _NAMES:
        return True
    return noun not in vocabulary() and not synonyms((noun,))  # "T-shirts"


_KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(("a", "an", "any", "some", "one", "another"), "a"), **dict.fromkeys(_ALL, "all"),
}  # fmt: skip
_OWNERS = {"his": "his", "her": "his", "their": "his", "my": MINE, "our": MINE}


@dataclass(slots=True)
class _Lead:
    """The determiners before a noun, and what they say of it: "one of his two", "all the"."""

    rest: str
    kind: Kind | Literal[""] = ""
    number: int | None = None
    total: int | None = None
    owner: str | None = None
    partitive: bool = False
    last: str = ""

    def read(self) -> bool:
        """Take the determiners off the rest; false where they say how many of each."""
        while (determiner := _DETERMINER.match(self.rest + " ")) is not None:
            self.rest = self.rest[determiner.end() :].strip()
            self.last = determiner["word"].lower()
            first = self.last.split()[0]
            if self.partitive and first in ("each", "every"):
                return False  # "one of each fruit"
            self.take(first, number_of(first))
            self.total = 2 if first == "both" else self.total
            self.partitive = self.partitive or self.last.endswith(" of")
        return True

    def take(self, first: str, count: int | None) -> None:
        """Note what one determiner says."""
        if self.partitive and count is not None:
            self.total = count  # "one of the two drones"
        elif self.last == "one":
            self.number = 1 if self.kind != "all" else None  # "every one"
        elif count is not None and first != "one":
            self.number = count
        elif not self.partitive or first not in _ALL:  # "one of both"
            own = _OWNERS.get(first)
            self.kind = self.kind or ("" if own == "his" else _KINDS.get(first, "the"))
            self.owner = own or self.owner


def _core(text: str) -> Phrase | None:
    """The part before the first preposition."""
    lead = _Lead(text.strip(" ,"))
    if not lead.read():
        return None
    possessive = _OWNER.fullmatch(lead.rest)
    if possessive is not None:
        # "from Jason's office to Filipe's": what is left out is the room.
        lead.owner, lead.rest = possessive["owner"], possessive["rest"] or "room"
    words = tokens(lead.rest) or (["one"] if lead.number == 1 or lead.last == "one" else [])
    if _UNREADABLE.search(lead.rest) or "'" in lead.rest or STOP & set(words):
        return None
    words = [w for w in words[:-1] if w not in _MANNER] + words[-1:]
    if not words or len(words) > 6:
        return None
    if singular(words[0]) in GENERIC and len(words) == 2:
        lead.kind = lead.kind or ("all" if words[0] in ("everything", "anything") else "a")
        words.reverse()  # "something sharp"
    kind = _kind(lead, words, text)
    if kind is None:
        return None
    number = None if kind == "a" else lead.number
    return Phrase(text, tuple(words), kind, number, lead.owner, total=lead.total)


def _kind(lead: _Lead, words: Sequence[str], text: str) -> Kind | None:
    """The kind of a phrase: the determiners say it, else the number of its head; ``None`` for "some pens"."""
    kind, head = lead.kind, words[-1]
    plural = is_plural(head) or (head in COLLECTIVE and kind != "a")
    if lead.number == 1 and kind != "the":
        kind = "a"
    if kind == "a" and plural and (not lead.partitive or text.lower().startswith("some ")):
        return "all" if text.lower().startswith("any ") else None  # how many is not said
    if lead.number not in (None, 1):
        return "all" if kind in ("all", "the") and not lead.partitive else "count"
    alone = not kind and lead.number is None and words == [head]  # "three T-shirts" are no persons
    if alone and singular(head) not in GENERIC and is_name(lead.rest):
        return "person"
    if kind in ("", "the") and (plural or head in ("everything", "anything", "all")):
        return "all"
    return kind or "the"


# What phrases mean


@dataclass(frozen=True, slots=True)
class NodeMatch:
    """The nodes that fit a phrase, in scene order."""

    phrase: Phrase
    nodes: tuple[Node, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(n.id for n in self.nodes)


LISTED = 5
"""Most nodes that a reason lists."""


class NoReferent(Exception):
    """A phrase that fits no node, or too many. Raised inside this package only; readers report it.

    ``rooms`` are those that must be looked into before it is sure. ``final`` says that everything in the
    reading is there and only what is asked for cannot be done, so that no other reading takes its place.
    """

    def __init__(
        self,
        reason: str,
        phrase: Phrase | None = None,
        near: tuple[str, ...] = (),
        rooms: tuple[str, ...] = (),
        final: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason, self.phrase = reason, phrase
        self.near, self.rooms, self.final = near, rooms, final
        self.others: tuple[NoReferent, ...] = ()


def several(phrase: Phrase, ids: Sequence[str], what: str = "things") -> NoReferent:
    """The gap of a phrase that fits more than one node, with a list of these."""
    more = f" and {len(ids) - LISTED} more" if len(ids) > LISTED else ""
    return NoReferent(
        f"several {what} fit '{phrase}': {', '.join(ids[:LISTED])}{more}", phrase, tuple(ids[:LISTED])
    )
