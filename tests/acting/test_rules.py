"""Rules on the way: no step of an episode breaks one, though steps fail and things are elsewhere."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from disturbed import DUE, GOALS, RULES, broken_by_a_step, moved_before

from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal
from groundplan.acting import Episode, act_in
from groundplan.compiler.certificates.rules import read_rules
from groundplan.domains.formula import TrajectoryConstraint
from groundplan.engines.base import Budget
from groundplan.simulator.belief import Belief
from groundplan.simulator.sensing import Environment, Move


@pytest.fixture(scope="module")
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


def episodes(
    office: Belief, seeds: range, of: tuple[str, ...] = RULES, fridge: str = "closed"
) -> Counter[str]:
    """Act under drawn rules, each in a world of its own; return the outcomes."""
    engine, outcomes = Engine.named("pyperplan"), Counter[str]()
    items, places = sorted(office.members("item")), sorted(office.members("asset"))
    for seed in seeds:
        draw = random.Random(seed)
        rules = draw.sample(of, draw.choice((1, 2, 3)))
        belief = read_rules("\n".join(rules), office)
        goal = parse_goal(draw.choice(GOALS))
        moved = draw.sample(items, 4)
        truth = moved_before(office, moved, places, draw, fridge)
        moves = [
            Move(draw.randrange(1, 15), thing, "ontop_of", draw.choice(places))
            for thing in draw.sample(items, 3)
        ]
        environment = Environment(truth, failure=0.2, moves=moves, seed=seed)
        episode = Episode(Request(belief, goal=goal), engine=engine, budget=Budget(3), max_steps=120)
        while (step := episode.next()) is not None:
            episode.report(environment.act(step))
        assert episode.finish is not None
        assert broken_by_a_step(belief, truth, environment) == [], (seed, rules, str(goal))
        unkept = [one for one in episode.trajectory.rules if not one.kept and one.broken_by != "others"]
        assert episode.finish.outcome != "verified" or unkept == [], (seed, rules, str(goal))
        outcomes[episode.finish.outcome] += 1
    return outcomes


def test_no_step_breaks_a_rule(office: Belief) -> None:
    outcomes = episodes(office, range(12))
    assert outcomes["verified"] >= 3, outcomes


def test_no_run_ends_verified_with_a_rule_due(office: Belief) -> None:
    """The fridge stands open in the true world, and the robot believes that it is closed."""
    outcomes = episodes(office, range(12), DUE, "open")
    assert outcomes["verified"] >= 3, outcomes


def acted(office: Belief, rule: str, goal: str, closes: bool = True) -> Episode:
    """Act in an office whose fridge stands open, and cannot be closed where it does not close."""
    words = office.scene.nodes["fridge"].affordances
    fridge = {"state": ("open",), "affordances": tuple(w for w in words if closes or w != "close")}
    truth = ground(office.scene.changed(change={"fridge": fridge}), office.pack)
    request = Request(read_rules(rule, office), goal=parse_goal(goal), tidy=False)
    episode = Episode(request, engine=Engine.named("pyperplan"))
    assert act_in(Environment(truth), episode) is not None
    return episode


@pytest.mark.parametrize("goal", ["(robot_at kitchen)", "(holding orange1)"])
def test_what_is_seen_and_makes_a_rule_due_is_planned_for(office: Belief, goal: str) -> None:
    """Also where the goal is reached by then."""
    episode = acted(office, "(sometime-after (robot_at kitchen) (closed fridge))", goal)
    assert episode.finish is not None and episode.finish.outcome == "verified"
    assert "close(fridge)" in map(str, episode.trajectory.executed)
    (rule,) = episode.trajectory.rules
    assert rule.kept and "due" in rule.states


def test_a_goal_that_is_reached_with_a_rule_left_due_is_not_verified(office: Belief) -> None:
    """The fridge cannot be closed, so the run cannot end as the rule asks."""
    rule = "(sometime-after (robot_at kitchen) (closed fridge))"
    episode = acted(office, rule, "(robot_at kitchen)", closes=False)
    assert episode.finish is not None and episode.finish.outcome in ("unsolvable", "not-found")
    assert any(rule in reason for reason in episode.finish.reasons)
    assert "goto(kitchen)" in map(str, episode.trajectory.executed)


def test_a_rule_that_the_scene_breaks_as_given_ends_the_run_before_any_step(office: Belief) -> None:
    """It does, too, where the true world would keep it."""
    episode = acted(office, "(always (open fridge))", "(robot_at kitchen)")
    assert episode.finish is not None and episode.finish.outcome == "goal-error"
    assert episode.finish.reasons == ("the rule (always (open fridge)) is broken before anything is done",)
    assert episode.trajectory.executed == ()


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_no_step_of_many_episodes_breaks_a_rule(office: Belief) -> None:
    outcomes = episodes(office, range(1000, 2000))
    assert outcomes["verified"] >= 250, outcomes


def test_a_look_that_a_rule_forbids_is_given_up(office: Belief) -> None:
    """The banana is in the fridge, which nobody may open."""
    belief = read_rules("(never (do open fridge))", office)
    environment = Environment(office)
    episode = Episode(Request(belief, goal=parse_goal("(holding banana2)")), engine=Engine.named("pyperplan"))
    while (step := episode.next()) is not None:
        assert str(step) != "open(fridge)"
        episode.report(environment.act(step))
    assert episode.finish is not None
    assert episode.finish.outcome != "verified"


def test_what_the_run_has_used_up_is_not_there_again(office: Belief) -> None:
    """The hand may be full once: a thing that is put down and taken again would be twice."""
    belief = read_rules("(at-most-once (not (hand_free)))", office)
    environment = Environment(office, failure=0.4, seed=4)
    goal = parse_goal("(ontop_of orange1 microwave)")
    episode = Episode(Request(belief, goal=goal), engine=Engine.named("pyperplan"))
    while (step := episode.next()) is not None:
        episode.report(environment.act(step))
    memory = episode.knowledge.memory
    assert [state for c, state in memory.items() if isinstance(c, TrajectoryConstraint)] in ([0], [1], [2])


def test_a_rule_goes_on_where_another_goal_is_acted_for(office: Belief) -> None:
    """A hand that was full once may not be full again, also for the next goal of the same run."""
    belief = read_rules("(at-most-once (not (hand_free)))", office)
    environment, engine = Environment(office), Engine.named("pyperplan")
    first = Episode(Request(belief, goal=parse_goal("(ontop_of orange1 fridge)"), tidy=False), engine=engine)
    assert act_in(environment, first) is not None
    assert first.finish is not None and first.finish.outcome == "verified"
    request = Request(first.belief, goal=parse_goal("(holding orange1)"), tidy=False)
    then = Episode(request, engine=engine, earlier=first.knowledge)
    assert act_in(environment, then) is not None
    assert then.finish is not None and then.finish.outcome != "verified"
    (rule,) = (first.trajectory + then.trajectory).rules
    assert rule.kept and len(rule.states) == len(first.trajectory.executed) + 1


def test_what_others_broke_binds_again_where_the_robot_finds_it_in_order(office: Belief) -> None:
    """The fridge stands open; once the robot has closed it, the rule keeps it closed."""
    truth = ground(office.scene.changed(change={"fridge": {"state": ("open",)}}), office.pack)
    belief, engine = read_rules("(always (closed fridge))", office), Engine.named("pyperplan")
    environment = Environment(truth)
    goal = parse_goal("(robot_at kitchen)")
    first = Episode(Request(belief, goal=goal, tidy=False), engine=engine)
    assert act_in(environment, first) is not None
    there = Episode(
        Request(first.belief, goal=parse_goal("(closed fridge)"), tidy=False),
        engine=engine,
        earlier=first.knowledge,
    )
    assert act_in(environment, there) is not None
    assert [str(step) for step in there.trajectory.executed][-1] == "close(fridge)"
    request = Request(there.belief, goal=parse_goal("(holding banana2)"), tidy=False)
    last = Episode(request, engine=engine, earlier=there.knowledge)
    assert act_in(environment, last) is not None
    assert last.finish is not None and last.finish.outcome != "verified"
    assert "open(fridge)" not in map(str, last.trajectory.executed)
    (rule,) = (first.trajectory + there.trajectory + last.trajectory).rules
    assert (rule.kept, rule.broken_by) == (False, "others")
