"""The verbs bench and report, as users get them."""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import json
import os
import resource
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from model_server import SSE, Script, sse
from werkzeug import Response

from groundplan.commands.bench import Workshop, _settings
from groundplan.commands.readers import ModelOptions, several_readers
from groundplan.datasets import library
from groundplan.datasets.library import find_task, load_set
from groundplan.domains.pack import load_pack
from groundplan.evaluation.bench import Account, Cell, CellRunner, Comparison
from groundplan.evaluation.bench.account import CountedModel
from groundplan.evaluation.bench.comparison import chosen_tasks
from groundplan.evaluation.judging import JudgedTask
from groundplan.language.chat.servers.model import ChatRequest, Message
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.methods import METHODS, Limits, Tools

Cli = Callable[..., object]


def bench(cli: Cli, out: Path, *words: str, methods: str = "gold,hybrid", tasks: str = "office-planning"):
    return cli("bench", "--methods", methods, "--tasks", tasks, "--out", out, *words)


def lines_of(ran) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(ran.out)))


@pytest.mark.usefixtures("inline")
def test_gold_and_hybrid_with_the_gold_reader_solve_what_they_are_given(cli, tmp_path: Path) -> None:
    """A part of the 30 planning tasks; all of them are a slow test."""
    ran = bench(cli, tmp_path, "--reader", "gold", "--limit", "2", "--json")
    assert ran.code == 0 and ran.json["runs"] == 8
    for line in ran.json["results"]:
        assert (line["intent"], line["executable"], line["n"]) == (1.0, 1.0, 2)
        assert (line["success"], line["success_asked"], line["invented"]) == (1.0, 1.0, 0.0)


@pytest.mark.usefixtures("inline")
def test_methods_that_cannot_do_a_task_are_listed_with_the_reason(cli, tmp_path: Path) -> None:
    words = ("--reader", "gold", "--limit", "2", "--pack", "grasif-looking")
    ran = bench(cli, tmp_path, *words, tasks="grasif-hidden")
    table = ran.out.split("unsupported, because")[1]
    assert "hybrid" in table and "looks for nothing" in table and "gold  none" not in table
    again = bench(cli, tmp_path, *words, "--json", tasks="grasif-hidden").json
    assert [line["method"] for line in again["results"]] == ["gold"]
    (line,) = again["unsupported"]
    assert (line["method"], line["n"]) == ("hybrid", 2) and "looks for nothing" in line["reason"]
    assert "looks for nothing" in cli("report", tmp_path).out


@pytest.mark.usefixtures("inline")
def test_any_planner_is_an_engine_of_a_comparison_by_its_command(cli, tmp_path: Path) -> None:
    """Its word that there is no plan proves nothing; it is a name of its own in rows and tables."""
    planner = Path(__file__).parents[1] / "engines" / "engine_commands" / "planner.py"
    program = shlex.join([sys.executable, str(planner), "unsolvable", "-"])
    command = f"{program} {{domain}} {{problem}} {{plan}}"
    words = ("--engines", "pyperplan", "--engine-command", f"mine={command}", "--no-split", "--limit", "1")
    ran = bench(cli, tmp_path, *words, "--json", methods="gold", tasks="office-planning-simple")
    assert [(line["engine"], line["success"]) for line in ran.json["results"]] == [
        ("pyperplan", 1),
        ("mine", 0),
    ]
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["engines"]["mine"] == command
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [(row["engine"], row["outcome"]) for row in rows] == [
        ("pyperplan", "verified"),
        ("mine", "not-found"),
    ]
    assert bench(cli, tmp_path, *words, "--no-costs", "mine", methods="gold").code == 2  # other problems
    refused = bench(cli, tmp_path / "no", "--no-costs", "mine", methods="gold")
    assert refused.code == 2 and "an engine of the comparison" in refused.err
    for wrong, hint in (
        ("mine", "NAME=COMMAND"),
        (f"pyperplan={command}", "of its own"),
        (f"x-opt={command}", "-opt"),
    ):
        refused = bench(cli, tmp_path / "no", "--engine-command", wrong, methods="gold")
        assert refused.code == 2 and hint in refused.err and not (tmp_path / "no").exists()


