"""The look to begin with where a find counts the less the later it is, by dynamic programming.

The order of least expected cost (``expected_cost``) counts a metre the same whether the search was short or
long. A search that is scored by the share of its path that was needed (SPL) does not: a metre costs a long
search less. Here all found after cost ``c`` is worth ``exp(-c / scale)``, which is the same choice wherever
the search stands, so no cost of before is kept. With a large scale the choice is that of least expected cost.

Nothing here knows of scenes.
"""

from __future__ import annotations

import math

from ...domains.deadline import check_time
from .expected_cost import LookingProblem

TIE = 1e-12
"""Share by which worths may differ that count as equal."""


def soonest(problem: LookingProblem, scale: float, rest: float) -> int:
    """Return the first look of a policy of most expected worth, which may choose by what it finds.

    What is at none of the places is found ``rest`` after the last of them. The work grows as ``n^2 2^n 3^k``
    for ``n`` places and ``k`` targets. Raises ``ValueError`` where there is no place or nothing to find.
    """
    size, targets = problem.size, len(problem.chances)
    if not size or not targets:
        raise ValueError("an order of looks needs a place and a target")
    import numpy

    everything, everyone = (1 << size) - 1, (1 << targets) - 1
    places = range(size)
    going = numpy.exp(
        [[-(row[i] + problem.look[i]) / scale for i in places] for row in (*problem.travel, problem.start)]
    )
    # For each place the chance of what is left after a look there (columns), by what was before it (rows).
    transitions = numpy.zeros((size, everyone + 1, everyone + 1))
    for place in places:
        for part in range(everyone + 1):
            chance = _joint(problem, place, part)
            for rest_of in range(everyone + 1):
                if not rest_of & part:
                    transitions[place, rest_of | part, rest_of] = chance
    nowhere = numpy.array([max(0.0, 1.0 - math.fsum(row)) for row in problem.chances])
    bits = numpy.arange(everyone + 1)[:, None] >> numpy.arange(targets) & 1
    # The worth of a state by places looked at, targets left and position, times the probability that these
    # targets are at none of those places; with none left it is 1.
    worth = numpy.zeros((everything + 1, everyone + 1, size + 1))
    worth[everything] = (math.exp(-rest / scale) * numpy.where(bits, nowhere, 1.0).prod(axis=1))[:, None]
    worth[:, 0] = 1.0
    number = numpy.array([looked.bit_count() for looked in range(everything + 1)])
    for count in range(size - 1, 0, -1):
        check_time("ordering looks")
        looked = numpy.flatnonzero(number == count)
        for place in places:
            before = looked[looked >> place & 1 == 0]
            later = worth[before | 1 << place, :, place] @ transitions[place].T
            ways = later[:, :, None] * going[:, place]
            worth[before, 1:] = numpy.maximum(worth[before, 1:], ways[:, 1:])
    first = [going[size, i] * (worth[1 << i, :, i] @ transitions[i, everyone]) for i in places]
    # The first of equals, whatever the last bits of an exponential are on a machine.
    return next(i for i in places if first[i] >= max(first) * (1 - TIE))


def _joint(problem: LookingProblem, place: int, part: int) -> float:
    """Return the probability that all targets of a set, as bits, are at a place."""
    return math.prod(chance[place] for t, chance in enumerate(problem.chances) if part >> t & 1)
