"""Answers as JSON: names survive, and JSON that no schema held back gets an error with its place."""

from __future__ import annotations

import json

import pytest
from canonical import goal_to_json
from hypothesis import given
from hypothesis import strategies as st
from strategies import household

from groundplan.compiler.decoding.json_form import goal_from_json
from groundplan.compiler.goals.goal import GoalSyntaxError, Missing, parse_answer, parse_goal
from groundplan.domains.formula import And, Atom, Exists, TypedVar, Var

KEYS = st.sampled_from("and not exists exactly of holds ?x open arg2 = missing answer".split())
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS, below, max_size=3),
)


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (None, "answer"),
        ([], "answer"),
        ({}, "answer"),
        ({"answer": {"and": {"open": 3}}}, "answer.and.open"),
        ({"answer": {"and": [{"open": "x"}, 3]}}, r"answer.and\[1\]"),
        ({"answer": {"open": "x", "closed": "y"}}, "answer"),
        ({"answer": {"open": ""}}, "answer.open"),
        ({"answer": {"open": {"x": 1}}}, "answer.open"),
        ({"answer": {"open": "?x) (and"}}, "answer.open"),
        ({"answer": {"open": '"x" (open y'}}, "answer.open"),
        ({"answer": {"exists": {"holds": {"open": "x"}}}}, "answer.exists"),
        ({"answer": {"exists": {"?x": "desk"}}}, "answer:1:"),
        ({"answer": {"exactly": "two", "of": {}}}, "answer.exactly"),
        ({"answer": {"exactly": True, "of": {}}}, "answer.exactly"),
        ({"answer": {"imply": {"open": "x"}}}, "answer:1:"),
        ({"answer": {"?x": "?y"}}, "answer"),
    ],
)
def test_json_that_is_no_answer_names_its_place(value: object, place: str) -> None:
    with pytest.raises(GoalSyntaxError, match=place) as caught:
        parse_answer(goal_from_json(value))
    assert len(str(caught.value)) < 400


def test_what_is_asked_of_the_run_is_read() -> None:
    value = {"and": [{"always": {"closed": "x"}}, {"sometime-before": {"open": "x"}, "arg2": {"hot": "y"}}]}
    assert goal_from_json(value) == "(and (always (closed x)) (sometime-before (open x) (hot y)))"


def test_json_that_nests_without_end_is_refused() -> None:
    value: object = {"open": "x"}
    for _ in range(300):
        value = {"not": value}
    with pytest.raises(GoalSyntaxError, match="deep"):
        goal_from_json(value)


@given(VALUES)
def test_any_json_is_an_answer_or_an_error(value: object) -> None:
    try:
        parse_answer(goal_from_json(value))
    except GoalSyntaxError as error:
        assert error.diagnostic.code


@given(st.text(min_size=1, max_size=6))
def test_any_name_survives_json(name: str) -> None:
    formula = And((Atom("open", (name,)), Exists((TypedVar("item1", name),), Atom(name, (Var("item1"),)))))
    value = json.loads(json.dumps(goal_to_json(formula, household())))
    assert parse_goal(goal_from_json(value)).formula == formula


def test_missing_survives_json() -> None:
    assert parse_answer(goal_from_json(goal_to_json(Missing("a red apple"), household()))) == Missing(
        "a red apple"
    )
