"""The pack ``search``: what has to be looked at, and that looking is a part of plans."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from groundplan.acting import Episode, act_in
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.planners.classical import plan_goal
from groundplan.planners.request import Request
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.observations import Spot
from groundplan.simulator.scene_json import scene_from_json
from groundplan.simulator.sensing import Environment, spots_of, unexplored, with_hidden
from groundplan.simulator.step import read_steps

OFFICE = ground(load_scene("office"), load_pack("search"))
ENGINE = Engine.named("pyperplan")


def seen_after(steps: str) -> set[str]:
    environment = Environment(OFFICE)
    for step in read_steps(steps):
        outcome = environment.act(step)
        assert outcome.done, f"{step}: {outcome.message}"
    return {node.id for node in environment.look().nodes}


DRIVE = "\n".join(f"goto({hop})" for hop in OFFICE.routes.route("pose8", "kitchen").hops)


@pytest.mark.parametrize(
    ("steps", "shows", "hides"),
    [
        ("", {"kitchen"}, {"fridge", "kitchen_bench", "bread"}),
        ("\nlook_around(kitchen)", {"fridge", "kitchen_bench"}, {"bread", "banana2"}),
        ("\naccess(kitchen_bench)", {"kitchen_bench"}, {"fridge", "bread"}),
        ("\naccess(kitchen_bench)\nlook_on(kitchen_bench)", {"bread", "kitchen_bench"}, {"fridge"}),
        ("\naccess(fridge)\nopen(fridge)", {"fridge"}, {"banana2", "bread"}),
        ("\naccess(fridge)\nopen(fridge)\nlook_inside(fridge)", {"banana2"}, {"bread"}),
        ("\naccess(fridge)\nopen(fridge)\nlook_inside(fridge)\nclose(fridge)", {"fridge"}, {"banana2"}),
    ],
)
def test_what_is_seen_after_which_looks(steps: str, shows: set[str], hides: set[str]) -> None:
    seen = seen_after(DRIVE + steps)
    assert shows <= seen and not hides & seen


def test_nobody_looks_inside_what_is_closed() -> None:
    environment = Environment(OFFICE)
    for step in read_steps(DRIVE + "\naccess(fridge)"):
        environment.act(step)
    outcome = environment.act(*read_steps("look_inside(fridge)"))
    assert not outcome.done and "fridge is closed" in outcome.message


def test_a_plan_to_see_a_thing_looks_and_opens() -> None:
    result = plan_goal(parse_goal("(seen banana2)"), OFFICE, ENGINE)
    assert result.verified and [str(s) for s in result.steps[-2:]] == ["open(fridge)", "look_inside(fridge)"]


@pytest.mark.parametrize("goal", ["(exists (?b - banana) (seen ?b))", "(inside_of orange1 fridge)"])
def test_hidden_things_are_found_by_looks(goal: str) -> None:
    belief = with_hidden(OFFICE, named=["orange1"])
    episode = Episode(Request(belief, goal=parse_goal(goal)), engine=ENGINE)
    environment = Environment(OFFICE)
    finish = act_in(environment, episode)
    assert finish is not None and finish.outcome == "verified"
    assert environment.judge(episode.goal.formula).reached
    assert (
        sum(step.name.startswith("look_") for step in episode.trajectory.executed)
        >= len(episode.trajectory.looks)
        > 0
    )


def test_spots_are_what_a_look_shows() -> None:
    listed = set(spots_of(OFFICE))
    assert {Spot("kitchen"), Spot("fridge", "inside_of"), Spot("desk1", "ontop_of")} <= listed
    household: Belief = ground(OFFICE.scene, load_pack())
    assert Spot("desk1", "ontop_of") not in set(spots_of(household)), "there it is seen in passing"


def studio(*, looks: str = "search") -> Belief:
    """A robot beside a stand that nothing shuts, with a jar in it, a bare bench, and a drawer with a jar."""
    thing = {"type": "object", "relation": "inside_of", "classes": ["jar"], "affordances": ["pickup"]}
    fixed = {"type": "asset", "parent": "studio", "affordances": ["release"]}
    nodes = [
        {"id": "studio", "type": "room"},
        {**fixed, "id": "stand"},
        {**fixed, "id": "bench"},
        {**fixed, "id": "drawer", "affordances": ["open", "close"], "state": ["open"]},
        {**thing, "id": "jar1", "parent": "stand"},
        {**thing, "id": "jar2", "parent": "drawer"},
        {"id": "robot", "type": "agent", "at": "studio"},
    ]
    scene = {"format": "groundplan-scene", "version": 1, "name": "studio", "nodes": nodes, "links": []}
    return ground(scene_from_json(scene, "studio"), load_pack(looks))


@pytest.mark.parametrize("known", [unexplored, with_hidden])
def test_furniture_that_nothing_shuts_is_looked_into(known: Callable[..., Belief]) -> None:
    """It is a place for things also after the robot has seen it from outside."""
    truth = studio()
    goal = parse_goal("(forall (?j - jar) (ontop_of ?j bench))")
    episode = Episode(Request(known(truth, named=["bench"]), goal=goal), engine=ENGINE, confirm=False)
    environment = Environment(truth)
    finish = act_in(environment, episode)
    assert finish is not None and finish.outcome == "verified"
    assert environment.judge(goal.formula).reached
    assert Spot("stand", "inside_of") in episode.trajectory.looks


def test_what_holds_things_out_of_sight_is_seen_to_do_so_where_its_own_words_do_not_say_it() -> None:
    environment = Environment(studio())
    environment.act(read_steps("look_around(studio)")[0])
    can = {node.id: node.affordances for node in environment.look().nodes}
    assert (can["stand"], can["bench"]) == (("release", "contain"), ("release",))
    assert can["drawer"] == ("open", "close")
    bare = {node.id: node.affordances for node in Environment(studio(looks="household")).look().nodes}
    assert bare["stand"] == ("release",) and "jar1" in bare
