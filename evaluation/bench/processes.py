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
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, NoReturn, Protocol, cast

from ...domains.errors import GroundplanError, clip
from .comparison import Cell, machine
from .results import RunRow
from .trial import CellRunner, check_golds

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

    def begin(self, trial: CellRunner) -> None:
        """Begin to load every task; what the caller does then goes on at the same time."""
        ...

    def check(self, trial: CellRunner) -> None:
        """Wait until every task was loaded once, so that a fault of a scene or gold shows before any run.

        Raises :class:`InputError` for the first task at fault, and :class:`GroundplanError` where processes
        cannot begin.
        """
        ...

    def rows(self, trial: CellRunner, cells: Sequence[Cell]) -> Iterator[RunRow]:
        """Run cells and yield a row for each, as they end.

        Raises :class:`InputError` where tools cannot be made, and :class:`GroundplanError` where processes
        cannot begin.
        """
        ...

    def end(self) -> None:
        """Let go of what ``begin`` began, where no rows were asked for."""
        ...


class Inline:
    """Runs cells in this process, one after the other; a run that crashes takes the comparison with it."""

    jobs = 1

    def machines(self) -> Sequence[Mapping[str, object]]:
        return [machine()]

    def begin(self, trial: CellRunner) -> None:
        pass

    def check(self, trial: CellRunner) -> None:
        check_golds(trial)

    def rows(self, trial: CellRunner, cells: Sequence[Cell]) -> Iterator[RunRow]:
        yield from map(trial, cells)

    def end(self) -> None:
        pass


