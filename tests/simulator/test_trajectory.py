"""Constraints on a run: automata against the definition, and what is left of one on the way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundplan.domains.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    Formula,
    Not,
    Sometime,
    TrajectoryConstraint,
    conjuncts,
)
from groundplan.simulator.trajectory import START, Kind, Values, accepts, after, holds_on, left_over

KINDS: tuple[Kind, ...] = ("always", "sometime", "at-most-once", "sometime-after", "sometime-before")
FIRST, SECOND = Atom("first"), Atom("second")
runs = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=7)


def memory_after(kind: Kind, run: list[Values]) -> int:
    memory = START
    for values in run:
        memory = after(kind, memory, values)
    return memory


@pytest.mark.parametrize("kind", KINDS)
@given(run=runs)
def test_automata_say_what_the_definition_says(kind: Kind, run: list[Values]) -> None:
    assert accepts(kind, memory_after(kind, run)) == holds_on(kind, run)


@pytest.mark.parametrize("kind", KINDS)
@given(run=runs, at=st.integers(0, 6))
def test_a_state_that_changes_nothing_does_not_count(kind: Kind, run: list[Values], at: int) -> None:
    again = [*run[: at + 1], *run[at : at + 1], *run[at + 1 :]]
    assert holds_on(kind, again) == holds_on(kind, run)


def truth(formula: Formula, run: list[Values]) -> bool:
    match formula:
        case And(parts):
            return all(truth(part, run) for part in parts)
        case TrajectoryConstraint("always", (Not(part),)):
            assert part == FIRST
            return holds_on("always", [(not first,) for first, _ in run])
        case TrajectoryConstraint(kind, _) if kind != "never-do":
            return holds_on(kind, run)
        case Sometime(body):
            assert body == SECOND
            return holds_on("sometime", [(second,) for _, second in run])
    assert formula == FALSE
    return False


@pytest.mark.parametrize("kind", ["always", "at-most-once", "sometime-after", "sometime-before"])
@given(before=runs, rest=st.lists(st.tuples(st.booleans(), st.booleans()), max_size=5))
def test_what_is_left_over_decides_the_rest(kind: str, before: list[Values], rest: list[Values]) -> None:
    number = 1 if kind in ("always", "at-most-once") else 2
    constraint = TrajectoryConstraint(kind, (FIRST, SECOND)[:number])  # type: ignore[arg-type]
    left = left_over(constraint, memory_after(constraint.kind, before))  # type: ignore[arg-type]
    assert (left == TRUE) <= (conjuncts(left) == ())
    assert truth(left, [before[-1], *rest]) == holds_on(constraint.kind, [*before, *rest])  # type: ignore[arg-type]
