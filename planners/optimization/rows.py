"""Rows of branch and bound: constraints as sums of true literals that must reach a number.

A literal is an integer, negated by ``~``. How far ahead is looked may be changed: it only decides what is
tried first, and bounds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

AHEAD = 4
"""Number of times that what literals ask for is followed a step further."""


@dataclass
class SumRow:
    """At least ``missing`` more from true literals; ``slack`` is how much may still be lost to false ones."""

    terms: list[tuple[int, int]]
    largest: int
    missing: int
    slack: int


def row_of(pairs: Sequence[tuple[int, int]], least: int, when: int | None) -> SumRow:
    """Return ``sum >= least``, while ``when`` is true, with positive coefficients, whatever was given."""
    terms: dict[int, int] = {}
    for literal, coefficient in pairs:
        if coefficient < 0:  # c * v = c - c * not v
            literal, coefficient, least = ~literal, -coefficient, least - coefficient
        terms[literal] = terms.get(literal, 0) + coefficient
    if when is not None and least > 0:
        terms[~when] = terms.get(~when, 0) + least
    largest = max(terms.values(), default=0)
    return SumRow(list(terms.items()), largest, least, sum(terms.values()) - least)


def looked_ahead(
    rows: Sequence[SumRow], price: Callable[[int], int], value: Callable[[int], bool | None]
) -> dict[int, int]:
    """Return about what true literals cost by what they ask for, their own price left out.

    A literal that alone could meet a row asks the others to meet it once it is false.
    """
    ahead: dict[int, int] = {}
    for row in [*rows] * AHEAD:
        possible = (a for a, _ in row.terms if value(a) is not False)
        ranked = sorted((price(a) + ahead.get(a, 0), a) for a in possible)
        for literal, coefficient in row.terms:
            if coefficient >= row.missing:
                others = [cost for cost, a in ranked[: row.missing + 1] if a != literal]
                ahead[~literal] = max(ahead.get(~literal, 0), sum(others[: row.missing]))
    return ahead
