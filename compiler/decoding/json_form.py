"""Answers between text and the JSON form of ``decoding_schema``.

JSON is turned into text and parsed as any other answer, so that there is one place that judges a goal. What
no schema held back (a server without constraints) gets an error that names the place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...domains.diagnostic import Diagnostic
from ...domains.errors import clip
from ...domains.formula import (
    MAX_DEPTH,
    And,
    Atom,
    Count,
    Equal,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Sometime,
    Term,
    TypedVar,
    Var,
    quote,
)
from ...domains.pack import Pack
from ..goals.goal import GoalSyntaxError, Missing
from .schema import ANSWER, HOLDS, OF, key_of, term_text
from .templates import MANY, Templates, templates

_VARIABLE = re.compile(r'\?[^\s()";?]+\Z')
_LATER = re.compile(rf"({HOLDS}|{OF}|arg[2-9])\Z")


def goal_to_json(answer: Formula | Missing, pack: Pack) -> dict[str, object]:
    """An answer in its JSON form. Raises ``ValueError`` for formulas with several variables a quantifier."""
    forms = templates()
    if isinstance(answer, Missing):
        return {ANSWER: {forms.missing.keywords[0]: answer.words}}
    return {ANSWER: _Writer(forms, frozenset(pack.public_predicates())).write(answer)}


@dataclass(frozen=True, slots=True)
class _Writer:
    forms: Templates
    predicates: frozenset[str]

    def write(self, formula: Formula) -> dict[str, object]:
        match formula:
            case Atom(predicate, (Var() as variable,)) if predicate not in self.predicates:
                return {str(variable): term_text(predicate)}
            case Atom(predicate, ()):
                return {predicate: True}
            case Atom(predicate, args):
                return {predicate if i == 0 else key_of(i): _value(a) for i, a in enumerate(args)}
            case Equal(left, right):
                return {self.word("equal"): _value(left), key_of(1): _value(right)}
            case Not(part):
                return {self.word("negation"): self.write(part)}
            case And(parts):
                return {self.word("conjunction"): [self.write(p) for p in parts]}
            case Or(parts):
                return {self.word("disjunction"): [self.write(p) for p in parts]}
            case Imply(left, right):
                return {self.word("implication"): self.write(left), key_of(1): self.write(right)}
            case Exists((variable,), body):
                return {self.word("exists"): self.bound(variable, body)}
            case Forall((variable,), body):
                return {self.word("forall"): self.bound(variable, body)}
            case Count(kind, number, (variable,), body):
                return {kind: number, OF: self.bound(variable, body)}
            case Sometime(body):
                return {self.word("sometime"): self.write(body)}
        raise ValueError(f"not one variable a quantifier: {formula}")

    def word(self, rule: str) -> str:
        return self.forms[rule].keywords[0]

    def bound(self, variable: TypedVar, body: Formula) -> dict[str, object]:
        return {f"?{variable.name}": term_text(variable.type), HOLDS: self.write(body)}


def _value(term: Term) -> str:
    return str(term) if isinstance(term, Var) else term_text(term)


def goal_from_json(raw: object, where: str = ANSWER) -> str:
    """The answer that a JSON value means, as text for :func:`~groundplan.compiler.goal.parse_answer`.

    Raises :class:`GoalSyntaxError` with the place in the value.
    """
    if isinstance(raw, Mapping) and set(raw) == {ANSWER}:
        raw = raw[ANSWER]
    reader = _Reader(templates())
    missing = reader.forms.missing.keywords[0]
    if isinstance(raw, Mapping) and set(raw) == {missing} and isinstance(raw[missing], str):
        return str(Missing(raw[missing]))
    return reader.formula(raw, where, 1)


@dataclass(frozen=True, slots=True)
class _Reader:
    forms: Templates

    def formula(self, raw: object, at: str, depth: int) -> str:
        if depth > MAX_DEPTH:
            raise _error(at, f"formulas at most {MAX_DEPTH} deep", "more")
        if not isinstance(raw, Mapping) or not all(isinstance(k, str) for k in raw):
            raise _error(at, 'an object such as {"closed": "fridge"}', raw)
        heads = [k for k in raw if not _LATER.match(k)]
        if len(heads) != 1:
            raise _error(at, "one word that says what holds", ", ".join(map(str, raw)) or "none")
        head, value = heads[0], raw[heads[0]]
        at = f"{at}.{clip(head, 40)}"
        construct = next((c for c in self.forms.constructs if head in c.keywords), None)
        if construct is None:
            return self.atom(head, raw, at)
        counted = "NUMBER" in construct.parts
        later = 1 if "variables" in construct.parts else len(construct.parts)
        self.only(raw, [head, *([OF] if counted else map(key_of, range(1, later)))], at)
        if "variables" in construct.parts:
            if counted and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
                raise _error(at, "a number", value)
            number = f"{value} " if counted else ""
            return f"({head} {number}{self.bound(raw.get(OF) if counted else value, at, depth)})"
        if construct.parts == (MANY,):
            if not isinstance(value, list):
                raise _error(at, "a list of formulas", value)
            inner = (self.formula(v, f"{at}[{i}]", depth + 1) for i, v in enumerate(value))
            return f"({' '.join([head, *inner])})"
        parts = [value, *(raw.get(key_of(i)) for i in range(1, len(construct.parts)))]
        if construct.parts[0] == "term":
            return f"({' '.join([head, *(self.term(p, at) for p in parts)])})"
        return f"({' '.join([head, *(self.formula(p, at, depth + 1) for p in parts)])})"

    def only(self, raw: Mapping[str, object], keys: Iterable[str], at: str) -> None:
        """Refuse keys that say nothing here: what a model meant by them would be lost."""
        other = [k for k in raw if k not in frozenset(keys)]
        if other:
            raise _error(f"{at}: {clip(other[0], 40)}", "no such key here", raw)

    def bound(self, raw: object, at: str, depth: int) -> str:
        variables = [k for k in raw if isinstance(k, str) and k != HOLDS] if isinstance(raw, Mapping) else []
        if not isinstance(raw, Mapping) or len(variables) != 1 or not _VARIABLE.match(variables[0]):
            raise _error(at, f'one variable and "{HOLDS}"', raw)
        body = self.formula(raw.get(HOLDS), f"{at}.{HOLDS}", depth + 1)
        kind = self.term(raw[variables[0]], at, variable=False)
        return f"({variables[0]} {self.forms.dash} {kind}) {body}"

    def atom(self, head: str, raw: Mapping[str, object], at: str) -> str:
        value = raw[head]
        if _VARIABLE.match(head):
            self.only(raw, [head], at)
            return f"({self.term(value, at, variable=False)} {head})"
        self.only(raw, [head, *map(key_of, range(1, 1 if value is True else len(raw)))], at)
        if value is True:
            return f"({quote(head)})"
        later = [raw[key_of(i)] for i in range(1, len(raw))]
        return f"({' '.join([quote(head), *(self.term(v, at) for v in [value, *later])])})"

    def term(self, raw: object, at: str, variable: bool = True) -> str:
        if not isinstance(raw, str) or not raw:
            raise _error(at, "a name", raw)
        if raw.startswith("?"):
            if not variable or not _VARIABLE.match(raw):
                raise _error(at, "a name, or a variable such as ?item1", raw)
            return raw
        if raw.startswith('"'):
            try:
                name = json.loads(raw)
            except ValueError:
                raise _error(at, "a name in double quotes", raw) from None
            if not isinstance(name, str) or not name:
                raise _error(at, "a name in double quotes", raw)
            return quote(name)
        return quote(raw)


def _error(at: str, expected: str, got: object) -> GoalSyntaxError:
    shown = clip(got if isinstance(got, str) else json.dumps(got, default=str))
    diagnostic = Diagnostic("syntax", "error", f"{at}: expected {expected}, got {shown}")
    return GoalSyntaxError(at, diagnostic, expected, shown)
