"""From chunks to frames: what a clause asks for, whatever it is dressed in.

A clause is read by its first verb of action and by what stands before it. Nothing, "you" or a modal make it a
command; a thing makes it a passive or a wish ("the plate needs washing"); anybody else makes it context.
Where
there is no such verb, a thing and a state or a place say how things should be ("the orange belongs in the
fridge"), or, without "should", how they are. Words in between do not matter, so politeness needs no list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from . import lexicon as lex
from .arguments import arguments
from .background import acts, amiss, context, kinds
from .declared import done, located, verbless, wants, wished
from .forms import is_person, plainly
from .frames import Frame
from .idioms import idiom
from .positions import Chunk
from .prohibitions import negated
from .senses import STATES, WIPES, command
from .words import content_words, singular

HELP = frozenset(
    "chance favour favor job task time possibility turn moment minute second trouble hand help way problem"
    " bit thing idea".split()
)


def frames(clause: Sequence[Chunk], subject: Sequence[Chunk] = ()) -> Iterator[Frame]:
    """The readings of a clause; none where it must not or cannot be read. ``subject`` is that of the last."""
    clause = [c for c in clause if c.kind != "j"]
    while clause and clause[0].kind in "c,:":
        clause = clause[1:]
    while clause and clause[-1].kind in "c,:":
        clause = clause[:-1]
    if not clause:
        yield Frame("nothing")
        return
    if any(c.kind == "x" for c in clause):
        yield from negated(clause, frames)
        return
    at = next((i for i, c in enumerate(clause) if acts(c)), None)
    letters = kinds(clause)
    if (
        letters[0] == "q"
        or (letters[0] == "b" and letters[1:2] in ("n", "s") and not any(c.base == "you" for c in clause))
    ) and not any(c.base in ("about",) for c in clause):
        return
    found = list(verbless(clause, subject) if at is None else _verbal(clause, at, subject))
    yield from found
    idle = all(
        singular((content_words(c.text) or ["time"])[-1]) in HELP for c in clause if c.kind == "n"
    ) and all(c.kind != "o" for c in clause)
    if not found and idle and (at is None or clause[at].base not in lex.OPAQUE):
        yield Frame("nothing")


def _verbal(clause: Sequence[Chunk], at: int, subject: Sequence[Chunk]) -> Iterator[Frame]:
    if (
        clause[at].base in ("go", "come", "run", "try", "help")
        and at + 1 < len(clause)
        and clause[at + 1].kind == "v"
    ):
        at += 1  # "go get the parcel"
        clause = [*clause[: at - 1], *clause[at:]]
        at -= 1
    verb, before, after = clause[at], clause[:at], clause[at + 1 :]
    special = list(idiom(clause, at))
    if special:
        yield from special
        return
    yous = [
        i
        for i, c in enumerate(clause)
        if c.kind == "s" and c.base in ("you", "someone", "somebody", "anyone", "anybody")
    ]
    nouns = [
        c
        for c in before
        if c.kind == "n" and singular(content_words(c.text)[-1] if content_words(c.text) else "") not in HELP
    ]
    if yous and yous[-1] < at:
        # Whatever leads to "you": "I was wondering if you could".
        nouns = [c for c in before[yous[-1] :] if c.kind == "n"]
        asks = (
            any(c.kind in "mit" or "time" in c.text for c in before[: yous[-1] + 3])
            or clause[yous[-1]].base == "you"
        )
        if not nouns and verb.kind in "vdg" and not asks:
            yield from context(clause)
            return
        if not nouns and verb.kind in "vdg":
            if (
                yous[-1] + 1 < at
                and kinds(before[yous[-1] + 1 :]).startswith(("h", "b"))
                and "t" not in kinds(before[yous[-1] :])
            ):
                yield from context(clause)
                return
            yield from command(verb.base, arguments(after))
            return
    owner = next((c for c in before if c.kind == "s"), None)
    lead = kinds(before)
    things = [c for c in before if c.kind in "no"]
    if things and things[0].base in ("it", "this", "that", "them") and things[0].kind == "o":
        nouns = things
    if (
        (owner is not None and owner.base in ("it", "they", "this", "that"))
        or nouns
        or (subject and not owner and verb.kind in "dg")
    ):
        yield from _about(clause, at, subject)
        return
    if (
        owner is not None
        and owner.base in ("i", "we")
        and lead.startswith("ms")
        and verb.base in ("get", "have", "see", "borrow", "take")
    ):
        yield from wants(owner.text, after)
        return
    if owner is None or (owner.base == "we" and ("m" in lead or "t" in lead)):
        if verb.kind == "d" and not any(c.kind in "bh" or c.base in ("mind", "ensure") for c in before):
            said = arguments(after)
            if said.object is None:
                yield from context(clause)
                return
        if owner is None or "w" not in lead or "t" in lead:
            yield from command(verb.base, arguments(after))
            return
    if owner is not None and owner.base in ("i", "we", "he", "she"):
        if "w" in lead:
            yield from wished(clause, owner)
            return
        if verb.kind == "v" and verb.base in ("use", "do") and "m" in lead:
            yield from wants(owner.text, clause[at + 1 :])
            return
    yield from context(clause)


def _about(clause: Sequence[Chunk], at: int, inherited: Sequence[Chunk]) -> Iterator[Frame]:
    """A thing is the subject: passives, wishes for others, and what is only told."""
    verb, before, after = clause[at], list(clause[:at]), list(clause[at + 1 :])
    first = next((i for i, c in enumerate(before) if c.kind in "bhmwtf"), len(before))
    subject = [c for c in before[:first] if c.base not in ("ensure",) and c.kind != "i"]
    while subject and subject[0].kind in "c,":
        subject = subject[1:]
    modal = bool(before) and before[0].kind == "m"
    if modal:
        stop = next((i for i, c in enumerate(before[1:], 1) if c.kind in "bhmwt"), len(before))
        subject, middle = before[1:stop], kinds(before[stop:]) + "m"
    else:
        middle = kinds(before[first:])
    if not any(c.kind in "no" for c in subject):
        subject = (
            [*inherited] if inherited and not any(c.kind == "s" for c in before) else [Chunk("o", "it", "it")]
        )
        if any(c.kind == "w" for c in before) and any(c.kind == "s" for c in before) and not inherited:
            owner = next(c for c in before if c.kind == "s")
            if owner.base not in ("it", "they"):
                yield from wished(clause, owner)
                return
    ensured = any(c.base == "ensure" for c in before)
    who = subject[0].text if subject and is_person(subject[0].text) else ""
    w = next((i for i, c in enumerate(before) if c.kind == "w"), None)
    if w is not None and any(c.kind in "no" for c in before[w + 1 :]):
        yield from done([*before[w + 1 :], verb, *after], who)
        return
    if verb.kind == "d" and ("b" in middle or "w" in middle or ensured or not middle):
        asked = (
            ensured or "m" in middle or "w" in middle or "t" in middle or not ("b" in middle or "h" in middle)
        )
        if asked and (middle or ensured or lex.meanings(verb.base)):
            args = arguments([*subject, *after])
            yield from command(verb.base, args)
            return
        if STATES.get(verb.text.lower()) or STATES.get(verb.base):
            yield from amiss(subject, f"it is {verb.text}", clause)
    if verb.kind == "g" and ("m" in middle or "t" in middle or ensured) and "b" in middle:
        if STATES.get(verb.text.lower()):
            yield from plainly(STATES[verb.text.lower()], arguments(subject))
        elif verb.base in ("lie", "sit", "stand", "rest", "wait"):
            yield from located(subject, after)
        return
    if verb.kind == "g" and ("w" in middle or ("m" in middle and "p" in middle)):
        yield from command(verb.base, arguments([*subject, *after]))
        return
    if (
        verb.kind == "v"
        and ("m" in middle or "t" in middle)
        and not who
        and verb.base
        in (
            "go",
            "come",
            "stay",
            "live",
            "return",
            "move",
            "sit",
            "stand",
            "end",
            "land",
            "get",
            "run",
            "travel",
            "belong",
        )
    ):
        yield from located(subject, after)
        return
    last = [singular(x) for x in content_words(after[-1].text)][-1:] if after else []
    if not who and "m" in middle and verb.base in ("use", "do") and last and last[0] in WIPES:
        yield from plainly("wash" if last[0] in ("wash", "rinse", "washing") else "clean", arguments(subject))
        return
    if who and ("m" in middle or w is not None) and verb.base in ("use", "do"):
        yield from wants(who, after)
        return
    if verb.kind == "v" and not middle and not who:
        # "oranges go in the fridge"
        yield from located(subject, after) if verb.base in ("go", "live", "belong") else ()
    yield from context(clause)
