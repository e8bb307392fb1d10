"""Engines that are missing, hang, eat memory or crash, Ctrl-C, and terminals of every kind."""

import dataclasses
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from groundplan.domains.ending import Ending
from groundplan.engines.base import TextEngine, TextResult
from groundplan.engines.programs import processes
from groundplan.engines.registry import ENGINES
from groundplan.engines.worker import Job, Worker
from groundplan.language.english import embedding

JOBS = Path(__file__).parents[1] / "engines" / "engine_jobs"
GOAL = "(inside_of orange1 fridge)"
PROGRAM = "import sys; from groundplan.commands import main; sys.exit(main(sys.argv[1:]))"


class Broken(TextEngine):
    """An engine whose planner does one thing wrong."""

    name, supports_costs = "", False

    def __init__(self, name, **request):
        self.name, self.request = name, request

    def solve_text(self, text, budget):
        worker = Worker()
        try:
            job = Job(JOBS / f"{self.name}.py", self.request, budget.memory_mb)
            [answer] = worker.run([job], budget.seconds)
        finally:
            worker.close()
        ending, why = answer.failure(budget.memory_mb) or (Ending.CRASHED, "")
        return TextResult(ending, reproducible=False, detail=why)


@pytest.mark.parametrize(
    ("engine", "outcome", "words"),
    [
        (Broken("hang"), "timed-out", "--timeout"),
        (Broken("hog"), "out-of-memory", "--memory"),
        (Broken("crash", how="signal", number=int(signal.SIGSEGV)), "crashed", "SIGSEGV"),
        (Broken("missing"), "unsupported", "no_such_planner"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_how_an_engine_failed_is_told_apart(cli, monkeypatch, tmp_path, engine, outcome, words):
    entry = dataclasses.replace(ENGINES["pyperplan"], make=lambda: engine)
    monkeypatch.setitem(ENGINES, "broken", entry)
    arguments = [
        "plan",
        "--scene",
        "office",
        "--goal",
        GOAL,
        "--engine",
        "broken",
        "--timeout",
        "2" if outcome == "timed-out" else "30",  # a busy machine takes its time to run out of memory
        "--memory",
        "256",
    ]
    ran = cli(*arguments)
    assert ran.code == 1
    assert ran.last.startswith(f"{outcome}: ") and words in ran.out
    told = cli(*arguments, "--json")
    assert (told.code, told.json["outcome"], told.json["plan"]) == (1, outcome, [])


def test_an_engine_without_costs_plans_too_and_proves_nothing_about_costs(cli):
    ran = cli("plan", "--scene", "office", "--goal", GOAL, "--engine", "pyperplan-opt", "--json").json
    assert (ran["outcome"], ran["optimal"], ran["bound"]) == ("verified", False, None)


def test_what_to_try_depends_on_what_was_unsupported(cli, monkeypatch):
    entry = dataclasses.replace(ENGINES["pyperplan"], make=lambda: Broken("missing"))
    monkeypatch.setitem(ENGINES, "broken", entry)
    ran = cli("plan", "--scene", "office", "--goal", GOAL, "--engine", "broken")
    assert "what must not" not in ran.out and "`groundplan engines` says what each one knows" in ran.out
    assert ran.last == "unsupported: broken does not know what the problem needs"
    goal = "(and (inside_of noodles microwave) (turned_on microwave) (not (hot noodles)))"
    ran = cli("plan", "--scene", "office", "--goal", goal, "--timeout", "6")
    assert "try: say what must hold instead of what must not" in ran.out
    assert ran.last == "unsupported: no engine supports this goal"


def test_an_engine_that_is_not_installed(cli, monkeypatch):
    monkeypatch.setitem(
        ENGINES, "absent", dataclasses.replace(ENGINES["pyperplan"], modules=("no_such_module",))
    )
    ran = cli("plan", "--scene", "office", "--goal", GOAL, "--engine", "absent")
    assert ran.code == 2 and ran.out == "" and "pip install" in ran.err
    assert {e["name"]: e for e in cli("engines", "--json").json}["absent"]["installed"] is False


SLOW = """
import dataclasses, sys
from pathlib import Path
from groundplan.engines.base import TextEngine
from groundplan.engines.registry import ENGINES
from groundplan.engines.worker import Job, SHARED
from groundplan.commands import main

class Slow(TextEngine):
    name, supports_costs = "slow", False
    def solve_text(self, text, budget):
        SHARED.run([Job(Path(sys.argv[1]), {"note": sys.argv[2], "linger": 600}, 512, True)], 600)

ENGINES["slow"] = dataclasses.replace(ENGINES["pyperplan"], make=Slow)
sys.exit(main(sys.argv[3:]))
"""


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def wait_until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not happen in time"
        time.sleep(0.02)


def test_ctrl_c_while_planning_leaves_no_process_and_keeps_the_record(tmp_path, interruptible):
    scratch, place, note = tmp_path / "scratch", tmp_path / "place", tmp_path / "pids"
    scratch.mkdir()
    place.mkdir()
    arguments = ["plan", "--scene", "office", "--goal", GOAL, "--engine", "slow", "--out", str(place / "out")]
    program = subprocess.Popen(
        [sys.executable, "-P", "-c", SLOW, str(JOBS / "escape.py"), str(note), *arguments],
        env=os.environ | {"TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_until(lambda: note.exists() and len(note.read_text().split()) == 2)
    below = processes.descendants(program.pid)
    assert len(below) == 3
    os.killpg(program.pid, signal.SIGINT)  # as a terminal does
    out, errors = program.communicate(timeout=20)
    assert (program.returncode, errors.strip()) == (130, "cancelled")
    assert "verified:" not in out
    wait_until(lambda: not any(map(alive, below)), 5)
    assert list(place.iterdir()) == [place / "out"]
    record = json.loads((place / "out" / "record.json").read_text())
    assert (record["outcome"], record["goal"], record["plan"]) == ("cancelled", GOAL, [])
    wait_until(lambda: list(scratch.iterdir()) == [], 5)


def in_terminal(columns, *arguments, **environment):
    """What a terminal of so many columns gets to see, and the exit code."""
    parent, child = pty.openpty()
    program = subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM, *arguments],
        stdin=child,
        stdout=child,
        stderr=child,
        env={k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
        | {"COLUMNS": str(columns), "TERM": "xterm-256color"}
        | environment,
        close_fds=True,
    )
    os.close(child)
    data = b""
    while True:
        try:
            chunk = os.read(parent, 65536)
        except OSError:  # the terminal's other end is closed
            break
        if not chunk:
            break
        data += chunk
    os.close(parent)
    return program.wait(timeout=20), data.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colours_and_lines_that_fit():
    code, shown = in_terminal(60, "scene", "show", "office")
    assert code == 0 and "\x1b[" in shown
    code, shown = in_terminal(60, "scene", "show", "office", NO_COLOR="1")
    assert code == 0 and "\x1b" not in shown
    assert max(map(len, shown.splitlines())) <= 60


def test_the_last_line_is_the_same_in_a_terminal():
    code, shown = in_terminal(80, "plan", "--scene", "office", "--goal", GOAL, NO_COLOR="1", TERM="dumb")
    assert code == 0
    assert shown.splitlines()[-1] == "verified: 11 steps, 32.84 metres"


def test_a_terminal_without_unicode_is_no_reason_to_fail():
    child = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, "plan", "--scene", "office", "--goal", "(hot noodles)"],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    assert child.stdout.isascii() and "> heat: noodles is hot" in child.stdout


def test_a_broken_model_file_of_the_embedded_reader_ends_the_run_with_its_record(cli, monkeypatch):
    def broken():
        raise embedding.EmbeddingsFailed("model.onnx: expected SHA-256 1, got 2; reinstall it")

    monkeypatch.setattr(embedding, "installed", lambda: True)
    monkeypatch.setattr(embedding, "load", broken)
    asked = ["plan", "Put the orange in the fridge", "--scene", "office", "--reader", "embedded"]
    ran = cli(*asked)
    assert ran.code == 3 and "reinstall it" in ran.err
    assert ran.err.rstrip().endswith("service-failed: the embedded reader failed")
    record = cli(*asked, "--json").json
    assert (record["outcome"], record["plan"]) == ("service-failed", []) and record["hashes"]
    assert cli("search", *asked[1:], "--json").json["outcome"] == "service-failed"
