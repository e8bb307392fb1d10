"""Clauses of an instruction: where one request ends and the next begins.

A sentence is cut where a conjunction or a mark is followed by something that can begin a clause: a verb, or a
subject with its verb. Relative clauses become describing words and places first. Reasons, purposes, times and
courtesies ("if possible") are skipped, and a courtesy may be added; conditions change a request, no goal can
hold them, and so they must not be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, takewhile

from ..english import lexicon
from ..english.chunks import Chunk, acts, kinds, sentences
from ..english.lexicon import STATES
from ..english.phrases import NUMBERS, PEOPLE, SAID, is_speaker
from ..english.words import content_words, is_plural, singular
from .background import LASTS, refers, remarks, runs_on, tenses
from .coordination import governed, ungapped
from .frames import CONTEXT, Frame
from .requests import HELP, choices, frames
from .senses import SWITCHES, is_person

_BETWEEN = "kbhmsj"
_SPEAKERS = (lexicon.SUBJECTS | {"it"}) - {"there"}
"""Subjects of a relative clause without "that": "the mug I left", "the lab it is addressed to"."""


def folded(row: Sequence[Chunk]) -> list[Chunk]:
    """A row of chunks without relative clauses."""
    folded_row: list[Chunk] = []
    at = 0
    while at < len(row):
        chunk = row[at]
        folded_row.append(chunk)
        at += 1
        if chunk.kind not in ("n", "o"):
            continue
        after = "".join(c.kind for c in row[at : at + 5])
        reduced = after[:1] == "s" and row[at].base in _SPEAKERS and (
            after[1:2] in ("d", "v", "f") or after[1:3] in ("hd", "hv", "hm", "bd", "bg", "mv"))  # fmt: skip
        if not after.startswith("k") and not reduced:
            continue
        here = at
        while here < len(row) and row[here].kind in _BETWEEN:
            here += 1
        noun = _described_noun(folded_row, row[at:here])
        verb = row[here] if here < len(row) else None
        if folded_row[noun].base.startswith("any "):  # one of those that are so, or each: not said
            folded_row.append(Chunk("x", "that", lexicon.UNREAD))
        follows = row[here + 1].kind if here + 1 < len(row) else ""
        alone = noun == len(folded_row) - 1 and folded_row[noun - 1].base != "of"
        if verb is None or kinds(row[at : here + 1]).startswith("shm"):  # "all the kale we have"
            at = here if verb is None else at + 2
        elif verb.kind == "p":
            if follows == "n" and row[at].kind == "k" and alone:
                where = f"{folded_row[noun].text} {verb.base} {row[here + 1].text}"  # its own place
                folded_row[noun] = Chunk("n", where, folded_row[noun].base)
                at = here + 2
            elif follows in ("n", "o", "r"):
                at = here
            else:  # "the lab it is for"
                _describe(folded_row, noun, "correct")
                at = here + 1
        elif verb.base in ("smell", "smells", "stink", "stinks", "reek", "reeks"):
            _describe(folded_row, noun, "smelly")
            at = here + 1
        elif verb.kind in "dgvf":
            if follows == "p" and here + 2 < len(row) and row[here + 2].kind in ("n", "o"):
                at = here + 1
            elif follows in ("p", "e") and (here + 2 == len(row) or row[here + 2].kind not in ("n", "o")):
                _describe(folded_row, noun, "correct")
                at = here + 2
            else:
                ends = follows in ("", ",", "c", ":", "m", "b", "w", "h", "j")
                _describe(folded_row, noun, verb.text.lower() if ends else SAID)
                at = here + 1
        elif verb.kind in ("n", "a", "e") and (
            follows not in ("b", "m", "h", "w") or any(c.kind == "b" for c in row[at:here])
        ):
            _describe(folded_row, noun, verb.text.lower())
            at = here + 1
    return folded_row


def _described_noun(row: Sequence[Chunk], between: Sequence[Chunk]) -> int:
    """Return which noun of a row a relative clause after it describes: the last that agrees in number.

    "Everything on the table that is dirty" and "the mugs in the kitchen that are dirty" speak of what is
    there, and of no dirty table or kitchen. ``between`` leads to the verb of the relative clause.
    """
    last = len(row) - 1
    if any(c.kind == "s" for c in between) or not any(c.kind == "b" for c in between):
        return last  # "the lab it is for"
    plural = any(c.base in ("are", "were") for c in between)
    at = last
    while at >= 2 and row[at - 1].kind == "p" and row[at - 2].kind == "n" and row[at - 1].base != "of":
        if _is_many(row[at]) == plural and row[at - 2].text.lower() not in _ALL:
            break
        at -= 2
    return at if _is_many(row[at]) == plural else last


_TOLD = frozenset("want wants need needs like likes left forgot arrived delivered".split())
"""Verbs of what a scene does not say of a thing."""
_ALL = ("everything", "anything", "something", "whatever")


def _is_many(chunk: Chunk) -> bool:
    words = chunk.text.lower().split()
    return words[0] in ("these", "those", "both", "they", "them") or is_plural(words[-1])


def _describe(row: list[Chunk], at: int, word: str) -> None:
    row[at] = Chunk("n", described(row[at].text, SAID if word in _TOLD else word), row[at].base)


def described(text: str, word: str) -> str:
    """A noun phrase with one more describing word, after its determiners."""
    words = text.split()
    first = words[0].lower()
    if first in ("everything", "all", "anything", "something", "whatever") and not words[1:]:
        return f"all {word} things" if first != "something" else f"a {word} thing"
    lead = list(takewhile(lambda w: w.isdigit() or w.lower() in lexicon.DETERMINERS, words[:-1])) or ["the"]
    return " ".join([*lead, word, *(words[len(lead) :] if words[0] in lead else words)])


MAX_CHARACTERS = 2000
"""Most characters of an instruction: each clause is read in the context of those before."""

MAX_CLAUSES = 24
WORKS = frozenset(
    "work working works function functions functioning run runs running ok okay fine operational".split()
)
"""Words for a machine that passes a test."""
_EVENTS = frozenset("after once when whenever while".split())
"""What begins a time or condition that nobody tells a robot of that starts at once."""
_REASONS = _EVENTS | frozenset("so because since as before".split())
_FREE = frozenset(
    "you ll ve are re be is it s can could may have has had get got find a the some time chance moment minute"
    " second opportunity free ready able there able to around at convenience of by next please ever ever in"
    " would d like want for that this do so".split()
)
_COURTESIES = frozenset("possible ok okay fine trouble convenient".split())
_TESTS = frozenset("see check test verify find tell confirm out know".split())


_SUPPOSED = re.compile(
    r"(?i)\b(?:must|should|ought)\b[^.;!?]*\b(?:still|already|by now|somewhere|apparently|probably|because"
    r"|as far as|right(?=\?)|(?:i|we) (?:think|guess|believe|suppose|reckon))\b"
    r"|\b(?:maybe|perhaps|probably|apparently)\b[^.;!?]*\b(?:must|should|ought|wants?|needs?)\b"
)
"""What somebody takes to be so, and does not ask for: "it must be on by now"."""


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
    clauses: list[Clause] = []
    if _SUPPOSED.search(instruction):
        return (Clause(instruction[:200], ()),)
    for row in sentences(instruction):
        subject: Sequence[Chunk] = ()
        cut = [ungapped(p) for p in _parts(row, any(map(_asking, clauses)))]
        shared = {id(p) for pieces in cut if len(pieces) > 1 for p in pieces}
        for part in governed(p for pieces in cut for p in pieces):
            clause = _read(part, subject, clauses)
            if id(part) in shared or _is_no_background(clause, part, clauses):
                clause = replace(clause, frames=_asking(clause))
            clauses.append(clause)
            subject = _subject(part) or subject
            if len(clauses) > MAX_CLAUSES:
                return (Clause(instruction[:200], ()),)
    clauses = [c for c in clauses if re.search(r"\w", c.text)]
    telling = [c for c in clauses if not (c.frames and all(f.verb == "nothing" for f in c.frames))]
    return tuple(_of_use(c, telling[i + 1 :], telling) for i, c in enumerate(telling)) or tuple(clauses)


def _of_use(clause: Clause, later: Sequence[Clause], clauses: Sequence[Clause]) -> Clause:
    """A clause that only lists things, beside requests, as what a later one is about; else not read."""

    def lists(each: Clause) -> bool:
        return any(f.verb == "list" for f in each.frames)

    if not lists(clause) or not any(_asking(c) and not lists(c) for c in clauses):
        return clause
    meant = any(p.kind == "it" for c in later for f in c.frames for p in (*f.items, f.to) if p)
    return replace(clause, frames=tuple(f for f in clause.frames if f.verb == "list" and meant))


def _asking(clause: Clause) -> tuple[Frame, ...]:
    return tuple(f for f in clause.frames if f.verb not in CONTEXT)


def _is_no_background(clause: Clause, part: Sequence[Chunk], before: Sequence[Clause]) -> bool:
    """Return whether a clause must be read as a request or not at all, after those before it."""
    asking, states = bool(_asking(clause)), any(f.verb == "context" for f in clause.frames)
    body = [c for c in part if c.kind not in "c,:j"]
    if states and not asking and (runs_on(part) or (not before and refers(body))):
        return True
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
        # "do not close it" says how something just spoken of is left; alone, it is a prohibition.
        after_request = bool(before) and bool(before[-1].frames) and before[-1].frames[0].verb not in CONTEXT
        readings = tuple(replace(f, mood="") for f in readings) if after_request else ()
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
    if one or gapped or (last.to is None and any(f.verb == "apart" for f in readings)):
        return ()  # "Niko took the pen to the hall and the cup to the lab"; "not in the oven"
    fetched = last.verb in ("give", "hold") and (last.to is None or is_speaker(last.to))
    wished = next((f for f in readings if f.verb == "give" and is_speaker(f.to)), None)
    if wished is not None and last.verb not in CONTEXT and not fetched:
        # "Turn on the lamp. Also the radio." "Bring it to Niko. Also the pen.": to him or to me is not said
        return (replace(last, items=wished.items),) if last.to is None else ()
    return readings


def _enduring(part: Sequence[Chunk], readings: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """Note in the frames of a clause how long a state is to last; none for so many minutes."""
    spans = (c.base for p, c in pairwise(part) if p.base == "for" and c.kind == "n" and _lasting(c))
    span = next(spans, "")
    if any(c.text.lower() in LASTS for c in part):
        mood = "stay"  # "the fridge must stay closed": not only in the end
        readings = tuple(Frame("stay", f.items) if _is_left(f) else f for f in readings)
    elif span.startswith("a "):
        if any(f.verb not in CONTEXT and f.verb not in {*SWITCHES, "hold"} and f.items for f in readings):
            return ()  # "put it there for a moment": where it goes then is not said
        mood = "brief"  # "turn it on for a minute"
    else:
        return () if span else readings  # no goal says how long
    return tuple(replace(f, mood=mood) if f.verb in SWITCHES else f for f in readings)


def _is_left(frame: Frame) -> bool:
    """Return whether a frame of what stays is about a thing: "let the pillow stay (there)"."""
    there = frame.verb == "put" and str(frame.to) == "there"
    return there or (frame.verb == "hold" and frame.items[0].kind != "it")


def _nouns(part: Sequence[Chunk]) -> tuple[str, ...]:
    """The content words of noun phrases, but for occasions and for who wishes: "Will needs it for a test"."""
    words: list[str] = []
    chosen = {i for at, c in enumerate(part) if c.base == "or" for i in choices(part, at)}
    for i, c in enumerate(part):
        purpose = i > 0 and part[i - 1].base == "for" and (_lasting(c) or _is_occasion(c))
        wishes = i == 0 and is_person(c.text) and len(part) > 1 and part[1].kind in "wmhf"
        if c.kind == "n" and not purpose and not wishes and i not in chosen:
            words += [w for w in content_words(c.text) if w not in lexicon.POLITE]
    return tuple(words)


def _lasting(chunk: Chunk) -> bool:
    """Return whether a noun phrase is a span of time, which no goal holds: "for two minutes"."""
    words = chunk.text.lower().split()
    return singular(words[-1]) in _SPANS or words[-1] in NUMBERS


def _is_occasion(chunk: Chunk) -> bool:
    """Return whether somebody, a meal or an activity is what something is for, which no goal says."""
    word = chunk.text.lower().split()[-1]
    return is_person(chunk.text) or word.endswith("ing") or singular(word) in PEOPLE | _OCCASIONS


_OCCASIONS = frozenset("breakfast lunch dinner supper tea dessert sandwich party test guest".split())
_SPANS = frozenset(
    "second moment minute hour day night week weekend month year while bit morning noon afternoon evening"
    " midnight monday tuesday wednesday thursday friday saturday sunday spring summer autumn winter season"
    " term holiday period spell session time duration age future good ever".split()
)


def _subject(part: Sequence[Chunk]) -> Sequence[Chunk]:
    """The thing that a clause is about, for a clause after it that leaves it out."""
    at = next((i for i, c in enumerate(part) if c.kind in "bhmwtfdv"), 0)
    if at and all(c.kind in "nopc,j" for c in part[:at]) and any(c.kind == "n" for c in part[:at]):
        return [c for c in part[:at] if c.kind != "j"]
    return ()


def _unfronted(row: list[Chunk]) -> list[Chunk]:
    """A sentence with a place that stands before its verb moved behind the object.

    "From the sink, take the cup to the desk" takes the cup from the sink. Of "in" and "on" this is known only
    where no other place is said.
    """
    front = re.match(r"(?:pn)+,(?=v)", kinds(row))
    if front is None:
        return row
    place, rest = row[: front.end() - 1], row[front.end() :]
    ends = (i for i in range(1, len(rest)) if rest[i].kind in "c,:" and _begins(rest, i + 1, rest[:i]))
    end = next(ends, len(rest))
    thing = next((i for i, c in enumerate(rest[:end]) if c.kind in "no"), None)
    source = all(c.base in ("from", "in", "on", "at") for c in place if c.kind == "p") and (
        place[0].base == "from" or not any(c.kind == "p" for c in rest[:end])
    )
    if thing is None or not source:
        return row
    return [*rest[: thing + 1], *place, *rest[thing + 1 :]]


def _parts(row: Sequence[Chunk], requested: bool) -> Iterator[list[Chunk]]:
    """The clauses of a sentence as chunks; ``requested`` where something was asked for before it."""
    part: list[Chunk] = []
    rules = (_put_off, _against_the_order, _hides, _trails, _points_nowhere)
    unread = {i for i in range(len(row)) if any(rule(row, i, requested) for rule in rules)}
    row = [Chunk("x", c.text, lexicon.UNREAD) if i in unread else c for i, c in enumerate(row)]
    row = _unfronted(folded([c for c in row if c.kind != "j" or c.base in {*lexicon.TO_COME, "again"}]))
    at = 0
    while at < len(row):
        chunk = row[at]
        if chunk.kind == "i":
            end, kept = _subordinate(row, at, part)
            part = [*part, *kept]
            at = end
            continue
        joint = chunk.kind in "c,:" or (chunk.kind == "n" and row[at - 1].kind in "c,:")
        if part and joint and _begins(row, at, part):
            yield part
            part = []
        part.append(chunk)
        at += 1
    if part:
        yield part


def _subordinate(row: Sequence[Chunk], at: int, part: Sequence[Chunk]) -> tuple[int, list[Chunk]]:
    """Return the end of a subordinate clause, and the chunks to read in its place.

    Reasons, purposes, times and courtesies are skipped. Conditions, and times that ask for something
    themselves ("after you wash it"), become a "not", which is not read.
    """
    word, end = row[at].base, _reason_ends(row, at)
    inside = row[at + 1 : end]
    texts = {w for c in inside for w in c.text.lower().split()}
    heads = {singular((content_words(c.text) or [""])[-1]) for c in inside if c.kind in "no"}
    yours = bool(inside) and (inside[0].kind == "g" or inside[0].base in ("you", "someone", "somebody"))
    asks = yours and bool(heads - HELP) and any(acts(c) for c in inside)
    if word in ("whether", "if") and part and part[-1].base in _TESTS and texts & WORKS:
        return at + 1, [Chunk("i", "whether", "whether")]
    if word == "if" and asks and not any(acts(c) for c in part):
        return at + 1, []  # "I would appreciate it if you took the mug to the lab"
    if word in _REASONS:
        skipped = bool(inside) and not asks and not _tells(word, inside, heads, part)
    else:
        skipped = word == "if" and (not inside or bool(texts & _COURTESIES) or texts <= {"you", "can"})
    return (end, []) if skipped else (at + 1, [Chunk("x", row[at].text, "if")])


def _tells(word: str, inside: Sequence[Chunk], heads: Set[str], part: Sequence[Chunk]) -> bool:
    """Return whether a time or comparison says what no goal holds, so that it must not be left out.

    "When will you ..?", "after Niko leaves"; "as far away as possible", "as opposed to opening it".
    """
    if word == "as":
        named = kinds(inside) == "n" and inside[0].base.startswith(("a ", "an "))
        return named or not (tenses(inside) or kinds(inside) in ("", "n"))  # "as a present"
    if word.startswith("when") and kinds(inside[:1]) in ("m", "b"):
        return True
    if word in _EVENTS and inside and not _is_free(inside, heads) and not _is_kept(word, inside, part):
        return True
    happens = any(c.kind in "bhmw" or any(map(lexicon.base, c.text.lower().split())) for c in inside)
    return word == "before" and not happens  # no order: "before the banana"


def _reason_ends(row: Sequence[Chunk], at: int) -> int:
    """The end of a subordinate clause: a mark, or a conjunction after which something is asked for."""
    asks = {i - (c.base != "but") for i, c in enumerate(row) if c.kind in "vx" or c.base in ("you", "but")}
    ends = (i for i in range(at + 1, len(row)) if row[i].kind in ",:" or (row[i].kind == "c" and i in asks))
    return next(ends, len(row))


def _hides(row: Sequence[Chunk], at: int, _: bool) -> bool:
    """Return whether a reason or time holds a request, or may: "so that I can sit and close it"."""
    end = _reason_ends(row, at)
    inside = [c for c in row[at + 1 : end] if c.kind != "j"]
    could = any(c.kind in "mt" for c in inside) and kinds(row[end : end + 2]) == "cv"
    leads = at == 0 and kinds(row[end : end + 1]) == "c"  # "because it cries turn it on and .."
    return row[at].kind == "i" and (could or leads or runs_on(inside))


def _is_free(inside: Sequence[Chunk], heads: Set[str]) -> bool:
    """Return whether a time or condition is none to wait for, since who is asked is free to choose it.

    "When you can", "once you have time", "when possible". No goal holds any other.
    """
    words = {w for c in inside for w in content_words(c.text)}
    if words & _COURTESIES and not words - _COURTESIES - _FREE:
        return True
    return inside[0].base == "you" and heads - {"you"} <= _FREE and words <= _FREE


def _is_kept(word: str, inside: Sequence[Chunk], part: Sequence[Chunk]) -> bool:
    """Return whether a time is that of a state of what is asked for, or goes with no request.

    "Once they are warm", "tastes awful when it's warm"; "while you are there"; "we want to play after lunch".
    """
    words = [w for c in inside for w in content_words(c.text)]
    if word == "while":
        return inside[0].base == "you"
    itself = inside[0].base in ("it", "they", "this", "that") and any(c.kind == "b" for c in inside)
    if itself and bool(words) and words[-1] in STATES:
        return True
    return word == "after" and bool(part) and not any(c.kind in "no" for c in part)


def _put_off(row: Sequence[Chunk], at: int, _: bool) -> bool:
    """Return whether a time to come is said, or one to wait for; "by tonight" is none."""
    if row[at].base == "wait" and at + 1 < len(row) and row[at + 1].kind in "nj":
        return _lasting(row[at + 1])
    return row[at].base in lexicon.TO_COME and not (at and row[at - 1].base == "by")


def _trails(row: Sequence[Chunk], at: int, _: bool) -> bool:
    """Return whether "and" or "or" joins nothing but adverbs: "now and then", "or so"."""
    end = next((i for i in range(at + 1, len(row)) if row[i].kind != "j" and row[i].base != "then"), len(row))
    follows = kinds(row[end : end + 1])
    goes_on = row[at - 1 : at] and row[at - 1].kind != "j" and row[end - 1].base == "then"
    alone = follows in ("", ":") or (follows == "," and not goes_on) or kinds(row[:at]) == "j"
    return row[at].base in ("and", "or") and end > at + 1 and alone


def _points_nowhere(row: Sequence[Chunk], at: int, requested: bool) -> bool:
    """Return whether "there" stands behind a place and no place was said before: "on the desk there"."""
    before = kinds(row[:at])
    return row[at].base == "there" and before.endswith("pn") and not (requested or "pn" in before[:-2])


def _against_the_order(row: Sequence[Chunk], at: int, requested: bool) -> bool:
    """Return whether a word takes back what was asked for before, or asks for something before it.

    "Close it, but first .."; "put it there, sorry, ..". No goal holds an order: requests are read as said.
    """
    word = row[at].text.lower()
    again = len(row) > at + 2 and row[at].kind in "je" and row[at + 1].kind in "cp"
    if word in ("beforehand", "far") or (again and word == row[at + 2].base):  # "over and over"
        return True
    follows = kinds(row[at + 1 : at + 2])
    if word == "instead" or (word == "rather" and follows in ("", ",")):  # it takes a request back
        thrown = any({"away", "throw"} & {*lexicon.meanings(c.base)} for c in row[:at])
        return follows == "p" or not thrown  # but what is thrown away may be replaced
    if word == "before" and at and row[at - 1].kind != "c":
        return False
    start = next((i + 1 for i in reversed(range(at)) if row[i].kind in "c,:"), 0)
    begins_at = at + 2 if follows == "," else at  # "but first, open it"
    end = next((i for i in range(begins_at, len(row)) if row[i].kind in "c,:"), len(row))
    requested_before = requested or any(acts(c) for c in row[:start])
    if word == "first":
        listed = any(c.base in ("then", "next", "afterwards") for c in row[end : end + 3])
        return requested_before and not listed and any(acts(c) for c in row[start:end])
    begins = kinds(row[start:at]) in ("", "s", "sm")
    return requested_before and begins and word.split()[0] in {*lexicon.TAKES_BACK, "before"}


def _begins(row: Sequence[Chunk], at: int, part: Sequence[Chunk]) -> bool:
    """Return whether a clause can begin here, after a conjunction or a mark."""
    while at < len(row) and row[at].kind in "c,:j":
        at += 1
    if at >= len(row):
        return False
    letters = kinds(row[at:])
    did = any(acts(c) or c.kind in "wbfmh" for c in part)
    first = row[at]
    if first.kind in "vzf" or letters.startswith(
        ("tv", "mx", "ms", "xv", "mv", "sm", "sw", "sb", "sh", "sd", "sv", "sf", "mn")
    ):
        return True
    switched = did or any(c.kind == "e" and c.base in ("on", "off") for c in part)
    if first.kind == "s" or (first.kind == "e" and first.base in ("on", "off") and switched):
        return True
    if first.kind == "g":
        return did and any(c.kind == "g" for c in part)
    if first.kind in "dxmh":
        return did
    if not did or first.kind not in "no":
        # "coffee to Niko, scissors to Tobi"
        return first.kind == "n" and not did and _placed(part) and "p" in letters
    i = at
    while i < len(row) and row[i].kind in "nopc,j":
        i += 1
    finite = i < len(row) and row[i].kind in "bmwfh" and row[i - 1].kind != "p"
    if finite:
        return True
    done = i < len(row) and row[i].kind == "d" and row[i].base in ("leave", "put", "wash")
    if done and any(c.kind in "wm" for c in part):
        return any(c.kind == "d" for c in part)
    # "Bring the phone to Filipe and the scissors to Tobi."
    reaches = kinds(row[at : at + 2]) in ("np", "no") and row[at + 1].base in ("to", "in", "on", "at", "for")
    return _placed(part) and reaches and _sent(part)


def _placed(part: Sequence[Chunk]) -> bool:
    """Return whether a clause ends in a place or person, so that a list of things cannot go on."""
    letters = kinds([c for c in part if c.kind not in "j"])
    ends = letters[-2:] in ("pn", "pr", "po") and "n" in letters[:-1]
    return (len(part) > 2 and ends) or letters.endswith("pnk")


def _sent(part: Sequence[Chunk]) -> bool:
    """Return whether a clause says where something goes."""
    verb = next((c for c in part if acts(c)), None)
    goes = any(c.kind == "p" and c.base in ("to", "in", "on", "at", "for") for c in part)
    carries = {"put", "give", "get", "store", "throw"}
    return goes and (verb is None or not carries.isdisjoint(lexicon.meanings(verb.base)))
