"""Words for names, classes and facts, from which ``saying`` builds sentences.

A fact is said as the pack's ``[words]`` say it, a class as "is an apple", an attribute as "is ripe". Where
two facts would be said alike, both are given as formulas: two goals must never have the same words. A word
that the frames of sentences use belongs into :data:`FRAME`, so that a thing of that name is quoted.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ...domains.formula import ANYTHING, Atom, quote
from ...domains.pack import filled
from ...simulator.belief import Belief

FRAME = frozenset(
    "a an the and or not no every some either if then it is so that at time least most exactly for of are has"
    " have does do same as nothing will anything goes holds hold once robot hand things class pairs".split()
)
"""Words of the sentences themselves: as names of things they are quoted."""

_PLAIN = re.compile(r"\w[\w-]*\Z")
_PLURAL_VERBS = {"is": "are", "has": "have", "does": "do"}


def name_of(name: str) -> str:
    """Return a name as sentences spell it: as it is if it is one plain word, else in double quotes.

    >>> name_of("apple1"), name_of("a b"), name_of("and")
    ('apple1', '"a b"', '"and"')
    """
    if _PLAIN.match(name) and name.lower() not in FRAME:
        return name
    spelled = quote(name)
    return spelled if spelled.startswith('"') else json.dumps(name, ensure_ascii=not name.isprintable())


def noun(kind: str, number: int = 1) -> str:
    """Return the name of a class or type as a noun, in the plural for other numbers than 1.

    >>> noun("cup"), noun("cup", 2), noun("dish", 2), noun("odd name", 2)
    ('cup', 'cups', 'dishes', 'things of class "odd name"')
    """
    words = name_of(kind) if kind != ANYTHING else "thing"
    if words.startswith('"'):
        return f"thing{'' if number == 1 else 's'} of class {words}"
    if number == 1:
        return words
    if re.search(r"(s|x|z|ch|sh)\Z", words):
        return f"{words}es"
    return f"{words[:-1]}ies" if re.search(r"[^aeiou_\W\d]y\Z", words) else f"{words}s"


def _article(word: str) -> str:
    return "an" if word[:1].lower() in tuple("aeiou") else "a"


@dataclass(frozen=True, slots=True)
class FactPhrase:
    """A fact in words. ``verb`` is what follows its subject, ``subject`` the argument that this is.

    ``verb`` and ``subject`` are there only where the words begin with an argument; ``verbs`` is ``verb`` with
    a subject in the plural, where that can be said.
    """

    text: str
    subject: int | None = None
    verb: str = ""
    verbs: str = ""


@dataclass(frozen=True)
class PackPhrases:
    """The words for facts about a scene in the words of its pack."""

    belief: Belief

    def fact(self, predicate: str, args: Sequence[str], holds: bool = True) -> FactPhrase:
        """Return the words for a fact, or for its negation; ``args`` are its arguments as they are said."""
        text = self._text(predicate, len(args), holds)
        if text is None:
            formula = f"({' '.join([quote(predicate), *args])})"
            return FactPhrase(f"{formula} {'holds' if holds else 'does not hold'}")
        binding = {str(index): arg for index, arg in enumerate(args)}
        words = filled(text, binding)
        opening = re.match(r"\{(\d+)\} (\w+)", text)
        if opening is None:
            return FactPhrase(words)
        verb = filled(text[opening.end(1) + 2 :], binding)
        several = _PLURAL_VERBS.get(opening[2])
        rest = verb[len(opening[2]) :]
        if predicate in self._classes:
            rest = f"{' not' if not holds else ''} {noun(predicate, 2)}"
        return FactPhrase(words, int(opening[1]), verb, f"{several}{rest}" if several else "")

    def sentence(self, atom: Atom, passing: bool = False) -> str | None:
        """Return the pack's sentence that asks for a fact; ``None`` where it has none.

        With ``passing`` that which asks that the fact holds at some time.
        """
        language = self.belief.pack.language
        if language is None:
            return None
        text = (language.sometime if passing else language.sentences).get(atom.predicate)
        if text is None or len(atom.args) != self._public.get(atom.predicate):
            return None
        names = {str(index): name_of(str(arg)) for index, arg in enumerate(atom.args)}
        return filled(text, names)

    def _text(self, predicate: str, arity: int, holds: bool) -> str | None:
        """Return the words with holes for the arguments; ``None`` without words, or with those of another."""
        if predicate in self._public:
            pair = self.belief.pack.mapping.words.get(predicate)
            if pair is None or arity != self._public[predicate]:
                return None
            text = pair[0] if holds else pair[1]
            return text if self._alike[text] == 1 else None
        if arity != 1:
            return None
        word = name_of(predicate)
        if predicate in self._classes:
            word = f"{_article(word)} {noun(predicate)}"
        text = f"{{0}} is {'' if holds else 'not '}{word}"
        return None if self._alike[text] else text

    @cached_property
    def _public(self) -> dict[str, int]:
        return self.belief.pack.public_predicates()

    @cached_property
    def _classes(self) -> frozenset[str]:
        return frozenset(self.belief.scene.by_class) - self._public.keys()

    @cached_property
    def _alike(self) -> Counter[str]:
        """Number of facts and negations of the pack that have the same words, by the words."""
        words = self.belief.pack.mapping.words
        return Counter(text for predicate in self._public for text in words.get(predicate, ()))
