"""Remaining goal on the way, without what has held at some time and what is sure of things not found."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import product
from math import prod

from ...domains.deadline import check_size
from ...domains.evaluate import bindings
from ...domains.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    Count,
    Exists,
    Forall,
    Formula,
    Not,
    Or,
    Sometime,
    Term,
    TypedVar,
    conjunction,
    disjunction,
    rebuild,
    substitute,
    walk,
)
from ...simulator.sensing.open_state import OpenBelief
from ...simulator.world import World


def without_happened(goal: Formula, happened: Collection[Formula], world: World) -> Formula:
    """Return a goal without the ``sometime`` of which the condition has held.

    A quantifier over one is written out for the things that it ranges over now; one that nothing has happened
    for stays as it is.
    """
    if not happened or not any(isinstance(part, Sometime) for part in walk(goal)):
        return goal
    match goal:
        case Sometime(body):
            return TRUE if body in happened else goal
        case Forall(variables, body) | Exists(variables, body):
            each: list[Formula] = []
            for choice in bindings(variables, world, {}):
                ground: dict[str, Term] = dict(choice)
                each.append(without_happened(substitute(body, ground), happened, world))
            return conjunction(each) if isinstance(goal, Forall) else disjunction(each)
    return rebuild(goal, lambda part: without_happened(part, happened, world))


def without_missing(goal: Formula, state: OpenBelief) -> Formula:
    """Return a goal in which what is sure of things without a place is put in: no step can change it.

    What is not sure of them, and counts, stay as they are.
    """
    if not state.missing:
        return goal
    match goal:
        case Atom():
            return _put_in(goal, state)
        case Sometime() | Count():
            return goal
        case Forall(variables, body) | Exists(variables, body):
            more = any(state.belief.may_have_unseen(v.type) for v in variables)
            if more or not ranges_over_missing(variables, state):
                return goal
            each = [without_missing(part, state) for part in instances(variables, body, state)]
            return conjunction(each) if isinstance(goal, Forall) else disjunction(each)
    match rebuild(goal, lambda part: without_missing(part, state)):
        case And(parts):
            return conjunction(parts)
        case Or(parts):
            return disjunction(parts)
        case Not(part) if part in (TRUE, FALSE):
            return FALSE if part == TRUE else TRUE
        case left:
            return left


def _put_in(atom: Atom, state: OpenBelief) -> Formula:
    """Return the truth of an atom about a thing without a place, and the atom itself where that is open."""
    if not any(isinstance(a, str) and a in state.missing for a in atom.args):
        return atom
    value = state.decide(atom)
    return atom if value is None else TRUE if value else FALSE


def ranges_over_missing(variables: Sequence[TypedVar], state: OpenBelief) -> bool:
    """Return whether variables range over something without a place, or of which not all was seen."""
    members = (name for v in variables for name in state.known_members(v.type))
    return any(name in state.missing or name in state.in_part for name in members)


def instances(
    variables: Sequence[TypedVar], body: Formula, state: OpenBelief, without: Collection[str] = ()
) -> list[Formula]:
    """Return the body of a quantifier for all known things that it ranges over, but for some.

    Raises :class:`LimitReached` for more of them than a goal may have literals.
    """
    ranges = [[name for name in state.known_members(v.type) if name not in without] for v in variables]
    check_size("literals", prod(map(len, ranges)), "writing a goal out for what is not found")
    choices = (zip((v.name for v in variables), chosen, strict=True) for chosen in product(*ranges))
    return [substitute(body, dict(choice)) for choice in choices]
