"""Graphs of Hydra: things at their places, rooms as ends of routes, label spaces."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from strategies import household

from groundplan import Engine, parse_goal, plan_goal
from groundplan.datasets.formats import registry
from groundplan.datasets.formats.spark_dsg import binary
from groundplan.datasets.formats.spark_dsg import reader as spark_dsg
from groundplan.datasets.formats.spark_dsg.boxes import with_extent
from groundplan.datasets.formats.spark_dsg.labels import read_labels
from groundplan.datasets.scenes import open_scene
from groundplan.domains.errors import InputError, SceneError
from groundplan.robot.program import translate
from groundplan.simulator.belief import ground

SAMPLES = Path(__file__).parent / "formats"


def test_a_room_is_an_end_of_routes_and_no_short_cut() -> None:
    """A square of places in one room, of which the file joins three sides."""
    corners = [(0.0, 0.0, 0.0), (9.0, 0.0, 0.0), (9.0, 9.0, 0.0), (0.0, 9.0, 0.0)]
    document = hydra(corners, [(0, 1), (1, 2), (2, 3)])
    scene = spark_dsg.read_graph(document, "x")
    routes = ground(scene, household()).routes
    assert routes.route("p(0)", "p(3)").hops == ("p(1)", "p(2)", "p(3)")
    assert routes.distance("p(0)", "p(3)") == 27_000
    assert routes.route("p(0)", "R(0)").hops[-2:] == ("p(1)", "R(0)"), "the place nearest to the centre"


def test_an_object_is_driven_to_at_its_place_and_taken_at_its_height() -> None:
    scene = spark_dsg.read_graph(hydra([(0.0, 0.0, 0.0), (9.0, 0.0, 0.0)], [(0, 1)]), "x")
    belief = ground(scene.changed(change={"agent": {"at": "p(0)"}}), household())
    goal = parse_goal('(holding "O(0)")')
    result = plan_goal(goal, belief, Engine.named("pyperplan"))
    assert list(map(str, result.steps)) == ['goto("p(1)")', 'pickup("O(0)")']
    pick = translate(result, belief, goal).commands[-1]
    assert (pick.pose, pick.position) == ("p(1)", (9.0, 0.0, 0.0))
    assert pick.target is not None
    assert pick.target.position == (9.5, 0.0, 1.25)


def hydra(places: Sequence[tuple[float, float, float]], edges: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Return a room with places, and a thing and a robot at the last and the first of them."""

    def entry(letter: str, number: int, layer: int, kind: str, position: Any) -> dict[str, Any]:
        attributes = {"type": f"{kind}NodeAttributes", "position": list(position), "name": ""}
        return {"id": ord(letter) << 56 | number, "layer": layer, "partition": 0, "attributes": attributes}

    last = len(places) - 1
    x, y, z = places[last]
    nodes = [entry("R", 0, 4, "Room", (8.0, 1.0, 2.5)), entry("O", 0, 2, "Object", (x + 0.5, y, z + 1.25))]
    nodes += [entry("p", n, 3, "Place", position) for n, position in enumerate(places)]
    room, thing, *keys = [node["id"] for node in nodes]
    pairs = [(keys[a], keys[b]) for a, b in edges] + [(room, key) for key in keys] + [(keys[last], thing)]
    return {
        "SPARK_DSG_header": {},
        "layer_ids": [2, 3, 4, 5],
        "nodes": nodes,
        "edges": [{"source": a, "target": b, "info": {}} for a, b in pairs],
    }


HYDRAS = """---
total_semantic_labels: 41
dynamic_labels: [20]
label_names:
  - {label: 0, name: unknown}
  - {label: 3, name: dining table}
  - {label: 4, name: "cup"}  # with a handle
"""
BLOCKS = "label_names:\n- label: 3\n  name: dining table\n- label: 4\n  name: 'cup'\n"
TABLE = "name,red,green,blue,alpha,id\ndining table,1,2,3,255,3\ncup,4,5,6,255,4\n"


