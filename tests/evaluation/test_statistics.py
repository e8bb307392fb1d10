"""Statistics against scipy and statsmodels, and against values worked out by hand."""

from __future__ import annotations

from math import factorial, prod, sqrt
from random import Random

import pytest

from groundplan.evaluation.report.statistics import (
    agreement,
    binomial_below,
    bootstrap,
    clopper_pearson,
    holm,
    mcnemar,
    paired_difference,
    share_of,
    sign_flip,
    wilson,
)

stats = pytest.importorskip("scipy.stats")
COUNTS = [(0, 1), (1, 1), (0, 10), (10, 10), (3, 7), (13, 15), (1, 90), (45, 90), (899, 900), (500, 2000)]


@pytest.mark.parametrize(("successes", "trials"), COUNTS)
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_intervals_of_shares_are_those_of_scipy(successes: int, trials: int, level: float) -> None:
    test = stats.binomtest(successes, trials)
    for ours, name in ((wilson, "wilson"), (clopper_pearson, "exact")):
        interval, theirs = ours(successes, trials, level), test.proportion_ci(level, name)
        assert (interval.low, interval.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
        assert interval.low <= interval.value == successes / trials <= interval.high


@pytest.mark.parametrize(("p11", "p10", "p01"), [(0.6, 0.3, 0.05), (0.2, 0.1, 0.1), (0.8, 0.15, 0.0)])
def test_newcombes_interval_covers_the_difference_as_often_as_it_says(
    p11: float, p10: float, p01: float
) -> None:
    """The probability that it does, summed over every table of 15 tasks: near 0.95, as in the paper."""
    n, shares = 15, (p11, p10, p01, 1 - p11 - p10 - p01)
    covered = 0.0
    for a in range(n + 1):
        for b in range(n + 1 - a):
            for c in range(n + 1 - a - b):
                counts = (a, b, c, n - a - b - c)
                ways = factorial(n) / prod(map(factorial, counts))
                interval = paired_difference(*counts)
                assert -1 <= interval.low <= interval.value <= interval.high <= 1
                if interval.low <= p10 - p01 <= interval.high:
                    covered += ways * prod(p**k for p, k in zip(shares, counts, strict=True))
    assert 0.93 < covered <= 1


def test_newcombes_interval_is_that_of_the_formula_and_its_own_mirror() -> None:
    """Without a correlation it adds Wilson's limits in squares, and swapping the methods swaps its ends."""
    one, other = wilson(4, 10), wilson(4, 10)
    free = paired_difference(2, 2, 2, 4)  # 2 * 4 - 2 * 2 = 4 is less than half of 10
    reach = sqrt((one.value - one.low) ** 2 + (other.high - other.value) ** 2)
    assert free.value == 0 and free.low == pytest.approx(-reach)
    there, back = paired_difference(14, 5, 1, 22), paired_difference(14, 1, 5, 22)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))
    assert paired_difference(0, 9, 0, 0).low > 0.5 and paired_difference(5, 0, 0, 5).low < 0
    with pytest.raises(ValueError, match="trials"):
        paired_difference(0, 0, 0, 0)


def test_intervals_need_trials() -> None:
    for successes, trials in ((0, 0), (3, 2), (-1, 5)):
        with pytest.raises(ValueError, match="successes"):
            wilson(successes, trials)
        with pytest.raises(ValueError, match="successes"):
            clopper_pearson(successes, trials)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.5, 0.99, 1.0])
@pytest.mark.parametrize(("successes", "trials"), [(0, 5), (2, 5), (5, 5), (40, 90), (300, 900)])
def test_the_binomial_distribution_is_that_of_scipy(successes: int, trials: int, share: float) -> None:
    assert binomial_below(successes, trials, share) == pytest.approx(
        stats.binom.cdf(successes, trials, share), abs=1e-11
    )


