"""Names under which nothing of anybody else's may be replaced, and the mode of a file that replaces another.

A file is replaced only where that hurts nobody: a regular file of the same owner, under one name. Everything
else is refused with an :class:`InputError` before any work is done for it. That a new file or folder is
nowhere more open than the old one must stay.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from ..errors import InputError
from ..files import ENDLESS
from .temporary import try_out

WRITABLE = "a regular file of yours that can be written"
_ELSEWHERE = "choose another place, or take it away"
KINDS = {stat.S_IFLNK: "a link", stat.S_IFDIR: "a folder", **ENDLESS}
"""What is no regular file, in words."""
_ACCESS_LISTS = "system.posix_acl_"
"""Beginning of the extended attributes that are access lists (``acl(5)``)."""


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


def refuse_shared(path: Path, status: os.stat_result) -> None:
    """Refuse a file of another owner, and one that has other names (hard links), by its status.

    Raises :class:`InputError`.
    """
    own = os.geteuid()
    if status.st_uid != (own if status.st_uid == own else _new_owner(path.parent)):
        got = f"one that belongs to user {status.st_uid}"
    elif status.st_nlink > 1:
        got = f"one with {status.st_nlink} names (hard links)"
    else:
        return
    raise InputError(str(path), WRITABLE, got, _ELSEWHERE)


def refuse_irreplaceable(path: Path) -> None:
    """Refuse what must not be replaced under a name.

    Raises :class:`InputError` for links, devices, pipes, sockets and folders, for a file of another owner,
    and for one that has other names (hard links), which would no longer be the same file.
    """
    refuse_special(path)
    if (status := status_of(path)) is not None:
        refuse_shared(path, status)


def _new_owner(folder: Path) -> int:
    """Return the owner of new files in a folder: some disks give all files to one."""
    try:
        return try_out(folder)
    except OSError:
        return os.geteuid()


def make_alike(descriptor: int, old: Path) -> None:
    """Give an open new file or folder the mode of an old one.

    Where its group is another, or an access list said more than the mode, it is its owner's alone.
    """
    status = old.lstat()
    mode = stat.S_IMODE(status.st_mode)
    if os.fstat(descriptor).st_gid != status.st_gid or _has_access_list(old):
        mode &= stat.S_IRWXU
    os.fchmod(descriptor, mode)


def _has_access_list(path: Path) -> bool:
    with suppress(OSError, AttributeError):  # a disk, or a system, without extended attributes
        return any(name.startswith(_ACCESS_LISTS) for name in os.listxattr(path, follow_symlinks=False))
    return False
