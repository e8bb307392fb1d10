"""Results of planning where not everything was seen: nothing is impossible, and less is sure."""

from __future__ import annotations

import pytest

from groundplan import Engine, Request, find_task, ground, load_pack, load_scene, parse_goal, run
from groundplan.acting.acting import NOT_ALL_SEEN
from groundplan.simulator.sensing import with_hidden

OFFICE = ground(load_scene("office"), load_pack())
ENGINE = Engine.named("pyperplan")


@pytest.mark.parametrize(
    ("goal", "closed", "open_"),
    [
        ("(clean shelf)", "verified", "not-found"),  # what wipes was not seen
        ("(not (exists (?b - object) (inside_of ?b fridge)))", "verified", "rejected"),
        ("(closed cabinet5)", "verified", "verified"),
        ("(and (open fridge) (closed fridge))", "goal-error", "goal-error"),
    ],
)
def test_a_belief_that_is_open_proves_less(goal: str, closed: str, open_: str) -> None:
    belief = ground(find_task("grasif-office-07").load(), load_pack())
    for known, outcome in ((belief, closed), (with_hidden(belief), open_)):
        record = run(Request(known, goal=parse_goal(goal)), ENGINE)
        assert record.outcome == outcome, (record.reasons, known.unseen)
        if outcome != closed:
            assert NOT_ALL_SEEN in record.reasons


def test_what_is_not_seen_is_looked_for_in_a_world_whatever_the_goal_says_of_it() -> None:
    task = find_task("grasif-hidden-07")
    truth = ground(task.load(), load_pack())
    for goal in (task.gold.goal, "(exists (?a - apple) (holding ?a))"):
        request = Request(with_hidden(truth), goal=parse_goal(goal), world=truth)
        record = run(request, ENGINE)
        assert record.outcome == "verified" and record.trajectory.looks, record.reasons
    nowhere = Request(
        with_hidden(truth), goal=parse_goal("(exists (?a - unicorn) (holding ?a))"), world=truth
    )
    record = run(nowhere, ENGINE)
    assert record.outcome == "unsolvable" and record.trajectory.exhausted and not record.verified
