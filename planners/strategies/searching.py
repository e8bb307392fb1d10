"""A search of states without an engine: for a plan where an engine ran out of time, or for a cheaper one."""

from __future__ import annotations

from dataclasses import replace

from ...domains.deadline import LimitReached, note_cut
from ...domains.errors import clip
from ...domains.formula import Atom, conjuncts
from ...engines.result import PlanResult, Why
from ..states.search import cheaper_plan, searched_plan
from ..subgoals.solving import actions_for
from ..task import MAX_PART, PlanningTask, Subplan

FEW_ERRANDS = 3
"""Most errands of a plan below whose cost a cheaper one is looked for."""


def searched(task: PlanningTask, subplan: Subplan) -> PlanResult | None:
    """Search for a plan without an engine, which may have spent its time on a part; ``None`` for none.

    It does not stand in for an engine that never answered.
    """
    if not task.engine.answers:
        return None
    try:
        plan = searched_plan(task.goal, task.belief, task.facts)
    except LimitReached as cut:
        note_cut(cut.work)
        return None
    return None if plan is None else task.solved(plan, "joint", Why.SEARCHED, [task.goal])


def made_cheaper(task: PlanningTask, result: PlanResult, subplan: Subplan) -> PlanResult:
    """Return a cheaper plan for a goal of few errands where a short search finds one."""
    errands = len(result.assembly.subgoals)
    plain = errands > 1 and all(isinstance(c, Atom) for c in conjuncts(task.goal))  # their order says it all
    if not result.plan or task.in_one_piece or errands > FEW_ERRANDS or plain:
        return result
    plan = cheaper_plan(result.plan, task.goal, task.belief, task.facts, lambda: actions_for(task))
    if plan is None:
        return result
    why = result.assembly.why + Why.CHEAPER
    whole = (clip(str(task.goal), MAX_PART),)
    assembly = replace(result.assembly, mode="joint", why=why, subgoals=whole, order=None)
    return replace(result, plan=plan.actions, cost_mm=plan.cost, assembly=assembly)