@pytest.mark.parametrize(
    "text",
    [HYDRAS, BLOCKS, TABLE, '[[3, "dining table"], [4, "cup"]]', '{"3": "dining table", "4": "cup"}'],
)
def test_numbers_get_words_from_a_label_space_beside_the_graph(tmp_path: Path, text: str) -> None:
    (tmp_path / "labels").write_text(text, encoding="utf-8")
    document = json.loads((SAMPLES / "spark_dsg.json").read_text(encoding="utf-8"))
    del document["metadata"]["labelspaces"]
    (tmp_path / "graph.json").write_text(json.dumps(document), encoding="utf-8")
    bare = open_scene(str(tmp_path / "graph.json"))
    assert bare.nodes["O(1)"].classes == ("object",)
    (unnamed,) = [x for x in bare.losses if x.id == "nodes.attributes.semantic_label"]
    assert "--labels" in unnamed.reason
    scene = open_scene(str(tmp_path / "graph.json"), labels=str(tmp_path / "labels"))
    assert scene.nodes["O(0)"].classes == ("dining_table",)
    assert scene.nodes["O(0)"].type == "asset"
    assert scene.nodes["O(1)"].classes == ("cup",)
    assert scene.nodes["R(0)"].classes == ("room",), "the numbers of rooms are of another space"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a label space, got a file without labels"),
        ("label_names: {}", "a label space, got a file without labels"),
        ('[[3, "a"], ["b", 4]]', "labels: [1]: expected a number and a word"),
        ('{"a": "b"}', "labels: [0]: expected a number and a word"),
        ("name,id\ntable,x\n", "labels:2: expected a name and a number, got table,x"),
        ("name,id\n\ntable\n", "labels:3: expected a name and a number"),
    ],
)
def test_a_broken_label_space_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "labels").write_text(text, encoding="utf-8")
    with pytest.raises(SceneError) as caught:
        read_labels(tmp_path / "labels")
    assert said in str(caught.value)


def box(yaw: float = 0.0, **keys: object) -> dict[str, object]:
    turn = {"w": math.cos(yaw / 2), "x": 0.0, "y": 0.0, "z": math.sin(yaw / 2)}
    return {"type": "RAABB", "dimensions": [2.0, 1.0, 0.5], "world_R_center": turn, **keys}


@pytest.mark.parametrize(
    ("raw", "extent"),
    [
        (box(), [2.0, 1.0, 0.5]),
        (box(math.pi / 2), [1.0, 2.0, 0.5]),
        (box(math.pi / 4), [2.121, 2.121, 0.5]),
        ({"type": "AABB", "min": [-1, 2, 0], "max": [1, 3.5, 0.25]}, [2.0, 1.5, 0.25]),
        (box(type="INVALID"), None),
        (box(dimensions=[0.0, 0.0, 0.0]), None),
        (box(dimensions=[1.0, 1e400, 1.0]), None),
        (box(dimensions=[1.0, True, 1.0]), None),
        (box(dimensions="wide"), None),
        (box(world_R_center={"w": 0.0, "x": 0.0, "y": 0.0, "z": 0.0}), None),
        (box(world_R_center={"w": "a"}), None),
        ([], None),
        (None, None),
    ],
)
def test_the_size_of_a_box_is_along_the_axes_of_the_frame(raw: object, extent: list[float] | None) -> None:
    assert with_extent(raw).get("extent") == extent


def test_a_thing_keeps_the_size_of_its_box(tmp_path: Path) -> None:
    document = json.loads((SAMPLES / "spark_dsg.json").read_text(encoding="utf-8"))
    thing = next(n for n in document["nodes"] if "Object" in n["attributes"]["type"])
    thing["attributes"]["bounding_box"] = box(math.pi / 2)
    (tmp_path / "boxes.json").write_text(json.dumps(document), encoding="utf-8")
    scene = open_scene(str(tmp_path / "boxes.json"))
    assert [node.extra for node in scene.nodes.values() if node.extra] == [{"extent": [1.0, 2.0, 0.5]}]


def test_labels_are_for_files_with_numbers(tmp_path: Path) -> None:
    (tmp_path / "labels").write_text(HYDRAS, encoding="utf-8")
    for name in ("office", str(SAMPLES / "sayplan.json")):
        with pytest.raises(InputError, match="--labels"):
            open_scene(name, labels=str(tmp_path / "labels"))


