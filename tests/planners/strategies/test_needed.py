"""The table of strategies: each with a goal that fails or gets dearer without it.

docs/planning.md lists them. A strategy without a row is not needed, and goes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest
from oracles.random_worlds import random_world
from small_worlds import ALL_FOUR, CRATE, kitchen, rooms

from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.problem import Unsupported
from groundplan.datasets.library import load_set
from groundplan.datasets.scenes import load_scene
from groundplan.domains.deadline import LimitReached
from groundplan.domains.ending import Ending
from groundplan.domains.errors import NoRoute
from groundplan.domains.formula import Atom
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.engines.result import PlanResult
from groundplan.planners import schedule
from groundplan.planners.classical import plan_goal
from groundplan.planners.failure import PlanningFailed
from groundplan.planners.strategies import parts
from groundplan.planners.subgoals import solving
from groundplan.planners.task import PlanningTask, Subplan
from groundplan.simulator.belief import Belief, ground


@cache
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


def drawn(seed: int, pack: str) -> Belief:
    return random_world(seed, pack).belief


@cache
def home() -> Belief:
    return ground(load_scene("home"), load_pack())


def holding(name: str) -> Belief:
    """Return the belief of a house whose robot holds a thing."""
    scene = load_set("house-planning")[14].load()
    robot = next(node.id for node in scene.nodes.values() if node.type == "agent")
    thing = replace(scene.nodes[name], parent=robot, relation="inside_hand")
    return ground(replace(scene, nodes={**scene.nodes, name: thing}), load_pack())


@dataclass(frozen=True)
class Row:
    """A strategy, and a goal that needs it: its world, its engine, and what is lost without the strategy."""

    name: str
    belief: Callable[[], Belief]
    goal: str
    lost: str
    engine: str = "pyperplan"
    states: int | None = None
    """The most states that the engine may expand."""


ROWS = (
    Row("nothing_to_do", office, "(closed fridge)", "optimal"),
    Row("in_one_piece", office, "(and (open fridge) (turned_on microwave))", "optimal", "fast-downward-opt"),
    Row("by_parts", lambda: rooms(4, CRATE), f"(and {ALL_FOUR})", "plan", states=100),
    Row("with_carriers", lambda: rooms(4, CRATE), f"(and {ALL_FOUR})", "cheaper"),
    Row(
        "all_at_once",
        lambda: drawn(84, "household"),
        "(and (or (clean banana0) (inside_of banana2 room0) (ontop_of banana0 dishwasher0))"
        " (or (robot_at room0) (clean cupboard1)))",
        "plan",
    ),
    Row("events_prevented", kitchen, "(and (turned_on dishwasher) (not (clean plate)))", "plan"),
    Row(
        "chosen",
        lambda: drawn(7, "household-locks"),
        "(forall (?x - item) (not (in_room ?x room2)))",
        "cheaper",
    ),
    Row(
        "disproved",
        office,
        "(at-least 3 (?d - desk) (exists (?m - item) (and (filled ?m) (ontop_of ?m ?d))))",
        "asked",
        states=1,
    ),
    Row("wide pass", lambda: drawn(10, "household"), "(forall (?x - toolbox) (in_room ?x room1))", "plan"),
    Row(
        "put_down_first",
        lambda: holding("pillow1"),
        "(and (ontop_of statue1 tv_stand1) (inside_of pillow1 garbage_can2)"
        " (ontop_of toilet_paper1 dresser1))",
        "cheaper",
    ),
    Row(
        "thing_by_thing",
        office,
        "(and (inside_of bottle_water1 microwave) (ontop_of orange1 desk3) (ontop_of buzzer table1)"
        " (inside_of headphones microwave) (hot kale_leaves2) (ontop_of kale_leaves2 desk3))",
        "cheaper",
    ),
    Row("unloaded_less", lambda: rooms(4, CRATE), "(forall (?t - thing) (in_room ?t room2))", "cheaper"),
    Row(
        "made_cheaper",
        lambda: drawn(0, "household"),
        "(and (or (in_room box0 room0) (holding apple1))"
        " (or (robot_at room0) (ontop_of apple1 coffee_machine2) (holding vase2)))",
        "cheaper",
    ),
    Row(
        "ordered within a part",
        home,
        "(and (hot pillow2) (inside_of pillow2 wardrobe0) (ontop_of sock2 chair13)"
        " (ontop_of margherita_pizza0 sink0) (ontop_of shirt0 chair13) (inside_of towel0 wardrobe0))",
        "cheaper",
        "fast-downward",
    ),
    Row(
        "put down near by",
        office,
        "(and (not (ontop_of scissors desk6)) (not (ontop_of toolbox robot_lounge2))"
        " (not (inside_of apple2 cabinet3)) (not (inside_of salmon_bagel fridge)))",
        "cheaper",
    ),
)
ELSEWHERE = {"searched": "tests/planners/test_limits.py"}
"""Strategies that have their row in another file: an engine that is late takes a clock of its own."""


def without(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take one strategy out of the schedule, and out of what the strategies share."""

    def kept(passes: tuple[schedule.Pass, ...]) -> tuple[schedule.Pass, ...]:
        return tuple(
            replace(
                one,
                steps=tuple(
                    replace(step, improvements=tuple(c for c in step.improvements if c.__name__ != name))
                    for step in one.steps
                    if step.strategy.__name__ != name
                ),
            )
            for one in passes
        )

    for lists in ("USUAL", "OPTIMAL", "WHOLE"):
        monkeypatch.setattr(schedule, lists, kept(getattr(schedule, lists)))
    monkeypatch.setattr(schedule, "WAYS", tuple(w for w in schedule.WAYS if w.__name__ != name))
    match name:
        case "wide pass":
            monkeypatch.setattr(schedule, "USUAL", schedule.USUAL[:1])
        case "events_prevented":
            monkeypatch.setattr(schedule, "AFTER_A_VETO", lambda task, subplan: None)
        case "with_carriers":
            monkeypatch.setattr(parts, "with_carriers", lambda *_: None)
        case "ordered within a part":
            monkeypatch.setattr(parts, "ordered_within", lambda task, part: part)
        case "put down near by":
            monkeypatch.setattr(solving, "put_down_nearby", lambda skeleton, *_: skeleton)


