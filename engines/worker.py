"""The worker: engines in another process, ready before they are needed, with limits that hold.

`Worker.run` sends jobs to the program `programs/server.py` and returns a `JobResult` for each one. The
program is started on first use and kept; a call costs about 3 ms more than the work itself. The constants may
be tuned. Must stay: no engine (GPL) is imported by this process; a program that dies or stops answering is
killed with everything below it, its open jobs count as lost, and the next call starts a new one; an exception
in the caller (Ctrl-C) ends it too; engines see a few variables of the environment and no keys, nor in
``/proc``.

One lock around a call: threads take turns. A forked copy of the caller's process gets a worker of its own.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from ..domains.ending import Ending
from .programs import server as wire
from .programs.processes import end_tree

PROGRAMS = Path(__file__).with_name("programs")
GRACE = 3.0  # seconds after a deadline in which the worker kills, waits and answers
WINDOW = 4  # jobs sent ahead; the worker runs PARALLEL of them at the same time
PARALLEL = 2
_SIGNALS = {one.value: one.name for one in signal.Signals} | {signal.SIGXFSZ: "SIGXFSZ (too large a file)"}
_PASSED_ON = frozenset("PATH HOME LANG TZ TMPDIR LD_LIBRARY_PATH JAVA_HOME".split())


@dataclass(frozen=True, slots=True)
class Job:
    """A job for the worker: a program file, its input, and its limits.

    `foreign` jobs start threads or other programs: they get a limit on the memory that all their processes
    hold together instead of one on address space, and processor time for every core.
    """

    module: Path
    request: dict[str, Any]
    memory_mb: int
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class JobResult:
    """Facts about a job that has ended, not yet an ending."""

    exit: int | None = None
    signal: int | None = None
    killed: str | None = (
        None  # "deadline", "memory", its files, "too much output", "worker died", "worker silent"
    )
    missing: str | None = None  # the import that failed
    result: str = ""
    output: str = ""
    peak_mb: int = 0
    seconds: float = 0.0

    def failure(self, memory_mb: int) -> tuple[Ending, str] | None:
        """The ending and the reason where the job did not finish by itself; `None` where it did."""
        match self:
            case JobResult(missing=str(what)):
                return Ending.UNSUPPORTED, f"not installed: {what}"
            case JobResult(killed="deadline"):
                return Ending.TIMED_OUT, "stopped at its time limit"
            case JobResult(killed="memory"):
                return Ending.OUT_OF_MEMORY, f"stopped at its memory limit of {memory_mb} MB"
            case JobResult(killed=str(why)):
                return Ending.CRASHED, why
            case JobResult(signal=int(number)) if number == signal.SIGXCPU:
                return Ending.TIMED_OUT, "stopped at its limit of processor time"
            case JobResult(exit=wire.OUT_OF_MEMORY):
                return Ending.OUT_OF_MEMORY, f"stopped at its memory limit of {memory_mb} MB"
            case JobResult(signal=int(number)):
                name = _SIGNALS.get(number, f"signal {number}")
                if self.peak_mb >= 0.8 * memory_mb:  # some programs do not survive a refused allocation
                    return Ending.OUT_OF_MEMORY, f"{name} at {self.peak_mb} of {memory_mb} MB"
                return Ending.CRASHED, f"ended by {name}"
            case _:
                return None

    def unanswered(self, memory_mb: int, reply: Mapping[str, Any], *keys: str) -> tuple[Ending, str] | None:
        """The ending and the reason of a job that failed, or whose reply has none of some keys."""
        output = last_lines(self.output)
        if failure := self.failure(memory_mb):
            return failure[0], f"{failure[1]}\n{output}".strip()
        if not reply.keys().isdisjoint(keys):
            return None
        ending = Ending.UNSUPPORTED if self.exit == wire.UNSUPPORTED else Ending.CRASHED
        return ending, last_lines(reply.get("detail", "")) or f"exit code {self.exit}\n{output}".strip()


@dataclass(slots=True)
class _Program:
    """The running program and what has been read from it."""

    process: subprocess.Popen[bytes]
    errors: IO[bytes]
    scratch: str
    owner: int
    incoming: bytearray = field(default_factory=bytearray)

    @property
    def requests(self) -> int:
        assert self.process.stdin is not None
        return self.process.stdin.fileno()

    @property
    def answers(self) -> int:
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def stderr_tail(self) -> str:
        self.errors.seek(0)
        return self.errors.read()[-1000:].decode(errors="replace").strip()

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def _end(program: _Program, patience: float = 1.0) -> None:
    """End the program and everything below it; the end of its input asks politely."""
    if program.owner != os.getpid():  # inherited by a fork: not ours to end, only to close
        program.close()
        return
    program.close()
    try:
        program.process.wait(patience)
    except subprocess.TimeoutExpired:
        end_tree(program.process.pid)
        program.process.wait()
    shutil.rmtree(program.scratch, ignore_errors=True)


def _environment(more: frozenset[str] = frozenset()) -> dict[str, str]:
    """The variables that engines get: those that programs need to be found and to run, and no keys.

    A list of what may pass, because nobody can list all names under which users keep secrets; ``more`` are
    those that the user names.
    """
    names = _PASSED_ON | more
    passed_on = {n: v for n, v in os.environ.items() if n in names or n.startswith("LC_")}
    # A fixed hash seed: engines iterate over sets, and the same task must give the same plan.
    return passed_on | {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def hide_environment(shown: frozenset[str]) -> None:
    """Overwrite the variables with which this process began, but for some, where other processes read them.

    A program may read ``/proc`` of the process above it, whatever its own environment is. Each variable
    keeps its value, in a copy elsewhere.
    """
    if sys.platform != "linux":
        return
    library = ctypes.CDLL(None)
    library.getenv.restype = ctypes.c_void_p
    for name, value in os.environb.items():
        if os.fsdecode(name) in shown or not value:
            continue
        first = library.getenv(name)
        os.environb[name] = value
        if first is not None and library.getenv(name) != first:
            ctypes.memset(first, 0, len(value))


class _Lost(Exception):
    """The program died or stopped answering."""


class Worker:
    """A program that runs jobs, ``parallel`` at a time; it passes on the variables ``passed_on``, too."""

    def __init__(self, parallel: int = PARALLEL, passed_on: Iterable[str] = ()) -> None:
        self._parallel, self._passed_on = parallel, frozenset(passed_on)
        self._lock = threading.Lock()
        self._program: _Program | None = None
        self._finalizer: weakref.finalize[..., Worker] | None = None  # also runs at exit
        _WORKERS.add(self)

    def run(self, jobs: Sequence[Job], seconds: float) -> list[JobResult]:
        """Run jobs in their order; their results, in the same order. The seconds are for all together."""
        deadline = time.monotonic() + seconds
        if not self._lock.acquire(timeout=min(seconds, threading.TIMEOUT_MAX)):
            return [JobResult(killed="deadline") for _ in jobs]
        finished = False
        try:
            results = self._exchange(self._ready(), jobs, deadline)
            finished = True
            return results
        finally:
            if not finished:
                self._drop()
            self._lock.release()

    def close(self) -> None:
        with self._lock:
            self._drop()

    def forget(self) -> None:
        """Close this end of the program in a forked copy of the caller's process: the parent keeps it."""
        self._lock = threading.Lock()
        self._drop()

    @property
    def parallel(self) -> int:
        """Jobs that run at the same time."""
        return self._parallel

    @property
    def pid(self) -> int | None:
        """The program's process id while it runs."""
        return None if self._program is None else self._program.process.pid

    def _ready(self) -> _Program:
        program = self._program
        if program is not None and program.owner == os.getpid() and program.process.poll() is None:
            return program
        self._drop()
        self._program = program = self._start()
        self._finalizer = weakref.finalize(self, _end, program)
        return program

    def _start(self) -> _Program:
        own_root = Path(__file__).resolve().parents[1]  # its folders must not pass for packages of that name
        path = [
            entry
            for entry in sys.path
            if entry and os.path.isdir(entry) and Path(entry).resolve() != own_root
        ]
        scratch = os.path.join(tempfile.gettempdir(), f"groundplan-{os.getpid()}-{os.urandom(6).hex()}")
        hide_environment(_PASSED_ON | self._passed_on)
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the program
        process = subprocess.Popen(
            [sys.executable, "-P", "-s", "-S", "-c", wire.COMMAND, str(PROGRAMS), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=_environment(self._passed_on),
            cwd="/",
            start_new_session=True,  # Ctrl-C is for us; we stop the worker
            bufsize=0,
        )
        program = _Program(process, errors, scratch, os.getpid())
        for fd in (program.requests, program.answers):
            os.set_blocking(fd, False)
        setup = {"path": path, "scratch": scratch, "parallel": self._parallel}
        self._program = program
        self._send_all(program, wire.frame({"setup": setup}))
        return program

    def _send_all(self, program: _Program, data: bytes) -> None:
        """Send a small message, which the pipe takes at once unless the program is stuck."""
        try:
            sent = os.write(program.requests, data)
        except OSError as error:
            raise _Lost(str(error)) from error
        if sent != len(data):
            raise _Lost("the worker does not read")

    def _drop(self) -> None:
        if self._finalizer is not None:
            self._finalizer.detach()
            self._finalizer = None
        if self._program is not None:
            program, self._program = self._program, None
            _end(program)

    def _exchange(self, program: _Program, jobs: Sequence[Job], deadline: float) -> list[JobResult]:
        results: dict[int, JobResult] = {}
        waiting: set[int] = set()
        outgoing = bytearray()
        following = 0
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(program.answers, selectors.EVENT_READ)
                while len(results) < len(jobs):
                    while following < len(jobs) and len(waiting) < WINDOW:
                        left = deadline - time.monotonic()
                        if left > 0:
                            outgoing += _encode(following, jobs[following], left)
                            waiting.add(following)
                        else:
                            results[following] = JobResult(killed="deadline")
                        following += 1
                    if waiting:
                        news = self._pump(program, selector, outgoing, deadline + GRACE)
                        results |= news
                        waiting -= news.keys()
        except _Lost as lost:
            errors = program.stderr_tail()
            self._drop()
            why = f"{lost}: {errors}" if errors else str(lost)
            results |= {i: JobResult(killed=why) for i in range(len(jobs)) if i not in results}
        return [results[i] for i in range(len(jobs))]

    def _pump(
        self, program: _Program, selector: selectors.BaseSelector, outgoing: bytearray, latest: float
    ) -> dict[int, JobResult]:
        """Wait until something can be written or read, do it once, and return the results that came."""
        writing = program.requests in selector.get_map()
        if outgoing and not writing:
            selector.register(program.requests, selectors.EVENT_WRITE)
        elif writing and not outgoing:
            selector.unregister(program.requests)
        events = selector.select(max(0.0, latest - time.monotonic()))
        if not events:
            raise _Lost("the worker does not answer")
        for key, _ in events:
            try:
                if key.fd == program.requests:
                    del outgoing[: os.write(key.fd, bytes(outgoing[: 1 << 16]))]
                elif chunk := os.read(key.fd, 1 << 20):
                    program.incoming += chunk
                else:
                    raise _Lost("the worker ended")
            except BlockingIOError:
                continue
            except OSError as error:
                raise _Lost("the worker ended") from error
        return {message.pop("id"): JobResult(**message) for message in wire.take_frames(program.incoming)}


def _encode(number: int, job: Job, seconds: float) -> bytes:
    limits = {"seconds": seconds, "memory_mb": job.memory_mb, "foreign": job.foreign}
    return wire.frame({"id": number, "module": str(job.module), **limits, "request": job.request})


def last_lines(text: str, count: int = 5) -> str:
    return "\n".join([line for line in text.splitlines() if line.strip()][-count:])


def decode(result: str) -> dict[str, Any]:
    """The JSON object that a job wrote; empty where it wrote none."""
    try:
        value = json.loads(result)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _after_fork() -> None:
    for worker in _WORKERS:
        worker.forget()


_WORKERS: weakref.WeakSet[Worker] = weakref.WeakSet()
os.register_at_fork(after_in_child=_after_fork)

SHARED = Worker()
