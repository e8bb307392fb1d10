"""Runs that goals speak of, as a circuit: the start, states between in their order, and the state at the end.

What a goal asks of the run is decided over all of them. A few states between are enough (:data:`WITNESSES`):
a run that keeps just those that a goal's constraints rest on makes the goal true as well. Facts that nothing
takes away grow from each state to the next. A step may be done in any state between. Quantifiers are expanded
over the scene, a closed world; what is static is decided at once. Bindings of a count of which one at most is
true, as places of one thing, are one part. A new kind of formula needs a case in :meth:`Runs.literal`, one of
constraint also in :func:`over_states` and :data:`WITNESSES`.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...domains.deadline import check_time
from ...domains.errors import GoalError, clip
from ...domains.evaluate import OpenState, conjunctive, parts
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
    children,
    free_variables,
    is_ground_atom,
    named,
    substitute,
    walk,
)
from ...domains.mapping import ROOM
from ...simulator.trajectory import Kind, kind_of
from ...simulator.world import World
from .circuit import FALSE, TRUE, Gates, Literal
from .laws import Laws
from .solver import Constraints, Solver, Undecided
from .states import EncodedState

MAX_PARTS = 200_000
"""Most parts that expanding the goals of one comparison may create."""
MAX_BETWEEN = 8
"""Most states between the start and the end."""
WITNESSES: Mapping[Kind, tuple[int, int]] = {
    "always": (0, 1),
    "sometime": (1, 0),
    "at-most-once": (0, 3),  # false: the body holds, does not, and holds again
    "sometime-after": (1, 1),  # true: the last state with the second part
    "sometime-before": (1, 1),  # true: the first state with the second part
    "never-do": (0, 1),
}
"""States that keep a constraint true, and false, whichever others of a run are left out."""

Bound = Mapping[str, str]
Exclusive = Mapping[object, frozenset[GroundAtom]]
"""By group, facts of it of which one is true wherever a literal is."""


@dataclass(frozen=True)
class Start:
    """The first state of all runs, of which all is known."""

    world: World
    steps: None = None

    def holds(self, predicate: str, args: tuple[str, ...]) -> Literal:
        return TRUE if self.world.holds(predicate, args) else FALSE


@dataclass(frozen=True)
class _Static(OpenState):
    """A state in which only what never changes is known, for the guards of quantifiers."""

    laws: Laws

    def holds(self, predicate: str, args: tuple[str, ...]) -> bool | None:
        belief = self.laws.belief
        if predicate in belief.pack.mapping.derived:
            return None
        if predicate in belief.pack.domain.predicates:
            return self.laws.value(Atom(predicate, args))
        return belief.classified(predicate, args)

    def members(self, type_or_class: str) -> tuple[str, ...]:
        return tuple(self.laws.belief.members(type_or_class))


Moment = Start | EncodedState
"""A state of a run."""


class Runs:
    """The circuit of some goals over the runs of one scene; atoms of a predicate ``opaque`` are free."""

    def __init__(self, laws: Laws, opaque: str = "", whole: bool = False) -> None:
        self.laws, self.opaque, self.whole = laws, opaque, whole
        self.circuit = Gates()
        self.end = EncodedState(laws, self.circuit, whole)
        self.between: list[EncodedState] = []
        self._demands: dict[Formula, Literal] = {}
        """What is asked of the run, with variables that are defined over its states."""
        self._opaque: dict[GroundAtom, Literal] = {}
        self._static = _Static(laws)
        self._start = Start(World(laws.belief))
        self._rests: dict[Literal, Exclusive] = {}
        self._parts = 0

    @property
    def size(self) -> int:
        """The number of facts and derived facts, which grows where a new goal reaches more."""
        free = len(self._opaque) + len(self._demands) + len(self.between)
        return free + sum(moment.size for moment in self.moments)

    @property
    def free(self) -> list[Literal]:
        """Variables for places through something that is not followed: no state of the scene has one."""
        return [literal for moment in self.moments for literal in moment.free]

    @property
    def moments(self) -> list[EncodedState]:
        return [*self.between, self.end]

    # Formulas

    def literal(self, formula: Formula) -> Literal:
        """Return the literal of a goal without free variables.

        Raises :class:`Undecided` for what no law covers or is too large, :class:`GoalError` for a
        constraint in another.
        """
        return self._of(formula, self.end, {})

    def _of(self, formula: Formula, moment: Moment, bound: Bound) -> Literal:
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise Undecided(f"the goals expand to more than {MAX_PARTS} parts")
        match formula:
            case Atom(predicate, args):
                return self._atom(moment, predicate, tuple(named(a, bound) for a in args))
            case Equal(left, right):
                return TRUE if named(left, bound) == named(right, bound) else FALSE
            case Not(part):
                return -self._of(part, moment, bound)
            case Sometime() | TrajectoryConstraint():
                ground: dict[str, Term] = dict(bound)
                return self._demand(formula, ground)
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

    def _atom(self, moment: Moment, predicate: str, args: tuple[str, ...]) -> Literal:
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

    def _demand(self, formula: Formula, bound: Mapping[str, Term]) -> Literal:
        """Return the literal of a constraint or a ``sometime``."""
        demand = substitute(formula, bound)
        assert isinstance(demand, Sometime | TrajectoryConstraint)
        inner = (node for part in children(demand) for node in walk(part))
        if any(isinstance(node, Sometime | TrajectoryConstraint) for node in inner):
            expected = f"{kind_of(demand)} over states"
            raise GoalError("goal", expected, clip(str(demand)), "say each of them for itself")
        if isinstance(demand, TrajectoryConstraint) and demand.kind == "always":
            return -self._demand(Sometime(Not(demand.parts[0])), {})
        if isinstance(demand, Sometime) and self._lasts(demand.body):
            return self._of(demand.body, self.end, {})
        if self._decided_at_start(demand):
            return TRUE if isinstance(demand, Sometime) else FALSE
        literal = self._demands.get(demand)
        if literal is None:
            literal = self._demands[demand] = self.circuit.variable()
            self.circuit.define(literal, ())
        return literal

    def _decided_at_start(self, demand: Sometime | TrajectoryConstraint) -> bool:
        """Return whether the first state makes a ``sometime`` true, or breaks a constraint."""
        first = self._of(demand.body, self._start, {}) if isinstance(demand, Sometime) else FALSE
        if isinstance(demand, TrajectoryConstraint) and demand.kind == "sometime-before":
            first = self._of(demand.parts[0], self._start, {})
        return first == TRUE

    def _over_run(self, demand: Formula) -> Literal:
        """Return the literal of a constraint over all states of the run."""
        moments: list[Moment] = [self._start, *self.moments]
        if isinstance(demand, TrajectoryConstraint) and demand.kind == "never-do":
            done = [self._forbidden(demand, moment) for moment in self.between]
            return -self.circuit.disjunction(done)
        parts = [[self._of(part, moment, {}) for moment in moments] for part in children(demand)]
        return over_states(kind_of(demand), parts, self.circuit)

    def _forbidden(self, prohibition: TrajectoryConstraint, moment: EncodedState) -> Literal:
        """Return the literal of a forbidden step being done in a state between."""
        step, condition = prohibition.parts
        assert isinstance(step, Atom)
        names = list(dict.fromkeys(a.name for a in step.args if isinstance(a, Var)))
        bound = sorted(free_variables(condition).intersection(names))
        ways = []
        for values in itertools.product(self.laws.belief.scene.nodes, repeat=len(bound)):
            binding: dict[str, Term] = dict(zip(bound, values, strict=True))
            allowed = self._of(substitute(condition, binding), moment, {})
            if allowed != FALSE:
                pattern = substitute(step, binding)
                assert isinstance(pattern, Atom)
                ways.append(self.circuit.conjunction((moment.step(pattern), allowed)))
        return self.circuit.disjunction(ways)

    def reserve(self, goals: Mapping[Formula, bool]) -> None:
        """Make as many states between as goals need for their values. Raises :class:`Undecided`."""
        needed: dict[object, int] = {}
        for goal, value in goals.items():
            needed |= self._witnesses(goal, value, {})
        if sum(needed.values()) > MAX_BETWEEN:
            raise Undecided(f"what is asked of the run may take more than {MAX_BETWEEN} states between")
        while len(self.between) < sum(needed.values()):
            self.between.append(EncodedState(self.laws, self.circuit, self.whole, steps={}))

    def _witnesses(self, formula: Formula, value: bool, bound: Bound) -> dict[object, int]:
        """Return how many states each constraint needs for a formula to keep a value."""
        check_time("comparing goals")
        match formula:
            case Sometime() | TrajectoryConstraint():
                ground: dict[str, Term] = dict(bound)
                number = WITNESSES[kind_of(formula)][not value]
                return {(substitute(formula, ground), value): number} if number else {}
            case _ if not any(isinstance(n, Sometime | TrajectoryConstraint) for n in walk(formula)):
                return {}
            case Count() | Cardinality():
                each = parts(formula, True, self._static, bound)
                signs = [self._witnesses(p, sign, b) for p, _, b in each for sign in (True, False)]
                return {key: number for one in signs for key, number in one.items()}
        ways = [self._witnesses(p, sign, b) for p, sign, b in parts(formula, value, self._static, bound)]
        if conjunctive(formula, value):
            return {key: number for one in ways for key, number in one.items()}
        # Which one is true is not known, and another conjunct may need the same states as the largest.
        number = max((sum(one.values()) for one in ways), default=0)
        return {(substitute(formula, dict(bound)), value): number} if number else {}

    def _lasts(self, body: Formula) -> bool:
        """Return whether a body stays true once it is: it is made of facts that nothing takes away."""
        if isinstance(body, And | Or):
            return all(map(self._lasts, body.parts))
        derived = self.laws.pack.mapping.derived
        return is_ground_atom(body) and body.predicate not in derived and self.laws.grows(body.predicate)

    def solver(self) -> Solver:
        """Return a solver of all that was asked for so far, and of what the laws tie it to."""
        moments = self.moments
        for demand, literal in self._demands.items():
            self.circuit.define(literal, [self._over_run(demand)])
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
        for atom in self._growing() if len(moments) > 1 else ():
            for moment, later in itertools.pairwise(moments):
                constraints.clauses.append((-moment.facts[atom], later.facts[atom]))
        variables = [*self._opaque.values(), *(v for moment in moments for v in moment.variables())]
        solver = Solver(self.circuit, constraints, variables)
        solver.minimise([
            -literal if self.laws.belief.facts.holds(atom.predicate, atom.args) else literal
            for moment in moments for atom, literal in moment.facts.items()
        ] + [literal for moment in self.between for literal in (moment.steps or {}).values()])  # fmt: skip
        return solver

    def _growing(self) -> list[GroundAtom]:
        """Return the facts of all moments that nothing takes away."""
        atoms = dict.fromkeys(atom for moment in self.moments for atom in moment.facts)
        return [atom for atom in atoms if self.laws.grows(atom.predicate)]


def over_states(kind: Kind, parts: Sequence[Sequence[Literal]], circuit: Gates) -> Literal:
    """Return the literal of a constraint by those of its parts in each state of a run."""
    both, either = circuit.conjunction, circuit.disjunction
    first, second = parts[0], parts[-1]
    if kind == "sometime":
        return either(first)
    broken = held = over = FALSE
    for one, other in zip(first, second, strict=True):
        if kind == "at-most-once":
            broken = either((broken, both((over, one))))
            over = either((over, both((held, -one))))
            held = either((held, one))
        elif kind == "sometime-before":
            broken = either((broken, both((one, -held))))
            held = either((held, other))
        else:  # sometime-after: broken as long as it is due
            broken = both((either((broken, one)), -other))
    return -broken
