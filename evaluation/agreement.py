"""Agreement of two labellers on the same cases: the share on which they agree, and Cohen's kappa.

Kappa (Cohen 1960, A coefficient of agreement for nominal scales) is (p - e) / (1 - e), where p is the share
of cases with the same label and e the share expected of two who label by chance, each as often as they did.
It is undefined where both gave every case the same label: then there was nothing to agree on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """Agreement on a label of yes and no: how many cases each gave it, both, and ``kappa`` where defined."""

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
