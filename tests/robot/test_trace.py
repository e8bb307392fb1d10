"""Traces of executions: written as they go on, cut off anywhere, resumed, replayed, edited, malformed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from groundplan.acting import Episode, act_in
from groundplan.acting.policies.policy import LookOption, NearestUnlooked, Situation
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.errors import InputError
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.planners.request import Request
from groundplan.robot import Trace, TraceDiffers, TraceFile, read_trace, replay
from groundplan.robot.trace_lines import BEGINS
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.observations import StepOutcome
from groundplan.simulator.scene_json import scene_from_json
from groundplan.simulator.sensing import Environment, Move, unexplored, with_hidden
from groundplan.simulator.step import Step

PACK = load_pack()
SCENE = load_scene("office")
OFFICE = ground(SCENE, PACK)
ENGINE = Engine.named("pyperplan")
ORANGE = "(inside_of orange1 fridge)"
BANANA = "(exists (?b - banana) (holding ?b))"


def request_for(belief: Belief, goal: str) -> Request:
    return Request(belief, goal=parse_goal(goal))


def traced(path: Path, request: Request, environment: Environment, still: bool = True) -> TraceFile:
    with TraceFile(path) as trace:
        act_in(environment, Episode(request, engine=ENGINE, still=still, recorder=trace))
    return trace


def kinds(trace: Trace) -> list[object]:
    return [line["kind"] for line in trace.lines]


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace of a run in which steps fail and the orange is elsewhere: plan, repair and look are in it."""
    truth = ground(
        SCENE.changed(change={"orange1": {"parent": "coffee_machine", "relation": "ontop_of"}}), PACK
    )
    path = tmp_path_factory.mktemp("traces") / "moved.jsonl"
    trace = traced(path, request_for(OFFICE, ORANGE), Environment(truth, failure=0.2, seed=5))
    assert {"start", "plan", "repair", "act", "observe", "end"} <= set(kinds(trace))
    return path


def edited(path: Path, tmp_path: Path, edit: Callable[[list[dict[str, object]]], object]) -> Path:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    edit(lines)
    changed = tmp_path / "edited.jsonl"
    changed.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return changed


@pytest.mark.parametrize(
    ("belief", "goal", "still"),
    [
        (OFFICE, ORANGE, True),
        (with_hidden(OFFICE), BANANA, True),
        (with_hidden(OFFICE, named=["orange1"]), ORANGE, False),
        (unexplored(OFFICE), BANANA, True),
        (OFFICE, "(and (open microwave) (turned_on microwave))", True),
        (
            with_hidden(OFFICE),
            "(exists (?b - banana) (and (holding ?b) (hot ?b) (cold ?b) (filled ?b)))",
            True,
        ),
    ],
)
def test_every_execution_replays(belief: Belief, goal: str, still: bool, tmp_path: Path) -> None:
    request = request_for(belief, goal)
    robot = Environment(OFFICE, failure=0.2, moves=[Move(9, "orange1", "ontop_of", "desk1")], seed=2)
    trace = traced(tmp_path / "trace.jsonl", request, robot, still)
    result = replay(read_trace(trace.path), request, engine=ENGINE)
    assert (
        result.replays and result.lines == len(trace.lines) and result.outcome == trace.lines[-1]["outcome"]
    )
    assert trace.lines[-1]["metres"] == robot.moved_mm / 1000
    acts = [line["step"] for line in trace.lines if line["kind"] == "act"]
    told = [line["step"] for line in trace.lines if line["kind"] == "observe" and line["step"]]
    assert acts == told, "each step that was handed out was reported"


@dataclass(frozen=True)
class Farthest:
    """A policy of somebody's own."""

    name: str = "farthest"

    def choose(self, situation: Situation) -> LookOption:
        return max(situation.candidates, key=lambda candidate: candidate.reach_mm)


