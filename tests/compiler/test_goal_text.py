"""Goals as text: printing and parsing are inverse, spans point at the right text, bad text gets a place."""

from __future__ import annotations

import pytest
from draws import draws
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from strategies import HOSTILE, beliefs, formulas

from groundplan.compiler.goals.goal import Goal, GoalSyntaxError, parse_goal
from groundplan.domains.errors import GoalError
from groundplan.domains.formula import (
    ANYTHING,
    And,
    Atom,
    Count,
    Equal,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Sometime,
    TypedVar,
    Var,
    children,
)

NAMES = st.one_of(
    st.sampled_from([h for h in HOSTILE if len(h) < 100]),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=8),
    st.sampled_from("AND Or noT ımply exısts sometıme ſometime EXACTLY at-leaſt - = 5 00 12x".split()),
)
VARIABLES = st.from_regex(r"[a-z][a-z0-9_]{0,3}", fullmatch=True)
TERMS = st.one_of(NAMES, VARIABLES.map(Var))
ATOMS = st.builds(lambda p, a: Atom(p, tuple(a)), NAMES, st.lists(TERMS, max_size=3))
# Variables without a class come last.
TYPED = (
    st.tuples(
        st.lists(st.builds(TypedVar, VARIABLES, NAMES), max_size=2),
        st.lists(st.builds(TypedVar, VARIABLES, st.just(ANYTHING)), max_size=2),
    )
    .filter(any)
    .map(lambda both: (*both[0], *both[1]))
)


