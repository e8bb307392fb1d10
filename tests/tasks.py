"""Tasks of planning for tests of single strategies."""

from __future__ import annotations

from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.compiler.normal import normal_form
from groundplan.engines.engine import Engine
from groundplan.planners.task import Attempts, PlanningTask
from groundplan.planners.verdict import WrittenGoal
from groundplan.simulator.belief import Belief


def task_of(text: str, belief: Belief, engine: str = "pyperplan") -> PlanningTask:
    """Return the task of planning for a goal from a belief, with everything that may matter."""
    goal: Goal = parse_goal(text)
    written = WrittenGoal(goal, belief, Engine.named(engine))
    form = normal_form(goal.formula, belief)
    return PlanningTask(written, form, belief.facts, Attempts(lambda: 20.0), nearest=None)
