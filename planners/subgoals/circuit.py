"""The order of subgoals as a circuit with costs, for CP-SAT: the plan of each is chosen together with it.

One Boolean for each arc from a plan to one that may follow; a plan that is not taken has its arc to itself.
Arcs that no order cheaper than the one at hand can use are left out: with such an arc, the cheapest spanning
tree costs more (see `tree_bound`). The number of arcs and the work may be tuned. An arc may be left out only
for that reason, because CP-SAT's word about what is left is taken as proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..optimization import Arc, BooleanModel, Optimum
from .travel import Matrix, TravelCosts
from .tree_bound import FINE, TreeBound, costliest_on_paths

MAX_ARCS = 15_000
"""Most arcs of a circuit; beyond, the order is left as it is."""

Solve = Callable[[BooleanModel], Optimum]


@dataclass(frozen=True)
class CircuitModel:
    """A model of the orders that may still be cheaper, and what each of its arcs stands for."""

    model: BooleanModel
    arcs: dict[int, tuple[int, int, int, int]]
    """By variable: a node with its plan, the node that follows with its plan (0, 0: the end)."""

    def order_of(self, optimum: Optimum) -> tuple[list[int], list[int]]:
        """Return the order of the nodes and the plan of each that a solution stands for."""
        follows = {a: (c, d) for v, (a, _, c, d) in self.arcs.items() if optimum.values[v]}
        tour, numbers = [0], [0] * len(follows)
        while (following := follows[tour[-1]])[0]:
            tour.append(following[0])
            numbers[following[0]] = following[1]
        return tour, numbers


def circuit_model(
    travel: TravelCosts,
    costs: Matrix,
    bound: TreeBound,
    tour: Sequence[int],
    chosen: Sequence[int],
    upper: int,
    last: int | None,
) -> CircuitModel | None:
    """Build the model of all orders that cost at most ``upper``; ``None`` where it has too many arcs."""
    kept = _arcs_that_may_be_cheaper(travel, costs, bound, upper, last)
    if kept is None:
        return None
    model = BooleanModel()
    pairs = [(node, number) for node, plans in enumerate(travel.plans) for number in range(len(plans))]
    nodes = {pair: place for place, pair in enumerate(pairs)}
    taken = {(tour[i], chosen[tour[i]], tour[i + 1], chosen[tour[i + 1]]) for i in range(len(tour) - 1)}
    taken.add((tour[-1], chosen[tour[-1]], 0, 0))
    for node, number in nodes:
        if node and (last is None or node == last):
            kept.append((0, node, number, 0, 0))
    arcs: dict[int, tuple[int, int, int, int]] = {}
    circuit: list[Arc] = []
    for cost, tail, number, head, following in kept:
        variable = model.variable(cost)
        arcs[variable] = (tail, number, head, following)
        circuit.append(Arc(nodes[tail, number], nodes[head, following], variable))
        model.hint[variable] = (tail, number, head, following) in taken
    for node, plans in enumerate(travel.plans):
        if len(plans) > 1:
            skipped = [model.variable() for _ in plans]
            circuit += [Arc(nodes[node, n], nodes[node, n], v) for n, v in enumerate(skipped)]
            model.hint |= {v: n != chosen[node] for n, v in enumerate(skipped)}
            count = len(plans) - 1
            model.linear([(v, 1) for v in skipped], least=count, most=count)
    model.circuit(circuit)
    return CircuitModel(model, arcs)


def _arcs_that_may_be_cheaper(
    travel: TravelCosts, costs: Matrix, bound: TreeBound, upper: int, last: int | None
) -> list[tuple[int, int, int, int, int]] | None:
    """Return the arcs of orders that cost at most ``upper``, each a cost with its ends, or ``None``.

    An end is a node with the number of its plan. There is no answer where there are too many.
    """
    kept: list[tuple[int, int, int, int, int]] = []
    for tail, plans in enumerate(travel.plans):
        if tail == last:
            continue
        most = costliest_on_paths(bound, costs, tail)
        for head in range(1, len(travel.plans)):
            saved = most[head] - bound.leaving[tail] - bound.entering[head]
            slack = (FINE * upper - bound.total + saved) // FINE
            if head == tail or costs[tail][head] > slack:
                continue
            for number, (_, leave, _) in enumerate(plans):
                lengths = travel.lengths[leave]
                for following, (entry, _, cost) in enumerate(travel.plans[head]):
                    if lengths[entry] + cost <= slack:
                        kept.append((lengths[entry] + cost, tail, number, head, following))
        if len(kept) > MAX_ARCS:
            return None
    return kept