@pytest.mark.usefixtures("inline")
def test_readers_are_an_axis_and_a_folder_grows_by_one(cli, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    readers = "gold,synthetic:wrong_action=1"
    assert bench(cli, one, "--readers", readers, "--limit", "1").code == 0
    assert bench(cli, two, "--reader", "gold", "--limit", "1").code == 0
    ran = bench(
        cli, two, "--reader", "gold", "--reader", "synthetic:wrong_action=1", "--limit", "1", "--json"
    )
    assert [(line["method"], line["reader"]) for line in ran.json["results"]][:3] == [
        ("gold", "none"), ("hybrid", "gold"), ("hybrid", "synthetic:wrong_action=1"),
    ]  # fmt: skip
    reports = [cli("report", folder, "--no-times").out for folder in (one, two)]
    assert reports[0] == reports[1] and "readers: none; gold; synthetic" in reports[0]
    joined = cli("report", one, two, "--no-times")
    assert joined.out == reports[0]
    other = bench(cli, tmp_path / "other", "--reader", "gold", "--limit", "2")
    assert other.code == 0
    refused = cli("report", one, tmp_path / "other")
    assert refused.code == 2 and "tasks.office-planning-simple-02 was null" in refused.err


@pytest.mark.usefixtures("inline")
def test_a_readers_own_limits_are_in_no_other_readers_way(cli, tmp_path: Path) -> None:
    model = "openai:m base-url=http://127.0.0.1:9/v1"
    words = ("--limit", "1", "--json")
    one = bench(cli, tmp_path / "out", "--reader", f"{model} max-calls=5", *words, methods="hybrid")
    two = bench(cli, tmp_path / "out", "--reader", "gold", *words, methods="hybrid")
    assert (one.code, two.code) == (0, 0), two.err
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["limits"]["calls"] == 100 and "limits" not in manifest["readers"]["gold"]
    assert manifest["readers"][f"{model} max-calls=5"]["limits"] == {"calls": 5}


@pytest.mark.usefixtures("inline")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--readers", "gold,gold"), None),
        (("--reader", "gold", "--readers", "gold"), "the reader gold is there twice"),
        (("--reader", "gold", "--reader", "openai:m temperatur=1"), "m: No such option '--temperatur'"),
        (("--reader", "openai:m seed=1"), "--seed is one for all readers"),
        (("--reader", "openai:m temperature=hot"), "'hot' is not a valid float"),
        (("--readers", "gold,nobody"), "the name of a reader"),
        (("--readers", "openai:m,gold", "--methods", "gold,sayplan,llm+p"), "which sayplan, llm+p asks"),
        (("--readers", "embedded,gold", "--record", "tape.jsonl", "--jobs", "2"), None),
    ],
)
def test_readers_that_make_no_sense_are_refused_before_anything_starts(
    cli, tmp_path: Path, words, message: str | None
) -> None:
    ran = bench(cli, tmp_path / "out", *words, "--limit", "1")
    if message is None:
        assert ran.code == 0
    else:
        assert ran.code == 2 and message in ran.err and not (tmp_path / "out").exists()


def test_each_of_several_readers_gets_the_options_of_its_kind() -> None:
    common = ModelOptions(base_url="http://127.0.0.1:9/v1", temperature=0.5, context=4096, place="lobby")
    readers = several_readers(
        [
            "embedded",
            "openai:m temperature=0.9  max-calls=5",
            "local:a file.gguf",
            "recorded:t.jsonl",
            "gold",
        ],
        common,
    )
    assert readers == {
        "embedded": ModelOptions(place="lobby"),
        "openai:m temperature=0.9 max-calls=5": ModelOptions(
            base_url="http://127.0.0.1:9/v1", temperature=0.9, max_calls=5
        ),
        "local:a file.gguf": ModelOptions(temperature=0.5, context=4096),
        "recorded:t.jsonl": ModelOptions(),
        "gold": ModelOptions(),
    }
    assert several_readers(["embedded"], common) == {"embedded": common}


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_gold_and_hybrid_with_the_gold_reader_solve_all_planning_tasks(cli, tmp_path: Path) -> None:
    ran = bench(cli, tmp_path, "--reader", "gold", "--jobs", "2", tasks="sayplan")
    assert ran.code == 0
    lines = lines_of(cli("report", tmp_path, "--format", "csv"))
    planning = [line for line in lines if "planning" in line["set"]]
    assert len(planning) == 4 and all(line["n"] == "15" for line in planning)
    for line in planning:
        measures = ("intent", "executable", "success", "success_asked", "intent_skip")
        assert [line[key] for key in measures] == ["1"] * 5 and line["invented"] == "0"
    searches = [line for line in lines if "search" in line["set"]]
    assert [line["method"] for line in searches] == ["hybrid"] * 4
    assert all(line["success"] == line["answered"] == "1" for line in searches)


