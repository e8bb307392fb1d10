"""Furnished buildings: sizes as asked, lengths as positions say, the same bytes for the same seed."""

from __future__ import annotations

import hashlib
import math
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import household

from groundplan.datasets.generate.buildings import STAIRS, STOREY, Sizes, furnished_building
from groundplan.datasets.generate.furnishing import BOXED, FURNITURE, LOCKS, OBJECTS, ROOMS
from groundplan.domains.errors import InputError
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Scene
from groundplan.simulator.scene_json import parse_json, scene_from_json, scene_text
from groundplan.simulator.view import View

KEYS = {f"{kind}_key" for kind in LOCKS}


@st.composite
def sizes(draw: st.DrawFn) -> Sizes:
    floors = draw(st.integers(1, 4))
    rooms = draw(st.integers(floors, 120))
    assets = draw(st.integers(0, 90))
    return Sizes(floors, rooms, assets, draw(st.integers(0, 60)) if assets else 0)


@settings(max_examples=15)
@given(sizes(), st.integers(0, 2**70))
def test_any_building_is_as_asked_and_every_place_is_reached(wanted: Sizes, seed: int) -> None:
    scene = furnished_building(wanted, seed)
    found = {t: len(ids) for t, ids in scene.by_type.items()}
    kinds = {"floor": wanted.floors, "room": wanted.rooms, "asset": wanted.assets, "object": wanted.objects}
    assert {t: found.get(t, 0) for t in kinds} == kinds
    assert len(scene.nodes) == wanted.nodes
    belief = ground(scene, household())
    for name, node in scene.nodes.items():
        if node.type in ("room", "asset", "pose"):
            assert belief.routes.connected(belief.start, name)
    again = scene_from_json(parse_json(scene_text(scene), "again"), "again")
    assert again == scene
    assert again.hash == scene.hash


@settings(max_examples=10)
@given(sizes(), st.integers(0, 5))
@example(Sizes(1, 119, 0, 0), 2)
def test_ways_are_as_long_as_their_ends_are_apart_and_stairs_are_longer(wanted: Sizes, seed: int) -> None:
    """In whole millimetres, rounded down: the distance of two positions is exact as a square only."""
    scene = furnished_building(wanted, seed)
    stairs = 0
    for link in scene.links:
        a, b = scene.nodes[link.a], scene.nodes[link.b]
        assert a.position is not None and b.position is not None
        length = round(1000 * link.length)
        assert link.length == length / 1000
        squares = sum(
            (round(1000 * p) - round(1000 * q)) ** 2 for p, q in zip(a.position, b.position, strict=True)
        )
        if a.parent != b.parent:
            stairs += 1
            assert (a.type, b.type) == ("pose", "pose")
            assert length == 10 * STAIRS > 10 * STOREY == math.isqrt(squares)
        else:
            assert length == math.isqrt(squares)
    assert stairs == wanted.floors - 1


def test_rooms_furniture_and_objects_fit_each_other() -> None:
    scene = furnished_building(Sizes.usual(120, 3), 4)
    nodes = scene.nodes
    assert {nodes[r].classes[0] for r in scene.by_type["room"]} == set(ROOMS)
    assert nodes[scene.by_type["room"][0]].classes[0] == "kitchen"
    for name in scene.by_type["asset"]:
        assert nodes[name].classes[0] in ROOMS[nodes[nodes[name].parent or ""].classes[0]].furniture
    for name in scene.by_type["object"]:
        kind, carrier = nodes[name].classes[0], nodes[nodes[name].parent or ""]
        holds = FURNITURE[carrier.classes[0]].objects if carrier.type == "asset" else BOXED
        assert kind in holds
        inside = "open" in carrier.affordances or "contain" in carrier.affordances
        assert nodes[name].relation == ("inside_of" if inside else "ontop_of")
    assert any(nodes[nodes[o].parent or ""].type == "object" for o in scene.by_type["object"])
    assert {"dishware", "food", "storage", "appliance", "furniture", "workplace"} <= set(scene.by_class)
    assert {"red", "green"} <= set(scene.by_attribute)
    assert all(len(scene.children[r]) >= 4 for r in scene.by_type["room"])


