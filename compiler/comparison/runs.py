"""Runs that goals speak of, as a circuit: the state at the end, and one before it for each ``sometime``.

``(sometime φ)`` holds where φ holds at the start, at the end or in one of the states between. One for each φ
is enough: a run that keeps one state for each has the same truth. Facts that nothing takes away grow towards
the end. Quantifiers are expanded over the scene, a closed world; what is static is decided at once. Bindings
of a count of which one at most is true, as places of one thing, are one part. A new kind of formula needs a
case in :meth:`Runs.literal`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from ...domains.deadline import check_time
from ...domains.errors import GoalError, clip
from ...domains.evaluate import conjunctive, evaluate, parts
from ...domains.formula import (
    And,
    Atom,
    Cardinality,
    Count,
    Equal,
    Formula,
    GroundAtom,
    Not,
    Or,
    Sometime,
    Term,
    TrajectoryConstraint,
    Var,
    is_ground_atom,
    substitute,
    walk,
)
from ...domains.mapping import ROOM
from ...simulator.world import World
from .circuit import FALSE, TRUE, Gates, Literal
from .laws import Laws
from .solver import Constraints, Solver, Undecided
from .states import EncodedState

MAX_PARTS = 200_000
"""Most parts that expanding the goals of one comparison may create."""
MAX_SOMETIME = 8
"""Most different bodies of ``sometime``."""

Bound = Mapping[str, str]
Exclusive = Mapping[object, frozenset[GroundAtom]]
"""By group, facts of it of which one is true wherever a literal is."""


@dataclass(frozen=True)
class _Static:
    """A state in which only what never changes is known, for the guards of quantifiers."""

    laws: Laws

    def holds(self, predicate: str, args: tuple[str, ...]) -> bool | None:
        belief = self.laws.belief
        if predicate in belief.pack.mapping.derived:
            return None
        if predicate in belief.pack.domain.predicates:
            return self.laws.value(Atom(predicate, args))
        return belief.classified(predicate, args)

    def happened(self, literal: Formula) -> bool | None:
        return None

    def members(self, type_or_class: str) -> tuple[str, ...]:
        return tuple(self.laws.belief.members(type_or_class))

    def rivals(self, predicate: str, args: tuple[str, ...]) -> None:
        return None


class Runs:
    """The circuit of some goals over the runs of one scene; atoms of a predicate ``opaque`` are free."""

    def __init__(self, laws: Laws, opaque: str = "", whole: bool = False) -> None:
        self.laws, self.opaque, self.whole = laws, opaque, whole
        self.circuit = Gates()
        self.end = EncodedState(laws, self.circuit, whole)
        self.between: dict[Formula, EncodedState] = {}
        """By body of a ``sometime``, the state in which it may hold."""
        self._sometimes: dict[Formula, Literal] = {}
        self._opaque: dict[GroundAtom, Literal] = {}
        self._static = _Static(laws)
        self._start = World(laws.belief)
        self._rests: dict[Literal, Exclusive] = {}
        self._parts = 0

    @property
    def size(self) -> int:
        """The number of facts and derived facts, which grows where a new goal reaches more."""
        free = len(self._opaque) + len(self._sometimes)
        return free + sum(moment.size for moment in self.moments)

    @property
    def free(self) -> list[Literal]:
        """Variables for places through something that is not followed: no state of the scene has one."""
        return [literal for moment in self.moments for literal in moment.free]

    @property
    def moments(self) -> list[EncodedState]:
        return [*self.between.values(), self.end]

    # Formulas

    def literal(self, formula: Formula) -> Literal:
        """Return the literal of a goal without free variables.

        Raises :class:`Undecided` for what no law covers or is too large, :class:`GoalError` for a
        ``sometime`` in another.
        """
        return self._of(formula, self.end, {})

    def _of(self, formula: Formula, moment: EncodedState, bound: Bound) -> Literal:
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise Undecided(f"the goals expand to more than {MAX_PARTS} parts")
        match formula:
            case Atom(predicate, args):
                return self._atom(moment, predicate, tuple(_name(a, bound) for a in args))
            case Equal(left, right):
                return TRUE if _name(left, bound) == _name(right, bound) else FALSE
            case Not(part):
                return -self._of(part, moment, bound)
            case Sometime(body):
                ground: dict[str, Term] = dict(bound)
                return self._sometime(substitute(body, ground))
            case TrajectoryConstraint(kind):
                raise Undecided(f"{kind} is about the run between its states, which is not compared")
            case Count(kind, number, _, _) | Cardinality(kind, number, _):
                each = [self._of(p, moment, b) for p, _, b in parts(formula, True, self._static, bound)]
                return self._count(kind, number, each)
        both = conjunctive(formula, True)
        literals: dict[Literal, None] = {}
        for part, sign, b in parts(formula, True, self._static, bound):
            check_time("comparing goals")
            literal = self._of(part, moment, b)
            literal = literal if sign else -literal
            if literal == (FALSE if both else TRUE) or -literal in literals:
                return FALSE if both else TRUE
            literals[literal] = None
        return self._conjunction(list(literals)) if both else self._disjunction(list(literals))

    def _atom(self, moment: EncodedState, predicate: str, args: tuple[str, ...]) -> Literal:
        if self.opaque and predicate == self.opaque:
            return self._opaque.setdefault(Atom(predicate, args), self.circuit.variable())
        literal = moment.holds(predicate, args)
        if literal > TRUE and literal not in self._rests:
            keys: dict[object, frozenset[GroundAtom]] = {}
            atom = Atom(predicate, args)
            if self.laws.pack.mapping.derived.get(predicate) == ROOM:
                keys[ROOM, args[0]] = frozenset((atom,))
            for group in self.laws.groups_of(predicate) if predicate in self.laws.pack.fluents else ():
                keys[group, group.subject(atom)] = frozenset((atom,))
            self._rests[literal] = keys
        return literal

    def _conjunction(self, literals: list[Literal]) -> Literal:
        gate = self.circuit.conjunction(literals)
        if gate > TRUE and gate not in self._rests:
            keys: dict[object, frozenset[GroundAtom]] = {}
            for literal in literals:
                for key, atoms in self._rests.get(literal, {}).items():
                    if key not in keys or len(atoms) < len(keys[key]):
                        keys[key] = atoms
            self._rests[gate] = keys
        return gate

    def _disjunction(self, literals: list[Literal]) -> Literal:
        gate = self.circuit.disjunction(literals)
        if gate > TRUE and gate not in self._rests and len(literals) > 1:
            first, *others = (self._rests.get(literal, {}) for literal in literals if literal != FALSE)
            shared = [key for key in first if all(key in other for other in others)]
            self._rests[gate] = {key: first[key].union(*(o[key] for o in others)) for key in shared}
        return gate

    def _count(self, kind: str, number: int, literals: list[Literal]) -> Literal:
        literals = self._merged(literals)
        least = self.circuit.at_least(number, literals)
        most = -self.circuit.at_least(number + 1, literals)
        if kind == "exactly":
            return self.circuit.conjunction((least, most))
        return least if kind == "at-least" else most

    def _merged(self, literals: list[Literal]) -> list[Literal]:
        """Return as many true literals, with those of which one at most is true as one."""
        merged: list[Literal] = []
        columns: dict[object, list[tuple[list[Literal], set[GroundAtom]]]] = {}
        often = Counter(key for literal in literals for key in self._rests.get(literal, {}))
        for literal in literals:
            rests = self._rests.get(literal, {})
            if not rests:
                merged.append(literal)
                continue
            key, atoms = max(rests.items(), key=lambda item: often[item[0]])
            rows = columns.setdefault(key, [])
            row = next((r for r in rows if r[1].isdisjoint(atoms)), None)
            if row is None:
                rows.append(([literal], set(atoms)))
            else:
                row[0].append(literal)
                row[1].update(atoms)
        for rows in columns.values():
            merged += (self._disjunction(some) for some, _ in rows)
        return merged

    # Runs

    def _sometime(self, body: Formula) -> Literal:
        if any(isinstance(node, Sometime) for node in walk(body)):
            raise GoalError("goal", "sometime over a literal", clip(str(body)), "say each of them for itself")
        if evaluate(body, self._start):
            return TRUE
        if self._lasts(body):
            return self._of(body, self.end, {})
        literal = self._sometimes.get(body)
        if literal is None:
            if len(self._sometimes) == MAX_SOMETIME:
                raise Undecided(f"more than {MAX_SOMETIME} conditions that are to have held at some time")
            literal = self._sometimes[body] = self.circuit.variable()
            self.circuit.define(literal, ())
            self.between[body] = EncodedState(self.laws, self.circuit, self.whole)
        return literal

    def _lasts(self, body: Formula) -> bool:
        """Return whether a body stays true once it is: it is made of facts that nothing takes away."""
        if isinstance(body, And | Or):
            return all(map(self._lasts, body.parts))
        derived = self.laws.pack.mapping.derived
        return is_ground_atom(body) and body.predicate not in derived and self.laws.grows(body.predicate)

    def solver(self) -> Solver:
        """Return a solver of all that was asked for so far, and of what the laws tie it to."""
        moments = self.moments
        for body, literal in self._sometimes.items():
            self.circuit.define(literal, [self._of(body, moment, {}) for moment in moments])
        constraints = Constraints()
        before = -1
        while (size := sum(len(moment.facts) for moment in moments)) > before:
            before = size
            for moment in moments:
                moment.close()
            for atom in self._growing() if len(moments) > 1 else ():
                for moment in moments:
                    moment.fact(atom.predicate, atom.args)
        places: dict[object, int] = {}
        for moment in moments:
            moment.constrain(constraints, places)
        for atom in self._growing():
            last = self.end.facts.get(atom)
            for moment in self.between.values() if last is not None else ():
                constraints.clauses.append((-moment.facts[atom], last or TRUE))
        variables = [*self._opaque.values(), *(v for moment in moments for v in moment.variables())]
        solver = Solver(self.circuit, constraints, variables)
        solver.minimise([
            -literal if self.laws.belief.facts.holds(atom.predicate, atom.args) else literal
            for moment in moments for atom, literal in moment.facts.items()
        ])  # fmt: skip
        return solver

    def _growing(self) -> list[GroundAtom]:
        """Return the facts of all moments that nothing takes away."""
        atoms = dict.fromkeys(atom for moment in self.moments for atom in moment.facts)
        return [atom for atom in atoms if self.laws.grows(atom.predicate)]


def _name(term: Term, bound: Bound) -> str:
    return bound[term.name] if isinstance(term, Var) else term
