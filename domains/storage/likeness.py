"""Likeness of a new file to the one that it replaces: mode, group and extended attributes.

A file is replaced only where that hurts nobody: a regular file of the same owner, under one name. Everything
else is refused with an :class:`InputError` before any work is done for it. POSIX access control lists are
extended attributes (``acl(5)``), and the default list of a folder gives one to every new file in it, so those
that the old file lacks are taken away. That a new file is nowhere more open than the old one must stay.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import InputError
from .temporary import sign_of_life

WRITABLE = "a regular file of yours that can be written"
_ELSEWHERE = "choose another place, or take it away"
KINDS = {
    stat.S_IFLNK: "a link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
"""What is no regular file, in words."""
_NO_ATTRIBUTES = (errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
_GET_FLAGS = (2 << 30) | (struct.calcsize("l") << 16) | (ord("f") << 8) | 1
_LOCKED = 0x10 | 0x20  # FS_IMMUTABLE_FL, FS_APPEND_FL of linux/fs.h
_SYSTEM = "security."
"""Beginning of the attributes that the system gives to new files as it sees fit, and that few may set."""


def status_of(path: Path) -> os.stat_result | None:
    """Return the status of what is there under a name, links not followed; ``None`` for nothing."""
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def refuse_special(path: Path, status: os.stat_result | None = None) -> None:
    """Refuse a name under which there is no regular file; ``status`` is that of one that is open.

    Raises :class:`InputError`.
    """
    status = status or status_of(path)
    if status is not None and not stat.S_ISREG(status.st_mode):
        got = KINDS.get(stat.S_IFMT(status.st_mode), "a special file")
        hint = "- is standard output" if path.parent == Path("/dev") else _ELSEWHERE
        raise InputError(str(path), WRITABLE, got, hint)


def refuse_shared(path: Path, status: os.stat_result, owner: int | None = None) -> None:
    """Refuse a file of another owner, and one that has other names (hard links), by its status.

    ``owner`` is that of new files there, which is found out where it is not given and matters. Raises
    :class:`InputError`.
    """
    if owner is None:
        own = os.geteuid()
        owner = own if status.st_uid == own else _new_owner(path.parent)
    if status.st_uid != owner:
        got = f"one that belongs to user {status.st_uid}"
    elif status.st_nlink > 1:
        got = f"one with {status.st_nlink} names (hard links)"
    else:
        return
    raise InputError(str(path), WRITABLE, got, _ELSEWHERE)


def refuse_irreplaceable(path: Path, owner: int | None = None) -> None:
    """Refuse what must not be replaced under a name. ``owner`` is as in :func:`refuse_shared`.

    Raises :class:`InputError` for links, devices, pipes, sockets, folders and mount points, for a file of
    another owner, and for one that has other names (hard links), which would no longer be the same file.
    """
    refuse_special(path)
    status = status_of(path)
    if status is None:
        return
    refuse_shared(path, status, owner)
    if _is_mount_point(path):
        raise InputError(str(path), WRITABLE, "a mount point", "mount the folder that it is in")
    if _is_locked(path):
        got = "one that is immutable or append-only (chattr)"
        raise InputError(str(path), WRITABLE, got, _ELSEWHERE)


def _new_owner(folder: Path) -> int:
    """Return the owner of new files in a folder: some disks give all files to one."""
    try:
        with sign_of_life(folder) as descriptor:
            return os.fstat(descriptor).st_uid
    except OSError:
        return os.geteuid()


def make_alike(descriptor: int, old: Path) -> None:
    """Give an open new file the group, the extended attributes and the mode of an old one.

    Raises :class:`OSError` where that is not permitted.
    """
    status = old.lstat()
    os.fchmod(descriptor, stat.S_IRUSR | stat.S_IWUSR)  # attributes of a read-only file cannot be set
    if os.fstat(descriptor).st_gid != status.st_gid:
        os.fchown(descriptor, -1, status.st_gid)
    attributes, present = _attributes(old), _attributes(descriptor)
    for name in present.keys() - attributes.keys():
        with _permitted(name):
            os.removexattr(descriptor, name)
    for name, value in attributes.items():
        if present.get(name) != value:
            with _permitted(name):
                os.setxattr(descriptor, name, value)
    os.fchmod(descriptor, stat.S_IMODE(status.st_mode))


@contextmanager
def _permitted(name: str) -> Iterator[None]:
    """Go on where an attribute of the system may not be changed; all others are the user's."""
    try:
        yield
    except OSError:
        if not name.startswith(_SYSTEM):
            raise


def _attributes(file: Path | int) -> dict[str, bytes]:
    """Return the extended attributes of a file, none where the system or the disk has none."""
    if not hasattr(os, "listxattr"):
        return {}
    follow = isinstance(file, int)  # a descriptor is no link
    values: dict[str, bytes] = {}
    try:
        for name in os.listxattr(file, follow_symlinks=follow):
            values[name] = os.getxattr(file, name, follow_symlinks=follow)
    except OSError as error:
        if error.errno not in _NO_ATTRIBUTES:
            raise
    return values


def _is_locked(path: Path) -> bool:
    """Return whether a file may not be replaced by anybody, on disks that know of that (ioctl_iflags)."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:  # its owner may not even read it; a rename does not need that
        return False
    try:
        flags = fcntl.ioctl(descriptor, _GET_FLAGS, bytes(struct.calcsize("l")))
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return bool(int.from_bytes(flags[:4], sys.byteorder) & _LOCKED)


def _is_mount_point(path: Path) -> bool:
    """Return whether something is mounted on a file, as containers do; ``rename`` then fails (EBUSY)."""
    try:
        lines = Path("/proc/self/mountinfo").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return False
    places = (line.split()[4] for line in lines)
    return str(path) in (re.sub(r"\\(\d{3})", lambda m: chr(int(m[1], 8)), place) for place in places)
