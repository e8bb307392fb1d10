"""Rules of an operator on the command line: in packs, and for a robot that knows a part of the scene."""

import json
from pathlib import Path

import pytest

from groundplan import load_scene
from groundplan.simulator.scene_json import scene_to_json

RULED = """format = "groundplan-pack"
version = 1
name = "ruled"
extends = "household"

[operator]
rules = ["%s"]
"""


def ruled_pack(folder: Path, rule: str) -> str:
    """Write a pack that adds a rule to the household; return its folder."""
    folder.mkdir()
    (folder / "mapping.toml").write_text(RULED % rule, encoding="utf-8")
    (folder / "domain.pddl").write_text("(define (domain ruled))", encoding="utf-8")
    return str(folder)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("(never (robot_at kitchen))", "no names of nodes"),
        ("(never (do goto ?x kitchen))", "no names of nodes"),
        ("(open ?x)", "a rule about the whole run"),
        ("(never (open", "a bracket may be missing"),
        ("(never (do gogo ?x))", "try goto"),
        ("(forall (?x - banana) (never (hot ?x)))", "unknown class or type banana"),
        ("(forall (?x - asset) (never (hot ?x)))", "must be of type item"),
        ("; nothing", "from 1 to 100 rules"),
    ],
)
def test_a_rule_that_does_not_fit_all_scenes_is_found(cli, tmp_path: Path, rule: str, words: str) -> None:
    folder = ruled_pack(tmp_path / "own", rule)
    ran = cli("pack", "check", folder, "--json")
    (finding,) = ran.json["findings"]
    assert ran.code == 1 and finding["code"] == "operator-rule"
    assert finding["where"] == f"{folder}/mapping.toml:7"
    assert "mapping.toml: operator.rules[0]" in finding["message"] and words in finding["message"]
    planned = cli("plan", "--scene", "office", "--pack", folder, "--goal", "(open fridge)")
    assert planned.code == 2 and words in planned.err


@pytest.mark.parametrize("table", ["rules = 3", "rules = [3]", "rule = []"])
def test_a_table_of_rules_is_a_list_of_formulas(cli, tmp_path: Path, table: str) -> None:
    folder = ruled_pack(tmp_path / "own", "")
    (tmp_path / "own" / "mapping.toml").write_text(RULED.replace('rules = ["%s"]', table), encoding="utf-8")
    ran = cli("pack", "check", folder)
    assert ran.code == 2 and f"mapping.toml: operator.{table.split()[0]}" in ran.err


def test_a_pack_shows_its_rules_and_one_without_has_none(cli, tmp_path: Path) -> None:
    rule = "(never (do open ?x) :when (not (hand_free)))"
    folder = ruled_pack(tmp_path / "own", rule)
    assert rule in cli("pack", "show", folder).out
    assert cli("pack", "show", folder, "--json").json["rules"] == [rule]
    assert cli("pack", "show", "household", "--json").json["rules"] == []


@pytest.mark.parametrize("knows", ["furniture", "here"])
def test_a_robot_that_knows_a_part_of_the_scene_keeps_rules_about_all_of_it(
    cli, tmp_path: Path, knows: str
) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("(never (robot_at kitchen))\n(never (do open cabinet4))", encoding="utf-8")
    asked = ["run", "--scene", "office", "--knows", knows, "--goal", "(holding orange1)", "--json"]
    free, ruled = cli(*asked), cli(*asked, "--rules", rules)
    assert "goto(kitchen)" in free.json["executed"] and free.code == 0
    assert not {"goto(kitchen)", "open(cabinet4)"} & {*ruled.json["executed"]}
    assert ruled.code == 1 and ruled.json["outcome"] != "verified"


@pytest.fixture
def fridge_is_open(tmp_path: Path) -> str:
    """Write an office whose fridge is open and whose orange lies in the cafeteria; return its file."""
    truth = load_scene("office").changed(
        change={
            "fridge": {"state": ("open",)},
            "orange1": {"parent": "lunch_table", "relation": "ontop_of"},
        }
    )
    file = tmp_path / "truth.json"
    file.write_text(json.dumps(scene_to_json(truth)), encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("verb", ["plan", "run"])
def test_a_rule_that_others_broke_is_told_and_stops_nothing_else(
    cli, tmp_path: Path, fridge_is_open: str, verb: str
) -> None:
    """The robot plans again after it has seen the fridge, and the other rules bind it as before."""
    rules = tmp_path / "rules.txt"
    rules.write_text("(always (closed fridge))\n(never (robot_at pose13))", encoding="utf-8")
    asked = [verb, "--scene", "office", "--world", fridge_is_open, "--rules", rules]
    ran = cli(*asked, "--goal", "(holding orange1)", "--json")
    record, (fridge, pose) = ran.json, ran.json["rules"]
    assert (ran.code, record["outcome"]) == (0, "verified") and "goto(pose13)" not in record["executed"]
    assert (fridge["kept"], fridge["broken_by"]) == (False, "others")
    at = fridge["broken_at"]
    assert record["executed"][at - 1] == "goto(kitchen)"
    assert fridge["states"] == ["holds"] * at + ["broken"] * (len(record["executed"]) + 1 - at)
    assert (pose["kept"], pose["broken_by"], {*pose["states"]}) == (True, None, {"holds"})
    told = cli(*asked, "--goal", "(holding orange1)").out
    assert f"broken by others, seen after step {at}" in told


def test_simulate_names_the_rule_that_a_plan_breaks(cli, tmp_path: Path) -> None:
    rules, plan, page = tmp_path / "rules.txt", tmp_path / "plan.txt", tmp_path / "page.html"
    rules.write_text("(never (robot_at pose13))\n(never (open fridge))", encoding="utf-8")
    plan.write_text("goto(pose13)", encoding="utf-8")
    asked = ["simulate", "--scene", "office", "--plan", plan, "--rules", rules]
    ran = cli(*asked, "--json")
    assert (ran.code, ran.json["verified"]) == (1, False)
    assert [(one["kept"], one["broken_by"], one["broken_at"]) for one in ran.json["rules"]] == [
        (False, "robot", 1),
        (True, None, None),
    ]
    told = cli(*asked, "--view", page)
    assert told.code == 1 and "pose13))), a rule: broken by the robot" in told.out
    assert "(always (not (open fridge)))" in page.read_text(encoding="utf-8")
