"""`check` of goals in files, with its fixes and its formats."""

from __future__ import annotations

import json

import pytest
from jsonschema import validate

from groundplan.commands.schema import output_schema

SEVERAL = """; before noon
(holding orange1)
(and (closed fridge)
     (chilled apple2))   ; a comment (with brackets
(turned_on sofaa)
"""
LINES = [
    {"id": "tidy", "goal": "(opened fridge)", "asked": "Leave it open."},
    {"goal": "(holding\n  orangee1)"},
    {"id": 7, "goal": "(and (hand_free)"},
]


@pytest.mark.parametrize(
    ("goal", "at", "fixes"),
    [
        ("(heated bread)", "heated", ["hot"]),
        ("(and (open fridge) (washed plate))", "washed", ["clean"]),
        ("(put_into banana1 fridge)", "put_into", ["inside_of"]),
        ("(is_in banana1 lobby)", "is_in", ["in_room"]),
        ("(is_in banana1 fridge)", "is_in", ["inside_of"]),
        ("(exists (?x - apple) (chilled ?x))", "chilled", ["cold"]),
        ("(robot_at  kitchenn)", "kitchenn", ["kitchen"]),
        ("(exists (?x - aple) (hot ?x))", "aple", ["apple"]),
        ("(not (dirty plate))", "(not (dirty plate))", ["(clean plate)"]),
        ("(exists (?thing - mug) (hot ?thng))", "?thng", ["?thing"]),
        ("(not (= fridg apple1))", "fridg", ["fridge"]),
        ("(not (=fridge apple1))", "=fridge", ["= fridge"]),
        ("(exists (?x - apple) (and (hot ?x) (not (=?x apple1))))", "=", ["= "]),
    ],
)
def test_a_fix_has_its_own_place_and_mends_the_goal(cli, goal, at, fixes):
    ran = cli("check", "--scene", "office", "--goal", goal, "--json", "--no-prove")
    [finding] = [d for d in ran.json["diagnostics"] if d["severity"] == "error"]
    assert [f["text"] for f in finding["fixes"]] == fixes
    span = finding["fixes"][0]["span"]
    assert goal[span["start"] : span["end"]] == at
    fixed = cli("check", "--scene", "office", "--goal", goal, "--fix", "--no-prove")
    assert fixed.out == goal.replace(at, fixes[0]) + "\n"


@pytest.mark.parametrize(
    "goal", ["(shut fridge)", "(cooked bread)", "(holding aple)", "(frobnicated apple1)"]
)
def test_nothing_is_guessed(cli, goal):
    fixed = cli("check", "--scene", "office", "--goal", goal, "--fix")
    assert (fixed.out, fixed.code) == (goal + "\n", 1)


def test_what_could_be_instead_is_named_of_its_class_first(cli):
    said = cli("check", "--scene", "office", "--goal", "(closed desk1)").out
    assert "desk1 cannot be closed; possible with cabinet" in said
    said = cli("check", "--scene", "office", "--goal", "(turned_on fridge)").out
    assert "possible with coffee_machine, dishwasher, microwave" in said


def test_formulas_in_a_file_are_checked_one_by_one(cli, tmp_path):
    file = tmp_path / "goals.pddl"
    file.write_text(SEVERAL)
    ran = cli("check", "--scene", "office", "--goal", f"@{file}", "--json")
    goals = ran.json["goals"]
    assert ran.code == 1
    assert [(g["id"], g["line"]) for g in goals] == [("1", 2), ("2", 3), ("3", 5)]
    assert [[d["code"] for d in g["diagnostics"]] for g in goals] == [
        [],
        ["unknown-predicate"],
        ["unknown-node"],
    ]
    span = goals[1]["diagnostics"][0]["span"]
    assert (span["line"], span["column"]) == (4, 6)
    assert SEVERAL[span["start"] : span["end"]] == "(chilled apple2)"
    assert cli("check", "--scene", "office", "--goal", f"@{file}").last == "3 goals: 2 errors"
    fixed = cli("check", "--scene", "office", "--goal", f"@{file}", "--fix")
    assert fixed.out == SEVERAL.replace("chilled", "cold")
    assert file.read_text() == SEVERAL


def test_json_lines_keep_ids_and_all_other_keys(cli, tmp_path):
    file = tmp_path / "goals.jsonl"
    file.write_text("\n\n".join(map(json.dumps, LINES)))
    ran = cli("check", "--scene", "office", "--goal", f"@{file}", "--json", "--fix")
    assert [(g["id"], g["line"]) for g in ran.json["goals"]] == [("tidy", 1), ("3", 3), ("7", 5)]
    assert ran.json["fixed"].splitlines()[1::2] == ["", ""]
    fixed = [json.loads(line) for line in ran.json["fixed"].splitlines()[::2]]
    assert fixed == [LINES[0] | {"goal": "(open fridge)"}, {"goal": "(holding\n  orange1)"}, LINES[2]]
    assert [d["code"] for g in ran.json["goals"] for d in g["diagnostics"]] == ["syntax"]


def test_lines_of_json_without_a_fix_stay_as_they_are(cli, tmp_path):
    lines = ['{"goal":"(open fridge)",  "id": 1}', "", '{"goal": "(open fridg)"}', "", ""]
    file = tmp_path / "goals.jsonl"
    file.write_text("\n".join(lines))
    fixed = cli("check", "--scene", "office", "--goal", f"@{file}", "--fix", "--no-prove").out
    assert fixed == file.read_text().replace("fridg)", "fridge)")


