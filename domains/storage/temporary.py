"""Names of unfinished files, and the removal of those whose process is dead.

A name carries the machine, the process and the time at which the process started, so that the next run can
tell a file that was left behind from one that is being written. Where that cannot be told (another container,
another machine on the same disk, the time before a restart), a lock on the file decides: the kernel gives it
up when its process ends. No other name may ever be removed here; how a name is built may be changed.
"""

from __future__ import annotations

import fcntl
import hashlib
import itertools
import os
import platform
import re
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
"""Flags by which a file is opened that must not be there yet."""

_NAME = re.compile(r"\.groundplan-([0-9a-f]{8})-(\d{1,10})-(\d{1,20})-\d{1,10}\.part")
_DEAD_STATES = ("Z", "X")
MOMENT = 5.0
"""Seconds in which a file of an unknown process may not have its lock yet."""

_numbers = itertools.count()


def temporary_path(folder: Path) -> Path:
    """Return a new name for an unfinished file of this process in a folder."""
    pid = os.getpid()
    return folder / f".groundplan-{_machine()}-{pid}-{_start(pid) or 0}-{next(_numbers)}.part"


def is_temporary(name: str) -> bool:
    """Return whether a file name is one of those that :func:`temporary_path` gives."""
    return _NAME.fullmatch(name) is not None


@contextmanager
def sign_of_life(folder: Path) -> Iterator[int]:
    """Keep a locked, empty file in a folder, by which other containers and machines see that we live.

    Its descriptor is given, so that it can be seen what new files there are like.
    """
    path = temporary_path(folder)
    with ExitStack() as cleanup:
        cleanup.callback(discard, path)
        descriptor = os.open(path, NEW_FILE, 0o600)
        cleanup.callback(os.close, descriptor)
        with suppress(OSError):  # without locks, files of others are not removed here and ours not there
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield descriptor


def discard(path: Path) -> None:
    """Remove an unfinished file, if it is there."""
    with suppress(OSError):
        os.unlink(path)


def remove_left_behind(folder: Path, signs: bool = True) -> None:
    """Remove the unfinished files of this user in a folder whose processes are dead.

    Without ``signs`` the empty ones stay, which tell that a run was ended here.
    """
    for path in left_behind(folder):
        with suppress(OSError):
            if signs or path.lstat().st_size:
                os.unlink(path)


def left_behind(folder: Path) -> list[Path]:
    """Return the unfinished files of this user in a folder whose processes are dead."""
    by_process: dict[tuple[str, ...], list[Path]] = {}
    with suppress(OSError):  # a folder that may be written to and not listed
        for name in sorted(os.listdir(folder)):
            match = _NAME.fullmatch(name)
            if match is not None and _is_ours(folder / name):
                by_process.setdefault(match.groups(), []).append(folder / name)
    dead: list[Path] = []
    for (machine, pid, start), paths in by_process.items():
        if _is_over(int(pid), int(start)) if machine == _machine() else not any(map(_may_be_held, paths)):
            dead += paths
    return dead


def _is_ours(path: Path) -> bool:
    with suppress(OSError):
        status = path.lstat()
        return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
    return False


def _is_over(pid: int, start: int) -> bool:
    """Return whether a process of this machine has ended, also where another got its number."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        pass  # it lives, under another user
    return _start(pid) not in (None, start)


def _may_be_held(path: Path) -> bool:
    """Return whether somebody has the lock of a file, may be about to take it, or none can be had."""
    try:
        if abs(time.time() - path.lstat().st_ctime) <= MOMENT:
            return True
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _start(pid: int) -> int | None:
    """Return the start of a process in clock ticks since boot; -1 for a dead one, ``None`` if not known."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return -1 if fields[0].decode() in _DEAD_STATES else int(fields[19])
    except (OSError, ValueError, IndexError):
        return None


@cache
def _machine() -> str:
    """Return eight digits for the machine since its last start, and for the container on it."""
    try:
        container = os.stat("/proc/self/ns/pid").st_ino
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        container, boot = 0, platform.node()
    return hashlib.sha256(f"{boot} {container}".encode()).hexdigest()[:8]
