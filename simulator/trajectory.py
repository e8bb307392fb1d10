"""Truth of a run: the constraints of PDDL3, and which of them a change of the state can touch.

A run is a sequence of states S0..Sn; S0 is the state before anything is done, and each action one step.
:func:`holds_on` is the definition that all else is checked against. Worlds and searches keep of a run the
state of one small automaton for each constraint (:func:`after`). A state that changes nothing of what a
constraint is about leaves its automaton as it is, so only touched ones are evaluated (:class:`Touched`; a
robot program finds in this way which part of the goal an action brings about). ``domains.evaluate`` defines
the truth in a state. A kind of constraint is added to both functions; a new derived predicate of the mapping
needs a case in :class:`Touched`, or is evaluated after every action.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, Protocol

from ..domains.deadline import check_size, check_time
from ..domains.evaluate import State, evaluate
from ..domains.formula import (
    FALSE,
    TRUE,
    Atom,
    ConstraintKind,
    Count,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Not,
    Sometime,
    TrajectoryConstraint,
    Var,
    conjunction,
    is_ground_atom,
    walk,
)
from ..domains.mapping import ROOM
from ..domains.pack import Pack
from .facts import Facts

Kind = ConstraintKind | Literal["sometime"]
Values = tuple[bool, ...]
"""The truth of each part of a constraint in one state."""

START, BROKEN = 0, -1
"""The automaton's state before S0, and the one that no run leaves."""


def holds_on(kind: Kind, run: Sequence[Values]) -> bool:
    """Decide a constraint by the truth of its parts in each state of a run.

    >>> holds_on("sometime-before", [(False, True), (True, False)])
    True
    >>> holds_on("sometime-before", [(True, True)])
    False
    """
    states = range(len(run))
    if kind == "always":
        return all(run[i][0] for i in states)
    if kind == "sometime":
        return any(run[i][0] for i in states)
    if kind == "at-most-once":
        return sum(run[i][0] and (i == 0 or not run[i - 1][0]) for i in states) <= 1
    if kind == "sometime-after":
        return all(any(run[j][1] for j in states if j >= i) for i in states if run[i][0])
    if kind == "sometime-before":
        return all(any(run[j][1] for j in states if j < i) for i in states if run[i][0])
    raise ValueError(f"no constraint on states: {kind}")


def after(kind: Kind, memory: int, values: Values) -> int:
    """Return the state of a constraint's automaton after one more state of the run."""
    if memory == BROKEN:
        return BROKEN
    first = values[0]
    if kind == "always":
        return START if first else BROKEN
    if kind == "sometime":
        return 1 if first else memory
    if kind == "at-most-once":  # 0 before, 1 in, and 2 after the one interval
        return (1 if memory < 2 else BROKEN) if first else (2 if memory else START)
    second = values[1]
    if kind == "sometime-after":  # 1 while it is due
        return START if second else 1 if first else memory
    if kind == "sometime-before":  # 1 once it is allowed
        return memory if memory else BROKEN if first else int(second)
    raise ValueError(f"no constraint on states: {kind}")


def accepts(kind: Kind, memory: int) -> bool:
    """Return whether a constraint holds of a run that ends now."""
    if kind == "sometime":
        return memory == 1
    return memory == START if kind == "sometime-after" else memory != BROKEN


def left_over(constraint: TrajectoryConstraint, memory: int) -> Formula:
    """Return what a constraint asks of the rest of a run, which begins with the state of now."""
    first, *others = constraint.parts
    match constraint.kind:
        case _ if memory == BROKEN:
            return FALSE
        case "at-most-once" if memory == 2:
            denied = first.part if isinstance(first, Not) else Not(first)
            return TrajectoryConstraint("always", (denied,))
        case "sometime-before" if memory == 1:
            return TRUE
        case "sometime-after" if memory == 1:
            return conjunction([Sometime(others[0]), constraint])
        case _:
            return constraint


WORK = "watching what has held"


class Places(Protocol):
    """A state in which things have places."""

    pack: Pack
    facts: Facts