@pytest.mark.usefixtures("inline")
def test_engines_are_compared_by_the_gold_goals(cli, tmp_path: Path) -> None:
    ran = bench(
        cli, tmp_path, "--engines", "pyperplan,fast-downward", "--no-split", "--limit", "1", methods="gold"
    )
    assert ran.code == 0
    text = cli("report", tmp_path).out
    assert "Engines on the gold goals" in text and "fast-downward" in text
    statistics = {
        row["engine"]: row["record"]["statistics"]
        for row in map(json.loads, (tmp_path / "rows.jsonl").read_text().splitlines())
    }
    assert statistics["fast-downward"]["expanded"] > 0 and statistics["pyperplan"]["answers"] == 1
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["engine_options"] == {"whole": True} and set(manifest["engines"]) == set(statistics)


@pytest.mark.usefixtures("inline")
def test_every_form_of_a_report_is_printed_or_written(cli, tmp_path: Path) -> None:
    folder, page = tmp_path / "results", tmp_path / "report.html"
    assert bench(cli, folder, "--limit", "1", methods="gold").code == 0
    assert cli("report", folder).out.startswith("# Comparison of methods")
    assert cli("report", folder, "--format", "latex").out.count("\\begin{longtable}") >= 2
    assert "seconds" not in cli("report", folder, "--format", "csv", "--no-times").out
    assert cli("report", folder, "--format", "html", "--out", page).code == 0
    before = page.read_text()
    assert before.startswith("<!DOCTYPE html>")
    refused = cli("report", folder, "--out", page)
    assert refused.code == 2 and "--force" in refused.err and page.read_text() == before
    assert cli("report", folder, "--out", page, "--force").code == 0 and page.read_text().startswith("# ")
    plots = tmp_path / "plots"
    assert cli("report", folder, "--plots", plots).code == 0
    drawn = {path.name for path in plots.iterdir()}
    assert drawn == {
        f"{n}.{form}" for n in ("shares-plan", "cost", "endings", "stages") for form in ("svg", "pdf")
    }
    assert (plots / "cost.pdf").read_bytes().startswith(b"%PDF")
    (plots / "cost.svg").write_text("mine")
    refused = cli("report", folder, "--plots", plots)
    assert refused.code == 2 and (plots / "cost.svg").read_text() == "mine"
    assert cli("report", folder, "--plots", plots, "--force", "--no-times").code == 0
    assert (plots / "cost.svg").read_text().startswith("<svg")
    rows = folder / "rows.jsonl"
    kept = rows.read_bytes()
    assert cli("report", folder, "--plots", rows).code == 2
    for wrong in (rows, folder, "/dev/null", tmp_path / "nowhere" / "x.md"):
        assert cli("report", folder, "--out", wrong, "--force").code == 2
    assert rows.read_bytes() == kept and cli("report", tmp_path).code == 2


