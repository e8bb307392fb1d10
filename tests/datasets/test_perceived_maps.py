"""Maps of ConceptGraphs and HOV-SG: what becomes of their things, and what is refused."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from strategies import household

from groundplan import Engine, parse_goal, plan_goal
from groundplan.datasets.formats import registry
from groundplan.datasets.formats.classes import phrase_abilities
from groundplan.datasets.scenes import open_scene
from groundplan.domains.errors import InputError, SceneError
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import DOUBT, Scene

SAMPLES = Path(__file__).parent / "formats"
MAP, GRAPH = SAMPLES / "concept_graphs", SAMPLES / "hov_sg"


def done(scene: Scene, goal: str) -> list[str]:
    result = plan_goal(parse_goal(goal), ground(scene, household()), Engine.named("pyperplan"))
    assert result.verified, result.reasons
    return [str(step) for step in result.steps]


def test_a_map_of_things_is_one_room() -> None:
    scene, form = registry.read(MAP)
    assert (form.name, scene.name) == ("concept-graphs", "concept_graphs")
    table, mug, shoe = (scene.nodes[i] for i in ("dining_table_3", "mug_8", "shoe_9"))
    assert (table.type, table.parent, table.classes) == ("asset", "room", ("dining_table",))
    assert (mug.parent, mug.relation, mug.description) == (
        "dining_table_3",
        "ontop_of",
        "A white mug on the table.",
    )
    assert (shoe.parent, shoe.relation) == ("folded_chair_7", "under")
    assert done(scene, "(ontop_of shoe_9 dining_table_3)")[-1] == "release(shoe_9)"


def test_the_file_alone_is_a_map_with_what_is_beside_it() -> None:
    assert open_scene(str(MAP / "objects.json")).hash == open_scene(str(MAP)).hash
    alone = open_scene(str(SAMPLES / "concept_graphs.json"))
    assert alone.name == "concept_graphs"
    assert alone.nodes["mug_8"].parent == "room", "no edges.json is read for a file of another name"


def test_a_frame_with_y_down_is_turned_and_one_with_z_up_is_not(tmp_path: Path) -> None:
    scene = open_scene(str(MAP))
    assert scene.nodes["mug_8"].position == (-2.9, -3.2, -0.6)
    assert [x.id for x in scene.losses if x.kind == DOUBT] == ["bbox_center"]
    objects = json.loads((MAP / "objects.json").read_text())
    for entry in objects.values():
        x, y, z = entry["bbox_center"]
        entry["bbox_center"] = [z, -x, -y]
    (tmp_path / "upright.json").write_text(json.dumps(objects))
    upright = open_scene(str(tmp_path / "upright.json"))
    assert upright.nodes["mug_8"].position == (-2.9, -3.2, -0.6)
    assert [x for x in upright.losses if x.kind == DOUBT] == []


@pytest.mark.parametrize(
    ("label", "kind"),
    [("folded_chair", "asset"), ("chair_cushion", "object"), ("tv_stand", "asset"), ("mug", "object")],
)
def test_the_last_words_of_a_label_say_what_it_is(label: str, kind: str) -> None:
    assert phrase_abilities(label)[0] == kind


def changed(path: str, value: object) -> Any:
    raw = copy.deepcopy(json.loads((MAP / "objects.json").read_text()))
    name, _, key = path.partition("/")
    if key:
        raw[name][key] = value
    else:
        raw[name] = value
    return raw


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("object_2/id", 3, "object_2.id: expected ids that are unique, got 3"),
        ("object_2/id", None, "object_2.id: expected a name or a number"),
        ("object_2/bbox_center", [1, 2], "object_2.bbox_center: expected three numbers in metres"),
        ("object_2/bbox_center", [1, 2, float("nan")], "objects.json: expected JSON"),
        ("object_2/object_tag", 5, "object_2.object_tag: expected a list of words"),
        ("object_2", 5, "object_2: expected an object, got 5"),
    ],
)
def test_a_broken_map_is_refused_with_its_place(tmp_path: Path, path: str, value: object, said: str) -> None:
    (tmp_path / "objects.json").write_text(json.dumps(changed(path, value)))
    with pytest.raises(SceneError) as caught:
        open_scene(str(tmp_path))
    assert said in str(caught.value)


def test_broken_relations_are_refused_and_circles_are_passed_over(tmp_path: Path) -> None:
    shutil.copy(MAP / "objects.json", tmp_path)
    edge = {"object_1_id": 8, "object_2_id": 9, "relationship": "on"}
    back = {"object_1_id": 9, "object_2_id": 8, "relationship": "on"}
    (tmp_path / "edges.json").write_text(json.dumps({"a": edge, "b": back, "c": {**edge, "object_2_id": 77}}))
    scene = open_scene(str(tmp_path))
    assert scene.nodes["mug_8"].parent == "shoe_9"
    assert [x.id for x in scene.losses if x.kind == "edge"] == ["9 on 8", "8 on 77"]
    (tmp_path / "edges.json").write_text(json.dumps({"a": {"object_1_id": [1]}}))
    with pytest.raises(SceneError, match=r"edges.json: a.object_1_id: expected a name or a number"):
        open_scene(str(tmp_path))


def test_a_graph_of_folders_has_floors_rooms_and_things() -> None:
    scene, form = registry.read(GRAPH)
    assert (form.name, scene.name) == ("hov-sg", "hov_sg")
    assert scene.nodes["room_0_0"].classes == ("kitchen", "room")
    assert scene.nodes["room_0_1"].classes == ("room",), "room_1 says no more than the number"
    assert scene.nodes["room_0_0"].position == (2.0, -2.5, 0.1)
    assert scene.nodes["room_0_1"].position == (6.0, -2.0, 1.2)
    cup, counter = scene.nodes["coffee_cup_0_0_1"], scene.nodes["kitchen_counter_0_0_0"]
    assert (cup.type, cup.parent, cup.position) == ("object", "room_0_0", (1.5, -1.5, 0.9))
    assert (counter.type, counter.affordances) == ("asset", ("release",))
    assert scene.nodes["object_0_0_10"].classes == ("object",)
    assert list(scene.nodes).index("coffee_cup_0_0_1") < list(scene.nodes).index("object_0_0_10")
    assert done(scene, "(ontop_of object_0_1_0 kitchen_counter_0_0_0)")[0] == "goto(room_0_1)"
    assert registry.read(GRAPH / "graph")[0].hash == scene.hash


def test_rooms_alone_are_a_graph(tmp_path: Path) -> None:
    shutil.copytree(GRAPH / "graph" / "rooms", tmp_path / "house" / "graph" / "rooms")
    scene = open_scene(str(tmp_path / "house"))
    assert list(scene.by_type["floor"]) == ["floor_0"]
    assert len(scene.by_type["object"]) == 4
    assert sum(x.count for x in scene.losses if x.id == "objects") == 4


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("rooms/0_0.json", {"room_id": None}, "0_0.json.room_id: expected a name or a number"),
        ("rooms/0_0.json", {"room_id": "0_1"}, "expected ids that are unique, got room_0_1"),
        ("rooms/0_0.json", {"vertices": [[1]]}, "expected points of two or three numbers, got [1]"),
        ("rooms/0_0.json", {"vertices": [[1, float("inf")]]}, "0_0.json: expected JSON"),
        ("rooms/0_0.json", {"objects": 5}, "0_0.json.objects: expected a list"),
        ("objects/0_0_0.json", {"room_id": "9_9"}, "0_0_0.json.room_id: expected the id of a room, got 9_9"),
        ("objects/0_0_0.json", {"object_id": ""}, "0_0_0.json.object_id: expected a name or a number"),
        ("floors/0.json", {"floor_id": {}}, "0.json.floor_id: expected a name or a number"),
    ],
)
def test_a_broken_graph_of_folders_is_refused(
    tmp_path: Path, file: str, change: dict[str, Any], said: str
) -> None:
    shutil.copytree(GRAPH, tmp_path / "house")
    place = tmp_path / "house" / "graph" / file
    place.write_text(json.dumps(json.loads(place.read_text()) | change))
    with pytest.raises(SceneError) as caught:
        open_scene(str(tmp_path / "house"))
    assert said in str(caught.value)


def test_links_in_folders_are_not_followed(tmp_path: Path) -> None:
    shutil.copytree(GRAPH, tmp_path / "house")
    (tmp_path / "house" / "graph" / "rooms" / "9_9.json").symlink_to(GRAPH / "graph" / "rooms" / "0_0.json")
    assert len(open_scene(str(tmp_path / "house")).by_type["room"]) == 2


@pytest.mark.parametrize("data", [b"", b"[1]", b"{", b"\xff\xfe", b"null", b"[" * 5000])
def test_any_file_of_the_folders_may_be_broken(tmp_path: Path, data: bytes) -> None:
    for source in (MAP, GRAPH):
        for file in sorted(f.relative_to(source) for f in source.rglob("*.json")):
            shutil.copytree(source, tmp_path / "copy")
            (tmp_path / "copy" / file).write_bytes(data)
            with pytest.raises(InputError) as caught:
                open_scene(str(tmp_path / "copy"))
            assert len(str(caught.value)) < 1000
            shutil.rmtree(tmp_path / "copy")
