"""Circuits and their solver against truth tables."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundplan.compiler.comparison import solver
from groundplan.compiler.comparison.circuit import FALSE, TRUE, Gates
from groundplan.compiler.comparison.solver import Constraints, Solver, Undecided

NAMES = "abcde"
Tree = str | tuple[int, tuple["Tree", ...]] | tuple[str, "Tree"]
"""A name, at least so many of some trees, or a negation."""


def above(trees: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    several = st.lists(trees, max_size=4).map(tuple)
    return st.one_of(st.tuples(st.just("not"), trees), st.tuples(st.integers(0, 4), several))


TREES = st.recursive(st.sampled_from(NAMES), above, max_leaves=14)


def true(tree: Tree, state: frozenset[str]) -> bool:
    match tree:
        case str():
            return tree in state
        case ("not", part):
            return not true(part, state)
        case (number, parts):
            return sum(true(part, state) for part in parts) >= number
    raise AssertionError(tree)


def literal(tree: Tree, circuit: Gates, variables: Mapping[str, int]) -> int:
    match tree:
        case str():
            return variables[tree]
        case ("not", part):
            return -literal(part, circuit, variables)
        case (number, parts):
            return circuit.at_least(number, [literal(part, circuit, variables) for part in parts])
    raise AssertionError(tree)


STATES = [frozenset(c) for n in range(len(NAMES) + 1) for c in itertools.combinations(NAMES, n)]


@given(st.lists(TREES, min_size=1, max_size=3), st.lists(st.sampled_from(NAMES), max_size=3, unique=True))
def test_what_is_satisfiable_is_what_the_truth_table_says(trees: list[Tree], exclusive: list[str]) -> None:
    circuit = Gates()
    variables = {name: circuit.variable() for name in NAMES}
    group = Constraints(exclusive=[tuple(variables[n] for n in exclusive)] if len(exclusive) > 1 else [])
    solving = Solver(circuit, group, list(variables.values()))
    for number in range(1, len(trees) + 1):  # gates are added between the questions
        assumed = [literal(tree, circuit, variables) for tree in trees[:number]]
        states = [s for s in STATES if len(s & {*exclusive}) <= 1 and all(true(t, s) for t in trees[:number])]
        values = solving.satisfy(assumed)
        assert (values is not None) == bool(states)
        if values is not None:
            assert frozenset(n for n in NAMES if values[variables[n]]) in states


@given(TREES)
def test_the_nearest_state_has_the_fewest_true(tree: Tree) -> None:
    circuit = Gates()
    variables = {name: circuit.variable() for name in NAMES}
    output = literal(tree, circuit, variables)
    solving = Solver(circuit, Constraints(), list(variables.values()))
    solving.minimise(list(variables.values()))
    values = solving.nearest([output])
    fewest = min((len(state) for state in STATES if true(tree, state)), default=None)
    assert (None if values is None else sum(values[v] for v in variables.values())) == fewest


def test_equal_gates_are_one_and_constants_are_gone() -> None:
    circuit = Gates()
    a, b = circuit.variable(), circuit.variable()
    assert circuit.conjunction((a, b)) == circuit.conjunction((b, TRUE, a, b))
    assert circuit.conjunction((a, -a)) == FALSE and circuit.disjunction((a, b, -a)) == TRUE
    assert circuit.at_least(2, [a, a]) == a and circuit.at_least(2, [a, -a, b]) == b


def test_definitions_are_least_and_edges_have_no_ring() -> None:
    circuit = Gates()
    edge = {pair: circuit.variable() for pair in itertools.permutations("abc", 2)}
    top = {name: circuit.variable() for name in "abc"}
    for name in "abc":  # true where a way leads to c
        ways = [circuit.conjunction((edge[name, other], top[other])) for other in "abc" if other != name]
        circuit.define(top[name], ways if name != "c" else [TRUE])
    numbers = {name: number for number, name in enumerate("abc", 1)}
    edges = [(numbers[a], numbers[b], literal) for (a, b), literal in edge.items()]
    free = Solver(circuit, Constraints(), list(edge.values()))
    bound = Solver(circuit, Constraints(edges=edges), list(edge.values()))
    ring = [edge["a", "b"], edge["b", "a"]]
    assert free.satisfy([*ring, top["a"], -edge["a", "c"], -edge["b", "c"]]) is None
    assert free.satisfy(ring) is not None and bound.satisfy(ring) is None
    assert bound.satisfy([edge["a", "b"], edge["b", "c"], top["a"]]) is not None


def test_what_takes_too_many_conflicts_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "LIMIT", 50)
    circuit = Gates()
    places = [[circuit.variable() for _ in range(8)] for _ in range(9)]  # nine pigeons in eight holes
    groups = Constraints(
        [tuple(row) for row in places], [tuple(column) for column in zip(*places, strict=True)]
    )
    solving = Solver(circuit, groups, [place for row in places for place in row])
    for _ in range(2):  # the limit is that of one question
        with pytest.raises(Undecided, match="limit of 50 conflicts"):
            solving.satisfy([])
