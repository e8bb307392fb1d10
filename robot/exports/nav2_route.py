"""The ways of a scene as a route graph for Nav2's route server: GeoJSON of nodes and directed edges.

Nodes are the poses and rooms that links join, with their class as the region that the server's examples use;
edges are the links, one in each direction, with their length in metres as the cost
(`nav2_route/src/plugins/graph_file_loaders/geojson_graph_file_loader.cpp`). A link through a door names it,
and one that nobody can ever drive is left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ...domains.errors import InputError, clip
from ...domains.files import parse_json
from ...simulator.belief import Belief
from .source import ExportSource


@dataclass(frozen=True, slots=True)
class RouteNode:
    """A place of the graph: the scene's name for it, its class, and its position in metres."""

    name: str
    class_type: str
    frame: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class RouteEdge:
    """A way from one place to another: its cost in metres, and the door on it, empty for none."""

    start: str
    end: str
    cost: float
    door: str = ""


@dataclass(frozen=True, slots=True)
class RouteGraph:
    """Places and directed ways, in the order of the file."""

    nodes: tuple[RouteNode, ...]
    edges: tuple[RouteEdge, ...]


def route_graph(belief: Belief) -> RouteGraph:
    """Return the ways of a scene. Raises :class:`InputError` where a place on them has no position."""
    scene, graph = belief.scene, belief.routes.graph
    names = sorted(graph.nodes)
    lacking = [name for name in names if scene.nodes[name].position is None]
    if lacking or not names:
        got = f"none for {clip(lacking[0])} and {len(lacking) - 1} more" if lacking else "no links"
        hint = "a route graph is driven by coordinates"
        raise InputError(scene.name, "a position of every place that links join", got, hint)
    nodes = []
    for name in names:
        node, position = scene.nodes[name], scene.nodes[name].position
        assert position is not None
        kind = node.classes[0] if node.classes else node.type
        nodes.append(RouteNode(name, kind, belief.pack.mapping.frame, position[0], position[1]))
    edges = [
        RouteEdge(a, b, graph.edges[a, b]["weight"] / 1000, scene.doors.get((a, b), ""))
        for a in names
        for b in sorted(graph.neighbors(a))
    ]
    return RouteGraph(tuple(nodes), tuple(edges))


def write_route(source: ExportSource) -> str:
    """Return the GeoJSON of the ways of a plan's scene; ids are unique over nodes and edges."""
    graph = route_graph(source.belief)
    ids = {node.name: number for number, node in enumerate(graph.nodes)}
    places = {node.name: [node.x, node.y] for node in graph.nodes}
    features: list[dict[str, object]] = []
    for node in graph.nodes:
        metadata = {"name": node.name, "region": {"properties": {"class_type": node.class_type}}}
        properties: dict[str, object] = {"id": ids[node.name], "frame": node.frame, "metadata": metadata}
        features.append(_feature(properties, {"type": "Point", "coordinates": places[node.name]}))
    for number, edge in enumerate(graph.edges, len(graph.nodes)):
        properties = {"id": number, "startid": ids[edge.start], "endid": ids[edge.end], "cost": edge.cost}
        properties |= {"overridable": True, **({"metadata": {"door": edge.door}} if edge.door else {})}
        line = {"type": "MultiLineString", "coordinates": [[places[edge.start], places[edge.end]]]}
        features.append(_feature(properties, line))
    listed = ",\n  ".join(json.dumps(feature, ensure_ascii=True, allow_nan=False) for feature in features)
    name = json.dumps(source.belief.scene.name)
    return f'{{"type": "FeatureCollection", "name": {name}, "features": [\n  {listed}\n]}}\n'


def _feature(properties: Mapping[str, object], geometry: Mapping[str, object]) -> dict[str, object]:
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def read_route(text: str, where: str = "route graph") -> RouteGraph:
    """Read a route graph. Raises :class:`InputError` with the feature that is wrong.

    Ids have to be unique, edges have to join nodes, and an edge has to have one back of the same cost.
    """
    raw = parse_json(text, where, unique=True)
    if not isinstance(raw, dict) or raw.get("type") != "FeatureCollection":
        raise InputError(where, 'GeoJSON, "type": "FeatureCollection"', clip(text))
    features = raw.get("features")
    if not isinstance(features, list):
        raise InputError(f"{where}: features", "a list", clip(features))
    nodes: dict[int, RouteNode] = {}
    edges: list[RouteEdge] = []
    taken: set[int] = set()
    for number, feature in enumerate(features):
        at = f"{where}: features[{number}]"
        match feature:
            case {"properties": {"id": int(identity)}} if identity in taken:
                raise InputError(f"{at}.properties.id", "an id that no other feature has", str(identity))
            case {
                "geometry": {"type": "Point", "coordinates": [int() | float() as x, int() | float() as y]},
                "properties": {
                    "id": int(identity),
                    "frame": str(frame),
                    "metadata": {"name": str(name), "region": {"properties": {"class_type": str(kind)}}},
                },
            }:
                nodes[identity] = RouteNode(name, kind, frame, float(x), float(y))
            case {
                "geometry": {"type": "MultiLineString"},
                "properties": {
                    "id": int(identity),
                    "startid": int(a),
                    "endid": int(b),
                    "cost": int() | float() as cost,
                    **more,
                },
            } if a in nodes and b in nodes and 0 <= cost < 1e9:
                metadata = more.get("metadata")
                door = metadata.get("door", "") if isinstance(metadata, dict) else ""
                edges.append(RouteEdge(nodes[a].name, nodes[b].name, float(cost), str(door)))
            case _:
                expected = "a Point with its name, class and frame, or a MultiLineString between two of these"
                raise InputError(at, f"{expected} with its cost in metres", clip(feature))
        taken.add(identity)
    ways = {(e.start, e.end): e.cost for e in edges}
    for edge in edges:
        if ways.get((edge.end, edge.start)) != edge.cost:
            shown = f"one from {clip(edge.end)} to {clip(edge.start)} of the cost {edge.cost}"
            raise InputError(where, f"an edge in both directions, here {shown}", "none")
    return RouteGraph(tuple(nodes.values()), tuple(edges))
