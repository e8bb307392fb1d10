"""From an instruction to frames: what is to be done with what, and where.

The text is cut into clauses, each is brought into the form of a command, and commands are matched against
patterns of verbs. A clause may have several readings ("put the mug on the desk in the office": which
preposition says where to?) and then gives several frames, the likeliest first. A sentence that asks for nothing
is context: it may say who "he" is, what "it" is, where the speaker is, or what is amiss. A clause without
frames spoils the whole instruction: conditions and prohibitions are not read half.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .patterns import CHECK, PATTERNS
from .phrases import Phrase, read_phrase, read_phrases
from .restate import bare, caused, restate
from .told import Told, amiss, forbids, harmless, mentions, person, speaker, told
from .words import plain

MAX_CHARACTERS = 2000
MAX_CUTS = 5
"""More places than this where a sentence might be cut are not tried in every combination."""
BINS = frozenset("bin trash garbage rubbish can dustbin compost recycling".split())


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


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause and its readings; none means that it was not understood."""

    text: str
    frames: tuple[Frame, ...]


# Words that begin a clause after "and" or a comma.
_VERBS = frozenset(
    "put|place|move|set|lay|leave|carry|bring|take|transfer|deliver|return|relocate|shift|insert|load|deposit"
    "|position|drop|throw|toss|dump|get|fetch|give|hand|pass|serve|turn|switch|power|start|run|stop|open|close|shut|heat|warm|reheat"
    "|microwave|chill|cool|refrigerate|wash|rinse|clean|wipe|dust|scrub|make|brew|prepare|pour|check|test|hide"
    "|store|file|stow|pick|grab|hold|go|drive|navigate|travel|head|locate|find|look|search|empty|bin|discard"
    "|dispose|trash|take|deal|correct|sort|arrange|swap|fill|cook|cut|use|ensure|let|do|tell|pop|stick|chuck|stash|tuck"
    "|collect|unload|replace|see|have|polish|keep|ditch|slide|slip|come|swing|gather|clear|transport|conceal|send|add|rid".split("|")
)
# Verbs that are adjectives or nouns as well, and begin one only before a determiner.
_NOUNS = frozenset("clean empty open warm cool bin hand file head cut store load set drop run pop clear stick".split())
_DETERMINER = (
    r"(?:the|a|an|all|every|it|them|this|that|my|his|her|their|our|some|any|both|each|everything|me|him|[^\W\d]\w*'s)\b"
)
_UNVERB = frozenset(
    "the a an all every some any both each his her my our their its this that these those in on at to from into onto"
    " of with by for under near and or but so is are was were be has have had do does did can could will would should"
    " may might must not no if when while where what who why how which i you he she it we they there here one two"
    " three four five six seven eight nine ten also then now please everything something anything".split()
)
_CONDITION = re.compile(
    r"\b(?:not|no|never|nothing|nobody|without|except|unless|only|if|whether|until|before|after|once|when|while|instead"
    r"|either|or|otherwise|cannot|as long as|in case|rather|\w+n't)\b",
    re.I,
)
_JOINT = re.compile(r"(?:,\s*|\s+)(?:and then|and also|and after that|and|then|but|so)\s+|,\s*|\s+[-\u2013\u2014]+\s+|:\s+|\s*\u2014\s*", re.I)
_SUBJECT = re.compile(
    r"(?:i|we|it|they|he|she|there|that|this|the|a|an|my|our|his|her|their|these|those|all|both|every|each|some|someone"
    r"|everything|everyone|something|guests|visitors|people|nobody|coffee (?:is|keeps)|(?-i:[A-Z][a-z]+)(?:'s\b|(?= (?:is|are|was"
    r"|has|had|needs|wants|would|could|should|can|cannot|did|left|forgot|[a-z]+ed|likes|looks|gets|spilt|just|still|really"
    r"|might|must|keeps|seems)\b)))(?:'\w+)?(?!\w)",
    re.I,
)


def read_clauses(instruction: str) -> tuple[Clause, ...]:
    """Cut an instruction into clauses and read each; an empty tuple for a text without words."""
    text = plain(instruction[:MAX_CHARACTERS])
    sentences = [s.strip() for s in re.split(r"[.!?;]+(?=\s|\Z)", text) if s.strip()]
    pieces = [c.strip() for s in sentences for c in _cut(s)]
    clauses = [x for c in pieces for x in _clauses(c)]
    return tuple(x for x in clauses if re.search(r"\w", x.text)) or tuple(clauses)


