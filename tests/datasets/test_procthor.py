"""ProcTHOR houses: both spellings, the houses beside the project, and plans in them."""

from __future__ import annotations

import copy
import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from groundplan.datasets.formats.procthor.house import Room
from groundplan.datasets.formats.procthor.types import abilities, kind_of
from groundplan.datasets.formats.registry import read
from groundplan.domains.errors import SceneError
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Scene

HERE = Path(__file__).parent / "formats"
ORIGINAL, COMPACT = HERE / "procthor.json", HERE / "procthor_compact.jsonl"
SHARED = Path(__file__).parents[3] / "shared" / "data" / "procthor"
needs_houses = pytest.mark.skipif(not SHARED.is_dir(), reason="the houses are not beside the project")


SECOND = {
    "id": "8", "rooms": [{"id": "room|1", "type": "Bathroom", "polygon": [[0, 0], [0, 2], [2, 2], [2, 0]]}],
    "doors": [], "open_walls": [], "objects": [],
}  # fmt: skip


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A file with two houses."""
    path = tmp_path / "houses.jsonl"
    path.write_text(COMPACT.read_text(encoding="utf-8") + json.dumps(SECOND) + "\n")
    return path


def reached(scene: Scene) -> set[str]:
    """What the links connect with the robot's place."""
    start = scene.agent.at or ""
    found, todo = {start}, [start]
    while todo:
        for place in scene.neighbours.get(todo.pop(), {}):
            if place not in found:
                found.add(place)
                todo.append(place)
    return found


def test_an_original_house_becomes_rooms_doors_furniture_and_objects() -> None:
    scene, form = read(ORIGINAL)
    nodes = scene.nodes
    assert form.name == "procthor"
    assert Counter(n.type for n in nodes.values()) == Counter(room=3, pose=2, asset=4, object=3, agent=1)
    assert nodes["room|2"].classes == ("kitchen",) and nodes["room|2"].position == (2, 2, 0)
    # The hole reaches from 1 to 2 m along a wall from (4, 0) to (4, 4); the exterior door is no way.
    assert nodes["door|2|3"].position == (4, 1.5, 0) and "door|1|2" not in nodes
    assert scene.neighbours["door|2|3"] == {"room|2": 2062, "room|3": 2062}
    assert nodes["opening|2|4"].position == (2, 4, 0)
    assert scene.neighbours["opening|2|4"] == {"room|2": 2000, "room|4": 1000}
    assert scene.agent.at == "room|2"
    fridge, apple = nodes["Fridge|2|0"], nodes["Apple|2|1"]
    assert (fridge.parent, fridge.classes, fridge.state) == ("room|2", ("fridge",), ("closed",))
    assert set(fridge.affordances) == {"release", "open", "close"}
    assert (apple.parent, apple.relation, apple.affordances) == ("Fridge|2|0", "inside_of", ("pickup",))
    assert apple.position == (0.5, 0.5, 0.8)
    assert nodes["TV_Stand_2|3|0|0"].classes == ("tv_stand",)
    assert nodes["DeskLamp|3|1"].state == ("on",) and nodes["Bed|3|2"].state == ("dirty",)
    book = nodes["Book|3|3"]
    assert (book.relation, book.state) == ("ontop_of", ("open",))
    odd = nodes["odd thing"]
    assert (odd.type, odd.parent, odd.relation, odd.affordances) == (
        "object",
        "room|4",
        "ontop_of",
        ("pickup",),
    )


def test_a_compact_house_keeps_what_the_file_states() -> None:
    scene, _ = read(COMPACT, item="flat.7")
    nodes = scene.nodes
    assert scene.name == "flat.7"
    assert nodes["room|1"].position == pytest.approx((38 / 14, 25 / 14, 0), abs=0.001)
    shut = nodes["door|1|2"]
    assert (shut.type, shut.parent, shut.state) == ("asset", "room|1", ("closed",))
    assert scene.doors["room|1", "room|2"] == "door|1|2" and nodes["door|2|1"].type == "pose"
    assert reached(scene) == {"room|1", "room|2", "door|2|1"}
    machine = nodes["1|1"]
    assert (machine.type, machine.parent, machine.classes) == ("asset", "1|0", ("coffee_machine",))
    assert machine.state == ("off",) and "turn_on" in machine.affordances
    # A plant in a pot cannot be picked up, but the pot can, and the plant moves along.
    plant = nodes["1|3"]
    assert (plant.type, plant.parent, plant.relation, plant.affordances) == ("object", "1|2", "inside_of", ())
    assert scene.agent.at == "room|1" and "chosen" in scene.agent.provenance["at"]


@pytest.mark.parametrize(("item", "name"), [("1", "flat.7"), ("2", "8"), ("8", "8"), ("flat.7", "flat.7")])
def test_an_item_is_a_number_of_a_line_or_an_id(item: str, name: str, two: Path) -> None:
    assert read(two, item=item)[0].name == name


@pytest.mark.parametrize("item", ["", "3", "0", "flat", "99999999999999999999", "²"])
def test_an_item_that_picks_no_house_is_an_error_that_says_how_to(item: str, two: Path) -> None:
    with pytest.raises(SceneError, match="2 houses"):
        read(two, item=item)


def test_a_compressed_file_is_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "houses.jsonl.gz"
    path.write_bytes(gzip.compress(COMPACT.read_bytes()))
    assert read(path)[0].hash == read(COMPACT)[0].hash


