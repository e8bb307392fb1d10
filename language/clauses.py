"""From an instruction to frames: what is to be done with what, and where.

The text is cut into clauses and each is matched against patterns of verbs. A clause may have several
readings ("put the mug on the desk in the office": which preposition says where to?) and then gives several
frames, the likeliest first. A sentence that asks for nothing is context: it may say who "he" is, what "it" is
or where the speaker is. A clause that no pattern covers has no frames, which spoils the whole instruction:
conditions, negations and wishes are not read half.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from .phrases import Phrase, read_phrase, read_phrases
from .words import plain

MAX_CHARACTERS = 2000
BINS = frozenset("bin trash garbage rubbish can dustbin compost recycling".split())


@dataclass(frozen=True, slots=True)
class Frame:
    """One reading of a clause: what is done (``verb``), with what, and where it goes or who gets it."""

    verb: str
    items: tuple[Phrase, ...] = ()
    relation: str = ""
    to: Phrase | None = None


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause and its readings; none means that it was not understood."""

    text: str
    frames: tuple[Frame, ...]


_PUT = (
    "put|place|move|set|lay|leave|carry|bring|take|transfer|deliver|return|relocate|shift|insert|load|deposit"
    "|position|drop|throw|toss|dump"
)
# Words that begin a clause after "and" or a comma.
_VERBS = frozenset(
    f"{_PUT}|get|fetch|give|hand|pass|serve|turn|switch|power|start|run|stop|open|close|shut|heat|warm|reheat"
    "|microwave|chill|cool|refrigerate|wash|rinse|clean|wipe|dust|scrub|make|brew|prepare|pour|check|test|hide"
    "|store|file|stow|pick|grab|hold|go|drive|navigate|travel|head|locate|find|look|search|empty|bin|discard"
    "|dispose|trash|take|deal|correct|sort|arrange|swap|fill|cook|cut|use|ensure|let|do|tell".split("|")
)
# Verbs that are adjectives or nouns as well, and begin one only before a determiner.
_NOUNS = frozenset("clean empty open warm cool bin hand file head cut store load set drop run".split())
_DETERMINER = (
    r"(?:the|a|an|all|every|it|them|this|that|my|his|her|their|our|some|any|both|each|[^\W\d]\w*'s)\b"
)
_POLITE = re.compile(
    r"(?:please|kindly|now|then|next|also|finally|first|afterwards|and|so|just|ok|okay|hey|hi|hello|robot"
    r"|could you|can you|would you|will you|i need you to|i(?:'d| would) like you to|i want you to|go and"
    r"|try to|safely|carefully|quickly|immediately|gently|quietly|properly)\b[\s,]*",
    re.I,
)
_AFTER = re.compile(r"[\s,]+(?:please|thanks|thank you|now|for me|quickly|carefully|safely|again)\Z", re.I)
_CONDITION = re.compile(
    r"\b(?:not|no|never|nothing|without|except|unless|only|if|whether|until|before|after|once|when|while|instead"
    r"|either|or|otherwise|cannot|as long as|in case|\w+n't)\b",
    re.I,
)
_WISH = re.compile(
    r"\b(?:wants?|needs?|should|must|can|could|may|might|would|ha(?:s|ve) to|each|likes?|has|have)\b", re.I
)
_JOINT = re.compile(r"(?:,\s*|\s+)(?:and then|and also|and|then)\s+|,\s*", re.I)


def read_clauses(instruction: str) -> tuple[Clause, ...]:
    """Cut an instruction into clauses and read each; an empty tuple for a text without words."""
    text = plain(instruction[:MAX_CHARACTERS])
    sentences = [s.strip() for s in re.split(r"[.!?;]+(?=\s|\Z)", text) if s.strip()]
    pieces = [c for s in sentences for c in _cut(s)]
    return tuple(Clause(c, tuple(dict.fromkeys(_frames(_strip(c))))) for c in pieces)


def is_bare(text: str) -> bool:
    """Whether a text is a single clause without conditions, negations and wishes."""
    sentences = [s for s in re.split(r"[.!?;]+(?=\s|\Z)", plain(text)) if s.strip()]
    single = len(sentences) == 1 and len(list(_cut(sentences[0]))) == 1 and "," not in text
    return single and not _CONDITION.search(text) and not _WISH.search(_strip(text))


