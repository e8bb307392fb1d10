"""SayPlan's node-link JSON (the paper, appendices K and L) as a format.

Reading and writing are ``simulator.sayplan_json``, since views of a scene are shown to models in it; the
paper fixes the fields. Only the detection of a file may be changed here.
"""

from __future__ import annotations

from ...simulator.sayplan_json import from_sayplan, to_sayplan
from ...simulator.scene import Scene
from .content import Content, Format, json_reader, json_writer
from .losses import differences


def _detect(content: Content) -> bool:
    raw = content.json_or_none
    return isinstance(raw, dict) and "format" not in raw and isinstance(raw.get("nodes"), dict)


def _loses(scene: Scene) -> tuple[str, ...]:
    return differences(scene, from_sayplan(to_sayplan(scene), "again"))


FORMAT = Format(
    "sayplan",
    "SayPlan node-link JSON",
    _detect,
    json_reader(from_sayplan),
    json_writer(to_sayplan),
    _loses,
    (".sayplan.json",),
)
