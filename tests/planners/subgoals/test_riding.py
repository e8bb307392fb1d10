"""Packs that take the robot elsewhere than by driving: no order of errands is called the best there."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest
from template_pack import REACHING, benches, template_pack

from groundplan.compiler.certificates.records import recheck, unchecked_claims
from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.pddl import compile_goal
from groundplan.compiler.whereabouts import steps_back_freely
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.pipeline.hybrid import run
from groundplan.planners.classical import plan_goal
from groundplan.planners.request import Request

ROOMS = {"cellar": ("rack",), "hall": ("desk",), "attic": ("shelf", "sill")}
THINGS = {"flask": "rack", "beaker": "rack"}
GOAL = "(and (lies_on flask shelf) (lies_on beaker sill))"
LIFT = (
    "(:action lift :parameters (?x - {0} ?y - bench) :precondition (and (at ?x) (flat ?y){1})"
    " :effect (and (at ?y) (not (at ?x)) (increase (total-cost) {2})))"
)
BELT = (
    "(:action belt :parameters (?t - thing ?x - bench ?y - bench)"
    " :precondition (and (lies_on ?t ?x) (flat ?y){0})"
    " :effect (and (lies_on ?t ?y) (not (lies_on ?t ?x)) (increase (total-cost) 80)))"
)
CASES = [
    ((), ()),
    (REACHING, ()),
    ((LIFT.format("bench", "", 300),), ("lift",)),
    ((LIFT.format("place", " (hand_free)", 0),), ("lift",)),
    ((*REACHING, LIFT.format("bench", "", 99_999)), ("lift",)),
    ((BELT.format(""),), ()),  # the robot is never in what the belt moves
    ((*REACHING, BELT.format("")), ("belt",)),
    ((*REACHING, BELT.format(" (at ?x)")), ()),
]


@pytest.mark.parametrize(("actions", "ways"), CASES)
def test_orders_are_bounded_where_driving_alone_moves_the_robot(
    actions: tuple[str, ...], ways: tuple[str, ...], tmp_path: Path
) -> None:
    belief = benches(template_pack(tmp_path, *actions), ROOMS, THINGS, 9.0, 7.0)
    assert belief.rides == ways
    result = plan_goal(parse_goal(GOAL), belief, Engine.named("pyperplan"))
    assert result.verified and result.assembly.mode in ("split", "joint")
    if ways:
        assert result.assembly.order is None and "order" not in result.assembly.reason
        best = plan_goal(parse_goal(GOAL), belief, Engine.named("fast-downward-opt"))
        assert best.verified and not best.optimal and best.bound is None


@pytest.mark.parametrize("name", ["household", "household-locks", "grasif", "grasif-looking", "search"])
def test_the_packs_that_are_built_in_move_the_robot_by_driving_alone(name: str) -> None:
    belief = benches(load_pack(name), {"cellar": ("rack",)}, {})
    assert belief.rides == () and steps_back_freely(belief.pack)


def test_an_order_made_without_the_lift_is_not_rechecked_with_it(tmp_path: Path) -> None:
    """The claim of a pack without a lift, put into the record of a run with one."""
    plain = benches(template_pack(tmp_path / "plain"), ROOMS, THINGS, 9.0, 7.0)
    lifted = benches(template_pack(tmp_path / "lift", LIFT.format("bench", "", 300)), ROOMS, THINGS, 9.0, 7.0)
    goal = parse_goal(GOAL)
    records = [run(Request(b, goal=goal), Engine.named("pyperplan")).as_json() for b in (plain, lifted)]
    assert records[0]["order_bound"] == records[0]["order_cost"] and records[1]["order_bound"] is None
    forged = records[0] | {"hashes": records[1]["hashes"]}
    found = recheck(forged, lifted, goal.formula)
    assert found["outcome"].status == "rechecked" and found["order_bound"].status == "not checked"
    assert unchecked_claims(forged, found) == ("order_bound",)


@pytest.mark.parametrize("engine", ["pyperplan", "fast-downward", "fast-downward-opt"])
@pytest.mark.parametrize(
    "goal",
    ["(lies_on flask desk)", GOAL, "(robot_at shelf)", "(robot_at attic)", "(not (lies_on flask rack))"],
)
def test_rooms_that_only_a_lift_leads_to_are_planned_through(engine: str, goal: str, tmp_path: Path) -> None:
    lift = LIFT.format("bench", "", 300)
    belief = benches(template_pack(tmp_path, lift), ROOMS, THINGS, inf, inf)
    result = plan_goal(parse_goal(goal), belief, Engine.named(engine))
    assert result.verified and not result.optimal


@pytest.mark.parametrize("goal", ["(lies_on flask desk)", "(robot_at attic)"])
@pytest.mark.parametrize("whole", [False, True])
def test_the_problem_for_other_planners_has_the_lift(goal: str, whole: bool, tmp_path: Path) -> None:
    """Also where one drives on from where the lift stops."""
    belief = benches(template_pack(tmp_path, LIFT.format("bench", "", 300)), ROOMS, THINGS, inf, inf)
    problem = compile_goal(parse_goal(goal).formula, belief, whole=whole)
    assert "(:action lift" in problem.domain


@pytest.mark.parametrize("engine", ["pyperplan", "fast-downward-opt"])
def test_one_drives_to_what_stays_where_it_is(engine: str, tmp_path: Path) -> None:
    """Also in a pack in which things are places, too: no plan of an engine is blamed for going to one."""
    head, foot = "place thing - object\n    room bench ", "waypoint - place"
    types = {head + foot: f"{head.replace('place thing', 'place')}waypoint thing - place"}
    belief = benches(template_pack(tmp_path, changes=types), ROOMS, THINGS, 9.0, 7.0)
    assert plan_goal(parse_goal("(robot_at flask)"), belief, Engine.named(engine)).outcome != "rejected"
    assert plan_goal(parse_goal("(lies_on flask sill)"), belief, Engine.named(engine)).verified
