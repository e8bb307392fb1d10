"""A second solver of circuits: python-sat's CaDiCaL over clauses made here, asked beside clingo.

Gates become clauses in both directions, weighted ones by a table of sums. Definitions become completions, and
a model in which some of them hold each other up gets the loop formulas that exclude it. A model in which
joined places form a ring gets a clause against that ring. So "no such state" has the word of two programs and
two encodings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pysat.solvers import Solver as Sat

from groundplan.compiler.comparison.circuit import FALSE, TRUE, Gate, Gates, Literal
from groundplan.compiler.comparison.solver import Constraints, Solver


class BothSolvers(Solver):
    """The solver of the product, whose answers are held against python-sat's one by one."""

    questions = 0
    without = 0
    """Questions that both say no state answers."""

    def __init__(self, circuit: Gates, constraints: Constraints, variables: Sequence[Literal]) -> None:
        super().__init__(circuit, constraints, variables)
        self.other = SecondSolver(circuit, constraints)

    def _solve(self, assumed: Sequence[Literal], models: str) -> Mapping[Literal, bool] | None:
        answer = super()._solve(assumed, models)
        other = self.other.satisfiable(assumed)
        assert other is (answer is not None), f"clingo says {answer is not None}, CaDiCaL {other}"
        BothSolvers.questions += 1
        BothSolvers.without += answer is None
        return answer


class SecondSolver:
    """Satisfiability of a circuit under constraints."""

    def __init__(self, circuit: Gates, constraints: Constraints) -> None:
        self.circuit, self.constraints = circuit, constraints
        self.sat = Sat(name="cadical153", bootstrap_with=[[TRUE]])
        self.numbers: dict[Literal, int] = {TRUE: TRUE}
        self.size = TRUE
        self.made: set[Literal] = set()
        for head, parts in circuit.definitions.items():
            self.gates()
            mine, own = self.literal(head), [self.literal(part) for part in parts]
            self.sat.add_clause([-mine, *own])
            for part in own:
                self.sat.add_clause([mine, -part])
        for clause in constraints.clauses:
            self.sat.add_clause([self.literal(part) for part in clause])
        for group in constraints.exclusive:
            own = [self.literal(part) for part in group]
            for index, one in enumerate(own):
                for other in own[:index]:
                    self.sat.add_clause([-one, -other])

    def satisfiable(self, assumed: Sequence[Literal]) -> bool:
        if FALSE in assumed:
            return False
        self.gates()
        while self.sat.solve(assumptions=[self.literal(one) for one in dict.fromkeys(assumed)]):
            true = set(self.sat.get_model())
            added = list(self.excluded(true))
            if not added:
                return True
            for clause in added:
                self.sat.add_clause(clause)
        return False

    def literal(self, literal: Literal) -> int:
        number = self.numbers.get(abs(literal))
        if number is None:
            number = self.numbers[abs(literal)] = self.new()
        return number if literal > 0 else -number

    def new(self) -> int:
        self.size += 1
        return self.size

    def gates(self) -> None:
        for output, gate in list(self.circuit.gates.items()):
            if output not in self.made:
                self.made.add(output)
                mine, sums = self.literal(output), self.sums(gate, 0, gate.number, {})
                self.sat.add_clause([-mine, sums])
                self.sat.add_clause([mine, -sums])

    def sums(self, gate: Gate, start: int, number: int, table: dict[tuple[int, int], int]) -> int:
        """The literal that is true where the parts from ``start`` on come to ``number``."""
        if number <= 0:
            return TRUE
        if start == len(gate.parts):
            return FALSE
        key = start, number
        if key not in table:
            part, weight = gate.parts[start]
            mine, one = self.new(), self.literal(part)
            table[key] = mine
            took, left = (self.sums(gate, start + 1, number - w, table) for w in (weight, 0))
            for clause in ([-mine, -one, took], [-mine, one, left], [mine, -one, -took], [mine, one, -left]):
                self.sat.add_clause(clause)
        return table[key]

    def excluded(self, true: set[int]) -> Iterator[list[int]]:
        """Clauses against a model that is none: a ring of places, or definitions that hold each other up."""
        edges: dict[int, list[tuple[int, int]]] = {}
        for start, end, literal in self.constraints.edges:
            if (one := self.literal(literal)) in true:
                edges.setdefault(start, []).append((end, one))
        if ring := next(filter(None, (_ring(edges, start) for start in edges)), None):
            yield [-one for one in ring]
            return
        heads = {head for head in self.circuit.definitions if self.literal(head) in true}
        grounded: set[Literal] = set()
        while True:
            more = {
                head
                for head in heads - grounded
                if any(self.holds(part, grounded, heads, true) for part in self.circuit.definitions[head])
            }
            if not more:
                break
            grounded |= more
        loop = heads - grounded
        if loop:
            outside = [
                self.literal(part)
                for head in loop
                for part in self.circuit.definitions[head]
                if not self.needs(part, loop)
            ]
            for head in loop:
                yield [-self.literal(head), *outside]

    def holds(self, literal: Literal, grounded: set[Literal], heads: set[Literal], true: set[int]) -> bool:
        """Whether a literal is true where of the definitions only the grounded ones hold."""
        if literal in heads:
            return literal in grounded
        gate = self.circuit.gates.get(literal)
        if gate is None or literal < 0:
            return self.literal(literal) in true
        return sum(w for part, w in gate.parts if self.holds(part, grounded, heads, true)) >= gate.number

    def needs(self, literal: Literal, loop: set[Literal]) -> bool:
        """Whether some definition of a loop is among what a literal is made of."""
        gate = self.circuit.gates.get(abs(literal))
        return literal in loop or (gate is not None and any(self.needs(part, loop) for part, _ in gate.parts))


def _ring(edges: Mapping[int, Sequence[tuple[int, int]]], start: int) -> list[int] | None:
    """The literals of a ring of edges through a place, if there is one."""
    ways: dict[int, list[int]] = {start: []}
    waiting = [start]
    for place in waiting:
        for end, one in edges.get(place, ()):
            if end == start:
                return [*ways[place], one]
            if end not in ways:
                ways[end] = [*ways[place], one]
                waiting.append(end)
    return None
