"""The limits under which a job runs, set in its own process before its program begins.

Every job has a folder for its files, which is removed after it, and cannot dump core. A job of one process
has limits on address space and processor time. A *foreign* job may run threads and other programs and reserve
space that it never uses: it gets a limit on private memory here, while the worker watches what all of its
processes hold together; a ``/dev/shm`` of its own where the system allows that; and a bound on the number of
its processes where a control group may be made (`Group`). No file may be larger than the memory; the worker
watches what the files in the folder of a foreign job take together. Whatever is not allowed is done without:
the worker ends what is left of every job. The numbers may be tuned. Standard library only.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import sys
from dataclasses import dataclass

MAX_PROCESSES = 512
"""Processes and threads of one job, where a control group can bound them."""

GROUPS = "/sys/fs/cgroup"
SHARED_FOLDER = "/dev/shm"

_NEW_NAMESPACE, _NEW_USER = 0x00020000, 0x10000000  # CLONE_NEWNS, CLONE_NEWUSER
_RECURSIVE, _PRIVATE = 0x4000, 0x40000  # MS_REC, MS_PRIVATE
_LIBC = ctypes.CDLL(None)


def limit(what: int, amount: int) -> None:
    """Set a limit, or keep the stricter one that this program already lives under."""
    hard = resource.getrlimit(what)[1]
    amount = amount if hard == resource.RLIM_INFINITY else min(amount, hard)
    resource.setrlimit(what, (amount, amount))


def confine(seconds: int, memory: int, foreign: bool, folder: str, private_shared: bool) -> None:
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
        if private_shared:
            _own_shared_folder(memory)
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


def shared_folder_allowed() -> bool:
    """Return whether a job may have a ``/dev/shm`` of its own: tried in a process that ends at once.

    A namespace that was entered and cannot be used could not be left again.
    """
    if not sys.platform.startswith("linux") or not os.path.isdir(SHARED_FOLDER):
        return False
    probe = os.fork()
    if probe == 0:
        allowed = False
        with contextlib.suppress(OSError, AttributeError):
            before, user = os.stat(SHARED_FOLDER).st_dev, os.getuid()
            _own_shared_folder(1 << 20)
            allowed = os.stat(SHARED_FOLDER).st_dev != before and os.getuid() == user
        os._exit(0 if allowed else 1)
    return os.waitstatus_to_exitcode(os.waitpid(probe, 0)[1]) == 0


def _own_shared_folder(size: int) -> None:
    """Put a folder in memory, which ends with this process's tree, in the place of ``/dev/shm``."""
    if _LIBC.unshare(_NEW_NAMESPACE) != 0:
        _as_own_user()
    if _LIBC.mount(b"none", b"/", None, _RECURSIVE | _PRIVATE, None) == 0:
        options = f"size={size},mode=1777".encode()
        _LIBC.mount(b"groundplan", SHARED_FOLDER.encode(), b"tmpfs", 0, options)


def _as_own_user() -> None:
    """Take a namespace of users in which this user may mount, and stay the same user and group."""
    user, group = os.getuid(), os.getgid()
    maps = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
    if _LIBC.unshare(_NEW_USER | _NEW_NAMESPACE) != 0:
        raise PermissionError("no namespace of users may be made")
    for name, line in maps.items():
        _write("/proc/self", name, line)


@dataclass(frozen=True, slots=True)
class Group:
    """A control group for the processes of one job; all its methods do nothing where that is not allowed."""

    folder: str

    def begin(self) -> bool:
        """Make the group and move this process there; return whether that was allowed."""
        try:
            os.mkdir(self.folder)
            _write(self.folder, "pids.max", str(MAX_PROCESSES))
            _write(self.folder, "cgroup.procs", "0")
        except OSError:
            return False
        return True

    def freeze(self) -> list[int]:
        """Forbid new processes; return those that there are."""
        with contextlib.suppress(OSError, ValueError):
            _write(self.folder, "pids.max", "0")
            with open(os.path.join(self.folder, "cgroup.procs")) as file:
                return [int(pid) for pid in file.read().split()]
        return []

    def remove(self) -> None:
        with contextlib.suppress(OSError):
            os.rmdir(self.folder)


def _write(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


def group_place(root: str = GROUPS, membership: str = "/proc/self/cgroup") -> str | None:
    """The folder in which control groups with a bound on processes may be made, if there is one.

    ``membership`` is the file that says in which groups we are. A folder counts that is ours and that its
    owner may write to: systems give one to a user's session or a container. The root of all is left alone.
    """
    for line in _read(*os.path.split(membership)).splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        folder = os.path.join(root, "pids" if controllers == "pids" else "", path.lstrip("/"))
        bounded = number == "0" and "pids" in _read(folder, "cgroup.subtree_control").split()
        if path != "/" and (controllers == "pids" or bounded):
            with contextlib.suppress(OSError):
                facts = os.stat(folder)
                if facts.st_uid == os.getuid() and facts.st_mode & 0o200 and os.access(folder, os.W_OK):
                    return folder
    return None


def _read(folder: str, name: str) -> str:
    try:
        with open(os.path.join(folder, name)) as file:
            return file.read()
    except OSError:
        return ""
