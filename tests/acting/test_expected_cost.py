"""Orders of looks against a Bayes-optimal policy that is computed another way, with a known map."""

from __future__ import annotations

import importlib
import itertools
import math
import random
import statistics
from collections.abc import Iterator, Sequence
from functools import cache

import pytest

from groundplan.acting.policies.expected_cost import (
    LookingProblem,
    OptimalPolicy,
    best_order,
    cost_of_order,
)
from groundplan.domains.deadline import LimitReached, limited

MODULE = importlib.import_module("groundplan.acting.policies.expected_cost")

SKEWS = (1, 4)
"""Exponents of random weights: beliefs that say little, and beliefs that say much."""


def drawn(rng: random.Random, size: int, targets: int) -> LookingProblem:
    """Points of a hall of 15 by 10 metres, in millimetres; some targets may be nowhere."""
    points = [(rng.randint(0, 15_000), rng.randint(0, 10_000)) for _ in range(size + 1)]

    def metric(a: int, b: int) -> float:
        return abs(points[a][0] - points[b][0]) + abs(points[a][1] - points[b][1])

    skew, chances = rng.choice(SKEWS), []
    for _ in range(targets):
        weights = [rng.random() ** skew for _ in range(size)]
        total = math.fsum(weights) * rng.choice((1.0, 1.05, 1.25))
        chances.append(tuple(weight / total * (1 - 1e-12) for weight in weights))
    return LookingProblem(
        tuple(float(rng.choice((0, 500, 2000))) for _ in range(size)),
        tuple(metric(size, i) for i in range(size)),
        tuple(tuple(metric(i, j) for j in range(size)) for i in range(size)),
        tuple(chances),
    )


def bayes_optimal(problem: LookingProblem) -> float:
    """Least expected cost over all policies, by beliefs that are conditioned at every look (Bayes' rule)."""

    @cache
    def value(looked: frozenset[int], position: int | None, left: frozenset[int]) -> float:
        if not left or len(looked) == problem.size:
            return 0.0
        going = problem.start if position is None else problem.travel[position]
        return min(
            going[i] + problem.look[i] + after(looked, i, left)
            for i in range(problem.size)
            if i not in looked
        )

    def after(looked: frozenset[int], place: int, left: frozenset[int]) -> float:
        total = 0.0
        here = {
            t: problem.chances[t][place] / (1 - math.fsum(problem.chances[t][i] for i in looked))
            for t in left
        }
        for seen in itertools.product((True, False), repeat=len(left)):
            outcome = dict(zip(sorted(left), seen, strict=True))
            chance = math.prod(here[t] if outcome[t] else 1 - here[t] for t in left)
            rest = frozenset(t for t in left if not outcome[t])
            total += chance * value(looked | {place}, place, rest)
        return total

    return value(frozenset(), None, frozenset(range(len(problem.chances))))


def after_look(problem: LookingProblem, place: int, unfound: Sequence[int]) -> LookingProblem | None:
    """Return what is left of a problem after a look, by Bayes' rule; ``None`` for nothing."""
    left = [i for i in range(problem.size) if i != place]
    if not left or not unfound:
        return None
    rows = (problem.chances[target] for target in unfound)
    chances = [[row[i] / (1 - row[place]) for i in left] for row in rows]
    # Division may leave a sum a rounding error above one.
    return LookingProblem(
        tuple(problem.look[i] for i in left),
        tuple(problem.travel[place][i] for i in left),
        tuple(tuple(problem.travel[i][j] for j in left) for i in left),
        tuple(tuple(x / max(1.0, math.fsum(row)) for x in row) for row in chances),
    )


def followed(problem: LookingProblem) -> float:
    """Expected cost of looking at the first place of the order, and ordering anew after it."""
    place = best_order(problem)[0]
    total = problem.start[place] + problem.look[place]
    for seen in itertools.product((True, False), repeat=len(problem.chances)):
        chance = math.prod(
            row[place] if hit else 1 - row[place] for row, hit in zip(problem.chances, seen, strict=True)
        )
        if chance < 1e-9:
            continue
        rest = after_look(problem, place, [t for t, hit in enumerate(seen) if not hit])
        if rest is not None:
            total += chance * followed(rest)
    return total


