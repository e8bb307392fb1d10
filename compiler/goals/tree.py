"""Syntax tree of the goal language: formulas from the rules of ``goal.lark``, with their places in the text.

Every bracket becomes a :class:`Part` with the parts below it; a question becomes a :class:`ParsedQuery`.
Spans are made from these later (``syntax``), so that lines and columns are counted once. Each rule of the
grammar has an entry of the same name in :data:`RULES`; the two change together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import lark

from ...domains.formula import (
    ANYTHING,
    TRUE,
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
    TrajectoryConstraint,
    TypedVar,
    Var,
    step_atom,
)

_NOTHING = re.compile(r"\s*nothing\s*(?:[:;,.\N{EN DASH}-]\s*(.*))?$", re.IGNORECASE | re.DOTALL)
MAX_VARIABLES = 100
"""Most variables that one bracket may declare; recursion over bindings relies on it."""

Place = tuple[int, int]
"""The first character of a piece of text, and the one after its last."""


class TooManyVariables(ValueError):
    """Error for a bracket that declares more than :data:`MAX_VARIABLES`, with its place."""

    def __init__(self, number: int, place: Place) -> None:
        self.number, self.place = number, place
        super().__init__(f"{number} variables")


@dataclass(frozen=True, slots=True)
class Missing:
    """The answer ``(missing "words")``: no goal can be written because the scene shows no such thing."""

    words: str

    @property
    def declined(self) -> str:
        """The reason of an answer that asks for nothing: ``(missing "nothing: why")``; else empty."""
        match = _NOTHING.match(self.words)
        return (match[1] or self.words) if match is not None else ""

    def __str__(self) -> str:
        spelled = json.dumps(self.words, ensure_ascii=not self.words.isprintable())
        return f"(missing {spelled})".replace("\x7f", "\\u007f")


@dataclass(frozen=True, slots=True)
class Part:
    """A subformula with its place, the parts below it, and the places of its terms or its classes.

    After the terms of an atom comes its predicate.
    """

    formula: Formula
    place: Place
    below: tuple[Part, ...] = ()
    named: tuple[Place, ...] = ()


class Declared(NamedTuple):
    """A variable, the place of its name, and that of its class."""

    variable: TypedVar
    name: Place
    kind: Place


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a question: its keyword in lower case, its value, and their places."""

    keyword: str
    keyword_place: Place
    value: Any
    place: Place
    declared: tuple[Declared, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A question before its check; ``condition`` is ``None`` where none is given."""

    place: Place
    declared: tuple[Declared, ...]
    condition: Part | None
    options: tuple[Option, ...]


def place(token: lark.Token) -> Place:
    return token.start_pos or 0, token.end_pos or 0


def _between(items: Sequence[Any]) -> Place:
    """Return the place of a whole bracket."""
    return place(items[0])[0], place(items[-1])[1]


def _text(token: lark.Token) -> str:
    """Return the name that a token spells."""
    if token.type != "STRING":
        return str(token)
    value = json.loads(re.sub(r"[\x00-\x1f]", lambda m: f"\\u{ord(m.group()):04x}", str(token)))
    if not value:
        raise ValueError("an empty quoted name")
    return str(value)


_Variables = tuple[Declared, ...]
Rule = Callable[[list[Any]], Any]
"""A function from the values of a bracket's items to its own."""


def _missing(items: list[lark.Token]) -> Missing:
    words = " ".join(_text(items[2]).split())
    if not words:
        raise ValueError("no words for what is missing")
    return Missing(words)


def _question(items: list[Any]) -> ParsedQuery:
    rest = items[3:-1]
    condition = next((i for i in rest if isinstance(i, Part)), None)
    options = tuple(i for i in rest if isinstance(i, Option))
    return ParsedQuery(_between(items), items[2], condition, options)


def _option(keyword: lark.Token, value: Any, at: Place, declared: _Variables = ()) -> Option:
    return Option(str(keyword).lower(), place(keyword), value, at, declared)


def _term(items: list[lark.Token]) -> tuple[Term, Place]:
    token = items[0]
    value = Var(str(token)[1:]) if token.type == "VARIABLE" else _text(token)
    return value, place(token)


def _typed(items: list[Any]) -> _Variables:
    kind, at = items[-1]
    return tuple(Declared(TypedVar(str(v)[1:], kind), place(v), at) for v in items[:-2])


def _untyped(items: list[lark.Token]) -> _Variables:
    return tuple(Declared(TypedVar(str(v)[1:], ANYTHING), place(v), place(v)) for v in items)


def _variables(items: list[Any]) -> _Variables:
    declared = tuple(v for group in items[1:-1] for v in group)
    if len(declared) > MAX_VARIABLES:
        raise TooManyVariables(len(declared), _between(items))
    return declared


def _over(make: Callable[[Any, tuple[Formula, ...]], Formula]) -> Rule:
    """Return the rule of a keyword with subformulas alone."""

    def rule(items: list[Any]) -> Part:
        below = tuple(items[2:-1])
        formula = make(str(items[1]).lower(), tuple(p.formula for p in below))
        return Part(formula, _between(items), below)

    return rule


def _quantified(make: Callable[[list[Any], tuple[TypedVar, ...], Formula], Formula]) -> Rule:
    """Return the rule of a quantifier, whose last items are variables and a subformula."""

    def rule(items: list[Any]) -> Part:
        declared, body = items[-3:-1]
        formula = make(items, tuple(d.variable for d in declared), body.formula)
        return Part(formula, _between(items), (body,), tuple(d.kind for d in declared))

    return rule


def _never(items: list[Any]) -> Part:
    part: Part = items[2]
    denied = Part(Not(part.formula), part.place, (part,))
    below = part.below[0] if isinstance(part.formula, Not) else denied
    return Part(TrajectoryConstraint("always", (below.formula,)), _between(items), (below,))


def _prohibition(items: list[Any]) -> Part:
    closing = next(i for i, item in enumerate(items) if getattr(item, "type", "") == "RPAR")
    (name, at), terms = items[4], items[5:closing]
    below = tuple(item for item in items[closing:] if isinstance(item, Part) and item.formula != TRUE)
    step = step_atom(name, tuple(t for t, _ in terms))
    formula = TrajectoryConstraint("never-do", (step, below[0].formula if below else TRUE))
    return Part(formula, _between(items), below, (*(place for _, place in terms), at))


def _at_end(items: list[Any]) -> Part:
    part: Part = items[2]
    return Part(part.formula, _between(items), part.below, part.named)


def _equal(items: list[Any]) -> Part:
    (left, left_place), (right, right_place) = items[2], items[3]
    return Part(Equal(left, right), _between(items), (), (left_place, right_place))


def _atom(items: list[Any]) -> Part:
    (name, at), terms = items[1], items[2:-1]
    formula = Atom(name, tuple(t for t, _ in terms))
    return Part(formula, _between(items), (), (*(place for _, place in terms), at))


_constraint = _over(lambda keyword, parts: TrajectoryConstraint(keyword, parts))

RULES: Mapping[str, Rule] = {
    "start": lambda items: items[0],
    "missing": _missing,
    "question": _question,
    "nearest": lambda items: _option(items[0], *items[1]),
    "most": lambda items: _option(items[0], items[2], items[2].place, items[1]),
    "limit": lambda items: _option(items[0], int(items[1]), place(items[1])),
    "name": lambda items: (_text(items[0]), place(items[0])),
    "term": _term,
    "typed": _typed,
    "untyped": _untyped,
    "variables": _variables,
    "conjunction": _over(lambda _, parts: And(parts)),
    "disjunction": _over(lambda _, parts: Or(parts)),
    "negation": _over(lambda _, parts: Not(*parts)),
    "implication": _over(lambda _, parts: Imply(*parts)),
    "exists": _quantified(lambda _, variables, body: Exists(variables, body)),
    "forall": _quantified(lambda _, variables, body: Forall(variables, body)),
    "count": _quantified(
        lambda items, variables, body: Count(items[1].lower(), int(items[2]), variables, body)
    ),
    "sometime": _over(lambda _, parts: Sometime(*parts)),
    "one": _constraint,
    "two": _constraint,
    "never": _never,
    "prohibition": _prohibition,
    "at_end": _at_end,
    "equal": _equal,
    "atom": _atom,
}
"""The value of each rule of the grammar, made while parsing; of the text only places are kept."""
