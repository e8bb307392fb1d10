"""The order of subgoals, and which plan to take for each, so that the robot drives least.

A subgoal's plan begins at a place and ends at one; in between the robot drives. With few subgoals the best
order is found exactly by dynamic programming over subsets (Held and Karp 1962). With more, an order by
nearest places is improved by local search (`tour`), and, where a solver is given, made best and proved by it
(`circuit`). Nothing here knows of goals or scenes. Each step may be changed; the bound must stay a lower
bound over all orders of the plans given, and neither ties nor limits may depend on hashing or on a clock
(where time runs out, that is noted).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...domains.deadline import LimitReached, note_cut, share_of_time
from ...engines.result import OrderBound
from .circuit import Solve, circuit_model
from .tour import improved
from .travel import Distance, SubgoalPlan, Subgoals, TravelCosts

EXACT = 9
"""Most subgoals whose order is found exactly by dynamic programming."""

SHARE = 0.5
"""The part of the time left that the order may take: a worse order is better than no plan."""


@dataclass(frozen=True, slots=True)
class Order:
    """A sequence of subgoals, and the plan chosen for each of them. No order costs less than ``bound``.

    ``method`` names the algorithm that proved the bound. ``last`` is the subgoal that had to come at the end.
    ``reproducible`` is false where a clock decided.
    """

    sequence: tuple[int, ...]
    plans: tuple[int, ...]
    cost: int
    bound: int
    method: str
    reproducible: bool = True
    last: int | None = None

    @property
    def exact(self) -> bool:
        """True if no order costs less."""
        return self.cost == self.bound

    def bounded(self, start: str, subgoals: Subgoals, before: int = 0) -> OrderBound:
        """Return the bound with what it is computed from; ``before`` is spent in any order.

        Subgoals are listed in the order chosen, the plan chosen for each before its other plans.
        """
        listed = [(subgoals[index], self.plans[index]) for index in self.sequence]
        chosen_first = ((plans[taken], *plans[:taken], *plans[taken + 1 :]) for plans, taken in listed)
        stops = tuple(tuple((p.entry, p.exit, p.cost) for p in plans) for plans in chosen_first)
        cost, bound, ends = self.cost + before, self.bound + before, self.last is not None
        return OrderBound(cost, bound, self.method, start, stops, before, ends)


def order(
    start: str,
    subgoals: Subgoals,
    distance: Distance,
    last: int | None = None,
    solve: Solve | None = None,
    anchor: Callable[[str], str] = str,
) -> Order:
    """Find the order of subgoals, each given by its plans, from a start place; ``last`` must come at the end.

    ``distance`` gives the millimetres between places and ``anchor`` the place through which one is reached.
    ``solve`` is a solver for models with circuits. Raises ``ValueError`` for a subgoal without a plan.
    """
    if not all(subgoals):
        raise ValueError("a subgoal without a plan")
    if len(subgoals) <= EXACT:
        chosen = _exact(start, subgoals, distance, last)
    else:
        chosen = _many(TravelCosts(start, subgoals, distance, anchor), last, solve)
    return replace(chosen, last=last)


def _step(here: str, plan: SubgoalPlan, distance: Distance) -> tuple[int, str]:
    """The cost of going on with a plan, and where one is afterwards."""
    drive = distance(here, plan.entry) if plan.entry is not None else 0
    return drive + plan.cost, plan.exit if plan.exit is not None else here


def insertion_costs(
    start: str, plans: Sequence[SubgoalPlan], extra: SubgoalPlan, distance: Distance
) -> list[int]:
    """Return the millimetres of carrying plans out in turn with one more before each, and at the end."""
    ways, total, here = [start], 0, start
    for plan in plans:
        more, here = _step(here, plan, distance)
        total += more
        ways.append(here)
    costs, entry = list[int](), None
    for place in range(len(plans), -1, -1):
        if place < len(plans) and plans[place].entry is not None:
            entry = plans[place].entry
        more, there = _step(ways[place], extra, distance)
        further = distance(there, entry) - distance(ways[place], entry) if entry is not None else 0
        costs.append(total + more + further)
    return costs[::-1]


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
    return Order(sequence, tuple(chosen), cost, cost, "dynamic programming")


def _many(travel: TravelCosts, last: int | None, solve: Solve | None) -> Order:
    """Nearest places first, local search, and the solver, which bounds what is best."""
    end = travel.placed.index(last) + 1 if last in travel.placed else None
    search = _Search(travel, end)
    if len(travel.placed) > 1:
        search.improve()
        if solve is not None:
            search.prove(solve)
    nodes = [travel.placed[node - 1] for node in search.tour[1:]]
    wherever = [index for index in travel.free if index != last]
    sequence = (*wherever, *nodes, *([last] if last in travel.free and last is not None else ()))
    plans = [travel.free.get(index, 0) for index in range(len(travel.subgoals))]
    for node, index in enumerate(travel.placed, 1):
        plans[index] = search.chosen[node]
    return Order(sequence, tuple(plans), search.cost, search.lower, search.method, search.reproducible)


class _Search:
    """The best order of nodes up to now, the plan of each, and the best bound with what proved it."""

    def __init__(self, travel: TravelCosts, last: int | None) -> None:
        self.travel, self.last = travel, last
        self.tour = travel.nearest_first(last)
        self.cost, self.chosen = travel.best_plans(self.tour)
        self.lower = sum(map(travel.least, self.tour[1:]))
        self.method, self.reproducible = "nearest places", True

    def improve(self) -> None:
        """Improve the order, then the plans for it, by turns until neither gets better."""
        try:
            with share_of_time(SHARE):
                while True:
                    tour = improved(self.travel.matrix(self.chosen), self.tour, self.last is not None)
                    cost, chosen = self.travel.best_plans(tour)
                    if cost >= self.cost:
                        return
                    self.tour, self.chosen, self.cost = tour, chosen, cost
        except LimitReached as cut:
            note_cut(cut.work)
            self.reproducible = False

    def prove(self, solve: Solve) -> None:
        """Let a solver find the best order, among those that cost no more than the one at hand."""
        if self.lower >= self.cost:
            return
        circuit = circuit_model(self.travel, self.tour, self.chosen, self.last)
        if circuit is None:
            return
        optimum = solve(circuit.model)
        self.reproducible = self.reproducible and optimum.reproducible
        if optimum.cost is not None and optimum.cost < self.cost:
            self.tour, self.chosen = circuit.order_of(optimum)
            self.cost = optimum.cost
        if optimum.bound is not None and optimum.bound > self.lower:
            self.lower, self.method = min(optimum.bound, self.cost), optimum.solver
