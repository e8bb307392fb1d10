"""The order of looks with the least expected cost, for things that may be at several places.

A :class:`LookingProblem` has places with a cost of looking, costs of going between them, and for each target
the probability that it is at each place. Targets are independent; each is at one place at most, and what its
probabilities lack to one is the probability that it is at none. A search ends when every target was found,
or when every place was looked at: a probability of zero is a belief, not knowledge, so such places come last
but are looked at before anything is said to be nowhere.

Up to :data:`EXACT_PLACES` places the next look is that of an optimal policy, which may choose by what was
found so far: dynamic programming over the places looked at, the position and the targets found. It is the
policy of the least expected cost under the given probabilities (a Bayes-optimal one). Beyond that an order is
improved by local search; it is followed until a target is found, and then made anew. No optimality is stated
then.

Costs are numbers of one unit, such as millimetres. Nothing here knows of scenes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...domains.deadline import check_time

EXACT_PLACES = 8
"""Places up to which the order is optimal: the work grows as ``n^2 2^n 3^k`` with ``k`` targets."""

EXACT_TARGETS = 4
"""Targets up to which the order is optimal."""

WINDOW = 8
"""Places of an order that are rearranged at once, where it is not optimal."""

IMPROVED_PLACES = 20
"""Places at the front of an order that are rearranged at all."""

TOLERANCE = 1e-9
"""Error of rounding allowed in sums of probabilities."""


@dataclass(frozen=True, slots=True)
class LookingProblem:
    """Places to look at for targets: costs ``look[i]``, ``start[i]`` from where the robot is and
    ``travel[i][j]`` between places, and ``chances[t][i]``, the probability of target ``t`` at place ``i``.

    Raises ``ValueError`` for a cost that is negative or not finite, for probabilities that are no
    distribution over the places and "nowhere", and for lists that do not fit together.
    """

    look: tuple[float, ...]
    start: tuple[float, ...]
    travel: tuple[tuple[float, ...], ...]
    chances: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        n = len(self.look)
        rows = (self.start, *self.travel, *self.chances)
        if len(self.travel) != n or any(len(row) != n for row in rows):
            raise ValueError(f"every list needs an entry for each of {n} places")
        for number in (*self.look, *(x for row in rows for x in row)):
            if not (math.isfinite(number) and number >= 0):
                raise ValueError(f"costs and probabilities are finite and not negative, got {number}")
        for row in self.chances:
            if math.fsum(row) > 1 + TOLERANCE:
                raise ValueError(f"probabilities of a target add up to {math.fsum(row)}, more than one")

    @property
    def size(self) -> int:
        """Number of places."""
        return len(self.look)


def best_order(problem: LookingProblem) -> tuple[int, ...]:
    """Return the order of looks of least expected cost as long as nothing is found, or a good one.

    Raises :class:`~groundplan.domains.deadline.LimitReached` at the deadline of the call.
    """
    if not problem.size or not problem.chances:
        return ()
    if problem.size <= EXACT_PLACES and len(problem.chances) <= EXACT_TARGETS:
        return OptimalPolicy(problem).order()
    orders = (_improved(problem, start) for start in _starts(problem))
    return min(orders, key=lambda places: (cost_of_order(problem, places), places))


class OptimalPolicy:
    """A policy of least expected cost, by dynamic programming.

    The value of a state (the places looked at, the targets left, the position) is the expected cost from
    there, times the probability that these targets are at none of those places. Kept that way no probability
    is divided by a small one. Sets are bits of an integer; the position after the last place is the start.
    """

    def __init__(self, problem: LookingProblem) -> None:
        self.problem = problem
        self._everything = (1 << problem.size) - 1
        self._targets = (1 << len(problem.chances)) - 1
        self._values: dict[tuple[int, int, int], float] = {}
        self._choices: dict[tuple[int, int, int], int] = {}
        for looked in sorted(range(self._everything), key=int.bit_count, reverse=True):
            check_time("ordering looks")
            for left in range(1, self._targets + 1):
                self._decide(looked, left)

    @property
    def expected(self) -> float:
        """Expected cost from the start with every target left."""
        return self._values[0, self._targets, self.problem.size]

    def order(self) -> tuple[int, ...]:
        """Return the places in the order in which they are looked at as long as nothing is found."""
        looked, position, places = 0, self.problem.size, []
        while looked != self._everything:
            position = self._choices[looked, self._targets, position]
            looked |= 1 << position
            places.append(position)
        return tuple(places)

    def _decide(self, looked: int, left: int) -> None:
        """Find the best next look for every position, with these places looked at and these targets left."""
        problem = self.problem
        weight = math.prod(self._unseen[target][looked] for target in _bits(left))
        rest = [i for i in range(problem.size) if not looked >> i & 1]
        later = {i: weight * problem.look[i] + self._later(looked, left, i) for i in rest}
        for position in [*_bits(looked), *([problem.size] if not looked else [])]:
            going = problem.start if position == problem.size else problem.travel[position]
            cost, place = min((weight * going[i] + later[i], i) for i in rest)
            self._values[looked, left, position] = cost
            self._choices[looked, left, position] = place

    def _later(self, looked: int, left: int, place: int) -> float:
        """Return the weighted cost after a look: over what may be found there, the targets of each subset."""
        now = looked | 1 << place
        if now == self._everything:
            return 0.0
        total, here = 0.0, left
        while True:
            remaining = left & ~here
            if remaining:
                chance = math.prod(self.problem.chances[target][place] for target in _bits(here))
                if chance:
                    total += chance * self._values[now, remaining, place]
            if not here:
                return total
            here = (here - 1) & left

    @cached_property
    def _unseen(self) -> list[list[float]]:
        """For each target the probability that it is at none of a set of places, for every set."""
        tables = []
        for row in self.problem.chances:
            sums = [0.0] * (self._everything + 1)
            for places in range(1, self._everything + 1):
                low = places & -places
                sums[places] = sums[places ^ low] + row[low.bit_length() - 1]
            tables.append([max(0.0, 1.0 - total) for total in sums])
        return tables


def cost_of_order(problem: LookingProblem, places: Iterable[int]) -> float:
    """Return the expected cost of looking at places in this order until every target was found."""
    return _cost(problem, problem.start, [0.0] * len(problem.chances), places)


def _rate(chance: float, cost: float) -> float:
    return chance / cost if cost else math.inf if chance else 0.0


def _starts(problem: LookingProblem) -> Iterator[tuple[int, ...]]:
    """Yield greedy orders: by probability of a target for each unit of cost, and by nearness."""
    some = [1 - math.prod(1 - row[i] for row in problem.chances) for i in range(problem.size)]

    def by_rate(place: int, cost: float) -> tuple[float, ...]:
        return (-_rate(some[place], cost), cost, place)

    def by_cost(place: int, cost: float) -> tuple[float, ...]:
        return (cost, place)

    for key in (by_rate, by_cost):
        going, left, order = problem.start, set(range(problem.size)), []
        while left:
            check_time("ordering looks")
            place = min(left, key=lambda i: key(i, going[i] + problem.look[i]))
            left.remove(place)
            order.append(place)
            going = problem.travel[place]
        yield tuple(order)


def _improved(problem: LookingProblem, start: tuple[int, ...]) -> tuple[int, ...]:
    """Return an order that no move within a window of :data:`WINDOW` places makes cheaper.

    Only the first :data:`IMPROVED_PLACES` are moved: what comes after them is reached rarely, and ordered
    anew before that.
    """
    order, end = list(start), min(len(start), IMPROVED_PLACES)
    first, last_change = 0, None
    while first != last_change:
        check_time("ordering looks")
        if _improve_window(problem, order, first, min(first + WINDOW, end)) or last_change is None:
            last_change = first
        first = first + WINDOW // 2 if first + WINDOW < end else 0
    return tuple(order)


def _improve_window(problem: LookingProblem, order: list[int], first: int, end: int) -> bool:
    """Put the places of a window into a cheaper order by single moves; say whether one was found."""
    before = order[:first]
    going = problem.travel[before[-1]] if before else problem.start
    sums = tuple(math.fsum(row[i] for i in before) for row in problem.chances)
    window, after = tuple(order[first:end]), order[end : end + 1]
    cost = _cost(problem, going, sums, (*window, *after))
    improved = False
    while True:
        for moved in _moves(window):
            enough = cost - TOLERANCE * max(1.0, cost)
            cheaper = _cost(problem, going, sums, (*moved, *after), enough)
            if cheaper < enough:
                window, cost, improved = moved, cheaper, True
                break
        else:
            order[first:end] = window
            return improved


def _cost(
    problem: LookingProblem,
    going: Sequence[float],
    sums: Sequence[float],
    places: Iterable[int],
    enough: float = math.inf,
) -> float:
    """Return the expected cost of looks in an order, where targets were found before with these chances.

    Where the first looks cost ``enough``, their cost is returned: the others would only add to it.
    """
    total = 0.0
    for place in places:
        total += max(0.0, 1.0 - math.prod(sums)) * (going[place] + problem.look[place])
        if total >= enough:
            break
        going = problem.travel[place]
        sums = [chance + row[place] for chance, row in zip(sums, problem.chances, strict=True)]
    return total


def _moves(order: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield orders in which a stretch of one to three places stands elsewhere, or a stretch is reversed."""
    n = len(order)
    for length in (1, 2, 3):
        for at in range(n - length + 1):
            stretch, rest = order[at : at + length], order[:at] + order[at + length :]
            for to in range(len(rest) + 1):
                if to != at:
                    yield rest[:to] + stretch + rest[to:]
    for first in range(n - 1):
        for last in range(first + 2, n + 1):
            yield order[:first] + order[first:last][::-1] + order[last:]


def _bits(members: int) -> Iterator[int]:
    """Yield the members of a set that is written as bits."""
    while members:
        low = members & -members
        yield low.bit_length() - 1
        members ^= low
