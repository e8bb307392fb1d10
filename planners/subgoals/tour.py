"""A short tour over numbers, by local search: stretches of nodes go where they cost least (Or 1976).

Places are looked for among near neighbours only (Bentley 1992), and a changed tour is searched again from
where it changed. The numbers of neighbours and of nodes in a stretch may be tuned. Nothing here proves
anything.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from ...domains.deadline import check_time
from .travel import Matrix

NEIGHBOURS = 15
"""Nearest nodes after which a stretch is tried."""

LONGEST_STRETCH = 150
"""Most nodes that are moved together."""


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
