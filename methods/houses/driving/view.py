"""Numbers that a learned driver gets: 102 of the last view, the goal, the last command and its memory.

- 33 ranges over the 90 degrees ahead, from the left to the right: the metres to the first cell that is not
  shown as free floor, as a share of 10 m. What is not shown is no floor that the robot knows.
- 12 of the goal as seen from the robot: metres ahead and to the right, the distance, the direction, and on
  which side it is.
- 4 of the last command for this goal: none, left, right, forward.
- 53 of what it saw of the floor on the way to this goal (:class:`FloorMemory`). In each of 16 directions: the
  cells to the first that is not known to be free, whether that one was never seen, and how many it came
  through. And how often it was on its cell, and on the four beside it.

These are range readings and an exact pose, no pictures. Weights are of one layout: a change of it needs
another :data:`LAYOUT`, and new weights. Needs numpy (extra ``maps``).
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from ....simulator.navigation.camera import Glimpse, Stance
from ....simulator.navigation.grid import CELL, STEPS, Cell
from ....simulator.navigation.house_world import Control

if TYPE_CHECKING:
    from numpy import bool_, float32, int64, uint8
    from numpy.typing import NDArray

LAYOUT = 2
RANGES = 33
SAMPLES = 80
"""Points of a ray at which the floor is looked at."""
FAR = 10.0
"""Metres of a ray."""
NEAR = 2.5
"""Metres within which what lies behind the floor that is shown is taken for a wall."""
SIDE = round(FAR / CELL)
"""Cells from the robot to the side of its window."""
AROUND = 16
"""Directions in which memory is looked up."""
REMEMBERED = 3 * AROUND + 5
MOST_PASSED, MOST_VISITS = 8, 4
"""Cells and visits above which they count alike."""
NUMBERS = RANGES + 12 + 4 + REMEMBERED
UNSEEN, SHUT, FREE = range(3)
"""Values of the cells in a memory; each visit adds one to those that are free."""

COMMANDS = (Control.LEFT, Control.RIGHT, Control.FORWARD)
"""The commands that a learned driver chooses among, by their numbers."""


@cache
def _rays() -> NDArray[int64]:
    """Return the places in the window of the points of each ray, (heading, ray, point, axis)."""
    import numpy

    angles = numpy.linspace(-math.pi / 4, math.pi / 4, RANGES)[:, None]
    away = numpy.arange(1, SAMPLES + 1)[None, :] * (FAR / SAMPLES / CELL)
    right = numpy.rint(numpy.sin(angles) * away).astype(int)
    ahead = numpy.rint(numpy.cos(angles) * away).astype(int)
    steps = numpy.asarray(STEPS)
    return numpy.stack(
        [
            ahead[..., None] * steps[heading] + right[..., None] * steps[(heading + 1) % 4] + SIDE
            for heading in range(4)
        ]
    )


def ranges(free: NDArray[bool_], heading: int) -> NDArray[uint8]:
    """Return the points of each ray before the first that is not free, 0 to 80, from left to right.

    ``free`` are the cells around the robot that are shown as free floor, (81, 81), the robot in the middle.
    """
    import numpy

    places = _rays()[heading]
    clear = free[places[..., 0], places[..., 1]]
    first = numpy.where(clear.all(axis=1), SAMPLES, clear.argmin(axis=1))
    return first.astype(numpy.uint8)


def window(cells: NDArray[int64], middle: NDArray[int64]) -> NDArray[bool_]:
    """Return cells, a row each, as the window around a cell, which is free: the robot stands there."""
    import numpy

    free = numpy.zeros((2 * SIDE + 1, 2 * SIDE + 1), dtype=bool)
    places = numpy.asarray(cells).reshape(-1, 2) - middle + SIDE
    places = places[((places >= 0) & (places <= 2 * SIDE)).all(axis=1)]
    free[places[:, 0], places[:, 1]] = True
    free[SIDE, SIDE] = True
    return free


def ranges_of(glimpse: Glimpse) -> NDArray[uint8]:
    """Return the ranges of a view."""
    import numpy

    cells = numpy.asarray([cell for cell, (_, free) in glimpse.cells if free], dtype=int)
    return ranges(window(cells, numpy.asarray(glimpse.stance.cell)), glimpse.stance.heading)


def behind(glimpse: Glimpse) -> list[Cell]:
    """Return the cells right behind the last one that a view shows in each direction: walls hide them.

    Only those within :data:`NEAR`. Far away a ray often ends on a cell that is hidden by its middle alone.
    """
    import numpy

    middle = numpy.asarray(glimpse.stance.cell)
    shown = window(numpy.asarray([cell for cell, _ in glimpse.cells], dtype=int), middle)
    places = _rays()[glimpse.stance.heading]
    clear = shown[places[..., 0], places[..., 1]]
    after = numpy.where(clear.any(axis=1), SAMPLES - clear[:, ::-1].argmax(axis=1), 0)
    within = after < NEAR / FAR * SAMPLES
    cells = places[within, after[within]] - SIDE + middle
    return sorted({(int(i), int(j)) for i, j in cells})


@cache
def around() -> NDArray[int64]:
    """Return the places, from the robot, of the cells in each direction, (heading, direction, cell, axis)."""
    import numpy

    angles = numpy.arange(AROUND)[:, None] * (2 * math.pi / AROUND)
    away = numpy.arange(1, SIDE + 1)[None, :]
    ahead = numpy.rint(numpy.cos(angles) * away).astype(int)[..., None]
    right = numpy.rint(numpy.sin(angles) * away).astype(int)[..., None]
    steps = numpy.asarray(STEPS)
    return numpy.stack([ahead * steps[h] + right * steps[(h + 1) % 4] for h in range(4)])


@cache
def beside() -> NDArray[int64]:
    """Return the places of the robot's cell, and ahead, right, behind and left, (heading, place, axis)."""
    import numpy

    return numpy.asarray([[(0, 0), *(STEPS[(h + k) % 4] for k in range(4))] for h in range(4)])


