"""Looks that find things soon, against every policy tried out by Bayes' rule."""

from __future__ import annotations

import itertools
import math
import random
from functools import cache

import pytest

from groundplan.acting.policies.discounted_order import soonest
from groundplan.acting.policies.expected_cost import LookingProblem, OptimalPolicy, best_order


def drawn(rng: random.Random, size: int, targets: int) -> LookingProblem:
    points = [(rng.uniform(0, 15), rng.uniform(0, 10)) for _ in range(size + 1)]
    chances = []
    for _ in range(targets):
        weights = [rng.random() ** 3 for _ in range(size)]
        total = sum(weights) * rng.choice((1.02, 1.3))
        chances.append(tuple(w / total for w in weights))
    return LookingProblem(
        tuple(rng.choice((0.5, 6.0)) for _ in range(size)),
        tuple(math.dist(points[-1], p) for p in points[:-1]),
        tuple(tuple(math.dist(p, q) for q in points[:-1]) for p in points[:-1]),
        tuple(chances),
    )


def worth_of_first(problem: LookingProblem, scale: float, rest: float) -> list[float]:
    """The worth of each first look, by beliefs that are conditioned at every look."""

    @cache
    def value(looked: frozenset[int], position: int | None, left: frozenset[int]) -> float:
        if not left:
            return 1.0
        if len(looked) == problem.size:
            return math.exp(-rest / scale)
        return max(after(looked, position, left, i) for i in range(problem.size) if i not in looked)

    def after(looked: frozenset[int], position: int | None, left: frozenset[int], place: int) -> float:
        going = problem.start if position is None else problem.travel[position]
        total = 0.0
        for found in itertools.product((True, False), repeat=len(left)):
            chance, rest_left = 1.0, set(left)
            for target, hit in zip(sorted(left), found, strict=True):
                row = problem.chances[target]
                here = row[place] / (1 - sum(row[i] for i in looked))
                chance *= here if hit else 1 - here
                rest_left -= {target} if hit else set()
            total += chance * value(looked | {place}, place, frozenset(rest_left))
        return math.exp(-(going[place] + problem.look[place]) / scale) * total

    every = frozenset(range(len(problem.chances)))
    return [after(frozenset(), None, every, i) for i in range(problem.size)]


def test_the_first_look_has_the_most_worth_of_all_policies() -> None:
    rng = random.Random(1)
    for _ in range(40):
        problem = drawn(rng, rng.randint(1, 5), rng.randint(1, 3))
        scale = rng.choice((5.0, 40.0))
        worths = worth_of_first(problem, scale, 15.0)
        assert worths[soonest(problem, scale, 15.0)] == pytest.approx(max(worths), rel=1e-9)


def test_with_a_large_scale_it_is_the_first_look_of_least_expected_cost() -> None:
    rng = random.Random(2)
    for _ in range(20):
        problem = drawn(rng, 5, 2)
        assert OptimalPolicy(problem).order()[0] == soonest(problem, 1e6, 0.0) == best_order(problem)[0]


def test_no_place_or_no_target_is_refused() -> None:
    for problem in (LookingProblem((), (), (), ((),)), LookingProblem((1.0,), (1.0,), ((0.0,),), ())):
        with pytest.raises(ValueError, match="a place and a target"):
            soonest(problem, 10.0, 1.0)
