"""`groundplan grade`: runs of a file and of a folder, the table of agreement, and what is refused."""

from __future__ import annotations

import json

import pytest
from jsonschema import validate

from groundplan.commands.schema import output_schema

TASK = "office-planning-simple-02"
RIGHT = "(and (closed fridge) (inside_of orange1 fridge))"


@pytest.fixture
def runs(tmp_path):
    lines = [
        {"id": "right", "task": TASK, "goal": RIGHT},
        {"id": "weak", "task": TASK, "goal": "(inside_of orange1 fridge)"},
        {"id": "other", "task": TASK, "goal": "(open fridge)"},
        {"id": "plan", "task": TASK, "plan": ["goto(pose13)"]},
    ]
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def test_runs_have_grades_and_graders_an_agreement(cli, runs) -> None:
    made = cli("grade", runs, "--json")
    assert made.code == 0
    validate(made.json, output_schema("grade"))
    grades = {run["id"]: run["grades"] for run in made.json["runs"]}
    assert [name for name, made_by in grades.items() if made_by["simulator"]] == ["right"]
    pairs = {tuple(pair["graders"]): pair for pair in made.json["pairs"]}
    assert len(pairs) == 10 and pairs["simulator", "diff"]["runs"] == 3
    assert pairs["simulator", "diff"]["kappa"] == 1
    assert pairs["diff", "exact"]["kappa"] == pytest.approx(0)  # p = 2/3, e = 2/3
    shown = cli("grade", runs).out
    assert "Graders differ  1 run" in shown and "exact no; the goal is equal" in shown
    few = cli("grade", runs, "--graders", "diff,exact", "--json").json
    assert [pair["graders"] for pair in few["pairs"]] == [["diff", "exact"]]


@pytest.mark.usefixtures("inline")
def test_a_folder_of_a_comparison_is_graded_too(cli, tmp_path) -> None:
    words = (
        "--methods",
        "gold,hybrid",
        "--reader",
        "gold",
        "--tasks",
        "office-planning-simple",
        "--limit",
        "2",
    )
    assert cli("bench", *words, "--out", tmp_path / "r").code == 0
    made = cli("grade", tmp_path / "r", "--json").json
    assert len(made["runs"]) == 4 and all(run["grades"]["simulator"] for run in made["runs"])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"goal": "(open fridge)"}', '"task"'),
        ('{"task": "nothing-like-it", "goal": "(open fridge)"}', "nothing-like-it"),
        ('{"task": "office-planning-simple-02"}', "a goal or a plan"),
        ('{"task": "office-planning-simple-02", "plan": "goto(x)"}', "a list of printed steps"),
        ('{"task": "office-planning-simple-02", "goal": 3}', "a text"),
        ('{"task": "office-search-simple-01", "goal": "(open fridge)"}', "a task with a gold goal"),
        ("no json", "expected JSON"),
        ('{"task": "office-planning-simple-02", "plan": ["((("]}', "a step such as"),
    ],
)
def test_what_is_no_run_is_refused_with_its_line(cli, tmp_path, line: str, words: str) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(f'{line}\n{{"task": "{TASK}", "goal": "(open fridge)"}}\n', encoding="utf-8")
    made = cli("grade", path, "--graders", "exact")
    assert made.code == 2 and words in made.err and f"{path}:1" in made.err
    assert "error[bad-line]" in made.err and "exact   1" in made.out, "the other run is graded"
    found = cli("grade", path, "--graders", "exact", "--json").json
    validate(found, output_schema("grade"))
    assert [fault["code"] for fault in found["faults"]] == ["bad-line"] and len(found["runs"]) == 1
    assert cli("grade", path, "--graders", "model").code == 2
