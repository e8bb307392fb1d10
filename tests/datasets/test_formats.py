"""Scene formats: each sample is recognised and read, and what is written is read back."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from draws import draws
from hypothesis import HealthCheck, given
from strategies import household, scenes

from groundplan.datasets.formats import delta, lookplangraph, node_link, registry
from groundplan.datasets.formats.content import Content, Format
from groundplan.datasets.formats.losses import differences
from groundplan.datasets.formats.spark_dsg import reader as spark_dsg
from groundplan.datasets.scenes import load_scene, open_scene
from groundplan.domains.errors import InputError, SceneError
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Link, Node, Scene

SAMPLES = Path(__file__).parent / "formats"
WRITTEN = [f for f in registry.FORMATS if f.write is not None]
EXACT = ("groundplan", "node-link", "spark-dsg")
quick = draws(60, suppress_health_check=list(HealthCheck))


def named(form: Format) -> str:
    return form.name


def sample(name: str) -> Scene:
    return registry.read(SAMPLES / name)[0]


def raw(name: str) -> Any:
    return json.loads((SAMPLES / name).read_text(encoding="utf-8"))


def back(form: Format, scene: Scene, folder: Path) -> Scene:
    """The scene after writing and reading; the format is found from what was written."""
    assert form.write is not None
    file = folder / "scene.json"
    file.write_bytes(form.write(scene))
    assert registry.detect(Content(file)) is form
    return registry.read(file)[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("formats")


@pytest.mark.parametrize("place", [".", "a/..", "folder/below"])
@pytest.mark.parametrize("name", ["flat.json", "flat.sayplan.json", "flat.dsg.json"])
def test_a_scene_without_a_name_is_called_as_its_file_wherever_that_is(
    name: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / place).mkdir(parents=True, exist_ok=True)
    (tmp_path / place / name).write_bytes((SAMPLES / "sayplan.json").read_bytes())
    assert open_scene(f"./{place}/{name}").name == "flat"
    assert open_scene(str(tmp_path / place / name)).name == "flat"


@pytest.mark.parametrize(
    "read",
    [
        lambda word: delta.delta_scene({"rooms": {"hall": {"items": {"mug": {"state": word}}}}}, "x"),
        lambda word: lookplangraph.read_graph(
            {
                "nodes": {
                    "room": [{"id": "hall"}],
                    "asset": [{"id": "mug", "located": "hall", "states": [word]}],
                }
            },
            "x",
        ),
        lambda word: node_link.read_graph(
            {
                "nodes": [
                    {"id": "hall", "type": "room"},
                    {"id": "mug", "type": "asset", "room": "hall", "state": word},
                ]
            },
            "x",
        ),
    ],
)
def test_the_states_that_are_read_are_those_of_the_household_pack(read: Callable[[str], Scene]) -> None:
    for word, atoms in load_pack().mapping.states.items():
        assert (read(word).nodes["mug"].state == (word,)) == bool(atoms)
    assert read("squeaky").nodes["mug"].attributes == ("squeaky",)


@pytest.mark.parametrize("form", registry.FORMATS, ids=named)
def test_formats_that_write_say_what_is_lost_and_the_others_have_no_endings(form: Format) -> None:
    assert (form.write is None) == (form.loses is None)
    assert form.write is not None or not form.extensions
    assert form.name == form.name.lower()


@pytest.mark.parametrize("form", [f for f in WRITTEN if f.name in EXACT], ids=named)
@quick
@given(scene=scenes(hostile=None, connected=False))
def test_what_holds_everything_gives_back_the_same_scene(form: Format, scene: Scene, folder: Path) -> None:
    assert form.loses is not None
    assert form.loses(scene) == ()
    again = back(form, scene, folder)
    assert again == scene
    assert list(again.nodes) == list(scene.nodes)
    assert again.hash == scene.hash


@pytest.mark.parametrize("form", [f for f in WRITTEN if f.name in EXACT], ids=named)
def test_the_office_comes_back_with_its_provenance(form: Format, folder: Path) -> None:
    office = load_scene("office")
    again = back(form, office, folder)
    assert again == office
    assert again.nodes["fridge"].provenance == office.nodes["fridge"].provenance


@pytest.mark.parametrize("form", [f for f in WRITTEN if f.name not in EXACT], ids=named)
@quick
@given(scene=scenes(hostile=None, connected=False))
def test_what_comes_back_and_was_not_named_as_lost_is_the_same(
    form: Format, scene: Scene, folder: Path
) -> None:
    assert form.loses is not None
    lost = " ".join(form.loses(scene))
    again = back(form, scene, folder)
    fields = {
        "affordances": "affordances",
        "state": "states",
        "attributes": "attributes",
        "parent": "parents",
    }
    fields |= {"classes": "classes", "relation": "relations", "position": "positions"}
    if "ids" in lost or "nodes of type" in lost:
        return
    assert set(scene.nodes) == set(again.nodes)
    for node in scene.nodes.values():
        for field, word in fields.items():
            before, after = getattr(node, field), getattr(again.nodes[node.id], field)
            if field == "parent" and node.type == "agent":  # a room may stand under either
                before, after = before or node.at, after or again.nodes[node.id].at
            if word not in lost and field not in ("relation",):
                assert before == after or set(before) == set(after), (node.id, field)


@pytest.mark.parametrize("form", WRITTEN, ids=named)
def test_writing_is_stable(form: Format) -> None:
    assert form.write is not None
    office = load_scene("office")
    assert form.write(office) == form.write(office)


def test_a_file_is_known_by_its_content(tmp_path: Path) -> None:
    for name, form in (
        ("groundplan", "groundplan"),
        ("sayplan", "sayplan"),
        ("lookplangraph", "lookplangraph"),
        ("virtualhome", "virtualhome"),
        ("spark_dsg", "spark-dsg"),
        ("node_link", "node-link"),
    ):
        text = (SAMPLES / f"{name}.json").read_bytes()
        for file, data in (("plain.txt", text), ("packed", gzip.compress(text, mtime=0))):
            (tmp_path / file).write_bytes(data)
            assert registry.detect(Content(tmp_path / file)).name == form
        assert open_scene(str(tmp_path / "packed")).nodes == sample(f"{name}.json").nodes


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "expected JSON"),
        (b"[1, 2]", "got list; formats are told apart by content: groundplan,"),
        (b"{}", "an empty object"),
        (b'{"rooms": 3, "chairs": 1}', "an object with the keys rooms, chairs"),
        (b"\x00\x01\xff", "UTF-8"),
        (gzip.compress(b"{}" * 1000, mtime=0)[:-20], "a whole gzip file"),
    ],
)
def test_what_no_format_knows_is_named(tmp_path: Path, data: bytes, said: str) -> None:
    file = tmp_path / "scene.json"
    file.write_bytes(data)
    with pytest.raises(SceneError) as caught:
        registry.read(file)
    assert said in str(caught.value)
    assert str(file) in str(caught.value)


def test_a_format_is_named_or_the_nearest_are(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did you mean 'virtualhome'"):
        registry.by_name("virtual-home")
    assert registry.read(SAMPLES / "sayplan.json", "sayplan")[1].name == "sayplan"
    with pytest.raises(SceneError, match="nodes"):
        registry.read(SAMPLES / "sayplan.json", "virtualhome")


# LookPlanGraph


def test_a_memory_graph_says_what_can_be_done_by_its_states() -> None:
    scene = sample("lookplangraph.json")
    assert scene.nodes["lamp1"].affordances == ("release", "turn_on", "turn_off")
    assert scene.nodes["cupboard1"].affordances == ("release", "open", "close")
    assert scene.nodes["cupboard1"].attributes == ("wooden",)
    assert scene.nodes["sock1"].attributes == ("folded",)
    assert scene.nodes["notebook1"].relation == "inside_hand"
    assert scene.agent.at == "living_room1"
    assert scene.links == (Link("living_room1", "kitchen1", 1.0),)


def test_the_example_of_the_paper_has_its_types_beside_nodes() -> None:
    inside = raw("lookplangraph.json")["nodes"]
    beside = {"nodes": {"room": inside["room"], "scene": inside["scene"]}}
    beside |= {kind: inside[kind] for kind in ("asset", "object", "agent")}
    assert (
        lookplangraph.read_graph(beside, "x").nodes == lookplangraph.read_graph({"nodes": inside}, "x").nodes
    )


@pytest.mark.parametrize(
    ("kind", "index", "change", "said"),
    [
        ("object", 0, {"related_to": "sofa2"}, "object[0].related_to: expected the id of a node, got sofa2"),
        ("object", 0, {"relation": "ontop"}, "object[0].relation"),
        ("object", 0, {"id": "sofa1"}, "object[0].id: expected ids that are unique"),
        ("object", 0, {"states": 4}, "object[0].states: expected a list of words"),
        ("asset", 1, {"located": None}, "asset[1].located: expected a name"),
        ("agent", 0, {"holding": "sofa3"}, "agent[0].holding: expected the id of a node"),
        ("agent", 0, {"location": ["x"]}, "agent[0].location"),
        ("room", 1, {"scene": "flet"}, "did you mean 'flat'"),
    ],
)
def test_a_broken_memory_graph_is_refused(kind: str, index: int, change: Any, said: str) -> None:
    document = raw("lookplangraph.json")
    document["nodes"][kind][index].update(change)
    with pytest.raises(SceneError) as caught:
        lookplangraph.read_graph(document, "here")
    assert said in str(caught.value)


# Spark-DSG


def test_layers_become_levels_and_labels_classes() -> None:
    scene = sample("spark_dsg.json")
    assert scene.nodes["R(0)"].classes == ("kitchen",)
    assert scene.nodes["R(0)"].parent == "B(0)"
    assert scene.nodes["p(0)"].parent == "R(0)"
    table, cup, fridge, box = (scene.nodes[f"O({i})"] for i in range(4))
    assert (table.type, table.classes, table.affordances) == ("asset", ("dining_table",), ("release",))
    assert (cup.type, cup.parent, cup.relation) == ("object", "p(0)", "ontop_of")
    assert fridge.affordances == ("open", "close", "release")
    assert fridge.parent == "p(2)"
    assert scene.nodes["p(2)"].parent == "R(1)", "it is in no room: the nearest along the places"
    assert box.classes == ("tool_box",)
    assert list(scene.unplaced) == ["O(3)"], "no edge leads to a room, and the nearest one is a guess"
    assert scene.agent.id == "a(1)"
    assert scene.agent.at == "p(1)"
    assert scene.links[0] == Link("p(0)", "p(1)", 3.0), "the distance, not the weight, which is the clearance"
    assert Link("R(1)", "p(1)", 1.414) in scene.links


def test_files_of_before_version_1_1_name_no_layers() -> None:
    document = raw("spark_dsg.json")
    for key in ("SPARK_DSG_header", "layer_names", "layer_keys"):
        del document[key]
    document["layer_ids"] = [2, 3, 4, 5]
    for node in document["nodes"]:
        del node["partition"]
    old, new = spark_dsg.read_graph(document, "x"), sample("spark_dsg.json")
    assert {i: n.type for i, n in old.nodes.items()} == {i: n.type for i, n in new.nodes.items()}


def test_the_type_of_a_node_goes_before_the_number_of_its_layer() -> None:
    document = raw("spark_dsg.json")
    del document["layer_names"]
    layers = {2: 1, 3: 2, 4: 3, 5: 4}
    for node in document["nodes"]:
        node["layer"] = layers[node["layer"]]
    spaces = document["metadata"]["labelspaces"]
    document["metadata"]["labelspaces"] = {f"_l{int(k[2]) - 1}{k[3:]}": v for k, v in spaces.items()}
    old, new = spark_dsg.read_graph(document, "x"), sample("spark_dsg.json")
    things = [i for i, n in new.nodes.items() if n.type in ("room", "pose", "asset", "object", "agent")]
    assert {i: old.nodes[i].type for i in things} == {i: new.nodes[i].type for i in things}


def test_a_graph_without_rooms_gets_one() -> None:
    document = raw("spark_dsg.json")
    gone = [n["id"] for n in document["nodes"] if n["layer"] > 3]
    document["nodes"] = [n for n in document["nodes"] if n["id"] not in gone]
    document["edges"] = [e for e in document["edges"] if e["source"] not in gone and e["target"] not in gone]
    scene = spark_dsg.read_graph(document, "x")
    assert scene.by_type["room"] == ("room",)
    assert scene.nodes["O(1)"].parent == "p(0)"
    assert {scene.nodes[pose].parent for pose in scene.by_type["pose"]} == {"room"}
    assert len(scene.neighbours["room"]) == 1
    belief = ground(scene, household())
    assert belief.routes.connected(belief.start, "room")


def test_what_others_add_to_our_file_is_read_too() -> None:
    document = json.loads((spark_dsg.FORMAT.write or bytes)(load_scene("office")))  # type: ignore[arg-type]
    room = next(n for n in document["nodes"] if n["attributes"].get("name") == "kitchen")
    new = (ord("O") << 56) + 9999
    attributes = {"type": "ObjectNodeAttributes", "name": "cup", "position": [1, 2, 3]}
    document["nodes"].append({"id": new, "layer": 2, "partition": 0, "attributes": attributes})
    document["edges"].append({"source": room["id"], "target": new, "info": {}})
    room["attributes"]["position"] = [7.0, 8.0, 9.0]
    scene = spark_dsg.read_graph(document, "x")
    assert scene.nodes["O(9999)"].parent == "kitchen"
    assert scene.nodes["kitchen"].position == (7.0, 8.0, 9.0)
    assert scene.links == load_scene("office").links


def test_the_package_reads_what_is_written_and_what_it_writes_is_read(tmp_path: Path) -> None:
    package = pytest.importorskip("spark_dsg")
    scenes = [load_scene("office"), sample("virtualhome.json"), tall()]
    for number, scene in enumerate(scenes):
        ours, theirs = tmp_path / f"{number}.json", tmp_path / f"{number}-again.json"
        assert spark_dsg.FORMAT.write is not None
        ours.write_bytes(spark_dsg.FORMAT.write(scene))
        graph = package.DynamicSceneGraph.load(str(ours))
        assert graph.num_nodes() == len(scene.nodes)
        graph.save(str(theirs), False)
        again = registry.read(theirs)[0]
        assert again == Scene(scene.name, scene.nodes, again.links, scene.description)
        assert again.hash == scene.hash


def test_a_graph_made_with_the_package_is_read(tmp_path: Path) -> None:
    package = pytest.importorskip("spark_dsg")
    graph, layers, symbol = package.DynamicSceneGraph(), package.DsgLayers, package.NodeSymbol
    for layer, node, kind, position in (
        (layers.ROOMS, symbol("R", 3), package.RoomNodeAttributes(), [0, 0, 0]),
        (layers.PLACES, symbol("p", 1), package.PlaceNodeAttributes(), [0, 1, 0]),
        (layers.PLACES, symbol("p", 2), package.PlaceNodeAttributes(), [0, 4, 0]),
        (layers.OBJECTS, symbol("O", 7), package.ObjectNodeAttributes(), [1, 1, 1]),
    ):
        kind.position = position
        if node.category == "O":
            kind.semantic_label = 12
        graph.add_node(layer, node, kind)
    graph.insert_edge(symbol("R", 3), symbol("p", 1))
    graph.insert_edge(symbol("p", 1), symbol("p", 2))
    graph.insert_edge(symbol("p", 1), symbol("O", 7))
    graph.set_labelspace(package.Labelspace({12: "coffee table"}), 2, 0)
    graph.save(str(tmp_path / "made.json"), False)
    scene, form = registry.read(tmp_path / "made.json")
    assert form.name == "spark-dsg"
    assert scene.nodes["O(7)"].classes == ("coffee_table",)
    assert scene.nodes["O(7)"].parent == "p(1)"
    assert scene.room_of("O(7)") == "R(3)"
    assert Link("p(1)", "p(2)", 3.0) in scene.links
    assert scene.agent.at == "R(3)", "a robot that the graph does not have stands in the first room"


def tall() -> Scene:
    """Every level, and names that need care."""
    nodes = [
        Node("campus", "campus", classes=("campus",)),
        Node("B 1", "building", "campus", classes=("house",)),
        Node("1.", "floor", "B 1", classes=("floor",)),
        Node("2", "room", "1.", classes=("office", "room"), position=(1.5, 2.5, 1e-3)),
        Node("küche", "room", "1.", classes=("kitchen",), description="with a view"),
        Node("0.1", "pose", classes=("pose",), position=(0.0, 0.0, 0.0)),
        Node("desk.1", "asset", "2", classes=("desk", "furniture"), affordances=("release",)),
        Node("leg", "part", "desk.1", "attached_to", classes=("leg",)),
        Node("cup (blue)", "object", "desk.1", "ontop_of", ("cup",), ("pickup",), ("dirty",), ("blue",)),
        Node("a", "agent", at="0.1", classes=("agent",)),
    ]
    links = (Link("0.1", "2", 1.25), Link("0.1", "küche", 0.0), Link("0.1", "2", 4.0))
    return Scene("tall", {n.id: n for n in nodes}, links, "a text")


@pytest.mark.parametrize("form", [f for f in WRITTEN if f.name in EXACT], ids=named)
def test_every_level_comes_back(form: Format, folder: Path) -> None:
    assert back(form, tall(), folder) == tall()


# Node-link


def test_a_graph_from_elsewhere_is_read_by_sensible_names() -> None:
    scene = sample("node_link.json")
    assert scene.name == "workshop"
    assert scene.nodes["1"].classes == ("hall",)
    assert scene.nodes["2"].position == (3.0, 4.0, 0.0)
    assert scene.nodes["2"].parent == "house"
    assert scene.nodes["door 1.2"].type == "pose"
    assert (scene.nodes["bench.1"].type, scene.nodes["bench.1"].parent) == ("asset", "2")
    assert (scene.nodes["tool.9"].parent, scene.nodes["tool.9"].relation) == ("tool chest", "inside_of")
    assert scene.nodes["tool.9"].classes == ("hammer", "tool")
    assert (scene.nodes["oil-can"].parent, scene.nodes["oil-can"].relation) == ("bench.1", "ontop_of")
    assert scene.nodes["oil-can"].attributes == ("LEAKING",)
    assert scene.agent.at == "1"
    assert scene.links == (Link("1", "door 1.2", 2.5), Link("door 1.2", "2", 1.0))


def test_networkx_reads_and_writes_it() -> None:
    import networkx

    scene = tall()
    document = node_link.to_node_link(scene)
    graph = networkx.node_link_graph(document, edges="edges")
    assert graph.nodes["desk.1"]["type"] == "asset"
    assert graph["desk.1"]["2"][0]["relation"] == "in"
    for key in ("edges", "links"):
        again = node_link.read_graph(
            json.loads(json.dumps(networkx.node_link_data(graph, edges=key))), "again"
        )
        assert again.hash == scene.hash
        assert again.name == "tall"


def test_one_that_is_neither_directed_nor_named_edges_is_found() -> None:
    document = raw("node_link.json")
    del document["directed"], document["multigraph"]
    document["edges"] = document.pop("links")
    assert node_link.read_graph(document, "x").nodes == sample("node_link.json").nodes


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d["nodes"][1].update(type="rooom"), "got rooom; did you mean"),
        (lambda d: d["nodes"][1].pop("type"), "nodes[1].type: expected a node type, got None; types are"),
        (lambda d: d["nodes"][1].update(id=None), "nodes[1].id"),
        (lambda d: d["nodes"][1].update(id="house"), "nodes[1].id: expected ids that are unique"),
        (lambda d: d["nodes"][1].update(pos=["x", 1]), "nodes[1].position: expected three numbers"),
        (lambda d: d["nodes"][5].update(parent="hause"), "got hause; did you mean"),
        (lambda d: d["links"][2].update(weight="long"), "links[2].weight: expected metres"),
        (lambda d: d["links"][2].update(weight=-1), "expected two ends and a length"),
        (lambda d: d["links"][2].update(source=None), "links[2].source: expected a name or a number"),
        (lambda d: d["links"].append("1-2"), "links[8]: expected an object"),
        (lambda d: d["nodes"][5].update(parent="tool.9"), "expected a hierarchy without cycles"),
    ],
)  # fmt: skip
def test_a_broken_graph_is_refused(change: Any, said: str) -> None:
    document = copy.deepcopy(raw("node_link.json"))
    change(document)
    with pytest.raises(SceneError) as caught:
        node_link.read_graph(document, "here")
    assert said in str(caught.value)


def test_every_format_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| `")]
    assert sorted(rows) == sorted(f"`{form.name}`" for form in registry.FORMATS)
    for form in WRITTEN:
        [row] = [line for line in page.splitlines() if line.startswith(f"| `{form.name}` |")]
        assert all(f"`{ending}`" in row for ending in form.extensions)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("README.md", b"\n# Scenes\n", "got text that begins '# Scenes'"),
        ("domain.pddl", b"(define (domain blocks))", "got text that begins '(define (domain blocks))'"),
        ("house.npz", (SAMPLES / "stanford.npz").read_bytes()[:-30], "got a zip file, cut off"),
        ("picture.png", b"\x89PNG\r\n\x1a\n", "got bytes that are no text"),
        ("long.txt", "ü".encode() * 5000, "got text that begins 'üüü"),
        ("blank", b" \n", "got a file without text"),
        ("hello", b"\x1b[2J", "got text that begins"),
    ],
)
def test_what_is_not_meant_as_json_is_told_of_the_formats(
    tmp_path: Path, name: str, data: bytes, said: str
) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(SceneError) as caught:
        registry.read(file)
    assert said in str(caught.value)
    assert "JSON" not in str(caught.value) and str(caught.value).isprintable()
    assert all(f.name in caught.value.hint for f in registry.FORMATS) and "--from" in caught.value.hint


@pytest.mark.parametrize("start", ["", "\ufeff", " \n"])
def test_what_begins_like_json_is_told_of_its_place(tmp_path: Path, start: str) -> None:
    file = tmp_path / "scene.txt"
    file.write_text(start + '{"nodes": [', encoding="utf-8")
    with pytest.raises(SceneError, match=r"scene\.txt:\d:\d+: expected JSON"):
        registry.read(file)


def test_problems_of_others_are_no_activities(tmp_path: Path) -> None:
    file = tmp_path / "problem.pddl"
    problem = "(define (problem p) (:domain %s) (:objects %s) (:init (inroom a kitchen)) (:goal (and)))"
    for domain, objects, fits in (
        ("rooms", "a kitchen", False),
        ("igibsons", "a kitchen", False),
        ("rooms", "apple.n.01_1 - apple.n.01", True),
        ("OmniGibson", "a kitchen", True),
        ("ignore", "a kitchen", True),
        ("igibson", "a kitchen", True),
    ):
        file.write_text(problem % (domain, objects))
        content = Content(file)
        assert [f.name for f in registry.FORMATS if f.detect(content)] == ["bddl"] * fits


def test_a_new_field_of_nodes_is_compared_without_being_listed() -> None:
    @dataclass(frozen=True)
    class Weighed(Node):
        weight: float = 0.0

    scene = Scene("s", {"box": Weighed("box", "room", weight=2.0)})
    assert differences(scene, scene) == ()
    lighter = Scene("s", {"box": Weighed("box", "room", weight=1.0)})
    assert differences(scene, lighter) == ("weight (1: box)",)
    assert differences(scene, Scene("s", {"box": Node("box", "room")})) == ("weight (1: box)",)


def test_additions_of_a_format_are_no_losses() -> None:
    room = Node("lab", "room")
    more = Scene("s", {"lab": room, "hall": Node("hall", "room")}, description="two rooms")
    assert differences(Scene("s", {"lab": room}), more) == ()
    assert differences(more, Scene("s", {"lab": room})) == (
        "nodes of type room (1: hall)",
        "the scene's description",
    )


def test_a_robot_in_a_room_is_not_lost() -> None:
    room, other = Node("lab", "room"), Node("hall", "room")
    here = Node("me", "agent", classes=("me",), at="lab")
    for robot in (here, replace(here, at=None, parent="lab")):
        scene = Scene("s", {"lab": room, "hall": other, "me": robot}, (Link("lab", "hall", 1.0),))
        lost = registry.by_name("sayplan").loses
        assert lost is not None and not [x for x in lost(scene) if "robot" in x or "parents" in x]
        moved = Scene("s", {**scene.nodes, "me": replace(robot, at="hall", parent="hall")}, scene.links)
        assert any("robot" in x for x in differences(scene, moved))
