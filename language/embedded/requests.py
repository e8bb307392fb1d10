"""Requests: from the chunks of a clause to its frames, by the form that the clause has.

Each form of ``forms.py`` has a reader here, which takes the parts of a clause and gives frames, the likeliest
first. A clause of no form is a statement, or is not read. Words in between do not matter, so politeness needs
no list. A verb belongs in ``lexicon.py``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ..english import lexicon
from ..english.chunks import Chunk, kinds
from ..english.lexicon import STATES
from ..english.phrases import GENERIC, NUMBERS, Phrase
from ..english.words import content_words, singular
from .arguments import Arguments, Slot, arguments, phrase, placements, plain
from .forms import FORMS, tells
from .frames import CONTEXT, Frame
from .verb_rules import COFFEE, TREATS, coffee, command, handed, placed, plainly, wanted_so, wiped

HELP = frozenset(
    "chance favour favor job task time possibility turn moment minute second trouble hand help way problem"
    " bit thing idea".split()
)
_COMPARED = frozenset(("more", "fewer", "less", "above", "over", "so", *NUMBERS))

Parts = Mapping[str, Sequence[Chunk]]


def frames(clause: Sequence[Chunk], subject: Sequence[Chunk] = ()) -> Iterator[Frame]:
    """The readings of a clause; none where it cannot be read. ``subject`` is the thing of the last."""
    clause = [c for c in clause if c.kind != "j"]
    if (clause and clause[0].base == "or") or kinds(clause[-2:]) == "pc":
        return  # another request in place of the one before; "closed by then"
    ends = [i for i, c in enumerate(clause) if c.kind not in "c,:"]
    clause = clause[ends[0] : ends[-1] + 1] if ends else []
    if not clause:
        yield Frame("nothing")
        return
    either = next((i for i, c in enumerate(clause) if c.kind == "c" and c.base == "or"), None)
    if either is not None:
        yield from _one_of(clause, either, subject)
        return
    readings = _by_form(clause, subject)
    yield from readings
    # what somebody else wishes to have may only be told
    remarked = any(f.mood == "want" and all(p.kind != "it" for p in f.items) for f in readings)
    if remarked or (not readings and tells(clause)):
        yield from context(clause)
    elif not readings and _IDLE.fullmatch(" ".join(c.text for c in clause)):
        yield Frame("nothing")


def _by_form(clause: Sequence[Chunk], subject: Sequence[Chunk]) -> list[Frame]:
    """The readings of a clause by the first form that has any."""
    for form in FORMS:
        parts = form.parts(clause)
        if parts is not None and (readings := list(_READERS[form.name](parts, subject))):
            return readings
    return []


def _one_of(clause: Sequence[Chunk], either: int, subject: Sequence[Chunk]) -> Iterator[Frame]:
    """The readings of "an orange or a banana", one for each; other choices are not made here."""
    chosen = choices(clause, either)
    other = clause[either + 1].base.split()[0]
    within = chosen[:1] and chosen[0] and clause[chosen[0] - 1].base in ("with", "of", "from")
    if within or other in _COMPARED | GENERIC:
        return  # "three or more", "one or two": no number; "or something"
    for noun in chosen:
        each = frames([*clause[: chosen[0]], clause[noun], *clause[chosen[-1] + 1 :]], subject)
        yield from (f for f in each if f.verb not in CONTEXT)


def choices(clause: Sequence[Chunk], at: int) -> list[int]:
    """Return where the noun phrases are that "or" joins: "a pen, a pencil or a marker"; none for others."""
    if kinds(clause[at - 1 : at + 2]) != "ncn":
        return []
    places = [at - 1, at + 1]
    while places[0] >= 2 and kinds(clause[places[0] - 2 : places[0]]) == "n,":
        places.insert(0, places[0] - 2)
    return places


_IDLE = re.compile(r"(?i)(?:go|come|remember|wait(?: (?:here|there))?|help (?:me|us)|do (?:me|us) a favou?r)")
"""Clauses that ask for nothing by themselves: "do me a favour", "go (and close it)"."""


def context(clause: Sequence[Chunk]) -> Iterator[Frame]:
    """A sentence that asks for nothing: whom and what it speaks of."""
    mentioned: list[Phrase] = []
    row = [c for c in clause if c.kind not in "jx"]
    spilt = any(c.text.lower() in ("spilled", "spilt") for c in row)
    for i, c in enumerate(row):
        if spilt and (i == 0 or row[i - 1].kind != "p"):
            continue  # what is to be done is to be done to what it was spilt on
        if c.kind != "n" or (i > 0 and row[i - 1].kind in "b" and row[0].base != "there"):
            continue
        stop = next((k for k in range(i, len(row)) if row[k].kind not in "np"), len(row))
        rest = arguments(row[i:stop])
        for items in plain(rest):
            if items[0].words or items[0].kind == "held":
                mentioned.append(replace(items[0], kind="the") if items[0].kind == "person" else items[0])
                break
    for p in mentioned[:3]:
        yield Frame("context", background=p, told=tuple(mentioned))
    yield Frame("context", told=tuple(mentioned))


# Readers of forms


def _command(parts: Parts, _: Sequence[Chunk]) -> Iterator[Frame]:
    verb, rest = parts["verb"][0], list(parts["rest"])
    if re.search("n(?:[,:])+n(?!.*c)", kinds(rest)):
        return  # "open the fridge, the oven": a correction, or the same
    inner = next((i for i, c in enumerate(rest) if i and c.kind in "dgv"), 0)
    if verb.base in ("get", "make", "see") and inner and re.fullmatch("[npo]*[no]", kinds(rest[:inner])):
        if verb.base != "get" or rest[inner].kind != "v":
            yield from command(rest[inner].base, arguments([*rest[:inner], *rest[inner + 1 :]]))
        return
    yield from command(verb.base, arguments(rest))


def _make(parts: Parts, _: Sequence[Chunk]) -> Iterator[Frame]:
    yield from _done(parts["thing"], parts["verb"][0], parts["rest"])


def _test(parts: Parts, _: Sequence[Chunk]) -> Iterator[Frame]:
    """Frames for "see whether it works"."""
    thing = [
        Chunk(c.kind, re.sub(r" (?:runs|works|functions)\Z", "", c.text), c.base) for c in parts["thing"]
    ]
    yield from plainly("check", arguments(thing))


def _look(parts: Parts, _: Sequence[Chunk]) -> Iterator[Frame]:
    """Frames for "find out what it is", which is done by the search of the scene."""
    if parts["verb"][0].base in ("see", "find", "check", "look", "investigate"):
        yield Frame("nothing")


_STAYS = frozenset("work read sit eat study sleep rest lie wait stand live".split())


_HAPPENS = frozenset({"open", "close", "heat", "cool"})
"""What a thing does by itself, as it is wished to: "I want the wardrobe to open"."""
_HAS = frozenset("have see get find eat drink borrow take".split())


def _at(verb: str, parts: Parts, _: Sequence[Chunk]) -> Iterator[Frame]:
    """Frames for where the speaker is or wants to be, or the robot is wanted."""
    place, *around = arguments([c for c in parts["rest"] if c.kind in "npo"]).slots
    where = phrase(place.nouns[0], [(s.prep, s.nouns[0]) for s in around])
    stays = all(c.base in _STAYS for c in parts["verb"])
    if where is not None and stays and parts["rest"][0].base in ("in", "at", "on"):
        yield Frame(verb, (), "at", where)


def _have(parts: Parts, _: Sequence[Chunk]) -> Iterator[Frame]:
    """Frames for "I want to see all drones in the lab", "let me have it", "Peter is waiting for it"."""
    if all(c.base in _HAS for c in parts["verb"]):
        yield from wants(parts["who"][0].text if parts["who"] else "I", parts["rest"])


def _use(parts: Parts, _: Sequence[Chunk]) -> Iterator[Frame]:
    with_it = parts["rest"][0].base == "with" if parts["rest"] else False
    if parts["verb"][0].base == ("do" if with_it else "use"):
        yield from wants(parts["who"][0].text, parts["rest"])


def _wish(parts: Parts, _: Sequence[Chunk]) -> Iterator[Frame]:
    """Frames for "I would like the kebab warmed up", "Filipe needs X on Y"."""
    thing, rest = list(parts["thing"]), list(parts["rest"])
    if rest and rest[0].kind in "dg":
        yield from _done(thing, rest[0], rest[1:])
        return
    state = next((i for i, c in enumerate(rest) if _state_of(c)), None)
    if state is not None and rest[state].kind == "v" and _state_of(rest[state]) not in _HAPPENS:
        return  # "I need the cloth to clean"
    if state is not None and not rest[state + 1 :]:
        yield from _so(_state_of(rest[state]), arguments([*thing, *rest[:state]]))
    yield from wants(parts["who"][0].text, [*thing, *rest])


def _need(parts: Parts, subject: Sequence[Chunk]) -> Iterator[Frame]:
    yield from command(parts["verb"][0].base, arguments([*_thing(parts, subject), *parts["rest"]]))


def _wipe(parts: Parts, subject: Sequence[Chunk]) -> Iterator[Frame]:
    wipe = wiped(parts["rest"][-1].text)
    if wipe:
        yield from plainly(wipe, arguments(_thing(parts, subject)))


_GOES = frozenset("go come return move end land get belong live be".split())


def _move(parts: Parts, subject: Sequence[Chunk]) -> Iterator[Frame]:
    """Frames for "the plate must go in the drawer", "Will's drone belongs on his desk"."""
    thing = _thing(parts, subject)
    owned = parts["verb"][0].base == "belong" and parts["rest"][:1] and parts["rest"][0].base == "to"
    if parts["verb"][0].base in _GOES and not owned:  # whose it is, is no place
        yield from located(thing, parts["rest"])


def _should(parts: Parts, subject: Sequence[Chunk]) -> Iterator[Frame]:
    """The wished state of something, what is to be done with it, or its wished place."""
    thing, rest = _thing(parts, subject), list(parts["rest"])
    first = rest[0] if rest else Chunk("", "")
    what = _state_of(first)
    if what and kinds(rest[1:3]) == "cp":
        for frame in located(thing, rest[2:]) if what in TREATS else ():
            yield replace(frame, also=what)  # "clean and on the table"
    elif what and kinds(rest[:2]) not in ("en", "eo"):
        yield from _so(what, arguments([*thing, *rest[1:]]))
    elif first.kind == "d":
        yield from _done(thing, first, rest[1:])
    elif first.kind == "p":
        yield from (replace(f, mood="be") for f in located(thing, rest))  # one that is there will do


def _so(state: str, args: Arguments) -> Iterator[Frame]:
    """Frames for a state that is wished for, and takes back no request: "turn it on, Tom wants it off"."""
    yield from (replace(frame, mood="so") for frame in plainly(state, args) if not args.particles)


def _there(parts: Parts, _: Sequence[Chunk]) -> Iterator[Frame]:
    yield from (replace(frame, mood="be") for frame in located((), parts["rest"]))


def _none(parts: Parts, _: Sequence[Chunk]) -> Iterator[Frame]:
    rest = parts["rest"]
    if kinds(rest[:2]) == "gn" and " " in rest[1].text:  # "no eating the apple in the hall"
        return
    for items, relation, to in placements(arguments([c for c in rest if c.kind not in "bg"])):
        if len(to) == 1:
            yield Frame("absent", items, relation, to[0])


_TURNED = {
    "open": "close", "on": "off", "running": "off", "closed": "open", "shut": "open", "dirty": "wash",
}  # fmt: skip
"""What is done to a thing that is not to be left in a state."""


def _unless(parts: Parts, _: Sequence[Chunk]) -> Iterator[Frame]:
    """Read no prohibition, but what is not to be left so, and what is not closed after a request."""
    verb, args = parts["verb"][0].base, arguments(parts["rest"])
    if verb in ("leave", "keep", "let"):
        turned = _TURNED.get(args.state or " ".join(args.particles & {"on"}))
        for frame in plainly(turned, args) if turned is not None else ():
            every = (replace(p, kind="all") if p.kind == "a" else p for p in frame.items)
            yield replace(frame, items=tuple(every))  # to leave none open is to close every one
    elif verb == "close":
        # "Do not open it" forbids more than a goal can: that it is opened on the way, and closed again.
        yield from (replace(frame, mood="not") for frame in plainly("open", args))


def _bare(parts: Parts, _: Sequence[Chunk]) -> Iterator[Frame]:
    """No verb at all: "coffee for Niko", "orange into the fridge", "the scissors to Tobi"."""
    args = arguments(parts["rest"])
    if args.object is None:
        return  # "hot please": of what is not said
    what = STATES.get(args.state or "") or next(iter(sorted(args.particles & {"on", "off"})), "")
    if _is_coffee(args.object):
        yield from coffee(args)
    elif what:
        yield from plainly(what, args)
    else:
        yield from placed("put", args)


_READERS: Mapping[str, Callable[[Parts, Sequence[Chunk]], Iterator[Frame]]] = {
    "test": _test, "look": _look, "here": partial(_at, "speaker"), "settle": partial(_at, "speaker"),
    "have": _have, "use": _use, "make": _make, "command": _command, "come": partial(_at, "go"),
    "wish": _wish, "need": _need, "wipe": _wipe, "move": _move, "should": _should, "there": _there,
    "none": _none,
    "unless": _unless, "await": _have, "left": _make, "bare": _bare,
}  # fmt: skip

# What they share

_OBJECTS = {"i": "me", "we": "me", "he": "him", "she": "her"}


def _thing(parts: Parts, subject: Sequence[Chunk]) -> list[Chunk]:
    """The thing of a clause, or that of the clause before it where it is left out."""
    it = Chunk("o", "it", "it")
    return [it if c.kind == "s" else c for c in parts["thing"] or subject or [it]]


def _state_of(chunk: Chunk) -> str:
    """The sense of a word for a state; empty for any other."""
    word = (content_words(chunk.text) or [""])[-1] if chunk.kind == "n" else chunk.text.lower()
    return STATES.get(word, "") if chunk.kind in "anedvg" else ""


def _done(things: Sequence[Chunk], verb: Chunk, rest: Sequence[Chunk]) -> Iterator[Frame]:
    """Things and what is to be done with them: "the kebab warmed up", "the document left on his desk"."""
    made = STATES.get(verb.text.lower(), "")
    if kinds(rest[:3]) == "cgp":  # "heated and waiting on the counter"
        yield from (replace(f, also=made) for f in located(things, rest[2:]) if made in TREATS)
    elif made and not rest:
        yield from plainly(made, arguments(things))
    elif lexicon.meanings(verb.base):
        yield from command(verb.base, arguments([*things, *rest]))


def _is_coffee(thing: Slot) -> bool:
    return any(singular(w) in COFFEE for w in content_words(thing.nouns[0])[-1:])


def wants(who: str, after: Sequence[Chunk]) -> Iterator[Frame]:
    """Frames for "I need X (on Y)", "Filipe would like X"."""
    after = [c for c in after if c.kind not in "jb"]
    if after[:1] and after[0].kind == "p" and after[0].base in ("for", "with", "of", "after"):
        after = after[1:]
    args = arguments(after)
    if args.object is None or args.object.nouns[0].lower() == "one":
        return  # "Niko wants a coffee and Peter wants one"
    person = _OBJECTS.get(who.lower(), who)
    if _is_coffee(args.object):
        sent = any(s.prep in ("on", "at", "in", "to") for s in args.slots)
        yield from coffee(replace(args, person=None if sent else person))
        return
    state = STATES.get(args.state or "")
    stays = state is None and args.state is not None and "put" not in lexicon.meanings(args.state)
    if args.particles or stays:
        return  # "I need it out"; "I want it to stop"

    def wished_for(each: Arguments) -> list[Frame]:
        given = handed(replace(each, person=person))
        there = (replace(f, mood="be") for f in placed("put", each))  # one that is there already will do
        return [*there, *(f for f in given if f.verb != "put")]

    wishes = [*wished_for(args), *(wanted_so(args, wished_for) if state is None else ())]
    made = state if state in TREATS else ""
    for frame in wishes:
        mood = frame.mood if person == "me" else "want"
        yield replace(frame, mood=mood, also=made or frame.also)


def located(subject: Sequence[Chunk], after: Sequence[Chunk]) -> Iterator[Frame]:
    """Frames for where a thing is to be: its own places stand before the verb, where it goes after it."""
    args = arguments([*subject, *after])
    own = [s for s in arguments(subject).slots if s.prep and s.prep not in ("for", "with")]
    yield from placed("put", args, len(own) if args.object in arguments(subject).slots else None)
