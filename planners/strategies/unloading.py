"""Less unloading: things stay in the carrier that they came in where the goal as it was written allows it."""

from __future__ import annotations

from dataclasses import replace

from ...compiler.forms import literals
from ...engines.result import PlanResult, Why
from ...simulator.world import Refusal
from ..carrying_out import accepted, skeleton_of, world_for
from ..subgoals.carriers import left_loaded, unloads
from ..task import PlanningTask, Subplan


def unloaded_less(task: PlanningTask, result: PlanResult, subplan: Subplan) -> PlanResult:
    """Return a plan that leaves in a carrier what may stay there."""
    belief = task.belief
    before = skeleton_of(result.plan or (), belief)
    if not any(unloads(action, belief) for action in before.actions):
        return result
    exact = task.written.whole_form
    if not any(a.predicate in belief.pack.mapping.derived for a, _ in literals(exact)):
        return result
    after = left_loaded(before, exact, belief, belief.facts)
    plan = accepted(after, exact, world_for(exact, belief), lenient=False)
    if after == before or isinstance(plan, Refusal):
        return result
    assembly = replace(result.assembly, why=result.assembly.why + Why.LOADED)
    return replace(result, plan=plan.actions, cost_mm=plan.cost, assembly=assembly)
