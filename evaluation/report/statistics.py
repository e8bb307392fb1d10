"""Statistics of shares: intervals, paired tests, and the correction for several of them.

Everything here is exact or seeded, so that the same rows give the same report. One answer a task is a
binomial: Wilson's interval (1927) in tables, Clopper and Pearson's (1934) where a bound must never be too
narrow. With repeats or paraphrases a task is a cluster: the bootstrap draws tasks, with Efron's BCa
correction (1987), and the intraclass correlation (Fisher 1925) says what its answers are worth. Pairs of
methods on the same tasks: McNemar's exact test (1947) with Newcombe's interval (1998), or a sign flip over
the means of tasks. Several tests of one family: Holm (1979).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import comb, erfc, exp, lgamma, log, sqrt
from random import Random
from statistics import NormalDist, fmean

from ...domains.deadline import check_time

LEVEL = 0.95
DRAWS = 2000
"""Bootstrap samples."""
FLIPS = 10_000
"""Random sign flips, where there are too many tasks to try all."""
ALL_FLIPS = 14
"""Most tasks with a difference of which every sign flip is tried."""
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Interval:
    """A share or a mean with its interval; ``method`` names how it was computed."""

    value: float
    low: float
    high: float
    method: str


def wilson(successes: int, trials: int, level: float = LEVEL) -> Interval:
    """Return the share of successes with Wilson's score interval. Raises ``ValueError`` without trials."""
    _check(successes, trials)
    return _score(successes / trials, trials, level)


def _score(share: float, trials: int, level: float = LEVEL) -> Interval:
    """Return a share with Wilson's interval."""
    z = _NORMAL.inv_cdf((1 + level) / 2)
    square = z * z / trials
    middle = (share + square / 2) / (1 + square)
    half = z * sqrt(share * (1 - share) / trials + square / trials / 4) / (1 + square)
    low = 0.0 if share == 0 else max(0.0, middle - half)
    high = 1.0 if share == 1 else min(1.0, middle + half)
    return Interval(share, low, high, "Wilson")


def clopper_pearson(successes: int, trials: int, level: float = LEVEL) -> Interval:
    """Return the share of successes with the exact interval. Raises ``ValueError`` without trials."""
    _check(successes, trials)
    tail = (1 - level) / 2
    low, high = 0.0, 1.0
    if successes > 0:
        low = _root(lambda p: 1 - binomial_below(successes - 1, trials, p) - tail)
    if successes < trials:
        high = _root(lambda p: tail - binomial_below(successes, trials, p))
    return Interval(successes / trials, low, high, "Clopper-Pearson")


def binomial_below(successes: int, trials: int, share: float) -> float:
    """Return the probability of at most so many successes."""
    if share <= 0:
        return 1.0
    if share >= 1:
        return float(successes >= trials)
    return min(1.0, sum(_binomial(k, trials, share) for k in range(successes + 1)))


def _binomial(successes: int, trials: int, share: float) -> float:
    """Return the probability of exactly so many successes, for a share between 0 and 1."""
    ways = lgamma(trials + 1) - lgamma(successes + 1) - lgamma(trials - successes + 1)
    return exp(ways + successes * log(share) + (trials - successes) * log(1 - share))


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the two-sided exact p-value for pairs in which one of two methods alone succeeded.

    1 where they never differ.
    """
    differing = only_first + only_second
    tail = sum(comb(differing, k) for k in _in_time(range(min(only_first, only_second) + 1)))
    return min(1.0, float(Fraction(2 * tail, 2**differing)))


def sign_flip(differences: Sequence[float], seed: int = 0) -> float:
    """Return the two-sided p-value of a permutation test over differences of means, one for each task.

    Every way of flipping signs is tried for up to :data:`ALL_FLIPS` differences that are not zero, otherwise
    :data:`FLIPS` random ones (with the one observed among them, so that p is never 0).
    """
    given = [d for d in differences if d]
    observed = abs(sum(given)) - 1e-12
    if len(given) <= ALL_FLIPS:
        sums = [0.0]
        for difference in given:
            sums = [total + sign * difference for total in sums for sign in (1, -1)]
        return sum(abs(total) >= observed for total in sums) / len(sums)
    random = Random(seed)
    extreme = sum(
        abs(sum(d if random.random() < 0.5 else -d for d in given)) >= observed
        for _ in _in_time(range(FLIPS))
    )
    return (extreme + 1) / (FLIPS + 1)


def wilcoxon(differences: Sequence[float]) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test (1945) over paired differences.

    Differences of zero are left out, ties have mean ranks. Normal approximation with the corrections for ties
    and continuity; 1 where nothing differs.
    """
    given = sorted((d for d in differences if d), key=abs)
    ranks: list[float] = []
    ties = 0.0
    for _, group in groupby(round(abs(d), 12) for d in given):
        size = len(list(group))
        ranks += [len(ranks) + (size + 1) / 2] * size
        ties += size**3 - size
    n = len(given)
    variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48
    if variance <= 0:
        return 1.0
    positive = sum(rank for rank, difference in zip(ranks, given, strict=True) if difference > 0)
    distance = max(0.0, abs(positive - n * (n + 1) / 4) - 0.5)
    return erfc(distance / sqrt(2 * variance))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return p-values adjusted for a family of tests, in the order given (Holm 1979)."""
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return tuple(adjusted)


def bootstrap(
    clusters: Sequence[Sequence[float]], level: float = LEVEL, seed: int = 0, draws: int = DRAWS
) -> Interval:
    """Return the mean over all values with the BCa interval of a bootstrap over clusters.

    Raises ``ValueError`` without values. Where every cluster has the same mean the interval has no width, and
    says nothing: callers take another one there.
    """
    clusters = [c for c in clusters if c]
    if not clusters:
        raise ValueError("a bootstrap needs values")
    value = _pooled(clusters)
    random = Random(seed)
    means = sorted(_pooled(random.choices(clusters, k=len(clusters))) for _ in _in_time(range(draws)))
    if means[0] == means[-1]:
        return Interval(value, value, value, "BCa")
    below = sum(m < value for m in means) + sum(m == value for m in means) / 2
    bias = _NORMAL.inv_cdf(min(max(below / draws, 0.5 / draws), 1 - 0.5 / draws))
    jack = (
        [_pooled([*clusters[:i], *clusters[i + 1 :]]) for i in _in_time(range(len(clusters)))]
        if len(clusters) > 1
        else []
    )
    centre = fmean(jack) if jack else value
    cubes, squares = (sum((centre - j) ** power for j in jack) for power in (3, 2))
    skew = cubes / (6 * squares**1.5) if squares else 0.0
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        shifted = bias + _NORMAL.inv_cdf(tail)
        ends.append(_quantile(means, _NORMAL.cdf(bias + shifted / (1 - skew * shifted))))
    return Interval(value, ends[0], ends[1], "BCa")


def paired_difference(both: int, first: int, second: int, neither: int) -> Interval:
    """Return the difference of two shares over the same tasks, with Newcombe's score interval.

    Both methods solved ``both`` of the tasks, one of them alone ``first`` or ``second``, none ``neither``.
    It is method 10 of Newcombe (1998, Statistics in Medicine 17, 2635 to 2650): Wilson's limits of both
    shares, squared and added, less what the correlation of the two takes off. Raises ``ValueError`` without
    tasks.
    """
    tasks = both + first + second + neither
    one, other = wilson(both + first, tasks), wilson(both + second, tasks)
    spread = (both + first) * (second + neither) * (both + second) * (first + neither)
    product = both * neither - first * second
    corrected = max(product - tasks / 2, 0.0) if product > 0 else product
    correlation = corrected / sqrt(spread) if spread else 0.0

    def reach(a: float, b: float) -> float:
        return sqrt(max(0.0, a * a - 2 * correlation * a * b + b * b))

    value = (first - second) / tasks
    low = value - reach(one.value - one.low, other.high - other.value)
    high = value + reach(one.high - one.value, other.value - other.low)
    return Interval(value, max(-1.0, low), min(1.0, high), "Newcombe")


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of the answers to one task with each other, and what it leaves of their number.

    ``correlation`` is the intraclass correlation: 1 where answers to a task always agree, 0 where they agree
    no more than answers to different tasks, below that where less. ``effective`` is the number of independent
    answers that are worth as much.
    """

    tasks: int
    answers: int
    correlation: float
    effective: float