def _cut(sentence: str) -> Iterator[str]:
    """Cut where a conjunction or a comma is followed by a verb."""
    start = 0
    for found in _JOINT.finditer(sentence):
        word, _, after = _strip(sentence[found.end() :]).partition(" ")
        verb = word.lower().strip(",")
        if verb not in _VERBS or not after or not sentence[start : found.start()].strip():
            continue
        if verb in _NOUNS and not re.match(_DETERMINER, after, re.I):
            continue
        yield sentence[start : found.start()]
        start = found.end()
    yield sentence[start:]


def _strip(clause: str) -> str:
    """Drop politeness and adverbs of manner around a clause."""
    clause = clause.strip(" ,")
    while (found := _POLITE.match(clause)) is not None and found.end() < len(clause):
        clause = clause[found.end() :]
    while (found := _AFTER.search(clause)) is not None:
        clause = clause[: found.start()]
    return clause


def _frames(clause: str) -> Iterator[Frame]:
    """The readings that the first fitting pattern gives."""
    check = _CHECK.fullmatch(clause)
    if check is not None:
        yield from _plain("check", check["a"] or check["b"] or check["c"])
        return
    if _CONDITION.search(clause):
        return
    for verb, pattern in _PATTERNS:
        found = pattern.fullmatch(clause)
        if found is None:
            continue
        frames = list(_verb(verb, found.groupdict()))
        if frames:
            yield from frames
            return
    if not _WISH.search(clause):
        yield from _context(clause)


def _verb(verb: str, groups: dict[str, str | None]) -> Iterator[Frame]:
    rest, who = groups.get("x") or "", groups.get("who")
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


def _plain(verb: str, text: str | None, to: Phrase | None = None) -> Iterator[Frame]:
    items = read_phrases(text or "")
    if items is not None:
        yield Frame(verb, items, "for" if to else "", to)


