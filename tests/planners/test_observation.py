"""Belief faults: the true world refuses what the belief allowed; what is seen there is believed."""

from __future__ import annotations

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.planners.engines.engine import Engine
from groundplan.planners.hybrid import Request, run
from groundplan.planners.observation import observe
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.step import Step

PACK = load_pack()
SCENE = load_scene("office")
BELIEF = ground(SCENE, PACK)
ENGINE = Engine.named("pyperplan")
GOAL = parse_goal("(inside_of orange1 fridge)")


def where_orange_is(parent: str, relation: str) -> Belief:
    return ground(SCENE.changed(change={"orange1": {"parent": parent, "relation": relation}}), PACK)


def test_a_thing_that_was_moved_in_sight_is_found_and_the_same_goal_planned_again() -> None:
    world = where_orange_is("coffee_machine", "ontop_of")
    record = run(Request(BELIEF, goal=GOAL, world=world), ENGINE)
    assert record.outcome == "verified"
    assert record.goal == str(GOAL)
    assert "access(coffee_machine)" in map(str, record.plan)
    (seen,) = record.observations
    assert (seen["node"], seen["seen"]) == ("orange1", "ontop_of coffee_machine [pickup]")
    # What the reader was given is what it was: only the run's own belief moved on, and it says how.
    assert record.hashes["belief_before"] == record.hashes["belief_after"]


def test_a_thing_that_is_hidden_becomes_unknown_and_the_goal_impossible() -> None:
    record = run(Request(BELIEF, goal=GOAL, world=where_orange_is("drawer", "inside_of")), ENGINE)
    assert record.outcome == "goal-error"
    assert {o["node"]: o["seen"] for o in record.observations} == {"orange1": None}
    assert "orange1" in record.reasons[0]


def test_a_door_that_is_open_already_is_seen_open() -> None:
    world = ground(SCENE.changed(change={"cabinet3": {"state": ("open",)}}), PACK)
    record = run(Request(BELIEF, goal=parse_goal("(holding apple2)"), world=world), ENGINE)
    assert record.outcome == "verified"
    assert "open(cabinet3)" not in map(str, record.plan)
    assert "cabinet3" in {o["node"] for o in record.observations}


def test_where_the_world_is_as_believed_nothing_is_observed() -> None:
    record = run(Request(BELIEF, goal=GOAL, world=ground(SCENE, PACK)), ENGINE)
    assert record.outcome == "verified"
    assert record.observations == ()


def test_only_what_is_in_the_room_and_not_shut_away_is_seen() -> None:
    changed = SCENE.changed(
        change={
            "orange1": {"parent": "fridge", "relation": "inside_of"},
            "phone": {"parent": "cabinet2", "relation": "inside_of"},
        }
    )
    steps = tuple(Step("goto", (hop,)) for hop in BELIEF.routes.route("pose8", "kitchen").hops)
    found, belief = observe((*steps, Step("pickup", ("orange1",))), BELIEF, ground(changed, PACK))
    assert {o.node for o in found} == {
        "orange1"
    }  # gone from the bench; the fridge is shut, the phone far away
    assert "orange1" not in belief.scene.nodes
    assert "phone" in belief.scene.nodes
