"""Graphs in GML and GraphML: route graphs, shut doors, and files that are made to break their readers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx
import pytest
from strategies import household

from groundplan import Engine, parse_goal, plan_goal
from groundplan.datasets.formats import gml, graphml, node_link, registry
from groundplan.datasets.scenes import open_scene
from groundplan.domains.errors import SceneError
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import DOUBT, Link, Scene

SAMPLES = Path(__file__).parent / "formats"


def swagger() -> Any:
    """A route graph as SWAGGER makes them: numbered nodes with world coordinates, edges in metres."""
    graph = networkx.Graph()
    for number in range(6):
        graph.add_node(number, world=(1.5 * number, 2.0, 0.0), pixel=(number, 3))
    graph.add_edges_from(((n, n + 1) for n in range(5)), weight=1.5, edge_type="skeleton")
    return graph


def test_a_route_graph_is_places_and_ways(tmp_path: Path) -> None:
    networkx.write_gml(swagger(), tmp_path / "graph.gml")
    scene, form = registry.read(tmp_path / "graph.gml")
    assert form.name == "gml"
    assert list(scene.by_type["pose"]) == ["0", "1", "2", "3", "4", "5"]
    assert scene.nodes["4"].position == (6.0, 2.0, 0.0)
    assert scene.links[0] == Link("0", "1", 1.5) and len(scene.links) == 5
    assert {(x.id, x.count) for x in scene.losses} == {("nodes.pixel", 6), ("edges.edge_type", 5)}
    result = plan_goal(parse_goal('(robot_at "5")'), ground(scene, household()), Engine.named("pyperplan"))
    assert [str(step) for step in result.steps] == [f"goto({n})" for n in range(1, 6)]


def test_nodes_without_types_among_others_are_an_error_and_no_places(tmp_path: Path) -> None:
    graph = swagger()
    graph.add_node(6, type="room")
    networkx.write_gml(graph, tmp_path / "graph.gml")
    with pytest.raises(SceneError, match=r"nodes\[0\]\.type: expected a node type"):
        registry.read(tmp_path / "graph.gml")


def test_both_forms_of_one_graph_are_one_scene(tmp_path: Path) -> None:
    graph = networkx.DiGraph(name="flat")
    graph.add_node("den", type="room", x=0.0, y=0.0)
    graph.add_node("é & ü", type="place", x=2.0, y=1.0)
    graph.add_node("desk1", type="asset", affordances="release")
    graph.add_edge("den", "é & ü", length=3.5)
    graph.add_edge("desk1", "den", relation="in")
    networkx.write_gml(graph, tmp_path / "graph.gml")
    networkx.write_graphml(graph, tmp_path / "graph.graphml")
    (tmp_path / "graph.json").write_text(json.dumps(networkx.node_link_data(graph, edges="edges")))
    first, second, third = (registry.read(tmp_path / f"graph.{end}")[0] for end in ("gml", "graphml", "json"))
    assert first.hash == second.hash == third.hash
    assert first.nodes["desk1"].parent == "den"


def test_an_edge_of_an_undirected_graph_keeps_its_source() -> None:
    scene = open_scene(str(SAMPLES / "graph.gml"))
    assert (scene.nodes["table1"].parent, scene.nodes["cup1"].parent) == ("kitchen", "table1")


# Doors


def doors(state: object, *more: dict[str, Any]) -> dict[str, Any]:
    nodes = [{"id": "den", "type": "room"}, {"id": "hall", "type": "room"}]
    nodes += [{"id": "gate", "type": "door", "state": state}, *more]
    edges = [
        {"source": "den", "target": "gate", "length": 1.5},
        {"source": "gate", "target": "hall", "length": 2},
    ]
    return {"directed": False, "nodes": nodes, "edges": edges}


def reached(document: dict[str, Any]) -> tuple[Scene, list[str] | str]:
    scene = node_link.read_graph(document, "here")
    result = plan_goal(parse_goal("(robot_at hall)"), ground(scene, household()), Engine.named("pyperplan"))
    return scene, [str(step) for step in result.steps] if result.verified else result.outcome


def test_a_door_that_is_said_to_be_shut_is_a_shut_door() -> None:
    scene, steps = reached(doors("closed"))
    assert scene.links == (Link("den", "hall", 3.5, "gate"),)
    assert (scene.nodes["gate"].type, scene.nodes["gate"].state) == ("asset", ("closed",))
    assert steps == ["access(gate)", "open(gate)", "goto(hall)"]
    assert scene.losses == ()


def test_a_locked_door_joins_nothing_and_an_open_one_is_a_place() -> None:
    scene, outcome = reached(doors(["locked"]))
    assert scene.nodes["gate"].affordances == ()
    assert outcome == "unsolvable"
    scene, steps = reached(doors("open"))
    assert scene.nodes["gate"].type == "pose"
    assert steps == ["goto(gate)", "goto(hall)"]


def test_a_door_beside_another_way_gets_a_pose_behind_it() -> None:
    document = doors("closed")
    document["edges"].append({"source": "den", "target": "hall", "length": 9})
    scene, steps = reached(document)
    assert scene.doors and len(scene.links) == 3
    assert isinstance(steps, list)


def test_a_shut_door_that_joins_no_two_places_is_a_doubt() -> None:
    document = doors("closed")
    document["edges"].pop()
    scene, outcome = reached(document)
    assert scene.nodes["gate"].type == "pose" and outcome == "unsolvable"
    assert [x.id for x in scene.losses if x.kind == DOUBT] == ["gate"]


# Files that are made to break a reader


def deep(opening: str, closing: str, number: int = 100_000) -> str:
    return opening * number + closing * number


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("graph [ node [ id 0", "a ] for every [, got the end"),
        ("graph [\n node [ id\n ] ]", ":3: expected a value of id, got ]"),
        ("graph [\n node 5 ]", "node[0]: expected [ .. ], got 5"),
        ("graph [ node [ id [ x 1 ] ] ]", "node[0].id: expected an id"),
        ("graph [ node [ id 1 ] node [ id 1 ] ]", "ids that are unique, got 1"),
        ("graph [\n\n ] ]", ":3: expected a key, got ]"),
        ("graph [ 5 ]", ":1: expected a key, got 5"),
        ("graph [ a ?b ]", ":1: expected a key, a number, a text in quotes or a bracket"),
        (f"graph {deep('[ a ', ']')}", "at most 20 brackets in brackets"),
        (f"graph [ a {'9' * 5000} ]", "a number of at most 300 characters"),
        ('graph [ node [ id 0 type "place" x NAN y 0 ] ]', "three numbers in metres"),
        ("graph [ ] graph [ ]", "one graph [ .. ], got none, or several"),
        (
            "graph [ node [ id 0 x 1.0 y 1.0 ] edge [ source 0 ] ]",
            "edges[0].target: expected a name",
        ),
    ],
)
def test_broken_gml_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "graph.gml").write_text(text)
    with pytest.raises(SceneError) as caught:
        registry.read(tmp_path / "graph.gml", "gml")
    assert said in str(caught.value)


HEAD = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
KEY = '<key id="d" attr.name="x" attr.type="int"/>'
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">\n' for n in range(1, 10))
BROKEN = {
    f'<!DOCTYPE graphml [\n<!ENTITY l0 "ha">\n{LAUGHS}]>\n{HEAD}&l9;</graphml>': ":1: expected XML",
    '<!DOCTYPE g SYSTEM "file:///etc/passwd">\n<graphml/>': "without a document type",
    f"{HEAD}<graph>\n<node/></graph></graphml>": ":3: expected the attribute id",
    f'{HEAD}<graph><node id="a"/>\n<node id="a"/></graph></graphml>': ":3: expected ids that are unique",
    f'{HEAD}<graph>\n<edge source="a"/></graph></graphml>': ":3: expected the attribute target",
    f'{HEAD}<graph><node id="a">\n<data key="d">1</data></node></graph></graphml>': ":3: expected the id",
    f'{HEAD}{KEY}<graph>\n<node id="a"><data key="d">one</data></node></graph></graphml>': "type int for x",
    f"{HEAD}<graph>": "expected well-formed XML",
    f"{HEAD}{deep('<a>', '</a>')}</graphml>": "elements at most 400 deep",
    f'{HEAD}<graph><node id="a"/></graph></graphml>': "nodes[0].type: expected a node type",
}


@pytest.mark.parametrize(("text", "said"), BROKEN.items(), ids=list(BROKEN.values()))
def test_broken_graphml_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "graph.graphml").write_text(text)
    with pytest.raises(SceneError) as caught:
        registry.read(tmp_path / "graph.graphml", "graphml")
    assert said in str(caught.value)


@pytest.mark.parametrize("form", [gml.FORMAT, graphml.FORMAT], ids=lambda form: form.name)
def test_texts_that_are_not_utf_8_or_too_long_are_refused(
    form: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b'graph [ a "\xff" ]')
    with pytest.raises(SceneError, match="UTF-8"):
        registry.read(tmp_path / "a", form.name)
    monkeypatch.setattr(gml if form is gml.FORMAT else graphml, "MAX_GRAPH_TEXT", 50)
    sample = SAMPLES / ("graph.gml" if form is gml.FORMAT else "graph.graphml")
    with pytest.raises(SceneError, match="at most 50 characters"):
        registry.read(sample)


def test_parts_of_other_programs_are_counted(tmp_path: Path) -> None:
    text = (
        (SAMPLES / "graph.graphml")
        .read_text()
        .replace(
            "</graph>", "<hyperedge><endpoint node='shed'/></hyperedge><graph><node id='in'/></graph></graph>"
        )
    )
    (tmp_path / "more.graphml").write_text(text)
    scene = open_scene(str(tmp_path / "more.graphml"))
    lost = {x.id: x.count for x in scene.losses}
    assert lost == {"nodes.battery": 1, "<port>": 1, "<hyperedge>": 1, "<graph>": 1}
    assert "in" not in scene.nodes
