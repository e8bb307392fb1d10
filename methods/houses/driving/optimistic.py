"""The optimistic driver: A* over what the robot saw of the floor, all else taken to be free.

It is the classical planner with free space assumed (Koenig, Tovey and Smirnov, 2003), without any training.
What was seen not to be free is in the way. So is what lies behind the last cell that is shown in a direction:
a wall hides it, until it is seen to be free. Where these guesses leave no way they are forgotten once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ....simulator.navigation.camera import Glimpse
from ....simulator.navigation.grid import STEPS, Cell, Grid
from ....simulator.navigation.house_world import Control
from .driver import headings, moves_for, towards
from .view import behind

MARGIN = 12
"""Cells around all that was seen in which ways are looked for."""


@dataclass
class OptimisticDriver:
    """A driver with a map of its own."""

    floor: dict[Cell, bool] = field(default_factory=dict)
    """The cells that were seen, and whether the robot fits there."""
    hidden: set[Cell] = field(default_factory=set)
    """Cells that were taken for walls, and not seen since."""
    _goal: Cell | None = None
    _steps: dict[Cell, int] = field(default_factory=dict)
    _tried: tuple[Cell, int] | None = None

    def account(self) -> Mapping[str, object]:
        return {"name": "optimistic"}

    def observe(self, glimpses: Sequence[Glimpse]) -> None:
        """Put views on the map. A step that left the robot where it was showed that the next cell is none."""
        for glimpse in glimpses:
            cell, heading = glimpse.stance.cell, glimpse.stance.heading
            if self._tried == (cell, heading):
                self.floor[_ahead(cell, heading)] = False
            self._tried = None
            self.floor.update((c, free and self.floor.get(c, True)) for c, (_, free) in glimpse.cells)
            self.hidden.update(behind(glimpse))
        self.hidden.difference_update(self.floor)

    def begin(self, start: Cell, goal: Cell) -> int:
        """Take up a goal; return the moves after which it is given up."""
        self._steps = {}
        return moves_for(start, goal)

    def command(self, glimpse: Glimpse, goal: Cell) -> Control | None:
        """Return the next command of a shortest way over all that may be free; ``None`` without one."""
        stance = glimpse.stance
        if stance.cell == goal:
            return Control.STOP
        if goal != self._goal or stance.cell not in self._steps or self._in_the_way():
            self._goal = goal
            if not self._route(glimpse, goal):
                self.hidden.clear()
                if not self._route(glimpse, goal):
                    return None
        command = towards(stance, self._steps[stance.cell])
        self._tried = (stance.cell, stance.heading) if command == Control.FORWARD else None
        return command

    def _in_the_way(self) -> bool:
        return any(not self._passable(_ahead(cell, step)) for cell, step in self._steps.items())

    def _passable(self, cell: Cell) -> bool:
        return self.floor.get(cell, cell not in self.hidden)

    def _route(self, glimpse: Glimpse, goal: Cell) -> bool:
        """Find a way, and note whether there is one."""
        import numpy

        start = glimpse.stance.cell
        shut = {c for c, free in self.floor.items() if not free} | (self.hidden - {goal})
        cells = numpy.asarray([start, goal, *self.floor])
        low, high = cells.min(axis=0) - MARGIN, cells.max(axis=0) + MARGIN
        free = numpy.ones(high - low + 1, dtype=bool)
        free[[0, -1], :] = free[:, [0, -1]] = False
        places = numpy.asarray(sorted(shut), dtype=int).reshape(-1, 2)
        places = places[((places >= low) & (places <= high)).all(axis=1)] - low
        free[places[:, 0], places[:, 1]] = False
        route = Grid((int(low[0]), int(low[1])), free).route(start, goal, glimpse.stance.heading)
        self._steps = headings(route) if route is not None else {}
        return route is not None


def _ahead(cell: Cell, heading: int) -> Cell:
    return cell[0] + STEPS[heading][0], cell[1] + STEPS[heading][1]
