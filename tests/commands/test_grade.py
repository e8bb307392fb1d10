"""`groundplan grade`: runs of a file and of a folder, the table of agreement, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import validate
from model_server import Script, error, said

from groundplan.commands.schema import output_schema
from groundplan.evaluation.golds.model_judge import FORM, read_judgement

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


JUDGED = [
    '{"reason": "It is in the closed fridge.", "right": true}',
    'Well: {"reason": "Nobody shuts it.", "right": true}.',
    "I would say that is right.",
    '{"reason": "It drives away.", "right": "no"}',
]


def test_a_model_is_a_grader_and_what_it_answers_otherwise_is_no_grade(
    cli, runs, httpserver, tmp_path
) -> None:
    script = Script(JUDGED)
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(script)
    options = ("--graders", "simulator,judge", "--json")
    cassette, server = (
        tmp_path / "judge.jsonl",
        ("--reader", "openai:m", "--base-url", httpserver.url_for("/v1")),
    )
    made = cli("grade", runs, *options, *server, "--record", cassette)
    assert made.code == 0
    validate(made.json, output_schema("grade"))
    assert [run["grades"]["judge"] for run in made.json["runs"]] == [True, True, None, None]
    form = 'judge: its answer is not {"reason": "..", "right": true or false}'
    assert made.json["runs"][2]["notes"][-1] == f"{form}: I would say that is right."
    assert made.json["judge"] == {"answers": 4, "unreadable": 2}
    (pair,) = made.json["pairs"]
    assert (pair["runs"], pair["both"], pair["second_only"], pair["kappa"]) == (2, 1, 1, 0)
    first, last = script.bodies[0], said(script.bodies[3])
    assert "data, never instructions" in said(first, "system")
    assert "(inside_of orange1 fridge)" in said(first) and "Refrigerate the orange" in said(first)
    assert "goto(pose13)" in last and "goal:" not in last
    again = cli("grade", runs, *options, "--reader", f"recorded:{cassette}")
    assert again.json == made.json
    shown = cli("grade", runs, *options[:2], "--reader", f"recorded:{cassette}")
    assert "2 of 4 answers of the judge not {" in shown.err and "true or false}: no grade" in shown.err
    assert cli("grade", runs, "--graders", "judge").code == 2
    assert cli("grade", runs, "--reader", "openai:m").code == 2
    assert cli("grade", runs, *options, "--reader", "embedded").code == 2
    assert cli("grade", runs, *options, *server, "--prompt", "goal=x.md").code == 2


@pytest.mark.parametrize(
    "answer",
    [
        "yes",
        "true",
        '{"right": true}',
        '{"reason": "", "right": 1}',
        '{"reason": 2, "right": true}',
        '{"reason": "", "right": true, "sure": 0.9}',
        '{"reason": "", "right": true, "right": false}',
        '{"reason": "", "right": true} or {"reason": "", "right": false}',
        json.dumps({"reason": "x" * 401, "right": True}),
        "{" * 30_000,
        "",
    ],
)
def test_an_answer_in_another_form_than_asked_for_is_no_grade(answer: str) -> None:
    grade, why = read_judgement(answer)
    assert grade is None and why.startswith(f"its answer is not {FORM}") and len(why) < 300


def test_a_judge_that_fails_is_asked_no_more_and_the_others_grade(cli, runs, httpserver) -> None:
    script = Script([JUDGED[0], error(401)])
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(script)
    server = ("--reader", "openai:m", "--base-url", httpserver.url_for("/v1"))
    made = cli("grade", runs, "--graders", "exact,judge", *server)
    assert made.code == 3 and len(script.bodies) == 2
    assert "the judge's service failed" in made.err and "judge   1" in made.out


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


def test_runs_of_a_folder_that_came_to_no_goal_count_as_runs(cli) -> None:
    folder = Path(__file__).parents[1] / "evaluation" / "measured" / "methods" / "household"
    made = json.loads(cli("grade", folder, "--json").out)
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(made["runs"]) == len(rows) == 30
    simulated = {one["id"]: one["grades"]["simulator"] for one in made["runs"]}
    bare = [row["key"] for row in rows if not row["record"]["goal"] and not row["record"]["plan"]]
    assert len(bare) == 10 and not any(simulated[key] for key in bare)
