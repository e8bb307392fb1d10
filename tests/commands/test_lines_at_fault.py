"""A line at fault of a file is a finding of that line, and the others are read, whatever the verb."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import validate

from groundplan.commands.schema import output_schema

VERBS = {
    "check": ({"id": "a", "goal": "(open fridge)"}, ("--scene", "office", "--no-prove", "--goal")),
    "diff": ({"id": "a", "a": "(open fridge)", "b": "(closed fridge)"}, ("--scene", "office")),
    "grade": (
        {"id": "a", "task": "office-planning-simple-02", "goal": "(open fridge)"},
        ("--graders", "exact"),
    ),
    "audit": ({"id": "a", "instruction": "Open it.", "scene": "office", "goal": "(open fridge)"}, ()),
}


@pytest.mark.parametrize("verb", VERBS)
def test_the_other_lines_of_a_file_are_read(cli, tmp_path: Path, verb: str) -> None:
    row, options = VERBS[verb]
    path = tmp_path / "lines.jsonl"
    good = [json.dumps(row | {"id": name}).encode() for name in "ab"]
    faulty = (
        *(good[0].replace(b"fridge", b"fri\xffdge"), good[0].replace(b"{", b'{"id": "c", ', 1)),
        *(b"no json", b"[1]", b'{"id": NaN}', b"{" * 10_000, b"\x00"),
    )
    path.write_bytes(b"\n".join((good[0], *faulty, good[1], b"")))
    named = f"@{path}" if verb in ("check", "diff") else str(path)
    ran = cli(verb, *options, named, "--json")
    validate(ran.json, output_schema(verb))
    assert ran.code == (1 if verb in ("check", "audit") else 2)
    read = {
        "check": lambda out: [one["id"] for one in out["goals"] if one["says"] is not None],
        "diff": lambda out: [one["id"] for one in out["pairs"]],
        "grade": lambda out: [one["id"] for one in out["runs"]],
        "audit": lambda out: ["a", "b"][: out["golds"]],
    }[verb](ran.json)
    assert read == ["a", "b"]
    if verb == "check":
        faults = [one["diagnostics"][0]["code"] for one in ran.json["goals"] if one["says"] is None]
    else:
        faults = [one["code"] for one in ran.json["findings" if verb == "audit" else "faults"]]
    assert faults == ["bad-line"] * len(faulty)
    shown = cli(verb, *options, named)
    words = shown.out + shown.err
    assert "expected UTF-8 text, got the byte 0xff" in words and "id twice" in words
    assert f"{path}:2" in words or f"{path}: 2" in words


def test_a_byte_that_is_no_utf_8_is_a_finding_of_its_goal(cli, tmp_path: Path) -> None:
    path = tmp_path / "goals.txt"
    path.write_bytes(b"(open fridge) ; k\xfchl\n(open fri\xffdge)\n(closed fridge)\n")
    ran = cli("check", "--scene", "office", "--no-prove", f"@{path}", "--json").json["goals"]
    assert [[one["code"] for one in goal["diagnostics"]] for goal in ran] == [
        [],
        ["syntax"],
        ["already-true"],
    ]
    audited = cli("audit", path, "--scene", "office", "--json").json
    assert audited["golds"] == 2 and {one["line"] for one in audited["findings"]} == {2, 3}
    words = ("check", "--scene", "office", "--no-prove", "--fix", f"@{path}")
    fixed = subprocess.run([sys.executable, "-m", "groundplan", *words], capture_output=True, check=False)
    assert fixed.stdout == path.read_bytes()
    path.write_bytes("(open fridge)".encode("utf-16"))
    alone = cli("check", "--scene", "office", f"@{path}")
    assert (
        alone.code == 1 and f"{path}:1:1: error[syntax]: expected UTF-8 text, got the byte 0xff" in alone.out
    )
    lists = tmp_path / "list.txt"
    lists.write_bytes(b"Goals: IsOpen_a\nGoals: IsOpen_\xff\nGoals: IsOpen_b\n")
    assert cli("audit", lists).last == "3 golds: 1 finding"


def test_a_goal_that_is_too_long_leaves_the_others(cli, tmp_path: Path) -> None:
    path = tmp_path / "goals.txt"
    path.write_text(f"(and {'(open fridge)' * 80_000})\n(open fridge)\n")
    ran = cli("check", "--scene", "office", "--no-prove", f"@{path}", "--json").json["goals"]
    assert [[one["code"] for one in goal["diagnostics"]] for goal in ran] == [["too-long"], []]
    path.write_text("(open fridge)" * 80_000)
    assert "at most 10000 goals" in cli("check", "--scene", "office", f"@{path}").err


def test_tasks_at_fault_leave_the_runs_of_others(cli, tmp_path: Path) -> None:
    tasks, runs = tmp_path / "tasks.jsonl", tmp_path / "runs.jsonl"
    row = VERBS["audit"][0]
    tasks.write_bytes(b"\xff\n" + json.dumps(row).encode())
    runs.write_text('{"task": "a", "goal": "(open fridge)"}\n')
    ran = cli("grade", runs, "--tasks", tasks, "--graders", "exact", "--json")
    assert ran.code == 2 and ran.json["runs"][0]["grades"] == {"exact": True}
    assert [one["place"] for one in ran.json["faults"]] == [f"{tasks}:1:1"]
