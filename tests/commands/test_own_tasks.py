"""Tasks of users: what a line may hold, scenes beside the file, golds, and comparisons of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench_methods import Written

from groundplan import load_pack
from groundplan.datasets.own_tasks import MAX_BYTES, read_own_tasks
from groundplan.datasets.scenes import load_scene
from groundplan.domains.errors import InputError
from groundplan.evaluation.bench import Comparison, Inline, load_results, run_comparison
from groundplan.evaluation.bench.comparison import chosen_tasks
from groundplan.evaluation.judging import JudgedTask
from groundplan.evaluation.report import report_on
from groundplan.methods import METHODS, Tools
from groundplan.simulator.scene_json import scene_to_json

GOAL = "(inside_of banana1 fridge)"
QUERY = "(find (?r - office) :most (?d - desk) (in_room ?d ?r))"


def write(folder: Path, *tasks: object, name: str = "mine.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(t if isinstance(t, str) else json.dumps(t) for t in tasks) + "\n")
    return path


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "flat.json").write_text(json.dumps(scene_to_json(load_scene("office"))))
    return write(
        tmp_path,
        {"instruction": "Chill the banana.", "scene": "flat.json", "goal": GOAL},
        "",
        {"id": "desks", "instruction": "Which office has most desks?", "scene": "office", "query": QUERY},
        {"instruction": "Tidy up.", "scene": "flat.json"},
    )


def test_a_line_is_a_task(mine: Path) -> None:
    first, second, third = read_own_tasks(mine)
    assert [t.id for t in (first, second, third)] == ["mine-1", "desks", "mine-4"]
    assert {t.set for t in (first, second, third)} == {"mine"} and first.base is third.base
    assert first.gold.goal == GOAL and second.gold.query == QUERY
    assert (first.graded, second.graded, third.graded) == (True, True, False)
    judged = [JudgedTask.of(task, load_pack()) for task in (first, second, third)]
    assert [case.is_search for case in judged] == [False, True, False]
    assert judged[1].task.gold.answers and judged[1].task.gold.answers[0] in judged[1].belief.scene.nodes


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[1]", ": expected an object of JSON, got [1]; write {"),
        ("{", ":2: expected JSON, got"),
        ('{"instruction": "x", "instruction": "y"}', "instruction twice; leave one"),
        ({"instruction": "x"}, ': scene: expected a text, got no such key; write "scene": ".."'),
        ({"scene": "office"}, ": instruction: expected a text, got no such key; write"),
        ({"instruction": " ", "scene": "office"}, ": instruction: expected a text, got ' '; write"),
        ({"instruction": 3, "scene": "office"}, ": instruction: expected a text, got 3; write"),
        ({"instruction": "x", "scene": "office", "item": 3}, ": item: expected a text, got 3; write"),
        (
            {"instruction": "x", "scene": "offcie"},
            ": scene: expected the name of a scene or a file, got offcie; did",
        ),
        (
            {"instruction": "x", "scene": "none.json"},
            ": scene none.json: expected a readable file, got No such",
        ),
        (
            {"instruction": "x", "scene": "office", "gaol": GOAL},
            ": expected the keys of a task, got gaol; did you mean",
        ),
        ({"instruction": "x", "scene": "office", "goal": GOAL, "query": QUERY}, "got several; leave all"),
        ({"instruction": "x", "scene": "office", "goal": "(open"}, ": goal:1:6: expected"),
        (
            {"instruction": "x", "scene": "office", "query": "find it"},
            ": query:1:1: expected (, got find; write",
        ),
        (
            {"instruction": "x", "scene": "office", "requested": GOAL},
            ": requested: expected a goal that it is about",
        ),
        ({"instruction": "x", "scene": "office", "any": 1}, ": any: expected a query that it is about"),
        (
            {"instruction": "x", "scene": "office", "query": QUERY, "any": -1},
            ": any: expected the number of answers",
        ),
        ({"instruction": "x", "scene": "office", "any": True}, ": any: expected the number of answers"),
    ],
)
def test_a_line_that_is_no_task_is_refused_by_file_and_line(tmp_path: Path, line: object, words: str) -> None:
    path = write(tmp_path, {"instruction": "x", "scene": "office"}, line)
    with pytest.raises(InputError) as refused:
        read_own_tasks(path)
    told = str(refused.value)
    assert told.startswith(f"{path}:2:") and words in told, told
    assert "; " in told, "it says what to do"


def test_a_file_is_bounded_and_has_each_id_once(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.jsonl", write(tmp_path, "", name="empty.jsonl")):
        with pytest.raises(InputError):
            read_own_tasks(path)
    task = {"id": "a", "instruction": "x", "scene": "office"}
    with pytest.raises(InputError, match=r":2: id: expected one that no other line has, got a; .*:1 has it"):
        read_own_tasks(write(tmp_path, task, task))
    (tmp_path / "big.jsonl").write_bytes(b" " * (MAX_BYTES + 1))
    with pytest.raises(InputError):
        read_own_tasks(tmp_path / "big.jsonl")


def test_golds_that_do_not_fit_are_found_before_a_run(tmp_path: Path) -> None:
    for key, gold in (
        ("goal", {"goal": "(inside_of unicorn fridge)"}),
        ("query", {"query": "(find (?x - unicorn))"}),
        ("requested", {"goal": GOAL, "requested": "(inside_of unicorn fridge)"}),
    ):
        path = write(tmp_path, {"instruction": "x", "scene": "office", "id": "mine", **gold})
        comparison = Comparison((Written(),), chosen_tasks(str(path)))
        with pytest.raises(InputError, match=f":1: {key}:1:"):
            run_comparison(comparison, lambda *a: Tools(), tmp_path / "out", Inline())
        assert not (tmp_path / "out").exists()


def test_tasks_with_and_without_a_gold_are_compared(mine: Path, tmp_path: Path) -> None:
    names = f"{mine},office-planning-simple-01"
    methods = (METHODS["gold"], Written(), Written("wrong", target="nowhere"))
    comparison = Comparison(methods, chosen_tasks(names))
    results = run_comparison(comparison, lambda *a: Tools(), tmp_path / "out", Inline())
    rows = {(row.method, row.task): row for row in results.rows}
    assert rows["gold", "mine-1"].succeeded and rows["gold", "mine-4"].outcome == "unsupported"
    free = rows["written", "mine-4"]
    assert free.kind == "open" and free.measures == {"executable": True, "steps": 1} and not free.failed
    assert rows["wrong", "mine-4"].failed and "success" not in rows["wrong", "mine-4"].measures
    assert load_results(tmp_path / "out").rows == results.rows
    report = report_on(results)
    (table,) = [table for table in report.tables if table.title == "Tasks without a gold"]
    assert [(row[1], str(row[5].value)) for row in table.rows] == [("written", "1.0"), ("wrong", "0.0")]
    (planning,) = [table for table in report.tables if table.title == "Planning"]
    counts = {(row[0], row[1]): row[4] for row in planning.rows}
    assert counts["mine", "written"] == 1, "the task without a gold is in no measure"
    lines = [row for row in report.flat.rows if (row[0], row[3]) == ("written", "mine (open)")]
    assert [1.0, None] in [[row[6], row[7]] for row in lines], "a line of its own, without success"


def test_the_verb_takes_a_file(cli, mine: Path, tmp_path: Path) -> None:
    ran = cli("bench", "--methods", "gold", "--tasks", mine, "--out", tmp_path / "out")
    assert ran.code == 0 and "gold plans for gold goals, and this task has none" in ran.out
    assert cli("report", tmp_path / "out").code == 0
    assert cli("bench", "--methods", "gold", "--tasks", "none.jsonl", "--out", tmp_path / "o").code == 2
