"""Findings about places, variables and names that a check makes before anything is planned."""

from __future__ import annotations

import pytest

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import GoalSyntaxError, parse_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import ground

OFFICE = ground(load_scene("office"), load_pack())


def findings(text: str) -> list[str]:
    try:
        return [d.code for d in check(parse_goal(text), OFFICE).diagnostics]
    except GoalSyntaxError as error:
        return [error.diagnostic.code]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(and (robot_at kitchen) (robot_at admin))", "the robot is at one place, kitchen or admin"),
        ("(and (robot_at desk1) (robot_at desk2))", "the robot is at one place, desk1 or desk2"),
        ("(in_room lobby cafeteria)", "lobby is a room"),
        ("(in_room fridge cafeteria)", "fridge is in kitchen for good"),
        ("(and (ontop_of apple1 desk4) (in_room apple1 kitchen))", "wills_office"),
        ("(and (in_room apple1 kitchen) (ontop_of apple1 desk4))", "wills_office"),
        ("(and (in_room apple1 kitchen) (in_room apple1 lobby))", "apple1 is in kitchen then"),
        ("(forall (?a - apple ?r - room) (in_room ?a ?r))", "cannot both hold"),
        ("(and (holding apple1) (in_room apple1 kitchen) (robot_at lobby))", "robot"),
        ("(= apple1 apple2)", "two nodes"),
    ],
)
def test_places_that_exclude_each_other_are_contradictions(text, why):
    [finding] = [d for d in check(parse_goal(text), OFFICE).diagnostics if d.severity == "error"]
    assert finding.code == "contradiction" and why in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "(and (robot_at kitchen) (robot_at fridge))",
        "(and (in_room apple1 wills_office) (ontop_of apple1 desk4) (robot_at kitchen))",
        "(and (holding apple1) (in_room apple1 kitchen) (robot_at fridge))",
        "(or (and (robot_at kitchen) (robot_at fridge)) (robot_at lobby))",
        "(or (in_room apple1 kitchen) (in_room apple1 lobby))",
        "(and (sometime (robot_at kitchen)) (robot_at lobby))",
        "(forall (?a - apple) (in_room ?a kitchen))",
        "(exists (?a - apple ?b - apple) (and (hot ?a) (cold ?b) (not (= ?a ?b))))",
        "(and (exists (?x - apple) (hot ?x)) (exists (?x - mug) (clean ?x)))",
    ],
)
def test_places_that_go_together_are_no_finding(text):
    assert findings(text) == []


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("(exists (?x - apple) (forall (?x - mug) (clean ?x)))", ["unused-variable", "shadowed-variable"]),
        ("(exists (?x - apple ?y - mug) (hot ?x))", ["unused-variable"]),
        ("(exactly 2 (?x - apple ?y - mug) (hot ?x))", ["unused-variable"]),
        ("(exists (?x - apple ?x - mug) (hot ?x))", ["duplicate-variable"]),
        ("(or (= apple1 apple2) (open fridge))", ["vacuous"]),
        ("(exists (?x - (either mug apple)) (hot ?x))", ["unsupported"]),
        ("(when (open fridge) (hand_free))", ["unsupported"]),
        ("(and (open fridge) (increase (total-cost) 1))", ["unsupported"]),
    ],
)
def test_variables_and_forms(text, codes):
    assert findings(text) == codes


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("(on orange1 desk4)", "ontop_of"),
        ("(in orange1 kitchen)", "in_room"),
        ("(at kitchen)", "robot_at"),
        ("(hold orange1)", "holding"),
        ("(is_open fridge)", "open"),
        ("(insideof orange1 fridge)", "inside_of"),
    ],
)
def test_an_unknown_predicate_suggests_the_one_that_was_meant(text, suggestion):
    [finding] = check(parse_goal(text), OFFICE).diagnostics
    assert finding.code == "unknown-predicate" and suggestion in finding.fixes
    assert finding.fixes[0] == suggestion or suggestion == "robot_at"
