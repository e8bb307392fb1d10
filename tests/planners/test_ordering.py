"""The order of errands: exact up to nine against trying all orders, never below the bound beyond."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundplan.planners.subgoals.order import EXACT, SubgoalPlan, lower_bound, order

PLACES = "abcdef"


@st.composite
def towns(draw: st.DrawFn) -> dict[tuple[str, str], int]:
    """Symmetric distances that keep the triangle inequality: points on a grid."""
    spots = {p: (draw(st.integers(0, 9)), draw(st.integers(0, 9))) for p in PLACES}
    return {
        (a, b): abs(spots[a][0] - spots[b][0]) + abs(spots[a][1] - spots[b][1])
        for a, b in itertools.product(PLACES, repeat=2)
    }


WAYS = st.builds(
    lambda entry, out, inner: SubgoalPlan(entry, out, inner),
    st.sampled_from(PLACES),
    st.sampled_from(PLACES),
    st.integers(0, 5),
)
CHOICES = st.lists(st.one_of(WAYS, st.just(SubgoalPlan(None, None, 0))), min_size=1, max_size=3)


def cost(start: str, ways: list[SubgoalPlan], town: dict[tuple[str, str], int]) -> int:
    here, total = start, 0
    for way in ways:
        if way.entry is not None:
            total += town[here, way.entry]
            here = way.exit or here
        total += way.cost
    return total


@settings(max_examples=120)
@given(towns(), st.lists(CHOICES, min_size=0, max_size=4), st.data())
def test_few_errands_are_ordered_exactly(
    town: dict[tuple[str, str], int], errands: list[list[SubgoalPlan]], data: st.DataObject
) -> None:
    last = data.draw(st.none() | st.integers(0, len(errands) - 1)) if errands else None
    best = order("a", errands, lambda a, b: town[a, b], last)
    costs = [
        cost("a", [errands[i][w] for i, w in zip(sequence, chosen, strict=True)], town)
        for sequence in itertools.permutations(range(len(errands)))
        if last is None or sequence[-1] == last
        for chosen in itertools.product(*(range(len(errands[i])) for i in sequence))
    ]
    assert best.exact
    assert best.cost == best.bound == min(costs)
    assert cost("a", [errands[i][best.plans[i]] for i in best.sequence], town) == best.cost
    assert lower_bound("a", errands, lambda a, b: town[a, b]) <= best.cost


@settings(max_examples=25)
@given(towns(), st.lists(CHOICES, min_size=EXACT + 1, max_size=14), st.booleans())
def test_many_errands_keep_to_their_bound(
    town: dict[tuple[str, str], int], errands: list[list[SubgoalPlan]], fixed: bool
) -> None:
    last = 0 if fixed else None
    found = order("a", errands, lambda a, b: town[a, b], last)
    assert not found.exact
    assert sorted(found.sequence) == list(range(len(errands)))
    assert not fixed or found.sequence[-1] == 0
    assert found.bound <= found.cost
    assert cost("a", [errands[i][found.plans[i]] for i in found.sequence], town) == found.cost


@settings(max_examples=15)
@given(towns(), st.lists(WAYS.map(lambda w: [w]), min_size=8, max_size=EXACT))
def test_the_heuristic_is_near_the_exact_order(
    town: dict[tuple[str, str], int], errands: list[list[SubgoalPlan]]
) -> None:
    from groundplan.planners.subgoals.order import _exact, _heuristic

    exact = _exact("a", errands, lambda a, b: town[a, b], None)
    near = _heuristic("a", errands, lambda a, b: town[a, b], None)
    assert exact.cost <= near.cost <= 1.25 * exact.cost + 2
    assert near.bound <= exact.cost


def test_an_errand_without_a_way_is_refused() -> None:
    with pytest.raises(ValueError, match="without a plan"):
        order("a", [[]], lambda a, b: 0)


def test_ties_are_broken_the_same_way() -> None:
    errands = [[SubgoalPlan("b", "b", 0)], [SubgoalPlan("b", "b", 0)], [SubgoalPlan("b", "b", 0)]]
    assert order("a", errands, lambda a, b: 0).sequence == (0, 1, 2)
