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
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path

from ...domains.errors import InputError, SceneError, UnsupportedInput, clip, did_you_mean
from ...domains.files import decode_text, read_bytes
from ...simulator.scene import Scene
from ...simulator.scene_json import MAX_BYTES
from ...simulator.scene_json import parse_json as parse_scene_json

HEAD = 4096
"""Bytes by which a file is recognised or described."""
GZIP = b"\x1f\x8b"
MAX_TEXT = 128_000_000
"""Most bytes of a file that is text, inflated: a Spark-DSG file of 100,000 nodes has 99 million."""


@dataclass(frozen=True)
class Content:
    """A file or a folder.

    ``item`` picks one scene of a file that holds several, by its id or number; ``default_name`` names a scene
    that the file does not name; ``labels`` are words for numbers of a format that has numbers.
    """

    path: Path
    item: str = ""
    default_name: str = ""
    labels: Mapping[int, str] = field(default_factory=dict)

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

    @property
    def head(self) -> bytes:
        """The first bytes, for detection; none of a folder and of a file that cannot be read."""
        return b"" if self.is_folder or isinstance(self._data, SceneError) else self._data[:HEAD]

    @cached_property
    def _data(self) -> bytes | SceneError:
        """The bytes, or the error of reading them: inflating a large file is not tried again."""
        try:
            return self._read()
        except SceneError as error:
            return error

    def _read(self) -> bytes:
        raw = read_bytes(self.path, MAX_BYTES, SceneError)
        if not raw.startswith(GZIP):
            return raw
        # No more memory is set aside than the file can need: deflate shrinks at most 1032 times.
        most = min(MAX_TEXT, 1100 * len(raw))
        try:
            with gzip.open(io.BytesIO(raw)) as inflated:
                data = inflated.read(most + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise SceneError(self.where, "a whole gzip file", str(error)) from error
        if len(data) > most:
            raise SceneError(self.where, f"at most {MAX_TEXT} bytes", "more")
        return data

    @cached_property
    def text(self) -> str:
        """The text. Raises :class:`SceneError` where it is not UTF-8."""
        if len(self.data) > MAX_TEXT:
            raise SceneError(self.where, f"at most {MAX_TEXT} bytes of text", "more")
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
        return parse_scene_json(self.text, self.where)


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
    labelled: bool = False
    """True if files may have numbers for words, which ``Content.labels`` names."""


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


def unchosen(
    where: str, kind: str, item: str, names: Collection[str], error: type[InputError] = SceneError
) -> InputError:
    """Return the error of an item that picks none of several, or of none where there are several."""
    got = clip(item) if item else f"{len(names)} {kind.split()[-1]}s"
    close = did_you_mean(item, names) if item else ""
    hint = "; ".join(filter(None, (close, f"choose one: {clip(', '.join(names), 300)}")))
    return error(where, f"a {kind}, or --item for one of several", got, hint)


def json_reader(build: Callable[[object, str, str], Scene]) -> Callable[[Content], Scene]:
    """Return the ``read`` of a JSON format; ``build`` takes the document, its place and the default name."""
    return lambda content: build(content.json, content.where, content.name)


def json_writer(document: Callable[[Scene], object], indent: int | None = 1) -> Callable[[Scene], bytes]:
    """Return the ``write`` of a JSON format from the function that makes its document."""
    return lambda scene: (json.dumps(document(scene), indent=indent) + "\n").encode("ascii")
