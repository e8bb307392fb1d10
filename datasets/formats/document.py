"""Checked reading of parsed documents: every value with its type and its place in the message if it is wrong.

All functions that read a value take it, of parsed JSON, with its place, and raise :class:`SceneError`. Most
formats rely on them: add a function for another kind of value rather than accept more in one of these.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from ...domains.errors import SceneError, clip
from ...simulator.scene import Position
from ...simulator.scene_json import parse_json
from .content import Content

MAX_COORDINATE = 1e9
"""Metres from the origin, at most."""


def as_object(value: object, at: str) -> Mapping[str, object]:
    """Return an object of JSON."""
    if not isinstance(value, dict):
        raise SceneError(at, "an object", clip(value))
    return value


def object_lines(content: Content) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the object of JSON on each line of a file that is not blank, with its place before it."""
    for number, line in enumerate(content.text.splitlines(), 1):
        if line.strip():
            at = f"{content.where}: line {number}"
            yield at, as_object(parse_json(line, at), at)


def as_list(value: object, at: str) -> list[object]:
    """Return a list."""
    if not isinstance(value, list):
        raise SceneError(at, "a list", clip(value))
    return value


def objects(value: object, at: str) -> list[tuple[str, Mapping[str, object]]]:
    """Return the objects of a list, each with its place before it."""
    listed = ((f"{at}[{index}]", entry) for index, entry in enumerate(as_list(value, at)))
    return [(place, as_object(entry, place)) for place, entry in listed]


def as_name(value: object, at: str) -> str:
    """Return a name: a string that is not empty, or a whole number, which many graphs use."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value) if abs(value) < 10**30 else ""
    if not isinstance(value, str) or not value:
        raise SceneError(at, "a name or a number", clip(value))
    return value


def as_words(value: object, at: str) -> tuple[str, ...]:
    """Return a list of words, each once; none for ``null``, and a string is one word."""
    if value is None:
        return ()
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise SceneError(at, "a list of words", clip(value))
    return tuple(dict.fromkeys(v for v in value if v))


def as_number(value: object, at: str, expected: str = "a number") -> float:
    """Return a finite number of at most :data:`MAX_COORDINATE`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MAX_COORDINATE:
        raise SceneError(at, expected, clip(value))
    return float(value)


def as_point(value: object, at: str) -> Position | None:
    """Return three numbers in metres, from a list or under x, y and z; ``None`` for ``null``."""
    if value is None:
        return None
    if isinstance(value, dict) and {"x", "y", "z"} <= set(value):
        value = [value["x"], value["y"], value["z"]]
    if not isinstance(value, list) or len(value) != 3:
        raise SceneError(at, "three numbers in metres", clip(value))
    x, y, z = (as_number(v, at, "three numbers in metres") for v in value)
    return (x, y, z)


def distance(*points: Position | None) -> float | None:
    """Return the metres along points, to the millimetre; ``None`` where a point is missing."""
    given = [p for p in points if p is not None]
    if len(given) < len(points):
        return None
    return round(sum(math.dist(a, b) for a, b in pairwise(given)), 3)


@dataclass(frozen=True, slots=True)
class RawEntry:
    """An object of a document with its place, whose values are read by their keys."""

    fields: Mapping[str, object]
    at: str

    def has(self, key: str) -> bool:
        """Return whether there is a value that is not null."""
        return self.fields.get(key) is not None

    def name(self, key: str) -> str:
        return as_name(self.fields.get(key), f"{self.at}.{key}")

    def number(self, key: str, usual: float | None = None) -> float:
        """Return a number; the usual one where there is none."""
        value = self.fields.get(key)
        return as_number(usual if value is None else value, f"{self.at}.{key}")

    def list(self, key: str) -> list[object]:
        return as_list(self.fields.get(key), f"{self.at}.{key}")

    def entry(self, key: str) -> RawEntry:
        return RawEntry(as_object(self.fields.get(key), f"{self.at}.{key}"), f"{self.at}.{key}")

    def text(self, key: str) -> str:
        """Return a text; an empty one where there is none."""
        value = self.fields.get(key)
        if value is not None and not isinstance(value, str):
            raise SceneError(f"{self.at}.{key}", "text", clip(value))
        return value or ""

    def flag(self, key: str) -> bool:
        """Return a truth value; false where there is none."""
        value = self.fields.get(key)
        if value is not None and not isinstance(value, bool):
            raise SceneError(f"{self.at}.{key}", "true or false", clip(value))
        return bool(value)
