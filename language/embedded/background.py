"""Frames for what a clause only speaks of, and for things that must not be at a place.

A statement asks for nothing, and a request after it may be about what it speaks of. What may be told beside a
request is the closed list :data:`STATEMENTS`: any other clause might take the request back, or change it.
Forms of requests are in ``forms.py``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..english import lexicon
from ..english.chunks import STATES, Chunk
from ..english.phrases import NUMBERS, Phrase
from ..english.words import lemma
from .arguments import arguments, phrase, plain
from .forms import letters
from .frames import Background, Frame


def phrases_of(after: Sequence[Chunk]) -> Phrase | None:
    args = arguments(after)
    if not args.slots:
        return None
    return phrase(args.slots[0].nouns[0], [(s.prep, s.nouns[0]) for s in args.slots[1:]])


STAYING = frozenset({"stay", "stays", "remain", "remains"})
LASTS = STAYING | {"keep", "keeps", "kept"}


@dataclass(frozen=True)
class Statement:
    """A shape of clauses that ask for nothing; words in named groups have to pass :data:`_WORDS`.

    One that ``remarks`` may also stand after a request, which it leaves as it is. One that ``refers`` has a
    pronoun for its subject, so that something was said before it.
    """

    shape: str
    example: str
    remarks: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.shape.replace("ITEM", "(?:n(?:pn)*)"))

    def fits(self, clause: Sequence[Chunk]) -> bool:
        match = self.pattern.fullmatch(_told(clause))
        return match is not None and all(
            allowed(clause[match.start(group)])
            for group, allowed in _WORDS.items()
            if match.groupdict().get(group) is not None
        )


_OWN = frozenset({"his", "her", "their"})
_STATES = STATES | frozenset("stale rotten smelly sticky dusty disgusting dripping leaking wet loud".split())
"""Words for what a pronoun is said to be like; any other may say what the request is worth."""
_BEFELL = frozenset("spill drop knock get eat lose skip drink break take".split())
_BUSY = frozenset("make doing having expect host throw cook bake get".split())
_FEELS = frozenset("starve freeze sweat".split())


_WORDS: Mapping[str, Callable[[Chunk], bool]] = {
    "some": lambda c: not lexicon.DETERMINERS - set(NUMBERS) - {"a", "an", "some"} & {c.base.split()[0]},
    "own": lambda c: c.base.split()[0] in _OWN and " " in c.base,
    "mine": lambda c: c.base.split()[0] in ("my", "our"),
    "at": lambda c: c.base in ("in", "on", "at", "under", "over", "for"),
    "goes": lambda c: c.base == "go",
    "busy": lambda c: c.base in _BUSY,
    "feels": lambda c: c.base in _FEELS,
    "idle": lambda c: set(lexicon.meanings(c.base)) <= {"make"} or c.base in ("start", "begin"),
    "state": lambda c: c.text.lower() in _STATES,
    "flows": lambda c: c.base in ("run", "drip", "leak", "burn", "get"),
    "comes": lambda c: c.base in ("come", "arrive"),
    "keeps": lambda c: c.base in ("keep", "keeps"),
    "knows": lambda c: c.base == "know",
    "befell": lambda c: (lemma(c.text) or c.base) in _BEFELL,
    "left": lambda c: c.base in ("leave", "forget"),
    "about": lambda c: c.base == "about",
    "gets": lambda c: c.base in ("find", "reach", "see"),
    "does": lambda c: c.text.lower() not in STAYING,
}
"""Tests of the words in the groups of statements."""

STATEMENTS = (
    Statement("(?:ITEM|[NIr])b[na]", "The plate in the cafeteria is filthy."),
    Statement("T[bf](?P<state>[nadg])", "They are stale.", remarks=True),
    Statement("[HI]b[na]", "He is thirsty.", remarks=True),
    Statement("(?P<mine>n)b[na]", "My hands are full.", remarks=True),
    Statement("ITEM(?P<does>f)(?P<is>[nad])?(?:pn)*", "The bagel in the fridge stinks."),
    Statement("Tb(?P<flows>g)[oepn]*|Tf", "It is leaking.", remarks=True),
    Statement("nb(?P<comes>g)", "The guests are coming.", remarks=True),
    Statement("ITEMbg(?:o|e|pO|p?p?n)*p?", "The clothes are lying around in the bedroom."),
    Statement("ITEMhd[na]?(?:pn)*", "The bread has gone stale."),
    Statement("ITEMbd?(?:e|(?P<at>p))n(?:pn)*", "The shelf is covered in dust."),
    Statement("Tb(?P<at>p)n(?:pn)*", "It is in his cabinet."),
    Statement("ITEMC(?P<goes>v)", "The newspaper can go."),
    Statement("Ebng?(?:pn)+", "There is an orange on the kitchen bench."),
    Statement("ITEM(?:G|mXv)p[nN]", "The scissors belong to Niko."),
    Statement("nSXbge?p?(?:pn)*", "The phone should not be lying around."),
    Statement("[NHI](?:hX?|X)?(?P<befell>[dfv])e?n(?:pn)*", "Tobi has spilt his soda."),
    Statement("[NHI]h?(?P<left>[dfv])n(?:pn)*(?:a|pn)", "Jason left his cabinet open."),
    Statement("[NIH]h(?P<some>n)", "Niko has a headache."),
    Statement("[NH](?:b|hB)[dg]?n?p(?P<own>n)n?", "He is stuck at his desk.", remarks=True),
    Statement("[NHI]CX(?P<gets>[vn])[no]", "Will can not find his drone.", remarks=True),
    Statement("Hh(?:t(?P<idle>v)|pn)[pno]*", "He has to mark it.", remarks=True),
    Statement("[IN]b(?:(?P<feels>g)|(?P<busy>[gV])n)", "I am making a sandwich.", remarks=True),
    Statement("N(?:b|f)(?P<flows>g)(?:pn)*", "Coffee is running on the floor."),
    Statement("I[wl]t(?P<idle>v)[nNp]*", "We want to play.", remarks=True),
    Statement("[NI](?P<keeps>f)[gn]n?e?(?:pn)*", "We keep finding hammers."),
    Statement("I(?:DX)?[wl]na", "I like my apple cold."),
    Statement("IbXn[nT]f", "I am not sure the coffee machine works."),
    Statement("[In]b(?P<about>p)t(?P<idle>v)", "We are about to start."),
    Statement("I(?P<knows>f)|IDXMqne", "I know.", remarks=True),
    Statement("Yh(?:d?npn|n)", "You have a wrapper in your hand."),
)
"""Statements: what is like something, where things are, what happened to them, how somebody is."""


def _told(clause: Sequence[Chunk]) -> str:
    """The letters of a clause, with somebody who acts as a third person."""
    somebody = bool(clause) and clause[0].base in ("someone", "somebody")
    return f"H{letters(clause[1:])}" if somebody else letters(clause)


def tells(clause: Sequence[Chunk]) -> bool:
    """Return whether a clause is a statement, which asks for nothing and is not left out."""
    return any(s.fits(clause) for s in STATEMENTS)


def remarks(part: Sequence[Chunk]) -> bool:
    """Return whether a statement after a request leaves the request as it is.

    It says how somebody is, or what a thing is like. What it says of one of those asked for, of who else
    does it, of what else would do or should be so, might change the request.
    """
    body = [c for c in part if c.kind not in "c,:j"]
    joined = part[0].kind == "c" and letters(body)[:1] in ("n", "T", "o")
    return not joined and any(s.remarks and s.fits(body) for s in STATEMENTS)


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
        yield Frame("context", background=Background(p, tuple(mentioned)))
    yield Frame("context", background=Background(None, tuple(mentioned)))
