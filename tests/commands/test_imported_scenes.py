"""Scenes of other formats from the command line: a goal in each is compiled, planned and verified."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SAMPLES = Path(__file__).parents[1] / "datasets" / "formats"

GOALS = {
    "procthor.json": '(and (ontop_of Apple|2|1 Bed|3|2) (closed Fridge|2|0) (turned_off "DeskLamp|3|1"))',
    "procthor_compact.jsonl": "(and (exists (?t - side_table) (ontop_of 1|2 ?t)) (turned_on 1|1))",
    "delta_scenes.txt": '(and (inside_of fork shelf) (ontop_of "it\'s a key" desk_2) (open microwave))',
    "stanford.scn": "(and (inside_of apple_3 refrigerator_1) (closed refrigerator_1) (turned_on tv_5))",
    "context_matters": "(exists (?t - dining_table) (forall (?f - fork) (ontop_of ?f ?t)))",
    "taskography.pddl": (
        "(and (inside_of item3_vase_mediumitem receptacle1_refrigerator)"
        " (ontop_of item1_apple_smallitem receptacle2_couch) (closed receptacle1_refrigerator))"
    ),
}


@pytest.mark.parametrize("name", GOALS)
def test_a_goal_in_an_imported_scene_is_planned_and_verified(name: str, cli: Callable[..., Any]) -> None:
    ran = cli("plan", "--scene", SAMPLES / name, "--goal", GOALS[name], "--engine", "pyperplan", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["outcome"] == "verified" and ran.json["verified"]
    assert ran.json["plan"]


def test_an_imported_freezer_runs_closed_and_is_opened(cli: Callable[..., Any], tmp_path: Path) -> None:
    """Imported worlds have no interlocks: what runs can be opened."""
    fridge = (
        "{'accessible': True, 'affordance': ['open', 'close', 'turnon', 'turnoff'], 'state': 'closed, on', "
    )
    pea = "'items': {'peas.1': {'affordance': ['pick'], 'relation': 'in'}}}"
    file = tmp_path / "scene.py"
    file.write_text("A = {'rooms': {'7': {'neighbor': [], 'assets': {'freezer': " + fridge + pea + "}}}}")
    ran = cli("plan", "--scene", file, "--goal", "(and (holding peas.1) (turned_on freezer))", "--json")
    assert ran.code == 0, ran.err
    assert "open(freezer)" in ran.json["plan"]
    assert not any("turn_off" in step for step in ran.json["plan"])


def test_a_folder_and_an_item_are_converted(cli: Callable[..., Any], tmp_path: Path) -> None:
    made = tmp_path / "scene.json"
    assert cli("scene", "convert", SAMPLES / "context_matters", made).code == 0
    assert cli("scene", "validate", made).code == 0
    houses = tmp_path / "houses.jsonl"
    houses.write_text((SAMPLES / "procthor_compact.jsonl").read_text(encoding="utf-8") * 2)
    ran = cli("scene", "validate", houses)
    assert ran.code == 2 and "2 houses" in ran.err
    assert cli("scene", "validate", houses, "--item", "2").code == 0
