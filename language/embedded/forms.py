"""The forms that frames take, whatever the verb: with a place, a person, a bin, a tool, or none of these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from . import lexicon as lex
from .arguments import Arguments, Slot, phrase, placements, plain
from .frames import Frame
from .phrases import Phrase


def is_person(text: str) -> bool:
    """Whether a noun phrase is one or two words that are written like names."""
    words = text.split()
    named = len(words) <= 2 and all(w[:1].isupper() and not w.endswith("'s") for w in words)
    return named and words[0] not in (
        "The", "A", "An", "All", "Everything", "Something")  # fmt: skip


def plainly(verb: str, args: Arguments) -> Iterator[Frame]:
    for items in plain(args):
        yield Frame(verb, items)


def placed(verb: str, args: Arguments) -> Iterator[Frame]:
    for items, relation, to in placements(args):
        if len(to) == 1:
            yield Frame(verb, items, relation, to[0])
    if args.object is not None and (("in" in args.particles) or args.where or "on" in args.particles):
        for items in plain(args):
            yield Frame(
                verb,
                items,
                "in" if "in" in args.particles else "to",
                Phrase("there" if args.where else "it", kind="it"),
            )


def handed(args: Arguments) -> Iterator[Frame]:
    """Something to somebody; "me" gives way to a place that is said, too."""
    who = phrase(args.person or "")
    if who is None:
        return
    mine = who.kind == "person" and who.words[:1] in (("me",), ("us",))
    there = list(placed("put", args)) if mine else []
    yield from (f for f in there if f.relation == "to")
    for items in plain(args):
        yield Frame("give", items, "for", who)
        if mine:
            yield Frame("hold", items)
    yield from (f for f in there if f.relation != "to")


def binned(args: Arguments) -> Iterator[Frame]:
    """What is thrown away, perhaps into a bin that is named."""
    for items, relation, to in placements(args):
        if relation != "on" and len(to) == 1 and to[0].kind != "person" and "away" not in args.particles:
            yield Frame("away", items, relation, to[0])
    slots = args.slots
    if args.object is None:
        slots = tuple(Slot("", s.nouns) if s.prep == "of" else s for s in slots)
    yield from plainly("away", replace(args, slots=slots))


def coffee(args: Arguments) -> Iterator[Frame]:
    person = args.person
    if person is None:
        slot = next((s for s in args.slots if s.prep in ("for", "to", "on", "at", "in", "by")), None)
        person = slot.nouns[0] if slot is not None else None
    else:
        slot = next((s for s in args.slots if s.prep in ("on", "at", "to", "in", "by")), None)
        if slot is not None:
            place = phrase(slot.nouns[0])
            if place is not None:
                yield Frame("coffee", (), "for", place)
    to = phrase(person) if person else None
    yield Frame("coffee", (), "for" if to else "", to)


def with_tool(verb: str, args: Arguments) -> Iterator[Frame]:
    """ "Heat it in the microwave", "wipe it with the towel", "warm the noodles for Peter"."""
    for i in reversed(range(len(args.slots))):
        slot = args.slots[i]
        rest = replace(args, slots=tuple(s for s in args.slots if s is not slot))
        if slot.prep in ("with", "using", "in", "at", "through", "via"):
            tool = phrase(slot.nouns[0])
            for items in plain(rest) if tool is not None else ():
                yield Frame(verb, items, "with", tool)
        elif slot.prep == "for":
            yield from plainly(verb, rest)
    yield from plainly(verb, args)


def unknown(verb: str, args: Arguments) -> Iterator[Frame]:
    """A verb that is not in the lexicon, by its gloss: what it means is left to likeness."""
    if verb in lex.OPAQUE:
        return
    end = "".join(f" {p}" for p in sorted(args.particles))
    for items, relation, to in placements(args):
        if len(to) == 1:
            prep = {"on": "onto", "in": "into", "to": "to"}[relation]
            yield Frame("?", items, relation, to[0], f"{verb} something {prep} something{end}")
    for items in plain(args):
        yield Frame("?", items, said=f"{verb} something{end}")
