"""Alternatives of a goal: its disjunctive branches, which look cheapest, and which contradict themselves."""

from __future__ import annotations

from collections.abc import Sequence

from ..compiler.exclusive import consistent
from ..compiler.normal import branches, literals
from ..domains.formula import (
    And,
    Atom,
    Formula,
    Or,
    Sometime,
    Tally,
    conjunction,
    conjuncts,
    disjunction,
    rebuild,
)
from ..simulator.facts import Facts, ground_args
from ..simulator.grounding import Belief
from ..simulator.world import World

BRANCHES = 31
"""Most branches of a disjunction that are planned one by one; beyond, the end phase decides."""


def choices(part: Formula, belief: Belief) -> list[Formula] | None:
    """The branches of a normal form that do not contradict themselves, as conjunctions.

    ``None`` when there are more than :data:`BRANCHES`, or counts that would make so many. What has no
    branch left is its own only one, so that an engine can say that it cannot be.
    """
    found = branches(part, BRANCHES)
    if found is None:
        return None
    good = [c for c in found if consistent([a for a in c if isinstance(a, Atom)], belief.pack)]
    return [conjunction(c) for c in good or found[:1]] or [part]


def is_end(part: Formula, belief: Belief) -> bool:
    """Whether a part says where the robot is or what it holds when all is done."""
    last = {belief.pack.at, belief.pack.mapped.robot_held.predicate}
    now = (p for p in conjuncts(part) if not isinstance(p, Sometime))
    return any(positive and a.predicate in last for p in now for a, positive in literals(p))


def without_ends(part: Formula, belief: Belief) -> Formula:
    """A part with alternatives, less those that fix how the robot ends, when others are left."""
    found = choices(part, belief)
    if found is None or len(found) == 1:
        return part
    others = [c for c in found if not is_end(c, belief)]
    return disjunction(others) if others else part


def ranked(options: Sequence[Formula], belief: Belief, now: Facts) -> list[Formula]:
    """Options by a lower bound of their cost, cheapest first; the order given breaks ties."""
    return sorted(options, key=lambda o: least(o, belief, now))


def narrowed(goal: Formula, belief: Belief, now: Facts) -> Formula:
    """A stronger goal with fewer alternatives, the ones that look cheapest, when there are too many."""
    for keep in (6, 3, 2):
        if branches(goal, BRANCHES) is not None:
            break
        goal = _fewer(goal, keep, belief, now)
    return goal


def _fewer(node: Formula, keep: int, belief: Belief, now: Facts) -> Formula:
    match node:
        case Or(parts) if len(parts) > keep:
            return disjunction([_fewer(p, keep, belief, now) for p in ranked(parts, belief, now)[:keep]])
        case Tally(kind, number, parts) if len(parts) > number + keep:
            return Tally(kind, number, tuple(ranked(parts, belief, now)[: number + keep]))
        case And() | Or():
            return rebuild(node, lambda part: _fewer(part, keep, belief, now))
    return node


def least(option: Formula, belief: Belief, now: Facts) -> int:
    """A lower bound in millimetres of reaching a conjunction: the farthest drive that one literal takes.

    Of something with alternatives inside it is an estimate only.
    """
    world = World(belief, (), now)
    far = 0
    for atom, positive in literals(option):
        args = ground_args(atom)
        if world.facts.holds(atom.predicate, args) == positive or not args:
            continue
        here, length = world.around(world.stands_at)[-1], 0
        for stop in args if positive else args[:1]:
            top = world.around(stop)[-1]
            if belief.scene.nodes[top].type not in ("room", "pose"):
                continue  # held: it is where the robot is
            if not belief.routes.connected(here, top):
                break
            length += belief.routes.distance(here, top)
            here = top
        far = max(far, length)
    return far
