"""Acting step by step: failures, movers, hidden things, logs; only the environment has the truth."""

from __future__ import annotations

import gc
import json
import random
from collections.abc import Iterable, Iterator

import pytest

from groundplan.acting import (
    Episode,
    Finish,
    LookedAgain,
    LookOption,
    NearestUnlooked,
    OptimisticNearest,
    Policy,
    Situation,
    act_in,
    log_from_json,
    log_to_json,
)
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.errors import GoalError, InputError
from groundplan.domains.formula import names
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.planners.request import Request
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.observations import Observations, Spot, StepOutcome
from groundplan.simulator.scene_json import scene_from_json
from groundplan.simulator.sensing import Environment, Move, unexplored, with_hidden
from groundplan.simulator.step import Step
from groundplan.simulator.verification import verify_plan

PACK = load_pack()
SCENE = load_scene("office")
OFFICE = ground(SCENE, PACK)
ENGINE = Engine.named("pyperplan")


def episode_for(belief: Belief, goal: str, policy: Policy | None = None, still: bool = True) -> Episode:
    return Episode(Request(belief, goal=parse_goal(goal)), policy, ENGINE, still=still)


def ended(episode: Episode, environment: Environment) -> Finish:
    finish = act_in(environment, episode)
    assert finish is not None and finish is episode.finish
    assert episode.trajectory.executed_mm == environment.moved_mm
    reached = environment.judge(episode.goal.formula).reached
    assert (finish.outcome == "verified") <= reached, "success is never said falsely"
    return finish


def test_a_world_as_believed_is_acted_in_by_the_plan() -> None:
    episode = episode_for(OFFICE, "(inside_of orange1 fridge)")
    assert ended(episode, Environment(OFFICE)).outcome == "verified"
    assert tuple(episode.trajectory.executed) == episode.tries.planning.steps and not episode.trajectory.looks


def test_the_same_step_is_given_until_its_outcome_is_reported() -> None:
    episode = episode_for(OFFICE, "(holding banana2)")
    step = episode.next()
    assert step is not None and episode.next() is step
    episode.report(Environment(OFFICE).act(step))
    assert episode.next() is not step


@pytest.mark.parametrize("policy", [NearestUnlooked(), OptimisticNearest()])
@pytest.mark.parametrize(
    "goal",
    [
        "(inside_of orange1 fridge)",
        "(exists (?b - banana) (holding ?b))",
        "(forall (?b - banana) (inside_of ?b fridge))",
        "(exactly 1 (?a - apple) (in_room ?a kitchen))",
    ],
)
def test_hidden_things_are_found_and_the_goal_is_reached(policy: Policy, goal: str) -> None:
    hidden = with_hidden(OFFICE, named=["orange1"])
    episode = episode_for(hidden, goal, policy)
    assert ended(episode, Environment(OFFICE)).outcome == "verified"
    assert episode.trajectory.looks and len(episode.trajectory.looks) == len(set(episode.trajectory.looks))
    assert verify_plan(episode.trajectory.executed, OFFICE, episode.goal.formula).verified


def test_a_class_of_which_only_furniture_is_seen_may_have_things_too() -> None:
    """House 4 has a remote control that is furniture in its file, and another that can be carried."""
    house = ground(load_scene("house-4"), load_pack())
    hidden = with_hidden(house)
    assert {hidden.scene.nodes[i].type for i in hidden.members("remote_control")} == {"asset"}
    goal = parse_goal("(exists (?r - remote_control) (ontop_of ?r sofa1))")
    episode, robot = Episode(Request(hidden, goal=goal), engine=ENGINE), Environment(house)
    act_in(robot, episode)
    assert episode.finish is not None and episode.finish.outcome == "verified"
    assert robot.judge(goal.formula).reached
    with pytest.raises(GoalError, match="ranges over room"):
        Episode(Request(hidden, goal=parse_goal("(exists (?r - room) (ontop_of ?r sofa1))")), engine=ENGINE)


def test_looking_stops_when_the_goal_can_be_planned() -> None:
    some = episode_for(with_hidden(OFFICE), "(exists (?b - banana) (holding ?b))")
    every = episode_for(with_hidden(OFFICE), "(forall (?b - banana) (inside_of ?b fridge))")
    for episode in (some, every):
        ended(episode, Environment(OFFICE))
    assert len(some.trajectory.looks) < len(every.trajectory.looks) <= len(SCENE.by_type["room"]) + 20


