"""Arguments of a verb: noun phrases with the prepositions before them, as phrases with places.

``Arguments`` is a row of slots, each a preposition ("" for an object) and noun phrases joined by "and". Which
prepositional phrase says where something goes and which says where it is cannot be seen from the words;
:func:`placements` gives the ways to part them, the likeliest first, and the scene decides. That order decides
which goal is written. A preposition may be added to ``TO`` or ``RELATION``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..english import lexicon
from ..english.chunks import PLACED, Chunk, kinds
from ..english.phrases import Phrase, read_phrase

TO = frozenset({"to", "in", "on", "at", "for", "toward", "towards"})
"""Prepositions that may say where something goes; no fact of a pack is asked for by "near" or "under"."""
_SWITCHED = frozenset({"on", "off", "up", "back", "away", "out"})
"""Particles that may also stand after a place: "turn the lamp in the hall on"."""
_NAMED_NOWHERE = frozenset("someone somebody everyone everybody anyone anybody there here".split())
_APART = frozenset({"with", "about"})
"""Prepositions of what neither is a place nor describes one: a tool is read by the verbs that have one."""
SURE = frozenset({"to", "toward", "towards"})
_READ = frozenset("in on at of from off to by near under behind for with".split())
"""Prepositions that say where a thing is; "outside the kitchen" and "via the kitchen" are not read."""
RELATION = {"at": "at", "by": "of", "of": "of", "to": "of", "with": "of", "behind": "near", "for": "of"}


@dataclass(frozen=True, slots=True)
class Slot:
    """Noun phrases joined by "and", after one preposition.

    ``goes`` is true of one that says where a thing goes: "into the box" is never where it is.
    """

    prep: str
    nouns: tuple[str, ...]
    goes: bool = False


@dataclass(frozen=True, slots=True)
class Arguments:
    """Slots in order, particles ("up", "away"), and persons to whom something is given."""

    slots: tuple[Slot, ...]
    particles: frozenset[str] = frozenset()
    person: str | None = None
    state: str | None = None
    where: bool = False

    @property
    def object(self) -> Slot | None:
        return next((s for s in self.slots if not s.prep), None)


def arguments(chunks: Sequence[Chunk]) -> Arguments:
    """Read what follows (or stands around) a verb. Purposes ("to wipe the desk") are left out."""
    return _Row(chunks).read()


class _Row:
    """One pass over the chunks around a verb: the preposition before a noun, and whether "and" joins it."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = chunks
        self.slots: list[Slot] = []
        self.particles: set[str] = set()
        self.person: str | None = None
        self.state: str | None = None
        self.where = False
        self.prep, self.joined, self.goes = "", False, False

    def read(self) -> Arguments:
        at = 0
        while at < len(self.chunks) and not self.ends(at):
            at = self.take(at) + 1
        return Arguments(tuple(self.slots), frozenset(self.particles), self.person, self.state, self.where)

    def kind(self, at: int) -> str:
        return self.chunks[at].kind if at < len(self.chunks) else ""

    def ends(self, at: int) -> bool:
        """Return whether a purpose or a clause of its own begins, which may say a state or place."""
        c, after = self.chunks[at], self.kind(at + 1)
        if c.kind == "t" and after and not any(x.kind in "nor" for x in self.chunks[at + 2 :]):
            self.state = f"to {self.chunks[at + 1].base}"  # "get it to play"
        if c.kind in ("q", "i"):
            self.where = self.where or c.base in ("where", "wherever")
            if self.where and after == "s":
                self.particles.add("where")  # "where it is"
        return c.kind in ("t", "q", "i")

    def take(self, at: int) -> int:
        """Read what a chunk says, and return where that ends."""
        c, after = self.chunks[at], self.kind(at + 1)
        match c.kind:
            case "c" | "," | ":":
                self.joined = bool(self.slots) and after in ("n", "o", "p", "r", "s")
            case "p":
                governs = after in ("n", "o", "r", "s")
                self.prep, self.joined = (c.base if governs else ""), False
                self.goes = c.text.lower() in lexicon.PLACING
                self.particles |= set() if governs else {c.base}
            case "e":
                place = kinds(self.chunks[max(at - 2, 0) : at]) == "pn"
                far = place and c.base not in _SWITCHED
                self.particles |= {c.base, "far"} if far else {c.base}  # "in the chest out"
            case "r" | "s" if c.kind == "r" or c.base in _NAMED_NOWHERE:
                self.somebody(c)
            case "n" | "o":
                return self.noun(at)
            case _ if not (c.kind in "jk" or c.base == "you" or (c.kind in "dg" and c.text.lower() in _LIES)):
                self.state = c.base  # a state, a participle, or what no rule reads
        return at

    def somebody(self, c: Chunk) -> None:
        """Add a person, or the place that "here" and "there" are."""
        if c.base == "there":
            self.where, self.prep = True, ""
        elif c.base == "here" or self.prep:
            self.slots.append(Slot("to", ("me",)) if c.base == "here" else Slot(self.prep, (c.text,)))
            self.prep = ""
        elif self.person is None and not self.joined:
            self.person = c.text  # "bring me the pen", "give it me"
        else:
            self.slots.append(Slot("and", (c.text,)))  # "Niko and me": no phrase is read with it

    def noun(self, at: int) -> int:
        """Add a noun phrase, and return where it ends."""
        at, text = _noun(self.chunks, at)
        last = self.slots[-1] if self.slots else None
        if last is not None and self.joined and not self.prep:
            at = self.join(last, text, at)
        elif last is not None and not (last.prep or self.prep or last.nouns[1:]) and self.person is None:
            self.person = last.nouns[0]  # "bring Will his drone"
            self.slots[-1] = Slot("", (text,))
        else:
            twice = not self.prep and any(not s.prep for s in self.slots)  # "bring me the pen a bit"
            prep = "and" if twice else self.prep
            self.slots.append(Slot(prep, (text,), bool(self.prep) and self.goes))
        self.prep, self.joined = "", False
        return at

    def join(self, last: Slot, text: str, at: int) -> int:
        """Add a noun phrase to those before it, with a place of its own where these have theirs."""
        slots = self.slots
        own = len(slots) > 1 and last.prep not in ("", "for") and not slots[-2].prep
        if own and kinds(self.chunks[at + 1 : at + 3]) == "pn":
            # "the apple from Peter's office and the pepsi from Tobi's"
            first = f"{slots[-2].nouns[-1]} {last.prep} {last.nouns[0]}"
            here = f"{text} {self.chunks[at + 1].base} {self.chunks[at + 2].text}"
            slots[-2:] = [Slot("", (*slots[-2].nouns[:-1], first, here))]
            return at + 2
        slots[-1] = Slot(last.prep, (*last.nouns, text), last.goes)
        return at


