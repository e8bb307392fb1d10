"""Put down first: what is held is put down in the room where the robot is, before several things are done.

A full hand ties all parts of a goal together, and no carrier can be loaded with it.
"""

from __future__ import annotations

from dataclasses import replace

from ...domains.formula import conjuncts
from ...engines.result import PlanResult, Why
from ...simulator.world import Refusal
from ..carrying_out import carry_out, reached
from ..subgoals.near import put_down_here
from ..task import PlanningTask, Subplan
from .sequence import continued


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
    both = continued(task, done, task.goal, subplan)
    if both is None or both.plan.cost >= (result.cost_mm or 0):
        return result
    assembly = replace(both.rest.assembly, why=Why.EMPTIED + both.rest.assembly.why, order=None)
    return replace(
        both.rest, plan=both.plan.actions, cost_mm=both.plan.cost, bound_mm=None, assembly=assembly
    )
