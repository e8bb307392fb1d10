"""What a compiled goal means: its normal form against the naive evaluation, in random states."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import beliefs, formulas, walked

from groundplan.compiler.forms import branches, holds_now, literals, negation
from groundplan.compiler.normal import normal_form
from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import And, Atom, Formula, Not, Or, Sometime, conjunction, walk
from groundplan.simulator.verification import watched

SETTINGS = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def speaks_of(formula: Formula, *predicates: str) -> bool:
    return any(isinstance(x, Atom) and x.predicate in predicates for x in walk(formula))


def notes(form: Formula) -> tuple[Formula, ...]:
    """The literals that a normal form wants to have happened."""
    return tuple(dict.fromkeys(x.body for x in walk(form) if isinstance(x, Sometime)))


@SETTINGS
@given(st.data())
def test_the_normal_form_says_what_the_goal_says_in_the_initial_state(data: st.DataObject) -> None:
    belief = data.draw(beliefs(hostile=None, connected=False))
    goal = data.draw(formulas(belief, sometime=True))
    form = normal_form(goal, belief)
    world = data.draw(walked(belief, 0, (*watched(goal, belief), *notes(form))))
    if holds_now(form, world.facts, world.happened):
        assert evaluate(goal, world)
    # The normal form may ask for more about the robot's place: the floor of a room, not anything in it.
    elif not speaks_of(goal, "robot_at", "in_room"):
        assert not evaluate(goal, world)


@SETTINGS
@given(st.data())
def test_the_normal_form_holds_only_where_the_goal_does_after_any_actions(data: st.DataObject) -> None:
    belief = data.draw(beliefs())
    goal = data.draw(formulas(belief, sometime=True))
    form = normal_form(goal, belief)
    world = data.draw(walked(belief, 8, (*watched(goal, belief), *notes(form))))
    if speaks_of(goal, "in_room"):  # what lies in what is known of the state that a form is made for
        if notes(form):
            return
        form = normal_form(goal, belief, world.facts)
    mine = holds_now(form, world.facts, world.happened)
    if mine:
        assert evaluate(goal, world)
    elif not speaks_of(goal, "robot_at", "in_room"):
        assert not evaluate(goal, world)


@SETTINGS
@given(st.data())
def test_the_room_of_a_thing_that_lies_somewhere_is_exact(data: st.DataObject) -> None:
    belief = data.draw(beliefs())
    goal = data.draw(formulas(belief))
    world = data.draw(walked(belief, 8))
    held = world.facts.all("holding")
    if held or speaks_of(goal, "robot_at"):
        return
    form = normal_form(goal, belief, world.facts)
    assert holds_now(form, world.facts) == evaluate(goal, world)


@SETTINGS
@given(st.data())
def test_branches_and_negation_keep_the_meaning(data: st.DataObject) -> None:
    belief = data.draw(beliefs())
    goal = data.draw(formulas(belief))
    world = data.draw(walked(belief))
    form = normal_form(goal, belief)
    value = holds_now(form, world.facts)
    assert holds_now(negation(form), world.facts) != value
    parts = branches(form, 200)
    if parts is not None:
        assert any(holds_now(conjunction(p), world.facts) for p in parts) == value
        assert all(len(list(literals(conjunction(p)))) == len(p) for p in parts)


@SETTINGS
@given(st.data())
def test_the_normal_form_is_ground_and_does_not_depend_on_the_order_of_anything(data: st.DataObject) -> None:
    belief = data.draw(beliefs())
    goal = data.draw(formulas(belief, sometime=True))
    form = normal_form(goal, belief)
    assert form == normal_form(goal, belief)
    for part in walk(form):
        if isinstance(part, Not):
            assert isinstance(part.part, Atom)
        if isinstance(part, Sometime):
            assert isinstance(part.body, Atom | Not)
        if isinstance(part, And | Or):
            assert len(part.parts) != 1
        if isinstance(part, Atom):
            assert part.predicate in belief.pack.fluents
            assert all(isinstance(a, str) for a in part.args)