def test_only_the_places_that_matter_are_looked_at_for_what_must_not_be_there() -> None:
    episode = episode_for(with_hidden(OFFICE), "(not (exists (?c - carrot) (in_room ?c kitchen)))")
    assert ended(episode, Environment(OFFICE)).outcome == "verified"
    rooms = {
        spot.node if spot.node in SCENE.by_type["room"] else SCENE.room_of(spot.node)
        for spot in episode.trajectory.looks
    }
    assert rooms == {"kitchen"}, "the carrot that was found there is carried out, and no other room matters"


def test_a_building_of_which_nothing_is_known_is_explored() -> None:
    episode = episode_for(unexplored(OFFICE), "(exists (?b - banana) (holding ?b))")
    assert ended(episode, Environment(OFFICE)).outcome == "verified"
    assert len(episode.belief.scene.by_type["room"]) > 3


@pytest.mark.parametrize("seed", range(6))
def test_failing_steps_are_tried_again(seed: int) -> None:
    environment = Environment(OFFICE, failure=0.4, seed=seed)
    episode = episode_for(OFFICE, "(and (inside_of orange1 fridge) (closed fridge))")
    assert ended(episode, environment).outcome == "verified"
    assert verify_plan(episode.trajectory.executed, OFFICE, episode.goal.formula).verified


def test_a_step_that_never_works_is_given_up_after_eight_tries_for_another_way() -> None:
    near = {"apple1": {"parent": "recycling_bin", "relation": "inside_of"}}
    truth = ground(SCENE.changed(change=near), PACK)
    goal = "(exists (?a - apple) (holding ?a))"
    free = episode_for(truth, goal)
    ended(free, Environment(truth))
    (stuck,) = [step for step in free.trajectory.executed if step.name == "open"]
    episode, tried = episode_for(truth, goal), list[Step | None]()
    environment = Environment(truth, stuck=[stuck])
    finish = act_in(environment, episode, lambda step, _: bool(tried.append(step)))
    assert finish is not None and finish.outcome == "verified" and tried.count(stuck) == 8
    executed = episode.trajectory.executed
    assert executed[-1] != free.trajectory.executed[-1] and stuck not in executed
    alone = episode_for(OFFICE, "(holding apple2)")
    finish = ended(alone, Environment(OFFICE, stuck=[Step("open", ("cabinet3",))]))
    assert finish.outcome == "not-found" and "open(cabinet3) failed 8 times" in finish.reasons


def test_a_way_that_is_blocked_is_driven_around() -> None:
    plan = episode_for(OFFICE, "(robot_at kitchen)")
    ended(plan, Environment(OFFICE))
    first = plan.trajectory.executed[0]
    episode = episode_for(OFFICE, "(robot_at kitchen)")
    assert ended(episode, Environment(OFFICE, stuck=[first])).outcome == "verified"
    assert (
        episode.trajectory.executed[0] != first
        and episode.trajectory.executed_mm > plan.trajectory.executed_mm
    )


def test_a_thing_that_somebody_moves_behind_the_robot_is_looked_for_again() -> None:
    goal = "(inside_of orange1 fridge)"
    moves = [Move(4, "orange1", "ontop_of", "lunch_table")]  # a place that the robot has passed
    episode = episode_for(OFFICE, goal, still=False)
    assert ended(episode, Environment(OFFICE, moves=moves)).outcome == "verified"
    assert episode.trajectory.replans == 1


def test_a_thing_of_a_class_that_nobody_has_seen_is_looked_for_twice_where_others_move_things() -> None:
    """Somebody carries every banana to a room that the robot has looked through already."""
    goal, start = "(exists (?b - banana) (holding ?b))", with_hidden(OFFICE)
    first = episode_for(start, goal, still=False)
    ended(first, Environment(OFFICE))
    passed = next(step.args[0] for step in first.trajectory.executed if step.args[0] in SCENE.by_type["room"])
    table = next(i for i in SCENE.descendants(passed) if "release" in SCENE.nodes[i].affordances)
    late = len(first.trajectory.executed) - 3
    moves = [Move(late, banana, "ontop_of", table) for banana in ("banana1", "banana2")]
    still = episode_for(start, goal)
    assert ended(still, Environment(OFFICE, moves=moves)).outcome != "verified"
    careful = episode_for(start, goal, still=False)
    assert ended(careful, Environment(OFFICE, moves=moves)).outcome == "verified"
    assert LookedAgain() in careful.log


