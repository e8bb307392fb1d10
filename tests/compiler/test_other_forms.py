"""Spellings of PDDL and of other languages in goals: what is read, and what each other form is told."""

from __future__ import annotations

import pytest

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import GoalSyntaxError, parse_goal
from groundplan.compiler.goals.recovery import syntax_errors
from groundplan.datasets.scenes import load_scene
from groundplan.domains.diagnostic import mended
from groundplan.domains.ending import Ending
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.language.sentences.saying import say
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import ground

OFFICE = ground(load_scene("office"), load_pack())


def errors(text: str) -> list[tuple[str, str, str]]:
    """Return code, place and message of each syntax error of a text."""
    with pytest.raises(GoalSyntaxError) as raised:
        parse_goal(text)
    reported = syntax_errors(text, "goal", raised.value)
    return [(d.code, text[d.span.start : d.span.end] if d.span else "", d.message) for d in reported]


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("(hot?x)", "(hot ?x)"),
        ("(exists(?m - mug)(ontop_of?m desk4))", "(exists (?m - mug) (ontop_of ?m desk4))"),
        ("(forall (?x) (clean ?x))", "(forall (?x) (clean ?x))"),
        ("(at-least 2 (?m - mug ?a ?b) (= ?a ?b))", "(at-least 2 (?m - mug ?a ?b) (= ?a ?b))"),
        ('(open "what?")', '(open "what?")'),
    ],
)
def test_spellings_of_pddl_are_read(text: str, printed: str) -> None:
    assert str(parse_goal(text)) == printed
    assert parse_goal(printed).formula == parse_goal(text).formula


def test_a_variable_without_a_type_is_any_thing() -> None:
    engine = Engine.named("pyperplan")
    shut = parse_goal("(exists (?x) (and (fridge ?x) (open ?x)))")
    assert check(shut, OFFICE).diagnostics == ()
    assert plan_goal(shut, OFFICE, engine).verified
    every = parse_goal("(forall (?x) (not (dirty ?x)))")
    assert plan_goal(every, OFFICE, engine).ending is Ending.UNSOLVABLE  # a shelf is dirty, which is no item
    assert say(shut.formula, OFFICE) == "Some thing is a fridge and is open."
    assert len(OFFICE.members("")) > len(OFFICE.members("object"))


@pytest.mark.parametrize(
    ("text", "form", "hint"),
    [
        ("(xor (open fridge) (hot bread))", "xor", "(and (or a b) (not (and a b)))"),
        ("(and (hot bread) (iff (open fridge) (hand_free)))", "iff", "(and (imply a b) (imply b a))"),
        ("(<=> (open fridge) (hand_free))", "<=>", "(and (imply a b) (imply b a))"),
        ("(over all (open fridge))", "over", "in the end"),
        ("(at start (open fridge))", "at", "in the end"),
        ("(2 (?x - mug) (clean ?x))", "2", "numbers in counts"),
        ("(>= (total-cost) 2)", ">=", "numbers in counts"),
        ("(= (total-cost) 2)", "=", "no functions"),
        ("(decrease (total-cost) 2)", "decrease", "costs are the planner's"),
        ("(:metric minimize (total-cost))", ":metric", "costs are the planner's"),
        ("(:init (open fridge))", ":init", "section of a problem"),
        ("(define (problem p) (:domain d))", "define", "(:goal ..)"),
        ("(within 5 (open fridge))", "within", "goals have no clock"),
        ("(preference tidy (open fridge))", "preference", "no preferences"),
        ("(many (?x - mug) (clean ?x))", "many", "exists, forall, exactly 2"),
        ("(ontop_of (orange1) (desk4))", "ontop_of", "a fact has names in it"),
        ("(before (open fridge) (hot bread))", "before", "joined by and, or, not"),
    ],
)
def test_each_other_form_has_its_own_message(text: str, form: str, hint: str) -> None:
    [(code, at, message)] = errors(text)
    assert (code, at) == ("unsupported", form)
    assert hint in message and "got (" not in message


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("(and (closed fridge (hot bread))", "(hot bread))"),
        ("(or (closed fridge) (ontop_of bread desk4 (hot bread)))", "(hot bread)))"),
        ("(exists (?m - mug) (and (clean ?m (hot ?m))))", "(hot ?m))))"),
    ],
)
def test_a_fact_that_is_not_closed_is_told_of_the_bracket(text: str, rest: str) -> None:
    with pytest.raises(GoalSyntaxError) as raised:
        parse_goal(text)
    found = raised.value.diagnostic
    assert found.span is not None and text[found.span.start :] == rest
    assert "may be missing" in found.message and "not supported" not in found.message


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("(=> (open fridge) (hot bread))", "(imply (open fridge) (hot bread))"),
        ("(IMPLIES (open fridge) (hot bread))", "(imply (open fridge) (hot bread))"),
        ("(&& (open fridge) (hot bread))", "(and (open fridge) (hot bread))"),
        ("(all (?x - mug) (clean ?x))", "(forall (?x - mug) (clean ?x))"),
        ("(and (hand_free) (~ (open fridge)))", "(and (hand_free) (not (open fridge)))"),
        ("(atleast 2 (?x - mug) (clean ?x))", "(at-least 2 (?x - mug) (clean ?x))"),
    ],
)
def test_a_connective_of_another_language_has_a_fix(text: str, right: str) -> None:
    with pytest.raises(GoalSyntaxError) as raised:
        parse_goal(text)
    assert mended(text, [raised.value.diagnostic]) == right


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("(and (nor (hot bread)) (open fridge) (not) (hand_free) (exists ?x (hot ?x)))", ["nor", ")", "?x"]),
        ("(or (imply (open fridge)) (exactly few (?x - mug) (clean ?x)))", [")", "few"]),
        ("(and (or (xor (hand_free)) (hot bread)) (hot bread (hand_free)))", ["xor", "("]),
        ("(not (open fridge) (hand_free))", ["("]),
        ("(and (nor (hot bread)) (open fridge)", ["nor", ""]),
        ("(forall (?x - mug ?y - ) (hot ?x))", [")"]),
    ],
)
def test_all_syntax_errors_are_reported_at_once(text: str, places: list[str]) -> None:
    assert [at for _, at, _ in errors(text)] == places


def test_errors_that_are_reported_are_bounded() -> None:
    assert len(errors(f"(and {'(not) ' * 500})")) == 20
