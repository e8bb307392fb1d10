"""The content of a file, read once and within bounds, and the interface of a scene format.

Detection tries every format on the same file, so bytes, text and parsed JSON are kept. Compressed files are
inflated up to the same limit as plain ones: a small file that inflates without end is refused, not read.
Formats must read files through :class:`Content` only, so that its bounds hold for all of them; the bounds
themselves are those of ``simulator.scene_json``.
"""

from __future__ import annotations

import gzip
import io
import json
import os.path
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from ...domains.errors import InputError, SceneError, UnsupportedInput, clip
from ...domains.files import (
    MAX_MEMORY,
    MOST_BYTES_A_CHARACTER,
    PIECE,
    JsonMemory,
    decode_text,
    open_regular,
    parse_json,
    read_bytes,
)
from ...simulator.scene import Scene
from ...simulator.scene_json import MAX_BYTES, MAX_VALUES
from .streamed import open_streamed

GZIP = b"\x1f\x8b"
LARGE = 1 << 25
"""Bytes of a file that is looked through before it is read as a whole."""

MAX_STREAMED = 128_000_000
"""Bytes of a document that is read entry by entry: a Spark-DSG file of 100,000 nodes has 99 million."""

HEAD = 1 << 16
MOST_DENSE = 14
"""Bytes of memory for each byte of a large scene: generated ones need 10, lists of lists 26."""

LINES = 4
"""Bytes of memory for each byte of a file of scenes, one a line: its bytes, its characters, and its lines."""

A_LINE = 70
"""Bytes of memory that a line needs beyond its characters."""

_STREAMED = re.compile(
    rb'\A\{\s*"(?:SPARK_DSG_header|directed|edges|layer_\w+|metadata|multigraph|nodes)"\s*:'
)
_STREAMED_KEYS = frozenset(("SPARK_DSG_header", "layer_keys", "layer_ids"))
"""Keys of the one format that is read entry by entry, one of which such a document has."""

_LINE = re.compile(rb"\{[^\n]+\}\s*\n")
_WIDEST = re.compile(rb"[\xf0-\xf4]")


