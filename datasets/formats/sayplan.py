"""SayPlan's node-link JSON (the paper, appendices K and L) as a format.

Reading and writing are ``simulator.sayplan_json``, since views of a scene are shown to models in it; the
paper fixes the fields. Only the detection of a file may be changed here.
"""

from __future__ import annotations

from ...simulator.sayplan_json import from_sayplan, to_sayplan
from ...simulator.scene import NODE_TYPES, Scene
from .content import Content, Format, json_reader, json_writer
from .losses import differences


def _detect(content: Content) -> bool:
    raw = content.json_or_none
    if not isinstance(raw, dict) or "format" in raw:
        return False
    nodes = raw.get("nodes")
    if isinstance(nodes, list):  # with links as objects it is a node-link graph, of any program
        types = [entry.get("type") for entry in nodes if isinstance(entry, dict)]
        links = raw.get("links", raw.get("edges"))
        plain = isinstance(links, list) and not any(isinstance(link, dict) for link in links)
        return plain and "directed" not in raw and bool(nodes) and all(t in NODE_TYPES for t in types)
    return isinstance(nodes, dict)


def _written(scene: Scene) -> dict[str, object]:
    return to_sayplan(scene, extra=True)


def _loses(scene: Scene) -> tuple[str, ...]:
    return differences(scene, from_sayplan(_written(scene), "again"))


FORMAT = Format(
    "sayplan",
    "SayPlan node-link JSON",
    _detect,
    json_reader(from_sayplan),
    json_writer(_written),
    _loses,
    (".sayplan.json",),
)