@pytest.mark.usefixtures("inline")
def test_unlike_folders_stand_in_the_papers_tables_and_in_no_other(cli, tmp_path: Path) -> None:
    """SayPlan's lines need the pack household, those of LookPlanGraph grasif-looking: no folder has both."""
    one, two = tmp_path / "one", tmp_path / "two"
    words = ("--limit", "1", "--reader", "gold")
    assert bench(cli, one, *words).code == bench(cli, two, "--pack", "grasif-looking", *words).code == 0
    assert cli("report", one, two).code == 2
    ran = cli("report", one, two, "--papers")
    assert ran.code == 0, ran.err
    titles = [line for line in ran.out.splitlines() if line.startswith("## ")]
    assert len(titles) == 32 and all("Published by others" in t or "Here:" in t for t in titles[:28])
    assert [f"({folder})" in t for t, folder in zip(titles[28:30], (one, two), strict=True)] == [True, True]
    assert f"- {one}: readers: " in ran.out and f"- {two}: readers: " in ran.out
    assert "not one comparison" in ran.out and "pack.name was" in ran.out
    for more in (["--format", "csv"], ["--plots", tmp_path / "plots"]):
        assert cli("report", one, two, "--papers", *more).code == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--methods", "hybird"], "did you mean 'hybrid'"),
        (["--methods", " , "], "at least one"),
        (["--tasks", "office-plannin"], "did you mean"),
        (["--engines", "pyperplam"], "did you mean"),
        (["--reader", "embeded"], "did you mean"),
        (["--reader", "openai:"], "openai:MODEL"),
        (["--reader", "gold", "--max-tokens", "5"], "takes no options"),
        (["--reader", "embedded", "--temperature", "1"], "takes no model options"),
        (["--repeats", "2"], "--temperature above 0"),
        (["--reader", "openai:m", "--repeats", "2"], "--temperature above 0"),
        (["--reader", "recorded:x", "--repeats", "2", "--temperature", "1"], "--temperature above 0"),
        (["--reader", "openai:m", "--repeats", "2", "--temperature", "0", "--seed", "1"], "above 0"),
        (["--reader", "local:m", "--repeats", "2", "--temperature", "0.7"], "give a --seed"),
        (["--reader", "recorded:/no/such"], "/no/such"),
        (["--reader", "openai:m", "--record", "x", "--jobs", "2"], "leave out --jobs"),
        (["--timeout", "0"], "positive"),
        (["--timeout", "nan"], "positive"),
        (["--limit", "0"], "--limit"),
        (["--memory", "-1"], "--memory"),
        (["--pack", "nowhere"], "nowhere"),
        (["--methods", "hybrid,sayplan-lite"], "pack household: expected the actions that sayplan-lite"),
        (["--methods", "sayplan-star", "--reader", "openai:m"], "give --pack grasif"),
        (["--methods", "lookplangraph", "--pack", "grasif"], "give --pack grasif-looking"),
        (["--methods", "lookplangraph-beliefs"], "give --pack grasif-looking"),
    ],
)
def test_bad_input_is_refused_before_anything_runs(
    cli, tmp_path: Path, words: list[str], message: str
) -> None:
    given = {"--methods": "hybrid", "--tasks": "office-planning-simple", "--limit": "1"}
    given |= dict(zip(words[::2], words[1::2], strict=True))
    out = tmp_path / "out"
    ran = cli("bench", "--out", out, *(word for pair in given.items() for word in pair))
    assert ran.code == 2 and message in ran.err, ran.err
    assert not (out / "rows.jsonl").exists() or (out / "rows.jsonl").read_text() == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--scheduler", "localhost:8786"], "tcp://HOST:8786"),
        (["--scheduler", "tcp://127.0.0.1:9", "--jobs", "2"], "leave out --jobs"),
        (
            ["--scheduler", "tcp://127.0.0.1:9", "--reader", "openai:m", "--record", "x"],
            "leave out --scheduler",
        ),
    ],
)
def test_a_scheduler_is_refused_with_what_belongs_to_runs_on_this_machine(
    cli, tmp_path: Path, words: list[str], message: str
) -> None:
    ran = bench(cli, tmp_path, *words)
    assert ran.code == 2 and message in ran.err and list(tmp_path.iterdir()) == []


def test_without_dask_the_option_says_what_to_install(cli, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "groundplan.evaluation.bench.cluster", raising=False)
    ran = bench(cli, tmp_path, "--scheduler", "tcp://127.0.0.1:9", methods="gold")
    assert ran.code == 2 and "groundplan[distributed]" in ran.err


@pytest.mark.usefixtures("inline")
def test_another_comparison_in_the_folder_is_refused(cli, tmp_path: Path) -> None:
    assert bench(cli, tmp_path, "--limit", "1", methods="gold").code == 0
    ran = bench(cli, tmp_path, "--limit", "1", "--timeout", "7", methods="gold")
    assert ran.code == 2 and "limits.seconds was 30.0, now 7.0" in ran.err


