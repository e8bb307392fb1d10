"""Memory graph of LookPlanGraph as a model reads it (Onishchenko et al., 2025, appendix A.1.2)."""

from __future__ import annotations

from collections.abc import Iterable

from ...simulator.scene import Node, Scene
from ...simulator.view import LEVELS


def memory_graph(shown: Iterable[Node], scene: Scene, descriptions: bool = False) -> dict[str, object]:
    """Return nodes of a scene as JSON, in the order of :data:`LEVELS`, assets, objects and the robot.

    Poses are left out. Attributes stand as ``properties``; levels above rooms, which that paper does not
    have, have their names, and ``descriptions``, which it does not have either, a key of their own.
    """
    groups: dict[str, list[dict[str, object]]] = {}
    for node in shown:
        match node.type:
            case "pose":
                continue
            case "agent":
                entry = _agent(node, scene)
            case "object":
                entry = {"relation": node.relation, "related_to": node.parent, "states": list(node.state)}
            case level if level in LEVELS:
                entry = {}
            case _:
                entry = {"located": scene.room_of(node.id), "states": list(node.state)}
        if node.attributes and node.type != "agent":
            entry["properties"] = list(node.attributes)
        if descriptions and node.description:
            entry["description"] = node.description
        kind = "asset" if node.type == "part" else node.type
        groups.setdefault(kind, []).append({"id": node.id, **entry})
    order = (*LEVELS, "asset", "object", "agent")
    return {"nodes": {kind: groups[kind] for kind in order if kind in groups}}


def _agent(node: Node, scene: Scene) -> dict[str, object]:
    """Return the room and the hand of a robot; no room where it stands on a pose between rooms."""
    place = node.at or node.parent
    room = place
    if place is not None and scene.nodes[place].type != "room":
        room = scene.room_of(place)
    held = [i for i in scene.children.get(node.id, ()) if scene.nodes[i].relation == "inside_hand"]
    return {"location": room or "", "holding": held[0] if held else ""}
