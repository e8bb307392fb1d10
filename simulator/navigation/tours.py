"""Shortest tours of somebody who knows where everything is: what a search is measured against.

:func:`shortest_tour` is SayNav's ground truth, the shortest path from the start through one cell for each
target over all orders of the targets. :func:`shortest_sighting` is the shortest path after which every target
was seen: less than the former, since things are seen from a distance. Both are exact on the grid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations

from .grid import CELL, Cell, Grid

MAX_GOALS = 8
"""Goals of a tour over all orders: 40,320 orders."""


@dataclass(frozen=True, slots=True)
class TargetTour:
    """A path through goals: their order, and its length in metres."""

    order: tuple[str, ...]
    metres: float


def shortest_tour(grid: Grid, start: Cell, goals: Mapping[str, Cell]) -> TargetTour | None:
    """Return the shortest tour from a cell through those of all goals; ``None`` where one is out of reach.

    Of equal orders it is the first one by the names of the goals. Raises ``ValueError`` for more than
    :data:`MAX_GOALS` goals.
    """
    if len(goals) > MAX_GOALS:
        raise ValueError(f"a tour has at most {MAX_GOALS} goals, got {len(goals)}")
    names = sorted(goals)
    legs: dict[tuple[str, str], int] = {}
    for name, cell in [("", start), *((n, goals[n]) for n in names)]:
        lengths = grid.distances(cell)
        for other in names:
            legs[name, other] = lengths[goals[other]]
    if any(legs["", name] < 0 for name in names):
        return None
    lengths_of = {order: sum(legs[leg] for leg in pairwise(("", *order))) for order in permutations(names)}
    order = min(lengths_of, key=lambda o: (lengths_of[o], o))
    return TargetTour(order, lengths_of[order] * CELL)


def shortest_sighting(grid: Grid, start: Cell, views: Sequence[frozenset[Cell]]) -> float | None:
    """Return the metres of the shortest path that meets every set of cells, in any order.

    ``None`` where there is none. Breadth-first over cells and the sets that were met (at most
    :data:`MAX_GOALS`, otherwise ``ValueError``).
    """
    if len(views) > MAX_GOALS:
        raise ValueError(f"at most {MAX_GOALS} things are to be seen, got {len(views)}")

    def seen_from(cell: Cell) -> int:
        return sum(1 << number for number, cells in enumerate(views) if cell in cells)

    complete = (1 << len(views)) - 1
    marks = {cell: seen_from(cell) for cell in grid.cells}
    if start not in marks:
        return None
    level = [(start, marks[start])]
    reached = set(level)
    steps = 0
    while level:
        if any(met == complete for _, met in level):
            return steps * CELL
        after = []
        for (i, j), met in level:
            for beside in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
                mark = marks.get(beside)
                if mark is not None and (state := (beside, met | mark)) not in reached:
                    reached.add(state)
                    after.append(state)
        level, steps = after, steps + 1
    return None
