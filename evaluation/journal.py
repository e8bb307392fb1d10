"""A file of rows: one JSON object a line, appended and never rewritten, each on disk before the next.

Whatever ends the work that makes them, a kill in the middle of a line or a full disk, what is in the file by
then are whole rows, and perhaps a part of one at its end, whose place the next row takes. Until then the file
is as it was, so that one that turns out to be something else is not hurt. Only one process may have the file
open for writing: it holds a lock. The order of rows is that in which they were made, and means nothing.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from ..domains.errors import InputError, clip
from ..domains.files import parse_json, read_bytes

MAX_BYTES = 2**31
"""Most bytes of a file of rows."""
MAX_LINE = 64 * 2**20
"""Most bytes of one row."""
MAX_VALUES = 2_000_000
"""Most values in the JSON of one row."""

RowJson = dict[str, Any]
RowKey = Callable[[Mapping[str, Any], str], str]
"""What tells rows apart: given a row and where it stands, its key.

Raises :class:`InputError` for a row of another kind.
"""


class Journal:
    """The rows of a file, open for appending. Close it, or use it as a context.

    ``key`` tells rows apart, and no two have the same; ``rows`` are those that the file had when it was
    opened. ``redact`` takes secrets out of the text of a row, and leaves JSON.
    Raises :class:`InputError` for a file that another process has open, or that holds something else.
    """

    def __init__(self, path: Path, key: RowKey, redact: Callable[[str], str] = str) -> None:
        self.path = path
        self._key = key
        self._redact = redact
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        with ExitStack() as opening:
            opening.callback(self.close)
            self._lock()
            self.rows, self._end = self._whole_rows()
            self._keys = {key(row, str(path)) for row in self.rows}
            self.empty = os.fstat(self._file).st_size == 0
            opening.pop_all()  # it stays open where nothing went wrong

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __contains__(self, key: str) -> bool:
        """Return whether the row of a key is there."""
        return key in self._keys

    def close(self) -> None:
        """Give up the file, and the lock on it."""
        os.close(self._file)

    def append(self, row: Mapping[str, object]) -> None:
        """Write a row; when this returns, it is on the disk.

        Raises ``ValueError`` for a second row of a key, and ``OSError`` where a row could not be written; the
        file is then as before, as far as that can be.
        """
        if (key := self._key(row, str(self.path))) in self._keys:
            raise ValueError(f"{key} has a row")
        data = self._redact(row_text(row)).encode("ascii") + b"\n"
        end = self._end
        if os.fstat(self._file).st_size > end:
            os.ftruncate(self._file, end)
        try:
            _write_all(self._file, data)
            os.fsync(self._file)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, end)
            error.filename = str(self.path)  # a descriptor has no name of its own
            raise
        self._end = end + len(data)
        self._keys.add(key)

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            hint = "wait until it ends, or write to another place"
            raise InputError(
                str(self.path), "a file of rows that nobody writes to", "one in use", hint
            ) from error

    def _whole_rows(self) -> tuple[list[RowJson], int]:
        """Return the rows, and the bytes that they take; what a kill left of a last one comes after these."""
        size = os.fstat(self._file).st_size
        data = os.pread(self._file, size, 0) if size else b""
        while len(data) < size and (more := os.pread(self._file, size - len(data), len(data))):
            data += more
        whole = data.rfind(b"\n") + 1
        return _parsed_rows(data[:whole], self.path, self._key)


def row_text(row: Mapping[str, object]) -> str:
    """Return a row as JSON in one line of ASCII."""
    return json.dumps(row, sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def read_rows(path: Path, key: RowKey) -> list[RowJson]:
    """Return the rows of a file that another process may be writing; none where there is no file.

    A last row that is not whole is left out. Raises :class:`InputError` as :class:`Journal` does.
    """
    data = read_bytes(path, MAX_BYTES) if path.exists() else b""
    return _parsed_rows(data[: data.rfind(b"\n") + 1], path, key)[0]


def _parsed_rows(data: bytes, path: Path, key: RowKey) -> tuple[list[RowJson], int]:
    """Parse whole lines; return the rows, and the bytes that they take.

    A last line that is no JSON counts as cut off: a machine that lost its power may leave one of zeros.
    Raises :class:`InputError` for any other line that is no row, and for two rows of one key.
    """
    rows: list[RowJson] = []
    keys: set[str] = set()
    end = 0
    lines = data.split(b"\n")[:-1]
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        if len(line) > MAX_LINE:
            raise InputError(where, f"a row of at most {MAX_LINE} bytes", str(len(line)))
        try:
            row = parse_json(line.decode("ascii"), str(path), values=MAX_VALUES, line=number)
        except (InputError, UnicodeDecodeError) as error:
            if number == len(lines):
                break
            hint = "the file was changed; move it away to begin anew"
            raise InputError(where, "a row", clip(line[:80].decode("ascii", "replace")), hint) from error
        if not isinstance(row, dict):
            raise InputError(where, "a row", clip(row))
        if (name := key(row, where)) in keys:
            raise InputError(where, "each row once", f"{clip(name)} twice")
        keys.add(name)
        rows.append(row)
        end += len(line) + 1
    return rows, end


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all, also after a loss of power."""
    part = path.with_name(path.name + ".part")
    file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    try:
        _write_all(file, text.encode())
        os.fsync(file)
    except OSError as error:
        error.filename = str(path)  # a descriptor has no name of its own
        raise
    finally:
        os.close(file)
    os.replace(part, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _write_all(file: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(file, left) :]
