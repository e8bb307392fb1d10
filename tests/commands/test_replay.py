"""`groundplan replay`: exit codes, and the line at which a trace does not follow."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal
from groundplan.planners.online import Execution, act_in
from groundplan.robot import TraceFile
from groundplan.simulator.sensing import Environment, with_hidden

GOAL = "(holding orange1)"


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    office, path = ground(load_scene("office"), load_pack()), tmp_path_factory.mktemp("trace") / "trace.jsonl"
    request = Request(with_hidden(office, named=["orange1"]), goal=parse_goal(GOAL))
    with TraceFile(path) as kept:
        act_in(Environment(office), Execution(request, engine=Engine.named("pyperplan"), recorder=kept))
    return path


def test_a_whole_trace_replays(cli, trace: Path) -> None:
    told = cli("replay", trace, "--scene", "office")
    assert told.code == 0 and told.last.startswith("replayed: ") and told.last.endswith("ended verified")
    told = cli("replay", "-", "--scene", "office", "--json", stdin=trace.read_bytes())
    assert told.code == 0 and told.json["replays"] and told.json["outcome"] == "verified"


def test_a_trace_that_is_cut_off_or_edited_does_not(cli, trace: Path, tmp_path: Path) -> None:
    cut, data = tmp_path / "cut.jsonl", trace.read_bytes()
    cut.write_bytes(data[:-20])
    told = cli("replay", cut, "--scene", "office")
    assert told.code == 1 and told.last.startswith("cut off: ") and "left out" in told.out
    cut.write_bytes(data.replace(b'"metres":', b'"metres":1', 1))
    told = cli("replay", cut, "--scene", "office")
    assert told.code == 1 and told.last.startswith("does not replay: line 2: metres is ")
    told = cli("replay", trace, "--scene", "home", "--json")
    assert told.code == 1 and told.json["line"] == 1 and "another belief" in told.json["reason"]


def test_what_is_malformed_is_bad_input(cli, trace: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_bytes(trace.read_bytes().replace(b'"kind":"look"', b'"kind":"\\u001b[31m"', 1))
    told = cli("replay", wrong, "--scene", "office")
    assert told.code == 2 and "wrong.jsonl:" in told.err and "\x1b" not in told.err
    assert cli("replay", tmp_path / "none.jsonl", "--scene", "office").code == 2
    assert cli("replay", trace, "--scene", "office", "--engine", "nothing").code == 2
    wrong.write_bytes(trace.read_bytes().replace(GOAL.encode(), b"(holding", 1))
    assert cli("replay", wrong, "--scene", "office").code == 2