def test_what_was_only_given_is_looked_at_before_the_end() -> None:
    """The goal is so by the scene; whether it is so now is seen only there, behind a door."""
    goal = "(and (inside_of banana2 fridge) (closed fridge))"
    request = Request(OFFICE, goal=parse_goal(goal))
    trusting = Episode(request, engine=ENGINE, confirm=False)
    assert ended(trusting, Environment(OFFICE)).outcome == "verified" and not trusting.trajectory.executed
    careful = episode_for(OFFICE, goal, still=False)
    assert ended(careful, Environment(OFFICE)).outcome == "verified"
    assert [str(s) for s in careful.trajectory.executed[-3:]] == [
        "access(fridge)",
        "open(fridge)",
        "close(fridge)",
    ]
    moved = [Move(1, "banana2", "ontop_of", "kitchen_bench")]
    episode = episode_for(OFFICE, goal, still=False)
    assert ended(episode, Environment(OFFICE, moves=moved)).outcome == "verified"
    assert Step("pickup", ("banana2",)) in episode.trajectory.executed
    away = episode_for(OFFICE, "(not (in_room banana2 kitchen))", still=False)
    ended(away, Environment(OFFICE))
    assert Step("pickup", ("banana2",)) in away.trajectory.executed


def test_others_leave_what_the_robot_has_put_down_unless_they_are_told_to() -> None:
    goal = "(and (inside_of orange1 fridge) (closed fridge))"
    plan = episode_for(OFFICE, goal)
    ended(plan, Environment(OFFICE))
    late = [
        Move(len(plan.trajectory.executed), "orange1", "ontop_of", "desk1")
    ]  # as the robot closes the door
    for undoing in (False, True):
        environment = Environment(OFFICE, moves=late, undoing=undoing)
        episode = episode_for(OFFICE, goal, still=False)
        act_in(environment, episode)
        assert environment.judge(episode.goal.formula).reached != undoing


def test_nothing_is_called_unsolvable_where_things_may_be_moved() -> None:
    truth = ground(SCENE.changed(remove=["orange1"]), PACK)
    still = episode_for(OFFICE, "(inside_of orange1 fridge)")
    finish = ended(still, Environment(truth))
    assert finish.outcome == "unsolvable" and finish.places
    moving = episode_for(OFFICE, "(inside_of orange1 fridge)", still=False)
    assert ended(moving, Environment(truth)).outcome == "not-found"
    assert len(moving.trajectory.looks) > len(still.trajectory.looks), "every place is looked at twice"


@pytest.mark.parametrize(
    ("belief", "goal"),
    [
        (with_hidden(OFFICE), "(exists (?u - unicorn) (inside_of ?u fridge))"),
        (OFFICE, "(and (open microwave) (turned_on microwave))"),
    ],
)
def test_no_proof_of_what_was_seen_counts_where_things_may_be_moved(belief: Belief, goal: str) -> None:
    assert ended(episode_for(belief, goal), Environment(OFFICE)).outcome == "unsolvable"
    finish = ended(episode_for(belief, goal, still=False), Environment(OFFICE))
    assert finish.outcome == "not-found" and "others may move things" in finish.reasons[-1]


THING = {"type": "object"}
ROW = scene_from_json(
    {
        "format": "groundplan-scene",
        "version": 1,
        "name": "row",
        "nodes": [
            *({"id": room, "type": "room"} for room in ("kitchen", "office", "hall")),
            {"id": "chest", "type": "asset", "parent": "hall", "affordances": ["release"], "state": ["open"]},
            {"id": "crate", "type": "asset", "parent": "office", "affordances": ["release"]},
            {"id": "cup1", **THING, "parent": "chest", "relation": "inside_of", "classes": ["cup"]},
            {"id": "plate1", **THING, "parent": "crate", "relation": "ontop_of", "classes": ["plate"]},
            {
                "id": "plate2",
                **THING,
                "parent": "chest",
                "relation": "inside_of",
                "classes": ["plate"],
                "affordances": ["pickup"],
            },
            {"id": "robot", "type": "agent", "at": "kitchen"},
        ],
        "links": [
            {"a": "kitchen", "b": "office", "length": 3},
            {"a": "office", "b": "hall", "length": 4},
        ],
    },
    "row",
)
"""Three rooms in a row: who stands in the first knows of the second, and nothing of the third."""


@pytest.mark.parametrize(
    ("goal", "outcome"),
    [
        ("(not (exists (?c - cup) (inside_of ?c chest)))", "not-found"),  # the chest may be anywhere
        ("(forall (?c - cup) (in_room ?c office))", "not-found"),  # behind the office is the hall
        ("(forall (?p - plate) (in_room ?p office))", "verified"),
        ("(in_room plate1 office)", "verified"),  # which is the last place for it, and it is looked at
        ("(in_room cup1 office)", "not-found"),
    ],
)
def test_what_nobody_has_found_may_hold_things_or_lie_behind_a_room(goal: str, outcome: str) -> None:
    truth = ground(ROW, PACK)
    episode = episode_for(unexplored(truth, named=names(parse_goal(goal).formula)), goal)
    assert ended(episode, Environment(truth)).outcome == outcome
    assert "goto(office)" in map(str, episode.trajectory.executed)


