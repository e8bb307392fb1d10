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
    trace = ["--trace", tmp_path / "trace.jsonl"] if verb == "run" else []
    told = cli(*asked, *trace, "--goal", "(holding orange1)").out
    assert f"broken by others, seen after step {at}" in told
    if trace:
        again = cli("replay", trace[1], "--scene", "office", "--rules", rules)
        assert again.code == 0 and "ended verified" in again.out, again.out + again.err


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
    assert told.out.endswith("executable, but 1 rule is not kept\n")
    shown = page.read_text(encoding="utf-8")
    assert "(always (not (open fridge)))" in shown and "rules-not-kept" in shown


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("(robot_at pose13)", "executable, but 2 rules are not kept"),
        ("(open fridge)", "executable, but the goal does not hold at the end and 2 rules are not kept"),
    ],
)
def test_simulate_says_whether_goal_or_rules_fail(cli, tmp_path: Path, goal: str, words: str) -> None:
    rules, plan = tmp_path / "rules.txt", tmp_path / "plan.txt"
    due = "(sometime-after (robot_at pose13) (robot_at lobby))"
    rules.write_text(f"(never (robot_at pose13)) {due}", encoding="utf-8")
    plan.write_text("goto(pose13)", encoding="utf-8")
    ran = cli("simulate", "--scene", "office", "--plan", plan, "--rules", rules, "--goal", goal)
    assert ran.code == 1 and ran.out.endswith(f"{words}\n")


@pytest.mark.parametrize("verb", ["plan", "run"])
def test_what_a_rule_leaves_due_is_planned_for_on_the_way(
    cli, tmp_path: Path, fridge_is_open: str, verb: str
) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("(sometime-after (robot_at kitchen) (closed fridge))", encoding="utf-8")
    ran = cli(
        verb, "--scene", "office", "--world", fridge_is_open, "--rules", rules,
        "--goal", "(robot_at kitchen)", "--json",
    )  # fmt: skip
    assert (ran.code, ran.json["outcome"]) == (0, "verified")
    assert "close(fridge)" in ran.json["executed"] and ran.json["rules"][0]["kept"]


@pytest.mark.parametrize("verb", ["plan", "run"])
def test_a_rule_that_the_scene_breaks_excludes_every_goal(cli, tmp_path: Path, verb: str) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("(always (open fridge))", encoding="utf-8")
    ran = cli(verb, "--scene", "office", "--rules", rules, "--goal", "(holding orange1)", "--json")
    assert ran.code != 0 and (ran.json["outcome"], ran.json["executed"]) == ("goal-error", [])
    assert any("(always (open fridge))" in reason for reason in ran.json["reasons"])


@pytest.mark.parametrize("knows", ["furniture", "here"])
def test_a_rule_about_all_things_of_a_sort_holds_for_those_that_are_seen_later(
    cli, tmp_path: Path, knows: str
) -> None:
    """The robot was told of no apple; the first fruit that it comes upon may be one."""
    rules = tmp_path / "rules.txt"
    rules.write_text("(forall (?x - apple) (never (holding ?x)))", encoding="utf-8")
    asked = ["run", "--scene", "office", "--knows", knows, "--rules", rules, "--json"]
    fruit = cli(*asked, "--goal", "(exists (?x - fruit) (holding ?x))")
    assert fruit.code == 0 and not [one for one in fruit.json["executed"] if "pickup(apple" in one]
    assert [one["kept"] for one in fruit.json["rules"]] == [True]
    apple = cli(*asked, "--goal", "(exists (?x - apple) (holding ?x))")
    assert (apple.code, apple.json["reached"]) == (1, False)
    assert not [one for one in apple.json["executed"] if "pickup" in one]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "from 1 to 100 rules, got 0"),
        (b"\x8f\x00\xff", "expected UTF-8 text"),
        (b"(never (robot_at lobby))\x00", "rules.txt:1:25"),
        (b"x" * 2**20 + b"x", "at most 1048576 bytes"),
        (b"(never (hot bread)) " * 20_000, "at most 200000 characters"),
        (b"(never " * 300 + b")" * 300, "at most 200 deep"),
        (
            b"(never (robot_at nowhere))",
            "rules.txt:1:18: expected rules that fit the scene, got there is no nowhere",
        ),
        (b"(forall (?x - unicorn) (never (hot ?x)))", "unknown class or type unicorn"),
        (b'{"never": 1, "never": 2}', "rules.txt:1:1"),
    ],
)
def test_what_is_no_file_of_rules_is_refused_in_one_line(
    cli, tmp_path: Path, text: bytes, words: str
) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_bytes(text)
    for verb in (["check"], ["plan"], ["run"]):
        ran = cli(*verb, "--scene", "office", "--goal", "(open fridge)", "--rules", rules)
        assert ran.code == 2 and words in ran.err and ran.err.count("\n") <= 2, ran.err[:300]


def test_a_rule_that_is_said_twice_is_one(cli, tmp_path: Path) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("(never (robot_at lobby))\n(always (not (robot_at lobby)))", encoding="utf-8")
    ran = cli("plan", "--scene", "office", "--goal", "(open fridge)", "--rules", rules, "--json")
    assert [one["rule"] for one in ran.json["rules"]] == ["(always (not (robot_at lobby)))"]


@pytest.mark.parametrize(
    ("rule", "a", "b", "relation"),
    [
        ("(always (closed fridge))", "(holding orange1)", "(and (holding orange1) (closed fridge))", "equal"),
        ("(always (hand_free))", "(open fridge)", "(holding apple1)", "weaker"),
        (
            "(sometime-before (holding orange1) (open fridge))",
            "(and (holding orange1) (sometime (open fridge)))",
            "(holding orange1)",
            "equal",
        ),
    ],
)
def test_goals_are_compared_over_runs_that_keep_the_rules(
    cli, tmp_path: Path, rule: str, a: str, b: str, relation: str
) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text(rule, encoding="utf-8")
    asked = ["diff", a, b, "--scene", "office", "--json"]
    assert cli(*asked).json["relation"] != relation
    assert cli(*asked, "--rules", rules).json["relation"] == relation
