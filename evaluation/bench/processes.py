"""Processes that run the cells of a comparison on this machine.

Each process runs one cell at a time, and is replaced after :data:`RECYCLED_AFTER` runs or when it holds more
than :data:`MAX_MB` of memory, so that what leaks stays bounded. A process that dies, whatever of, or does not
answer in time costs the run that it had: a row with the ending ``crashed`` or ``timed-out``. Another way of
running cells (a cluster) is another class with ``rows``.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Protocol

from ...domains.errors import GroundplanError, clip
from .comparison import Cell, machine
from .results import RunRow
from .trial import CellRunner

RECYCLED_AFTER = 200
"""Runs after which a process is replaced."""
MAX_MB = 2048
"""Memory of a process, in megabytes, above which it is replaced after its run."""
READY = "ready"
"""The first message of a process."""
START_SECONDS = 300.0
"""Seconds by the clock in which a process has to say that it can begin; loading takes a few."""
GRACE = 5.0
"""Seconds that a process gets to end by itself."""


class Executor(Protocol):
    """A way of running cells, ``jobs`` at the same time."""

    @property
    def jobs(self) -> int: ...

    def machines(self) -> Sequence[Mapping[str, object]]:
        """Return what is known of the machines that cells run on, for the manifest."""
        ...

    def rows(self, trial: CellRunner, cells: Sequence[Cell]) -> Iterator[RunRow]:
        """Run cells and yield a row for each, as they end.

        Raises :class:`InputError` where tools cannot be made, and :class:`GroundplanError` where processes
        cannot begin.
        """
        ...


class Inline:
    """Runs cells in this process, one after the other; a run that crashes takes the comparison with it."""

    jobs = 1

    def machines(self) -> Sequence[Mapping[str, object]]:
        return [machine()]

    def rows(self, trial: CellRunner, cells: Sequence[Cell]) -> Iterator[RunRow]:
        yield from map(trial, cells)


@dataclass
class LocalProcesses:
    """Runs cells in ``jobs`` processes. ``seconds`` is the clock's time for one run, ``None`` for any."""

    jobs: int = 1
    seconds: float | None = None
    recycled_after: int = RECYCLED_AFTER
    max_mb: int = MAX_MB
    start_seconds: float = START_SECONDS

    def rows(self, trial: CellRunner, cells: Sequence[Cell]) -> Iterator[RunRow]:
        left = list(reversed(cells))
        workers: list[RunProcess] = []
        try:
            while left or any(w.cell is not None for w in workers):
                while left and len(workers) < self.jobs:
                    workers.append(RunProcess.start(trial))
                for worker in workers:
                    if worker.cell is None and left:
                        worker.give(left.pop())
                for worker, ended in self.next_ended(workers):
                    row = worker.answer(trial) if ended else worker.late(trial)
                    if self.worn(worker):
                        worker.end()
                        workers.remove(worker)
                    yield row
        finally:
            for worker in workers:
                worker.end()

    def machines(self) -> Sequence[Mapping[str, object]]:
        return [machine()]

    def worn(self, worker: RunProcess) -> bool:
        """Return whether a process is to be replaced."""
        return worker.gone or worker.runs >= self.recycled_after or worker.used_mb > self.max_mb

    def next_ended(self, workers: Sequence[RunProcess]) -> list[tuple[RunProcess, bool]]:
        """Wait until a process has answered or died, or its time is over.

        The time of a run begins when its process can run it; starting one takes a while on a busy machine.
        """
        busy = [w for w in workers if w.cell is not None]
        while True:
            ends = [end for w in busy if (end := self._latest(w)) is not None]
            ready = wait([w.pipe for w in busy], max(0.0, min(ends) - time.monotonic()) if ends else None)
            answered = [(w, True) for w in busy if w.pipe in ready and not w.has_begun()]
            if answered:
                return answered
            if ends and not ready:
                now = time.monotonic()
                return [(w, False) for w in busy if (end := self._latest(w)) is not None and end <= now]

    def _latest(self, worker: RunProcess) -> float | None:
        """Return the time of the clock by which a process has to say something; ``None`` for no limit."""
        allowed = self.seconds if worker.ready else self.start_seconds
        return None if allowed is None else worker.started + allowed


