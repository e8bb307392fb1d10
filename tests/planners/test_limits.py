"""Limits of time and size in planning: a clock that runs fast ends every stage, and the record says which."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from groundplan import (
    Engine,
    Request,
    check,
    find,
    ground,
    load_pack,
    load_scene,
    parse_goal,
    parse_query,
    plan_goal,
    read_steps,
    run,
    verify_plan,
)
from groundplan.domains import deadline
from groundplan.domains.ending import Ending
from groundplan.engines.base import Budget, PddlText, TextEngine, TextResult
from groundplan.planners.selection.selection import Selection
from groundplan.planners.strategies import choices
from groundplan.planners.subgoals import split
from groundplan.simulator.belief import Belief

GOAL = "(and (in_room banana1 kitchen) (in_room apple1 kitchen) (open microwave))"


class FastClock:
    """A clock that goes on by ``tick`` seconds each time that it is read."""

    def __init__(self, tick: float) -> None:
        self.now, self.tick = 0.0, tick

    def __call__(self) -> float:
        self.now += self.tick
        return self.now


@dataclass
class SetClock:
    """A clock that goes on only when it is told to."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.named("pyperplan")


def test_every_stage_of_planning_may_be_cut_off(office: Belief, engine: Engine) -> None:
    """However early or late the clock strikes, planning ends with an answer that says what was cut off."""
    endings = set()
    for tick in (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001):
        result = plan_goal(parse_goal(GOAL), office, engine, Budget(30.0), clock=FastClock(tick))
        endings.add(result.ending)
        if result.ending is not Ending.SOLVED:
            assert result.ending is Ending.TIMED_OUT and result.cut_off and result.reasons
        assert result.reproducible == (not result.cut_off)
    assert Ending.TIMED_OUT in endings


def test_a_size_that_memory_would_not_hold_ends_out_of_memory(
    office: Belief, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = parse_goal("(forall (?i - apple) (in_room ?i kitchen))")
    for kind in ("literals", "bindings", "facts"):
        with monkeypatch.context() as patched:
            patched.setattr(deadline, "MAX_SIZES", {**deadline.MAX_SIZES, kind: 1})
            result = plan_goal(goal, office, engine)
        assert result.ending is Ending.OUT_OF_MEMORY and result.reproducible
        assert f"the bound of 1 {kind}" in result.reasons[0]


def test_the_record_says_what_the_clock_cut_off(office: Belief, engine: Engine) -> None:
    with deadline.limited(30.0, FastClock(0.3)):
        record = run(Request(office, goal=parse_goal(GOAL)), engine)
    fields = record.as_json()
    assert (fields["outcome"], fields["reproducible"], record.exit_code) == ("timed-out", False, 1)
    assert fields["cut_off"] and fields["reasons"]


def test_what_holds_and_nothing_touches_costs_nothing(
    office: Belief, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands of conjuncts that hold already: only what is open is followed back through the actions."""
    followed: list[object] = []
    closure = split.closure

    def counting(*arguments: object, **named: object) -> object:
        followed.append(arguments[0])
        return closure(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(split, "closure", counting)
    goal = "(forall (?x - item ?y - item) (or (= ?x ?y) (not (inside_of ?x ?y))))"
    result = plan_goal(parse_goal(f"(and (open fridge) {goal})"), office, engine)
    assert result.verified and len(followed) < 10


def test_questions_and_comparisons_of_goals_see_the_limit(office: Belief) -> None:
    """Public functions without a budget of their own end at the limit that their caller opened."""
    question = parse_query("(find (?a - item ?b - item ?c - item) (not (= ?a ?b)))")
    steps = read_steps("goto(pose13)\ngoto(pose8)\n" * 20)
    checked = "(exists (?a - item ?b - item) (and (in_room ?a kitchen) (ontop_of ?a ?b)))"
    with deadline.limited(0.5, FastClock(0.01)):
        assert check(parse_goal(checked), office).diagnostics[0].code == "unchecked"
    for work in (lambda: find(question, office), lambda: verify_plan(steps, office)):
        with deadline.limited(0.3, FastClock(0.01)), pytest.raises(deadline.LimitReached) as cut:
            work()
        assert cut.value.ending is Ending.TIMED_OUT


def test_memory_that_the_system_refuses_is_an_ending(
    office: Belief, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object, **named: object) -> None:
        raise MemoryError

    monkeypatch.setattr(split, "closure", refuse)
    result = plan_goal(parse_goal("(and (in_room banana1 kitchen) (open fridge))"), office, engine)
    assert (result.ending, result.reproducible) == (Ending.OUT_OF_MEMORY, False)
    assert "no more memory" in result.reasons[0]


def test_a_plan_for_one_choice_is_kept_where_the_next_is_cut_off(
    office: Belief, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts: list[object] = []
    attempt = choices._Choosing._attempt

    def only_once(planner: choices._Choosing, selection: Selection, *rest: bool) -> object:
        attempts.append(selection)
        if len(attempts) > 1:
            raise deadline.LimitReached(Ending.TIMED_OUT, "planning", "the time limit of 1 s")
        found = attempt(planner, selection, *rest)
        assert found is not None
        return replace(found, cost_mm=10**9)  # so that another choice may be cheaper

    monkeypatch.setattr(choices._Choosing, "_attempt", only_once)
    monkeypatch.setattr(choices, "CLOSE", -1.0)
    goal = parse_goal("(exists (?a - apple ?o - phd_bay) (in_room ?a ?o))")
    result = plan_goal(goal, office, engine)
    assert len(attempts) == 2 and result.verified
    assert result.cut_off == ("planning for one choice after the other",) and not result.reproducible


@dataclass
class Tardy(TextEngine):
    """An engine that uses up all the time of its first call, by a clock that the test owns."""

    clock: SetClock
    engine: TextEngine
    supports_costs: bool = False
    name: str = "tardy"
    calls: int = 0

    def solve_text(self, text: PddlText, budget: Budget) -> TextResult:
        self.calls += 1
        if self.calls > 1:
            return self.engine.solve_text(text, Budget(20))
        self.clock.now += budget.seconds
        return TextResult(Ending.TIMED_OUT, reproducible=False)


def test_a_narrow_problem_that_takes_all_its_time_leaves_some_to_the_wide_one(
    office: Belief, engine: Engine
) -> None:
    clock = SetClock()
    tardy = Engine("tardy", Tardy(clock, engine.text_engine))
    result = plan_goal(parse_goal("(open microwave)"), office, tardy, Budget(30), clock)
    assert result.verified and not result.reproducible
    assert result.cut_off == ("the search of tardy", "planning with the nearest of equal things")
