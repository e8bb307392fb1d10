"""Ground normal forms as values: their parts, negation, truth in a state, and disjunctive branches.

A normal form is built from ground fluents and derived atoms, ``Not`` before one of these, ``And``, ``Or``,
cardinality constraints (``Cardinality("at-least", ...)``) and ``Sometime``. :mod:`normal` makes them; this
module works on them, and every function here must keep to that shape.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Protocol

from ..domains.deadline import check_time
from ..domains.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    Cardinality,
    Formula,
    GroundAtom,
    Not,
    Or,
    Sometime,
    TrajectoryConstraint,
    as_ground,
    children,
    conjunction,
    disjunction,
    is_ground_atom,
    walk,
)
from ..simulator.facts import Args
from ..simulator.trajectory import START, accepts, after


def truth(value: bool) -> Formula:
    return TRUE if value else FALSE


def is_literal(node: Formula) -> bool:
    return isinstance(node, Atom) or (isinstance(node, Not) and isinstance(node.part, Atom))


def negate_if(node: Formula, positive: bool) -> Formula:
    return node if positive else negation(node)


def negation(node: Formula) -> Formula:
    """Negate a normal form, within normal form. Raises ``ValueError`` for ``Sometime``."""
    match node:
        case Atom():
            return Not(node)
        case Not(part):
            return part
        case And(parts):
            return disjunction([negation(p) for p in parts])
        case Or(parts):
            return conjunction([negation(p) for p in parts])
        case Cardinality(_, number, parts):
            return at_least(len(parts) - number + 1, [negation(p) for p in parts])
    raise ValueError(f"not in normal form: {node}")


def at_least(number: int, parts: Sequence[Formula]) -> Formula:
    """Make a cardinality constraint, simplified: at least ``number`` of the parts."""
    number -= sum(p == TRUE for p in parts)
    open_parts = tuple(p for p in parts if p not in (TRUE, FALSE))
    if number <= 0:
        return TRUE
    if number > len(open_parts):
        return FALSE
    if number == len(open_parts):
        return conjunction(open_parts)
    # Equal parts count once each, so a disjunction may merge them but a cardinality constraint must not.
    return disjunction(open_parts) if number == 1 else Cardinality("at-least", number, open_parts)


def literals(node: Formula) -> Iterator[tuple[GroundAtom, bool]]:
    """Yield every literal of a normal form, with its sign."""
    match node:
        case Atom():
            yield as_ground(node), True
        case Not(Atom() as atom):
            yield as_ground(atom), False
        case And(parts) | Or(parts) | Cardinality(_, _, parts):
            for part in parts:
                yield from literals(part)
        case Sometime(body):
            yield from literals(body)
        case TrajectoryConstraint(kind, parts) if kind != "never-do":
            for part in parts:
                yield from literals(part)


def to_bring_about(node: Formula) -> Iterator[tuple[GroundAtom, bool]]:
    """Yield the literals of a normal form that a plan for it may have to make true.

    Of constraints on the run it may have to make any literal true, and false as well, for another action to
    be allowed. Conditions of forbidden steps count as far as they are ground.
    """
    yield from literals(node)
    for part in walk(node):
        if isinstance(part, TrajectoryConstraint):
            for atom in filter(is_ground_atom, chain.from_iterable(map(walk, children(part)))):
                yield atom, True
                yield atom, False


class Holding(Protocol):
    """Facts, or a world: it knows derived atoms as well."""

    def holds(self, predicate: str, args: Args) -> bool:
        """Return whether a ground atom is true."""


def holds_now(node: Formula, facts: Holding, happened: Callable[[Formula], bool] | None = None) -> bool:
    """Return the truth of a normal form; ``Sometime`` means now without ``happened``.

    A form with derived atoms needs a world: in mere facts these count as false.
    """
    match node:
        case Atom(predicate, _):
            return facts.holds(predicate, as_ground(node).args)
        case Not(part):
            return not holds_now(part, facts, happened)
        case And(parts):
            return all(holds_now(p, facts, happened) for p in parts)
        case Or(parts):
            return any(holds_now(p, facts, happened) for p in parts)
        case Cardinality(_, number, parts):
            return sum(holds_now(p, facts, happened) for p in parts) >= number
        case Sometime(body):
            return happened(body) if happened is not None else holds_now(body, facts)
        case TrajectoryConstraint("never-do", _) if happened is None:
            return True
        case TrajectoryConstraint(kind, parts):
            if happened is not None:
                return happened(node)
            return accepts(kind, after(kind, START, tuple(holds_now(p, facts) for p in parts)))
    raise ValueError(f"not in normal form: {node}")


def branches(node: Formula, limit: int) -> list[tuple[Formula, ...]] | None:
    """Return the disjuncts, conjunctions of literals and ``Sometime``; ``None`` beyond ``limit`` of them."""
    match node:
        case Or(parts):
            union: list[tuple[Formula, ...]] = []
            for part in parts:
                below = branches(part, limit)
                if below is None:
                    return None
                union += [b for b in below if b not in union]
                if len(union) > limit:
                    return None
            return union
        case And(parts):
            product: list[dict[Formula, None]] = [{}]
            for part in parts:
                check_time("listing the branches of the goal")
                below = branches(part, limit)
                if below is None:
                    return None
                grown: list[dict[Formula, None]] = []
                for before in product:
                    for place, branch in enumerate(below):
                        # The last one may grow in place: a branch of thousands of literals is copied once.
                        joined = before if place == len(below) - 1 else dict(before)
                        if _added(branch, joined):
                            grown.append(joined)
                product = grown
                if len(product) > limit:
                    return None
            return [tuple(branch) for branch in product]
        case Cardinality(_, number, parts):
            if math.comb(len(parts), number) > limit:
                return None
            selections = [And(c) for c in itertools.combinations(parts, number)]
            return branches(Or(tuple(selections)), limit)
    return [(node,)]


def _added(branch: tuple[Formula, ...], joined: dict[Formula, None]) -> bool:
    """Add the literals of a branch to others; return whether none is the negation of another."""
    for literal in branch:
        if Not(literal) in joined or (isinstance(literal, Not) and literal.part in joined):
            return False
        joined[literal] = None
    return True
