"""Scenes as VirtualHome environment graphs.

Each thing has an edge INSIDE its room, as in the simulator's own graphs, and one to what it is on or in.
Rooms that a link joins get a door BETWEEN them, or have that of the link. Other relations are written as
CLOSE. Numbers that ids end in are kept where they are free; other nodes are numbered, and so lose their
names. The simulator fixes the fields; ``reader`` must read back what is written here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ....simulator.scene import Node, Scene, default_class
from ..assembly import room_near
from ..classes import WORDS

FLOORS = frozenset(("floor", "floors"))
"""Categories of floors."""
DROPPED = FLOORS | frozenset("wall walls ceiling ceilings doors windows".split())
"""Categories of the shell of a house."""

AFFORDANCES = WORDS["virtualhome"]["affordances"]
STATES = frozenset("OPEN CLOSED ON OFF CLEAN DIRTY".split())

UNSORTED = "placable_objects"
"""A category that says nothing; the one written for nodes of a single class."""
_PROPERTY = {a: p for p, affordances in reversed(list(AFFORDANCES.items())) for a in affordances}
"""The property of each affordance, the first one that has it."""
_EDGES = {"ontop_of": "ON", "inside_of": "INSIDE"}
_KINDS = frozenset(("room", "asset", "part", "object", "agent"))
_NUMBER = re.compile(r"(?:0|[1-9]\d{0,8})\Z", re.ASCII)


def numbers(scene: Scene) -> Mapping[str, int]:
    """Return the number of each node that is written: rooms, nodes in rooms, and the robot."""
    written = [
        n
        for n in scene.nodes.values()
        if n.type in ("room", "agent")
        or (n.type in _KINDS and (scene.room_of(n.id) is not None or n.relation == "inside_hand"))
    ]
    kept_numbers: dict[str, int] = {}
    taken: set[int] = set()
    for node in written:
        number = _NUMBER.search(node.id)
        fits = number is not None and node_name(class_of(node), number[0]) == node.id
        if number is not None and fits and int(number[0]) not in taken:
            kept_numbers[node.id] = int(number[0])
            taken.add(int(number[0]))
    free = (n for n in range(1, len(written) + len(taken) + 1) if n not in taken)
    return {n.id: kept_numbers[n.id] if n.id in kept_numbers else next(free) for n in written}


def node_name(class_name: str, number: str) -> str:
    """Return the id of a node: class and number, kept apart where the class ends in a digit."""
    return f"{class_name}_{number}" if class_name[-1:].isdigit() else f"{class_name}{number}"


def class_of(node: Node) -> str:
    return node.classes[0] if node.classes else default_class(node.id)


def to_virtualhome(scene: Scene) -> dict[str, object]:
    """Return a scene as an environment graph."""
    number = numbers(scene)
    between = {link.door for link in scene.links}
    nodes = [_node(scene.nodes[i], number[i], "Doors" if i in between else "") for i in number]
    edges: list[dict[str, object]] = []

    def edge(source: int, relation: str, target: int) -> None:
        edges.append({"from_id": source, "relation_type": relation, "to_id": target})

    for node_id, own in number.items():
        node = scene.nodes[node_id]
        room = room_near(scene, node) if node.type == "agent" else scene.room_of(node_id)
        if node.type == "room" or room is None:
            continue
        edge(own, "INSIDE", number[room])
        above = node.parent
        if above is not None and above in number and above != room and node.relation != "inside_hand":
            edge(own, _EDGES.get(node.relation, "CLOSE"), number[above])
    for node_id, own in number.items():
        node = scene.nodes[node_id]
        holder = node.parent
        if node.relation == "inside_hand" and holder is not None and holder in number:
            edge(number[holder], "HOLDS_RH", own)
    last = max(number.values(), default=0)
    for link in scene.links:
        if link.a in number and link.b in number:
            door = number.get(link.door)
            if door is None:
                door = last = last + 1
                nodes.append(_door(scene, link.a, link.b, door))
            for end in sorted((link.a, link.b), key=lambda end: end != scene.room_of(link.door or end)):
                edge(door, "BETWEEN", number[end])
    return {"nodes": nodes, "edges": edges}


def _node(node: Node, number: int, shell: str) -> dict[str, object]:
    words = dict.fromkeys(_PROPERTY[a] for a in node.affordances if a in _PROPERTY)
    words |= dict.fromkeys(a.upper() for a in node.attributes if _is_property(a))
    sort = node.classes[1] if len(node.classes) > 1 else ""
    category = {"room": "Rooms", "agent": "Characters"}.get(node.type, sort.capitalize())
    if node.type not in ("room", "agent") and (category.lower() in (*DROPPED, "rooms", "characters", "")):
        category = shell or UNSORTED
    position = node.position
    centre = [position[0], position[2], position[1]] if position is not None else None
    return {
        "id": number,
        "class_name": class_of(node),
        "category": category,
        "properties": list(words),
        "states": [s.upper() for s in node.state if s.upper() in STATES],
        "bounding_box": {"center": centre, "size": [0.0, 0.0, 0.0]} if centre is not None else None,
    }


def _is_property(word: str) -> bool:
    """Return whether an attribute can be written as a property: in capitals, and read back the same."""
    return word.upper().lower() == word and word.upper() not in AFFORDANCES and word.upper() not in STATES


def _door(scene: Scene, a: str, b: str, number: int) -> dict[str, object]:
    ends = [scene.nodes[i].position for i in (a, b)]
    points = [(p[0], p[2], p[1]) for p in ends if p is not None]
    centre = [(x + y) / 2 for x, y in zip(*points, strict=True)] if len(points) == 2 else None
    return {
        "id": number,
        "class_name": "door",
        "category": "Doors",
        "properties": ["CAN_OPEN"],
        "states": ["OPEN"],
        "bounding_box": {"center": centre, "size": [0.0, 0.0, 0.0]} if centre is not None else None,
    }
