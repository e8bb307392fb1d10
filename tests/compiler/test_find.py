"""Questions: their text, their check, and their answers against the definition over all tuples of nodes."""

from __future__ import annotations

import itertools

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import beliefs, formulas, quantifiable

from groundplan.compiler.find import Answers, find
from groundplan.compiler.query import parse_query
from groundplan.compiler.solutions import Search
from groundplan.datasets.library import load_scene
from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import (
    Count,
    Exists,
    Forall,
    Formula,
    TypedVar,
    Var,
    rebuild,
    substitute,
)
from groundplan.domains.pack import load_pack
from groundplan.simulator.grounding import Belief, ground
from groundplan.simulator.world import World

OFFICE = ground(load_scene("office"), load_pack())
SETTINGS = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def ask(text: str, belief: Belief = OFFICE) -> Answers:
    return find(parse_query(text), belief)


def names(text: str, belief: Belief = OFFICE) -> list[str]:
    """The answers to a question with one variable."""
    return [a.nodes[0] for a in ask(text, belief).found]


# Against the definition


def naive(formula: Formula, variables: tuple[TypedVar, ...], belief: Belief) -> list[tuple[str, ...]]:
    """Every tuple of nodes for which the formula holds by the definition."""
    world = World(belief)
    members = [belief.members(v.type) for v in variables]
    rows = itertools.product(*members)
    binding = ({v.name: n for v, n in zip(variables, row, strict=True)} for row in rows)
    return [tuple(b.values()) for b in binding if evaluate(formula, world, b)]


@st.composite
def asked(draw: st.DrawFn, belief: Belief, most: int = 3) -> tuple[tuple[TypedVar, ...], Formula]:
    kinds = quantifiable(belief)
    number = draw(st.integers(1, most))
    variables = tuple(TypedVar(f"v{i}", draw(st.sampled_from(kinds))) for i in range(number))
    return variables, draw(formulas(belief, 3, variables))


@SETTINGS
@given(st.data())
def test_answers_are_the_tuples_for_which_the_formula_holds(data: st.DataObject) -> None:
    belief = data.draw(beliefs(hostile=None, connected=False))
    variables, formula = data.draw(asked(belief))
    text = f"(find ({' '.join(map(str, variables))}) {formula})"
    found = [a.nodes for a in ask(text, belief).found]
    order = {n: i for i, n in enumerate(belief.scene.nodes)}
    assert found == sorted(naive(formula, variables, belief), key=lambda row: [order[n] for n in row])


@SETTINGS
@given(st.data())
def test_variables_that_hide_each_other_mean_what_they_mean(data: st.DataObject) -> None:
    """Two names for all variables: every quantifier hides something."""
    belief = data.draw(beliefs())
    variables, formula = data.draw(asked(belief, 2))
    formula = renamed(formula)
    search = Search(belief)
    found = [tuple(b.items()) for b in search.solutions(search.plan_for(variables, formula), {})]
    expected = naive(formula, variables, belief)
    assert sorted(tuple(dict(b)[v.name] for v in variables) for b in found) == sorted(expected)


def renamed(formula: Formula) -> Formula:
    """The same formula with ``v0`` and ``v1`` for all variables, quantifiers over pairs with one name twice."""

    def name(old: str) -> str:
        return f"v{int(old[1:]) % 2}"

    def twice(variables: tuple[TypedVar, ...]) -> tuple[TypedVar, ...]:
        one = TypedVar(name(variables[0].name), variables[0].type)
        return (TypedVar(one.name, "room"), one) if variables[0].name == "v3" else (one,)

    match formula:
        case Exists(variables, body):
            return Exists(twice(variables), renamed(body))
        case Forall(variables, body):
            return Forall(twice(variables), renamed(body))
        case Count(kind, number, variables, body):
            return Count(kind, number, twice(variables), renamed(body))
    inner = rebuild(formula, renamed)
    return substitute(inner, {f"v{i}": Var(f"v{i % 2}") for i in range(8)})
