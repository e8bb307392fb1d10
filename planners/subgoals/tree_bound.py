"""A lower bound on the cost of any order, by spanning trees (Held and Karp 1970, 1971).

An order is a path through all nodes, which is a spanning tree in which each node is entered once and left at
most once. Multipliers charge nodes for being entered and left; the cheapest spanning tree with these charges,
less all charges, costs no more than any order. Good multipliers are found by subgradient steps over near arcs
only; the bound itself is computed over all arcs. Steps and rounds may be tuned: any integers as multipliers
give a valid bound.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from ...domains.deadline import LimitReached, check_time, note_cut
from .travel import NO_ARC, Matrix

NEIGHBOURS = 10
"""Cheapest arcs into and out of each node among which multipliers are looked for."""

ROUNDS, PATIENCE = 4, 12
"""Rounds of steps, and steps without a better bound after which they become smaller.

After each round the arcs that were missing join in.
"""

LARGE, LARGE_ROUNDS, LARGE_PATIENCE = 300, 2, 5
"""The same beyond so many nodes, where looks are spent before steps are small."""

SMALLEST = 0.005
"""The relative length of steps at which a round ends."""

FINE = 100
"""Charges are counted in hundredths of a millimetre: a bound above 41.00 proves that 42 is the least."""

LOOKS = 4_000_000
"""Looks at an arc after which no more steps are made: some two seconds of processor time."""

WORK = "bounding the order of subgoals"

Arc = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TreeBound:
    """A lower bound (millimetres), charges by node that give it (1/100 mm), and the tree that shows it.

    ``total`` is the cost of the tree under the charges less all charges, in 1/100 mm as well.
    """

    total: int
    entering: tuple[int, ...]
    leaving: tuple[int, ...]
    tree: tuple[Arc, ...] = ()

    @property
    def value(self) -> int:
        """The bound in whole millimetres: what costs at least a part of one more costs all of it."""
        return -(-self.total // FINE)

    def charged(self, costs: Matrix, tail: int, head: int) -> int:
        """Return the cost of an arc with the charges of its ends, in 1/100 mm."""
        return FINE * costs[tail][head] + self.leaving[tail] + self.entering[head]


def _bound_of(costs: Matrix, entering: Sequence[int], leaving: Sequence[int], last: int | None) -> TreeBound:
    """Return the bound that charges give, by the algorithm of Prim (1957) over all arcs, in 1/100 mm.

    ``last`` is the node that no arc may leave; otherwise any node may come last, and no charge for leaving
    may be negative: such ones count as 0.
    """
    count = len(costs)
    leave = [c if last is not None or n == 0 else max(0, c) for n, c in enumerate(leaving)]
    enter = [0, *entering[1:]]
    if last is not None:
        leave[last] = 0
    cheapest = [FINE * NO_ARC * 8] * count
    arc: list[Arc] = [(0, 0)] * count
    outside = list(range(1, count))
    total, tree, node = 0, [], 0
    columns = list(zip(*costs, strict=True))
    while outside:
        check_time(WORK)
        row, column, out, into = costs[node], columns[node], leave[node], enter[node]
        goes, comes = node != last, node != 0
        best, nearest = FINE * NO_ARC * 9, -1
        for other in outside:
            least = cheapest[other]
            if goes:
                there = row[other] + out + enter[other]
                if there < least:
                    cheapest[other] = least = there
                    arc[other] = (node, other)
            if comes and other != last:
                back = column[other] + leave[other] + into
                if back < least:
                    cheapest[other] = least = back
                    arc[other] = (other, node)
            if least < best:
                best, nearest = least, other
        total += best
        tree.append(arc[nearest])
        outside.remove(nearest)
        node = nearest
    return TreeBound(total - sum(enter) - sum(leave), tuple(enter), tuple(leave), tuple(tree))


def tree_bound(costs: Matrix, last: int | None, upper: int) -> TreeBound:
    """Look for multipliers with a high bound, where ``upper`` is the cost of a known order.

    Where time runs out, the best bound up to then is returned; at least one is always computed.
    """
    count = len(costs)
    costs = [[FINE * c for c in row] for row in costs]
    target = FINE * upper
    best = _bound_of(costs, *_column_minima(costs, last), last)
    arcs: dict[Arc, None] = {}
    trial = best
    enter, leave = list(map(float, best.entering)), list(map(float, best.leaving))
    looks = LOOKS
    rounds, patience = (LARGE_ROUNDS, LARGE_PATIENCE) if count > LARGE else (ROUNDS, PATIENCE)
    try:
        for number in range(rounds if count > 2 else 0):
            arcs |= dict.fromkeys(_near_arcs(costs, trial, last))
            steps = looks // (2 if number < rounds - 1 else 1) // len(arcs)
            enter, leave, estimate, made = _ascent(
                costs, list(arcs), enter, leave, last, target, steps, patience
            )
            looks -= made * len(arcs)
            trial = _bound_of(costs, [round(c) for c in enter], [round(c) for c in leave], last)
            if trial.total > best.total:
                best = trial
            if best.value >= upper or trial.total >= estimate - count:
                break  # proved, or no arc that matters is missing
    except LimitReached as cut:
        note_cut(cut.work)
    return best


def _column_minima(costs: Matrix, last: int | None) -> tuple[list[int], list[int]]:
    """Charges under which every node is entered at no cost over its cheapest arc."""
    count = len(costs)
    enter = [0] * count
    for head in range(1, count):
        enter[head] = -min(costs[tail][head] for tail in range(count) if tail not in (head, last))
    return enter, [0] * count


def _near_arcs(costs: Matrix, bound: TreeBound, last: int | None) -> list[Arc]:
    """The arcs that are cheapest under the charges of a bound, into and out of each node, and its tree."""
    count = len(costs)
    arcs = dict.fromkeys(bound.tree)
    columns = list(zip(*costs, strict=True))
    for node in range(count):
        check_time(WORK)
        if node != last:
            row = [c + e for c, e in zip(costs[node], bound.entering, strict=True)]
            row[0] = row[node] = FINE * NO_ARC
            near = heapq.nsmallest(NEIGHBOURS, range(count), key=row.__getitem__)
            arcs |= dict.fromkeys((node, n) for n in near if row[n] < FINE * NO_ARC)
        if node:
            row = [c + e for c, e in zip(columns[node], bound.leaving, strict=True)]
            row[node] = FINE * NO_ARC
            if last is not None:
                row[last] = FINE * NO_ARC
            near = heapq.nsmallest(NEIGHBOURS, range(count), key=row.__getitem__)
            arcs |= dict.fromkeys((n, node) for n in near if row[n] < FINE * NO_ARC)
    return list(arcs)


def _ascent(
    costs: Matrix,
    arcs: list[Arc],
    enter: list[float],
    leave: list[float],
    last: int | None,
    upper: int,
    steps: int,
    patience: int,
) -> tuple[list[float], list[float], float, int]:
    """Improve charges by subgradient steps over some arcs.

    Returns the charges, the bound for these arcs, and how many steps were made.
    """
    count = len(costs)
    priced = [(costs[tail][head], tail, head) for tail, head in arcs]
    ranks = list(range(len(priced)))  # stays sorted from step to step, so that sorting again is fast
    best = (float("-inf"), enter, leave)
    enter, leave = list(enter), list(leave)
    direction_in, direction_out = [0.0] * count, [0.0] * count
    scale, waited, made = 1.0, 0, 0
    while scale > SMALLEST and made < steps:
        made += 1
        check_time(WORK)
        total, entered, left = _tree_over(priced, ranks, enter, leave, count)
        value = total - sum(enter) - sum(leave)
        if value > best[0] + 1e-6 * abs(upper):
            best, waited = (value, list(enter), list(leave)), 0
        else:
            waited += 1
            if waited >= patience:
                scale, waited = scale / 2, 0
        # A mean with the direction before it damps zigzagging (Crowder 1976).
        direction_in = [0.6 * (e - 1) + 0.4 * d for e, d in zip(entered, direction_in, strict=True)]
        direction_out = [0.6 * (e - 1) + 0.4 * d for e, d in zip(left, direction_out, strict=True)]
        direction_in[0] = 0.0
        if last is not None:
            direction_out[last] = 0.0
        norm = sum(d * d for d in direction_in) + sum(d * d for d in direction_out)
        if norm < 1e-9 or value >= upper - FINE / 2:
            break
        step = scale * (upper - value) / norm
        enter = [c + step * d for c, d in zip(enter, direction_in, strict=True)]
        leave = [c + step * d for c, d in zip(leave, direction_out, strict=True)]
        if last is None:  # one node is left by no arc, so that leaving may be charged and not rewarded
            leave = [leave[0], *(max(0.0, c) for c in leave[1:])]
    return best[1], best[2], best[0], made


def _tree_over(
    arcs: list[tuple[int, int, int]], ranks: list[int], enter: list[float], leave: list[float], count: int
) -> tuple[float, list[int], list[int]]:
    """Return the cost of the cheapest tree over some arcs (Kruskal 1956), and its arcs in and out by node."""
    charged = [cost + leave[tail] + enter[head] for cost, tail, head in arcs]
    ranks.sort(key=charged.__getitem__)
    group = list(range(count))
    entered, left = [0] * count, [0] * count
    total, missing = 0.0, count - 1
    for rank in ranks:
        _, one, other = arcs[rank]
        while group[one] != one:
            group[one] = one = group[group[one]]
        while group[other] != other:
            group[other] = other = group[group[other]]
        if one != other:
            group[other] = one
            total += charged[rank]
            entered[arcs[rank][2]] += 1
            left[arcs[rank][1]] += 1
            missing -= 1
            if not missing:
                break
    return total, entered, left


def costliest_on_paths(bound: TreeBound, costs: Matrix, source: int) -> list[int]:
    """Return for each node the costliest charged arc on the tree's path from a source to it."""
    near: list[list[tuple[int, int]]] = [[] for _ in costs]
    for tail, head in bound.tree:
        charged = bound.charged(costs, tail, head)
        near[tail].append((head, charged))
        near[head].append((tail, charged))
    most = [-FINE * NO_ARC] * len(costs)
    waiting, seen = [source], {source}
    while waiting:
        node = waiting.pop()
        for other, charged in near[node]:
            if other not in seen:
                seen.add(other)
                most[other] = max(most[node], charged)
                waiting.append(other)
    return most
