"""The rules of a decoding grammar as text: what may be said with which variables in scope.

Every scope has rules of its own for what depends on its variables; names of nodes stand in lists that all
scopes share. A grammar is built while a model waits for its prompt, so alternatives are written in their
dialect at once, and what repeats (scopes, arguments, declarations) is looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress

from ..goals.goal import MAX_WORDS
from .dialects import Dialect, literal
from .templates import MANY, MAX_LEVELS, MAX_PARTS, Construct, Templates
from .terms import CLOSE, OPEN, SPACE, Terms
from .vocabulary import Bound, Lexicon, Scope


def levels(scope: Sequence[Bound]) -> int:
    """How deep connectives nest below the quantifiers of a scope: 3, one less for each after the first."""
    return MAX_LEVELS - max(0, len(scope) - 1)


@dataclass(frozen=True, slots=True, eq=False)
class _Scope:
    """The variables that are in scope, numbered; ``names`` are as they are written."""

    number: int
    bound: Scope
    names: tuple[str, ...]


class RuleBuilder:
    """Builds one grammar from the words of a subgraph and the forms of the goal language."""

    def __init__(self, words: Lexicon, forms: Templates, dialect: Dialect) -> None:
        self.words, self.forms, self.dialect = words, forms, dialect
        self.terms = Terms(words, dialect, forms.dash)
        self.rules = self.terms.rules
        self.scopes: dict[Scope, _Scope] = {}
        self.named: dict[tuple[str, int, int], str | None] = {}
        self.about: dict[str, list[str]] = {}
        self.opened: dict[tuple[str, ...], str] = {}

    def build(self) -> str:
        missing = self.forms.missing
        start = self.dialect.rule(self.dialect.start)
        self.rules[start] = ()
        quote = literal('"')
        words = f"{quote} {self.dialect.free(MAX_WORDS)} {quote}"
        answers = [self.bracket(missing, [words])]
        top = self.goal()
        if top is not None:
            answers.insert(0, top)
        self.rules[start] = tuple(answers)
        define = self.dialect.definition
        lines = [define(symbol, rows) for symbol, rows in self.rules.items()]
        lines += [define(symbol, map(literal, texts)) for symbol, texts in self.terms.lists.items()]
        return "\n".join(lines) + "\n"

    def rule(self, name: str, scope: _Scope, level: int, make: Callable[[], Iterable[str]]) -> str | None:
        """The rule of a scope and level, made once; ``None`` where nothing can be said."""
        key = name, scope.number, level
        if key not in self.named:
            symbol = self.dialect.rule(f"{name}_{scope.number}_{level}")
            self.named[key] = symbol
            self.rules[symbol] = ()  # keeps its place before what it refers to
            rows = tuple(make())
            if rows:
                self.rules[symbol] = rows
            else:
                del self.rules[symbol]
                self.named[key] = None
        return self.named[key]

    def bracket(self, construct: Construct, parts: Sequence[str]) -> str:
        """``(keyword part part)``."""
        opened = self.opened.get(construct.keywords)
        if opened is None:
            keyword = self.terms.list_of(construct.rule + "_word", construct.keywords)
            opened = self.opened[construct.keywords] = f"{OPEN} {keyword} {SPACE} "
        return opened + f" {SPACE} ".join(parts) + f" {CLOSE}"

    def scope(self, bound: Scope) -> _Scope:
        found = self.scopes.get(bound)
        if found is None:
            names = tuple(f"?{b.name}" for b in bound)
            found = self.scopes[bound] = _Scope(len(self.scopes), bound, names)
        return found

    # Formulas

    def goal(self) -> str | None:
        """A formula without variables, where ``sometime`` may stand alone or in the outermost ``and``."""
        top = self.scope(())
        below = MAX_LEVELS - 1
        part = self.rule("part", top, below, lambda: [*self.formulas(top, below), *self.sometimes(top)])

        def rows() -> Iterable[str]:
            for construct in self.forms.connectives:
                body = part if construct.rule == "conjunction" else self.formula(top, below)
                yield from self.connective(construct, body)
            for found in (self.literal(top), self.quantified(top)):
                if found is not None:
                    yield found
            yield from self.negated(self.compound(top, MAX_LEVELS))
            yield from self.sometimes(top)

        return self.rule("goal", top, MAX_LEVELS, rows)

    def sometimes(self, top: _Scope) -> Iterable[str]:
        body = self.literal(top)
        if body is not None:
            yield self.bracket(self.forms["sometime"], [body])

    def formula(self, scope: _Scope, level: int) -> str | None:
        if not level and not self.words.choices(scope.bound):
            return self.literal(scope)
        return self.rule("formula", scope, level, lambda: self.formulas(scope, level))

    def formulas(self, scope: _Scope, level: int) -> Iterable[str]:
        compound = self.compound(scope, level)
        for found in (self.literal(scope), compound):
            if found is not None:
                yield found
        yield from self.negated(compound)

    def negated(self, body: str | None) -> Iterable[str]:
        if body is not None:
            yield self.bracket(self.forms["negation"], [body])

    def compound(self, scope: _Scope, level: int) -> str | None:
        """A quantified formula or, above level 0, joined ones."""
        if not level:
            return self.quantified(scope)

        def rows() -> Iterable[str]:
            body = self.formula(scope, level - 1)
            for construct in self.forms.joined:
                yield from self.connective(construct, body)
            quantified = self.quantified(scope)
            if quantified is not None:
                yield quantified

        return self.rule("compound", scope, level, rows)

    def connective(self, construct: Construct, body: str | None) -> Iterable[str]:
        if body is not None:
            parts = [self.dialect.some(body, MAX_PARTS) if p == MANY else body for p in construct.parts]
            yield self.bracket(construct, parts)

    def quantified(self, scope: _Scope) -> str | None:
        def rows() -> Iterable[str]:
            for chosen in self.words.choices(scope.bound):
                inside = self.scope(self.words.bind(scope.bound, chosen))
                body = self.formula(inside, levels(inside.bound))
                if body is None:
                    continue
                index = 1 + sum(b.sort == chosen.sort for b in scope.bound)
                for construct in self.forms.quantifiers:
                    declared = self.terms.declared(chosen, index, "NUMBER" in construct.parts)
                    rest = len(construct.parts) - construct.parts.index("variables") - 1
                    yield self.bracket(construct, [declared, *[body] * rest])

        return self.rule("quantified", scope, 0, rows)

    # Literals

    def literal(self, scope: _Scope) -> str | None:
        def rows() -> Iterable[str]:
            atom = self.rule("atom", scope, 0, lambda: self.atoms(scope))
            if atom is not None:
                yield atom
                yield self.bracket(self.forms["negation"], [atom])

        return self.rule("literal", scope, 0, rows)

    def atoms(self, scope: _Scope) -> Iterable[str]:
        fitting = [self.terms.fitting(one.slots) for one in scope.bound]
        terms = [
            self.terms.term(fit.groups, tuple(compress(scope.names, [f[i] for f in fitting])))
            for i, fit in enumerate(self.terms.fits)
        ]
        for named, arguments in self.terms.predicates:
            spaced = "".join([f"{SPACE} {terms[i]} " for i in arguments])
            yield f"{OPEN} {named} {spaced}{CLOSE}"
        for name, one in zip(scope.names, scope.bound, strict=True):
            yield from self.properties(name, one.sort)
            # A variable is a node of its sort, or another variable whose sort overlaps.
            others = zip(scope.names, scope.bound, strict=True)
            types = self.words.sorts[one.sort]
            same = tuple(n for n, b in others if n != name and types & self.words.sorts[b.sort])
            either = self.terms.term(self.terms.of_sort[one.sort], same)
            yield self.bracket(self.forms["equal"], [literal(name), either])

    def properties(self, name: str, sort: str) -> list[str]:
        """Classes and attributes of a variable, the same in every scope."""
        if name not in self.about:
            pairs = zip(self.words.properties, self.terms.properties, strict=True)
            listed = [named for group, named in pairs if group.types & self.words.sorts[sort]]
            self.about[name] = [f"{OPEN} {n} {SPACE} {literal(name)} {CLOSE}" for n in listed]
        return self.about[name]
