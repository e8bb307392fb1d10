"""What a model may answer: a goal, or the words for what is missing; only an answer may be the latter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundplan.compiler.goals.goal import MAX_WORDS, Goal, GoalSyntaxError, Missing, parse_answer, parse_goal
from groundplan.domains.formula import Atom


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('(missing "red apple")', "red apple"),
        (' ( MISSING\n "a  big\\tbox" ) ; a comment', "a big box"),
        ('(missing "a \\"b\\" (c")', 'a "b" (c'),
    ],
)
def test_missing_is_an_answer(text: str, words: str) -> None:
    assert parse_answer(text) == Missing(words)


def test_a_goal_is_an_answer() -> None:
    text = "(and (open fridge) (closed cabinet1))"
    answer = parse_answer(text)
    assert isinstance(answer, Goal)
    assert answer == parse_goal(text)


def test_missing_is_no_goal() -> None:
    with pytest.raises(GoalSyntaxError, match="expected a goal") as caught:
        parse_goal('(missing "red apple")')
    found = caught.value.diagnostic
    assert (found.code, found.span and found.span.start, found.span and found.span.end) == ("missing", 0, 21)


@pytest.mark.parametrize(
    "text",
    [
        '(missing "")',
        '(missing " ")',
        '(missing "a" "b")',
        '(missing "a") (open x)',
        f'(missing "{"x" * (MAX_WORDS + 1)}")',
    ],
)
def test_missing_takes_one_short_text(text: str) -> None:
    with pytest.raises(GoalSyntaxError):
        parse_answer(text)


@pytest.mark.parametrize("text", ["(missing apple1)", '("missing" "a b")', "(Missing ?x)"])
def test_a_class_may_still_be_called_missing(text: str) -> None:
    goal = parse_goal(text)
    assert isinstance(goal.formula, Atom)
    assert parse_goal(str(goal)).formula == goal.formula
    assert Goal.of(Atom("missing", ("a b",))).formula == Atom("missing", ("a b",))


@given(st.text(min_size=1, max_size=MAX_WORDS))
def test_the_words_survive_text(words: str) -> None:
    spoken = " ".join(words.split())
    if spoken:
        assert parse_answer(str(Missing(spoken))) == Missing(spoken)
