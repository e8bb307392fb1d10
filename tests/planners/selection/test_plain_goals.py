"""Plain goals with many alternatives: chosen first, so that an engine is asked for a few errands only."""

from __future__ import annotations

import itertools
import random
from copy import deepcopy
from typing import cast

import pytest

from groundplan import Engine, ground, load_pack, load_scene, parse_goal, plan_goal
from groundplan.compiler.certificates import check_certificate
from groundplan.domains.evaluate import OpenState, State, counts_clash, evaluate, possible, required_parts
from groundplan.domains.formula import And, Atom, Cardinality, CountKind, Formula, Not
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
    before = deepcopy(PYPERPLAN.tally)
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


def with_numbers(goal: str, belief: Belief) -> Formula:
    """Read a goal in which ALL stands for the number of items, and ALL-1 for one less."""
    number = len(belief.members("item"))
    return parse_goal(goal.replace("ALL-1", str(number - 1)).replace("ALL", str(number))).formula


@pytest.mark.parametrize(
    "goal",
    [
        "(and (exactly ALL-1 (?i - item) (not (ontop_of ?i desk1)))"
        " (at-least 2 (?i - item) (ontop_of ?i desk1)))",
        "(and (at-most 20 (?i - item) (ontop_of ?i desk1)) (at-least 21 (?o - item) (ontop_of ?o desk1)))",
        "(and (at-least 21 (?i - item) (ontop_of ?i desk1)) (at-most 20 (?o - object) (ontop_of ?o desk1)))",
        "(and (exactly 20 (?i - item) (ontop_of ?i desk1)) (at-least ALL-1 (?i - item) (ontop_of ?i desk2)))",
        "(and (not (at-least 2 (?i - item) (holding ?i)))"
        " (not (at-least ALL-1 (?i - item) (not (holding ?i)))))",
    ],
)
def test_counts_that_contradict_each_other_are_proved_without_cases(goal: str, office: Belief) -> None:
    formula = with_numbers(goal, office)
    proof = Prover(formula, office).quick()
    assert proof is not None and check_certificate(proof.certificate, office, formula)


class Unknown:
    """A state of which nothing is known, and whose facts are independent."""

    def holds(self, predicate: str, args: tuple[str, ...]) -> None:
        return None

    happened = members = rivals = holds


class Assigned:
    """A state in which some facts are true."""

    def __init__(self, true: set[str]) -> None:
        self.true = true

    def holds(self, predicate: str, args: tuple[str, ...]) -> bool:
        return predicate in self.true


def counts_of(atoms: tuple[Atom, ...], draw: random.Random) -> Formula:
    """Draw a count of facts, of their negations or of both."""
    kinds: tuple[CountKind, ...] = ("exactly", "at-least", "at-most")
    parts = tuple(Not(a) if draw.random() < 0.5 else a for a in draw.choices(atoms, k=draw.randint(1, 5)))
    count = Cardinality(draw.choice(kinds), draw.randint(0, 4), parts)
    return Not(count) if draw.random() < 0.3 else count


def test_counts_that_are_said_to_contradict_each_other_have_no_model() -> None:
    draw = random.Random(7)
    atoms = tuple(Atom(name, ()) for name in "pqrs")
    clashes = models = 0
    for _ in range(200):
        goal = And(tuple(counts_of(atoms, draw) for _ in range(2)))
        state = cast(OpenState, Unknown())
        parts = [*required_parts(goal, True, state, {})]
        true = any(
            evaluate(
                goal, cast(State, Assigned({a.predicate for a, v in zip(atoms, values, strict=True) if v}))
            )
            for values in itertools.product((True, False), repeat=len(atoms))
        )
        clash = counts_clash(parts, state)
        assert not (clash and true), goal
        clashes += clash
        models += true
    assert clashes > 20 and models > 20