_OWNED = frozenset({"belonging", "given", "owned"})
"""Participles that say whose a thing is, and not where: "the pen belonging to Niko"."""
_LIES = PLACED - _OWNED


def described(args: Arguments) -> Arguments | None:
    """The arguments with each "with X" as what describes the noun before it: "the bed with the pillows".

    ``None`` without one. "In it" after that says nothing more.
    """
    slots: list[Slot] = []
    folded = False
    for slot in args.slots:
        before = slots[-1] if slots else None
        if slot.prep == "with" and before is not None and len(slot.nouns) == len(before.nouns) == 1:
            slots[-1] = Slot(before.prep, (f"{before.nouns[0]} with {slot.nouns[0]}",))
            folded = True
        elif not (folded and slot.prep in ("in", "on") and slot.nouns in (("it",), ("them",))):
            slots.append(slot)
    return replace(args, slots=tuple(slots)) if folded else None


def _noun(chunks: Sequence[Chunk], at: int) -> tuple[int, str]:
    """A noun phrase with what a relative clause after it says ("that is dirty"), and where it ends."""
    text = chunks[at].text
    after = [c.kind for c in chunks[at + 1 : at + 5]]
    if after[:1] == ["p"] and chunks[at + 1].base == "of" and after[1:2] == ["n"]:
        inner, more = _noun(chunks, at + 2)
        return inner, f"{text} of {more}"
    whose = chunks[at + 1 : at + 4]
    if [c.kind for c in whose[1:]] == ["p", "n"] and whose[0].text.lower() in _OWNED:
        return at + 3, " ".join([text, *(c.text for c in whose)])
    return at, text


