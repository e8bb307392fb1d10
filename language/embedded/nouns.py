"""Where a noun phrase ends: at a word of a closed class, or at a verb or a state that follows its noun."""

from __future__ import annotations

from . import lexicon as lex
from .inflection import lemma
from .positions import FINITE, Words

_PLACED = frozenset(
    "left lying standing sitting placed kept stored found located seated given belonging owned resting stuck"
    " hidden put parked waiting hanging addressed delivered forgotten abandoned stacked leaning living"
    " sit sits lie lies stands lives waits labelled labeled called marked named".split()
)
STATES = frozenset(
    "open opened closed shut on off running hot warm cold cool chilled clean dirty dusty filthy spotless"
    " empty tidy"
    " hidden ajar full grubby going started".split()
)


class Nouns(Words):
    """Reads noun phrases among the words of a sentence."""

    def phrase(self, at: int) -> int:
        """A noun phrase from here to the next word of a closed class."""
        start, end = at, at
        while end < len(self.tokens) and end - start < 12:
            word = self.low[end]
            if word == "of" and self.word(end - 1) in (
                "all",
                "both",
                "each",
                "one",
                "two",
                "three",
                "four",
                "any",
                "some",
                "every",
                "none",
                "either",
            ):
                end += 1
                continue
            if word == "one" and end > start:
                end += 1
                break
            if word in lex.DETERMINERS:
                last = self.word(end - 1)
                if end > start and last not in lex.DETERMINERS and last != "of":
                    break
                if word in lex.OBJECTS and not self.open(end + 1) and end > start:
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
        kind = "j" if len(text) == 1 and text[0].lower() in lex.POLITE else "n"
        return self.add(kind, start, max(end, start + 1))

    def ends(self, start: int, end: int) -> bool:
        """Whether the noun phrase is complete before this word: a verb or a state follows."""
        word, after = self.low[end], self.word(end + 1)
        if self.low[end - 1] in lex.DETERMINERS or self.low[end - 1].endswith("'s"):
            return False
        if word in (
            "just",
            "still",
            "already",
            "always",
            "also",
            "really",
            "again",
            "now",
            "too",
            "probably",
            "actually",
        ):
            return True
        if word in lex.POLITE and word not in ("second", "right", "kind"):
            return not self.open(end + 1)
        name = (self.tokens[start][0].isupper() and start > 0) or self.tokens[start] == "Will"
        if self.low[start] in lex.DETERMINERS and end == start + 1:
            return False
        if word in ("go", "live") and (after in lex.PREPOSITIONS or self.low[end - 1].endswith("s")):
            return True
        plural = self.low[end - 1].endswith("s")
        if word in ("smell", "stink", "reek", "need", "want", "works", "functions") and not plural:
            return word in ("works", "functions") and not self.open(end + 1)
        if word in FINITE and not (word in ("left",) and self.open(end + 1)):
            return True
        verb = lex.base(word)
        if word.endswith("ing") and after in lex.PREPOSITIONS and lemma(word) is not None:
            return True
        if word in _PLACED and (after in lex.PREPOSITIONS or after in ("", ",")):
            return True
        if verb is not None and verb != word and not word.endswith("s") and not self.open(end + 1):
            return True  # a participle or gerund after its noun
        if (
            word in STATES
            and not self.open(end + 1)
            and end - start >= (1 if self.low[start] not in lex.DETERMINERS else 2)
        ):
            return True
        return name and self.tokens[end][0].isupper() and word.endswith("'s") and end == start + 1
