"""Floor plans of one storey: rooms, walls, passages between rooms, and the things that stand in them.

A plan is plain data, in metres. Points are (x, z) on the floor, as in AI2-THOR's houses: heading 0 looks
along z, heading 90 along x, and heights are above the floor. A plan is the truth about a house and belongs to
the world alone (``house_world``); a robot gets what its camera shows. Polygons are handled by shapely (extra
``maps``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from ...domains.errors import InputError, SceneError, clip

EXTRA = "groundplan[maps]"
MAX_SIDE = 200.0
"""Metres of a plan's longer side, at most: 640,000 cells of the grid."""
MAX_THINGS = 20_000
MAX_CORNERS = 10_000

GAP = 0.12
"""Metres to either side of a wall that a passage cuts: the outlines of two rooms may be 6 cm apart."""
INSET = 0.02
"""Metres that the points of a thing are kept from the walls of its room, so that it is not behind them."""

Point = tuple[float, float]
Segment = tuple[Point, Point]


def shapely() -> Any:
    """Return the module shapely. Raises :class:`InputError` where the extra ``maps`` is not installed."""
    try:
        import shapely as module
    except ImportError as error:
        hint = f'pip install "{EXTRA}"'
        raise InputError("floor plan", f"the package {error.name}", "none", hint) from error
    return module


@dataclass(frozen=True, slots=True)
class RoomArea:
    """A room of a plan: its outline in order, and its type, which a robot is not told."""

    id: str
    corners: tuple[Point, ...]
    kind: str = ""

    def holds(self, point: Point) -> bool:
        """Return whether a point is within the outline (ray casting)."""
        x, z = point
        inside = False
        for (ax, az), (bx, bz) in zip(self.corners, (*self.corners[1:], self.corners[0]), strict=True):
            if (az > z) != (bz > z) and x < ax + (z - az) * (bx - ax) / (bz - az):
                inside = not inside
        return inside


@dataclass(frozen=True, slots=True)
class Passage:
    """A door or an absent piece of wall between two rooms; ``ends`` are those of the hole in the wall.

    ``closed`` is true for a door whose leaf is shut; ``leaf`` is false for what cannot be shut.
    """

    id: str
    rooms: tuple[str, str]
    ends: Segment
    leaf: bool = True
    closed: bool = False

    @property
    def middle(self) -> Point:
        (ax, az), (bx, bz) = self.ends
        return (ax + bx) / 2, (az + bz) / 2

    @property
    def hole(self) -> Segment:
        """The hole less a millimetre at its ends, where walls across it begin."""
        (ax, az), (bx, bz) = self.ends
        share = min(0.001 / math.dist(*self.ends), 0.1)
        dx, dz = share * (bx - ax), share * (bz - az)
        return (ax + dx, az + dz), (bx - dx, bz - dz)

    def beside(self, distance: float) -> tuple[Point, Point]:
        """Return the points on either side of the middle, that many metres from it."""
        (ax, az), (bx, bz) = self.ends
        length = math.dist(*self.ends)
        x, z = self.middle
        across = (distance * (bz - az) / length, -distance * (bx - ax) / length)
        return (x + across[0], z + across[1]), (x - across[0], z - across[1])


@dataclass(frozen=True, slots=True)
class Body:
    """A thing of a plan: furniture, or with ``small`` an object that is seen from near only.

    ``outline`` are the corners of its bounding box on the floor, empty where the source has no sizes;
    ``low`` and ``high`` are the heights of its lower and upper side. ``inside`` is true where it is in and
    not on its ``parent``; ``closed`` where it has a door or lid that is shut.
    """

    id: str
    kind: str
    room: str
    at: Point
    outline: tuple[Point, ...] = ()
    low: float = 0.0
    high: float = 0.0
    parent: str | None = None
    inside: bool = False
    small: bool = False
    closed: bool = False


