"""Constraints on the run as conditions and effects of the actions that can change what they are about.

Each constraint is an automaton of a few states (``simulator.trajectory``). Here its state is a fact, and each
action that can touch the constraint moves it: for each move of :data:`MOVES` the action gets a variant that
asks for the old state, and that what the move asks for is true *after* the action. Such a condition is
regressed through the schema's effects, and stays lifted: that a parameter is one of some objects is a static
fact. No action is added, none is grounded, and actions that touch nothing stay as they are. A heuristic so
sees in an action what has to come before it.

Must stay: a run that the variants allow keeps the constraints, as far as the states that it passes are those
of the problem, and no run that keeps them is lost. Moves may be taken that the automaton does not force; none
that it forbids. Limits may be changed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, combinations, pairwise
from typing import NamedTuple

from ..domains.action import Action
from ..domains.deadline import check_time
from ..domains.formula import (
    PASSING,
    And,
    Atom,
    Cardinality,
    Formula,
    GroundAtom,
    Not,
    Or,
    Term,
    TrajectoryConstraint,
    Var,
    as_ground,
    children,
    is_ground_atom,
    step_atom,
    step_name,
    substitute,
    walk,
)
from ..simulator.belief import Belief
from ..simulator.facts import Facts
from ..simulator.trajectory import BROKEN, START, after
from .forms import holds_now, literals, negation
from .normal import ground_form, in_facts

MAX_CASES = 200
"""Most cases of one condition, and most variants of one action."""
WORK = "compiling constraints on the run"

Literal = tuple[GroundAtom, bool]
Asked = tuple[bool | None, ...]


class AutomatonMove(NamedTuple):
    """A move of an automaton, from a state (``None`` for any, which stays) to one.

    It asks for the truth of some parts before the action (``old``) and after it (``new``).
    """

    start: int | None
    end: int | None
    new: Asked
    old: Asked = ()


MOVES: Mapping[str, tuple[AutomatonMove, ...]] = {
    "always": (AutomatonMove(None, None, (True,)),),
    "at-most-once": (  # 0 before the one interval, 1 from its beginning on
        AutomatonMove(None, None, (False,)),
        AutomatonMove(None, None, (True,), (True,)),
        AutomatonMove(0, 1, (True,), (False,)),
    ),
    "sometime-after": (  # 1 while it is due
        AutomatonMove(None, None, (False, None)),
        AutomatonMove(0, 0, (None, True)),
        AutomatonMove(0, 1, (True, False)),
        AutomatonMove(1, 0, (None, True)),
        AutomatonMove(1, 1, (True, False)),
    ),
    "sometime-before": (  # 1 once it is allowed
        AutomatonMove(None, None, (False, None)),
        AutomatonMove(0, 1, (False, True)),
        AutomatonMove(1, 1, (True, None)),
    ),
}
"""The automata of :func:`~groundplan.simulator.trajectory.after`, with fewer states and no broken one."""


class TooManyCases(Exception):
    """Raised where a condition has more cases than can be written down."""


@dataclass(frozen=True, slots=True)
class ActionCase:
    """A conjunction: literals, and for some parameters of an action the objects that they may be."""

    literals: frozenset[Literal] = frozenset()
    among: frozenset[tuple[str, frozenset[str]]] = frozenset()

    def joined(self, other: ActionCase) -> ActionCase | None:
        """Return the conjunction of two; ``None`` where it cannot be true."""
        both = self.literals | other.literals
        among = dict(self.among)
        for parameter, names in other.among:
            among[parameter] = among.get(parameter, names) & names
        if not all(among.values()) or any((atom, not sign) in both for atom, sign in both):
            return None
        return ActionCase(both, frozenset(among.items()))

    def contains(self, other: ActionCase) -> bool:
        """Return whether the other is true only where this one is."""
        among = dict(other.among)
        inside = all(among.get(parameter, names | {""}) <= names for parameter, names in self.among)
        return inside and self.literals <= other.literals


@dataclass(frozen=True, slots=True)
class Variant:
    """An action in one case: what it asks for beside its precondition, and how it moves automata."""

    case: ActionCase
    add: tuple[GroundAtom, ...] = ()
    delete: tuple[GroundAtom, ...] = ()


@dataclass(frozen=True)
class RunConditions:
    """The compiled constraints of one problem.

    ``constraints`` have forms over facts as their parts; ``forbidden`` are steps, with the conditions as they
    were written. ``objects`` are the problem's, with their types.
    """

    constraints: tuple[TrajectoryConstraint, ...]
    forbidden: tuple[TrajectoryConstraint, ...]
    belief: Belief
    facts: Facts
    objects: tuple[tuple[str, str], ...]

    def memory(self, number: int, state: int) -> GroundAtom:
        """Return the fact that an automaton is in a state."""
        return Atom(f"(run {number} {state})")

    def predicates(self) -> list[str]:
        """Return the predicates of the automata."""
        return [
            self.memory(number, state).predicate
            for number, one in enumerate(self.constraints)
            if one.kind != "always"
            for state in (0, 1)
        ]

    def start(self) -> list[GroundAtom] | None:
        """Return the facts of the automata after the first state; ``None`` where it breaks a constraint."""
        facts = []
        for number, one in enumerate(self.constraints):
            state = after(one.kind, START, tuple(holds_now(part, self.facts) for part in one.parts))
            if state == BROKEN:
                return None
            if one.kind != "always":
                facts.append(self.memory(number, state))
        return facts

    def goal(self) -> list[GroundAtom]:
        """Return what is asked of the automata at the end: that nothing is due."""
        kinds = enumerate(one.kind for one in self.constraints)
        return [self.memory(number, START) for number, kind in kinds if kind == "sometime-after"]

    def variants(self, action: Action) -> list[Variant]:
        """Return the variants of an action. Raises :class:`TooManyCases`."""
        domain, at = self.belief.pack.domain, self.belief.pack.at
        names = {
            p.name: frozenset(name for name, kind in self.objects if domain.is_a(kind, p.type))
            for p in action.parameters
        }
        then = Regression(action, names, at, self._lasting)
        now = Regression(replace(action, add=(), delete=()), names, at, self._lasting)
        variants = [Variant(case) for case in self._permitted(action, now)]
        for number, one in enumerate(self.constraints):
            check_time(WORK)
            if not any(then.touches(atom) for part in one.parts for atom, _ in literals(part)):
                continue
            options = list(self._moved(number, one, now, then))
            variants = [
                Variant(case, (*before.add, *option.add), (*before.delete, *option.delete))
                for before in variants
                for option in options
                if (case := before.case.joined(option.case)) is not None
            ]
            _limited(variants)
        return variants

    @cached_property
    def _named(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.objects)

    def _lasting(self, atom: GroundAtom) -> bool | None:
        """Return the truth of an atom about what is no object of the problem: it stays as it is."""
        return None if self._named.issuperset(atom.args) else self.facts.holds(atom.predicate, atom.args)

    def _permitted(self, action: Action, now: Regression) -> list[ActionCase]:
        """Return the cases in which an action is none of the forbidden steps."""
        step = self.belief.pack.mapping_of(action.name).step
        if step is None:
            return [ActionCase()]
        printed = step_atom(step.predicate, step.args)

        def form(condition: Formula, binding: Mapping[str, str]) -> Formula:
            ground = ground_form(substitute(condition, dict[str, Term](binding)), self.belief)
            return in_facts(ground, self.belief, self.facts).form

        allowed = []
        for one in self.forbidden:
            pattern, condition = one.parts
            assert isinstance(pattern, Atom)
            if step_name(pattern) != PASSING:
                allowed.append(permitted(pattern, printed, now, partial(form, condition)))
        return now.all_of(allowed)

    def _moved(
        self, number: int, one: TrajectoryConstraint, now: Regression, then: Regression
    ) -> Iterable[Variant]:
        """Yield an action's variants for one constraint."""
        ends: dict[tuple[int | None, int | None], list[ActionCase]] = {}
        for move in MOVES[one.kind]:
            moments = [(now, move.old), (then, move.new)]
            cases = now.all_of(
                moment.cases(part, sign)
                for moment, signs in moments
                for part, sign in zip(one.parts, signs, strict=False)
                if sign is not None
            )
            ends.setdefault((move.start, move.end), []).extend(cases)
        for (start, end), some in ends.items():
            for case in now.united(some):
                if start is None or end is None:
                    yield Variant(case)
                    continue
                old, new = self.memory(number, start), self.memory(number, end)
                asks = ActionCase(case.literals | {(old, True)}, case.among)
                yield Variant(asks) if start == end else Variant(asks, (new,), (old,))