def test_an_execution_by_a_policy_of_one_s_own_replays(tmp_path: Path) -> None:
    request, path = request_for(with_hidden(OFFICE), BANANA), tmp_path / "trace.jsonl"
    with TraceFile(path) as trace:
        episode = Episode(request, Farthest(), ENGINE, recorder=trace, max_steps=40)
        act_in(Environment(OFFICE), episode)
    assert replay(read_trace(path), request).replays
    assert replay(read_trace(path), request, Farthest(), engine=ENGINE).replays
    other = replay(read_trace(path), request, policy=NearestUnlooked(), engine=ENGINE)
    assert other.reason == 'settings.policy is "farthest" in the trace and "nearest-unlooked" now'


def test_a_look_that_was_ended_by_what_was_seen_replays(tmp_path: Path) -> None:
    """The box is opened, and the robot need not step back from it: there is no plan whatever is in it."""
    thing = {"type": "object", "relation": "ontop_of"}
    raw = {
        "format": "groundplan-scene",
        "version": 1,
        "name": "boxed",
        "nodes": [
            {"id": "kitchen", "type": "room"},
            {"id": "office", "type": "room"},
            {"id": "table", "type": "asset", "parent": "kitchen"},
            {"id": "shelf", "type": "asset", "parent": "office"},
            {"id": "cup1", **thing, "parent": "table", "classes": ["cup"], "attributes": ["red"]},
            {"id": "plate1", **thing, "parent": "table", "classes": ["plate"]},
            {"id": "box", **thing, "parent": "shelf", "affordances": ["open", "close"], "state": ["closed"]},
            {"id": "spoon", **thing, "parent": "box", "relation": "inside_of"},
            {"id": "robot", "type": "agent", "at": "kitchen"},
        ],
        "links": [{"a": "kitchen", "b": "office", "length": 3}],
    }
    truth = ground(scene_from_json(raw, "boxed"), PACK)
    request = request_for(with_hidden(truth), "(exists (?p - plate) (and (red ?p) (in_room ?p kitchen)))")
    trace = traced(tmp_path / "trace.jsonl", request, Environment(truth))
    look = [line for line in trace.lines if line["kind"] == "look"][-1]
    done = [line["step"] for line in trace.lines if line["kind"] == "act"]
    assert look["any_news"] is True and done[-1] == "open(box)" != look["steps"][-1]
    assert replay(read_trace(tmp_path / "trace.jsonl"), request, engine=ENGINE).replays


def test_an_act_says_what_it_needs_and_what_is_missed_afterwards(tmp_path: Path) -> None:
    """A drawer that says it was opened, and is seen closed."""
    request = request_for(OFFICE, "(open fridge)")
    robot = Environment(OFFICE)
    with TraceFile(tmp_path / "trace.jsonl") as trace:
        episode = Episode(request, engine=ENGINE, recorder=trace, max_steps=30)
        while (step := episode.next()) is not None:
            if step == Step("open", ("fridge",)):
                outcome = StepOutcome(True, 0, robot.look(), "")
            else:
                outcome = robot.act(step)
            episode.report(outcome)
    opening = next(line for line in trace.lines if line["kind"] == "act" and line["step"] == "open(fridge)")
    assert "(closed fridge)" in opening["needs"] and "(open fridge)" in opening["brings"]  # type: ignore[operator]
    missed = [line["missed"] for line in trace.lines if line["kind"] == "observe" and line["missed"]]
    assert "(open fridge)" in missed[0]  # type: ignore[operator]
    assert trace.lines[-1]["outcome"] == "not-found" and trace.lines[-1]["reasons"]
    assert replay(read_trace(trace.path), request, engine=ENGINE).replays


def test_giving_up_has_its_reasons(tmp_path: Path) -> None:
    request = request_for(OFFICE, "(open fridge)")
    robot = Environment(OFFICE, stuck=[Step("open", ("fridge",))])
    trace = traced(tmp_path / "trace.jsonl", request, robot)
    end = trace.lines[-1]
    assert end["outcome"] == "not-found" and "open(fridge)" in str(end["reasons"])
    assert kinds(trace).count("act") > 8 and replay(read_trace(trace.path), request, engine=ENGINE).replays


