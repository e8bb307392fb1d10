"""Runs on other machines: the cells of a comparison as futures of a Dask scheduler.

Each thread of a Dask worker runs one cell at a time, in a process of its own beside the worker, as on this
machine: a run that crashes or hangs costs that run and no worker, and engines have their limits there. When a
whole worker is lost, Dask gives its cells to others, and waits for new workers where none is left. Rows come
back to the one process that has the journal.

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
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
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
from .trial import CellRunner

PATIENCE = 120.0
"""Seconds in which the first worker has to be there."""
NANNY = "start them with --no-nanny, or with DASK_DISTRIBUTED__WORKER__DAEMON=False"


@dataclass
class DaskCluster:
    """Runs cells on the workers of a Dask scheduler; connected as long as it is used as a context.

    ``seconds`` is the clock's time for one run, ``None`` for any; ``files`` are what the tools of runs rest
    on, which workers are to have under the same names. Raises :class:`InputError` where there is
    no scheduler at the address, no worker in time, or one with another state of the program.
    """

    address: str
    seconds: float | None = None
    patience: float = PATIENCE
    files: Sequence[Path] = ()

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

    def rows(self, trial: CellRunner, cells: Sequence[Cell]) -> Iterator[RunRow]:
        """Run cells and yield a row for each, as they end.

        Raises :class:`GroundplanError` where a worker cannot run them, or the scheduler is lost.
        """
        if not cells:
            return
        hashes = {str(path): file_hash(path) for path in self.files}
        token = f"groundplan-{uuid.uuid4().hex}"
        shared = Shared(pickle.dumps(trial), trial.comparison.manifest(), hashes, self.seconds)
        self._client.register_plugin(shared, name=token)
        keys = [f"{token}-{i}" for i in range(len(cells))]
        futures = self._client.map(partial(run_cell, token), list(cells), key=keys, pure=False, retries=0)
        cell_of = {str(future.key): cell for future, cell in zip(futures, cells, strict=True)}
        ended = distributed.as_completed(futures)  # type: ignore[no-untyped-call]
        futures.clear()  # what has ended is not to be kept by the scheduler
        try:
            for future in ended:
                yield self._row(future, trial, cell_of.pop(str(future.key)))
        finally:
            with contextlib.suppress(OSError, TimeoutError, RuntimeError):
                self._client.cancel([distributed.Future(key, self._client) for key in cell_of], force=True)
                self._client.unregister_worker_plugin(token)

    def _row(self, future: Any, trial: CellRunner, cell: Cell) -> RunRow:
        """Return the row of a future that has ended, also of one whose workers were all lost."""
        if future.status == "cancelled":
            raise GroundplanError(f"the scheduler {self.address} was lost; the rows until now are kept")
        if future.status == "error":
            error = future.exception()
            if isinstance(error, KilledWorker):
                lost = f"{error.allowed_failures + 1} workers in a row were lost with the run"
                return trial.failed(cell, "crashed", lost, 0.0)
            if isinstance(error, GroundplanError):
                raise error
            raise GroundplanError(f"a worker failed: {clip(f'{type(error).__name__}: {error}', 2000)}")
        row: RunRow = future.result()
        return row

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


@dataclass(eq=False)
class Shared(WorkerPlugin):
    """Common part of cells, which each worker gets once, also a late one: the trial as bytes, its manifest.

    At the end of a comparison its runs end on every worker.
    """

    trial_bytes: bytes
    manifest: Mapping[str, object]
    files: Mapping[str, str]
    seconds: float | None
    processes: dict[int, KeptProcess] = field(default_factory=dict)
    """For each thread of this Dask worker the process that runs its cells."""

    def trial(self) -> CellRunner:
        """Return the runs as this worker loads them. Raises :class:`GroundplanError` for other data."""
        try:
            trial: CellRunner = pickle.loads(self.trial_bytes)
        except (ImportError, AttributeError) as error:
            raise GroundplanError(f"a worker cannot load the methods: {clip(str(error), 500)}") from error
        here, there = (json.loads(json.dumps(m)) for m in (trial.comparison.manifest(), self.manifest))
        files = {name: file_hash(Path(name)) for name in self.files}
        if differing := differences({**there, "files": dict(self.files)}, {**here, "files": files}, ""):
            raise GroundplanError(f"a worker has other data than the manifest: {'; '.join(differing[:5])}")
        return trial

    def teardown(self, worker: distributed.Worker) -> None:
        for process in list(self.processes.values()):
            process.kill()


def run_cell(token: str, cell: Cell) -> RunRow:
    """Run a cell on a Dask worker, beside it. Raises :class:`GroundplanError` where it cannot run any."""
    shared: Any = distributed.get_worker().plugins[token]
    thread = threading.get_ident()
    try:
        if thread not in shared.processes:
            shared.processes[thread] = KeptProcess(shared.trial(), LocalProcesses(1, shared.seconds))
        row: RunRow = shared.processes[thread].row(cell)
        return row
    except GroundplanError as error:  # those of other types do not travel
        raise GroundplanError(clip(str(error), 2000)) from None
