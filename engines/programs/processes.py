"""Trees of processes: who is in one, how to end it however fast it grows, and the memory that it takes.

All of it is read from ``/proc``. A limit on the number of processes would count those of the whole user, and
does not bind root; so a tree is ended to a fixed point instead: stopped from the top until a walk meets no
process that was not stopped already (a stopped process starts no other), then killed. Processes that change
their session or lose their parent stay in the tree as long as its root adopts orphans. Patience and bounds
may be tuned. Standard library only: the worker's program runs this.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable

PATIENCE = 1.0  # seconds after which a tree that still grows is killed as far as it was met
BLOCK = 512  # bytes of what stat(2) counts


def children(pid: int) -> list[int]:
    """Direct children of a process; empty where there is no such file."""
    pids: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/children") as listing:
                pids += map(int, listing.read().split())
    return pids


def descendants(pid: int) -> list[int]:
    """All that came from a process and has not been adopted by another one."""
    pids = children(pid)
    for child in pids:
        pids += children(child)
    return pids


def stop(root: int, spared: Iterable[int] = (), patience: float = PATIENCE) -> list[int]:
    """Stop all that came from a process, but for the children ``spared``; return it.

    Who loses its parent moves up to the root and may live for a moment only, so that the root's children are
    looked at again after every other process.
    """
    limit = time.monotonic() + patience
    met = dict.fromkeys(spared)
    stopped: list[int] = []

    def meet(pid: int) -> list[int]:
        new = [child for child in children(pid) if child not in met]
        for child in new:
            _signal(child, signal.SIGSTOP)
        met.update(dict.fromkeys(new))
        stopped.extend(new)
        return new

    walk = meet(root)
    while walk and time.monotonic() < limit:
        below = [child for pid in walk for child in (*meet(pid), *meet(root))]
        walk = below or [child for pid in (root, *stopped) for child in meet(pid)]
    return stopped


def end_tree(root: int, patience: float = PATIENCE) -> None:
    """Kill a process and all that came from it; the caller waits for the process."""
    _signal(root, signal.SIGSTOP)
    for pid in (root, *stop(root, (), patience)):
        _signal(pid, signal.SIGKILL)


def end_adopted(spared: Iterable[int], patience: float = PATIENCE) -> None:
    """Kill and bury what this process has adopted, and all below it; the children ``spared`` go on."""
    limit = time.monotonic() + patience
    own = set(spared)
    while time.monotonic() < limit and not own.issuperset(children(os.getpid())):
        for pid in stop(os.getpid(), own, max(0.1, limit - time.monotonic())):
            _signal(pid, signal.SIGKILL)
        gone = [_buried(pid) for pid in children(os.getpid()) if pid not in own]
        if not all(gone):  # killed, and not dead yet
            time.sleep(0.002)


def _buried(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return True


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, number)


def memory(pids: Iterable[int], enough: int) -> int:
    """Bytes that processes hold in memory together, shared mappings included; exact beyond ``enough``.

    Pages that several of them share are counted once then, which takes a walk over their page tables.
    """
    every = list(pids)
    roughly = sum(_kilobytes(f"/proc/{pid}/status", ("RssAnon:", "RssShmem:")) for pid in every) << 10
    if roughly <= enough:
        return roughly
    shares = [_kilobytes(f"/proc/{pid}/smaps_rollup", ("Pss_Anon:", "Pss_Shmem:")) for pid in every]
    return (sum(shares) << 10) or roughly


def folder_bytes(folder: str, enough: int) -> int:
    """Bytes that the files below a folder take on the disk, links not followed; no more is counted beyond."""
    total = 0
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_blocks * BLOCK
        if total > enough:
            break
    return total


def _kilobytes(file: str, keys: tuple[str, ...]) -> int:
    total = 0
    with contextlib.suppress(OSError, ValueError), open(file, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith(keys):
                total += int(line.split()[1])
    return total
