"""Removal first: what an event could change against the goal is taken away before the rest is done.

Events happen by themselves, so no engine can forbid one: that a plate is not to be washed by the machine that
it stands in has a plan only where the plate is taken out first.
"""

from __future__ import annotations

from ...compiler.problem import denied_to_events
from ...domains.formula import Not, conjunction
from ...engines.result import PlanResult, Why
from ..failure import PlanningFailed
from ..subgoals.exposure import exposed
from ..task import PlanningTask, Subplan
from .sequence import continued


def removal_first(task: PlanningTask, subplan: Subplan) -> PlanResult | None:
    """Take away first what an event could change against the goal; ``None`` when no such plan works."""
    goal, belief = task.goal, task.belief
    places = exposed(denied_to_events(goal, belief), belief, task.facts)
    if not places or task.engine.whole:
        return None
    away = conjunction([Not(place) for place in places])
    for last in (conjunction((goal, away)), goal):  # where it is not to be put back, or may be
        try:
            first = subplan(task.of(away)).plan or ()
        except PlanningFailed:
            continue
        if (whole := continued(task, first, last, subplan)) is not None:
            return task.solved(whole.plan, "joint", Why.REMOVED, [goal])
    return None
