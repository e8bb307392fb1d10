"""The pack grasif: each printed action of LookPlanGraph's appendix A.2, done from anywhere in its room."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from groundplan.compiler.goals.goal import parse_goal
from groundplan.domains.errors import PackError
from groundplan.domains.formula import Atom
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.step import read_steps
from groundplan.simulator.verification import Verification, verify_plan
from groundplan.simulator.world import World

PUT = ("release",)
DOOR = ("open", "close", "release")


@cache
def flat() -> Belief:
    """A hall, and a kitchen behind a pose; a box in a shut cupboard holds a coin."""
    nodes = [
        Node("hall", "room"),
        Node("kitchen", "room"),
        Node("pose1", "pose"),
        Node("robot", "agent", at="hall"),
        Node("table", "asset", parent="kitchen", affordances=PUT),
        Node("fridge", "asset", parent="kitchen", affordances=DOOR, state=("open",)),
        Node("cupboard", "asset", parent="kitchen", affordances=DOOR, state=("closed",)),
        Node("lamp", "asset", parent="kitchen", affordances=("turn_on", "turn_off"), state=("off",)),
        Node("wall", "asset", parent="kitchen", affordances=PUT),
        Node("apple", "object", parent="table", relation="ontop_of", affordances=("pickup",)),
        Node("milk", "object", parent="fridge", relation="inside_of", affordances=("pickup",)),
        Node("mat", "object", parent="table", relation="under", affordances=("pickup",)),
        Node("note", "object", parent="wall", relation="attached_to", affordances=("pickup",)),
        Node("box", "object", parent="cupboard", relation="inside_of", affordances=("pickup", *DOOR)),
        Node("coin", "object", parent="box", relation="inside_of", affordances=("pickup",)),
    ]
    scene = Scene("flat", {n.id: n for n in nodes}, (Link("hall", "pose1", 2), Link("pose1", "kitchen", 1)))
    return ground(scene, load_pack("grasif"))


def ran(text: str, goal: str | None = None) -> Verification:
    steps = read_steps("\n".join(text.split()))
    return verify_plan(steps, flat(), parse_goal(goal).formula if goal else None)


@pytest.mark.parametrize(
    ("steps", "goal"),
    [
        ("go_to(kitchen)", "(robot_at kitchen)"),
        ("go_to(kitchen) pick_up(apple)", "(holding apple)"),
        ("go_to(kitchen) pick_up(milk)", "(holding milk)"),
        ("go_to(kitchen) pick_up(mat)", "(holding mat)"),
        ("go_to(kitchen) pick_up(note)", "(holding note)"),
        ("go_to(kitchen) pick_up(milk) put_on(table)", "(ontop_of milk table)"),
        ("go_to(kitchen) pick_up(apple) put_on(fridge)", "(and (ontop_of apple fridge) (open fridge))"),
        ("go_to(kitchen) pick_up(apple) put_on(cupboard)", "(ontop_of apple cupboard)"),
        ("go_to(kitchen) pick_up(apple) put_inside(fridge)", "(inside_of apple fridge)"),
        ("go_to(kitchen) pick_up(apple) put_under(table)", "(under apple table)"),
        ("go_to(kitchen) pick_up(apple) attach(wall)", "(attached_to apple wall)"),
        ("go_to(kitchen) turn_on(lamp)", "(turned_on lamp)"),
        (
            "go_to(kitchen) turn_on(lamp) turn_off(lamp)",
            "(and (turned_off lamp) (sometime (turned_on lamp)))",
        ),
        ("go_to(kitchen) open(cupboard)", "(open cupboard)"),
        ("go_to(kitchen) close(fridge)", "(closed fridge)"),
        ("go_to(kitchen) open(cupboard) open(box) pick_up(coin)", "(holding coin)"),
        ("go_to(kitchen) open(cupboard) open(box) pick_up(coin) put_on(box)", "(ontop_of coin box)"),
        ("go_to(kitchen) open(cupboard) open(box) pick_up(coin) go_to(hall)", "(in_room coin hall)"),
    ],
)
def test_each_action_does_what_it_says(steps: str, goal: str) -> None:
    result = ran(steps, goal)
    assert result.verified, result.feedback()
    assert not ran("", goal).verified


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ("pick_up(apple)", "step 1, pick_up(apple): cannot pick up apple: the robot is not at table"),
        ("go_to(table)", "step 1, go_to(table): cannot go to table: it is no room"),
        ("go_to(attic)", "step 1, go_to(attic): there is no attic"),
        ("go_to(kitchen) put_on(table)", "cannot put"),
        ("go_to(kitchen) open(fridge)", "cannot open fridge: fridge is not closed"),
        ("go_to(kitchen) open(box)", "cannot access box: cupboard is closed"),
        ("go_to(kitchen) open(cupboard) pick_up(coin)", "cannot pick up coin: box is closed"),
        (
            "go_to(kitchen) pick_up(apple) put_inside(cupboard)",
            "cannot put apple inside cupboard: cupboard is",
        ),
        ("go_to(kitchen) pick_up(apple) put_inside(table)", "table holds nothing inside"),
        ("go_to(kitchen) pick_up(apple) put_on(lamp)", "nothing can be put in or on lamp"),
        ("go_to(kitchen) pick_up(apple) pick_up(milk)", "cannot pick up milk: the hand is full"),
        ("go_to(kitchen) attach(wall)", "cannot attach"),
        ("go_to(kitchen) pickup(apple)", "there is no step pickup(apple); did you mean 'pick_up'?"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_reason(steps: str, why: str) -> None:
    feedback = " ".join(ran(steps).feedback())
    assert why in feedback, feedback


def test_a_refused_step_changes_nothing() -> None:
    world = World(flat())
    for step in read_steps("go_to(kitchen)\npick_up(apple)"):
        world.apply(step)
    before = sorted(map(str, world.state.facts))
    for refused in read_steps("put_inside(cupboard)\nopen(box)\npick_up(coin)\nput_on(lamp)"):
        world.apply(refused)
    assert sorted(map(str, world.state.facts)) == before


def test_a_drive_to_a_room_is_as_long_as_its_shortest_route() -> None:
    assert ran("go_to(kitchen)").length_mm == 3000
    assert ran("go_to(kitchen) go_to(kitchen) go_to(hall)").length_mm == 6000


@pytest.mark.parametrize(
    ("goal", "step"),
    [
        ("(ontop_of apple fridge)", "put_on(fridge)"),
        ("(under milk table)", "put_under(table)"),
        ("(attached_to milk wall)", "attach(wall)"),
        ("(inside_of note fridge)", "put_inside(fridge)"),
        ("(ontop_of coin table)", "pick_up(coin)"),
    ],
)
def test_plans_are_printed_in_these_actions(goal: str, step: str) -> None:
    found = plan_goal(parse_goal(goal), flat(), Engine.named("pyperplan"))
    assert found.verified
    printed = [str(s) for s in found.steps]
    assert step in printed
    short = [s for s in found.steps if s.name not in ("goto", "access")]
    rooms = read_steps("go_to(kitchen)")
    assert verify_plan((*rooms, *short), flat(), parse_goal(goal).formula).verified


def test_the_household_still_needs_access() -> None:
    household = ground(flat().scene, load_pack())
    result = verify_plan(read_steps("goto(pose1)\ngoto(kitchen)\npickup(apple)"), household)
    assert not result.executable
    assert result.violations[0].unmet == (Atom("stands_at", ("table",)),)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('room_step = "open"', "a name that no other step has"),
        ('room_step = "goto"', "a name that no other step has"),
        ('room_step = "go to"', "a name that no other step has"),
        ("room_step = true", "a string"),
        ('implied_access = "yes"', "true or false"),
        ("rooms = true", "room_step or implied_access"),
    ],
)
def test_a_table_of_driving_that_does_not_fit_is_refused(tmp_path: Path, line: str, message: str) -> None:
    mapping = 'format = "groundplan-pack"\nversion = 1\nextends = "household"\n[driving]\n'
    (tmp_path / "domain.pddl").write_text("(define (domain d))", encoding="utf-8")
    (tmp_path / "mapping.toml").write_text(mapping + line, encoding="utf-8")
    with pytest.raises(PackError, match=message):
        load_pack(str(tmp_path))
