"""What the check of a goal says of goals that no plan reaches, beside what planning proves of them."""

from __future__ import annotations

import random

import pytest
from oracles.one_fact import beliefs, drawn_goals, judged

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import parse_goal
from groundplan.domains.ending import Ending
from groundplan.planners.proofs.finding import impossible

SCENES = beliefs()
OFFICE = SCENES["office"]


@pytest.mark.parametrize(
    ("goal", "at", "words"),
    [
        ("(filled banana2)", "(filled banana2)", "banana2 cannot be filled"),
        ("(and (open fridge) (dirty spoon))", "(dirty spoon)", "no action changes what it is"),
        ("(exists (?x - food) (filled ?x))", "(exists (?x - food) (filled ?x))", "cannot be filled"),
        (
            "(forall (?x - banana) (or (open ?x) (turned_on ?x)))",
            "(or (open ?x) (turned_on ?x))",
            "banana1 cannot be opened",
        ),
        (
            "(exists (?c - cabinet) (and (open ?c) (closed ?c)))",
            "(exists (?c - cabinet) (and (open ?c) (closed ?c)))",
            "cannot be brought about",
        ),
        (
            "(exists (?x - mug) (and (in_room ?x kitchen) (in_room ?x lobby)))",
            "(exists (?x - mug) (and (in_room ?x kitchen) (in_room ?x lobby)))",
            "cannot be brought about",
        ),
        ("(at-least 20 (?x - item) (filled ?x))", "(at-least 20 (?x - item) (filled ?x))", "filled"),
        (
            "(and (at-least 2 (?x - banana) (hot ?x)) (open fridge) (at-most 1 (?x - banana) (hot ?x)))",
            "(at-most 1 (?x - banana) (hot ?x))",
            "together: (at-least 2 (?x - banana) (hot ?x)); (at-most 1 (?x - banana) (hot ?x))",
        ),
        (
            "(and (exactly 2 (?x - apple) (cold ?x)) (exactly 3 (?y - apple) (cold ?y)))",
            "(exactly 3 (?y - apple) (cold ?y))",
            "brought about together",
        ),
        ("(at-least 2 (?x - item) (holding ?x))", "(at-least 2 (?x - item) (holding ?x))", "brought about"),
    ],
)
def test_what_a_short_proof_shows_is_a_finding(goal: str, at: str, words: str) -> None:
    parsed = parse_goal(goal)
    assert check(parsed, OFFICE).ok
    [found] = impossible(parsed, OFFICE)
    assert (found.code, found.severity) == ("impossible", "error")
    assert found.span is not None and goal[found.span.start : found.span.end] == at
    assert words in found.message and "proved by" in found.message


def test_states_are_looked_at_when_asked_for() -> None:
    goal = parse_goal("(and (open microwave) (turned_on microwave))")
    assert impossible(goal, OFFICE) == ()
    [found] = impossible(goal, OFFICE, thorough=True)
    assert "closed set of states" in found.message


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize(
    "number", [12, pytest.param(200, marks=pytest.mark.slow, id="many")], ids=lambda n: str(n)
)
def test_check_and_plan_agree_on_one_fact(name: str, number: int) -> None:
    goals = drawn_goals(SCENES[name], random.Random(f"{name} {number}"))
    for _, goal in zip(range(number), goals, strict=False):
        refused, ending = judged(goal, SCENES[name])
        assert refused == (ending is Ending.UNSOLVABLE), str(goal)
