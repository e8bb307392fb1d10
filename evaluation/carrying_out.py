"""Plans carried out with lenience: what a plan would come to if somebody mended its refused steps.

Two stand-ins for a person who judges whether a plan means the right thing though it cannot be carried out
(SayPlan's "correctness", section 5.2, was judged so). With *skipping* a refused step is left out. With
*inserting* the cheapest steps are put before it that make it possible; only where there are none, it is left
out. What may be inserted is fixed: drives along routes, ``access``, ``open`` and ``close``, none of which
moves a thing or switches one on. The search is bounded by :data:`MAX_WORLDS`, which may be raised.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from ..domains.deadline import check_time
from ..domains.errors import NoRoute
from ..domains.evaluate import evaluate
from ..domains.formula import Formula
from ..simulator.belief import Belief
from ..simulator.step import DONE, Step
from ..simulator.verification import watched
from ..simulator.world import Effect, Refusal, World

MAX_WORLDS = 500
"""Most states that are looked at for the insertions before one step."""
DOORS = ("open", "close")
"""Printed steps that may be inserted beside drives and ``access``."""


@dataclass(frozen=True, slots=True)
class LenientRun:
    """The truth of a goal after a plan that was mended, and how many steps were inserted and left out."""

    goal_value: bool
    inserted: int
    skipped: int


def carry_out_leniently(
    steps: Sequence[Step], belief: Belief, goal: Formula, insert: bool = True
) -> LenientRun:
    """Carry out a plan up to ``done()``; mend, or only leave out, what the simulator refuses.

    Without ``insert`` every refused step is left out.
    """
    world = World(belief, watched(goal, belief))
    inserted = skipped = 0
    for step in steps:
        check_time("carrying a plan out with lenience")
        if step == DONE:
            break
        if isinstance(world.apply(step), Effect):
            continue
        mended = enabling_steps(step, world) if insert else None
        if mended is None:
            skipped += 1
            continue
        for one in (*mended, step):
            world.apply(one)
        inserted += len(mended)
    return LenientRun(bool(evaluate(goal, world)), inserted, skipped)


def enabling_steps(step: Step, world: World) -> tuple[Step, ...] | None:
    """Return the cheapest steps that make a refused step possible; ``None`` where there are none.

    They are drives, ``access`` and doors, about what the step names and what that is in; for a step about a
    thing in the hand also about the assets of the room where the robot is. Costs are the lengths of routes
    and the effort of the pack's actions; of equally cheap ways the one found first counts.
    """
    if any(name not in world.scene.nodes for name in step.args):
        return None
    related = _related(step, world)
    order = count()
    queue: list[tuple[int, int, World, tuple[Step, ...]]] = [(0, next(order), world.fork(), ())]
    seen: set[tuple[object, ...]] = set()
    while queue and len(seen) < MAX_WORLDS:
        cost, _, here, before = heapq.heappop(queue)
        state = (here.state.stands_at, *(_doors(name, here) for name in related))
        if state in seen:
            continue
        seen.add(state)
        if before and isinstance(here.fork().apply(step), Effect):
            return before
        for move in _moves(step, related, here):
            after = here.fork()
            spent = _applied(move, after)
            if spent is not None:
                heapq.heappush(queue, (cost + spent, next(order), after, (*before, *move)))
    return None


def _related(step: Step, world: World) -> tuple[str, ...]:
    """Return what a step names and what that is in, and for a thing in the hand the assets around."""
    names: dict[str, None] = {}
    held = world.pack.mapping.robot_held.predicate
    for name in step.args:
        chain = world.state.around(name)
        names |= dict.fromkeys(chain)
        if world.state.facts.holds(held, (chain[-1],)):
            room = world.state.here
            inside = world.scene.children.get(room, ())
            names |= dict.fromkeys(i for i in inside if world.scene.nodes[i].type == "asset")
    return tuple(names)


def _doors(name: str, world: World) -> tuple[bool, ...]:
    """Return the truth of every fact about one node that actions can change."""
    fluents = sorted(p for p in world.pack.fluents if world.pack.domain.predicates[p].arity == 1)
    return tuple(world.state.facts.holds(predicate, (name,)) for predicate in fluents)


def _moves(step: Step, related: Sequence[str], world: World) -> Iterator[tuple[Step, ...]]:
    """Yield what may be inserted in a state: a drive to a room or pose, an access, a door."""
    here = world.state.anchor
    for name in related:
        node_type = world.scene.nodes[name].type
        if node_type in ("room", "pose"):
            if name != here and (drive := _drive(here, name, step, world)):
                yield drive
        else:
            yield (Step("access", (name,)),)
            for door in DOORS:
                yield (Step(door, (name,)),)


def _drive(here: str, target: str, step: Step, world: World) -> tuple[Step, ...]:
    """Return the steps of the shortest route, without the last where that is the refused step itself."""
    try:
        hops = world.belief.routes.route(here, target).hops
    except NoRoute:
        return ()
    drive = tuple(Step("goto", (hop,)) for hop in hops)
    return drive[:-1] if drive and drive[-1] == step else drive


def _applied(steps: Sequence[Step], world: World) -> int | None:
    """Apply steps to a world; return their cost in millimetres, ``None`` where one is refused."""
    spent = 0
    for step in steps:
        effect = world.apply(step)
        if isinstance(effect, Refusal):
            return None
        spent += effect_cost(effect, world.belief)
    return spent


def effect_cost(effect: Effect, belief: Belief) -> int:
    """Return the millimetres driven by a step, and the effort of its actions; events are free."""
    schemas = belief.pack.domain.actions
    return effect.length + sum(schemas[a.name].cost or 0 for a in effect.actions if not a.event)
