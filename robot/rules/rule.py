"""Rules in a robot program, and the memory of a run that some of them need.

A rule is the operator's, or a constraint of the goal itself. Each of its ground constraints is decided by the
automaton of :func:`~groundplan.simulator.trajectory.after`. Kinds of :data:`REMEMBERED` look back: they are
*clear* in a state of the automaton in which nothing that was stands in the way. A command says in
:class:`StepGuard` what must be so before it, as facts and as constraints that must be clear; then it breaks
no rule, in whichever world it is done (``guarding`` computes them). Supervisors and trees have nothing else
to look at. The JSON keys are read by robots and stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...domains.errors import InputError
from ...domains.evaluate import evaluate
from ...domains.formula import (
    Atom,
    Formula,
    GroundAtom,
    Or,
    Sometime,
    TrajectoryConstraint,
    conjuncts,
    disjunction,
    is_ground_atom,
    walk,
)
from ...domains.storage.json_record import JsonRecord
from ...simulator.trajectory import BROKEN, START, Values, after, left_over
from .evidence import atom_of

REMEMBERED = ("at-most-once", "sometime-before", "sometime-after")
"""The kinds of constraints that look back; the others are decided by each state and step alone."""


@dataclass(frozen=True, slots=True)
class Clearing(JsonRecord):
    """A command with which a constraint became clear in the plan, and the facts on which that rested."""

    step: int
    facts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class ProgramConstraint(JsonRecord):
    """A ground constraint of a rule.

    One that looks back has its ``parts`` without quantifiers, and ``cleared`` by commands of the plan.
    """

    constraint: TrajectoryConstraint
    parts: tuple[Formula, ...] = ()
    cleared: tuple[Clearing, ...] = ()


@dataclass(frozen=True, slots=True)
class ProgramRule(JsonRecord):
    """A rule as it was written, with its ground constraints.

    ``unsaid`` is the reason for which facts cannot say how to keep it; empty where they can.
    """

    rule: str
    constraints: tuple[ProgramConstraint, ...]
    unsaid: str = ""

    def as_json(self) -> dict[str, object]:
        return {k: v for k, v in JsonRecord.as_json(self).items() if k != "unsaid" or v}


@dataclass(frozen=True, slots=True)
class PassedState(JsonRecord):
    """The truth of a constraint's parts in the states that a command is sure to pass."""

    constraint: int
    values: tuple[Values, ...]

    @property
    def relieves(self) -> bool:
        """True if it may clear a constraint, or end an interval: then it counts once the command is shown."""
        return any(all(values[1:]) if len(values) > 1 else not values[0] for values in self.values)

    def counted(self, shown: bool) -> tuple[Values, ...]:
        """Return the values that count of a command that was done, and is ``shown`` not to be undone.

        Before that an interval is begun and not ended, so that one that goes on is no second one.
        """
        if shown or not self.relieves:
            return self.values
        return tuple(values for values in self.values if len(values) == 1 and values[0])


@dataclass(frozen=True, slots=True)
class StepGuard(JsonRecord):
    """Facts, and constraints that are clear, by which a command breaks nothing of the rule of an index."""

    rule: int
    facts: tuple[Formula, ...] = ()
    clear: tuple[int, ...] = ()
    passes: tuple[PassedState, ...] = ()


@dataclass(frozen=True, slots=True)
class ProgramPlaces(JsonRecord):
    """Names by which facts say where things are: what is in what for good, and the predicates of the rest.

    ``around`` is derived from ``at`` and ``room`` from ``relations`` and ``held``, as goals have them.
    """

    inside: Mapping[str, str]
    relations: tuple[str, ...]
    at: str
    held: str
    around: str
    room: str


@dataclass(frozen=True, slots=True)
class ProgramRules(JsonRecord):
    """The rules of a program, with the facts of the start that their memory is about.

    Of these facts those that hold are listed. ``places`` are there where a constraint asks for them.
    """

    kept: tuple[ProgramRule, ...] = ()
    start: tuple[GroundAtom, ...] = ()
    places: ProgramPlaces | None = None

    def __iter__(self) -> Iterator[ProgramConstraint]:
        return (one for rule in self.kept for one in rule.constraints)

    def constraints(self) -> tuple[TrajectoryConstraint, ...]:
        """Return all ground constraints, each once."""
        return tuple(dict.fromkeys(one.constraint for one in self))

    def facts(self) -> Iterator[GroundAtom]:
        """Yield the facts that the memory of a run is about, without those derived from places."""
        derived = (self.places.around, self.places.room) if self.places is not None else ()
        atoms = (a for one in self for part in one.parts for a in walk(part) if is_ground_atom(a))
        yield from (atom for atom in atoms if atom.predicate not in derived)
        yield from self.start

    def named(self, guards: Sequence[StepGuard]) -> tuple[tuple[StepGuard, TrajectoryConstraint], ...]:
        """Return the constraints that guards want to be clear, each with its guard."""
        return tuple((g, self.kept[g.rule].constraints[c].constraint) for g in guards for c in g.clear)

    def written(self, constraint: Formula) -> str:
        """Return the rule that a constraint is of, as it was written."""
        of = (rule.rule for rule in self.kept if any(c.constraint == constraint for c in rule.constraints))
        return next(of, str(constraint))

    def check_said(self, what: str) -> None:
        """Raise :class:`InputError` where facts cannot say how to keep a rule."""
        for rule in self.kept:
            if rule.unsaid:
                hint = "export a sequence, or carry it out with `run`"
                raise InputError(what, f"a rule that facts can say, not {rule.rule}", rule.unsaid, hint)


