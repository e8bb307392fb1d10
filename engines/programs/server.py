"""The worker's program: stays ready with an engine loaded and forks one child for every job.

Starting Python and importing an engine costs 50 to 2000 ms; a fork of this small single-threaded program
costs 3. It is run by path (`COMMAND`) in its own session and must use the standard library only: the package
is never imported, and engines only by the jobs' files. `worker.py` is the other end; frames (JSON with a
length in front, on standard input and output) and exit codes change on both sides or not at all. No process
may be left behind, however a job ends.

A job names a Python file with `run(request, result) -> exit code`, called in the fork, and with `preload()`,
called here once, where it has something to load; `result` is a descriptor whose bytes go into the answer. The
child gets its own session, limits and a death signal. Whatever happens to it, this program kills what is left
of it, also processes that changed their session (it is their subreaper, and a job is that of its own), and
removes its files. It answers with facts, which it does not judge: exit code, signal, who killed it. It ends
when its input ends or its parent dies.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import gc
import importlib
import json
import math
import os
import select
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from .confinement import confine
from .processes import descendants, end_adopted, end_tree, folder_bytes, memory

# Exit codes of jobs; the numbers are Fast Downward's.
DONE, OUT_OF_MEMORY, CRITICAL, INPUT_ERROR, UNSUPPORTED = 0, 20, 30, 31, 34

HEADER = 4
RESULT_LIMIT = 64 << 20  # bytes of result after which a job is killed
OUTPUT_TAIL = 4000  # bytes of what a job printed that are kept
HEARTBEAT = 2.0  # seconds between looks at the parent
WATCH = 0.05  # seconds between looks at the memory of foreign jobs
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36

# Python's code that runs this file by path: it gets the folder and the parent's process id as arguments. The
# folder is no entry of the path, where its files would stand before the engines that they are named for.
COMMAND = """import sys, types
package = sys.modules["programs"] = types.ModuleType("programs")
package.__path__ = [sys.argv[1]]
from programs.server import main
main(int(sys.argv[2]))
"""


def frame(message: dict[str, Any]) -> bytes:
    body = json.dumps(message).encode()
    return len(body).to_bytes(HEADER, "big") + body


def write_answer(result: int, code: int, answer: dict[str, Any]) -> int:
    """Write the answer of a job as JSON, and return its exit code."""
    with os.fdopen(result, "w") as stream:
        json.dump(answer, stream)
    return code


def take_frames(buffer: bytearray) -> Iterator[dict[str, Any]]:
    """Remove the complete frames from a buffer and yield them."""
    while len(buffer) >= HEADER and len(buffer) >= (end := HEADER + int.from_bytes(buffer[:HEADER], "big")):
        message = json.loads(buffer[HEADER:end])
        del buffer[:end]
        yield message


_LIBC = ctypes.CDLL(None)


def _prctl(option: int, value: int) -> None:
    with contextlib.suppress(AttributeError):  # Linux only; elsewhere the end of input does the work
        _LIBC.prctl(option, value, 0, 0, 0)


@dataclass(slots=True)
class _Job:
    request: dict[str, Any]
    deadline: float
    started: float = 0.0
    pid: int = 0
    pipes: dict[int, bytearray] = field(default_factory=dict)  # result first, output second
    open: set[int] = field(default_factory=set)
    killed: str | None = None

    @property
    def foreign(self) -> bool:
        return bool(self.request["foreign"])

    def folder(self, scratch: str) -> str:
        return os.path.join(scratch, str(self.pid or os.getpid()))


class Server:
    def __init__(self, requests: int, answers: int, parent: int) -> None:
        self.requests, self.answers, self.parent = requests, answers, parent
        self.incoming = bytearray()
        self.modules: dict[str, ModuleType] = {}
        self.queue: list[_Job] = []
        self.running: list[_Job] = []
        self.parallel = 1
        self.scratch = ""  # the folder of the jobs' folders, made by the first one
        self.pid = os.getpid()
        self.wake, wake_end = os.pipe()
        for end in (self.wake, wake_end):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake_end, warn_on_full_buffer=False)

    def serve(self) -> None:
        """Run until the input ends or the parent is gone; then kill what runs."""
        try:
            while os.getppid() == self.parent and self._turn():
                pass
        finally:
            for job in self.running:
                self._kill(job, "the end of the worker")
            end_adopted(())
            for job in self.running:
                self._clean_up(job)
            if self.scratch:
                shutil.rmtree(self.scratch, ignore_errors=True)

    def _turn(self) -> bool:
        while self.queue and len(self.running) < self.parallel:
            self._start(self.queue.pop(0))
        ready = self._ready()
        if self.wake in ready:
            os.read(self.wake, 4096)
        for job in self.running:
            for fd in ready & job.open:
                self._read(job, fd)
        if self.requests in ready:
            chunk = os.read(self.requests, 1 << 20)
            if not chunk:
                return False
            self.incoming += chunk
            for message in take_frames(self.incoming):
                self._receive(message)
        if not ready:  # time for what an ended job could not be rid of
            end_adopted([job.pid for job in self.running])
        for job in list(self.running):
            self._look_after(job)
        return True

    def _ready(self) -> set[int]:
        """Wait for input, a child's end, the next deadline or a heartbeat; return what can be read."""
        now = time.monotonic()
        watched = [WATCH] if any(job.foreign for job in self.running) else []
        pause = min([HEARTBEAT, *watched, *(max(0.0, job.deadline - now) for job in self.running)])
        poll = select.poll()
        for fd in (self.requests, self.wake, *(fd for job in self.running for fd in sorted(job.open))):
            poll.register(fd, select.POLLIN)
        return {fd for fd, _ in poll.poll(math.ceil(pause * 1000))}

    def _look_after(self, job: _Job) -> None:
        """Finish a job that ended, and kill one at its deadline or over its limits."""
        pid, status, usage = os.wait4(job.pid, os.WNOHANG)
        if pid:
            self._finish(job, status, usage.ru_maxrss)
        elif not job.killed and time.monotonic() >= job.deadline:
            self._kill(job, "deadline")
        elif not job.killed and job.foreign:
            self._watch(job)

    def _watch(self, job: _Job) -> None:
        """Look at the memory of a job's processes, and at the size of its files."""
        most = job.request["memory_mb"] << 20
        if memory([job.pid, *descendants(job.pid)], most) > most:
            self._kill(job, "memory")
        elif folder_bytes(job.folder(self.scratch), most) > most:
            self._kill(job, f"its files took more than its {job.request['memory_mb']} MB")

    def _receive(self, message: dict[str, Any]) -> None:
        if "setup" in message:
            self.parallel, self.scratch = message["setup"]["parallel"], message["setup"]["scratch"]
            sys.path[:] = [*sys.path, *(p for p in message["setup"]["path"] if p not in sys.path)]
        else:
            self.queue.append(_Job(message, time.monotonic() + message["seconds"]))

    def _module(self, path: str) -> ModuleType:
        """Import a job's file, with relative imports of the files beside it, and let it load its engine."""
        if path not in self.modules:
            folder, file = os.path.split(path)
            own = os.path.dirname(os.path.abspath(__file__)) == folder
            package = __name__.rpartition(".")[0] if own else f"jobs_{folder.encode().hex()}"
            if package not in sys.modules:
                sys.modules[package] = ModuleType(package)
                sys.modules[package].__path__ = [folder]
            name = f"{package}.{os.path.splitext(file)[0]}"
            module = importlib.import_module(name)
            if hasattr(module, "preload"):
                module.preload()
            gc.collect()
            gc.freeze()  # the loaded world is never garbage; forks need not look at it
            self.modules[path] = module
        return self.modules[path]

    def _start(self, job: _Job) -> None:
        if time.monotonic() >= job.deadline:
            self._answer(job, killed="deadline")
            return
        try:
            module = self._module(job.request["module"])
        except ImportError as error:
            self._answer(job, missing=str(error))
            return
        result, result_end = os.pipe()
        output, output_end = os.pipe()
        job.pipes, job.open = {result: bytearray(), output: bytearray()}, {result, output}
        job.started = time.monotonic()
        job.pid = os.fork()
        if job.pid == 0:
            self._child(job, module, result_end, output_end)
        self.running.append(job)
        for end in (result_end, output_end):
            os.close(end)
        for fd in (result, output):
            os.set_blocking(fd, False)

    def _child(self, job: _Job, module: ModuleType, result: int, output: int) -> None:
        """Run the job and leave; never returns into the server's loop, whatever is raised."""
        code = CRITICAL
        try:
            os.setsid()
            _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            _prctl(_PR_SET_CHILD_SUBREAPER, 1)  # what its programs leave behind stays below it while it runs
            if os.getppid() != self.pid:  # the server died before the line above
                os._exit(CRITICAL)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            nothing = os.open(os.devnull, os.O_RDONLY)
            beyond = [fcntl.fcntl(fd, fcntl.F_DUPFD, 16) for fd in (nothing, output, output, result)]
            for number, fd in enumerate(beyond):
                os.dup2(fd, number)
            os.closerange(4, 65536)
            self._confine(job)
            code = module.run(job.request["request"], 3)
        except MemoryError:
            code = OUT_OF_MEMORY
        finally:
            if (error := sys.exception()) and code != OUT_OF_MEMORY:
                traceback.print_exception(error, limit=-3)
            with contextlib.suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def _confine(self, job: _Job) -> None:
        seconds = math.ceil(max(1.0, job.deadline - time.monotonic())) + 1
        confine(seconds, job.request["memory_mb"] << 20, job.foreign, job.folder(self.scratch))

    def _read(self, job: _Job, fd: int) -> None:
        """Take what is there; at the end of the stream, stop listening to it."""
        result = fd == next(iter(job.pipes))
        buffer = job.pipes[fd]
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(fd, 1 << 16):
                buffer += chunk
                if result and len(buffer) > RESULT_LIMIT:
                    buffer.clear()
                    self._kill(job, "too much output")
                elif not result:
                    del buffer[:-OUTPUT_TAIL]
                if job.killed or not result:
                    return  # a job that never stops printing must not keep us here
            job.open.discard(fd)

    def _kill(self, job: _Job, why: str) -> None:
        """Kill all processes of a job, also those that it starts meanwhile."""
        job.killed = job.killed or why
        end_tree(job.pid)

    def _finish(self, job: _Job, status: int, peak_kb: int) -> None:
        self.running.remove(job)
        with contextlib.suppress(OSError):
            os.killpg(job.pid, signal.SIGKILL)
        # Its orphans are ours now; those of the jobs that run are below their jobs.
        end_adopted([other.pid for other in self.running])
        self._clean_up(job)
        result, output = job.pipes
        for fd in (result, output):
            self._read(job, fd)
        signalled = os.WIFSIGNALED(status)
        self._answer(
            job,
            exit=None if signalled else os.WEXITSTATUS(status),
            signal=os.WTERMSIG(status) if signalled else None,
            killed=job.killed,
            result=job.pipes[result].decode(errors="replace"),
            output=job.pipes[output].decode(errors="replace"),
            peak_mb=peak_kb >> 10,
            seconds=time.monotonic() - job.started,
        )
        for fd in (result, output):
            os.close(fd)

    def _clean_up(self, job: _Job) -> None:
        """Remove what a job wrote to its folder."""
        folder = job.folder(self.scratch)
        try:
            os.rmdir(folder)
        except OSError:  # there is something in it
            shutil.rmtree(folder, ignore_errors=True)

    def _answer(self, job: _Job, **facts: Any) -> None:
        data = memoryview(frame({"id": job.request["id"], **facts}))
        while data:
            data = data[os.write(self.answers, data) :]


def main(parent: int) -> None:
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    # Standard output carries answers; a stray print goes to the error stream instead.
    answers = os.dup(1)
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(BrokenPipeError):
        Server(0, answers, parent).serve()
