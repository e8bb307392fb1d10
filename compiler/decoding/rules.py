"""Step 6 of a decoding grammar (steps: ``decoding/__init__.py``): the rules for formulas, and the whole text.

Every scope (a set of variables) has rules of its own for what depends on it; names of nodes stand in lists
that all scopes share. A grammar is built while a model waits for its prompt, so alternatives are written in
their dialect at once, and what repeats (scopes, arguments, declarations) is made once. ``schema`` gives the
same goals as a JSON schema: what is admitted here or there is changed in both. Any change of the text makes
recorded answers (cassettes) unusable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress, product

from ..goals.goal import MAX_WORDS
from .dialects import Dialect, literal
from .templates import MANY, MAX_LEVELS, MAX_PARTS, Construct, Templates
from .terms import CLOSE, OPEN, SPACE, Terms
from .vocabulary import BoundVariable, Scope, Vocabulary

_PART = "\0"
"""Stands for a rule in a form that is written once; no name of a rule has it."""


def levels(scope: Sequence[BoundVariable]) -> int:
    """Return how deep connectives nest below the quantifiers in scope: one less for each after the first."""
    return MAX_LEVELS - max(0, len(scope) - 1)


@dataclass(frozen=True, slots=True, eq=False)
class _NumberedScope:
    """The variables in scope under the number that their rules have; ``names`` are as they are written."""

    number: int
    bound: Scope
    names: tuple[str, ...]


class RuleBuilder:
    """Builder of one grammar from the vocabulary of a subgraph and the forms of the goal language.

    The methods return the symbol of a rule, or ``None`` where nothing can be said, or the rows of one.
    """

    def __init__(self, vocabulary: Vocabulary, forms: Templates, dialect: Dialect) -> None:
        self.vocabulary, self.forms, self.dialect = vocabulary, forms, dialect
        self.terms = Terms(vocabulary, dialect, forms.dash)
        self.rules = self.terms.rules
        self.of_run = False
        self.scopes: dict[Scope, _NumberedScope] = {}
        self.symbols: dict[tuple[str, int, int], str | None] = {}
        self.heads: dict[tuple[str, ...], str] = {}
        self.property_rows: dict[str, list[str]] = {}
        self.rows_of_forms: dict[tuple[str, ...], str] = {}
        self.quantifiers = [
            (form, "NUMBER" in form.parts, len(form.parts) - form.parts.index("variables") - 1)
            for form in forms.quantifiers
        ]
        self.atom_heads = [(f"{OPEN} {symbol}", arguments) for symbol, arguments in self.terms.predicates]
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
        missing = self.bracket(self.forms.missing, [f"{quote} {self.dialect.free(MAX_WORDS)} {quote}"])
        goal = self.goal()
        self.rules[start] = (*filter(None, [goal]), *([missing] if may_miss or goal is None else []))
        define = self.dialect.definition
        lines = [define(symbol, rows) for symbol, rows in self.rules.items()]
        lines += [define(symbol, map(literal, texts)) for texts, symbol in self.terms.lists.items()]
        return "\n".join(lines) + "\n"

    def rule(
        self, name: str, scope: _NumberedScope, level: int, make: Callable[[], Iterable[str]]
    ) -> str | None:
        """Return the rule of a scope and level, made once."""
        key = name, scope.number, level
        if key not in self.symbols:
            symbol = self.symbols[key] = self.dialect.rule(f"{name}_{scope.number}_{level}")
            self.rules[symbol] = ()  # keeps its place before what it refers to
            self.rules[symbol] = tuple(make())
            if not self.rules[symbol]:
                del self.rules[symbol]
                self.symbols[key] = None
        return self.symbols[key]

    def bracket(self, construct: Construct, parts: Sequence[str]) -> str:
        """Return ``(keyword part part)``."""
        if construct.keywords not in self.heads:
            keyword = self.terms.one_of(f"{construct.rule}_word", construct.keywords)
            self.heads[construct.keywords] = f"{OPEN} {keyword} {SPACE} "
        return self.heads[construct.keywords] + f" {SPACE} ".join(parts) + f" {CLOSE}"

    def bracketed(self, construct: Construct, body: str) -> str:
        """Return ``(keyword part part)`` of a form whose parts are all the same rule, repeated or not."""
        row = self.rows_of_forms.get(construct.keywords)
        if row is None:
            some = self.dialect.some(_PART, MAX_PARTS)
            row = self.bracket(construct, [some if p == MANY else _PART for p in construct.parts])
            self.rows_of_forms[construct.keywords] = row
        return row.replace(_PART, body)

    def scope(self, bound: Scope) -> _NumberedScope:
        if bound not in self.scopes:
            names = tuple(f"?{variable.name}" for variable in bound)
            self.scopes[bound] = _NumberedScope(len(self.scopes), bound, names)
        return self.scopes[bound]

    # Formulas

    def goal(self) -> str | None:
        """A formula without variables; what is asked of the run stands alone or in the outermost ``and``."""
        top = self.scope(())
        below = MAX_LEVELS - 1
        part = self.rule("part", top, below, lambda: [*self.formulas(top, below), *self.sometimes(top)])

        def rows() -> Iterable[str]:
            for construct in self.forms.connectives:
                body = part if construct.rule == "conjunction" else self.formula(top, below)
                yield from self.connective(construct, body)
            yield from filter(None, (self.literal(top), self.quantified(top)))
            yield from self.form("negation", self.compound(top, MAX_LEVELS))
            yield from self.sometimes(top)

        return self.rule("goal", top, MAX_LEVELS, rows)

    def form(self, rule: str, body: str | None) -> list[str]:
        """A form with one part, if that part can be said."""
        return [self.bracketed(self.forms[rule], body)] if body is not None else []

    def sometimes(self, top: _NumberedScope) -> list[str]:
        rows = self.form("sometime", self.literal(top))
        if self.of_run:
            body = self.formula(top, 1)
            rows += (row for construct in self.forms.runs for row in self.connective(construct, body))
            rows += filter(None, [self.rule("prohibition", top, 0, lambda: self.prohibitions(top))])
        return rows

    def prohibitions(self, top: _NumberedScope) -> Iterable[str]:
        """Forbidden steps; of each argument a node, or a variable that stands for anything."""
        if not self.forms.prohibition:
            return
        never, do, when = map(literal, self.forms.prohibition)
        for symbol, arguments in self.terms.steps:
            nodes = [self.terms.groups[number].nodes for number in arguments]
            kinds = [dict.fromkeys(self.vocabulary.nodes[i].type for i in some) for some in nodes]
            for sorts in product(*((None, *some) for some in kinds)):
                inside, row = top, [f"{OPEN} {never} {SPACE} {OPEN} {do} {SPACE} {symbol}"]
                for some, sort in zip(nodes, sorts, strict=True):
                    if sort is None:
                        row.append(self.terms.term(some, ()))
                        continue
                    index = 1 + sum(b.sort == sort for b in inside.bound)
                    row.append(literal(f"?{sort}{index}"))
                    chosen = self.vocabulary.by_sort[sort]
                    inside = self.scope(self.vocabulary.bind(inside.bound, chosen))
                yield f" {SPACE} ".join(row) + f" {self.condition(inside, when)}"

    def condition(self, scope: _NumberedScope, when: str) -> str | None:
        """The end of a forbidden step, with the condition under which it is one or without."""

        def rows() -> Iterable[str]:
            yield f"{CLOSE} {CLOSE}"
            if (body := self.formula(scope, 1)) is not None:
                yield f"{CLOSE} {SPACE} {when} {SPACE} {body} {CLOSE}"

        return self.rule("condition", scope, 1, rows)

    def formula(self, scope: _NumberedScope, level: int) -> str | None:
        if not level and not self.vocabulary.choices(scope.bound):
            return self.literal(scope)
        return self.rule("formula", scope, level, lambda: self.formulas(scope, level))

    def formulas(self, scope: _NumberedScope, level: int) -> Iterable[str]:
        compound = self.compound(scope, level)
        yield from filter(None, (self.literal(scope), compound))
        yield from self.form("negation", compound)

    def compound(self, scope: _NumberedScope, level: int) -> str | None:
        """A quantified formula or, above level 0, joined ones."""
        if not level:
            return self.quantified(scope)

        def rows() -> Iterable[str]:
            body = self.formula(scope, level - 1)
            for construct in self.forms.joined:
                yield from self.connective(construct, body)
            yield from filter(None, [self.quantified(scope)])

        return self.rule("compound", scope, level, rows)

    def connective(self, construct: Construct, body: str | None) -> Iterable[str]:
        if body is not None:
            yield self.bracketed(construct, body)

    def quantified(self, scope: _NumberedScope) -> str | None:
        def rows() -> Iterable[str]:
            for chosen in self.vocabulary.choices(scope.bound):
                inside = self.scope(self.vocabulary.bind(scope.bound, chosen))
                body = self.formula(inside, levels(inside.bound))
                if body is None:
                    continue
                index = 1 + sum(b.sort == chosen.sort for b in scope.bound)
                for construct, counted, rest in self.quantifiers:
                    declared = self.terms.declared(chosen, index, counted)
                    yield self.bracket(construct, [declared, *[body] * rest])

        return self.rule("quantified", scope, 0, rows)

    # Literals

    def literal(self, scope: _NumberedScope) -> str | None:
        def rows() -> Iterable[str]:
            atom = self.rule("atom", scope, 0, lambda: self.atoms(scope))
            yield from filter(None, [atom])
            yield from self.form("negation", atom)

        return self.rule("literal", scope, 0, rows)

    def atoms(self, scope: _NumberedScope) -> Iterable[str]:
        fitting = [self.terms.fitting(variable.arguments) for variable in scope.bound]
        terms = [
            self.terms.term(group.nodes, tuple(compress(scope.names, [fits[i] for fits in fitting])))
            for i, group in enumerate(self.terms.groups)
        ]
        spaced = [f"{SPACE} {term}" for term in terms]
        for head, arguments in self.atom_heads:
            yield " ".join([head, *[spaced[i] for i in arguments], CLOSE])
        for name, variable in zip(scope.names, scope.bound, strict=True):
            yield from self.properties(name, variable.sort)
            # A variable is a node of its sort, or another variable whose sort overlaps.
            others = zip(scope.names, scope.bound, strict=True)
            types = self.vocabulary.sorts[variable.sort]
            same = tuple(n for n, b in others if n != name and types & self.vocabulary.sorts[b.sort])
            either = self.terms.term(self.of_sort[variable.sort], same)
            yield self.bracket(self.forms["equal"], [literal(name), either])

    def properties(self, name: str, sort: str) -> list[str]:
        """Return the rows of classes and attributes of a variable, the same in every scope."""
        if name not in self.property_rows:
            pairs = zip(self.vocabulary.properties, self.terms.properties, strict=True)
            lists = [symbol for group, symbol in pairs if group.types & self.vocabulary.sorts[sort]]
            self.property_rows[name] = [
                f"{OPEN} {symbol} {SPACE} {literal(name)} {CLOSE}" for symbol in lists
            ]
        return self.property_rows[name]