def agreement(clusters: Sequence[Sequence[float]]) -> Agreement | None:
    """Return the one-way intraclass correlation of answers by task and the effective number of answers.

    Analysis of variance with clusters of unequal sizes (Donner 1986), and Kish's design effect (1965), in
    which a correlation below 0 counts as 0. ``None`` with fewer than two tasks, without a task that has
    several answers, and where all answers are the same.
    """
    groups = [cluster for cluster in clusters if cluster]
    tasks, answers = len(groups), sum(map(len, groups))
    if tasks < 2 or answers == tasks:
        return None
    mean, squares = _pooled(groups), sum(len(group) ** 2 for group in groups)
    between = sum(len(group) * (fmean(group) - mean) ** 2 for group in groups) / (tasks - 1)
    within = sum((value - fmean(group)) ** 2 for group in groups for value in group) / (answers - tasks)
    usual = (answers - squares / answers) / (tasks - 1)
    total = between + (usual - 1) * within
    if not total:
        return None
    correlation = (between - within) / total
    effect = 1 + (squares / answers - 1) * max(0.0, correlation)
    return Agreement(tasks, answers, correlation, answers / effect)


def share_of(answers: Sequence[Sequence[bool]], exact: bool = False) -> Interval:
    """Return the share of true answers with the interval that fits: answers are grouped by task.

    Wilson's with one answer a task, or Clopper and Pearson's where it is to be ``exact``; Wilson's over tasks
    where all have the same share, since a bootstrap would have no width there and repeats that agree are no
    further evidence. Otherwise the bootstrap.
    """
    groups = [group for group in answers if group]
    flat = [answer for group in groups for answer in group]
    if all(len(group) == 1 for group in groups):
        return (clopper_pearson if exact else wilson)(sum(flat), len(flat))
    means = {Fraction(sum(group), len(group)) for group in groups}
    if len(means) == 1:
        return _score(float(means.pop()), len(groups))
    return bootstrap([[float(answer) for answer in group] for group in groups])


def _in_time(numbers: Iterable[int]) -> Iterator[int]:
    """Yield numbers within the time limit in force."""
    for number in numbers:
        check_time("the statistics of a report")
        yield number


def _check(successes: int, trials: int) -> None:
    if trials < 1 or not 0 <= successes <= trials:
        raise ValueError(f"expected from 0 to n successes of n > 0 trials, got {successes} of {trials}")


def _root(function: Callable[[float], float]) -> float:
    """Return where an increasing function on the unit interval is zero."""
    low, high = 0.0, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if function(middle) > 0 else (middle, high)
    return (low + high) / 2


def _pooled(clusters: Sequence[Sequence[float]]) -> float:
    return sum(map(sum, clusters)) / sum(map(len, clusters))


def _quantile(values: Sequence[float], share: float) -> float:
    """Return a quantile of sorted values, interpolated."""
    place = share * (len(values) - 1)
    index = min(int(place), len(values) - 2)
    return values[index] + (place - index) * (values[index + 1] - values[index])
