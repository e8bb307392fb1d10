"""A robot that reaches into a movable thing is still in the room around that, for plans and for proofs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from oracles.judge import Judge
from template_pack import REACHING, benches, template_pack

from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.whereabouts import steps_back_freely
from groundplan.domains.ending import Ending
from groundplan.engines.engine import Engine
from groundplan.engines.result import Assembly, OrderBound, PlanResult
from groundplan.pipeline.record import Record
from groundplan.planners.classical import plan_goal
from groundplan.planners.verdict import WrittenGoal

ROOMS = {"cellar": ("rack",), "attic": ("shelf",)}
THINGS = {"flask": "rack", "beaker": "rack", "stopper": "shelf"}
ENGINES = ("pyperplan", "fast-downward-opt")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "goal",
    [
        "(not (in_room flask cellar))",
        "(forall (?v - vial) (not (in_room ?v cellar)))",
        "(and (holding beaker) (not (robot_at cellar)))",
        "(exists (?r - room) (not (or (robot_at ?r) (in_room flask cellar))))",
        "(and (robot_at stopper) (not (robot_at rack)))",
        "(imply (holding flask) (not (robot_at attic)))",
        "(and (holding flask) (robot_at beaker) (in_room flask cellar))",
    ],
)
def test_out_of_a_room_is_out_of_the_things_in_it(goal: str, engine: str, tmp_path: Path) -> None:
    belief = benches(template_pack(tmp_path, *REACHING), ROOMS, THINGS)
    formula = parse_goal(goal)
    best = Judge(belief).decide(formula.formula).cost
    result = plan_goal(formula, belief, Engine.named(engine))
    assert result.verified
    assert result.bound_mm in (None, best) and result.cost_mm is not None and best is not None
    assert result.cost_mm == best or not result.optimal


@pytest.mark.parametrize("cost", [0, 900])
@pytest.mark.parametrize(
    "goal", ["(and (measured flask) (robot_at cellar))", "(and (measured flask) (not (robot_at attic)))"]
)
def test_a_way_back_that_costs_is_no_part_of_the_cheapest_plan(goal: str, cost: int, tmp_path: Path) -> None:
    """The plan ends at the tray, where it measured; a proof may not ask for stepping back."""
    reach, back = REACHING
    back = back.replace("(total-cost) 0", f"(total-cost) {cost}")
    beam = "(:action weigh :parameters (?t - thing ?c - thing) :precondition (and (at ?c) (lies_on ?t ?c))"
    beam += " :effect (and (measured ?t) (increase (total-cost) 50)))"
    tables = {"[actions.warm_up]": '[actions.weigh]\nstep = "weigh(?t)"\nskill = "weigh"\n[actions.warm_up]'}
    pack = template_pack(
        tmp_path, reach, back, changes={"(:action measure": f"{beam}\n(:action measure"}, mapping=tables
    )
    belief = benches(pack, ROOMS, {"tray": "rack", "flask": "tray"})
    assert steps_back_freely(pack) == (cost == 0)
    result = plan_goal(parse_goal(goal), belief, Engine.named("fast-downward-opt"))
    assert result.verified
    assert not result.optimal or result.cost_mm == Judge(belief).decide(parse_goal(goal).formula).cost == 50


def test_nothing_is_said_of_how_good_a_refused_plan_is(tmp_path: Path) -> None:
    belief = benches(template_pack(tmp_path), ROOMS, THINGS)
    order = OrderBound(0, 0, "none", "cellar", ((("cellar", "cellar", 0),), (("attic", "attic", 0),)))
    found = PlanResult(Ending.SOLVED, (), 0, 0, assembly=Assembly("split", "two parts", order=order))
    assert found.optimal and "exact" in found.assembly.reason
    engine = Engine.named("fast-downward-opt")
    refused = WrittenGoal(parse_goal("(holding flask)"), belief, engine).judged(found)
    assert refused.outcome == "rejected" and not refused.optimal
    raw = Record("rejected", planning=refused).as_json()
    claims = ("bound", "order_bound", "order_cost", "order_gap")
    assert not raw["optimal"] and all(raw[key] is None for key in claims)
    assert "exact" not in str(raw["why"])
    with pytest.raises(ValueError, match="refused"):
        replace(found, domain_fault=True)
