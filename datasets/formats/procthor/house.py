"""A ProcTHOR house as frozen dataclasses: rooms with their outlines, doors, wall openings, things.

``read`` makes a :class:`House` from either version of the file (ProcTHOR's own JSON or the compact form), and
``scene`` a scene from a :class:`House`; a new field has a default, or is filled in by ``read`` for both
versions. Lengths are metres, y is up, and points are (x, z) as in the files; only the position of a thing is
a scene's, with the height last.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ....simulator.navigation.floor_plan import Point, RoomArea, Segment
from ....simulator.scene import Loss, Position

ON_THE_LINE = 0.001
"""Metres from an outline within which a point is on it, and so in the rooms on both of its sides."""


@dataclass(frozen=True, slots=True)
class Room(RoomArea):
    """A room; ``corners`` are those of its outline on the ground (a polygon), in order."""

    @property
    def sides(self) -> list[Segment]:
        """The sides of the outline, some of them without a length."""
        return list(zip(self.corners, (*self.corners[1:], self.corners[0]), strict=True))

    def centre(self) -> Point:
        """Return the centroid of the outline; of its corners where it has no area."""
        doubled = x = z = 0.0
        # Around the first corner, so that houses far from the origin lose no precision.
        x0, z0 = self.corners[0]
        for (ax, az), (bx, bz) in self.sides:
            cross = (ax - x0) * (bz - z0) - (bx - x0) * (az - z0)
            doubled += cross
            x += (ax + bx - 2 * x0) * cross
            z += (az + bz - 2 * z0) * cross
        if abs(doubled) < 1e-6:
            n = len(self.corners)
            return sum(c[0] for c in self.corners) / n, sum(c[1] for c in self.corners) / n
        return x0 + x / (3 * doubled), z0 + z / (3 * doubled)

    def holds(self, point: Point) -> bool:
        """Return whether a point is within the outline or on it."""
        on_a_side = any(distance_to(side, point) <= ON_THE_LINE for side in self.sides)
        return on_a_side or RoomArea.holds(self, point)


def distance_to(side: Segment, point: Point) -> float:
    """Return the metres from a wall to a point."""
    (ax, az), (bx, bz) = side
    dx, dz = bx - ax, bz - az
    along = (point[0] - ax) * dx + (point[1] - az) * dz
    share = min(1.0, max(0.0, along / square)) if (square := dx * dx + dz * dz) else 0.0
    return math.dist(point, (ax + share * dx, az + share * dz))


@dataclass(frozen=True, slots=True)
class Door:
    """A way between two rooms; ``closed`` where it has a leaf that is shut, ``width`` that of the hole.

    ``middle`` is that of the hole, ``None`` where the house does not say it.
    """

    id: str
    rooms: tuple[str, str]
    middle: Point | None
    closed: bool
    leaf: bool = True
    width: float = 0.0


@dataclass(frozen=True, slots=True)
class WallOpening:
    """A piece of wall that is absent; listed once for each room along it."""

    room: str
    ends: Segment


@dataclass(frozen=True, slots=True)
class Thing:
    """Furniture or an object. ``relation`` is empty where the house does not state it.

    ``room`` is ``None`` for a thing of which nothing says where it is. ``size`` is the bounding box before it
    is turned by ``rotation`` degrees about the vertical: x, z and height; empty where the house has none.
    """

    at: str
    id: str
    kind: str
    room: str | None
    parent: str | None
    relation: str
    position: Position
    abilities: frozenset[str]
    state: tuple[str, ...]
    size: tuple[float, ...] = ()
    rotation: float = 0.0


@dataclass(frozen=True, slots=True)
class House:
    """A house; ``words`` describe it, ``start`` is the robot's place if the file has one."""

    name: str
    words: str
    rooms: Mapping[str, Room]
    doors: tuple[Door, ...]
    openings: tuple[WallOpening, ...]
    things: tuple[Thing, ...]
    start: Point | None
    losses: tuple[Loss, ...] = ()
