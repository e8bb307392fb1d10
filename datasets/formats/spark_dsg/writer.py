"""Scenes as Spark-DSG files: layers, edges and positions for others, and the whole scene in the metadata.

The fields of each node are those that version 1.1.3 of the ``spark-dsg`` package requires in a file. The
metadata give the same scene back, so their form (``simulator.scene_json``) stays; the rest is for other
programs and may be extended with fields that the package knows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files

from ....simulator.scene import Node, Scene
from ....simulator.scene_json import link_to_json, node_to_json

OWN = "groundplan"
"""The key of this package's part in the metadata of the graph and of its nodes."""

VERSION = {"major": 1, "minor": 1, "patch": 3}
NO_LABEL = 2**32 - 1
_LETTERS = {"object": "O", "asset": "O", "part": "O", "agent": "a", "pose": "p", "room": "R"}
_LETTERS |= {"floor": "F", "building": "B", "campus": "C"}
_TYPES = {"object": "ObjectNodeAttributes", "asset": "ObjectNodeAttributes", "part": "ObjectNodeAttributes"}
_TYPES |= {"agent": "AgentNodeAttributes", "pose": "PlaceNodeAttributes", "room": "RoomNodeAttributes"}
_USUAL: Mapping[str, Mapping[str, object]] = json.loads(
    files(__package__).joinpath("attributes.json").read_text(encoding="utf-8")
)
"""The attributes of nodes by their type, in order, with values that say nothing."""


def layers(scene: Scene) -> dict[str, tuple[int, int]]:
    """Return layer and partition by name. Floors, which Spark-DSG does not have, lift buildings by one."""
    lower = {"OBJECTS": (2, 0), "AGENTS": (2, ord("a")), "PLACES": (3, 0), "ROOMS": (4, 0)}
    if "floor" in scene.by_type:
        return lower | {"FLOORS": (5, 0), "BUILDINGS": (6, 0), "CAMPUS": (7, 0)}
    return lower | {"BUILDINGS": (5, 0), "CAMPUS": (6, 0)}


LAYER_OF = {"object": "OBJECTS", "asset": "OBJECTS", "part": "OBJECTS", "agent": "AGENTS", "pose": "PLACES"}
LAYER_OF |= {"room": "ROOMS", "floor": "FLOORS", "building": "BUILDINGS", "campus": "CAMPUS"}


def to_spark(scene: Scene) -> dict[str, object]:
    """Write a scene as the JSON that ``spark-dsg`` loads; nodes and links are in the scene's order."""
    names = layers(scene)
    counts: dict[str, int] = {}
    symbols: dict[str, int] = {}
    labels: dict[str, int] = {}
    nodes: list[dict[str, object]] = []
    for node in scene.nodes.values():
        letter = _LETTERS[node.type]
        number = counts[letter] = counts.get(letter, -1) + 1
        symbols[node.id] = ord(letter) << 56 | number
        layer, partition = names[LAYER_OF[node.type]]
        label = labels.setdefault(node.classes[0], len(labels)) if node.classes else NO_LABEL
        attributes = _attributes(node, label)
        nodes.append(
            {"id": symbols[node.id], "layer": layer, "partition": partition, "attributes": attributes}
        )
    # The package takes one edge for each two nodes: links first, then parents.
    edges: dict[tuple[int, int], dict[str, object]] = {}
    for link in scene.links:
        _edge(edges, symbols[link.a], symbols[link.b], link.length)
    for node in scene.nodes.values():
        above = node.at or node.parent
        if above is not None:
            _edge(edges, symbols[above], symbols[node.id], None)
    spaces = {f"_l{layer}p{part}": [[n, c] for c, n in labels.items()] for layer, part in names.values()}
    own = {
        "name": scene.name,
        "description": scene.description,
        "links": [link_to_json(x) for x in scene.links],
    }
    keys = {layer: {"layer": layer, "partition": 0} for layer, _ in names.values()}
    return {
        "SPARK_DSG_header": {"project_name": "main", "version": VERSION},
        "directed": False,
        "multigraph": False,
        "layer_keys": list(keys.values()),
        "layer_names": {n: {"layer": la, "partition": p} for n, (la, p) in names.items()},
        "metadata": {"labelspaces": spaces, OWN: own},
        "nodes": nodes,
        "edges": list(edges.values()),
    }


def _attributes(node: Node, label: int) -> dict[str, object]:
    kind = _TYPES.get(node.type, "SemanticNodeAttributes")
    usual = _USUAL[kind]
    place = {"metadata": {OWN: node_to_json(node)}, "position": list(node.position or (0.0, 0.0, 0.0))}
    return {**usual, **place, **({"name": node.id, "semantic_label": label} if "name" in usual else {})}


def _edge(edges: dict[tuple[int, int], dict[str, object]], a: int, b: int, length: float | None) -> None:
    key = (min(a, b), max(a, b))
    if a == b or key in edges:
        return
    info = {
        "type": "EdgeAttributes",
        "weighted": length is not None,
        "weight": 1.0 if length is None else length,
        "metadata": {},
    }
    edges[key] = {"source": a, "target": b, "info": info}
