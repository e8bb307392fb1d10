"""Rules in a behavior tree: what constraints that look back remember, as entries of the blackboard.

At each tick, before anything is done, the tree looks at the facts of each such constraint and moves its entry
as the automaton of ``simulator.trajectory`` does. A step is done only where the entries that it names are
clear (``robot.rules``), and the goal counts only where nothing is due. Entries begin with the tree. What a
command passes and no tick sees is put into them by a script behind the skill.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from ...compiler.forms import negation
from ...domains.errors import clip
from ...domains.files import Element
from ...domains.formula import And, Formula, Or, TrajectoryConstraint
from ...simulator.trajectory import BROKEN, START, Values, after
from ..rules.rule import REMEMBERED, ProgramRules, StepGuard, is_clear
from .markup import element
from .tree_nodes import HOLDS

States = dict[int, int]
"""States of an automaton, and what each becomes."""


class TreeRules:
    """The entries of a tree for the rules of a program; none where no rule looks back."""

    def __init__(self, rules: ProgramRules) -> None:
        self._rules = rules
        self._parts = {one.constraint: one.parts for one in rules if one.constraint.kind in REMEMBERED}
        self._entries = {one: f"rule_{number}" for number, one in enumerate(self._parts)}

    def clear(self, constraint: TrajectoryConstraint) -> Element:
        """Return the condition that a constraint is clear."""
        entry = self._entries[constraint]
        states = (state for state in _states(constraint) if is_clear(constraint, state))
        code = " || ".join(f"{entry} == {_number(state)}" for state in states)
        return element("ScriptCondition", name=f"{_named(constraint)} is clear", code=code)

    def looked_at_before(self, node: Element) -> Element:
        """Return a node before which the entries are moved by the facts of now."""
        return element("Sequence", [*self._looks, node], name="no step fits") if self._entries else node

    def remembering(self, tree: Element) -> Element:
        """Return a tree that moves the entries at each tick, before it does anything."""
        if not self._entries:
            return tree
        code = "; ".join(f"{entry} := {START}" for entry in self._entries.values())
        once = element("RunOnce", [element("Script", name="nothing has been yet", code=code)])
        return element("ReactiveSequence", [once, *self._looks, tree], name="under rules")

    @property
    def _looks(self) -> list[Element]:
        return [self._look(one, parts) for one, parts in self._parts.items()]

    def passing(self, guards: Iterable[StepGuard], shown: bool) -> list[Element]:
        """Return what puts the states into the entries that a command has passed.

        What may clear an entry, or end an interval, counts once the command is ``shown`` to be done.
        """
        nodes = []
        for guard in guards:
            for passed in (one for one in guard.passes if one.relieves or not shown):
                one = self._rules.kept[guard.rule].constraints[passed.constraint].constraint
                values = passed.counted(shown)
                if shown and passed.counted(shown=False):  # what has begun is in the entry already
                    values = values[len(values) - values[::-1].index((True,)) :]
                moves = {state: _after(one, state, values) for state in _states(one)}
                options = [self._move(one, state, end) for state, end in moves.items() if state != end]
                if options:
                    nodes.append(_first_of(options, f"{_named(one)}: what was passed"))
        return nodes

    def _look(self, one: TrajectoryConstraint, parts: Sequence[Formula]) -> Element:
        """Return what moves the entry of a constraint by the facts of now."""
        options = []
        for state in _states(one):
            for values, end in _cases(one, state):
                signed = zip(parts, values, strict=True)
                conditions = [_condition(p if v else negation(p)) for p, v in signed if v is not None]
                options.append(self._move(one, state, end, conditions))
        return _first_of(options, _named(one))

    def _move(
        self, one: TrajectoryConstraint, state: int, end: int, conditions: Sequence[Element] = ()
    ) -> Element:
        entry = self._entries[one]
        begins = element("ScriptCondition", code=f"{entry} == {_number(state)}")
        return element("Sequence", [begins, *conditions, element("Script", code=f"{entry} = {_number(end)}")])


def _cases(one: TrajectoryConstraint, state: int) -> Iterator[tuple[tuple[bool | None, ...], int]]:
    """Yield the moves out of a state with the values that they ask of the parts, ``None`` for any."""
    size = len(one.parts)
    taken: list[tuple[bool | None, ...]] = []
    cases = product((None, True, False), repeat=size)
    for case in sorted(cases, key=lambda one: size - one.count(None)):
        whole = [v for v in product((True, False), repeat=size) if _fits(v, case)]
        ends = {after(one.kind, state, values) for values in whole}
        if len(ends) == 1 and state not in ends and not any(_fits(case, some) for some in taken):
            taken.append(case)
            yield case, ends.pop()


def _fits(values: Sequence[bool | None], case: Sequence[bool | None]) -> bool:
    return all(a is None or v == a for v, a in zip(values, case, strict=True))


def _states(one: TrajectoryConstraint) -> list[int]:
    """Return the states that the automaton of a constraint can come to, in a fixed order."""
    states, size = [START], len(one.parts)
    for state in states:
        ends = (after(one.kind, state, values) for values in product((True, False), repeat=size))
        states += [end for end in dict.fromkeys(ends) if end not in states]
    return sorted(states, key=_number)


def _after(one: TrajectoryConstraint, state: int, passed: Iterable[Values]) -> int:
    for values in passed:
        state = after(one.kind, state, values)
    return state


def _number(state: int) -> int:
    """Return the number that stands for a state; what others broke is 3, since scripts like no signs."""
    return 3 if state == BROKEN else state


def _named(constraint: TrajectoryConstraint) -> str:
    return clip(str(constraint), 300)


def _first_of(options: Sequence[Element], name: str) -> Element:
    return element("Fallback", [*options, element("AlwaysSuccess")], name=name)


def _condition(form: Formula) -> Element:
    """Return the condition that a form over facts is true."""
    match form:
        case And(parts) | Or(parts):
            both = isinstance(form, And)
            if not parts:
                return element("AlwaysSuccess" if both else "AlwaysFailure")
            return element("Sequence" if both else "Fallback", [_condition(part) for part in parts])
    return element(HOLDS, fact=str(form))