@pytest.mark.parametrize(
    ("name", "text"),
    [("notes.txt", "mine"), ("rows.jsonl", "mine"), ("manifest.json", '{"name":"my app"}'), (".env", "mine")],
)
def test_a_folder_of_somebody_else_is_refused_and_stays(
    cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    monkeypatch.setattr(Workshop, "__call__", None)
    (tmp_path / name).write_text(text)
    ran = bench(cli, tmp_path, "--reader", "gold", "--limit", "1")
    assert ran.code == 2 and (name in ran.err) and os.listdir(tmp_path) == [name]
    assert (tmp_path / name).read_text() == text


@pytest.mark.usefixtures("inline")
@pytest.mark.parametrize("name", ["manifest.json", "manifest.json.part", "rows.jsonl"])
def test_a_link_in_a_folder_of_results_is_not_written_through(cli, tmp_path: Path, name: str) -> None:
    folder, victim = tmp_path / "results", tmp_path / "victim"
    assert bench(cli, folder, "--reader", "gold", "--limit", "1", methods="gold").code == 0
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"machines": []}))  # so it is written anew
    victim.write_bytes((folder / name).read_bytes() if (folder / name).exists() else b"mine")
    before = victim.read_bytes()
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(victim)
    ran = bench(cli, folder, "--reader", "gold", "--limit", "1", methods="gold")
    assert victim.read_bytes() == before and (folder / name).is_symlink()
    assert ran.code == (0 if name.endswith(".part") else 2) and ("a link" in ran.err) == (ran.code == 2)


@pytest.mark.usefixtures("interruptible", "inline")
def test_ctrl_c_keeps_the_rows_and_the_same_command_goes_on(cli, tmp_path: Path) -> None:
    words = "bench --methods gold,hybrid --tasks office-planning --reader gold --jobs 1 --limit 4 --out"
    arguments = [*words.split(), str(tmp_path)]
    command = [sys.executable, "-P", "-m", "groundplan", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    rows = tmp_path / "rows.jsonl"
    while process.poll() is None and not (rows.exists() and rows.read_bytes().count(b"\n") >= 2):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in errors
    kept = rows.read_bytes()
    assert 2 <= kept.count(b"\n") < 16
    again = cli(*arguments)
    count = kept.count(b"\n")
    assert again.code == 0 and f"{count} of 16 runs are there" in again.err
    assert rows.read_bytes().startswith(kept) and rows.read_bytes().count(b"\n") == 16


@pytest.mark.usefixtures("inline")
def test_a_full_disk_ends_the_command_with_whole_rows_and_it_goes_on_when_there_is_room(
    cli, tmp_path: Path
) -> None:
    """A limit on the size of files stands in for the disk; workers write nothing there."""
    words = "bench --methods gold --tasks office-planning-simple --limit 6 --out"
    arguments = [*words.split(), str(tmp_path / "small")]
    command = [sys.executable, "-P", "-m", "groundplan", *arguments]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))

    rows = tmp_path / "small" / "rows.jsonl"
    full = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, check=False)
    assert full.returncode == 2 and "rows.jsonl" in full.stderr and "Traceback" not in full.stderr
    assert 1 <= len(kept := rows.read_bytes().splitlines()) < 6 and rows.read_bytes().endswith(b"\n")
    again = cli(*arguments)
    assert again.code == 0 and f"{len(kept)} of 6 runs are there" in again.err
    assert rows.read_bytes().splitlines()[: len(kept)] == kept and rows.read_bytes().count(b"\n") == 6


# The tools of a run


def scripted_trial(*answers: str, method: str = "full-scene", limits: Limits | None = None) -> CellRunner:
    """Return a trial whose model gives some answers, one after the other, in each run."""
    from groundplan.evaluation.bench import CountedModel
    from groundplan.language.chat.reader import ModelReader

    def tools(case: JudgedTask, seed, account: Account, keep) -> Tools:
        model = CountedModel(ScriptedModel.of(*answers), account)
        return Tools(model, ModelReader(model, case.belief.pack, search_protocol="dialogue"))

    tasks = chosen_tasks("office-planning-simple", 2)
    comparison = Comparison((METHODS[method],), tasks, limits=limits or Limits())
    return CellRunner(comparison, tools)


def cell(task: str, method: str = "full-scene") -> Cell:
    return Cell(method, "pyperplan", task)


def test_calls_and_tokens_are_counted_by_one_vocabulary() -> None:
    task = "office-planning-simple-01"
    row = scripted_trial("(closed cabinet5)")(cell(task))
    assert row.outcome == "verified" and row.succeeded and row.tokens["calls"] == 1
    assert row.total_tokens == row.tokens["prompt"] + row.tokens["completion"]
    assert row.tokens["purposes"] == {"goal": row.total_tokens} and row.tokens["prompt"] > 1000
    assert row.tokens["completion"] == 5