def test_a_hole_may_be_a_bounding_box(tmp_path: Path) -> None:
    raw = json.loads(ORIGINAL.read_text())
    raw["doors"][0]["boundingBox"] = {"min": {"x": 1, "y": 0, "z": 0}, "max": {"x": 2, "y": 2, "z": 0}}
    del raw["doors"][0]["holePolygon"]
    path = tmp_path / "house.json"
    path.write_text(json.dumps(raw))
    assert read(path)[0].hash == read(ORIGINAL)[0].hash


def _set(raw: object, path: str, value: object) -> None:
    *keys, last = [int(k) if k.isdigit() else k for k in path.split(".")]
    for key in keys:
        raw = raw[key]  # type: ignore[index]
    raw[last] = value  # type: ignore[index]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("rooms.1.id", "room|2", r"rooms\[1\].id: expected ids that are unique"),
        ("rooms.0.floorPolygon", [], r"rooms\[0\].floorPolygon: expected 3 to"),
        ("rooms.0.floorPolygon.1.x", "4", r"rooms\[0\].floorPolygon\[1\].x: expected a number"),
        ("rooms.0.floorPolygon.1.x", 1e300, r"rooms\[0\].floorPolygon\[1\].x: expected a number"),
        ("objects.0.children.0.id", "Bed|3|2", r"objects\[3\]: expected ids that are unique"),
        ("objects", {}, r"objects: expected a list"),
    ],
)
def test_a_damaged_house_is_an_error_with_its_place(
    path: str, value: object, message: str, tmp_path: Path
) -> None:
    raw = copy.deepcopy(json.loads(ORIGINAL.read_text()))
    _set(raw, path, value)
    file = tmp_path / "house.json"
    file.write_text(json.dumps(raw))
    with pytest.raises(SceneError, match=message):
        read(file)


def test_parents_in_a_circle_are_an_error(tmp_path: Path) -> None:
    raw = json.loads(COMPACT.read_text().splitlines()[0])
    raw["objects"][0]["parent"] = "1|1"
    file = tmp_path / "house.json"
    file.write_text(json.dumps(raw))
    with pytest.raises(SceneError, match="without cycles"):
        read(file)


def test_a_thing_whose_relation_has_another_name_is_left_out_with_the_reason(tmp_path: Path) -> None:
    raw = json.loads(COMPACT.read_text().splitlines()[0])
    raw["objects"][0]["relation"] = "under"
    file = tmp_path / "house.json"
    file.write_text(json.dumps(raw))
    losses = read(file)[0].losses
    assert "relation: expected on or inside, got under" in " ".join(loss.reason for loss in losses)


def test_a_centre_is_that_of_the_area() -> None:
    square = Room("r", ((1000, 1000), (1000, 1002), (1002, 1002), (1002, 1000)))
    assert (
        square.centre() == (1001, 1001) and square.holds((1001.5, 1000.5)) and not square.holds((999, 1001))
    )
    assert Room("r", ((0, 0), (1, 0), (2, 0))).centre() == (1, 0)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Dresser_315_1", "Dresser"),
        ("CountertopIx", "CounterTop"),
        ("Bathroom_Faucet_5", "Faucet"),
        ("Tennis_Racquet_1", "TennisRacket"),
        ("Wall_Decor_Photo_1V", "Painting"),
        ("bin_3", "GarbageCan"),
        ("Prototype", ""),
        ("", ""),
    ],
)
def test_types_are_found_in_the_names_of_assets(name: str, kind: str) -> None:
    assert kind_of(name) == kind


def _houses() -> list[tuple[Path, int, dict[str, object]]]:
    return [
        (file, number, json.loads(line))
        for file in sorted(SHARED.glob("*.jsonl.gz"))
        for number, line in enumerate(gzip.open(file, "rt"), 1)
    ]


@needs_houses
@pytest.mark.slow
def test_all_houses_load_and_validate_and_every_room_is_reachable() -> None:
    pack = load_pack()
    found: Counter[str] = Counter()
    for file, number, house in _houses():
        scene, _ = read(file, item=str(number))
        ground(scene, pack)
        assert scene.name == house["id"]
        assert set(scene.by_type["room"]) <= reached(scene), house["id"]
        found.update(n.type for n in scene.nodes.values())
    assert found == Counter(agent=141, room=628, pose=487, asset=3983, object=6234)


@needs_houses
def test_a_house_of_each_file_loads_by_its_id() -> None:
    for file in sorted(SHARED.glob("*.jsonl.gz")):
        with gzip.open(file, "rt") as lines:
            house = json.loads(next(lines))
        scene, form = read(file, item=house["id"])
        assert form.name == "procthor" and set(scene.by_type["room"]) <= reached(scene)


@needs_houses
def test_the_table_of_types_agrees_with_the_houses() -> None:
    """Abilities differ between assets of a type; for a type they are those of most of its assets."""
    seen: dict[str, Counter[frozenset[str]]] = {}
    names = ("pickupable", "openable", "toggleable", "receptacle")
    for _, _, house in _houses():
        for thing in house["objects"]:  # type: ignore[attr-defined]
            able = frozenset(n for n in names if thing[n])
            seen.setdefault(thing["type"], Counter())[able] += 1
    wrong = {k for k, found in seen.items() if abilities(k) != found.most_common(1)[0][0]}
    # By the documentation things lie on shelving units and these tools can be picked up; most assets differ.
    assert wrong <= {"ShelvingUnit", "TennisRacket", "ButterKnife", "Fork"}, wrong


def test_the_search_for_rooms_of_objects_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groundplan.datasets.formats.procthor.read.MAX_SEARCHED", 2)
    with pytest.raises(SceneError, match=r"objects: expected at most 2 looks for their rooms, got 3 rooms"):
        read(ORIGINAL)
