"""The formats that scenes are read from and written to.

To add one, write a module with a ``FORMAT`` and name it here. The order matters only for files that satisfy
several: the first wins, so the more particular formats come first.
"""

from __future__ import annotations

from pathlib import Path

from ...domains.errors import InputError, SceneError, clip, did_you_mean
from ...simulator.scene import Scene
from . import (
    bddl,
    context_matters,
    delta,
    lookplangraph,
    native,
    node_link,
    procthor,
    sayplan,
    spark_dsg,
    stanford,
    taskography,
    virtualhome,
)
from .content import Content, Embedded, Format

FORMATS: tuple[Format, ...] = (
    native.FORMAT,
    taskography.FORMAT,
    lookplangraph.FORMAT,
    sayplan.FORMAT,
    virtualhome.FORMAT,
    procthor.FORMAT,
    delta.FORMAT,
    stanford.FORMAT,
    context_matters.FORMAT,
    spark_dsg.FORMAT,
    node_link.FORMAT,
    bddl.FORMAT,
)


def by_name(name: str) -> Format:
    """A format by its name. Raises :class:`InputError` with the nearest names."""
    for known in FORMATS:
        if known.name == name:
            return known
    names = [f.name for f in FORMATS]
    hint = did_you_mean(name, names) or f"formats are {', '.join(names)}"
    raise InputError("format", "the name of a scene format", clip(name), hint)


def by_file_name(name: str) -> Format | None:
    """The format that is written to a file of that name: the one with the longest ending that fits."""
    fits = [(len(end), f) for f in FORMATS for end in f.extensions if name.lower().endswith(end)]
    return max(fits, key=lambda fit: fit[0])[1] if fits else None


def detect(content: Content) -> Format:
    """The format of a file or folder. Raises :class:`SceneError` where none fits, or it cannot be read."""
    for known in FORMATS:
        if known.detect(content):
            return known
    names = ", ".join(f.name for f in FORMATS)
    if content.is_folder:
        raise SceneError(
            content.where, "a scene file, or a folder of a format that is one", "another directory", names
        )
    # Most formats are JSON, so what is wrong with a file is what is wrong with its JSON: a place, at least.
    raw = content.json
    got = "an object" if isinstance(raw, dict) else type(raw).__name__
    if isinstance(raw, dict):
        got = f"an object with the keys {clip(', '.join(map(str, raw)))}" if raw else "an empty object"
    hint = f"formats are told apart by content: {names}"
    raise SceneError(
        content.where, 'an object with a format ("groundplan-scene"), or a format that is read', got, hint
    )


def read(path: Path, form: str = "", item: str = "") -> tuple[Scene, Format]:
    """Read a scene in the named format, or in the one its content shows. Raises :class:`SceneError`."""
    content = Content(path, item)
    chosen = by_name(form) if form else detect(content)
    return chosen.read(content), chosen


def read_json(value: object, where: str) -> Scene:
    """Read a scene that is part of a larger JSON document. Raises :class:`SceneError`."""
    content = Embedded(Path(where), value=value)
    return detect(content).read(content)
