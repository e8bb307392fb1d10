"""The order of errands: exact up to nine against trying all orders, never below the bound beyond."""

from __future__ import annotations

import itertools
import random

import pytest
from drawn_tasks import pick_and_place
from draws import draws
from hypothesis import given
from hypothesis import strategies as st

from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.deadline import limited
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.planners.classical import plan_goal
from groundplan.planners.optimization import BooleanModel, Optimum, optimize
from groundplan.planners.subgoals.order import EXACT, _exact, _many, insertion_costs, order
from groundplan.planners.subgoals.travel import Distance, SubgoalPlan, TravelCosts
from groundplan.simulator.belief import ground

PLACES = "abcdef"

Town = dict[tuple[str, str], int]
Errands = list[list[SubgoalPlan]]


@st.composite
def towns(draw: st.DrawFn) -> Town:
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


def cost(start: str, ways: list[SubgoalPlan], town: Town) -> int:
    here, total = start, 0
    for way in ways:
        if way.entry is not None:
            total += town[here, way.entry]
            here = way.exit or here
        total += way.cost
    return total


def driven(errands: Errands, town: Town) -> Errands:
    """Plans that cost at least the drive from where they begin to where they end, as all real ones do."""
    return [
        [SubgoalPlan(w.entry, w.exit, w.cost + town[w.entry, w.exit]) if w.entry and w.exit else w for w in e]
        for e in errands
    ]


def solve(model: BooleanModel) -> Optimum:
    return optimize(model, Budget(30.0))


@draws(120)
@given(towns(), st.lists(CHOICES, min_size=0, max_size=4), st.data())
def test_few_errands_are_ordered_exactly(town: Town, errands: Errands, data: st.DataObject) -> None:
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


@draws(60)
@given(towns(), st.lists(CHOICES, min_size=2, max_size=8), st.booleans())
def test_no_order_is_below_the_bound_of_many(town: Town, errands: Errands, fixed: bool) -> None:
    """What is done with many errands, done with few: the best order is known."""
    errands, last = driven(errands, town), 0 if fixed else None
    best = _exact("a", errands, lambda a, b: town[a, b], last)
    many = _many(TravelCosts("a", errands, lambda a, b: town[a, b]), last, None)
    assert many.bound <= best.cost <= many.cost
    assert cost("a", [errands[i][many.plans[i]] for i in many.sequence], town) == many.cost


@draws(25, by_day=10)
@given(towns(), st.lists(CHOICES, min_size=EXACT + 1, max_size=14), st.booleans())
def test_many_errands_keep_to_their_bound(town: Town, errands: Errands, fixed: bool) -> None:
    last = 0 if fixed else None
    many = order("a", driven(errands, town), lambda a, b: town[a, b], last)
    assert sorted(many.sequence) == list(range(len(errands)))
    assert not fixed or many.sequence[-1] == 0
    assert many.bound <= many.cost
    ways = [driven(errands, town)[i][many.plans[i]] for i in many.sequence]
    assert cost("a", ways, town) == many.cost


@draws(15, by_day=5)
@given(towns(), st.lists(WAYS.map(lambda w: [w]), min_size=8, max_size=EXACT))
def test_the_heuristic_is_near_the_exact_order(town: Town, errands: Errands) -> None:
    exact = _exact("a", errands, lambda a, b: town[a, b], None)
    near = _many(TravelCosts("a", errands, lambda a, b: town[a, b]), None, None)
    assert exact.cost <= near.cost <= 1.1 * exact.cost + 2
    assert near.bound <= exact.cost


@pytest.mark.parametrize("ways", [1, 2])
@pytest.mark.parametrize("last", [None, 3])
def test_a_solver_proves_the_best_order(ways: int, last: int | None) -> None:
    for seed in range(4):
        errands, distance = country(EXACT, seed, ways)
        best = _exact("0", errands, distance, last)
        assert _many(TravelCosts("0", errands, distance), last, solve).cost == best.cost
        errands, distance = country(14, seed, ways)
        many = order("0", errands, distance, last, solve)
        assert many.exact
        assert last is None or many.sequence[-1] == last


