"""Why a goal has no plan, and what can be had: against all states that are reached, and by hand."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from oracles.corrections import Attainable, goal_of, reached, smallest, units_of
from oracles.goal_pairs import small_world

from groundplan.compiler.certificates.checker import check_certificate
from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.datasets.scenes import open_scene
from groundplan.domains.formula import Count, Formula, conjunction
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.engines.result import NOT_PLANNED, PlanResult
from groundplan.planners.proofs.impossible import ImpossibleParts
from groundplan.planners.why_not import GoalChange, WhyNot, why_not
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.verification import verify_plan

ENGINE = Engine.named("pyperplan")
NUMBER = 500
"""Goals of the large run."""


@cache
def office() -> Belief:
    return ground(open_scene("office"), load_pack())


def asked(goal: str, seconds: float = 30) -> WhyNot:
    return why_not(parse_goal(goal), office(), ENGINE, Budget(seconds=seconds))


def given_up(change: GoalChange, belief: Belief) -> frozenset[Formula]:
    """Return the units that a change gives up, by the units of the oracle."""
    every = units_of(change.part, belief)
    if not isinstance(change.part, Count):
        return frozenset(every) - frozenset(change.to)
    return frozenset(every[: every.index(change.to[0])] if change.to else every)


def is_verified(result: PlanResult, goal: Formula, belief: Belief) -> bool:
    run = verify_plan(result.steps, belief, goal)
    return run.verified and result.cost is not None


def compared(seed: int, folder: Path) -> Counter[str]:
    """Compare one drawn goal with enumeration; return what was counted."""
    rng = random.Random(f"why not {seed}")
    belief = small_world(rng, rng.choice(("household", "household", "household-locks")), folder)
    worlds = reached(belief)
    if worlds is None or not belief.scene.by_type["object"]:
        return Counter(["too many states"])
    formula = goal_of(seed, belief, worlds)
    errors = {d.code for d in check(Goal.of(formula), belief).diagnostics if d.severity == "error"}
    if errors & {"type", "arity", "unknown-class"}:
        return Counter(["not well-formed"])
    holds = Attainable.of(formula, belief, worlds)
    answer = why_not(Goal.of(formula), belief, ENGINE, Budget(seconds=60))
    where = f"{seed}: {formula}"
    counts = Counter(["goals", answer.outcome, "complete" if answer.complete else "not complete"])
    assert answer.outcome != ("impossible" if holds.possible(holds.units) else "possible"), where
    for part in answer.parts:
        rest = conjunction(tuple(p.part for p in answer.parts if p is not part))
        assert is_verified(part.without, rest, belief), where
        assert part.without.verification.length_mm <= answer.result.verification.length_mm, where
    if answer.conflict is not None:
        proof = answer.conflict.proof
        assert proof and check_certificate(proof.certificate, belief, conjunction(answer.conflict.disproved))
        alone = [[part] for part in answer.conflict.parts]
        sets = alone if answer.conflict.none is not None else [answer.conflict.parts]
        assert not answer.minimal or all(smallest(parts, holds, belief) for parts in sets), where
        counts["minimal"] += answer.minimal
    true = holds.corrections()
    least = min(map(len, true))
    ours = []
    for one in answer.corrections:
        lost = frozenset().union(*(given_up(change, belief) for change in one.changes))
        ours.append(lost)
        assert one.given_up == len(lost), where
        assert lost in true or not one.minimal, where
        assert len(lost) == least or not one.nearest, where
        assert len(lost) > least or one.nearest or answer.unknown_sets, where
        assert is_verified(one.result, one.goal.formula, belief), where
        counts["nearest"] += one.nearest
        for other in one.instead:
            assert is_verified(other.result, other.goal.formula, belief), where
            assert Attainable.of(other.goal.formula, belief, worlds).possible(
                Attainable.of(other.goal.formula, belief, worlds).units
            ), where
            counts["replaced"] += 1
    if answer.outcome == "impossible" and answer.complete:
        assert set(ours) == true and len(ours) == len(true), where
        counts["all corrections"] += 1
    counts["corrections"] += len(ours)
    return counts


def counted(seeds: range, folder: Path, most: int) -> Counter[str]:
    counts: Counter[str] = Counter()
    for seed in seeds:
        place = folder / str(seed)
        place.mkdir()
        counts += compared(seed, place)
        if counts["goals"] == most:
            break
    return counts


def test_conflicts_and_corrections_are_those_of_all_states(tmp_path: Path) -> None:
    counts = counted(range(60), tmp_path, 12)
    assert counts["goals"] == 12 and counts["impossible"] > 3 and counts["possible"] > 1
    assert counts["all corrections"] > 3 and counts["nearest"] > 3
    assert counts["minimal"] == counts["impossible"]


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_conflicts_and_corrections_of_many_goals_are_those_of_all_states(tmp_path: Path) -> None:
    counts = counted(range(1000, 4000), tmp_path, NUMBER)
    print(dict(counts))
    assert counts["goals"] == NUMBER and counts["minimal"] >= 0.98 * counts["impossible"]
    assert counts["all corrections"] == counts["impossible"]


def lines(answer: WhyNot) -> list[str]:
    return [f"{'nearest ' * one.nearest}{one.given_up} {one.goal}" for one in answer.corrections]


@pytest.mark.parametrize(
    ("goal", "conflict", "corrections"),
    [
        (
            "(and (open fridge) (holding apple1) (holding apple2))",
            ["(holding apple1)", "(holding apple2)"],
            [f"nearest 1 (and (open fridge) (holding {apple}))" for apple in ("apple2", "apple1")],
        ),
        (
            "(and (exactly 2 (?x - apple) (holding ?x)) (open fridge))",
            ["(at-least 2 (?x - apple) (holding ?x))"],
            [
                "nearest 1 (and (at-least 1 (?x - apple) (holding ?x)) (at-most 2 (?x - apple) (holding ?x)) "
                "(open fridge))"
            ],
        ),
        (
            "(and (forall (?x - orange) (filled ?x)) (hand_free))",
            ["(forall (?x - orange) (filled ?x))"],
            ["nearest 1 (hand_free)"],
        ),
        ("(holding fridge)", ["(holding fridge)"], ["nearest 1 (and)"]),
        ("(at-least 0 (?x - apple) (holding ?x))", [], []),
    ],
)  # fmt: skip
def test_what_excludes_what_and_what_can_be_had(
    goal: str, conflict: list[str], corrections: list[str]
) -> None:
    answer = asked(goal)
    assert list(map(str, answer.conflict.parts if answer.conflict is not None else ())) == conflict
    assert lines(answer) == corrections and answer.complete


def test_another_relation_is_offered_in_place_of_a_dropped_one() -> None:
    (one,) = asked("(inside_of apple1 kitchen_bench)").corrections
    assert [str(other.goal) for other in one.instead] == ["(ontop_of apple1 kitchen_bench)"]
    assert [other.changes[0].kind for other in one.instead] == ["replace"] and one.instead[0].result.verified


def test_each_price_of_a_possible_goal_is_a_verified_plan() -> None:
    answer = asked("(and (hot pepsi) (open fridge) (ontop_of apple1 kitchen_bench))")
    whole = answer.result.cost_mm
    assert answer.outcome == "possible" and whole and len(answer.parts) == 3
    assert all(one.without.verified and 0 < (one.without.cost_mm or 0) <= whole for one in answer.parts)
    price = answer.as_json()["price"]
    assert isinstance(price, dict) and price["metres"] == answer.result.verification.metres
    assert price["effort"] == round((answer.result.cost or 0) - price["metres"], 3) > 0


def test_a_possible_goal_of_one_part_costs_nothing_without_it() -> None:
    (one,) = asked("(open fridge)").parts
    assert (one.without.cost_mm, one.without.steps) == (0, ())


def test_nothing_larger_is_nearest_beside_what_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where planning finds no plan for what gives up one part, a correction of two is not the nearest."""
    from groundplan.planners import why_not as module

    def gives_up(goal: Goal, belief: Belief, engine: Engine, limits: Budget) -> PlanResult:
        return plan_goal(goal, belief, engine, limits) if "open fridge" not in str(goal) else NOT_PLANNED

    plan_goal = module.plan_goal
    monkeypatch.setattr(module, "plan_goal", gives_up)
    answer = asked("(and (open fridge) (holding apple1) (holding apple2))")
    assert answer.outcome == "impossible" and answer.unknown_sets == 3 and not answer.complete
    assert sorted(lines(answer)) == ["2 (holding apple1)", "2 (holding apple2)"]
    assert not any(one.minimal for one in answer.corrections)


