"""The package's own scene JSON as a format; it holds everything that a scene has.

Reading and writing are ``simulator.scene_json``; a change of the format belongs there, with a new version.
"""

from __future__ import annotations

from dataclasses import replace

from ...simulator.scene import Loss, Scene
from ...simulator.scene_json import FORMAT as MARK
from ...simulator.scene_json import scene_from_json, scene_text
from .content import Content, Format, json_reader
from .losses import no_losses

NOTES = ("source", "license")
"""Keys of a file that are notes on it, and no part of a scene."""


def _detect(content: Content) -> bool:
    raw = content.json_or_none
    return isinstance(raw, dict) and raw.get("format") == MARK


def _read(raw: object, where: str, default_name: str) -> Scene:
    scene = scene_from_json(raw, where, default_name)
    notes = [key for key in NOTES if isinstance(raw, dict) and raw.get(key)]
    losses = tuple(Loss("field", key, "a note on the file, which a scene does not hold") for key in notes)
    return replace(scene, losses=(*scene.losses, *losses)) if losses else scene


def _write(scene: Scene) -> bytes:
    # Half a surrogate pair, which JSON can hold and UTF-8 cannot, is written as JSON's escape.
    return scene_text(scene).encode("utf-8", "backslashreplace")


FORMAT = Format(
    "groundplan",
    "groundplan scene JSON",
    _detect,
    json_reader(_read),
    _write,
    no_losses,
    (".json",),
)
