"""Clauses of an instruction and their readings, each after those before it.

A sentence is cut where a conjunction or a mark is followed by something that can begin a clause: a verb, or a
subject with its verb. Reasons, purposes, times and courtesies ("if possible") are skipped, and a courtesy may
be added; conditions change a request, no goal can hold them, and so they must not be read. Neither must words
that take a request back, put it off, or ask for something before it. How long a state is to last, and what
goes on with a request before, is noted in the readings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise, takewhile

from ..english import lexicon
from ..english.chunks import Chunk, acts, kinds, sentences
from ..english.lexicon import STATES
from ..english.phrases import NUMBERS, PEOPLE, SAID
from ..english.words import content_words, singular
from .forms import LASTS, remarks
from .frames import CONTEXT, Frame
from .requests import HELP, choices, frames
from .verb_rules import SWITCHES, is_person

MAX_CHARACTERS = 2000
"""Most characters of an instruction: each clause is read in the context of those before."""

MAX_CLAUSES = 24
_CHANGED = re.compile(
    r"(?is)\b(?:must|should|ought)\b[^.;!?]*\b(?:still|already|by now|somewhere|apparently|probably|because"
    r"|as far as|right(?=\?)|(?:i|we) (?:think|guess|believe|suppose|reckon))\b"
    r"|\b(?:maybe|perhaps|probably|apparently)\b[^.;!?]*\b(?:must|should|ought|wants?|needs?)\b"
    r"|\A(?!.*\b(?:throw|toss|trash|bin)).*\b(instead|rather)\b"
    r"|\b(now and then|or so|over and over|again and again)\b"
)
"""What somebody takes to be so ("it must be on by now"), what replaces a request, and how often it is meant.

What is thrown away may be replaced: "trash the apple and put a fresh one there instead".
"""
_WORKS = frozenset(
    "work working works function functions functioning run runs running ok okay fine operational".split()
)
"""Words for a machine that passes a test."""
_EVENTS = frozenset("after once when whenever while".split())
"""What begins a time or condition that nobody tells a robot of that starts at once."""
_REASONS = _EVENTS | frozenset("so because since before".split())
_FREE = HELP | {"you", "can", "have", "get", "ready", "free"}
_COURTESIES = frozenset("possible ok okay fine trouble convenient".split())
_TESTS = frozenset("see check test verify find tell confirm out know".split())
_SPANS = frozenset(
    "second moment minute hour day night week weekend month year while bit morning noon afternoon evening"
    " midnight monday tuesday wednesday thursday friday saturday sunday spring summer autumn winter season"
    " term holiday period spell session time duration age future good ever".split()
)
_BETWEEN = "kbhmsj"
"""Kinds of chunks between a noun and the verb of a relative clause about it."""
_SPEAKERS = (lexicon.SUBJECTS | {"it"}) - {"there"}
"""Subjects of a relative clause without "that": "the mug I left", "the lab it is addressed to"."""
_REDUCED = ("sd", "sv", "sf", "shd", "shv", "shm", "sbd", "sbg", "smv")
_SMELLS = frozenset("smell smells stink stinks reek reeks".split())
_TOLD = frozenset("want wants need needs like likes left forgot arrived delivered".split())
"""Verbs of what a scene does not say of a thing."""
_ALL = ("everything", "all", "anything", "something", "whatever")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause and its readings; none means that it was not understood."""

    text: str
    frames: tuple[Frame, ...]
    nouns: tuple[str, ...] = ()
    """The content words of its noun phrases, none of which may be left unread."""
    limit: str = ""
    """The first word in it that negates or restricts."""


@lru_cache(maxsize=256)
def read_clauses(instruction: str) -> tuple[Clause, ...]:
    """Cut an instruction into clauses and read each; an empty tuple for a text without words."""
    if (changed := _CHANGED.search(instruction)) is not None:
        return (Clause(instruction[:200], (), limit=next(filter(None, changed.groups()), "")),)
    clauses: list[Clause] = []
    for row in sentences(instruction):
        _read_sentence(row, clauses)
        if len(clauses) > MAX_CLAUSES:
            return (Clause(instruction[:200], ()),)
    clauses = [c for c in clauses if re.search(r"\w", c.text)]
    telling = [c for c in clauses if not (c.frames and all(f.verb == "nothing" for f in c.frames))]
    return tuple(telling or clauses)


