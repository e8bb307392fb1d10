"""Errors of a goal that seeing more of the world may mend, apart from those that nothing mends."""

from __future__ import annotations

from collections.abc import Collection

from ...compiler.goals.checker import check
from ...compiler.goals.goal import Goal
from ...domains.errors import GoalError
from ...domains.formula import Atom, walk
from ...simulator.belief import Belief

UNSEEN_CODES = frozenset(("place-unknown", "unknown-class", "unknown-predicate", "count"))
"""Errors of a goal that something which is not seen yet may mend."""


def mendable_errors(goal: Goal, belief: Belief, unseen: Collection[str]) -> tuple[str, ...]:
    """Return the errors of a goal that more of the world may mend. Raises :class:`GoalError` for others.

    ``unseen`` are the types of nodes of which there may be more than is known. A check that is cut off raises
    its :class:`LimitReached`.
    """
    report = check(goal, belief)
    if report.cut is not None:
        raise report.cut
    errors = [d for d in report.diagnostics if d.severity == "error"]
    # An attribute may be one of unobserved things; a relation is the pack's or none.
    predicates = belief.pack.public_predicates()
    atoms = (part for part in walk(goal.formula) if isinstance(part, Atom))
    relations = any(a.predicate not in predicates and len(a.args) != 1 for a in atoms)
    for error in errors:
        seen_later = error.code == "place-unknown" or unseen
        if error.code not in UNSEEN_CODES or not seen_later or relations:
            raise GoalError("goal", "a goal for this scene", str(error))
    return tuple(str(error) for error in errors)
