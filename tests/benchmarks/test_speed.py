"""Speed on the office and in a large generated building.

``pytest tests/benchmarks -m "not live" --benchmark-only`` prints a table of the times. No test asserts
seconds: what is asserted are ratios of two times of one run, and costs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from drawn_tasks import pick_and_place
from oracles.optimum import least_errands
from plain_building import building

from groundplan.compiler.goals.goal import Goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.engines.result import PlanResult
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene_json import read_scene, scene_text

LARGE = (1000, 4000, 10_000)


@cache
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


@cache
def large() -> Belief:
    return ground(building(*LARGE), load_pack())


def planned(belief: Belief, goal: Goal) -> PlanResult:
    """Plan with an engine that remembers nothing; the worker behind it stays warm."""
    result = plan_goal(goal, belief, Engine.named("pyperplan"))
    assert result.verified
    return result


def goal_of(belief: Belief, errands: int, seed: int = 0) -> Goal:
    return Goal.of(pick_and_place(belief, errands, seed))


@pytest.mark.parametrize("errands", [1, 4, 8, 16])
def test_goal_to_verified_plan_on_the_office(benchmark: Any, errands: int) -> None:
    goal = goal_of(office(), errands)
    planned(office(), goal)
    benchmark.pedantic(planned, (office(), goal), rounds=10 if errands < 16 else 5, warmup_rounds=1)


@pytest.mark.slow
def test_four_errands_in_a_large_building(benchmark: Any) -> None:
    goal = goal_of(large(), 4)
    planned(large(), goal)
    benchmark.pedantic(planned, (large(), goal), rounds=10)


@pytest.mark.slow
def test_loading_a_large_building(benchmark: Any, tmp_path: Path) -> None:
    file = tmp_path / "building.json"
    file.write_text(scene_text(building(*LARGE)), encoding="utf-8")
    loaded = benchmark.pedantic(lambda: ground(read_scene(file), load_pack()), rounds=3)
    assert loaded.scene == building(*LARGE)


@pytest.mark.slow
def test_planning_does_not_grow_with_the_building() -> None:
    """Four errands among 10,000 objects take at most three times what they take in the office."""
    times = {}
    for name, belief in (("office", office()), ("building", large())):
        goals = [goal_of(belief, 4, seed) for seed in range(5)]
        for goal in goals:
            planned(belief, goal)
        times[name] = median(min(seconds(planned, belief, g) for _ in range(3)) for g in goals)
    assert times["building"] <= 3 * times["office"], times


def seconds(function: Callable[..., object], *args: object) -> float:
    started = time.perf_counter()
    function(*args)
    return time.perf_counter() - started


@pytest.mark.parametrize(
    "errands",
    [1, 2, 3, 4, pytest.param(6, marks=pytest.mark.slow), pytest.param(8, marks=pytest.mark.slow)],
)
def test_errands_cost_what_they_must(errands: int) -> None:
    """At most 1.05 times the cheapest order, which a search of its own finds."""
    belief = office()
    for seed in range(10):
        goal = pick_and_place(belief, errands, seed)
        cost = planned(belief, Goal.of(goal)).cost
        assert cost is not None
        assert cost <= 1.05 * least_errands(goal, belief), seed


@pytest.mark.slow
@pytest.mark.parametrize("errands", [1, 2, 3])
def test_an_optimal_planner_finds_nothing_cheaper(errands: int) -> None:
    """Fast Downward, run to proof on all errands at once, may also put things down on the way."""
    belief = office()
    for seed in range(5):
        goal = Goal.of(pick_and_place(belief, errands, seed))
        best = plan_goal(goal, belief, Engine.named("fast-downward-opt"))
        assert best.verified
        assert best.optimal or errands > 1  # a proof for the whole office takes longer than its share
        cost = planned(belief, goal).cost
        assert best.cost is not None and cost is not None
        assert best.cost <= cost <= 1.05 * best.cost, seed