@dataclass(frozen=True)
class FloorPlan:
    """A storey. Ids are unique, and passages and things name rooms and things that exist.

    Raises :class:`SceneError` where that is not so, or where a polygon has no area.
    """

    name: str
    rooms: tuple[RoomArea, ...]
    passages: tuple[Passage, ...] = ()
    bodies: tuple[Body, ...] = ()

    def __post_init__(self) -> None:
        _check(self)

    @cached_property
    def room(self) -> Mapping[str, RoomArea]:
        """The rooms by their ids."""
        return MappingProxyType({r.id: r for r in self.rooms})

    @cached_property
    def body(self) -> Mapping[str, Body]:
        """The things by their ids."""
        return MappingProxyType({b.id: b for b in self.bodies})

    @cached_property
    def walls(self) -> tuple[Segment, ...]:
        """The walls: the outlines of the rooms less the passages, as straight segments.

        Raises :class:`InputError` without the extra ``maps``.
        """
        geometry = shapely()
        lines = geometry.union_all([geometry.LinearRing(r.corners) for r in self.rooms])
        holes = [geometry.LineString(o.hole).buffer(GAP, cap_style="flat") for o in self.passages]
        left = geometry.difference(lines, geometry.union_all(holes)) if holes else lines
        segments: list[Segment] = []
        for line in geometry.get_parts(geometry.line_merge(left)):
            corners = [(float(x), float(z)) for x, z in line.coords]
            segments += pairwise(corners)
        return tuple(sorted(segments))

    @cached_property
    def barriers(self) -> tuple[Segment, ...]:
        """The walls, and the doors that are shut: nothing is seen or driven through them."""
        return (*self.walls, *(o.ends for o in self.passages if o.closed))

    @cached_property
    def hidden(self) -> frozenset[str]:
        """The ids of what is in something closed, to any depth."""
        state: dict[str, bool] = {}
        for body in self.bodies:
            chain = []
            one = body
            while one.id not in state and one.parent is not None:
                chain.append(one)
                one = self.body[one.parent]
            within = state.setdefault(one.id, False)
            for one in reversed(chain):
                above = self.body[one.parent or ""]
                within = within or (one.inside and above.closed)
                state[one.id] = within
        return frozenset(name for name, shut in state.items() if shut)

    @cached_property
    def anchors(self) -> Mapping[str, tuple[Point, ...]]:
        """The points by which each thing is seen: its middle, and for furniture the corners, within its room.

        Raises :class:`InputError` without the extra ``maps``.
        """
        geometry = shapely()
        inner = {r.id: geometry.Polygon(r.corners).buffer(-INSET) for r in self.rooms}
        anchors: dict[str, tuple[Point, ...]] = {}
        for body in self.bodies:
            area = inner[body.room]
            points = [body.at] if body.small or not body.outline else [body.at, *body.outline]
            places = geometry.points(points)
            near = geometry.shortest_line(area, places) if not area.is_empty else places
            inside = [geometry.get_coordinates(line)[0] for line in near]
            anchors[body.id] = tuple((float(x), float(z)) for x, z in inside)
        return MappingProxyType(anchors)


def box(at: Point, size: tuple[float, float], degrees: float) -> tuple[Point, ...]:
    """Return the corners of a rectangle around a point, turned clockwise as seen from above (as in Unity)."""
    turn = math.radians(degrees)
    cos, sin = math.cos(turn), math.sin(turn)
    x, z = at
    return tuple(
        (x + a * size[0] / 2 * cos + b * size[1] / 2 * sin, z - a * size[0] / 2 * sin + b * size[1] / 2 * cos)
        for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    )


def _check(plan: FloorPlan) -> None:
    name = clip(plan.name)
    if not plan.rooms:
        raise SceneError(name, "at least one room", "none")
    rooms_listed = [r.id for r in plan.rooms]
    rooms = frozenset(rooms_listed)
    bodies = {b.id: b for b in plan.bodies}
    passages = [p.id for p in plan.passages]
    _check_unique(name, [*rooms_listed, *passages, *(b.id for b in plan.bodies)])
    corners = [c for r in plan.rooms for c in r.corners]
    outlines = [p for b in plan.bodies for p in (b.at, *b.outline)]
    points = [*corners, *(p for o in plan.passages for p in o.ends), *outlines]
    if not all(math.isfinite(value) for point in points for value in point):
        raise SceneError(name, "finite coordinates", "one that is not")
    if len(corners) > MAX_CORNERS or len(bodies) > MAX_THINGS:
        expected = f"at most {MAX_CORNERS} corners and {MAX_THINGS} things"
        raise SceneError(name, expected, f"{len(corners)} and {len(bodies)}")
    if max(max(values) - min(values) for values in zip(*points, strict=True)) > MAX_SIDE:
        raise SceneError(name, f"a plan of at most {MAX_SIDE:.0f} m", "a larger one")
    for room in plan.rooms:
        if len(room.corners) < 3 or _area(room.corners) < 1e-6:
            raise SceneError(f"{name}: {clip(room.id)}", "the outline of a room", "one without area")
    for passage in plan.passages:
        if not set(passage.rooms) <= rooms or math.dist(*passage.ends) < 1e-6:
            raise SceneError(f"{name}: {clip(passage.id)}", "a hole between two rooms of the plan", "none")
    for body in plan.bodies:
        if body.room not in rooms:
            raise SceneError(f"{name}: {clip(body.id)}", "a room of the plan", clip(body.room))
        if body.parent is not None and body.parent not in bodies:
            raise SceneError(f"{name}: {clip(body.id)}", "a parent of the plan", clip(body.parent))
        if body.outline and len(body.outline) < 3:
            raise SceneError(f"{name}: {clip(body.id)}", "an outline of three corners or more", "fewer")
    _check_tree(name, bodies)


def _check_tree(name: str, bodies: Mapping[str, Body]) -> None:
    """Refuse things that are in or on each other in a circle."""
    rooted: set[str] = set()
    for body in bodies.values():
        chain: dict[str, None] = {}
        one: str | None = body.id
        while one is not None and one not in rooted:
            if one in chain:
                raise SceneError(f"{name}: {clip(one)}", "a parent of the plan", "a circle of parents")
            chain[one] = None
            one = bodies[one].parent
        rooted.update(chain)


def _check_unique(name: str, ids: Iterable[str]) -> None:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            raise SceneError(name, "ids that are unique", clip(one))
        seen.add(one)


def _area(corners: tuple[Point, ...]) -> float:
    following = (*corners[1:], corners[0])
    return abs(sum(ax * bz - bx * az for (ax, az), (bx, bz) in zip(corners, following, strict=True))) / 2