def _read_sentence(row: Sequence[Chunk], clauses: list[Clause]) -> None:
    """Add the clauses of a sentence to those before it."""
    subject: Sequence[Chunk] = ()
    for part in parts(row, any(map(_asking, clauses))):
        clause = _read(part, subject, clauses)
        if _is_no_background(clause, part, clauses):
            clause = replace(clause, frames=_asking(clause))
        clauses.append(clause)
        subject = _subject(part) or subject


def _asking(clause: Clause) -> tuple[Frame, ...]:
    return tuple(f for f in clause.frames if f.verb not in CONTEXT)


def _is_no_background(clause: Clause, part: Sequence[Chunk], before: Sequence[Clause]) -> bool:
    """Return whether a clause must be read as a request or not at all, after those before it."""
    asking, states = bool(_asking(clause)), any(f.verb == "context" for f in clause.frames)
    if not any(map(_asking, before)):
        return False
    if asking:
        return not any(c.kind == "o" for c in part)
    waits = not states and "v" in kinds(part) and set(kinds(part)) <= set("cv,")  # "but wait"
    return waits or (states and not remarks(part))


def _read(part: Sequence[Chunk], subject: Sequence[Chunk], before: Sequence[Clause]) -> Clause:
    text = " ".join(c.text for c in part)
    readings = tuple(dict.fromkeys(frames(part, subject)))
    if any(f.mood == "not" for f in readings):
        # "do not close it" says how something just spoken of is left; anything else is a prohibition.
        after_request = bool(before) and bool(before[-1].frames) and before[-1].frames[0].verb not in CONTEXT
        spoken = (
            {q.head for f in before[-1].frames for p in f.mentioned for q in (p, *(w for _, w in p.places))}
            if after_request
            else set()
        )
        left = all(p.kind == "it" or p.head in spoken for f in readings for p in f.items)
        readings = tuple(replace(f, mood="") for f in readings) if after_request and left else ()
    last = before[-1].frames[0] if before and before[-1].frames else Frame("nothing")
    if not any(acts(c) or c.kind in "wbfmh" for c in part):
        readings = _verbless(part, readings, last)
    limit = next((c.text for c in part if c.kind == "x"), "")
    return Clause(text, _enduring(part, readings), _nouns(part), limit)


def _verbless(part: Sequence[Chunk], readings: tuple[Frame, ...], last: Frame) -> tuple[Frame, ...]:
    """The readings of a clause without a verb, which goes on with the request before: "and then off"."""
    switched = {c.base for c in part} & {"on", "off"}
    if switched and last.verb in ("on", "off"):  # "on and off" may be again and again
        then = any(c.base in ("then", "again") for c in part) and set(kinds(part)) <= set("cej,")
        return (Frame(min(switched), last.items),) if then else ()
    gapped = last.verb == "context" and kinds(part[:1]) == "c"
    one = kinds(part[:2]) == ",n" and part[1].base in ("the one", "the ones")
    return () if one or gapped else readings  # "Niko took the pen to the hall and the cup to the lab"


