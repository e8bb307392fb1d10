"""The next-best choices of what to bring about, as plain conjunctions.

:class:`Choices` solves the model of a goal again and again, each time without what was tried. Of the values
only the literals are kept that make the goal true, the fewest changes first; :attr:`Selection.lean` leaves
out that what does not move stays where it is, since plans for the rest rarely touch it. How literals are
picked may be changed: whoever plans for them asks the goal itself whether it was reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ...compiler.forms import holds_now, is_literal, literals
from ...domains.deadline import note_cut
from ...domains.formula import (
    And,
    Atom,
    Cardinality,
    Formula,
    GroundAtom,
    Not,
    Or,
    Sometime,
    as_ground,
    conjunction,
    is_ground_atom,
)
from ...engines.base import Budget
from ...simulator.belief import Belief
from ...simulator.facts import Facts
from ..optimization.cp_sat import optimize
from ..optimization.model import Optimum, SolutionStatus
from .encoding import Encoding
from .errands import Errand, Estimates, thinned

WORK, MORE_WORK = 0.35, 0.1
"""Deterministic seconds of CP-SAT for the first choice, and for each further one."""

MOST_WORK = 6.0
"""The most times the work for a goal of few literals that one of many gets."""

MANY_LITERALS = 3000
"""Number of literals of a goal beyond which only one place in a room is considered for a thing."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Literals that make a goal true together: all of them, and those that need to be planned for.

    ``answer`` is the solver's: its cost is an estimate in millimetres.
    """

    full: Formula
    lean: Formula
    errands: tuple[Errand, ...]
    answer: Optimum


@dataclass
class Choices:
    """The choices that a goal in normal form leaves, the one with the least estimated cost first."""

    goal: Formula
    belief: Belief
    facts: Facts
    budget: Callable[[], Budget]
    status: SolutionStatus | None = None
    """The solver's last word."""
    reproducible: bool = True
    """False once a clock or a crash decided."""
    failure: str = ""
    """The reason for which the solver did not run, where no clock stopped it."""
    encoding: Encoding = field(init=False)
    _ruled_out: list[Formula] = field(default_factory=list)
    _left_out: list[tuple[Errand, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        size = sum(1 for _ in literals(self.goal))
        if size > MANY_LITERALS:
            self.goal = thinned(self.goal, Estimates(self.belief, self.facts))
        self._work = WORK * min(MOST_WORK, max(1.0, size / MANY_LITERALS))
        self._encode(in_turn=True)

    def following(self) -> Selection | None:
        """Return the next-best choice, ``None`` when the solver has none.

        After a search for the best tour that was cut off, each errand is driven there and back: that is
        easier to search.
        """
        if self.status in (SolutionStatus.FEASIBLE, SolutionStatus.UNKNOWN) and self.encoding.model.circuits:
            self._encode(in_turn=False)
        answer = self._solved(self._work if self.status is None else MORE_WORK)
        while answer.values and (ring := self._ring(answer)):
            self.rule_out(And(tuple(ring)))
            answer = self._solved(MORE_WORK)
        self.status = answer.status
        if answer.status is SolutionStatus.UNKNOWN and self.encoding.model.circuits and not self.failure:
            return self.following()
        return self._selection(answer) if answer.values else None

    def _encode(self, in_turn: bool) -> None:
        self.encoding = Encoding(self.goal, Estimates(self.belief, self.facts), in_turn)
        for part in self._ruled_out:
            self.encoding.rule_out(part)
        for errands in self._left_out:
            self.encoding.leave_out(errands)

    def _solved(self, work: float) -> Optimum:
        answer = optimize(self.encoding.model, self.budget(), work)
        self.failure = answer.failure
        self.reproducible = self.reproducible and answer.reproducible
        if not answer.reproducible and not answer.failure:
            note_cut("choosing what to bring about")
        return answer

    def _selection(self, answer: Optimum) -> Selection:
        """Read the literals of a choice off the values of its model."""
        encoding = self.encoding
        picked = [*dict.fromkeys(_Support(encoding, answer).of(self.goal))]
        placed = {a.args[0]: a for a in self._places(answer)}
        moved = {name for name, atom in placed.items() if not encoding.estimates.holds(atom)}
        settled = [part for literal in picked for part in self._settled(literal, placed)]
        named = {a.args[0] for a in settled if is_ground_atom(a) and encoding.estimates.is_place(a)}
        kept = [p for p in dict.fromkeys(settled) if not self._implied(p, named)]
        lean = [p for p in kept if not self._stays(p, moved)]
        errands = tuple(e for e, v in encoding.errands.items() if answer.true(v))
        return Selection(conjunction(kept), conjunction(lean), errands, answer)

    def leave_out(self, selection: Selection) -> None:
        """Rule out the errands of a choice, all of them together."""
        self._left_out.append(selection.errands)
        self.encoding.leave_out(selection.errands)

    def rule_out(self, part: Formula) -> bool:
        """Rule out literals that do not go together; return whether the model knows them all."""
        self._ruled_out.append(part)
        return self.encoding.rule_out(part)

    def _ring(self, answer: Optimum) -> list[GroundAtom]:
        """Facts by which things would be in or on each other in a ring; empty where there is none."""
        above = {a.args[0]: a for a in self._places(answer) if len(a.args) == 2}
        for start in above:
            here, chain = start, list[GroundAtom]()
            while here in above and above[here] not in chain:
                chain.append(above[here])
                here = chain[-1].args[1]
            if here in above:
                return chain[chain.index(above[here]) :]
        return []

    def _places(self, answer: Optimum) -> Iterable[GroundAtom]:
        facts = self.encoding.facts
        return (a for atoms in self.encoding.places.values() for a in atoms if answer.true(facts[a]))

    def _settled(self, literal: Formula, placed: dict[str, GroundAtom]) -> list[Formula]:
        """Say where a thing is to be instead of where it must not stay, and what the hand does."""
        estimates = self.encoding.estimates
        mapping = self.belief.pack.mapping
        atom, positive = next(literals(literal))
        if not is_literal(literal) or estimates.holds(atom) == positive:
            return [literal]
        if atom.predicate == mapping.robot_free.predicate and not positive:
            kept = [a for a in placed.values() if a.predicate == mapping.robot_held.predicate]
            return [*kept] or [literal]
        if atom.predicate == mapping.robot_free.predicate:
            held = (name for (name,) in self.facts.all(mapping.robot_held.predicate))
            return [literal, *(placed[name] for name in held if name in placed)]
        if not positive and estimates.is_place(atom) and atom.args[0] in placed:
            return [placed[atom.args[0]]]
        return [literal]

    def _implied(self, literal: Formula, named: set[str]) -> bool:
        """Return whether a literal says where a thing is not, and another one where it is."""
        if not isinstance(literal, Not) or not is_ground_atom(denied := literal.part):
            return False
        return self.encoding.estimates.is_place(denied) and denied.args[0] in named

    def _stays(self, literal: Formula, moved: set[str]) -> bool:
        """Return whether a literal says that something is, or is not, where nobody moves it.

        Where the robot must not be, it is not now, and it can drive away in the end.
        """
        estimates = self.encoding.estimates
        if not is_literal(literal) or not holds_now(literal, estimates.facts):
            return False
        atom, positive = next(literals(literal))
        if atom.predicate == self.belief.pack.at:
            return not positive
        return estimates.is_place(atom) and atom.args[0] not in moved


@dataclass
class _Support:
    """The literals of a goal that make it true under the values of its model."""

    encoding: Encoding
    answer: Optimum

    def true(self, node: Formula) -> bool:
        match node:
            case Atom():
                return self.answer.true(self.encoding.facts[as_ground(node)])
            case Not(part):
                return not self.true(part)
            case And(parts):
                return all(self.true(p) for p in parts)
            case Or(parts):
                return any(self.true(p) for p in parts)
            case Cardinality(_, number, parts):
                return sum(self.true(p) for p in parts) >= number
        return self.answer.true(self.encoding.parts[node])

    def of(self, node: Formula) -> list[Formula]:
        match node:
            case And(parts):
                return [literal for p in parts for literal in self.of(p)]
            case Or(parts):
                return self.best(parts, 1)
            case Cardinality(_, number, parts):
                return self.best(parts, number)
        return [node]

    def best(self, parts: tuple[Formula, ...], number: int) -> list[Formula]:
        """The literals of the true parts that change the least and, of equal ones, say the least."""
        true = (self.of(p) for p in parts if self.true(p))
        options = sorted(true, key=lambda option: (self.changes(option), len(option)))
        return [literal for option in options[:number] for literal in option]

    def changes(self, option: list[Formula]) -> int:
        facts = self.encoding.estimates.facts
        return sum(isinstance(p, Sometime) or not holds_now(p, facts) for p in option)
