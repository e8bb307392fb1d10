"""A hand that was free is free in the end, unless the goal says that something is held."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundplan import Engine, Request, ground, load_pack, load_scene, open_scene, parse_goal, plan_goal, run
from groundplan.acting import Episode, act_in
from groundplan.domains.formula import Atom
from groundplan.planners import tidy
from groundplan.planners.tidy import NotPutBack, put_back
from groundplan.robot import SavedTrace, Trace, replay
from groundplan.simulator.belief import Belief
from groundplan.simulator.observations.observation import StepOutcome
from groundplan.simulator.sensing import Environment
from groundplan.simulator.step import Step
from groundplan.simulator.verification import verify_plan
from groundplan.simulator.world import World

PYPERPLAN = Engine.named("pyperplan")
FREE = Atom("hand_free")


@pytest.fixture(scope="module")
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


def ends_free(belief: Belief, goal: str, **request: bool) -> bool:
    """Return whether the hand is free after the plan for a goal that is given; the goal must hold, too."""
    parsed = parse_goal(goal)
    record = run(Request(belief, goal=parsed, **request), PYPERPLAN)
    assert record.verified and verify_plan(record.plan, belief, parsed.formula).verified
    world = World(belief)
    for step in record.plan:
        world.apply(step)
    assert record.added == ((FREE,) if str(FREE) in str(record.goal) and str(FREE) not in goal else ())
    return world.holds("hand_free", ())


@pytest.mark.parametrize(
    "goal",
    [
        "(in_room orange1 lobby)",
        "(not (in_room orange1 kitchen))",
        "(not (ontop_of orange1 kitchen_bench))",
        "(and (in_room orange1 lobby) (robot_at kitchen))",
        "(and (in_room orange1 lobby) (not (holding orange1)))",
        "(and (in_room orange1 lobby) (not (holding banana1)))",
        "(exists (?x - orange) (in_room ?x lobby))",
        "(sometime (holding orange1))",
        "(and (sometime (holding orange1)) (in_room orange1 lobby))",
        "(at-most 0 (?x - orange) (in_room ?x kitchen))",
        "(and (in_room orange1 lobby) (at-most 1 (?x - fruit) (holding ?x)))",
        "(and (in_room orange1 lobby) (imply (holding orange1) (open fridge)))",
        "(and (in_room orange1 lobby) (or (holding banana1) (open fridge)))",
        "(and (in_room orange1 lobby) (imply (open fridge) (holding orange1)))",
    ],
)
def test_what_is_brought_somewhere_is_put_down(goal: str, office: Belief) -> None:
    assert ends_free(office, goal)


@pytest.mark.parametrize(
    "goal",
    [
        "(holding orange1)",
        "(not (hand_free))",
        "(and (in_room orange1 lobby) (holding orange1))",
        "(or (holding orange1) (holding banana1))",
        "(exists (?x - orange) (holding ?x))",
        "(not (forall (?x - item) (not (holding ?x))))",
        "(at-least 1 (?x - fruit) (holding ?x))",
        "(and (in_room orange1 lobby) (imply (hand_free) (open fridge)))",
    ],
)
def test_what_the_goal_says_of_a_full_hand_stays(goal: str, office: Belief) -> None:
    parsed = parse_goal(goal)
    record = run(Request(office, goal=parsed), PYPERPLAN)
    assert record.verified and record.added == record.left == () and str(record.goal) == str(parsed)


def test_a_goal_as_it_stands_is_planned_for_where_that_is_wanted(office: Belief) -> None:
    assert not ends_free(office, "(in_room orange1 lobby)", tidy=False)


def test_a_hand_that_was_full_may_stay_so(office: Belief) -> None:
    held = {"parent": office.scene.agent.id, "relation": "inside_hand", "position": None}
    full = ground(office.scene.changed(change={"banana1": held}), office.pack)
    record = run(Request(full, goal=parse_goal("(in_room banana1 lobby)")), PYPERPLAN)
    assert record.verified and record.added == record.left == ()


def test_nothing_costs_more_where_there_is_a_place_in_the_room(office: Belief) -> None:
    goal = parse_goal("(in_room orange1 lobby)")
    held = plan_goal(goal, office, PYPERPLAN)
    done = put_back(goal, held, office, PYPERPLAN, doors=False)
    assert str(done.goal) == "(and (in_room orange1 lobby) (hand_free))" and done.left == ()
    assert (done.result.cost_mm or 0) - (held.cost_mm or 0) == 100  # the effort of one more manipulation


def test_a_room_without_a_place_leaves_the_plan_as_it_is_and_says_so(office: Belief) -> None:
    goal = "(in_room orange1 robot_lounge1)"
    record = run(Request(office, goal=parse_goal(goal)), PYPERPLAN)
    assert record.verified and str(record.goal) == goal and record.added == ()
    assert record.left == (NotPutBack(FREE, "unsolvable"),)


def test_doors_are_put_back_for_a_readers_goal_alone(office: Belief) -> None:
    goal = parse_goal("(in_room orange1 lobby)")
    inside = ground(
        office.scene.changed(change={"orange1": {"parent": "fridge", "relation": "inside_of"}}), office.pack
    )
    found = plan_goal(goal, inside, PYPERPLAN)
    assert set(put_back(goal, found, inside, PYPERPLAN).added) == {FREE, Atom("closed", ("fridge",))}
    assert put_back(goal, found, inside, PYPERPLAN, doors=False).added == (FREE,)


def test_a_bound_is_of_the_goal_with_what_is_put_back(laboratory: Belief) -> None:
    """A plan for the goal alone may be the cheapest, and letting go costs more."""
    record = run(
        Request(laboratory, goal=parse_goal("(in_room vial1 lab)")), Engine.named("fast-downward-opt")
    )
    alone = plan_goal(parse_goal("(in_room vial1 lab)"), laboratory, PYPERPLAN)
    assert record.planning.optimal and (record.planning.cost_mm or 0) > (alone.cost_mm or 0)
    assert str(record.goal) == "(and (in_room vial1 lab) (gripper_empty))"


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Belief:
    """A world of another pack, in which hand and grip are called otherwise."""
    template, folder = (
        Path(tidy.__file__).parents[1] / "domains" / "template",
        tmp_path_factory.mktemp("pack"),
    )
    for name in ("domain.pddl", "mapping.toml", "language.toml"):
        text = (template / name).read_text().replace("hand_free", "gripper_empty").replace("holding", "grips")
        (folder / name).write_text(text)
    return ground(open_scene(str(template / "scene.json")), load_pack(str(folder)))


@pytest.mark.parametrize("goal", ["(in_room vial1 lab)", "(not (in_room vial1 store))"])
def test_another_pack_has_a_hand_of_its_own(goal: str, laboratory: Belief) -> None:
    record = run(Request(laboratory, goal=parse_goal(goal)), PYPERPLAN)
    assert record.verified and list(map(str, record.added)) == ["(gripper_empty)"]
    held = run(Request(laboratory, goal=parse_goal("(grips vial1)")), PYPERPLAN)
    assert held.verified and not held.added


# Acting


def acted(
    belief: Belief, goal: str, world: Belief | None = None, failure: float = 0.0, seed: int = 0
) -> tuple[Episode, Trace]:
    trace = Trace()
    robot = Environment(world or belief, failure=failure, seed=seed)
    episode = Episode(Request(belief, goal=parse_goal(goal)), engine=PYPERPLAN, recorder=trace)
    act_in(robot, episode)
    return episode, trace


@pytest.mark.parametrize(
    ("goal", "seed"),
    [
        ("(in_room orange1 lobby)", 0),
        ("(not (in_room orange1 kitchen))", 3),
        ("(in_room orange1 ajays_office)", 0),
    ],
)
def test_a_robot_that_acts_puts_down_what_it_brings_and_its_trace_replays(
    goal: str, seed: int, office: Belief
) -> None:
    episode, trace = acted(office, goal, failure=0.3 if seed else 0.0, seed=seed)
    assert episode.finish is not None and episode.finish.outcome == "verified"
    somewhere = "ajays" not in goal
    assert episode.knowledge.run.world.holds("hand_free", ()) == somewhere
    assert episode.tries.tidying.added == ((FREE,) if somewhere else ())
    assert [one.fact for one in episode.tries.tidying.left] == ([] if somewhere else [FREE])
    assert replay(
        SavedTrace(tuple(trace.lines), False), Request(office, goal=parse_goal(goal)), engine=PYPERPLAN
    ).replays


def test_a_release_that_never_works_leaves_the_goal_reached(office: Belief) -> None:
    class Sticky(Environment):
        def act(self, step: Step) -> StepOutcome:
            if step.name != "release":
                return super().act(step)
            return StepOutcome(False, 0, self.look(), "it sticks")

    trace, goal = Trace(), parse_goal("(in_room orange1 lobby)")
    episode = Episode(Request(office, goal=goal), engine=PYPERPLAN, recorder=trace)
    finish = act_in(Sticky(office), episode)
    assert finish is not None and finish.outcome == "verified" and episode.tries.tidying.added == ()
    assert [one.fact for one in episode.tries.tidying.left] == [FREE]
    assert replay(SavedTrace(tuple(trace.lines), False), Request(office, goal=goal), engine=PYPERPLAN).replays


def test_a_given_goal_is_met_in_a_true_world_with_a_free_hand(office: Belief) -> None:
    elsewhere = {"orange1": {"parent": "table1", "relation": "ontop_of", "position": None}}
    world = ground(office.scene.changed(change=elsewhere), office.pack)
    record = run(Request(office, goal=parse_goal("(in_room orange1 lobby)"), world=world), PYPERPLAN)
    assert record.verified and record.added == (FREE,)
    end = World(world)
    for step in record.trajectory.executed:
        end.apply(step)
    assert end.holds("hand_free", ()) and end.holds("in_room", ("orange1", "lobby"))
