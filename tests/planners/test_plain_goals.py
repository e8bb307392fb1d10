"""Plain goals with many alternatives: chosen first, so that an engine is asked for a few errands only."""

from __future__ import annotations

import pytest

from groundplan import Engine, ground, load_pack, load_scene, parse_goal, plan_goal
from groundplan.compiler.certificates import check_certificate
from groundplan.domains.evaluate import possible
from groundplan.domains.formula import Formula
from groundplan.planners.proofs.search import Prover
from groundplan.simulator.belief import Belief
from groundplan.simulator.partial_state import PartialState

PYPERPLAN = Engine.named("pyperplan")
MOST_EXPANDED = 1000


@pytest.fixture(scope="module")
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


@pytest.mark.parametrize(
    "goal",
    [
        "(at-most 3 (?i - item) (inside_of ?i fridge))",
        "(at-most 2 (?f - fruit) (exists (?c - cabinet) (inside_of ?f ?c)))",
        "(forall (?f - item) (imply (food ?f) (forall (?r - lab) (not (in_room ?f ?r)))))",
        "(not (exists (?a - apple) (exists (?r - office) (in_room ?a ?r))))",
        "(and (in_room orange1 lobby) (at-most 1 (?x - item) (holding ?x)))",
        "(exactly 2 (?f - fruit) (ontop_of ?f lunch_table))",
    ],
)
def test_alternatives_that_hold_already_are_chosen_among_and_not_searched(goal: str, office: Belief) -> None:
    """An engine alone looks for minutes: each thing may go anywhere."""
    before = PYPERPLAN.tally.copy()
    result = plan_goal(parse_goal(goal), office, PYPERPLAN)
    expanded = PYPERPLAN.tally.since(before).counts.get("expanded", 0)
    assert result.verified and expanded <= MOST_EXPANDED
    assert "what to do was chosen" in result.assembly.why


@pytest.mark.parametrize(
    "goal",
    [
        "(at-least 2 (?c - cabinet) (exists (?m - item) (and (filled ?m) (inside_of ?m ?c))))",
        "(at-least 4 (?d - desk) (exists (?b - banana) (ontop_of ?b ?d)))",
        "(at-least 3 (?d - desk) (or (ontop_of knife ?d) (ontop_of fork ?d)))",
        "(exactly 5 (?d - desk) (exists (?a - apple) (and (ontop_of ?a ?d) (not (open fridge)))))",
    ],
)
def test_a_count_of_places_for_too_few_things_is_proved_to_be_impossible(goal: str, office: Belief) -> None:
    parsed = parse_goal(goal)
    proof = Prover(parsed.formula, office).quick()
    assert proof is not None and check_certificate(proof.certificate, office, parsed.formula)


@pytest.mark.parametrize(
    "goal",
    [
        "(at-least 2 (?d - desk) (or (ontop_of knife ?d) (ontop_of fork ?d)))",
        "(at-least 3 (?d - desk) (exists (?a - apple) (ontop_of ?a ?d)))",
        "(at-least 3 (?c - cabinet) (or (inside_of knife ?c) (inside_of fork ?c) (open ?c)))",
    ],
)
def test_as_many_places_as_things_are_not_refuted(goal: str, office: Belief) -> None:
    prover = Prover(parse_goal(goal).formula, office)
    prover.statements.steps = prover.steps
    state = PartialState(office, prover.statements, office.exclusive)
    formula: Formula = parse_goal(goal).formula
    assert possible(formula, True, state, {})
