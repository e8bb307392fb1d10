"""Frames of the senses that verbs share: things put somewhere, handed to somebody, thrown away, treated.

Which verbs have these senses is said in ``verb_rules.py``. Each function gives the frames of some arguments,
the likeliest first: their order decides which goal is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..english.lexicon import STATES
from ..english.phrases import Phrase, is_name
from ..english.words import content_words, singular
from .arguments import Arguments, Slot, personal, phrase, placements, plain
from .frames import Frame


def is_person(text: str) -> bool:
    """Return whether a noun phrase is one or two words that are written like names."""
    words = text.split()
    named = len(words) <= 2 and all(w[:1].isupper() and not w.endswith("'s") for w in words)
    if len(words) == 1 and not is_name(text):
        return False
    return named and words[0] not in (
        "The", "A", "An", "All", "Everything", "Something")  # fmt: skip


def plainly(verb: str, args: Arguments) -> Iterator[Frame]:
    for items in plain(args) if args.person is None else ():  # who gets it is no part of a change
        if verb == "hold" or not any(_is_any_such(p) for p in items):
            yield Frame(verb, items)


def _is_any_such(phrase: Phrase) -> bool:
    """Return whether a phrase is of any thing in a state, so that it is not said whether each is meant."""
    return phrase.text.lower().startswith("any ") and bool({*STATES, *_UNMADE} & set(phrase.words[:-1]))


def placed(verb: str, args: Arguments, own: int | None = None) -> Iterator[Frame]:
    """Something put to a place; ``own`` as in :func:`placements`."""
    for items, relation, to in placements(args, own):
        if len(to) == 1:
            yield Frame(verb, items, relation, to[0])
    if args.object is not None and (("in" in args.particles) or args.where or "on" in args.particles):
        for items in plain(args):
            where = Phrase("there" if args.where else "it", kind="it")
            yield Frame(verb, items, "in" if "in" in args.particles else "to", where)


def handed(args: Arguments) -> Iterator[Frame]:
    """Something to somebody; "me" gives way to a place that is said, too."""
    who = phrase(args.person or "")
    if who is None:
        return
    mine = who.kind == "person" and who.words[:1] in (("me",), ("us",))
    there = [replace(f, mood="got") for f in placed("put", args)] if mine else []
    if any(f.to is not None and f.to.kind == "person" for f in there):
        return  # "bring me the pen to Niko"
    yield from (f for f in there if f.relation == "to")
    for items in plain(args):
        yield Frame("give", items, "for", who)
    yield from (f for f in there if f.relation != "to")


def binned(args: Arguments) -> Iterator[Frame]:
    """Things to throw away, perhaps into a bin that is named."""
    for items, relation, to in placements(args):
        if relation != "on" and len(to) == 1 and to[0].kind != "person" and "away" not in args.particles:
            yield Frame("away", items, relation, to[0])
    yield from plainly("away", with_object(args, ("of",)))


def with_object(args: Arguments, prepositions: Sequence[str]) -> Arguments:
    """The arguments with a noun after one of some prepositions as the object, where there is none."""
    if args.object is not None:
        return args
    return replace(args, slots=tuple(Slot("", s.nouns) if s.prep in prepositions else s for s in args.slots))


def coffee(args: Arguments) -> Iterator[Frame]:
    words = content_words(args.object.nouns[0]) if args.object is not None else []
    if any(STATES.get(w, "heat") != "heat" for w in words):
        return  # "a cold coffee"
    ends = [s for s in args.slots if s.prep]
    if args.person is not None:
        ends = [Slot("for", (args.person,)), *ends]
    named = [s for s in ends if personal(s)]
    if len(ends) > 2 or named[1:] or any(s.prep not in ("for", "to", "on", "at", "in") for s in ends):
        return  # "Niko a coffee for Peter", "a coffee with milk"
    to = phrase(ends[-1].nouns[0]) if ends else None  # "for Niko, on his desk": the place says more
    yield Frame("coffee", (), "for" if ends else "", to)


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


COFFEE = frozenset("coffee espresso cappuccino latte caffeine americano brew".split())
DIRT = frozenset("dust dirt crumb stain mess grime grease coffee soda".split())
WIPES = frozenset("wash clean wipe rinse scrub dusting polish cleaning washing wiping mop rub".split())
_UNMADE = frozenset("full dirty dusty filthy".split())
TESTS = frozenset("test try check run go".split())
CUPS = frozenset("cup mug one".split())
HERE = Phrase("me", ("me",), "person")
SWITCHES = frozenset({"open", "close", "on", "off"})
"""Verbs of states that a plan may undo for a time."""


def wiped(text: str) -> str:
    """The verb of what somebody gives a thing: "a rinse", "a good wipe"; empty for anything else."""
    word = singular((content_words(text) or [""])[-1])
    return "" if word not in WIPES else "wash" if word in ("wash", "rinse", "washing") else "clean"
