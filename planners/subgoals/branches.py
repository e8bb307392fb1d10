"""Branches of a goal: the conjunctions of its disjunctive normal form, and which of them look cheapest.

Few branches are planned for one by one; of many, `selection` chooses before planning. What is here serves
goals with few, and the second way for those whose choices failed: :func:`ranked` and :func:`prune_branches`
go by millimetres of driving. Both and the limits may be changed. Must stay: dropping a branch makes a goal
stronger, so a plan for what remains is one for the goal, while failing there never shows that there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from ...compiler.forms import branches, literals
from ...domains.deadline import check_time
from ...domains.exclusive import clash, consistent
from ...domains.formula import (
    And,
    Atom,
    Cardinality,
    Formula,
    GroundAtom,
    Not,
    Or,
    Sometime,
    Var,
    conjunction,
    disjunction,
    is_ground_atom,
    rebuild,
)
from ...simulator.belief import Belief
from ...simulator.facts import Facts
from ...simulator.world import World

MAX_BRANCHES = 31
"""Most branches of a disjunction that are planned one by one; beyond, the end phase decides."""

MAX_HELD = 3
"""Most things of which a hand that is to be full holds one."""


def branches_of(part: Formula, belief: Belief) -> list[Formula] | None:
    """The branches of a normal form that do not contradict themselves, as conjunctions.

    ``None`` when there are more than :data:`MAX_BRANCHES`, or counts that would make so many. None is left of
    a goal whose every branch asks for facts that exclude each other.
    """
    part_branches = branches(part, MAX_BRANCHES)
    if part_branches is None:
        return None
    free = [b for b in part_branches if consistent([*filter(is_ground_atom, b)], belief.exclusive)]
    return [conjunction(b) for b in free]


# Fewer branches


def prune_branches(goal: Formula, belief: Belief, now: Facts) -> Formula:
    """Keep the branches that look cheapest when there are too many: a stronger goal."""
    for keep in (6, 3, 2):
        if branches(goal, MAX_BRANCHES) is not None:
            break
        goal = _pruned(goal, keep, belief, now)
    return goal


def with_something_held(goal: Formula, belief: Belief, now: Facts) -> Formula:
    """Say of a hand that is to be full what it holds: one of the nearest things. A stronger goal.

    An engine that knows no costs takes any thing.
    """
    mapping = belief.pack.mapping
    held, full = mapping.robot_held.predicate, Not(mapping.robot_free)
    if not any(a == mapping.robot_free and not positive for a, positive in literals(goal)):
        return goal
    if any(a.predicate == held for a, _ in literals(goal)) or not now.holds(mapping.robot_free.predicate, ()):
        return goal
    needs = mapping.requires.get(held, ())
    names = [
        name
        for name in belief.scene.by_type.get("object", ())
        if all(now.holds(n.predicate, (name,)) for n in needs)
    ]
    nearest = ranked([Atom(held, (name,)) for name in names], belief, now)[:MAX_HELD]

    def replaced(node: Formula) -> Formula:
        if node == full and nearest:
            return disjunction(nearest)
        return rebuild(node, replaced) if isinstance(node, And | Or) else node

    return replaced(goal)


def _pruned(node: Formula, keep: int, belief: Belief, now: Facts) -> Formula:
    """Cut alternatives. Fewer parts make an at-least stronger; normal forms have no other cardinality."""
    match node:
        case Or(parts) if len(parts) > keep:
            best = diversified(ranked(parts, belief, now))[:keep]
            return disjunction([_pruned(p, keep, belief, now) for p in best])
        case Cardinality(kind, number, parts) if len(parts) > number + keep:
            return Cardinality(kind, number, tuple(ranked(parts, belief, now)[: number + keep]))
        case And() | Or():
            return rebuild(node, lambda part: _pruned(part, keep, belief, now))
    return node


def fixes_robot(part: Formula, belief: Belief) -> bool:
    """Return whether a part says where the robot is or what it holds when all is done."""
    robot = {belief.pack.at, belief.pack.standing, belief.pack.mapping.robot_held.predicate}
    return any(positive and a.predicate in robot for a, positive in final_literals(part))


def final_literals(node: Formula) -> Iterator[tuple[GroundAtom, bool]]:
    """Yield the literals about the end: all but those of which the goal says ``sometime``."""
    match node:
        case Sometime():
            return
        case And(parts) | Or(parts) | Cardinality(_, _, parts):
            for part in parts:
                yield from final_literals(part)
        case _:
            yield from literals(node)


def leave_robot_free(part: Formula, belief: Belief) -> Formula:
    """Drop the branches that fix how the robot ends, when others are left."""
    return _only(lambda branch: not fixes_robot(branch, belief), part, belief)


def without_threats(part: Formula, kept: Sequence[Formula], belief: Belief, now: Facts) -> Formula:
    """Drop the branches that threaten what makes other parts true now, when others are left."""
    support = [a for k in kept for a, positive in literals(k) if positive and now.holds(a.predicate, a.args)]

    def is_harmless(branch: Formula) -> bool:
        return not any(positive and clash(a, support, belief.exclusive) for a, positive in literals(branch))

    return _only(is_harmless, part, belief)


def _only(fits: Callable[[Formula], bool], part: Formula, belief: Belief) -> Formula:
    """Return a part with the branches that fit, as it is where there is no choice."""
    part_branches = branches_of(part, belief) or []
    fitting = [*filter(fits, part_branches)] if len(part_branches) > 1 else []
    return disjunction(fitting) if fitting else part


# Estimates


def ranked(options: Sequence[Formula], belief: Belief, now: Facts) -> list[Formula]:
    """Options by an estimate of their cost, cheapest first; the order given breaks ties."""
    return sorted(options, key=lambda o: cost_estimate(o, belief, now))


def cost_estimate(option: Formula, belief: Belief, now: Facts) -> int:
    """An estimate in millimetres of reaching a conjunction: the farthest drive that one literal takes.

    It is a lower bound while only the robot moves things; of alternatives inside it is a guess.
    """
    check_time("estimating costs")
    world = World(belief, (), now)
    far = 0
    for atom, positive in literals(option):
        args = atom.args
        if world.holds(atom.predicate, args) == positive or not args:
            continue
        here, length = world.state.anchor, 0
        for stop in args if positive else args[:1]:
            top = world.state.anchor_of(stop)
            if belief.scene.nodes[top].type not in ("room", "pose"):
                continue  # held: it is where the robot is
            if not belief.routes.connected(here, top):
                break
            length += belief.routes.distance(here, top)
            here = top
        far = max(far, length)
    return far


def diversified(options: Sequence[Formula]) -> list[Formula]:
    """The options in turns of their subjects, so that the first few are not all about the same thing."""

    def subject(option: Formula) -> str:
        first = next((a.args for a, positive in literals(option) if positive), ())
        return first[0] if first else ""

    return round_robin(options, subject)


Item = TypeVar("Item")


def round_robin(items: Sequence[Item], key: Callable[[Item], object]) -> list[Item]:
    """The first item of each key, then the second of each, and so on; the order given within that."""
    turns: dict[object, int] = {}
    keyed = []
    for place, item in enumerate(items):
        turns[key(item)] = turns.get(key(item), -1) + 1
        keyed.append((turns[key(item)], place))
    return [items[place] for _, place in sorted(keyed)]


def carriers(belief: Belief) -> list[str]:
    """The movable things in or on which the robot could put others, and so carry several at once."""
    needed = belief.pack.requirements.needed
    relations = belief.pack.locations
    names = []
    for name in belief.scene.by_type.get("object", ()):
        for predicate in relations:
            needs = [n for n in needed.get(predicate, ()) if n.args == (Var("y"),)]
            if needs and all(belief.facts.holds(n.predicate, (name,)) for n in needs):
                names.append(name)
                break
    return names