class Passing:
    """Places that drives pass and constraints on the run see, without a state of the problem there."""

    def __init__(self, constraints: Iterable[Formula], belief: Belief) -> None:
        self.belief, at = belief, belief.pack.at
        groups: dict[frozenset[str], None] = {}
        for form in (node for one in constraints for node in (one, *walk(one))):
            near = (part.part if isinstance(part, Not) else part for part in children(form))
            places = frozenset(str(a.args[0]) for a in near if isinstance(a, Atom) and a.predicate == at)
            if places:
                groups[places] = None
        self.groups = tuple(groups)

    def unseen(self, start: str, end: str) -> list[str]:
        """Return what a drive passes, where some of it makes a constraint's part other than both its ends do.

        Such a drive is done in legs: they cost the same, and each is a state.
        """
        passed = list(self.belief.routes.route(start, end).hops)
        if passed and passed[-1] == end:
            passed.pop()
        kinds = [tuple(name in group for group in self.groups) for name in (start, *passed, end)]
        changes = sum(a != b for a, b in pairwise(kinds))
        return passed if changes > 1 else []


class Regression:
    """The conditions before an action under which forms are true after it.

    ``names`` are the objects that each parameter may be, and ``lasting`` gives the truth of atoms that no
    action changes. Where a robot stands at one place, ``at`` of any other is false.
    """

    def __init__(
        self,
        action: Action,
        names: Mapping[str, frozenset[str]],
        at: str,
        lasting: Callable[[GroundAtom], bool | None],
    ) -> None:
        self.action, self.names, self.at, self.lasting = action, names, at, lasting
        stands = [a.args[0] for a in (*action.add, *action.precondition) if a.predicate == at]
        self.stands: Term | None = stands[0] if stands else None
        self.given = frozenset(a for a in action.precondition if is_ground_atom(a))

    def touches(self, atom: GroundAtom) -> bool:
        """Return whether the action can change an atom."""
        return any(self._same(effect, atom) is not None for effect in (*self.action.add, *self.action.delete))

    def cases(self, form: Formula, positive: bool = True) -> list[ActionCase]:
        """Return the cases in which a form is true, or false, after the action. Raises `TooManyCases`."""
        match form:
            case Not(part):
                return self.cases(part, not positive)
            case And(parts) | Or(parts):
                below = [self.cases(part, positive) for part in parts]
                if isinstance(form, And) == positive:
                    return self.all_of(below)
                return self.united(chain.from_iterable(below))
            case Cardinality(_, number, parts) if positive:
                if math.comb(len(parts), number) > MAX_CASES:
                    raise TooManyCases
                return self.cases(Or(tuple(And(some) for some in combinations(parts, number))))
            case Cardinality():
                return self.cases(negation(form))
        assert isinstance(form, Atom), form
        return self._literal(as_ground(form), positive)

    def all_of(self, parts: Iterable[Sequence[ActionCase]]) -> list[ActionCase]:
        """Return the cases of a conjunction."""
        whole = [ActionCase()]
        for cases in parts:
            joined = (a.joined(b) for a in whole for b in cases)
            whole = self.united(case for case in joined if case is not None)
        return whole

    def united(self, cases: Iterable[ActionCase]) -> list[ActionCase]:
        """Return the cases of a disjunction: no two differ in one parameter, none is in another."""
        kept = list(dict.fromkeys(cases))
        for parameter, every in self.names.items():
            groups: dict[ActionCase, frozenset[str]] = {}
            for case in kept:
                names = dict(case.among).get(parameter, every)
                rest = ActionCase(
                    case.literals, frozenset(pair for pair in case.among if pair[0] != parameter)
                )
                groups[rest] = groups.get(rest, frozenset()) | names
            kept = [
                rest if names == every else ActionCase(rest.literals, rest.among | {(parameter, names)})
                for rest, names in groups.items()
            ]
        _limited(kept)
        return [c for c in kept if not any(other is not c and other.contains(c) for other in kept)]

    def _literal(self, atom: GroundAtom, positive: bool) -> list[ActionCase]:
        if atom.predicate == self.at and self.stands is not None:
            here = self.is_object(self.stands, atom.args[0])
            return here if positive else self.denied(here)
        added = self._some(self.action.add, atom)
        deleted = self._some(self.action.delete, atom)
        now = [ActionCase(frozenset({(atom, positive)}))]
        truth = True if atom in self.given else self.lasting(atom)
        if truth is not None:
            now = [ActionCase()] if truth == positive else []
        if positive:  # what is added is not deleted
            return self.united([*added, *self.all_of([now, self.denied(deleted)])])
        return self.all_of([self.denied(added), self.united([*now, *deleted])])

    def _some(self, effects: Iterable[Atom], atom: GroundAtom) -> list[ActionCase]:
        """Return the cases in which one of some effects is about an atom."""
        cases = (self._same(effect, atom) for effect in effects)
        return self.united(case for case in cases if case is not None)

    def _same(self, effect: Atom, atom: GroundAtom) -> ActionCase | None:
        """Return the case in which an effect is about an atom; ``None`` where it never is."""
        if effect.predicate != atom.predicate:
            return None
        whole: ActionCase | None = ActionCase()
        for term, name in zip(effect.args, atom.args, strict=True):
            one = self.is_object(term, name)
            whole = whole.joined(one[0]) if one and whole is not None else None
        return whole

    def is_object(self, term: Term, name: str) -> list[ActionCase]:
        """Return the case in which a term is an object; none where it is never that."""
        if not isinstance(term, Var):
            return [ActionCase()] if term == name else []
        if name not in self.names[term.name]:
            return []
        return [ActionCase(among=frozenset({(term.name, frozenset({name}))}))]

    def denied(self, cases: Iterable[ActionCase]) -> list[ActionCase]:
        """Return the cases in which none of some is true, which are about parameters alone."""
        return self.all_of(
            [
                ActionCase(among=frozenset({(parameter, others)}))
                for parameter, names in sorted(case.among, key=lambda pair: pair[0])
                if (others := self.names[parameter] - names)
            ]
            for case in cases
        )


