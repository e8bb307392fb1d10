"""Syntax tree of the goal language: formulas from the rules of ``goal.lark``, with their places in the text.

Every bracket becomes a :class:`Part` with the parts below it; a question becomes a :class:`ParsedQuery`.
Spans are made from these later (``syntax``), so that lines and columns are counted once. Each rule of the
grammar has a method of the same name in :class:`Build`; the two change together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
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


_Named = tuple[str, Place]
_Placed = tuple[Term, Place]
_Variables = tuple[Declared, ...]


def _variables(declared: _Variables) -> tuple[TypedVar, ...]:
    return tuple(d.variable for d in declared)


def _kinds(declared: _Variables) -> tuple[Place, ...]:
    return tuple(d.kind for d in declared)


class Build(lark.Transformer[lark.Token, Part]):
    """Values of the grammar's rules, made while parsing; of the text only places are kept."""

    def start(self, items: list[Part | Missing]) -> Part | Missing:
        return items[0]

    def missing(self, items: list[lark.Token]) -> Missing:
        words = " ".join(_text(items[2]).split())
        if not words:
            raise ValueError("no words for what is missing")
        return Missing(words)

    def question(self, items: list[Any]) -> ParsedQuery:
        rest = items[3:-1]
        condition = next((i for i in rest if isinstance(i, Part)), None)
        options = tuple(i for i in rest if isinstance(i, Option))
        return ParsedQuery(_between(items), items[2], condition, options)

    def nearest(self, items: list[Any]) -> Option:
        term, at = items[1]
        return Option(str(items[0]).lower(), place(items[0]), term, at)

    def most(self, items: list[Any]) -> Option:
        return Option(str(items[0]).lower(), place(items[0]), items[2], items[2].place, items[1])

    def limit(self, items: list[lark.Token]) -> Option:
        return Option(str(items[0]).lower(), place(items[0]), int(items[1]), place(items[1]))

    def name(self, items: list[lark.Token]) -> _Named:
        return _text(items[0]), place(items[0])

    def term(self, items: list[lark.Token]) -> _Placed:
        token = items[0]
        value = Var(str(token)[1:]) if token.type == "VARIABLE" else _text(token)
        return value, place(token)

    def typed(self, items: list[Any]) -> _Variables:
        kind, at = items[-1]
        return tuple(Declared(TypedVar(str(v)[1:], kind), place(v), at) for v in items[:-2])

    def untyped(self, items: list[lark.Token]) -> _Variables:
        return tuple(Declared(TypedVar(str(v)[1:], ANYTHING), place(v), place(v)) for v in items)

    def variables(self, items: list[Any]) -> _Variables:
        declared = tuple(v for group in items[1:-1] for v in group)
        if len(declared) > MAX_VARIABLES:
            raise TooManyVariables(len(declared), _between(items))
        return declared

    def conjunction(self, items: list[Any]) -> Part:
        parts = items[2:-1]
        return Part(And(tuple(p.formula for p in parts)), _between(items), tuple(parts))

    def disjunction(self, items: list[Any]) -> Part:
        parts = items[2:-1]
        return Part(Or(tuple(p.formula for p in parts)), _between(items), tuple(parts))

    def negation(self, items: list[Any]) -> Part:
        return Part(Not(items[2].formula), _between(items), (items[2],))

    def implication(self, items: list[Any]) -> Part:
        return Part(Imply(items[2].formula, items[3].formula), _between(items), (items[2], items[3]))

    def exists(self, items: list[Any]) -> Part:
        formula = Exists(_variables(items[2]), items[3].formula)
        return Part(formula, _between(items), (items[3],), _kinds(items[2]))

    def forall(self, items: list[Any]) -> Part:
        formula = Forall(_variables(items[2]), items[3].formula)
        return Part(formula, _between(items), (items[3],), _kinds(items[2]))

    def count(self, items: list[Any]) -> Part:
        kind: Any = str(items[1]).lower()
        formula = Count(kind, int(items[2]), _variables(items[3]), items[4].formula)
        return Part(formula, _between(items), (items[4],), _kinds(items[3]))

    def sometime(self, items: list[Any]) -> Part:
        return Part(Sometime(items[2].formula), _between(items), (items[2],))

    def one(self, items: list[Any]) -> Part:
        return self._constraint(items, items[2:-1])

    two = one

    def _constraint(self, items: list[Any], parts: list[Part]) -> Part:
        kind: Any = str(items[1]).lower()
        return Part(
            TrajectoryConstraint(kind, tuple(p.formula for p in parts)), _between(items), tuple(parts)
        )

    def never(self, items: list[Any]) -> Part:
        part: Part = items[2]
        denied = Part(Not(part.formula), part.place, (part,))
        below = part.below[0] if isinstance(part.formula, Not) else denied
        return Part(TrajectoryConstraint("always", (below.formula,)), _between(items), (below,))

    def prohibition(self, items: list[Any]) -> Part:
        closing = next(i for i, item in enumerate(items) if getattr(item, "type", "") == "RPAR")
        (name, at), terms = items[4], items[5:closing]
        below = tuple(item for item in items[closing:] if isinstance(item, Part) and item.formula != TRUE)
        step = step_atom(name, tuple(t for t, _ in terms))
        formula = TrajectoryConstraint("never-do", (step, below[0].formula if below else TRUE))
        return Part(formula, _between(items), below, (*(place for _, place in terms), at))

    def at_end(self, items: list[Any]) -> Part:
        part: Part = items[2]
        return Part(part.formula, _between(items), part.below, part.named)

    def equal(self, items: list[Any]) -> Part:
        (left, left_place), (right, right_place) = items[2], items[3]
        return Part(Equal(left, right), _between(items), (), (left_place, right_place))

    def atom(self, items: list[Any]) -> Part:
        terms: list[_Placed] = items[2:-1]
        formula = Atom(items[1][0], tuple(t for t, _ in terms))
        return Part(formula, _between(items), (), (*(at for _, at in terms), items[1][1]))
