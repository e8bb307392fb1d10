"""The goal of a problem as positive facts, with the predicates, actions and facts that it adds for that.

- a negated fact becomes a complementary predicate ``not-p``, kept up by every action that changes ``p``;
- ``sometime`` over a literal becomes a free action that notes it;
- a derived literal (``in_room`` where a crate could carry the thing) becomes marks, see ``placement``;
- disjunctions and cardinality constraints become an *end phase*: a free action ends acting, after which only
  goal actions apply, one per disjunct, and counters that walk over the parts without ever deleting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..domains.action import Action
from ..domains.deadline import check_size
from ..domains.errors import GroundplanError
from ..domains.formula import (
    And,
    Atom,
    Cardinality,
    Formula,
    GroundAtom,
    Not,
    Or,
    Sometime,
    TrajectoryConstraint,
    TypedVar,
    as_ground,
    conjuncts,
)
from ..simulator.belief import Belief
from .forms import literals
from .placement import goal_atom, marks
from .relevance import Closure

# Names of what a problem adds have brackets, as no name of a pack can; their symbols are the words between.
ACTING, ENDED, END_ACTING = "(acting)", "(ended)", "(end-acting)"
WORK = "writing the problem"


class Unsupported(GroundplanError):
    """Error for a goal that no engine supports, with the reason."""


def complement_of(predicate: str) -> str:
    """Return the name of the predicate that holds where another does not."""
    return f"(not-{predicate})"


def objects_of(closure: Closure, belief: Belief) -> tuple[tuple[str, str], ...]:
    """Return the names of a closure with their types, sorted."""
    nodes, types = belief.scene.nodes, belief.pack.mapping.types
    return tuple(sorted((n, types[nodes[n].type]) for n in closure.names if nodes[n].type in types))


class GoalConditions:
    """The additions to a problem over its closure for a goal in normal form."""

    def __init__(self, belief: Belief, closure: Closure, one_by_one: bool) -> None:
        self.belief, self.closure, self.domain = belief, closure, belief.pack.domain
        self.derived = belief.pack.mapping.derived
        # Disjunctions and counts of one conjunction are then shown one after the other: all of them have to
        # be, and a search that proves costs would go through all orders, since showing costs nothing.
        self.one_by_one = one_by_one
        self._shown_before: GroundAtom | None = None
        self._marks_at_end = False
        self.actions: list[Action] = []
        self.predicates: dict[str, tuple[TypedVar, ...]] = {}
        self.init: list[GroundAtom] = []
        self.constants: set[str] = set()
        """Objects that actions name."""
        self.negated: set[str] = set()
        """Predicates with a complement."""
        self.constraints: list[TrajectoryConstraint] = []
        """The goal's constraints on the run, which are not compiled here."""

    def condition(self, node: Formula) -> tuple[GroundAtom, ...]:
        """Return equivalent positive atoms, adding the predicates and actions that they need."""
        atoms: dict[GroundAtom, None] = {}
        for part in conjuncts(node):
            match part:
                case Atom(predicate, _) | Not(Atom(predicate, _)) if predicate in self.derived:
                    atoms[self._marked(part)] = None
                case Atom():
                    atoms[as_ground(part)] = None
                case Not(Atom() as atom):
                    atoms[self.complement(as_ground(atom))] = None
                case Sometime(body):
                    atoms[self._noted(body)] = None
                case Or(parts) | Cardinality(_, _, parts):
                    fact = self._shown(parts) if isinstance(part, Or) else self._counted(part.number, parts)
                    atoms[fact] = None
                    if self.one_by_one:  # what is shown next waits for it
                        self._shown_before = fact
                case And():
                    atoms |= dict.fromkeys(self.condition(part))
                case TrajectoryConstraint():
                    self.constraints.append(part)
                case _:
                    raise Unsupported(f"not in normal form: {part}")
        return tuple(atoms)

    def _marked(self, literal: Formula) -> GroundAtom:
        """Return the mark of the end phase that stands for a derived literal."""
        self._end()
        self._marks_at_end = True
        atom, positive = next(literals(literal))
        return goal_atom(atom, positive, self.belief)

    def add_marks(self, kept: set[str]) -> None:
        """Add what makes the marks of the derived literals that must hold in the end."""
        if self._marks_at_end:
            added = marks(self.closure.followed, self.belief, sorted(kept), Atom(ENDED))
            self.predicates |= added.predicates
            self.actions += added.actions
            self.init += added.init

    def complement(self, atom: GroundAtom) -> GroundAtom:
        name = complement_of(atom.predicate)
        self.negated.add(atom.predicate)
        self.predicates[name] = self.domain.predicates[atom.predicate].parameters
        return Atom(name, atom.args)

    def _free_action(self, name: str, precondition: tuple[GroundAtom, ...], add: GroundAtom) -> None:
        self.predicates.setdefault(add.predicate, ())
        for atom in precondition:
            self.constants.update(atom.args)
        self.actions.append(Action(name, (), precondition, (add,), (), 0))

    def _noted(self, literal: Formula) -> GroundAtom:
        """Return a fact that a free action adds while a literal holds.

        Where derived literals are in it, acting pauses: once, since the marks of a moment stay.
        """
        if any(a.predicate in self.derived for a, _ in literals(literal)):
            return self._noted_in_pause(literal)
        fact: GroundAtom = Atom(f"(seen-{len(self.actions)})")
        needed = self.condition(literal)
        self._free_action(f"(note-{len(self.actions)})", needed, fact)
        return fact

    def _noted_in_pause(self, literal: Formula) -> GroundAtom:
        """Return a fact that is added in a pause of acting, in which the places of things are marked."""
        self._end()
        phase = f" {len(self.actions)}"
        marks_of_phase: list[GroundAtom] = [Atom(n) for n in (ACTING, f"(fresh{phase})", f"(paused{phase})")]
        acting, fresh, paused = marks_of_phase
        seen: GroundAtom = Atom(f"(seen{phase})")
        self.predicates |= {a.predicate: () for a in (fresh, paused, seen)}
        self.init.append(fresh)
        kept = sorted(name for name, _ in objects_of(self.closure, self.belief))
        added = marks(self.closure.followed, self.belief, kept, paused, phase)
        self.predicates |= added.predicates
        self.init += added.init
        needed = tuple(
            goal_atom(a, positive, self.belief, phase)
            if a.predicate in self.derived
            else (a if positive else self.complement(a))
            for a, positive in literals(literal)
        )
        self.actions += (
            Action(f"(pause{phase})", (), (acting, fresh), (paused,), (acting, fresh), 0),
            *added.actions,
            Action(f"(resume{phase})", (), (paused,), (acting,), (paused,), 0),
        )
        self._free_action(f"(note{phase})", (paused, *needed), seen)
        return seen

    def _branch_conditions(self, parts: Sequence[Formula]) -> list[tuple[GroundAtom, ...]]:
        """Return the conditions of parts of which not all have to hold: none waits for another."""
        before = self._shown_before
        conditions = []
        for part in parts:
            self._shown_before = before
            conditions.append(self.condition(part))
        self._shown_before = before
        return conditions

    def _end(self) -> GroundAtom:
        """Return the fact of the end phase that showing waits for, and add the action that begins it."""
        if ACTING not in self.predicates:
            self.predicates |= {ACTING: (), ENDED: ()}
            self.init.append(Atom(ACTING))
            ending = Action(END_ACTING, (), (Atom(ACTING),), (Atom(ENDED),), (Atom(ACTING),), 0)
            self.actions.append(ending)
        return self._shown_before or Atom(ENDED)

    def _shown(self, parts: tuple[Formula, ...]) -> GroundAtom:
        """Return a fact of the end phase that holds if one of the disjuncts does."""
        ended = self._end()
        conditions = self._branch_conditions(parts)
        fact: GroundAtom = Atom(f"(shown-{len(self.actions)})")
        self.predicates[fact.predicate] = ()  # also for an empty disjunction, which no action shows
        for condition in conditions:
            self._free_action(f"(show-{len(self.actions)})", (ended, *condition), fact)
        return fact

    def _counted(self, number: int, parts: tuple[Formula, ...]) -> GroundAtom:
        """Return a fact of the end phase that holds if ``number`` of the parts do.

        Counters walk over the parts: ``count-k-j-c`` holds if c of the first j parts do.
        """
        ended = self._end()
        conditions = self._branch_conditions(parts)
        key = f"count-{len(self.actions)}"

        def fact(index: int, true: int) -> GroundAtom:
            return Atom(f"({key}-{index}-{true})")

        start = fact(0, 0)
        self.predicates[start.predicate] = ()
        self.init.append(start)
        for index, condition in enumerate(conditions):
            for true in range(min(index, number) + 1):
                if number - true > len(parts) - index:
                    continue
                here = fact(index, true)
                self.predicates.setdefault(here.predicate, ())
                if true < number:
                    action = f"(hit-{len(self.actions)})"
                    self._free_action(action, (ended, here, *condition), fact(index + 1, true + 1))
                self._free_action(f"(skip-{len(self.actions)})", (ended, here), fact(index + 1, true))
        return fact(len(parts), number)

    def complemented(self, action: Action) -> Action:
        """Return the action with the complement of every negated predicate kept up."""
        add, delete = list(action.add), list(action.delete)
        for atom in action.add:
            if atom.predicate in self.negated:
                delete.append(Atom(complement_of(atom.predicate), atom.args))
        for atom in action.delete:
            if atom.predicate in self.negated and atom not in action.add:
                add.append(Atom(complement_of(atom.predicate), atom.args))
        return replace(action, add=tuple(add), delete=tuple(delete))

    def complements(self, init: list[GroundAtom], objects: tuple[tuple[str, str], ...]) -> list[GroundAtom]:
        """Return the initial facts of the complementary predicates."""
        true = set(init)
        facts: list[GroundAtom] = []
        for predicate in sorted(self.negated):
            tuples: list[tuple[str, ...]] = [()]
            for parameter in self.domain.predicates[predicate].parameters:
                names = [n for n, t in objects if self.domain.is_a(t, parameter.type)]
                check_size("facts", len(facts) + len(tuples) * len(names), WORK)
                tuples = [(*t, n) for t in tuples for n in names]
            name = complement_of(predicate)
            facts += [Atom(name, t) for t in tuples if Atom(predicate, t) not in true]
        return facts
