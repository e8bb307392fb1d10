"""The nearest-door explorer: a search without any idea of where things are.

In each room it looks around, goes where most furniture that was not inspected comes into reach for each
metre, and leaves by the nearest way to a room that it has not entered. When no room is left it looks at what
remains of furniture and floor, and at the end from near at everything. It asks nobody, and is what a search
with beliefs has to beat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from ...simulator.navigation.grid import CELL, Cell, Distances, Grid
from ...simulator.navigation.seen_map import SeenMap
from .explorer import DriveTo, GiveUp, Intent, LookAround
from .sweep import (
    CLOSE,
    MARGIN,
    Viewpoint,
    best_viewpoint,
    floor_left,
    free_cells,
    furniture_left,
    inspected_within,
    next_way,
    not_near,
)

SMALL = 6
"""Cells of furniture that are not worth a way of their own before all rooms were entered."""

ATTEMPTS = 3
"""Looks at a cell, from places with it in reach, after which it is given up."""


@dataclass
class NearestDoor:
    """An explorer that takes the nearest way on; it is of one search."""

    name: str = "nearest-door"
    looked: set[Cell] = field(default_factory=set)
    """Cells that were looked around from."""
    entered: dict[str, None] = field(default_factory=dict)
    """Rooms that were entered, in order."""
    tried: set[str] = field(default_factory=set)
    """Doors that were gone to because nobody knew where they lead."""
    attempts: Counter[Cell] = field(default_factory=Counter)
    """Times that a cell was to be looked at from a place with it in reach: a wall may hide it."""
    goal: Cell | None = None
    """The cell that is to be looked around from next."""

    def next(self, seen: SeenMap, targets: tuple[str, ...]) -> Intent:
        """Return the next step of the sweep; which targets are left does not matter to it."""
        if seen.stance is None:
            return LookAround("nothing was seen yet")
        here = seen.stance.cell
        if here not in self.looked and (seen.room not in self.entered or here == self.goal):
            self.looked.add(here)
            self.entered.setdefault(seen.room)
            return LookAround(f"in {seen.room}")
        grid = seen.grid()
        lengths = grid.distances(here)
        return (
            self._inspect(seen, grid, lengths, [seen.room], furniture_cells, SMALL)
            or self._leave(seen, grid, lengths)
            or self._inspect(seen, grid, lengths, seen.rooms, furniture_cells, 1)
            or self._inspect(seen, grid, lengths, seen.rooms, floor_left, 1)
            or self._inspect(seen, grid, lengths, seen.rooms, floor_left, 1, seen.reach + MARGIN)
            or self._look_closer(seen, grid, lengths)
            or GiveUp("all that can be reached was looked at")
        )

    def _inspect(
        self,
        seen: SeenMap,
        grid: Grid,
        lengths: Distances,
        rooms: Collection[str],
        cells: Callable[[SeenMap, str], frozenset[Cell]],
        least: int,
        within: float | None = None,
    ) -> Intent | None:
        """Go to the best viewpoint of some rooms that shows at least so many cells."""
        free = free_cells(seen, grid, lengths)
        views = []
        for room in rooms:
            left = self.worth_trying(cells(seen, room))
            view = best_viewpoint(seen, lengths, free.get(room, ()), left, self.looked, within)
            if view is not None and view.masses[0] >= least:
                views.append(view)
        drive = self._drive(views, "come into reach")
        near = inspected_within(seen) if within is None else within
        if drive is not None:
            for room in rooms:
                self.attempt(drive.cell, cells(seen, room), near)
        return drive

    def _drive(self, views: Collection[Viewpoint], gained: str) -> DriveTo | None:
        """Go to the viewpoint that shows most cells for a metre of the way."""
        best = max(views, key=lambda view: view.masses[0] / (view.metres + 1.0), default=None)
        if best is None:
            return None
        self.goal = best.cell
        return DriveTo(best.cell, why=f"{best.masses[0]:g} cells {gained}")

    def attempt(self, place: Cell, cells: Iterable[Cell], near: float) -> None:
        """Note that cells are to be looked at from a place, those within so many metres of it."""
        (i, j), most = place, (near / CELL) ** 2
        self.attempts.update(c for c in cells if (c[0] - i) ** 2 + (c[1] - j) ** 2 <= most)

    def worth_trying(self, cells: Iterable[Cell]) -> frozenset[Cell]:
        """Return the cells that were not looked at in vain :data:`ATTEMPTS` times."""
        return frozenset(c for c in cells if self.attempts[c] < ATTEMPTS)

    def _look_closer(self, seen: SeenMap, grid: Grid, lengths: Distances) -> Intent | None:
        """Go to the best viewpoint for cells that nobody looked around near to."""
        views = [
            best_viewpoint(seen, lengths, cells, not_near(seen, room, self.looked), self.looked, CLOSE)
            for room, cells in free_cells(seen, grid, lengths).items()
        ]
        return self._drive([view for view in views if view is not None], "come near")

    def _leave(self, seen: SeenMap, grid: Grid, lengths: Distances) -> Intent | None:
        """Go to the nearest cell of a room not entered, or to a door that leads nobody knows where."""
        way = next_way(seen, grid, lengths, self.entered, self.tried)
        if way is None:
            return None
        if way.door:
            self.tried.add(way.door)
            self.goal = way.cell
            return DriveTo(way.cell, why=f"to {way.door}")
        return DriveTo(way.cell, why=f"into {seen.floor[way.cell][0]}")


def furniture_cells(seen: SeenMap, room: str) -> frozenset[Cell]:
    """Return the cells of a room's furniture that are not inspected."""
    return frozenset().union(*furniture_left(seen, room).values())
