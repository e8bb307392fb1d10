"""Doors and switches of which a reader's goal says nothing end as they were found, where that can be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from draws import draws
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st
from strategies import beliefs, formulas, typed_names

from groundplan import Engine, Request, ground, load_pack, load_scene, open_scene, parse_goal, plan_goal, run
from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import Goal
from groundplan.domains.deadline import LimitReached
from groundplan.domains.ending import Ending
from groundplan.domains.formula import And, Atom, Formula, Sometime, children
from groundplan.engines.base import Budget
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.pipeline.events import Event, PutBack
from groundplan.pipeline.record import Record
from groundplan.planners import tidy
from groundplan.planners.tidy import IRREVERSIBLE, NOT_TRIED, WORK, NotPutBack, Tidied, put_back, toggles
from groundplan.simulator.belief import Belief
from groundplan.simulator.verification import verify_plan
from groundplan.simulator.world import World

PYPERPLAN = Engine.named("pyperplan")
OPPOSITE = {"open": "closed", "closed": "open", "turned_on": "turned_off", "turned_off": "turned_on"}


@pytest.fixture(scope="module")
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


def tidied(goal: str, belief: Belief) -> Tidied:
    parsed = parse_goal(goal)
    return put_back(parsed, plan_goal(parsed, belief, PYPERPLAN), belief, PYPERPLAN)


def without(belief: Belief, **affordances: str) -> Belief:
    """The belief with an affordance taken from some nodes."""
    nodes = belief.scene.nodes
    change = {
        name: {"affordances": tuple(a for a in nodes[name].affordances if a != lost)}
        for name, lost in affordances.items()
    }
    return ground(belief.scene.changed([], [], change), belief.pack)


def writing(belief: Belief, *goals: str) -> ModelReader:
    """A reader with a model that opens the kitchen and then writes goals."""
    moves = [("expand", "kitchen"), ("terminate", "")]
    search = [json.dumps({"move": {"chain_of_thought": "", "command": c, "node": n}}) for c, n in moves]
    return ModelReader(ScriptedModel.of(*search, *goals), belief.pack, search_protocol="dialogue")


def told(belief: Belief, instruction: str, *goals: str, **request: bool) -> Record:
    """A run with a model that opens the kitchen and then writes goals."""
    reader = writing(belief, *goals)
    return run(Request(belief, instruction, **request), PYPERPLAN, reader)  # type: ignore[arg-type]


# Which states count


def test_doors_switches_and_locks_are_found_in_the_pack(office: Belief) -> None:
    assert toggles(office) == {"open": "door", "closed": "door", "turned_on": "power", "turned_off": "power"}
    locks = ground(office.scene, load_pack("household-locks"))
    assert toggles(locks) == {**toggles(office), "locked": "lock", "unlocked": "lock"}


def test_another_pack_has_other_switches() -> None:
    folder = Path(tidy.__file__).parents[1] / "domains" / "template"
    belief = ground(open_scene(str(folder / "scene.json")), load_pack(str(folder)))
    assert toggles(belief) == {"running": "power", "stopped": "power"}
    done = tidied("(forall (?v - vial) (measured ?v))", belief)
    assert [str(a) for a in done.added] == ["(stopped spectrometer1)"] and done.result.verified


def test_a_state_that_nothing_reverses_is_no_switch(office: Belief) -> None:
    close = office.pack.domain.actions["close"]
    actions = {**office.pack.domain.actions, "close": replace(close, add=())}
    once = replace(office.pack, domain=replace(office.pack.domain, actions=actions))
    assert set(toggles(ground(office.scene, once))) == {"turned_on", "turned_off"}


# What is put back


@pytest.mark.parametrize(
    ("goal", "added"),
    [
        ("(hot chicken_kebab)", ["(closed fridge)", "(turned_off microwave)"]),
        ("(and (hot chicken_kebab) (turned_off microwave))", ["(closed fridge)"]),
        ("(sometime (turned_on coffee_machine))", ["(turned_off coffee_machine)"]),
        ("(and (sometime (open fridge)) (robot_at lobby))", ["(closed fridge)"]),
        ("(turned_on coffee_machine)", []),
        ("(open fridge)", []),
        ("(not (closed fridge))", []),
        ("(exists (?f - fridge) (open ?f))", []),
        ("(forall (?f - fridge) (open ?f))", []),
        ("(inside_of orange1 fridge)", ["(closed fridge)"]),
        ("(and (open fridge) (inside_of orange1 fridge))", []),
        ("(robot_at lobby)", []),
    ],
)
def test_what_the_goal_says_nothing_of_is_put_back(goal: str, added: list[str], office: Belief) -> None:
    done = tidied(goal, office)
    assert [str(a) for a in done.added] == added and done.left == ()
    assert done.result.verified
    assert verify_plan(done.result.steps, office, parse_goal(goal).formula).verified
    parts = [goal, *added] if added else [goal]
    assert str(done.goal) == (f"(and {' '.join(parts)})" if added and "(and" not in goal else str(done.goal))


def test_a_lock_that_was_opened_is_locked_again() -> None:
    pack = load_pack("household-locks")
    office = load_scene("office")
    keys = {"classes": ("brass_key", "apple"), "affordances": ("pickup",)}
    affordances = (*office.nodes["fridge"].affordances, "brass_lock")
    locked = {"affordances": affordances, "state": ("closed", "locked")}
    belief = ground(office.changed([], [], {"fridge": locked, "apple1": keys}), pack)
    assert sorted(map(str, tidied("(hot chicken_kebab)", belief).added)) == [
        "(closed cabinet4)",
        "(closed fridge)",
        "(hand_free)",
        "(locked fridge)",
        "(turned_off microwave)",
    ]
    # An open door cannot be locked: nobody asked for that, and nothing is missing.
    opened = tidied("(open fridge)", belief)
    assert [str(a) for a in opened.added] == ["(closed cabinet4)", "(hand_free)"]  # where the key was
    assert opened.left == () and opened.result.verified


# What cannot be put back


def test_what_the_goal_needs_stays(office: Belief) -> None:
    """A microwave that runs does not open, so it cannot be open and run again."""
    running = {"state": ("closed", "on"), "affordances": office.scene.nodes["microwave"].affordances}
    belief = ground(office.scene.changed([], [], {"microwave": running}), office.pack)
    done = tidied("(open microwave)", belief)
    assert done.left == (NotPutBack(Atom("turned_on", ("microwave",)), "unsolvable"),)
    assert done.added == () and str(done.goal) == "(open microwave)" and done.result.verified
    assert done.result.reproducible and not done.result.cut_off


def test_what_cannot_be_closed_keeps_nothing_else_from_being_put_back(office: Belief) -> None:
    belief = without(office, fridge="close")
    done = tidied("(hot chicken_kebab)", belief)
    assert [str(a) for a in done.added] == ["(turned_off microwave)"]
    assert done.left == (NotPutBack(Atom("closed", ("fridge",)), IRREVERSIBLE),)
    assert verify_plan(done.result.steps, belief, parse_goal("(and (hot chicken_kebab))").formula).verified


def test_without_a_plan_nothing_is_put_back(office: Belief) -> None:
    done = tidied("(and (open microwave) (turned_on microwave))", office)
    assert done.result.ending is Ending.UNSOLVABLE and done.added == done.left == ()


def test_the_plan_stays_where_time_ends_before_another(office: Belief) -> None:
    goal = parse_goal("(hot chicken_kebab)")
    plan = plan_goal(goal, office, PYPERPLAN)
    done = put_back(goal, plan, office, PYPERPLAN, Budget(seconds=1e-6))
    assert done.goal is goal and done.result.plan == plan.plan and done.result.verified
    assert [(str(one.fact), one.why) for one in done.left] == [
        ("(closed fridge)", "timed-out"),
        ("(turned_off microwave)", "timed-out"),
    ]
    assert done.result.cut_off == (WORK,) and not done.result.reproducible


def test_a_limit_within_the_work_itself_costs_no_plan(
    office: Belief, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_time(*given: object) -> bool:
        raise LimitReached(Ending.TIMED_OUT, "finding what can be brought about", "the time limit of 1 s")

    monkeypatch.setattr(tidy.Attainable, "reachable", out_of_time)
    done = tidied("(hot chicken_kebab)", office)
    assert done.result.verified and not done.result.reproducible and done.added == ()
    assert [one.why for one in done.left] == ["timed-out", "timed-out"]


def test_goals_are_tried_up_to_a_bound(office: Belief, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tidy, "MAX_PLANS", 0)
    done = tidied("(hot chicken_kebab)", without(office, fridge="close"))
    assert {one.why for one in done.left} == {NOT_TRIED, IRREVERSIBLE} and len(done.left) == 2


# In a run


def test_a_run_says_what_it_added(office: Belief) -> None:
    record = told(office, "Heat up the chicken kebab.", "(hot chicken_kebab)")
    assert record.verified and str(record.goals[-1].goal) == "(hot chicken_kebab)"
    assert str(record.goal) == "(and (hot chicken_kebab) (closed fridge) (turned_off microwave))"
    assert record.says == "Heat chicken_kebab. Close fridge. Turn off microwave."
    told_json = record.as_json()
    assert told_json["added"] == ["(closed fridge)", "(turned_off microwave)"] and told_json["left"] == []


def test_a_run_says_what_it_left(office: Belief) -> None:
    record = told(without(office, fridge="close"), "Get the banana.", "(holding banana2)")
    assert record.verified and str(record.goal) == "(holding banana2)" and not record.added
    assert record.as_json()["left"] == [{"fact": "(closed fridge)", "why": "irreversible"}]


def test_nothing_is_added_to_a_goal_that_is_given_nor_where_it_is_not_wanted(office: Belief) -> None:
    goal = parse_goal("(hot chicken_kebab)")
    given_goal = run(Request(office, "Heat up the chicken kebab.", goal), PYPERPLAN)
    asked_not = told(office, "Heat up the chicken kebab.", "(hot chicken_kebab)", tidy=False)
    for record in (given_goal, asked_not):
        assert (
            record.verified
            and str(record.goal) == "(hot chicken_kebab)"
            and record.added == record.left == ()
        )


def test_a_repair_is_held_against_what_the_reader_wrote(office: Belief) -> None:
    """That (closed fridge) would be added anyway is no reason to drop it."""
    first = "(and (closed fridge) (holding banana2) (turned_on microwave) (open microwave))"
    record = told(office, "Get the banana and close the fridge.", first, "(holding banana2)")
    assert record.outcome == "goal-drift" and "dropped" in record.reasons[0]


def test_a_door_that_the_robot_finds_open_stays_open(office: Belief) -> None:
    """As found is as the robot finds it, not as it believed before."""
    true = ground(office.scene.changed([], [], {"fridge": {"state": ("open",)}}), office.pack)
    reader = writing(office, "(hot chicken_kebab)")
    events: list[Event] = []
    request = Request(office, "Heat up the chicken kebab.", world=true)
    record = run(request, PYPERPLAN, reader, listener=events.append)
    assert record.verified and record.trajectory.observations
    assert [str(a) for a in record.added] == ["(turned_off microwave)"]
    (put,) = [e for e in events if isinstance(e, PutBack)]
    assert str(put.goal) == str(record.goal)
    assert verify_plan(record.trajectory.executed, true, put.goal.formula).verified


def test_the_plan_alone_stays_where_the_world_refuses_the_tidy_one(
    office: Belief, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = without(office, fridge="close")
    request = Request(office, "Get the banana.", world=true)

    def record() -> Record:
        return run(request, PYPERPLAN, writing(office, "(holding banana2)"))

    seen = record()  # the robot sees that this fridge cannot be closed, and plans without
    assert seen.verified and seen.trajectory.observations and str(seen.goal) == "(holding banana2)"
    assert seen.left == (NotPutBack(Atom("closed", ("fridge",)), IRREVERSIBLE),)


# As a property


def said(formula: Formula) -> Iterator[Atom]:
    if isinstance(formula, Atom):
        yield formula
    for part in () if isinstance(formula, Sometime) else children(formula):
        yield from said(part)


def silent(goal: Formula, fact: Atom) -> bool:
    """Return whether a goal cannot speak of a door or a switch, by the look of it."""
    kinds = {fact.predicate, OPPOSITE[fact.predicate]}
    return all(
        a.predicate not in kinds or (isinstance(a.args[0], str) and a.args != fact.args) for a in said(goal)
    )


@st.composite
def goals(draw: st.DrawFn, belief: Belief) -> Formula:
    """Any goal, or errands that need doors and switches, some of them for a while only."""
    if draw(st.integers(0, 4)) == 0:
        return draw(formulas(belief, sometime=True))
    things = typed_names(belief, "item")
    shut = [args[0] for args in belief.facts.all("can_open")]
    errands = [Atom(p, (i,)) for p in ("holding", "hot", "clean") for i in things]
    errands += [Atom("inside_of", (i, x)) for i in things for x in shut if i != x]
    errands += [Atom(p, args) for p in OPPOSITE for args in belief.facts.all(OPPOSITE[p])]
    chosen = draw(st.lists(st.sampled_from(errands), min_size=1, max_size=3, unique=True))
    return And(tuple(Sometime(a) if draw(st.booleans()) else a for a in chosen))


@draws(100, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_tidy_plan_verifies_the_goal_and_leaves_the_rest_as_found(data: st.DataObject) -> None:
    belief = data.draw(beliefs(hostile=None))
    goal = Goal.of(data.draw(goals(belief)))
    report = check(goal, belief)
    assume(report.ok)
    budget = Budget(seconds=10)
    plan = plan_goal(goal, belief, PYPERPLAN, budget, normal=report.normal)
    done = put_back(goal, plan, belief, PYPERPLAN, budget, report.normal)
    if not plan.verified:
        assert done == Tidied(goal, plan)
        return
    assert done.result.verified and verify_plan(done.result.steps, belief, goal.formula).verified
    world = World(belief)
    for step in done.result.steps:
        world.apply(step)
    left = {one.fact for one in done.left}
    for predicate in OPPOSITE:
        for args in belief.facts.all(predicate):
            fact = Atom(predicate, args)
            holds = world.state.facts.holds(predicate, args)
            if fact in done.added:
                assert holds
            elif silent(goal.formula, fact):
                assert holds != (fact in left), f"{fact} in {done.goal}"
