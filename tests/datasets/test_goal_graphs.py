"""Goals from pairs of graphs: what changed, and the whole graph with its side effects."""

from __future__ import annotations

from dataclasses import replace

import pytest
from draws import draws
from hypothesis import given
from hypothesis import strategies as st
from strategies import beliefs, walked

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import Goal
from groundplan.datasets.grasif.goal_graphs import goal_of_pair, wrong_nodes
from groundplan.datasets.scenes import load_scene
from groundplan.domains.errors import SceneError
from groundplan.domains.evaluate import evaluate
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Node, Scene
from groundplan.simulator.sensing.snapshot import scene_now
from groundplan.simulator.step import read_step
from groundplan.simulator.world import Refusal, World, visible


def flat() -> Scene:
    nodes = [
        Node("kitchen", "room"),
        Node("fridge", "asset", "kitchen", classes=("fridge",), affordances=("open", "close", "release")),
        Node("oven", "asset", "kitchen", affordances=("open", "close", "turn_on", "turn_off")),
        Node("table", "asset", "kitchen", affordances=("release",)),
        Node("apple", "object", "table", "ontop_of", affordances=("pickup",)),
        Node("cup", "object", "table", "ontop_of", affordances=("pickup",), state=("dirty",)),
        Node("robot", "agent", "kitchen", at="kitchen"),
    ]
    return Scene("flat", {n.id: n for n in nodes})


def belief() -> Belief:
    return ground(flat(), load_pack())


def after(*steps: str) -> World:
    world = World(belief())
    for step in steps:
        assert not isinstance(world.apply(read_step(step, "test")), Refusal), step
    return world


REFRIGERATE = (
    "access(table)", "pickup(apple)", "access(fridge)", "open(fridge)", "release(apple)", "close(fridge)"
)  # fmt: skip


def test_changed_nodes_leave_the_rest_free() -> None:
    goal = goal_of_pair(belief(), scene_now(after(*REFRIGERATE)))
    assert str(goal) == "(and (inside_of apple fridge) (cold apple))"


def test_the_whole_graph_wants_side_effects_undone() -> None:
    target = scene_now(after(*REFRIGERATE))
    whole = goal_of_pair(belief(), target, "whole")
    careless = after(*REFRIGERATE, "access(oven)", "open(oven)")
    assert evaluate(goal_of_pair(belief(), target), careless)
    assert not evaluate(whole, careless)
    assert wrong_nodes(careless, ground(target, load_pack())) == ("oven",)
    assert evaluate(whole, after(*REFRIGERATE))
    assert wrong_nodes(after(*REFRIGERATE), ground(target, load_pack())) == ()


def test_what_is_cleaned_and_what_is_taken_away() -> None:
    initial = flat()
    cleaned = initial.changed(change={"cup": {"state": ("clean",)}})
    assert str(goal_of_pair(belief(), cleaned)) == "(clean cup)"
    silent = initial.changed(change={"cup": {"state": ()}})
    assert str(goal_of_pair(belief(), silent)) == "(clean cup)"
    held = initial.changed(change={"cup": {"parent": "robot", "relation": "inside_hand"}})
    assert str(goal_of_pair(belief(), held)) == "(holding cup)"


def test_the_place_of_the_robot_is_not_asked_for() -> None:
    two = flat().changed(add=[Node("hall", "room")], change={"robot": {"parent": "hall", "at": "hall"}})
    initial = ground(flat().changed(add=[Node("hall", "room")]), load_pack())
    assert str(goal_of_pair(initial, two)) == "(and)"


def test_graphs_that_no_plan_could_join_are_refused() -> None:
    with pytest.raises(SceneError, match="make and destroy nothing"):
        goal_of_pair(belief(), flat().changed(remove=["cup"]))
    with pytest.raises(SceneError, match="initial graph: expected the node plum"):
        goal_of_pair(belief(), flat().changed(add=[Node("plum", "object", "table", "ontop_of")]), "whole")
    moved = flat().changed(add=[Node("hall", "room")], change={"oven": {"parent": "hall"}})
    with pytest.raises(SceneError, match="a fixed place"):
        goal_of_pair(ground(flat().changed(add=[Node("hall", "room")]), load_pack()), moved)
    other = replace(flat().nodes["cup"], type="asset", relation="in")
    with pytest.raises(SceneError, match="type object"):
        goal_of_pair(belief(), Scene("flat", {**flat().nodes, "cup": other}))


@pytest.mark.parametrize("form", ["changed", "whole"])
def test_goals_of_pairs_are_planned_for_on_a_whole_building(form: str) -> None:
    office = ground(load_scene("office"), load_pack())
    world = World(office)
    wanted = plan_goal(
        Goal.of(goal_of_pair(office, _refrigerated(office))), office, Engine.named("pyperplan"), Budget(30.0)
    )
    assert wanted.verified
    for step in wanted.steps:
        world.apply(step)
    target = scene_now(world)
    goal = Goal.of(goal_of_pair(office, target, form))  # type: ignore[arg-type]
    assert check(goal, office).ok
    planned = plan_goal(goal, office, Engine.named("pyperplan"), Budget(60.0))
    assert planned.verified, planned.reasons
    final = World(office)
    for step in planned.steps:
        final.apply(step)
    if form == "whole":
        assert wrong_nodes(final, ground(target, office.pack)) == ()


def _refrigerated(office: Belief) -> Scene:
    return office.scene.changed(change={"orange1": {"parent": "fridge", "relation": "inside_of"}})


@draws(60)
@given(st.data(), st.sampled_from(["changed", "whole"]))
def test_the_state_that_a_graph_was_made_of_satisfies_its_goal(data: st.DataObject, form: str) -> None:
    """A graph of any reachable state reads back as that state, and its goals hold there."""
    world = data.draw(walked(data.draw(beliefs())))
    target = scene_now(world)
    again = ground(target, world.pack)
    assert list(visible(again)) == list(visible(world.belief, world.state.facts))
    goal = goal_of_pair(world.belief, target, form)  # type: ignore[arg-type]
    assert evaluate(goal, world), str(goal)
    assert wrong_nodes(world, again) == ()
