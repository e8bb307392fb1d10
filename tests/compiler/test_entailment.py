"""Entailment against truth tables, and the exclusive groups against worlds that were walked through."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import beliefs, walked

from groundplan.compiler.comparison.entailment import Entailment, entails
from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.goals.invariants import invariants
from groundplan.datasets.library import load_set
from groundplan.domains.evaluate import compare, evaluate
from groundplan.domains.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    Cardinality,
    Exists,
    Formula,
    Imply,
    Not,
    Or,
    Sometime,
    TypedVar,
    Var,
    is_ground_atom,
)
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import ground

ATOMS = [Atom(p, ("x",)) for p in "abcde"]
KINDS = ("at-least", "at-most", "exactly")


def above(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    several = st.lists(parts, max_size=4).map(tuple)
    return st.one_of(
        parts.map(Not),
        several.map(And),
        several.map(Or),
        st.builds(Imply, parts, parts),
        st.builds(Cardinality, st.sampled_from(KINDS), st.integers(0, 4), several),
    )


FORMULAS = st.recursive(st.sampled_from(ATOMS), above, max_leaves=12)
SIMPLE = st.one_of(st.sampled_from(ATOMS), st.sampled_from(ATOMS).map(Not))
LASTING = st.recursive(st.one_of(SIMPLE, SIMPLE.map(Sometime)), above, max_leaves=8)


def true(formula: Formula, state: frozenset[Atom], seen: tuple[frozenset[Atom], ...] = ()) -> bool:
    """Truth in a set of atoms, after the states that were seen."""
    match formula:
        case Atom():
            return formula in state
        case Not(part):
            return not true(part, state, seen)
        case And(parts):
            return all(true(p, state, seen) for p in parts)
        case Or(parts):
            return any(true(p, state, seen) for p in parts)
        case Imply(left, right):
            return not true(left, state, seen) or true(right, state, seen)
        case Cardinality(kind, number, parts):
            return compare(kind, sum(true(p, state, seen) for p in parts), number)
        case Sometime(body):
            return any(true(body, s) for s in (*seen, state))
    raise AssertionError(formula)


STATES = [frozenset(c) for n in range(len(ATOMS) + 1) for c in itertools.combinations(ATOMS, n)]


@given(FORMULAS, FORMULAS, FORMULAS)
def test_entailment_is_what_the_truth_table_says(a: Formula, b: Formula, known: Formula) -> None:
    expected = all(true(b, s) for s in STATES if true(a, s) and true(known, s))
    assert entails(a, b, known) is expected


@given(LASTING, LASTING, st.lists(st.sampled_from(STATES), min_size=1, max_size=4))
def test_what_follows_is_true_of_every_run(a: Formula, b: Formula, run: list[frozenset[Atom]]) -> None:
    if entails(a, b):
        assert not true(a, run[-1], tuple(run)) or true(b, run[-1], tuple(run))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("(open x)", "(sometime (open x))", True),
        ("(sometime (open x))", "(open x)", False),
        ("(sometime (and (open x) (hot y)))", "(sometime (hot y))", True),
        ("(sometime (hot y))", "(sometime (and (open x) (hot y)))", False),
        ("(sometime (and (hot y) (not (hot y))))", "(open x)", True),
        ("(= x x)", "(= x y)", False),
        ("(imply (open x) (hot y))", "(or (not (open x)) (hot y))", True),
    ],
)
def test_sometime_follows_from_what_holds_at_the_end(a: str, b: str, expected: bool) -> None:
    assert entails(parse_goal(a).formula, parse_goal(b).formula) is expected


def test_what_takes_too_long_is_unknown() -> None:
    # Eight pigeons in seven holes: false, but only a search through the placements shows it.
    places = [[Atom("in", (str(p), str(h))) for h in range(7)] for p in range(8)]
    somewhere = And(tuple(Or(tuple(row)) for row in places))
    alone = And(tuple(Cardinality("at-most", 1, column) for column in zip(*places, strict=True)))
    assert entails(And((somewhere, alone)), FALSE) is None
    # A bound that is used up answers nothing any more.
    spent = Entailment(work=50)
    assert spent.entails(And((somewhere, alone)), FALSE) is None
    assert spent.entails(TRUE, TRUE) is None


@pytest.mark.parametrize("formula", [Exists((TypedVar("x", "item"),), ATOMS[0]), Atom("open", (Var("x"),))])
def test_a_formula_that_is_not_ground_is_an_error(formula: Formula) -> None:
    with pytest.raises(ValueError, match="not ground"):
        entails(formula, TRUE)


@settings(max_examples=40)
@given(st.data())
def test_exclusive_groups_hold_in_every_state_that_actions_lead_to(data: st.DataObject) -> None:
    belief = data.draw(beliefs())
    world = data.draw(walked(belief))
    atoms = [a for a in (*belief.facts, *world.facts) if a.predicate in belief.pack.fluents]
    assert all(map(is_ground_atom, atoms))
    assert evaluate(invariants(atoms, belief), world)


def test_an_open_thing_is_not_closed_and_the_other_way_round() -> None:

    belief = ground(load_set("office-planning")[1].load(), load_pack())
    opened, closed = (Atom(p, ("fridge",)) for p in ("open", "closed"))
    known = invariants([opened, closed], belief)
    assert entails(opened, Not(closed), known) and entails(Not(closed), opened, known)
    inside, on, held = Atom("inside_of", ("a", "b")), Atom("ontop_of", ("a", "c")), Atom("holding", ("a",))
    known = invariants([inside, on, held, Atom("holding", ("z",))], belief)
    assert entails(inside, Not(Or((on, held))), known)
    assert entails(Not(inside), on, known) is False
    assert entails(held, Not(Atom("holding", ("z",))), known)
