"""Rest of a goal on the way, without what has held at some time and what is sure of things not found."""

from __future__ import annotations

from collections.abc import Collection
from itertools import product

from ....domains.evaluate import bindings
from ....domains.formula import (
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
    conjunction,
    disjunction,
    rebuild,
    substitute,
    walk,
)
from ....simulator.sensing.open_state import OpenBelief
from ....simulator.world import World


def residue(goal: Formula, happened: Collection[Formula], world: World) -> Formula:
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
                each.append(residue(substitute(body, ground), happened, world))
            return conjunction(each) if isinstance(goal, Forall) else disjunction(each)
    return rebuild(goal, lambda part: residue(part, happened, world))


def without_missing(goal: Formula, state: OpenBelief) -> Formula:
    """Return a goal in which what is sure of things without a place is put in: no step can change it.

    What is not sure of them, and counts, stay as they are.
    """
    if not state.missing:
        return goal
    match goal:
        case Atom(_, args) if any(isinstance(a, str) and a in state.missing for a in args):
            value = state.decide(goal)
            return goal if value is None else TRUE if value else FALSE
        case Sometime() | Count():
            return goal
        case Not(part):
            left = without_missing(part, state)
            return FALSE if left == TRUE else TRUE if left == FALSE else Not(left)
        case And(parts):
            return conjunction([without_missing(part, state) for part in parts])
        case Or(parts):
            return disjunction([without_missing(part, state) for part in parts])
        case Forall(variables, body) | Exists(variables, body):
            kinds = [v.type for v in variables]
            ranges = [state.members(kind) for kind in kinds]
            lacking = any(name in state.missing for names in ranges for name in names)
            if not lacking or any(map(state.belief.may_have_unseen, kinds)):
                return goal
            bound = ({v.name: n for v, n in zip(variables, names, strict=True)} for names in product(*ranges))
            each = [without_missing(substitute(body, dict(names)), state) for names in bound]
            return conjunction(each) if isinstance(goal, Forall) else disjunction(each)
    return rebuild(goal, lambda part: without_missing(part, state))
