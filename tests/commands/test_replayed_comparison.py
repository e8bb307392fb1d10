"""`groundplan replay DIR`: the runs of a comparison made again from its folder alone."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from shlex import quote

import pytest
from perfect_model import PerfectModel

from groundplan.datasets.library import find_task
from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.evaluation.bench import load_results
from groundplan.evaluation.bench.results import MANIFEST, ROWS
from groundplan.evaluation.judging import JudgedTask
from groundplan.evaluation.report import report_on
from groundplan.evaluation.report.forms.formats import FORMATS
from groundplan.simulator.scene_json import scene_text

pytestmark = pytest.mark.usefixtures("inline")
TASK = "office-planning-simple-10"


@pytest.fixture
def served(httpserver):
    model = PerfectModel(JudgedTask.of(find_task(TASK), load_pack()))
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(model)
    return httpserver


def compared(cli, httpserver, folder: Path, *options: object):
    server = httpserver.url_for("/v1")
    ran = cli(
        "bench", "--tasks", TASK, "--reader", "openai:m", "--base-url", server, "--out", folder, *options
    )
    assert ran.code == 0, ran.err
    return ran


def rows(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / ROWS).read_text().splitlines()]


def everything(folder: Path) -> dict[str, str]:
    """Return a report in every form, without what a clock measured."""
    made = report_on(load_results(folder), timed=False)
    return {name: write(made) for name, write in FORMATS.items()}


def changed(folder: Path, change) -> None:
    """Write the rows of a folder anew, each as ``change`` leaves it."""
    lines = rows(folder)
    for line in lines:
        change(line)
    text = (json.dumps(line, sort_keys=True, separators=(",", ":")) + "\n" for line in lines)
    (folder / ROWS).write_text("".join(text))


def test_runs_with_a_model_are_made_again_without_it(cli, served, tmp_path: Path) -> None:
    folder, again = tmp_path / "results", tmp_path / "again"
    compared(cli, served, folder, "--methods", "gold,hybrid,sayplan,llm+p", "--without", "memory")
    compared(cli, served, folder, "--methods", "hybrid-naming,llm-as-planner")  # the folder has grown
    assert len(served.log) > 10
    served.clear()
    ran = cli("replay", folder, "--out", again)
    assert ran.code == 0 and ran.last == f"7 of 7 runs of {folder} gave their rows again"
    assert not served.log
    tables = [everything(place) for place in (folder, again)]
    assert tables[0] == tables[1]
    both = [json.loads((place / MANIFEST).read_text()) for place in (folder, again)]
    assert both[0] == both[1] and len(both[0]["commands"]) == 2


def test_a_failure_of_the_server_is_kept_like_an_answer(cli, httpserver, tmp_path: Path) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_json(
        {"error": {"message": "no"}}, status=400
    )
    compared(cli, httpserver, tmp_path / "results", "--methods", "hybrid,sayplan")
    assert {row["outcome"] for row in rows(tmp_path / "results")} == {"service-failed"}
    httpserver.clear()
    assert cli("replay", tmp_path / "results").code == 0


def test_what_differs_is_said_for_each_run(cli, served, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    compared(cli, served, folder, "--methods", "gold,hybrid,sayplan")

    def change(line) -> None:
        if line["method"] == "hybrid":
            line["replies"]["calls"][0]["reply"]["text"] = "no"
        if line["method"] == "sayplan":
            line["measures"]["success"] = False

    changed(folder, change)
    ran = cli("replay", folder, "--json")
    assert ran.code == 1 and ran.json["same"] == 1 and not ran.json["replays"]
    keys = sorted(ran.json["other"])
    assert [key.split()[0] for key in keys] == ["hybrid", "sayplan"]
    assert ran.json["other"][keys[1]] == "measures.success was false, now true"
    shown = cli("replay", folder)
    assert shown.code == 1 and "sayplan" in shown.out and "measures.success was false" in shown.out


def test_a_request_that_is_another_one_gets_no_answer(cli, served, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    compared(cli, served, folder, "--methods", "sayplan")
    changed(folder, lambda line: line["replies"]["calls"][0].update(request="0" * 64))
    ran = cli("replay", folder, "--json")
    assert ran.code == 1 and "service-failed" in str(ran.json["other"])


def test_runs_that_a_clock_ended_are_named_apart(cli, served, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    compared(cli, served, folder, "--methods", "gold,sayplan")
    changed(folder, lambda line: line.update(reproducible=line["method"] != "gold"))
    ran = cli("replay", folder, "--json")
    assert ran.code == 0 and list(ran.json["clock"]) == [f"gold pyperplan {TASK} 1"]
    assert "that a clock ended" in cli("replay", folder).out


def test_runs_that_are_missing_are_made_and_counted(cli, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    sets = ("bench", "--methods", "gold", "--tasks", "office-planning-simple", "--limit", 3, "--out", folder)
    assert cli(*sets).code == 0
    lines = (folder / ROWS).read_text().splitlines(keepends=True)
    (folder / ROWS).write_text("".join(lines[:2]) + lines[2][:100])
    ran = cli("replay", folder, "--json")
    assert ran.code == 0 and ran.json["same"] == 2 and len(ran.json["unmade"]) == 1


def test_what_cannot_be_made_again_is_refused(cli, served, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    compared(cli, served, folder, "--methods", "gold")
    manifest = json.loads((folder / MANIFEST).read_text())

    def refused(words: str, *options: object, **keys: object) -> None:
        (folder / MANIFEST).write_text(json.dumps(manifest | keys))
        ran = cli("replay", folder, *options)
        assert ran.code == 2 and words in ran.err, ran.err

    refused("an older version", commands=[])
    refused("lists of options", commands=["--methods gold"])
    refused("what the runs had", pack=manifest["pack"] | {"hash": "0" * 64})
    refused("No such option", commands=[["--metods", "gold"]])
    refused("options that decide runs", commands=[["--methods", "gold", "--tasks", TASK, "--record", "x"]])
    refused("--engine is for the trace of an execution", "--engine", "pyperplan")
    (tmp_path / "empty").mkdir()
    assert "neither" in cli("replay", tmp_path / "empty").err
    trace = tmp_path / "trace.jsonl"
    trace.write_text("{}\n")
    ran = cli("replay", trace, "--scene", "office", "--jobs", 2)
    assert ran.code == 2 and "--jobs is for a comparison" in ran.err


def test_code_of_others_runs_only_where_that_is_asked_for(cli, tmp_path: Path) -> None:
    folder, mark = tmp_path / "results", tmp_path / "mark"
    assert cli("bench", "--methods", "gold", "--tasks", TASK, "--out", folder).code == 0
    manifest = json.loads((folder / MANIFEST).read_text())
    usual = ["--methods", "gold", "--tasks", TASK]
    for words in (
        [*usual, "--engine-command", f"mine=touch {mark}"],
        ["--methods", "gold,nowhere:Class", "--tasks", TASK],
    ):
        (folder / MANIFEST).write_text(json.dumps(manifest | {"commands": [words]}))
        ran = cli("replay", folder)
        assert ran.code == 2 and "--own-code" in ran.err and not mark.exists()


def test_an_engine_of_ones_own_is_run_again(cli, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    command = f"mine={quote(sys.executable)} -m pyperplan {{domain}} {{problem}}"
    words = ("bench", "--methods", "gold", "--tasks", TASK, "--engine-command", command, "--out", folder)
    assert cli(*words).code == 0
    ran = cli("replay", folder, "--own-code")
    assert ran.code == 0 and "1 of 1 run" in ran.last


def test_a_key_is_in_no_command_and_no_row(cli, served, tmp_path: Path, monkeypatch) -> None:
    key = "sk-" + "a1B2" * 8
    monkeypatch.setenv("OPENAI_API_KEY", key)
    folder = tmp_path / "results"
    compared(cli, served, folder, "--methods", "hybrid")
    assert key not in (folder / MANIFEST).read_text() + (folder / ROWS).read_text()


def test_own_tasks_are_replayed_where_their_files_are_gone(cli, tmp_path: Path) -> None:
    """Scene and tasks are in the folder; the ids of lines without one stay, and so does a scene by name."""
    files = tmp_path / "mine"
    files.mkdir()
    (files / "flat.json").write_text(
        scene_text(replace(load_scene("home"), name="my home")), encoding="utf-8"
    )
    lines = [
        {"instruction": "Go to the kitchen.", "scene": "flat.json", "goal": "(robot_at kitchen1)"},
        {},
        {"instruction": "Go to the lobby.", "scene": "office", "goal": "(robot_at lobby)"},
    ]
    own = "\n".join(json.dumps(line) if line else "" for line in lines)
    (files / "lab.jsonl").write_text(own, encoding="utf-8")
    folder = tmp_path / "results"
    asked = ("bench", "--methods", "gold", "--tasks", f"{files / 'lab.jsonl'},{TASK}", "--out", folder)
    assert cli(*asked).code == 0
    assert [row["task"] for row in rows(folder)] == ["lab-1", "lab-3", TASK]
    shutil.rmtree(files)
    shutil.move(folder, tmp_path / "moved")
    ran = cli("replay", tmp_path / "moved")
    assert ran.code == 0 and ran.last.startswith("3 of 3 runs"), ran.err
    (kept,) = (tmp_path / "moved" / "tasks").glob("*.json")
    kept.write_text(kept.read_text(encoding="utf-8").replace("tv_stand0", "tv_stand9"), encoding="utf-8")
    assert cli("replay", tmp_path / "moved").code == 2


def test_rules_are_kept_and_plans_that_break_one_are_refused(cli, served, tmp_path: Path) -> None:
    rules, folder = tmp_path / "rules.txt", tmp_path / "results"
    rules.write_text("(never (do goto pose13 pose9)) ; the short way")
    compared(cli, served, folder, "--methods", "gold,llm-as-planner", "--rules", rules)
    kept, refused = rows(folder)
    assert kept["outcome"] == "verified" and kept["measures"]["success"]
    assert kept["record"]["rules"][0]["kept"]
    assert refused["outcome"] != "executable"
    assert refused["record"]["hashes"]["rules_before"] == kept["record"]["hashes"]["rules_before"]
    broken = "the rule (never (do goto pose13 pose9)) is broken by step 6"
    assert broken in refused["record"]["attempts"][0]["feedback"]
    assert not refused["measures"]["executable"] and not refused["measures"]["success"]
    assert refused["measures"]["intent"] and refused["measures"]["unmet"] == [broken]
    assert "- rules: (never (do goto pose13 pose9))" in cli("report", folder).out
    rules.write_text("(never (robot_at pose5))")
    other = cli("bench", "--tasks", TASK, "--methods", "gold", "--rules", rules, "--out", folder)
    assert other.code == 2 and "rules.formulas was" in other.err and "pose5" in other.err
    without = cli("bench", "--tasks", TASK, "--methods", "gold", "--out", folder)
    assert without.code == 2 and "rules was" in without.err
    rules.unlink()  # what is replayed has them
    served.clear()
    ran = cli("replay", folder)
    assert ran.code == 0 and ran.last == f"2 of 2 runs of {folder} gave their rows again"


def test_rules_that_do_not_fit_a_scene_are_refused_with_the_task(cli, tmp_path: Path) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("(never (robot_at pose5))")
    tasks = f"{TASK},home-search-simple-01"
    ran = cli("bench", "--tasks", tasks, "--methods", "gold", "--rules", rules, "--out", tmp_path / "results")
    assert ran.code == 2 and "for the task home-search-simple-01:1:18" in ran.err
