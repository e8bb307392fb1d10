"""Steps that were done, as the plan that they are: its actions, its cost and the simulator's verdict."""

from __future__ import annotations

from collections.abc import Sequence

from ..domains.action import PlanAction
from ..domains.ending import Ending
from ..domains.formula import Formula
from ..engines.result import PlanResult
from ..simulator.belief import Belief
from ..simulator.step import Step
from ..simulator.verification import verify_plan
from ..simulator.world import Refusal, World


def carried_out(steps: Sequence[Step], belief: Belief, goal: Formula) -> PlanResult:
    """Return steps that were done from a belief's initial state as a plan, run in simulation again.

    A step that changed nothing is left out. Where the simulator refuses one, the plan ends before it.
    """
    world = World(belief)
    actions: list[PlanAction] = []
    printed: list[tuple[int, Step]] = []
    cost = 0
    for step in steps:
        effect = world.apply(step)
        if isinstance(effect, Refusal):
            break
        if not effect.actions:
            continue
        own = max(i for i, action in enumerate(effect.actions) if not action.event)
        printed.append((len(actions) + own, step))
        cost += effect.length
        for action in effect.actions:
            schema, mapped = belief.pack.domain.actions[action.name], belief.pack.mapping_of(action.name)
            cost += 0 if mapped.event or mapped.navigation else schema.cost or 0
        actions += effect.actions
    verification = verify_plan(steps, belief, goal)
    return PlanResult(
        Ending.SOLVED,
        tuple(actions),
        cost,
        printed=tuple(printed),
        verification=verification,
        reasons=verification.feedback(),
    )
