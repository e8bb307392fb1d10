"""The 30 planning tasks with their gold goals: verified with both engines, accepted by both judges."""

from __future__ import annotations

import pytest
from golds import TASKS, belief_of, gold_plan
from oracles.plans import assert_same_for_unified, both_accept, problem_of, written_out

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.task import Task
from groundplan.domains.ending import Ending

ENGINES = ("pyperplan", "fast-downward")


@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.id)
@pytest.mark.parametrize("name", ENGINES)
def test_gold_goals_are_planned_and_every_judge_accepts(task: Task, name: str) -> None:
    goal = parse_goal(task.gold.goal)
    assert check(goal, belief_of(task.id)).ok
    result = gold_plan(task.id, name)
    assert result.ending is Ending.SOLVED
    assert result.verified
    assert not result.domain_fault
    both_accept(goal.formula, belief_of(task.id), result.plan)


@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.id)
def test_a_plan_with_a_step_left_out_is_not_what_was_planned(task: Task) -> None:
    """Nothing in our plans is superfluous: without any one manipulation the goal is not reached."""
    from groundplan.compiler.forms import holds_now
    from groundplan.compiler.normal import normal_form
    from groundplan.planners.carrying_out import PlanSkeleton, carry_out, skeleton_of, world_for
    from groundplan.simulator.world import Refusal

    result, b = gold_plan(task.id, "pyperplan"), belief_of(task.id)
    form = normal_form(parse_goal(task.gold.goal).formula, b)
    what = skeleton_of(result.plan, b)
    for index in range(len(what.actions)):
        world = world_for(form, b)
        shorter = PlanSkeleton(what.actions[:index] + what.actions[index + 1 :], what.final)
        done = carry_out(shorter, world, lenient=False)
        if isinstance(done, Refusal):
            continue
        assert not holds_now(form, world.state.facts, world.happened), str(what.actions[index])


@pytest.mark.parametrize("task", TASKS[::6], ids=lambda t: t.id)
def test_text_and_unified_problem_are_the_same_problem(task: Task) -> None:
    problem = problem_of(
        parse_goal(task.gold.goal).formula, belief_of(task.id), gold_plan(task.id, "pyperplan").plan
    )
    for costs in (True, False):
        assert_same_for_unified(problem, costs)


def test_writing_out_adds_goal_actions_only() -> None:
    for task in TASKS:
        plan = gold_plan(task.id, "pyperplan").plan
        problem = problem_of(parse_goal(task.gold.goal).formula, belief_of(task.id), plan)
        steps = written_out(plan, problem)
        assert [s for s in steps if s[0] not in problem.artificial] == [(a.name, *a.args) for a in plan]
        assert problem.scene_plan(steps) == plan
