"""Putting things down near by: shorter ways for what only has to leave its place.

An engine that knows no costs takes any place for a thing that must not stay where it is. Here each such place
is exchanged for one in the room where the robot has the thing in hand, fixed places before movable things,
wherever the plan then costs less. Which places are tried may be changed; must stay: a plan is exchanged only
for one that was carried out on a world, reaches the same goal, and is cheaper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...domains.action import Action, PlanAction, unify
from ...domains.formula import Atom, Formula, GroundAtom
from ...simulator.belief import Belief
from ...simulator.facts import Facts
from ...simulator.world import Refusal, World
from ..carrying_out import (
    PlanSkeleton,
    accepted,
    carry_out,
    driving_from,
    last_in_time,
    world_for,
)
from .branches import final_literals

MAX_PLACES = 4
"""Most fixed places, and most movable things, that are tried for putting one thing down."""


def put_down_nearby(skeleton: PlanSkeleton, goal: Formula, belief: Belief, facts: Facts) -> PlanSkeleton:
    """Return a plan for the same goal that puts things that must leave their place down at less cost."""
    places = belief.pack.locations
    leaving = {
        atom.args[0]
        for atom, positive in final_literals(goal)
        if not positive and atom.predicate in places and facts.holds(atom.predicate, atom.args)
    }
    if not leaving:
        return skeleton
    cheaper = _ever_cheaper(skeleton, goal, leaving, world_for(goal, belief, facts))
    return last_in_time(cheaper, skeleton, "looking for nearer places to put things down")


def put_down_here(belief: Belief, facts: Facts) -> PlanSkeleton | None:
    """Return the cheapest way to put down what is held in the room where the robot is, ``None`` for none."""
    held = facts.all(belief.pack.mapping.robot_held.predicate)
    if not held:
        return None
    goal, world = belief.pack.mapping.robot_free, World(belief, (), facts)
    priced: list[tuple[int, int, PlanSkeleton]] = []
    for number, actions in enumerate(_ways_to_put_down(held[0][0], world)):
        cost = _cost(actions, (), None, goal, world)
        if cost is not None:
            priced.append((cost, number, PlanSkeleton(actions)))
    return min(priced)[2] if priced else None


def _ever_cheaper(
    skeleton: PlanSkeleton, goal: Formula, leaving: set[str], world: World
) -> Iterator[PlanSkeleton]:
    """Yield plans that work, each cheaper than the one before, from the first thing put down to the last."""
    at = world.pack.at
    done, rest = list[PlanAction](), skeleton.actions
    while rest:
        action, rest = rest[0], rest[1:]
        ground = world.pack.domain.actions[action.name].ground(action.args)
        item = _put_down(ground.add, ground.precondition, world)
        target = next((a.args[0] for a in ground.precondition if a.predicate == at), None)
        if item in leaving and target is not None and _has_to_drive(target, world):
            cost = _cost((action,), rest, skeleton.final, goal, world)
            for actions in _ways_to_put_down(item, world) if cost is not None else ():
                trial = _cost(actions, rest, skeleton.final, goal, world)
                if trial is not None and cost is not None and trial < cost:
                    yield PlanSkeleton((*done, *actions, *rest), skeleton.final)
                    action, rest = actions[0], (*actions[1:], *rest)
                    break
        if isinstance(carry_out(PlanSkeleton((action,)), world, lenient=False), Refusal):
            return
        done.append(action)


def _put_down(add: Sequence[GroundAtom], precondition: Sequence[GroundAtom], world: World) -> str:
    """Return the thing that an action puts down, empty if it puts nothing down."""
    mapping = world.pack.mapping
    held = (a.args[0] for a in precondition if a.predicate == mapping.robot_held.predicate)
    return next(held, "") if mapping.robot_free in add else ""


def _has_to_drive(target: str, world: World) -> bool:
    here, there = driving_from(world), world.state.anchor_of(target)
    return world.belief.routes.connected(here, there) and world.belief.routes.distance(here, there) > 0


def _cost(
    actions: Sequence[PlanAction], rest: Sequence[PlanAction], final: str | None, goal: Formula, world: World
) -> int | None:
    """Return the millimetres of carrying out the rest of a plan; ``None`` if that misses the goal."""
    trial = world.fork()
    plan = accepted(PlanSkeleton((*actions, *rest), final), goal, trial, lenient=False)
    return None if isinstance(plan, Refusal) else plan.cost


def _ways_to_put_down(item: str, world: World) -> Iterator[tuple[PlanAction, ...]]:
    """Yield actions that may put a thing down in the room where the robot is."""
    scene, schemas = world.scene, world.pack.domain.actions.values()
    room = world.state.anchor
    putting = [s for s in schemas if world.pack.mapping.robot_free in s.add]
    at, held = world.pack.at, Atom(world.pack.mapping.robot_held.predicate, (item,))
    fixed = [room, *scene.built_in(room)]
    tried = 0
    for place in fixed:
        ways = [*_bound(putting, (held, Atom(at, (place,))), world)]
        tried += bool(ways)
        yield from ((way,) for way in ways)
        if tried == MAX_PLACES:
            break
    reaching = [s for s in schemas if any(a.predicate == at for a in s.add)]
    tried = 0
    for place in fixed:
        for relation in world.pack.locations:
            for thing, _ in sorted(world.state.facts.with_argument(relation, 1, place)):
                ways = [*_bound(putting, (held, Atom(at, (thing,))), world)]
                there = (Atom(at, (place,)), Atom(relation, (thing, place)))
                reach = [*_bound(reaching, there, world)] if ways else []
                tried += bool(reach)
                yield from ((first, way) for first in reach for way in ways)
                if tried == MAX_PLACES:
                    return


def _bound(schemas: Sequence[Action], needs: Sequence[GroundAtom], world: World) -> Iterator[PlanAction]:
    """Yield the actions whose parameters given needs bind, where the facts that never change allow them."""
    for schema in schemas:
        binding: dict[str, str] = {}
        for need in needs:
            fitting = (b for a in schema.precondition if (b := unify(a, need)) is not None)
            binding |= next(fitting, {})
        if len(binding) < len(schema.parameters) or world.pack.mapping_of(schema.name).navigation:
            continue
        args = tuple(binding[p.name] for p in schema.parameters)
        lasting = (a for a in schema.ground(args).precondition if a.predicate not in world.pack.fluents)
        if all(world.state.facts.holds(a.predicate, a.args) for a in lasting):
            yield PlanAction(schema.name, args)
