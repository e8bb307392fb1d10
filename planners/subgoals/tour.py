"""A short tour over numbers, by local search: stretches of nodes go where they cost least (Or 1976).

Places are looked for among near neighbours only (Bentley 1992), and a changed tour is searched again from
where it changed. Kicks, which rearrange three neighbouring stretches, lead out of a local optimum (Martin,
Otto and Felten 1991); their random numbers have a fixed seed, so the same costs give the same tour. The
numbers of neighbours, of nodes in a stretch and of kicks may be tuned. Nothing here proves anything.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Sequence
from itertools import pairwise

from ...domains.deadline import check_time
from .travel import Matrix

NEIGHBOURS = 15
"""Nearest nodes after which a stretch is tried."""

LONGEST_STRETCH = 150
"""Most nodes that are moved together."""


KICKED = 2_000
"""Most nodes of all tours that are searched again after a kick."""


def improved(costs: Matrix, tour: Sequence[int], fixed_end: bool) -> list[int]:
    """Return the best of the tours that local search and kicks lead to; its ends are those of `shortened`."""
    best = shortened(costs, tour, fixed_end)
    final = len(best) - fixed_end
    if final < 4:
        return best
    numbers, cost = random.Random(final), _length(costs, best)
    for _ in range(KICKED // final):
        a, b, c, d = sorted(numbers.sample(range(1, final + 1), 4))
        kicked = shortened(costs, [*best[:a], *best[c:d], *best[b:c], *best[a:b], *best[d:]], fixed_end)
        if (length := _length(costs, kicked)) <= cost:
            best, cost = kicked, length
    return best


def _length(costs: Matrix, tour: Sequence[int]) -> int:
    return sum(costs[a][b] for a, b in pairwise(tour))


def shortened(costs: Matrix, tour: Sequence[int], fixed_end: bool) -> list[int]:
    """Return a tour that no stretch elsewhere makes cheaper.

    The first node stays, and with ``fixed_end`` the last one as well.
    """
    nodes = list(tour)
    if not fixed_end:  # a node after all others, which costs nothing to go to
        nodes.append(len(costs))
        costs = [*([*row, 0] for row in costs), [0] * (len(costs) + 1)]
    columns = [*zip(*costs, strict=True)]
    before = {n: heapq.nsmallest(NEIGHBOURS, nodes[:-1], columns[n].__getitem__) for n in nodes[1:-1]}
    place = {node: at for at, node in enumerate(nodes)}
    waiting = dict.fromkeys(before)
    while waiting:
        check_time("improving the order of subgoals")
        node = next(iter(waiting))
        del waiting[node]
        first, near = place[node], sorted(place[other] for other in before[node])
        for end in range(first + 1, min(first + LONGEST_STRETCH, len(nodes) - 1) + 1):
            now = _more(costs, nodes, first, end, first - 1, end)
            elsewhere = (at for at in near if at < first - 1 or at >= end)
            others = ((_more(costs, nodes, first, end, at, at + 1), at) for at in elsewhere)
            more, at = min(others, default=(now, 0))
            if more < now:
                cuts = (first - 1, first, end - 1, end, at, at + 1)
                waiting |= dict.fromkeys(nodes[cut] for cut in cuts if nodes[cut] in before)
                nodes = _moved(nodes, first, end, at)
                place = {node: at for at, node in enumerate(nodes)}
                break
    return nodes if fixed_end else nodes[:-1]


def _more(costs: Matrix, nodes: Sequence[int], first: int, end: int, here: int, there: int) -> int:
    """Return what the way from one place to another over the stretch ``first`` to ``end`` costs more."""
    row = costs[nodes[here]]
    return row[nodes[first]] + costs[nodes[end - 1]][nodes[there]] - row[nodes[there]]


def _moved(nodes: list[int], first: int, end: int, after: int) -> list[int]:
    """Return nodes with the stretch from ``first`` to ``end`` after another place."""
    stretch = nodes[first:end]
    if after < first:
        return [*nodes[: after + 1], *stretch, *nodes[after + 1 : first], *nodes[end:]]
    return [*nodes[:first], *nodes[end : after + 1], *stretch, *nodes[after + 1 :]]
