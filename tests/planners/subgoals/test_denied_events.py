"""Goals that deny what an event brings about: planned for as long as the event need not happen."""

from __future__ import annotations

import pytest
from small_worlds import kitchen

from groundplan.compiler.goals.goal import parse_goal
from groundplan.domains.ending import Ending
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.engines.result import PlanResult
from groundplan.planners.classical import plan_goal
from groundplan.simulator.verification import verify_plan

BELIEF = kitchen()
NO_WAY = "(and (inside_of plate dishwasher) (closed dishwasher) (turned_on dishwasher) (not (clean plate)))"


def planned(goal: str, engine: str = "pyperplan") -> PlanResult:
    result = plan_goal(parse_goal(goal), BELIEF, Engine.named(engine), Budget(20))
    if result.verified:
        assert verify_plan(result.steps, BELIEF, parse_goal(goal).formula).verified
    return result


def test_the_machines_do_what_the_tests_suppose() -> None:
    assert [a.name for a in planned("(clean plate)").plan or () if a.event] == ["wash"]
    assert [a.name for a in planned("(hot apple)").plan or () if a.event] == ["heat"]


@pytest.mark.parametrize("engine", ["pyperplan", "fast-downward", "fast-downward-opt"])
@pytest.mark.parametrize(
    "goal",
    [
        "(not (hot apple))",
        "(and (holding apple) (not (hot apple)))",
        "(and (inside_of apple microwave) (not (hot apple)))",
        "(and (turned_on microwave) (not (hot apple)) (not (clean plate)))",
        "(and (hot apple) (not (clean plate)) (not (hot plate)))",
    ],
)
def test_an_event_that_need_not_happen_does_not_stand_in_the_way(goal: str, engine: str) -> None:
    result = planned(goal, engine)
    assert result.verified
    assert engine != "fast-downward-opt" or result.optimal


@pytest.mark.parametrize("engine", ["pyperplan", "fast-downward-opt"])
@pytest.mark.parametrize(
    "goal", ["(and (turned_on dishwasher) (not (clean plate)))", "(and (clean apple) (not (clean plate)))"]
)
def test_an_event_that_the_goal_denies_is_prevented(goal: str, engine: str) -> None:
    result = planned(goal, engine)
    assert result.verified and not result.optimal
    assert not any(a.event and a.args[0] == "plate" for a in result.plan or ())
    assert result.assembly.why == "no event is let happen that the goal denies"


def test_where_no_plan_was_accepted_it_is_unsupported_or_proved_and_nobodys_fault() -> None:
    result = planned(NO_WAY)
    assert result.ending in (Ending.UNSUPPORTED, Ending.UNSOLVABLE) and not result.domain_fault
    if result.ending is Ending.UNSUPPORTED:
        assert any(reason.startswith("(not (clean plate)): an event made") for reason in result.reasons)
