"""What was only given and never seen is looked at before a goal is said to be reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from groundplan import Engine, Request, ground, load_pack, parse_goal
from groundplan.acting import Episode, OptimisticNearest, act_in
from groundplan.simulator.belief import Belief
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.sensing import Environment
from groundplan.simulator.sensing.hiding import unexplored, with_hidden

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


def ended(given: Belief, truth: Belief, goal: str, **options: bool) -> tuple[Episode, bool]:
    """Carry out a goal in a world that is otherwise than given; return whether it holds there at the end."""
    episode = Episode(Request(given, goal=parse_goal(goal)), engine=ENGINE, **options)  # type: ignore[arg-type]
    world = Environment(truth)
    act_in(world, episode)
    return episode, world.judge(episode.goal.formula).reached


STATES = ["(closed fridge)", "(not (open fridge))", "(forall (?f - fridge) (closed ?f))"]
PLACES = ["(ontop_of plate1 table)", "(exists (?p - plate) (ontop_of ?p table))"]


@pytest.mark.parametrize("goal", STATES)
def test_a_door_that_is_otherwise_than_given_is_closed(goal: str) -> None:
    episode, holds = ended(flat([]), flat([], "open"), goal)
    assert episode.finish is not None and episode.finish.outcome == "verified" and holds
    trusting, holds = ended(flat([]), flat([], "open"), goal, confirm=False)
    assert trusting.finish is not None and trusting.finish.outcome == "verified" and not holds


@pytest.mark.parametrize("goal", PLACES)
def test_each_of_two_things_may_be_enough_and_neither_is_taken_on_trust(goal: str) -> None:
    given, truth = flat(["table", "table"]), flat(["shelf", "shelf"])
    episode, holds = ended(given, truth, goal)
    assert episode.finish is not None and episode.finish.outcome == "verified" and holds
    assert [s.name for s in episode.trajectory.executed].count("release") == 1


def test_one_look_is_enough_where_things_are_as_given() -> None:
    as_given = flat(["table", "table"])
    episode, holds = ended(as_given, as_given, PLACES[1])
    assert holds and [str(s) for s in episode.trajectory.executed] == ["goto(office)"]


def test_what_cannot_be_looked_at_is_never_sure() -> None:
    """The fridge cannot be opened, so nobody sees whether the plate is in it."""
    as_given = flat(["fridge"], fixed=True)
    episode, holds = ended(as_given, as_given, "(not (exists (?p - plate) (ontop_of ?p table)))")
    assert episode.finish is not None and holds
    assert episode.finish.outcome == "not-found"
    assert episode.finish.reasons[0] == "it is not sure that the goal holds"
    assert episode.finish.reasons[1].startswith("not looked at: inside_of fridge")
    assert episode.finish.places == ("inside_of fridge",)


def sealed() -> Belief:
    """A cup is in a safe that is shut, and that nothing opens."""
    nodes = [
        Node("hall", "room"),
        Node("office", "room"),
        Node("safe", "asset", parent="hall", affordances=("release",), state=("closed",)),
        Node("cup", "object", parent="safe", relation="inside_of", classes=("cup",), affordances=("pickup",)),
        Node("robot", "agent", at="office"),
    ]
    return ground(Scene("sealed", {n.id: n for n in nodes}, (Link("hall", "office", 2),)), PACK)


@pytest.mark.parametrize("goal", ["(not (exists (?c - cup) (in_room ?c hall)))", "(holding cup)"])
@pytest.mark.parametrize("known", [with_hidden, unexplored])
def test_what_is_shut_for_good_may_hold_what_is_sought(goal: str, known: Callable[..., Belief]) -> None:
    episode, _ = ended(known(sealed(), named=["cup"] if "holding" in goal else []), sealed(), goal)
    assert episode.finish is not None and episode.finish.outcome == "not-found"
    assert "inside_of safe" in episode.finish.places


def cut_off(plate: str) -> Belief:
    """A plate in one of two rooms; no way leads to the cellar."""
    nodes = [
        Node("hall", "room"),
        Node("cellar", "room"),
        Node("door", "asset", parent="hall", classes=("door",), state=("closed",)),
        Node("shelf", "asset", parent="hall", affordances=("release",)),
        Node("rack", "asset", parent="cellar", affordances=("release",)),
        Node("plate1", "object", parent=plate, relation="ontop_of", affordances=("pickup",)),
        Node("robot", "agent", at="hall"),
    ]
    return ground(Scene("cut off", {n.id: n for n in nodes}, (Link("hall", "cellar", 2, door="door"),)), PACK)


def test_a_thing_given_behind_a_shut_door_is_no_proof() -> None:
    episode, _ = ended(cut_off("rack"), cut_off("shelf"), "(ontop_of plate1 shelf)")
    assert episode.finish is not None and episode.finish.outcome == "verified"
    hidden, _ = ended(cut_off("rack"), cut_off("rack"), "(ontop_of plate1 shelf)")
    assert hidden.finish is not None and hidden.finish.outcome == "not-found"
    assert hidden.finish.places == ("cellar",)


def test_what_is_impossible_wherever_a_thing_is_needs_no_look() -> None:
    episode, _ = ended(cut_off("rack"), cut_off("rack"), "(and (ontop_of plate1 shelf) (robot_at cellar))")
    assert episode.finish is not None and episode.finish.outcome == "unsolvable"
    assert not episode.trajectory.executed


def test_the_cheapest_way_through_a_place_does_not_count_where_none_leads() -> None:
    given = with_hidden(cut_off("rack"), named=["plate1"])
    episode = Episode(Request(given, goal=parse_goal("(ontop_of plate1 rack)")), OptimisticNearest(), ENGINE)
    act_in(Environment(cut_off("rack")), episode)
    assert episode.finish is not None and episode.finish.outcome == "not-found"
