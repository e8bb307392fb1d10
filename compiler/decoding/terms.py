"""The small parts of a decoding grammar: names, variables, classes, and what an argument may be.

Names stand in lists, each written once; what repeats (arguments, declarations) is looked up.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass

from ...domains.formula import quote
from .dialects import Dialect, literal
from .places import Slot
from .templates import MAX_NUMBER
from .vocabulary import Bound, Lexicon, Range

Rows = tuple[str, ...]
"""Alternatives of a rule; each is a row of symbols with spaces between."""
OPEN, SPACE, CLOSE = map(literal, "( )")


@dataclass(frozen=True, slots=True)
class Fit:
    """Arguments of predicates that the same nodes and variables fit: one of them, and groups of nodes."""

    slot: Slot
    groups: tuple[int, ...]


class Terms:
    """What stands for things in one grammar; ``rules`` and ``lists`` are that grammar's, by symbol.

    A list gives fixed texts only, which no other list repeats in the same place.
    """

    def __init__(self, words: Lexicon, dialect: Dialect, dash: str) -> None:
        self.words, self.dialect = words, dialect
        self.dash = literal(dash)
        self.rules: dict[str, Rows] = {}
        self.lists: dict[str, Sequence[str]] = {}
        self.listed: dict[tuple[str, ...], str] = {}
        self.declarations: dict[tuple[Range, int, bool], str] = {}
        self.sized: dict[Range, tuple[list[str], list[int]]] = {}
        self.classes: dict[tuple[Range, int], str] = {}
        self.terms: dict[tuple[tuple[int, ...], tuple[str, ...]], str] = {}
        self.nodes = [
            self.list_of(f"{_plain(g.type)}_node", [quote(n) for n in g.names]) for g in words.nodes
        ]
        self.properties = [self.list_of("property", [quote(n) for n in g.names]) for g in words.properties]
        self.of_sort = {
            sort: tuple(i for i, g in enumerate(words.nodes) if g.type in types)
            for sort, types in words.sorts.items()
        }
        self.fits: list[Fit] = []
        self.fitted: dict[frozenset[Slot], list[bool]] = {}
        self.predicates = self.alike()

    def alike(self) -> list[tuple[str, tuple[int, ...]]]:
        """Predicates by what their arguments may be, which numbers entries of ``fits``."""
        numbers: dict[object, int] = {}

        def number(slot: Slot) -> int:
            groups = tuple(i for i, g in enumerate(self.words.nodes) if slot in g.slots)
            key = groups, tuple(slot in r.slots for r in (*self.words.ranges, *self.words.coarse))
            if key not in numbers:
                numbers[key] = len(numbers)
                self.fits.append(Fit(slot, groups))
            return numbers[key]

        found: dict[tuple[int, ...], list[str]] = {}
        for predicate, arity in self.words.predicates.items():
            key = tuple(number((predicate, i)) for i in range(arity))
            found.setdefault(key, []).append(quote(predicate))
        return [(self.list_of("predicate", predicates), key) for key, predicates in found.items()]

    def list_of(self, name: str, texts: Sequence[str]) -> str:
        """One of some fixed texts."""
        if len(texts) == 1:
            return literal(texts[0])
        key = tuple(texts)
        found = self.listed.get(key)
        if found is None:
            found = self.listed[key] = self.dialect.words(f"{name}_{len(self.lists)}")
            self.lists[found] = key
        return found

    def declared(self, chosen: Range, index: int, counted: bool) -> str:
        """``(?item1 - class)``, after a number that the class reaches where things are counted."""
        key = (chosen, index, counted)
        found = self.declarations.get(key)
        if found is not None:
            return found
        variable = Bound(chosen.sort, index, chosen.slots).name
        head = f"{OPEN} {literal(f'?{variable}')} {SPACE} {self.dash} {SPACE}"
        rows = []
        if counted:
            below = -1
            for size in sorted({min(size, MAX_NUMBER) for _, size in chosen.words}):
                numbers = self.list_of("number", [str(n) for n in range(below + 1, size + 1)])
                rows.append(f"{numbers} {SPACE} {head} {self.class_of(chosen, size)} {CLOSE}")
                below = size
        else:
            rows.append(f"{head} {self.class_of(chosen, 1)} {CLOSE}")
        name = f"{'counted' if counted else 'declared'}_{_plain(variable)}_{len(self.declarations)}"
        symbol = self.declarations[key] = self.dialect.rule(name)
        self.rules[symbol] = tuple(rows)
        return symbol

    def class_of(self, chosen: Range, least: int) -> str:
        """A type or class of a range that has at least so many nodes."""
        key = (chosen, least)
        if key not in self.classes:
            if chosen not in self.sized:
                largest = sorted(chosen.words, key=lambda word: (-word[1], word[0]))
                self.sized[chosen] = [quote(word) for word, _ in largest], [-size for _, size in largest]
            texts, sizes = self.sized[chosen]
            self.classes[key] = self.list_of(f"class_{_plain(chosen.sort)}", texts[: bisect(sizes, -least)])
        return self.classes[key]

    def fitting(self, slots: frozenset[Slot]) -> list[bool]:
        """Which entries of ``fits`` a variable is one of that can do so much."""
        if slots not in self.fitted:
            self.fitted[slots] = [fit.slot in slots for fit in self.fits]
        return self.fitted[slots]

    def term(self, groups: tuple[int, ...], variables: tuple[str, ...]) -> str:
        """What an argument may be: a node of some groups, or a variable."""
        found = self.terms.get((groups, variables))
        if found is None:
            found = self.terms[groups, variables] = self.new_term(groups, variables)
        return found

    def new_term(self, groups: tuple[int, ...], variables: tuple[str, ...]) -> str:
        if not groups:
            return self.list_of("variable", variables)
        if not variables and len(groups) == 1:
            return self.nodes[groups[0]]
        if variables:
            rows: Rows = (self.term(groups, ()), self.term((), variables))
        else:
            rows = tuple(self.nodes[i] for i in groups)
        symbol = self.dialect.rule(f"term_{len(self.terms)}")
        self.rules[symbol] = rows
        return symbol


def _plain(word: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in word.lower())
