"""Forms of clauses: the closed lists of shapes that ask for something, and that only tell something.

What asks is written down here and nowhere else: commands, polite questions, wishes in the present, what
should be or has to be so, where things belong, and a few without a verb. A clause of any other tense, mood or
person tells something or is not read. A form is a pattern over the letters of a clause (:func:`letters`); a
new one needs a reader of its parts in ``requests.py`` and an example, which a test reads.

A statement asks for nothing, and a request after it may be about what it speaks of. What may be told beside a
request is the closed list :data:`STATEMENTS`: any other clause might take the request back, or change it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..english import lexicon
from ..english.chunks import STATES, Chunk
from ..english.phrases import NUMBERS
from ..english.words import lemma
from .verb_rules import is_person

_LETTERS: Mapping[tuple[str, str], str] = {
    (kind, word): letter
    for kind, letter, words in (
        ("s", "Y", "you someone somebody anyone anybody"),
        ("s", "I", "i we"),
        ("s", "H", "he she"),
        ("s", "T", "it they this that"),
        ("s", "E", "there"),
        ("s", "r", "everyone everybody"),
        ("r", "u", "us"),
        ("x", "O", "no"),
        ("x", "X", "not never"),
        ("m", "C", "can"),
        ("m", "K", "could"),
        ("m", "Q", "will"),
        ("m", "U", "would"),
        ("m", "S", "should must ought"),
        ("m", "D", "do"),
        ("b", "b", "is are be am stay remain"),
        ("h", "h", "has have"),
        ("w", "R", "need needs require requires"),
        ("w", "w", "want wants crave craves fancy fancies deserve deserves"),
        ("w", "l", "like love appreciate prefer"),
        ("f", "G", "belong belongs go goes live lives"),
    )
    for word in words.split()
}
"""Letters for words of a closed class that decide the mood, in the present tense."""
_OTHERS = {"m": "m", "b": "B", "h": "V", "w": "W", "f": "f"}
"""Letters for the other words of a kind: past tenses, "may" and "shall", "likes"."""
_LEADS = {"mind": "M", "ensure": "Z", "forget": "F", "forgot": "F", "try": "A", "help": "A", "let": "L"}
"""Letters for verbs that only lead to another one."""


def letter(chunk: Chunk) -> str:
    """The letter of a chunk in the shape of a clause: its kind, or one for its mood."""
    word = chunk.text.lower()
    if chunk.base in _LEADS and chunk.kind in "vdgf":
        return _LEADS[chunk.base]
    if chunk.kind == "n" and is_person(chunk.text):
        return "N"
    return _LETTERS.get((chunk.kind, word), _OTHERS.get(chunk.kind, chunk.kind))


def letters(clause: Sequence[Chunk]) -> str:
    """The shape of a clause; the verb of "they smell" and of "all of them belong here" is a finite one."""
    shape = re.sub("(?<=[TIH])v", "f", "".join(map(letter, clause)))
    return re.sub("(?<=[oT])[vf]", lambda m: "G" if clause[m.start()].base in _BELONGS else m[0], shape)


_BELONGS = frozenset({"belong", "go", "live"})


_PARTS = {
    "POLITE": "(?:[CKQU]Y(?:bat)?|DYvY[CK]|IBgY[CK]|YS|Y[hR]t|[INH]U?[wlR]Yt|IUloY?[CK]?|TUbn?Y[CK]?|Lu)",
    "THING": "(?P<thing>[nNoT](?:(?:,?c|,|e?p|[dg]p)[nNor])*)",
    "WHO": "(?P<who>[INH])(?:[wR]|U[wl])",
    "MUST": "(?:St?|ht|[wR]t)",
    "REST": "(?P<rest>(?:[nNorupeaE,:dgv]|c(?=[nNorupadgc])|(?<=p)Y|qTb|q(?=$)|t(?=v))*)",
}
"""Parts of patterns. ``REST`` is what a verb has: no subject, and no finite verb but in "where it is"."""

PARTS = ("who", "thing", "verb", "rest")
"""Names of the groups in patterns: each a part that a reader may use."""


@dataclass(frozen=True)
class Form:
    """A shape of clauses that ask for something; ``name`` says which rule reads its parts."""

    name: str
    shape: str
    example: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.shape.format(**_PARTS))

    def parts(self, clause: Sequence[Chunk]) -> dict[str, list[Chunk]] | None:
        """The chunks of each part of a clause of this form; ``None`` for a clause of another."""
        match = self.pattern.fullmatch(letters(clause))
        if match is None:
            return None
        spans = {name: match.span(name) for name in match.groupdict()}
        return {name: list(clause[slice(*spans[name])]) if name in spans else [] for name in PARTS}


FORMS = (
    Form("test", "{POLITE}?(?:A|v)[oe]?i{THING}[fbGagd]*", "See whether the coffee machine works."),
    Form("look", "{POLITE}?(?P<verb>v)e?q[nNTo]?[bGf]?", "Find out what it is."),
    Form("here", "Ib(?P<verb>g)?(?P<rest>pn(?:pn)*)(?:c.*)?", "I am at the lunch table."),
    Form("settle", "I(?:[wR]|U[wl])t[vn](?P<rest>pn.*)", "I want to work at Niko's desk."),
    Form("have", "(?:(?P<who>[IN])U?[wRl]t|Lr)(?P<verb>v){REST}", "I want to see all drones in the lobby."),
    Form("use", "(?P<who>[IN])K(?P<verb>v){REST}", "I could use a coffee."),
    Form("make", "(?:{POLITE}?h|Luh){THING}(?P<verb>[dg]){REST}", "Have the monitor moved to the lobby."),
    Form("command", "{POLITE}?(?:A[ru]?t?|v(?=v))?(?P<verb>v|(?<=Y)d){REST}", "Could you open the fridge?"),
    Form("command", "(?:[CKUD]YM|A)(?P<verb>g){REST}", "Would you mind opening the fridge?"),
    Form("command", "(?:D?X|[INHn])Ft(?P<verb>v){REST}", "Don't forget to open the fridge."),
    Form("come", "(?:Ybd|[IN]U?[wRl]Y)(?P<rest>pn(?:pn)*)", "I need you in the lobby."),
    Form("wish", "{WHO}{THING}(?:tb(?=.))?{REST}", "I would like the kebab warm."),
    Form("need", "{THING}?[wR](?P<verb>g){REST}", "The plate needs washing."),
    Form("wipe", "{THING}?(?:[wR]|Kvp?)(?P<rest>n)", "The plate needs a wash."),
    Form("move", "{THING}?(?:{MUST}|C)(?P<verb>v){REST}", "The plate must go in the drawer."),
    Form("move", "[CK]{THING}(?P<verb>[Gv]){REST}", "Could the plate go in the drawer?"),
    Form("move", "{THING}?(?P<verb>G){REST}", "The plate belongs in the drawer."),
    Form("should", "{THING}?{MUST}b{REST}", "The fridge should be open."),
    Form("should", "Z{THING}b?{REST}", "Make sure that the fridge is open."),
    Form("should", "[CK]{THING}b(?=d){REST}", "Could the plate be washed?"),
    Form("there", "(?:ESb|ZEb){REST}", "There should be a fork on the bench."),
    Form("none", "(?:O|ESOb?|ESbO|ESXb(?=n)){REST}", "There should be no fork on the bench."),
    Form("unless", "D?X(?P<verb>v){REST}", "Do not leave the fridge open."),
    Form("await", "(?P<who>N)bg(?P<rest>pn.*)", "Peter is waiting for the stapler."),
    Form("left", "(?P<thing>n)(?P<verb>d)(?P<rest>p.*)", "The thesis left on his desk."),
    Form("bare", "(?P<rest>[nNo][nNoreap,:c]*)", "The scissors to Tobi."),
)
"""Forms in the order in which they are tried; the first that fits is the one of a clause."""

# What is only told

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