@dataclass
class LocalProcesses:
    """Runs cells in ``jobs`` processes. ``seconds`` is the clock's time for one run, ``None`` for any."""

    jobs: int = 1
    seconds: float | None = None
    recycled_after: int = RECYCLED_AFTER
    max_mb: int = MAX_MB
    start_seconds: float = START_SECONDS

    _begun: list[RunProcess] = field(default_factory=list, repr=False)

    def begin(self, trial: CellRunner) -> None:
        """Load every task in the processes that make the runs: in this one, they would wait for it."""
        names = _names(trial)
        self._begun = [RunProcess.start(trial) for _ in range(min(self.jobs, len(names)))]
        for place, worker in enumerate(self._begun):
            worker.give(names[place :: len(self._begun)])

    def check(self, trial: CellRunner) -> None:
        faults: set[str] = set()
        while waiting := [worker for worker in self._begun if worker.task is not None]:
            for worker, ended in self.next_ended(waiting):
                faults.update(worker.faults() if ended else worker.unready())
        for name in _names(trial):
            if name in faults:
                trial.check(name)
                raise GroundplanError(f"{name} is at fault in the processes of runs, and not in this one")

    def rows(self, trial: CellRunner, cells: Sequence[Cell]) -> Iterator[RunRow]:
        left = list(reversed(cells))
        workers, self._begun = self._begun, []
        leaving: list[RunProcess] = []
        try:
            while left or any(w.task is not None for w in workers):
                self._give(left, workers, trial)
                for worker, ended in self.next_ended(workers):
                    row = worker.answer(trial) if ended else worker.late(trial)
                    if self.worn(worker):  # waiting until it is gone would keep the others waiting
                        workers.remove(worker)
                        worker.leave()
                        leaving.append(worker)
                    # Keeping a row takes a while: until it is on the disk, the next run is under way.
                    self._give(left, workers, trial)
                    while leaving and (len(leaving) > self.jobs or not leaving[0].process.is_alive()):
                        leaving.pop(0).end()
                    yield row
        finally:
            end_all([*workers, *leaving])

    def end(self) -> None:
        end_all(self._begun)
        self._begun = []

    def _give(self, left: list[Cell], workers: list[RunProcess], trial: CellRunner) -> None:
        """Give a cell to each process that has none, and start those that are missing."""
        while left and len(workers) < self.jobs:
            workers.append(RunProcess.start(trial))
        for worker in workers:
            if worker.task is None and left:
                worker.give(left.pop())

    def machines(self) -> Sequence[Mapping[str, object]]:
        return [machine()]

    def worn(self, worker: RunProcess) -> bool:
        """Return whether a process is to be replaced."""
        return worker.gone or worker.runs >= self.recycled_after or worker.used_mb > self.max_mb

    def next_ended(self, workers: Sequence[RunProcess]) -> list[tuple[RunProcess, bool]]:
        """Wait until a process has answered or died, or its time is over.

        The time of a run begins when its process can run it; starting one takes a while on a busy machine.
        """
        busy = [w for w in workers if w.task is not None]
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
        allowed: float | None = self.start_seconds
        if worker.ready:
            allowed = self.seconds if isinstance(worker.task, Cell) else None
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
    """A process and what it does: the cell that it runs, or the names of tasks that it loads.

    It gets its trial when it has begun: who starts it would wait for it otherwise, and all others with it,
    since a trial of many tasks is more than a pipe holds.
    """

    process: BaseProcess
    pipe: Connection[Any, Any]
    trial: CellRunner = field(repr=False)
    task: Cell | tuple[str, ...] | None = None
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
        process = context.Process(target=serve, args=(theirs,), daemon=False)
        process.start()
        theirs.close()
        return cls(process, ours, trial)

    def give(self, task: Cell | tuple[str, ...]) -> None:
        self.task, self.started = task, time.monotonic()
        self.runs += isinstance(task, Cell)
        if self.ready:
            self._send(task)

    def has_begun(self) -> bool:
        """Read what the process sent; return whether it is only that it begins, and give it what it needs."""
        try:
            self._sent = self.pipe.recv()
        except (EOFError, OSError):
            self._sent = None
            return False
        if self._sent == BEGUN:
            self._send(self.trial)
            return True
        if self._sent != READY:
            return False
        self.ready, self.started = True, time.monotonic()
        if self.task is not None:
            self._send(self.task)
        return True

    def _send(self, what: object) -> None:
        try:
            self.pipe.send(what)
        except OSError:  # it has died: waiting for its answer will say so
            self.gone = True

    def answer(self, trial: CellRunner) -> RunRow:
        """Return the row that the process sent, or that of a run whose process died.

        Raises what the process sent instead of a row.
        """
        cell, seconds = self._taken()
        assert isinstance(cell, Cell)
        if self._sent is None:
            self._raise_if_never_ready()
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

    def faults(self) -> Sequence[str]:
        """Return the names of the loaded tasks that are at fault.

        Raises :class:`GroundplanError` where the process died, or could not begin.
        """
        self._taken()
        if self._sent is None:
            self._raise_if_never_ready()
            raise GroundplanError("a process ended while it loaded the scenes of tasks: see what it printed")
        faults, self.used_mb = self._sent
        return cast(Sequence[str], faults)

    def late(self, trial: CellRunner) -> RunRow:
        """Kill the process; return the row of a run that did not end in time.

        Raises :class:`GroundplanError` where the process never said that it could begin: that is no result.
        """
        if not self.ready:
            self.unready()
        cell, seconds = self._taken()
        assert isinstance(cell, Cell)
        self.gone = True
        self.process.kill()
        return trial.failed(
            cell, "timed-out", f"no answer in {seconds:.0f} s, so its process was ended", seconds
        )

    def unready(self) -> NoReturn:
        """Kill the process, which did not say in time that it could begin.

        Raises :class:`GroundplanError`.
        """
        _, seconds = self._taken()
        self.gone = True
        self.process.kill()
        raise GroundplanError(f"a process for runs could not begin in {seconds:.0f} s")

    def _raise_if_never_ready(self) -> None:
        if not self.ready:
            raise GroundplanError(
                "a process for runs ended before it could run anything: see what it printed"
            )

    def _taken(self) -> tuple[Cell | tuple[str, ...], float]:
        assert self.task is not None
        task, self.task = self.task, None
        return task, time.monotonic() - self.started

    def leave(self) -> None:
        """Ask the process to end: by the end of its pipe, or at once where it does something."""
        self.pipe.close()
        if self.task is not None:
            self.process.terminate()

    def end(self) -> None:
        """End the process, by force where it does not go by itself."""
        self.leave()
        self.process.join(GRACE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()


def _names(trial: CellRunner) -> tuple[str, ...]:
    return tuple(task.id for task in trial.comparison.tasks)


def end_all(workers: Sequence[RunProcess]) -> None:
    """End processes, all at the same time."""
    for worker in workers:
        worker.leave()
    for worker in workers:
        worker.end()


def serve(pipe: Connection[Any, Any]) -> None:
    """Take a trial, then cells to run, through a pipe until it is closed: the program of a process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever started this process
    try:
        pipe.send(BEGUN)
        trial: CellRunner = pipe.recv()
        pipe.send(READY)
    except (EOFError, OSError):
        return
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            sent: object = trial(task) if isinstance(task, Cell) else at_fault(trial, task)
        except GroundplanError as error:
            sent = GroundplanError(clip(str(error), 2000))
        try:
            pipe.send((sent, resident_mb()))
        except OSError:
            return


def at_fault(trial: CellRunner, names: Sequence[str]) -> list[str]:
    """Load tasks; return the names of those that cannot be, or whose gold does not fit."""
    faults = []
    for name in names:
        try:
            trial.check(name)
        except GroundplanError:  # whoever asked loads it again, and gets the error as it is
            faults.append(name)
    return faults


def resident_mb() -> int:
    """Return the megabytes of memory that this process holds now; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20
