"""Branch and bound over Boolean models: the solver where OR-tools is not installed.

Depth-first search that decides the tightest open constraint first, from its cheapest literal on; propagation
of pseudo-Boolean constraints, and a bound from open constraints that share no variable (Coudert 1996). It
counts steps, never seconds, so the same model gives the same values, and knows no circuits. The limit and the
order of decisions may be changed; a search that was cut off must not be called optimal or infeasible.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .model import BooleanModel, Linear, Optimum, SolutionStatus
from .rows import AHEAD, SumRow, looked_ahead, row_of

STEPS = 1_000_000
"""Most looks at a literal: about a second of processor time."""

SOLVER = "branch-and-bound"


def solve(model: BooleanModel, steps: int = STEPS) -> Optimum:
    """Find the cheapest values of a model without circuits. Raises ``ValueError`` for negative costs."""
    if min(model.costs, default=0) < 0:
        raise ValueError("branch and bound knows no negative costs")
    if model.circuits:
        return Optimum(SolutionStatus.UNKNOWN, SOLVER, detail="it knows no circuits")
    complete = (search := _Search(model, steps)).run()
    detail = "" if complete else f"cut off after {steps} steps"
    if search.best is None:
        status = SolutionStatus.INFEASIBLE if complete else SolutionStatus.UNKNOWN
        return Optimum(status, SOLVER, detail=detail)
    status = SolutionStatus.OPTIMAL if complete else SolutionStatus.FEASIBLE
    bound = search.cost if complete else min(search.cost, search.root_bound)
    return Optimum(status, SOLVER, search.best, search.cost, bound, detail=detail)


@dataclass
class _Search:
    model: BooleanModel
    left: int
    best: tuple[bool, ...] | None = None
    cost: int = 0
    root_bound: int = 0
    rows: list[SumRow] = field(default_factory=list)
    using: dict[int, list[tuple[SumRow, int]]] = field(default_factory=dict)  # rows with a literal

    def __post_init__(self) -> None:
        self.values: list[bool | None] = [None] * len(self.model.costs)
        self.trail: list[int] = []
        self.spent = 0
        at_most_one = (Linear(group, (1,) * len(group), None, 1) for group in self.model.exclusive)
        for row in (*self.model.constraints, *at_most_one):
            pairs = [*zip(row.literals, row.coefficients, strict=True)]
            if row.least is not None:
                self._add_row(pairs, row.least, row.when)
            if row.most is not None:
                self._add_row([(a, -c) for a, c in pairs], -row.most, row.when)

    def _add_row(self, pairs: list[tuple[int, int]], least: int, when: int | None) -> None:
        """Add ``sum >= least`` with positive coefficients, whatever was given."""
        row = row_of(pairs, least, when)
        self.rows.append(row)
        for literal, coefficient in row.terms:
            self.using.setdefault(literal, []).append((row, coefficient))

    def value(self, literal: int) -> bool | None:
        value = self.values[max(literal, ~literal)]
        return value if literal >= 0 or value is None else not value

    def price(self, literal: int) -> int:
        return self.model.costs[literal] if literal >= 0 else 0

    def run(self) -> bool:
        """Search; return whether all was searched."""
        for row in self.rows:
            forced = self._forced(row)
            if forced is None or not all(self._assign(literal) for literal in forced):
                return True
        self.charged = self._probed()
        open_rows = [row for row in self.rows if row.missing > 0]
        self.ahead = looked_ahead(open_rows, self.price, self.value)
        self.left -= AHEAD * sum(len(row.terms) for row in open_rows)
        self.root_bound = self.spent + self._further_cost()
        decisions: list[tuple[int, int]] = []  # the length of the trail before, and the literal
        while self.left > 0:
            literal = None
            if self.best is None or self.spent + self._further_cost() < self.cost:
                literal = self._decision()
                if literal is None:
                    self.best = tuple(value is True for value in self.values)
                    self.cost = self.spent
            if literal is not None:
                decisions.append((len(self.trail), literal))
                if self._assign(literal):
                    continue
            while decisions:
                length, refuted = decisions.pop()
                self._undo(length)
                if self._assign(~refuted):
                    break
            else:
                return True
        return False

    def _assign(self, literal: int) -> bool:
        """Make a literal true with all that follows; return whether nothing is violated."""
        queue = [literal]
        while queue:
            now = queue.pop()
            if self.value(now):
                continue
            if self.value(now) is False:
                return False
            self.values[max(now, ~now)] = now >= 0
            self.trail.append(now)
            self._count(now, 1)
            for row, _ in self.using.get(~now, ()):
                if (forced := self._forced(row)) is None:
                    return False
                queue += forced
        return True

    def _forced(self, row: SumRow) -> list[int] | None:
        """The literals without which a row cannot be met; ``None`` when it cannot be met at all."""
        self.left -= 1
        if row.slack < 0:
            return None
        if row.slack >= row.largest:
            return []
        self.left -= len(row.terms)
        return [a for a, c in row.terms if c > row.slack and self.value(a) is None]

    def _undo(self, length: int) -> None:
        while len(self.trail) > length:
            literal = self.trail.pop()
            self.values[max(literal, ~literal)] = None
            self._count(literal, -1)

    def _count(self, literal: int, sign: int) -> None:
        """Enter a literal that became true into the sums, or take it out again."""
        self.spent += sign * self.price(literal)
        for row, coefficient in self.using.get(literal, ()):
            row.missing -= sign * coefficient
        for row, coefficient in self.using.get(~literal, ()):
            row.slack -= sign * coefficient

    def _probed(self) -> dict[int, frozenset[int]]:
        """The variables with costs that follow from each literal of a row, which is one of them itself."""
        charged = {}
        for literal in self.using:
            length = len(self.trail)
            self._assign(literal)
            charged[literal] = frozenset(a for a in self.trail[length:] if self.price(a))
            self._undo(length)
        return charged

    def _price(self, literal: int) -> int:  # with all that follows from it and is not paid yet
        return sum(self.price(a) for a in self.charged[literal] if self.values[a] is None)

    def _decision(self) -> int | None:
        """The cheapest free literal of the open row with the fewest; ``None`` when no row is open."""
        fewest: list[int] | None = None
        for row in self.rows:
            if row.missing > 0:
                free = [a for a, _ in row.terms if self.value(a) is None]
                if fewest is None or len(free) < len(fewest):
                    fewest = free
        return None if fewest is None else min(fewest, key=self._rank)

    def _rank(self, literal: int) -> tuple[int, bool, int]:
        price = self._price(literal) if self.charged[literal] else self.ahead.get(literal, 0)
        return price, literal < 0, literal

    def _further_cost(self) -> int:
        """A cost that meeting the open rows takes at least: rows without a common variable, added up."""
        total = 0
        used: set[int] = set()
        for row in self.rows:
            if row.missing <= 0:
                continue
            self.left -= len(row.terms)
            free = [a for a, _ in row.terms if self.value(a) is None]
            if (least := min(map(self._price, free), default=0)) > 0:
                charged = frozenset().union(*(self.charged[a] for a in free))
                if charged.isdisjoint(used):
                    used |= charged
                    total += least
        return total