@pytest.mark.parametrize(
    ("first", "second"), [(0, 0), (1, 0), (5, 0), (0, 6), (3, 3), (12, 4), (40, 61), (900, 700)]
)
def test_mcnemar_is_the_exact_binomial_test(first: int, second: int) -> None:
    expected = stats.binomtest(first, first + second, 0.5).pvalue if first + second else 1.0
    assert mcnemar(first, second) == pytest.approx(expected, rel=1e-9)
    assert mcnemar(first, second) == mcnemar(second, first)


def test_holm_by_hand() -> None:
    """Holm 1979: the smallest of four times 4, the next times 3, and never below the one before."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([0.5, 0.9]) == pytest.approx((1.0, 1.0))
    assert holm([0.02]) == (0.02,) and holm([]) == ()


def test_holm_never_rejects_more_than_bonferroni_allows_at_its_first_step() -> None:
    random = Random(4)
    for _ in range(200):
        p = [random.random() for _ in range(random.randint(1, 8))]
        adjusted = holm(p)
        assert min(adjusted) == pytest.approx(min(1.0, len(p) * min(p)))
        assert all(a >= b for a, b in zip(adjusted, p, strict=True)) and max(adjusted) <= 1
        order = sorted(range(len(p)), key=p.__getitem__)
        assert [adjusted[i] for i in order] == sorted(adjusted)


def test_sign_flips_are_those_of_scipy() -> None:
    random = Random(1)
    for count in (2, 4, 9):
        differences = [random.choice([-1.0, -0.5, 0.5, 1.0, 2 / 3]) for _ in range(count)]
        theirs = stats.permutation_test(
            (differences,), sum, permutation_type="samples", n_resamples=10**6, alternative="two-sided"
        )
        assert sign_flip([*differences, 0.0]) == pytest.approx(theirs.pvalue)
    assert sign_flip([]) == sign_flip([0.0, 0.0]) == 1.0


def test_many_sign_flips_are_drawn_and_come_close() -> None:
    differences = [1.0] * 14 + [-1.0] * 6
    exact = stats.binomtest(14, 20, 0.5).pvalue
    assert sign_flip(differences) == pytest.approx(exact, abs=0.015)
    assert sign_flip(differences) == sign_flip(differences) and sign_flip([1.0] * 60) > 0


def test_the_bootstrap_over_tasks_is_bca() -> None:
    """With one value a cluster it is scipy's BCa, up to the draws; a skewed sample shows the correction."""
    random = Random(2)
    values = [random.expovariate(1) for _ in range(40)]
    ours = bootstrap([[v] for v in values], draws=20_000)
    interval = scipy_bootstrap(values, "BCa")
    width = interval.high - interval.low
    assert ours.value == pytest.approx(sum(values) / 40)
    assert (ours.low, ours.high) == pytest.approx((interval.low, interval.high), abs=0.05 * width)
    assert ours.high > scipy_bootstrap(values, "percentile").high


def scipy_bootstrap(values: list[float], method: str):
    result = stats.bootstrap(
        (values,), mean, n_resamples=20_000, method=method, vectorized=False, random_state=3
    )
    return result.confidence_interval


def mean(values) -> float:
    return sum(values) / len(values)


def test_repeats_of_a_task_are_no_further_evidence() -> None:
    """Ten repeats that agree within each task leave the interval of the tasks alone."""
    tasks = [[True]] * 12 + [[False]] * 8
    repeated = [group * 10 for group in tasks]
    one, ten = share_of(tasks), share_of(repeated)
    assert one.method == "Wilson" and ten.method == "BCa"
    assert one.value == ten.value == 0.6
    assert ten.high - ten.low == pytest.approx(one.high - one.low, rel=0.15)
    assert wilson(120, 200).high - wilson(120, 200).low < 0.5 * (ten.high - ten.low)


def test_a_share_of_nothing_or_everything_has_an_interval_with_a_width() -> None:
    for answers in ([[False] * 3] * 10, [[True] * 3] * 10, [[False]] * 10):
        interval = share_of(answers)
        assert interval.method == "Wilson" and interval.high - interval.low > 0.2
    assert share_of([[False] * 3] * 10) == wilson(0, 10)


