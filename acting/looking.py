"""Looks: where a robot could look next, what each would cost, and the steps that make one.

A look is planned like everything else: it is reached when the robot is in the room of a spot and the facts
hold without which nobody sees what is there, so doors are opened, and unlocked, as part of the plan. The
steps of most looks are a drive and a few manipulations, which need no engine.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from ..compiler.goals.goal import Goal
from ..domains.action import Action
from ..domains.formula import (
    And,
    Atom,
    Count,
    Equal,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Not,
    Or,
    Var,
    conjunction,
    names,
    walk,
)
from ..engines.base import Budget
from ..engines.engine import Engine
from ..planners.classical import plan_goal
from ..simulator.belief import Belief
from ..simulator.observations.observation import Spot
from ..simulator.sensing.spots import conditions_around, room_of_spot
from ..simulator.step import Step
from ..simulator.world import Refusal, World
from .policies.policy import LookOption, Priors

_Views = dict[tuple[str, tuple[GroundAtom, ...]], list[Spot]]
"""Spots by the room from which they are seen and what has to be done there."""


def views_of(spots: Sequence[Spot], world: World) -> tuple[_Views, dict[Spot, str]]:
    """Return the views on spots that a route leads to, and why there is none of the others."""
    routes, here = world.belief.routes, world.state.anchor
    views: _Views = {}
    unreached: dict[Spot, str] = {}
    for spot in spots:
        room = room_of_spot(spot, world)
        if room is None:
            unreached[spot] = f"nobody knows where {spot.node} is"
        elif not routes.connected(here, room):
            unreached[spot] = f"no route leads from {here} to {room}"
        else:
            views.setdefault((room, tuple(_unmet(spot, world))), []).append(spot)
    return views, unreached


def candidates(views: _Views, world: World, sought: Sequence[str], priors: Priors) -> tuple[LookOption, ...]:
    """Return the views as candidates.

    Spots that one look shows, such as what is on a table and what is under it, are one candidate: the first
    of them, with the probability of all.
    """
    belief, here = world.belief, world.state.anchor
    weights = {
        thing: [sum(priors.weight(thing, spot, belief) for spot in spots) for spots in views.values()]
        for thing in sought
    }
    totals = {thing: sum(numbers) for thing, numbers in weights.items()}
    return tuple(
        LookOption(
            spot,
            room,
            belief.routes.distance(here, room),
            _effort(unmet, world),
            {t: weights[t][number] / totals[t] if totals[t] > 0 else 0.0 for t in sought},
            acts=bool(unmet),
        )
        for number, ((room, unmet), (spot, *_)) in enumerate(views.items())
    )


def _effort(unmet: Sequence[GroundAtom], world: World) -> int:
    """Return the least effort of making facts true, each by itself, in millimetres of driving."""
    costs = ([a.cost or 0 for a, _ in world.pack.adders.get(atom.predicate, ())] for atom in unmet)
    return sum(min(cost, default=0) for cost in costs)


def _unmet(spot: Spot, world: World) -> list[GroundAtom]:
    atoms = conditions_around(spot, world)
    return [a for a in atoms if not world.state.facts.holds(a.predicate, a.args)]


def look_plan(spot: Spot, belief: Belief, engine: Engine, budget: Budget) -> tuple[Step, ...] | str:
    """Return the printed steps that make a look at a spot, or say why there are none."""
    world = World(belief)
    room = room_of_spot(spot, world)
    if room is None or not belief.routes.connected(world.state.anchor, room):
        return f"no route leads to {spot.node}"
    steps = _driven(spot, room, World(belief))
    if steps is not None:
        return steps
    there = Atom(belief.pack.standing, (room,))
    needed = conditions_around(spot, world)
    result = plan_goal(Goal.of(conjunction((there, *needed))), belief, engine, budget)
    if result.verified:
        return result.steps
    return "; ".join(result.reasons[:2]) or result.ending.value


def in_sight(spot: Spot, world: World) -> bool:
    """Return whether the robot sees all of a spot from where it is, without doing anything."""
    here = world.state.here
    return room_of_spot(spot, world) == here and not _unmet(spot, world)


def _driven(spot: Spot, room: str, world: World) -> tuple[Step, ...] | None:
    """Return a drive to a spot and one manipulation for each fact that is needed; ``None`` if that fails."""
    steps: list[Step] = []
    here = world.state.here
    if here != room:
        steps += [Step("goto", (hop,)) for hop in world.belief.routes.route(world.state.anchor, room).hops]
    if not _done(steps, world):
        return None
    for atom in _unmet(spot, world):
        if world.state.facts.holds(atom.predicate, atom.args):
            continue
        for more in _ways(atom, world):
            trial = world.fork()
            if _done(more, trial) and trial.state.facts.holds(atom.predicate, atom.args):
                steps += more
                world = trial
                break
        else:
            return None
    return tuple(steps)


def _done(steps: Sequence[Step], world: World) -> bool:
    return not any(isinstance(world.apply(step), Refusal) for step in steps)


def _ways(atom: GroundAtom, world: World) -> Iterator[list[Step]]:
    """Yield pairs of going to the node of a fact and doing something there that makes the fact true."""
    (name,) = atom.args
    fixed = world.scene.nodes[name].type != "object"
    for action, effect in world.pack.adders.get(atom.predicate, ()):
        step = _step_of(action, effect, name, world)
        if step is not None:
            yield [step] if world.state.stands_at == name or not fixed else [_reach(name, world), step]


def _reach(name: str, world: World) -> Step:
    room = world.scene.nodes[name].type == "room"
    return Step("goto", (name,)) if room else Step("access", (name,))


def _step_of(action: Action, effect: Atom, name: str, world: World) -> Step | None:
    """Return the printed step of an action on a node, where it prints no other argument."""
    printed = world.pack.mapping_of(action.name).step
    if printed is None or printed.args not in ((), effect.args):
        return None
    return Step(printed.predicate, tuple(name for a in printed.args if isinstance(a, Var)))


def sought_of(
    goal: Formula, belief: Belief, missing: Sequence[str], unseen: Collection[str] = ()
) -> tuple[str, ...]:
    """Return what a goal looks for: things without a place that it names, and sorts of which it needs one.

    Where it needs none of either, such as for "all cups are clean", it is every sort that it ranges over.
    ``unseen`` are types of which a belief that is not marked open may lack some.
    """
    types = belief.unseen or unseen

    def hidden(kind: str) -> bool:
        unplaced = belief.unplaced_members(kind)
        return belief.may_have_unseen(kind, types) or any(m in unplaced for m in missing)

    needed = [n for n in names(goal) if n in missing]
    needed += filter(hidden, needed_kinds(goal, True))
    return tuple(dict.fromkeys(needed or filter(hidden, quantified(goal))))


def needed_kinds(formula: Formula, positive: bool) -> Iterator[str]:
    """Yield the kinds of which one more thing can make a formula true, or false where not ``positive``."""
    match formula:
        case Not(part):
            yield from needed_kinds(part, not positive)
        case Imply(left, right):
            yield from needed_kinds(left, not positive)
            yield from needed_kinds(right, positive)
        case And(parts) | Or(parts):
            for part in parts:
                yield from needed_kinds(part, positive)
        case Exists(variables, body) | Forall(variables, body):
            if isinstance(formula, Exists) is positive:
                yield from (v.type for v in variables)
            yield from needed_kinds(body, positive)
        case Count(kind, _, variables, body):
            if kind == "exactly" or (kind == "at-least") is positive:
                yield from (v.type for v in variables)
            yield from needed_kinds(body, positive)


def quantified(goal: Formula) -> tuple[str, ...]:
    """Return the types and classes that the variables of a goal range over, in order."""
    kinds = (v.type for part in walk(goal) for v in getattr(part, "variables", ()))
    return tuple(dict.fromkeys(kinds))


def onward_of(
    goal: Formula, belief: Belief, sought: Sequence[str], here: str
) -> Mapping[str, tuple[str, ...]]:
    """Return for each sought thing the places that the goal names together with it, in order.

    Those that nobody knows, and those to which no way is known from where the robot is, are left out.
    """
    places: dict[str, dict[str, None]] = {thing: {} for thing in sought}
    kinds = {v.name: v.type for part in walk(goal) for v in getattr(part, "variables", ())}
    for part in walk(goal):
        if not isinstance(part, Atom) or len(part.args) < 2:
            continue
        first, rest = part.args[0], part.args[1:]
        thing = kinds.get(first.name, "") if isinstance(first, Var) else first
        if thing in places:
            nodes = (a for a in rest if isinstance(a, str) and a in belief.scene.nodes)
            placed = (name for name in nodes if belief.routes.connected(here, name))
            places[thing] |= dict.fromkeys(placed)
    return {thing: tuple(there) for thing, there in places.items()}


def rested_on(goal: Formula, belief: Belief) -> tuple[str, ...]:
    """Return the nodes on which a goal may rest, in scene order: named by it, or of a kind it ranges over.

    Of things both place and state count; of all else what the goal says of it, its state, its room or its
    sort, or that it is there.
    """
    kinds = quantified(goal)
    named = {*names(goal), *(name for kind in kinds for name in belief.members(kind))}
    nodes, unplaced, fixed = belief.scene.nodes, belief.scene.unplaced, _spoken_of(goal, belief)
    return tuple(
        name
        for name, node in nodes.items()
        if name in named
        and name not in unplaced
        and (node.type == "object" or (name in fixed and node.type in ("asset", "part")))
    )


def _spoken_of(goal: Formula, belief: Belief) -> frozenset[str]:
    """Return the nodes of which a goal says something, not only that a thing is in or on them."""
    bound: dict[str, set[str]] = {}
    for part in walk(goal):
        for variable in getattr(part, "variables", ()):
            bound.setdefault(variable.name, set()).update(belief.members(variable.type))
    spoken: set[str] = set()
    as_places: set[str] = set()
    for part in walk(goal):
        if isinstance(part, Atom) and part.args:
            places = part.args[1:] if len(part.args) > 1 else ()
            as_places.update(a.name for a in places if isinstance(a, Var))
            first = part.args[0]
            spoken |= {first} if isinstance(first, str) else bound.get(first.name, set())
        elif isinstance(part, Equal):
            for side in (part.left, part.right):
                spoken |= bound.get(side.name, set()) if isinstance(side, Var) else set()
    unused = bound.keys() - as_places
    return frozenset(spoken.union(*(bound[name] for name in unused)))
