"""Bounds on all orders of errands, from numbers alone: none is cheaper than what is returned here.

Up to :data:`EXHAUSTED` errands all orders are gone through, by dynamic programming over subsets (Held and
Karp 1962). Beyond, the cheapest spanning tree under charges for entering and leaving places, less the
charges, is a bound (Held and Karp 1970, 1971): every order is a spanning tree in which each place is entered
once and left at most once, so this holds for any charges. The limits may be tuned. Must stay: nothing of the
planner's own search for orders and bounds is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...domains.deadline import check_time
from .certificate import Refused

EXHAUSTED, MAX_TRIALS = 12, 2_000_000
"""Most errands whose orders are all gone through, and most steps of that."""
FINE = 100
"""Charges are counted in hundredths of a millimetre."""
FAR = 10**18
WORK = "rechecking the order of errands"

Distance = Callable[[str, str], int]
Matrix = list[list[int]]
"""``matrix[i][j]``: the cost of going from the end of ``i`` to ``j`` and of ``j``; 0 is the start."""


class Stop(NamedTuple):
    """A plan of an errand: the anchors where it begins and ends (``None``: anywhere), and its millimetres."""

    entry: str | None
    exit: str | None
    cost: int


def path_cost(start: str, plans: Sequence[Stop], between: Distance) -> int:
    """Return what plans cost one after the other."""
    here, total = start, 0
    for entry, leave, cost in plans:
        total += cost + (between(here, entry) if entry is not None else 0)
        here = here if leave is None else leave
    return total


def exhausted(start: str, stops: Sequence[Sequence[Stop]], between: Distance, ends: bool) -> int | None:
    """Return the least cost over all orders and plans; ``None`` where there are too many."""
    count, plans = len(stops), [plan for each in stops for plan in each]
    sets = 1 << min(count, EXHAUSTED + 1)
    if count > EXHAUSTED or sets * len(plans) * len({p.exit for p in plans}) > MAX_TRIALS:
        return None
    reached: list[dict[str, int]] = [{} for _ in range(sets)]
    reached[0] = {start: 0}
    whole = sets - 1
    for done, places in enumerate(reached):
        check_time(WORK)
        for index in range(count):
            after = done | 1 << index
            if after == done or (ends and index == count - 1 and after != whole):
                continue
            following = reached[after]
            for here, spent in places.items():
                for entry, leave, cost in stops[index]:
                    there = here if leave is None else leave
                    total = spent + cost + (between(here, entry) if entry is not None else 0)
                    if total < following.get(there, FAR):
                        following[there] = total
    return min(reached[whole].values())


def placed(stops: Sequence[Sequence[Stop]], between: Distance) -> tuple[list[Sequence[Stop]], int]:
    """Return the errands that have somewhere to go; the others are left out of a bound, which loses no more
    than the millimetres returned: where each of their plans costs at least its own way, nothing.
    """
    going: list[Sequence[Stop]] = []
    lost = 0
    for plans in stops:
        ways = [(p.cost, between(p.entry, p.exit)) for p in plans if p.entry is not None and p.exit]
        if len(ways) == len(plans):
            going.append(plans)
        else:
            lost += max((way - cost for cost, way in ways if cost < way), default=0)
    return going, lost


def least_costs(start: str, stops: Sequence[Sequence[Stop]], between: Distance) -> Matrix:
    """Return the least costs between errands, the start being 0, over all of their plans."""
    heads = [[(p.entry or start, p.cost) for p in plans] for plans in stops]
    entries = {entry: 0 for plans in heads for entry, _ in plans}
    rows = []
    for exits in ({start: 0}, *({p.exit or start: 0 for p in plans} for plans in stops)):
        check_time(WORK)
        near = {entry: min(between(leave, entry) for leave in exits) for entry in entries}
        rows.append([0, *(min(near[entry] + cost for entry, cost in plans) for plans in heads)])
    return rows


def fitting(
    charges: tuple[tuple[int, ...], tuple[int, ...]], costs: Matrix, last: int | None
) -> tuple[list[int], list[int]]:
    """Return the charges listed; without any, those under which the cheapest way to each node is free."""
    count = len(costs)
    if all(len(numbers) == count for numbers in charges):
        return list(charges[0]), list(charges[1])
    if charges != ((), ()):
        raise Refused("entering and leaving: not a charge for the start and each errand with a place")
    tails = [n for n in range(count) if n != last]
    enter = [-FINE * min((costs[t][n] for t in tails if t != n), default=0) for n in range(count)]
    return enter, [0] * count


def tree_value(costs: Matrix, entering: Sequence[int], leaving: Sequence[int], last: int | None) -> int:
    """Return the bound that charges give, in whole millimetres: by the algorithm of Prim (1957).

    ``last`` is the node that nothing follows. Without one, any node may come last, so that leaving it may
    not be rewarded: negative charges for leaving count as 0.
    """
    count = len(costs)
    enter = [0, *entering[1:]]
    leave = [c if n == 0 or last is not None else max(0, c) for n, c in enumerate(leaving)]
    if last is not None:
        leave[last] = 0
    cheapest = [FAR] * count
    outside, node, total = list(range(1, count)), 0, 0
    while outside:
        check_time(WORK)
        row = costs[node]
        for other in outside:
            arcs = [cheapest[other]]
            if node != last:
                arcs.append(FINE * row[other] + leave[node] + enter[other])
            if node and other != last:
                arcs.append(FINE * costs[other][node] + leave[other] + enter[node])
            cheapest[other] = min(arcs)
        node = min(outside, key=cheapest.__getitem__)
        total += cheapest[node]
        outside.remove(node)
    return max(0, -(-(total - sum(enter) - sum(leave)) // FINE)) if count > 1 else 0
