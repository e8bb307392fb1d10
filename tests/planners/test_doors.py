"""Doors between rooms: in the way while closed, worked from both sides, opened and closed again by plans."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from groundplan import Engine, ground, load_pack, parse_goal, plan_goal, read_steps, verify_plan
from groundplan.acting import Episode, act_in
from groundplan.datasets.scenes import load_scene
from groundplan.domains.errors import SceneError
from groundplan.engines.base import Budget
from groundplan.planners.request import Request
from groundplan.robot import translate
from groundplan.robot.monitor import deviations
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.scene_json import read_scene, scene_text
from groundplan.simulator.sensing import Environment, unexplored
from groundplan.simulator.view import View
from tests.oracles.doors import compared, scene

PACK, ENGINE = load_pack(), Engine.named("pyperplan")
ENGINES = pytest.mark.parametrize(
    "engine", ["pyperplan", pytest.param("pyperplan-opt", marks=pytest.mark.slow)]
)


def door(name: str, room: str, *affordances: str, state: str = "closed") -> Node:
    return Node(name, "asset", room, "in", ("door",), affordances, (state,))


NODES = (
    *(Node(room, "room") for room in ("kitchen", "hall", "study")),
    Node("table", "asset", "hall", affordances=("release",)),
    Node("shelf", "asset", "kitchen", affordances=("release",)),
    door("door1", "kitchen", "open", "close"),
    door("door2", "study"),
    Node("cup1", "object", "shelf", "ontop_of", ("cup",), ("pickup",)),
    Node("agent", "agent", at="hall"),
)
WAYS = (Link("kitchen", "hall", 4.0, "door1"), Link("hall", "study", 3.0, "door2"))
FLAT = Scene("flat", {node.id: node for node in NODES}, WAYS)
"""A hall; the kitchen's door can be opened, that of the study cannot."""
RING = FLAT.changed(add=[door("door3", "kitchen", "open", "close", state="open")],
                    change={"door2": {"affordances": ("open", "close"), "state": ("open",)}})  # fmt: skip
RING = replace(RING, links=(*RING.links, Link("kitchen", "study", 9.0, "door3")))
"""The same with a second way to the study, and both doors of it open."""


@pytest.mark.parametrize(
    ("goal", "steps"),
    [
        ("(open door1)", ["open(door1)"]),
        ("(robot_at kitchen)", ["open(door1)", "goto(kitchen)"]),
        (
            "(and (robot_at kitchen) (closed door1))",
            ["open(door1)", "goto(kitchen)", "access(door1)", "close(door1)"],
        ),
        ("(and (sometime (open door1)) (closed door1) (robot_at hall))", ["open(door1)", "close(door1)"]),
        (
            "(and (ontop_of cup1 table) (closed door1))",
            ["open(door1)", "goto(kitchen)", "access(shelf)", "pickup(cup1)", "goto(hall)", "close(door1)",
             "access(table)", "release(cup1)"],
        ),
    ],
)  # fmt: skip
def test_doors_are_opened_on_the_way_and_closed_where_the_goal_asks(goal: str, steps: list[str]) -> None:
    belief = ground(FLAT, PACK)
    result = plan_goal(parse_goal(goal), belief, ENGINE)
    assert result.verified and [str(step) for step in result.steps] == steps
    drives = sum(4.0 for step in steps if step.startswith("goto"))
    works = sum(0.1 for step in steps if not step.startswith(("goto", "access")))
    assert result.bound is None and result.cost == pytest.approx(drives + works)
    program = translate(result, belief, parse_goal(goal))
    assert deviations(program, belief) == ()


def test_a_door_that_nothing_opens_joins_nothing() -> None:
    belief = ground(FLAT, PACK)
    result = plan_goal(parse_goal("(robot_at study)"), belief, ENGINE)
    assert result.outcome == "unsolvable" and result.certificate is not None
    assert not belief.routes.connected("hall", "study") and belief.routes.connected("hall", "kitchen")


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ("goto(kitchen)", "cannot go to kitchen: door1 is in the way, not open"),
        ("access(door1)", "cannot access door1: it is in kitchen, the robot is at hall"),
        ("access(table) open(door1)", "cannot open door1: the robot is not at door1"),
        ("open(door2)", "cannot open door2: door2 cannot be opened"),
        ("open(door1) close(door1) goto(kitchen)", "cannot go to kitchen: door1 is in the way, not open"),
        ("open(door1) goto(kitchen) access(door1) close(door1) goto(hall)",
         "cannot go to hall: door1 is in the way, not open"),
    ],
)  # fmt: skip
def test_a_closed_door_is_in_the_way_and_is_worked_from_its_two_sides_alone(steps: str, message: str) -> None:
    verification = verify_plan(read_steps(steps.replace(" ", "\n")), ground(FLAT, PACK))
    assert [v.message for v in verification.violations] == [message]


