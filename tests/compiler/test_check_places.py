"""Findings about places, variables and names that a check makes before anything is planned."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import GoalSyntaxError, parse_goal
from groundplan.compiler.goals.places import RequiredPlaces
from groundplan.datasets.scenes import load_scene
from groundplan.domains.formula import Atom
from groundplan.domains.pack import load_pack, template_texts
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene_json import read_scene

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


SMEAR = """
  (:action smear
    :parameters (?t - thing ?b - bench)
    :precondition (and (at ?b) (holding ?t))
    :effect (and (lies_on ?t ?b) (increase (total-cost) 100)))
)"""


def laboratory(folder: Path, smears: bool) -> Belief:
    """Return the template's laboratory; what smears leaves a thing in more places than one."""
    texts = template_texts()
    if smears:
        texts["domain.pddl"] = texts["domain.pddl"].rstrip().removesuffix(")") + SMEAR
        texts["mapping.toml"] += '[actions.smear]\nstep = "smear(?t)"\nskill = "smear"\nverb = "smear"\n'
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return ground(read_scene(folder / "scene.json"), load_pack(str(folder)))


@pytest.mark.parametrize(
    "text",
    [
        "(and (lies_on vial1 shelf1) (lies_on vial1 spectrometer1))",
        "(and (holding vial1) (lies_on vial1 shelf1) (lies_on vial1 spectrometer1))",
        "(forall (?v - vial) (and (lies_on ?v shelf1) (lies_on ?v spectrometer1)))",
    ],
)
def test_things_are_in_one_place_only_where_the_actions_are_shown_to_keep_them_there(
    tmp_path: Path, text: str
) -> None:
    def errors(belief: Belief) -> list[str]:
        return [d.code for d in check(parse_goal(text), belief).diagnostics if d.severity == "error"]

    assert "contradiction" in errors(laboratory(tmp_path, smears=False))
    assert errors(laboratory(tmp_path, smears=True)) == []


def test_a_conflict_of_places_names_the_facts_that_are_in_it() -> None:
    places = RequiredPlaces(OFFICE)
    conflicts = [
        places.add(Atom(predicate, tuple(args)))
        for predicate, *args in (
            ("ontop_of", "apple2", "desk4"),
            ("ontop_of", "apple1", "desk4"),
            ("in_room", "apple1", "kitchen"),
            ("in_room", "desk4", "lobby"),
        )
    ]
    assert conflicts[:2] == [None, None]
    assert [c and (str(c.earlier), c.why) for c in conflicts[2:]] == [
        ("(ontop_of apple1 desk4)", "apple1 is in wills_office then, not in kitchen"),
        ("None", "desk4 is in wills_office for good"),
    ]


def test_a_fact_in_conflict_spoils_no_later_finding() -> None:
    places = RequiredPlaces(OFFICE)
    conflicts = [
        places.add(Atom(predicate, tuple(args)))
        for predicate, *args in (
            ("ontop_of", "apple1", "desk4"),
            ("inside_of", "apple1", "fridge"),
            ("ontop_of", "apple2", "desk4"),
        )
    ]
    assert [c is not None for c in conflicts] == [False, True, False]


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
    assert finding.code == "unknown-predicate" and str(finding.fixes[0]) == suggestion