@pytest.mark.parametrize("limits", [Limits(calls=2), Limits(tokens=5000)])
def test_a_run_that_used_its_calls_or_tokens_is_out_of_budget(limits: Limits) -> None:
    task = "office-planning-simple-01"
    row = scripted_trial(*(f"(closed unicorn{i})" for i in range(6)), limits=limits)(cell(task))
    assert row.outcome == "out-of-budget" and not row.succeeded and row.invented[0] == "unicorn0"
    assert row.record["outcome"] == "out-of-budget" and "the run used its" in row.reasons[0]


def test_no_answer_is_longer_than_the_limit() -> None:
    """A method's own limit stays where it is smaller."""
    model = ScriptedModel.of("a", "b", "c")
    for most, own, kept in ((300, 4000, 300), (5000, 4000, 4000), (None, 4000, 4000)):
        counted = CountedModel(model, Account(Limits(answer=most)))
        counted.ask(ChatRequest((Message("user", "go on"),), None, own, "goal"))
        assert model.history[-1].max_tokens == kept
    with pytest.raises(ValueError, match="tokens of an answer"):
        Limits(answer=0)


@pytest.mark.usefixtures("inline")
def test_a_run_without_a_plan_by_then_is_out_of_budget(cli, tmp_path: Path) -> None:
    """The rows are those of no limit where it is large enough, and always the same where it is not."""

    def rows(out: str, *words: str) -> list[dict[str, object]]:
        given = ("bench", "--methods", "gold,hybrid", "--tasks", "office-planning-simple", "--reader", "gold")
        ran = cli(*given, "--limit", "2", "--out", tmp_path / out, *words)
        assert ran.code == 0, ran.err
        found = [json.loads(line) for line in (tmp_path / out / "rows.jsonl").read_text().splitlines()]
        return [{key: value for key, value in row.items() if key != "timings"} for row in found]

    free = rows("free")
    assert rows("enough", "--max-expansions", "100000") == free
    assert {row["outcome"] for row in free} == {"verified"}
    short = rows("short", "--max-expansions", "1")
    assert {row["outcome"] for row in short} == {"out-of-budget"} and len(short) == len(free)
    assert all(row["reproducible"] for row in short) and "limit of 1 expanded states" in str(short[0])
    assert rows("again", "--max-expansions", "1") == short
    manifest = json.loads((tmp_path / "short" / "manifest.json").read_text())
    assert manifest["limits"]["expansions"] == 1
    refused = cli(
        *("bench", "--methods", "gold", "--tasks", "office-planning-simple", "--limit", "1"),
        *("--engines", "fast-downward", "--max-expansions", "5", "--out", tmp_path / "none"),
    )
    assert refused.code == 2 and "take pyperplan" in refused.err


def test_a_model_never_sees_the_gold(monkeypatch: pytest.MonkeyPatch) -> None:
    """The request of a method other than gold has no goal, whatever the task."""
    seen = []
    method = type(METHODS["full-scene"])
    real = method.run

    def run(self, request, tools, limits):
        seen.append(request)
        return real(self, request, tools, limits)

    monkeypatch.setattr(method, "run", run)
    task = "office-planning-simple-01"
    scripted_trial("(closed cabinet5)")(cell(task))
    assert len(seen) == 1 and seen[0].goal is None and seen[0].task == task


def test_the_workshop_makes_the_readers_that_the_command_line_names() -> None:
    case = JudgedTask.of(find_task("office-planning-simple-01"), load_pack())
    options = ModelOptions(base_url="http://127.0.0.1:9/v1", search="naming")
    workshop = Workshop({"embedded": ModelOptions(), "openai:some": options})
    with ExitStack() as keep:

        def tools(reader: str) -> Tools:
            return workshop(case, 3, Account(Limits(), Cell("m", "e", case.task.id, reader=reader)), keep)

        assert tools("none").reader is None and tools("gold").reader.name == "gold"
        assert tools("embedded").reader.name.startswith("embedded") and tools("embedded").model is None
        asked = tools("openai:some")
        assert asked.reader.search_protocol == "naming" and asked.model.inner.inner.profile.seed == 3
        assert asked.model.account.cell.reader == "openai:some" and asked.reader.model is asked.model


