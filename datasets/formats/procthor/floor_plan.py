"""The floor plan of a ProcTHOR house: outlines of rooms, doors with their widths, and bounding boxes.

Doors and absent walls become passages, doors to the outside are wall. What can be picked up by its type or by
the house's word is a small object; all others are furniture. Doors and things of which nothing says where
they are are in no plan. A container that can be opened, has something
inside and does not say how far it is open is taken for closed: nothing in it is to be seen. ProcTHOR's own
JSON has no sizes of assets, so there its furniture leaves every cell free.
"""

from __future__ import annotations

import math

from ....domains.errors import SceneError, clip
from ....simulator.navigation.floor_plan import Body, FloorPlan, Passage, Point, RoomArea, box
from ..classes import class_name
from .house import Door, House, Thing, distance_to
from .scene import holds_inside, named_openings
from .types import PICKUPABLE

USUAL_WIDTH = 1.0
"""Metres of a door that says no width: ProcTHOR's single doors."""


def house_plan(house: House, where: str) -> FloorPlan:
    """Build the floor plan of a house. Raises :class:`SceneError` for a house that has none."""
    rooms = tuple(
        RoomArea(r.id, r.corners, class_name(r.kind) if r.kind else "") for r in house.rooms.values()
    )
    names = {thing.id for thing in house.things} | {d.id for d in house.doors} | set(house.rooms)
    passages = [_door(door, door.middle, house, where) for door in house.doors if door.middle is not None]
    for name, ends_of, pieces in named_openings(house.openings, names):
        for number, ends in enumerate(pieces, 1):
            if math.dist(*ends) > 1e-6:
                passages.append(
                    Passage(f"{name}#{number}" if number > 1 else name, ends_of, ends, leaf=False)
                )
    things = {thing.id: thing for thing in house.things}
    bodies = tuple(_body(t, t.room, things) for t in house.things if t.room is not None)
    return FloorPlan(house.name, rooms, tuple(passages), bodies)


def _door(door: Door, middle: Point, house: House, where: str) -> Passage:
    """Return a door as a hole along the nearest wall of its rooms."""
    half = (door.width or USUAL_WIDTH) / 2
    if not 0 < half < 50:
        raise SceneError(f"{where}: {clip(door.id)}", "a width in metres", clip(door.width))
    every = (side for room in dict.fromkeys(door.rooms) for side in house.rooms[room].sides)
    sides = (side for side in every if math.dist(*side) > 1e-6)
    (ax, az), (bx, bz) = min(sides, key=lambda side: distance_to(side, middle))
    length = math.dist((ax, az), (bx, bz))
    dx, dz = half * (bx - ax) / length, half * (bz - az) / length
    x, z = middle
    return Passage(door.id, door.rooms, ((x - dx, z - dz), (x + dx, z + dz)), door.leaf, door.closed)


def _body(thing: Thing, room: str, things: dict[str, Thing]) -> Body:
    if thing.parent is not None and thing.parent not in things:
        raise SceneError(f"{thing.at}.parent", "the id of another object", clip(thing.parent))
    x, z, height = thing.position
    outline = box((x, z), (thing.size[0], thing.size[1]), thing.rotation) if thing.size else ()
    half = thing.size[2] / 2 if thing.size else 0.0
    inside = thing.parent is not None and (
        thing.relation == "inside_of" or (not thing.relation and holds_inside(things[thing.parent]))
    )
    small = thing.kind in PICKUPABLE or "pickupable" in thing.abilities
    return Body(
        thing.id,
        class_name(thing.kind),
        room,
        (x, z),
        outline,
        height - half,
        height + half,
        thing.parent,
        inside,
        small,
        "openable" in thing.abilities and "open" not in thing.state,
    )
