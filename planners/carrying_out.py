"""Carrying a plan out on a world, with the driving put in where it is needed and no further.

An engine may drive in detours, because some engines do not know the costs of driving. The skeleton of its
plan are the manipulations; each says where it is done, and the robot drives there by the shortest route.
Actions that turn out to change nothing (a door that is open already) are left out. More may be left out here;
only the simulator's :class:`World` may decide that an action can be done and that a goal is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..compiler.forms import holds_now
from ..domains.action import Plan, PlanAction
from ..domains.deadline import LimitReached, check_time, note_cut, share_of_time
from ..domains.formula import Formula, Sometime, constraints, walk
from ..simulator.belief import Belief
from ..simulator.facts import Facts
from ..simulator.world import Effect, Refusal, World

SHORTENING_SHARE = 0.5
"""The part of the time left in which a plan is made shorter: an action too many is better than no plan."""


@dataclass(frozen=True, slots=True)
class PlanSkeleton:
    """The manipulations of a plan in order, and where the robot must be at the end."""

    actions: tuple[PlanAction, ...]
    final: str | None = None


NOTHING = PlanSkeleton(())
"""The skeleton of a plan in which nothing has to be done."""

GOAL_MISSED = Refusal((), "all of it can be done, and the goal is not reached")
"""The reason for which a plan is not accepted that can be carried out."""


def skeleton_of(plan: Plan, belief: Belief) -> PlanSkeleton:
    """Drop navigation (but a drive at the very end) and events."""
    mapping = belief.pack.mapping_of
    actions = tuple(a for a in plan if not mapping(a.name).navigation and not mapping(a.name).event)
    final = None
    if plan and mapping(plan[-1].name).navigation:
        final = plan[-1].args[1]
    return PlanSkeleton(actions, final)


def with_navigation(plan: Plan, belief: Belief) -> PlanSkeleton:
    """Keep the plan's driving as it is, for goals that ask for a place to be passed."""
    return PlanSkeleton(tuple(a for a in plan if not belief.pack.mapping_of(a.name).event))


def world_for(goal: Formula, belief: Belief, facts: Facts | None = None) -> World:
    """Make a world that remembers what the goal's ``sometime`` and constraints ask for."""
    check_time("carrying out a plan")
    bodies = dict.fromkeys(n.body for n in walk(goal) if isinstance(n, Sometime))
    return World(belief, (*bodies, *constraints(goal)), facts)


def reached(goal: Formula, world: World) -> bool:
    """Return whether a normal form is true of the run up to now."""
    return holds_now(goal, world, world.happened)


def driving_from(world: World) -> str:
    """Return the place that the robot drives from: of a movable thing that it stands at, what carries it."""
    nodes = world.scene.nodes
    here = world.state.stands_at
    return next((n for n in world.state.around(here) if nodes[n].type != "object"), here)


def carry_out(skeleton: PlanSkeleton, world: World, lenient: bool = True) -> list[PlanAction] | Refusal:
    """Do the manipulations on a world, driving as needed; return the actions, events included.

    With ``lenient``, an action whose effects all hold already is skipped.
    """
    done: list[PlanAction] = []
    for effect in _effects(skeleton, world, lenient):
        if isinstance(effect, Refusal):
            return effect
        done += effect.actions
    return done


