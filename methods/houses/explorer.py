"""Interface of explorers: what searches an unexplored house, and how what it wants is driven.

An :class:`Explorer` sees the map that the robot made and the types of things that are still to be found, and
says what the robot does next: where it drives, that it looks around, or that it gives up. It never sees the
house. How a cell is reached is for a driver (``driving``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ...simulator.navigation.grid import Cell
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