def extend(below: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    many = st.lists(below, max_size=3).map(tuple)
    kinds = st.sampled_from(("exactly", "at-least", "at-most"))
    return st.one_of(
        many.map(And),
        many.map(Or),
        below.map(Not),
        below.map(Sometime),
        st.builds(Imply, below, below),
        st.builds(Exists, TYPED, below),
        st.builds(Forall, TYPED, below),
        st.builds(Count, kinds, st.integers(0, 999_999), TYPED, below),
    )


FORMULAS = st.recursive(st.one_of(ATOMS, st.builds(Equal, TERMS, TERMS)), extend, max_leaves=8)


@draws(300)
@given(FORMULAS)
def test_printing_and_parsing_are_inverse(formula: Formula) -> None:
    assert parse_goal(str(formula)) == Goal.of(formula)


@draws(150)
@given(FORMULAS, st.data())
def test_spans_are_the_text_of_their_part(formula: Formula, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(("", " ", "\n\n ", "; a comment (\n"))) + str(formula)
    goal = parse_goal(text)
    stack: list[tuple[tuple[int, ...], Formula]] = [((), formula)]
    while stack:
        path, part = stack.pop()
        span = goal.spans[path]
        assert text[span.start : span.end] == str(part)
        before = text[: span.start]
        assert span.line == before.count("\n") + 1
        assert span.column == len(before) - (before.rfind("\n") + 1) + 1
        if isinstance(part, Atom | Equal):
            terms = part.args if isinstance(part, Atom) else (part.left, part.right)
            for index, term in enumerate(terms):
                at = goal.spans[(*path, index)]
                piece = parse_goal(f"(p {text[at.start : at.end]})").formula
                assert piece == Atom("p", (term,))
        stack.extend(((*path, i), c) for i, c in enumerate(children(part)))


@draws(60, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_goals_about_worlds_with_hostile_names_survive_text(data: st.DataObject) -> None:
    belief = data.draw(beliefs(hostile=True))
    formula = data.draw(formulas(belief, sometime=True))
    goal = Goal.of(formula)
    assert goal == parse_goal(str(formula))


def test_ten_thousand_characters_and_control_characters_are_names() -> None:
    for name in (
        "x" * 10_000,
        " " * 10_000,
        '"' * 500,
        "\\" * 501,
        "a\x00b",
        "\x7f\x1b[31m",
        "\u2028",
        "a\u0085b",
    ):
        formula = Atom("open", (name,))
        assert parse_goal(str(formula)).formula == formula


@pytest.mark.parametrize(
    ("text", "code", "start"),
    [
        ("", "empty", 0),
        ("  \n ; only a comment\n", "empty", 0),
        ("(", "syntax", 1),
        ("(and (open fridge)", "syntax", 18),
        ("(open fridge))", "syntax", 13),
        ("open fridge", "syntax", 0),
        ("(and (open fridge) closed)", "syntax", 19),
        ("(exists (?x room) (open ?x))", "syntax", 12),
        ("(exists ?x (open ?x))", "syntax", 8),
        ("(exactly two (?x - room) (open ?x))", "syntax", 9),
        ("(exactly -1 (?x - room) (open ?x))", "syntax", 9),
        ("(= a)", "syntax", 4),
        ("(not)", "syntax", 4),
        ("(not (open a) (open b))", "syntax", 14),
        ("(imply (open a))", "syntax", 15),
        ("()", "syntax", 1),
        ("(?x)", "syntax", 1),
        ('(open "a)', "syntax", 6),
        ('(open "")', "syntax", 0),
        ('(open "\\q")', "syntax", 0),
        ("(" * 100_000, "too-deep", 200),
        ("(not " * 201 + "(open a)" + ")" * 201, "too-deep", 1000),
        ("x" * 200_001, "too-long", 0),
        ("(always-within 3 (open fridge))", "unsupported", 1),
        ("(always (open fridge) (open box))", "syntax", 22),
        ("(sometime-after (open fridge))", "syntax", 29),
        ("(never (do open fridge) :if (open box))", "syntax", 24),
        ("(and (open a) (Within 5 (open a)))", "unsupported", 15),
        ("(preference p1 (open a))", "unsupported", 1),
        ("(opened (open a))", "unsupported", 1),
    ],
)
def test_bad_text_names_its_place(text: str, code: str, start: int) -> None:
    with pytest.raises(GoalSyntaxError) as caught:
        parse_goal(text)
    assert isinstance(caught.value, GoalError)
    found = caught.value.diagnostic
    assert (found.code, found.severity) == (code, "error")
    assert found.span is not None
    assert found.span.start == start
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("form", ["within", "always-within", "hold-during", "hold-after"])
def test_forms_of_pddl3_that_are_not_supported_are_named(form: str) -> None:
    with pytest.raises(GoalSyntaxError, match=f"got {form}, which is not supported; goals have no clock"):
        parse_goal(f"(and (open box) ({form} 3 (open fridge)))")
    assert parse_goal(f"({form} fridge)").formula == Atom(form, ("fridge",))  # a pack may call a fact so


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("(never (open fridge))", "(always (not (open fridge)))"),
        ("(never (not (open fridge)))", "(always (open fridge))"),
        ("(at end (open fridge))", "(open fridge)"),
        ("(AT-END (and (open fridge)))", "(and (open fridge))"),
        ("(at-most-once (open fridge))", "(at-most-once (open fridge))"),
        ("(Sometime-Before (open a) (open b))", "(sometime-before (open a) (open b))"),
        ("(sometime-after (open a) (open b))", "(sometime-after (open a) (open b))"),
        ("(never (do pickup ?x))", "(never (do pickup ?x))"),
        ("(never (DO put ?x box) :when (hot ?x))", "(never (do put ?x box) :when (hot ?x))"),
        ('(never ("always" fridge))', '(always (not ("always" fridge)))'),
    ],
)
def test_what_is_said_of_the_run_reads_as_it_prints(text: str, printed: str) -> None:
    goal = parse_goal(text)
    assert str(goal) == printed
    again = parse_goal(printed)
    assert again.formula == goal.formula
    assert again.spans == Goal.of(goal.formula).spans


def test_the_deepest_goal_that_is_allowed_can_be_used() -> None:
    formula: Formula = Atom("open", ("fridge",))
    for _ in range(199):
        formula = Not(formula)
    goal = parse_goal(str(formula))
    assert goal.formula == formula
    assert len(goal.spans) == 202  # 199 negations, the fact, its argument and its predicate


@draws(200)
@given(st.text(st.sampled_from('()?-= "\\;anodrtx1\n'), max_size=40))
def test_any_text_is_a_goal_or_a_goal_error(text: str) -> None:
    try:
        goal = parse_goal(text)
    except GoalError:
        return
    assert parse_goal(str(goal)).formula == goal.formula