def test_an_end_says_what_is_known_then_whether_or_not_the_robot_was_taken_up_again() -> None:
    truth, goal = ground(ROW, PACK), "(exists (?b - ball) (in_room ?b kitchen))"
    episode = episode_for(unexplored(truth), goal)
    finish = ended(episode, Environment(truth))
    assert finish.outcome == "not-found" and any("(try hall)" in reason for reason in finish.reasons)
    assert finish.reasons[-1] == "not looked at: rooms to which nobody has seen a way"
    again = Episode.resume(Request(unexplored(truth), goal=episode.goal), episode.log, engine=ENGINE)
    assert again.next() is None and again.finish == finish


@pytest.mark.parametrize("still", [True, False])
def test_a_named_thing_that_is_missing_is_looked_for_where_the_goal_is_about_its_class(still: bool) -> None:
    truth = ground(ROW, PACK)
    goal = "(and (forall (?p - plate) (in_room ?p office)) (not (holding plate2)))"
    episode = episode_for(with_hidden(truth, named=["plate2"]), goal, still=still)
    assert ended(episode, Environment(truth)).outcome == "verified"
    assert "pickup(plate2)" in map(str, episode.trajectory.executed)


def test_a_class_that_is_nowhere_is_unsolvable_only_when_all_was_looked_at() -> None:
    episode = episode_for(with_hidden(OFFICE), "(exists (?u - unicorn) (inside_of ?u fridge))")
    finish = ended(episode, Environment(OFFICE))
    assert finish.outcome == "unsolvable" and "inside_of fridge" in finish.places
    short = Episode(Request(with_hidden(OFFICE), goal=episode.goal), engine=ENGINE, max_steps=10)
    finish = ended(short, Environment(OFFICE))
    assert finish.outcome == "not-found" and "out of budget" in finish.reasons[0]


def test_a_goal_with_another_error_is_refused_at_once() -> None:
    with pytest.raises(GoalError, match="frigde"):
        episode_for(with_hidden(OFFICE), "(open frigde)")
    with pytest.raises(GoalError, match="besides"):
        episode_for(with_hidden(OFFICE), "(besides fridge microwave)")
    for word in ("striped", "unicorn"):  # in a scene that is taken for true
        request = Request(OFFICE, goal=parse_goal(f"(exists (?b - object) ({word} ?b))"))
        with pytest.raises(GoalError, match=word):
            Episode(request, engine=ENGINE, confirm=False)
    with pytest.raises(ValueError, match="needs a goal"):
        Episode(Request(OFFICE, "Get the banana."))


@pytest.mark.parametrize("seed", range(4))
def test_an_execution_is_taken_up_from_its_log_at_any_step(seed: int) -> None:
    truth = ground(SCENE.changed(change={"orange1": {"parent": "drawer", "relation": "inside_of"}}), PACK)
    goal = "(and (sometime (open cabinet3)) (inside_of orange1 fridge))"
    straight = episode_for(OFFICE, goal)
    ended(straight, Environment(truth, failure=0.3, seed=seed))
    stops = random.Random(seed)
    environment = Environment(truth, failure=0.3, seed=seed)
    episode = episode_for(OFFICE, goal)
    episode.report(StepOutcome(True, 0, environment.look()))
    while (step := episode.next()) is not None:
        if stops.random() < 0.3:
            kept = log_from_json(json.loads(json.dumps(log_to_json(episode.log))))
            assert kept == tuple(episode.log)
            episode = Episode.resume(Request(OFFICE, goal=parse_goal(goal)), kept, engine=ENGINE)
            assert episode.next() == step
        episode.report(environment.act(step))
    assert episode.finish == straight.finish and episode.trajectory.executed == straight.trajectory.executed
    assert (episode.trajectory.executed_mm, episode.trajectory.looks) == (
        straight.trajectory.executed_mm,
        straight.trajectory.looks,
    )


