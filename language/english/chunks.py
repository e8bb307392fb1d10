"""Shallow parsing: a sentence as a row of chunks, each with one letter for its kind.

There is no tagger: only closed classes of words (``lexicon.py``), word forms and positions. An English noun
phrase begins at a determiner, an owner or an open word, and goes on to the next word of a closed class.
Letters make a sentence a short string ("m s v n p n"), over which the grammar of requests is written
(``requests.py``); a letter may be added, but the modules up to ``requests.py`` read them all.

    n noun phrase   o it, them      r me, him       s I, you, he    p preposition   a state after its noun
    v base form     d participle    g gerund        f finite form   w want, need    z try to, mind, think
    b be            h have          m could, must   t to (go)       x not           i if, because
    q what, where   k that, which   c and, or       e up, away      j adverbs       . , : punctuation
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, takewhile

from . import lexicon
from .phrases import GENERIC
from .thesaurus import corrected
from .words import IRREGULAR, expanded, lemma

MAX_CHUNKS = 120
FINITE = frozenset(
    "needs wants belongs goes looks smells stinks requires deserves reeks seems feels stays lives gets has"
    " got likes prefers fancies keeps leaks drips tastes loves went ended left forgot arrived came spilt"
    " spilled"
    " belong stink smell reek want need works functions remains".split()
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a sentence. ``base`` is the base form of a verb, else the text in lower case."""

    kind: str
    text: str
    base: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.text}"


def kinds(chunks: Sequence[Chunk]) -> str:
    """The letters of a row of chunks, over which requests are matched."""
    return "".join(c.kind for c in chunks)


def acts(chunk: Chunk) -> bool:
    """Return whether a chunk is a verb of action, and no verb that only leads to one ("help", "mind")."""
    return chunk.kind in "vdg" and (
        chunk.base not in lexicon.TRANSPARENT or bool(lexicon.meanings(chunk.base))
    )


PLACED = frozenset(
    "left lying standing sitting placed kept stored found located seated given belonging owned resting stuck"
    " hidden put parked waiting hanging addressed delivered forgotten abandoned stacked leaning living"
    " sit sits lie lies stands lives waits labelled labeled called marked named".split()
)
STATES = frozenset(
    "open opened closed shut on off running hot warm cold cool chilled clean dirty dusty filthy spotless"
    " empty tidy"
    " hidden ajar full grubby going started".split()
)
_TOKEN = re.compile(r"[^\W_]+(?:[_'][^\W_]+)*'?|[.,;:!?()\-\u2013\u2014]")


_QUOTED = re.compile(r"[\"“„]([^\"“”]*)[\"”]|(?<!\w)['‘]([^'’]+ [^'’]+)['’](?!\w)")
"""Words between quotation marks; a single one inside a word or after it is an apostrophe."""


def _quotation(match: re.Match[str]) -> str:
    """A name as it stands, and :data:`lexicon.UNREAD` for words that somebody says: no request of ours."""
    words = (match[1] or match[2] or "").split()
    says = words[1:] and any(lexicon.base(w.lower().strip(".,!?")) is not None for w in words)
    return f" {lexicon.UNREAD} " if says else " ".join(words)


@lru_cache(maxsize=512)
def sentences(instruction: str) -> tuple[tuple[Chunk, ...], ...]:
    """The sentences of a text as chunks, those without words left out."""
    text = expanded(_QUOTED.sub(_quotation, instruction.strip(' "“”')))
    rows = []
    pieces = [*re.split(r"((?<=[^\W_])[.!?;]+(?=\s|\Z)|[!?;]+)", text), ""]
    for sentence, mark in zip(pieces[::2], pieces[1::2], strict=True):
        tokens = [correct_spelling(t) for t in _TOKEN.findall(sentence)]
        if tokens and "?" in mark and not _is_question(tokens):
            tokens = [lexicon.UNREAD, *tokens]  # "Turn on the radio? Really?"
        if any(t[0].isalnum() for t in tokens):
            rows.append(_chunked(tokens))
    return tuple(rows)


def _is_question(tokens: Sequence[str]) -> bool:
    """Return whether a sentence has the order or a word of a question: "can you", "how about"."""
    words = [t for t in tokens if t.lower() not in ("not", ",")]
    after = lexicon.SUBJECTS | lexicon.OBJECTS | lexicon.DETERMINERS
    inverts = lexicon.MODALS | lexicon.BE | lexicon.HAVE | lexicon.DO
    asks = {"please", "mind", "chance", "possible", "try"}.union(
        lexicon.QUESTIONS.intersection(t.lower() for t in words[:-1])
    )
    return not asks.isdisjoint(map(str.lower, words)) or any(
        a.lower() in inverts and (b.lower() in after or b[0].isupper()) for a, b in pairwise(words)
    )


