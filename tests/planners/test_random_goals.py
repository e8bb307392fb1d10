"""Random goals in random worlds: plans are true, proofs hold, the check gives no false alarm."""

from __future__ import annotations

from functools import cache

from draws import draws
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st
from oracles.reached import states
from oracles.worlds import new_facts
from strategies import actions, beliefs, formulas

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import Goal
from groundplan.compiler.normal import normal_form
from groundplan.compiler.problem import Unsupported, build
from groundplan.domains.action import PlanAction
from groundplan.domains.ending import Ending
from groundplan.domains.errors import NoRoute
from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import And, Count, Sometime, walk
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.engines.result import PlanResult
from groundplan.planners.classical import plan_goal
from groundplan.planners.proofs.search import Prover
from groundplan.simulator.belief import Belief
from groundplan.simulator.verification import verify_plan, watched
from groundplan.simulator.world import World

SETTINGS = draws(40, by_day=12, suppress_health_check=list(HealthCheck))
BUDGET = Budget(seconds=10)


@cache
def engine() -> Engine:
    return Engine.named("pyperplan")


def judge(goal: Goal, belief: Belief, planned: PlanResult) -> None:
    """What every answer must keep to."""
    assert not planned.domain_fault, planned.reasons
    if planned.ending is Ending.SOLVED:
        again = verify_plan(planned.steps, belief, goal.formula)
        assert again.verified
        world = World(belief, watched(goal.formula, belief))
        for action in planned.plan:
            if not action.event:
                world.perform(action)
        assert evaluate(goal.formula, world)
    else:
        assert planned.plan is None and planned.steps == ()
        assert planned.reasons
        assert (planned.ending is Ending.UNSOLVABLE) == (planned.proof is not None)


@SETTINGS
@given(st.data())
def test_every_answer_is_true(data: st.DataObject) -> None:
    belief = data.draw(beliefs(hostile=None, connected=False, assets=3, objects=2))
    formula = data.draw(formulas(belief, depth=2, sometime=True))
    goal = Goal.of(formula)
    planned = plan_goal(goal, belief, engine(), BUDGET)
    judge(goal, belief, planned)
    report = check(goal, belief)
    errors = {d.code for d in report.diagnostics if d.severity == "error"}
    if planned.ending is Ending.SOLVED and not any(isinstance(x, Count) for x in walk(formula)):
        assert not errors - {"type"}, report.diagnostics
    if planned.ending is Ending.UNSOLVABLE:
        met, _ = states(belief, formula, 400)
        assert not met, planned.reasons
    if planned.ending is Ending.UNSUPPORTED:
        assert "event" in planned.reasons[0]
    if planned.ending is Ending.NOT_FOUND:
        met, _ = states(belief, formula, 400)
        assert not met, planned.reasons


@SETTINGS
@given(st.data())
def test_goals_that_were_reached_by_chance_are_reached_by_plan(data: st.DataObject) -> None:
    """Walk at random; the facts that came about are a goal that has a plan."""
    belief = data.draw(beliefs(hostile=None, connected=False))
    world = World(belief)
    for _ in range(data.draw(st.integers(1, 8))):
        action: PlanAction = data.draw(actions(belief, world))
        if len(set(action.args)) == len(action.args):
            try:
                world.perform(action)
            except NoRoute:
                continue
    public = belief.pack.mapping.goal_predicates
    new = [a for a in new_facts(world) if a.predicate in public]
    assume(new)
    goal = Goal.of(And(tuple(data.draw(st.lists(st.sampled_from(new), min_size=1, max_size=4, unique=True)))))
    assert check(goal, belief).ok, check(goal, belief).diagnostics
    planned = plan_goal(goal, belief, engine(), BUDGET)
    assert planned.ending is Ending.SOLVED, planned
    judge(goal, belief, planned)


@SETTINGS
@given(st.data())
def test_pruned_and_unpruned_agree_on_solvability(data: st.DataObject) -> None:
    belief = data.draw(beliefs(assets=3, objects=3))
    formula = data.draw(formulas(belief, depth=2, sometime=True))
    form = normal_form(formula, belief)
    everything = [n for n, x in belief.scene.nodes.items() if x.type != "agent"]
    try:
        problems = [
            build(form, belief),
            build(form, belief, nearest=None),
            build(form, belief, nearest=None, extra=everything),
        ]
    except Unsupported:
        return
    results = engine().solve_many(problems, BUDGET)
    endings = [r.ending for r in results]
    assert endings[1] == endings[2]
    if endings[0] is Ending.SOLVED or problems[0].complete:
        assert endings[0] == endings[1]
    if endings[1] is Ending.SOLVED:
        assert Prover(formula, belief).thorough() is None
    else:
        assert endings[1] is Ending.UNSOLVABLE
    if not any(isinstance(x, Sometime) for x in walk(form)):
        met, complete = states(belief, formula, 300)
        if met:
            assert endings[1] is Ending.SOLVED
        elif complete:
            assert endings[1] is Ending.UNSOLVABLE
