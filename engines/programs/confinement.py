"""The limits under which a job runs, set in its own process before its program begins.

Every job has a folder for its files, which is removed after it, and cannot dump core. A job of one process
has limits on address space and processor time. A *foreign* job may run threads and other programs and reserve
space that it never uses: it gets a limit on private memory here, while the worker watches what all of its
processes hold together. No file may be larger than the memory; the worker watches what the files in the
folder of a foreign job take together, and ends what is left of every job. Standard library only.
"""

from __future__ import annotations

import os
import resource
import sys


def limit(what: int, amount: int) -> None:
    """Set a limit, or keep the stricter one that this program already lives under."""
    hard = resource.getrlimit(what)[1]
    amount = amount if hard == resource.RLIM_INFINITY else min(amount, hard)
    resource.setrlimit(what, (amount, amount))


def confine(seconds: int, memory: int, foreign: bool, folder: str) -> None:
    """Limit this process: seconds of processor time, bytes of memory and of a file; give it a folder.

    Raises ``MemoryError`` where an engine that is loaded already takes more memory than that.
    """
    try:
        os.mkdir(folder, mode=0o700)
    except FileNotFoundError:  # the first job makes the place for all of them
        os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
        os.mkdir(folder, mode=0o700)
    os.chdir(folder)
    os.environ["TMPDIR"] = folder
    if (
        "tempfile" in sys.modules
    ):  # it remembers the folder that it found first; importing it makes forks slow
        setattr(sys.modules["tempfile"], "tempdir", folder)  # noqa: B010 - no attribute of any module
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_FSIZE, memory)
    if foreign:
        limit(resource.RLIMIT_CPU, seconds * (os.cpu_count() or 1))
        limit(resource.RLIMIT_DATA, memory)
    else:
        limit(resource.RLIMIT_CPU, seconds)
        limit(resource.RLIMIT_AS, memory)
        if address_space() > memory:  # a limit refuses only what is asked for from now on
            raise MemoryError


def address_space() -> int:
    """Return the bytes of this process's address space, as far as the system tells (Linux), else 0."""
    try:
        with open("/proc/self/statm") as pages:
            return int(pages.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0
