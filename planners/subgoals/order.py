"""The order of errands: which to do first, and which of its ways to do each, so that the robot drives least.

An errand begins at a place and ends at one; between errands the robot drives. With few errands the best
order is found exactly by dynamic programming over subsets (Held and Karp 1962); with more, by insertion and
improvement, with a lower bound that says how far from the best the result can be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

EXACT = 9
"""Most errands whose order is found exactly."""

Distance = Callable[[str, str], int]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to do an errand: where it begins and ends, and what it costs in between (millimetres)."""

    entry: str | None
    exit: str | None
    inner: int


@dataclass(frozen=True, slots=True)
class Order:
    """Which errand comes when, and the way chosen for each errand. No order costs less than ``bound``."""

    sequence: tuple[int, ...]
    ways: tuple[int, ...]
    cost: int
    bound: int
    exact: bool


def order(start: str, errands: Sequence[Sequence[Way]], distance: Distance, last: int | None = None) -> Order:
    """The order of errands from a start place; ``last`` must come at the end.

    Raises ``ValueError`` for an errand without a way to do it.
    """
    if not all(errands):
        raise ValueError("an errand without a way to do it")
    if len(errands) <= EXACT:
        return _exact(start, errands, distance, last)
    return _heuristic(start, errands, distance, last)


def _step(here: str, way: Way, distance: Distance) -> tuple[int, str]:
    """The cost of going on with a way, and where one is afterwards."""
    drive = distance(here, way.entry) if way.entry is not None else 0
    return drive + way.inner, way.exit if way.exit is not None else here


def _exact(start: str, errands: Sequence[Sequence[Way]], distance: Distance, last: int | None) -> Order:
    """Held-Karp: the cheapest way to have done a subset and to be at a place."""
    layer: dict[tuple[int, str], tuple[int, tuple[int, ...], tuple[int, ...]]] = {(0, start): (0, (), ())}
    for _ in errands:
        following: dict[tuple[int, str], tuple[int, tuple[int, ...], tuple[int, ...]]] = {}
        for (done, here), (cost, sequence, ways) in sorted(layer.items()):
            for index, choices in enumerate(errands):
                early = index == last and bin(done).count("1") < len(errands) - 1
                if early or done >> index & 1:
                    continue
                for number, way in enumerate(choices):
                    more, there = _step(here, way, distance)
                    key = (done | 1 << index, there)
                    value = (cost + more, (*sequence, index), (*ways, number))
                    if key not in following or value < following[key]:
                        following[key] = value
        layer = following
    cost, sequence, ways = min(layer.values())
    chosen = [0] * len(errands)
    for index, number in zip(sequence, ways, strict=True):
        chosen[index] = number
    return Order(sequence, tuple(chosen), cost, cost, True)


def _heuristic(start: str, errands: Sequence[Sequence[Way]], distance: Distance, last: int | None) -> Order:
    """Cheapest insertion, then moving and reversing stretches until nothing improves."""

    def cost_of(sequence: Sequence[int]) -> tuple[int, tuple[int, ...]]:
        """The best ways for a sequence, by dynamic programming over where each errand ends."""
        states: dict[str, tuple[int, tuple[int, ...]]] = {start: (0, ())}
        for index in sequence:
            following: dict[str, tuple[int, tuple[int, ...]]] = {}
            for here, (cost, ways) in states.items():
                for number, way in enumerate(errands[index]):
                    more, there = _step(here, way, distance)
                    value = (cost + more, (*ways, number))
                    if there not in following or value < following[there]:
                        following[there] = value
            states = following
        return min(states.values())

    sequence: list[int] = []
    for index in range(len(errands)):
        if index == last:
            continue
        trials = [[*sequence[:i], index, *sequence[i:]] for i in range(len(sequence) + 1)]
        sequence = min(trials, key=lambda t: (cost_of(t)[0], t))
    tail = [] if last is None else [last]
    best = cost_of(sequence + tail)[0]
    improved = True
    while improved:
        improved = False
        for trial in _neighbours(sequence):
            cost = cost_of(trial + tail)[0]
            if cost < best:
                sequence, best, improved = trial, cost, True
                break
    sequence += tail
    cost, ways = cost_of(sequence)
    chosen = [0] * len(errands)
    for index, number in zip(sequence, ways, strict=True):
        chosen[index] = number
    bound = min(cost, lower_bound(start, errands, distance))
    return Order(tuple(sequence), tuple(chosen), cost, bound, False)


def _neighbours(sequence: list[int]) -> list[list[int]]:
    """Stretches of up to three errands moved elsewhere, and two errands swapped."""
    found = []
    count = len(sequence)
    for length in (1, 2, 3):
        for i in range(count - length + 1):
            stretch, rest = sequence[i : i + length], sequence[:i] + sequence[i + length :]
            found += [rest[:j] + stretch + rest[j:] for j in range(len(rest) + 1) if j != i]
    for i in range(count):
        for j in range(i + 1, count):
            swapped = list(sequence)
            swapped[i], swapped[j] = swapped[j], swapped[i]
            found.append(swapped)
    return found


def lower_bound(start: str, errands: Sequence[Sequence[Way]], distance: Distance) -> int:
    """A bound that no order beats: every errand is done somehow and entered from the nearest possible place.

    The assignment relaxation, solved greedily from below: each errand pays at least the cheapest drive to it
    from the start or from an end of another errand. Solved as an assignment it would only be tighter.
    """
    total = 0
    for index, ways in enumerate(errands):
        exits = [start] + [
            w.exit for i, other in enumerate(errands) if i != index for w in other if w.exit is not None
        ]
        total += min(
            way.inner + (min(distance(e, way.entry) for e in exits) if way.entry is not None else 0)
            for way in ways
        )
    return total
