"""A file of rows: one JSON object a line, appended and never rewritten, each on disk before the next.

Whatever ends the work that makes them, a kill in the middle of a line or a full disk, what is in the file by
then are whole rows, and perhaps a part of one at its end, whose place the next row takes. Until then the file
is as it was, so that one that turns out to be something else is not hurt. Only one process may have the file
open for writing: it holds a lock. The order of rows is that in which they were made, and means nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from ..domains.errors import InputError, clip
from ..domains.files import bounded_lines, open_regular, parse_json
from ..domains.storage.own_file import ClosedAtEnd, OwnFile, is_cut_off

MAX_LINE = 64 * 2**20
"""Most bytes of one row."""

MOST = 2**53
"""The largest number in a row: up to here whole numbers of JSON are exact everywhere."""
_LARGE = re.compile(rb"\d{16}|\d[eE]\+?\d")

RowJson = dict[str, Any]
RowKey = Callable[[Mapping[str, Any], str], str]
"""What tells rows apart: given a row and where it stands, its key.

Raises :class:`InputError` for a row of another kind.
"""


class Journal(ClosedAtEnd):
    """The rows of a file, open for appending. Close it, or use it as a context.

    ``key`` tells rows apart, and no two have the same. ``begins`` is how every row begins, so that a file of
    something else is known even where a kill left a part of the first row. ``redact`` takes secrets out of
    the text of a row, and leaves JSON.
    Raises :class:`InputError` for a file that another process has open, or that holds something else.
    """

    def __init__(self, path: Path, key: RowKey, begins: bytes, redact: Callable[[str], str] = str) -> None:
        self.path = path
        self._key, self._begins = key, begins
        self._redact = redact
        self._file = OwnFile(path, (begins,), "a file of rows")
        with ExitStack() as opening:
            opening.callback(self.close)
            self._keys: set[str] = set()
            self._file.end = 0
            for row, end in self._whole_rows():
                self._keys.add(key(row, str(path)))
                self._file.end = end
            opening.pop_all()  # it stays open where nothing went wrong

    def __contains__(self, key: str) -> bool:
        """Return whether the row of a key is there."""
        return key in self._keys

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def empty(self) -> bool:
        """True when the file has nothing, not even a part of a row."""
        return self._file.empty

    def rows(self) -> Iterator[RowJson]:
        """Yield the rows that are there, each read anew from the file; none may be appended meanwhile."""
        return (row for row, _ in self._whole_rows())

    def close(self) -> None:
        """Give up the file, and the lock on it."""
        self._file.close()

    def append(self, row: Mapping[str, object]) -> None:
        """Write a row; when this returns, it is on the disk.

        Raises ``ValueError`` for a second row of a key, and ``OSError`` where a row could not be written; the
        file is then as before, as far as that can be.
        """
        if (key := self._key(row, str(self.path))) in self._keys:
            raise ValueError(f"{key} has a row")
        self._file.append(self._redact(row_text(row)).encode("ascii") + b"\n")
        self._keys.add(key)

    def _whole_rows(self) -> Iterator[tuple[RowJson, int]]:
        with self._file.read() as file:
            yield from _rows(file, self.path, self._key, self._begins)


def refuse_numbers(text: bytes, value: object, where: str) -> None:
    """Refuse JSON with a number beyond :data:`MOST`, which sums and tables could not hold.

    ``text`` is the JSON itself: only one that has as many digits, or an exponent, is looked through. Raises
    :class:`InputError`.
    """
    left = [value] if _LARGE.search(text) else []
    while left:
        one = left.pop()
        if isinstance(one, dict | list):
            left += one.values() if isinstance(one, dict) else one
        elif isinstance(one, int | float) and abs(one) > MOST:
            raise InputError(where, f"numbers of at most {MOST} in size", "a larger one")


def row_text(row: Mapping[str, object]) -> str:
    """Return a row as JSON in one line of ASCII."""
    return json.dumps(row, sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def read_rows(path: Path, key: RowKey, begins: bytes) -> list[RowJson]:
    """Return the rows of a file that another process may be writing; none where there is no file.

    A last row that is not whole is left out. Raises :class:`InputError` as :class:`Journal` does.
    """
    if not path.exists():
        return []
    try:
        with open_regular(path) as file:
            return [row for row, _ in _rows(file, path, key, begins)]
    except OSError as error:
        raise InputError(clip(str(path), 200), "a readable file", error.strerror or "") from error


def _rows(file: BinaryIO, path: Path, key: RowKey, begins: bytes) -> Iterator[tuple[RowJson, int]]:
    """Yield the whole rows of a file, each with the bytes up to its end.

    A last row without its end counts as cut off, and so do a part of one and the zeros that a loss of power
    leaves. Raises :class:`InputError` for any other line that is no row, and for two rows of one key.
    """
    keys: set[str] = set()
    end = 0
    lines = bounded_lines(file, clip(str(path), 200), MAX_LINE)
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        try:
            row = parse_json(line.decode("ascii"), str(path), line=number)
        except (InputError, UnicodeDecodeError) as error:
            if is_cut_off(line, begins) and not next(lines, b""):
                return
            hint = "the file was changed; move it away to begin anew"
            raise InputError(where, "a row", clip(line[:80].decode("ascii", "replace")), hint) from error
        if not isinstance(row, dict):
            raise InputError(where, "a row", clip(row))
        refuse_numbers(line, row, where)
        name = key(row, where)
        if not line.endswith(b"\n"):
            return
        if name in keys:
            raise InputError(where, "each row once", f"{clip(name)} twice")
        keys.add(name)
        end += len(line)
        yield row, end
