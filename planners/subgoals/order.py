"""The order of subgoals, and which plan to take for each, so that the robot drives least.

A subgoal's plan begins at a place and ends at one; in between the robot drives. With few subgoals the best
order is found exactly by dynamic programming over subsets (Held and Karp 1962); with more, by insertion and
improvement, with a lower bound that says how far from the best the result can be. It is a travelling salesman
problem over numbers: nothing here knows of goals or scenes. The heuristic may be changed; the bound must stay
a lower bound over all orders of the plans given, and ties must not depend on hashing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .execution import NOTHING, PlanSkeleton

EXACT = 9
"""Most subgoals whose order is found exactly."""

Distance = Callable[[str, str], int]


@dataclass(frozen=True, slots=True)
class SubgoalPlan:
    """A plan for one subgoal: where it begins and ends, and what it costs in between (millimetres).

    ``proved`` means that no plan for the subgoal costs less.
    """

    entry: str | None
    exit: str | None
    cost: int
    skeleton: PlanSkeleton = NOTHING
    proved: bool = False


Subgoals = Sequence[Sequence[SubgoalPlan]]


@dataclass(frozen=True, slots=True)
class Order:
    """A sequence of subgoals, and the plan chosen for each of them. No order costs less than ``bound``."""

    sequence: tuple[int, ...]
    plans: tuple[int, ...]
    cost: int
    bound: int
    exact: bool


def order(start: str, subgoals: Subgoals, distance: Distance, last: int | None = None) -> Order:
    """Find the order of subgoals, each given by its plans, from a start place; ``last`` must come at the end.

    Raises ``ValueError`` for a subgoal without a plan.
    """
    if not all(subgoals):
        raise ValueError("a subgoal without a plan")
    if len(subgoals) <= EXACT:
        return _exact(start, subgoals, distance, last)
    return _heuristic(start, subgoals, distance, last)


def _step(here: str, plan: SubgoalPlan, distance: Distance) -> tuple[int, str]:
    """The cost of going on with a plan, and where one is afterwards."""
    drive = distance(here, plan.entry) if plan.entry is not None else 0
    return drive + plan.cost, plan.exit if plan.exit is not None else here


def _exact(start: str, subgoals: Subgoals, distance: Distance, last: int | None) -> Order:
    """Held-Karp: the least cost at which a subset is done and the robot is at a place."""
    layer: dict[tuple[int, str], tuple[int, tuple[int, ...], tuple[int, ...]]] = {(0, start): (0, (), ())}
    for _ in subgoals:
        following: dict[tuple[int, str], tuple[int, tuple[int, ...], tuple[int, ...]]] = {}
        for (done, here), (cost, sequence, taken) in sorted(layer.items()):
            for index, plans in enumerate(subgoals):
                early = index == last and bin(done).count("1") < len(subgoals) - 1
                if early or done >> index & 1:
                    continue
                for number, plan in enumerate(plans):
                    more, there = _step(here, plan, distance)
                    key = (done | 1 << index, there)
                    value = (cost + more, (*sequence, index), (*taken, number))
                    if key not in following or value < following[key]:
                        following[key] = value
        layer = following
    cost, sequence, taken = min(layer.values())
    chosen = [0] * len(subgoals)
    for index, number in zip(sequence, taken, strict=True):
        chosen[index] = number
    return Order(sequence, tuple(chosen), cost, cost, True)


def _heuristic(start: str, subgoals: Subgoals, distance: Distance, last: int | None) -> Order:
    """Cheapest insertion, then moving and reversing stretches until nothing improves."""

    def cost_of(sequence: Sequence[int]) -> tuple[int, tuple[int, ...]]:
        """The best plans for a sequence, by dynamic programming over where each subgoal ends."""
        states: dict[str, tuple[int, tuple[int, ...]]] = {start: (0, ())}
        for index in sequence:
            following: dict[str, tuple[int, tuple[int, ...]]] = {}
            for here, (cost, taken) in states.items():
                for number, plan in enumerate(subgoals[index]):
                    more, there = _step(here, plan, distance)
                    value = (cost + more, (*taken, number))
                    if there not in following or value < following[there]:
                        following[there] = value
            states = following
        return min(states.values())

    sequence: list[int] = []
    for index in range(len(subgoals)):
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
    cost, taken = cost_of(sequence)
    chosen = [0] * len(subgoals)
    for index, number in zip(sequence, taken, strict=True):
        chosen[index] = number
    bound = min(cost, lower_bound(start, subgoals, distance))
    return Order(tuple(sequence), tuple(chosen), cost, bound, False)


def _neighbours(sequence: list[int]) -> list[list[int]]:
    """Stretches of up to three subgoals moved elsewhere, and two subgoals swapped."""
    trials = []
    count = len(sequence)
    for length in (1, 2, 3):
        for i in range(count - length + 1):
            stretch, rest = sequence[i : i + length], sequence[:i] + sequence[i + length :]
            trials += [rest[:j] + stretch + rest[j:] for j in range(len(rest) + 1) if j != i]
    for i in range(count):
        for j in range(i + 1, count):
            swapped = list(sequence)
            swapped[i], swapped[j] = swapped[j], swapped[i]
            trials.append(swapped)
    return trials


def lower_bound(start: str, subgoals: Subgoals, distance: Distance) -> int:
    """A bound that no order beats: every subgoal is done somehow and entered from the nearest possible place.

    The assignment relaxation, solved greedily from below: each subgoal pays at least the cheapest drive to it
    from the start or from an end of another subgoal. Solved as an assignment it would only be tighter.
    """
    total = 0
    for index, plans in enumerate(subgoals):
        exits = [start] + [
            p.exit for i, other in enumerate(subgoals) if i != index for p in other if p.exit is not None
        ]
        total += min(
            plan.cost + (min(distance(e, plan.entry) for e in exits) if plan.entry is not None else 0)
            for plan in plans
        )
    return total