def _clauses(piece: str) -> list[Clause]:
    """A piece as one clause, or cut further where only that makes it readable."""
    whole = Clause(piece, _read(piece))
    joints = list(_JOINT.finditer(piece))[:MAX_CUTS]
    if not joints or len(piece) > 400:
        return [whole]
    best: list[Clause] | None = None
    for size in range(1, len(joints) + 1):
        for chosen in itertools.combinations(joints, size):
            starts = [0, *(j.end() for j in chosen)]
            ends = [*(j.start() for j in chosen), len(piece)]
            parts = [piece[a:b].strip(" ,") for a, b in zip(starts, ends, strict=True)]
            read = [Clause(p, _read(p)) for p in parts if p]
            if not read:
                continue
            if _asks(read[0].frames) and read[0].frames[0].verb in ("put", "give"):
                # "Bring the phone to Filipe and the scissors to Tobi."
                read = [c if _asks(c.frames) else Clause(c.text, _gapped(c)) for c in read]
            good = all(_asks(c.frames) for c in read) if _asks(whole.frames) else any(_asks(c.frames) for c in read)
            if good and all(c.frames for c in read):
                if best is None or sum(_asks(c.frames) for c in read) > sum(_asks(c.frames) for c in best):
                    best = read
        if best is not None:
            return best
    return [whole]


def _gapped(clause: Clause) -> tuple[Frame, ...]:
    """A clause that leaves its verb to the one before: "the scissors to Tobi"."""
    whole = re.match(_DETERMINER, clause.text, re.I) and not re.search(r"\b(?:is|are|was|has)\b", clause.text)
    return (_read(f"put {clause.text}") if whole else ()) or clause.frames


def _asks(frames: tuple[Frame, ...]) -> bool:
    """Whether the likeliest reading of a clause asks for something by a known verb."""
    return bool(frames) and frames[0].verb not in ("told", "amiss", "mention", "source", "person", "nothing", "?", "speaker")


def _cut(sentence: str) -> Iterator[str]:
    """Cut where a conjunction or a comma is followed by a verb."""
    start = 0
    for found in _JOINT.finditer(sentence):
        rest = sentence[found.end() :]
        word, _, after = bare(rest[:120]).partition(" ")
        verb = word.lower().strip(",")
        if verb not in _VERBS or not after or not sentence[start : found.start()].strip():
            continue
        if verb in _NOUNS and not re.match(_DETERMINER, after, re.I):
            continue
        if not bare(sentence[start : found.start()]):
            continue
        yield sentence[start : found.start()]
        start = found.end()
    yield sentence[start:]


def _read(piece: str) -> tuple[Frame, ...]:
    return tuple(dict.fromkeys(_frames(bare(piece))))


def _frames(clause: str) -> Iterator[Frame]:
    """The readings that the first fitting pattern gives, and those as context."""
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
            yield from (Frame("told", told=t) for t in told(clause) if t.phrase is not None)
            return
    elif not declares or forbids(clause):
        for form in restate(clause) if not forbids(clause) else ():
            if not _CONDITION.search(form):
                yield from _command(form)
        return
    if declares:
        yield from _context(clause)
    elif not _CONDITION.search(clause):
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
    r"\s+(?:back )?(?P<p>on top of|onto|on|inside of|inside|into|in|over to|to|at|for(?= (?-i:[A-Z])))\s+(?=\S)", re.I
)


def _placed(verb: str, text: str) -> Iterator[Frame]:
    """Every way to cut "X on Y in Z" into what and where to, the last preposition first."""
    for found in reversed(list(_PREPOSITION.finditer(text))):
        items, to = read_phrases(text[: found.start()]), read_phrase(text[found.end() :])
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


def _unknown(clause: str) -> Iterator[Frame]:
    """A command by its shape, whose verb is left to what it means."""
    found = _SHAPE.fullmatch(clause)
    if found is None or found["v"].lower() in _UNVERB or not re.match(_DETERMINER, found["x"].strip(), re.I):
        return
    verb = f"{found['v']}{found['p'] or ''}".lower()
    particle = re.search(r" (?:up|down|out|off|away|open|shut|apart|through)\Z", found["x"])
    rest = found["x"][: particle.start()] if particle else found["x"]
    end = particle[0] if particle else ""
    for frame in _placed("?", rest):
        preposition = {"on": "onto", "in": "into", "to": "to"}[frame.relation]
        yield Frame("?", frame.items, frame.relation, frame.to, f"{verb} something {preposition} something{end}")
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