def permitted(
    pattern: Atom, step: Atom, before: Regression, condition: Callable[[Mapping[str, str]], Formula]
) -> list[ActionCase]:
    """Return the cases in which an action is not a forbidden step. Raises :class:`TooManyCases`.

    ``step`` is what the action prints, over its parameters. ``condition`` gives the form under which it is
    forbidden, for what the variables of the pattern are; ``before`` is of an action that changes nothing.
    """
    if step.predicate != pattern.predicate or len(step.args) != len(pattern.args):
        return [ActionCase()]
    matching: list[tuple[dict[str, str], ActionCase]] = [({}, ActionCase())]
    for term, printed in zip(pattern.args, step.args, strict=True):
        names = before.names[printed.name] if isinstance(printed, Var) else {printed}
        options = sorted(names) if isinstance(term, Var) else [term]
        matching = [
            ({**binding, term.name: name} if isinstance(term, Var) else binding, joined)
            for binding, case in matching
            for name in options
            if not isinstance(term, Var) or binding.get(term.name, name) == name
            for one in before.is_object(printed, name)
            if (joined := case.joined(one)) is not None
        ]
        _limited(matching)
    allowed = before.denied(case for _, case in matching)
    for binding, case in matching:
        form = condition(binding)
        allowed += before.all_of([[case], before.cases(form, False)])
    return before.united(allowed)


def _limited(cases: Sequence[object]) -> None:
    if len(cases) > MAX_CASES:
        raise TooManyCases
