"""What is read and what is lost add up to what a file holds, counted without the readers."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from groundplan.datasets.formats.content import Format
from groundplan.datasets.formats.native import NOTES
from groundplan.datasets.formats.registry import FORMATS, read
from groundplan.datasets.formats.unread import MAX_KEYS, fields_left, parts_left
from groundplan.datasets.scenes import SCENES, load_scene
from groundplan.simulator.scene import Scene

EXACT = ("groundplan", "node-link", "spark-dsg")
SAMPLES = Path(__file__).parent / "formats"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


def scene(name: str) -> Scene:
    return read(SAMPLES / name)[0]


def raw(name: str) -> Any:
    return json.loads((SAMPLES / name).read_text(encoding="utf-8"))


def lost(scene: Scene, kind: str, name: str = "") -> int:
    """The number of losses of a kind, of one name if it is given."""
    return sum(x.count for x in scene.losses if x.kind == kind and (not name or x.id == name))


def without_robot(scene: Scene) -> list[str]:
    """The nodes that come from a file: a robot of ours says so in its provenance."""
    return [i for i, n in scene.nodes.items() if n.provenance.keys() <= {"parent"}]


def keys_beyond(entries: list[Any], read_keys: str) -> Counter[str]:
    """The keys of entries that a reader does not name, where they say anything."""
    read_here = set(read_keys.split())
    return Counter(k for e in entries for k, v in e.items() if k not in read_here and v not in (None, "", []))


def check_fields(scene: Scene, expected: Counter[str], of: str) -> None:
    for key, number in expected.items():
        assert lost(scene, "field", f"{of}.{key}") == number
    assert sum(x.id.startswith(f"{of}.") for x in scene.losses if x.kind == "field") == len(expected)


def test_virtualhome() -> None:
    made, graph = scene("virtualhome.json"), raw("virtualhome.json")
    check_virtualhome(made, graph)
    boxes = [n["bounding_box"] for n in graph["nodes"] if n.get("bounding_box")]
    check_fields(made, keys_beyond(boxes, "center"), "nodes.bounding_box")


def check_virtualhome(made: Scene, graph: Any) -> None:
    """Compare nodes and edges, one relation after the other."""
    name = {}
    for node in graph["nodes"]:
        apart = "_" if node["class_name"][-1].isdigit() else ""
        name[node["id"]] = f"{node['class_name']}{apart}{node['id']}"
    assert len(without_robot(made)) + lost(made, "node") == len(graph["nodes"])
    edges = Counter(e["relation_type"] for e in graph["edges"])
    kept: Counter[str] = Counter()
    linked = {frozenset((x.a, x.b)) for x in made.links}
    rooms_of_door: dict[int, set[str]] = {}
    for edge in graph["edges"]:
        if edge["relation_type"] == "BETWEEN":
            rooms_of_door.setdefault(edge["from_id"], set()).add(name[edge["to_id"]])
    for edge in graph["edges"]:
        a, b = name[edge["from_id"]], name[edge["to_id"]]
        match edge["relation_type"]:
            case "BETWEEN" if frozenset(rooms_of_door[edge["from_id"]]) in linked:
                kept["BETWEEN"] += 1
            case "HOLDS_RH" | "HOLDS_LH" if made.nodes[b].parent == a:
                kept[edge["relation_type"]] += 1
            case "ON" | "INSIDE" as word if a in made.nodes and b in made.nodes:
                relation = {"ON": "ontop_of", "INSIDE": "inside_of"}[word]
                node = made.nodes[a]
                direct = (node.parent, node.relation) == (b, relation) or node.at == b
                in_room = made.nodes[b].type == "room" and made.room_of(a) == b and a != b
                kept[word] += direct or (in_room and node.type != "agent")
    assert sum(kept.values()) + lost(made, "edge") == len(graph["edges"])
    for word, number in (edges - kept).items():
        listed = sum(x.count for x in made.losses if x.kind == "edge" and word in x.id.split())
        assert listed == number, word


@pytest.mark.parametrize("name", ["stanford.scn", "context_matters"])
def test_graphs_of_rooms_and_things(name: str) -> None:
    made = scene(name)
    graph = raw(name if name.endswith("scn") else f"{name}/Testville.json")
    rooms, things = (
        list(g.values()) if isinstance(g, dict) else g for g in (graph["rooms"], graph["objects"])
    )
    kept = Counter(n.type for i in without_robot(made) if (n := made.nodes[i]))
    assert kept["room"] == len(rooms)
    assert kept["asset"] + kept["object"] + lost(made, "node") == len(things)
    homeless = sum(t.get("parent_room") is None for t in things)
    assert len(made.unplaced) == lost(made, "place") == homeless
    assert all(made.nodes[i].parent is None for i in made.unplaced)
    keys = "id scene_category category floor_number location"
    check_fields(made, keys_beyond(rooms, f"{keys} label"), "rooms")
    keys = """id class_ class parent_room action_affordance material tactile_texture visual_texture location
        description label"""
    check_fields(made, keys_beyond(things, keys), "objects")


def test_taskography() -> None:
    made = scene("taskography.pddl")
    text = re.sub(r";.*", "", (SAMPLES / "taskography.pddl").read_text(encoding="utf-8"))
    declared = text.partition("(:objects")[2].partition("(:init")[0]
    objects = sum(len(g.split()) for g in re.findall(r"([^-()]+) - \w+", declared))
    facts = text.partition("(:init")[2].partition("(:goal")[0]
    as_classes = set(re.findall(r"\((?:item|receptacle)Class \S+ (\w+)\)", facts))
    assert len(without_robot(made)) + len(as_classes) + lost(made, "node") == objects
    for word in ("classRelation", "slotHoldsAny"):
        assert lost(made, "fact", word.lower()) == len(re.findall(rf"\({word}\s", facts))
    assert made.description.startswith("goal:") and lost(made, "goal") == 0


@pytest.mark.parametrize(
    ("goal", "number"),
    [("(exists (?i - item) (holds robot ?i))", 1), ("(inReceptacle item1 receptacle1)", 0), ("(and)", 0)],
)
def test_a_goal_of_taskography_and_its_bag_slots_do_not_vanish(
    goal: str, number: int, tmp_path: Path
) -> None:
    file = tmp_path / "problem.pddl"
    file.write_text(
        "(define (problem p) (:domain taskographyv5)"
        " (:objects robot - agent l1 - location item1 - item receptacle1 - receptacle slot1 slot2 - bagslot)"
        " (:init (atLocation robot l1) (itemAtLocation item1 l1) (receptacleAtLocation receptacle1 l1))"
        f" (:goal {goal}))"
    )
    made = read(file)[0]
    assert lost(made, "goal") == number
    assert [x.id for x in made.losses if x.kind == "node"] == ["slot1", "slot2", "location"]


def test_spark_dsg() -> None:
    made, graph = scene("spark_dsg.json"), raw("spark_dsg.json")
    assert len(without_robot(made)) + lost(made, "node") == len(graph["nodes"])
    layer = {n["id"]: n["layer"] for n in graph["nodes"]}
    joined = [frozenset((layer[e["source"]], layer[e["target"]])) for e in graph["edges"]]
    ways = [ends for ends in joined if ends <= {3, 4} and ends != {4}]
    things = [e for e in graph["edges"] if {layer[e["source"]], layer[e["target"]]} == {2, 3}]
    things = [e for e in things if "O" in (chr(e["source"] >> 56), chr(e["target"] >> 56))]
    upper = [e for e in graph["edges"] if 5 in (layer[e["source"]], layer[e["target"]])]
    robot = [e for e in graph["edges"] if chr(e["target"] >> 56) == "a" and layer[e["source"]] == 3]
    assert len(ways) + len(upper) + len(robot) + len(things) + lost(made, "edge") == len(graph["edges"])
    unnamed = [n for n in graph["nodes"] if n["attributes"].get("semantic_label") == 77]
    assert lost(made, "field", "nodes.attributes.semantic_label") == len(unnamed)
    attributes = [n["attributes"] for n in graph["nodes"]]
    beyond = keys_beyond(attributes, "type position name semantic_label metadata")
    assert all(lost(made, "field", f"nodes.attributes.{k}") == n for k, n in beyond.items())


def children(things: list[Any]) -> Iterator[Any]:
    for thing in things:
        yield thing
        yield from children(thing.get("children") or [])


def test_procthor() -> None:
    made, house = scene("procthor.json"), raw("procthor.json")
    doors = [d for d in house["doors"] if d["room0"] != d["room1"]]
    poses = [i for i in made.by_type.get("pose", ()) if made.nodes[i].classes == ("door",)]
    assert len(poses) + lost(made, "node") == len(house["doors"])
    assert len(poses) == len([d for d in doors if "exterior" not in (d["room0"], d["room1"])])
    things = list(children(house["objects"]))
    assert len(made.by_type["asset"]) + len(made.by_type["object"]) == len(things)
    keys = "id assetId position kinematic children openness isOn isDirty"
    check_fields(made, keys_beyond(things, keys), "objects")


def test_procthor_compact() -> None:
    made = scene("procthor_compact.jsonl")
    house = json.loads((SAMPLES / "procthor_compact.jsonl").read_text(encoding="utf-8").splitlines()[0])
    shut = {link.door for link in made.links} - {""}
    assert len({*made.by_type["asset"]} - shut) + len(made.by_type["object"]) == len(house["objects"])
    keys = """id openness isOn isDirty type room parent relation x y z pickupable openable toggleable
        receptacle"""
    check_fields(made, keys_beyond(house["objects"], keys), "objects")
    parts = set("id spec source rooms doors open_walls objects agent".split())
    assert {x.id for x in made.losses if x.kind == "field" and "." not in x.id} == set(house) - parts


def test_delta(tmp_path: Path) -> None:
    document = {
        "rooms": {
            "hall": {"neighbor": ["kitchen", "nowhere", "hall"], "items": {"cup": {"weight": 2}}, "size": 3},
            "kitchen": {"neighbor": ["hall"], "assets": {"desk": {"items": {"pen": {"weight": 1}}}}},
        },
        "human": {"position": "hall"},
        "agent": {"position": "hall", "state": "hand-free"},
    }
    file = tmp_path / "house.json"
    file.write_text(json.dumps(document))
    made = read(file)[0]
    listed = [(a, b) for a, room in document["rooms"].items() for b in room["neighbor"]]  # type: ignore[index]
    ways = [(a, b) for a, b in listed if b in document["rooms"] and a != b]
    assert len(ways) == 2 * len(made.links) and len(ways) + lost(made, "edge") == len(listed)
    fields = {x.id: x.count for x in made.losses if x.kind == "field"}
    assert fields == {"human": 1, "agent.state": 1, "rooms.size": 1, "entries.weight": 2}


def test_lookplangraph(tmp_path: Path) -> None:
    graph = raw("lookplangraph.json")
    for group in graph["nodes"].values():
        group[0]["colour"] = "red"
    file = tmp_path / "memory.json"
    file.write_text(json.dumps(graph))
    made = read(file)[0]
    entries = [
        n for groups in (graph["nodes"], graph) for g in groups.values() if isinstance(g, list) for n in g
    ]
    assert len(without_robot(made)) + lost(made, "node") == len(entries)
    assert lost(made, "field", "nodes.colour") == len(graph["nodes"])


def test_sayplan(tmp_path: Path) -> None:
    document = raw("sayplan.json") | {"made by": "a program"}
    file = tmp_path / "flat.json"
    file.write_text(json.dumps(document))
    made = read(file)[0]
    assert len(without_robot(made)) == sum(map(len, document["nodes"].values()))
    assert made.losses == () and made.extra == {"made by": "a program"}


def test_node_link(tmp_path: Path) -> None:
    graph = raw("node_link.json")
    key = "edges" if "edges" in graph else "links"
    graph["nodes"].append({"id": "stray cup", "type": "object", "colour": "red"})
    file = tmp_path / "graph.json"
    file.write_text(json.dumps(graph))
    made = read(file)[0]
    assert len(without_robot(made)) + lost(made, "node") == len(graph["nodes"])
    assert list(made.unplaced) == ["stray cup"] and lost(made, "place") == 1
    assert lost(made, "field", "nodes.colour") == 1
    near = [e for e in graph[key] if e.get("relation") == "near"]
    assert lost(made, "edge") == lost(made, "edge", "near") == len(near)


def test_bddl() -> None:
    made = scene("activity.bddl")
    text = (SAMPLES / "activity.bddl").read_text(encoding="utf-8")
    facts = re.findall(r"\((ontop|inside|inroom) (\S+) (\S+)\)", text.partition("(:goal")[0])
    parents = {(n.id, n.parent) for n in made.nodes.values()}
    kept = [f for f in facts if (f[1], f[2]) in parents or (f[0] == "inroom" and made.room_of(f[1]) == f[2])]
    assert len(kept) + lost(made, "fact") == len(facts)
    assert lost(made, "goal") == 1


def test_gml() -> None:
    made, text = scene("graph.gml"), (SAMPLES / "graph.gml").read_text(encoding="utf-8")
    counts = Counter(re.findall(r"^ +(\w+)", text, re.MULTILINE))
    assert len(without_robot(made)) == counts["node"]
    placed = [n for n in made.nodes.values() if n.parent is not None and n.id != "door1"]
    through = 2 * len(made.doors) // 2  # a shut door has two edges and is on one link
    assert len(made.links) - through // 2 + through + len(placed) == counts["edge"]
    expected = {"nodes.pixel": 1, "edges.edge_type": 1, "nodes.level": counts["level"], "graph.map": 1}
    assert {x.id: x.count for x in made.losses} == expected


def test_graphml() -> None:
    made, text = scene("graph.graphml"), (SAMPLES / "graph.graphml").read_text(encoding="utf-8")
    assert len(without_robot(made)) == text.count("<node ")
    placed = [n for n in made.nodes.values() if n.parent is not None]
    assert len(made.links) + len(placed) + lost(made, "edge") == text.count("<edge ")
    assert {x.id: x.count for x in made.losses} == {"nodes.battery": 1, "<port>": text.count("<port ")}


def test_concept_graphs() -> None:
    made = scene("concept_graphs")
    objects, edges = (list(raw(f"concept_graphs/{name}.json").values()) for name in ("objects", "edges"))
    assert len(without_robot(made)) == len(objects)
    related = [n for n in made.nodes.values() if n.parent not in (None, "room")]
    assert len(related) + lost(made, "edge") == len(edges)
    for key, number in keys_beyond(objects, "id object_tag object_caption bbox_center").items():
        assert lost(made, "field", f"objects.{key}") == number
    assert lost(made, "field", "edges.num_detections") == len(edges)


def test_hov_sg() -> None:
    made, folder = scene("hov_sg"), SAMPLES / "hov_sg" / "graph"
    files = {name: sorted((folder / name).iterdir()) for name in ("floors", "rooms", "objects")}
    entries = {name: [json.loads(f.read_text()) for f in listed] for name, listed in files.items()}
    named = [name for room in entries["rooms"] for name in room["objects"]]
    assert len(made.by_type["floor"]) == len(entries["floors"])
    assert len(made.by_type["room"]) == len(entries["rooms"])
    assert len(made.by_type["asset"]) + len(made.by_type["object"]) == len(named)
    assert lost(made, "field", "objects") == len(named) - len(entries["objects"])
    check_fields(made, keys_beyond(entries["floors"], "floor_id name rooms"), "floors")
    check_fields(made, keys_beyond(entries["objects"], "object_id name room_id vertices"), "objects")
    read_here = "room_id name floor_id objects vertices centroid room_zero_level"
    check_fields(made, keys_beyond(entries["rooms"], read_here), "rooms")


def test_the_own_format_and_the_scenes_that_come_along_lose_nothing() -> None:
    assert scene("groundplan.json").losses == ()
    for name in SCENES:
        assert load_scene(name).losses == ()
    file = Path(__file__).parents[2] / "datasets" / "scenes" / "office.json"
    assert [x.id for x in read(file)[0].losses] == list(NOTES)


def test_every_format_is_counted() -> None:
    """A format that is added needs a count of its own here."""
    here = {
        "groundplan", "sayplan", "lookplangraph", "virtualhome", "taskography", "procthor", "delta",
        "3d-scene-graph", "context-matters", "spark-dsg", "bddl", "node-link", "gml", "graphml",
        "concept-graphs", "hov-sg",
    }  # fmt: skip
    assert {f.name for f in FORMATS} == here


def test_losses_are_no_part_of_the_scene_and_stay_with_its_changes() -> None:
    made = scene("virtualhome.json")
    assert made.losses
    plain = Scene(made.name, made.nodes, made.links, made.description)
    assert plain == made and plain.hash == made.hash
    assert made.changed(remove=["sofa12"]).losses == made.losses


@pytest.mark.parametrize("form", [f for f in FORMATS if f.write is not None], ids=lambda f: f.name)
def test_places_that_are_not_known_are_written_as_such_or_said_to_be_lost(
    form: Format, tmp_path: Path
) -> None:
    made = scene("stanford.scn")
    assert form.write is not None and form.loses is not None
    file = tmp_path / f"again{form.extensions[0]}"
    file.write_bytes(form.write(made))
    again = read(file)[0]
    said = any(line.startswith("nodes of type object (1: vase_6)") for line in form.loses(made))
    assert said == (len(again.unplaced) == 0) and said == (form.name not in EXACT)


@pytest.mark.skipif(not (SHARED / "procthor").is_dir(), reason="the shared data are not there")
def test_shared_houses() -> None:
    for file in sorted((SHARED / "procthor").glob("*.jsonl.gz")):
        houses = [
            json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines() if line.strip()
        ]
        for number, house in enumerate(houses[:3], 1):
            made = read(file, item=str(number))[0]
            things = len(list(children(house["objects"])))
            assert len(made.by_type["asset"]) + len(made.by_type["object"]) == things
            doors = [i for i in made.by_type.get("pose", ()) if made.nodes[i].classes == ("door",)]
            assert len(doors) + lost(made, "node") == len(house["doors"])


def test_of_very_many_keys_the_later_ones_are_counted_together() -> None:
    entries = [{f"k{n}_{m}": 1 for m in range(3)} for n in range(5_000)]
    losses = list(fields_left(entries, (), "nodes"))
    assert sum(loss.count for loss in losses) == 15_000 and len(losses) == MAX_KEYS + 1
    parts = list(parts_left({f"k{n}": [1, 2] for n in range(MAX_KEYS + 5)}, ("k0",)))
    assert sum(loss.count for loss in parts) == 2 * (MAX_KEYS + 4) and parts[-1].count == 8
