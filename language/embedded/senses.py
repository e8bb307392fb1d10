"""Senses of a verb with its arguments: frames, the likeliest first.

A verb has one or more senses (``lexicon.py``), and its particles and arguments decide between them: "turn it
off", "take it away from Niko", "take it to Will", "get rid of the dust on the shelf". A verb without a sense
there or here has no frame, and its clause is not read. A verb is added in ``lexicon.py``, a sense as a case
of ``_sense`` and a function in ``verbs.py``; the order of frames decides which goal is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from ..english import lexicon
from ..english.lexicon import STATES
from ..english.phrases import Phrase, is_name
from ..english.words import content_words, singular
from .arguments import Arguments, Slot, described, personal, phrase, placements, plain
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
    for items in plain(args):
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
    yield from (f for f in there if f.relation == "to")
    for items in plain(args):
        yield Frame("give", items, "for", who)
    yield from (f for f in there if f.relation != "to")


def binned(args: Arguments) -> Iterator[Frame]:
    """Things to throw away, perhaps into a bin that is named."""
    for items, relation, to in placements(args):
        if relation != "on" and len(to) == 1 and to[0].kind != "person" and "away" not in args.particles:
            yield Frame("away", items, relation, to[0])
    yield from plainly("away", _with_object(args, ("of",)))


def _with_object(args: Arguments, prepositions: Sequence[str]) -> Arguments:
    """The arguments with a noun after one of some prepositions as the object, where there is none."""
    if args.object is not None:
        return args
    return replace(args, slots=tuple(Slot("", s.nouns) if s.prep in prepositions else s for s in args.slots))


def coffee(args: Arguments) -> Iterator[Frame]:
    if any(len(s.nouns) > 1 for s in args.slots if s.prep):
        return  # "for me and one for Niko"
    person = args.person
    if person is None:
        slots = [s for s in args.slots if s.prep in ("for", "to", "on", "at", "in", "by")]
        person = slots[0].nouns[0] if slots else None
        if len(slots) > 1 and personal(slots[0]):  # "coffee for Niko, on his desk"
            yield Frame("coffee", (), "for", phrase(slots[1].nouns[0]))
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


COFFEE = frozenset("coffee espresso cappuccino latte caffeine americano brew".split())
DIRT = frozenset("dust dirt crumb stain mess grime grease coffee soda".split())
WIPES = frozenset("wash clean wipe rinse scrub dusting polish cleaning washing wiping mop rub".split())
_OPPOSITES = ({"open", "close"}, {"heat", "cool"}, *({"off", s} for s in {*STATES.values()} - {"off"}))
"""Senses of a verb and of a state that take each other back: "stop the fridge being open"."""
_UNMADE = frozenset("full dirty dusty filthy".split())
_TURNED = frozenset("turn switch power fire flip flick boot put leave keep get shut have".split())
_SWITCHED = (
    ({"on"}, "on"), ({"fire", "up"}, "on"), ({"boot", "up"}, "on"), ({"power", "up"}, "on"),
    ({"off"}, "off"), ({"power", "down"}, "off"), ({"shut", "down"}, "off"),
)  # fmt: skip
"""Verbs and particles that turn something on or off, of the verbs in :data:`_TURNED`."""
_DUSTS = frozenset("remove get wipe clean dust clear take rid sweep brush wash".split())
_EXCHANGES = frozenset("replace swap exchange".split())
TESTS = frozenset("test try check run go".split())
CUPS = frozenset("cup mug one".split())


BROUGHT = frozenset({"bring", "fetch"})
"""Verbs that take a thing to where the request was made, if nothing else is said."""
CARRIED = BROUGHT | frozenset("get take carry deliver return send pass hand give".split())
RETURNS = frozenset("come go return head drive walk run get move".split())
MINE = Slot("to", ("me",))
HERE = Phrase("me", ("me",), "person")


def command(verb: str, args: Arguments) -> Iterator[Frame]:
    """The frames of a verb with its arguments, the likeliest first."""
    if {"on", "off"} <= args.particles or not (lexicon.meanings(verb) or verb in _EXCHANGES):
        return  # "turn on the radio, and the lamp off"; "imagine it open"
    args = _gapped_person(verb, args)
    having = None if verb in _EXCHANGES else described(args)
    both = (args,) if having is None else (args, having)
    frames = dict.fromkeys(frame for each in both for frame in _senses(verb, each))
    if {"give", "get"} & set(lexicon.meanings(verb)) and args.state is None:
        frames |= dict.fromkeys(wanted_so(args, lambda plain_args: _senses(verb, plain_args)))
    mood = {"leave": "stay", "keep": "keep"}.get(verb, "")
    for frame in frames:
        if mood and frame.verb == "put":
            yield replace(frame, mood=mood)
        else:
            yield replace(frame, mood="left") if verb == "leave" and frame.verb in SWITCHES else frame


SWITCHES = frozenset({"open", "close", "on", "off"})
"""Verbs of states that a plan may undo for a time."""
_RECEIVED = frozenset("put give get make find".split())
"""Senses of verbs that somebody may be the receiver of."""
_LEAVES = frozenset("leave keep get have".split())
"""Verbs after which a state is all that is asked for, of those that also carry: "get it washed"."""
_MADE = frozenset(("heat", "cool", "wash"))
_INDEFINITE = frozenset(("a", "an", "some"))


def wanted_so(args: Arguments, senses: Callable[[Arguments], Iterable[Frame]]) -> Iterator[Frame]:
    """Frames for a thing that is not yet as it is wanted: "a cold drink", "hot noodles".

    "The hot soup" is one that is hot. ``senses`` reads the arguments without the describing word.
    """
    thing = args.object
    words = thing.nouns[0].split() if thing is not None and len(thing.nouns) == 1 else []
    lead = words[:1] if words and words[0].lower() in _INDEFINITE else []
    rest = words[len(lead) :]
    state = STATES.get(rest[0].lower()) if len(rest) > 1 else None
    if thing is None or state not in _MADE:
        return
    slots = tuple(Slot("", (" ".join([*lead, *rest[1:]]),)) if s is thing else s for s in args.slots)
    for frame in senses(replace(args, slots=slots)):
        if frame.verb in ("put", "give", "hold") and not frame.also:
            yield replace(frame, also=state)


def _gapped_person(verb: str, args: Arguments) -> Arguments:
    """ "bring Niko coffee": a name and a thing without a determiner are one chunk."""
    thing = args.object
    if thing is None or args.person is not None or not {"give", "get", "make"} & set(lexicon.meanings(verb)):
        return args
    first, _, rest = thing.nouns[0].partition(" ")
    named = first[0].isupper() and first.lower() not in lexicon.DETERMINERS and not first.endswith("'s")
    if named and rest[:1].islower():
        slots = tuple(Slot("", (rest, *s.nouns[1:])) if s is thing else s for s in args.slots)
        return replace(args, slots=slots, person=first)
    return args


def _senses(verb: str, args: Arguments) -> Iterator[Frame]:
    senses, parts = lexicon.meanings(verb), args.particles
    thing = args.object
    words = [singular(w) for w in content_words(thing.nouns[0])] if thing is not None else []
    last = words[-1] if words else ""
    if "outside" in parts or ("in" in parts and verb in BROUGHT):
        return  # "bring it inside": of which place is not said
    goes = any(s.prep in ("to", "in", "on", "at", "near", "under") for s in args.slots) or args.where
    if verb == "keep" and any(s.prep in ("off", "from") for s in args.slots):
        return  # "keep the books off the table": what is to stay away from a place
    if args.person not in (None, "me", "us") and not _RECEIVED.intersection(senses) and verb != "do":
        return  # "turn on the first two lamps": there is nobody to give anything
    if verb == "lock" and not goes and "away" not in parts:
        return  # no key is turned: only "lock it away" is a request to store
    onoff = next((what for each, what in _SWITCHED if each <= {verb, *parts}), "")
    if onoff and verb in _TURNED and thing is not None:
        yield from plainly(onoff, args)
        return
    if args.state is not None and "from" in parts:
        return  # "prevent it from being open"
    what = STATES.get(args.state or "") or _sense_of_participle(args.state or "")
    kept = verb in _LEAVES and goes and what in _MADE  # "keep it cool in the fridge"
    in_a_state = args.state is not None and thing is not None and verb not in ("find", "pick")
    if in_a_state and not kept and "go" not in senses:
        if {*senses[:1], what} in _OPPOSITES:
            return  # "open everything closed"
        does = {"put", "give", "get", *STATES.values()} & set(senses)
        same = {"wash", "clean"} if what == "wash" else {what}  # "wipe it clean"
        if what is not None and (verb in _LEAVES or does <= same):
            yield from plainly(what, args)
        return  # "return it full", "open it ajar": no fact is asked for by any other word alone
    if (
        last in COFFEE
        and {"make", "give", "get", "put", "fill"} & set(senses)
        and ("put" not in senses or verb in ("bring", "put", "leave", "serve", "set"))
        and "machine" not in words
        and "mug" not in words[:-1]
    ):
        sent = any(s.prep in ("to", "for", "on", "at", "in") for s in args.slots)
        mine = verb in BROUGHT and args.person is None and not sent
        yield from coffee(replace(args, person="me") if mine else args)
        return
    one = args.person is not None and words in (["one"], ["it"]) and verb in ("make", "fix", "pour")
    if one or (verb == "brew" and (last in CUPS or not words)):
        yield from coffee(args)
        return
    if "give" in senses or verb in ("do", "have"):
        wipe = wiped(thing.nouns[0]) if thing is not None and args.person is not None else ""
        if wipe and args.person is not None:
            slots = (Slot("", (args.person,)), *(s for s in args.slots if s.prep))
            yield from plainly(wipe, replace(args, slots=slots, person=None))
            return
        wipe = wiped(args.slots[-1].nouns[0]) if args.slots and args.slots[-1] is not thing else ""
        if wipe:  # "give the shelf in admin a good wipe"
            yield from plainly(wipe, replace(args, slots=args.slots[:-1]))
            return
        if last in TESTS and args.person is not None:
            yield from plainly("check", replace(args, slots=(Slot("", (args.person,)),), person=None))
            return
        if verb == "do":
            return
    tool = next((s for s in args.slots if s.prep == "through"), None)
    if tool is not None and thing is not None:
        for sense in ("wash", "heat"):
            for items in plain(replace(args, slots=tuple(s for s in args.slots if s is not tool))):
                yield Frame(sense, items, "with", phrase(tool.nouns[0]))
        return
    where = next((s for s in args.slots if s.prep in ("from", "off", "on", "of")), None)
    if last in DIRT and verb in _DUSTS and where is not None:
        slots = (Slot("", where.nouns), *(s for s in args.slots if s.prep and s is not where))
        yield from plainly("clean", replace(args, slots=slots))
        return
    other = next((i for i, s in enumerate(args.slots) if s.prep in ("with", "for", "by")), None)
    if verb == "substitute":
        return  # "substitute A for B" puts A where B was, and "A with B" the other way round
    if verb in _EXCHANGES and other is not None:
        new = args.slots[other]
        to = phrase(new.nouns[0], [(s.prep, s.nouns[0]) for s in args.slots[other + 1 :]])
        both = new.prep == "with" and verb in ("swap", "exchange")
        one = to is not None and not new.nouns[1:]
        for items in plain(replace(args, slots=args.slots[:other])) if one else ():
            yield Frame("exchange", items, "with" if both else "for", to)
        return
    back = verb == "return" or ("back" in parts and verb in RETURNS)
    if back and all(s.prep == "with" or s == MINE for s in args.slots):
        brought = tuple(Slot("", s.nouns) for s in args.slots if s != MINE)
        if brought:  # "come back with the stapler"
            for frame in plainly("hold", replace(args, slots=brought)):
                yield replace(frame, relation="back")
        elif thing is None:
            yield Frame("go", (), "at", HERE)
            return
    if thing is None and args.slots and verb in ("move", "pop", "return", "stop", "swing", "run"):
        yield from _sense("go", verb, args, goes)
    if "where" in parts and verb in ("leave", "keep"):
        yield from plainly("stay", args)  # "leave them where they are"
        return
    if thing is None and not args.slots and not parts and senses in (("open",), ("close",)):
        yield Frame(senses[0], (Phrase("it", kind="it"),))  # "put it into the fridge and close"
        return
    for sense in senses:
        yield from _sense(sense, verb, args, goes)


def wiped(text: str) -> str:
    """The verb of what somebody gives a thing: "a rinse", "a good wipe"; empty for anything else."""
    word = singular((content_words(text) or [""])[-1])
    return "" if word not in WIPES else "wash" if word in ("wash", "rinse", "washing") else "clean"


def _sense_of_participle(base: str) -> str | None:
    made = ("open", "close", "heat", "cool", "fridge", "wash", "clean", "empty", "away")
    return next((s for s in lexicon.meanings(base) if s in made), None)


_AT = ("to", "in", "on", "at", "by", "into", "through", "near", "")


def _gone(args: Arguments) -> Iterator[Frame]:
    """The place to go to: the first or the second one, with those after it as its surroundings.

    Where "to" is said more than once, the last is the place, and those before it are stops on the way.
    """
    slots = [s for s in args.slots if s.prep in _AT]
    places = [phrase(n) for s in slots for n in s.nouns]
    if len(places) > 1 and all(s.prep == "to" for s in slots):
        stops = tuple(p for p in places if p is not None)
        if len(stops) == len(places):
            yield Frame("go", stops[:-1], "at", stops[-1])
        return
    for i, slot in enumerate(slots[:2]):
        where = phrase(slot.nouns[0], [(s.prep, s.nouns[0]) for s in slots[i + 1 :]])
        if where is not None:
            yield Frame("go", (), "at", where)


def _gathers(verb: str, args: Arguments) -> bool:
    """Return whether things are brought together: "collect every stapler on the desk"."""
    every = args.object is not None and args.object.nouns[0].split()[0].lower() in ("all", "every", "each")
    return "together" in args.particles or (verb in ("collect", "gather") and every)


def _sense(sense: str, verb: str, args: Arguments, goes: bool) -> Iterator[Frame]:
    parts = args.particles
    match sense:
        case "put" | "give" | "get":
            if sense == "put" and "away" in parts:
                yield from placed("store", args)
                yield from plainly("store", args)
                return
            if "together" in parts and not args.slots[1:] and args.person is None:
                return  # "bring the statues together": where, is not said
            if "away" in parts and verb == "take" and not args.slots[1:]:
                return  # "take the phone away": into a bin, or elsewhere, is not said
            if verb in CARRIED and args.person is None and MINE in args.slots:
                args = replace(args, person="me", slots=tuple(s for s in args.slots if s != MINE))
            if args.person is not None:
                yield from handed(args)
                return
            for frame in placed("put", args):
                yield frame if sense == "put" or _gathers(verb, args) else replace(frame, mood="got")
            if (
                (sense == "get" or verb == "bring")
                and not args.where
                and not (verb == "keep" and goes)
                and not any(s.prep in ("to", "near") or personal(s) for s in args.slots)
            ):
                for frame in plainly("hold", args):
                    yield replace(frame, relation="back") if verb in BROUGHT else frame
        case "away":
            yield from binned(args)
        case "throw":
            yield from binned(args)
            if not parts & {"away", "out"}:
                yield from placed("put", args)
        case "store":
            yield from (f for f in placed("store", args) if f.relation != "on")
            yield from plainly("store", args)
            yield from (f for f in placed("put", args) if f.relation == "on")
        case "turn":
            if verb == "shut" and not parts & {"off", "down"}:
                yield from plainly("close", args)
        case "on":
            if verb != "run" or not goes:
                yield from plainly("on", args)
        case "off":
            yield from plainly("stop" if verb in ("stop", "kill") else "off", args)
        case "fill":
            used = [singular(w) for s in args.slots if s.prep == "with" for w in content_words(s.nouns[0])]
            if COFFEE & set(used):
                rest = tuple(s for s in args.slots if s.prep != "with")
                yield from plainly("fill", replace(args, slots=rest))
        case "make":
            return
        case "go":
            if "back" not in parts and (args.object is None or verb in ("visit", "meet")):
                yield from _gone(args)
        case "check":
            yield from plainly("check", args)
        case "find":
            if args.person is not None or any(
                s.prep in ("for", "to") and is_person(s.nouns[0]) for s in args.slots
            ):
                yield from handed(args)
                yield from placed("put", args)
            yield from plainly("find", _with_object(args, ("for", "after")))
        case "care":
            yield from plainly("care", _with_object(args, ("with", "of", "to")))
        case "heat" | "cool" | "wash" | "clean":
            yield from with_tool(sense, args)
        case "empty":
            source = next((s for s in args.slots if s.prep == "from"), None)
            if source is not None:
                yield from plainly("hold", args)
            for items, relation, to in placements(args):
                if source is None and len(items) == len(to) == 1:
                    whole = (("in", items[0]),)
                    all_of = Phrase(f"all things in {items[0]}", ("thing",), "all", places=whole)
                    yield Frame("put", (all_of,), relation, to[0])
            yield from plainly("empty", args)
        case "give a":
            return
        case _:
            yield from plainly(sense, args)
