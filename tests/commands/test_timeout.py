"""`--timeout` of the verbs: what is cut off says so, ends with exit code 1, and keeps what there is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from groundplan.commands import main, options
from groundplan.datasets.scenes import load_scene
from groundplan.domains import deadline
from groundplan.domains.ending import Ending
from groundplan.planners import carrying_out as execution
from groundplan.simulator.scene_json import scene_text

LARGE = "(at-least 2 (?x - item) (at-least 2 (?y - item) (at-least 2 (?r - room) (in_room ?x ?r))))"
QUESTION = "(find (?a - item ?b - item ?c - item) (not (= ?a ?b)))"
Fast = Callable[[float], None]


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> Fast:
    """Make the clock of limits go on by some seconds each time that it is read."""

    def set_clock(tick: float) -> None:
        now = [0.0]

        def clock() -> float:
            now[0] += tick
            return now[0]

        monkeypatch.setattr(options, "limited", lambda seconds: deadline.limited(seconds, clock))

    return set_clock


def test_a_check_shows_what_it_found_and_that_it_is_not_finished(
    fast: Fast, capsys: pytest.CaptureFixture[str]
) -> None:
    fast(0.02)
    assert main(["check", "--scene", "office", "--goal", LARGE, "--format", "json"]) == 1
    found = {d["code"]: d["message"] for d in json.loads(capsys.readouterr().out)["diagnostics"]}
    assert "the time limit of 30 s" in found["unchecked"] and len(found) > 1


def test_verbs_that_are_cut_off_say_which_work_and_which_limit(
    fast: Fast, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    fast(0.02)
    assert main(["find", "--scene", "office", QUESTION, "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["outcome"], answer["cut_off"]) == ("timed-out", ["answering the question"])
    assert main(["compile", "--scene", "office", "--goal", LARGE, "--out", str(tmp_path / "x")]) == 1
    assert capsys.readouterr().err.startswith("timed-out: ")
    assert main(["plan", "--scene", "office", "--goal", LARGE, "--json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert (record["outcome"], record["reproducible"]) == ("timed-out", False) and record["cut_off"]


READS = (
    ["scene", "show", "{}"], ["scene", "validate", "{}"], ["scene", "tokens", "--scene", "{}"],
    ["scene", "scaling", "--scene", "{}"],
    ["scene", "convert", "{}", "-", "--to", "groundplan"], ["pack", "check", "household", "--scene", "{}"],
    ["search", "Open the fridge.", "--scene", "{}"],
)  # fmt: skip


@pytest.mark.parametrize("arguments", READS, ids=lambda a: " ".join(a[:2]))
def test_all_that_reads_a_scene_ends_at_the_time_limit(
    arguments: list[str], fast: Fast, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "scene.json"
    file.write_text(scene_text(load_scene("office")), encoding="utf-8")
    fast(31)
    assert main([part.format(file) for part in arguments]) == 1
    assert capsys.readouterr().err.startswith("timed-out: ")


@pytest.mark.parametrize("verb", ["check", "find", "simulate", "compile", "plan"])
@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_a_limit_is_a_positive_number_of_seconds(
    verb: str, seconds: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more = {"find": [QUESTION], "simulate": ["--plan", "-"], "compile": ["--out", "x"]}.get(verb, [])
    assert main([verb, "--scene", "office", "--timeout", seconds, *more]) == 2
    assert "--timeout" in capsys.readouterr().err


def test_a_goal_beyond_a_bound_on_sizes_is_told_as_that(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(deadline, "MAX_SIZES", {**deadline.MAX_SIZES, "bindings": 1})
    assert main(["plan", "--scene", "office", "--goal", "(in_room banana1 kitchen)"]) == 1
    told = capsys.readouterr().out
    assert "stopped at the bound of 1 bindings" in told and "quantify over a class" in told
    assert "out-of-memory: planning was stopped at a bound on sizes" in told


def test_what_the_clock_left_out_of_a_plan_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def cut_short(*arguments: object) -> Iterator[object]:
        raise deadline.LimitReached(Ending.TIMED_OUT, "shortening", "the time limit of 1 s")
        yield

    monkeypatch.setattr(execution, "ever_shorter", cut_short)
    arguments = ["plan", "--scene", "office", "--goal", "(in_room banana1 kitchen)"]
    assert main(arguments) == 0
    assert "the time limit cut off: leaving out redundant actions" in capsys.readouterr().out
    assert main([*arguments, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["cut_off"] == ["leaving out redundant actions"] and not record["reproducible"]
