"""An environment that lacks something: no traceback, and no exit code that means something else.

Each fault is met by every verb of a list. A run ends as it does without the fault, or says what is missing
with exit code 2 (bad input or environment) or 3 (the reader or the planner could not work). One pair of a
fault and a verb for each kind runs in every test run, the table as a whole among the slow tests.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

MEGABYTE = 1 << 20
NOBODY = 54321
"""A number that no user has."""


def limit(kind: int, most: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(kind, (most, most))


def close(number: int) -> Callable[[], None]:
    return lambda: os.close(number)


def close_all() -> None:
    os.closerange(0, 3)


def full() -> None:
    os.dup2(os.open("/dev/full", os.O_WRONLY), 1)


def ignore(number: int) -> Callable[[], None]:
    return lambda: signal.signal(number, signal.SIG_IGN) and None


def mask(mode: int) -> Callable[[], None]:
    return lambda: os.umask(mode) and None


@dataclass(frozen=True)
class Fault:
    """What is wrong: a step before the program starts, variables of the environment (``None`` for unset).

    ``nobody`` runs it as a user without a name, ``options`` are Python's. ``mount`` are commands of the shell
    before it, in a namespace where disks can be mounted. ``unready`` planners, which cannot be started, end
    a run with exit code 1 and the word for it.
    """

    before: Callable[[], None] = lambda: None
    environment: Mapping[str, str | None] = field(default_factory=dict)
    nobody: bool = False
    options: tuple[str, ...] = ()
    mount: str = ""
    unready: bool = False


FAULTS: dict[str, Fault] = {
    "standard output is full": Fault(full),
    **{f"descriptor {n} is closed": Fault(close(n)) for n in (0, 1, 2)},
    "all three descriptors are closed": Fault(close_all),
    "a full disk": Fault(mount='mount -t tmpfs -o size=4k none . && cd "$PWD" && printf %4096s x >file'),
    "a disk with room for 8 kB": Fault(mount='mount -t tmpfs -o size=8k none . && cd "$PWD"'),
    "a disk that can only be read": Fault(mount='mount -t tmpfs -o ro none . && cd "$PWD"'),
    "a full disk for temporary files": Fault(
        environment={"TMPDIR": "tmp"},
        mount="mkdir tmp && mount -t tmpfs -o size=4k none tmp && printf %4096s x >tmp/file",
    ),
    "a home that can only be read": Fault(
        environment={"HOME": "home", "XDG_DATA_HOME": None},
        mount="mkdir home && mount -t tmpfs -o ro none home",
    ),
    "files of no byte": Fault(limit(resource.RLIMIT_FSIZE, 0), unready=True),
    "files of 100 bytes": Fault(limit(resource.RLIMIT_FSIZE, 100)),
    **{f"{n} open files": Fault(limit(resource.RLIMIT_NOFILE, n), unready=True) for n in (16, 32)},
    **{f"{n} MB of memory": Fault(limit(resource.RLIMIT_AS, n * MEGABYTE)) for n in (60, 300, 400)},
    "1 processes": Fault(limit(resource.RLIMIT_NPROC, 1), nobody=True, unready=True),
    "no core dumps": Fault(limit(resource.RLIMIT_CORE, 0)),
    "no home and no name": Fault(environment={"HOME": None, "XDG_DATA_HOME": None}, nobody=True),
    "a home that is missing": Fault(environment={"HOME": "/proc/none"}),
    "a home that is a device": Fault(environment={"HOME": "/dev/null"}),
    "a folder for temporary files that is missing": Fault(environment={"TMPDIR": "/proc/none"}),
    "a folder for temporary files that is a device": Fault(environment={"TMPDIR": "/dev/null"}),
    "the locale C": Fault(environment={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
    "an unknown locale": Fault(environment={"LC_ALL": "xx_YY"}),
    "ASCII output": Fault(environment={"PYTHONIOENCODING": "ascii"}),
    "no path to programs": Fault(environment={"PATH": ""}),
    "no columns": Fault(environment={"COLUMNS": "0", "LINES": "0", "TERM": "dumb"}),
    "an unknown terminal": Fault(environment={"TERM": "unknown", "NO_COLOR": "1"}),
    "no assertions": Fault(options=("-O",)),
    "no docstrings": Fault(options=("-OO",)),
    "no buffers": Fault(options=("-u",)),
    "files for nobody": Fault(mask(0o777)),
    "files for everybody": Fault(mask(0)),
    "signals that are ignored": Fault(ignore(signal.SIGINT)),
    "a pipe that may break": Fault(ignore(signal.SIGPIPE)),
}

GOAL = ("--scene", "office", "--goal", "(closed cabinet5)")

VERBS: dict[str, tuple[tuple[str, ...], int]] = {
    "plan": (("plan", *GOAL, "--out", "out"), 0),
    "plan a sentence": (("plan", "Put the banana into the fridge.", "--scene", "office"), 0),
    "plan with a model": (
        (
            "plan",
            "Tidy up.",
            "--scene",
            "office",
            "--reader",
            "openai:m",
            "--base-url",
            "http://127.0.0.1:1/v1",
        ),
        3,
    ),
    "check": (("check", *GOAL), 0),
    "compile": (("compile", *GOAL, "--out", "pddl"), 0),
    "find": (("find", "(find (?x - item) (in_room ?x kitchen))", "--scene", "office"), 0),
    "scene": (("scene", "generate", "-o", "building.json"), 0),
    "datasets": (("datasets", "list"), 0),
    "tasks": (("tasks", "show", "grasif-behavior-x"), 2),
}

QUICK = {
    ("standard output is full", "check"),
    ("files of no byte", "scene"),
    ("400 MB of memory", "plan a sentence"),
    ("1 processes", "plan a sentence"),
    ("60 MB of memory", "plan with a model"),
    ("all three descriptors are closed", "find"),
    ("a full disk", "plan"),
    ("no home and no name", "datasets"),
    ("no home and no name", "tasks"),
    ("a folder for temporary files that is missing", "plan"),
}


def as_nobody() -> list[str]:
    """The program before Python that makes a user without a name of root; none where nobody is root."""
    if os.getuid() != 0:
        return []
    program = shutil.which("setpriv")
    if program is None:
        pytest.skip("setpriv of util-linux is not here")
    mode = "+dac_override"  # the interpreter may lie in a folder of root's
    return [
        program, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
        f"--inh-caps={mode}", f"--ambient-caps={mode}",
    ]  # fmt: skip


@cache
def mounting() -> tuple[str, ...]:
    """The program that gives another one a namespace of its own, in which it may mount; else a skip."""
    program = shutil.which("unshare")
    if program is not None:
        for users in ((), ("--map-root-user",)):
            prefix = (program, *users, "--mount", "sh", "-c")
            with TemporaryDirectory() as folder:
                trial = f"mount -t tmpfs -o size=4k none '{folder}'"
                if subprocess.run([*prefix, trial], capture_output=True, check=False).returncode == 0:
                    return prefix
    pytest.skip("mounting a disk in a namespace is not permitted here")


def run(fault: Fault, arguments: tuple[str, ...], folder: Path) -> subprocess.CompletedProcess[str]:
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("GROUNDPLAN", "OPENAI"))}
    for name, value in fault.environment.items():
        variables.pop(name, None)
        variables |= {} if value is None else {name: value}
    folder.chmod(0o777)
    before = as_nobody() if fault.nobody else []
    if fault.mount:
        before = [*mounting(), f'{fault.mount} && exec "$@"', "sh"]
    return subprocess.run(
        [*before, sys.executable, "-P", *fault.options, "-m", "groundplan", *arguments],
        cwd=folder,
        env=variables,
        preexec_fn=fault.before,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=100,
        check=False,
    )


@pytest.mark.parametrize(
    ("fault", "verb"),
    [
        pytest.param(fault, verb, marks=() if (fault, verb) in QUICK else pytest.mark.slow)
        for fault in FAULTS
        for verb in VERBS
    ],
)
def test_what_is_missing_is_said(tmp_path, fault, verb):
    arguments, usual = VERBS[verb]
    ran = run(FAULTS[fault], arguments, tmp_path)
    assert "Traceback" not in ran.stderr
    if ran.returncode == 1 and FAULTS[fault].unready:
        assert "crashed" in ran.stderr + ran.stdout
    else:
        assert ran.returncode in {usual, 2, 3}, (ran.returncode, ran.stderr)
    if ran.returncode not in (0, usual) and not fault.startswith(("descriptor", "all three", "files of")):
        assert (ran.stderr + ran.stdout).strip()


SIGNALS = [(number, verb) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE) for verb in VERBS]


@pytest.mark.parametrize(
    ("number", "verb"),
    [
        pytest.param(
            number, verb, marks=() if (number, verb) == (signal.SIGTERM, "plan") else pytest.mark.slow
        )
        for number, verb in SIGNALS
    ],
)
def test_a_signal_in_the_middle_is_the_only_thing_that_a_code_can_say(tmp_path, number, verb):
    arguments, usual = VERBS[verb]
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "groundplan", *arguments],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        time.sleep(0.4)  # in its imports or at work; one that is over by then has its usual code
        running.send_signal(number)
        _, err = running.communicate(timeout=100)
    assert "Traceback" not in err
    assert running.returncode in {usual, -number, 128 + number}, (running.returncode, err)
