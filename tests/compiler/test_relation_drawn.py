"""Relations of drawn goals in drawn worlds, against all states that the laws allow or plans reach."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from oracles import reached
from oracles.goal_pairs import GoalPair, constrained_pair, goal_pair
from oracles.invariant_runs import InvariantRuns, TooMany

from groundplan.compiler.comparison import relate, runs, states
from groundplan.compiler.comparison.relation import GoalRelation
from groundplan.compiler.goals.goal import parse_goal
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.planners.goal_diff import HOLDS, diff
from groundplan.simulator.verification import watched

NUMBER = 2000
"""Pairs of the large run."""


def compared(pair: GoalPair) -> tuple[GoalRelation, str] | None:
    """The relation of a pair with the one by enumeration; ``None`` where that has too many states."""
    a, b = (parse_goal(text).formula for text in (pair.a, pair.b))
    bodies = list(dict.fromkeys((*watched(a, pair.belief), *watched(b, pair.belief))))
    try:
        runs = InvariantRuns(pair.belief)
    except TooMany:
        return None
    true = runs.pair(a, b, bodies)
    answer = relate(a, b, pair.belief)
    if answer.relation != "unknown":
        where = f"{pair.belief.scene.name}: {pair.a} | {pair.b}"
        assert answer.relation == true.relation, where
        never = tuple(name for index, name in enumerate("ab") if not any(pair[index] for pair in true.seen))
        always = tuple(name for index, name in enumerate("ab") if all(pair[index] for pair in true.seen))
        assert (answer.unsatisfiable, answer.always) == (never, always), where
    return answer, true.relation


def counted(seeds: range, folder: Path, most: int) -> Counter[str]:
    """Counts over so many pairs, half of them directed."""
    counts: Counter[str] = Counter()
    for seed in seeds:
        place = folder / str(seed)
        place.mkdir()
        pair = goal_pair(seed, place)
        kind = "drawn" if pair is not None and pair.kind == "drawn" else "directed"
        if pair is None or counts[kind] == most // 2 or (both := compared(pair)) is None:
            continue
        answer, relation = both
        counts += Counter(["pairs", kind, relation, f"pack {pair.belief.pack.name}"])
        counts["unknown"] += answer.relation == "unknown"
        if counts["pairs"] == most:
            break
    return counts


def test_relations_are_those_of_all_states(tmp_path: Path) -> None:
    counts = counted(range(40), tmp_path, 40)
    assert counts["pairs"] > 15 and not counts["unknown"] and counts["directed"]


def compared_over_runs(seeds: range, folder: Path, most: int) -> Counter[str]:
    """Relations of goals about the run, against all runs by automata and short ones by the definition."""
    counts: Counter[str] = Counter()
    for seed in seeds:
        place = folder / f"run{seed}"
        place.mkdir()
        if (pair := constrained_pair(seed, place)) is None:
            continue
        a, b = (parse_goal(text).formula for text in (pair.a, pair.b))
        bodies = list(dict.fromkeys((*watched(a, pair.belief), *watched(b, pair.belief))))
        try:
            drawn = InvariantRuns(pair.belief, most=600)
        except TooMany:
            continue
        true = drawn.pair(a, b, bodies)
        answer = relate(a, b, pair.belief)
        where = f"{seed}: {pair.a} | {pair.b}"
        assert drawn.short(a, b, bodies, 3, 3000).seen <= true.seen, where
        assert answer.relation in (true.relation, "unknown"), where
        counts[answer.relation] += 1
        counts["pairs"] += 1
        if counts["pairs"] == most:
            break
    return counts


def test_relations_of_goals_about_the_run_are_those_of_all_runs(tmp_path: Path) -> None:
    counts = compared_over_runs(range(60), tmp_path, 20)
    assert counts["pairs"] == 20 and not counts["unknown"] and counts["equal"] and counts["weaker"]


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_relations_of_many_goals_about_the_run_are_those_of_all_runs(tmp_path: Path) -> None:
    """The figures are in docs/decisions/0070-goals-as-circuits.md."""
    counts = compared_over_runs(range(1_000, 9_000), tmp_path, 1_000)
    print(counts)
    assert counts["pairs"] == 1_000 and counts["unknown"] <= 20


def asked_twice(seeds: range, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """Number of questions about drawn pairs that both solvers answer alike, and of those without a state."""
    second = pytest.importorskip("oracles.second_solver", exc_type=ImportError)
    monkeypatch.setattr(runs, "Solver", second.BothSolvers)
    second.BothSolvers.questions = second.BothSolvers.without = 0
    for seed in seeds:
        place = folder / str(seed)
        place.mkdir()
        if (pair := goal_pair(seed, place)) is not None:
            relate(*(parse_goal(text).formula for text in (pair.a, pair.b)), pair.belief)
    return second.BothSolvers.questions, second.BothSolvers.without


def test_another_solver_has_the_same_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, without = asked_twice(range(100, 160), tmp_path, monkeypatch)
    assert asked > 100 and without > 30


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_another_solver_has_the_same_answers_to_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, without = asked_twice(range(20_000, 21_200), tmp_path, monkeypatch)
    print(asked, without)
    assert asked > 2500 and without > 700


def test_carriers_that_are_not_followed_make_no_relation_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "MAX_FOLLOWED", 0)
    for seed in range(40, 70):
        place = tmp_path / str(seed)
        place.mkdir()
        pair = goal_pair(seed, place)
        if pair is None:
            continue
        a, b = (parse_goal(text).formula for text in (pair.a, pair.b))
        answer = relate(a, b, pair.belief)
        monkeypatch.setattr(states, "MAX_FOLLOWED", 12)
        followed = relate(a, b, pair.belief)
        monkeypatch.setattr(states, "MAX_FOLLOWED", 0)
        assert "unknown" in (answer.relation, followed.relation) or answer.relation == followed.relation


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_relations_of_many_pairs_are_those_of_all_states(tmp_path: Path) -> None:
    """The figures are in docs/decisions/0070-goals-as-circuits.md."""
    counts = counted(range(1_000, 20_000), tmp_path, NUMBER)
    print(counts)
    assert counts["directed"] == counts["drawn"] == NUMBER // 2
    assert counts["unknown"] <= NUMBER * 0.02
    assert min(counts[r] for r in ("equal", "stronger", "weaker", "overlapping", "disjoint")) >= NUMBER * 0.01


def held_against_plans(seed: int, folder: Path, engine: Engine | None, most: int) -> Counter[str]:
    """What is said of the sides of a pair, each against the worlds that are reached by trying all actions."""
    pair = goal_pair(seed, folder)
    counts: Counter[str] = Counter()
    if pair is None:
        return counts
    answer = diff(parse_goal(pair.a), parse_goal(pair.b), pair.belief, engine, Budget(seconds=10))
    for name in HOLDS:
        side = answer.laws.sides[name]
        planned = answer.planned[name].empty if answer.planned is not None else None
        met, complete = reached.states(pair.belief, side.goal, most)
        where = f"{seed} {name}: {pair.a} | {pair.b}"
        assert not (met and side.empty), where
        assert not (met and planned), where
        assert not (complete and not met and planned is False), where
        counts[f"planned {planned}"] += 1
        counts[f"laws {side.empty}"] += 1
    return counts


def test_what_the_laws_exclude_is_not_reached(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    for seed in range(70, 82):
        place = tmp_path / str(seed)
        place.mkdir()
        counts += held_against_plans(seed, place, None, 150)
    assert counts["laws True"] and counts["laws False"]


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_what_planning_says_of_the_sides_is_so(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    for seed in range(200, 300):
        place = tmp_path / str(seed)
        place.mkdir()
        counts += held_against_plans(seed, place, Engine.named("pyperplan"), 2500)
    print(counts)
    assert counts["planned False"] > 50 and counts["planned True"] > 50
