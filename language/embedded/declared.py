"""Clauses without a verb of action: wishes, how things should be, and how they are.

"I need X", "X belongs in Y", "the lid should be shut", "coffee for Niko" ask for something as commands do;
"the shelf is dusty" says what a request after it is about, and asks for nothing by itself. A form of wish may
be added here; a word for a state belongs in ``senses.STATES``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..english import lexicon
from ..english.chunks import Chunk, kinds
from ..english.lexicon import STATES
from ..english.phrases import Phrase
from ..english.words import content_words, singular
from .arguments import Arguments, arguments, plain
from .background import context, phrases_of
from .frames import Frame
from .senses import COFFEE, coffee, command, handed, is_person, placed, plainly, wanted_so, wiped


def wished(clause: Sequence[Chunk], owner: Chunk) -> Iterator[Frame]:
    """ "I would like (to have) the kebab warmed up", "I want to see all drones in the lab"."""
    want = next(i for i, c in enumerate(clause) if c.kind == "w")
    after = list(clause[want + 1 :])
    seeing = kinds(after[:1]) == "t" and bool(after[1:]) and after[1].base in _SEES
    if seeing:
        after = after[2:]
    elif kinds(after[:1]) == "t":
        yield from context(clause)
        return
    yield from done(after, owner.text)
    if seeing or not any(c.kind in "dg" for c in after):
        yield from wants(owner.text, after)


_SEES = frozenset("see have get find eat drink know".split())
_WAITS = frozenset({"wait", "stand", "lie", "sit", "rest"})
_BELONGS = frozenset("belong belongs goes go lives live stays".split())


def done(after: Sequence[Chunk], who: str = "") -> Iterator[Frame]:
    """Things and what is to be done with them: "the kebab warmed up", "the document left on his desk"."""
    at = next((i for i, c in enumerate(after) if c.kind in "dg" and i > 0), None)
    if at is None:
        state = next((c for c in after if c.kind == "a"), None)
        last = after[-1] if after else None
        if state is None and last is not None and last.kind == "e" and last.base in ("on", "off"):
            state = last
        if state is None and last is not None and last.kind == "n" and last.text.lower() in STATES:
            state = last
        what = STATES.get(state.base if state is not None else "")
        args = arguments([c for c in after if c is not state])
        if what is not None:
            yield from plainly(what, args)
        return
    verb = after[at]
    if verb.base in ("lie", "sit", "stand") or not lexicon.meanings(verb.base):
        return
    things, rest = [c for c in after[:at] if c.kind not in "bt"], list(after[at + 1 :])
    if kinds(rest[:3]) == "cgp" and rest[1].base in _WAITS:
        made = STATES.get(verb.text.lower(), "")  # "heated and waiting on the counter"
        if made in ("heat", "cool", "wash"):
            yield from (replace(frame, also=made) for frame in located(things, rest[2:]))
        return
    joined = [*things, *rest]
    yield from command(verb.base, arguments(joined))


_LIKES = frozenset("like love enjoy prefer".split())
"""What somebody does who asks for nothing by it: "Peter likes apples"."""
_MUST = frozenset("should must ought shall".split())
"""Modals of how a thing is to be: where it "may" or "could" be is no request."""
_OBJECTS = {"i": "me", "we": "me", "he": "him", "she": "her"}


def wants(who: str, after: Sequence[Chunk]) -> Iterator[Frame]:
    """ "I need X (on Y)", "Filipe would like X"."""
    after = [c for c in after if c.kind not in "jb"]
    if after[:1] and after[0].kind == "p" and after[0].base in ("for", "with", "of", "after"):
        after = after[1:]
    args = arguments(after)
    thing = args.object
    if thing is None:
        return
    last = [singular(w) for w in content_words(thing.nouns[0])][-1:]
    person = _OBJECTS.get(who.lower(), who)
    if last and last[0] in COFFEE:
        sent = any(s.prep in ("on", "at", "in", "to") for s in args.slots)
        yield from coffee(replace(args, person=None if sent else person))
        return
    state = STATES.get(args.state or "")

    def wished_for(each: Arguments) -> list[Frame]:
        given = handed(replace(each, person=person))
        there = (replace(f, mood="be") for f in placed("put", each))  # one that is there already will do
        return [*there, *(f for f in given if f.verb != "put")]

    wishes = wished_for(args)
    if state is None:
        wishes += wanted_so(args, wished_for)
    if person != "me":
        wishes = [replace(f, mood="want") for f in wishes]
    made = state if state in ("heat", "cool", "wash", "clean") else ""
    yield from (replace(frame, also=made or frame.also) for frame in wishes)


def located(subject: Sequence[Chunk], after: Sequence[Chunk]) -> Iterator[Frame]:
    """Frames for where a thing is to be: its own places stand before the verb, where it goes after it."""
    args = arguments([*subject, *after])
    own = [s for s in arguments(subject).slots if s.prep and s.prep not in ("for", "with")]
    yield from placed("put", args, len(own) if args.object in arguments(subject).slots else None)


def verbless(clause: Sequence[Chunk], inherited: Sequence[Chunk]) -> Iterator[Frame]:
    """No verb of action: wishes, belonging, states and places, with or without "should"."""
    ensured = clause[0].base == "ensure"
    body = list(clause[1:]) if ensured else list(clause)
    if body and body[0].kind == "m" and len(body) > 1 and body[1].kind in "no":
        stop = next((i for i, c in enumerate(body[1:], 1) if c.kind in "bhwt"), len(body))
        body = [*body[1:stop], body[0], *body[stop:]]
    at = next((i for i, c in enumerate(body) if c.kind in "wfbhmtk" and c.kind != "k"), None)
    if at is None:
        yield from _bare(body, inherited)
        return
    subject = [c for c in body[:at] if c.kind != "c" or c is not body[0]]
    rest = body[at:]
    middle = rest[: next((i for i, c in enumerate(rest) if c.kind not in "wfbhmt"), len(rest))]
    after = list(rest[len(middle) :])
    lead = kinds(middle)
    owner = next((c for c in subject if c.kind == "s"), None)
    named = len(subject) == 1 and is_person(subject[0].text)
    somebody = owner is not None and owner.base not in ("it", "they", "there", "this", "that")
    person = owner.text if owner is not None and somebody else subject[0].text if named else ""
    if owner is not None and owner.base == "there":
        if ("m" in lead or ensured) and after:
            yield from (replace(frame, mood="be") for frame in located((), after))
        else:
            yield from context(clause)
        return
    if clause[0].base == "let" and "h" in lead and subject:
        yield from wants(subject[-1].text, after)
        return
    if "m" in lead and "b" in lead and not after and subject and middle[0].text.lower() == "would":
        yield from wants("I", subject)  # "a coffee would be great"
        return
    if owner is not None and owner.base == "it" and lead.endswith("th") and after:
        yield from wants("I", after)  # "it would be nice to have"
        return
    thing = [c for c in subject if c.kind in "nop,c"] or list(inherited) or [Chunk("o", "it", "it")]
    if any(c.kind == "f" and c.base in _BELONGS for c in middle):
        yield from located(thing, after)
        return
    first = after[0].base if after else ""
    needed = first == "you" and kinds(after[1:2]) == "p" and "w" in lead and person.lower() in ("i", "we")
    if needed or (person.lower() == "you" and first in ("need", "want", "require")):
        where = phrases_of(after[1:])  # "I need you in the lab", "you are needed in the lab"
        yield from (Frame("go", (), "at", where),) if where is not None else ()
        return
    if "w" in lead or (lead in ("m", "mh", "h") and person and first in ("do", "use", "have")):
        if not person and after and (wipe := wiped(after[-1].text)):
            yield from plainly(wipe, arguments(thing))
            return
        if "b" in lead and not (person and person.lower() in ("i", "we")):
            yield from _should(thing, after)
            return
        likes = any(c.base in _LIKES and c.text != c.base for c in middle)
        if person:
            yield from done(after, person)
        if person and not likes:
            yield from wants(person, after)
        yield from context(clause) if person or likes else _should(thing, after)
        return
    if person and person.lower() in ("i", "we") and "b" in lead and after and after[0].kind == "p":
        where = phrases_of(after)
        if where is not None and after[0].base in ("in", "at", "on", "by", "near"):
            yield Frame("speaker", (), "at", where)
            return
    if (
        ("b" in lead and any(c.base in _MUST for c in body[: at + len(middle)])) or "t" in lead or ensured
    ) and not lead.startswith("bm"):
        yield from _should(thing, after)
        return
    yield from context(clause)


def _state(after: Sequence[Chunk]) -> str:
    """The state that follows "is" or "should be", if one does."""
    for i, c in enumerate(after):
        if c.kind in ("a", "n", "e", "d", "v") or (c.kind == "p" and i + 1 == len(after)):
            word = (
                content_words(c.text)[-1:] if c.kind == "n" else [c.base if c.kind == "e" else c.text.lower()]
            )
            return word[0] if word else ""
    return ""


def _should(thing: Sequence[Chunk], after: Sequence[Chunk]) -> Iterator[Frame]:
    """The wished state of something, or its wished place."""
    what = STATES.get(
        _state(after[:1] if len(after) > 1 and after[0].kind == "p" and after[1].kind in "no" else after)
    )
    if kinds(after[:1]) == "p" and after[1:]:
        what = None
    if what is not None and kinds(after[1:3]) == "cp":
        for frame in located(thing, after[2:]) if what in ("heat", "cool", "wash") else ():
            yield replace(frame, also=what)  # "clean and on the table"
        return
    if what is not None:
        yield from plainly(what, arguments([*thing, *after[1:]]))
        return
    for frame in located(thing, after):
        yield replace(frame, mood="be")  # one that is there already will do


def _bare(body: Sequence[Chunk], inherited: Sequence[Chunk]) -> Iterator[Frame]:
    """No verb at all: "coffee for Niko", "orange into the fridge", "the scissors to Tobi"."""
    args = arguments(body)
    if args.object is None:
        return  # "hot please": of what is not said
    last = [singular(w) for w in content_words(args.object.nouns[0])][-1:]
    if last and last[0] in COFFEE:
        yield from coffee(args)
        return
    if "on" in args.particles or "off" in args.particles:
        yield from plainly("on" if "on" in args.particles else "off", args)
        return
    what = STATES.get(args.state or "")
    if what is not None:
        yield from plainly(what, args)
        return
    yield from placed("put", args)
    if any(s.prep in ("to", "on", "in") for s in args.slots):
        return
    if any(s.prep == "for" and s.nouns[0].lower().startswith("the ") for s in args.slots):
        return  # "eggs for the pot": a purpose, or a place
    for items in plain(args):
        yield from (Frame("give", items, "for", Phrase("me", ("me",), "person")), Frame("list", items))
