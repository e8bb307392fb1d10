"""VirtualHome environment graphs: what becomes what, and where errors point."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from groundplan import Engine, parse_goal, plan_goal
from groundplan.datasets.formats.doubts import doubts
from groundplan.datasets.formats.registry import read
from groundplan.datasets.formats.virtualhome.reader import FORMAT, read_graph
from groundplan.datasets.formats.virtualhome.writer import node_name
from groundplan.domains.errors import SceneError
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Link, Node, Scene

SAMPLE = Path(__file__).parent / "formats" / "virtualhome.json"


@pytest.fixture(scope="module")
def raw() -> Any:
    return json.loads(SAMPLE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def scene() -> Scene:
    found, form = read(SAMPLE)
    assert form.name == "virtualhome"
    return found


def place(scene: Scene, node_id: str) -> tuple[str | None, str]:
    return scene.nodes[node_id].parent, scene.nodes[node_id].relation


def test_fixed_things_are_assets_and_the_shell_of_the_house_is_dropped(scene: Scene) -> None:
    assert scene.by_type["room"] == ("kitchen1", "livingroom2", "bathroom3")
    assert scene.by_type["asset"] == ("fridge10", "kitchentable11", "sofa12", "tablelamp13")
    gone = ("floor4", "wall5", "door6", "window7")
    assert not set(gone) & set(scene.nodes)


def test_the_innermost_of_several_places_is_the_parent(scene: Scene) -> None:
    assert place(scene, "milk20") == ("fridge10", "inside_of")
    assert place(scene, "cupcake22") == ("plate21", "ontop_of")
    assert place(scene, "plate21") == ("kitchentable11", "ontop_of")
    assert place(scene, "tablelamp13") == ("kitchentable11", "ontop_of")
    assert place(scene, "mat14") == ("kitchen1", "ontop_of"), "on a floor that is dropped: in its room"


def test_nothing_fixed_stands_on_what_moves_and_circles_are_cut(scene: Scene) -> None:
    assert place(scene, "kitchentable11") == ("kitchen1", "in")
    assert place(scene, "bucket26") == ("bucket27", "inside_of")
    assert place(scene, "bucket27") == ("bathroom3", "ontop_of")


def test_properties_and_states(scene: Scene) -> None:
    fridge = scene.nodes["fridge10"]
    assert fridge.affordances == ("open", "close", "release", "contain")
    assert fridge.state == ("closed",)
    assert fridge.attributes == ("has_plug", "plugged_in")
    assert fridge.classes == ("fridge", "appliances")
    assert scene.nodes["tablelamp13"].affordances == ("turn_on", "turn_off")
    assert scene.nodes["plate21"].affordances == ("pickup", "release", "contain", "fill")
    assert scene.nodes["plate21"].state == ("clean",)
    assert scene.nodes["milk20"].affordances == ("pickup",)


def test_the_robot_and_what_it_holds(scene: Scene) -> None:
    assert scene.agent.id == "character65"
    assert scene.agent.at == "livingroom2"
    assert place(scene, "cup2_23") == ("character65", "inside_hand")
    assert ground(scene, load_pack()).facts.holds("holding", ("cup2_23",))


def test_doors_link_rooms_and_what_no_door_joins_is_linked_straight(scene: Scene) -> None:
    assert scene.nodes["kitchen1"].position == (0.0, 0.0, 1.25)
    assert scene.links[0] == Link("kitchen1", "livingroom2", 8.017)
    assert scene.links[1:] == (Link("kitchen1", "bathroom3", 6.0), Link("livingroom2", "bathroom3", 10.0))


def test_names_do_not_run_into_each_other() -> None:
    assert node_name("cup", "12") == "cup12"
    assert node_name("cup1", "2") == "cup1_2"


def test_a_pair_of_graphs_is_read_by_name(raw: Any, tmp_path: Path) -> None:
    final = copy.deepcopy(raw)
    final["nodes"][7]["states"] = ["OPEN"]
    file = tmp_path / "pair.json"
    file.write_text(json.dumps({"init_graph": raw, "final_graph": final}), encoding="utf-8")
    assert read(file)[0].nodes["fridge10"].state == ("closed",)
    assert read(file, item="init")[0].nodes["fridge10"].state == ("closed",)
    assert read(file, item="final")[0].nodes["fridge10"].state == ("open",)
    with pytest.raises(SceneError, match="init, final"):
        read(file, item="last")


def test_a_second_character_is_somebody_to_bring_things_to(raw: Any) -> None:
    two = copy.deepcopy(raw)
    two["nodes"].append({"id": 66, "class_name": "character", "category": "Characters"})
    two["edges"] += [
        {"from_id": 66, "relation_type": "INSIDE", "to_id": 3},
        {"from_id": 66, "relation_type": "HOLDS_LH", "to_id": 24},
    ]
    scene = read_graph(two, "two")
    assert scene.agent.id == "character65"
    assert scene.nodes["character66"].type == "asset"
    assert place(scene, "pillow24") == ("character66", "attached_to")
    assert [loss.id for loss in scene.losses if "one robot" in loss.reason] == ["character66"]


def test_a_graph_without_a_character_gets_a_robot_and_says_so(raw: Any) -> None:
    none = copy.deepcopy(raw)
    none["nodes"] = [n for n in raw["nodes"] if n["id"] not in (23, 65)]
    none["edges"] = [e for e in raw["edges"] if 65 not in (e["from_id"], e["to_id"])]
    agent = read_graph(none, "none").agent
    assert agent.at == "kitchen1"
    assert "no robot" in agent.provenance["at"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d["nodes"].append(dict(d["nodes"][0])), "nodes[21].id: expected ids that are unique"),
        (lambda d: d["nodes"][7].pop("id"), "nodes[7].id: expected a name or a number, got None"),
        (lambda d: d["nodes"][7].update(id=True), "nodes[7].id"),
        (lambda d: d["nodes"][7].update(class_name=""), "nodes[7].class_name"),
        (lambda d: d["nodes"][7].update(states="x", properties=7), "nodes[7].properties: expected a list"),
        (lambda d: d["nodes"][7].update(bounding_box=[1]), "nodes[7].bounding_box: expected an object"),
        (lambda d: d["nodes"][7]["bounding_box"].update(center=[1, 2]), "center: expected three"),
        (lambda d: d["nodes"][7]["bounding_box"].update(center=[1, 2, 1e300]), "center: expected"),
        (lambda d: d["nodes"].append(3), "nodes[21]: expected an object, got 3"),
        (lambda d: d.update(edges={}), "edges: expected a list"),
        (lambda d: d["edges"].append({"from_id": 20, "to_id": 1}), "edges[27].relation_type"),
    ],
)  # fmt: skip
def test_a_broken_graph_is_refused_with_its_place(raw: Any, change: Any, said: str) -> None:
    broken = copy.deepcopy(raw)
    change(broken)
    with pytest.raises(SceneError) as caught:
        read_graph(broken, "here")
    assert said in str(caught.value)
    assert str(caught.value).startswith("here: ")


def test_a_node_that_is_on_or_inside_nothing_is_kept_and_its_place_is_not_known(raw: Any) -> None:
    broken = copy.deepcopy(raw)
    broken["edges"].pop(4)
    again = read_graph(broken, "x")
    assert list(again.unplaced) == ["fridge10", "milk20"]
    assert [loss.id for loss in again.losses if loss.kind == "place"] == ["fridge10"]


def test_what_comes_from_virtualhome_goes_back_whole(scene: Scene) -> None:
    """But for what its simulator does not have: a bucket in a bucket is still one."""
    assert FORMAT.write is not None and FORMAT.loses is not None
    assert FORMAT.loses(scene) == ("lengths of links",), "the door is written halfway between the rooms"
    again = read_graph(json.loads(FORMAT.write(scene)), scene.name)
    assert again.nodes == scene.nodes


def test_names_that_are_no_class_and_number_get_one() -> None:
    assert FORMAT.loses is not None and FORMAT.write is not None
    nodes = [
        Node("hall", "room", classes=("hall",)),
        Node("cup2", "object", "hall", "ontop_of", ("cup",), ("pickup",)),
        Node("CUP", "object", "hall", "ontop_of", ("cup",), ("pickup",)),
        Node("me", "agent", at="hall", classes=("agent",)),
    ]
    scene = Scene("s", {n.id: n for n in nodes})
    again = read_graph(json.loads(FORMAT.write(scene)), "again")
    assert list(again.nodes) == ["hall1", "cup2", "cup3", "agent4"]
    assert FORMAT.loses(scene) == ("ids (3: hall, ...)",)


def changed(raw: Any, tmp_path: Path, *edges: tuple[int, str, int], states: dict[int, list[str]]) -> Scene:
    """The sample with more edges, and with other states of some nodes."""
    graph = copy.deepcopy(raw)
    graph["edges"] += [{"from_id": a, "relation_type": r, "to_id": b} for a, r, b in edges]
    for node in graph["nodes"]:
        node["states"] = states.get(node["id"], node["states"])
    file = tmp_path / "graph.json"
    file.write_text(json.dumps(graph), encoding="utf-8")
    return read(file)[0]


def test_a_closed_door_is_opened_on_the_way_and_comes_back_from_a_file(raw: Any, tmp_path: Path) -> None:
    made = changed(raw, tmp_path, (6, "BETWEEN", 3), states={6: ["CLOSED"]})
    door = made.nodes["door6"]
    assert (door.parent, door.state, door.affordances) == ("kitchen1", ("closed",), ("open", "close"))
    assert made.doors["kitchen1", "livingroom2"] == "door6" and made.links[0].length == 8.017
    result = plan_goal(
        parse_goal("(robot_at kitchen1)"), ground(made, load_pack()), Engine.named("pyperplan")
    )
    assert result.verified and "open(door6)" in map(str, result.steps)
    assert FORMAT.write is not None
    again = read_graph(json.loads(FORMAT.write(made)), made.name)
    assert (again.doors, again.nodes["door6"].state) == (made.doors, ("closed",))


@pytest.mark.parametrize("state", ["OPEN", "CLOSED"])
def test_two_doors_between_two_rooms_are_two_ways(raw: Any, state: str, tmp_path: Path) -> None:
    graph = copy.deepcopy(raw)
    graph["nodes"].append(
        {"id": 60, "class_name": "door", "category": "Doors", "properties": ["CAN_OPEN"], "states": [state]}
    )
    made = changed(graph, tmp_path, (60, "BETWEEN", 1), (60, "BETWEEN", 2), states={6: ["CLOSED"]})
    assert set(made.doors.values()) == ({"door6"} if state == "OPEN" else {"door6", "door60"})
    assert ground(made, load_pack()).routes.connected("livingroom2", "kitchen1")


def test_a_thing_in_the_second_hand_has_no_known_place(raw: Any, tmp_path: Path) -> None:
    made = changed(raw, tmp_path, (65, "HOLDS_LH", 24), states={})
    assert made.nodes["cup2_23"].relation == "inside_hand" and list(made.unplaced) == ["pillow24"]
    assert [loss.id for loss in made.losses if "one hand" in loss.reason] == ["pillow24"]
    assert ground(made, load_pack()).facts.holds("holding", ("cup2_23",))


def test_an_edge_without_an_end_is_a_loss(raw: Any, tmp_path: Path) -> None:
    made = changed(raw, tmp_path, (20, "ON", 99), (98, "INSIDE", 1), (98, "NEAR", 1), states={})
    dangling = [loss.id for loss in made.losses if "no node of one of these" in loss.reason]
    assert dangling == ["milk20 ON 99", "98 INSIDE kitchen1"]


def test_a_character_in_no_room_stands_in_the_first_and_the_scene_says_so(raw: Any) -> None:
    graph = copy.deepcopy(raw)
    graph["edges"] = [e for e in raw["edges"] if (e["from_id"], e["relation_type"]) != (65, "INSIDE")]
    made = read_graph(graph, "x")
    assert made.agent.at == "kitchen1" and [x.id for x in doubts(made)] == ["character65"]


def test_the_states_of_a_recording_are_picked_by_their_number(raw: Any, tmp_path: Path) -> None:
    later = copy.deepcopy(raw)
    later["nodes"][7]["states"] = ["OPEN"]
    file = tmp_path / "recorded.json"
    file.write_text(json.dumps({"graph_state_list": [raw, later, raw]}), encoding="utf-8")
    assert [read(file, item=n)[0].nodes["fridge10"].state[0] for n in "123"] == ["closed", "open", "closed"]
    for item in ("", "4", "init"):
        with pytest.raises(SceneError, match="choose one: 1 to 3"):
            read(file, item=item)
    file.write_text(json.dumps({"graph_state_list": []}), encoding="utf-8")
    with pytest.raises(SceneError, match="got 0 states"):
        read(file, "virtualhome")
    file.write_text(json.dumps({"init_graph": raw, "graph_state_list": [later]}), encoding="utf-8")
    assert read(file)[0].nodes["fridge10"].state == ("closed",)
    assert read(file, item="1")[0].nodes["fridge10"].state == ("open",)
    file.write_text(json.dumps({"graph_state_list": [later]}), encoding="utf-8")
    assert read(file)[0].nodes["fridge10"].state == ("open",)
