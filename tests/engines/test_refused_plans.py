"""Engines whose plans do not work: the run says that planner and simulator disagree, and proves nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from tasks import task_of

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.ending import Ending
from groundplan.domains.formula import Atom, Formula
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget, PddlText, Step, TextEngine, TextResult
from groundplan.engines.engine import Engine
from groundplan.engines.registry import get_engine
from groundplan.engines.result import PlanResult
from groundplan.planners.classical import plan_goal
from groundplan.planners.failure import PlanningFailed, combined, refused
from groundplan.planners.schedule import plan
from groundplan.planners.strategies import joint
from groundplan.planners.subgoals.travel import SubgoalPlan
from groundplan.planners.task import PlanningTask
from groundplan.planners.verdict import DOMAIN_FAULT
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene_json import scene_from_json
from groundplan.simulator.verification import verify_plan

Plan = tuple[Step, ...]
Change = Callable[[Plan], Plan]

SMALL = {
    "format": "groundplan-scene",
    "version": 1,
    "name": "small",
    "nodes": [
        {"id": "kitchen", "type": "room"},
        {"id": "hall", "type": "room"},
        {"id": "table", "type": "asset", "parent": "kitchen", "affordances": ["release"]},
        {"id": "desk1", "type": "asset", "parent": "hall", "affordances": ["release"]},
        {
            "id": "fridge",
            "type": "asset",
            "parent": "kitchen",
            "affordances": ["open", "close", "release"],
            "classes": ["fridge"],
        },
        *(
            {
                "id": name,
                "type": "object",
                "parent": "table",
                "relation": "ontop_of",
                "affordances": ["pickup"],
                "classes": ["apple"],
            }
            for name in ("apple1", "apple2")
        ),
        {"id": "robot", "type": "agent", "at": "hall"},
    ],
    "links": [{"a": "kitchen", "b": "hall", "length": 3}],
}
PACK = load_pack()
SCENES = {
    "small": ground(scene_from_json(SMALL, "small"), PACK),
    "office": ground(load_scene("office"), PACK),
}
CHANGES: dict[str, Change] = {
    "last action dropped": lambda plan: plan[:-1],
    "reversed": lambda plan: plan[::-1],
    "repeated": lambda plan: plan + plan,
    "empty": lambda plan: (),
}
GOALS = {
    "one part": "(ontop_of apple1 desk1)",
    "two parts": "(and (ontop_of apple1 desk1) (open fridge))",
    "alternatives": "(or (ontop_of apple1 desk1) (ontop_of apple2 desk1))",
    "parts with alternatives": "(and (exists (?a - apple) (ontop_of ?a desk1)) (open fridge))",
    "a room": "(in_room apple1 hall)",
    "kept apart": "(and (ontop_of apple1 desk1) (not (ontop_of apple2 desk1)) (holding apple2))",
}


@dataclass
class Changed(TextEngine):
    """An engine that changes every plan of another one."""

    engine: TextEngine
    change: Change
    stubborn: bool = True
    name: str = "changed"
    keeps_bound: bool = False
    refusals: list[TextResult] = field(default_factory=list)

    @property
    def supports_costs(self) -> bool:
        return self.engine.supports_costs

    def solve_text(self, text: PddlText, budget: Budget) -> TextResult:
        result = self.engine.solve_text(text, budget)
        if result.plan is None:
            return result
        plan = self.change(result.plan)
        if not self.stubborn and self.refusals:
            return TextResult(Ending.UNSOLVABLE, proof="exhausted")
        self.refusals.append(result)
        if self.keeps_bound:
            return replace(result, plan=plan)
        return replace(result, plan=plan, cost=None, bound=None, optimal=False)


def planned(goal: str, belief: Belief, engine: Changed, name: str = "changed") -> PlanResult:
    return plan_goal(parse_goal(goal), belief, Engine(name, engine), Budget(20))


def honest(planned: PlanResult, goal: str, belief: Belief) -> bool:
    """Whether a plan that is called verified is one; what is no plan says that there was a fault."""
    if planned.verified:
        return verify_plan(planned.steps, belief, parse_goal(goal).formula).verified
    order = [planned.reasons[0].find(words) for words in ("the engine changed", "the domain pack")]
    explained = 0 <= order[0] < order[1] and len(planned.reasons) > 1
    return planned.outcome == "rejected" and planned.proof is None and explained and planned.domain_fault


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
@pytest.mark.parametrize("goal", GOALS.values(), ids=list(GOALS))
def test_a_plan_that_does_not_work_proves_nothing(goal: str, change: Change) -> None:
    belief = SCENES["small"]
    assert honest(planned(goal, belief, Changed(get_engine("pyperplan"), change)), goal, belief)


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_nor_does_it_in_the_office(change: Change) -> None:
    goal, belief = "(ontop_of apple1 table1)", SCENES["office"]
    assert honest(planned(goal, belief, Changed(get_engine("pyperplan"), change)), goal, belief)


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_nor_does_it_from_an_engine_that_is_called_optimal(change: Change) -> None:
    goal, belief = GOALS["two parts"], SCENES["small"]
    engine = Changed(get_engine("fast-downward-opt"), change)
    result = planned(goal, belief, engine, "changed-opt")
    assert honest(result, goal, belief)
    assert not result.optimal and result.bound_mm is None


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_nor_does_it_where_the_plan_is_cheaper_than_its_bound(change: Change) -> None:
    goal, belief = GOALS["one part"], SCENES["small"]
    engine = Changed(get_engine("fast-downward-opt"), change, keeps_bound=True)
    result = planned(goal, belief, engine, "changed-opt")
    assert honest(result, goal, belief)
    assert not result.optimal or result.verified


def test_the_plan_of_a_listed_engine_points_to_the_pack() -> None:
    engine = Engine("pyperplan", Changed(get_engine("pyperplan"), CHANGES["empty"]), complete=True)
    result = plan_goal(parse_goal(GOALS["one part"]), SCENES["small"], engine, Budget(20))
    assert result.reasons[0] == DOMAIN_FAULT and "engine" not in DOMAIN_FAULT


def test_the_same_engine_is_not_believed_that_there_is_no_plan() -> None:
    engine = Changed(get_engine("pyperplan"), CHANGES["empty"], stubborn=False)
    result = planned(GOALS["one part"], SCENES["small"], engine)
    assert engine.refusals
    assert honest(result, GOALS["one part"], SCENES["small"]) and not result.verified


def test_a_plan_that_works_ends_a_run_after_one_that_did_not() -> None:
    tried: list[Plan] = []

    def at_first(plan: Plan) -> Plan:
        tried.append(plan)
        return () if len(tried) == 1 else plan

    result = planned(GOALS["two parts"], SCENES["small"], Changed(get_engine("pyperplan"), at_first))
    assert result.verified and not result.domain_fault


def test_no_failure_at_all_is_no_proof() -> None:
    part = Atom("hand_free")
    assert not combined([], part).sound
    assert combined([], part).result.ending is Ending.NOT_FOUND
    fault = refused("it is closed", part, "some engine")
    timed_out = PlanningFailed(
        replace(fault.result, ending=Ending.TIMED_OUT, detail="no time was left"), part, False
    )
    assert combined([timed_out, fault], part) is fault


def test_an_alternative_whose_plan_does_not_reach_the_goal_proves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    belief = SCENES["small"]
    tried: list[Formula] = []

    def solve(task: PlanningTask) -> SubgoalPlan:
        tried.append(task.goal)
        if len(tried) == 1:
            raise PlanningFailed(PlanResult(Ending.UNSOLVABLE, proof="exhausted"), task.goal, complete=True)
        return SubgoalPlan(None, None, 0)

    monkeypatch.setattr(joint, "solve", solve)
    with pytest.raises(PlanningFailed) as failed:
        joint.planned_jointly(task_of(GOALS["alternatives"], belief), "it has alternatives")
    assert len(tried) == 2 and failed.value.fault and not failed.value.sound
    assert "the goal is not reached" in failed.value.result.detail


def test_a_hand_that_cannot_be_emptied_says_nothing_about_a_goal_that_does_not_ask_for_it() -> None:
    nodes = [
        {"id": "r", "type": "room"},
        {"id": "door", "type": "asset", "parent": "r", "affordances": ["open"]},
        {"id": "lamp", "type": "asset", "parent": "r", "affordances": ["turn_on"]},
        {
            "id": "nut",
            "type": "object",
            "parent": "robot",
            "relation": "inside_hand",
            "affordances": ["pickup"],
        },
        {"id": "robot", "type": "agent", "at": "r"},
    ]
    raw = {"format": "groundplan-scene", "version": 1, "name": "full", "nodes": nodes, "links": []}
    belief = ground(scene_from_json(raw, "full"), PACK)
    result = plan(task_of("(and (open door) (turned_on lamp))", belief))
    assert [a.name for a in result.plan or () if a.name != "goto"] == ["open", "turn_on"]
