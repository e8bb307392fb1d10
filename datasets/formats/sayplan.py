"""SayPlan's node-link JSON (the paper, appendices K and L) as a format.

Reading and writing are ``simulator.sayplan_json``, since views of a scene are shown to models in it; the
paper fixes the fields. Only the detection of a file may be changed here.
"""

from __future__ import annotations

from dataclasses import replace

from ...simulator.sayplan_json import from_sayplan, to_sayplan
from ...simulator.scene import Scene
from .content import Content, Format, json_reader, json_writer
from .losses import differences
from .unread import parts_left


def _detect(content: Content) -> bool:
    raw = content.json_or_none
    return isinstance(raw, dict) and "format" not in raw and isinstance(raw.get("nodes"), dict)


def _read(raw: object, where: str, default_name: str) -> Scene:
    scene = from_sayplan(raw, where, default_name)
    document = raw if isinstance(raw, dict) else {}
    return replace(scene, losses=tuple(parts_left(document, ("nodes", "links", "name"))))


def _loses(scene: Scene) -> tuple[str, ...]:
    return differences(scene, from_sayplan(to_sayplan(scene), "again"))


FORMAT = Format(
    "sayplan",
    "SayPlan node-link JSON",
    _detect,
    json_reader(_read),
    json_writer(to_sayplan),
    _loses,
    (".sayplan.json",),
)
