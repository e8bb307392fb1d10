"""SayPlan's node-link JSON (the paper, appendices K and L) as a format.

Reading and writing are ``simulator.sayplan_json``, since views of a scene are shown to models in it.
"""

from __future__ import annotations

import json

from ...simulator.sayplan_json import from_sayplan, to_sayplan
from ...simulator.scene import Scene
from .content import Content, Format
from .losses import differences


def _detect(content: Content) -> bool:
    raw = content.json_or_none
    return isinstance(raw, dict) and "format" not in raw and isinstance(raw.get("nodes"), dict)


def _read(content: Content) -> Scene:
    return from_sayplan(content.json, content.where, content.name)


def _write(scene: Scene) -> bytes:
    return (json.dumps(to_sayplan(scene), indent=1, ensure_ascii=True) + "\n").encode("ascii")


def _loses(scene: Scene) -> tuple[str, ...]:
    return differences(scene, from_sayplan(to_sayplan(scene), "again"))


FORMAT = Format("sayplan", "SayPlan node-link JSON", _detect, _read, _write, _loses, (".sayplan.json",))
