"""Forms of request: the closed list of shapes of a clause that asks for something.

What asks is written down here and nowhere else: commands, polite questions, wishes in the present, what
should be or has to be so, where things belong, and a few without a verb. A clause of any other tense, mood or
person tells something or is not read. A form is a pattern over the letters of a clause (:func:`letters`); a
new one needs a reader of its parts in ``requests.py`` and an example, which a test reads.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..english.chunks import Chunk
from .senses import is_person

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
