"""From a clause to frames: the readings that patterns and the rules of restating give it.

A clause may have several ("put the mug on the desk in the office": which preposition says where to?), the
likeliest first. A sentence that asks for nothing gives frames of context.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .inflection import lemma
from .patterns import CHECK, PATTERNS
from .phrases import Phrase, read_phrase, read_phrases
from .restate import caused, restate
from .told import Told, amiss, forbids, harmless, mentions, person, speaker, told

CONTEXT = frozenset({"mention", "source", "person", "told", "amiss", "nothing", "speaker", "?"})
"""Verbs of frames that do not ask for anything by a verb that is known."""
_SAYS_NOTHING = frozenset(
    ("find out", "take a look", "have a look", "sort it out", "help", "whatever it is", "thanks", "thank you")
)
BINS = frozenset("bin trash garbage rubbish can dustbin compost recycling".split())
DETERMINER = (
    r"(?:the|a|an|all|every|it|them|this|that|my|his|her|their|our|some|any|both"
    r"|each|everything|me|him|[^\W\d]\w*'s)\b"
)
_CONDITION = re.compile(
    r"\b(?:not|no|never|nothing|nobody|without|except|unless|only|if|whether|until"
    r"|before|after|once|when|while|instead"
    r"|either|or|otherwise|cannot|as long as|in case|rather|\w+n't)\b",
    re.I,
)
_UNVERB = frozenset(
    "the a an all every some any both each his her my our their its this that these "
    "those in on at to from into onto"
    " of with by for under near and or but so is are was were be has have had do "
    "does did can could will would should"
    " may might must not no if when while where what who why how which i you he she "
    "it we they there here one two"
    " three four five six seven eight nine ten also then now please everything something anything".split()
)
_SUBJECT = re.compile(
    r"(?:i|we|it|they|he|she|there|that|this|the|a|an|my|our|his|her|their|these"
    r"|those|all|both|every|each|some|someone"
    r"|everything|everyone|something|guests|visitors|people|nobody|coffee (?:is"
    r"|keeps)|(?-i:[A-Z][a-z]+)(?:'s\b|(?= (?:is|are|was"
    r"|has|had|needs|wants|would|could|should|can|cannot|did|left|forgot|[a-z]+ed"
    r"|likes|looks|gets|spilt|just|still|really"
    r"|might|must|keeps|seems)\b)))(?:'\w+)?(?!\w)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Frame:
    """One reading of a clause: what is done (``verb``), with what, and where it goes or who gets it.

    ``said`` is the clause with masked nouns, for the verb ``?`` and for what is amiss; ``told`` is context.
    """

    verb: str
    items: tuple[Phrase, ...] = ()
    relation: str = ""
    to: Phrase | None = None
    said: str = ""
    told: Told | None = None


def frames_of(clause: str) -> Iterator[Frame]:
    """The readings that the first fitting pattern gives, and those as context."""
    if clause.lower() in _SAYS_NOTHING:
        yield Frame("nothing")
        return
    earlier = _EARLIER.fullmatch(clause)
    if earlier is not None and lemma(earlier["v"]) is not None:
        yield from _command(f"{lemma(earlier['v'])} {earlier['x']}")
        return
    check = list(_check(clause))
    if check:
        yield from check
        return
    where = speaker(clause)
    if where is not None:
        yield Frame("speaker", (), "at", where)
        return
    declares = _SUBJECT.match(clause) is not None
    if not _CONDITION.search(clause):
        frames = [f for form in caused(clause) for f in _command(form)] + list(_command(clause))
        if frames:
            yield from frames
            return
        frames = [f for form in restate(clause) for f in _command(form)]
        if frames:
            yield from frames
            # It asks for something, or else it only says what is spoken of.
            yield from (Frame("told", (), "or", told=t) for t in told(clause) if t.phrase is not None)
            return
    elif not declares or forbids(clause):
        for form in restate(clause) if not forbids(clause) else ():
            if not _CONDITION.search(form):
                yield from _command(form)
        return
    if declares:
        yield from _context(clause)
    elif not _CONDITION.search(clause):
        favour = re.fullmatch(r"(.+) for (?:him|her|them)", clause, re.I)
        yield from _command(favour[1]) if favour is not None else ()
        yield from _unknown(clause)


def _check(clause: str) -> Iterator[Frame]:
    found = CHECK.fullmatch(clause)
    if found is not None:
        yield from _plain("check", next(filter(None, found.groups())))


def _command(clause: str) -> Iterator[Frame]:
    yield from _check(clause)
    for verb, pattern in PATTERNS:
        found = pattern.fullmatch(clause)
        if found is None:
            continue
        frames = list(_verb(verb, found.groupdict()))
        if frames:
            yield from frames
            return


def _verb(verb: str, groups: dict[str, str | None]) -> Iterator[Frame]:
    rest, who = groups.get("x") or "", groups.get("who")
    if groups.get("at"):
        rest += groups["at"] or ""
    if groups.get("to"):
        rest += f" {groups['to']}"
    if groups.get("from"):
        yield from _plain(verb, f"{rest} from {groups['from']}")
        yield from _plain(verb, rest)
        return
    to = read_phrase(who) if who else None
    if who and to is None:
        return
    placed = list(_placed(verb, rest)) if verb in ("put", "away", "store") else []
    # "Discard the apple in his cabinet" says where the apple is, not where it goes; so does "hide X on Y".
    placed = [f for f in placed if verb != "away" or (f.to is not None and f.to.head in BINS)]
    yield from (f for f in placed if verb == "put" or f.relation != "on")
    if verb == "go":
        where = read_phrase(rest)
        if where is not None:
            yield Frame(verb, (), "at", where)
    elif verb == "coffee":
        yield Frame(verb, (), "for" if to else "", to)
    elif verb != "put":
        yield from _plain(verb, rest, to)
        yield from (f for f in placed if f.relation == "on")
        if verb in ("heat", "cool", "wash", "clean", "give"):
            # "Heat it in the microwave", "wipe it with the towel": what with, or where the person is.
            for found in reversed(list(_WITH.finditer(rest))):
                tool = read_phrase(rest[found.end() :])
                for frame in _plain(verb, rest[: found.start()], to) if tool is not None else ():
                    yield Frame(verb, frame.items, "for" if to else "with", to or tool)


def _plain(verb: str, text: str | None, to: Phrase | None = None) -> Iterator[Frame]:
    items = read_phrases(text or "")
    if items is not None:
        yield Frame(verb, items, "for" if to else "", to)


_WITH = re.compile(r"\s+(?:with|using|in|at)\s+(?=\S)", re.I)
_PREPOSITION = re.compile(
    r"\s+(?:back )?(?P<p>on top of|onto|on|inside of|inside|into|in|over to|to|at"
    r"|for(?= (?-i:[A-Z])))\s+(?=\S)",
    re.I,
)


def _placed(verb: str, text: str) -> Iterator[Frame]:
    """Every way to cut "X on Y in Z" into what and where to, the last preposition first."""
    for found in reversed(list(_PREPOSITION.finditer(text))):
        what, where = text[: found.start()], text[found.end() :]
        source = re.fullmatch(r"(?P<to>.+) from (?P<from>.+)", where, re.I)
        if source is not None and found["p"].lower() in ("to", "into", "onto", "over to"):
            what, where = f"{what} from {source['from']}", source["to"]
        items, to = read_phrases(what), read_phrase(where)
        if items is not None and to is not None:
            preposition = found["p"].lower()
            relation = (
                "on" if preposition.startswith("on") else "in" if preposition.startswith("in") else "to"
            )
            yield Frame(verb, items, relation, to)
    inside = re.fullmatch(r"(?P<x>.+) (?:inside|in)", text, re.I)
    items = read_phrases(inside["x"]) if inside is not None else None
    if items is not None:
        yield Frame(verb, items, "in", read_phrase("it"))


_SHAPE = re.compile(r"(?P<v>[a-z]+)(?P<p> (?:up|down|out|off|on|away|through))?(?P<x> .+)", re.I)


_EARLIER = re.compile(
    r"(?:after|once|when|as soon as) (?:you have |you are (?:done |finished )|having "
    r"|you )?(?P<v>\w+(?:ing|ed|en|ught|wn)) (?P<x>.+)",
    re.I,
)


def _unknown(clause: str) -> Iterator[Frame]:
    """A command by its shape, whose verb is left to what it means."""
    found = _SHAPE.fullmatch(clause)
    if found is None or found["v"].lower() in _UNVERB or not re.match(DETERMINER, found["x"].strip(), re.I):
        return
    verb = f"{found['v']}{found['p'] or ''}".lower()
    particle = re.search(r" (?:up|down|out|off|away|open|shut|apart|through)\Z", found["x"])
    rest = found["x"][: particle.start()] if particle else found["x"]
    end = particle[0] if particle else ""
    for frame in _placed("?", rest):
        preposition = {"on": "onto", "in": "into", "to": "to"}[frame.relation]
        yield Frame(
            "?", frame.items, frame.relation, frame.to, f"{verb} something {preposition} something{end}"
        )
    for frame in _plain("?", rest):
        yield Frame("?", frame.items, said=f"{verb} something{end}")


def _context(clause: str) -> Iterator[Frame]:
    """What a sentence that asks for nothing says about those that do."""
    if harmless(clause):
        yield Frame("nothing")
    found = list(mentions(clause))
    who = person(clause) if not found and not _CONDITION.search(clause) else None
    if who is not None:
        yield Frame("person", (who,))
    for verb, phrase in found:
        yield Frame(verb, (phrase,))
    for what in told(clause):
        yield Frame("told", told=what)
    for what in amiss(clause):
        if what.phrase is not None:
            yield Frame("amiss", (what.phrase,), said=what.how)
