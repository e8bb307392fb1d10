"""Plans of two stages: what is done first, and a plan for the rest from the state after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...domains.action import PlanAction
from ...domains.formula import Formula
from ...engines.result import PlanResult
from ...simulator.world import Refusal
from ..carrying_out import Accepted, perform
from ..failure import PlanningFailed
from ..task import PlanningTask, Subplan


class Continued(NamedTuple):
    """Both stages together, as they were accepted, and the answer of planning for the second."""

    plan: Accepted
    rest: PlanResult


def continued(
    task: PlanningTask, first: Sequence[PlanAction], last: Formula, subplan: Subplan
) -> Continued | None:
    """Plan for ``last`` after a first stage; ``None`` where both together do not reach the task's goal."""
    world = task.start()
    if isinstance(perform(first, world), Refusal):
        return None
    try:
        rest = subplan(task.of(last, world.state.facts))
    except PlanningFailed:
        return None
    plan = task.accepted([*first, *(rest.plan or ())])
    return None if isinstance(plan, Refusal) else Continued(plan, rest)
