"""`groundplan monitor`: reports of a robot in, what it has to do next out, a line of JSON each.

The work is done by ``robot.supervision``; here are the options, standard input and the socket.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import BinaryIO

import click

from ..domains.errors import InputError, clip
from ..domains.files import parse_json
from ..robot.reading import read_program
from ..robot.supervision import Advice, RobotReport, SupervisionLog, Supervisor, read_report
from ..robot.supervision.supervisor import TRIES
from .options import read_text

_FILE = click.Path(path_type=Path)
MAX_LINE = 16 * 1024 * 1024
"""Most bytes of a report."""


@click.command(name="monitor")
@click.argument("program")
@click.option("--log", type=_FILE, metavar="FILE", help="Keep reports and answers in a new file.")
@click.option("--resume", is_flag=True, help="Go on from the log in the file of --log.")
@click.option(
    "--socket", "place", metavar="PATH", help="Listen on a new Unix socket instead of standard input."
)
@click.option(
    "--tries", type=click.IntRange(1, 1000), default=TRIES, help=f"How often a command may fail ({TRIES})."
)
def command(program: str, log: Path | None, resume: bool, place: str | None, tries: int) -> None:
    """Say what a robot that carries a PROGRAM out has to do next.

    PROGRAM is program.json of `plan --out`, made for a goal; no scene, pack or planner is needed. Each line
    that is read is a report, such as {"facts": {"(open fridge)": true}, "command": 7, "status": "done"}; {}
    asks for the first command. Each is answered by a line: continue with the command that is due, retry,
    replan with what is known of the state, or stop. Only a stop with done true says that the goal is reached:
    each fact that it rests on was observed. A line that is no report is answered with an error and changes
    nothing. With --log a run that was killed goes on with --resume. Exit codes: 0 the goal is reached, 1 it
    is not, 2 bad input.
    """
    if resume and log is None:
        raise click.UsageError("--resume goes on from the log that --log names")
    if program == "-" and place is None:
        raise click.UsageError(
            "reports come from standard input: name the file of the program, or use --socket"
        )
    read = read_program(read_text(program), "standard input" if program == "-" else program)
    with ExitStack() as keep:
        supervisor: Supervisor | SupervisionLog = Supervisor(read, tries)
        if log is not None:
            supervisor = keep.enter_context(SupervisionLog(log, read, resume, tries=tries))
        monitor = _Monitor(supervisor)
        if place is None:
            reader = sys.stdin.buffer if sys.stdin is not None else None
            if reader is not None:
                monitor.serve(reader, lambda line: click.echo(line))
        else:
            _listen(Path(place), monitor)
    raise click.exceptions.Exit(0 if monitor.last is not None and monitor.last.done else 1)


class _Monitor:
    """A supervisor that is read lines of reports, and gives lines of answers."""

    def __init__(self, supervisor: Supervisor | SupervisionLog) -> None:
        self._supervisor = supervisor
        self._count, self.last = supervisor.count, supervisor.last

    @property
    def ended(self) -> bool:
        return self.last is not None and self.last.word in ("replan", "stop")

    def serve(self, reader: BinaryIO, answer: Callable[[str], None]) -> None:
        """Answer the lines of one reader until it ends, or there is nothing more to say."""
        if self.last is not None:  # it goes on from a log, or for another client
            answer(self._line(self.last))
        while not self.ended and (line := reader.readline(MAX_LINE + 1)):
            try:
                report = self._report(line)
                self.last = self._supervisor.take(report)
            except InputError as error:
                answer(json.dumps({"report": self._count, "error": str(error)}))
                continue
            self._count += 1
            answer(self._line(self.last))

    def _line(self, advice: Advice) -> str:
        return json.dumps({"report": self._count, **advice.as_json()}, ensure_ascii=True)

    def _report(self, line: bytes) -> RobotReport:
        where = f"report {self._count + 1}"
        if len(line) > MAX_LINE:
            raise InputError(where, f"at most {MAX_LINE} bytes", "more")
        return read_report(parse_json(line.decode("utf-8", "replace"), where, unique=True), where)


def _listen(place: Path, monitor: _Monitor) -> None:
    """Answer one client after another on a socket that only this user can open; it is removed at the end."""
    where = clip(str(place), 200)
    with socket.socket(socket.AF_UNIX) as server:
        before = os.umask(0o177)
        try:
            server.bind(os.fspath(place))
        except (OSError, ValueError) as error:
            raise InputError(where, "the name of a new socket", clip(str(error))) from error
        finally:
            os.umask(before)
        try:
            server.listen(1)
            while not monitor.ended:
                client, _ = server.accept()
                with client, client.makefile("rb") as reader, suppress(BrokenPipeError, ConnectionResetError):
                    monitor.serve(reader, lambda line: client.sendall(line.encode("ascii") + b"\n"))  # noqa: B023
        finally:
            with suppress(OSError):
                place.unlink()
