"""The map that a robot makes of a house as it goes: a scene graph of four levels, and the floor it has seen.

The levels are SayNav's (Rajvanshi et al., 2024): house, rooms, large objects (furniture) and small objects,
each with coordinates; doors join rooms. A map holds what its glimpses showed and nothing else: a room is
there once a cell, thing or side of a door in it was seen, its place is the mean of its cells that were
seen, and its type is what somebody concluded (:meth:`SeenMap.name_room`), never what the house says. Once
everything was seen, its graph is :func:`complete_graph` of the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from .camera import Camera, Glimpse, SeenBody, SeenPassage, Stance
from .floor_plan import FloorPlan, Point
from .grid import CELL, Cell, Grid

HOUSE = "house"


@dataclass(frozen=True)
class SpatialGraph:
    """The graph of a house: nodes of each level with their places in metres, and edges between levels.

    ``edges`` lead from the house to rooms, from rooms to what is in them, and from furniture to what is in
    or on it; ``ways`` lead from doors to the rooms they join.
    """

    rooms: Mapping[str, Point | None]
    passages: Mapping[str, SeenPassage]
    large: Mapping[str, SeenBody]
    small: Mapping[str, SeenBody]
    edges: frozenset[tuple[str, str]]
    ways: frozenset[tuple[str, str]]

    def as_json(self) -> dict[str, object]:
        """Return rooms, passages and things with their places; what is in or on what is their parent."""
        return {
            "rooms": {room: list(at) if at is not None else None for room, at in self.rooms.items()},
            "passages": {
                name: {"at": _rounded(o.middle), "rooms": list(o.rooms), "closed": o.closed}
                for name, o in self.passages.items()
            },
            "things": {
                name: {"type": b.kind, "room": b.room, "parent": b.parent, "at": _rounded(b.place)}
                for name, b in (*self.large.items(), *self.small.items())
            },
        }


@dataclass
class SeenMap:
    """A map in the making; :meth:`add` takes a glimpse in."""

    bodies: dict[str, SeenBody] = field(default_factory=dict)
    passages: dict[str, SeenPassage] = field(default_factory=dict)
    floor: dict[Cell, tuple[str, bool]] = field(default_factory=dict)
    """The room of each cell that was seen, and whether the robot fits there."""
    rooms: dict[str, str] = field(default_factory=dict)
    """The rooms, in the order in which they were seen, with their types where concluded, empty otherwise."""
    inspected: set[Cell] = field(default_factory=set)
    """Cells on or over which every small object would have been seen."""
    stance: Stance | None = None
    room: str = ""
    """The room that the robot is in."""
    blocked: set[Cell] = field(default_factory=set)
    """Cells that looked free, and to which there was no way."""
    aside: set[Cell] = field(default_factory=set)
    """Cells that the robot did not get to in the moves that it had: no goals, but still floor."""
    reach: float = 0.0
    """Metres within which small objects are seen; 0 where it is not said."""

    def add(self, glimpse: Glimpse) -> bool:
        """Take a glimpse in; return whether it showed a thing, a door or a side of one for the first time."""
        news = glimpse.room not in self.rooms
        self.stance, self.room = glimpse.stance, glimpse.room
        self.rooms.setdefault(glimpse.room, "")
        for body in glimpse.bodies:
            news |= body.id not in self.bodies
            self.bodies[body.id] = body
            self.rooms.setdefault(body.room, "")
        for passage in glimpse.passages:
            before = self.passages.get(passage.id)
            sides = {*passage.rooms, *(before.rooms if before is not None else ())}
            merged = replace(passage, rooms=tuple(sorted(sides)))
            news |= before != merged
            self.passages[passage.id] = merged
            for room in passage.rooms:
                self.rooms.setdefault(room, "")
        # A small object in a cell is at most half a diagonal further away than its middle.
        near = max(0.0, self.reach - CELL * 0.7072) / CELL
        (i, j), most = glimpse.stance.cell, near * near
        self.floor.update(glimpse.cells)
        self.inspected.update([c for c, _ in glimpse.cells if (c[0] - i) ** 2 + (c[1] - j) ** 2 <= most])
        for room in dict.fromkeys([room for _, (room, _) in glimpse.cells]):
            self.rooms.setdefault(room, "")
        return news

    def name_room(self, room: str, kind: str) -> None:
        """Note the type that somebody concluded a room to be of. Raises ``KeyError`` for a room not seen."""
        if room not in self.rooms:
            raise KeyError(room)
        self.rooms[room] = kind

    @property
    def vain(self) -> set[Cell]:
        """The cells that the robot was sent to in vain."""
        return self.blocked | self.aside

    def grid(self) -> Grid:
        """Return the cells that were seen to be free, as a grid to find routes on."""
        return Grid.of_cells(c for c, (_, free) in self.floor.items() if free and c not in self.blocked)

    def graph(self) -> SpatialGraph:
        """Return the scene graph of what was seen."""
        return _graph(self.rooms, self.passages, self.bodies.values(), self.floor)


def _rounded(place: Sequence[float]) -> list[float]:
    """Return a place in metres, to the millimetre."""
    return [round(value, 3) for value in place]


def complete_graph(plan: FloorPlan, camera: Camera) -> SpatialGraph:
    """Return the graph of all of a house but what is in something closed: the truth to compare a map with."""
    passages = {
        o.id: SeenPassage(o.id, o.middle, tuple(sorted(set(o.rooms))), o.leaf, o.closed)
        for o in plan.passages
    }
    floor = {cell: (camera.room_of(cell), True) for cell in camera.cells}
    return _graph({r.id: "" for r in plan.rooms}, passages, camera.all_bodies(), floor)


def _graph(
    rooms: Iterable[str],
    passages: Mapping[str, SeenPassage],
    bodies: Iterable[SeenBody],
    floor: Mapping[Cell, tuple[str, bool]],
) -> SpatialGraph:
    cells: dict[str, list[Cell]] = {}
    for cell, (room, _) in floor.items():
        cells.setdefault(room, []).append(cell)
    listed = sorted(bodies, key=lambda b: b.id)
    large = {b.id: b for b in listed if not b.small}
    small = {b.id: b for b in listed if b.small}
    names = {*large, *small}
    edges = {(HOUSE, room) for room in rooms}
    edges |= {(b.parent if b.parent in names else b.room, b.id) for b in listed}
    ways = {(o.id, room) for o in passages.values() for room in o.rooms}
    return SpatialGraph(
        MappingProxyType({room: _mean(cells.get(room, ())) for room in sorted(rooms)}),
        MappingProxyType(dict(sorted(passages.items()))),
        MappingProxyType(large),
        MappingProxyType(small),
        frozenset(edges),
        frozenset(ways),
    )


def _mean(cells: Iterable[Cell]) -> Point | None:
    """Return the mean place of cells in metres, summed in whole numbers: the same in any order."""
    listed = list(cells)
    if not listed:
        return None
    x, z = (sum(cell[axis] for cell in listed) * CELL / len(listed) for axis in (0, 1))
    return round(x, 3), round(z, 3)
