"""Memory of the runs of a projection: what they keep of their constraints, and the steps that are forbidden.

Of a state some facts are known. A part of a constraint that may be true and may be false there leaves open
which state the constraint's automaton takes (``simulator.trajectory``); all that it may take are remembered.
Where there is none, no run that keeps the constraint passes that state. A drive passes the poses and rooms of
its route, which are states of their own: each drive from one to the next is one of the projection.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

from ...domains.action import Action, bound_args, extend
from ...domains.evaluate import possible
from ...domains.exclusive import Groups
from ...domains.formula import (
    TRUE,
    Atom,
    Formula,
    GroundAtom,
    Term,
    TrajectoryConstraint,
    Var,
    free_variables,
    step_atom,
    substitute,
    walk,
)
from ...simulator.belief import Belief
from ...simulator.partial_state import PartialState
from ...simulator.trajectory import BROKEN, START, Values, accepts, after
from .induction import Binding, Induction

Memory = tuple[int, ...]
"""The states that the automaton of each constraint may be in, as bits."""
Known = Callable[[int], Mapping[GroundAtom, bool]]
"""The facts that a number stands for, with their truth."""


class RunMemory:
    """The constraints of runs over states that are known in part; ``start`` is the memory before any."""

    def __init__(self, induction: Induction, groups: Groups, run: Sequence[TrajectoryConstraint]) -> None:
        self.pack, self._state = induction.pack, PartialState(induction.belief, induction, groups)
        self.prohibitions = tuple(one for one in run if one.kind == "never-do" and one.parts[1] != TRUE)
        on_states = (one for one in run if one.kind != "never-do")
        self.constraints = tuple(one for one in on_states if _is_seen(one, induction.belief))
        self.start: Memory = (1 << START,) * len(self.constraints)
        self._values: dict[int, tuple[tuple[Values, ...], ...]] = {}
        self._assumed = -1

    def after(self, memory: Memory, number: int, facts: Known) -> Memory:
        """Return the memory after more states of the run, of which the facts of a number are known."""
        if not self.constraints:
            return memory
        if number not in self._values:
            self._assume(number, facts)
            self._values[number] = tuple(
                tuple(product(*(self._may_be(part) for part in one.parts))) for one in self.constraints
            )
        return tuple(map(_moved, self.constraints, memory, self._values[number]))

    def may_end(self, memory: Memory) -> bool:
        """Return whether a run that remembers this may end."""
        pairs = zip(self.constraints, memory, strict=True)
        return all(any(accepts(one.kind, state) for state in _states(bits)) for one, bits in pairs)

    def conditions(self, action: Action, binding: Binding) -> tuple[Formula, ...]:
        """Return conditions under which every completion of a binding is a forbidden step."""
        step = self.pack.mapping_of(action.name).step if self.prohibitions else None
        if step is None:
            return ()
        printed = step_atom(step.predicate, step.args)
        given = bound_args(printed, binding)
        some = (_condition(one, printed.predicate, given) for one in self.prohibitions)
        return tuple(condition for condition in some if condition is not None)

    def forbids(self, conditions: Sequence[Formula], number: int, facts: Known) -> bool:
        """Return whether one of some conditions is true wherever the facts of a number are."""
        if not conditions:
            return False
        self._assume(number, facts)
        return not all(possible(one, False, self._state, {}) for one in conditions)

    def _assume(self, number: int, facts: Known) -> None:
        if self._assumed != number:
            self._assumed = number
            self._state.assumptions.retract()
            for fact, value in facts(number).items():
                self._state.assumptions.assume(fact, value)

    def _may_be(self, part: Formula) -> list[bool]:
        return [value for value in (True, False) if possible(part, value, self._state, {})]


def _moved(one: TrajectoryConstraint, before: int, values: Sequence[Values]) -> int:
    """Return the states that an automaton may be in after states in which its parts may have some values."""
    assert one.kind != "never-do", "a prohibition has no automaton"
    now = {after(one.kind, state, some) for state in _states(before) for some in values}
    while more := {after(one.kind, state, some) for state in now for some in values} - now:
        now |= more  # what is not known may change while nothing that is known does
    return sum(1 << state for state in now if state != BROKEN)


def _states(bits: int) -> list[int]:
    return [state for state in range(bits.bit_length()) if bits >> state & 1]


def _condition(one: TrajectoryConstraint, name: str, args: Sequence[str | None]) -> Formula | None:
    """Return the condition of a prohibition for steps of some arguments; ``None`` where it may not hold."""
    pattern, condition = one.parts
    assert isinstance(pattern, Atom)
    fitting = pattern.predicate == name and len(pattern.args) == len(args)
    values = extend(pattern, args) if fitting else None
    open_terms = [t for t, arg in zip(pattern.args, args, strict=False) if arg is None]
    free = [t.name for t in open_terms if isinstance(t, Var)]
    if values is None or len(set(free)) < len(open_terms) or not values.keys().isdisjoint(free):
        return None
    ground = substitute(condition, dict[str, Term](values))
    return None if free_variables(ground) else ground


def _is_seen(one: TrajectoryConstraint, belief: Belief) -> bool:
    """Return whether every state that a constraint is about is one of a projection.

    The state before an event is none of the run. A drive may be done pose by pose where driving does nothing
    but change the robot's place, and any pose or room may be driven to.
    """
    pack, places = belief.pack, (belief.pack.at, belief.pack.mapping.robot_held.predicate)
    atoms = [node for part in one.parts for node in walk(part) if isinstance(node, Atom)]
    about = {a.predicate for a in atoms}
    if not about.isdisjoint(pack.mapping.derived):
        about |= {*places, *pack.locations}
    by_events = {a.predicate for event in pack.events for a in (*event.add, *event.delete)}
    drive, ends = pack.navigation, [p.type for p in pack.navigation.parameters[:2]]
    source, target = (Atom(pack.at, (Var(p.name),)) for p in drive.parameters[:2])
    alone = (drive.precondition, drive.add, drive.delete) == ((source,), (target,), (source,))
    drivable = all(belief.has_type(n, kind) for n in belief.scene.neighbours for kind in ends)
    return about.isdisjoint(by_events) and alone and drivable
