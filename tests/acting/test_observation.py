"""Belief faults: the true world is not as believed; what is seen there is believed, and the run goes on."""

from __future__ import annotations

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.pipeline.hybrid import Request, run
from groundplan.pipeline.record import Record
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.verification import verify_plan

PACK = load_pack()
SCENE = load_scene("office")
BELIEF = ground(SCENE, PACK)
ENGINE = Engine.named("pyperplan")
GOAL = parse_goal("(inside_of orange1 fridge)")


def where_orange_is(parent: str, relation: str) -> Belief:
    return ground(SCENE.changed(change={"orange1": {"parent": parent, "relation": relation}}), PACK)


def in_world(world: Belief) -> Record:
    record = run(Request(BELIEF, goal=GOAL, world=world), ENGINE)
    if record.verified:
        done = verify_plan(record.trajectory.executed, world, GOAL.formula)
        assert done.verified and done.length_mm == record.trajectory.executed_mm
    return record


def test_a_thing_that_was_moved_in_sight_is_found_and_the_same_goal_planned_again() -> None:
    record = in_world(where_orange_is("coffee_machine", "ontop_of"))
    assert record.outcome == "verified" and str(record.goal) == str(GOAL) and record.trajectory.replans == 1
    assert "access(coffee_machine)" in map(str, record.plan)
    (seen,) = record.trajectory.observations
    assert (seen.node, seen.seen) == ("orange1", "ontop_of coffee_machine [pickup]")
    # What the reader was given is what it was: only the run's own belief moved on, and it says how.
    assert record.hashes["belief_before"] == record.hashes["belief_after"]


def test_the_run_goes_on_from_where_the_robot_is() -> None:
    """It saw the kitchen after the drive there, so the last plan begins in it and the drive is made once."""
    record = in_world(where_orange_is("coffee_machine", "ontop_of"))
    drives = [step for step in record.trajectory.executed if step.name == "goto"]
    assert record.trajectory.observations[0].step == len(drives) and drives[-1].args == ("kitchen",)
    assert not any(step.name == "goto" for step in record.plan)
    assert record.trajectory.executed_mm == BELIEF.routes.distance("pose8", "kitchen")
    assert record.trajectory.executed == (*drives, *record.plan)


def test_a_thing_that_is_hidden_is_looked_for_where_nobody_has_looked() -> None:
    record = in_world(where_orange_is("drawer", "inside_of"))
    assert record.outcome == "verified"
    seen = [(o.node, o.seen) for o in record.trajectory.observations if o.node == "orange1"]
    assert seen == [("orange1", None), ("orange1", "inside_of drawer [pickup]")]
    looks = record.trajectory.looks
    assert str(looks[-1]) == "inside_of drawer" and len(set(looks)) == len(looks)
    assert "open(drawer)" in map(str, record.trajectory.executed), "opening is part of the look"


def test_what_is_at_none_of_all_places_makes_the_goal_impossible() -> None:
    record = in_world(ground(SCENE.changed(remove=["orange1"]), PACK))
    assert record.outcome == "unsolvable" and record.planning.proof == "every place was looked at"
    assert record.exit_code == 1 and record.planning.certificate is None
    rooms = {name for name, node in SCENE.nodes.items() if node.type == "room"}
    doors = {f"inside_of {n}" for n, node in SCENE.nodes.items() if "open" in node.affordances}
    assert rooms | doors <= set(record.trajectory.exhausted)


def test_a_room_that_no_route_leads_to_leaves_it_open() -> None:
    lobby = [link for link in SCENE.links if "lobby" in (link.a, link.b)]
    cut = type(SCENE)("office", SCENE.nodes, tuple(x for x in SCENE.links if x not in lobby))
    world = ground(cut.changed(remove=["orange1"]), PACK)
    record = run(Request(ground(cut, PACK), goal=GOAL, world=world), ENGINE)
    assert record.outcome == "not-found" and not record.trajectory.exhausted
    assert any(reason.startswith("not looked at: lobby (no route") for reason in record.reasons)


def test_a_door_that_is_open_already_is_seen_open() -> None:
    world = ground(SCENE.changed(change={"cabinet3": {"state": ("open",)}}), PACK)
    record = run(Request(BELIEF, goal=parse_goal("(holding apple2)"), world=world), ENGINE)
    assert record.outcome == "verified"
    assert "open(cabinet3)" not in map(str, record.trajectory.executed)
    assert "cabinet3" in {o.node for o in record.trajectory.observations}


def test_where_the_world_is_as_believed_nothing_is_observed() -> None:
    record = run(Request(BELIEF, goal=GOAL, world=ground(SCENE, PACK)), ENGINE)
    assert record.outcome == "verified"
    done = record.trajectory
    assert done.observations == () and done.looks == () and done.replans == 0
    assert done.executed == record.plan
    assert record.as_json()["executed_metres"] == record.planning.verification.metres


def test_what_was_done_once_is_not_done_again() -> None:
    """What only had to hold at some time has held before the orange was missed."""
    goal = parse_goal("(and (sometime (open cabinet3)) (closed cabinet3) (inside_of orange1 fridge))")
    record = run(Request(BELIEF, goal=goal, world=where_orange_is("drawer", "inside_of")), ENGINE)
    assert record.outcome == "verified"
    executed = record.trajectory.executed
    assert [str(s) for s in executed].count("open(cabinet3)") == 1
    assert verify_plan(executed, where_orange_is("drawer", "inside_of"), goal.formula).verified