def test_a_log_of_something_else_is_refused() -> None:
    episode = episode_for(OFFICE, "(holding banana2)")
    act_in(Environment(OFFICE), episode)
    other = Request(OFFICE, goal=parse_goal("(open fridge)"))
    broken = [entry for entry in episode.log if "look" not in entry.as_json()]
    with pytest.raises(InputError, match="is this the log"):
        Episode.resume(other, broken, engine=ENGINE)
    for raw in ({}, ["x"], [{"look": 1, "steps": []}], [{"step": 3, "outcome": {}}], [{"again": False}]):
        with pytest.raises(InputError):
            log_from_json(raw)


def test_a_robot_that_sees_nothing_does_not_go_on_for_ever() -> None:
    """Its steps are done, and its camera shows nothing: each place is given up after two looks."""
    episode = episode_for(with_hidden(OFFICE), "(exists (?b - banana) (holding ?b))")
    steps = 0
    while episode.next() is not None:
        episode.report(StepOutcome(True, 0, Observations("kitchen")))
        steps += 1
    assert episode.finish is not None and episode.finish.outcome == "not-found" and steps <= 1000


# Only the environment has the truth


def reachable(start: Iterable[object]) -> Iterator[object]:
    """Yield all objects that references lead to, but for modules and classes."""
    queue, seen = list(start), set()
    while queue:
        one = queue.pop()
        if id(one) in seen or isinstance(one, type) or type(one).__name__ in ("module", "function"):
            continue
        seen.add(id(one))
        yield one
        queue += gc.get_referents(one)


class Nosy:
    """A policy that keeps all that it is given."""

    name = "nosy"

    def __init__(self) -> None:
        self.situations: list[Situation] = []

    def choose(self, situation: Situation) -> LookOption:
        self.situations.append(situation)
        return situation.candidates[0]


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_no_method_reaches_the_truth(every: int) -> None:
    truth = ground(SCENE.changed(change={"orange1": {"parent": "drawer", "relation": "inside_of"}}), PACK)
    environment, policy = Environment(truth), Nosy()
    episode = episode_for(OFFICE, "(inside_of orange1 fridge)", policy)

    def kept() -> set[int]:
        return {id(one) for one in reachable([episode, policy, *policy.situations])}

    while (step := episode.next()) is not None:
        episode.report(environment.act(step))
        if len(episode.trajectory.executed) % every == 0:
            assert not kept() & {id(truth), id(truth.scene), id(truth.facts), id(environment)}
    assert policy.situations
    assert not kept() & {id(truth), id(truth.scene), id(truth.facts), id(environment)}
    assert id(truth) in {id(one) for one in reachable([environment])}, (
        "the search itself finds it where it is"
    )
    public = [name for name in dir(environment) if not name.startswith("_")]
    assert public == ["act", "judge", "look", "moved_mm"]
    assert not any(isinstance(getattr(environment, name), Belief) for name in public)


def test_a_request_s_true_world_is_not_read() -> None:
    truth = ground(SCENE.changed(remove=["orange1"]), PACK)
    request = Request(OFFICE, goal=parse_goal("(inside_of orange1 fridge)"), world=truth)
    episode = Episode(request, engine=ENGINE)
    assert not {id(truth)} & {id(one) for one in reachable([episode])}


# Policies


def situation(*candidates: LookOption, onward: dict[str, tuple[str, ...]] | None = None) -> Situation:
    lengths = {("a", "goal"): 9, ("b", "goal"): 1}
    return Situation(
        "here", candidates, ("cup",), lambda a, b: lengths.get((a, b), 0), onward or {"cup": ("goal",)}
    )


def test_the_nearest_counts_the_effort_and_the_optimist_the_way_on() -> None:
    a, b = LookOption(Spot("a"), "a", 3, 0), LookOption(Spot("b"), "b", 4, 2)
    assert NearestUnlooked().choose(situation(a, b)) is a
    assert OptimisticNearest().choose(situation(a, b)) is b
    assert OptimisticNearest().choose(situation(a, b, onward={"cup": ()})) is a
    assert NearestUnlooked().choose(situation(b, LookOption(Spot("c"), "c", 6, 0))) is b, (
        "the first of equals"
    )


def test_probabilities_of_a_thing_add_up_to_one() -> None:
    policy = Nosy()
    episode = episode_for(with_hidden(OFFICE, named=["orange1"]), "(inside_of orange1 fridge)", policy)
    assert episode.next() is not None
    (first,) = policy.situations
    assert first.sought == ("orange1",) and first.onward == {"orange1": ("fridge",)}
    assert sum(c.probability["orange1"] for c in first.candidates) == pytest.approx(1)
    fridge = next(c for c in first.candidates if c.spot == Spot("fridge", "inside_of"))
    assert fridge.reach_mm == OFFICE.routes.distance("pose8", "kitchen") and fridge.effort_mm == 100
