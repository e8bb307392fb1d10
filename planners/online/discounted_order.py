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


def soonest(problem: LookingProblem, scale: float, rest: float) -> int:
    """Return the first look of a policy of most expected worth, which may choose by what it finds.

    What is at none of the places is found ``rest`` after the last of them. The work grows as ``n^2 2^n 3^k``
    for ``n`` places and ``k`` targets. Raises ``ValueError`` where there is no place or nothing to find.
    """
    size, targets = problem.size, len(problem.chances)
    if not size or not targets:
        raise ValueError("an order of looks needs a place and a target")
    everything, everyone = (1 << size) - 1, (1 << targets) - 1
    places, members = range(size), range(targets)
    going = [
        [math.exp(-(row[i] + problem.look[i]) / scale) for i in places]
        for row in (*problem.travel, problem.start)
    ]
    within = [[part for part in range(left + 1) if not part & ~left] for left in range(everyone + 1)]
    here = [[_joint(problem, i, part) for part in range(everyone + 1)] for i in places]
    nowhere = [max(0.0, 1.0 - math.fsum(row)) for row in problem.chances]
    # The worth of a state by places looked at, targets left and position, times the probability that these
    # targets are at none of those places.
    worth = [[[0.0] * size for _ in range(everyone + 1)] for _ in range(everything + 1)]
    for left in range(1, everyone + 1):
        lost = math.prod(nowhere[t] for t in members if left >> t & 1)
        worth[everything][left] = [math.exp(-rest / scale) * lost] * size
    for looked in sorted(range(1, everything), key=int.bit_count, reverse=True):
        check_time("ordering looks")
        open_places = [i for i in places if not looked >> i & 1]
        stands = [i for i in places if looked >> i & 1]
        for left in range(1, everyone + 1):
            later = [(i, _later(worth[looked | 1 << i], here[i], within[left], left, i)) for i in open_places]
            for position in stands:
                ways = going[position]
                worth[looked][left][position] = max([ways[i] * value for i, value in later])
    return max(
        places,
        key=lambda i: (
            going[size][i] * _later(worth[1 << i], here[i], within[everyone], everyone, i),
            -i,
        ),
    )


def _later(worth: list[list[float]], here: list[float], parts: list[int], left: int, place: int) -> float:
    """Return the worth after a look, over the targets that may be found there."""
    return sum([here[part] * (worth[left ^ part][place] if part != left else 1.0) for part in parts])


def _joint(problem: LookingProblem, place: int, part: int) -> float:
    """Return the probability that all targets of a set, as bits, are at a place."""
    return math.prod(chance[place] for t, chance in enumerate(problem.chances) if part >> t & 1)