def test_a_binary_graph_is_read_through_the_package(tmp_path: Path) -> None:
    package = pytest.importorskip("spark_dsg")
    graph = package.DynamicSceneGraph.load(str(SAMPLES / "spark_dsg.json"))
    graph.save(str(tmp_path / "flat.sparkdsg"), False)
    scene, form = registry.read(tmp_path / "flat.sparkdsg")
    plain = open_scene(str(SAMPLES / "spark_dsg.json"))
    assert (form.name, scene.name) == ("spark-dsg", "flat")
    assert {i: (n.type, n.parent, n.classes) for i, n in scene.nodes.items()} == {
        i: (n.type, n.parent, n.classes) for i, n in plain.nodes.items()
    }
    data = (tmp_path / "flat.sparkdsg").read_bytes()
    for bad in (data[:60], data[:-40], data[:200] + bytes(90) + data[290:]):
        (tmp_path / "bad").write_bytes(bad)
        with pytest.raises(SceneError, match="a graph that the package spark_dsg reads"):
            registry.read(tmp_path / "bad")


def test_without_the_package_a_binary_graph_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binary, "find_spec", lambda name: None)
    (tmp_path / "flat.sparkdsg").write_bytes(b"\xdd\x09\x00\x00\x00SPARK_DSG\xdd\x04\x00" + bytes(50))
    with pytest.raises(SceneError) as caught:
        registry.read(tmp_path / "flat.sparkdsg")
    assert "pip install --no-deps spark-dsg" in str(caught.value)
    assert 'graph.save("house.json", False)' in str(caught.value)


def test_of_two_agents_one_is_the_robot_and_the_other_stays_a_node(tmp_path: Path) -> None:
    document = json.loads((SAMPLES / "spark_dsg.json").read_text(encoding="utf-8"))
    first = document["nodes"][-1]
    other = copy.deepcopy(first)
    other["id"], other["partition"] = (ord("b") << 56) | 7, ord("b")
    place = next(n["id"] for n in document["nodes"] if n["id"] >> 56 == ord("p"))
    document["nodes"].append(other)
    document["edges"].append({"source": place, "target": other["id"], "info": {}})
    (tmp_path / "two.json").write_text(json.dumps(document), encoding="utf-8")
    scene = open_scene(str(tmp_path / "two.json"))
    assert scene.agent.id == "a(1)"
    assert (scene.nodes["b(7)"].type, scene.nodes["b(7)"].parent) == ("asset", "p(0)")
    assert [x.id for x in scene.losses if "one robot, a(1)" in x.reason] == ["b(7)"]
    assert scene.nodes["b(7)"].classes[0] == "agent", "it is said as what it is"
    for name in ("b", "b(7)"):
        chosen = open_scene(str(tmp_path / "two.json"), robot=name)
        assert (chosen.agent.id, chosen.agent.at) == ("b(7)", "p(0)")
        assert (chosen.nodes["a(1)"].type, chosen.nodes["a(1)"].parent) == ("asset", "p(1)")
    with pytest.raises(
        InputError,
        match=r"got c; agents are a\(1\), b\(7\)",
    ):
        open_scene(str(tmp_path / "two.json"), robot="c")


@pytest.mark.parametrize(
    "text",
    [
        "label_names: [{label: 3, name: table}, {label: 11, name: 'coffee cup'}]\n",
        "total: 2\nlabel_names:\n  - {label: 3, name: table}\n  - {label: 11, name: coffee cup}\n",
        'label_names:\n  - label: 3\n    name: table\n  - label: 11\n    name: "coffee cup"\n',
        "label_names:\n- name: table\n  label: 3\n- {name: coffee cup, label: 11}\n- {label: 4, name: ''}\n",
    ],
)
def test_a_label_space_is_read_in_every_style_of_its_list(tmp_path: Path, text: str) -> None:
    file = tmp_path / "labels.yaml"
    file.write_text(text, encoding="utf-8")
    assert {number: word for number, word in read_labels(file).items() if word} == {
        3: "table",
        11: "coffee cup",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "label_names: [{label: 3, name: table}, {label: 3, name: cup}]",
            "label 3: expected one word .* table and",
        ),
        ('{"3": "table", "03": "cup"}', "label 3: expected one word"),
        ("name,id\ntable,3\ncup,3\n", "label 3: expected one word"),
        (
            "label_names:\n- {label: 3, name: table}\n- {label: 4, color: red}\n",
            "labels.yaml:3: expected an entry",
        ),
        (
            "label_names:\n- label: 3\n  color: red\n  name: table\n",
            "labels.yaml:2: expected an entry such as",
        ),
        ("label_names:\n- {label: three, name: table}\n- {label: 4, name: cup}\n", "labels.yaml:2"),
    ],
)
def test_a_label_space_is_read_whole_or_not_at_all(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "labels.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SceneError, match=said):
        read_labels(file)
