"""Branches of a goal that has too many: the likeliest are kept, and what they reach reaches the goal."""

from __future__ import annotations

import pytest
from small_worlds import rooms

from groundplan.compiler.comparison.entailment import entails
from groundplan.compiler.forms import branches
from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.normal import expanded
from groundplan.domains.formula import Formula
from groundplan.planners.subgoals.branches import MAX_BRANCHES, prune_branches
from groundplan.simulator.belief import Belief

MANY = MAX_BRANCHES + 9
ANY = " ".join(f"(ontop_of thing{n} table2)" for n in range(MANY))


def pruned(goal: str, belief: Belief) -> tuple[Formula, Formula]:
    form = expanded(parse_goal(goal).formula, belief, whole=True).form
    return form, prune_branches(form, belief, belief.facts)


@pytest.mark.parametrize(
    "goal",
    [
        "(at-least 2 (?x - thing) (ontop_of ?x table2))",
        f"(or {ANY})",
        f"(and (hand_free) (or {ANY}))",
    ],
)
def test_a_goal_of_many_branches_becomes_a_stronger_one_of_few(goal: str) -> None:
    belief = rooms(MANY, {})
    form, fewer = pruned(goal, belief)
    assert branches(form, MAX_BRANCHES) is None
    assert branches(fewer, MAX_BRANCHES)
    assert entails(fewer, form, belief) is True and entails(form, fewer, belief) is False


def test_a_goal_of_few_branches_stays_as_it_is() -> None:
    form, fewer = pruned("(or (ontop_of thing0 table2) (holding thing1))", rooms(2, {}))
    assert form == fewer
