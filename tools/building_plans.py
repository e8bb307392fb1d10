"""Floor plans of generated buildings: corridors, rooms on either side, furniture along their walls.

A generated building says where its poses and rooms are, and not where walls stand. Its plan gives each room
4 by 6 m beside its pose, with a door of 1 m, and each row of poses a corridor of 2 m; a passage joins the
corridors. Furniture stands along the walls in the order of the scene, objects lie on or in their furniture:
the positions in the scene are not used, as they may overlap. Ids are those of the scene. One storey only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from groundplan.domains.errors import InputError, clip
from groundplan.simulator.navigation.floor_plan import Body, FloorPlan, Passage, Point, RoomArea, box
from groundplan.simulator.scene import Node, Scene

WIDE, DEEP, AISLE, DOOR = 4.0, 6.0, 2.0, 1.0
"""Metres: a room's width and depth, a corridor's width, and a door's."""
PIECE: Point = (0.8, 0.5)
"""Metres of a piece of furniture along the wall, and from it."""
HIGH = 0.8
"""Metres of furniture's height, on which things lie."""
SPREAD = 0.12
"""Metres between things on one piece of furniture."""


def building_plan(scene: Scene) -> FloorPlan:
    """Return the floor plan of a generated building.

    Raises :class:`InputError` for a scene of another kind, for several floors, and for a room with more
    furniture than there are places along its walls.
    """
    places = {n.id: _at(scene, n) for n in scene.nodes.values() if n.type in ("pose", "room")}
    heights = {n.position[2] for n in scene.nodes.values() if n.id in places and n.position}
    if len(heights) != 1 or not scene.by_type.get("room"):
        raise _wrong(scene, "a generated building of one floor", f"{len(heights)} floors")
    rows: dict[float, list[float]] = {}
    for pose in scene.by_type.get("pose", ()):
        rows.setdefault(places[pose][1], []).append(places[pose][0])
    rooms, passages = [], []
    for number, (z, xs) in enumerate(sorted(rows.items()), 1):
        first, last = min(xs) - WIDE / 2, max(xs) + WIDE / 2
        rooms.append(_rectangle(f"corridor#{number}", "corridor", first, z - AISLE / 2, last, z + AISLE / 2))
    if len(rows) > 1:
        low, high = min(rows) - AISLE / 2, max(rows) + AISLE / 2
        left = min(min(xs) for xs in rows.values()) - WIDE / 2
        rooms.append(_rectangle("passage#", "corridor", left - AISLE, low, left, high))
        for number, z in enumerate(sorted(rows), 1):
            ends = ((left, z - AISLE / 2), (left, z + AISLE / 2))
            passages.append(
                Passage(f"opening#{number}", ("passage#", f"corridor#{number}"), ends, leaf=False)
            )
    numbers = {z: number for number, z in enumerate(sorted(rows), 1)}
    bodies: list[Body] = []
    for room in scene.by_type["room"]:
        beside = next((p for p in scene.neighbours.get(room, {}) if scene.nodes[p].type == "pose"), None)
        if beside is None:
            raise _wrong(scene, "rooms beside poses", f"{clip(room)} without one")
        x, z = places[beside]
        side = 1 if places[room][1] > z else -1
        near, far = z + side * AISLE / 2, z + side * (AISLE / 2 + DEEP)
        kind = scene.nodes[room].classes[0] if scene.nodes[room].classes else "room"
        rooms.append(_rectangle(room, kind, x - WIDE / 2, min(near, far), x + WIDE / 2, max(near, far)))
        ends = ((x - DOOR / 2, near), (x + DOOR / 2, near))
        passages.append(Passage(f"door#{room}", (room, f"corridor#{numbers[z]}"), ends))
        bodies += _furnished(scene, room, x, near, far)
    return FloorPlan(scene.name, tuple(rooms), tuple(passages), tuple(bodies))


def _furnished(scene: Scene, room: str, x: float, near: float, far: float) -> Iterator[Body]:
    """Yield the furniture of a room along its walls, and all that is on or in it."""
    slots = _slots(x, near, far)
    assets = [c for c in scene.children.get(room, ()) if scene.nodes[c].type == "asset"]
    if len(assets) > len(slots):
        raise _wrong(scene, f"at most {len(slots)} pieces of furniture in a room", f"{len(assets)} in {room}")
    for asset, (at, degrees) in zip(assets, slots, strict=False):
        node = scene.nodes[asset]
        yield Body(asset, _kind(node), room, at, box(at, PIECE, degrees), 0.0, HIGH, closed=_closed(node))
        for number, below in enumerate(scene.descendants(asset)):
            thing = scene.nodes[below]
            turn = 2.4 * number  # a spiral: no two things at one point
            away = min(SPREAD * math.sqrt(number), min(PIECE) / 2)
            spot = (at[0] + away * math.cos(turn), at[1] + away * math.sin(turn))
            inside = thing.relation == "inside_of"
            yield Body(
                below,
                _kind(thing),
                room,
                spot,
                (),
                HIGH,
                HIGH + 0.1,
                thing.parent,
                inside,
                True,
                _closed(thing),
            )


def _slots(x: float, near: float, far: float) -> list[tuple[Point, float]]:
    """Return places along the far wall and the two beside it, with the turn of the furniture there."""
    side = 1 if far > near else -1
    gap = PIECE[1] / 2 + 0.05
    back = [((x + offset, far - side * gap), 0.0) for offset in (-0.5, 0.5, -1.5, 1.5)]
    walls = [
        ((x + wall * (WIDE / 2 - gap), far - side * away), 90.0)
        for away in (1.2, 2.2, 3.2, 4.2)
        for wall in (-1, 1)
    ]
    return [*back, *walls]


def _rectangle(name: str, kind: str, x0: float, z0: float, x1: float, z1: float) -> RoomArea:
    return RoomArea(name, ((x0, z0), (x0, z1), (x1, z1), (x1, z0)), kind)


def _at(scene: Scene, node: Node) -> Point:
    if node.position is None:
        raise _wrong(scene, "rooms and poses with positions", f"{clip(node.id)} without one")
    return node.position[0], node.position[1]


def _kind(node: Node) -> str:
    return node.classes[0] if node.classes else node.id


def _closed(node: Node) -> bool:
    return "open" in node.affordances and "open" not in node.state


def _wrong(scene: Scene, expected: str, got: str) -> InputError:
    return InputError(f"floor plan of {clip(scene.name)}", expected, got)