NO_RULES = ProgramRules()


def is_clear(constraint: TrajectoryConstraint, memory: int) -> bool:
    """Return whether nothing that was stands in the way: not of a rise, of what comes later, of an end.

    What others broke asks for nothing more.
    """
    if memory == BROKEN or constraint.kind not in REMEMBERED:
        return True
    return memory != START if constraint.kind == "sometime-before" else memory == START


def left_of(one: ProgramConstraint, memory: int) -> tuple[Formula, ...]:
    """Return what a constraint asks of the rest of a run, in forms that goals and rules may have.

    What is due is a ``sometime``, or a choice of them. Goals have it of literals alone, so what has to hold
    together is asked for at the end, which is more than is due. What is broken asks for nothing.
    """
    if memory == BROKEN:
        return ()
    rest = conjuncts(left_over(one.constraint, memory))
    return tuple(_at_some_time(one.parts[1]) if isinstance(part, Sometime) else part for part in rest)


def _at_some_time(part: Formula) -> Formula:
    if isinstance(part, Or):
        return disjunction([_at_some_time(one) for one in part.parts])
    return Sometime(part) if is_ground_atom(atom_of(part)) else part


class RuleMemory:
    """Automata of the constraints that look back, over the states of which something is known."""

    def __init__(self, rules: ProgramRules) -> None:
        self._rules = rules
        self._parts = {one.constraint: one.parts for one in rules if one.constraint.kind in REMEMBERED}
        self._states: dict[TrajectoryConstraint, int] = dict.fromkeys(self._parts, START)

    def see(self, facts: Mapping[Formula, bool]) -> None:
        """Take what is known of one more state; what is not known does not hold."""
        if self._parts:
            state = _KnownState(facts, self._rules.places)
            for one, parts in self._parts.items():
                self._move(one, tuple(evaluate(part, state) for part in parts))

    def pass_by(self, guards: Iterable[StepGuard], shown: bool) -> None:
        """Take the states that a command passed, which was done, and is ``shown`` not to be undone."""
        for guard in guards:
            for passed in guard.passes:
                for values in passed.counted(shown):
                    self._move(self._rules.kept[guard.rule].constraints[passed.constraint].constraint, values)

    def is_clear(self, constraint: TrajectoryConstraint) -> bool:
        return is_clear(constraint, self._states.get(constraint, START))

    def left(self) -> tuple[Formula, ...]:
        """Return what the rules ask of the rest of the run, which begins with the state of now.

        What is due is no constraint, and belongs into the goal (:func:`left_of`).
        """
        rest: dict[Formula, None] = {}
        for one in self._rules:
            rest |= dict.fromkeys(left_of(one, self._states.get(one.constraint, START)))
        return tuple(rest)

    def _move(self, constraint: TrajectoryConstraint, values: Values) -> None:
        self._states[constraint] = after(constraint.kind, self._states[constraint], values)


class _KnownState:
    """A state by the facts that are known to hold in it, with the places that follow from them."""

    def __init__(self, facts: Mapping[Formula, bool], places: ProgramPlaces | None) -> None:
        self._facts, self._places = facts, places
        self._above = dict(places.inside) if places is not None else {}
        self._here = ""
        for atom, holds in facts.items():
            if places is not None and holds and is_ground_atom(atom):
                if atom.predicate in places.relations:
                    self._above[atom.args[0]] = atom.args[1]
                elif atom.predicate == places.held:
                    self._above[atom.args[0]] = ""
                elif atom.predicate == places.at:
                    self._here = atom.args[0]

    def holds(self, predicate: str, args: tuple[str, ...]) -> bool:
        if self._places is not None and predicate == self._places.around:
            return args[0] in self._around(self._here)
        if self._places is not None and predicate == self._places.room:
            return args[1] in self._around(args[0])
        return self._facts.get(Atom(predicate, args), False)

    def happened(self, literal: Formula) -> bool:
        raise KeyError(str(literal))

    def members(self, type_or_class: str) -> Sequence[str]:
        raise KeyError(type_or_class)

    def _around(self, name: str) -> dict[str, None]:
        """Return a thing and what it is in or on; what is held is where the robot is."""
        chain: dict[str, None] = {}
        while name and name not in chain:
            chain[name] = None
            name = self._above.get(name, "") or (self._here if self._is_held(name) else "")
        return chain

    def _is_held(self, name: str) -> bool:
        assert self._places is not None
        return self._facts.get(Atom(self._places.held, (name,)), False)
