"""Boolean circuits: variables, and gates *at least k of these*, each kept once.

A literal is a whole number, negative for a negation; :data:`TRUE` is a literal too. A gate is simplified when
it is made, so equal gates have one number. A derived variable gets its definition later (:meth:`define`), and
definitions may mention each other: they are read as the least fixed point. Other gates may be added if a
solver behind ``solver`` can express them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...domains.deadline import check_time

Literal = int
TRUE: Literal = 1
FALSE: Literal = -1


@dataclass(frozen=True, slots=True)
class Gate:
    """Output that is true where the weights of the true parts come to a number at least."""

    number: int
    parts: tuple[tuple[Literal, int], ...]


class Gates:
    """A circuit: gates by the number of their output; the numbers of variables are those without a gate."""

    def __init__(self) -> None:
        self.gates: dict[Literal, Gate] = {}
        self.definitions: dict[Literal, tuple[Literal, ...]] = {}
        self._size = TRUE
        self._outputs: dict[Gate, Literal] = {}

    def variable(self) -> Literal:
        self._size += 1
        return self._size

    def define(self, variable: Literal, parts: Iterable[Literal]) -> None:
        """Let a derived variable be true where one of its parts is, and only there."""
        self.definitions[variable] = tuple(dict.fromkeys(parts))

    def conjunction(self, literals: Iterable[Literal]) -> Literal:
        parts = dict.fromkeys(literals)
        return self.at_least(len(parts), list(parts))

    def disjunction(self, literals: Iterable[Literal]) -> Literal:
        return self.at_least(1, list(dict.fromkeys(literals)))

    def at_least(self, number: int, literals: Sequence[Literal]) -> Literal:
        """Return a literal that is true where so many of some literals are; one given twice counts twice."""
        check_time("comparing goals")
        weights = Counter(literals)
        number -= weights.pop(TRUE, 0)
        weights.pop(FALSE, None)
        for literal in [one for one in weights if one > 0 and -one in weights]:
            both = min(weights[literal], weights[-literal])  # one of the two is true
            number -= both
            weights[literal] -= both
            weights[-literal] -= both
        parts = [(literal, weight) for literal, weight in weights.items() if weight > 0]
        if number <= 0:
            return TRUE
        total = sum(weight for _, weight in parts)
        if number > total:
            return FALSE
        if number in (1, total):
            number, parts = (1 if number == 1 else len(parts)), [(literal, 1) for literal, _ in parts]
        parts = sorted((literal, min(weight, number)) for literal, weight in parts)
        if len(parts) == 1:
            return parts[0][0]
        gate = Gate(number, tuple(parts))
        output = self._outputs.get(gate)
        if output is None:
            output = self._outputs[gate] = self.variable()
            self.gates[output] = gate
        return output
