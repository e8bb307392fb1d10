"""Step 5 of a decoding grammar (steps: ``decoding/__init__.py``): rules for names, variables, declarations.

Names stand in lists; the same list is written once, though lists may overlap. What many rules share (an
argument, a declaration) is made once, when a rule first needs it; that order is the order of the text.
Another order or other names of rules make recorded answers (cassettes) unusable, as each keeps the hash of
its grammar.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from ...domains.formula import Atom, quote, step_name
from .arguments import Argument
from .dialects import Dialect, literal
from .templates import DASH, MAX_NUMBER
from .vocabulary import VariableRange, Vocabulary

Rows = tuple[str, ...]
"""Alternatives of a rule; each is a row of symbols with spaces between."""
OPEN, SPACE, CLOSE = map(literal, "( )")


@dataclass(frozen=True, slots=True)
class ArgumentGroup:
    """Arguments of predicates that the same nodes and variables fit: one of them, and the groups of nodes."""

    argument: Argument
    nodes: tuple[int, ...]


class Terms:
    """Terms of one grammar; ``rules`` has its rules by symbol, ``lists`` the symbols of lists by texts."""

    def __init__(self, vocabulary: Vocabulary, dialect: Dialect) -> None:
        self.vocabulary, self.dialect = vocabulary, dialect
        self.rules: dict[str, Rows] = {}
        self.lists: dict[Rows, str] = {}
        self.declarations: dict[tuple[VariableRange, int, bool], str] = {}
        self.terms: dict[tuple[tuple[int, ...], Rows], str] = {}
        self.nodes = [self.one_of(f"{_plain(g.type)}_node", map(quote, g.names)) for g in vocabulary.nodes]
        self.properties = [self.one_of("property", map(quote, g.names)) for g in vocabulary.properties]
        self.groups: list[ArgumentGroup] = []
        self.numbers: dict[object, int] = {}
        self.predicates, self.steps = map(self.grouped, (vocabulary.predicates, vocabulary.steps))

    def grouped(self, names: Mapping[str, int]) -> list[tuple[str, tuple[int, ...]]]:
        """Return predicates, or steps, by what fits their arguments, which are numbers of ``groups``."""
        numbers = self.numbers

        def number(argument: Argument) -> int:
            nodes = tuple(i for i, g in enumerate(self.vocabulary.nodes) if argument in g.arguments)
            ranges = (*self.vocabulary.ranges, *self.vocabulary.by_sort.values())
            key = nodes, tuple(argument in r.arguments for r in ranges)
            if key not in numbers:
                numbers[key] = len(numbers)
                self.groups.append(ArgumentGroup(argument, nodes))
            return numbers[key]

        alike: dict[tuple[int, ...], list[str]] = {}
        for name, arity in names.items():
            key = tuple(number((name, i)) for i in range(arity))
            alike.setdefault(key, []).append(quote(step_name(Atom(name, ()))))
        return [(self.one_of("predicate", some), key) for key, some in alike.items()]

    def one_of(self, name: str, texts: Iterable[str]) -> str:
        """Return the symbol for one of some fixed texts; the same texts are one list under the first name."""
        key = tuple(texts)
        if len(key) == 1:
            return literal(key[0])
        if key not in self.lists:
            self.lists[key] = self.dialect.words(f"{name}_{len(self.lists)}")
        return self.lists[key]

    def declared(self, chosen: VariableRange, index: int, counted: bool) -> str:
        """Return the rule of ``(?item1 - class)``; if counted, after a number that the class reaches."""
        key = (chosen, index, counted)
        if key not in self.declarations:
            variable = f"{chosen.sort}{index}"
            head = f"{OPEN} {literal(f'?{variable}')} {SPACE} {literal(DASH)} {SPACE}"
            rows = (
                tuple(self.counts(chosen, head))
                if counted
                else (f"{head} {self.class_of(chosen, 1)} {CLOSE}",)
            )
            name = f"{'counted' if counted else 'declared'}_{_plain(variable)}_{len(self.declarations)}"
            symbol = self.declarations[key] = self.dialect.rule(name)
            self.rules[symbol] = rows
        return self.declarations[key]

    def counts(self, chosen: VariableRange, head: str) -> Iterator[str]:
        """Yield numbers, each with the classes that have as many nodes."""
        below = -1
        for size in sorted({min(size, MAX_NUMBER) for _, size in chosen.words}):
            numbers = self.one_of("number", map(str, range(below + 1, size + 1)))
            yield f"{numbers} {SPACE} {head} {self.class_of(chosen, size)} {CLOSE}"
            below = size

    def class_of(self, chosen: VariableRange, least: int) -> str:
        """Return the symbol of the types and classes of a range that have at least so many nodes."""
        large = (quote(word) for word, size in chosen.words if size >= least)
        return self.one_of(f"class_{_plain(chosen.sort)}", large)

    def term(self, nodes: tuple[int, ...], variables: Rows) -> str:
        """Return the symbol for a node of some groups, or one of some variables."""
        key = nodes, variables
        if key in self.terms:
            return self.terms[key]
        if not nodes:
            symbol = self.one_of("variable", variables)
        elif not variables and len(nodes) == 1:
            symbol = self.nodes[nodes[0]]
        else:
            rows = tuple(self.nodes[i] for i in nodes)
            if variables:
                rows = (self.term(nodes, ()), self.term((), variables))
            symbol = self.dialect.rule(f"term_{len(self.terms)}")
            self.rules[symbol] = rows
        self.terms[key] = symbol
        return symbol


@lru_cache(maxsize=1024)
def _plain(word: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in word.lower())
