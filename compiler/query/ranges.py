"""What quantifiers range over: variables with their classes, and conditions that must all be fulfilled.

A body is taken apart into the conditions that hold together, each with the variables that it speaks of, so
that a condition can be tested as soon as those are bound. ``forall`` becomes the search for what breaks it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...domains.formula import (
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
    Term,
    TypedVar,
    Var,
    children,
)
from .lookup import Lookup


@dataclass(frozen=True, slots=True)
class Must:
    """A formula that must hold, or must not, and those of the variables in question that it speaks of."""

    formula: Formula
    sign: bool
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Range:
    """What a quantifier asks for: variables with their classes, and conditions that must all be fulfilled.

    ``repeats`` is how often each solution counts: a variable that is declared again ranges all the same.
    """

    declared: Mapping[str, str]
    musts: tuple[Must, ...]
    repeats: int


class Ranges:
    """The ranges of quantifiers, each made once."""

    def __init__(self, at_hand: Lookup) -> None:
        self.at_hand = at_hand
        # By id, which is quick where hashing a formula is not; formulas are kept so that ids stay theirs.
        self._kept: list[Formula] = []
        self._free: dict[int, tuple[str, ...]] = {}
        self._known: dict[int, Range] = {}

    def free(self, node: Formula) -> tuple[str, ...]:
        """The names of the free variables of a formula, in the order of the text."""
        known = self._free.get(id(node))
        if known is None:
            found: dict[str, None] = {}
            terms: tuple[Term, ...] = ()
            if isinstance(node, Atom):
                terms = node.args
            elif isinstance(node, Equal):
                terms = (node.left, node.right)
            found.update((t.name, None) for t in terms if isinstance(t, Var))
            for child in children(node):
                found.update((n, None) for n in self.free(child))
            if isinstance(node, Exists | Forall | Count):
                for variable in node.variables:
                    found.pop(variable.name, None)
            known = self._free[id(node)] = tuple(found)
            self._kept.append(node)
        return known

    def of(self, node: Exists | Forall | Count) -> Range:
        """The range of a quantifier; that of ``forall`` looks for what breaks it."""
        known = self._known.get(id(node))
        if known is None:
            known = self.over(node.variables, node.body, not isinstance(node, Forall))
            self._known[id(node)] = known
            self._kept.append(node)
        return known

    def over(self, variables: Sequence[TypedVar], body: Formula, sign: bool = True) -> Range:
        """The bindings of variables under which a formula holds, or does not."""
        declared: dict[str, str] = {}
        repeats = 1
        for variable in variables:
            if variable.name in declared:
                repeats *= len(self.at_hand.members(declared.pop(variable.name)))
            declared[variable.name] = variable.type
        musts = tuple(
            Must(node, wanted, frozenset(self.free(node)) & declared.keys())
            for node, wanted in _flat(body, sign)
        )
        return Range(declared, musts, repeats)


def _flat(node: Formula, sign: bool) -> Iterator[tuple[Formula, bool]]:
    """What must hold, or must not, all of it, for a formula to hold, or not."""
    stack = [(node, sign)]
    while stack:
        one, wanted = stack.pop()
        match one:
            case Not(part):
                stack.append((part, not wanted))
            case And(parts) if wanted:
                stack += [(p, True) for p in reversed(parts)]
            case Or(parts) if not wanted:
                stack += [(p, False) for p in reversed(parts)]
            case Imply(left, right) if not wanted:
                stack += [(right, False), (left, True)]
            case _:
                yield one, wanted
