"""Anybody's planner as a program of its own, started by a child of the worker in the job's folder.

The text is written to two files, the program is run without a shell, and what it wrote as plans comes back.
It is stopped a moment before the job's limit, so that a planner which improves its plan until then has been
of use. Its exit code and what it prints are passed on and not judged; `engines/command.py` and
`kairos.py` read the answer, whose keys may be changed together with them. Standard library only.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import subprocess
import time
from typing import Any

from .processes import end_tree
from .server import DONE, INPUT_ERROR, UNSUPPORTED, write_answer

FILES = {"{domain}": "domain.pddl", "{problem}": "problem.pddl", "{plan}": "plan"}
MOMENT, MOMENT_SHARE = 0.5, 0.1  # seconds before the limit, or a part of it, at which the program is stopped
PLAN_LIMIT = 16 << 20  # bytes of a plan that are read
PLANS = 2  # plans that come back, the newest first: a program that is stopped may have begun another
OTHERS = 6  # files of other names that come back where no plan stands where it was asked for
CHECK_SECONDS = 10.0


def run(request: dict[str, Any], result: int) -> int:
    """Write `{"exit", "stopped", "plans", "others", "unreadable"}`; texts come the newest first.

    `others` are what it left under names of its own, such as `sas_plan`: a plan may be among them.
    """
    for name, key in (("domain.pddl", "domain"), ("problem.pddl", "problem")):
        with open(name, "w", encoding="utf-8") as file:
            file.write(request[key])
    code, answer = _answer(request)
    return write_answer(result, code, answer)


def _answer(request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    until = time.monotonic() + request["seconds"] - min(MOMENT, MOMENT_SHARE * request["seconds"])
    try:
        if request.get("check"):
            check = subprocess.run(
                _words(request["check"]), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                errors="replace", timeout=CHECK_SECONDS,
            )  # fmt: skip
            if re.search(request["refused"], check.stdout + check.stderr):
                return INPUT_ERROR, {"detail": (check.stdout + check.stderr)[-1000:]}
        exit_code, stopped = _run(_words(request["words"]), until)
    except (OSError, subprocess.TimeoutExpired) as error:
        return UNSUPPORTED, {"detail": f"the program cannot be run: {error}"}
    written = plans("plan")
    return DONE, {
        "exit": exit_code,
        "stopped": stopped,
        "plans": written,
        "others": [] if written else others(),
        "unreadable": no_file("plan"),
    }


def _words(words: list[str]) -> list[str]:
    """Put the absolute names of the files in the places of the words in braces."""
    for name, file in FILES.items():
        words = [word.replace(name, os.path.abspath(file)) for word in words]
    return words


def _run(words: list[str], until: float) -> tuple[int, bool]:
    """Run a program until it ends or the time is over; its exit code, and whether it was stopped."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL) as program:
        try:
            return program.wait(max(0.05, until - time.monotonic())), False
        except subprocess.TimeoutExpired:
            end_tree(program.pid)
            return program.wait(), True


def plans(stem: str) -> list[str]:
    """The plans that were written: the file itself, or else the last of its numbered ones, newest first."""
    folder, name = os.path.split(os.path.abspath(stem))
    numbered = [file for file in os.listdir(folder) if re.fullmatch(re.escape(name) + r"\.\d+", file)]
    by_number = sorted(numbered, key=lambda file: -int(file.rpartition(".")[2]))
    return _texts(folder, [name, *by_number][: PLANS + 1])[:PLANS]


def others() -> list[str]:
    """Texts of all other files in the folder of the job that are not empty, newest first."""
    folder = os.getcwd()
    with os.scandir(folder) as entries:
        files = [e for e in entries if e.name not in FILES.values() and e.is_file(follow_symlinks=False)]
    newest = sorted(files, key=lambda e: (-e.stat().st_mtime_ns, e.name))
    return _texts(folder, [e.name for e in newest if 0 < e.stat().st_size <= PLAN_LIMIT][:OTHERS])


def _texts(folder: str, names: list[str]) -> list[str]:
    texts = []
    for name in names:
        path = os.path.join(folder, name)
        if no_file(path):  # a pipe would keep us waiting
            continue
        with contextlib.suppress(OSError), open(path, errors="replace") as text:
            texts.append(text.read(PLAN_LIMIT))
    return texts


def no_file(path: str) -> str:
    """Say what stands in the place of a plan if it is no file; empty where it is one, or nothing is there."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return ""
    return "" if stat.S_ISREG(mode) else f"its plan is {'a folder' if stat.S_ISDIR(mode) else 'no file'}"
