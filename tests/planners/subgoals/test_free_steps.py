"""Single errands go no further than they must, also where an engine knows no costs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Link, Node, Scene


@pytest.fixture(scope="module")
def flat() -> Belief:
    """Three rooms in a row; the robot is in the first, a microwave and a pear in the next."""
    nodes = [
        Node("hall", "room"),
        Node("kitchen", "room"),
        Node("office", "room"),
        Node("table", "asset", parent="kitchen", affordances=("release",)),
        Node("shelf", "asset", parent="office", affordances=("release",)),
        Node("microwave", "asset", parent="kitchen", affordances=("turn_on", "turn_off"), state=("off",)),
        Node("pear", "object", parent="table", relation="ontop_of", affordances=("pickup",)),
        *(
            Node(f"apple{n}", "object", parent="shelf", relation="ontop_of", affordances=("pickup",))
            for n in range(3)
        ),
        Node("robot", "agent", at="hall"),
    ]
    links = (Link("hall", "kitchen", 10.0), Link("kitchen", "office", 10.0))
    return ground(Scene("flat", {n.id: n for n in nodes}, links), load_pack())


@pytest.mark.parametrize(
    ("goal", "metres"),
    [
        ("(and (not (robot_at microwave)) (turned_on microwave))", 10.1),
        ("(and (turned_on microwave) (not (robot_at kitchen)))", 20.1),
        ("(not (hand_free))", 10.1),
        ("(imply (hand_free) (ontop_of apple0 table))", 10.1),
        ("(exists (?v - object) (holding ?v))", 10.1),
        ("(and (sometime (robot_at office)) (sometime (robot_at kitchen)) (sometime (robot_at hall)))", 20.0),
    ],
)
def test_the_cheapest_way_is_taken(flat: Belief, goal: str, metres: float) -> None:
    result = plan_goal(parse_goal(goal), flat, Engine.named("pyperplan"))
    assert result.verified and result.cost_mm == round(1000 * metres)


def test_rooms_to_be_seen_are_a_round_trip(flat: Belief) -> None:
    """None of them has to be the last one, also where standing at furniture counts as well."""
    nodes = dict(flat.scene.nodes)
    del nodes["robot"]
    nodes["robot"] = Node("robot", "agent", at="kitchen")
    links = (Link("hall", "kitchen", 1.0), Link("kitchen", "office", 10.0))
    belief = ground(Scene("flat", nodes, links), load_pack())
    goal = "(forall (?r - room) (sometime (robot_at ?r)))"
    result = plan_goal(parse_goal(goal), belief, Engine.named("pyperplan"))
    assert result.verified and result.cost_mm == 12_000


def test_a_full_hand_takes_what_is_nearest_in_the_office() -> None:
    office = ground(load_scene("office"), load_pack())
    result = plan_goal(parse_goal("(not (hand_free))"), office, Engine.named("pyperplan"))
    assert result.verified and result.cost_mm == 3100


@pytest.mark.parametrize("engine", ["pyperplan", "fast-downward"])
@pytest.mark.parametrize(
    "goal",
    [
        "(and (turned_on coffee_machine) (open fridge))",
        "(and (turned_on coffee_machine) (open fridge) (closed dishwasher))",
        "(and (turned_on coffee_machine) (open fridge) (not (robot_at fridge)))",
        "(and (turned_on coffee_machine) (open fridge) (in_room orange1 kitchen))",
    ],
)
def test_what_is_held_stays_held_where_nothing_takes_a_hand(goal: str, engine: str) -> None:
    office = load_scene("office")
    held = replace(office.nodes["orange1"], parent="agent", relation="inside_hand", position=None)
    agent = replace(office.agent, at="kitchen_bench")
    belief = ground(replace(office, nodes={**office.nodes, "orange1": held, "agent": agent}), load_pack())
    result = plan_goal(parse_goal(goal), belief, Engine.named(engine))
    assert result.verified
    named = [action.name for action in result.plan or () if action.name != "goto" and not action.event]
    assert sorted(named) == ["open", "turn_on"]