def test_settings_hold_what_results_depend_on_and_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-that-is-very-secret")
    cassette = tmp_path / "tape.jsonl"
    cassette.write_text("")
    options = ModelOptions(
        base_url="http://host/sk-a-key-that-is-very-secret/v1", temperature=0.5, record=cassette, seed=4
    )
    settings = _settings(f"recorded:{cassette}", options, load_pack())
    assert "secret" not in json.dumps(settings) and settings["temperature"] == 0.5
    assert settings["model"] == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert {"goal", "repair", "search naming"} <= set(settings["prompts"])
    assert "record" not in settings and "seed" not in settings
    assert "prompts" not in _settings("gold", ModelOptions(), load_pack())


@pytest.mark.usefixtures("inline")
def test_a_recorded_model_replays_into_rows(cli, tmp_path: Path) -> None:
    """A cassette that has nothing for a task gives a row that says so, and the rest goes on."""
    tape = tmp_path / "tape.jsonl"
    tape.write_text("")
    ran = bench(
        cli, tmp_path / "out", "--reader", f"recorded:{tape}", "--limit", "1", methods="hybrid,full-scene"
    )
    assert ran.code == 0
    rows = [json.loads(line) for line in (tmp_path / "out" / "rows.jsonl").read_text().splitlines()]
    assert [row["outcome"] for row in rows] == ["service-failed"] * 4
    assert all("has no answer" in row["reasons"][0] and row["tokens"]["calls"] == 1 for row in rows)


@pytest.mark.usefixtures("inline")
def test_a_model_on_a_server_is_compared_recorded_and_replayed(
    cli, tmp_path, httpserver, monkeypatch
) -> None:
    """Calls and tokens are in the rows, the server's counts beside; the key is nowhere, even where echoed."""
    key = "sk-canary-0123456789abcdef"
    monkeypatch.setenv("MY_SERVER_KEY", key)
    answers = [f"(closed {key})", "(closed cabinet5)"]
    script = Script([Response(sse(text, usage=(6000, 10)), content_type=SSE) for text in answers])
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(script)
    tape, url = tmp_path / "tape.jsonl", httpserver.url_for("/v1")
    profiles = tmp_path / "profiles.toml"
    profiles.write_text(f'[models.m]\nkey_env = "MY_SERVER_KEY"\nbase_url = "{url}"\n')
    asked = ["--limit", "1", "--reader", "openai:m", "--profiles", profiles, "--record", tape]
    one, two = tmp_path / "served", tmp_path / "replayed"
    for out, more in ((one, asked), (two, ["--limit", "1", "--reader", f"recorded:{tape}"])):
        assert bench(cli, out, *more, methods="full-scene", tasks="office-planning-simple").code == 0
    (row,) = map(json.loads, (one / "rows.jsonl").read_text().splitlines())
    assert row["outcome"] == "verified" and row["measures"]["success"] and len(script.bodies) == 2
    assert row["tokens"]["calls"] == 2 and row["tokens"]["served_prompt"] == 12000
    assert row["tokens"]["kept_calls"] == 0 and row["tokens"]["served_cached"] is None
    assert row["tokens"]["prompt"] > 4000 and sorted(row["tokens"]["purposes"]) == ["goal", "repair"]
    assert f"Bearer {key}" == script.headers[0]["authorization"]
    for path in (*one.iterdir(), *two.iterdir(), tape):
        assert key not in path.read_text(), path
    reports = [cli("report", out, "--format", "csv", "--no-times").out for out in (one, two)]
    without = [line.replace("openai:m", "").replace(f"recorded:{tape}", "") for line in reports]
    assert without[0] == without[1]
    budget = cli("report", one).out
    assert "Success within a budget of tokens" in budget


def test_the_gold_reader_finds_all_and_opens_no_room_in_vain() -> None:
    tasks = tuple(task for name in ("office-search", "home-search") for task in load_set(name))
    runner = CellRunner(Comparison((METHODS["hybrid"],), tasks, readers=("gold",)), Workshop({}))
    for task in tasks:
        row = runner(replace(cell(task.id, "hybrid"), reader="gold"))
        assert row.succeeded and row.holds("answered"), task.id
        assert row.number("opened") == row.number("needed"), task.id


