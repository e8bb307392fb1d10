"""Boolean models as values: variables, linear constraints, circuits, and a cost to be made small.

A literal is an integer: variable ``v`` itself, or ``~v`` (that is ``-v - 1``) for its negation, as in
CP-SAT's own format. Constraints may be added; each needs a line in :meth:`BooleanModel.text`. The text must
depend on the model alone, never on hashing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple


class SolutionStatus(StrEnum):
    """The word of a solver: *optimal* and *infeasible* are proved, *feasible* and *unknown* were cut off."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Linear:
    """A bound on the true literals: ``least <= sum of coefficients of true literals <= most``.

    ``None`` is no bound on that side. The constraint counts only while ``when``, a literal, is true.
    """

    terms: tuple[tuple[int, int], ...]
    """Literals, each with its coefficient."""
    least: int | None = None
    most: int | None = None
    when: int | None = None


class Arc(NamedTuple):
    """An arc of a circuit from one node to another; it is taken if its literal is true."""

    tail: int
    head: int
    literal: int


@dataclass
class BooleanModel:
    """A model that is built step by step. ``costs`` are added up over the variables that are true.

    ``hint`` gives values of some variables, from which a solver may start.

    >>> from groundplan.planners.optimization import BooleanModel
    >>> model = BooleanModel()
    >>> apple, pear = model.variable(30), model.variable(20)
    >>> model.any_of([apple, pear])
    >>> model.any_of([~pear])
    >>> model.values_cost([True, False])
    30
    """

    costs: list[int] = field(default_factory=list)
    constraints: list[Linear] = field(default_factory=list)
    exclusive: list[tuple[int, ...]] = field(default_factory=list)
    """Groups of literals of which at most one may be true."""
    circuits: list[tuple[Arc, ...]] = field(default_factory=list)
    hint: dict[int, bool] = field(default_factory=dict)

    def variable(self, cost: int = 0) -> int:
        """Add a variable, which costs something when it is true, and return it."""
        self.costs.append(cost)
        return len(self.costs) - 1

    def any_of(self, literals: Sequence[int], when: int | None = None) -> None:
        """Ask that one of the literals or more be true, while ``when`` is."""
        self.at_least(1, literals, when)

    def at_least(self, number: int, literals: Sequence[int], when: int | None = None) -> None:
        self.linear(((one, 1) for one in literals), number, None, when)

    def at_most(self, number: int, literals: Sequence[int], when: int | None = None) -> None:
        if number == 1 and when is None:
            self.exclusive.append(tuple(literals))
        else:
            self.linear(((one, 1) for one in literals), None, number, when)

    def linear(
        self,
        terms: Iterable[tuple[int, int]],
        least: int | None = None,
        most: int | None = None,
        when: int | None = None,
    ) -> None:
        """Bound a sum of ``(literal, coefficient)`` over the true literals."""
        self.constraints.append(Linear(tuple(terms), least, most, when))

    def circuit(self, arcs: Iterable[Arc]) -> None:
        """Ask for one closed tour along the arcs taken, without the nodes whose arc to itself is taken.

        A node that has no arc to itself is always on it. There may be several arcs between two nodes, but
        only one from a node to itself. Nodes count from 0.
        """
        self.circuits.append(tuple(arcs))

    def values_cost(self, values: Sequence[bool]) -> int:
        return sum(cost for cost, value in zip(self.costs, values, strict=True) if value)

    def text(self) -> str:
        """Return the model in the text format of CP-SAT's protocol buffer ``CpModelProto``."""
        lines = ["variables { domain: [0, 1] }"] * len(self.costs)
        lines += [_linear_text(c) for c in self.constraints]
        lines += [f"constraints {{ at_most_one {{ literals: {list(g)} }} }}" for g in self.exclusive]
        for circuit in self.circuits:
            tails, heads, literals = ([*ends] for ends in zip(*circuit, strict=True))
            body = f"tails: {tails} heads: {heads} literals: {literals}"
            lines.append(f"constraints {{ circuit {{ {body} }} }}")
        charged = [(v, c) for v, c in enumerate(self.costs) if c]
        objective = f"vars: {[v for v, _ in charged]} coeffs: {[c for _, c in charged]}"
        lines.append(f"objective {{ {objective} }}")
        if self.hint:
            values = [int(v) for v in self.hint.values()]
            lines.append(f"solution_hint {{ vars: {list(self.hint)} values: {values} }}")
        return "\n".join(lines) + "\n"


_LEAST, _MOST = -(2**62), 2**62
"""No bound at all, for sums that stay far below."""


def _linear_text(constraint: Linear) -> str:
    """Write a constraint over variables: a negated literal is one less its variable."""
    coefficients: dict[int, int] = {}
    offset = 0
    for literal, coefficient in constraint.terms:
        variable, sign = (literal, coefficient) if literal >= 0 else (~literal, -coefficient)
        offset += coefficient if literal < 0 else 0
        coefficients[variable] = coefficients.get(variable, 0) + sign
    least = _LEAST if constraint.least is None else constraint.least - offset
    most = _MOST if constraint.most is None else constraint.most - offset
    when = "" if constraint.when is None else f"enforcement_literal: {constraint.when} "
    terms = f"vars: {list(coefficients)} coeffs: {list(coefficients.values())}"
    return f"constraints {{ {when}linear {{ {terms} domain: [{least}, {most}] }} }}"


@dataclass(frozen=True, slots=True)
class Optimum:
    """A solver's answer: the values of all variables, what they cost, and a cost that no values undercut.

    ``values`` are empty and ``cost`` is ``None`` where none were found. ``solver`` names the program.
    ``reproducible`` is false where a clock or a crash decided, not a count of steps. ``detail`` is for
    people. ``failure`` says why it did not run to its end, where no clock stopped it.
    """

    status: SolutionStatus
    solver: str
    values: tuple[bool, ...] = ()
    cost: int | None = None
    bound: int | None = None
    reproducible: bool = True
    detail: str = ""
    failure: str = ""

    def true(self, literal: int) -> bool:
        """Return the value of a literal. Raises ``IndexError`` where no values were found."""
        return self.values[literal] if literal >= 0 else not self.values[~literal]
