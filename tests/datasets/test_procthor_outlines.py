"""ProcTHOR houses as their data has them: outlines and types before ids, odd parts as losses, shut doors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groundplan import Engine, ground, load_pack, parse_goal, plan_goal
from groundplan.datasets.episodes.houses import houses_in
from groundplan.datasets.formats.registry import read
from groundplan.domains.errors import SceneError
from groundplan.simulator.scene import DOUBT, Scene

ROOMS = {"room|3": (0.0, 5.0), "room|4": (5.0, 9.0), "room|6": (9.0, 12.0)}
"""Three rooms in a row, with the ends of each along x; all are 3 m deep."""


def thing(name: str, asset: str, x: float, *children: dict[str, Any], **more: Any) -> dict[str, Any]:
    place = {"position": {"x": x, "y": 0.5, "z": 1.5}, "kinematic": True}
    return {"id": name, "assetId": asset, "children": list(children), **place, **more}


def door(a: str, b: str, **more: Any) -> dict[str, Any]:
    hole = [{"x": 1, "y": 0, "z": 0}, {"x": 2, "y": 2, "z": 0}]
    ends = {"room0": a, "room1": b, "wall0": f"wall|{a}", "holePolygon": hole}
    return {"id": f"door|{a[-1]}|{b[-1]}", "openable": True, "openness": 1, **ends, **more}


def house(*things: object, doors: list[Any] | None = None, **more: Any) -> dict[str, Any]:
    def corners(*points: tuple[float, float]) -> list[dict[str, float]]:
        return [{"x": x, "y": 0, "z": z} for x, z in points]

    outlines = {name: corners((a, 0), (b, 0), (b, 3), (a, 3)) for name, (a, b) in ROOMS.items()}
    walls = {name: corners((b, 0), (b, 3)) for name, (_, b) in ROOMS.items()}
    usual = [door("room|3", "room|4"), door("room|4", "room|6")]
    return {
        "rooms": [{"id": n, "roomType": "Bedroom", "floorPolygon": o} for n, o in outlines.items()],
        "walls": [{"id": f"wall|{n}", "roomId": n, "polygon": [*w, w[0]]} for n, w in walls.items()],
        "doors": usual if doors is None else doors,
        "objects": list(things),
        "metadata": {"agent": {"position": {"x": 1, "y": 0.9, "z": 1}}},
        **more,
    }


@pytest.fixture
def scene(tmp_path: Path) -> Callable[..., Scene]:
    def made(*things: object, **more: Any) -> Scene:
        file = tmp_path / "row.json"
        file.write_text(json.dumps(house(*things, **more)))
        return read(file)[0]

    return made


def lost(scene: Scene, kind: str) -> dict[str, int]:
    return {loss.id: loss.count for loss in scene.losses if loss.kind == kind}


@pytest.mark.parametrize(
    ("name", "x", "room", "doubts"),
    [
        ("4|3", 6.0, "room|4", 0),  # as the generator names things: the room, then a number
        ("3|4|1", 2.0, "room|3", 0),
        ("Sofa|4|3", 6.0, "room|4", 0),
        ("small|6|3", 10.0, "room|6", 0),
        ("thing", 10.0, "room|6", 0),
        ("Sofa|3|4", 10.0, "room|6", 1),  # the outline, whatever the id says
        ("6|4", 2.0, "room|3", 1),
        ("Sofa|4|0", 5.0, "room|4", 0),  # on the line between two rooms, one of which the id names
        ("Sofa|3|0", 5.0, "room|3", 0),
        ("Sofa|6|0", 5.0, None, 1),
        ("Sofa", 5.0, None, 0),
        ("Sofa|6|0", 40.0, "room|6", 1),  # in no outline: the id helps
        ("Sofa|9|0", 40.0, None, 0),
        ("Sofa", 40.0, None, 0),
    ],
)
def test_the_outline_says_the_room_and_the_id_only_where_none_or_two_do(
    name: str, x: float, room: str | None, doubts: int, scene: Callable[..., Scene]
) -> None:
    made = scene(thing(name, "Sofa_207", x, thing("pen|3|7", "Pen_1", x)))
    assert made.nodes[name].parent == room
    assert made.nodes["pen|3|7"].parent == name, "what is on a thing is where that is"
    assert lost(made, "place") == ({} if room else {name: 1})
    own = lost(scene(thing(name, "Sofa_207", x)), DOUBT)
    assert own == ({"objects.room": doubts} if doubts else {})


def test_a_child_in_another_outline_is_where_its_parent_is_with_a_doubt(
    scene: Callable[..., Scene],
) -> None:
    made = scene(thing("3|0", "Desk_3", 2.0, thing("3|1", "Pen_1", 7.0), thing("3|2", "Pen_1", 2.1)))
    assert made.room_of("3|1") == "room|3"
    assert [loss.reason.split(";")[0] for loss in made.losses if loss.kind == DOUBT] == [
        "another room is named than the one whose outline is around the thing",
        "the thing is in another outline than what it is on or in",
    ]


def test_the_room_of_the_compact_form_is_taken_like_an_id(tmp_path: Path) -> None:
    def entry(name: str, room: str, x: float) -> dict[str, Any]:
        return {"id": name, "type": "Sofa", "room": room, "x": x, "y": 0, "z": 1}

    rooms = [{"id": n, "polygon": [[a, 0], [b, 0], [b, 3], [a, 3]]} for n, (a, b) in ROOMS.items()]
    entries = [entry("s1", "room|6", 1.0), entry("s2", "room|3", 1.0), entry("s3", "room|4", -7.0)]
    entries.append(entry("s4", "room|77", 10.0))
    file = tmp_path / "row.jsonl"
    file.write_text(json.dumps({"rooms": rooms, "doors": [], "objects": entries}))
    made = read(file)[0]
    parents = [made.nodes[f"s{n}"].parent for n in (1, 2, 3, 4)]
    assert parents == ["room|3", "room|3", "room|4", "room|6"]
    assert sorted(loss.count for loss in made.losses if loss.kind == DOUBT) == [1, 2]


def test_a_robot_in_no_outline_stands_in_the_first_room_and_the_scene_says_so(
    scene: Callable[..., Scene],
) -> None:
    outside = scene(metadata={"agent": {"position": {"x": 11, "y": 1, "z": 60}}})
    assert outside.agent.at == "room|3" and "no room's outline" in outside.agent.provenance["at"]
    assert lost(outside, DOUBT) == {"agent": 1}
    inside = scene(metadata={"agent": {"position": {"x": 11, "y": 1, "z": 1}}})
    assert inside.agent.at == "room|6" and not inside.agent.provenance


@pytest.mark.parametrize(
    ("name", "more", "kind", "doubts"),
    [
        ("floor-house-plant|3|1|0", {"assetId": "Houseplant_6"}, "house_plant", 0),
        ("television|3|2|0", {"assetId": "TV_Stand_220_1"}, "tv_stand", 0),
        ("Apple|3|0", {"assetId": "Fridge_7"}, "fridge", 1),
        ("Apple|3|0", {"assetId": "Fridge_7", "objectType": "Microwave"}, "microwave", 1),
        ("thing|3|0", {"assetId": "0aa1", "objectType": "ObjaMugTree"}, "mug_tree", 0),
        ("thing|3|0", {"assetId": "0aa1", "objectType": "ObjaGarbageCan"}, "garbage_can", 0),
        ("Mug|3|0", {"assetId": "0aa1"}, "mug", 0),
        ("PaperTowelRoll|3|0", {"assetId": "Paper_Towel_1"}, "paper_towel_roll", 0),
    ],
)
def test_the_stated_type_and_the_asset_go_before_the_id(
    name: str, more: dict[str, str], kind: str, doubts: int, scene: Callable[..., Scene]
) -> None:
    made = scene({**thing(name, "", 2.0), **more})
    assert made.nodes[name].classes == (kind,)
    assert lost(made, DOUBT) == ({"objects.id": doubts} if doubts else {})


@pytest.mark.parametrize(
    ("more", "kind", "names"),
    [
        ({"doors": [door("room|3", "room|4", wall0=None)]}, "field", {"door|3|4"}),
        ({"doors": [door("room|3", "room|4", wall0="wall|77")]}, "field", {"door|3|4"}),
        ({"doors": [door("room|3", "room|4", holePolygon=[])]}, "field", {"door|3|4"}),
        ({"doors": [door("room|3", "room|4"), door("room|3", "room|9")]}, "node", {"door|3|9"}),
        ({"doors": [door("room|3", "room|4"), {"room0": "room|3", "room1": "room|6"}]}, "node", {"doors[1]"}),
        ({"doors": [door("room|3", "room|4"), 7]}, "node", {"doors[1]"}),
        ({"walls": [{"id": "wall|x"}, None]}, "field", {"wall|x", "walls[1]", "door|3|4", "door|4|6"}),
        ({"objects": [thing("Pot|3|0", "Pot_1", 1.0, position=None)]}, "node", {"Pot|3|0"}),
        (
            {"objects": [thing("3|0", "Desk_1", 1.0, thing("3|1", "Pen_1", 1.0), thing("3|2", "Mug_1", 1.0),
                               isOn="yes")]},
            "node",
            {"3|0", "3|1", "3|2"},
        ),
        ({"objects": [thing("3|0", "Desk_1", 1.0, children=["pen"])]}, "node", {"objects[0].children[0]"}),
    ],
)  # fmt: skip
def test_a_part_that_cannot_be_read_is_a_loss_and_the_rest_of_the_house_is_read(
    more: dict[str, Any], kind: str, names: set[str], scene: Callable[..., Scene]
) -> None:
    made = scene(**more)
    assert set(lost(made, kind)) == names
    assert not names & set(made.nodes) or kind == "field"
    assert "room|4" in {end for near in made.neighbours.values() for end in near}


def test_a_door_without_a_place_is_a_way_of_the_length_between_the_rooms(scene: Callable[..., Scene]) -> None:
    made = scene(doors=[door("room|3", "room|4", wall0=None)])
    assert made.nodes["door|3|4"].position is None
    assert made.neighbours["door|3|4"] == {"room|3": 2250, "room|4": 2250}


def test_things_on_a_part_that_was_lost_are_lost_too(tmp_path: Path) -> None:
    room = {"id": "room|1", "polygon": [[0, 0], [4, 0], [4, 4], [0, 4]]}
    things = [
        {"id": "pen", "type": "Pen", "parent": "box", "x": 1, "y": 1, "z": 1},
        {"id": "box", "type": "Box", "parent": "desk", "x": 1, "y": 1, "z": 1},
        {"id": "desk", "type": "Desk", "x": 1, "y": 1, "z": "far"},
        {"id": "lamp", "type": "DeskLamp", "x": 3, "y": 1, "z": 1},
    ]
    file = tmp_path / "one.json"
    file.write_text(json.dumps({"rooms": [room], "objects": things}))
    made = read(file)[0]
    assert set(lost(made, "node")) == {"pen", "box", "desk"} and "lamp" in made.nodes


def test_a_shut_door_is_opened_before_the_robot_goes_through(scene: Callable[..., Scene]) -> None:
    shut = [door("room|3", "room|4", openness=0), door("room|4", "room|6", openness=0.2)]
    made = scene(thing("6|0", "Sofa_1", 10.0), doors=shut)
    assert made.doors["room|3", "room|4"] == "door|3|4" and made.nodes["door|4|6"].type == "pose"
    result = plan_goal(parse_goal("(robot_at room|6)"), ground(made, load_pack()), Engine.named("pyperplan"))
    assert result.verified and list(map(str, result.steps))[:2] == ["access(door|3|4)", "open(door|3|4)"]
    frame = scene(doors=[door("room|3", "room|4", openness=0, openable=False)])
    assert frame.nodes["door|3|4"].type == "pose", "a frame has no leaf that could be shut"


def test_two_shut_doors_between_the_same_rooms_are_two_ways(scene: Callable[..., Scene]) -> None:
    second = door("room|3", "room|4", openness=0, id="second")
    made = scene(doors=[door("room|3", "room|4", openness=0), second])
    assert set(made.doors.values()) == {"door|3|4", "second"}
    belief = ground(made, load_pack())
    for name in ("door|3|4", "second"):
        goal = parse_goal(
            f"(and (robot_at room|4) (open {name}) (closed {({'door|3|4', 'second'} - {name}).pop()}))"
        )
        assert plan_goal(goal, belief, Engine.named("pyperplan")).verified


def test_a_json_list_of_houses_is_picked_from(tmp_path: Path) -> None:
    file = tmp_path / "row.json"
    houses = [{**house(), "id": f"row-{n}"} for n in range(3)]
    file.write_text(json.dumps(houses))
    assert read(file, item="2")[0].name == "row-1" and read(file, item="row-2")[0].name == "row-2"
    for item in ("", "4", "0", "row"):
        with pytest.raises(SceneError, match=r"row-0, row-1, row-2.*1 to 3"):
            read(file, item=item)
    assert [stored.id for stored in houses_in(file.read_text(), "row")] == ["row-0", "row-1", "row-2"]
