"""Alternatives of a goal: its disjunctive branches, which look cheapest, and which contradict themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ...compiler.forms import branches, literals
from ...compiler.goals.exclusive import clash, consistent
from ...domains.formula import (
    And,
    Atom,
    Cardinality,
    Formula,
    Or,
    Sometime,
    Var,
    conjunction,
    conjuncts,
    disjunction,
    rebuild,
)
from ...simulator.belief import Belief
from ...simulator.facts import Facts, ground_args
from ...simulator.world import World

BRANCHES = 31
"""Most branches of a disjunction that are planned one by one; beyond, the end phase decides."""


def choices(part: Formula, belief: Belief) -> list[Formula] | None:
    """The branches of a normal form that do not contradict themselves, as conjunctions.

    ``None`` when there are more than :data:`BRANCHES`, or counts that would make so many. None is left of
    a goal whose every branch asks for facts that exclude each other.
    """
    found = branches(part, BRANCHES)
    if found is None:
        return None
    good = [c for c in found if consistent([a for a in c if isinstance(a, Atom)], belief.pack)]
    return [conjunction(c) for c in good]


def is_end(part: Formula, belief: Belief) -> bool:
    """Whether a part says where the robot is or what it holds when all is done."""
    last = {belief.pack.at, belief.pack.mapping.robot_held.predicate}
    now = (p for p in conjuncts(part) if not isinstance(p, Sometime))
    return any(positive and a.predicate in last for p in now for a, positive in literals(p))


def without_ends(part: Formula, belief: Belief) -> Formula:
    """A part with alternatives, less those that fix how the robot ends, when others are left."""
    found = choices(part, belief)
    if found is None or len(found) <= 1:
        return part
    others = [c for c in found if not is_end(c, belief)]
    return disjunction(others) if others else part


def unclaimed(part: Formula, kept: Sequence[Formula], belief: Belief, now: Facts) -> Formula:
    """A part less the alternatives that would take away what other parts rest on now, when some are left."""
    found = choices(part, belief)
    if found is None or len(found) <= 1:
        return part
    rest = [
        a for k in kept for a, positive in literals(k) if positive and now.holds(a.predicate, ground_args(a))
    ]
    wanted = ([a for a, positive in literals(c) if positive] for c in found)
    free = [c for c, w in zip(found, wanted, strict=True) if not any(clash(a, rest, belief.pack) for a in w)]
    return disjunction(free) if free else part


def ranked(options: Sequence[Formula], belief: Belief, now: Facts) -> list[Formula]:
    """Options by an estimate of their cost, cheapest first; the order given breaks ties."""
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
            best = varied(ranked(parts, belief, now))[:keep]
            return disjunction([_fewer(p, keep, belief, now) for p in best])
        case Cardinality(kind, number, parts) if len(parts) > number + keep:
            return Cardinality(kind, number, tuple(ranked(parts, belief, now)[: number + keep]))
        case And() | Or():
            return rebuild(node, lambda part: _fewer(part, keep, belief, now))
    return node


def varied(options: Sequence[Formula]) -> list[Formula]:
    """The options in turns of what they are about, so that the first few do not all want the same thing."""

    def about(option: Formula) -> str:
        first = next((ground_args(a) for a, positive in literals(option) if positive), ())
        return first[0] if first else ""

    return in_turns(options, about)


Item = TypeVar("Item")


def in_turns(items: Sequence[Item], key: Callable[[Item], object]) -> list[Item]:
    """The first of each key, then the second of each, and so on; the order given within that."""
    turns: dict[object, int] = {}
    keyed = []
    for place, item in enumerate(items):
        turns[key(item)] = turns.get(key(item), -1) + 1
        keyed.append((turns[key(item)], place))
    return [items[place] for _, place in sorted(keyed)]


def transporters(belief: Belief) -> list[str]:
    """The movable things in or on which the robot could put others, and so carry several at once."""
    mapping, found = belief.pack.mapping, []
    places = [r.predicate for r in mapping.relations.values() if len(r.args) == 2]
    for name in belief.scene.by_type.get("object", ()):
        for predicate in places:
            needs = [n for n in mapping.requires.get(predicate, ()) if n.args == (Var("y"),)]
            if needs and all(belief.facts.holds(n.predicate, (name,)) for n in needs):
                found.append(name)
                break
    return found


def least(option: Formula, belief: Belief, now: Facts) -> int:
    """An estimate in millimetres of reaching a conjunction: the farthest drive that one literal takes.

    It is a lower bound while only the robot moves things; of alternatives inside it is a guess.
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
