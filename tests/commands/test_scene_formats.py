"""Scenes in everybody's formats on the command line: convert, validate, list, and plan with."""

import json
from pathlib import Path

import pytest

from groundplan.datasets.formats.registry import FORMATS
from groundplan.datasets.scenes import open_scene

SAMPLES = Path(__file__).parents[1] / "datasets" / "formats"


def test_formats_are_listed(cli):
    rows = cli("scene", "formats", "--json").json
    assert [row["name"] for row in rows] == [form.name for form in FORMATS]
    assert next(r for r in rows if r["name"] == "spark-dsg")["endings"] == [".dsg.json", ".spark.json"]
    shown = cli("scene", "formats").out
    assert all(form.title in shown for form in FORMATS)


@pytest.mark.parametrize("ending", [".json", ".dsg.json", ".node-link.json"])
def test_a_scene_goes_into_a_format_and_back(cli, tmp_path, ending):
    there, back = tmp_path / f"office{ending}", tmp_path / "back.json"
    ran = cli("scene", "convert", "office", there)
    assert (ran.code, ran.err) == (0, "")
    assert cli("scene", "convert", there, back).code == 0
    assert open_scene(str(back)) == open_scene("office")


def test_what_is_lost_is_listed_beside_the_result(cli, tmp_path):
    ran = cli("scene", "convert", "office", "-", "--to", "lookplangraph")
    assert json.loads(ran.out)["nodes"]["room"]
    assert "lost: nodes of type pose (26: pose1, ...)" in ran.err
    assert "lost: the scene's description" in ran.err
    assert "lost" not in cli("scene", "convert", "office", "-", "--to", "node-link").err


def test_nothing_is_overwritten_without_force(cli, tmp_path):
    file = tmp_path / "mine.dsg.json"
    file.write_text("precious")
    ran = cli("scene", "convert", "office", file)
    assert ran.code == 2 and "--force" in ran.err and file.read_text() == "precious"
    assert cli("scene", "convert", "office", file, "--force").code == 0
    assert open_scene(str(file)).hash == open_scene("office").hash


def test_a_file_without_a_name_names_the_scene(cli, tmp_path):
    assert cli("scene", "convert", SAMPLES / "virtualhome.json", tmp_path / "x.json").code == 0
    assert json.loads((tmp_path / "x.json").read_text())["name"] == "virtualhome"


def test_one_scene_of_several_is_picked(cli, tmp_path):
    graph = json.loads((SAMPLES / "virtualhome.json").read_text())
    pair = tmp_path / "pair.json"
    pair.write_text(json.dumps({"init_graph": graph, "final_graph": {**graph, "nodes": [{"id": 1}]}}))
    assert cli("scene", "validate", pair).last.startswith("valid: ")
    broken = cli("scene", "validate", pair, "--item", "final")
    assert broken.code == 2 and "final: nodes[0].class_name" in broken.err
    missing = cli("scene", "convert", pair, "-", "--to", "groundplan", "--item", "later")
    assert missing.code == 2 and "init, final" in missing.err


def test_the_format_may_be_named(cli):
    file = SAMPLES / "sayplan.json"
    assert cli("scene", "validate", file, "--from", "sayplan").code == 0
    wrong = cli("scene", "validate", file, "--from", "virtualhome")
    assert wrong.code == 2 and "nodes: expected a list" in wrong.err
    assert "--from" in cli("scene", "validate", file, "--from", "x").err


@pytest.mark.parametrize("name", sorted(p.stem for p in SAMPLES.glob("*.json")))
def test_every_sample_is_valid(cli, name):
    ran = cli("scene", "validate", SAMPLES / f"{name}.json")
    assert ran.code == 0
    assert ran.last.startswith("valid: ")


@pytest.mark.parametrize(
    ("name", "goal"),
    [
        ("virtualhome", "(and (inside_of cupcake22 fridge10) (closed fridge10) (ontop_of pillow24 sofa12))"),
        ("virtualhome", "(exists (?f - appliances) (and (inside_of cup2_23 ?f) (turned_on tablelamp13)))"),
        ("spark_dsg", "(exists (?c - cup ?r - refrigerator) (and (inside_of ?c ?r) (closed ?r)))"),
        ("spark_dsg", '(and (sometime (inside_of "O(1)" "O(2)")) (ontop_of "O(1)" "O(0)"))'),
        ("node_link", '(and (ontop_of tool.9 bench.1) (inside_of oil-can "tool chest"))'),
        ("lookplangraph", "(and (inside_of notebook1 carton1) (ontop_of sock1 sofa1) (turned_on lamp1))"),
    ],
)  # fmt: skip
def test_goals_over_imported_worlds_are_planned_and_verified(cli, name, goal):
    """Ids are numbers, hold dots, spaces and brackets; freezers and fridges have no interlock."""
    ran = cli("plan", "--scene", SAMPLES / f"{name}.json", "--goal", goal, "--json")
    assert (ran.code, ran.json["outcome"], ran.json["verified"]) == (0, "verified", True)


def test_the_class_is_shown_where_the_id_does_not_say_it(cli):
    sample = SAMPLES / "spark_dsg.json"
    assert "O(1)  cup" in cli("scene", "show", sample).out
    assert "O(1) (cup)" in cli("find", "--scene", sample, '(find (?x - cup) (in_room ?x "R(0)"))').out
    goal = '(inside_of "O(1)" "O(2)")'
    assert (
        "names: O(1) is a cup, O(2) is a refrigerator" in cli("plan", "--scene", sample, "--goal", goal).out
    )
    assert "names:" not in cli("plan", "--scene", "office", "--goal", "(closed fridge)").out
