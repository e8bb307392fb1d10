"""Random pick-and-place goals, and the least that they can cost, by a search of its own."""

from __future__ import annotations

import random

from groundplan.domains.formula import And, Atom, Formula
from groundplan.simulator.grounding import Belief

EFFORT = 100


def pick_and_place(belief: Belief, count: int, seed: int) -> Formula:
    """``count`` different things, each to a random place that takes it and that it is not at."""
    rng = random.Random(seed)
    nodes, facts = belief.scene.nodes, belief.facts
    things = [
        n.id
        for n in nodes.values()
        if n.type == "object"
        and "pickup" in n.affordances
        and nodes[n.parent or ""].type == "asset"
        and n.relation in ("inside_of", "ontop_of")
        and (n.relation == "inside_of" or not facts.holds("container", (n.parent or "",)))
    ]
    places = [n.id for n in nodes.values() if n.type == "asset" and "release" in n.affordances]
    places = [p for p in places if facts.holds("surface", (p,)) or facts.holds("can_open", (p,))]
    places = [p for p in places if not facts.holds("interlocked", (p,))]
    parts = []
    for thing in rng.sample(things, count):
        target = rng.choice([p for p in places if p != nodes[thing].parent])
        relation = "inside_of" if facts.holds("container", (target,)) else "ontop_of"
        parts.append(Atom(relation, (thing, target)))
    return And(tuple(parts))


def least_cost(goal: Formula, belief: Belief) -> int:
    """The cheapest way to carry the things one after the other, in millimetres.

    The hand holds one thing and nothing is put down on the way, so a plan is an order of errands, each from
    where its thing is to where it goes. Picking up, putting down and opening each closed container once cost
    the same in every order; what differs is the driving. Depth-first search over orders with pruning.
    """
    assert isinstance(goal, And)
    distance, facts, nodes = belief.routes.distance, belief.facts, belief.scene.nodes
    errands: list[tuple[str, str]] = []
    doors: set[str] = set()
    for part in goal.parts:
        assert isinstance(part, Atom)
        thing, target = str(part.args[0]), str(part.args[1])
        source = nodes[thing].parent or ""
        errands.append((source, target))
        doors |= {p for p in (source, target) if facts.holds("closed", (p,))}
    fixed = EFFORT * (2 * len(errands) + len(doors)) + sum(distance(s, t) for s, t in errands)
    best: dict[tuple[frozenset[int], str], int] = {}

    def rest(left: frozenset[int], here: str) -> int:
        if not left:
            return 0
        key = (left, here)
        if key not in best:
            best[key] = min(
                distance(here, errands[i][0]) + rest(left - {i}, errands[i][1]) for i in sorted(left)
            )
        return best[key]

    return fixed + rest(frozenset(range(len(errands))), belief.start)
