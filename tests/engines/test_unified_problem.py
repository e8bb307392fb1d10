"""Goals as objects of unified-planning: solved and validated by its tools, and back as steps of a robot."""

from __future__ import annotations

import subprocess
import sys

import pytest
import unified_planning.shortcuts as up
from unified_planning.plans import SequentialPlan

from groundplan import Budget, Engine, compile_problem, ground, load_pack, load_scene, parse_goal
from groundplan.compiler.pddl import compile_goal, render
from groundplan.domains.errors import GoalError
from groundplan.engines.base import PddlText
from groundplan.engines.unified import Unified
from groundplan.robot import translate

OFFICE = ground(load_scene("office"), load_pack())
GOALS = (
    "(hot noodles)",
    "(or (open microwave) (and (turned_on coffee_machine) (closed fridge)))",
    "(and (not (inside_of banana2 fridge)) (sometime (open cabinet5)) (closed cabinet5))",
    "(at-least 2 (?b - banana) (ontop_of ?b kitchen_bench))",
)


@pytest.fixture(autouse=True, scope="module")
def _quiet():
    up.get_environment().credits_stream = None


@pytest.mark.parametrize("text", GOALS)
@pytest.mark.parametrize("costs", [True, False])
def test_its_planners_solve_its_validator_accepts_and_the_robot_gets_a_program(text: str, costs: bool):
    goal = parse_goal(text)
    compiled = compile_problem(goal, OFFICE, costs)
    with up.OneshotPlanner(problem_kind=compiled.problem.kind) as planner:
        plan = planner.solve(compiled.problem).plan
    with up.PlanValidator(name="sequential_plan_validator") as validator:
        assert validator.validate(compiled.problem, plan).status.name == "VALID"
    result = compiled.carried_out(plan)
    assert result.verified and result.cost is not None
    assert len(translate(result, OFFICE, goal).commands) == len(result.steps)
    shorter = SequentialPlan([*plan.actions][:1])
    assert not compiled.carried_out(shorter).verified


def test_engines_by_its_names_get_the_objects_and_a_text_only_where_it_is_all_there_is():
    rendered = compile_goal(parse_goal("(holding banana2)").formula, OFFICE)
    no_text = PddlText("(no domain)", "(no problem)", rendered.data)
    solved = Unified("fast-downward-opt").solve_text(no_text, Budget(60))
    assert solved.optimal and solved.plan == (
        ("goto", "pose8", "fridge"), ("open_act", "fridge"), ("pickup_inside", "banana2", "fridge")
    )  # fmt: skip
    as_text = Unified("fast-downward-opt").solve_text(PddlText(rendered.domain, rendered.problem), Budget(60))
    assert (as_text.plan, as_text.cost) == (solved.plan, solved.cost)


def test_an_engine_by_its_name_solves_a_problem_without_costs():
    goal = parse_goal("(not (holding banana2))")
    plain = render(compile_goal(goal.formula, OFFICE).source, costs=False)
    assert plain.data()["distances"] is None
    result = Engine.named("pyperplan-opt").solve(plain.source, Budget(60))
    assert result.plan is not None


def test_the_package_does_not_import_it_for_an_engine_by_its_name():
    program = """
import sys
from groundplan import Budget, Engine, ground, load_pack, load_scene, parse_goal, plan_goal
office = ground(load_scene("office"), load_pack())
assert plan_goal(parse_goal("(holding banana2)"), office, Engine.named("pyperplan-opt"), Budget(60)).verified
assert "groundplan.engines.unified" in sys.modules and "unified_planning" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_a_goal_with_errors_is_refused_by_its_first() -> None:
    with pytest.raises(GoalError, match="there is no unicorn"):
        compile_problem(parse_goal("(open unicorn)"), ground(load_scene("office"), load_pack()))
