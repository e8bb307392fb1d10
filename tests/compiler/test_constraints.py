"""Constraints on a run of the simulator: what counts as a state, steps that are forbidden, barred ways."""

from __future__ import annotations

import pytest

from groundplan import ground, load_pack, load_scene, parse_goal, read_steps, verify_plan
from groundplan.compiler.certificates.constraints import asked_of_end, avoiding, without_constraints
from groundplan.domains.formula import TRUE, TrajectoryConstraint
from groundplan.simulator.belief import Belief

WALK = "goto(pose7)\ngoto(pose5)\ngoto(pose2)\ngoto(meeting_room1)"
MILK = "access(fridge)\nopen(fridge)\naccess(kitchen_bench)\npickup(orange1)"
KITCHEN = "goto(pose13)\ngoto(pose14)\ngoto(pose23)\ngoto(pose24)\ngoto(pose25)\ngoto(kitchen)\n"


@pytest.fixture(scope="module")
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


@pytest.mark.parametrize(
    ("steps", "constraint", "kept"),
    [
        (WALK, "(never (robot_at pose5))", False),
        (WALK, "(never (robot_at kitchen))", True),
        (WALK, "(sometime (robot_at pose5))", True),
        (WALK, "(never (robot_at pose8))", False),  # where the robot is at the start
        (WALK, "(sometime-before (robot_at pose5) (robot_at pose7))", True),
        (WALK, "(sometime-before (robot_at pose7) (robot_at pose5))", False),
        (WALK, "(sometime-after (robot_at pose7) (robot_at meeting_room1))", True),
        (WALK, "(sometime-after (robot_at meeting_room1) (robot_at pose7))", False),
        (WALK, "(at-most-once (robot_at pose5))", True),
        (WALK, "(never (do goto pose7 pose5))", False),
        (WALK, "(never (do goto pose5 pose7))", False),
        (WALK, "(never (do goto ?x meeting_room1))", False),
        (WALK, "(never (do goto kitchen ?x))", True),
        (WALK + "\ngoto(pose2)\ngoto(pose5)", "(at-most-once (robot_at pose5))", False),
        (KITCHEN + MILK, "(never (do open fridge))", False),
        (KITCHEN + MILK, "(never (do open ?x) :when (holding orange1))", True),
        (KITCHEN + MILK, "(never (do pickup ?x) :when (open fridge))", False),
        (KITCHEN + MILK, "(never (do pickup ?x) :when (in_room ?x bathroom1))", True),
        (KITCHEN + MILK, "(never (do pickup ?x) :when (in_room ?x kitchen))", False),
        (KITCHEN + MILK, "(forall (?x - item) (never (holding ?x)))", False),
        (KITCHEN + MILK, "(forall (?x - desk) (never (open ?x)))", True),
        (KITCHEN + MILK, "(at-end (open fridge))", True),
        (KITCHEN + MILK, "(always (imply (holding orange1) (open fridge)))", True),
        (KITCHEN + MILK, "(always (imply (holding orange1) (closed fridge)))", False),
    ],
)
def test_a_run_that_breaks_a_constraint_is_not_verified(
    office: Belief, steps: str, constraint: str, kept: bool
) -> None:
    run = verify_plan(read_steps(steps), office, parse_goal(constraint).formula)
    assert run.executable
    assert run.verified is kept
    assert bool(run.feedback()) is not kept


def test_a_step_to_a_room_passes_what_is_on_its_route() -> None:
    belief = ground(load_scene("office"), load_pack("grasif"))
    steps = read_steps("goto_room(kitchen)") if belief.pack.mapping.room_step == "goto_room" else ()
    if not steps:
        steps = read_steps(f"{belief.pack.mapping.room_step}(kitchen)")
    assert verify_plan(steps, belief, parse_goal("(robot_at kitchen)").formula).verified
    hop = belief.routes.route(belief.start, "kitchen").hops[0]
    assert not verify_plan(steps, belief, parse_goal(f"(never (robot_at {hop}))").formula).verified
    assert verify_plan(steps, belief, parse_goal(f"(sometime (robot_at {hop}))").formula).verified


def test_ways_are_barred_that_no_run_goes(office: Belief) -> None:
    before = office.routes.route("pose8", "meeting_room1").hops
    assert "pose5" in before
    around = avoiding(parse_goal("(never (robot_at pose5))").formula, office)
    assert not around.routes.connected("pose8", "meeting_room1") or (
        "pose5" not in around.routes.route("pose8", "meeting_room1").hops
    )
    cut = avoiding(parse_goal("(never (do goto pose5 pose7))").formula, office)
    assert ("pose7", "pose5") in cut.barred and ("pose5", "pose7") in cut.barred
    kept = parse_goal("(always (imply (holding orange1) (not (robot_at pose5))))").formula
    assert avoiding(kept, office) is office


@pytest.mark.parametrize(
    ("constraint", "forbidden"),
    [
        ("(always (closed fridge))", ["(never (do open fridge))"]),
        ("(always (and (closed fridge) (hand_free)))",
         ["(never (do open fridge))", "(never (do pickup ?0))"]),
        ("(never (or (holding orange1) (turned_on microwave)))",
         ["(never (do pickup orange1))", "(never (do turn_on microwave))"]),
        ("(always (ontop_of orange1 kitchen_bench))", []),  # it could be picked up from inside of something
        ("(never (hot noodles))", []),  # an event makes it so
        ("(always (or (closed fridge) (hand_free)))", []),
        ("(at-most-once (open fridge))", []),
    ],
)  # fmt: skip
def test_steps_are_forbidden_after_which_an_always_is_false(
    office: Belief, constraint: str, forbidden: list[str]
) -> None:
    patterns = avoiding(parse_goal(constraint).formula, office).forbidden
    assert [str(TrajectoryConstraint("never-do", (one, TRUE))) for one in patterns] == forbidden


def test_rooms_of_a_class_are_barred_together(office: Belief) -> None:
    goal = parse_goal("(never (exists (?r - office) (robot_at ?r)))").formula
    offices = set(office.members("office"))
    barred = avoiding(goal, office).barred
    assert offices and all(a in offices or b in offices for a, b in barred)
    assert offices <= {a for a, _ in barred}


def test_what_is_asked_of_the_end(office: Belief) -> None:
    def end(text: str) -> str:
        return str(asked_of_end(parse_goal(text).formula, office))

    assert end("(and (open fridge) (always (hand_free)))") == "(and (open fridge) (hand_free))"
    assert end("(always (open fridge))") == "(or)"  # it is closed at the start
    assert end("(sometime-after (open fridge) (hand_free))") == "(imply (open fridge) (hand_free))"
    assert (
        end("(sometime-before (open fridge) (hand_free))") == "(imply (open fridge) (sometime (hand_free)))"
    )
    assert end("(at-most-once (open fridge))") == "(and)"
    both = parse_goal("(and (open fridge) (forall (?x - desk) (never (open ?x))))").formula
    assert str(without_constraints(both)) == "(open fridge)"