@pytest.mark.parametrize("every", [11, pytest.param(1, marks=pytest.mark.slow)])
def test_a_kill_anywhere_loses_the_last_line_at_most(moved: Path, tmp_path: Path, every: int) -> None:
    """The file is cut at every line and within lines; what goes on from there comes to the same trace."""
    data, request = moved.read_bytes(), request_for(OFFICE, ORANGE)
    ends = [at + 1 for at, byte in enumerate(data) if byte == 10]
    places = sorted({0, len(BEGINS), *ends, *(end - 1 for end in ends), *(end - 9 for end in ends)})
    whole = read_trace(moved).lines
    for at in places[::every]:
        path = tmp_path / "cut.jsonl"
        path.write_bytes(data[:at])
        lines = data[:at].count(b"\n")
        if lines:
            result = replay(read_trace(path), request, engine=ENGINE)
            assert (result.lines, result.cut) == (lines, at not in ends) and result.line is None
            assert result.ended == (lines == len(whole))
        with TraceFile(path, resume=True) as trace:
            assert len(trace.lines) == lines
            episode = Episode.resume(request, trace.entries(), engine=ENGINE, recorder=trace)
            done = sum(line["kind"] == "observe" for line in whole[:lines])
            reports = [entry for entry in Trace(whole).entries() if hasattr(entry, "outcome")][done:]
            for entry in reports:
                step = episode.next() if entry.step is not None else None
                assert step == entry.step
                episode.report(entry.outcome)
            assert episode.next() is None
        assert path.read_bytes() == data


def test_a_process_that_is_killed_leaves_whole_lines(tmp_path: Path) -> None:
    """SIGKILL at a random moment of writing: all lines but a part of the last are whole, and replay."""
    path = tmp_path / "trace.jsonl"
    program = f"""
from pathlib import Path
from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal
from groundplan.acting import Episode, act_in
from groundplan.robot import TraceFile
from groundplan.simulator.sensing import Environment, with_hidden
office = ground(load_scene("office"), load_pack())
with TraceFile(Path({str(path)!r})) as trace:
    request = Request(with_hidden(office), goal=parse_goal({BANANA!r}))
    episode = Episode(request, engine=Engine.named("pyperplan"), recorder=trace)
    act_in(Environment(office, failure=0.2), episode)
"""
    process = subprocess.Popen([sys.executable, "-P", "-c", program], start_new_session=True, cwd=tmp_path)
    until = time.monotonic() + 60
    while not path.exists() or path.stat().st_size < 60_000:
        assert time.monotonic() < until and process.poll() is None
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    result = replay(read_trace(path), request_for(with_hidden(OFFICE), BANANA), engine=ENGINE)
    assert result.line is None and not result.ended and result.lines > 10


@pytest.mark.parametrize(
    ("kind", "change", "reason"),
    [
        ("observe", {"metres": 1.5}, "metres is 1.5 in the trace and"),
        ("act", {"step": "goto(kitchen)"}, "step is "),
        ("act", {"needs": []}, "needs is [] in the trace and"),
        ("repair", {"steps": ["open(fridge)"]}, "its hash is another"),
        ("repair", {"at": "pose1"}, "at is "),
        ("end", {"outcome": "unsolvable"}, "outcome is "),
        ("end", {"steps": 1}, "steps is 1 in the trace and"),
        ("observe", {"more": 1}, "its hash is another"),
        ("observe", {"chain": "0" * 64}, "its hash is another"),
        ("observe", {"step": "open(fridge)"}, "got open(fridge)"),
    ],
)
def test_an_edited_line_is_named(moved: Path, tmp_path: Path, kind: str, change: dict, reason: str) -> None:  # type: ignore[type-arg]
    def edit(lines: list[dict[str, object]]) -> None:
        at.append(max(n for n, line in enumerate(lines) if line["kind"] == kind))
        lines[at[0]] |= change

    at: list[int] = []
    result = replay(read_trace(edited(moved, tmp_path, edit)), request_for(OFFICE, ORANGE), engine=ENGINE)
    assert not result.replays and result.line == at[0] + 1 and result.lines == at[0]
    assert reason in str(result.reason)