def test_all_sets_that_come_along_can_be_compared() -> None:
    """Every task has a gold goal or query that fits its scene, and knows which of the two."""
    tasks = tuple(task for name in ("sayplan", "grasif-office") for task in load_set(name))
    assert len(tasks) == 115
    runner = CellRunner(Comparison((METHODS["gold"],), tasks), Workshop({}))
    for task in tasks:
        runner.check(task.id)


@pytest.mark.usefixtures("inline")
def test_a_sealed_set_runs_only_with_the_flag(cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The flag opens the set, and the file has to be the one that was sealed."""
    data = (Path(library.__file__).parent / "tasks" / "building-planning.json").read_bytes()
    monkeypatch.setattr(library, "SEALED", {"building-planning": hashlib.sha256(data).hexdigest()})
    library._shipped.cache_clear()
    asked = ["bench", "--methods", "gold", "--tasks", "building-planning", "--limit", "1"]
    ran = cli(*asked, "--out", tmp_path / "refused")
    assert ran.code == 2 and "bench --sealed opens it" in ran.err and not (tmp_path / "refused").exists()
    assert cli(*asked, "--sealed", "--out", tmp_path / "out").code == 0
    assert cli("tasks", "list", "--set", "building-planning").code == 2
    assert cli("plan", "--task", "building-planning-01").code == 2
    monkeypatch.setattr(library, "SEALED", {"building-planning": "0" * 64})
    library._shipped.cache_clear()
    ran = cli(*asked, "--sealed", "--out", tmp_path / "changed")
    assert ran.code == 2 and "the sealed file" in ran.err
    library._shipped.cache_clear()


@pytest.mark.usefixtures("inline")
@pytest.mark.parametrize("full", ["rows.jsonl", "manifest.json"])
def test_a_full_disk_ends_a_comparison_which_goes_on_when_there_is_room(
    cli, tmp_path, monkeypatch, full: str
) -> None:
    """The message names the file and says how to go on."""
    out, whole = tmp_path / "out", tmp_path / "whole"
    assert bench(cli, whole, "--limit", "3", tasks="office-planning-simple").code == 0
    written = []

    def limited(file: int, data: bytes) -> int:
        name = os.readlink(f"/proc/self/fd/{file}")
        if str(out) in name:
            written.append(name)
            if name.endswith(".part") if full == "manifest.json" else full in name and len(written) > 2:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return kept(file, data)

    with monkeypatch.context() as broken:
        kept = os.write
        broken.setattr(os, "write", limited)
        ran = bench(cli, out, "--limit", "3", tasks="office-planning-simple")
    assert ran.code == 2 and f"{out / full}: expected room for the results" in ran.err
    assert "No space left on device" in ran.err and "give the same command again" in ran.err
    assert bench(cli, out, "--limit", "3", tasks="office-planning-simple").code == 0
    reports = [cli("report", one, "--no-times").out for one in (out, whole)]
    assert reports[0] == reports[1] and reports[0]


@pytest.mark.usefixtures("inline")
def test_readers_made_from_the_gold_have_none_to_write_where_a_task_has_none(cli, tmp_path: Path) -> None:
    """A task that is to be declined is declined, and an open one is not understood."""
    lines = [
        {"id": "open", "instruction": "Tidy up.", "scene": "office"},
        {"id": "no", "instruction": "Fly to the moon.", "scene": "office", "unsolvable": "no moon"},
        {"id": "yes", "instruction": "Open the fridge.", "scene": "office", "goal": "(open fridge)"},
    ]
    own = tmp_path / "own.jsonl"
    own.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    readers = ("--readers", "gold,synthetic:wrong_action=0")
    assert cli("bench", "--methods", "hybrid", "--tasks", own, *readers, "--out", tmp_path / "r").code == 0
    rows = map(json.loads, (tmp_path / "r" / "rows.jsonl").read_text().splitlines())
    ended = {(row["task"], row["outcome"], row["measures"].get("success")) for row in rows}
    assert ended == {
        ("open", "not-understood", None), ("no", "declined", True), ("yes", "verified", True),
    }  # fmt: skip


def test_houses_are_refused_before_any_run_without_the_extra_that_they_need(
    cli, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setitem(sys.modules, "shapely", None)
    words = ("--methods", "least-cost", "--tasks", "multi-object-search", "--limit", "1")
    ran = cli("bench", *words, "--out", tmp_path / "r")
    assert ran.code == 2 and "groundplan[maps]" in ran.err and not (tmp_path / "r").exists()
