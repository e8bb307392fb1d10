"""The order of subgoals as a circuit with costs, for CP-SAT: the plan of each is chosen together with it.

One Boolean for each arc from a plan to one that may follow; a plan that is not taken has its arc to itself.
The number of arcs may be tuned. No arc may be left out, because CP-SAT's word about what is there is taken as
proof.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..optimization import Arc, BooleanModel, Optimum
from .travel import TravelCosts

MAX_ARCS = 50_000
"""Most arcs of a circuit; beyond, the order is left as it is."""

Solve = Callable[[BooleanModel], Optimum]


@dataclass(frozen=True)
class CircuitModel:
    """A model of orders, and what each of its arcs stands for."""

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
    travel: TravelCosts, tour: Sequence[int], chosen: Sequence[int], last: int | None
) -> CircuitModel | None:
    """Build the model of all orders, with one of them to begin with; ``None`` where it has too many arcs."""
    pairs = [(node, number) for node, plans in enumerate(travel.plans) for number in range(len(plans))]
    if len(pairs) ** 2 > MAX_ARCS:
        return None
    places = {pair: place for place, pair in enumerate(pairs)}
    ends = [(node, chosen[node]) for node in tour]
    taken = {*itertools.pairwise([*ends, (0, 0)])}
    model, arcs, circuit = BooleanModel(), dict[int, tuple[int, int, int, int]](), list[Arc]()
    for tail, head in itertools.product(pairs, repeat=2):
        closing = head == (0, 0)
        if (
            tail[0] == head[0]
            or (tail[0] == last and not closing)
            or (closing and last not in (None, tail[0]))
        ):
            continue
        variable = model.variable(0 if closing else travel.step(tail, head))
        arcs[variable] = (*tail, *head)
        circuit.append(Arc(places[tail], places[head], variable))
        model.hint[variable] = (tail, head) in taken
    for node, plans in enumerate(travel.plans):
        if len(plans) > 1:
            skipped = [model.variable() for _ in plans]
            circuit += [Arc(places[node, n], places[node, n], v) for n, v in enumerate(skipped)]
            model.hint |= {v: n != chosen[node] for n, v in enumerate(skipped)}
            count = len(plans) - 1
            model.linear([(v, 1) for v in skipped], least=count, most=count)
    model.circuit(circuit)
    return CircuitModel(model, arcs)