_PREPOSITION = re.compile(
    r"\s+(?:back )?(?P<p>on top of|onto|on|inside of|inside|into|in|over to|to|at)\s+(?=\S)", re.I
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


def _context(clause: str) -> Iterator[Frame]:
    """What a sentence that asks for nothing says about those that do."""
    if _HARMLESS.fullmatch(clause):
        yield Frame("nothing")
        return
    found = _SPEAKER.fullmatch(clause)
    if found is not None:
        where = read_phrase(found["x"])
        if where is not None:
            yield Frame("speaker", (), "at", where)
        return
    for pattern in _MENTIONS:
        found = pattern.fullmatch(clause)
        if found is None:
            continue
        groups = {k: v for k, v in found.groupdict().items() if v}
        said = " ".join(v for k, v in groups.items() if k in ("x", "where"))
        phrase = read_phrase(said)
        if phrase is None:
            continue
        if "how" in groups:
            phrase = replace(phrase, words=(groups["how"].lower(), *phrase.words))
        yield Frame("mention", (phrase,))
        source = read_phrase(groups["x"]) if "doing" in groups else None
        if source is not None:
            yield Frame("source", (source,))
        return
    found = _PERSON.fullmatch(clause)
    person = read_phrase(found["who"]) if found is not None and found["who"].lower() not in _VERBS else None
    if person is not None:
        yield Frame("person", (person,))


def _table(text: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    lines = [line.strip().partition(": ") for line in text.strip().splitlines()]
    return tuple((verb, re.compile(pattern, re.I)) for verb, _, pattern in lines)


_WHO = r"(?P<who>him|her|me|us|(?-i:[A-Z][a-z]+))"
_SURE = r"(?:make sure|ensure|see to it)(?: that)?"
_CUP = r"(?:a|some|a (?:cup|mug) of)(?: fresh| hot)* coffee"
# One meaning a line, the most special first; the first that fits and can be read is taken.
_PATTERNS = _table(
    rf"""
    away: (?:throw|toss|chuck) (?:away|out) (?P<x>.+)
    away: (?:throw|toss|chuck) (?P<x>.+) (?:away|out)
    away: (?:dispose of|get rid of|discard|trash|bin) (?P<x>.+)
    on: (?:turn|switch|power) on (?P<x>.+)
    on: (?:turn|switch|power) (?P<x>.+) on
    on: (?:start|run) (?P<x>.+)
    off: (?:turn|switch|power) off (?P<x>.+)
    off: (?:turn|switch|power) (?P<x>.+) off
    off: shut off (?P<x>.+)
    on: {_SURE} (?P<x>.+?) (?:is|are) (?:turned |switched )?on
    off: {_SURE} (?P<x>.+?) (?:is|are) (?:turned |switched )?off
    open: {_SURE} (?P<x>.+?) (?:is|are) open
    close: {_SURE} (?P<x>.+?) (?:is|are) (?:closed|shut)
    stop: stop (?P<x>.+)
    open: open(?: up)? (?P<x>.+)
    close: (?:close|shut)(?: up)? (?P<x>.+)
    heat: (?:heat|warm|reheat|microwave) up (?P<x>.+)
    heat: (?:heat|warm) (?P<x>.+) up
    heat: (?:heat|warm|reheat|microwave) (?P<x>.+)
    cool: (?:chill|cool)(?: down)? (?P<x>.+)
    fridge: refrigerate (?P<x>.+)
    wash: (?:wash|rinse)(?: up| off)? (?P<x>.+)
    clean: (?:clean|wipe|dust|scrub)(?: up| off| down)? (?P<x>.+)
    care: (?:take care of|deal with) (?P<x>.+)
    coffee: (?:make|brew|prepare|get|fetch|bring|serve|give|hand) (?:{_WHO} )?{_CUP}
    coffee: (?:make|brew|prepare|get|fetch|bring) {_CUP} for (?P<who>.+)
    fill: fill(?: up)? (?P<x>.+) with(?: fresh| hot)* coffee
    store: hide (?P<x>.+)
    store: (?:store|file|stow|put) (?:safely )?away (?P<x>.+)
    store: (?:store|file|stow|put) (?P<x>.+) away
    store: (?:store|file|stow) (?P<x>.+)
    give: (?:bring|get|take|fetch|hand|give|serve|deliver|pass) {_WHO} (?P<x>.+)
    put: (?:{_PUT}) (?P<x>.+)
    find: (?:locate|find|look for|search for)(?: me)? (?P<x>.+)
    empty: empty(?: out)? (?P<x>.+)
    hold: (?:pick up|grab|hold|fetch|get|take) (?P<x>.+)
    hold: pick (?P<x>.+) up
    go: (?:go|drive|navigate|travel|head)(?: over)? to (?P<x>.+)
    put: (?!look|run|bump|turn|change|make|cut|break|talk|hold)\w+ (?P<x>.+ (?:into|onto) .+)
    """
)
_CHECK = re.compile(
    r"(?:check|test|see|verify) (?:if|that|whether) (?P<a>.+?) (?:is|are) (?:still )?"
    r"(?:working|functioning|functional|operational|ok)"
    r"|(?:check|test|see|verify) (?:if|that|whether) (?P<b>.+?) (?:still )?(?:works?|functions?)"
    r"|test (?P<c>(?:the|my|our) .+)",
    re.I,
)
_HARMLESS = re.compile(
    r"i(?:'m| am) (?:so |very |really )?(?:hungry|thirsty|tired|bored|busy|late|back|cold)", re.I
)
_SPEAKER = re.compile(r"i(?:'m| am) (?:sitting |standing |working |waiting )?(?:at|in|on) (?P<x>.+)", re.I)
_LOOKS = r"(?:is|are|looks?|feels?|was)"
_MENTIONS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"(?P<x>something) {_LOOKS} (?P<how>\w+)(?: (?P<where>(?:in|on|at|inside|under) .+))?",
        r"(?P<x>something) (?P<how>\w+s)(?: bad| awful| funny)?(?: (?P<where>(?:in|on|at|inside|under) .+))?",
        r"there (?:is|are) (?P<x>.+?) (?P<doing>\w+ing)(?P<where> (?:in|on|at|from|under) .+)?",
        r"there (?:is|are) (?P<x>.+)",
        r"(?P<x>(?:my|the|a|an|our) .+?) (?P<how>smells|stinks)(?: bad| awful| funny)?",
        rf"(?P<x>(?:my|the|a|an|our) .+?) {_LOOKS} (?P<where>(?:in|on|at|inside|under) .+)",
        rf"(?P<x>(?:my|the|a|an|our) .+?) {_LOOKS} (?:very |really |so )?(?P<how>\w+)",
        r"(?P<x>(?:my|the|a|an|our) .+?) (?:just |was |got |been |finally )*(?:delivered|arrived|came)",
    )
)
_PERSON = re.compile(r"(?P<who>(?-i:[A-Z][a-z]+)) (?:is|was|(?-i:[a-z]+(?:ed|t|s))) .+", re.I)
