"""A walk through a house as legs: what came of each thing that an explorer wanted, and what was new on it.

A map is the sum of its legs: each names the rooms, doors and things that were seen for the first time, and
the cells of the floor. So a walk shows how the map grew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...simulator.navigation.grid import CELL, Cell, middle
from ...simulator.navigation.seen_map import SeenMap


@dataclass(frozen=True, slots=True)
class Leg:
    """A part of a walk; ``intent`` is what the explorer wanted, empty for the look from where it starts.

    ``way`` are the cells in which the robot was, ``seen`` and ``floor`` what it saw for the first time;
    ``moves`` and ``metres`` are those of the walk up to the end of the leg.
    """

    intent: str
    way: tuple[Cell, ...]
    room: str
    moves: int
    metres: float
    seen: tuple[str, ...]
    floor: tuple[Cell, ...]

    def as_json(self) -> dict[str, object]:
        """Return the leg with places in metres; of the way its corners, of the floor strips of cells."""
        return {
            "intent": self.intent,
            "way": [list(middle(cell)) for cell in _corners(self.way)],
            "room": self.room,
            "moves": self.moves,
            "metres": self.metres,
            "seen": list(self.seen),
            "floor": [[*middle((i, j)), CELL * count] for i, j, count in _strips(self.floor)],
        }


@dataclass
class WalkLog:
    """The legs of a walk so far, and how much of the map was known at the end of the last."""

    legs: list[Leg]
    way: list[Cell]
    known: tuple[int, int, int, int] = (0, 0, 0, 0)

    def pass_through(self, cell: Cell) -> None:
        """Note that the robot is in a cell."""
        if not self.way or self.way[-1] != cell:
            self.way.append(cell)

    def end_leg(self, intent: str, seen: SeenMap, moves: int, metres: float) -> None:
        """End a leg: what is on the map, and was not at the end of the last one, is new."""
        rooms, passages, bodies, cells = self.known
        new = [*list(seen.rooms)[rooms:], *list(seen.passages)[passages:], *list(seen.bodies)[bodies:]]
        floor = list(seen.floor)[cells:]
        self.legs.append(Leg(intent, tuple(self.way), seen.room, moves, metres, tuple(new), tuple(floor)))
        self.known = (len(seen.rooms), len(seen.passages), len(seen.bodies), len(seen.floor))
        self.way = self.way[-1:]


def _corners(way: tuple[Cell, ...]) -> list[Cell]:
    """Return the first cell of a way, the last, and those in which it turns."""
    kept = list(way[:1])
    for before, cell, after in zip(way, way[1:], way[2:], strict=False):
        if (cell[0] - before[0], cell[1] - before[1]) != (after[0] - cell[0], after[1] - cell[1]):
            kept.append(cell)
    return kept + list(way[1:][-1:])


def _strips(cells: tuple[Cell, ...]) -> Iterator[tuple[int, int, int]]:
    """Yield cells as strips along the second axis: the first cell of each, and how many they are."""
    strip: tuple[int, int, int] | None = None
    for i, j in sorted(cells):
        if strip is not None and strip[0] == i and strip[1] + strip[2] == j:
            strip = (i, strip[1], strip[2] + 1)
            continue
        if strip is not None:
            yield strip
        strip = (i, j, 1)
    if strip is not None:
        yield strip