TWO = "(and (open fridge) (holding apple1) (holding apple2))"


def test_a_conflict_that_a_smaller_proof_is_in_is_made_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    """And where planning without a part decides nothing, the conflict is not called minimal."""
    from groundplan.planners import why_not as module

    smallest_set, first = module.smallest_set, list[object]()

    def larger(parts: tuple[Formula, ...], belief: Belief, at_once: bool = False) -> ImpossibleParts | None:
        one = smallest_set(parts, belief, at_once)
        if one is None or first:
            return one
        first.append(one)
        return replace(one, parts=parts)

    monkeypatch.setattr(module, "smallest_set", larger)
    answer = asked(TWO)
    assert answer.conflict is not None and answer.minimal
    assert list(map(str, answer.conflict.parts)) == ["(holding apple1)", "(holding apple2)"]
    monkeypatch.setattr(module, "plan_goal", lambda *given: NOT_PLANNED)
    undecided = asked(TWO)
    assert undecided.conflict is not None and not undecided.minimal
    assert undecided.as_json()["conflict"]["minimal"] is False


@pytest.mark.parametrize(
    ("goal", "kept"),
    [
        ("(and (hot pepsi) (holding banana1) (never (robot_at kitchen)))",
         "(and (holding banana1) (always (not (robot_at kitchen))))"),
        ("(and (hot pepsi) (never (robot_at kitchen)))", "(hot pepsi)"),
        ("(and (holding pepsi) (hand_free))", "(holding pepsi)"),
        ("(and (closed fridge) (holding fridge))", None),
    ],
)  # fmt: skip
def test_what_is_taken_leaves_something_to_do_and_keeps_what_was_forbidden(
    goal: str, kept: str | None
) -> None:
    first = asked(goal).first
    assert (None if first is None else str(first.goal)) == kept


def test_what_was_found_stays_where_the_time_ends() -> None:
    every = "(and (forall (?x - item) (holding ?x)) (forall (?x - item) (ontop_of ?x desk1)))"
    answer = asked(every, seconds=2)
    assert not answer.complete and answer.outcome in ("impossible", "unknown") and answer.cut
