"""Rules of verbs with their arguments: a table from what is said to frames, the likeliest first.

A verb has one or more senses (``lexicon.py``). Its particles, prepositions and arguments decide between them:
"turn it off", "take it away from Niko", "get rid of the dust on the shelf". :data:`UNREAD` has what no sense
reads. :data:`RULES` are tried in order, and the first that applies reads the call. Of a call that none reads,
:data:`SENSES` has a reader for each sense of the verb. A verb without a sense has no frame, and its clause is
not read. A verb is added in ``lexicon.py``, a sense here and in ``verbs.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..english import lexicon
from ..english.lexicon import STATES
from ..english.phrases import Phrase, is_name
from ..english.words import content_words, singular
from .arguments import Arguments, Slot, described, personal, phrase, placements, plain
from .frames import Frame

COFFEE = frozenset("coffee espresso cappuccino latte caffeine americano brew".split())
DIRT = frozenset("dust dirt crumb stain mess grime grease coffee soda".split())
WIPES = frozenset("wash clean wipe rinse scrub dusting polish cleaning washing wiping mop rub".split())
_UNMADE = frozenset("full dirty dusty filthy".split())
TESTS = frozenset("test try check run go".split())
CUPS = frozenset("cup mug one".split())
HERE = Phrase("me", ("me",), "person")
SWITCHES = frozenset({"open", "close", "on", "off"})
"""Verbs of states that a plan may undo for a time."""
_OPPOSITES = ({"open", "close"}, {"heat", "cool"}, *({"off", s} for s in {*STATES.values()} - {"off"}))
"""Senses of a verb and of a state that take each other back: "stop the fridge being open"."""
_TURNED = frozenset("turn switch power fire flip flick boot put leave keep get shut have".split())
_SWITCHED = (
    ({"on"}, "on"), ({"fire", "up"}, "on"), ({"boot", "up"}, "on"), ({"power", "up"}, "on"),
    ({"off"}, "off"), ({"power", "down"}, "off"), ({"shut", "down"}, "off"),
)  # fmt: skip
"""Verbs and particles that turn something on or off, of the verbs in :data:`_TURNED`."""
_DUSTS = frozenset("remove get wipe clean dust clear take rid sweep brush wash".split())
BROUGHT = frozenset({"bring", "fetch"})
"""Verbs that take a thing to where the request was made, if nothing else is said."""
CARRIED = BROUGHT | frozenset("get take carry deliver return send pass hand give".split())
MINE = Slot("to", ("me",))
_RECEIVED = frozenset("put give get make find".split())
"""Senses of verbs that somebody may be the receiver of."""
_LEAVES = frozenset("leave keep get have".split())
"""Verbs after which a state is all that is asked for, of those that also carry: "get it washed"."""
_MADE = frozenset(("heat", "cool", "wash"))
_PARTICIPLES = ("open", "close", "heat", "cool", "fridge", "wash", "clean", "empty", "away")
"""Senses of verbs of which a participle says what is to be so."""
_INDEFINITE = frozenset(("a", "an", "some"))


# Frames that verbs share


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
        # "Any open door": it is not said whether each is meant.
        anyhow = (p for p in items if p.text.lower().startswith("any "))
        if verb == "hold" or not any({*STATES, *_UNMADE} & set(p.words[:-1]) for p in anyhow):
            yield Frame(verb, items)


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
    if mine and args.where:
        return  # "we need the pen there": that is not here
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


def wiped(text: str) -> str:
    """The verb of what somebody gives a thing: "a rinse", "a good wipe"; empty for anything else."""
    word = singular((content_words(text) or [""])[-1])
    return "" if word not in WIPES else "wash" if word in ("wash", "rinse", "washing") else "clean"


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


@dataclass(frozen=True, slots=True)
class Call:
    """A verb with its arguments, and what rules ask of them."""

    verb: str
    args: Arguments

    @property
    def senses(self) -> tuple[str, ...]:
        return lexicon.meanings(self.verb)

    @property
    def parts(self) -> frozenset[str]:
        return self.args.particles

    @property
    def preps(self) -> frozenset[str]:
        return frozenset(s.prep for s in self.args.slots if s.prep)

    @property
    def words(self) -> list[str]:
        """The words of the object, in the singular."""
        thing = self.args.object
        return [singular(w) for w in content_words(thing.nouns[0])] if thing is not None else []

    @property
    def last(self) -> str:
        return self.words[-1] if self.words else ""

    @property
    def goes(self) -> bool:
        """Return whether a place is given that something goes to."""
        return bool(self.preps & {"to", "in", "on", "at", "near", "under"}) or self.args.where


Frames = Iterable[Frame]
Rule = Callable[[Call], Frames | None]
"""A rule gives ``None`` for a call to which it does not apply, and nothing for one that it declines."""


def command(verb: str, args: Arguments) -> Iterator[Frame]:
    """The frames of a verb with its arguments, the likeliest first."""
    if len(args.particles & {"on", "off", "down"}) > 1 or not lexicon.meanings(verb):
        return  # "turn on the radio, and the lamp off"; "imagine it open"
    having = described(args)
    both = (args,) if having is None else (args, having)
    frames = dict.fromkeys(frame for each in both for frame in _frames(Call(verb, each)))
    if {"give", "get"} & set(lexicon.meanings(verb)) and args.state is None:
        frames |= dict.fromkeys(wanted_so(args, lambda plain_args: _frames(Call(verb, plain_args))))
    mood = {"leave": "stay", "keep": "keep"}.get(verb, "")
    for frame in frames:
        if mood and frame.verb == "put":
            yield replace(frame, mood=mood)
        else:
            yield replace(frame, mood="left") if verb == "leave" and frame.verb in SWITCHES else frame


def _frames(call: Call) -> Iterator[Frame]:
    if any(unread(call) for unread in UNREAD.values()):
        return
    for rule in RULES:
        frames = rule(call)
        if frames is not None:
            yield from frames
            return
    for sense in call.senses:
        yield from SENSES.get(sense, partial(_plain, sense))(call)


def _verbs(senses: str, verbs: str = "") -> frozenset[str]:
    return frozenset(verbs.split()).union(*(lexicon.VERBS[s] for s in senses.split()))


TREATS = ("heat", "cool", "wash", "clean")
_KNOWN: Mapping[str, frozenset[str]] = {
    "on": _verbs("put turn on", "leave keep get have"),
    "off": _verbs("turn", "put leave keep get have drop dust clear wash rinse"),
    "up": _verbs("heat open close wash clean fill on turn", "pick lift gather scoop collect hold clear"),
    "down": _verbs("put cool wash clean close off turn"),
    "out": _verbs(
        "away throw empty check find wash", "set lay take get fetch lift pick bring hold clean hand"
    ),
    "away": _verbs("away throw store", "put tuck pack place take give clean clear"),
    "in": _verbs("put go", "give hand"),
    "over": _verbs("put go", "give hand bring pass send"),
    "back": _verbs("put go", "give bring get take fetch grab retrieve hand pass send return"),
    "together": _verbs("put", "get gather collect bring"),
    "through": _verbs("heat"),
    "around": _verbs("", "gather collect pick"),
    "along": frozenset({"take", "bring"}),
}
"""Verbs that know a particle: "heat it up". With any other, a verb says something else: "throw it up"."""

UNREAD: Mapping[str, Callable[[Call], bool]] = {
    "swap the book with the pen": lambda c: c.verb in ("replace", "swap", "exchange"),
    "throw up the bread": lambda c: any(c.verb not in _KNOWN.get(p, ()) for p in c.parts),
    "wash the ones there": lambda c: (
        c.args.where and {"put", "give", "go", "store", "turn", *SWITCHES}.isdisjoint(c.senses)
    ),
    "keep it off the table": lambda c: c.verb == "keep" and bool(c.preps & {"off", "from"}),
    "turn on the first two": lambda c: (
        c.args.person not in (None, "me", "us") and _RECEIVED.isdisjoint(c.senses) and c.verb != "do"
    ),
    "wipe the plate off the table": lambda c: (
        "off" in c.preps and bool({*TREATS} & set(c.senses)) and c.last not in DIRT
    ),
    "lock it": lambda c: c.verb == "lock" and not c.goes and "away" not in c.parts,  # no key is turned
    "stop it from being open": lambda c: c.args.state is not None and "from" in c.parts,
}
"""Calls that no sense reads, each by an example: where something is to be, or what of it, is not said."""


def _switch(call: Call) -> Frames | None:
    """Frames of "turn it on", "power it down"."""
    sense = next((what for each, what in _SWITCHED if each <= {call.verb, *call.parts}), "")
    return plainly(sense, call.args) if sense and call.verb in _TURNED and call.args.object else None


def _state(call: Call) -> Frames | None:
    """Frames of "get it washed", "keep it cool", "pull it open": no fact is asked for by any other word."""
    args = call.args
    if args.state is None or args.object is None or call.verb in ("find", "pick") or "go" in call.senses:
        return None
    purpose, state = args.state.startswith("to "), args.state.removeprefix("to ")
    what = STATES.get(state) or next((s for s in lexicon.meanings(state) if s in _PARTICIPLES), None)
    if what in _MADE and call.goes and (purpose or call.verb in _LEAVES):
        return None  # "keep it cool in the fridge", "put it in the fridge to chill"
    kept = call.verb == "keep" and what in _MADE
    if what is None or purpose or kept or {*call.senses[:1], what} in _OPPOSITES:
        return ()  # "open everything closed"
    does = {"put", "give", "get", *STATES.values()} & set(call.senses)
    same = {"wash", "clean"} if what == "wash" else {what}  # "wipe it clean"
    return plainly(what, args) if call.verb in _LEAVES or does <= same else ()


def _coffee(call: Call) -> Frames | None:
    """Frames of "bring me a coffee", "make Niko one", "brew a cup"."""
    args, senses, words = call.args, set(call.senses), call.words
    served = "put" not in senses or call.verb in ("bring", "put", "leave", "serve", "set")
    drink = "machine" not in words and "mug" not in words[:-1]
    if call.last in COFFEE and {"make", "give", "get", "put", "fill"} & senses and served and drink:
        sent = call.preps & {"to", "for", "on", "at", "in"}
        mine = call.verb in BROUGHT and args.person is None and not sent
        return coffee(replace(args, person="me") if mine else args)
    one = args.person is not None and words in (["one"], ["it"]) and call.verb in ("make", "fix", "pour")
    return coffee(args) if one or (call.verb == "brew" and (call.last in CUPS or not words)) else None


def _favour(call: Call) -> Frames | None:
    """Frames of "give the shelf a good wipe", "give it a test"."""
    args = call.args
    if "give" not in call.senses and call.verb not in ("do", "have"):
        return None
    person, thing = args.person, args.object
    if person is not None and thing is not None:
        of = replace(args, slots=(Slot("", (person,)), *(s for s in args.slots if s.prep)), person=None)
        if wipe := wiped(thing.nouns[0]):
            return plainly(wipe, of)
        if call.last in TESTS:
            return plainly("check", replace(of, slots=of.slots[:1]))
    if args.slots and args.slots[-1] is not thing and (wipe := wiped(args.slots[-1].nouns[0])):
        return plainly(wipe, replace(args, slots=args.slots[:-1]))  # "give the shelf in admin a wipe"
    return () if call.verb == "do" else None


def _through(call: Call) -> Frames | None:
    """Frames of "put it through the dishwasher"."""
    tool = next((s for s in call.args.slots if s.prep == "through"), None)
    if tool is None or call.args.object is None:
        return None
    rest = replace(call.args, slots=tuple(s for s in call.args.slots if s is not tool))
    to = phrase(tool.nouns[0])
    return [Frame(sense, items, "with", to) for sense in ("wash", "heat") for items in plain(rest)]


def _dust(call: Call) -> Frames | None:
    """Frames of "get the dust off the shelf"."""
    where = next((s for s in call.args.slots if s.prep in ("from", "off", "on", "of")), None)
    if call.last not in DIRT or call.verb not in _DUSTS or where is None:
        return None
    slots = (Slot("", where.nouns), *(s for s in call.args.slots if s.prep and s is not where))
    return plainly("clean", replace(call.args, slots=slots))


def _shut(call: Call) -> Frames | None:
    """Frames of "put it into the fridge and close"."""
    alone = call.args.object is None and not call.args.slots and not call.parts
    it = (Phrase("it", kind="it"),)
    return [Frame(call.senses[0], it)] if alone and call.senses in (("open",), ("close",)) else None


RULES: tuple[Rule, ...] = (
    _switch, _state, _coffee, _favour, _through, _dust, _shut,
)  # fmt: skip
"""Rules of calls in which verb, particles and nouns together have a sense, before those of each sense."""


_AT = ("to", "in", "on", "at", "by", "into", "through", "near", "")


def _gone(args: Arguments) -> Iterator[Frame]:
    """The place to go to: the first or the second one, with those after it as its surroundings.

    Where "to" is said more than once, it is not said here in which order.
    """
    slots = [s for s in args.slots if s.prep in (*_AT, "and")]
    if any(s.prep == "and" or s.nouns[1:] for s in slots) or sum(s.prep == "to" for s in slots) > 1:
        return  # "go to Niko and thank him"
    for i, slot in enumerate(slots[:2]):
        where = phrase(slot.nouns[0], [(s.prep, s.nouns[0]) for s in slots[i + 1 :]])
        if where is not None:
            yield Frame("go", (), "at", where)


# Readers of senses


def _plain(sense: str, call: Call) -> Frames:
    return plainly(sense, call.args)


def _carry(sense: str, call: Call) -> Iterator[Frame]:
    """Frames of things that are put, given or fetched; where it goes is not said of "take it away"."""
    args = call.args
    if sense == "put" and "away" in call.parts:
        yield from placed("store", args)
        yield from plainly("store", args)
        return
    taken = call.verb == "take" and bool(call.parts & {"away", "back"})
    if not args.slots[1:] and (taken or ("together" in call.parts and args.person is None)):
        return
    if call.verb in CARRIED and args.person is None and MINE in args.slots:
        args = replace(args, person="me", slots=tuple(s for s in args.slots if s != MINE))
    if args.person is not None:
        yield from handed(args)
        return
    yield from _brought(sense, call)
    if _is_fetched(sense, call):
        back = "back" if call.verb in BROUGHT else ""
        yield from (replace(frame, relation=back) for frame in plainly("hold", args))


def _brought(sense: str, call: Call) -> Iterator[Frame]:
    """Frames of things that go to a place; "get the cup in the kitchen" says where it is, if anything."""
    thing = call.args.object
    every = thing is not None and thing.nouns[0].split()[0].lower() in ("all", "every", "each")
    gathered = "together" in call.parts or (call.verb in ("collect", "gather") and every)
    moved = sense == "put" or gathered  # "collect every stapler on the desk"
    goes = any(s.goes for s in call.args.slots)
    reaches = moved or goes or sense == "give" or call.verb in _LEAVES - {"get"}
    for frame in placed("put", call.args):
        if reaches or frame.relation == "to":
            yield frame if moved else replace(frame, mood="got")


def _is_fetched(sense: str, call: Call) -> bool:
    """Return whether things may be picked up, and brought to nobody else: "get the cup"."""
    stays = call.args.where or (call.verb == "keep" and call.goes)
    sent = any(s.prep in ("to", "near") or personal(s) for s in call.args.slots)
    return (sense == "get" or call.verb == "bring") and not stays and not sent


def _throw(call: Call) -> Iterator[Frame]:
    if "at" in call.preps:
        return  # at somebody, or at a thing
    yield from binned(call.args)
    if not call.parts & {"away", "out"}:
        yield from placed("put", call.args)


def _store(call: Call) -> Iterator[Frame]:
    yield from (f for f in placed("store", call.args) if f.relation != "on")
    yield from plainly("store", call.args)
    yield from (f for f in placed("put", call.args) if f.relation == "on")


def _fill(call: Call) -> Frames:
    used = [w for s in call.args.slots if s.prep == "with" for w in content_words(s.nouns[0])]
    rest = replace(call.args, slots=tuple(s for s in call.args.slots if s.prep != "with"))
    return plainly("fill", rest) if COFFEE & set(map(singular, used)) else ()


def _go(call: Call) -> Frames:
    away = "back" in call.parts or (call.args.object is not None and call.verb not in ("visit", "meet"))
    return () if away else _gone(call.args)


def _find(call: Call) -> Iterator[Frame]:
    args = call.args
    if args.person is not None or any(s.prep in ("for", "to") and is_person(s.nouns[0]) for s in args.slots):
        yield from handed(args)
        yield from placed("put", args)
    yield from plainly("find", with_object(args, ("for", "after")))


def _empty(call: Call) -> Iterator[Frame]:
    yield from plainly("hold" if "from" in call.preps else "empty", call.args)


def _nothing(call: Call) -> Frames:
    return ()


SENSES: Mapping[str, Callable[[Call], Frames]] = {
    "put": partial(_carry, "put"),
    "give": partial(_carry, "give"),
    "get": partial(_carry, "get"),
    "away": lambda c: binned(c.args),
    "throw": _throw,
    "store": _store,
    "turn": lambda c: plainly("close", c.args) if c.verb == "shut" and not c.parts & {"off", "down"} else (),
    "on": lambda c: plainly("on", c.args) if c.verb != "run" or not c.goes else (),
    "off": lambda c: plainly("stop" if c.verb in ("stop", "kill") else "off", c.args),
    "fill": _fill,
    "make": _nothing,
    "go": _go,
    "find": _find,
    "care": lambda c: plainly("care", with_object(c.args, ("with", "of", "to"))),
    **{sense: partial(lambda sense, c: with_tool(sense, c.args), sense) for sense in TREATS},
    "empty": _empty,
    "give a": _nothing,
}
"""Readers of the senses of ``lexicon.VERBS``; any other sense has the object as its thing."""