def test_a_hundred_errands_are_ordered_well_without_a_solver() -> None:
    errands, distance = country(100, 0)
    many, best = order("0", errands, distance), order("0", errands, distance, solve=solve)
    assert many.bound <= best.cost <= many.cost <= 1.01 * best.cost
    assert many == order("0", errands, distance)


def test_no_route_is_looked_up_twice() -> None:
    errands, distance = country(40, 1)
    looked_up = []

    def counted(a: str, b: str) -> int:
        looked_up.append((a, b))
        return distance(a, b)

    order("0", errands, counted)
    assert len(looked_up) == len(set(looked_up))


def test_time_that_runs_out_leaves_an_order_and_a_bound() -> None:
    errands, distance = country(60, 0)
    clock = itertools.count(0.0, 0.01)
    with limited(2.0, lambda: next(clock)) as deadline:
        many = order("0", errands, distance)
    assert deadline.cuts and not many.reproducible
    assert 0 < many.bound <= many.cost


def country(count: int, seed: int, ways: int = 1) -> tuple[Errands, Distance]:
    """Errands between random places on a plane, and the drive between places."""
    numbers = random.Random(seed)
    spots = [(numbers.randrange(60_000), numbers.randrange(60_000)) for _ in range(count)]

    def distance(a: str, b: str) -> int:
        return sum(abs(x - y) for x, y in zip(spots[int(a)], spots[int(b)], strict=True))

    def way() -> SubgoalPlan:
        a, b = str(numbers.randrange(count)), str(numbers.randrange(count))
        return SubgoalPlan(a, b, distance(a, b) + 200)

    return [[way() for _ in range(ways)] for _ in range(count)], distance


def test_the_record_has_the_bound_of_the_order() -> None:
    office = ground(load_scene("office"), load_pack())
    goal = Goal.of(pick_and_place(office, 12, 0))
    result = plan_goal(goal, office, Engine.named("pyperplan"))
    bound = result.assembly.order
    assert result.verified and result.cost is not None and bound is not None
    assert bound.cost >= result.cost
    assert bound.bound == bound.cost and bound.gap == 0
    assert result.bound is None  # of all plans nothing is proved
    assert "the order of these plans is exact" in result.assembly.reason


def test_an_errand_without_a_way_is_refused() -> None:
    with pytest.raises(ValueError, match="without a plan"):
        order("a", [[]], lambda a, b: 0)


def test_ties_are_broken_the_same_way() -> None:
    errands = [[SubgoalPlan("b", "b", 0)], [SubgoalPlan("b", "b", 0)], [SubgoalPlan("b", "b", 0)]]
    assert order("a", errands, lambda a, b: 0).sequence == (0, 1, 2)


@pytest.mark.usefixtures("damaged_or_tools")
def test_an_order_that_damaged_or_tools_did_not_improve_says_so() -> None:
    office = ground(load_scene("office"), load_pack())
    goal = parse_goal("(forall (?a - snack) (in_room ?a meeting_room4))")
    result = plan_goal(goal, office, Engine.named("pyperplan"))
    assert result.verified and result.assembly.order is not None and result.assembly.order.gap > 0
    assert "times the best (cp-sat did not run (" in result.assembly.reason and not result.cut_off


PLANS = st.one_of(WAYS, st.just(SubgoalPlan(None, None, 3)))


@given(towns(), st.lists(PLANS, max_size=6), PLANS)
def test_the_cost_of_one_more_errand_is_that_of_the_whole_row(
    town: Town, plans: list[SubgoalPlan], extra: SubgoalPlan
) -> None:
    rows = [[*plans[:place], extra, *plans[place:]] for place in range(len(plans) + 1)]
    assert insertion_costs("a", plans, extra, lambda a, b: town[a, b]) == [cost("a", r, town) for r in rows]
