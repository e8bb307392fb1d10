"""The nearest-door explorer: a search without any idea of where things are.

In each room it looks around, goes where most furniture that was not inspected comes into reach for each
metre, and leaves by the nearest way to a room that it has not entered. When no room is left it looks at what
remains of furniture and floor. It asks nobody, and is what a search with beliefs has to beat.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from ....simulator.navigation.grid import Cell, Distances, Grid
from ....simulator.navigation.seen_map import SeenMap
from .explorer import DriveTo, GiveUp, Intent, LookAround
from .sweep import best_viewpoint, floor_left, furniture_left, next_way

SMALL = 6
"""Cells of furniture that are not worth a way of their own before all rooms were entered."""


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
            or self._inspect(seen, grid, lengths, seen.rooms, floor_left, 1, partly=True)
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
        partly: bool = False,
    ) -> Intent | None:
        """Go to the best viewpoint of some rooms that shows at least so many cells."""
        views = [
            view
            for room in rooms
            if (left := cells(seen, room))
            and (view := best_viewpoint(seen, grid, lengths, room, left, self.looked, partly)) is not None
            and view.gain >= least
        ]
        if not views:
            return None
        best = max(views, key=lambda view: view.gain / (view.metres + 1.0))
        self.goal = best.cell
        return DriveTo(best.cell, why=f"{best.gain} cells come into reach")

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
