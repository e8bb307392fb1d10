"""The occupancy grid: square cells of 0.25 m that a round robot can stand on, and shortest routes over them.

Cells are pairs of integers; the middle of cell (i, j) is at x = 0.25 i and z = 0.25 j metres. The robot goes
from a cell to the four beside it, and turns by 90 degrees: those are the moves of SayNav's agent (Rajvanshi
et al., 2024). Whether it fits is decided at the middles of cells, for a disc of 0.2 m: between two
neighbouring cells it may pass a corner of furniture at 0.16 m, and no wall can lie between them.
Routes are found by A* with as few turns as possible among the shortest. Needs numpy (extra ``maps``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from ...domains.deadline import check_time
from .floor_plan import FloorPlan, Point, shapely

if TYPE_CHECKING:
    from numpy import bool_, int32
    from numpy.typing import NDArray

CELL = 0.25
"""Metres of a cell's side, and of a step forward."""
RADIUS = 0.2
"""Metres from the robot's middle to its side."""
HEIGHT = 1.5
"""Metres above which a thing leaves room for the robot to pass below."""

Cell = tuple[int, int]

STEPS: tuple[Cell, ...] = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""The step for each heading of 0, 90, 180 and 270 degrees."""


def middle(cell: Cell) -> Point:
    """Return the middle of a cell in metres."""
    return cell[0] * CELL, cell[1] * CELL


def cell_at(point: Point) -> Cell:
    """Return the cell that a point is in."""
    return math.floor(point[0] / CELL + 0.5), math.floor(point[1] / CELL + 0.5)


def heading_of(step: Cell) -> int:
    """Return the heading of a step to a neighbouring cell, 0 to 3."""
    return STEPS.index(step)


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells that are free, as an array with a border of cells that are not; ``corner`` is its first cell."""

    corner: Cell
    free: NDArray[bool_]

    @classmethod
    def of_cells(cls, cells: Iterable[Cell]) -> Grid:
        """Return a grid with these cells free and no others."""
        import numpy

        listed = list(cells)
        if not listed:
            return cls((0, 0), numpy.zeros((3, 3), dtype=bool))
        array = numpy.asarray(listed, dtype=int)
        low, high = array.min(axis=0), array.max(axis=0)
        free = numpy.zeros((high[0] - low[0] + 3, high[1] - low[1] + 3), dtype=bool)
        free[array[:, 0] - low[0] + 1, array[:, 1] - low[1] + 1] = True
        return cls((int(low[0]) - 1, int(low[1]) - 1), free)

    @cached_property
    def _flat(self) -> list[bool]:
        flat: list[bool] = self.free.ravel().tolist()
        return flat

    @property
    def _width(self) -> int:
        return int(self.free.shape[1])

    def _index(self, cell: Cell) -> int:
        """Return a cell's place in the flat list; 0, a cell of the border, outside of the grid."""
        row, column = cell[0] - self.corner[0], cell[1] - self.corner[1]
        rows, columns = self.free.shape
        return row * columns + column if 0 <= row < rows and 0 <= column < columns else 0

    def _cell(self, index: int) -> Cell:
        row, column = divmod(index, self._width)
        return row + self.corner[0], column + self.corner[1]

    def is_free(self, cell: Cell) -> bool:
        """Return whether the robot fits on a cell."""
        return self._flat[self._index(cell)]

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All free cells, in order."""
        rows, columns = self.free.nonzero()
        return tuple(
            (int(r) + self.corner[0], int(c) + self.corner[1]) for r, c in zip(rows, columns, strict=True)
        )

    def distances(self, start: Cell) -> Distances:
        """Return the lengths of shortest routes from a cell to all others, breadth-first."""
        width, first = self._width, self._index(start)
        steps = [-1] * len(self._flat)
        left = bytearray(self._flat)  # the free cells that were not reached yet
        queue = [first] if left[first] else []
        if queue:
            steps[first] = left[first] = 0
        for index in queue:
            for beside in (index - 1, index + 1, index - width, index + width):
                if left[beside]:
                    left[beside] = 0
                    steps[beside] = steps[index] + 1
                    queue.append(beside)
        return Distances(self, steps)

    def route(self, start: Cell, goal: Cell, heading: int | None = None) -> tuple[Cell, ...] | None:
        """Return the cells of a shortest route, both ends among them; ``None`` where there is none.

        Among the shortest, one with the fewest turns for a robot that looks along ``heading`` (0 to 3). A*
        over cells and headings with the Manhattan distance, which never exceeds the length of a route.
        """
        flat, width = self._flat, self._width
        begin, end = self._index(start), self._index(goal)
        if not (flat[begin] and flat[end]):
            return None
        ahead = (1, width, -1, -width)
        goal_row, goal_column = divmod(end, width)
        # A turn counts as less than any step: a route has fewer than 2 turns for each of its cells.
        step_cost = 2 * len(flat) + 2
        queue: list[tuple[int, int, int]] = []
        best: dict[int, int] = {}
        before: dict[int, int] = {}
        for facing in range(4) if heading is None else (heading,):
            state = 4 * begin + facing
            best[state] = 0
            heappush(queue, (0, 0, state))
        while queue:
            _, cost, state = heappop(queue)
            if cost > best[state]:
                continue
            index, facing = divmod(state, 4)
            if index == end:
                return self._traced(state, before)
            check_time("finding a route over the grid")
            for direction, offset in enumerate(ahead):
                beside = index + offset
                if not flat[beside]:
                    continue
                turns = (0, 1, 2, 1)[direction - facing]
                total, following = cost + step_cost + turns, 4 * beside + direction
                if total < best.get(following, total + 1):
                    best[following] = total
                    before[following] = state
                    row, column = divmod(beside, width)
                    left = step_cost * (abs(row - goal_row) + abs(column - goal_column))
                    heappush(queue, (total + left, total, following))
        return None

    def _traced(self, state: int, before: dict[int, int]) -> tuple[Cell, ...]:
        indices = [state // 4]
        while state in before:
            state = before[state]
            indices.append(state // 4)
        return tuple(self._cell(index) for index in reversed(indices))

    def nearest(self, point: Point, cells: Sequence[Cell] | None = None) -> Cell | None:
        """Return the cell nearest to a point, of some or of all free ones; the first of equals."""
        candidates = self.cells if cells is None else cells
        return min(candidates, key=lambda c: (math.dist(middle(c), point), c), default=None)


@dataclass(frozen=True, eq=False)
class Distances:
    """Lengths of shortest routes from one cell."""

    grid: Grid
    steps: Sequence[int]
    """Steps to each cell of the grid, row by row, -1 where no route leads."""

    def __getitem__(self, cell: Cell) -> int:
        """Return the number of steps to a cell, -1 where no route leads."""
        return self.steps[self.grid._index(cell)]

    def metres(self, cell: Cell) -> float:
        """Return the length of the route to a cell; infinite where there is none."""
        steps = self[cell]
        return steps * CELL if steps >= 0 else math.inf

    def reached(self) -> tuple[Cell, ...]:
        """Return the cells that routes lead to, in order."""
        width, (low, left) = self.grid.free.shape[1], self.grid.corner
        return tuple([(i // width + low, i % width + left) for i, n in enumerate(self.steps) if n >= 0])


@dataclass(frozen=True, eq=False)
class Raster:
    """All cells of a plan: those within rooms, the room of each, and whether the robot fits there."""

    cells: NDArray[int32]
    """Pairs of integers, a row a cell, in order."""
    rooms: NDArray[int32]
    """For each cell the index of its room in the plan."""
    free: NDArray[bool_]

    @classmethod
    def of_plan(cls, plan: FloorPlan) -> Raster:
        """Lay the grid over a plan. Raises :class:`InputError` without the extra ``maps``."""
        geometry = shapely()
        import numpy

        corners = numpy.asarray([c for r in plan.rooms for c in r.corners])
        low = numpy.floor(corners.min(axis=0) / CELL).astype(int)
        high = numpy.ceil(corners.max(axis=0) / CELL).astype(int)
        rows, columns = numpy.meshgrid(
            numpy.arange(low[0], high[0] + 1), numpy.arange(low[1], high[1] + 1), indexing="ij"
        )
        cells = numpy.stack([rows.ravel(), columns.ravel()], axis=1).astype(numpy.int32)
        rooms = numpy.full(len(cells), -1, dtype=numpy.int32)
        for number, room in enumerate(plan.rooms):
            check_time("laying the grid over the floor plan")
            polygon = geometry.Polygon(room.corners)
            geometry.prepare(polygon)
            inside = geometry.intersects_xy(polygon, cells[:, 0] * CELL, cells[:, 1] * CELL)
            rooms[inside & (rooms < 0)] = number
        cells, rooms = cells[rooms >= 0], rooms[rooms >= 0]
        obstacles = [geometry.LineString(s) for s in plan.barriers]
        obstacles += [
            geometry.Polygon(b.outline)
            for b in plan.bodies
            if b.outline and b.parent is None and b.low < HEIGHT
        ]
        free = numpy.ones(len(cells), dtype=bool)
        if obstacles:
            points = geometry.points(cells * CELL)
            near = geometry.STRtree(obstacles).query(points, predicate="dwithin", distance=RADIUS - 1e-9)
            free[near[0]] = False
        return cls(cells, rooms, free)

    def grid(self) -> Grid:
        """Return the free cells as a grid."""
        return Grid.of_cells((int(i), int(j)) for i, j in self.cells[self.free])
