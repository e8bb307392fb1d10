"""Log of a supervision on disk: reports and answers, from which it goes on after any end.

A report is on the disk before it is answered, and its answer before it is given. A kill at any byte leaves
whole lines and a part of one, which is cut off when the next is written. Resumed, the reports are taken
again: what they are answered now has to be what the log says. The first line names program, scene and
limits, so a log of another one is refused, with what differs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from ...domains.errors import InputError, clip
from ...domains.files import bounded_lines, parse_json
from ...domains.storage.own_file import ClosedAtEnd, OwnFile, is_cut_off, replace_whole
from ..program import Program
from .reports import Advice, RobotReport, read_report
from .supervisor import Supervisor

FORMAT, VERSION = "groundplan-supervision", 1
BEGINS = b'{"format":"groundplan-supervision","version":1,'
"""How a log begins."""
LINE_BEGINS = (b'{"report":', b'{"advice":')
"""How each other line begins."""
MAX_LINE = 16 * 1024 * 1024


class SupervisionLog(ClosedAtEnd):
    """A supervisor whose reports and answers are in a file. Close it, or use it as a context.

    Raises :class:`InputError` for a file that has something and is not to be resumed, is no log of this
    program, or is written to by another process.
    """

    def __init__(self, path: Path, program: Program, resume: bool = False, **limits: int) -> None:
        self._supervisor = Supervisor(program, **limits)
        self._where = clip(str(path), 200)
        start = {"format": FORMAT, "version": VERSION, **_named(program), "limits": limits}
        try:
            if not resume:  # the first line is there whole or not at all
                replace_whole(path, _line(start), may_replace=False)
            self._file = OwnFile(path, (BEGINS,), "a log", make=False)
        except FileExistsError as error:
            hint = "go on from it with --resume, or name another file"
            raise InputError(self._where, "a new file", "one that exists", hint) from error
        except OSError as error:
            raise InputError(self._where, "a log that can be written", error.strerror or "") from error
        with ExitStack() as opening:
            opening.callback(self.close)
            self._take_again(start)
            opening.pop_all()

    def close(self) -> None:
        """Give up the file, and the lock on it."""
        self._file.close()

    @property
    def count(self) -> int:
        """The number of reports that were taken."""
        return self._supervisor.count

    @property
    def last(self) -> Advice | None:
        """The answer to the last report, ``None`` before the first."""
        return self._supervisor.last

    def take(self, report: RobotReport) -> Advice:
        """Take a report, keep it, answer it, and keep the answer. Raises what :class:`Supervisor` does."""
        if self._supervisor.ended is not None:
            return self._supervisor.ended
        self._supervisor.check(report)
        self._keep({"report": report.as_json()})
        advice = self._supervisor.take(report)
        self._keep({"advice": advice.as_json()})
        return advice

    def _take_again(self, start: Mapping[str, object]) -> None:
        """Take the reports of the log again; one without its answer, after a kill, is answered now."""
        given: Advice | None = None
        for number, line in self._lines():
            at = f"{self._where}:{number}"
            if number == 1:
                for name in start:
                    if line.get(name) != start[name]:
                        expected = f"the log of this program, with the {name} {clip(start[name])}"
                        raise InputError(at, expected, clip(line.get(name, "none")))
            elif "report" in line:
                given = self._supervisor.take(read_report(line["report"], at))
            elif given is None or line.get("advice") != json.loads(json.dumps(given.as_json())):
                raise InputError(at, "the answer that follows from the reports", "another one")
            else:
                given = None
        if given is not None:
            self._keep({"advice": given.as_json()})

    def _lines(self) -> Iterator[tuple[int, Mapping[str, object]]]:
        """Yield the whole lines of the log with their numbers, and find where the next one goes."""
        end = 0
        with self._file.read() as file:
            for number, raw in enumerate(bounded_lines(file, self._where, MAX_LINE), 1):
                begins = (BEGINS,) if number == 1 else LINE_BEGINS
                whole = raw.endswith(b"\n")
                if not whole and is_cut_off(raw, *begins):
                    break
                text = raw.decode("ascii", "replace")
                line = parse_json(text, self._where, line=number)
                if not isinstance(line, dict) or not raw.startswith(begins):
                    raise InputError(f"{self._where}:{number}", "a line of a log", clip(text.strip()))
                if not whole:  # all but the end of its line was written
                    break
                end += len(raw)
                yield number, line
        self._file.end = end

    def _keep(self, line: Mapping[str, object]) -> None:
        self._file.append(_line(line))


def _line(line: Mapping[str, object]) -> bytes:
    text = json.dumps(line, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.encode("ascii") + b"\n"


def _named(program: Program) -> dict[str, str]:
    """Return what names a program in its log: the scene first, which says most to people."""
    text = json.dumps(program.as_json(), ensure_ascii=True, sort_keys=True)
    scene = {"scene": program.scene, "scene_hash": program.scene_hash}
    return {**scene, "program": hashlib.sha256(text.encode("ascii")).hexdigest()}
