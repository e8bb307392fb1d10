"""Quantified formulas as conjunctive queries: typed variables and the conditions that must all hold.

A body is taken apart into the conditions that hold together, each with the variables that it mentions, so
that a condition can be tested as soon as those are bound. ``forall`` becomes the query for a counterexample.
A new connective is taken apart in :func:`_conditions`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...domains.formula import (
    And,
    Count,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    TypedVar,
    free_variables,
)
from .lookup import Lookup


@dataclass(frozen=True, slots=True)
class Condition:
    """A formula that must hold, or must not if ``sign`` is false; ``names`` are its variables to bind."""

    formula: Formula
    sign: bool
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class ConjunctiveQuery:
    """Variables with their classes, and conditions that must all hold.

    ``repeats`` is how often each solution counts: a variable that is declared again ranges all the same.
    """

    declared: Mapping[str, str]
    conditions: tuple[Condition, ...]
    repeats: int


class ConjunctiveQueries:
    """The conjunctive queries of quantifiers, each made once."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup
        # By id, which is quick where hashing a formula is not; formulas are kept so that ids stay theirs.
        self._formulas: list[Formula] = []
        self._free: dict[int, tuple[str, ...]] = {}
        self._queries: dict[int, ConjunctiveQuery] = {}

    def free(self, node: Formula) -> tuple[str, ...]:
        """Return the names of the free variables of a formula, sorted."""
        if id(node) not in self._free:
            self._free[id(node)] = tuple(sorted(free_variables(node)))
            self._formulas.append(node)
        return self._free[id(node)]

    def of(self, node: Exists | Forall | Count) -> ConjunctiveQuery:
        """Return the query of a quantifier; that of ``forall`` looks for a counterexample."""
        if id(node) not in self._queries:
            self._queries[id(node)] = self.over(node.variables, node.body, not isinstance(node, Forall))
            self._formulas.append(node)
        return self._queries[id(node)]

    def over(self, variables: Sequence[TypedVar], body: Formula, sign: bool = True) -> ConjunctiveQuery:
        """Return the query for the bindings of variables under which a formula holds, or does not."""
        declared: dict[str, str] = {}
        repeats = 1
        for variable in variables:
            if variable.name in declared:
                repeats *= len(self.lookup.members(declared.pop(variable.name)))
            declared[variable.name] = variable.type
        conditions = tuple(
            Condition(node, sign, frozenset(self.free(node)) & declared.keys())
            for node, sign in _conditions(body, sign)
        )
        return ConjunctiveQuery(declared, conditions, repeats)


def _conditions(node: Formula, sign: bool) -> Iterator[tuple[Formula, bool]]:
    """Yield the formulas that must all hold, or must not, for a formula to hold, or not."""
    stack = [(node, sign)]
    while stack:
        node, sign = stack.pop()
        match node:
            case Not(part):
                stack.append((part, not sign))
            case And(parts) if sign:
                stack += [(p, True) for p in reversed(parts)]
            case Or(parts) if not sign:
                stack += [(p, False) for p in reversed(parts)]
            case Imply(left, right) if not sign:
                stack += [(right, False), (left, True)]
            case _:
                yield node, sign
