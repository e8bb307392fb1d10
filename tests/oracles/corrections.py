"""What can be had of a goal by all states that are reached: conflicts and corrections by enumeration.

A goal is a conjunction. What can be given up of it is a conjunct, an instance of a ``forall`` over one
variable, or one unit of a count; a count that asks for less is kept where one that asks for more is.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations

from strategies import applicable

from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import (
    Atom,
    Count,
    Exists,
    Forall,
    Formula,
    Not,
    TypedVar,
    Var,
    conjunction,
    conjuncts,
    substitute,
)
from groundplan.simulator.belief import Belief
from groundplan.simulator.world import World
from oracles.reached import key

MOST_STATES = 1500
Units = frozenset[Formula]


def reached(belief: Belief) -> list[World] | None:
    """Return all worlds that actions reach, ``None`` for too many."""
    first = World(belief)
    seen, worlds = {key(first)}, [first]
    queue = deque(worlds)
    while queue:
        world = queue.popleft()
        for action in applicable(world):
            after = World(belief, facts=world.state.facts)
            after.perform(action)
            if key(after) in seen:
                continue
            if len(worlds) == MOST_STATES:
                return None
            seen.add(key(after))
            worlds.append(after)
            queue.append(after)
    return worlds


def units_of(part: Formula, belief: Belief) -> list[Formula]:
    if isinstance(part, Forall):
        (variable,) = part.variables
        return [substitute(part.body, {variable.name: name}) for name in belief.members(variable.type)]
    if not isinstance(part, Count):
        return [part]
    most = len(belief.members(part.variables[0].type))
    asked = [part.number, *range(min(part.number - 1, most), 0, -1)] if part.number else []
    more = [Count("at-least", n, part.variables, part.body) for n in asked]
    fewer = [Count("at-most", n, part.variables, part.body) for n in range(part.number, most)]
    if part.kind == "exactly":
        return [*(more if part.number else ()), *(fewer or [replace(part, kind="at-most")])]
    return more if part.kind == "at-least" else fewer or [part]


@dataclass
class Attainable:
    """The units of a goal, and which of them hold together in some state that is reached."""

    units: list[Formula]
    together: set[Units]

    @classmethod
    def of(cls, goal: Formula, belief: Belief, worlds: Iterable[World]) -> Attainable:
        units = list(dict.fromkeys(u for part in conjuncts(goal) for u in units_of(part, belief)))
        return cls(units, {frozenset(u for u in units if evaluate(u, world)) for world in worlds})

    def possible(self, units: Iterable[Formula]) -> bool:
        some = frozenset(units)
        return any(some <= others for others in self.together)

    def corrections(self) -> set[Units]:
        """Return all smallest sets to give up."""
        gone = {frozenset(self.units) - kept for kept in self.together}
        return {one for one in gone if not any(other < one for other in gone)}


def goal_of(seed: int, belief: Belief, worlds: list[World]) -> Formula:
    """Draw a goal of two to five conjuncts, most of which can be had alone."""
    rng = random.Random(f"corrections {seed}")
    public = belief.pack.mapping.goal_predicates
    facts = sorted({a for world in worlds for a in world.state.facts if a.predicate in public}, key=str)
    objects = belief.scene.by_type["object"]
    parts: list[Formula] = []
    for _ in range(rng.randint(2, 5)):
        fact = rng.choice(facts)
        kind = rng.choice(("fact", "fact", "fact", "not", "forall", "count", "wrong", "exists"))
        variable = TypedVar("x", rng.choice(("item", "item", "apple", "mug")))
        general = Atom(fact.predicate, (Var("x"), *fact.args[1:]))
        ranges = bool(fact.args) and fact.args[0] in objects and bool(belief.members(variable.type))
        if kind == "not":
            parts.append(Not(fact))
        elif kind == "wrong":
            parts.append(Atom("filled", (rng.choice(objects),)))
        elif ranges and kind == "forall":
            parts.append(Forall((variable,), general))
        elif ranges and kind == "exists":
            parts.append(Exists((variable,), general))
        elif ranges and kind == "count":
            bound = rng.choice(("at-least", "at-most", "exactly"))
            parts.append(Count(bound, rng.randint(0, 3), (variable,), general))
        else:
            parts.append(fact)
    return conjunction(tuple(dict.fromkeys(parts)))


def smallest(parts: Iterable[Formula], holds: Attainable, belief: Belief) -> bool:
    """Return whether parts cannot be had together, and whether they can without any one of them."""
    each = [units_of(part, belief) for part in parts]
    flat = [unit for some in each for unit in some]
    rests = combinations(each, len(each) - 1)
    return not holds.possible(flat) and all(
        holds.possible(u for some in rest for u in some) for rest in rests
    )
