"""Small worlds that several tests of planning share: two rooms with a crate, a kitchen with machines."""

from __future__ import annotations

import random
from typing import Any

from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.scene_json import scene_from_json

CRATE = {"affordances": ("pickup", "release", "contain")}
FIRST_TWO = "(ontop_of thing0 table2) (ontop_of thing1 table2)"
ALL_FOUR = f"{FIRST_TWO} (ontop_of thing2 table2) (ontop_of thing3 table2)"


def rooms(count: int, crate: dict[str, Any], *more: Node, things: dict[str, Any] | None = None) -> Belief:
    """Two rooms ten metres apart, each with a table; a crate and some things on the first one."""
    nodes = [
        Node("room1", "room"),
        Node("room2", "room"),
        Node("table1", "asset", parent="room1", affordances=("release",)),
        Node("table2", "asset", parent="room2", affordances=("release",)),
        Node("crate", "object", parent="table1", relation="ontop_of", **crate),
        Node("robot", "agent", at="room1"),
    ]
    for number in range(count):
        extra = {"affordances": ("pickup",), "classes": ("thing",)} | (things or {})
        nodes.append(Node(f"thing{number}", "object", parent="table1", relation="ontop_of", **extra))
    scene = Scene("crates", {n.id: n for n in (*nodes, *more)}, (Link("room1", "room2", 10.0),))
    return ground(scene, load_pack())


def kitchen() -> Belief:
    """A dishwasher that washes, with a plate in it, a microwave, a table, and an apple on the table."""
    machine = {"type": "asset", "parent": "kitchen"}
    nodes: list[dict[str, object]] = [
        {"id": "kitchen", "type": "room"},
        machine
        | {
            "id": "dishwasher",
            "classes": ["dishwasher"],
            "affordances": ["open", "close", "release", "turn_on"],
            "state": ["closed", "off"],
        },
        machine
        | {
            "id": "microwave",
            "classes": ["microwave"],
            "affordances": ["open", "close", "release", "turn_on"],
            "state": ["closed", "off"],
        },
        machine | {"id": "table", "affordances": ["release"]},
        {
            "id": "plate",
            "type": "object",
            "parent": "dishwasher",
            "relation": "inside_of",
            "affordances": ["pickup"],
        },
        {
            "id": "apple",
            "type": "object",
            "parent": "table",
            "relation": "ontop_of",
            "affordances": ["pickup"],
        },
        {"id": "robot", "type": "agent", "at": "kitchen"},
    ]
    raw = {"format": "groundplan-scene", "version": 1, "name": "kitchen", "nodes": nodes, "links": []}
    return ground(scene_from_json(raw, "kitchen"), load_pack())


def drawn_house(draw: random.Random) -> Belief:
    """Draw rooms with ways of any lengths, so that a way is often longer than one by another room."""
    count = draw.randint(4, 7)
    ways = {(f"r{draw.randrange(i)}", f"r{i}"): draw.randint(1, 6) for i in range(1, count)}
    for _ in range(draw.randint(1, 5)):
        a, b = sorted(draw.sample(range(count), 2))
        ways.setdefault((f"r{a}", f"r{b}"), draw.randint(1, 6))
    last = f"r{count - 1}"
    nodes = [
        *({"id": f"r{i}", "type": "room"} for i in range(count)),
        {"id": "table", "type": "asset", "parent": last, "affordances": ["release"]},
        {"id": "cup", "type": "object", "parent": "table", "relation": "ontop_of", "affordances": ["pickup"]},
        {"id": "robot", "type": "agent", "at": "r0"},
    ]
    links = [{"a": a, "b": b, "length": length} for (a, b), length in ways.items()]
    content = {"format": "groundplan-scene", "version": 1, "name": "drawn", "nodes": nodes, "links": links}
    return ground(scene_from_json(content, "drawn"), load_pack())
