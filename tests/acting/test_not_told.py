"""Things that nobody told of: goals over all of a class, proofs, and what an end takes for granted."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from groundplan import Engine, Request, ground, load_pack, parse_goal
from groundplan.acting import Episode, LeastExpectedCost, act_in
from groundplan.acting.finish import WAYS
from groundplan.domains.ending import Ending
from groundplan.engines.base import Budget, PddlText, TextEngine, TextResult
from groundplan.robot.trace import SavedTrace, Trace, replay
from groundplan.simulator.belief import Belief
from groundplan.simulator.scene_json import scene_from_json
from groundplan.simulator.sensing import Environment, unexplored, with_hidden

PACK, ENGINE = load_pack(), Engine.named("pyperplan")
FORMAT = {"format": "groundplan-scene", "version": 1}
DOOR = ["open", "close", "release", "contain"]
CUP1, CUP2 = ("cup1", "cup", "shelf", ()), ("cup2", "cup", "locker", ())
SPONGE = ("rag", "sponge", "locker", ())
MUG = ("mug", "mug", "shelf", ("dirty",))


def cellar(
    *things: tuple[str, str, str, Sequence[str]], lamps: int = 1, ways: int = 2, doors: Sequence[str] = DOOR
) -> Belief:
    """A hall, a cellar with a closed locker, and an attic, in a row; things are on or in furniture."""
    rooms = ["hall", "cellar", "attic"]
    nodes: list[dict[str, object]] = [{"id": room, "type": "room"} for room in rooms]
    shelf = {"id": "shelf", "type": "asset", "parent": "hall", "affordances": ["release"]}
    locker = {"id": "locker", "type": "asset", "parent": "cellar", "affordances": doors, "state": ["closed"]}
    nodes += [shelf, locker, {**shelf, "id": "rack", "parent": "attic"}]
    for number in range(lamps):
        place, can = rooms[2 * number], ["turn_on", "turn_off"]
        nodes.append(
            {"id": f"lamp{number}", "type": "asset", "parent": place, "affordances": can, "state": ["on"]}
        )
    for name, kind, place, state in things:
        relation = "inside_of" if place == "locker" else "inside_hand" if place == "robot" else "ontop_of"
        node = {"id": name, "type": "object", "parent": place, "relation": relation, "classes": [kind]}
        nodes.append(node | {"affordances": ["pickup", "release"], "state": list(state)})
    nodes.append({"id": "robot", "type": "agent", "at": "hall"})
    links = [{"a": a, "b": b, "length": 3} for a, b in (("hall", "cellar"), ("cellar", "attic"))]
    return ground(
        scene_from_json({**FORMAT, "name": "cellar", "nodes": nodes, "links": links[:ways]}, "cellar"), PACK
    )


def ended(given: Belief, truth: Belief, goal: str, **options: object) -> tuple[Episode, bool]:
    """Carry out a goal, replay its trace, and return whether the goal holds in the true world."""
    trace, request = Trace(), Request(given, goal=parse_goal(goal))
    episode = Episode(request, engine=ENGINE, recorder=trace, **options)  # type: ignore[arg-type]
    world = Environment(truth)
    finish = act_in(world, episode)
    replayed = replay(SavedTrace(tuple(trace.lines), cut=False), request)
    assert finish is not None and replayed.replays, replayed.reason
    return episode, world.judge(episode.goal.formula).reached


OVER_ALL = [
    "(forall (?c - cup) (in_room ?c attic))",
    "(not (exists (?c - cup) (in_room ?c cellar)))",
    "(at-most 0 (?c - cup) (inside_of ?c locker))",
    "(exactly 2 (?c - cup) (in_room ?c attic))",
]


@pytest.mark.parametrize("goal", OVER_ALL)
def test_what_was_left_out_is_found_before_all_are_said_to_be_so(goal: str) -> None:
    episode, reached = ended(cellar(CUP1), cellar(CUP1, CUP2), goal)
    assert episode.finish is not None and episode.finish.outcome == "verified" and reached
    assert not episode.finish.assumes and "cup2" in {a for s in episode.trajectory.executed for a in s.args}


@pytest.mark.parametrize("goal", OVER_ALL[:3])
def test_a_scene_that_is_taken_for_true_is_taken_for_complete_and_that_is_said(goal: str) -> None:
    episode, reached = ended(cellar(CUP1), cellar(CUP1, CUP2), goal, confirm=False)
    assert episode.finish is not None and episode.finish.outcome == "verified" and not reached
    assert episode.finish.assumes == ("the robot was told of every cup that there is",)
    for sure in ("(in_room cup1 attic)", "(not (exists (?c - cup) (in_room ?c hall)))"):
        told, _ = ended(cellar(CUP1), cellar(CUP1), sure, confirm=False)
        assert told.finish is not None and told.finish.outcome == "verified" and not told.finish.assumes


@pytest.mark.parametrize("goal", ["(robot_at attic)", "(in_room cup1 attic)"])
def test_an_impossible_goal_takes_the_ways_that_were_given_for_all_that_there_are(goal: str) -> None:
    """The world has a way from the cellar on, which the robot would see there."""
    told, _ = ended(cellar(CUP1, ways=1), cellar(CUP1), goal)
    assert told.finish is not None and told.finish.outcome == "unsolvable"
    assert told.finish.assumes == (WAYS,)
    taken, _ = ended(cellar(CUP1, ways=1), cellar(CUP1), goal, confirm=False)
    assert taken.finish is not None and not taken.finish.assumes
    nowhere, _ = ended(cellar(CUP1), cellar(), "(holding cup1)")
    assert nowhere.finish is not None and nowhere.finish.outcome == "unsolvable"
    assert not nowhere.finish.assumes  # every room was in reach


def test_furniture_is_looked_for_in_rooms_and_in_no_locker() -> None:
    goal = "(forall (?l - lamp) (turned_off ?l))"
    episode, reached = ended(cellar(), cellar(lamps=2), goal)
    assert episode.finish is not None and episode.finish.outcome == "verified" and reached
    assert "open(locker)" not in map(str, episode.trajectory.executed)
    hidden, reached = ended(with_hidden(cellar()), cellar(lamps=2), goal, confirm=False)
    assert hidden.finish is not None and not reached
    assert hidden.finish.assumes == ("the robot was told of every lamp that there is",)


def test_a_place_that_cannot_be_looked_at_leaves_it_open() -> None:
    shut = cellar(CUP1, doors=["contain", "release"])
    episode, _ = ended(shut, shut, OVER_ALL[0])
    assert episode.finish is not None and episode.finish.outcome == "not-found"
    assert episode.finish.places == ("inside_of locker",)


def test_a_tool_that_nobody_told_of_is_no_proof() -> None:
    episode, reached = ended(cellar(MUG), cellar(MUG, SPONGE), "(clean mug)")
    assert episode.finish is not None and episode.finish.outcome == "verified" and reached
    without, _ = ended(cellar(MUG), cellar(MUG), "(clean mug)")
    assert without.finish is not None and without.finish.outcome == "unsolvable"
    assert "inside_of locker" in without.finish.places


def test_what_no_tool_brings_about_is_impossible_without_a_look() -> None:
    episode, _ = ended(cellar(MUG, ways=1), cellar(MUG, ways=1), "(robot_at attic)")
    assert episode.finish is not None and episode.finish.outcome == "unsolvable"
    assert not episode.trajectory.executed


def test_a_class_that_nobody_told_of_is_looked_for() -> None:
    goal = "(exists (?c - cup) (in_room ?c hall))"
    episode, reached = ended(cellar(), cellar(CUP2), goal)
    assert episode.finish is not None and episode.finish.outcome == "verified" and reached
    nowhere, _ = ended(cellar(), cellar(MUG), goal)
    assert nowhere.finish is not None and nowhere.finish.outcome == "unsolvable"


@pytest.mark.parametrize(
    "goal", ["(exists (?c - cup) (not (holding ?c)))", "(exists (?s - sponge) (holding ?s))"]
)
def test_who_learns_of_rooms_on_the_way_proves_nothing_from_what_was_not_seen(goal: str) -> None:
    truth = cellar(("cup1", "cup", "attic", ()), ways=1)
    episode, _ = ended(unexplored(truth), truth, goal)
    assert episode.finish is not None and episode.finish.outcome == "not-found"
    assert episode.finish.reasons[-1] == "not looked at: rooms to which nobody has seen a way"


def test_who_learns_of_rooms_on_the_way_says_what_all_of_a_class_rests_on() -> None:
    truth = cellar(CUP1, ("cup2", "cup", "attic", ()), ways=1)
    episode, reached = ended(unexplored(truth), truth, "(forall (?c - cup) (in_room ?c cellar))")
    assert episode.finish is not None and episode.finish.outcome == "verified" and not reached
    assert episode.finish.assumes == ("there are no rooms but those to which the robot has seen a way",)
    episode, reached = ended(unexplored(truth), truth, "(not (exists (?c - cup) (in_room ?c hall)))")
    assert episode.finish is not None and reached and not episode.finish.assumes


def test_a_locker_that_opens_and_does_not_close_is_among_the_places() -> None:
    once = cellar(MUG, doors=["open", "contain", "release"])
    episode, _ = ended(with_hidden(once, named=["mug"]), once, "(heated mug)")
    assert episode.finish is not None and episode.finish.outcome == "unsolvable"
    assert "inside_of locker" in episode.finish.places


def test_an_end_by_the_clock_replays_where_there_is_more_time() -> None:
    episode, _ = ended(cellar(CUP1), cellar(CUP1), "(in_room cup1 attic)", budget=Budget(seconds=1e-6))
    assert episode.finish is not None and episode.finish.outcome == "timed-out"


def test_a_thing_in_the_hand_is_a_place_to_look_at_that_is_on_the_way() -> None:
    """Nobody knows what is in a box that is held and closed; it is where the robot is."""
    box = {"id": "box", "type": "object", "parent": "robot", "relation": "inside_hand", "classes": ["box"]}
    box |= {"affordances": ["pickup", *DOOR], "state": ["closed"]}
    pen = {"id": "pen", "type": "object", "parent": "box", "relation": "inside_of", "affordances": ["pickup"]}
    rooms = [{"id": "hall", "type": "room"}, {"id": "study", "type": "room"}]
    shelf = {"id": "shelf", "type": "asset", "parent": "hall", "affordances": ["release"]}
    nodes = [*rooms, shelf, box, pen, {"id": "robot", "type": "agent", "at": "hall"}]
    links = [{"a": "hall", "b": "study", "length": 3}]
    truth = ground(scene_from_json({**FORMAT, "name": "held", "nodes": nodes, "links": links}, "held"), PACK)
    episode, reached = ended(unexplored(truth, ["pen"]), truth, "(holding pen)", policy=LeastExpectedCost())
    assert episode.finish is not None and episode.finish.outcome == "verified" and reached


class Late(TextEngine):
    """An engine whose time is always over."""

    name, supports_costs = "late", False

    def solve_text(self, text: PddlText, budget: Budget) -> TextResult:
        return TextResult(Ending.TIMED_OUT, reproducible=False, engine=self.name)


def test_an_end_by_the_clock_is_not_called_not_found_where_a_place_stays_shut() -> None:
    given, trace = cellar(CUP1, doors=["release", "contain"]), Trace()
    request = Request(with_hidden(given), goal=parse_goal("(forall (?c - cup) (ontop_of ?c rack))"))
    late = Engine("late", Late())
    episode = Episode(request, engine=late, recorder=trace)
    finish = act_in(Environment(given), episode)
    assert finish is not None and finish.outcome == "timed-out", finish
    assert replay(SavedTrace(tuple(trace.lines), cut=False), request, engine=late).replays