def test_a_report_that_is_edited_is_named(moved: Path, tmp_path: Path) -> None:
    def edit(lines: list[dict[str, object]]) -> None:
        at.append(next(n for n, line in enumerate(lines) if line["kind"] == "observe" and line["changes"]))
        lines[at[0]]["outcome"]["observations"]["nodes"] = []  # type: ignore[index]

    at: list[int] = []
    result = replay(read_trace(edited(moved, tmp_path, edit)), request_for(OFFICE, ORANGE), engine=ENGINE)
    assert result.line == at[0] + 1 and "changes is " in str(result.reason)


def test_lines_that_are_left_out_or_come_twice_are_named(moved: Path, tmp_path: Path) -> None:
    request = request_for(OFFICE, ORANGE)
    for number, edit in enumerate((lambda lines: lines.pop(4), lambda lines: lines.insert(4, lines[4]))):
        result = replay(read_trace(edited(moved, tmp_path, edit)), request, engine=ENGINE)
        assert not result.replays and result.line == 5 + number, result
    result = replay(
        read_trace(edited(moved, tmp_path, lambda lines: lines.append(lines[-1]))), request, engine=ENGINE
    )
    assert result.reason == "nothing follows here" and result.line == result.lines + 1


@pytest.mark.parametrize(
    "text",
    [
        b"7\n",
        b"{}\n",
        b"[1, 2\n",
        b'{"kind": "nothing", "chain": ""}\n',
        b'{"kind": "act", "chain": ""}\n',
        b'{"kind": "give-up", "unreached": [1, 2], "reason": "", "chain": ""}\n',
        b'{"kind": "observe", "step": null, "outcome": {"done": 1}, "changes": [], "at": "", "metres": 0,'
        b' "missed": [], "replans": 0, "chain": ""}\n',
        b"\xff\xfe\n",
        b"\n",
        b'{"kind": ["start"]}\n',
    ],
)
def test_a_malformed_line_is_refused_by_its_number(moved: Path, tmp_path: Path, text: bytes) -> None:
    lines = moved.read_bytes().splitlines(keepends=True)
    path = tmp_path / "trace.jsonl"
    path.write_bytes(b"".join((*lines[:3], text, *lines[3:])))
    with pytest.raises(InputError) as error:
        read_trace(path)
    assert str(error.value).startswith(f"{path}:4")
    before = path.read_bytes()
    with pytest.raises(InputError):
        TraceFile(path, resume=True)
    assert path.read_bytes() == before


def test_what_is_no_trace_is_refused_and_left_alone(tmp_path: Path, moved: Path) -> None:
    for text in ("notes", "notes\n", '{"kind": "start"}\n', ""):
        path = tmp_path / "notes.txt"
        path.write_text(text)
        with pytest.raises(InputError):
            read_trace(path)
        if text:
            with pytest.raises(InputError):
                TraceFile(path, resume=True)
            with pytest.raises(InputError, match="a new file"):
                TraceFile(path)
        assert path.read_text() == text
    with pytest.raises(InputError, match="can be written"):
        TraceFile(tmp_path / "none" / "trace.jsonl")
    with TraceFile(tmp_path / "one.jsonl"), pytest.raises(InputError, match="nobody writes to"):
        TraceFile(tmp_path / "one.jsonl")
    assert not (tmp_path / "one.jsonl").exists(), "nothing is left of a trace that never began"
    with TraceFile(tmp_path / "notes.txt"):
        pass
    assert (tmp_path / "notes.txt").exists(), "but for what was there before"


def test_a_trace_of_another_request_is_not_resumed(moved: Path, tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_bytes(moved.read_bytes())
    with TraceFile(path, resume=True) as trace, pytest.raises(TraceDiffers, match="line 1: goal is"):
        Episode.resume(request_for(OFFICE, "(open fridge)"), trace.entries(), engine=ENGINE, recorder=trace)
    assert path.read_bytes() == moved.read_bytes()