def planned(row: Row, engine: Engine) -> PlanResult | None:
    """Return the answer for the goal of a row; ``None`` where no way is left."""
    try:
        return plan_goal(parse_goal(row.goal), row.belief(), engine, Budget(20))
    except AssertionError as error:
        assert str(error) == schedule.NO_WAY
        return None


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_goal_needs_the_strategy(row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    engines = [Engine.named(row.engine).limited_to(row.states) for _ in range(2)]
    with_it = planned(row, engines[0])
    without(row.name, monkeypatch)
    without_it = planned(row, engines[1])
    assert with_it is not None
    match row.lost:
        case "plan":
            assert with_it.verified and (without_it is None or not without_it.verified)
        case "asked":
            assert with_it.proof and engines[0].calls < engines[1].calls
        case "optimal":
            assert with_it.optimal and without_it is not None and not without_it.optimal
        case "cheaper":
            assert with_it.verified and without_it is not None
            assert (with_it.cost_mm or 0) < (without_it.cost_mm or 0)


def test_each_strategy_of_the_schedule_has_a_row_and_each_row_is_documented() -> None:
    passes = (*schedule.USUAL, *schedule.OPTIMAL, *schedule.WHOLE)
    named = {w.__name__ for w in schedule.WAYS} | {schedule.AFTER_A_VETO.__name__}
    for step in (step for one in passes for step in one.steps):
        named |= {step.strategy.__name__, *(c.__name__ for c in step.improvements)}
    rows = {row.name for row in ROWS} | ELSEWHERE.keys()
    assert named - {"by_ways"} <= rows
    text = (Path(__file__).parents[3] / "docs" / "planning.md").read_text("utf-8")
    assert [name for name in rows if f"| {name} |" not in text and f"| `{name}` |" not in text] == []
    assert [row.goal for row in ROWS if f"`{row.goal}`" not in text] == []


@pytest.mark.parametrize(
    "failure",
    [
        PlanningFailed(PlanResult(Ending.NOT_FOUND), Atom("hand_free")),
        NoRoute("lobby", "moon"),
        Unsupported("a goal that no problem says"),
        LimitReached(Ending.TIMED_OUT, "an improvement", "its share of the time"),
        LimitReached(Ending.OUT_OF_MEMORY, "an improvement", "the bound of 10 facts"),
    ],
    ids=lambda failure: type(failure).__name__,
)
def test_nothing_that_fails_after_it_loses_a_plan(
    failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(task: PlanningTask, result: PlanResult, subplan: Subplan) -> PlanResult:
        raise failure

    steps = [
        replace(one, steps=tuple(replace(s, improvements=(fails,)) for s in one.steps))
        for one in schedule.USUAL
    ]
    monkeypatch.setattr(schedule, "USUAL", tuple(steps))
    result = plan_goal(parse_goal("(open fridge)"), office(), Engine.named("pyperplan"))
    cut = isinstance(failure, LimitReached) and not failure.reproducible
    assert result.verified and bool(result.cut_off) == cut
