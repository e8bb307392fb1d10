"""Equivalence of goals: the same wish in other words is one goal, another wish never is."""

from __future__ import annotations

from functools import cache

import pytest

from groundplan.compiler.comparison import runs
from groundplan.compiler.comparison.entailment import equivalent
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.library import load_set
from groundplan.datasets.scenes import open_scene
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import Belief, ground


@cache
def office() -> Belief:
    return ground(open_scene("office"), load_pack())


def same(first: str, second: str) -> bool:
    one, other = (parse_goal(text).formula for text in (first, second))
    answer = equivalent(one, other, office())
    assert equivalent(other, one, office()) is answer
    return answer


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("(and (open fridge) (hot chicken_kebab))", "(and (hot chicken_kebab) (not (closed fridge)))"),
        ("(forall (?x - cup) (hot ?x))", "(not (exists (?y - cup) (not (hot ?y))))"),
        ("(exists (?x - fridge) (open ?x))", "(open fridge)"),
        ("(holding banana1)", "(and (holding banana1) (not (hand_free)))"),
        ("(and (closed fridge) (closed microwave))", "(not (or (open fridge) (open microwave)))"),
        ("(imply (open fridge) (open microwave))", "(or (closed fridge) (open microwave))"),
        ("(exists (?x - apple) (in_room ?x lobby))", "(exists (?y - apple) (in_room ?y lobby))"),
        ("(and (hot bread) (and (hot bread) (clean shelf)))", "(and (clean shelf) (hot bread))"),
        ("(exists (?x - object) (holding ?x))", "(not (hand_free))"),
        ("(hot chicken_kebab)", "(sometime (hot chicken_kebab))"),
    ],
)  # fmt: skip
def test_other_words_for_one_goal(first: str, second: str) -> None:
    assert same(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("(open fridge)", "(sometime (open fridge))"),
        ("(open fridge)", "(closed fridge)"),
        ("(robot_at kitchen)", "(robot_at fridge)"),
        ("(inside_of bread fridge)", "(in_room bread kitchen)"),
        ("(inside_of bread fridge)", "(inside_of butter fridge)"),
        ("(hot bread)", "(and (hot bread) (clean shelf))"),
        ("(and (holding pepsi) (robot_at kitchen))", "(in_room pepsi kitchen)"),
        ("(exists (?x - banana) (holding ?x))", "(holding banana1)"),
        ("(at-least 2 (?x - banana) (inside_of ?x fridge))", "(exists (?x - banana) (inside_of ?x fridge))"),
    ],
)
def test_different_goals(first: str, second: str) -> None:
    assert not same(first, second)


def test_gold_goals_of_different_tasks_are_different_and_each_is_its_own() -> None:
    formulas = [parse_goal(task.gold.goal).formula for task in load_set("office-planning-simple")]
    alike = [
        (i, k) for i, a in enumerate(formulas) for k, b in enumerate(formulas) if equivalent(a, b, office())
    ]
    assert alike == [(i, i) for i in range(len(formulas))]


def test_what_is_too_large_to_compare_is_different_unless_it_is_written_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    large = "(at-least 70 (?x - item ?z - asset) (ontop_of ?x ?z))"
    otherwise = "(not (at-most 69 (?x - item ?z - asset) (ontop_of ?x ?z)))"
    assert same(large, otherwise)
    monkeypatch.setattr(runs, "MAX_PARTS", 1000)
    assert same(large, large.replace("?z", "?v"))
    assert not same(large, otherwise)
