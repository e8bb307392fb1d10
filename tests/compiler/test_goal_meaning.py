"""What a compiled goal means: its normal form against the naive evaluation, in random states."""

from __future__ import annotations

from draws import draws
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from strategies import beliefs, formulas, household, walked

from groundplan.compiler.forms import branches, holds_now, literals, negation
from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.normal import normal_form
from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import And, Atom, Formula, Not, Or, Sometime, conjunction, conjuncts, walk
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.verification import watched

SETTINGS = draws(150, suppress_health_check=list(HealthCheck))


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
    if holds_now(form, world.state.facts, world.happened):
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
        form = normal_form(goal, belief, world.state.facts)
    mine = holds_now(form, world.state.facts, world.happened)
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
    held = world.state.facts.all("holding")
    if held or speaks_of(goal, "robot_at"):
        return
    form = normal_form(goal, belief, world.state.facts)
    assert holds_now(form, world.state.facts) == evaluate(goal, world)


@SETTINGS
@given(st.data())
def test_branches_and_negation_keep_the_meaning(data: st.DataObject) -> None:
    belief = data.draw(beliefs())
    goal = data.draw(formulas(belief))
    world = data.draw(walked(belief))
    form = normal_form(goal, belief)
    value = holds_now(form, world.state.facts)
    assert holds_now(negation(form), world.state.facts) != value
    parts = branches(form, 200)
    if parts is not None:
        assert any(holds_now(conjunction(p), world.state.facts) for p in parts) == value
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
            assert all(isinstance(literal, Atom | Not) for literal in conjuncts(part.body))
        if isinstance(part, And | Or):
            assert len(part.parts) != 1
        if isinstance(part, Atom):
            assert part.predicate in belief.pack.fluents
            assert all(isinstance(a, str) for a in part.args)


def test_what_no_action_changes_is_decided_in_the_normal_form() -> None:
    """A relation that nothing brings about is no way into a room or out of one."""
    box = ("release", "open", "close")
    nodes = {
        "room0": Node("room0", "room"),
        "pose0": Node("pose0", "pose"),
        "agent": Node("agent", "agent", at="pose0"),
        "held": Node("held", "object", "agent", "inside_hand", ("apple",), ("pickup",)),
        "toolbox": Node("toolbox", "object", "room0", "ontop_of", (), box, ("open",)),
        "lid": Node("lid", "object", "toolbox", "attached_to"),
    }
    belief = ground(Scene("s", nodes, (Link("pose0", "room0", 1.0),)), household())
    assert "attached_to" not in belief.pack.fluents and belief.facts.holds("attached_to", ("lid", "toolbox"))
    for goal in ("(not (in_room held room0))", "(in_room lid room0)", "(not (in_room lid room0))"):
        form = normal_form(parse_goal(goal).formula, belief)
        used = {a.predicate for a in walk(form) if isinstance(a, Atom)}
        assert used and used <= belief.pack.fluents, goal
        assert not used & {"attached_to"}
