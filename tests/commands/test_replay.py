"""`groundplan replay`: exit codes, and the line at which a trace does not follow."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal
from groundplan.acting import Episode, act_in
from groundplan.commands.run import BY_NAME
from groundplan.robot import TraceFile
from groundplan.simulator.scene_json import scene_text
from groundplan.simulator.sensing import Environment, with_hidden

GOAL = "(holding orange1)"


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    office, path = ground(load_scene("office"), load_pack()), tmp_path_factory.mktemp("trace") / "trace.jsonl"
    request = Request(with_hidden(office, named=["orange1"]), goal=parse_goal(GOAL))
    with TraceFile(path) as kept:
        act_in(Environment(office), Episode(request, engine=Engine.named("pyperplan"), recorder=kept))
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


@pytest.mark.parametrize("policy", BY_NAME)
def test_a_run_by_any_policy_replays(cli, policy: str, tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    run = ("run", "--scene", "office", "--goal", GOAL, "--knows", "furniture", "--policy", policy)
    assert cli(*run, "--trace", path).code == 0
    assert f'"policy":"{policy}"' in path.read_text().splitlines()[0]
    assert cli("replay", path, "--scene", "office").code == 0


@pytest.mark.parametrize(
    ("options", "of_replay"),
    [
        (("--knows", "here", "--failure", "0.3", "--seed", "5"), ()),
        (("--knows", "all", "--world", "MOVED", "--policy", "likeliest-first"), ()),
        (("--knows", "furniture", "--one-handed", "--policy", "expected-cost"), ("--one-handed",)),
        (("--pack", "household-locks", "--engine", "pyperplan-opt"), ("--pack", "household-locks")),
    ],
)
def test_a_run_with_any_options_replays(cli, options, of_replay, tmp_path: Path) -> None:
    moved = load_scene("office").changed(change={"orange1": {"parent": "fridge", "relation": "inside_of"}})
    (tmp_path / "moved.json").write_text(scene_text(moved), encoding="utf-8")
    named = (tmp_path / "moved.json" if one == "MOVED" else one for one in options)
    path = tmp_path / "trace.jsonl"
    told = cli("run", "--scene", "office", "--goal", GOAL, *named, "--trace", path)
    assert told.code == 0, told.out + told.err
    assert cli("replay", path, "--scene", "office", *of_replay).code == 0
    if of_replay:
        told = cli("replay", path, "--scene", "office")
        assert told.code == 1 and "another belief: hashes.pack is " in told.last


def test_what_is_malformed_is_bad_input(cli, trace: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_bytes(trace.read_bytes().replace(b'"kind":"look"', b'"kind":"\\u001b[31m"', 1))
    told = cli("replay", wrong, "--scene", "office")
    assert told.code == 2 and "wrong.jsonl:" in told.err and "\x1b" not in told.err
    assert cli("replay", tmp_path / "none.jsonl", "--scene", "office").code == 2
    assert cli("replay", trace, "--scene", "office", "--engine", "nothing").code == 2
    wrong.write_bytes(trace.read_bytes().replace(GOAL.encode(), b"(holding", 1))
    assert cli("replay", wrong, "--scene", "office").code == 2
