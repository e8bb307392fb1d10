"""What was only given and never seen is looked at before a goal is said to be reached."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from groundplan import Engine, Request, ground, load_pack, parse_goal
from groundplan.planners.online import Execution, act_in
from groundplan.simulator.belief import Belief
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.sensing import Environment

ENGINE, PACK = Engine.named("pyperplan"), load_pack()
DOOR = ("open", "close", "release")


def flat(plates: Sequence[str], fridge: str = "closed", fixed: bool = False) -> Belief:
    """Two rooms; each plate is on the furniture given, and the fridge of the office may not open."""
    doors = ("release",) if fixed else DOOR
    nodes = [
        Node("hall", "room"),
        Node("office", "room"),
        Node("shelf", "asset", parent="hall", affordances=("release",)),
        Node("table", "asset", parent="office", affordances=("release",)),
        Node("fridge", "asset", parent="office", affordances=doors, state=(fridge,), classes=("fridge",)),
        Node("robot", "agent", at="hall"),
    ]
    for number, place in enumerate(plates, 1):
        relation = "inside_of" if place == "fridge" else "ontop_of"
        nodes.append(
            Node(
                f"plate{number}",
                "object",
                parent=place,
                relation=relation,
                affordances=("pickup",),
                classes=("plate",),
            )
        )
    return ground(Scene("flat", {n.id: n for n in nodes}, (Link("hall", "office", 3),)), PACK)


def ended(given: Belief, truth: Belief, goal: str, **options: bool) -> tuple[Execution, bool]:
    """Carry out a goal in a world that is otherwise than given; return whether it holds there at the end."""
    execution = Execution(Request(given, goal=parse_goal(goal)), engine=ENGINE, **options)  # type: ignore[arg-type]
    world = Environment(truth)
    act_in(world, execution)
    return execution, world.judge(execution.goal.formula).reached


STATES = ["(closed fridge)", "(not (open fridge))", "(forall (?f - fridge) (closed ?f))"]
PLACES = ["(ontop_of plate1 table)", "(exists (?p - plate) (ontop_of ?p table))"]


@pytest.mark.parametrize("goal", STATES)
def test_a_door_that_is_otherwise_than_given_is_closed(goal: str) -> None:
    execution, holds = ended(flat([]), flat([], "open"), goal)
    assert execution.finish is not None and execution.finish.outcome == "verified" and holds
    trusting, holds = ended(flat([]), flat([], "open"), goal, confirm=False)
    assert trusting.finish is not None and trusting.finish.outcome == "verified" and not holds


@pytest.mark.parametrize("goal", PLACES)
def test_each_of_two_things_may_be_enough_and_neither_is_taken_on_trust(goal: str) -> None:
    given, truth = flat(["table", "table"]), flat(["shelf", "shelf"])
    execution, holds = ended(given, truth, goal)
    assert execution.finish is not None and execution.finish.outcome == "verified" and holds
    assert [s.name for s in execution.executed].count("release") == 1


def test_one_look_is_enough_where_things_are_as_given() -> None:
    as_given = flat(["table", "table"])
    execution, holds = ended(as_given, as_given, PLACES[1])
    assert holds and [str(s) for s in execution.executed] == ["goto(office)"]


def test_what_cannot_be_looked_at_is_never_sure() -> None:
    """The fridge cannot be opened, so nobody sees whether the plate is in it."""
    as_given = flat(["fridge"], fixed=True)
    execution, holds = ended(as_given, as_given, "(not (exists (?p - plate) (ontop_of ?p table)))")
    assert execution.finish is not None and holds
    assert execution.finish.outcome == "not-found"
    assert execution.finish.reasons[0] == "it is not sure that the goal holds"
    assert execution.finish.reasons[1].startswith("not looked at: inside_of fridge")
    assert execution.finish.places == ("inside_of fridge",)
