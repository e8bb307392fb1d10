"""Generated buildings of any size: rooms along corridors, furniture in the rooms, objects by class.

For tests of scale and for benchmarks where no real scene is large enough. A building is a function of its
sizes and seed. Corridors are rows of poses, two metres apart, with a room on either side of every second
pose; corridors join at their first pose. Cabinets, fridges and wardrobes are closed, tables and shelves open
to put things on. The robot starts at the first pose with an empty hand.
"""

from __future__ import annotations

import random

from groundplan.simulator.scene import Link, Node, Position, Scene

ROOMS_PER_CORRIDOR = 50
SPACING = 2.0
"""Metres between the poses of a corridor, and from a pose to the door of its room."""

CONTAINERS = ("cabinet", "wardrobe", "fridge")
SURFACES = ("table", "shelf", "bench", "desk")
OBJECTS = ("apple", "mug", "book", "plate", "bottle", "folder", "toy", "towel", "stapler", "lamp")
COLOURS = ("red", "green", "blue")


def building(rooms: int, assets: int, objects: int, seed: int = 0) -> Scene:
    """A building with that many rooms, assets and objects.

    Raises ``ValueError`` for objects without an asset to put them on, or assets without a room.
    """
    if rooms < 1 or (assets < 1 and objects) or min(assets, objects) < 0:
        raise ValueError(f"no building of {rooms} rooms, {assets} assets and {objects} objects")
    rng = random.Random(seed)
    nodes: list[Node] = []
    links: list[Link] = []
    for number in range(rooms):
        corridor, along = divmod(number, ROOMS_PER_CORRIDOR)
        pose = f"pose{number // 2 + 1}"
        if number % 2 == 0:
            here = (SPACING * (along // 2), 10.0 * corridor, 0.0)
            nodes.append(Node(pose, "pose", classes=("pose",), position=here))
            if along:
                links.append(Link(f"pose{number // 2}", pose, SPACING))
            elif corridor:
                before = (number - ROOMS_PER_CORRIDOR) // 2 + 1
                links.append(Link(f"pose{before}", pose, 10.0))
        room = f"room{number + 1}"
        side = 3.0 if number % 2 else -3.0
        centre: Position = (SPACING * (along // 2), 10.0 * corridor + side, 0.0)
        nodes.append(Node(room, "room", classes=("room",), position=centre))
        links.append(Link(pose, room, SPACING + rng.randrange(0, 200) / 100))
    counts: dict[str, int] = {}
    furniture = [_asset(rng, counts, f"room{number % rooms + 1}") for number in range(assets)]
    nodes += furniture
    nodes += [_object(rng, counts, rng.choice(furniture)) for _ in range(objects)]
    nodes.append(Node("agent", "agent", at="pose1", classes=("agent",)))
    name = f"building-{rooms}-{assets}-{objects}-{seed}"
    return Scene(name, {n.id: n for n in nodes}, tuple(links), "generated")


def _named(kind: str, counts: dict[str, int]) -> str:
    counts[kind] = counts.get(kind, 0) + 1
    return f"{kind}{counts[kind]}"


def _asset(rng: random.Random, counts: dict[str, int], room: str) -> Node:
    closed = rng.random() < 0.4
    kind = rng.choice(CONTAINERS if closed else SURFACES)
    affordances = ("open", "close", "release") if closed else ("release",)
    return Node(
        _named(kind, counts), "asset", room, "in", (kind, "furniture"), affordances, ("closed",) * closed
    )


def _object(rng: random.Random, counts: dict[str, int], carrier: Node) -> Node:
    kind = rng.choice(OBJECTS)
    relation = "inside_of" if "open" in carrier.affordances else "ontop_of"
    colour = (rng.choice(COLOURS),) if rng.random() < 0.3 else ()
    return Node(_named(kind, counts), "object", carrier.id, relation, (kind,), ("pickup",), (), colour)
