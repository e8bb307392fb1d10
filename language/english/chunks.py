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
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

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
            rows.append(_Chunker(tokens).chunks())
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


class _Chunker:
    """One pass over the words of a sentence, left to right."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens[: 3 * MAX_CHUNKS]
        self.low = [t.lower() for t in self.tokens]
        self.row: list[Chunk] = []

    def add(self, kind: str, start: int, end: int, base: str = "") -> int:
        text = " ".join(self.tokens[start:end])
        self.row.append(Chunk(kind, text, base or text.lower()))
        return end

    @property
    def before(self) -> str:
        """The kind of the last chunk that is no adverb."""
        return next((c.kind for c in reversed(self.row) if c.kind != "j"), "")

    def word(self, at: int) -> str:
        return self.low[at] if at < len(self.low) else ""

    def open(self, at: int) -> bool:
        """Return whether a token is of no closed class, so that it may be part of a noun phrase."""
        word = self.word(at)
        if not word or not word[0].isalnum():
            return False
        described = at > 0 and self.word(at - 1) in lexicon.DETERMINERS
        if (word == "will" and self.named(at)) or self.tin(at):
            return True
        if word in lexicon.PARTICLES and not (word in ("open", "shut") and described):
            return False
        if word == "while" and (described or self.word(at - 1) in ("little", "short", "long")):
            return True
        return word not in lexicon.CLOSED

    def tin(self, at: int) -> bool:
        """Return whether "can" is a thing here."""
        after = self.word(at + 1)
        noun = after in lexicon.PREPOSITIONS | FINITE | lexicon.MODALS | {"", ",", "and"}
        return self.word(at) == "can" and at > 0 and noun

    def named(self, at: int) -> bool:
        """Return whether "Will" is a name here."""
        after = self.word(at + 1)
        return self.tokens[at][0].isupper() and (at > 0 or after not in lexicon.SUBJECTS)

    def noun_ahead(self, at: int) -> bool:
        """Return whether a noun phrase or pronoun begins here."""
        word = self.word(at)
        return (
            word in lexicon.DETERMINERS | lexicon.OBJECTS | lexicon.PERSONS
            or word.endswith("'s")
            or word in ("everything", "something", "whatever", "what")
            or (bool(word) and self.tokens[at][0].isupper() and self.open(at))
        )

    def prepositional(self, at: int) -> bool:
        """Return whether "in", "on", "over", "off" stand before a noun phrase that they govern."""
        word = self.word(at)
        if word == "off":
            return self.before in ("n", "o", "e") and (self.noun_ahead(at + 1) or self.open(at + 1))
        if word == "through":
            return self.noun_ahead(at + 1)
        if word in ("over", "up"):
            return False
        after = self.word(at + 1)
        if (
            word == "on"
            and self.row
            and self.row[-1].base in ("turn", "switch", "power", "fire", "flip", "put")
        ):
            return False
        return bool(after) and (
            self.noun_ahead(at + 1) or (self.open(at + 1) and after not in lexicon.POLITE)
        )

    def finite_ahead(self, at: int) -> bool:
        """Return whether a finite verb follows in the same clause."""
        ahead = self.low[at : at + 6]
        stop = next(
            (i for i, w in enumerate(ahead) if i and (w == "ensure" or not w[0].isalnum())), len(ahead)
        )
        return any(w in FINITE or w in lexicon.BE or w in lexicon.MODALS for w in ahead[:stop])

    # Noun phrases

    def phrase(self, at: int) -> int:
        """A noun phrase from here to the next word of a closed class."""
        start, end = at, at
        while end < len(self.tokens) and end - start < 12:
            word = self.low[end]
            if word == "of" and self.word(end - 1) in _PARTITIVE:
                end += 1
                continue
            if word == "one" and end > start:
                end += 1
                break
            if word in lexicon.DETERMINERS:
                last = self.word(end - 1)
                if end > start and last not in lexicon.DETERMINERS and last != "of":
                    break
                if word in lexicon.OBJECTS and not self.open(end + 1) and end > start:
                    break
            elif word in ("whatever", "whichever", "what") and end == start:
                pass
            elif (word == "them" and self.word(end - 1) == "of") or (word == "one" and end > start):
                end += 1
                break
            elif not self.open(end) or (end > start and self.ends(start, end)):
                break
            end += 1
        text = self.tokens[start : max(end, start + 1)]
        first = 1 if self.row and self.row[-1].kind == "j" and text[0].lower() == "a" else 0  # "thanks a lot"
        kind = "j" if text[first:] and {w.lower() for w in text[first:]} <= lexicon.POLITE else "n"
        return self.add(kind, start, max(end, start + 1))

    def ends(self, start: int, end: int) -> bool:
        """Return whether the noun phrase is complete before this word: a verb or a state follows."""
        word, after = self.low[end], self.word(end + 1)
        if self.low[end - 1] in lexicon.DETERMINERS or self.low[end - 1].endswith("'s"):
            return False
        if word in _ADVERBS:
            return True
        if word in lexicon.POLITE and word not in ("second", "right", "kind"):
            return not self.open(end + 1)
        name = (self.tokens[start][0].isupper() and start > 0) or self.tokens[start] == "Will"
        if self.low[start] in lexicon.DETERMINERS and end == start + 1:
            return False
        if word in ("stay", "remain") or (word == "like" and self.noun_ahead(end + 1)):
            return True
        if word in ("go", "live") and (after in lexicon.PREPOSITIONS or self.low[end - 1].endswith("s")):
            return True
        plural = self.low[end - 1].endswith("s")
        if word in ("smell", "stink", "reek", "need", "want", "works", "functions") and not plural:
            return word in ("works", "functions") and not self.open(end + 1)
        if word in FINITE and not (word in ("left",) and self.open(end + 1)):
            return True
        verb = lexicon.base(word)
        if word.endswith("ing") and after in lexicon.PREPOSITIONS and lemma(word) is not None:
            return True
        if word in PLACED and (after in lexicon.PREPOSITIONS or after in ("", ",")):
            return True
        if verb is not None and verb != word and not word.endswith("s") and not self.open(end + 1):
            return True  # a participle or gerund after its noun
        if (
            word in STATES
            and not self.open(end + 1)
            and end - start >= (1 if self.low[start] not in lexicon.DETERMINERS else 2)
        ):
            return True
        return name and self.tokens[end][0].isupper() and word.endswith("'s") and end == start + 1

    # The pass

    def chunks(self) -> tuple[Chunk, ...]:
        at = 0
        while at < len(self.tokens) and len(self.row) < MAX_CHUNKS:
            at = self.next(at)
        return tuple(self.row)

    def next(self, at: int) -> int:
        word, before, after = self.word(at), self.before, self.word(at + 1)
        if not word[0].isalnum():
            return self.add(":" if word in ":-\u2013\u2014()" else ",", at, at + 1)
        if (
            word in ("that", "which", "who", "whatever", "what")
            and before in ("n", "o")
            and (word != "that" or not self.noun_ahead(at + 1))
        ):
            return self.add("k", at, at + 1)
        alone = not self.open(at + 1) and not self.noun_ahead(at + 1) and after != "of"
        if alone and word in ("this", "that", "these", "those", "one", "all", "both", "each"):
            floats = before in ("n", "o", "m", "b", "s") and word in ("all", "both", "each")
            return self.add("j" if floats else "o", at, at + 1)
        if word in ("whatever", "whichever", "what") and before in ("v", "d", "g", "p"):
            return self.phrase(at)
        if (word in lexicon.DETERMINERS and word != "one") or (
            word == "one" and (after == "of" or self.open(at + 1))
        ):
            return self.phrase(at)
        if word in lexicon.OBJECTS:
            subject = (
                word in ("it", "they") and before not in ("v", "p", "d", "g") and after in _AFTER_SUBJECT
            )
            return self.add("s" if subject else "o", at, at + 1)
        if word in lexicon.PERSONS:
            return self.add("r", at, at + 1)
        if word == "but" and before in ("n", "o") and self.row[-1].base.split()[0] in lexicon.WHOLE:
            return self.add("x", at, at + 1)  # "all pens but one"
        if word in lexicon.NEGATIVES or (word in lexicon.LIMITS and after in {*lexicon.LIMITED, "", ","}):
            return self.add("x", at, at + 1)
        if word in lexicon.SUBJECTS:
            return self.add("s", at, at + 1)
        if word in lexicon.MODALS and not (word == "will" and self.named(at)) and not self.tin(at):
            return self.add("m", at, at + 1)
        if word == "going" and after == "to":
            return self.add("m", at, at + 2)
        if word in lexicon.BE | lexicon.HAVE:
            return self.add("b" if word in lexicon.BE else "h", at, at + 1)
        if word in ("do", "does", "did") and (
            before in ("", ",", "c", "s", "n", "x", "j", "q", "i")
            and (after in lexicon.SUBJECTS or after in ("not", "it") or before in ("s", "n"))
        ):
            return self.add("m", at, at + 1)
        if word == "so" and (after in lexicon.SUBJECTS or self.noun_ahead(at + 1)):
            return self.add("i", at, at + 1)
        if word == "once" and after in ("", ",", "and", "then", "more", "again"):
            return self.add("j", at, at + 1)  # one time
        if word in lexicon.CONDITIONS and word not in ("so",):
            return self.add("i", at, at + 1)
        if word in lexicon.QUESTIONS:
            return self.add("q", at, at + 1)
        if word in lexicon.CONJUNCTIONS:
            return self.add("c", at, at + 1)
        if word == "to":
            verb = lexicon.base(after)
            thing = bool(self.row) and self.row[-1].text.lower().startswith(("something", "anything"))
            thing = thing and self.open(at + 1) and not self.tokens[at + 1][0].isupper()
            if thing or (before == "w" and not self.noun_ahead(at + 1)):
                return self.add("t", at, at + 1)
            adverb = after in lexicon.POLITE and lexicon.base(self.word(at + 2)) is not None
            infinitive = after in _INFINITIVES or (verb == after and not self.noun_ahead(at + 1)) or adverb
            return self.add("t" if infinitive else "p", at, at + 1)
        if word == "like" and before == "n" and self.noun_ahead(at + 1):
            return self.add("p", at, at + 1)  # "a sock like the one in the wardrobe"
        if word in lexicon.PREPOSITIONS and not (word in lexicon.PARTICLES and not self.prepositional(at)):
            return self.add("p", at, at + 1, lexicon.PLACING.get(word, ""))
        if word in lexicon.PARTICLES and word != "open" and word != "shut":
            return self.add("e", at, at + 1)
        return self.free(at)

    def free(self, at: int) -> int:
        """A word of no closed class: an adverb, a verb where one can stand, else the start of a phrase."""
        word, before, after = self.word(at), self.before, self.word(at + 1)
        verb = lexicon.base(word)
        if word == "hold" and self.noun_ahead(at + 1) and before in ("", ",", "c", "t", "s", "m"):
            return self.add("v", at, at + 1, "hold")
        if word in lexicon.POLITE and not (verb and self.noun_ahead(at + 1)):
            return self.add("j", at, at + 1)
        name = self.tokens[at][0].isupper() and at > 0 and word != "please"
        if word.endswith("ly") and len(word) > 4 and verb is None and not name:
            return self.add("x", at, at + 1, lexicon.UNREAD)  # "partly", "daily"
        if word.endswith("'s") or word.endswith("s'"):
            return self.phrase(at)
        if word == "left" and before == "n" and after in lexicon.PREPOSITIONS:
            return self.add("d", at, at + 1, "leave")
        if (word in FINITE and before in ("n", "k")) or (word in ("go", "belong", "live") and before == "n"):
            return self.add("w" if verb in lexicon.WANTS else "f", at, at + 1, verb or word)
        if word in STATES and before in ("n", "o") and (verb is None or word != verb):
            return self.add("a", at, at + 1)
        gerund = lemma(word) if word.endswith("ing") else None
        if before == "n" and gerund is not None and after in lexicon.PREPOSITIONS:
            return self.add("g", at, at + 1, gerund)
        if word in ("stay", "remain") and before in ("m", "t", "n"):
            return self.add("b", at, at + 1)
        if before in ("b", "h", "f") and verb is None and not self.open(at + 1):
            done = word in IRREGULAR or (word.endswith(("ed", "en")) and word not in ("rotten", "open"))
            if done and before != "f":
                return self.add("d", at, at + 1, lemma(word) or word)
            if word.endswith("ing"):
                return self.add("g", at, at + 1, lemma(word) or word)
        if self.row and self.row[-1].base in _TELLS and verb is None:
            return self.add("f", at, at + 1, lemma(word) or word)  # "he skipped breakfast"
        if before == "v" and after.isdigit():
            return self.phrase(at)  # "put book 1 on the desk"
        if (verb is not None and not name) or (verb and at == 0):
            if kind := self.verbal(at, verb, before, after):
                return self.add(kind, at, at + 1, verb)
        elif (
            not name
            and (not before or before in "tm,c:s" or self.row[-1].base == "please")
            and self.noun_ahead(at + 1)
            and not (before == "s" and self.row[-1].base not in ("you", "i", "we"))
            and after not in ("all", "both")
            and word not in GENERIC
        ):  # only a verb can stand here
            return self.add("v", at, at + 1, lemma(word) or word)
        return self.phrase(at)

    def verbal(self, at: int, verb: str, before: str, after: str) -> str:
        """The kind of verb that a word is here; "" where it is a noun or an adjective."""
        word = self.low[at]
        gerund, third = word.endswith("ing") and word != verb, word.endswith("s") and word != verb
        if before == "p" or (
            before in ("h",) and word == verb and word not in ("left", "put", "set", "shut", "run")
        ):
            return "g" if gerund and (self.noun_ahead(at + 1)) else ""
        if before == "b":
            return "g" if gerund else "d" if word != verb or word in ("put", "set", "shut", "left") else "a"
        if before == "n" and not gerund and not third and word != verb:
            return "d"
        if before == "n" and third:
            return "w" if verb in lexicon.WANTS else "f"
        if before == "n" and word == verb and word not in FINITE:
            if word in _AMBIGUOUS:
                return "v" if self.noun_ahead(at + 1) else "a"
            return "f" if self.row[-1].text.endswith("s") else ""
        if word == verb and verb in lexicon.WANTS and before in ("s", "n", "m", "j", "c", "x", "t"):
            return "w"
        if verb in lexicon.WANTS and third:
            return "w"
        if gerund:
            return "g" if before != "f" or self.open(at + 1) or self.noun_ahead(at + 1) else ""
        if before == "o" and not gerund:
            return "d" if word != verb else "a" if word in STATES and not self.noun_ahead(at + 1) else "v"
        if before in ("h", "w") and word != verb:
            return "d"
        if third:
            return "f" if before in ("s", "k", "n") else ""
        if word != verb:
            return "d"
        noun = word in _NOUNS_TOO
        if before in ("", ",", "c", ":") and noun and not self.noun_ahead(at + 1) and self.open(at + 1):
            # "Clean mugs go there" or "clean mugs": a verb only where nothing finite follows.
            numbered = after[-1:].isdigit() or self.word(at + 2).isdigit()  # "open cabinet6" is no plural
            if before in ("", ":"):
                return "v" if numbered or not self.finite_ahead(at + 1) else ""
            return "v" if numbered and word in lexicon.STATES else ""  # "and open cabinet 4", "and book 3"
        if before == "w":
            return "" if noun else "v"
        if before == "f" and not noun:
            return "v"
        return "v"


_TELLS = frozenset("he she it they".split())
"""Subjects after which a word that is not known is what they do."""
_AFTER_SUBJECT = lexicon.BE | lexicon.MODALS | lexicon.HAVE | lexicon.DO | FINITE
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
