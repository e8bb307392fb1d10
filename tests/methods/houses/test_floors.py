"""Things on the floor of a room, where other things are seen by looking: whoever is there sees them."""

from __future__ import annotations

import pytest

from groundplan.acting import Episode, act_in
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.planners.request import Request
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.observations import Spot
from groundplan.simulator.sensing import Environment, spots_of, with_hidden

HOME, OFFICE = (ground(load_scene(name), load_pack("grasif-looking")) for name in ("home", "office"))


def acted(truth: Belief, start: Belief, goal: str) -> tuple[str, Episode, Environment]:
    episode = Episode(Request(start, goal=parse_goal(goal)), engine=Engine.named("pyperplan"))
    robot = Environment(truth)
    finish = act_in(robot, episode)
    assert finish is not None
    return finish.outcome, episode, robot


@pytest.mark.parametrize("named", [["suitcase0"], []])
def test_a_thing_on_the_floor_is_found(named: list[str]) -> None:
    assert HOME.scene.room_of("suitcase0") == HOME.scene.nodes["suitcase0"].parent, "it lies on the floor"
    goal = "(in_room suitcase0 bathroom4)" if named else "(exists (?s - suitcase) (in_room ?s bathroom4))"
    outcome, episode, robot = acted(HOME, with_hidden(HOME, named=named), goal)
    assert outcome == "verified" and robot.judge(episode.goal.formula).reached


def test_what_is_in_a_thing_on_the_floor_counts_for_all_of_a_class() -> None:
    """A screwdriver is in a toolbox that stands on the floor of another room."""
    assert OFFICE.scene.nodes["toolbox"].parent == OFFICE.scene.room_of("toolbox")
    outcome, episode, robot = acted(OFFICE, with_hidden(OFFICE), "(forall (?x - tool) (ontop_of ?x table1))")
    assert outcome == "verified" and robot.judge(episode.goal.formula).reached
    assert "screwdriver1" in episode.belief.scene.nodes


def test_a_thing_that_is_gone_from_the_floor_is_missed_by_whoever_is_there() -> None:
    room = HOME.scene.room_of("suitcase0")
    truth = ground(HOME.scene.changed(remove=["suitcase0"]), HOME.pack)
    outcome, episode, _ = acted(truth, HOME, "(holding suitcase0)")
    assert outcome == "unsolvable" and episode.belief.scene.nodes["suitcase0"].parent is None
    assert Spot(room) in episode.belief.looked


def test_a_floor_is_no_spot_beside_its_room() -> None:
    rooms = HOME.scene.by_type["room"]
    for belief in (HOME, with_hidden(HOME)):
        assert [spot for spot in spots_of(belief) if spot.node in rooms] == [Spot(room) for room in rooms]