def test_the_bootstrap_needs_values_and_says_nothing_of_one_cluster() -> None:
    with pytest.raises(ValueError, match="needs values"):
        bootstrap([[]])
    alone = bootstrap([[0.0, 1.0]])
    assert alone.low == alone.high == alone.value == 0.5
    assert share_of([[False, True]]).high - share_of([[False, True]]).low > 0.7


def test_shares_tests_and_corrections_are_those_of_statsmodels() -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    for successes, trials in COUNTS:
        for ours, name in ((wilson, "wilson"), (clopper_pearson, "beta")):
            interval = ours(successes, trials)
            low, high = proportion.proportion_confint(successes, trials, 0.05, name)
            assert (interval.low, interval.high) == pytest.approx((max(0, low), min(1, high)), abs=1e-9)
    for first, second in ((1, 0), (5, 0), (3, 3), (12, 4), (40, 61)):
        theirs = tables.mcnemar([[7, first], [second, 9]], exact=True).pvalue
        assert mcnemar(first, second) == pytest.approx(theirs)
    random = Random(11)
    for count in (1, 2, 5, 9):
        p = [random.random() ** 3 for _ in range(count)]
        assert holm(p) == pytest.approx(multitest.multipletests(p, method="holm")[1])


def drawn_clusters(tasks: int, sizes: tuple[int, ...], seed: int, binary: bool = False) -> list[list[float]]:
    """Answers that share a part by task; binary ones succeed with a probability of the task."""
    random, groups = Random(seed), []
    for task in range(tasks):
        shared = random.gauss(0, 1)
        values = [shared + random.gauss(0, 1) for _ in range(sizes[task % len(sizes)])]
        groups.append([float(v > 0) for v in values] if binary else values)
    return groups


@pytest.mark.parametrize("binary", [False, True])
def test_the_intraclass_correlation_is_that_of_an_analysis_of_variance(binary: bool) -> None:
    """Statsmodels' mean squares, with clusters of unequal sizes; with equal ones also its mixed model."""
    models = pytest.importorskip("statsmodels.formula.api")
    anova = pytest.importorskip("statsmodels.stats.anova")
    pandas = pytest.importorskip("pandas")
    for sizes in ((4,), (1, 2, 5)):
        groups = drawn_clusters(40, sizes, 3, binary)
        data = pandas.DataFrame([{"task": i, "y": v} for i, group in enumerate(groups) for v in group])
        table = anova.anova_lm(models.ols("y ~ C(task)", data).fit())
        between, within = table["mean_sq"]
        n, squares = len(data), sum(len(group) ** 2 for group in groups)
        usual = (n - squares / n) / 39
        ours = agreement(groups)
        assert ours is not None and (ours.tasks, ours.answers) == (40, n)
        expected = (between - within) / (between + (usual - 1) * within)
        assert ours.correlation == pytest.approx(expected)
        assert ours.effective == pytest.approx(n / (1 + (squares / n - 1) * expected))
        if sizes == (4,):
            mixed = models.mixedlm("y ~ 1", data, groups=data["task"]).fit()
            shared = float(mixed.cov_re.iloc[0, 0])
            assert ours.correlation == pytest.approx(shared / (shared + mixed.scale), abs=1e-3)


def test_answers_that_always_agree_are_worth_one_a_task() -> None:
    alike = agreement([[1.0] * 4] * 6 + [[0.0] * 4] * 4)
    assert alike is not None and alike.correlation == 1 and alike.effective == pytest.approx(10)
    apart = agreement([[0.0, 1.0]] * 10)
    assert apart is not None and apart.correlation < 0 and apart.effective == 20
    for nothing in ([[1.0], [0.0]], [[1.0, 0.0]], [[1.0, 1.0], [1.0, 1.0]], []):
        assert agreement(nothing) is None
