"""JSON documents that are too large to be decoded as a whole, entry by entry.

A large document of a scene is an object with a few long lists. :func:`open_streamed` decodes it once, to see
that it is JSON, and keeps all but those lists, in whose places are :class:`Entries`: each time that they are
gone through they decode one entry after the other from the bytes of the file, and keep none. So a reader
needs memory for the scene that it makes, and not for the document. No entry of a list, and not all that is
kept together, may need more than :data:`MAX_VALUE` bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from ...domains.deadline import check_time
from ...domains.errors import SceneError, clip
from ...domains.files import JsonMemory, RepeatedKey, unique_keys
from ...simulator.scene_json import WORK

MAX_VALUE = 100_000_000
"""Bytes of memory that one entry may need while it is decoded, and all that is kept beside the lists."""

MAX_KEYS = 1000
"""Most keys of the document itself; such documents have about ten."""

_WINDOW = 1 << 18
"""Bytes of the file that are decoded to characters at once."""

_STEP = 1 << 23
"""Most bytes by which that grows at once for a large value: it is refused before it is far too big."""

_WIDER = 2 * 3
"""Bytes for each character of a text and its copy, where one wide character makes all of them wide."""

_SPACES = " \t\n\r"


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries of a list, decoded anew each time that they are gone through."""

    data: bytes
    where: str
    start: int
    """The byte after the opening bracket."""

    count: int

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[object]:
        for index, entry in enumerate(_Cursor(self.data, self.where, self.start).entries()):
            if index % 1000 == 0:
                check_time(WORK)
            yield entry


def open_streamed(data: bytes, where: str) -> dict[str, object]:
    """Return the object of a JSON text in UTF-8 with its lists as :class:`Entries`.

    Raises :class:`SceneError` with the line for what is not JSON, holds one key twice, has more than
    :data:`MAX_KEYS` keys, or needs more than :data:`MAX_VALUE` bytes for an entry or for all that is kept.
    """
    cursor = _Cursor(data, where, 0)
    cursor.take("{")
    document: dict[str, object] = {}
    kept = JsonMemory()
    more = cursor.peek() != "}"
    while more:
        key = cursor.value()
        if not isinstance(key, str) or key in document:
            cursor.fail("keys that are texts, each once", clip(key))
        if len(document) == MAX_KEYS:
            cursor.fail(f"an object of at most {MAX_KEYS} keys", "more")
        cursor.take(":")
        if cursor.peek() == "[":
            cursor.take("[")
            start = cursor.offset()
            count = sum(1 for _ in cursor.entries())
            document[key] = Entries(data, where, start, count) if count else []
        else:
            start = cursor.offset()
            document[key] = cursor.value()
            kept.add(data[start : cursor.offset()].decode("latin-1"))
            if kept.total > MAX_VALUE:
                cursor.fail_for_memory()
        more = cursor.peek() == ","
        if more:
            cursor.take(",")
    cursor.take("}")
    if cursor.peek():
        cursor.fail("the end of the file", clip(cursor.peek()))
    return document


class _Cursor:
    """A place in a JSON text of which a part at a time is decoded to characters."""

    def __init__(self, data: bytes, where: str, start: int) -> None:
        self.data, self.where = data, where
        self.read = start
        """Bytes of the file that were decoded to characters, from its beginning."""
        self.text = ""
        self.at = 0
        """The next character of ``text``."""
        self.decoder = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=unique_keys)

    def offset(self) -> int:
        """Return the place of the next character in the file, in bytes."""
        return self.read - len(self.text[self.at :].encode("utf-8"))

    def fail(self, expected: str, got: str) -> NoReturn:
        line = self.data.count(b"\n", 0, self.offset()) + 1
        raise SceneError(f"{self.where}:{line}", expected, got)

    def fail_for_memory(self) -> NoReturn:
        self.fail(f"values that need at most {MAX_VALUE // 10**6} MB of memory", "more")

    def grow(self, size: int = _WINDOW) -> bool:
        """Decode more of the file; return whether there was more."""
        end = min(self.read + size, len(self.data))
        while end < len(self.data) and self.data[end] & 0xC0 == 0x80 and end > self.read:
            end -= 1  # a character is not cut
        piece = self.data[self.read : end]
        try:
            self.text = self.text[self.at :] + piece.decode("utf-8")
        except UnicodeDecodeError as error:
            place = f"byte {self.read + error.start}: {error.reason}"
            raise SceneError(self.where, "UTF-8 text", place) from error
        self.at, self.read = 0, end
        return bool(piece)

    def peek(self) -> str:
        """Return the next character that is no space, empty at the end of the file."""
        while True:
            while self.at < len(self.text):
                if self.text[self.at] not in _SPACES:
                    return self.text[self.at]
                self.at += 1
            if not self.grow():
                return ""

    def take(self, sign: str) -> None:
        """Go past a sign that has to be next."""
        if (got := self.peek()) != sign:
            self.fail(f"JSON with {sign!r} here", clip(got) if got else "the end of the file")
        self.at += 1

    def value(self) -> object:
        """Decode the next value."""
        self.peek()
        while True:
            try:
                value, end = self.decoder.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                value, end, problem = None, len(self.text), error.msg
            except RepeatedKey as error:
                self.fail("keys that an object has once", str(error))
            except (RecursionError, ValueError) as error:
                self.fail("JSON of ordinary depth and numbers", clip(str(error)))
            else:
                problem = ""
                if end < len(self.text):  # a number might go on behind the last character
                    self.at = end
                    return value
            size = len(self.text) - self.at
            if size > 4 * _WINDOW:
                needed = JsonMemory(0 if self.text.isascii() else _WIDER * size)
                needed.add(self.text[self.at :])
                if needed.total > MAX_VALUE:
                    self.fail_for_memory()
            if not self.grow(min(max(_WINDOW, size), _STEP)):
                if problem:
                    self.fail("JSON", f"{problem} (the file may be truncated)")
                self.at = end
                return value

    def entries(self) -> Iterator[object]:
        """Yield the values of a list, from behind its opening bracket to behind the closing one."""
        if self.peek() == "]":
            self.at += 1
            return
        while True:
            yield self.value()
            if self.peek() != ",":
                break
            self.at += 1
        self.take("]")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
