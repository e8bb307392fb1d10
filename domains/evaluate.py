"""Truth of a formula in a state: the definition that everything else is checked against.

Deliberately naive: quantifiers are loops and nothing is indexed. Tests compare the compiled goal, the planner
and the simulator's faster paths with it, so it must stay plain rather than become fast. A new kind of formula
gets its meaning here first, and then in ``compiler/normal``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from .deadline import check_time
from .formula import (
    And,
    Atom,
    Cardinality,
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
    substitute,
)


class State(Protocol):
    """Interface of a world that formulas can be evaluated in."""

    def holds(self, predicate: str, args: tuple[str, ...]) -> bool:
        """Return whether a ground atom is true now."""

    def happened(self, literal: Formula) -> bool:
        """Return whether a ground literal was true in some state up to now, this one included."""

    def members(self, type_or_class: str) -> Sequence[str]:
        """Return the names that a type or class ranges over, in a fixed order."""


def evaluate(formula: Formula, state: State, binding: Mapping[str, str] | None = None) -> bool:
    """Decide a formula in a state.

    Raises ``KeyError`` for a variable that is neither bound nor quantified.
    """
    bound = dict(binding or {})
    match formula:
        case Atom(predicate, args):
            return state.holds(predicate, tuple(_name(a, bound) for a in args))
        case Equal(left, right):
            return _name(left, bound) == _name(right, bound)
        case Not(part):
            return not evaluate(part, state, bound)
        case And(parts):
            return all(evaluate(p, state, bound) for p in parts)
        case Or(parts):
            return any(evaluate(p, state, bound) for p in parts)
        case Imply(left_part, right_part):
            return not evaluate(left_part, state, bound) or evaluate(right_part, state, bound)
        case Exists(variables, body):
            return any(evaluate(body, state, b) for b in bindings(variables, state, bound))
        case Forall(variables, body):
            return all(evaluate(body, state, b) for b in bindings(variables, state, bound))
        case Count(kind, number, variables, body):
            true = sum(evaluate(body, state, b) for b in bindings(variables, state, bound))
            return compare(kind, true, number)
        case Cardinality(kind, number, parts):
            return compare(kind, sum(evaluate(p, state, bound) for p in parts), number)
        case Sometime(body):
            ground: dict[str, Term] = dict(bound)
            return state.happened(substitute(body, ground))


def bindings(
    variables: tuple[TypedVar, ...], state: State, bound: Mapping[str, str]
) -> Iterator[dict[str, str]]:
    """Yield every extension of a binding to the variables."""
    if not variables:
        check_time("evaluating a formula")
        yield dict(bound)
        return
    first, rest = variables[0], variables[1:]
    for name in state.members(first.type):
        yield from bindings(rest, state, {**bound, first.name: name})


def compare(kind: str, count: int, number: int) -> bool:
    """Return whether a count is ``exactly``, ``at-least`` or ``at-most`` a number."""
    if kind == "exactly":
        return count == number
    return count >= number if kind == "at-least" else count <= number


def _name(term: Term, bound: Mapping[str, str]) -> str:
    return bound[term.name] if isinstance(term, Var) else term