def instances(count: int, largest: int, seed: int) -> Iterator[LookingProblem]:
    rng = random.Random(seed)
    for _ in range(count):
        yield drawn(rng, rng.randint(1, largest), rng.randint(1, 3))


def check_exact(problems: Iterator[LookingProblem]) -> None:
    for problem in problems:
        policy = OptimalPolicy(problem)
        assert policy.expected == pytest.approx(bayes_optimal(problem), rel=1e-9)
        assert best_order(problem) == policy.order()


def test_the_exact_order_is_that_of_a_bayes_optimal_policy() -> None:
    check_exact(instances(40, 6, seed=1))


@pytest.mark.slow
def test_the_exact_order_is_bayes_optimal_on_200_instances_of_up_to_8_places() -> None:
    check_exact(instances(200, 8, seed=2))


def test_following_the_first_look_of_the_exact_order_costs_what_it_states() -> None:
    for problem in instances(15, 4, seed=3):
        assert followed(problem) == pytest.approx(OptimalPolicy(problem).expected, rel=1e-9)


def test_the_heuristic_order_costs_little_more_than_the_optimal_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problems = list(instances(60, 5, seed=4))
    optimal = [OptimalPolicy(problem).expected for problem in problems]
    monkeypatch.setattr(MODULE, "EXACT_PLACES", 0)
    ratios = [followed(problem) / cost for problem, cost in zip(problems, optimal, strict=True)]
    assert min(ratios) >= 1 - 1e-9
    assert statistics.mean(ratios) <= 1.01
    assert max(ratios) <= 1.2


def test_no_order_costs_less_than_the_optimal_policy() -> None:
    for problem in instances(40, 6, seed=5):
        optimal = OptimalPolicy(problem).expected
        places = list(range(problem.size))
        for order in itertools.islice(itertools.permutations(places), 50):
            assert cost_of_order(problem, order) >= optimal * (1 - 1e-9)


def test_an_order_of_many_places_has_each_once() -> None:
    for size in (9, 30, 120):
        problem = drawn(random.Random(size), size, 3)
        order = best_order(problem)
        assert sorted(order) == list(range(size))
        assert best_order(problem) == order


def test_one_target_without_routes_is_looked_for_by_chance_over_cost() -> None:
    """Smith's rule: with equal distances everywhere the order is by probability over cost."""
    look, chances = (4.0, 1.0, 2.0, 8.0), (0.1, 0.2, 0.3, 0.4)
    problem = LookingProblem(look, (0.0,) * 4, ((0.0,) * 4,) * 4, (chances,))
    by_rule = tuple(sorted(range(4), key=lambda i: -chances[i] / look[i]))
    assert best_order(problem) == by_rule
    assert OptimalPolicy(problem).expected == pytest.approx(1 + 2 * 0.8 + 8 * 0.5 + 4 * 0.1)


def test_places_without_a_chance_come_last_but_come() -> None:
    problem = LookingProblem((1.0,) * 3, (1.0,) * 3, ((1.0,) * 3,) * 3, ((0.0, 0.5, 0.0),))
    assert best_order(problem)[0] == 1
    assert sorted(best_order(problem)) == [0, 1, 2]
    assert OptimalPolicy(problem).expected == pytest.approx(2 + 0.5 * 4)


def test_nothing_to_find_or_nowhere_to_look_is_an_empty_order() -> None:
    assert best_order(LookingProblem((), (), (), ((),))) == ()
    assert best_order(LookingProblem((1.0,), (1.0,), ((0.0,),), ())) == ()


@pytest.mark.parametrize(
    "change",
    [
        {"look": (-1.0,)},
        {"start": (math.inf,)},
        {"start": (1.0, 2.0)},
        {"travel": ()},
        {"chances": ((0.7, 0.7),)},
        {"chances": ((1.5,),)},
        {"chances": ((math.nan,),)},
    ],
)
def test_what_is_no_problem_is_refused(change: dict[str, tuple[float, ...]]) -> None:
    parts = {"look": (1.0,), "start": (1.0,), "travel": ((0.0,),), "chances": ((1.0,),)}
    with pytest.raises(ValueError, match=r"probabilities|place"):
        LookingProblem(**{**parts, **change})  # type: ignore[arg-type]


def test_a_deadline_ends_the_ordering() -> None:
    with limited(1e-6), pytest.raises(LimitReached):
        best_order(drawn(random.Random(1), 100, 3))
