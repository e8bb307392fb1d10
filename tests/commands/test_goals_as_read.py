"""Proofs are said of the goal as it was read: of a sentence that was misread nothing is proved."""

from __future__ import annotations

import pytest

from groundplan.commands.console.outcomes import why_left
from groundplan.compiler.goals.goal import parse_goal
from groundplan.pipeline.record import AS_READ
from groundplan.planners.tidy import NotPutBack

BOTH = "Open the microwave and turn the microwave on."
GOAL = "(and (open microwave) (turned_on microwave))"
READ = "for the goal read from it"


def test_a_proof_names_the_goal_that_was_read(cli):
    told = cli("plan", "--scene", "office", BOTH)
    assert told.code == 1 and AS_READ in told.out
    words = '"Open microwave. Turn on microwave."'
    assert told.last == (
        f"unsolvable: in the scene as it is given there is no plan {READ}, {words}, and that is proved"
    )
    record = cli("plan", "--scene", "office", BOTH, "--json").json
    assert record["outcome"] == "unsolvable" and record["reasons"][-1] == AS_READ


def test_a_proof_of_a_given_goal_is_of_what_was_asked(cli):
    told = cli("plan", "--scene", "office", "--goal", GOAL)
    assert told.last == "unsolvable: in the scene as it is given there is no plan, and that is proved"
    assert AS_READ not in cli("plan", "--scene", "office", "--goal", GOAL, "--json").json["reasons"]


def test_a_run_says_of_which_goal_there_is_no_plan(cli):
    told = cli("run", "--scene", "office", BOTH)
    assert told.code == 1 and f"there is no plan {READ}, even if" in told.out + told.err


def test_the_cheapest_plan_is_that_of_the_goal_read(cli):
    options = ("--scene", "office", "--engine", "fast-downward-opt")
    assert f"proved optimal {READ}" in cli("plan", *options, "Open the fridge.").out
    assert "proved optimal\n" in cli("plan", *options, "--goal", "(open fridge)").out


def test_outcomes_are_explained_with_what_a_proof_is_of(cli):
    assert "the goal read from it" in cli("explain", "unsolvable").out


@pytest.mark.parametrize("outcome", ["unsolvable", "not-found", "timed-out"])
def test_what_was_not_put_back_has_a_reason_of_its_own(outcome):
    fact = parse_goal("(closed fridge)").formula
    said = why_left(NotPutBack(fact, outcome))
    assert said and ("together with the goal" in said) == (outcome == "unsolvable")
