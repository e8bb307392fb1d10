"""Options that choose an engine: commands, searches, whole problems, wanted proofs; bad ones exit with 2."""

import shlex
import sys
from pathlib import Path

import pytest

PLANNER = Path(__file__).parents[1] / "engines" / "engine_commands" / "planner.py"
PROGRAM = shlex.join([sys.executable, str(PLANNER)])
GOAL = ["--scene", "office", "--goal", "(holding banana2)"]


def test_a_plan_that_is_not_proved_is_verified_and_exits_with_1(cli):
    ran = cli("plan", *GOAL, "--optimal")
    assert ran.code == 1 and ran.last.startswith("verified: ")
    assert "not proved to be the cheapest plan: pyperplan proves" in " ".join(ran.out.split())
    record = cli("plan", *GOAL, "--optimal", "--json")
    assert record.code == 1 and record.json["outcome"] == "verified" and not record.json["optimal"]
    assert "fast-downward-opt does" in record.json["reasons"][0]
    proved = cli("plan", *GOAL, "--optimal", "--engine", "fast-downward-opt", "--json")
    assert (proved.code, proved.json["optimal"], proved.json["reasons"]) == (0, True, [])


def test_any_planner_by_its_command(cli, tmp_path):
    plan = tmp_path / "plan"
    command = f"{PROGRAM} copy {shlex.quote(str(plan))} {{domain}} {{problem}} {{plan}}"
    plan.write_text("(fly home)\n")
    ran = cli("plan", *GOAL, "--engine-command", command, "--json")
    assert (ran.code, ran.json["outcome"], ran.json["engine"]) == (1, "rejected", "command")
    assert "there is no action 'fly'" in " ".join(ran.json["reasons"])
    nothing = f"{PROGRAM} unsolvable - {{domain}} {{problem}} {{plan}}"
    ran = cli("plan", *GOAL, "--engine-command", nothing, "--no-split", "--json")
    assert (ran.code, ran.json["outcome"], ran.json["proof"]) == (1, "not-found", None)
    reasons = ran.json["reasons"]
    assert "Completely explored" in " ".join(reasons) and not any("\n" in r for r in reasons)
    assert ran.json["engine_options"] == {"command": nothing, "whole": True}


def test_searches_and_whole_problems(cli):
    ran = cli("plan", *GOAL, "--engine-search", "astar(blind())", "--no-split", "--json").json
    assert (ran["outcome"], ran["engine"], ran["statistics"]["answers"]) == ("verified", "fast-downward", 1)
    assert ran["engine_options"] == {"search": "astar(blind())", "whole": True}
    assert ran["statistics"]["expanded"] > 0 and "engine_translate" in ran["timings"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--engine-command", "planner {domain}"], "{problem} in it"),
        (["--engine-command", "true {domain} {problem} {plan}", "--engine", "pyperplan"], "not both"),
        (["--engine-search", "lama", "--engine", "pyperplan"], "fast-downward"),
        (["--engine-search", "lamma"], "did you mean"),
        (["--engine-env", "NO_SUCH_VARIABLE"], "NO_SUCH_VARIABLE"),
    ],
)
def test_options_that_do_not_fit_are_bad_input(cli, options, words):
    ran = cli("plan", *GOAL, *options)
    assert ran.code == 2 and words in " ".join(ran.err.split()) and ran.out == ""