def _effects(skeleton: PlanSkeleton, world: World, lenient: bool) -> Iterator[Effect | Refusal]:
    """Yield what comes of each drive and manipulation."""
    pack, nodes = world.pack, world.scene.nodes
    for action in skeleton.actions:
        check_time("carrying out a plan")
        if pack.mapping_of(action.name).navigation:
            yield world.drive(action.args[1])
            continue
        ground = pack.domain.actions[action.name].ground(action.args)
        if (
            lenient
            and all(world.state.facts.holds(a.predicate, a.args) for a in ground.add)
            and not any(world.state.facts.holds(a.predicate, a.args) for a in ground.delete)
        ):
            continue
        where = next((a.args[0] for a in ground.precondition if a.predicate == pack.at), None)
        if where is not None and where != world.state.stands_at and nodes[where].type != "object":
            yield world.drive(where)
        yield world.perform_ground(ground)
    if skeleton.final is not None and skeleton.final != world.state.stands_at:
        yield world.drive(skeleton.final)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A plan that reached its goal when carried out: its actions, drives and events too; the world after."""

    actions: tuple[PlanAction, ...]
    world: World

    @property
    def cost(self) -> int:
        """The cost in millimetres."""
        return cost_of(self.actions, self.world.belief)


def accepted(
    plan: PlanSkeleton | Sequence[PlanAction], goal: Formula, world: World, lenient: bool = True
) -> Accepted | Refusal:
    """Carry a plan out on a world, which changes; return it, or why it does not bring a goal about.

    The plans of every strategy are accepted here and nowhere else. The driving of a skeleton is put in
    (:func:`carry_out`); actions are done as they stand.
    """
    done = carry_out(plan, world, lenient) if isinstance(plan, PlanSkeleton) else perform(plan, world)
    if isinstance(done, Refusal):
        return done
    return arrived(done, goal, world)


def arrived(done: Sequence[PlanAction], goal: Formula, world: World) -> Accepted | Refusal:
    """Accept what was done on a world from its start up to now, where it reached a goal."""
    return Accepted(tuple(done), world) if reached(goal, world) else GOAL_MISSED


def perform(plan: Sequence[PlanAction], world: World) -> list[PlanAction] | Refusal:
    """Do actions on a world as they stand; return them."""
    for action in plan:
        check_time("carrying out a plan")
        if isinstance(effect := world.perform(action), Refusal):
            return effect
    return list(plan)


def eliminate_redundant_actions(
    skeleton: PlanSkeleton, goal: Formula, belief: Belief, facts: Facts
) -> PlanSkeleton:
    """Leave out actions that the goal does not need: action elimination (Fink and Yang 1992), from the front.

    An action goes together with those that can no longer be done without it. Returns the plan unchanged when
    it does not reach the goal as it stands. `engines/programs/grounding.py` eliminates actions, too: there
    over ground operators, so that an engine's answer is short, here over the simulator's world with events
    and shortest drives, whatever the engine. A test holds one against the other.
    """
    if not works(skeleton, goal, belief, facts):
        return skeleton
    if skeleton.final is not None and works(PlanSkeleton(skeleton.actions), goal, belief, facts):
        skeleton = PlanSkeleton(skeleton.actions)
    shorter = ever_shorter(skeleton, goal, belief, facts)
    return last_in_time(shorter, skeleton, "leaving out redundant actions")


def last_in_time(better: Iterator[PlanSkeleton], plan: PlanSkeleton, work: str) -> PlanSkeleton:
    """Return the last of ever better plans that are found in a share of the time; at first it is ``plan``."""
    try:
        with share_of_time(SHORTENING_SHARE):
            for one in better:
                plan = one
    except LimitReached:
        note_cut(work)
    return plan


def ever_shorter(
    skeleton: PlanSkeleton,
    goal: Formula,
    belief: Belief,
    facts: Facts,
    may_go: Callable[[PlanAction], bool] = lambda action: True,
) -> Iterator[PlanSkeleton]:
    """Yield plans that work, each with fewer actions than the one before, by actions that ``may_go``."""
    index = 0
    while index < len(actions := skeleton.actions):
        fewer = without(index, skeleton, belief, facts) if may_go(actions[index]) else actions
        trial = PlanSkeleton(fewer, skeleton.final)
        if len(fewer) < len(actions) and works(trial, goal, belief, facts):
            skeleton = trial
            yield skeleton
        else:
            index += 1


def nearest_end(skeleton: PlanSkeleton, goal: Formula, belief: Belief, facts: Facts) -> PlanSkeleton:
    """End a plan at the nearest place that will do, where an engine drives away only to be elsewhere.

    From a machine it is enough to step back to the floor. Looks at the room around and its links only.
    """
    if skeleton.final is None:
        return skeleton
    world = world_for(goal, belief, facts)
    if isinstance(carry_out(PlanSkeleton(skeleton.actions), world, lenient=False), Refusal):
        return skeleton
    here = world.state.anchor
    near = belief.scene.neighbours.get(here, {})
    places = [here, *sorted((p for p in near), key=lambda p: (near[p], p))]
    driven = belief.routes.distance(here, skeleton.final)
    for place in places:
        if not belief.routes.connected(here, place):
            continue
        if belief.routes.distance(here, place) >= driven:
            break
        trial = world.fork()
        trial.drive(place)
        if reached(goal, trial):
            return PlanSkeleton(skeleton.actions, place)
    return skeleton


def works(skeleton: PlanSkeleton, goal: Formula, belief: Belief, facts: Facts) -> bool:
    """Return whether a plan can be carried out just as it stands, and reaches a goal."""
    return not isinstance(accepted(skeleton, goal, world_for(goal, belief, facts), lenient=False), Refusal)


def without(index: int, skeleton: PlanSkeleton, belief: Belief, facts: Facts) -> tuple[PlanAction, ...]:
    """Return the actions that can still be done when one is left out."""
    world = World(belief, (), facts)
    kept: list[PlanAction] = []
    for number, action in enumerate(skeleton.actions):
        if number == index:
            continue
        if not isinstance(carry_out(PlanSkeleton((action,)), world, lenient=False), Refusal):
            kept.append(action)
    return tuple(kept)


def cost_of(plan: Sequence[PlanAction], belief: Belief) -> int:
    """Millimetres: the effort of manipulations plus the length of the routes."""
    total = 0
    for action in plan:
        cost = belief.pack.domain.actions[action.name].cost
        total += belief.routes.distance(action.args[0], action.args[1]) if cost is None else cost
    return total