def test_a_goal_of_several_lines_in_json_has_the_line_of_the_file(cli, tmp_path):
    file = tmp_path / "goals.jsonl"
    goals = ("(closed fridge)", "(and (closed fridge)\n  (hot brread)\n  (chilled bread))")
    file.write_text("\n".join(json.dumps({"goal": goal}) for goal in goals))
    found = cli("check", "--scene", "office", "--goal", f"@{file}", "--json", "--no-prove").json["goals"][1]
    spans = [d["span"] for d in found["diagnostics"]]
    assert [(s["line"], s["column"], goals[1][s["start"] : s["end"]]) for s in spans] == [
        (2, 8, "brread"),
        (2, 3, "(chilled bread)"),
    ]


@pytest.mark.parametrize(
    "line", ["{", '{"goal": 3}', '{"id": true, "goal": "(hand_free)"}', '{"id": "tidy"}']
)
def test_a_line_without_a_goal_is_a_finding_and_the_others_are_checked(cli, tmp_path, line):
    file = tmp_path / "goals.jsonl"
    file.write_text(f"{json.dumps(LINES[0])}\n{line}\n" + json.dumps({"goal": "(hot fridg)"}))
    ran = cli("check", "--scene", "office", "--goal", f"@{file}", "--json")
    validate(ran.json, output_schema("check"))
    codes = [(g["line"], [d["code"] for d in g["diagnostics"]]) for g in ran.json["goals"]]
    assert ran.code == 1 and codes[1:] == [(2, ["bad-line"]), (3, ["unknown-node"])]
    shown = cli("check", "--scene", "office", "--goal", f"@{file}").out
    assert "goals.jsonl:2" in shown and "error[bad-line]: expected " in shown
    fixed = cli("check", "--scene", "office", "--goal", f"@{file}", "--fix").out
    assert fixed.splitlines()[1] == line and "(hot fridge)" in fixed


def test_annotations_cannot_be_forged(cli, tmp_path):
    file = tmp_path / "a,b:c.pddl"
    file.write_text('(closed fridge)\n(hot "x\\n::error::100% mine")\n(open "fridgee")')
    ran = cli("check", "--scene", "office", "--goal", f"@{file}", "--format", "github")
    warned, unknown, third = ran.out.splitlines()
    at = str(file).replace(",", "%2C").replace(":", "%3A")
    assert warned.startswith(f"::warning file={at},line=1,col=1,title=already-true::")
    assert unknown.startswith(f"::error file={at},line=2,col=6,title=unknown-node::") and "100%25" in unknown
    assert third == f"::error file={at},line=3,col=7,title=unknown-node::" + (
        "there is no fridgee in the scene (try fridge)"
    )
    assert cli("check", "--scene", "office", "--goal", "(and", "--format", "github").out.startswith(
        "::error line=1,col=5,title=syntax::"
    )


@pytest.mark.parametrize(
    "text",
    [
        "```pddl\n(and (closed fridge)\n     (holding orange1))\n```",
        "(:goal (and (closed fridge) (holding orange1)))",
        "(define (problem p) (:domain d)\n  (:goal (and (closed fridge) (holding orange1))))",
        "(AND (CLOSED FRIDGE) (Holding Orange1))",
    ],
)
def test_goals_are_read_as_models_write_them(cli, tmp_path, text):
    file = tmp_path / "answer.txt"
    file.write_text(text)
    wanted = ("--scene", "office", "--goal", f"@{file}")
    checked = cli("check", *wanted, "--json")
    assert (checked.code, checked.json["says"]) == (0, "Close fridge. Hold orange1.")
    assert cli("plan", *wanted, "--json").json["goal"] == "(and (closed fridge) (holding orange1))"
    plan = tmp_path / "plan.txt"
    plan.write_text("goto(kitchen)\n")
    assert cli("simulate", *wanted, "--plan", plan, "--json").json["goal_value"] in (False, None)


def test_an_error_inside_of_a_wrapping_has_the_place_in_the_text(cli):
    text = "```\n(closed fridgee)\n```"
    ran = cli("check", "--scene", "office", "--goal", text, "--json", "--fix")
    assert ran.json["fixed"] == text.replace("fridgee", "fridge") and ran.code == 0


def test_every_syntax_error_of_a_goal_is_a_finding(cli):
    ran = cli("check", "--scene", "office", "--goal", "(and (xor (hot bread)) (not))", "--json")
    assert [d["code"] for d in ran.json["diagnostics"]] == ["unsupported", "syntax"]


def test_a_bracket_too_many_hides_no_other_syntax_error(cli):
    ran = cli("check", "--scene", "office", "--goal", "(and (xor (hot bread)) (not)))", "--json")
    found = [(d["code"], d["span"]["column"]) for d in ran.json["diagnostics"]]
    assert found == [("unsupported", 7), ("syntax", 28), ("syntax", 30)]


def test_the_goal_may_stand_as_an_argument(cli):
    asked, given = (
        cli("check", "(open fridg)", "--scene", "office"),
        cli("check", "--scene", "office", "--goal", "(open fridg)"),
    )
    assert (asked.code, asked.out) == (given.code, given.out) == (1, given.out)
    both = cli("check", "(open fridge)", "--scene", "office", "--goal", "(open fridge)")
    assert both.code == 2 and "give the goal once" in both.err
