"""Files that robots made: counts equal to the file's own, and one goal that plans, verifies and is exported.

They are not part of the project. ``GROUNDPLAN_REAL_FILES`` names a folder with such files; each of the
formats below is counted by a program of its own. The addresses of public ones:

- Spark-DSG: ``MIT-SPARK/Spark-DSG``, ``python/tests/resources/apartment_dsg.json``
- ConceptGraphs: ``BrunoGeorgevich/Interactive-ConceptGraphs`` at 3b22d43, ``labs/objects.json``;
  ``CaraCerny/scene-graph-object-removal``, ``scenario_before_graphs``
- HOV-SG: ``crcz25/HOV-SG`` at 503f2cd, ``data/scene_graphs``
- GML: ``quanting-xie/Embodied_RAG``, ``semantic_graphs``
"""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import networkx
import pytest
from strategies import household

from groundplan import Engine, parse_goal, plan_goal
from groundplan.datasets.formats import registry
from groundplan.datasets.formats.content import Content
from groundplan.datasets.formats.spark_dsg.reader import symbol
from groundplan.domains.errors import InputError
from groundplan.robot.exports import read_tree, source_of, write_export
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Scene

FOLDER = os.environ.get("GROUNDPLAN_REAL_FILES", "")
COUNTED = ("spark-dsg", "concept-graphs", "hov-sg", "gml")


def scenes_below(top: Path) -> Iterator[Path]:
    """The files and folders that are scenes of a counted format; in such a folder nothing else is."""
    for path in sorted(top.iterdir()):
        try:
            form = registry.detect(Content(path)).name
        except InputError:
            form = ""
        if form in COUNTED:
            yield path
        elif path.is_dir():
            yield from scenes_below(path)


REAL = list(scenes_below(Path(FOLDER))) if FOLDER else []
pytestmark = pytest.mark.skipif(not REAL, reason="GROUNDPLAN_REAL_FILES names no folder with scenes")


def lost(scene: Scene, kind: str, name: str = "") -> int:
    return sum(x.count for x in scene.losses if x.kind == kind and (not name or x.id == name))


def count_spark_dsg(path: Path, scene: Scene) -> None:
    if path.suffix == ".sparkdsg":
        return  # the same after the package has read it
    raw = json.loads(path.read_text())
    kinds = Counter(node["attributes"]["type"].removesuffix("NodeAttributes") for node in raw["nodes"])
    assert len(scene.by_type["pose"]) == kinds["Place"]
    assert len(scene.by_type.get("asset", ())) + len(scene.by_type.get("object", ())) == kinds["Object"]
    made = sum({"id", "at"} & node.provenance.keys() != set() for node in scene.nodes.values())
    assert len(scene.nodes) - made + lost(scene, "node") == len(raw["nodes"])
    by_edge = [node for node in scene.nodes.values() if "parent" not in node.provenance]
    placed = sum(node.parent is not None or node.at is not None for node in by_edge)
    ends = sum(any(scene.nodes[e].type == "room" for e in (link.a, link.b)) for link in scene.links)
    assert len(scene.links) - ends + placed + lost(scene, "edge") == len(raw["edges"])


def count_concept_graphs(path: Path, scene: Scene) -> None:
    objects = json.loads((path / "objects.json" if path.is_dir() else path).read_text())
    assert len(scene.nodes) - 2 == len(objects), "and a room and a robot"
    edges = path / "edges.json" if path.is_dir() else path.parent / "edges.json"
    if edges.is_file() and (path.is_dir() or path.name == "objects.json"):
        related = [node for node in scene.nodes.values() if node.parent not in (None, "room")]
        assert len(related) + lost(scene, "edge") == len(json.loads(edges.read_text()))


def count_hov_sg(path: Path, scene: Scene) -> None:
    rooms = [json.loads(file.read_text()) for file in path.glob("**/rooms/*.json")]
    assert len(scene.by_type["room"]) == len(rooms)
    things = len(scene.by_type.get("asset", ())) + len(scene.by_type.get("object", ()))
    assert things == len({name for room in rooms for name in room["objects"]})


def count_gml(path: Path, scene: Scene) -> None:
    text = path.read_text()
    nodes, edges = (len(re.findall(rf"^\s*{word} \[", text, re.MULTILINE)) for word in ("node", "edge"))
    assert len(scene.nodes) - sum(bool(n.provenance) for n in scene.nodes.values()) == nodes
    placed = sum(node.parent is not None for node in scene.nodes.values())
    assert len(scene.links) + placed + lost(scene, "edge") == edges


COUNTS = {
    "spark-dsg": count_spark_dsg,
    "concept-graphs": count_concept_graphs,
    "hov-sg": count_hov_sg,
    "gml": count_gml,
}


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_counts_are_those_of_the_file(path: Path) -> None:
    scene, form = registry.read(path)
    COUNTS[form.name](path, scene)


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_a_goal_plans_and_verifies_and_is_exported(path: Path) -> None:
    scene = registry.read(path)[0]
    if not scene.by_type.get("agent"):
        pytest.skip("a list of things without any place: no robot is anywhere")
    belief = ground(scene, household())
    routes = belief.routes
    held = [i for i in scene.by_type.get("object", ()) if routes.connected(belief.start, i)]
    places = [i for i in scene.by_type.get("pose", ()) if routes.connected(belief.start, i)]
    text = f'(holding "{held[-1]}")' if held else f'(robot_at "{places[-1]}")'
    goal = parse_goal(text)
    result = plan_goal(goal, belief, Engine.named("pyperplan"))
    assert result.verified, result.reasons
    source = source_of(result.steps, belief, goal)
    (tree,) = write_export("btcpp", source, "reactive").values()
    assert read_tree(tree)[1] == source.program.steps()
    if scene.links and all(scene.nodes[end].position for link in scene.links for end in (link.a, link.b)):
        (graph,) = write_export("nav2-route", source).values()
        points = [f for f in json.loads(graph)["features"] if f["geometry"]["type"] == "Point"]
        assert len(points) == len({end for link in scene.links for end in (link.a, link.b)})


@pytest.mark.parametrize("path", [p for p in REAL if p.name.endswith("dsg.json")], ids=lambda path: path.name)
def test_routes_between_places_are_those_of_the_graph_of_places(path: Path) -> None:
    """No way through a room is shorter than the edges between places, of which the file has each."""
    raw = json.loads(path.read_text())
    places = {
        n["id"]: n["attributes"]["position"] for n in raw["nodes"] if "Place" in n["attributes"]["type"]
    }
    graph: networkx.Graph[int] = networkx.Graph()
    graph.add_nodes_from(places)
    for edge in raw["edges"]:
        a, b = edge["source"], edge["target"]
        if a in places and b in places:
            graph.add_edge(a, b, length=round(math.dist(places[a], places[b]), 3))
    routes = ground(registry.read(path)[0], household()).routes
    compared = 0
    for source in list(places)[::20]:
        lengths = networkx.single_source_dijkstra_path_length(graph, source, weight="length")
        for target, length in list(lengths.items())[::10]:
            compared += 1
            assert abs(routes.distance(symbol(source), symbol(target)) / 1000 - length) < 0.01
    assert compared > 50
