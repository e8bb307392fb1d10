"""Cells of a map that are left to inspect, and viewpoints for them: the part that explorers share.

A cell of a room is inspected when every small object in it would have been seen. Furniture is inspected when
the cells that its outline covers are. From a cell that is known to be free, what lies within the camera's
reach in the same room comes into view; whether a wall is in the way shows when the robot is there, so a place
that was looked around from counts for no more.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from ...simulator.navigation.camera import SeenBody
from ...simulator.navigation.grid import CELL, HEIGHT, Cell, Distances, Grid, cell_at, middle
from ...simulator.navigation.seen_map import SeenMap

MARGIN = 0.7072 * CELL
"""Metres from the middle of a cell to its corner."""
AT_DOOR = 1.5
"""Metres from the middle of a door within which the robot goes to it."""
VIEWS = 4
"""Viewpoints of a room, at most."""
CLOSE = 1.0
"""Metres within which cells are looked at again at the end: a wall may have hidden a part of one."""


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """A cell to look around from, the masses that come into reach there beyond earlier ones, and the way."""

    cell: Cell
    masses: tuple[float, ...]
    metres: float


@dataclass(frozen=True, slots=True)
class WayOn:
    """A cell where another room begins or shows, and the door there if nobody knows where it leads."""

    cell: Cell
    metres: float
    door: str = ""


@lru_cache(maxsize=10_000)
def covered(body: SeenBody) -> frozenset[Cell]:
    """Return the cells that an outline covers: their middles are in it; its middle cell at least."""
    outline = body.outline
    cells = {cell_at((body.place[0], body.place[1]))}
    if outline:
        (low_i, low_j), (high_i, high_j) = (
            cell_at((chosen(p[0] for p in outline), chosen(p[1] for p in outline))) for chosen in (min, max)
        )
        for i in range(low_i, high_i + 1):
            for j in range(low_j, high_j + 1):
                if _within((i * CELL, j * CELL), outline):
                    cells.add((i, j))
    return frozenset(cells)


def _within(point: tuple[float, float], corners: tuple[tuple[float, float], ...]) -> bool:
    x, z = point
    signs = {
        math.copysign(1, (bx - ax) * (z - az) - (bz - az) * (x - ax))
        for (ax, az), (bx, bz) in zip(corners, (*corners[1:], corners[0]), strict=True)
    }
    return len(signs) == 1


def furniture_left(seen: SeenMap, room: str) -> dict[str, frozenset[Cell]]:
    """Return the furniture of a room of which some cells are not inspected, with those cells."""
    left = {}
    for body in seen.bodies.values():
        if body.room == room and not body.small and body.place[2] < HEIGHT:
            cells = (
                frozenset(c for c in covered(body) if c in seen.floor and seen.floor[c][0] == room)
                - seen.inspected
            )
            if cells:
                left[body.id] = cells
    return left


def floor_left(seen: SeenMap, room: str) -> frozenset[Cell]:
    """Return the cells of a room that were seen and not inspected."""
    return frozenset(c for c, (r, _) in seen.floor.items() if r == room and c not in seen.inspected)


def free_cells(seen: SeenMap, grid: Grid, lengths: Distances) -> Mapping[str, list[Cell]]:
    """Return the free cells of each room that routes lead to, in order, without those that were put aside."""
    free: dict[str, list[Cell]] = {}
    for cell in lengths.reached():
        if cell not in seen.aside:
            free.setdefault(seen.floor[cell][0], []).append(cell)
    return free


def inspected_within(seen: SeenMap) -> float:
    """Return the metres to the middle of a cell within which small objects all over it are seen."""
    return max(seen.reach - MARGIN, MARGIN)


def not_near(seen: SeenMap, room: str, looked: Collection[Cell]) -> frozenset[Cell]:
    """Return the cells of a room that nobody looked around from within :data:`CLOSE` metres of them."""
    most = (CLOSE / CELL) ** 2
    there = [c for c in looked if seen.floor.get(c, ("", False))[0] == room]
    return frozenset(
        (i, j)
        for (i, j), (r, _) in seen.floor.items()
        if r == room and all((i - a) ** 2 + (j - b) ** 2 > most for a, b in there)
    )


def doors_left(seen: SeenMap, done: Collection[str]) -> Iterable[str]:
    """Yield the passages that are open and lead to a room not among ``done``, or nobody knows where."""
    for passage in seen.passages.values():
        if not passage.closed and (len(passage.rooms) < 2 or not set(passage.rooms) <= set(done)):
            yield passage.id


def next_ways(
    seen: SeenMap, grid: Grid, lengths: Distances, entered: Collection[str], tried: Collection[str]
) -> list[WayOn]:
    """Return the nearest cell of each room not entered, and those beside doors that lead nobody knows where.

    Doors that were ``tried`` are left out. The nearest way is the first.
    """
    nearest: dict[str, WayOn] = {}
    for cell in grid.cells:
        room = seen.floor[cell][0]
        if room not in entered and lengths[cell] >= 0 and cell not in seen.aside:
            way = WayOn(cell, lengths.metres(cell))
            nearest[room] = min(nearest.get(room, way), way, key=lambda w: (w.metres, w.cell))
    ways = list(nearest.values())
    for name in doors_left(seen, entered):
        beside = beside_door(seen, grid, lengths, name) if name not in tried else None
        if beside is not None:
            ways.append(WayOn(beside, lengths.metres(beside), name))
    return sorted(ways, key=lambda way: (way.metres, way.cell, way.door))


def next_way(
    seen: SeenMap, grid: Grid, lengths: Distances, entered: Collection[str], tried: Collection[str]
) -> WayOn | None:
    """Return the nearest of :func:`next_ways`, ``None`` where nothing is left."""
    return next(iter(next_ways(seen, grid, lengths, entered, tried)), None)


def best_viewpoint(
    seen: SeenMap,
    lengths: Distances,
    free: Iterable[Cell],
    targets: Collection[Cell],
    tried: Collection[Cell],
    within: float | None = None,
) -> Viewpoint | None:
    """Return where most of some cells come into reach for each metre of the way; ``None`` for nowhere."""
    cells = dict.fromkeys(targets, (1.0,))
    return next(iter(viewpoints(seen, lengths, free, cells, tried, within, most=1)), None)


def viewpoints(
    seen: SeenMap,
    lengths: Distances,
    free: Iterable[Cell],
    masses: Mapping[Cell, tuple[float, ...]],
    tried: Collection[Cell],
    within: float | None = None,
    most: int = VIEWS,
) -> list[Viewpoint]:
    """Return viewpoints of a room that together bring its cells with mass into reach.

    Candidates are the cells ``free`` of a room (:func:`free_cells`), less those of ``tried``. Each is the one
    with most mass for a metre of the way, of what the earlier ones leave. A metre is added to each way, so
    that what is in reach without driving does not outweigh everything. ``within`` are the metres from a
    viewpoint to the middle of a cell that it counts for; if left out, all of it is to be in reach.
    """
    import numpy

    cells = sorted(masses)
    places = [c for c in free if c not in tried]
    if not cells or not places:
        return []
    near = (inspected_within(seen) if within is None else within) / CELL
    a, b = numpy.asarray(places, dtype=float), numpy.asarray(cells, dtype=float)
    reached = ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2) <= near * near
    left = numpy.asarray([masses[c] for c in cells], dtype=float)
    ways = numpy.asarray([lengths.metres(c) for c in places])
    views: list[Viewpoint] = []
    for _ in range(most):
        gains = reached @ left
        values = gains.sum(axis=1) / (ways + 1.0)
        best = int(values.argmax())
        if values[best] <= 0:
            break
        gained = tuple(float(g) for g in gains[best])
        views.append(Viewpoint(places[best], gained, float(ways[best])))
        left = left * ~reached[best][:, None]
    return views


def beside_door(seen: SeenMap, grid: Grid, lengths: Distances, name: str) -> Cell | None:
    """Return the cell nearest to a door that the robot can drive to, ``None`` where none is near."""
    x, z = seen.passages[name].middle
    span = math.ceil(AT_DOOR / CELL)
    i, j = round(x / CELL), round(z / CELL)
    near = [
        cell
        for cell in ((i + a, j + b) for a in range(-span, span + 1) for b in range(-span, span + 1))
        if math.dist(middle(cell), (x, z)) <= AT_DOOR and lengths[cell] >= 0 and cell not in seen.aside
    ]
    return grid.nearest((x, z), near)