def test_nobody_is_in_the_room_beyond_a_door_that_is_worked_from_outside() -> None:
    goal = parse_goal("(sometime (robot_at kitchen))").formula
    assert not verify_plan(read_steps("open(door1)\nclose(door1)"), ground(FLAT, PACK), goal).verified


def test_scenes_with_doors_come_back_from_json_and_bad_ones_are_refused(tmp_path: Path) -> None:
    (tmp_path / "flat.json").write_text(scene_text(FLAT))
    again = read_scene(tmp_path / "flat.json")
    assert (again.doors, again.links) == (FLAT.doors, FLAT.links)
    without = replace(FLAT, links=tuple(replace(link, door="") for link in WAYS))
    assert FLAT.hash != without.hash and '"door"' not in scene_text(without)
    for links, words in (
        ((Link("kitchen", "hall", 4.0, "door9"),), "the id of an asset"),
        ((Link("kitchen", "hall", 4.0, "cup1"),), "object cup1"),
        ((Link("kitchen", "hall", 4.0, "door2"),), "an asset of the room at one end"),
        ((WAYS[0], Link("hall", "kitchen", 2.0)), "one way between two places"),
        ((WAYS[0], Link("kitchen", "study", 4.0, "door1")), "a door on one link"),
    ):
        with pytest.raises(SceneError, match=words):
            replace(FLAT, links=links)
    raw = json.loads(scene_text(FLAT))
    raw["links"][0]["door"] = 3
    (tmp_path / "bad.json").write_text(json.dumps(raw))
    with pytest.raises(SceneError, match=r"links\[0\].door"):
        read_scene(tmp_path / "bad.json")
    assert FLAT.changed(remove=["door1"]).doors == {("hall", "study"): "door2", ("study", "hall"): "door2"}


def test_a_subgraph_keeps_the_doors_of_its_ways() -> None:
    view = View.first(FLAT)
    assert {"door1", "door2"} <= set(view.subgraph(["kitchen", "hall", "study"]).nodes)
    assert "door2" not in view.subgraph(["kitchen", "hall"]).nodes


def test_a_pack_that_says_nothing_of_doors_takes_no_scene_with_them() -> None:
    silent = replace(PACK, mapping=replace(PACK.mapping, passable=None))
    with pytest.raises(SceneError, match="of which the pack household says nothing"):
        ground(FLAT, silent)


def test_a_step_that_drives_to_a_room_takes_a_way_with_open_doors() -> None:
    pack = load_pack("grasif")
    closed, ring = ground(FLAT, pack), ground(RING, pack)
    refused = verify_plan(read_steps("go_to(kitchen)"), closed)
    assert refused.violations[0].message == "cannot go to kitchen: door1 is in the way, not open"
    assert verify_plan(read_steps("open(door1)\ngo_to(kitchen)"), closed).length_mm == 4000
    assert verify_plan(read_steps("go_to(kitchen)"), ring).length_mm == 12000, "by way of the study"


def test_a_locked_door_is_no_proof_that_there_is_no_way() -> None:
    locks = load_pack("household-locks")
    change = {"door1": {"affordances": ("open", "close", "brass_lock"), "state": ("closed", "locked")}}
    belief = ground(FLAT.changed(change=change), locks)
    result = plan_goal(parse_goal("(robot_at kitchen)"), belief, ENGINE)
    assert result.outcome == "not-found" and "through door1, which is shut" in result.reasons[0]


@pytest.mark.parametrize(
    ("change", "metres"),
    [({"state": ("closed",)}, 3.0), ({"state": ("closed",), "affordances": ()}, 13.0)],
)
def test_a_door_that_is_otherwise_than_believed_changes_the_way(
    change: dict[str, object], metres: float
) -> None:
    truth = ground(RING.changed(change={"door2": change}), PACK)
    robot = Environment(truth)
    episode = Episode(Request(ground(RING, PACK), goal=parse_goal("(robot_at study)")), engine=ENGINE)
    act_in(robot, episode)
    assert episode.finish is not None and episode.finish.outcome == "verified"
    assert robot.judge(episode.goal.formula).reached and episode.trajectory.executed_mm == 1000 * metres