def _enduring(part: Sequence[Chunk], readings: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """Note in the frames of a clause that a state is to last; none for so many minutes."""
    if any(c.text.lower() in LASTS for c in part):  # "the fridge must stay closed": not only in the end
        return tuple(replace(f, mood="stay") if f.verb in SWITCHES else f for f in readings)
    span = any(p.base == "for" and c.kind == "n" and is_span(c) for p, c in pairwise(part))
    return () if span else readings  # no goal says how long


def _nouns(part: Sequence[Chunk]) -> tuple[str, ...]:
    """The content words of noun phrases, but for occasions and for who wishes: "Will needs it for a test"."""
    words: list[str] = []
    chosen = {i for at, c in enumerate(part) if c.base == "or" for i in choices(part, at)}
    for i, c in enumerate(part):
        purpose = i > 0 and part[i - 1].base == "for" and (is_span(c) or _is_occasion(c))
        wishes = i == 0 and is_person(c.text) and len(part) > 1 and part[1].kind in "wmhf"
        if c.kind == "n" and not purpose and not wishes and i not in chosen:
            words += [w for w in content_words(c.text) if w not in lexicon.POLITE]
    return tuple(words)


def _is_occasion(chunk: Chunk) -> bool:
    """Return whether somebody, a meal or an activity is what something is for, which no goal says."""
    word = chunk.text.lower().split()[-1]
    return is_person(chunk.text) or word.endswith("ing") or singular(word) in PEOPLE | _OCCASIONS


_OCCASIONS = frozenset("breakfast lunch dinner supper tea dessert sandwich party test guest".split())


def _subject(part: Sequence[Chunk]) -> Sequence[Chunk]:
    """The thing that a clause is about, for a clause after it that leaves it out."""
    at = next((i for i, c in enumerate(part) if c.kind in "bhmwtfdv"), 0)
    if at and all(c.kind in "nopc,j" for c in part[:at]) and any(c.kind == "n" for c in part[:at]):
        return [c for c in part[:at] if c.kind != "j"]
    return ()


# Cutting


def parts(row: Sequence[Chunk], requested: bool) -> Iterator[list[Chunk]]:
    """The clauses of a sentence as chunks; ``requested`` where something was asked for before it."""
    part: list[Chunk] = []
    row = folded(list(_of_use(_marked(row, requested))))
    at = 0
    while at < len(row):
        if row[at].kind == "i":
            at, kept = _Subordinate(row, at, part).read()
            part += kept
            continue
        joint = row[at].kind in "c,:" or (row[at].kind == "n" and row[at - 1].kind in "c,:")
        if part and joint and _begins(row, at, part):
            yield part
            part = []
        part.append(row[at])
        at += 1
    if part:
        yield part


def _marked(row: Sequence[Chunk], requested: bool) -> Iterator[Chunk]:
    """The chunks of a sentence, as unread where they change what is asked for."""
    for at, chunk in enumerate(row):
        changes = any(rule(row, at, requested) for rule in _CHANGES)
        yield Chunk("x", chunk.text, lexicon.UNREAD) if changes else chunk


def _of_use(row: Iterator[Chunk]) -> Iterator[Chunk]:
    """The chunks that are no courtesies."""
    return (c for c in row if c.kind != "j" or c.base in {*lexicon.TO_COME, "again"})


# Subordinate clauses


@dataclass(frozen=True)
class _Subordinate:
    """A subordinate clause of a row, after a part of a clause that was read."""

    row: Sequence[Chunk]
    at: int
    part: Sequence[Chunk]

    @cached_property
    def word(self) -> str:
        return self.row[self.at].base

    @cached_property
    def end(self) -> int:
        """Its end: a mark, or a conjunction after which something is asked for."""
        row = self.row
        asks = {
            i - (c.base != "but") for i, c in enumerate(row) if c.kind in "vx" or c.base in ("you", "but")
        }
        after = range(self.at + 1, len(row))
        ends = (i for i in after if row[i].kind in ",:" or (row[i].kind == "c" and i in asks))
        return next(ends, len(row))

    @cached_property
    def inside(self) -> Sequence[Chunk]:
        return self.row[self.at + 1 : self.end]

    @cached_property
    def heads(self) -> set[str]:
        """The last words of its noun phrases, in the singular."""
        return {singular((content_words(c.text) or [""])[-1]) for c in self.inside if c.kind in "no"}

    @cached_property
    def asks(self) -> bool:
        """Return whether it has something that who is spoken to does: "after you wash it"."""
        yours = self.inside[:1] and (
            self.inside[0].kind == "g" or self.inside[0].base in ("you", "someone", "somebody")
        )
        return bool(yours) and bool(self.heads - HELP) and any(map(acts, self.inside))

    def read(self) -> tuple[int, list[Chunk]]:
        """Return where to go on, and the chunks to read in its place.

        Reasons, purposes, times and courtesies are skipped. Conditions, and times that ask for something
        themselves, become a "not", which is not read.
        """
        texts = {w for c in self.inside for w in c.text.lower().split()}
        tested = self.part and self.part[-1].base in _TESTS and texts & _WORKS
        if self.word in ("whether", "if") and tested:
            return self.at + 1, [Chunk("i", "whether", "whether")]
        if self.word == "if" and self.asks and not any(map(acts, self.part)):
            return self.at + 1, []  # "I would appreciate it if you took the mug to the lab"
        if self.word in _REASONS:
            skipped = bool(self.inside) and not self.asks and not self.waits()
        else:
            polite = not texts or bool(texts & _COURTESIES) or texts <= {"you", "can"}
            skipped = self.word == "if" and polite
        return (self.end, []) if skipped else (self.at + 1, [Chunk("x", self.row[self.at].text, "if")])

    def waits(self) -> bool:
        """Return whether it is a time that no goal holds: "after Niko leaves", "before the banana".

        Nor is left out what the robot could do: "before the apple is put there", "before going to X".
        """
        if self.word == "before":
            inside = self.inside
            leads = [c for c in inside if any(map(lexicon.base, c.text.lower().split()))]
            brought_about = any(lexicon.meanings(c.base) or c.base in STATES for c in inside)
            return not leads or inside[0].kind in "cm" or (brought_about and "b" in kinds(inside))
        return self.word in _EVENTS and not self.is_kept()

    def is_kept(self) -> bool:
        """Return whether a time is that of a state of what is asked for, or goes with no request.

        "Once they are warm", "while you are there", "when you have time"; "to play after lunch".
        """
        inside = self.inside
        words = [w for c in inside for w in content_words(c.text)]
        if inside[0].base == "you" and (self.word == "while" or _FREE.issuperset(words)):
            return True
        itself = inside[0].base in ("it", "they", "this", "that") and "b" in kinds(inside)
        if itself and words and words[-1] in STATES:
            return True
        return self.word == "after" and bool(self.part) and not any(c.kind in "no" for c in self.part)


# Words that change a request


def _hides(row: Sequence[Chunk], at: int, _: bool) -> bool:
    """Return whether a reason or time holds a request, or may: "so that I can sit and close it"."""
    if row[at].kind != "i":
        return False
    end = _Subordinate(row, at, ()).end
    inside = [c for c in row[at + 1 : end] if c.kind != "j"]
    could = any(c.kind in "mt" for c in inside) and kinds(row[end : end + 2]) == "cv"
    leads = at == 0 and kinds(row[end : end + 1]) in ("", "c")  # "because it cries turn it on and .."
    asks = any(c.kind in "noreadgfv" and d.kind == "v" for c, d in pairwise(inside))
    return could or leads or asks or any(c.kind == "x" and c.base != "not" for c in inside)


def _put_off(row: Sequence[Chunk], at: int, _: bool) -> bool:
    """Return whether a time to come is said, or one to wait for; "by tonight" is none."""
    return row[at].base in lexicon.TO_COME and not (at and row[at - 1].base == "by")


def is_span(chunk: Chunk) -> bool:
    """Return whether a noun phrase is a span of time, which no goal holds: "for two minutes"."""
    words = chunk.text.lower().split()
    return singular(words[-1]) in _SPANS or words[-1] in NUMBERS


def _points_nowhere(row: Sequence[Chunk], at: int, requested: bool) -> bool:
    """Return whether "there" stands behind a place and no place was said before: "on the desk there"."""
    before = kinds(row[:at])
    return row[at].base == "there" and before.endswith("pn") and not (requested or "pn" in before[:-2])


def _against_the_order(row: Sequence[Chunk], at: int, requested: bool) -> bool:
    """Return whether a word takes back what was asked for before, or asks for something before it.

    "Close it, but first .."; "put it there, sorry, ..". No goal holds an order: requests are read as said.
    """
    word = row[at].text.lower()
    start = next((i + 1 for i in reversed(range(at)) if row[i].kind in "c,:"), 0)
    if not requested and not any(map(acts, row[:start])):
        return False
    if word in ("first", "before"):
        return True
    taken_back = word.split()[0] in lexicon.TAKES_BACK
    return taken_back and kinds(row[start:at]) in ("", "s", "sm")


_CHANGES = (_put_off, _against_the_order, _hides, _points_nowhere)

# Where clauses begin

_STARTS = re.compile("[vzfs]|tv|xv|m[xsvn]")


def _begins(row: Sequence[Chunk], at: int, part: Sequence[Chunk]) -> bool:
    """Return whether a clause can begin here, after a conjunction or a mark."""
    rest = row[at + len(list(takewhile(lambda c: c.kind in "c,:j", row[at:]))) :]
    letters = kinds(rest)
    if not rest or _STARTS.match(letters):
        return bool(rest)
    first, before = rest[0], kinds(part)
    did = any(acts(c) or c.kind in "wbfmh" for c in part)
    match first.kind:
        case "e":
            return _switches(first) and (did or any(map(_switches, part)))
        case "g":
            return did and "g" in before
        case "d" | "x" | "m" | "h":
            return did
        case "n" if not did:  # "coffee to Niko, scissors to Tobi"
            return "p" in letters and _ends_in_a_place(part)
        case "n" | "o":
            return did and _goes_on(rest, part)
    return False


def _switches(chunk: Chunk) -> bool:
    return chunk.kind == "e" and chunk.base in ("on", "off")


def _goes_on(rest: Sequence[Chunk], part: Sequence[Chunk]) -> bool:
    """Return whether things after a clause have a verb of their own, or a place where they go."""
    letters = kinds(rest)
    verb = len(letters) - len(letters.lstrip("nopc,j"))
    if letters[verb : verb + 1] in tuple("bmwfh") and letters[verb - 1] != "p":
        return True
    left = letters[verb : verb + 1] == "d" and rest[verb].base in ("leave", "put", "wash")
    if left and any(c.kind in "wm" for c in part):
        return "d" in kinds(part)
    # "Bring the phone to Filipe and the scissors to Tobi."
    reaches = letters[:2] in ("np", "no") and rest[1].base in ("to", "in", "on", "at", "for")
    return reaches and _ends_in_a_place(part) and _sends(part)


def _ends_in_a_place(part: Sequence[Chunk]) -> bool:
    """Return whether a clause ends in a place or person, so that a list of things cannot go on."""
    letters = kinds([c for c in part if c.kind not in "j"])
    ends = letters[-2:] in ("pn", "pr", "po") and "n" in letters[:-1]
    return (len(part) > 2 and ends) or letters.endswith("pnk")


def _sends(part: Sequence[Chunk]) -> bool:
    """Return whether a clause says where something goes."""
    verb = next((c for c in part if acts(c)), None)
    goes = any(c.kind == "p" and c.base in ("to", "in", "on", "at", "for") for c in part)
    carries = {"put", "give", "get", "store", "throw"}
    return goes and (verb is None or not carries.isdisjoint(lexicon.meanings(verb.base)))


# Relative clauses, as describing words and places of their nouns


def folded(row: Sequence[Chunk]) -> list[Chunk]:
    """A row of chunks without relative clauses."""
    result: list[Chunk] = []
    at = 0
    while at < len(row):
        result.append(row[at])
        at += 1
        follows = kinds(row[at : at + 3])
        reduced = follows.startswith(_REDUCED) and row[at].base in _SPEAKERS
        if result[-1].kind in ("n", "o") and (follows.startswith("k") or reduced):
            at = _fold(result, row, at)
    return result


def _fold(result: list[Chunk], row: Sequence[Chunk], at: int) -> int:
    """Describe a noun by the relative clause after it; return where to go on reading."""
    here = next((i for i in range(at, len(row)) if row[i].kind not in _BETWEEN), len(row))
    between, follows = row[at:here], kinds(row[here + 1 : here + 3])
    if result[-1].base.startswith("any "):  # one of those that are so, or each: not said
        result.append(Chunk("x", "that", lexicon.UNREAD))
    if here == len(row):
        return here
    verb = row[here]
    if kinds(row[at : here + 1]).startswith("shm"):  # "all the kale we have"
        return at + 2
    if verb.kind == "p":
        alone = [c.base for c in result[-2:-1]] != ["of"] and row[at].kind == "k"
        if not alone or follows[:1] != "n":
            return here
        where = f"{result[-1].text} {verb.base} {row[here + 1].text}"  # its own place
        result[-1] = Chunk("n", where, result[-1].base)
        return here + 2
    noun = _described(result) if "b" in kinds(between) and "s" not in kinds(between) else -1
    if verb.base in _SMELLS:
        _describe(result, noun, "smelly")
    elif verb.kind in "dgvf":
        return here + _fold_verb(result, noun, verb, follows)
    elif verb.kind in "nae" and (follows[:1] not in tuple("bmhw") or "b" in kinds(between)):
        _describe(result, noun, verb.text.lower())
    else:
        return at
    return here + 1


def _fold_verb(result: list[Chunk], noun: int, verb: Chunk, follows: str) -> int:
    """Describe a noun by the verb of a relative clause; return how many chunks that takes."""
    if follows in ("pn", "po"):
        return 1
    if follows[:1] == "p" or (follows[:1] == "e" and follows[1:] not in ("n", "o")):
        _describe(result, noun, "correct")
        return 2
    ends = follows[:1] in ("", *",c:mbwhj")
    _describe(result, noun, verb.text.lower() if ends else SAID)
    return 1


def _described(row: Sequence[Chunk]) -> int:
    """Return which noun a relative clause is about: "everything on the table that is dirty", or the last."""
    at = len(row) - 1
    while at >= 2 and kinds(row[at - 2 : at]) == "np" and row[at - 1].base != "of":
        at -= 2
    return at if row[at].text.lower() in _ALL else -1


def _describe(row: list[Chunk], at: int, word: str) -> None:
    row[at] = Chunk("n", described(row[at].text, SAID if word in _TOLD else word), row[at].base)


def described(text: str, word: str) -> str:
    """A noun phrase with one more describing word, after its determiners."""
    words = text.split()
    first = words[0].lower()
    if first in _ALL and not words[1:]:
        return f"all {word} things" if first != "something" else f"a {word} thing"
    lead = list(takewhile(lambda w: w.isdigit() or w.lower() in lexicon.DETERMINERS, words[:-1])) or ["the"]
    return " ".join([*lead, word, *(words[len(lead) :] if words[0] in lead else words)])
