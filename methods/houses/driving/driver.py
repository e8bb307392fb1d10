"""Interface of drivers, and the one that knows the house.

A :class:`Driver` turns a goal, a cell, into commands, one at a time. It hears of every view that the robot
had. :class:`OracleDriver` follows shortest routes over the true free cells (SayNav's OrNav, Rajvanshi et al.,
2024); the others of this folder get views and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Protocol

from ....simulator.navigation.camera import Glimpse, Stance
from ....simulator.navigation.grid import Cell, Grid, heading_of
from ....simulator.navigation.house_world import Control

MOVES, MOVES_A_CELL = 60, 4
"""Moves for a goal that a driver without a map of the house has, and more of them for each cell to it."""


class Driver(Protocol):
    """A low level: turns a goal into commands, one at a time. It is of one search."""

    def account(self) -> Mapping[str, object]:
        """Return its ``name``, and what else decides what it does, as JSON."""
        ...

    def observe(self, glimpses: Sequence[Glimpse]) -> None:
        """Hear of views, in order: the first one, and those after each command, of a look around too."""
        ...

    def begin(self, start: Cell, goal: Cell) -> int | None:
        """Take up a goal; return the moves after which it is given up, ``None`` for no limit."""
        ...

    def command(self, glimpse: Glimpse, goal: Cell) -> Control | None:
        """Return the next command on the way to a cell; ``Control.STOP`` there, ``None`` without a way."""
        ...


def moves_for(start: Cell, goal: Cell) -> int:
    """Return the moves after which a driver that does not know the house gives a goal up."""
    return MOVES + MOVES_A_CELL * (abs(start[0] - goal[0]) + abs(start[1] - goal[1]))


class OracleDriver:
    """A driver that knows all free cells and follows shortest routes with few turns (A*)."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._goal: Cell | None = None
        self._steps: dict[Cell, int] = {}

    def account(self) -> Mapping[str, object]:
        return {"name": "oracle"}

    def observe(self, glimpses: Sequence[Glimpse]) -> None:
        """Learn nothing: it knows the house."""

    def begin(self, start: Cell, goal: Cell) -> None:
        """Take up a goal without a limit: the length of its route is known."""

    def command(self, glimpse: Glimpse, goal: Cell) -> Control | None:
        """Return the next command of the route; one that was begun is kept to as long as its goal stays."""
        stance = glimpse.stance
        if stance.cell == goal:
            return Control.STOP
        if goal != self._goal or stance.cell not in self._steps:
            self._goal = goal
            route = self._grid.route(stance.cell, goal, stance.heading)
            if route is None:
                self._goal = None
                return None
            self._steps = headings(route)
        return towards(stance, self._steps[stance.cell])


def headings(route: Sequence[Cell]) -> dict[Cell, int]:
    """Return for each cell of a route but the last the heading of the step from there."""
    return {(i, j): heading_of((next_i - i, next_j - j)) for (i, j), (next_i, next_j) in pairwise(route)}


def towards(stance: Stance, heading: int) -> Control:
    """Return the command that turns the robot towards a heading, or takes it forward if it looks there."""
    match (heading - stance.heading) % 4:
        case 0:
            return Control.FORWARD
        case 3:
            return Control.LEFT
    return Control.RIGHT