def test_the_tables_name_only_what_they_define() -> None:
    assert sum(room.share for room in ROOMS.values()) == 20
    assert {f for room in ROOMS.values() for f in room.furniture} == set(FURNITURE)
    assert {o for kind in FURNITURE.values() for o in kind.objects} | set(BOXED) == set(OBJECTS)
    assert all(set(kind.affordances) <= set(household().mapping.affordances) for kind in FURNITURE.values())
    assert all("release" in kind.affordances for kind in FURNITURE.values() if kind.objects)


def test_the_same_sizes_and_seed_are_the_same_bytes_on_every_machine() -> None:
    text = scene_text(furnished_building(Sizes.of_nodes(300), 7)).encode()
    known = "5d5b04f9f37947d9c227a43cdd4441bf2fe0a7e9dabbe245b58d12093ffc78cd"
    assert hashlib.sha256(text).hexdigest() == known
    assert text == scene_text(furnished_building(Sizes.of_nodes(300), 7)).encode()
    assert text != scene_text(furnished_building(Sizes.of_nodes(300), 8)).encode()


@pytest.mark.parametrize("nodes", [20, 21, 99, 100, 1000, 12_345])
def test_a_building_of_a_number_of_nodes_has_exactly_that_many(nodes: int) -> None:
    assert len(furnished_building(Sizes.of_nodes(nodes)).nodes) == nodes


def locked(scene: Scene) -> list[str]:
    return [n.id for n in scene.nodes.values() if "locked" in n.state]


@settings(max_examples=15)
@given(st.integers(1, 12), st.integers(0, 30))
def test_every_locked_door_has_a_key_that_is_not_locked_away(locks: int, seed: int) -> None:
    plain = furnished_building(Sizes(2, 20, 120, 80), seed)
    scene = furnished_building(Sizes(2, 20, 120, 80, locks), seed)
    shut = locked(scene)
    assert len(shut) == locks
    keys = {n.classes[0]: n for n in scene.nodes.values() if "key" in n.classes}
    for name in shut:
        node = scene.nodes[name]
        assert node.state == ("closed", "locked") and {"open", "close"} <= set(node.affordances)
        kind = next(a.removesuffix("_lock") for a in node.affordances if a.endswith("_lock"))
        assert keys[f"{kind}_key"].parent not in shut
    same = {i: n for i, n in scene.nodes.items() if n.classes[0] not in KEYS and i not in shut}
    assert same == {i: n for i, n in plain.nodes.items() if i not in shut}
    assert Counter(n.classes[0] for n in keys.values()) == dict.fromkeys(keys, 1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"floors": 0},
        {"floors": 3, "rooms": 2},
        {"assets": -1, "objects": 0},
        {"objects": -1},
        {"assets": 0, "objects": 1},
        {"locks": -1},
        {"assets": 2, "locks": 3},
        {"rooms": 10**7},
    ],
)
def test_impossible_sizes_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InputError, match="sizes of a building: expected"):
        Sizes(**wrong)


def test_what_only_the_furniture_shows_to_be_impossible_is_refused() -> None:
    with pytest.raises(InputError, match="plain door"):
        furnished_building(Sizes(1, 1, 1, 0, 1))
    with pytest.raises(InputError, match="at least 20"):
        Sizes.of_nodes(19)


def test_a_building_is_collapsed_to_its_rooms_and_to_its_floors() -> None:
    view = View.collapsed(furnished_building(Sizes.usual(30, 3)))
    assert {n.type for n in view.visible} == {"building", "floor", "room", "pose", "agent"}
    for floor in view.scene.by_type["floor"]:
        view = view.contract(floor)
    assert [n.type for n in view.visible] == ["building", "floor", "floor", "floor", "agent"]
