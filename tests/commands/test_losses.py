"""Losses in reading and places that are not known: each verb that loads a scene says them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groundplan.datasets.formats.registry import read

SAMPLES = Path(__file__).parents[1] / "datasets" / "formats"
HOUSE = SAMPLES / "virtualhome.json"
GRAPH = SAMPLES / "stanford.scn"
LOSSES = [loss.as_json() for loss in read(HOUSE)[0].losses]
GOAL = "(turned_on tablelamp13)"

VERBS = {
    "check": ("check", "--goal", GOAL),
    "plan": ("plan", "--goal", GOAL),
    "find": ("find", "(find (?r - room))"),
    "search": ("search", "turn on the table lamp"),
    "show": ("scene", "show"),
    "tokens": ("scene", "tokens"),
    "validate": ("scene", "validate"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_json_has_the_losses_of_the_scene(verb: str, cli: Callable[..., Any]) -> None:
    assert cli(*VERBS[verb], "--scene", HOUSE, "--json").json["losses"] == LOSSES
    if verb != "search":
        goal = ["(closed fridge)"] if verb in ("check", "plan") else []
        ran = cli(*VERBS[verb][: -1 if goal else None], *goal, "--scene", "office", "--json")
        assert ran.json["losses"] == []


def test_losses_are_in_what_simulates_and_certifies(cli: Callable[..., Any], tmp_path: Path) -> None:
    out = tmp_path / "out"
    planned = cli("plan", "--goal", GOAL, "--scene", HOUSE, "--out", out)
    note = (
        "not in the scene, of its file: 4 nodes, 7 edges, 6 fields (`groundplan scene validate` lists them)"
    )
    assert planned.code == 0 and note in planned.out
    assert json.loads((out / "record.json").read_text())["losses"] == LOSSES
    steps = out / "plan.txt"
    simulated = cli("simulate", "--plan", steps, "--goal", GOAL, "--scene", HOUSE, "--json").json
    assert simulated["losses"] == LOSSES and simulated["unplaced"] == []
    assert cli("certify", out, "--scene", HOUSE, "--json").json["losses"] == LOSSES
    assert cli("pack", "check", "household", "--scene", HOUSE, "--json").json["losses"] == LOSSES
    compiled = cli("compile", "--goal", GOAL, "--scene", HOUSE, "--out", tmp_path / "pddl")
    assert compiled.code == 0 and note in compiled.out
    assert note in cli("scene", "show", HOUSE).out


def test_a_conversion_says_what_reading_lost(cli: Callable[..., Any], tmp_path: Path) -> None:
    ran = cli("scene", "convert", HOUSE, tmp_path / "again.virtualhome.json")
    assert ran.code == 0 and "lost in reading: 4 nodes: floor4, wall5, door6 and 1 more" in ran.err
    assert "lost in reading: 7 edges: " in ran.err


def test_a_report_has_a_line_for_each_kind(cli: Callable[..., Any]) -> None:
    assert cli("scene", "validate", GRAPH).out.splitlines() == [
        "lost: 4 fields: rooms.size (2), rooms.volume, rooms.parent_building",
        "warning: place not known: 1 thing: vase_6",
        "warning: no position: 1 of 4 assets",
        "warning: 4 affordances mean nothing to the pack household and are left out: clean (2), sit_at, eat"
        " and 1 more",
        "valid: stanford, 4 rooms, 4 assets, 2 objects",
    ]


def test_a_long_report_has_everything(cli: Callable[..., Any]) -> None:
    text = cli("scene", "validate", GRAPH, "--verbose").out
    for line in (
        "lost: place vase_6: ",
        "no position, asset: tv_5",
        "no affordance 'eat'",
        "apple",
        "pickup 1",
    ):
        assert line in text
    report = cli("scene", "validate", GRAPH, "--json").json
    assert len(report["warnings"]) == 4 and report["unplaced"] == ["vase_6"]
    assert report["without_position"] == {"asset": ["tv_5"]}
    first = report["coverage"][0]
    uses = {"open": 1, "close": 1, "release": 1}
    assert first == {"class": "refrigerator", "nodes": 1, "with_affordances": 1, "affordances": uses}


def test_a_thing_without_a_place_is_shown_and_a_plan_says_what_it_leaves_out(cli: Callable[..., Any]) -> None:
    shown = cli("scene", "show", GRAPH).out
    assert shown.splitlines()[-2:] == ["Place not known", "  vase_6"]
    goal = "(forall (?o - object) (in_room ?o kitchen_1))"
    ran = cli("plan", "--scene", GRAPH, "--goal", goal)
    assert (
        ran.code == 0 and "warning[unplaced]: object leaves out vase_6, whose place is not known" in ran.out
    )
    words = "left out: vase_6. Nobody knows where it stands, so the verdict says nothing of it"
    assert words in " ".join(ran.out.split())
    refused = cli("plan", "--scene", GRAPH, "--goal", "(in_room vase_6 kitchen_1)")
    assert refused.code == 2 and "error[place-unknown]" in refused.err
    found = cli("find", "(find (?v - vase))", "--scene", GRAPH, "--json").json
    assert found["answers"] == [] and found["notes"] == ["left out, since the place of vase_6 is not known"]
