"""Boolean models: CP-SAT against enumeration, and the interface of OR-tools that is used."""

import itertools
import random

import pytest

from groundplan.engines.base import Budget
from groundplan.planners.optimization import cp_sat
from groundplan.planners.optimization.model import Arc, BooleanModel, SolutionStatus

BUDGET = Budget(30)


def meets(model: BooleanModel, values: tuple[bool, ...]) -> bool:
    def true(literal: int) -> bool:
        return values[literal] if literal >= 0 else not values[~literal]

    for row in model.constraints:
        total = sum(c for a, c in row.terms if true(a))
        if row.when is not None and not true(row.when):
            continue
        if row.least is not None and total < row.least:
            return False
        if row.most is not None and total > row.most:
            return False
    return all(sum(map(true, group)) <= 1 for group in model.exclusive)


def cheapest(model: BooleanModel) -> int | None:
    every = itertools.product((False, True), repeat=len(model.costs))
    return min((model.values_cost(v) for v in every if meets(model, v)), default=None)


def random_model(seed: int) -> BooleanModel:
    draw = random.Random(seed)
    model = BooleanModel()
    variables = [model.variable(draw.randint(0, 30)) for _ in range(draw.randint(2, 9))]
    signed = [*variables, *(~v for v in variables)]
    for _ in range(draw.randint(1, 8)):
        chosen = draw.sample(signed, draw.randint(1, min(6, len(signed))))
        when = draw.choice([None, None, draw.choice(signed)])
        match draw.randint(0, 3):
            case 0:
                model.any_of(chosen, when)
            case 1:
                model.at_least(draw.randint(1, len(chosen)), chosen, when)
            case 2:
                model.at_most(draw.randint(0, len(chosen)), chosen, when)
            case 3:
                terms = [(a, draw.randint(-4, 4)) for a in chosen]
                model.linear(terms, draw.randint(-5, 3), draw.choice([None, 4]), when)
    return model


@pytest.mark.parametrize("seed", range(8))
def test_cp_sat_finds_the_cheapest_values(seed: int) -> None:
    model = random_model(seed)
    answer = cp_sat.optimize(model, BUDGET, 1.0)
    assert answer.cost == answer.bound == cheapest(model)
    assert answer.status is (SolutionStatus.INFEASIBLE if answer.cost is None else SolutionStatus.OPTIMAL)
    if answer.values:
        assert meets(model, answer.values)


def tour(places: int, seed: int) -> BooleanModel:
    """Points in a square: one closed tour through all of them."""
    draw = random.Random(seed)
    at = [(draw.randint(0, 1000), draw.randint(0, 1000)) for _ in range(places)]
    model = BooleanModel()
    arcs = []
    for (i, a), (j, b) in itertools.permutations(enumerate(at), 2):
        arcs.append(Arc(i, j, model.variable(abs(a[0] - b[0]) + abs(a[1] - b[1]))))
    model.circuit(arcs)
    return model


def test_cp_sat_proves_the_shortest_tour() -> None:
    model = tour(7, 1)
    costs = {(a.tail, a.head): model.costs[a.literal] for a in model.circuits[0]}
    orders = itertools.permutations(range(1, 7))
    best = min(sum(costs[leg] for leg in itertools.pairwise((0, *o, 0))) for o in orders)
    answer = cp_sat.optimize(model, BUDGET, 1.0)
    assert (answer.status, answer.cost, answer.bound) == (SolutionStatus.OPTIMAL, best, best)


def test_a_node_with_a_true_arc_to_itself_stays_outside_of_the_tour() -> None:
    model = tour(4, 2)
    last = model.circuits.pop()
    outside = model.variable(-5000)
    model.circuit([*last, Arc(3, 3, outside)])
    answer = cp_sat.optimize(model, BUDGET, 1.0)
    assert answer.true(outside) and not answer.true(~outside)
    assert not any(answer.true(a.literal) for a in last if 3 in (a.tail, a.head))


def test_a_search_that_is_cut_off_claims_no_more_than_it_knows() -> None:
    model = tour(40, 3)
    answer = cp_sat.optimize(model, BUDGET, 0.001)
    assert answer.status in (SolutionStatus.FEASIBLE, SolutionStatus.UNKNOWN)
    assert answer.reproducible and answer == cp_sat.optimize(model, BUDGET, 0.001)


def test_a_hint_does_not_change_the_optimum() -> None:
    model = tour(9, 4)
    plain = cp_sat.optimize(model, BUDGET, 1.0)
    model.hint = dict(enumerate(plain.values))
    assert cp_sat.optimize(model, BUDGET, 1.0).cost == plain.cost


def test_a_job_without_time_gives_no_answer() -> None:
    answer = cp_sat.optimize(tour(60, 5), Budget(0.05), 100.0)
    assert answer.status is SolutionStatus.UNKNOWN and not answer.reproducible and not answer.values


@pytest.mark.usefixtures("damaged_or_tools")
def test_damaged_or_tools_give_no_answer_and_are_named() -> None:
    answer = cp_sat.optimize(random_model(3), BUDGET)
    assert (answer.solver, answer.status, answer.cost) == ("cp-sat", SolutionStatus.UNKNOWN, None)
    assert answer.failure.startswith("cp-sat did not run (")
    assert "libortools.so.9" in answer.failure and "\n" not in answer.failure


def test_a_clock_is_no_failure_of_the_solver() -> None:
    answer = cp_sat.optimize(tour(60, 5), Budget(0.05), 100.0)
    assert answer.status is SolutionStatus.UNKNOWN and not answer.failure