@dataclass(frozen=True)
class Content:
    """A file or a folder.

    ``item`` picks one scene of a file that holds several, by its id or number; ``default_name`` names a scene
    that the file does not name.
    """

    path: Path
    item: str = ""
    default_name: str = ""

    _streamed: bool = field(default=False, init=False, compare=False, repr=False)
    """True once a document is read that is too large to be decoded as a whole."""

    @property
    def where(self) -> str:
        """The place in messages."""
        return str(self.path)

    @property
    def name(self) -> str:
        """The name of a scene that the file does not name."""
        return self.default_name or self.where

    def expect_no_item(self) -> None:
        """Refuse an item of what is one scene. Raises :class:`UnsupportedInput`."""
        if self.item:
            problem = f"it is one scene, --item {clip(self.item)} picks nothing"
            raise UnsupportedInput(self.where, problem, "leave --item out")

    @property
    def is_folder(self) -> bool:
        return os.path.isdir(self.path)  # unlike Path.is_dir it answers for names that are too long

    @property
    def data(self) -> bytes:
        """The bytes, inflated where they are gzip. Raises :class:`SceneError` if the file cannot be read."""
        data = self._data
        if isinstance(data, SceneError):
            raise data.with_traceback(None)
        return data

    @cached_property
    def _data(self) -> bytes | SceneError:
        """The bytes, or the error of reading them: inflating a large file is not tried again."""
        try:
            return self._read()
        except SceneError as error:
            return error

    def _read(self) -> bytes:
        streamed = self._look_through()
        raw = read_bytes(self.path, MAX_BYTES, SceneError)
        if not raw.startswith(GZIP):
            if streamed is None:
                pieces = (raw[start : start + PIECE] for start in range(0, len(raw), PIECE))
                streamed = check_memory(pieces, self.where, packed=False)
            object.__setattr__(self, "_streamed", streamed)
            return raw
        # No more memory is set aside than the file can need: deflate shrinks at most 1032 times.
        most = min(MAX_BYTES, 1100 * len(raw))
        try:
            with gzip.open(io.BytesIO(raw)) as inflated:
                check_memory(_read_pieces(inflated, most), self.where, packed=True)
                inflated.seek(0)
                data = inflated.read(most + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise SceneError(self.where, "a whole gzip file", str(error)) from error
        if len(data) > most:
            raise SceneError(self.where, f"at most {MAX_BYTES} bytes", "more")
        return data

    def _look_through(self) -> bool | None:
        """Look through a large plain file before it is read: refused, it is never in memory as a whole.

        Returns what :func:`check_memory` does, and ``None`` for a file that is small, packed or not there.
        """
        try:
            if os.path.getsize(self.path) <= LARGE:
                return None
            file = open_regular(self.path)
        except (OSError, ValueError, InputError):
            return None  # reading it says what is wrong: a null byte in the name, a folder, a pipe
        with file:
            packed = file.read(len(GZIP)) == GZIP
            file.seek(0)
            if not packed:
                return check_memory(_read_pieces(file, MAX_BYTES), self.where, packed)
            if os.path.getsize(self.path) > MAX_MEMORY:
                raise SceneError(self.where, f"at most {MAX_MEMORY} bytes of gzip", "more")
        return None

    @cached_property
    def text(self) -> str:
        """The text. Raises :class:`SceneError` where it is not UTF-8."""
        # Some programs begin a file with a byte order mark.
        return decode_text(self.data.removeprefix(BOM_UTF8), self.where, SceneError)

    @property
    def json(self) -> object:
        """The parsed JSON. Raises :class:`SceneError` with line and column."""
        value = self._json
        if isinstance(value, SceneError):
            raise value.with_traceback(None)
        return value

    @property
    def json_or_none(self) -> object:
        """The parsed JSON for detection; ``None`` for a folder and for other files."""
        return None if self.is_folder or isinstance(self._json, SceneError) else self._json

    @cached_property
    def _json(self) -> object:
        """The parsed JSON, or the error of reading or parsing it."""
        try:
            return self._parsed()
        except SceneError as error:
            return error

    def _parsed(self) -> object:
        data = self.data
        if self._streamed:
            document = open_streamed(data, self.where)
            if _STREAMED_KEYS.isdisjoint(document):
                raise _too_much(self.where)
            return document
        text = self.text
        # A scene has more than 8 bytes for each value. Only a file that is that large may hold very many, and
        # no small one that is inflated. The memory that it needs was bounded when it was read.
        values = max(MAX_VALUES, os.path.getsize(self.path) // 8)
        memory = len(text) * MOST_BYTES_A_CHARACTER
        return parse_json(text, self.where, SceneError, values, memory=memory, unique=True)


def _read_pieces(file: io.BufferedIOBase | BinaryIO, most: int) -> Iterator[bytes]:
    """Yield a file in pieces, to one byte more than ``most``."""
    left = most + 1
    while left > 0 and (piece := file.read(min(PIECE, left))):
        left -= len(piece)
        yield piece


def check_memory(pieces: Iterable[bytes], where: str, packed: bool) -> bool:
    """Refuse a file that would need more than :data:`MAX_MEMORY` bytes, before it is in memory as a whole.

    Returns whether it has to be read entry by entry, because it would need more as a whole: a plain file of
    JSON that begins as a Spark-DSG file does, has at most :data:`MAX_STREAMED` bytes, and is no denser than
    such files are. Raises :class:`SceneError`.
    """
    needed, length, wide, begin, most, split = JsonMemory(), 0, 1, b"", 0, 0
    streamed = lines = False
    for piece in pieces:
        if not length or begin == b"":
            begin = piece.removeprefix(BOM_UTF8).lstrip()
            streamed = not packed and _STREAMED.search(begin) is not None
            lines = not packed and _LINE.match(begin) is not None
            begin = begin[:HEAD]
        length += len(piece)
        if not piece.isascii():  # a character that is wide makes every one of the text wide
            wide = max(wide, 4 if _WIDEST.search(piece) else 2)
        if begin.startswith((b"{", b"[", b'"')):
            if lines and b"\n" in piece:  # one line at a time is decoded
                most, needed = max(most, needed.total), JsonMemory()
                split += piece.count(b"\n")
            needed.add(piece.decode("latin-1"))
            total = max(most, needed.total) + (wide - 1) * 2 * length
            total += LINES * length + A_LINE * split if lines else 0
        else:
            total = length if begin.startswith(b"PK") else (1 + wide) * length
        if total > MAX_MEMORY and not (streamed and length <= MAX_STREAMED and total <= MOST_DENSE * length):
            raise _too_much(where, "a large scene is read from a plain file" if packed else "")
    return bool(length) and total > MAX_MEMORY


def _too_much(where: str, hint: str = "") -> SceneError:
    return SceneError(where, f"a file that needs at most {MAX_MEMORY // 10**6} MB of memory", "more", hint)


@dataclass(frozen=True)
class Embedded(Content):
    """A scene inside a larger JSON document; the path is its place in messages."""

    value: object = None

    @property
    def is_folder(self) -> bool:
        return False

    def _read(self) -> bytes:
        return json.dumps(self.value).encode("ascii")

    def _parsed(self) -> object:
        return self.value


@dataclass(frozen=True, slots=True)
class Format:
    """One scene format.

    ``detect`` decides from the content alone, is cheap and raises nothing. ``read`` raises
    :class:`SceneError` with a place. ``write`` returns the bytes of a file, and ``loses`` a line for each
    property of the scene that the format cannot hold; both are absent for formats that are only read.
    """

    name: str
    title: str
    detect: Callable[[Content], bool]
    read: Callable[[Content], Scene]
    write: Callable[[Scene], bytes] | None = None
    loses: Callable[[Scene], tuple[str, ...]] | None = None
    extensions: tuple[str, ...] = ()
    """Endings of file names that mean this format when writing, longest first."""
    several: bool = False
    """True if a file or folder may hold several scenes, of which ``Content.item`` picks one."""


NAMED = 5
"""Scenes of a file that a message names."""


def scene_id(scene: object) -> str:
    """Return the id of one of several scenes, or its name; empty where it has none."""
    given = scene.get("id", scene.get("name")) if isinstance(scene, dict) else None
    return given if isinstance(given, str) else ""


def choice(scenes: Iterable[object], number: int) -> str:
    """Say how one of several scenes in a file is chosen: by the first ids, and the numbers of all."""
    ids = [name for name in map(scene_id, islice(scenes, NAMED)) if name]
    more = ", .." if ids and number > len(ids) else ""
    named = f"its id ({clip(', '.join(ids), 300)}{more}) or " if ids else ""
    return f"choose one by {named}a number from 1 to {number}"


def json_reader(build: Callable[[object, str, str], Scene]) -> Callable[[Content], Scene]:
    """Return the ``read`` of a JSON format; ``build`` takes the document, its place and the default name."""
    return lambda content: build(content.json, content.where, content.name)


def json_writer(document: Callable[[Scene], object], indent: int | None = 1) -> Callable[[Scene], bytes]:
    """Return the ``write`` of a JSON format from the function that makes its document."""
    return lambda scene: (json.dumps(document(scene), indent=indent) + "\n").encode("ascii")
