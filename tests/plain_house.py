"""A house of two rooms, each of 4 by 4 m, with a door between them."""

from __future__ import annotations

from groundplan.simulator.navigation import Body, FloorPlan, Passage, RoomArea
from groundplan.simulator.navigation.floor_plan import Point, box


def furniture(name: str, kind: str, room: str, at: Point, size: Point, **fields: object) -> Body:
    return Body(name, kind, room, at, box(at, size, 0), 0.0, 0.8, **fields)  # type: ignore[arg-type]


def thing(name: str, kind: str, room: str, at: Point, parent: str | None, **fields: object) -> Body:
    return Body(name, kind, room, at, (), 0.8, 0.9, parent, small=True, **fields)  # type: ignore[arg-type]


def two_rooms(closed: bool = False) -> FloorPlan:
    """A hall with a table and a shelf, a bedroom with a bed and a closed chest; the door is at (4, 2)."""
    hall = RoomArea("hall", ((0, 0), (0, 4), (4, 4), (4, 0)), "living_room")
    bedroom = RoomArea("bedroom", ((4, 0), (4, 4), (8, 4), (8, 0)), "bedroom")
    bodies = (
        furniture("table1", "table", "hall", (1, 3), (0.8, 0.6)),
        thing("mug1", "mug", "hall", (1, 3), "table1"),
        thing("book1", "book", "hall", (1, 3.8), None),
        furniture("shelf1", "shelf", "hall", (3, 0.5), (0.8, 0.3)),
        furniture("bed1", "bed", "bedroom", (7, 2), (1.4, 1.9)),
        thing("pillow1", "pillow", "bedroom", (7.4, 2), "bed1"),
        furniture("chest1", "chest", "bedroom", (5, 3.6), (0.8, 0.4), closed=True),
        thing("sock1", "sock", "bedroom", (5, 3.6), "chest1", inside=True),
        thing("ring1", "ring", "bedroom", (5, 3.6), "sock1", inside=True),
        thing("vase1", "vase", "bedroom", (5, 3.6), "chest1"),
    )
    door = Passage("door1", ("hall", "bedroom"), ((4, 1.5), (4, 2.5)), True, closed)
    return FloorPlan("two-rooms", (hall, bedroom), (door,), bodies)