def phrase(text: str, places: Sequence[tuple[str, str]] = ()) -> Phrase | None:
    """A phrase with the places that it is said to be at: each is one of the place before it."""
    read = read_phrase(text) if not re.search(r"\b(?:mug|cup) of\b", text) else None  # what is in it
    if read is None or not places:
        return read
    (relation, where), rest = places[0], places[1:]
    if relation not in _READ:
        return None
    inner = phrase(where, rest)
    if inner is None:
        return None
    whole = " ".join([text, *(f"{p} {w}" for p, w in places)])
    return replace(read, text=whole, places=(*read.places, (RELATION.get(relation, relation), inner)))


def phrases(slot: Slot, places: Sequence[tuple[str, str]] = ()) -> tuple[Phrase, ...] | None:
    """The phrases of a slot; places after the last one are taken to be those of all."""
    read = [phrase(n, places) for n in slot.nouns]
    return None if not read or any(p is None for p in read) else tuple(p for p in read if p is not None)


def personal(slot: Slot) -> bool:
    """Return whether "for X" names a person; else it is a purpose."""
    first = slot.nouns[0].split()[0].lower()
    named = first in lexicon.PERSONS | _NAMED_NOWHERE | {"each", "every", "all", "both"}
    return slot.prep == "for" and (named or slot.nouns[0][:1].isupper())


def plain(args: Arguments) -> Iterator[tuple[Phrase, ...]]:
    """The object with every prepositional phrase as its place, then with fewer."""
    if args.object is None or any(s.prep in _APART for s in args.slots):
        return
    at = args.slots.index(args.object)
    rest = (*args.slots[:at], *args.slots[at + 1 :])
    placed = [s for s in rest if s.prep and s.prep != "for"]
    places = [(s.prep, s.nouns[0]) for s in placed]
    items = phrases(args.object, places)
    if items is not None:
        yield items


def _reached(between: Sequence[Slot], rest: Sequence[Slot]) -> bool:
    """Return whether the first of ``rest`` is where a thing goes that has no place ``between``.

    What stands before may say from where ("from the sink in the bath to .."); "to" after it would say more.
    """
    clear = not between or between[0].prep == "from"
    return clear and (rest[0].prep in SURE or not any(s.prep in SURE for s in rest))


def placements(
    args: Arguments, own: int | None = None
) -> Iterator[tuple[tuple[Phrase, ...], str, tuple[Phrase, ...]]]:
    """Every way to part the slots into what, how it is placed, and where to.

    ``own`` is the number of places that are the thing's own, where that is known: none of a pronoun, and of
    a subject those that stand before the verb. What comes after them says where it goes.
    """
    if args.object is None or any(s.prep in _APART for s in args.slots):
        return
    at = args.slots.index(args.object)
    slots = [*args.slots[at + 1 :], *args.slots[:at]]
    slots = [s for s in slots if s.prep != "for" or personal(s)]
    if own is None and args.object.nouns[0].lower() in lexicon.OBJECTS:
        own = 0
    goes = [i for i, s in enumerate(slots) if s.prep in TO]
    # "to" says where to; else the last one, but somebody only where no place is said.
    goes.sort(key=lambda i: (slots[i].prep == "for", slots[i].prep not in SURE, -i))
    for i in (i for i in goes if _may_go(slots, i, own)):
        before, after = slots[:i], slots[i + 1 :]
        source = [("from", s.nouns[0]) for s in after if s.prep == "from"]
        items = phrases(args.object, [*source, *((s.prep, s.nouns[0]) for s in before)])
        to = phrases(slots[i], [(s.prep, s.nouns[0]) for s in after if s.prep not in ("from", "for")])
        if items is not None and to is not None:
            yield items, slots[i].prep if slots[i].prep in ("on", "in") else "to", to


def _may_go(slots: Sequence[Slot], at: int, own: int | None) -> bool:
    """Return whether one of some slots may say where a thing goes, and the others where it is."""
    if own is not None and (at < own or not _reached(slots[own:at], slots[at:])):
        return False
    others = (s for s in slots if s is not slots[at])  # "into the box to Niko" goes to neither
    return not any(s.nouns[1:] or s.goes or (slots[at].goes and s.prep in SURE) for s in others)
