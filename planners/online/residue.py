"""Rest of a goal on the way: conditions that have held at some time need not be planned for again."""

from __future__ import annotations

from collections.abc import Collection

from ...domains.evaluate import bindings
from ...domains.formula import (
    TRUE,
    Exists,
    Forall,
    Formula,
    Sometime,
    Term,
    conjunction,
    disjunction,
    rebuild,
    substitute,
    walk,
)
from ...simulator.world import World


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
