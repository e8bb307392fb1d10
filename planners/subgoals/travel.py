"""Plans of subgoals as places on a map: what it costs to carry out one right after another.

A plan begins at a place and ends at one, and the robot drives in between. The lengths of these drives are
looked up once and kept in one matrix over the anchors (rooms, poses) of all plans, so that finding an order
is work on numbers alone. How the matrix is stored may be changed. Two things are relied upon: a plan costs at
least the drive from where it begins to where it ends, and no detour is shorter than a direct drive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...domains.deadline import check_time
from ...domains.formula import Formula
from ..carrying_out import NOTHING, PlanSkeleton

Distance = Callable[[str, str], int]

Matrix = list[list[int]]
"""``matrix[i][j]``: the cost of driving from the end of ``i`` to ``j`` and of ``j``; 0 is the start."""


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


@dataclass(frozen=True, slots=True)
class Subgoal:
    """One part of the goal, and the plans for it among which the order of all subgoals chooses.

    ``apart`` are the subgoals that its plan does together; they are done one by one where it does not work.
    """

    formula: Formula
    plans: tuple[SubgoalPlan, ...]
    apart: tuple[Subgoal, ...] = ()


Subgoals = Sequence[Sequence[SubgoalPlan]]


def with_places(subgoals: Subgoals) -> list[int]:
    """Return the indices of the subgoals all of whose plans begin and end somewhere."""
    ends = [[end for plan in plans for end in (plan.entry, plan.exit)] for plans in subgoals]
    return [index for index, places in enumerate(ends) if None not in places]


class TravelCosts:
    """The travel between plans of subgoals from a start place; node ``i + 1`` stands for ``placed[i]``.

    A subgoal with a plan that begins nowhere (nothing has to be done) is left out: it costs nothing at any
    moment. ``free`` gives these subgoals, each with that plan.
    """

    def __init__(
        self, start: str, subgoals: Subgoals, distance: Distance, anchor: Callable[[str], str] = str
    ) -> None:
        self.subgoals = subgoals
        self.free: dict[int, int] = {}
        for index, plans in enumerate(subgoals):
            nowhere = next((n for n, p in enumerate(plans) if p.entry is None or p.exit is None), None)
            if nowhere is not None:
                self.free[index] = nowhere
        self.placed = with_places(subgoals)
        entries: dict[str, int] = {}
        exits: dict[str, int] = {anchor(start): 0}
        # For each node its plans: where each begins and ends, by number of the anchor, and its cost.
        self.plans: list[list[tuple[int, int, int]]] = [[(0, 0, 0)]]
        for index in self.placed:
            numbered = []
            for plan in subgoals[index]:
                assert plan.entry is not None and plan.exit is not None
                entry = entries.setdefault(anchor(plan.entry), len(entries))
                numbered.append((entry, exits.setdefault(anchor(plan.exit), len(exits)), plan.cost))
            self.plans.append(numbered)
        self.lengths = [[distance(source, target) for target in entries] for source in exits]

    def matrix(self, chosen: Sequence[int]) -> Matrix:
        """Return the costs between nodes with one plan chosen for each."""
        picked = [plans[number] for plans, number in zip(self.plans, chosen, strict=True)]
        heads = [(entry, cost) for entry, _, cost in picked]
        rows = []
        for _, leave, _ in picked:
            lengths = self.lengths[leave]
            rows.append([lengths[entry] + cost for entry, cost in heads] if lengths else [0])
        return rows

    def least(self, node: int) -> int:
        """Return the least cost of going to a node from any place and of one of its plans."""
        return min(min(row[entry] for row in self.lengths) + cost for entry, _, cost in self.plans[node])

    def nearest_first(self, last: int | None) -> list[int]:
        """Return an order in which the robot goes on to the nearest node each time, ``last`` at the end."""
        left, tour, here = {n for n in range(1, len(self.plans)) if n != last}, [0], (0, 0)
        while left:
            check_time("ordering subgoals")
            ways = ((self.step(here, (n, k)), n, k) for n in left for k in range(len(self.plans[n])))
            _, node, number = min(ways)
            here = node, number
            left.remove(node)
            tour.append(node)
        return tour if last is None else [*tour, last]

    def step(self, before: tuple[int, int], after: tuple[int, int]) -> int:
        """Return the cost of going on from a node with its plan to another one with its plan."""
        entry, _, cost = self.plans[after[0]][after[1]]
        return self.lengths[self.plans[before[0]][before[1]][1]][entry] + cost

    def best_plans(self, tour: Sequence[int]) -> tuple[int, list[int]]:
        """Return the least cost of nodes in this order, and the plan of each, by dynamic programming."""
        states: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, (0,))}  # by where one is
        for node in tour[1:]:
            following: dict[int, tuple[int, tuple[int, ...]]] = {}
            for here, (spent, taken) in states.items():
                for number, (entry, leave, cost) in enumerate(self.plans[node]):
                    value = (spent + self.lengths[here][entry] + cost, (*taken, number))
                    if leave not in following or value < following[leave]:
                        following[leave] = value
            states = following
        spent, taken = min(states.values())
        numbers = [0] * len(self.plans)
        for node, number in zip(tour, taken, strict=True):
            numbers[node] = number
        return spent, numbers
