"""Files that state two places of one thing, no place of the robot, or a label of another class."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from groundplan.datasets.formats.registry import read
from groundplan.simulator.scene import Scene

TASKOGRAPHY = """(define (problem flat) (:domain taskographyv2)
 (:objects rover - agent den loft - room p q - place u v - location shelf - receptacle vase - item)
 (:init (placeInRoom p den) (placeInRoom q loft) (locationInPlace u p) (locationInPlace v q)
  (roomsConnected den loft) (receptacleAtLocation shelf u) (itemAtLocation vase v) FACTS)
 (:goal (and)))"""
NOWHERE = "the file does not say where the robot is, so it stands in the first room"


def doubts(scene: Scene) -> list[tuple[str, str]]:
    return [(loss.id, loss.reason) for loss in scene.losses if loss.kind == "doubt"]


def problem(tmp_path: Path, facts: str) -> Scene:
    file = tmp_path / "flat.pddl"
    file.write_text(TASKOGRAPHY.replace("FACTS", facts))
    return read(file)[0]


def document(tmp_path: Path, value: object) -> Scene:
    file = tmp_path / "flat.json"
    file.write_text(json.dumps(value))
    return read(file)[0]


@pytest.mark.parametrize(
    ("facts", "room", "doubtful"),
    [
        ("(inRoom rover loft) (inPlace rover q) (atLocation rover v)", "loft", False),
        ("(inRoom rover loft) (atLocation rover u)", "loft", True),
        ("(inPlace rover q) (atLocation rover u)", "loft", True),
        ("(atLocation rover v)", "loft", False),
    ],
)
def test_a_robot_in_two_rooms_is_in_the_first_with_a_doubt(
    tmp_path: Path, facts: str, room: str, doubtful: bool
) -> None:
    scene = problem(tmp_path, facts)
    assert scene.agent.at == room
    assert [name for name, _ in doubts(scene)] == ["rover"] * doubtful


@pytest.mark.parametrize("fact", ["itemAtLocation vase u", "locationInPlace v p", "inPlace rover q"])
def test_a_second_place_is_a_loss(tmp_path: Path, fact: str) -> None:
    scene = problem(tmp_path, f"(inPlace rover p) ({fact})")
    assert [loss.id for loss in scene.losses if loss.kind == "fact"] == [fact]


ROOMS = [{"id": "den", "type": "room"}, {"id": "loft", "type": "room"}]
GRAPH = {"directed": True, "links": [{"source": "den", "target": "loft", "distance": 3}]}


def graph(*nodes: Mapping[str, object]) -> dict[str, object]:
    return {**GRAPH, "nodes": [*ROOMS, *nodes]}


def spark(position: list[float] | None) -> dict[str, object]:
    def node(letter: str, layer: int, sort: str, at: list[float] | None, name: str) -> dict[str, object]:
        attributes = {"type": f"{sort}NodeAttributes", "position": at, "name": name}
        return {"id": ord(letter) << 56, "layer": layer, "attributes": attributes}

    rooms = [node("R", 4, "Room", [0.0, 0.0, 0.0], "den"), node("S", 4, "Room", [9.0, 0.0, 0.0], "loft")]
    return {"SPARK_DSG_header": {}, "nodes": [*rooms, node("a", 2, "Agent", position, "")], "edges": []}


def test_a_robot_that_is_nowhere_stands_in_the_first_room_and_that_is_said(tmp_path: Path) -> None:
    robot = {"id": "rover", "type": "robot"}
    assert doubts(document(tmp_path, graph(robot))) == [("rover", NOWHERE)]
    assert doubts(document(tmp_path, graph(robot | {"room": "loft"}))) == []
    both = document(tmp_path, graph(robot, {"id": "dozer", "type": "robot"}))
    assert both.agent.id == "rover" and list(both.unplaced) == ["dozer"]
    assert [loss.id for loss in both.losses if loss.kind == "place"] == ["dozer"]
    assert doubts(document(tmp_path, graph())) == []  # a robot that the file does not have
    assert doubts(problem(tmp_path, "")) == [("rover", NOWHERE)]
    assert doubts(document(tmp_path, spark(None))) == [("a(0)", NOWHERE)]
    near = document(tmp_path, spark([8.0, 0.0, 0.0]))
    assert (near.agent.at, doubts(near)) == ("S(0)", [])


@pytest.mark.parametrize(
    ("fields", "lost"),
    [
        ({"parent": "bench", "room": "den"}, []),
        ({"parent": "tray", "location": "bench", "room": "den"}, []),
        ({"parent": "bench", "room": "loft"}, ["jar.room: loft"]),
        ({"location": "loft", "in": "bench"}, ["jar.in: bench"]),
    ],
)
def test_a_node_whose_keys_name_different_places(
    tmp_path: Path, fields: dict[str, object], lost: list[str]
) -> None:
    bench = {"id": "bench", "type": "asset", "room": "den"}
    tray = {"id": "tray", "type": "object", "parent": "bench"}
    scene = document(tmp_path, graph(bench, tray, {"id": "jar", "type": "object", **fields}))
    assert [loss.id for loss in scene.losses if loss.kind == "field"] == lost


@pytest.mark.parametrize(
    ("fields", "lost"),
    [
        ({"related_to": "rover", "relation": "inside_hand"}, []),
        ({"located": "loft"}, []),
        ({"related_to": "bench"}, ["jar - bench"]),
    ],
)
def test_a_thing_in_a_hand_that_is_elsewhere_too(
    tmp_path: Path, fields: dict[str, object], lost: list[str]
) -> None:
    nodes = {
        "room": [{"id": "den"}, {"id": "loft"}],
        "asset": [{"id": "bench", "located": "den", "states": []}],
        "object": [{"id": "jar", "states": [], **fields}],
        "agent": [{"id": "rover", "location": "loft", "holding": "jar"}],
    }
    scene = document(tmp_path, {"nodes": nodes})
    assert [loss.id for loss in scene.losses if loss.kind == "field"] == lost


def test_a_label_of_another_class_is_a_loss(tmp_path: Path) -> None:
    def flat(room: str, thing: str) -> dict[str, object]:
        jar = {"id": 5, "class": "jam jar", "label": thing, "parent_room": 2}
        return {"rooms": {"2": {"id": 2, "category": "kitchen", "label": room}}, "objects": {"5": jar}}

    plain, other = (
        document(tmp_path, flat(*x)) for x in (("kitchen_2", "jam_jar_5"), ("bedroom_2", "bowl_5"))
    )
    assert plain.losses == ()
    assert [loss.id for loss in other.losses] == ["rooms.label", "objects.label"]
    assert plain.nodes == other.nodes
