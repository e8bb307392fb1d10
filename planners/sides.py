"""Sides of a comparison over what plans reach: a plan for a run that one goal allows and another does not.

A side asks for a goal to be missed. Where that goal is about the run there are several ways to miss it, and
each is a goal to plan for: what is never to hold holds at some time, what is to come first comes later. A
verified plan shows that the side is real, if the simulator finds its run there. That it is empty is said
where the laws exclude it, or where every way was listed and proved to have no plan. Ways may be added to
:func:`denied`, marked as leaving something out where they do.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..compiler.comparison.relation import Side, changes
from ..compiler.goals.goal import Goal
from ..domains.ending import Ending
from ..domains.errors import GoalError
from ..domains.formula import (
    And,
    Formula,
    GroundAtom,
    Imply,
    Not,
    Or,
    Sometime,
    TrajectoryConstraint,
    conjunction,
    conjuncts,
    walk,
)
from ..engines.base import Budget
from ..engines.engine import Engine
from ..engines.result import PlanResult
from ..simulator.belief import Belief
from ..simulator.step import Step
from ..simulator.verification import verify_plan
from ..simulator.world import World
from .classical import plan_goal

MAX_WAYS = 12
"""Most ways to miss a goal that are planned for."""
NOT_ALL_WAYS = "not every run that breaks such a constraint can be planned for"


@dataclass(frozen=True, slots=True)
class PlannedSide:
    """Answer of planning about a side: ``empty`` with a proof, not with a plan, ``None`` with neither."""

    empty: bool | None
    steps: tuple[Step, ...] = ()
    why: str = ""
    facts: tuple[tuple[GroundAtom, bool], ...] = ()
    """What is otherwise at the end of the plan than at the start."""


@dataclass(frozen=True, slots=True)
class WaysToMiss:
    """Goals each of which is enough for another one; ``all`` if that one holds in no other way."""

    goals: tuple[Formula, ...] = ()
    all: bool = True


def planned_side(side: Side, belief: Belief, engine: Engine, limits: Budget) -> PlannedSide:
    """Plan for the runs of a side within some limits."""
    if side.empty:
        return PlannedSide(True, why="excluded by the laws of the scene")
    ways = _ways(conjuncts(side.goal))
    share = replace(limits, seconds=limits.seconds / (len(ways.goals) + (not ways.all) or 1))
    reasons: dict[str, None] = {} if ways.all else {NOT_ALL_WAYS: None}
    proofs: dict[str, None] = {}
    for goal in ways.goals:
        result = _plan(goal, belief, engine, share)
        if (real := _real(result, side, belief)) is not None:
            return real
        if isinstance(result, PlanResult) and result.ending is Ending.UNSOLVABLE:
            proofs[f"proved: {result.proof}"] = None
        else:
            reasons[result if isinstance(result, str) else _reason(result)] = None
    if not reasons:
        return PlannedSide(True, why="; ".join(proofs))
    if not ways.all:  # a plan for what it asks for may miss the other goal by itself
        kept = [p for p in conjuncts(side.goal) if not (isinstance(p, Not) and about_run(p))]
        real = _real(_plan(conjunction(kept), belief, engine, share), side, belief)
        if real is not None:
            return real
    return PlannedSide(None, why="; ".join(reasons))


def about_run(goal: Formula) -> bool:
    """Return whether a goal asks for anything but its last state."""
    return any(isinstance(node, Sometime | TrajectoryConstraint) for node in walk(goal))


def _ways(parts: Sequence[Formula]) -> WaysToMiss:
    """Return goals that can be planned for, each with all of some parts."""
    return _together([denied(p.part) if isinstance(p, Not) else WaysToMiss((p,)) for p in parts])


def denied(goal: Formula) -> WaysToMiss:
    """Return goals that can be planned for and whose plans miss another goal."""
    if not about_run(goal):
        return WaysToMiss((Not(goal),))
    match goal:
        case Not(part):
            return WaysToMiss((part,))
        case And(parts):
            plain = conjunction([part for part in parts if not about_run(part)])
            some = [plain, *filter(about_run, parts)] if plain != And(()) else parts
            each = [denied(part) for part in some]
            return WaysToMiss(tuple(g for one in each for g in one.goals), all(one.all for one in each))
        case Or(parts):
            return _together([denied(part) for part in parts])
        case Imply(left, right):
            return _together([WaysToMiss((left,)), denied(right)])
        case Sometime(body):
            return WaysToMiss((TrajectoryConstraint("always", (Not(body),)),))
        case TrajectoryConstraint("always", (body,)):
            return WaysToMiss((Sometime(Not(body)),))
        case TrajectoryConstraint(kind, parts):
            return WaysToMiss(tuple(_breaches(kind, parts)), all=False)
    return WaysToMiss(all=False)


def _breaches(kind: str, parts: Sequence[Formula]) -> Iterator[Formula]:
    """Yield goals whose plans may break a constraint; there may be other runs that do."""
    first, second = parts[0], parts[-1]
    if kind == "sometime-before":
        yield And((Sometime(first), TrajectoryConstraint("sometime-before", (second, first))))
    elif kind == "sometime-after":
        yield And((first, Not(second)))
        yield And((Sometime(first), TrajectoryConstraint("always", (Not(second),))))
    elif kind == "at-most-once":
        yield And((Sometime(Not(first)), first))


def _together(ways: Sequence[WaysToMiss]) -> WaysToMiss:
    """Return goals that hold where one of each of some ways does."""
    rows = list(itertools.islice(itertools.product(*(one.goals for one in ways)), MAX_WAYS + 1))
    goals = tuple(conjunction(row) for row in rows[:MAX_WAYS])
    return WaysToMiss(goals, all(one.all for one in ways) and len(rows) <= MAX_WAYS)


def _plan(goal: Formula, belief: Belief, engine: Engine, limits: Budget) -> PlanResult | str:
    try:
        return plan_goal(Goal.of(goal), belief, engine, limits)
    except GoalError as error:
        return str(error)


def _real(result: PlanResult | str, side: Side, belief: Belief) -> PlannedSide | None:
    """Return what a verified plan shows, ``None`` where it is in another side."""
    if isinstance(result, str) or not result.verified:
        return None
    steps = tuple(step for _, step in result.printed)
    if not verify_plan(steps, belief.whole or belief, side.goal).verified:
        return None
    world = World(belief)
    for step in steps:
        world.apply(step)
    return PlannedSide(False, steps, facts=tuple(changes(world)))


def _reason(result: PlanResult) -> str:
    return "; ".join((result.ending.value, *result.reasons))
