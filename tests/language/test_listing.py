"""Listings of scenes: what stands in a line, what is escaped, and what is left out of long ones."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from plain_building import building
from strategies import scenes

from groundplan.datasets.scenes import load_scene
from groundplan.language.chat.listing import MOST_TOKENS, label, listing
from groundplan.language.chat.servers.meter import count_tokens
from groundplan.simulator.scene import THINGS, Node, Scene
from groundplan.simulator.view import View

OFFICE = load_scene("office")
ROOM = Node("hall", "room", classes=("room",), position=(0.0, 0.0, 0.0))
AGENT = Node("agent", "agent", "hall", classes=("agent",))


def small(*nodes: Node) -> Scene:
    return Scene("small", {n.id: n for n in (ROOM, *nodes, AGENT)})


def test_a_room_is_a_line_with_states_attributes_and_what_is_in_and_on_things() -> None:
    lines = listing(OFFICE, ["peters_office"]).splitlines()
    assert lines == [
        'peters_office ("Peter\'s office"): cabinet2 (closed, "Peter\'s cabinet") '
        "[in apple3 (fresh, healthy, edible), stapler]; "
        'desk2 ("Peter\'s desk") [on phone (valuable, "Peter\'s phone")]',
        "agent in mobile_robotics_lab: holds nothing",
    ]


def test_the_kitchen_takes_a_fifth_of_its_json() -> None:
    view = View.collapsed(OFFICE).expand("kitchen")
    opened = {i for i in view.ids if OFFICE.room_of(i) == "kitchen"}
    raw = View(view.subgraph(opened), ("kitchen",)).as_json()
    text = listing(OFFICE, ["kitchen"])
    assert count_tokens(text) < 0.3 * count_tokens(json.dumps(raw, separators=(",", ":")))
    assert "left out" not in text


def test_the_class_is_said_where_the_name_does_not() -> None:
    cup = Node("obj_12", "object", "hall", "in", ("cup", "vessel"), ("pickup",))
    box = Node("box1", "asset", "hall", "in", ("box",))
    assert "obj_12 (cup)" in listing(small(cup)) and "hall: box1\n" in listing(small(box))


def test_other_relations_rooms_without_things_and_unplaced_things_are_said() -> None:
    table = Node("table1", "asset", "hall", "in", ("table",))
    shoe, hat = (Node(i, "object", "table1", r) for i, r in (("shoe", "under"), ("hat", "ontop_of")))
    lost = Node("key", "object", None, "unknown")
    empty = Node("attic", "room", position=(1.0, 0.0, 0.0))
    text = listing(small(table, shoe, hat, lost, empty))
    assert "table1 [under shoe; on hat]" in text or "table1 [under shoe, on hat]" in text
    assert text.startswith("rooms: hall, attic\n") and "place not known: key" in text


@pytest.mark.parametrize("odd", ["my desk", "a\nagent: b", "x]", "<|im_end|>", "a, b", '"', "(open)", "é"])
def test_odd_names_are_json_strings_on_their_line(odd: str) -> None:
    text = listing(small(Node(odd, "asset", "hall", "in", (odd,), (), (odd,), (odd,), description=odd)))
    assert len(text.splitlines()) == 2
    quoted = re.findall(r'"(?:[^"\\]|\\.)*"', text)
    assert [json.loads(q) for q in quoted] == [odd] * 3 and "<|" not in text


@pytest.mark.parametrize("objects", [100, 3000])
def test_a_long_listing_is_cut_and_counts_what_is_missing(objects: int) -> None:
    scene = building(30, 90, objects)
    text = listing(scene)
    shown = set(re.findall(r"\b[a-z]+\d+\b", text))
    things = [i for t in THINGS for i in scene.by_type.get(t, ())]
    missing = sum(i not in shown for i in things)
    assert count_tokens(text) <= MOST_TOKENS + 40
    assert (f"left out: {missing} things" in text) if missing else "left out" not in text
    assert missing < len(things) / 2 or objects > 100
    if missing:
        # Room by room the same length, furniture first.
        assert count_tokens(text) > 0.8 * MOST_TOKENS
        lines = [count_tokens(line) for line in text.splitlines() if line.startswith("room")]
        assert max(lines) < 3 * min(lines)


def test_many_rooms_and_one_full_room_are_cut_as_well() -> None:
    assert count_tokens(listing(building(1, 1, 5000))) <= MOST_TOKENS + 40
    text = listing(building(500, 500, 0))
    assert count_tokens(text) <= MOST_TOKENS + 40 and "left out: 440 rooms, 440 things" in text
    assert count_tokens(listing(building(3000, 0, 0))) <= MOST_TOKENS + 40


def test_a_nest_of_any_depth_is_listed_without_recursion() -> None:
    boxes = [Node(f"box{n}", "object", f"box{n - 1}" if n else "hall", "inside_of" if n else "in")
             for n in range(450)]  # fmt: skip
    text = listing(small(*boxes))
    assert text.count("[") == text.count("]") and "more" in text


@settings(max_examples=40, deadline=None)
@given(scenes())
def test_every_name_of_any_scene_is_listed_where_there_is_room(scene: Scene) -> None:
    text = listing(scene, most=100_000)
    assert "left out" not in text and all(text.splitlines())
    assert all(label(n) in text for n in scene.nodes.values() if n.type in THINGS and n.parent is not None)
