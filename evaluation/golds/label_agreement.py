"""Agreement of two labellers on a label of yes and no, by Cohen's kappa."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from ...domains.deadline import check_time

DRAWS = 2000
"""Samples of a bootstrap."""


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """Agreement on a label of yes and no: how many cases each gave it, both, and ``kappa`` where defined.

    Kappa (Cohen 1960, A coefficient of agreement for nominal scales) is (p - e) / (1 - e), where p is the
    share of cases with the same label and e the share expected of two who label by chance, each as often as
    they did. It is undefined where both gave every case the same label: then there was nothing to agree on.
    """

    cases: int
    first: int
    second: int
    both: int

    @property
    def observed(self) -> float:
        """The share of cases on which the two agree."""
        differing = self.first + self.second - 2 * self.both
        return (self.cases - differing) / self.cases

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; ``None`` where both gave all cases one label."""
        a, b = self.first / self.cases, self.second / self.cases
        expected = a * b + (1 - a) * (1 - b)
        return None if expected == 1 else (self.observed - expected) / (1 - expected)


def agreement(first: Sequence[bool], second: Sequence[bool]) -> LabelAgreement:
    """Count the agreement of two labellers. Raises ``ValueError`` without cases, or with unequal numbers."""
    if len(first) != len(second) or not first:
        raise ValueError(f"two labels for each of some cases are needed, got {len(first)} and {len(second)}")
    both = sum(a and b for a, b in zip(first, second, strict=True))
    return LabelAgreement(len(first), sum(first), sum(second), both)


def kappa_interval(
    first: Sequence[bool], second: Sequence[bool], level: float = 0.95, seed: int = 0, draws: int = DRAWS
) -> tuple[float, float] | None:
    """Return the ends of the percentile interval of kappa, by a bootstrap over cases.

    Samples in which kappa is undefined are left out; ``None`` where it is undefined in more than half.
    """
    pairs = list(zip(first, second, strict=True))
    random = Random(seed)
    kappas: list[float] = []
    for _ in range(draws):
        check_time("a bootstrap")
        drawn = random.choices(pairs, k=len(pairs))
        kappa = agreement([a for a, _ in drawn], [b for _, b in drawn]).kappa
        if kappa is not None:
            kappas.append(kappa)
    if len(kappas) * 2 < draws:
        return None
    kappas.sort()
    low, high = ((1 - level) / 2 * len(kappas), (1 + level) / 2 * len(kappas))
    return kappas[int(low)], kappas[min(int(high), len(kappas) - 1)]