def recalled(directions: NDArray[uint8], near: NDArray[uint8]) -> NDArray[uint8]:
    """Return the 53 whole numbers of memories, (n, 53), from the values of cells (n, 16, 40) and (n, 5)."""
    import numpy

    known = directions >= FREE
    clear = numpy.logical_and.accumulate(known, axis=2)
    count = clear.sum(axis=2)
    end = numpy.minimum(count, SIDE - 1)[..., None]
    unseen = numpy.take_along_axis(directions, end, 2)[..., 0] == UNSEEN
    passed = numpy.minimum((clear & (directions > FREE)).sum(axis=2), MOST_PASSED)
    visits = numpy.clip(near, FREE, FREE + MOST_VISITS) - FREE
    return numpy.concatenate([count, unseen, passed, visits], axis=1).astype(numpy.uint8)


class FloorMemory:
    """The floor that a robot saw on the way to a goal, and where it was."""

    def __init__(self) -> None:
        self._cells: dict[Cell, int] = {}

    def add(self, glimpse: Glimpse) -> None:
        """Take in a view, and a visit of the cell that it is from."""
        cells = self._cells
        for cell, (_, free) in glimpse.cells:
            cells[cell] = max(cells.get(cell, UNSEEN), FREE if free else SHUT)
        here = glimpse.stance.cell
        cells[here] = max(cells.get(here, UNSEEN), FREE) + 1

    def numbers(self, stance: Stance) -> NDArray[uint8]:
        """Return the 53 whole numbers at a stance, (1, 53)."""
        import numpy

        values = numpy.zeros((2 * SIDE + 1, 2 * SIDE + 1), dtype=numpy.uint8)
        places = numpy.asarray([*self._cells]) - numpy.asarray(stance.cell) + SIDE
        within = ((places >= 0) & (places <= 2 * SIDE)).all(axis=1)
        levels = numpy.minimum(numpy.fromiter(self._cells.values(), dtype=int), FREE + MOST_VISITS)
        values[places[within, 0], places[within, 1]] = levels[within]
        directions, near = around()[stance.heading] + SIDE, beside()[stance.heading] + SIDE
        return recalled(
            values[directions[..., 0], directions[..., 1]][None], values[near[:, 0], near[:, 1]][None]
        )


def numbers(
    ranges: NDArray[uint8],
    away: NDArray[int64],
    headings: NDArray[int64],
    last: NDArray[int64],
    memory: NDArray[uint8],
) -> NDArray[float32]:
    """Return the numbers of robots, (n, 102), from ranges (n, 33), cells to the goal (n, 2) and the like.

    ``last`` are the numbers of the last commands in :data:`COMMANDS`, -1 for none; ``memory`` what
    :func:`recalled` returns.
    """
    import numpy

    steps = numpy.asarray(STEPS)
    ahead = (away * steps[headings]).sum(axis=1) * CELL
    right = (away * steps[(headings + 1) % 4]).sum(axis=1) * CELL
    distance = numpy.hypot(ahead, right)
    unit = numpy.maximum(distance, CELL)
    goal = [
        *(ahead / FAR, right / FAR, numpy.tanh(ahead), numpy.tanh(right)),
        *(distance / FAR, numpy.exp(-distance), ahead / unit, right / unit),
        *(ahead > 0, ahead < 0, right > 0, right < 0),
    ]
    commands = numpy.arange(-1, len(COMMANDS))[None, :] == last[:, None]
    scale = numpy.repeat(
        numpy.asarray([SIDE, 1, MOST_PASSED, MOST_VISITS], dtype=numpy.float32), [AROUND, AROUND, AROUND, 5]
    )
    parts = [ranges.astype(numpy.float32) / SAMPLES, numpy.stack(goal, axis=1), commands, memory / scale]
    return numpy.concatenate(parts, axis=1).astype(numpy.float32)
