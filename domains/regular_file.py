"""Reading files that somebody names: regular ones only.

Opening a named pipe waits until somebody writes to it, and a device may never end. So the kind of a file is
looked at before it is opened, and again once it is open, without waiting, since a name can be given to
something else in between.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .errors import InputError, clip

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def read_regular(path: Path, most: int) -> bytes:
    """The bytes of a file, one more than ``most`` where it has more.

    Raises :class:`InputError` for pipes, sockets and devices, :class:`OSError` for what cannot be opened,
    folders among them.
    """
    _check(path, os.stat(path).st_mode)
    with open(path, "rb", opener=_opened) as file:
        about = os.fstat(file.fileno())
        _check(path, about.st_mode)
        # As much memory as the file has bytes; some files have more than their size says.
        data = file.read(min(about.st_size, most) + 1)
        return data + file.read(most + 1 - len(data)) if about.st_size < len(data) <= most else data


def _opened(name: str, flags: int) -> int:
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def _check(path: Path, mode: int) -> None:
    kind = stat.S_IFMT(mode)
    if kind in _KINDS:
        raise InputError(clip(str(path), 200), "a regular file", _KINDS[kind])
