"""Processes that run the cells of a comparison on this machine.

Each process runs one cell at a time, and is replaced after :data:`RECYCLED_AFTER` runs or when it holds more
than :data:`MAX_MB` of memory, so that what leaks stays bounded. A process that dies, whatever of, or does not
answer in time costs the run that it had: a row with the ending ``crashed`` or ``timed-out``. A thread waits
for each process, here and on the workers of a cluster. Another way of running cells is another class with
``rows``.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
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
BEGUN, READY = "begun", "ready"
"""The first messages of a process: it takes what it is to run, and it can run it."""
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


@dataclass(frozen=True)
class LocalProcesses:
    """Runs cells in ``jobs`` processes. ``seconds`` is the clock's time for one run, ``None`` for any."""

    jobs: int = 1
    seconds: float | None = None
    recycled_after: int = RECYCLED_AFTER
    max_mb: int = MAX_MB
    start_seconds: float = START_SECONDS

    def machines(self) -> Sequence[Mapping[str, object]]:
        return [machine()]

    def rows(self, trial: CellRunner, cells: Sequence[Cell]) -> Iterator[RunRow]:
        own = threading.local()
        begun: list[KeptProcess] = []

        def run(cell: Cell) -> RunRow:
            if not hasattr(own, "process"):
                own.process = KeptProcess(replace(trial), self)
                begun.append(own.process)
            row: RunRow = own.process.row(cell)
            return row

        threads = ThreadPoolExecutor(self.jobs)
        try:
            waiting = {threads.submit(run, cell) for cell in cells}
            for future in as_completed(waiting):
                waiting.discard(future)
                yield future.result()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            for process in begun if waiting else ():
                process.kill()
            threads.shutdown()
            for end in (KeptProcess.leave, KeptProcess.end):  # they end at the same time
                for process in begun:
                    end(process)


@dataclass(eq=False)
class KeptProcess:
    """One process for runs, started when it is needed, and replaced as ``limits`` say.

    It gets its trial when it has begun: who starts it would wait for it otherwise, since a trial of many
    tasks is more than a pipe holds.
    """

    trial: CellRunner = field(repr=False)
    limits: LocalProcesses
    _process: BaseProcess | None = None
    _pipe: Connection[Any, Any] = field(init=False)
    _runs: int = 0
    _killed: bool = False

    def row(self, cell: Cell) -> RunRow:
        """Run a cell and return its row; its time begins when the process can run it.

        Raises what the process sent instead of a row, and :class:`GroundplanError` where it cannot begin.
        """
        process = self._process if self._process is not None else self._started()
        started, spent = time.monotonic(), True
        self._runs += 1
        try:
            sent = self._answer(cell, self.limits.seconds)
            seconds = time.monotonic() - started
            if sent is TimeoutError:
                process.kill()
                reason = f"no answer in {seconds:.0f} s, so its process was ended"
                return self.trial.failed(cell, "timed-out", reason, seconds)
            if sent is None:
                process.join(GRACE)
                code = process.exitcode
                how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
                reason = f"the process of the run ended with {how}"
                return self.trial.failed(cell, "crashed", reason, seconds)
            row, used_mb = sent
            spent = self._runs >= self.limits.recycled_after or used_mb > self.limits.max_mb
        finally:
            if spent:
                self.end()
        if isinstance(row, GroundplanError):
            raise row
        made: RunRow = row
        return made

    def _started(self) -> BaseProcess:
        """Start a process that can run cells. Raises :class:`GroundplanError` where it does not say so."""
        # A fresh interpreter: a fork would copy whatever threads and locks this process has.
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs,), daemon=False)
        process.start()
        theirs.close()
        self._process, self._runs = process, 0
        if self._killed:
            process.kill()
        for expected, answer in ((BEGUN, None), (READY, self.trial)):
            sent = self._answer(answer, self.limits.start_seconds)
            if sent != expected:
                process.kill()
                self.end()
                if sent is TimeoutError:
                    seconds = self.limits.start_seconds
                    raise GroundplanError(f"a process for runs could not begin in {seconds:.0f} s")
                raise GroundplanError(
                    "a process for runs ended before it could run anything: see what it printed"
                )
        return process

    def _answer(self, what: object, seconds: float | None) -> Any:
        """Send something, and return what is answered.

        It is ``None`` where the process has died, and ``TimeoutError`` where it says nothing in time.
        """
        try:
            if what is not None:
                self._pipe.send(what)
            return self._pipe.recv() if self._pipe.poll(seconds) else TimeoutError
        except (EOFError, OSError):
            return None

    def kill(self) -> None:
        """End the process at once, from another thread; the run that it has ends as crashed."""
        self._killed = True
        if (process := self._process) is not None:
            with contextlib.suppress(ValueError):  # it has ended in this moment
                process.kill()

    def leave(self) -> None:
        """Let the process end, where there is one."""
        if self._process is not None:
            self._pipe.close()

    def end(self) -> None:
        """End the process, where there is one, by force where it does not go by itself."""
        self.leave()
        process, self._process = self._process, None
        if process is not None:
            process.join(GRACE)
            if process.is_alive():
                process.kill()
                process.join()
            process.close()


def serve(pipe: Connection[Any, Any]) -> None:
    """Take a trial, then cells to run, through a pipe until it is closed: the program of a process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever started this process
    try:
        pipe.send(BEGUN)
        trial: CellRunner = pipe.recv()
        pipe.send(READY)
        while True:
            cell = pipe.recv()
            try:
                sent: object = trial(cell)
            except GroundplanError as error:
                sent = GroundplanError(clip(str(error), 2000))
            pipe.send((sent, resident_mb()))
    except (EOFError, OSError):
        return


def resident_mb() -> int:
    """Return the megabytes of memory that this process holds now; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20
