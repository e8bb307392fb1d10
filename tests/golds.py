"""The 30 planning tasks of the office with the plans for their gold goals: each planned once in a process."""

from __future__ import annotations

from functools import cache

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.library import load_set
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.engines.result import PlanResult
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief, ground

TASKS = load_set("office-planning")


@cache
def engine(name: str) -> Engine:
    return Engine.named(name)


@cache
def belief_of(task_id: str) -> Belief:
    task = next(t for t in TASKS if t.id == task_id)
    return ground(task.load(), load_pack())


@cache
def gold_plan(task_id: str, name: str = "pyperplan") -> PlanResult:
    task = next(t for t in TASKS if t.id == task_id)
    return plan_goal(parse_goal(task.gold.goal), belief_of(task_id), engine(name))
