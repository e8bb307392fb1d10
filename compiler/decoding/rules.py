"""Step 6 of a decoding grammar (steps: ``decoding/__init__.py``): the rules for formulas, and the whole text.

Every scope (a set of variables) has rules of its own for what depends on it; names of nodes stand in lists
that all scopes share. Any change of the text makes recorded answers (cassettes) unusable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product

from ..goals.goal import MAX_WORDS
from .dialects import Dialect, literal
from .templates import (
    CONJUNCTION,
    DISJUNCTION,
    EQUAL,
    IMPLICATION,
    JOINED,
    MANY,
    MAX_LEVELS,
    MAX_PARTS,
    MISSING,
    NEGATION,
    PROHIBITION,
    QUANTIFIERS,
    RUNS,
    SOMETIME,
    Construct,
)
from .terms import CLOSE, OPEN, SPACE, Terms
from .vocabulary import BoundVariable, Scope, Vocabulary, next_index


def levels(scope: Sequence[BoundVariable]) -> int:
    """Return how deep connectives nest below the quantifiers in scope: one less for each after the first."""
    return MAX_LEVELS - max(0, len(scope) - 1)


class RuleBuilder:
    """Builder of one grammar from the vocabulary of a subgraph.

    The methods return the symbol of a rule, or ``None`` where nothing can be said, or the rows of one.
    """

    def __init__(self, vocabulary: Vocabulary, dialect: Dialect) -> None:
        self.vocabulary, self.dialect = vocabulary, dialect
        self.terms = Terms(vocabulary, dialect)
        self.rules = self.terms.rules
        self.of_run = False
        self.numbers: dict[Scope, int] = {}
        """The number that the rules of a scope have."""
        self.symbols: dict[tuple[str, Scope, int], str | None] = {}
        self.of_sort = {
            sort: tuple(i for i, g in enumerate(vocabulary.nodes) if g.type in types)
            for sort, types in vocabulary.sorts.items()
        }

    def build(self, may_miss: bool = True, of_run: bool = False) -> str:
        """Write the grammar: rules in the order in which they are first needed, then the lists.

        Without ``may_miss`` an answer is a goal, where there can be one; with ``of_run`` it may have the
        forms about the whole run.
        """
        self.of_run = of_run
        start = self.dialect.rule(self.dialect.start)
        self.rules[start] = ()  # keeps its place before what it refers to
        quote = literal('"')
        missing = self.bracket(MISSING, [f"{quote} {self.dialect.free(MAX_WORDS)} {quote}"])
        goal = self.goal()
        self.rules[start] = (*filter(None, [goal]), *([missing] if may_miss or goal is None else []))
        define = self.dialect.definition
        lines = [define(symbol, rows) for symbol, rows in self.rules.items()]
        lines += [define(symbol, map(literal, texts)) for texts, symbol in self.terms.lists.items()]
        return "\n".join(lines) + "\n"

    def rule(self, name: str, scope: Scope, level: int, make: Callable[[], Iterable[str]]) -> str | None:
        """Return the rule of a scope and level, made once."""
        key = name, scope, level
        if key not in self.symbols:
            symbol = self.symbols[key] = self.dialect.rule(f"{name}_{self.numbers[scope]}_{level}")
            self.rules[symbol] = ()  # keeps its place before what it refers to
            self.rules[symbol] = tuple(make())
            if not self.rules[symbol]:
                del self.rules[symbol]
                self.symbols[key] = None
        return self.symbols[key]

    def bracket(self, construct: Construct, parts: Sequence[str]) -> str:
        """Return ``(keyword part part)``."""
        keyword = self.terms.one_of(f"{construct.rule}_word", construct.keywords)
        return f"{OPEN} {keyword} {SPACE} " + f" {SPACE} ".join(parts) + f" {CLOSE}"

    def form(self, construct: Construct, body: str | None) -> list[str]:
        """Return ``(keyword part part)`` of a form whose parts are all one rule, if that can be said."""
        if body is None:
            return []
        some = self.dialect.some(body, MAX_PARTS)
        return [self.bracket(construct, [some if p == MANY else body for p in construct.parts])]

    def scope(self, bound: Scope) -> Scope:
        """Number a scope where it is first met."""
        self.numbers.setdefault(bound, len(self.numbers))
        return bound

    # Formulas

    def goal(self) -> str | None:
        """A formula without variables; what is asked of the run stands alone or in the outermost ``and``."""
        top = self.scope(())
        below = MAX_LEVELS - 1
        part = self.rule("part", top, below, lambda: [*self.formulas(top, below), *self.sometimes(top)])

        def rows() -> Iterable[str]:
            yield from self.form(CONJUNCTION, part)
            for construct in (DISJUNCTION, IMPLICATION):
                yield from self.form(construct, self.formula(top, below))
            yield from filter(None, (self.literal(top), self.quantified(top)))
            yield from self.form(NEGATION, self.compound(top, MAX_LEVELS))
            yield from self.sometimes(top)

        return self.rule("goal", top, MAX_LEVELS, rows)

    def sometimes(self, top: Scope) -> list[str]:
        rows = self.form(SOMETIME, self.literal(top))
        if self.of_run:
            body = self.formula(top, 1)
            rows += (row for construct in RUNS for row in self.form(construct, body))
            rows += filter(None, [self.rule("prohibition", top, 0, lambda: self.prohibitions(top))])
        return rows

    def prohibitions(self, top: Scope) -> Iterable[str]:
        """Forbidden steps; of each argument a node, or a variable that stands for anything."""
        never, do, when = map(literal, PROHIBITION)
        for symbol, arguments in self.terms.steps:
            nodes = [self.terms.groups[number].nodes for number in arguments]
            kinds = [dict.fromkeys(self.vocabulary.nodes[i].type for i in some) for some in nodes]
            for sorts in product(*((None, *some) for some in kinds)):
                inside, row = top, [f"{OPEN} {never} {SPACE} {OPEN} {do} {SPACE} {symbol}"]
                for some, sort in zip(nodes, sorts, strict=True):
                    if sort is None:
                        row.append(self.terms.term(some, ()))
                        continue
                    index = next_index(sort, inside)
                    row.append(literal(f"?{sort}{index}"))
                    chosen = self.vocabulary.by_sort[sort]
                    inside = self.scope(self.vocabulary.bind(inside, chosen))
                yield f" {SPACE} ".join(row) + f" {self.condition(inside, when)}"

    def condition(self, scope: Scope, when: str) -> str | None:
        """The end of a forbidden step, with the condition under which it is one or without."""

        def rows() -> Iterable[str]:
            yield f"{CLOSE} {CLOSE}"
            if (body := self.formula(scope, 1)) is not None:
                yield f"{CLOSE} {SPACE} {when} {SPACE} {body} {CLOSE}"

        return self.rule("condition", scope, 1, rows)

    def formula(self, scope: Scope, level: int) -> str | None:
        if not level and not self.vocabulary.choices(scope):
            return self.literal(scope)
        return self.rule("formula", scope, level, lambda: self.formulas(scope, level))

    def formulas(self, scope: Scope, level: int) -> Iterable[str]:
        compound = self.compound(scope, level)
        yield from filter(None, (self.literal(scope), compound))
        yield from self.form(NEGATION, compound)

    def compound(self, scope: Scope, level: int) -> str | None:
        """A quantified formula or, above level 0, joined ones."""
        if not level:
            return self.quantified(scope)

        def rows() -> Iterable[str]:
            body = self.formula(scope, level - 1)
            for construct in JOINED:
                yield from self.form(construct, body)
            yield from filter(None, [self.quantified(scope)])

        return self.rule("compound", scope, level, rows)

    def quantified(self, scope: Scope) -> str | None:
        def rows() -> Iterable[str]:
            for chosen in self.vocabulary.choices(scope):
                inside = self.scope(self.vocabulary.bind(scope, chosen))
                body = self.formula(inside, levels(inside))
                if body is None:
                    continue
                index = next_index(chosen.sort, scope)
                for construct in QUANTIFIERS:
                    declared = self.terms.declared(chosen, index, "NUMBER" in construct.parts)
                    yield self.bracket(construct, [declared, body])

        return self.rule("quantified", scope, 0, rows)

    # Literals

    def literal(self, scope: Scope) -> str | None:
        def rows() -> Iterable[str]:
            atom = self.rule("atom", scope, 0, lambda: self.atoms(scope))
            yield from filter(None, [atom])
            yield from self.form(NEGATION, atom)

        return self.rule("literal", scope, 0, rows)

    def atoms(self, scope: Scope) -> Iterable[str]:
        names = tuple(f"?{variable.name}" for variable in scope)
        spaced: list[str] = []
        for group in self.terms.groups:
            fitting = (n for n, v in zip(names, scope, strict=True) if group.argument in v.arguments)
            spaced.append(f"{SPACE} {self.terms.term(group.nodes, tuple(fitting))}")
        for symbol, arguments in self.terms.predicates:
            yield " ".join([OPEN, symbol, *[spaced[i] for i in arguments], CLOSE])
        for name, variable in zip(names, scope, strict=True):
            types = self.vocabulary.sorts[variable.sort]
            pairs = zip(self.vocabulary.properties, self.terms.properties, strict=True)
            for symbol in (symbol for group, symbol in pairs if group.types & types):
                yield f"{OPEN} {symbol} {SPACE} {literal(name)} {CLOSE}"
            # A variable is a node of its sort, or another variable whose sort overlaps.
            others = zip(names, scope, strict=True)
            same = tuple(n for n, b in others if n != name and types & self.vocabulary.sorts[b.sort])
            either = self.terms.term(self.of_sort[variable.sort], same)
            yield self.bracket(EQUAL, [literal(name), either])
