"""Entailment between goals of one scene, and the laws that it rests on against walks through worlds."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import beliefs, walked

from groundplan.compiler.comparison.completion import GoalRun, completed
from groundplan.compiler.comparison.entailment import Entailment, entails
from groundplan.compiler.comparison.laws import ROBOT, Laws
from groundplan.compiler.comparison.runs import MAX_BETWEEN
from groundplan.compiler.comparison.solver import Undecided
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import open_scene
from groundplan.domains.formula import FALSE, Atom, Formula, Not, Sometime, conjunction
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import Belief, ground


@cache
def office() -> Belief:
    return ground(open_scene("office"), load_pack())


def formula(text: str) -> Formula:
    return parse_goal(text).formula


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("(open fridge)", "(sometime (open fridge))", True),
        ("(sometime (open fridge))", "(open fridge)", False),
        ("(sometime (hot pepsi))", "(hot pepsi)", True),
        ("(sometime (holding pepsi))", "(sometime (not (hand_free)))", True),
        ("(sometime (not (hand_free)))", "(sometime (holding pepsi))", False),
        ("(and (hot pepsi) (not (hot pepsi)))", "(open fridge)", True),
        ("(= fridge fridge)", "(= fridge microwave)", False),
        ("(imply (open fridge) (hot pepsi))", "(or (not (open fridge)) (hot pepsi))", True),
        ("(not (closed fridge))", "(open fridge)", True),
        ("(holding pepsi)", "(not (exists (?d - asset) (ontop_of pepsi ?d)))", True),
        ("(not (inside_of pepsi fridge))", "(ontop_of pepsi desk38)", False),
    ],
)
def test_what_follows_over_the_states_of_a_scene(a: str, b: str, expected: bool) -> None:
    assert entails(formula(a), formula(b), office()) is expected


def test_what_is_not_decided_is_neither_yes_nor_no() -> None:
    rooms = office().scene.by_type["room"][: MAX_BETWEEN + 1]
    every = [Sometime(Atom("robot_at", (room,))) for room in rooms]
    logic = Entailment(office())
    with pytest.raises(Undecided, match="more than 8 states between"):
        logic.run(every)
    assert logic.entails(conjunction(every), FALSE) is None
    assert logic.entails(every[0], every[1]) is False


def test_opaque_atoms_stand_for_anything() -> None:
    logic = Entailment(office(), "text")
    one, other = Atom("text", ("a",)), Atom("text", ("b",))
    assert logic.entails(one, one) is True
    assert logic.entails(one, other) is False and logic.satisfiable(Not(other)) is True


@settings(max_examples=60)
@given(st.data())
def test_the_laws_hold_in_every_state_that_actions_lead_to(data: st.DataObject) -> None:
    belief = data.draw(beliefs())
    world = data.draw(walked(belief))
    laws = Laws(belief)
    for atom in {*belief.facts, *world.state.facts}:
        value = laws.value(atom)
        assert value is None or value == world.state.facts.holds(atom.predicate, atom.args)
    for group in laws.groups:
        for subject in [ROBOT] if group.shared else belief.scene.by_type.get("object", ()):
            predicates = group.shared if subject == ROBOT else group.own
            facts = [a for p in predicates for a in world.state.facts.all(p)]
            true = [args for args in facts if subject == ROBOT or args[0] == subject]
            assert len(true) <= 1 and (true or not laws.never_empty(group, subject))
    for atom in world.state.facts:
        for needs in laws.causes(atom):
            if all(world.state.facts.holds(need.predicate, need.args) for need in needs):
                assert world.state.facts.holds(atom.predicate, atom.args)


@settings(max_examples=30)
@given(st.data())
def test_a_state_that_actions_lead_to_is_never_excluded(data: st.DataObject) -> None:
    """Whatever literals are true of it can be true together."""
    belief = data.draw(beliefs())
    world = data.draw(walked(belief))
    laws = Laws(belief)
    open_facts = [a for a in (*world.state.facts, *belief.facts) if laws.value(a) is None]
    some = data.draw(st.lists(st.sampled_from(open_facts), max_size=8, unique=True)) if open_facts else []
    goals = [a if world.state.facts.holds(a.predicate, a.args) else Not(a) for a in some]
    run = Entailment(belief).run(goals)
    assert isinstance(run, GoalRun)


def test_a_state_that_breaks_a_law_is_no_answer() -> None:
    """The check of completed states does not go by the circuit."""
    logic = Entailment(office())
    pepsi, cola = Atom("holding", ("pepsi",)), Atom("holding", ("apple1",))
    assert logic.run((pepsi, cola)) is None
    runs = logic._lazy.runs
    values = dict.fromkeys(range(1, 500), False)
    values |= {runs.end.facts[pepsi]: True, runs.end.facts[cola]: True}
    assert completed(runs, values, {pepsi: True, cola: True}) is None
