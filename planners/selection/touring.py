"""Tours of errands: what a choice costs in driving, and what one more errand would add to it.

Branch and bound knows no circuits, so each errand is priced by itself: there and back at first, then by what
it adds to the tour of the errands chosen before, which draws choices together that lie on one way. How tours
are made may be changed; they are estimates, and must not depend on hashing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from ...domains.deadline import check_time
from .errands import Errand

Distance = Callable[[str, str], int]


class Touring:
    """Tours from a start through errands, in the order of their turns."""

    def __init__(self, start: str, distance: Distance) -> None:
        self.start, self.distance = start, distance

    def tour(self, errands: Sequence[Errand]) -> list[Errand]:
        """Return errands each inserted where it costs least, and none better elsewhere alone."""
        tour: list[Errand] = []
        for errand in errands:
            check_time("choosing what to bring about")
            tour.insert(self._cheapest(errand, tour)[1], errand)
        moved = True
        while moved:
            moved = False
            for errand in list(tour):
                before, rest = self.length(tour), [e for e in tour if e != errand]
                rest.insert(self._cheapest(errand, rest)[1], errand)
                if self.length(rest) < before:
                    tour, moved = rest, True
        return tour

    def length(self, tour: Sequence[Errand]) -> int:
        """Return the millimetres of a tour."""
        here, total = self.start, 0
        for errand in tour:
            total += self.distance(here, errand.source) + self.distance(errand.source, errand.target)
            here = errand.target
        return total

    def added(self, errand: Errand, tour: Sequence[Errand]) -> int:
        """Return the millimetres that an errand adds to the tour of the others, at least 0."""
        return max(0, self._cheapest(errand, [e for e in tour if e != errand])[0])

    def _cheapest(self, errand: Errand, tour: Sequence[Errand]) -> tuple[int, int]:
        """The millimetres that an errand adds to a tour, and its place there."""
        own, options = self.distance(errand.source, errand.target), list[tuple[int, int]]()
        stops: list[Errand | None] = [None, *tour, None]
        for place, (before, after) in enumerate(itertools.pairwise(stops)):
            early = before is not None and before.turn > errand.turn
            if early or (after is not None and errand.turn > after.turn):
                continue
            here = before.target if before is not None else self.start
            more = self.distance(here, errand.source) + own
            if after is not None:
                onwards = self.distance(errand.target, after.source)
                more += onwards - self.distance(here, after.source)
            options.append((more, place))
        return min(options)
