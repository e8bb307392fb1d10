"""Tasks of Context Matters as a prepared set: labels, what is left out and lost, and what is refused."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from groundplan.commands import cli, main
from groundplan.datasets.library import find_task, load_set
from groundplan.datasets.prepared import folder_of
from groundplan.domains.errors import InputError
from groundplan.evaluation.bench import load_results
from groundplan.evaluation.report.tables import by_label

SAMPLE = Path(__file__).parent / "formats" / "context_matters"
GOAL = "set the table for one person"
PREPARE = ["datasets", "prepare", "context-matters", "--from"]


def problem(**fields: object) -> dict[str, object]:
    return {"goal": GOAL, "graph": ["Testville"], "description": "", "relaxation_expected": False, **fields}


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the data set's layout: two splits, seven folders, and two that are missing."""
    monkeypatch.setenv("GROUNDPLAN_DATA", str(tmp_path / "home"))
    top = tmp_path / "clone"
    dining = {
        "problem_1": problem(),
        "problem_2": problem(relaxation_expected=True),
        "problem_3": problem(goal="set the table for two"),
        "problem_4": {"goal": GOAL},
        "problem_5": problem(relaxation_expected=1),
        "problem_6": problem(graph=["Testville", "Elsewhere", "Nowhere"]),
    }
    for split, listed in (("dining", dining), ("impossible_tasks", {"problem_1": problem()})):
        for name in listed:
            shutil.copytree(SAMPLE, top / split / "Testville" / name)
        (top / f"{split}.json").write_text(json.dumps({"problems": listed, "domain": {}}))
    (top / "settings.json").write_text("[]")
    file = top / "dining" / "Testville" / "problem_2" / "Testville.json"
    graph = json.loads(file.read_text())
    graph["objects"]["1"]["parent_room"] = None
    file.write_text(json.dumps(graph))
    (top / "dining" / "Testville" / "problem_6" / "init_loc.txt").write_text("cellar_9")
    return top


def test_the_label_is_the_authors_and_never_made_up(clone: Path) -> None:
    assert main([*PREPARE, str(clone)]) == 0
    tasks = {t.id.removeprefix("context-matters-"): t for t in load_set("context-matters")}
    assert {name: task.gold.label for name, task in tasks.items()} == {
        "dining-Testville-problem_1": "possible",
        "dining-Testville-problem_2": "relaxed",
        "dining-Testville-problem_3": "",  # the list has another instruction than the folder
        "dining-Testville-problem_4": "",  # no flag
        "dining-Testville-problem_5": "",  # a flag that is no boolean
        "impossible_tasks-Testville-problem_1": "impossible",
    }
    assert not any(task.gold.goal or task.gold.query for task in tasks.values())
    assert [name for name, task in tasks.items() if task.graded] == ["impossible_tasks-Testville-problem_1"]
    assert "no candles" in tasks["impossible_tasks-Testville-problem_1"].gold.unsolvable


def test_the_scene_is_that_of_the_folder_without_the_authors_words(clone: Path) -> None:
    assert main([*PREPARE, str(clone)]) == 0
    task = find_task("context-matters-dining-Testville-problem_2")
    scene = task.load()
    assert task.instruction == GOAL and scene.agent.at == "home_office_3"
    assert scene.description == "" and task.gold.rationale == "Nothing fancy, and no candles."
    assert scene.unplaced and [loss.kind for loss in scene.losses if loss.kind == "place"] == ["place"]


def test_describe_counts_labels_losses_and_what_was_left_out(clone: Path) -> None:
    assert main([*PREPARE, str(clone)]) == 0
    made = json.loads(CliRunner().invoke(cli, ["datasets", "describe", "context-matters", "--json"]).output)
    assert made["tasks"] == 6 and made["goals"] == made["queries"] == 0
    assert made["labels"] == {"possible": 1, "relaxed": 1, "impossible": 1, "": 3}
    assert sum(loss["count"] for loss in made["losses"] if loss["kind"] == "place") == 1
    assert sorted(made["left_out"].values()) == [1, 2]
    output = CliRunner().invoke(cli, ["datasets", "describe", "context-matters"]).output
    assert "relaxed: 1 task " in output and "no label: 3 tasks" in output
    assert "place not known: 1 thing" in output and "the label of a room" in output
    assert "left out: 2 tasks, listed without a folder" in output


