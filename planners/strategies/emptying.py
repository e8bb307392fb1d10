"""Put down first: what is held is put down in the room where the robot is, before several things are done.

A full hand ties all parts of a goal together, and no carrier can be loaded with it.
"""

from __future__ import annotations

from dataclasses import replace

from ...domains.formula import conjuncts
from ...engines.result import PlanResult, Why
from ...simulator.world import Refusal
from ..carrying_out import carry_out, reached
from ..failure import PlanningFailed
from ..subgoals.near import put_down_here
from ..task import PlanningTask, Subplan


def put_down_first(task: PlanningTask, result: PlanResult, subplan: Subplan) -> PlanResult:
    """Return a cheaper plan that begins with putting down what is held, where there is one."""
    belief, world = task.belief, task.start()
    several = sum(not reached(c, world) for c in conjuncts(task.goal)) > 1
    if task.in_one_piece or not several or task.facts.holds(belief.pack.mapping.robot_free.predicate, ()):
        return result
    first = put_down_here(belief, task.facts)
    done = carry_out(first, world) if first is not None else []
    if isinstance(done, Refusal) or not done:
        return result
    try:
        rest = subplan(task.of(task.goal, world.state.facts))
    except PlanningFailed:
        return result
    plan = task.accepted([*done, *(rest.plan or ())])
    if isinstance(plan, Refusal) or plan.cost >= (result.cost_mm or 0):
        return result
    assembly = replace(rest.assembly, why=Why.EMPTIED + rest.assembly.why, order=None)
    return replace(rest, plan=plan.actions, cost_mm=plan.cost, bound_mm=None, assembly=assembly)
