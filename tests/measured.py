"""The command line in a process of its own, with the memory and processor time that it took.

A small process starts it and waits for it. Started by the tests themselves it would be charged with their
memory: what the kernel calls the largest resident size begins with that of the process that was copied.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

_START = """
import json, os, resource, signal, sys
report, seconds, *command = sys.argv[1:]
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))  # whoever fails spares the machine
    os.execv(command[0], command)
hung = []
def end(*_):
    hung.append(True)
    os.kill(child, signal.SIGKILL)
signal.signal(signal.SIGALRM, end)
signal.alarm(int(seconds))
_, status, used = os.wait4(child, 0)
try:
    os.killpg(child, signal.SIGKILL)
except OSError:
    pass
code = os.waitstatus_to_exitcode(status)
with open(report, "w") as file:
    json.dump([code, bool(hung), used.ru_maxrss, used.ru_utime + used.ru_stime], file)
"""


@dataclass(frozen=True)
class Measured:
    """Exit code and output of a run; ``memory`` in MB is its resident size, ``seconds`` are of the CPU."""

    code: int
    hung: bool
    memory: float
    seconds: float
    out: str
    err: str


def measure(
    arguments: Sequence[object],
    folder: Path,
    environment: Mapping[str, str] | None = None,
    hang: int = 110,
) -> Measured:
    """Run `groundplan` with some arguments in a folder; one that takes ``hang`` seconds is ended."""
    with TemporaryDirectory() as beside:
        report, out, err = (Path(beside) / name for name in ("report", "out", "err"))
        with out.open("wb") as out_file, err.open("wb") as err_file:
            program = [sys.executable, "-P", "-m", "groundplan", *map(str, arguments)]
            subprocess.run(
                [sys.executable, "-I", "-S", "-c", _START, str(report), str(hang), *program],
                cwd=folder,
                env={k: v for k, v in os.environ.items() if k != "GROUNDPLAN_TRACEBACK"}
                | (environment or {}),
                stdin=subprocess.DEVNULL,
                stdout=out_file,
                stderr=err_file,
                check=True,
            )
        code, hung, kilobytes, seconds = json.loads(report.read_text())
        texts = (file.read_text(errors="replace")[:100_000] for file in (out, err))
        return Measured(code, hung, kilobytes / 1024, seconds, *texts)
