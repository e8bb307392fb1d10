"""Plans carried out with lenience: which steps are mended, by what, and which are left out."""

from __future__ import annotations

import pytest

from groundplan import ground, load_pack, load_scene, parse_goal, read_steps
from groundplan.evaluation.carrying_out import carry_out_leniently, enabling_steps
from groundplan.simulator.belief import Belief
from groundplan.simulator.step import read_step
from groundplan.simulator.world import World

TO_KITCHEN = "goto(pose13) goto(pose14) goto(pose23) goto(pose24) goto(pose25) goto(kitchen)"


@pytest.fixture(scope="module")
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


def steps(text: str):
    return read_steps(text.replace(") ", ")\n"))


def world_after(belief: Belief, text: str) -> World:
    world = World(belief)
    for step in steps(text) if text else ():
        effect = world.apply(step)
        assert not hasattr(effect, "message"), (step, effect)
    return world


@pytest.mark.parametrize(
    ("before", "step", "inserted"),
    [
        (TO_KITCHEN, "pickup(orange1)", "access(kitchen_bench)"),
        ("", "goto(kitchen)", TO_KITCHEN.removesuffix(" goto(kitchen)")),
        ("", "access(fridge)", TO_KITCHEN),
        ("", "open(fridge)", f"{TO_KITCHEN} access(fridge)"),
        (f"{TO_KITCHEN} access(fridge)", "pickup(salmon_bagel)", "open(fridge)"),
        (TO_KITCHEN, "pickup(salmon_bagel)", "access(fridge) open(fridge)"),
        (f"{TO_KITCHEN} access(microwave) open(microwave)", "turn_on(microwave)", "close(microwave)"),
    ],
)
def test_the_cheapest_steps_that_make_a_step_possible(
    office: Belief, before: str, step: str, inserted: str
) -> None:
    world = world_after(office, before)
    found = enabling_steps(read_step(step, "test"), world)
    assert found == steps(inserted)
    for one in (*found, read_step(step, "test")):
        assert not hasattr(world.apply(one), "message"), one


@pytest.mark.parametrize(
    ("before", "step"),
    [
        ("", "pickup(unicorn)"),
        ("", "pickup(fridge)"),
        ("", "open(kitchen_bench)"),
        (f"{TO_KITCHEN} access(kitchen_bench) pickup(orange1)", "pickup(apple3)"),
        ("", "fly(kitchen)"),
        (f"{TO_KITCHEN} access(kitchen_bench)", "release(orange1)"),
        (f"{TO_KITCHEN} access(microwave) turn_on(microwave)", "open(microwave)"),
    ],
)
def test_nothing_is_inserted_for_what_moves_and_doors_do_not_make_possible(
    office: Belief, before: str, step: str
) -> None:
    """A full hand is not emptied, no state is switched, and what does not exist is not made."""
    assert enabling_steps(read_step(step, "test"), world_after(office, before)) is None


def test_a_plan_without_its_moves_reaches_the_goal_only_when_they_are_inserted(office: Belief) -> None:
    goal = parse_goal("(and (inside_of orange1 fridge) (closed fridge))").formula
    plan = steps("pickup(orange1) access(fridge) open(fridge) release(orange1) close(fridge)")
    mended = carry_out_leniently(plan, office, goal)
    assert (mended.goal_value, mended.inserted, mended.skipped) == (True, 7, 0)
    skipping = carry_out_leniently(plan, office, goal, insert=False)
    assert (skipping.goal_value, skipping.inserted, skipping.skipped) == (False, 0, 5)


def test_a_superfluous_step_that_cannot_be_done_is_left_out(office: Belief) -> None:
    goal = parse_goal("(closed cabinet5)").formula
    plan = steps("pickup(unicorn) goto(pose13) goto(jasons_office) access(cabinet5) close(cabinet5)")
    for insert in (True, False):
        run = carry_out_leniently(plan, office, goal, insert)
        assert (run.goal_value, run.inserted, run.skipped) == (True, 0, 1)


def test_what_comes_after_done_is_not_carried_out(office: Belief) -> None:
    goal = parse_goal("(robot_at pose13)").formula
    assert not carry_out_leniently(steps("done() goto(pose13)"), office, goal).goal_value
    assert carry_out_leniently(steps("goto(pose13) done()"), office, goal).goal_value


def test_a_held_thing_is_put_on_something_in_the_room(office: Belief) -> None:
    """The asset that a release means is not known: the first one that takes the thing is accessed."""
    world = world_after(
        office, f"{TO_KITCHEN} access(kitchen_bench) pickup(orange1) goto(pose25) goto(kitchen)"
    )
    found = enabling_steps(read_step("release(orange1)", "test"), world)
    assert found is not None and len(found) == 1 and found[0].name == "access"


def test_conditions_at_some_time_are_watched(office: Belief) -> None:
    goal = parse_goal("(and (sometime (turned_off coffee_machine)) (turned_on coffee_machine))").formula
    plan = steps("turn_off(coffee_machine) turn_on(coffee_machine)")
    assert carry_out_leniently(plan, office, goal).goal_value
    assert not carry_out_leniently(plan[:1], office, goal).goal_value
