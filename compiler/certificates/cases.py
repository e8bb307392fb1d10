"""The cases of a goal: facts are assumed true and false in turn until each case contradicts it.

The search is that of Davis, Logemann and Loveland (1962), "A machine program for theorem-proving", on the
goal as it was written; its truth in a case is that of ``domains.evaluate`` in a partial state. Any atom may
be chosen for a split, since both its values are gone through.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from ...domains.evaluate import Part, counts_clash, open_atoms, possible, required_parts
from ...domains.exclusive import Groups
from ...domains.formula import Formula, GroundAtom
from ...simulator.partial_state import PartialState
from .certificate import Refused
from .induction import Induction

LOOKED_AT = 8
"""Atoms of a part of which one is chosen for a split: that about the fewest things."""


class Cases:
    """The cases of a goal under statements and groups of facts that exclude each other."""

    def __init__(self, induction: Induction, goal: Formula, groups: Groups, most: int) -> None:
        self.induction, self.goal, self.most, self.count = induction, goal, most, 0
        self.state = PartialState(induction.belief, induction, groups)

    def refuted(self, values: Mapping[GroundAtom, bool] | None = None, some: Sequence[Part] = ()) -> bool:
        """Return whether the goal, or else some parts of it, are false in every case where facts have values.

        Raises :class:`Refused` where there are too many cases.
        """
        state = self.state
        state.assumptions.retract()
        for fact, value in (values or {}).items():
            state.assumptions.assume(fact, value)
        whole: Sequence[Part] = some or [(self.goal, True, {})]
        parts: Sequence[Part] = [p for f, sign, b in whole for p in required_parts(f, sign, state, b)]
        untried: list[tuple[int, GroundAtom, Sequence[Part]]] = []
        clash = not values and counts_clash(parts, state)
        while True:
            left = None if clash else self._forced(parts)
            if left:
                (_, atom), parts = left[0], [part for part, _ in left]
                untried.append((len(state.assumptions.facts), atom, parts))
                self._assume(atom, True)
            elif left is None and untried:
                count, atom, parts = untried.pop()
                state.assumptions.retract(count)
                self._assume(atom, False)
            else:
                return left is None

    def _forced(self, parts: Sequence[Part]) -> list[tuple[Part, GroundAtom]] | None:
        """Suppose what single parts force; return ``None`` where one is impossible.

        Otherwise these are the parts that are open still, each with an atom for a split.
        """
        while True:
            learned, left = False, list[tuple[Part, GroundAtom]]()
            for part in parts:
                if not self._possible(part):
                    return None
                atom = self._atom(part) if self.most else None
                if atom is None:
                    continue
                values = self._values(part, atom)
                if not values:
                    return None
                if len(values) == 1:
                    self._assume(atom, values[0])
                    learned = True
                left.append((part, atom))
            if not learned:
                return left
            parts = [part for part, _ in left]

    def _possible(self, part: Part) -> bool:
        formula, value, binding = part
        self.induction.spend()
        return possible(formula, value, self.state, binding)

    def _values(self, part: Part, atom: GroundAtom) -> list[bool]:
        """Return the values of an atom under which a part is possible."""
        values, left = [], len(self.state.assumptions.facts)
        for value in (True, False):
            self._assume(atom, value)
            values += [value] * self._possible(part)
            self.state.assumptions.retract(left)
        return values

    def _assume(self, atom: GroundAtom, value: bool) -> None:
        self.count += 1
        if self.count > self.most:
            raise Refused(f"the goal has more than {self.most} cases")
        self.state.assumptions.assume(atom, value)

    def _atom(self, part: Part) -> GroundAtom | None:
        """Return an open fact that a part depends on."""
        formula, value, binding = part
        atoms = itertools.islice(open_atoms(formula, value, self.state, binding), LOOKED_AT)
        atom = min(atoms, key=lambda a: len(a.args), default=None)
        return None if atom is None else self.state.basis(atom)