def test_who_knows_nothing_sees_doors_from_both_sides() -> None:
    truth = ground(RING, PACK)
    belief = unexplored(truth)
    assert set(belief.scene.door_ends) == {"door1", "door2"} and "door3" not in belief.scene.nodes
    robot = Environment(truth)
    episode = Episode(Request(belief, goal=parse_goal("(exists (?c - cup) (holding ?c))")), engine=ENGINE)
    act_in(robot, episode)
    assert episode.finish is not None and episode.finish.outcome == "verified"
    assert robot.judge(episode.goal.formula).reached and set(episode.belief.scene.door_ends) == set(
        RING.door_ends
    )


def test_scenes_without_doors_have_the_hashes_they_had() -> None:
    assert load_scene("office").hash[:12] == OFFICE_HASH


OFFICE_HASH = "634b940061eb"


@pytest.mark.parametrize("seeds", [range(6), pytest.param(range(6, 25), marks=pytest.mark.slow)])
def test_plans_are_right_where_trying_every_step_says_so(seeds: range) -> None:
    verdicts = [verdict for seed in seeds for _, verdict in compared(seed, 4)]
    assert set(verdicts) <= {"right", "refused"} and len(verdicts) == 4 * len(seeds)


@pytest.mark.slow
def test_plans_are_right_in_many_scenes() -> None:
    verdicts = [verdict for seed in range(1000, 1300) for _, verdict in compared(seed, 6)]
    assert set(verdicts) <= {"right", "refused"}


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1300, 5))
def test_plans_of_another_engine_are_right_in_the_same_scenes(first: int) -> None:
    """A process for each problem: some two seconds for each of six goals in five scenes."""
    verdicts = [v for seed in range(first, first + 5) for _, v in compared(seed, 6, "pyperplan-opt")]
    assert set(verdicts) <= {"right", "refused"}


@ENGINES
def test_what_an_engine_finds_no_plan_for_with_an_empty_hand_is_planned_with_a_full_one(engine: str) -> None:
    """Splitting asks for an empty hand after each part, and here nothing but the table takes the cup."""
    asked = parse_goal("(and (robot_at door1) (not (ontop_of cup table)))")
    result = plan_goal(asked, ground(scene(1017), PACK), Engine.named(engine), Budget(100))
    assert result.verified, result.reasons


@ENGINES
def test_what_an_engine_finds_no_plan_for_and_the_goal_asks_for_is_proved_at_once(engine: str) -> None:
    """Planning it with the rest would only spend the time of the proof."""
    office = ground(load_scene("office"), PACK)
    asked = parse_goal("(and (ontop_of knife desk7) (open microwave) (turned_on microwave))")
    result = plan_goal(asked, office, Engine.named(engine), Budget(100))
    assert result.outcome == "unsolvable" and result.certificate is not None


TWO_HALLS = FLAT.changed(
    add=[
        Node("porch", "room"),
        Node("agent", "agent", at="porch"),
    ],
    remove=["agent"],
)
TWO_HALLS = replace(TWO_HALLS, links=(*TWO_HALLS.links, Link("porch", "hall", 5.0)))
"""The robot stands outside of the hall, and sees none of its doors."""


@pytest.mark.parametrize("really", ["shut", "open", "openable"])
def test_a_proof_that_rests_on_a_door_is_given_only_when_it_was_seen(really: str) -> None:
    """By the scene nothing opens the study's door; only in the hall can the robot see whether that is so."""
    states = {
        "shut": {},
        "open": {"state": ("open",)},
        "openable": {"affordances": ("open", "close")},
    }
    truth = ground(TWO_HALLS.changed(change={"door2": states[really]}), PACK)
    request = Request(ground(TWO_HALLS, PACK), goal=parse_goal("(robot_at study)"))
    episode = Episode(request, engine=ENGINE)
    finish = act_in(Environment(truth), episode)
    assert finish is not None and finish.outcome == ("unsolvable" if really == "shut" else "verified")
    assert [str(step) for step in episode.trajectory.executed][:1] == ["goto(hall)"]
    trusting = Episode(request, engine=ENGINE, confirm=False)
    finish = act_in(Environment(truth), trusting)
    assert finish is not None and finish.outcome == "unsolvable" and not trusting.trajectory.executed
