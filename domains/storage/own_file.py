"""A file that is ours: opened without following links, locked, appended to, or replaced whole.

A file is ours where it is a regular file of this user under one name, and is empty or begins as files of its
kind begin. Whatever else is under the name, a link, a pipe, a note, is refused before a byte of it changes.
Nothing is ever cut off but what the reader of the file called no part of it, and that only once something is
written in its place. A change here must keep each of these.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Self

from ..errors import InputError, clip
from ..files import parse_json
from .likeness import make_alike, refuse_irreplaceable, refuse_shared, refuse_special, status_of
from .temporary import NEW_FILE, discard, temporary_path

_NO_SYNC = (errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EBADF, errno.EINVAL)
_ATTEMPTS = 100
"""How often a file is opened that others remove before it is locked."""
_LONGEST_TOKEN = 6
"""Characters of the longest piece of JSON that may be cut in its middle, texts and numbers aside."""
_AS_IT_IS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Flags by which links are not followed, and nobody waits for the other end of a pipe."""


class ClosedAtEnd:
    """Base of what is closed at the end of a ``with``."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        raise NotImplementedError


class OwnFile(ClosedAtEnd):
    """A file that is ours, open for appending and locked. Close it, or use it as a context.

    ``begins`` are bytes of which such a file has some at its beginning; ``what`` names it in messages.
    ``make`` makes it where there is none, and ``wait`` waits where another process has it. ``folder`` is the
    descriptor of the folder it is in, where that must not be a link (:func:`own_folder`).
    ``end`` is where the next bytes go. A reader that finds less whole, after a kill, sets it lower.

    Raises :class:`InputError` for what is not ours and for a file in use, which stay as they are, and
    ``OSError`` for what the system refuses.
    """

    def __init__(
        self,
        path: Path,
        begins: tuple[bytes, ...],
        what: str,
        *,
        make: bool = True,
        wait: bool = False,
        folder: int | None = None,
    ) -> None:
        self.path, self._what, self._folder = path, what, folder
        self._file, self._is_new = self._opened(make, wait)
        with ExitStack() as opening:
            opening.callback(os.close, self._file)
            self.end = self._size = os.fstat(self._file).st_size
            head = os.pread(self._file, max(map(len, begins)), 0)
            if self._size and not head.startswith(begins):
                hint = "name another file, or move this one away"
                raise InputError(
                    self._where, what, f"one that begins {clip(head[:40].decode(errors='replace'))!r}", hint
                )
            opening.pop_all()

    @property
    def empty(self) -> bool:
        """True when the file has not a byte."""
        return self._size == 0

    def read(self) -> BinaryIO:
        """Return the file for reading, from its beginning."""
        os.lseek(self._file, 0, os.SEEK_SET)
        return open(os.dup(self._file), "rb")

    def append(self, data: bytes) -> None:
        """Write bytes at :attr:`end`, in the place of what is after it; when this returns, they are on disk.

        Raises ``OSError`` with the name of the file where they could not be written; the file is then as
        before, as far as that can be. Raises :class:`InputError` where another program wrote to it.
        """
        if os.fstat(self._file).st_size != self._size:
            got = "one that another program wrote to meanwhile"
            raise InputError(self._where, self._what, got, "move it away, and begin another")
        try:
            if self._size > self.end:
                os.ftruncate(self._file, self.end)
            write_all(self._file, data)
            os.fsync(self._file)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file, self.end)
            self._size = os.fstat(self._file).st_size
            error.filename = str(self.path)  # a descriptor has no name of its own
            raise
        self.end = self._size = self.end + len(data)

    def close(self) -> None:
        """Give up the file, and the lock on it; a new one to which nothing was written is removed."""
        if self._is_new and os.fstat(self._file).st_size == 0 and self._is_there(self._file):
            with suppress(OSError):
                os.unlink(self._name, dir_fd=self._folder)
        os.close(self._file)

    @property
    def _where(self) -> str:
        return clip(str(self.path), 200)

    @property
    def _name(self) -> Path | str:
        return self.path if self._folder is None else self.path.name

    def _opened(self, make: bool, wait: bool) -> tuple[int, bool]:
        """Return the descriptor of the file, locked and the one under its name, and whether it is new."""
        for _ in range(_ATTEMPTS):
            with ExitStack() as opening:
                refuse_special(self.path)  # before it is opened: that alone does something to a device
                file, new = self._descriptor(make)
                opening.callback(os.close, file)
                refuse_special(self.path, os.fstat(file))
                refuse_shared(self.path, os.fstat(file))
                self._lock(file, wait)
                if self._is_there(file):  # one that was removed while we waited is of no use
                    opening.pop_all()
                    return file, new
        raise InputError(self._where, self._what, "one that is replaced again and again")

    def _descriptor(self, make: bool) -> tuple[int, bool]:
        flags = os.O_RDWR | os.O_APPEND | _AS_IT_IS
        if make:
            with suppress(FileExistsError):
                new = os.O_CREAT | os.O_EXCL
                return os.open(self._name, flags | new, 0o666, dir_fd=self._folder), True
        return os.open(self._name, flags, dir_fd=self._folder), False

    def _is_there(self, file: int) -> bool:
        """Return whether an open file is the one that has the name now."""
        with suppress(OSError):
            there = os.stat(self._name, dir_fd=self._folder, follow_symlinks=False)
            return os.path.samestat(there, os.fstat(file))
        return False

    def _lock(self, file: int, wait: bool) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError as error:
            hint = "wait until it ends, or write to another place"
            raise InputError(
                self._where, f"{self._what} that nobody writes to", "one in use", hint
            ) from error
        except OSError:  # some network file systems have no locks
            if not wait:
                raise


def is_cut_off(part: bytes, *begins: bytes) -> bool:
    """Return whether bytes are what an end in the middle leaves of a line of JSON that begins so.

    That is the first part of such a line, or zeros after it, which a loss of power leaves. Whatever has an
    end of its own, or goes on otherwise than JSON does, was written by somebody else.
    """
    line, zero, rest = part.partition(b"\0")
    ours = any(line.startswith(b) or b.startswith(line) for b in begins)
    if not ours or b"\n" in line or rest.strip(b"\0\n"):
        return False
    try:
        parse_json(line.decode("ascii"), "")
    except UnicodeDecodeError:
        return False
    except InputError as error:
        wrong = error.__cause__
        if not isinstance(wrong, json.JSONDecodeError) or wrong.msg.startswith("Extra data"):
            return False
        return wrong.msg.startswith("Unterminated") or len(line) - wrong.pos <= _LONGEST_TOKEN
    return bool(zero)


@contextmanager
def own_folder(path: Path) -> Iterator[int]:
    """Open a folder that is no link, made where it is missing; its descriptor is given.

    Raises ``OSError`` for a link, and for what is no folder.
    """
    with suppress(FileExistsError):
        path.mkdir()
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _AS_IT_IS)
    try:
        yield folder
    finally:
        os.close(folder)


def replace_whole(path: Path, content: str | bytes, may_replace: bool = True) -> None:
    """Write a file so that it is there whole or not at all, also after a loss of power.

    Raises :class:`InputError` where what is there may not be replaced, and ``OSError`` with the file's name;
    so it does, where nothing may be replaced, for a file that came there meanwhile.
    """
    refuse_irreplaceable(path)
    part = temporary_path(path.parent)
    try:
        write_new(part, encoded(content), path)
        if not may_replace:
            os.close(os.open(path, NEW_FILE, 0o600))
        os.replace(part, path)
        keep_safe(path.parent)
    except OSError as error:
        error.filename, error.filename2 = str(path), None  # the part has a name that nobody knows
        raise
    finally:
        discard(part)


def encoded(content: str | bytes) -> bytes:
    """Return content as bytes: a text in UTF-8, with an escape for what has no place there."""
    return content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")


def write_new(path: Path, data: bytes, old: Path) -> None:
    """Write a new file with the mode of an old one, if there is one; nobody else can read it before that."""
    replaces = status_of(old) is not None
    descriptor = os.open(path, NEW_FILE, 0o600 if replaces else 0o666)
    try:
        write_all(descriptor, data)
        if replaces:
            make_alike(descriptor, old)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes, in as many pieces as the system takes."""
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def keep_safe(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where the disk can say so."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(descriptor)
