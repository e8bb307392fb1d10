"""The worlds that can be reached, breadth first, by trying all actions that can be done."""

from __future__ import annotations

import heapq
from collections import deque

from strategies import applicable

from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import Formula
from groundplan.planners.carrying_out import cost_of
from groundplan.simulator.belief import Belief
from groundplan.simulator.verification import watched
from groundplan.simulator.world import World


def states(belief: Belief, goal: Formula, most: int) -> tuple[bool, bool]:
    """Return whether the goal was met, and whether every state was seen."""
    first = World(belief, watched(goal, belief))
    if evaluate(goal, first):
        return True, True
    queue = deque([first])
    seen = {key(first)}
    while queue:
        world = queue.popleft()
        for action in applicable(world):
            if len(seen) > most:
                return False, False
            after = world.fork()
            after.perform(action)
            if key(after) in seen:
                continue
            seen.add(key(after))
            if evaluate(goal, after):
                return True, True
            queue.append(after)
    return False, True


def least_cost(belief: Belief, goal: Formula, most: int) -> int | None:
    """Return the millimetres of the cheapest run that meets a goal; ``None`` where every state was seen."""
    first = World(belief, watched(goal, belief))
    queue: list[tuple[int, int, World]] = [(0, 0, first)]
    spent = {key(first): 0}
    number = 0
    while queue:
        cost, _, world = heapq.heappop(queue)
        if cost > spent[key(world)]:
            continue
        if evaluate(goal, world):
            return cost
        for action in applicable(world):
            after = world.fork()
            after.perform(action)
            total, found = cost + cost_of([action], belief), key(after)
            if total < spent.get(found, total + 1):
                assert len(spent) < most, "too many states"
                spent[found], number = total, number + 1
                heapq.heappush(queue, (total, number, after))
    return None


def key(world: World) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(map(str, world.state.facts)), frozenset(
        f"{one} {state}" for one, state in world.memory.states.items()
    )
