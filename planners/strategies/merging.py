"""Merging: subgoals carried out one after the other in the order chosen, each from the world it meets.

The chosen plan of a subgoal is tried first, then its others; where none works, or one would undo what is to
be kept, the subgoal is planned for again from the world as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...domains.action import PlanAction
from ...domains.formula import And, Formula
from ...simulator.world import Refusal, World
from ..carrying_out import PlanSkeleton, accepted
from ..failure import PlanningFailed
from ..subgoals.branches import without_threats
from ..subgoals.solving import cost_from, subgoal
from ..subgoals.travel import Subgoal
from ..task import PlanningTask
from .ordering import OrderedSubgoals


def done_in_order(
    task: PlanningTask, way: OrderedSubgoals, world: World, kept: Sequence[Formula]
) -> tuple[World, list[PlanAction]] | None:
    """Carry subgoals out in their order, undoing none and nothing to be kept; return the world after it."""
    done: list[PlanAction] = []
    for index in way.order.sequence:
        chosen = way.subgoals[index]
        after = subgoal_done(task, chosen, way.order.plans[index], world, done, kept)
        if after is None:
            return None
        world, kept = after, [*kept, chosen.formula]
    return world, done


def subgoal_done(
    task: PlanningTask,
    chosen: Subgoal,
    first: int,
    world: World,
    done: list[PlanAction],
    kept: Sequence[Formula] = (),
) -> World | None:
    """Return the world after one subgoal, or ``None`` when that undoes what is to be kept.

    ``first`` is the index of the plan to try first. The actions are added to ``done``.
    """
    part, plans = chosen.formula, chosen.plans
    for plan in (plans[first], *(p for i, p in enumerate(plans) if i != first)):
        if (after := _tried(part, plan.skeleton, world, done, kept)) is not None:
            return after
    if chosen.apart:
        after = world
        for single in chosen.apart:
            if (after := subgoal_done(task, single, 0, after, done, kept)) is None:
                return None
            kept = [*kept, single.formula]
        return after
    for harmless in dict.fromkeys((without_threats(part, kept, task.belief, world.state.facts), part)):
        here = task.of(harmless, world.state.facts)
        try:
            again = subgoal(here)
        except PlanningFailed:
            continue
        for plan in sorted(again.plans, key=lambda p: cost_from(here, p)):
            if (after := _tried(part, plan.skeleton, world, done, kept)) is not None:
                return after
    return None


def _tried(
    part: Formula, skeleton: PlanSkeleton, world: World, done: list[PlanAction], kept: Sequence[Formula]
) -> World | None:
    """Return the world after a plan that reaches its part and keeps the others."""
    plan = accepted(skeleton, And((part, *kept)), world.fork())
    if isinstance(plan, Refusal):
        return None
    done += plan.actions
    return plan.world
