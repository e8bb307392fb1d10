"""Numbers that a learned driver gets: 49 of the last view, the goal and the last command.

- 33 ranges over the 90 degrees ahead, from the left to the right: the metres to the first cell that is not
  shown as free floor, as a share of 10 m. What is not shown is no floor that the robot knows.
- 12 of the goal as seen from the robot: metres ahead and to the right, the distance, the direction, and on
  which side it is.
- 4 of the last command for this goal: none, left, right, forward.

These are range readings and an exact pose, no pictures. Weights are of one layout: a change of it needs
another :data:`LAYOUT`, and new weights. Needs numpy (extra ``maps``).
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from ....simulator.navigation.camera import Glimpse
from ....simulator.navigation.grid import CELL, STEPS, Cell
from ....simulator.navigation.house_world import Control

if TYPE_CHECKING:
    from numpy import bool_, float32, int64, uint8
    from numpy.typing import NDArray

LAYOUT = 1
RANGES = 33
SAMPLES = 80
"""Points of a ray at which the floor is looked at."""
FAR = 10.0
"""Metres of a ray."""
NEAR = 2.5
"""Metres within which what lies behind the floor that is shown is taken for a wall."""
SIDE = round(FAR / CELL)
"""Cells from the robot to the side of its window."""
NUMBERS = RANGES + 12 + 4

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


def numbers(
    ranges: NDArray[uint8], away: NDArray[int64], headings: NDArray[int64], last: NDArray[int64]
) -> NDArray[float32]:
    """Return the numbers of robots, (n, 49): ranges (n, 33), cells to the goal (n, 2), headings, commands.

    ``last`` are the numbers of the last commands in :data:`COMMANDS`, -1 for none.
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
    parts = [ranges.astype(numpy.float32) / SAMPLES, numpy.stack(goal, axis=1), commands]
    return numpy.concatenate(parts, axis=1).astype(numpy.float32)
