"""Searching through states for a cheaper plan than the one at hand, or for any where an engine has none.

An engine that knows no costs, a choice by estimates and parts that are planned one by one all give plans
that may drive for nothing. The states that can be reached at less cost are looked at, the most promising
first (anytime weighted A*; Hansen and Zhou 2007), over the actions that the goal depends on, until none is
left or so many were looked at. Limits may be changed, by count and never by clock. Must stay: a plan counts
only after it was carried out on a world, reached the goal and cost less; that none was found proves nothing.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence

from ...compiler.forms import literals, to_bring_about
from ...compiler.relevance import NEAREST, closure
from ...domains.action import GroundAction, PlanAction
from ...domains.deadline import LimitReached, check_time, note_cut, share_of_time
from ...domains.formula import Atom, Formula, constraints, walk
from ...simulator.belief import Belief
from ...simulator.facts import Facts
from ..carrying_out import Accepted, PlanSkeleton, accepted, cost_of, world_for
from .space import WORK, StateSpace
from .to_go import NEVER, ToGo

MAX_LITERALS, MAX_ACTIONS = 150, 600
"""Most literals of a goal, and most actions, with which states are looked at."""

CHEAPER_LOOKS, MAX_LOOKS = 20_000, 3_000_000
"""Most looks at an action in a search below a cost (some 10 ms of processor time), and in one for a plan."""

MAX_STOPS = 80
"""Most rooms and poses that the robot may go to one by one where a constraint is about its place."""

HASTE = 3
"""How many times an estimate counts where the most promising state is chosen."""

WORTH = 0.03
"""The part of a plan's cost that there has to be to save."""

SHARE = 0.5
"""The part of the time left that a search may take."""


def searchable(goal: Formula) -> bool:
    """Return whether a goal in normal form has so few literals that states are looked at."""
    return sum(1 for _ in literals(goal)) <= MAX_LITERALS


def cheaper_plan(
    plan: Sequence[PlanAction],
    goal: Formula,
    belief: Belief,
    facts: Facts,
    actions: Callable[[], Sequence[GroundAction]],
) -> Accepted | None:
    """Return a plan that costs less and reaches the same goal from ``facts``; ``None`` where none was found.

    ``actions`` gives those that the goal depends on, and is called only where an estimate leaves hope.
    """
    if not searchable(goal):
        return None
    cost = cost_of(plan, belief)
    space = StateSpace(belief, facts)
    to_go = ToGo(goal, space)
    hopeless = (1 - WORTH) * cost
    if to_go.goal(space.start, space.start_place) >= hopeless:
        return None
    try:
        with share_of_time(SHARE):
            schemas = belief.pack.domain.actions
            own = {(a.name, a.args): schemas[a.name].ground(a.args) for a in plan}
            relevant = {(a.name, a.args): a for a in actions()}
            cheaper = _search(goal, space, to_go, [*(relevant | own).values()], cost, CHEAPER_LOOKS, hopeless)
    except LimitReached:
        note_cut("looking for a cheaper plan")
        return None
    better = _accepted(cheaper, goal, belief, facts)
    return better if better is not None and better.cost < cost else None


def searched_plan(goal: Formula, belief: Belief, facts: Facts) -> Accepted | None:
    """Return a plan for a goal in normal form, ``None`` where no state searched through reaches it.

    The nearest of equal things are tried first, then all of them. Raises :class:`LimitReached`.
    """
    if not searchable(goal):
        return None
    for nearest in (NEAREST, None):
        space = StateSpace(belief, facts)
        to_go = ToGo(goal, space)
        actions = _actions(goal, belief, facts, nearest)
        skeleton = _search(goal, space, to_go, actions, NEVER, MAX_LOOKS)
        if (plan := _accepted(skeleton, goal, belief, facts)) is not None:
            return plan
    return None


def _actions(goal: Formula, belief: Belief, facts: Facts, nearest: int | None) -> list[GroundAction]:
    return [*closure(to_bring_about(goal), belief, facts, nearest).actions.values()]


def _accepted(skeleton: PlanSkeleton | None, goal: Formula, belief: Belief, facts: Facts) -> Accepted | None:
    """Return a plan as it is carried out; ``None`` if that misses the goal."""
    if skeleton is None:
        return None
    plan = accepted(skeleton, goal, world_for(goal, belief, facts), lenient=False)
    return plan if isinstance(plan, Accepted) else None


def _stops(goal: Formula, space: StateSpace) -> list[str]:
    """Return the places where the goal may want the robot to be, or to have been, or with a thing in hand."""
    scene, pack, stops = space.belief.scene, space.pack, dict[str, None]()
    if len(scene.neighbours) <= MAX_STOPS and any(
        isinstance(node, Atom) and node.predicate in pack.mapping.derived
        for constraint in constraints(goal)
        for node in walk(constraint)
    ):
        stops |= dict.fromkeys(sorted(scene.neighbours))  # to go around a place that it must not pass now
    for atom, positive in literals(goal):
        about_robot = atom.predicate == pack.at or atom.predicate in pack.mapping.derived
        if not about_robot and not space.watched:
            continue
        for name in atom.args[-1:] if about_robot else atom.args:
            if positive:
                stops[name] = None
            room = space.moment.anchor_of(name)
            if scene.nodes[room].type in ("room", "pose") and (space.watched or not positive):
                stops |= dict.fromkeys((room, *sorted(scene.neighbours.get(room, {}))))
    drivable = pack.navigation.parameters[1].type
    return [s for s in stops if space.belief.has_type(s, drivable) and scene.nodes[s].type != "object"]


def _search(
    goal: Formula,
    space: StateSpace,
    to_go: ToGo,
    actions: Sequence[GroundAction],
    below: int,
    looks: int,
    hopeless: float = NEVER,
) -> PlanSkeleton | None:
    """Return the manipulations of a plan that costs less than a bound, ``None`` where none was found.

    Nothing is searched through where the estimate of the first state is ``hopeless`` or more.
    """
    actions = [a for a in actions if not space.pack.mapping_of(a.name).navigation]
    if len(actions) > MAX_ACTIONS:
        return None
    space.add_actions(actions)
    to_go.makers.clear()  # an estimate made before there were actions knew of none
    first, left = (space.start, space.start_place), to_go.goal(space.start, space.start_place)
    if left >= hopeless:
        return None
    stops, end = _stops(goal, space), None
    spent, before = {first: 0}, dict[tuple[int, str], tuple[tuple[int, str], PlanAction]]()
    queue = [(left, 0, 0, left, *first)]
    space.looks = 0
    while queue and space.looks < looks:
        check_time(WORK)
        _, _, cost, left, state, place = heapq.heappop(queue)
        if cost > spent[state, place] or cost + left >= below:
            continue
        for more, after, there, action in space.following(state, place, stops):
            total = cost + more
            if total >= spent.get((after, there), below):
                continue
            left = to_go.goal(after, there)
            if total + left >= below:
                continue
            spent[after, there] = total
            before[after, there] = ((state, place), action)
            if left == 0:
                end, below = (after, there), total
                looks = min(looks, space.looks + CHEAPER_LOOKS)
            else:
                heapq.heappush(queue, (total + HASTE * left, len(before), total, left, after, there))
    return None if end is None else _path(end, before)


def _path(
    end: tuple[int, str], before: dict[tuple[int, str], tuple[tuple[int, str], PlanAction]]
) -> PlanSkeleton:
    actions: list[PlanAction] = []
    while end in before:
        end, action = before[end]
        actions.append(action)
    return PlanSkeleton(tuple(reversed(actions)))