@lru_cache(maxsize=8192)
def correct_spelling(token: str) -> str:
    """Correct a slip in a word of the grammar: "teh", "pleae", "swithc"."""
    word = token.lower()
    if (
        lexicon.base(word) is not None
        or not word.isalpha()
        or len(word) < 3
        or (token[0].isupper() and len(word) < 5)
    ):
        return token
    correct = corrected(word, _GRAMMAR)
    return token if correct == word else correct


class _Words:
    """The words of a sentence; behind its end every word is empty."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = tokens[: 3 * MAX_CHUNKS]
        self.low = [t.lower() for t in self.tokens]

    def __getitem__(self, at: int) -> str:
        return self.low[at] if at < len(self.low) else ""

    def capital(self, at: int) -> bool:
        return self.tokens[at][0].isupper()

    def open(self, at: int) -> bool:
        """Return whether a word is of no closed class, so that it may be part of a noun phrase."""
        word, before = self[at], self[at - 1] if at else ""
        if not word or not word[0].isalnum():
            return False
        described = before in lexicon.DETERMINERS
        if self.is_will(at) or self.is_tin(at):
            return True
        if word in lexicon.PARTICLES and not (word in ("open", "shut") and described):
            return False
        if word == "while" and (described or before in ("little", "short", "long")):
            return True
        return word not in lexicon.CLOSED

    def is_tin(self, at: int) -> bool:
        """Return whether a word is "can" for a thing."""
        noun = lexicon.PREPOSITIONS | FINITE | lexicon.MODALS | {"", ",", "and"}
        return self[at] == "can" and at > 0 and self[at + 1] in noun

    def is_will(self, at: int) -> bool:
        """Return whether a word is "Will" for a person."""
        named = self[at] == "will" and self.capital(at)
        return named and (at > 0 or self[at + 1] not in lexicon.SUBJECTS)

    def noun_at(self, at: int) -> bool:
        """Return whether a noun phrase or pronoun begins at a word."""
        word = self[at]
        return (
            word in lexicon.DETERMINERS | lexicon.OBJECTS | lexicon.PERSONS
            or word.endswith("'s")
            or word in ("everything", "something", "whatever", "what")
            or (bool(word) and self.capital(at) and self.open(at))
        )

    def finite_from(self, at: int) -> bool:
        """Return whether a finite verb follows in the same clause."""
        clause = takewhile(lambda w: w[0].isalnum() and w != "ensure", self.low[at + 1 : at + 6])
        return not _FINITE.isdisjoint((self[at], *clause))

    def phrase_end(self, start: int) -> int:
        """Return where a noun phrase ends that begins at a word: before the next word of a closed class."""
        most = min(len(self.low), start + 12)
        for at in range(start, most):
            if (self[at] == "one" and at > start) or (self[at - 1], self[at]) == ("of", "them"):
                return at + 1
            if not self.goes_on(start, at):
                return max(at, start + 1)
        return most

    def goes_on(self, start: int, at: int) -> bool:
        """Return whether a word belongs to the noun phrase that begins at another."""
        word, before, first = self[at], self[at - 1], at == start
        if word == "of" or (first and word in _WHICHEVER):
            return first or before in _PARTITIVE
        if word in lexicon.DETERMINERS:
            follows = before in lexicon.DETERMINERS or before == "of"
            return first or (follows and (word not in lexicon.OBJECTS or self.open(at + 1)))
        ends = next((ends for ends, applies in _ENDS if not first and applies(self, start, at)), False)
        return self.open(at) and not ends


class _Spot:
    """A word in its place, with the words around it and the kind of chunk before it."""

    def __init__(self, words: _Words, at: int, row: Sequence[Chunk]) -> None:
        self.words, self.at = words, at
        self.word, self.after, self.later = words[at], words[at + 1], words[at + 2]
        self.last = row[-1] if row else Chunk("", "")
        self.before = next((c.kind for c in reversed(row) if c.kind != "j"), "")
        """The kind of the last chunk that is no adverb."""
        self.verb = lexicon.base(self.word)
        self.bare = self.word == self.verb
        self.gerund = self.word.endswith("ing") and not self.bare
        self.third = self.word.endswith("s") and not self.bare
        self.name = words.capital(at) and at > 0 and self.word != "please"

    def follows(self, *kinds_before: str) -> bool:
        return self.before in kinds_before

    @property
    def open_after(self) -> bool:
        return self.words.open(self.at + 1)

    @property
    def noun_after(self) -> bool:
        return self.words.noun_at(self.at + 1)

    @property
    def alone(self) -> bool:
        """Return whether a determiner has no noun."""
        return not self.open_after and not self.noun_after and self.after != "of"

    @property
    def governs(self) -> bool:
        """Return whether a preposition stands before a noun phrase, and is no particle of a verb."""
        if self.word not in lexicon.PARTICLES:
            return True
        if self.word == "off":
            return self.follows("n", "o", "e") and (self.noun_after or self.open_after)
        if self.word == "through":
            return self.noun_after
        switches = self.word == "on" and self.last.base in _SWITCHES
        if self.word in ("over", "up") or switches or not self.after:
            return False
        return self.noun_after or (self.open_after and self.after not in lexicon.POLITE)

    @property
    def nominal(self) -> bool:
        """Return whether a noun has to stand here: after a preposition, or after "have"."""
        return self.follows("p") or (self.follows("h") and self.bare and self.word not in _PAST_AS_BASE)

    @property
    def listed(self) -> bool:
        """Return whether a verb or adjective begins a clause: "clean mugs", "Clean mugs go there"."""
        begins = self.follows("", ",", "c", ":") and self.word in _NOUNS_TOO
        return begins and not self.noun_after and self.open_after

    @property
    def numbered(self) -> bool:
        """Return whether the thing after a verb has a number: "open cabinet6" is no plural."""
        return self.after[-1:].isdigit() or self.later.isdigit()


def _chunked(tokens: Sequence[str]) -> tuple[Chunk, ...]:
    """The chunks of a sentence, in one pass over its words, left to right."""
    words, row, at = _Words(tokens), list[Chunk](), 0
    while at < len(words.low) and len(row) < MAX_CHUNKS:
        spot = _Spot(words, at, row)
        kind = next(kind for kind, applies in _KINDS if applies(spot))
        end = at + 2 if (spot.word, spot.after) == ("going", "to") else at + 1
        if kind == "n":
            end = words.phrase_end(at)
            polite = words.low[at:end]
            if spot.last.kind == "j" and polite[0] == "a":  # "thanks a lot"
                polite = polite[1:]
            kind = "j" if polite and lexicon.POLITE.issuperset(polite) else "n"  # a courtesy looks like one
        text = " ".join(words.tokens[at:end])
        row.append(Chunk(kind[-1], text, _base(kind, spot) or text.lower()))
        at = end
    return tuple(row)


def _base(kind: str, spot: _Spot) -> str:
    """The base form of a chunk; empty where it is the text."""
    if kind in ("v", "d", "g", "f", "w"):
        return spot.verb or lemma(spot.word) or spot.word
    return lexicon.UNREAD if kind == "-x" else lexicon.PLACING.get(spot.word, "")


_TELLS = frozenset("he she it they".split())
"""Subjects after which a word that is not known is what they do."""
_AFTER_SUBJECT = lexicon.BE | lexicon.MODALS | lexicon.HAVE | lexicon.DO | FINITE
_FINITE = FINITE | lexicon.BE | lexicon.MODALS
_INFINITIVES = lexicon.BE | lexicon.HAVE | {"do"}
_PARTITIVE = frozenset("all both each one two three four any some every none either".split())
_ADVERBS = frozenset("just still already always also really again now too probably actually".split())
_AMBIGUOUS = frozenset("put set shut open clean empty warm cool dry go live".split())
_GRAMMAR = tuple(sorted(lexicon.SPELLING | STATES))
_NOUNS_TOO = frozenset(
    "clean empty open warm cool bin hand file head cut store load set drop run pop clear stick cook top"
    " dust power fire place lift ice stand rest pack cart plant book paint order print drink play guard"
    " record text type report drill screw glue iron water copy plug mop sponge park pile stack trash lock"
    " close light need look call test try".split()
)
_RELATIVE = frozenset("that which who whatever what".split())
_WHICHEVER = frozenset("whatever whichever what".split())
_COURTEOUS = lexicon.POLITE - {"second", "right", "kind"}
"""Courtesies that describe nothing."""
_FLOATING = frozenset("all both each".split())
_POINTING = _FLOATING | frozenset("this that these those one".split())
_SWITCHES = frozenset("turn switch power fire flip put".split())
_SMELLS = frozenset("smell stink reek need want".split())
_PAST_AS_BASE = frozenset("left put set shut run".split())
"""Participles that are written as the base form."""

_ENDS: tuple[tuple[bool, Callable[[_Words, int, int], bool]], ...] = (
    (False, lambda w, start, end: w[end - 1] in lexicon.DETERMINERS or w[end - 1].endswith("'s")),
    (True, lambda w, start, end: w[end] in _ADVERBS),
    (False, lambda w, start, end: w[end] in _COURTEOUS and w.open(end + 1)),
    (True, lambda w, start, end: w[end] in _COURTEOUS),
    (True, lambda w, start, end: w[end] in ("stay", "remain") or (w[end] == "like" and w.noun_at(end + 1))),
    (True, lambda w, start, end: w[end] in ("go", "live") and (
        w[end + 1] in lexicon.PREPOSITIONS or w[end - 1].endswith("s"))),
    (False, lambda w, start, end: w[end] in _SMELLS and not w[end - 1].endswith("s")),
    (True, lambda w, start, end: w[end] in FINITE and not (w[end] == "left" and w.open(end + 1))),
    (True, lambda w, start, end: w[end].endswith("ing") and w[end + 1] in lexicon.PREPOSITIONS
        and lemma(w[end]) is not None),
    (True, lambda w, start, end: w[end] in PLACED and w[end + 1] in {*lexicon.PREPOSITIONS, "", ","}),
    (True, lambda w, start, end: lexicon.base(w[end]) not in (None, w[end]) and not w[end].endswith("s")
        and not w.open(end + 1)),  # a participle or gerund after its noun
    (True, lambda w, start, end: w[end] in STATES and not w.open(end + 1)),
    (True, lambda w, start, end: w[end].endswith("'s") and end == start + 1 and w.capital(end)
        and w.capital(start) and (start > 0 or w[start] == "will")),
)  # fmt: skip
"""Tests of whether a noun phrase is complete before a word: the first that applies decides."""

_KINDS: tuple[tuple[str, Callable[[_Spot], bool]], ...] = (
    (":", lambda s: s.word in ":-\u2013\u2014()"),
    (",", lambda s: not s.word[0].isalnum()),
    ("k", lambda s: s.word in _RELATIVE and s.follows("n", "o") and (s.word != "that" or not s.noun_after)),
    ("j", lambda s: s.word in _FLOATING and s.follows("n", "o", "m", "b", "s") and s.alone),
    ("o", lambda s: s.word in _POINTING and s.alone),
    ("n", lambda s: s.word in _WHICHEVER and s.follows("v", "d", "g", "p")),
    ("n", lambda s: s.word in lexicon.DETERMINERS and (s.word != "one" or s.after == "of" or s.open_after)),
    ("s", lambda s: s.word in ("it", "they") and not s.follows("v", "p", "d", "g")
        and s.after in _AFTER_SUBJECT),
    ("o", lambda s: s.word in lexicon.OBJECTS),
    ("r", lambda s: s.word in lexicon.PERSONS),
    ("x", lambda s: s.word == "but" and s.follows("n", "o") and s.last.base.split()[0] in lexicon.WHOLE),
    ("x", lambda s: s.word in lexicon.NEGATIVES),
    ("x", lambda s: s.word in lexicon.LIMITS and s.after in {*lexicon.LIMITED, "", ","}),
    ("s", lambda s: s.word in lexicon.SUBJECTS),
    ("m", lambda s: s.word in lexicon.MODALS and not s.words.is_will(s.at) and not s.words.is_tin(s.at)),
    ("m", lambda s: (s.word, s.after) == ("going", "to")),
    ("b", lambda s: s.word in lexicon.BE),
    ("h", lambda s: s.word in lexicon.HAVE),
    ("m", lambda s: s.word in ("do", "does", "did") and s.follows("s", "n")),
    ("m", lambda s: s.word in ("do", "does", "did") and s.follows("", ",", "c", "x", "j", "q", "i")
        and s.after in {*lexicon.SUBJECTS, "not", "it"}),
    ("i", lambda s: s.word == "so" and (s.after in lexicon.SUBJECTS or s.noun_after)),
    ("j", lambda s: s.word == "once" and s.after in ("", ",", "and", "then", "more", "again")),  # one time
    ("i", lambda s: s.word in lexicon.CONDITIONS and s.word != "so"),
    ("q", lambda s: s.word in lexicon.QUESTIONS),
    ("c", lambda s: s.word in lexicon.CONJUNCTIONS),
    ("t", lambda s: s.word == "to" and _is_purpose(s)),
    ("p", lambda s: s.word == "like" and s.follows("n") and s.noun_after),  # "a sock like the red one"
    ("p", lambda s: s.word in lexicon.PREPOSITIONS and s.governs),
    ("e", lambda s: s.word in lexicon.PARTICLES and s.word not in ("open", "shut")),
    # words of no closed class
    ("j", lambda s: s.word in lexicon.POLITE and not (s.verb and s.noun_after)),
    ("-x", lambda s: s.word.endswith("ly") and len(s.word) > 4 and s.verb is None and not s.name),  # "partly"
    ("d", lambda s: s.word == "left" and s.follows("n") and s.after in lexicon.PREPOSITIONS),
    ("w", lambda s: s.word in FINITE and s.verb in lexicon.WANTS and s.follows("n", "k")),
    ("f", lambda s: s.word in FINITE and s.follows("n", "k")),
    ("f", lambda s: s.word in ("go", "belong", "live") and s.follows("n")),
    ("a", lambda s: s.word in STATES and s.follows("n", "o") and not s.bare),
    ("g", lambda s: s.word.endswith("ing") and s.follows("n") and s.after in lexicon.PREPOSITIONS
        and lemma(s.word) is not None),
    ("b", lambda s: s.word in ("stay", "remain") and s.follows("m", "t", "n")),
    ("d", lambda s: s.follows("b", "h") and s.verb is None and not s.open_after
        and (s.word in IRREGULAR or (s.word.endswith(("ed", "en")) and s.word not in ("rotten", "open")))),
    ("g", lambda s: s.follows("b", "h", "f") and s.verb is None and s.word.endswith("ing")
        and not s.open_after),
    ("f", lambda s: s.last.base in _TELLS and s.verb is None),  # "he skipped breakfast"
    ("n", lambda s: s.follows("v") and s.after.isdigit()),  # "put book 1 on the desk"
    # words that are no known verb: only a verb can stand before "the"
    ("v", lambda s: s.verb is None and not s.name and s.noun_after and _begins(s)),
    ("n", lambda s: s.verb is None or s.name),
    # known verbs
    ("g", lambda s: s.nominal and s.gerund and s.noun_after),
    ("n", lambda s: s.nominal),
    ("g", lambda s: s.follows("b") and s.gerund),
    ("d", lambda s: s.follows("b") and (not s.bare or s.word in _PAST_AS_BASE)),
    ("a", lambda s: s.follows("b")),
    ("w", lambda s: s.third and s.verb in lexicon.WANTS),
    ("f", lambda s: s.follows("n") and s.third),
    ("v", lambda s: s.follows("n") and s.word in _AMBIGUOUS and s.noun_after),
    ("a", lambda s: s.follows("n") and s.word in _AMBIGUOUS),
    ("f", lambda s: s.follows("n") and s.bare and s.word not in FINITE and s.last.text.endswith("s")),
    ("n", lambda s: s.follows("n") and s.bare and s.word not in FINITE),
    ("w", lambda s: s.bare and s.verb in lexicon.WANTS and s.follows("s", "n", "m", "c", "x", "t")),
    ("n", lambda s: s.gerund and s.follows("f") and not s.open_after and not s.noun_after),
    ("g", lambda s: s.gerund),
    ("d", lambda s: s.follows("o") and not s.bare),
    ("a", lambda s: s.follows("o") and s.word in STATES and not s.noun_after),
    ("d", lambda s: s.follows("h", "w") and not s.bare),
    ("f", lambda s: s.third and s.follows("s", "k")),
    ("n", lambda s: s.third),
    ("d", lambda s: not s.bare),
    ("v", lambda s: s.listed and s.numbered and (s.follows("", ":") or s.word in lexicon.STATES)),
    ("n", lambda s: s.listed and (not s.follows("", ":") or s.words.finite_from(s.at + 1))),
    ("v", lambda s: True),
)  # fmt: skip
"""Kinds of chunks, each with the words that it begins with; the first that applies counts.

A noun phrase goes on as far as :meth:`_Words.phrase_end` says; "-x" is an adverb that no rule reads.
"""


def _is_purpose(spot: _Spot) -> bool:
    """Return whether a verb follows "to": "to wipe it", "the cloth to clean", "something to drink"."""
    thing = spot.last.text.lower().startswith(("something", "anything"))
    if thing and spot.open_after and not spot.words.capital(spot.at + 1):
        return True
    if spot.follows("w") and not spot.noun_after:
        return True
    adverb = spot.after in lexicon.POLITE and lexicon.base(spot.later) is not None
    verb = lexicon.base(spot.after) == spot.after and not spot.noun_after
    return spot.after in _INFINITIVES or verb or adverb


def _begins(spot: _Spot) -> bool:
    """Return whether a verb may stand here although none of that form is known."""
    if spot.after in ("all", "both") or spot.word in GENERIC:
        return False
    if spot.follows("s"):
        return spot.last.base in ("you", "i", "we")
    return spot.follows("", "t", "m", ",", "c", ":") or spot.last.base == "please"
