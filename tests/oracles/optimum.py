"""Optimal costs of small tasks, found without the planner, to measure plans against.

Two searches of their own. :func:`least_errands` looks at the orders of carrying things one after the other,
for up to ten things in a scene of any size. :func:`least_cost` tries everything that the pack's actions can
do in a world of a few places and things, in the order of cost; it may put things down on the way.
It shares with the planner the pack and the lengths of routes, and no step from a goal to a plan. Costs are
millimetres.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from groundplan.domains.action import Action, GroundAction
from groundplan.domains.errors import InputError
from groundplan.domains.formula import Atom, Formula, conjuncts
from groundplan.simulator.belief import Belief

EFFORT = 100
"""What one manipulation costs in the household."""

MAX_STATES = 2_000_000


def least_errands(goal: Formula, belief: Belief) -> int:
    """The cheapest way to carry things one after the other, each from where it is to where it goes.

    The goal is a conjunction of ``(inside_of thing place)`` and ``(ontop_of thing place)`` that do not hold.
    The hand holds one thing and nothing is put down on the way, so a plan is an order of errands. Picking up,
    putting down and opening each closed container once cost the same in every order; what differs is the
    driving (dynamic programming over what is left and where the robot is). Raises :class:`InputError` for
    another goal.
    """
    distance, facts, nodes = belief.routes.distance, belief.facts, belief.scene.nodes
    errands: list[tuple[str, str]] = []
    doors: set[str] = set()
    for part in conjuncts(goal):
        if not isinstance(part, Atom) or part.predicate not in ("inside_of", "ontop_of"):
            raise InputError("goal", "things to carry, as in (inside_of thing place)", str(part))
        thing, target = str(part.args[0]), str(part.args[1])
        source = nodes[thing].parent or ""
        errands.append((source, target))
        opened = (source,) * (nodes[thing].relation == "inside_of") + (target,) * (
            part.predicate == "inside_of"
        )
        doors |= {p for p in opened if facts.holds("closed", (p,))}
    fixed = EFFORT * (2 * len(errands) + len(doors)) + sum(distance(s, t) for s, t in errands)
    best: dict[tuple[frozenset[int], str], int] = {}

    def rest(left: frozenset[int], here: str) -> int:
        if not left:
            return 0
        key = (left, here)
        if key not in best:
            best[key] = min(
                distance(here, errands[i][0]) + rest(left - {i}, errands[i][1]) for i in sorted(left)
            )
        return best[key]

    return fixed + rest(frozenset(range(len(errands))), belief.start)


@dataclass(frozen=True, slots=True)
class _Move:
    """A ground action over facts numbered as bits."""

    needs: int
    adds: int
    deletes: int
    cost: int


def least_cost(goal: Formula, belief: Belief, states: int = MAX_STATES) -> int | None:
    """The least that any sequence of the pack's actions costs until the goal holds; ``None`` where none does.

    The goal is a conjunction of facts that actions change. Raises :class:`InputError` for another goal, and
    where the world has more states than may be looked at.
    """
    wanted = []
    for part in conjuncts(goal):
        if not isinstance(part, Atom) or part.predicate not in belief.pack.fluents:
            raise InputError("goal", "a conjunction of facts that actions change", str(part))
        wanted.append(part)
    actions, events = _relevant(_ground(belief), wanted)
    bits: dict[Atom, int] = {}

    def mask(atoms: Sequence[Atom]) -> int:
        return sum(1 << bits.setdefault(a, len(bits)) for a in dict.fromkeys(atoms))

    def moved(one: _Ground) -> _Move:
        kept = [a for a in one.action.delete if a not in one.action.add]
        return _Move(mask(one.needs), mask(one.action.add), mask(kept), one.cost)

    end, moves, rules = mask(wanted), [moved(a) for a in actions], [moved(e) for e in events]
    first = sum(1 << bit for atom, bit in bits.items() if belief.facts.holds(atom.predicate, atom.args))
    queue, best = [(0, first)], {first: 0}
    while queue:
        cost, state = heapq.heappop(queue)
        if state & end == end:
            return cost
        if cost > best[state]:
            continue
        for move in moves:
            if state & move.needs == move.needs:
                after = _settled(state & ~move.deletes | move.adds, rules)
                total = cost + move.cost
                if total < best.get(after, total + 1):
                    best[after] = total
                    heapq.heappush(queue, (total, after))
        if len(best) > states:
            raise InputError(
                belief.scene.name, f"a world of at most {states} states", "more", "take fewer things"
            )
    return None


def _settled(state: int, events: Sequence[_Move]) -> int:
    """A state after everything that happens by itself in it."""
    before = -1
    while before != state:
        before = state
        for event in events:
            if state & event.needs == event.needs:
                state |= event.adds
    return state


@dataclass(frozen=True, slots=True)
class _Ground:
    """A ground action with what it needs of facts that change; ``event``: it happens by itself."""

    action: GroundAction
    needs: tuple[Atom, ...]
    cost: int
    event: bool


def _ground(belief: Belief) -> list[_Ground]:
    """Every action that fitting names and the facts that never change allow."""
    pack = belief.pack
    found = []
    for schema in pack.domain.actions.values():
        for args in _arguments(schema, belief):
            action = schema.ground(args)
            fixed = [a for a in action.precondition if a.predicate not in pack.fluents]
            if not all(belief.facts.holds(a.predicate, a.args) for a in fixed):
                continue
            cost = schema.cost
            if cost is None:
                if not belief.routes.connected(args[0], args[1]):
                    continue
                cost = belief.routes.distance(args[0], args[1])
            needs = tuple(a for a in action.precondition if a.predicate in pack.fluents)
            found.append(_Ground(action, needs, cost, pack.mapping.actions[schema.name].event))
    return found


def _arguments(schema: Action, belief: Belief) -> Iterator[tuple[str, ...]]:
    """Every choice of different nodes of the right types."""
    types, domain = belief.pack.mapping.types, belief.pack.domain
    choices: list[tuple[str, ...]] = [()]
    for parameter in schema.parameters:
        nodes = belief.scene.nodes.values()
        names = [n.id for n in nodes if n.type in types and domain.is_a(types[n.type], parameter.type)]
        choices = [(*c, n) for c in choices for n in names if n not in c]
    yield from choices


def _relevant(found: Sequence[_Ground], wanted: Sequence[Atom]) -> tuple[list[_Ground], list[_Ground]]:
    """The actions and the events that can help: where conditions are positive, the others never do."""
    needed, size = set(wanted), -1
    while len(needed) != size:
        size = len(needed)
        for one in found:
            if not needed.isdisjoint(one.action.add):
                needed.update(one.needs)
    helpful = [one for one in found if not needed.isdisjoint(one.action.add)]
    return [one for one in helpful if not one.event], [one for one in helpful if one.event]