@dataclass(eq=False)
class KeptProcess:
    """One process for runs, started when it is needed and replaced as those of ``processes`` are."""

    trial: CellRunner
    processes: LocalProcesses
    _worker: RunProcess | None = None

    def row(self, cell: Cell) -> RunRow:
        """Run a cell and return its row; as :meth:`LocalProcesses.rows`, one at a time."""
        worker = self._worker = self._worker or RunProcess.start(self.trial)
        spent = True
        try:
            worker.give(cell)
            [(_, ended)] = self.processes.next_ended([worker])
            row = worker.answer(self.trial) if ended else worker.late(self.trial)
            spent = self.processes.worn(worker)
        finally:
            if spent:
                self.end()
        return row

    def kill(self) -> None:
        """End the process at once, from another thread; the run that it has ends as crashed."""
        if self._worker is not None:
            with contextlib.suppress(ValueError):  # it has ended in this moment
                self._worker.process.kill()

    def end(self) -> None:
        """End the process, where there is one."""
        if self._worker is not None:
            self._worker.end()
            self._worker = None


@dataclass(eq=False)
class RunProcess:
    """A process and the cell that it runs."""

    process: BaseProcess
    pipe: Connection[Any, Any]
    cell: Cell | None = None
    started: float = 0.0
    runs: int = 0
    used_mb: int = 0
    ready: bool = False
    gone: bool = False
    _sent: Any = None

    @classmethod
    def start(cls, trial: CellRunner) -> RunProcess:
        # A fresh interpreter: a fork would copy whatever threads and locks this process has.
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(trial, theirs), daemon=False)
        process.start()
        theirs.close()
        return cls(process, ours)

    def give(self, cell: Cell) -> None:
        self.cell, self.started = cell, time.monotonic()
        self.runs += 1
        try:
            self.pipe.send(cell)
        except OSError:  # it died while it was idle: waiting for its answer will say so
            self.gone = True

    def has_begun(self) -> bool:
        """Read what the process sent; return whether it is only that it can begin."""
        try:
            self._sent = self.pipe.recv()
        except (EOFError, OSError):
            self._sent = None
            return False
        if self._sent != READY:
            return False
        self.ready, self.started = True, time.monotonic()
        return True

    def answer(self, trial: CellRunner) -> RunRow:
        """Return the row that the process sent, or that of a run whose process died.

        Raises what the process sent instead of a row.
        """
        cell, seconds = self._taken()
        if self._sent is None:
            if not self.ready:
                raise GroundplanError(
                    "a process for runs ended before it could run anything: see what it printed"
                )
            self.gone = True
            self.process.join(GRACE)
            code = self.process.exitcode
            how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
            return trial.failed(cell, "crashed", f"the process of the run ended with {how}", seconds)
        sent, self.used_mb = self._sent
        if isinstance(sent, GroundplanError):
            raise sent
        row: RunRow = sent
        return row

    def late(self, trial: CellRunner) -> RunRow:
        """Kill the process; return the row of a run that did not end in time.

        Raises :class:`GroundplanError` where the process never said that it could begin: that is no result.
        """
        cell, seconds = self._taken()
        self.gone = True
        self.process.kill()
        if not self.ready:
            raise GroundplanError(f"a process for runs could not begin in {seconds:.0f} s")
        return trial.failed(
            cell, "timed-out", f"no answer in {seconds:.0f} s, so its process was ended", seconds
        )

    def _taken(self) -> tuple[Cell, float]:
        assert self.cell is not None
        cell, self.cell = self.cell, None
        return cell, time.monotonic() - self.started

    def end(self) -> None:
        """End the process: the end of its pipe asks for it, then it is killed."""
        self.pipe.close()
        if self.cell is not None:
            self.process.terminate()
        self.process.join(GRACE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()


def serve(trial: CellRunner, pipe: Connection[Any, Any]) -> None:
    """Run cells that come through a pipe until it is closed: the program of a process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever started this process
    pipe.send(READY)
    while True:
        try:
            cell = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            sent: object = trial(cell)
        except GroundplanError as error:
            sent = GroundplanError(clip(str(error), 2000))
        try:
            pipe.send((sent, resident_mb()))
        except OSError:
            return


def resident_mb() -> int:
    """Return the megabytes of memory that this process holds now; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20
