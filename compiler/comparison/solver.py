"""Satisfiability of circuits under constraints, by clingo through its backend: no text of a program is made.

One solver answers many questions, each under assumptions. An answer that takes more conflicts than
:data:`LIMIT` is :class:`Undecided`; a limit of time would make answers depend on the machine. "There is no
such state" has no proof that could be rechecked, so tests compare it with enumeration. Another solver may
stand here if it keeps definitions as least fixed points and edges free of cycles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...domains.deadline import check_time
from .circuit import FALSE, TRUE, Gates, Literal

if TYPE_CHECKING:
    from clingo import Backend

LIMIT = 20_000
"""Most conflicts of one question, about a second."""


class Undecided(Exception):
    """A question about goals that is not decided; the text says why."""


@dataclass
class Constraints:
    """Conditions on every state: clauses, literals of which one at most is true, edges without a cycle."""

    clauses: list[tuple[Literal, ...]] = field(default_factory=list)
    exclusive: list[tuple[Literal, ...]] = field(default_factory=list)
    edges: list[tuple[int, int, Literal]] = field(default_factory=list)
    """Pairs of places, by number, that are joined where a literal is true."""


class Solver:
    """Questions about a circuit under constraints; gates may be added to the circuit between questions."""

    def __init__(self, circuit: Gates, constraints: Constraints, variables: Sequence[Literal]) -> None:
        import clingo  # goals are compared in few runs: the others do without it

        self.circuit = circuit
        self._atoms: dict[Literal, int] = {}
        self._control = clingo.Control(["--warn=none", "--heuristic=Domain"])
        self._configure("solve_limit", f"{LIMIT},umax")
        self._configure("opt_mode", "ignore")
        with self._control.backend() as backend:
            truth = self._atoms[TRUE] = backend.add_atom()
            backend.add_rule([truth])
            for variable in variables:
                atom = self._atoms[variable] = backend.add_atom()
                backend.add_rule([atom], choice=True)
            for head in circuit.definitions:
                self._atoms[head] = backend.add_atom()
            self._add_gates(backend)
            for head, parts in circuit.definitions.items():
                for part in parts:
                    backend.add_rule([self._atoms[head]], [self._literal(part)])
            for clause in constraints.clauses:
                backend.add_rule([], [-self._literal(part) for part in clause])
            for group in constraints.exclusive:
                backend.add_weight_rule([], 2, [(self._literal(part), 1) for part in group])
            for start, end, literal in constraints.edges:
                backend.add_acyc_edge(start, end, [self._literal(literal)])

    def _configure(self, key: str, value: str) -> None:
        setattr(self._control.configuration.solve, key, value)

    def _literal(self, literal: Literal) -> int:
        return self._atoms[literal] if literal > 0 else -self._atoms[-literal]

    def _add_gates(self, backend: Backend) -> None:
        """Add the gates that are new. Parts are made before their gate, so that their atoms are there."""
        for output, gate in self.circuit.gates.items():
            if output in self._atoms:
                continue
            check_time("comparing goals")
            atom = self._atoms[output] = backend.add_atom()
            parts = [(self._literal(part), weight) for part, weight in gate.parts]
            if gate.number == 1:
                for part, _ in parts:
                    backend.add_rule([atom], [part])
            elif gate.number == len(parts) and all(weight == 1 for _, weight in parts):
                backend.add_rule([atom], [part for part, _ in parts])
            else:
                backend.add_weight_rule([atom], gate.number, parts)

    def minimise(self, literals: Sequence[Literal]) -> None:
        """Let the states that :meth:`nearest` gives have as few of some literals true as can be.

        The search tries each of them false first, so that its first state is already near.
        """
        import clingo

        with self._control.backend() as backend:
            backend.add_minimize(0, [(self._literal(literal), 1) for literal in literals])
            for literal in map(self._literal, literals):
                sign = -1 if literal > 0 else 1
                backend.add_heuristic(abs(literal), clingo.HeuristicType.Sign, sign, 1, [])

    def satisfy(self, assumed: Sequence[Literal]) -> Mapping[Literal, bool] | None:
        """Return the values of a state in which some literals are true, or ``None`` where there is none.

        Raises :class:`Undecided` at the limit.
        """
        return self._solve(assumed, "1")

    def nearest(self, assumed: Sequence[Literal]) -> Mapping[Literal, bool] | None:
        """Return the values of such a state with the fewest literals of :meth:`minimise`, as far as tried."""
        self._configure("opt_mode", "opt")
        try:
            return self._solve(assumed, "0")
        finally:
            self._configure("opt_mode", "ignore")

    def _solve(self, assumed: Sequence[Literal], models: str) -> Mapping[Literal, bool] | None:
        check_time("comparing goals")
        if FALSE in assumed:
            return None
        with self._control.backend() as backend:
            self._add_gates(backend)
        self._configure("models", models)
        values: dict[Literal, bool] | None = None
        with self._control.solve(
            assumptions=[self._literal(literal) for literal in dict.fromkeys(assumed)], yield_=True
        ) as handle:
            for model in handle:
                values = {literal: model.is_true(atom) for literal, atom in self._atoms.items()}
            result = handle.get()
        check_time("comparing goals")
        if values is None and not result.unsatisfiable:
            raise Undecided(f"the solver's limit of {LIMIT} conflicts")
        return values
