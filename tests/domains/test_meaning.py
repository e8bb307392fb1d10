"""What a formula means: the definition that everything goes by, against one that shares nothing with it."""

from __future__ import annotations

import pytest
from draws import draws
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from oracles.meaning import holds
from oracles.states import State
from strategies import atoms, beliefs, quantifiable

from groundplan.compiler.certificates import Certificate, Refused, check_certificate
from groundplan.compiler.forms import holds_now
from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.normal import normal_form
from groundplan.compiler.query.solutions import Search
from groundplan.datasets.scenes import load_scene
from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import And, Count, Exists, Forall, Formula, Imply, Not, Or, TypedVar
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.world import World

OFFICE = ground(load_scene("office"), load_pack())
SETTINGS = draws(100, suppress_health_check=list(HealthCheck))


def first_state(belief: Belief) -> State:
    start = frozenset((a.predicate, a.args) for a in belief.facts)
    return State(belief, start.__contains__, lambda literal: False)


@st.composite
def reusing_names(
    draw: st.DrawFn, belief: Belief, depth: int = 2, scope: tuple[TypedVar, ...] = (), distinct: bool = False
) -> Formula:
    """Formulas of quantifiers over two variables, whose names are declared again further in."""

    def below(inner: tuple[TypedVar, ...] = scope) -> Formula:
        return draw(reusing_names(belief, depth - 1, inner, distinct))

    shape = draw(st.sampled_from(["atom"] if depth == 0 else ["and", "or", "not", "imply", "quantified"]))
    match shape:
        case "atom":
            return draw(atoms(belief, scope))
        case "and" | "or":
            parts = (draw(atoms(belief, scope)), below())
            return And(parts) if shape == "and" else Or(parts)
        case "not":
            return Not(below())
        case "imply":
            return Imply(draw(atoms(belief, scope)), below())
    pairs = ["ab", "ba"] if distinct else ["ab", "ba", "aa"]
    kinds = st.sampled_from(quantifiable(belief))
    variables = tuple(TypedVar(name, draw(kinds)) for name in draw(st.sampled_from(pairs)))
    hidden = {v.name: v for v in (*scope, *variables)}
    body = below(tuple(hidden.values()))
    if draw(st.booleans()):
        body = And((draw(atoms(belief, tuple(hidden.values()))), body))
    if draw(st.integers(0, 2)) == 0:
        kind = draw(st.sampled_from(("exactly", "at-least", "at-most")))
        return Count(kind, draw(st.integers(0, 3)), variables, body)
    return draw(st.sampled_from((Exists, Forall)))(variables, body)


@SETTINGS
@given(st.data())
def test_the_definition_of_truth_is_the_plain_one(data: st.DataObject) -> None:
    belief = data.draw(beliefs())
    goal = data.draw(reusing_names(belief))
    assert evaluate(goal, World(belief)) == holds(goal, first_state(belief))


@SETTINGS
@given(st.data())
def test_questions_and_normal_forms_take_names_that_are_declared_again(data: st.DataObject) -> None:
    belief = data.draw(beliefs())
    goal = data.draw(reusing_names(belief))
    truth = holds(goal, first_state(belief))
    assert Search(belief).holds(goal, {}) == truth
    if holds_now(normal_form(goal, belief), belief.facts):
        assert truth


HIDDEN = [
    ("(exists (?y - apple) (exists (?x - asset ?y - room) (in_room ?x ?y)))", True),
    ("(exists (?y - apple) (not (exists (?x - apple ?y - room) (in_room ?x ?y))))", False),
    ("(forall (?r - fridge) (exactly 1 (?x - fridge ?r - room) (in_room ?x ?r)))", True),
    (
        "(forall (?y - fridge) (forall (?x - fridge ?y - room) (imply (in_room ?x ?y) (not (kitchen ?y)))))",
        False,
    ),
    ("(exists (?y - room ?y - fridge) (fridge ?y))", True),
    ("(exists (?y - fridge ?y - room) (room ?y))", True),
]


@pytest.mark.parametrize(("text", "truth"), HIDDEN)
def test_a_hidden_name_says_nothing_about_the_one_that_hides_it(text: str, truth: bool) -> None:
    goal = parse_goal(text).formula
    assert holds(goal, first_state(OFFICE)) is truth
    assert evaluate(goal, World(OFFICE)) is truth
    assert holds_now(normal_form(goal, OFFICE), OFFICE.facts) is truth


@pytest.mark.parametrize("text", [text for text, truth in HIDDEN if truth])
def test_no_certificate_is_believed_for_a_goal_that_holds(text: str) -> None:
    nothing = Certificate("facts", text, OFFICE.scene.hash, OFFICE.pack.hash)
    with pytest.raises(Refused):
        check_certificate(nothing, OFFICE, parse_goal(text).formula)
