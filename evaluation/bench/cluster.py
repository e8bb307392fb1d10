"""Runs on other machines: the cells of a comparison as futures of a Dask scheduler.

Each thread of a Dask worker runs one cell at a time, in a process of its own beside the worker, as on this
machine: a run that crashes or hangs costs that run and no worker, and engines have their limits there. When a
whole worker is lost, its cells go to others. Rows come back to the one process that has the journal.

Workers are to have the program, the engines, the pack, the scenes and the files that the manifest was written
from; one that differs ends the comparison, and says in what. Dask runs whatever it is sent: a scheduler
belongs in a network of people who trust each other, or behind TLS (``tls://``).
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import pickle
import platform
import queue
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import Any

import distributed
from distributed.diagnostics.plugin import WorkerPlugin
from distributed.scheduler import KilledWorker

from ... import __version__
from ...domains.errors import GroundplanError, InputError, clip
from .comparison import Cell, differences, machine
from .processes import KeptProcess, LocalProcesses
from .program import file_hash, program_hash
from .results import RunRow
from .trial import CellRunner, RestsOnFiles, check_golds

PATIENCE = 120.0
"""Seconds without any worker after which a comparison is ended."""
NANNY = "start them with --no-nanny, or with DASK_DISTRIBUTED__WORKER__DAEMON=False"


@dataclass(frozen=True, slots=True)
class CannotRun:
    """Answer of a worker instead of a row: why it cannot run cells of this comparison at all."""

    reason: str


class DaskCluster:
    """Runs cells on the workers of a Dask scheduler; connected as long as it is used as a context.

    ``seconds`` is the clock's time for one run, ``None`` for any. Raises :class:`InputError` where there is
    no scheduler at the address, no worker in time, or one with another state of the program.
    """

    def __init__(self, address: str, seconds: float | None = None, patience: float = PATIENCE) -> None:
        self.address = address
        self.seconds = seconds
        self.patience = patience
        self._token = f"groundplan-{uuid.uuid4().hex}"

    def __enter__(self) -> DaskCluster:
        expected = "the address of a Dask scheduler"
        try:
            self._client: Any = distributed.Client(  # type: ignore[no-untyped-call]
                self.address, timeout=min(30.0, self.patience)
            )
        except (OSError, ValueError) as error:
            raise InputError("scheduler", expected, clip(self.address), clip(str(error), 200)) from error
        with contextlib.ExitStack() as opening:
            opening.callback(self._client.close)
            try:
                self._client.wait_for_workers(1, timeout=self.patience)
            except TimeoutError as error:
                hint = f"start some with `dask worker {self.address} --no-nanny --nthreads 1`"
                raise InputError("scheduler", "one with workers", "one without", hint) from error
            self._workers = self._installed()
            opening.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close(timeout=10)

    @property
    def jobs(self) -> int:
        """The number of runs at the same time."""
        return max(1, sum(int(count) for count in self._client.nthreads().values()))

    def machines(self) -> Sequence[Mapping[str, object]]:
        """Return what is known of the machines of the workers that there were when it was connected."""
        kinds = {json.dumps(worker["machine"], sort_keys=True): worker["machine"] for worker in self._workers}
        return [kinds[key] for key in sorted(kinds)]

    def begin(self, trial: CellRunner) -> None:
        """Do nothing: workers begin when they are sent runs."""

    def check(self, trial: CellRunner) -> None:
        """Load every task once, here: a worker gets nothing that has a fault."""
        check_golds(trial)

    def end(self) -> None:
        """Do nothing: the connection ends with the context."""

    def rows(self, trial: CellRunner, cells: Sequence[Cell]) -> Iterator[RunRow]:
        """Run cells and yield a row for each, as they end.

        Raises :class:`GroundplanError` where a worker cannot run them, or the cluster is lost.
        """
        if not cells:
            return
        files = trial.make_tools.files() if isinstance(trial.make_tools, RestsOnFiles) else ()
        station = Station(
            self._token,
            pickle.dumps(trial),
            trial.comparison.manifest(),
            {str(path): file_hash(path) for path in files},
            self.seconds,
        )
        self._client.register_plugin(StationPlugin(station), name=self._token)
        ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        futures: dict[str, tuple[Any, Cell]] = {}
        try:
            keys = [f"{self._token}-{i}" for i in range(len(cells))]
            run = partial(run_cell, self._token)
            submitted = self._client.map(run, list(cells), key=keys, pure=False, retries=0)
            for future, cell in zip(submitted, cells, strict=True):
                futures[str(future.key)] = (future, cell)
                future.add_done_callback(ended.put)
            submitted.clear()  # what has ended is not to be kept by the scheduler
            del future
            while futures:
                future = self._next(ended)
                _, cell = futures.pop(str(future.key))
                yield self._row(future, trial, cell)
        finally:
            self._leave([future for future, _ in futures.values()])

    def _next(self, ended: queue.SimpleQueue[Any]) -> Any:
        """Wait for a future that has ended. Raises :class:`GroundplanError` where no worker is left."""
        alone_since = None
        while True:
            try:
                return ended.get(timeout=min(2.0, self.patience))
            except queue.Empty:
                if self._client.scheduler_info(n_workers=-1)["workers"]:
                    alone_since = None
                    continue
                alone_since = alone_since or time.monotonic()
                if time.monotonic() - alone_since > self.patience:
                    message = f"no worker is left at {self.address}; the rows until now are kept"
                    raise GroundplanError(message) from None

    def _row(self, future: Any, trial: CellRunner, cell: Cell) -> RunRow:
        """Return the row of a future that has ended, also of one whose workers were all lost."""
        if future.status == "cancelled":
            raise GroundplanError(f"the scheduler {self.address} was lost; the rows until now are kept")
        if future.status == "error":
            error = future.exception()
            if isinstance(error, KilledWorker):
                lost = f"{error.allowed_failures + 1} workers in a row were lost with the run"
                return trial.failed(cell, "crashed", lost, 0.0)
            raise GroundplanError(f"a worker failed: {clip(f'{type(error).__name__}: {error}', 2000)}")
        answer = future.result()
        if isinstance(answer, CannotRun):
            raise GroundplanError(answer.reason)
        row: RunRow = answer
        return row

    def _leave(self, open_futures: Sequence[Any]) -> None:
        """Give up what is under way, and end the processes beside the workers, as far as these answer."""
        with contextlib.suppress(OSError, TimeoutError, RuntimeError):
            self._client.cancel(list(open_futures), force=True)
            self._client.unregister_worker_plugin(self._token)

    def _installed(self) -> list[Mapping[str, Any]]:
        """Return what each worker has installed. Raises :class:`InputError` where one differs from here."""
        here = installed()
        try:
            there = self._client.run(installed)
        except (ImportError, AttributeError) as error:
            hint = clip(f"{type(error).__name__}: {error}", 200)
            raise InputError(
                "workers", f"groundplan {__version__} on each", "another or none", hint
            ) from error
        for address, worker in sorted(there.items()):
            if worker["daemon"]:
                hint = NANNY
                raise InputError(address, "a worker that may start processes", "one with a nanny", hint)
            ours, theirs = ({key: each[key] for key in OF_WORKERS} for each in (here, worker))
            if differing := differences(ours, theirs, ""):
                hint = "install the same groundplan there as here"
                raise InputError(address, "the program of this process", "; ".join(differing), hint)
        return [worker for _, worker in sorted(there.items())]


OF_WORKERS = ("version", "program", "python")
"""What is compared before anything is sent to a worker."""


def installed() -> dict[str, Any]:
    """Return what this process has installed, and whether it may start others."""
    return {
        "version": __version__,
        "program": program_hash(),
        "python": platform.python_version(),
        "machine": machine(),
        "daemon": multiprocessing.current_process().daemon,
    }


@dataclass
class Station:
    """Place of one comparison on a Dask worker: how its cells are run, and the processes that run them."""

    token: str
    trial_bytes: bytes
    manifest: Mapping[str, object]
    files: Mapping[str, str]
    seconds: float | None
    _processes: list[KeptProcess] = field(default_factory=list)
    _idle: list[KeptProcess] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _closed: bool = False

    @cached_property
    def trial(self) -> CellRunner:
        """The runs as this worker loads them. Raises :class:`GroundplanError` where it has other data."""
        try:
            trial: CellRunner = pickle.loads(self.trial_bytes)
        except (ImportError, AttributeError) as error:
            raise GroundplanError(f"a worker cannot load the methods: {clip(str(error), 500)}") from error
        here, there = (json.loads(json.dumps(m)) for m in (trial.comparison.manifest(), self.manifest))
        files = {name: file_hash(Path(name)) for name in self.files}
        if differing := differences({**there, "files": dict(self.files)}, {**here, "files": files}, ""):
            raise GroundplanError(f"a worker has other data than the manifest: {'; '.join(differing[:5])}")
        return trial

    def row(self, cell: Cell) -> RunRow:
        """Run a cell in a process that is free, or a new one. Raises :class:`GroundplanError`."""
        with self._lock:
            trial = self.trial
            if not self._idle:
                self._idle.append(KeptProcess(trial, LocalProcesses(1, self.seconds)))
                self._processes += self._idle
            process = self._idle.pop()
        try:
            return process.row(cell)
        finally:
            with self._lock:
                self._idle.append(process)
                if self._closed:
                    self._end_idle()

    def rest(self) -> None:
        """End the processes that run nothing now; they are started again when they are needed."""
        with self._lock:
            self._end_idle()

    def close(self) -> None:
        """End all processes; what they run is given up."""
        with self._lock:
            self._closed = True
            for process in self._processes:
                process.kill()
            self._end_idle()

    def _end_idle(self) -> None:
        for process in self._idle:
            process.end()
            self._processes.remove(process)
        self._idle.clear()

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: getattr(self, name) for name in ("token", "trial_bytes", "manifest", "files", "seconds")
        }

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]


_stations: dict[str, Station] = {}
"""The comparisons that this Dask worker takes part in."""


class StationPlugin(WorkerPlugin):
    """Puts a station on every worker, also on those that come later, and takes it away at the end."""

    def __init__(self, station: Station) -> None:
        self.station = station

    def setup(self, worker: distributed.Worker) -> None:
        for other in _stations.values():  # of a client that was killed, say
            other.rest()
        _stations[self.station.token] = self.station

    def teardown(self, worker: distributed.Worker) -> None:
        if (station := _stations.pop(self.station.token, None)) is not None:
            station.close()


def run_cell(token: str, cell: Cell) -> RunRow | CannotRun:
    """Run a cell on the Dask worker that this is called on."""
    try:
        return _stations[token].row(cell)
    except GroundplanError as error:
        return CannotRun(clip(str(error), 2000))
