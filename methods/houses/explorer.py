"""Interface of explorers: what searches an unexplored house, and how what it wants is driven.

An :class:`Explorer` sees the map that the robot made and the types of things that are still to be found, and
says what the robot does next: where it drives, that it looks around, or that it gives up. It never sees the
house. How a cell is reached is for a :class:`Driver`: :class:`OracleDriver` follows shortest routes over the
true free cells (SayNav's OrNav). A learned low level, which sees only glimpses, is another driver.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from ...simulator.navigation.camera import Glimpse, Stance
from ...simulator.navigation.grid import Cell, Grid, heading_of
from ...simulator.navigation.house_world import Control
from ...simulator.navigation.seen_map import SeenMap


@dataclass(frozen=True, slots=True)
class DriveTo:
    """Drive to a cell. With ``until_news`` the explorer is asked again once something new was seen."""

    cell: Cell
    until_news: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class LookAround:
    """Look in all four directions."""

    why: str = ""


@dataclass(frozen=True, slots=True)
class GiveUp:
    """End the search, and why."""

    why: str


Intent = DriveTo | LookAround | GiveUp


class Explorer(Protocol):
    """A way to search a house. It is of one search: it may keep what it tried."""

    @property
    def name(self) -> str: ...

    def next(self, seen: SeenMap, targets: tuple[str, ...]) -> Intent:
        """Return what to do next; ``targets`` are the types that were not found yet, in the order asked for.

        It may conclude the types of rooms and note them on the map.
        """
        ...


class Driver(Protocol):
    """A low level: turns a goal into commands, one at a time."""

    def command(self, glimpse: Glimpse, goal: Cell) -> Control | None:
        """Return the next command on the way to a cell; ``Control.STOP`` there, ``None`` without a way."""
        ...


class OracleDriver:
    """A driver that knows all free cells and follows shortest routes with few turns (A*)."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._goal: Cell | None = None
        self._steps: dict[Cell, int] = {}

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
            self._steps = {
                (i, j): heading_of((next_i - i, next_j - j)) for (i, j), (next_i, next_j) in pairwise(route)
            }
        return towards(stance, self._steps[stance.cell])


def towards(stance: Stance, heading: int) -> Control:
    """Return the command that turns the robot towards a heading, or takes it forward if it looks there."""
    match (heading - stance.heading) % 4:
        case 0:
            return Control.FORWARD
        case 3:
            return Control.LEFT
    return Control.RIGHT
