"""Shortest tours of somebody who knows where everything is: what a search is measured against.

:func:`shortest_tour` is SayNav's ground truth, the shortest path from the start through one cell for each
target over all orders of the targets. :func:`shortest_sighting` is the shortest path after which every target
was seen: less than the former, since things are seen from a distance. Both are exact on the grid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations

from ...domains.deadline import check_time
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


def shortest_sighting(grid: Grid, start: Cell, views: Sequence[frozenset[Cell]]) -> tuple[Cell, ...] | None:
    """Return the cells of the shortest path that meets every set of cells, in any order.

    ``None`` where there is none. Breadth-first over cells and the sets that were met (at most
    :data:`MAX_GOALS`, otherwise ``ValueError``).
    """
    if len(views) > MAX_GOALS:
        raise ValueError(f"at most {MAX_GOALS} things are to be seen, got {len(views)}")
    complete = (1 << len(views)) - 1
    marks = {
        cell: sum(1 << number for number, cells in enumerate(views) if cell in cells) for cell in grid.cells
    }
    if start not in marks:
        return None
    first = (start, marks[start])
    before: dict[tuple[Cell, int], tuple[Cell, int] | None] = {first: None}
    level = [first]
    while level:
        check_time("finding the shortest path that sees everything")
        ends = [state for state in level if state[1] == complete]
        if ends:
            return _path(ends[0], before)
        after = []
        for state in level:
            (i, j), met = state
            for beside in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
                mark = marks.get(beside)
                if mark is not None and (following := (beside, met | mark)) not in before:
                    before[following] = state
                    after.append(following)
        level = after
    return None


def _path(
    end: tuple[Cell, int], before: Mapping[tuple[Cell, int], tuple[Cell, int] | None]
) -> tuple[Cell, ...]:
    """Return the cells of the way to a state."""
    cells = []
    state: tuple[Cell, int] | None = end
    while state is not None:
        cells.append(state[0])
        state = before[state]
    return tuple(reversed(cells))


def length(path: Sequence[Cell]) -> float:
    """Return the metres of a path from cell to cell."""
    return CELL * (len(path) - 1)