class Touched:
    """An index of formulas by the facts, and by the things whose rooms, they are about.

    It is made once for a goal and shared by the copies of a world.
    """

    def __init__(self, formulas: Sequence[Formula], derived: Mapping[str, str]) -> None:
        check_size("literals", len(formulas), WORK)
        self._by_fact: dict[GroundAtom, dict[int, None]] = {}
        self._by_thing: dict[str, dict[int, None]] = {}
        self._always: dict[int, None] = {}
        for number, formula in enumerate(formulas):
            check_time(WORK)
            for node in walk(formula):
                if isinstance(node, Exists | Forall | Count):
                    self._always[number] = None
                if not is_ground_atom(node):
                    continue
                if node.predicate not in derived:
                    self._by_fact.setdefault(node, {})[number] = None
                elif derived[node.predicate] == ROOM:
                    self._by_thing.setdefault(node.args[0], {})[number] = None
                else:
                    self._always[number] = None

    def by(self, changed: Sequence[GroundAtom], state: Places) -> Iterator[int]:
        """Yield the numbers of the formulas whose truth a change of some facts can have changed."""
        numbers = dict(self._always)
        for fact in changed:
            numbers |= self._by_fact.get(fact, {})
        for thing in _moved(state, changed) if self._by_thing else ():
            numbers |= self._by_thing.get(thing, {})
        yield from numbers


def _moved(state: Places, changed: Sequence[GroundAtom]) -> list[str]:
    """Return the things that may be in another room after a change of facts, with all that is in them."""
    pack = state.pack
    held = pack.mapping.robot_held.predicate
    names: dict[str, None] = {}
    for atom in changed:
        if atom.predicate in (*pack.locations, held):
            names[atom.args[0]] = None
        if atom.predicate in (*pack.locations, held, pack.at):  # what is held goes where the robot goes
            names |= dict.fromkeys(args[0] for args in state.facts.all(held))
    queue = list(names)
    while queue:
        around = queue.pop()
        for predicate in pack.locations:
            for args in state.facts.with_argument(predicate, 1, around):
                if args[0] not in names:
                    names[args[0]] = None
                    queue.append(args[0])
    return list(names)


class RunSoFar:
    """Memory of a run so far: the state of an automaton for each condition or constraint that is watched."""

    def __init__(self, watched: Sequence[Formula], derived: Mapping[str, str]) -> None:
        self.states: dict[Formula, int] = dict.fromkeys(watched, START)
        self.watched = tuple(self.states)
        self.prohibitions = tuple(c for c in _constraints(self.watched) if c.kind == "never-do")
        self._touched = Touched(self.watched, derived)

    def copy(self) -> RunSoFar:
        """Return a memory of the same run, which may go on otherwise."""
        other = RunSoFar.__new__(RunSoFar)
        other.__dict__.update(self.__dict__)
        other.states = dict(self.states)
        return other

    def happened(self, watched: Formula) -> bool:
        """Return whether a watched condition has held, or a constraint holds of the run up to now.

        Raises ``KeyError`` for what is not watched.
        """
        return accepts(kind_of(watched), self.states[watched])

    @property
    def broken(self) -> tuple[TrajectoryConstraint, ...]:
        """The watched constraints that the run has broken, whatever follows."""
        return tuple(c for c in _constraints(self.watched) if self.states[c] == BROKEN)

    def note(self, run: State, state: Places, changed: Sequence[GroundAtom] | None = None) -> None:
        """Add the state of now to the run; ``changed`` are the facts that a change touched, if not all."""
        if not self.watched:
            return
        numbers = range(len(self.watched)) if changed is None else self._touched.by(changed, state)
        for number in numbers:
            check_time(WORK)
            condition = self.watched[number]
            kind, before = kind_of(condition), self.states[condition]
            if kind == "never-do" or (kind == "sometime" and before):
                continue
            parts = condition.parts if isinstance(condition, TrajectoryConstraint) else (condition,)
            self.states[condition] = after(kind, before, tuple(evaluate(part, run) for part in parts))

    def note_step(self, step: GroundAtom, state: State) -> None:
        """Note which prohibitions a step breaks that is done in a state."""
        for prohibition in self.prohibitions:
            pattern, condition = prohibition.parts
            binding = matched(pattern, step)
            if binding is not None and evaluate(condition, state, binding):
                self.states[prohibition] = BROKEN


def _constraints(watched: Sequence[Formula]) -> list[TrajectoryConstraint]:
    return [c for c in watched if isinstance(c, TrajectoryConstraint)]


def kind_of(watched: Formula) -> Kind:
    """Return the kind of a watched constraint, or ``sometime`` of a condition."""
    return watched.kind if isinstance(watched, TrajectoryConstraint) else "sometime"


def matched(pattern: Formula, step: GroundAtom) -> dict[str, str] | None:
    """Return what the variables of a pattern stand for in a step, ``None`` where it is of another step."""
    assert isinstance(pattern, Atom)
    if pattern.predicate != step.predicate or len(pattern.args) != len(step.args):
        return None
    binding: dict[str, str] = {}
    for term, name in zip(pattern.args, step.args, strict=True):
        if name != (binding.setdefault(term.name, name) if isinstance(term, Var) else term):
            return None
    return binding
