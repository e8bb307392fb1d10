"""The words of a sentence and what stands around each: what a closed class of words says of its
neighbours."""

from __future__ import annotations

from dataclasses import dataclass

from . import lexicon as lex

MAX_CHUNKS = 120
FINITE = frozenset(
    "needs wants belongs goes looks smells stinks requires deserves reeks seems feels stays lives gets has"
    " got likes prefers fancies keeps leaks drips tastes loves went ended left forgot arrived came spilt"
    " spilled"
    " belong stink smell reek want need works functions".split()
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a sentence. ``base`` is the base form of a verb, else the text in lower case."""

    kind: str
    text: str
    base: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.text}"


class Words:
    """Words, and the chunks that were made of those before."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens[: 3 * MAX_CHUNKS]
        self.low = [t.lower() for t in self.tokens]
        self.found: list[Chunk] = []

    def add(self, kind: str, start: int, end: int, base: str = "") -> int:
        text = " ".join(self.tokens[start:end])
        self.found.append(Chunk(kind, text, base or text.lower()))
        return end

    @property
    def before(self) -> str:
        """The kind of the last chunk that is no adverb."""
        return next((c.kind for c in reversed(self.found) if c.kind != "j"), "")

    def word(self, at: int) -> str:
        return self.low[at] if at < len(self.low) else ""

    def open(self, at: int) -> bool:
        """Whether a token is of no closed class, so that it may be part of a noun phrase."""
        word = self.word(at)
        if not word or not word[0].isalnum():
            return False
        described = at > 0 and self.word(at - 1) in lex.DETERMINERS
        if (word == "will" and self.named(at)) or self.tin(at):
            return True
        return not (
            word in lex.DETERMINERS or word in lex.SUBJECTS or word in lex.OBJECTS or word in lex.PERSONS
            or word in lex.MODALS or word in lex.BE or word in lex.HAVE or word in lex.DO
            or word in lex.NEGATIVES or word in lex.CONDITIONS or word in lex.QUESTIONS
            or word in lex.PREPOSITIONS or word in lex.CONJUNCTIONS
            or (word in lex.PARTICLES and not (word in ("open", "shut") and described))
        )  # fmt: skip

    def tin(self, at: int) -> bool:
        """Whether "can" is a thing here."""
        after = self.word(at + 1)
        noun = (
            after in lex.PREPOSITIONS or after in ("", ",", "and") or after in FINITE or after in lex.MODALS
        )
        return self.word(at) == "can" and at > 0 and noun

    def named(self, at: int) -> bool:
        """Whether "Will" is a name here."""
        after = self.word(at + 1)
        return self.tokens[at][0].isupper() and (at > 0 or after not in lex.SUBJECTS)

    def noun_ahead(self, at: int) -> bool:
        """Whether a noun phrase or pronoun begins here."""
        word = self.word(at)
        return (
            word in lex.DETERMINERS or word in lex.OBJECTS or word in lex.PERSONS or word.endswith("'s")
            or word in ("everything", "something", "whatever", "what")
            or (bool(word) and self.tokens[at][0].isupper() and self.open(at))
        )  # fmt: skip

    def prepositional(self, at: int) -> bool:
        """Whether "in", "on", "over", "off" stand before a noun phrase that they govern."""
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
            and self.found
            and self.found[-1].base in ("turn", "switch", "power", "fire", "flip", "put")
        ):
            return False
        return bool(after) and (self.noun_ahead(at + 1) or (self.open(at + 1) and after not in lex.POLITE))

    def finite_ahead(self, at: int) -> bool:
        return any(w in FINITE or w in lex.BE or w in lex.MODALS for w in self.low[at : at + 6])