def test_a_set_without_labels_names_none() -> None:
    made = json.loads(CliRunner().invoke(cli, ["datasets", "describe", "office-unsolvable", "--json"]).output)
    assert made["labels"] == made["left_out"] == {} and made["losses"] == []


def test_an_open_task_is_shown_and_has_no_goal_to_plan_for(clone: Path, capsys) -> None:
    assert main([*PREPARE, str(clone)]) == 0
    name = "context-matters-dining-Testville-problem_2"
    assert main(["tasks", "show", name]) == 0
    output = capsys.readouterr().out
    assert "open: nothing says which plan is right" in output and "relaxed: can be done in a weaker" in output
    assert main(["tasks", "show", name, "--json"]) == 0
    assert '"label": "relaxed"' in capsys.readouterr().out
    for task, got in ((name, "one without a gold"), ("office-unsolvable-01", "one to be declined")):
        assert main(["plan", "--task", task]) == 2
        assert got in capsys.readouterr().err


@pytest.mark.usefixtures("inline")
def test_a_run_of_an_impossible_task_is_right_if_it_comes_to_no_plan(clone: Path, tmp_path: Path) -> None:
    assert main([*PREPARE, str(clone)]) == 0
    names = [f"context-matters-{t}-Testville-problem_1" for t in ("dining", "impossible_tasks")]
    out = tmp_path / "runs"
    assert main(["bench", "--methods", "full-scene", "--tasks", ",".join(names), "--out", str(out)]) == 0
    rows = [json.loads(line) for line in (out / "rows.jsonl").read_text().splitlines()]
    by_task = {row["task"]: row for row in rows}
    assert by_task[names[0]]["kind"] == "open"
    assert by_task[names[1]]["measures"]["success"] is True


def test_a_report_has_a_table_by_label(clone: Path, tmp_path: Path, capsys) -> None:
    assert main([*PREPARE, str(clone)]) == 0
    bench = [
        "bench",
        "--methods",
        "full-scene",
        "--tasks",
        "context-matters",
        "--out",
        str(tmp_path / "runs"),
    ]
    capsys.readouterr()
    assert main([*bench, "--json"]) == 0
    lines = json.loads(capsys.readouterr().out)["labels"]
    assert [(line["label"], line["n"]) for line in lines] == [
        ("possible", 1),
        ("relaxed", 1),
        ("impossible", 1),
        ("none", 3),
    ]
    assert [line["success"] is None for line in lines] == [True, True, False, True], "others have no gold"
    assert lines[2]["success"] == 1.0 and lines[2]["endings"] == "not-understood 1"
    table = by_label(load_results(tmp_path / "runs"))
    assert table is not None and len(table.rows) == 4
    assert main(bench) == 0 and "possible" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("dining", "no task folders"),
        ("*.json", "no SPLIT.json"),
        ("dining/*/*/task.txt", "an instruction in task.txt"),
    ],
)
def test_what_is_no_clone_is_refused(damage: str, message: str, clone: Path, capsys) -> None:
    shutil.rmtree(clone / "impossible_tasks")
    for path in list(clone.glob(damage)):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert main([*PREPARE, str(clone)]) == 2
    assert message in capsys.readouterr().err


def test_a_list_that_is_no_list_is_an_error_with_its_place(clone: Path, capsys) -> None:
    (clone / "dining.json").write_text('{"problems": {"problem_1": 7}}')
    assert main([*PREPARE, str(clone)]) == 2
    assert "dining.json: problems.problem_1: expected an object" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("label", "easy", "a label: possible, relaxed, impossible or none"),
        ("remark", None, "a remark"),
        ("instruction", "", "instruction"),
    ],
)
def test_stored_lines_are_checked(key: str, value: object, message: str, clone: Path, tmp_path: Path) -> None:
    assert main([*PREPARE, str(clone)]) == 0
    folder = folder_of("context-matters")
    first = json.loads((folder / "tasks.jsonl").read_text().splitlines()[0])
    line = json.dumps(first | {key: value}) + "\n"
    (folder / "tasks.jsonl").write_text(line)
    manifest = json.loads((folder / "dataset.json").read_text())
    manifest["files"]["tasks.jsonl"] = sha256(line.encode()).hexdigest()  # as of a set written by hand
    (folder / "dataset.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match=message):
        load_set("context-matters")
