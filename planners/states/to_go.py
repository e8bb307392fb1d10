"""Estimates of what is still to be done: millimetres from a state to the truth of a goal, 0 where it is true.

Of the parts of a conjunction the farthest counts, and a little for each other one; of alternatives the
nearest. A thing is fetched and carried by the shortest routes, and where an action makes a fact true, the
robot or what has to be there is brought to it. Estimates may be changed, and may be too high: the search that
uses them proves nothing. They must be 0 in just those states where the goal holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...compiler.forms import literals
from ...compiler.normal import ground_form
from ...domains.formula import (
    And,
    Atom,
    Cardinality,
    Formula,
    GroundAtom,
    Not,
    Or,
    Sometime,
    Term,
    TrajectoryConstraint,
    as_ground,
    substitute,
    walk,
)
from ...domains.mapping import ROOM
from .space import StateOperator, StateSpace, WatchedRun

LOOKS = 5
"""Looks at an action that an estimate of one literal counts as."""

NEVER = 10**12
"""Millimetres that nothing costs."""

Estimate = Callable[[int, str], int]
"""Millimetres from a state, given as a set of facts and the robot's place."""


class ToGo:
    """The estimates of one goal in one space of states; ``goal`` is that of the whole."""

    def __init__(self, goal: Formula, space: StateSpace) -> None:
        self.space = space
        pack = space.pack
        efforts = (action.cost or 0 for action in pack.manipulations)
        self.effort = min((effort for effort in efforts if effort > 0), default=0)
        self.derived, self.robot = pack.mapping.derived, {pack.at}
        self.robot |= {name for name, meaning in self.derived.items() if meaning != ROOM}
        self.makers: dict[tuple[GroundAtom, bool], list[tuple[StateOperator, list[Estimate]]]] = {}
        self.seen: dict[Formula, int] = {}
        for thing in dict.fromkeys(n for a, _ in literals(goal) for n in a.args):
            space.settle(thing)
        for node in walk(goal):
            if isinstance(node, Sometime) and node.body not in self.seen:
                self.seen[node.body] = bit = space.bit(Atom(f"(seen {len(self.seen)})"))
                space.watched.append(WatchedRun("sometime", bit, 0, (_is_true(self.estimate(node.body)),)))
            if isinstance(node, TrajectoryConstraint) and node not in self.seen and node.kind != "never-do":
                self.seen[node] = bit = space.bit(Atom(f"(seen {len(self.seen)})"))
                second = space.bit(Atom(f"(over {len(self.seen)})"))
                parts = tuple(_is_true(self.estimate(part)) for part in node.parts)
                space.watched.append(WatchedRun(node.kind, bit, second, parts))
            if isinstance(node, TrajectoryConstraint) and node.kind == "never-do":
                space.forbidden.append((node.parts[0], self._forbidding(node.parts[1])))
        self.goal = self.estimate(goal)

    def _forbidding(self, condition: Formula) -> Callable[[Mapping[str, str]], Callable[[int, str], bool]]:
        """Return what makes the truth of a condition from what its variables stand for."""

        def bound(binding: Mapping[str, str]) -> Callable[[int, str], bool]:
            form = ground_form(substitute(condition, dict[str, Term](binding)), self.space.belief)
            return _is_true(self.estimate(form))

        return bound

    def estimate(self, node: Formula) -> Estimate:
        """Return the estimate of a part of a normal form."""
        match node:
            case And(parts):
                return self._all_of([self.estimate(p) for p in parts])
            case Or(parts):
                return self._some_of([self.estimate(p) for p in parts], 1)
            case Cardinality(_, number, parts):
                return self._some_of([self.estimate(p) for p in parts], number)
            case Sometime(body):
                bit, before = self.seen[body], self.estimate(body)
                return lambda state, place: 0 if state & bit else max(1, before(state, place))
            case TrajectoryConstraint("sometime-after", (_, second)):
                due, later = self.seen[node], self.estimate(second)
                return lambda state, place: max(1, later(state, place)) if state & due else 0
            case TrajectoryConstraint():
                return lambda state, place: 0  # a state that breaks one is not looked at
            case Not(Atom() as atom):
                return self._literal(as_ground(atom), False)
            case Atom():
                return self._literal(as_ground(node), True)
        raise ValueError(f"not in normal form: {node}")

    def _all_of(self, estimates: Sequence[Estimate]) -> Estimate:
        def farthest(state: int, place: str) -> int:
            self.space.looks += LOOKS * len(estimates)
            values = [e(state, place) for e in estimates]
            unmet = sum(v > 0 for v in values)
            return max(values, default=0) + max(0, unmet - 1)

        return farthest

    def _some_of(self, estimates: Sequence[Estimate], number: int) -> Estimate:
        def nearest(state: int, place: str) -> int:
            self.space.looks += LOOKS * len(estimates)
            return sorted(e(state, place) for e in estimates)[number - 1] if number else 0

        return nearest if len(estimates) >= number else lambda state, place: NEVER

    # Literals

    def _literal(self, atom: GroundAtom, positive: bool) -> Estimate:
        holds, unmet = self._truth(atom), self._unmet(atom, positive)

        def estimate(state: int, place: str) -> int:
            return 0 if holds(state, place) == positive else max(1, unmet(state, place))

        return estimate

    def _truth(self, atom: GroundAtom) -> Callable[[int, str], bool]:
        space, args = self.space, atom.args
        if self.derived.get(atom.predicate) == ROOM:
            return lambda state, place: space.anchor(state, place, args[0]) == args[1]
        if atom.predicate == space.pack.at:
            return lambda state, place: place == args[0]
        if atom.predicate in self.robot:
            return lambda state, place: args[0] in space.chain(state, place, place)
        bit = space.bit(atom)
        return lambda state, place: bool(state & bit)

    def _unmet(self, atom: GroundAtom, positive: bool) -> Estimate:
        """Return the estimate of a literal while it is false."""
        space, args, effort = self.space, atom.args, self.effort
        nodes = space.belief.scene.nodes
        if atom.predicate in self.robot:
            there = atom.args[0]
            return (lambda state, place: self._drive(state, place, place, there)) if positive else _least
        is_thing = bool(args) and nodes[args[0]].type == "object"
        is_place = atom.predicate in space.pack.locations or self.derived.get(atom.predicate) == ROOM
        if is_thing and is_place and positive:
            held = space.bit(Atom(space.held, args[:1]))
            handling = effort if atom.predicate in self.derived else 2 * effort

            def carried(state: int, place: str) -> int:
                fetched = self._drive(state, place, place, args[0])
                brought = self._drive(state, place, args[0], args[1])
                return fetched + brought + (effort if state & held else handling)

            return carried
        if is_thing and (is_place or (atom.predicate == space.held and positive)):
            return lambda state, place: self._drive(state, place, place, args[0]) + effort
        return lambda state, place: self._made(atom, positive, state, place)

    def _made(self, atom: GroundAtom, positive: bool, state: int, place: str) -> int:
        """Estimate the cost of the nearest action that makes a fact true, or false."""
        key = (atom, positive)
        if key not in self.makers:
            bit, space = self.space.bit(atom), self.space
            makers = (o for o in space.operators if (o.adds if positive else o.deletes) & bit)
            events = (o for o in space.events if positive and o.adds & bit)
            self.makers[key] = [(o, self._placing(o.needs)) for o in (*makers, *events)]
        least: int | None = None
        for operator, needs in self.makers[key]:
            self.space.looks += LOOKS * len(needs)
            far = [need(state, place) for need in needs]
            if operator.where is not None and operator.where not in self.space.places:
                far.append(self._drive(state, place, place, operator.where))
            cost = max(far, default=0) + operator.cost
            least = cost if least is None else min(least, cost)
        return least or 0

    def _placing(self, needs: int) -> list[Estimate]:
        """The estimates of those facts of a set that say where things are."""
        space = self.space
        atoms = [a for a, bit in space.bits.items() if bit & needs and a.predicate in space.pack.locations]
        return [self._literal(a, True) for a in atoms]

    def _drive(self, state: int, place: str, source: str, target: str) -> int:
        """The millimetres between two things in a state; 0 where no route is known."""
        anchor = self.space.anchor
        return self.space.drive(anchor(state, place, source), anchor(state, place, target)) or 0


def _least(state: int, place: str) -> int:
    return 1


def _is_true(estimate: Estimate) -> Callable[[int, str], bool]:
    return lambda state, place: estimate(state, place) == 0
