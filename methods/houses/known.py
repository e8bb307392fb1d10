"""Oracles, which know where everything is: what any search of an unknown house is measured against.

:class:`Guided` is told where to drive. Its places come from the true house, so it is no explorer to compare
with others but what they are measured by: ``known-positions`` drives to the free cell beside each target by
the shortest tour (SayNav's baseline with an oracle below it), ``known-sightings`` takes the shortest path
after which every target was seen, and no search of the same house is shorter.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...simulator.navigation.camera import Camera
from ...simulator.navigation.grid import Cell, Raster
from ...simulator.navigation.house_world import HouseSearch
from ...simulator.navigation.seen_map import SeenMap
from ...simulator.navigation.tours import shortest_sighting, shortest_tour
from .explorer import DriveTo, GiveUp, Intent, LookAround


@dataclass
class Guided:
    """An explorer that drives to given places in order, and looks around at each."""

    name: str
    places: tuple[Cell, ...]
    _next: int = field(default=0, repr=False)
    _looked: bool = field(default=False, repr=False)

    def next(self, seen: SeenMap, targets: tuple[str, ...]) -> Intent:
        """Return the next place, or a look around at the one that was reached."""
        if self._next >= len(self.places):
            return GiveUp("every place was looked at")
        place = self.places[self._next]
        if seen.stance is None or seen.stance.cell != place:
            return DriveTo(place, why="a place that is known")
        if not self._looked:
            self._looked = True
            return LookAround("at a place that is known")
        self._next, self._looked = self._next + 1, False
        return self.next(seen, targets)


def known_positions(search: HouseSearch) -> Guided:
    """Return the robot that drives the shortest tour to the cells beside one thing of each target."""
    raster = Raster.of_plan(search.plan)
    grid, camera = raster.grid(), Camera(search.plan, raster)
    within = grid.distances(search.start.cell).reached()
    goals: dict[str, Cell] = {}
    for kind in search.targets:
        body = next(
            (b for b in search.plan.bodies if b.kind == kind and b.id not in search.plan.hidden), None
        )
        if body is not None:
            inside = [cell for cell in within if camera.room_of(cell) == body.room]
            nearest = grid.nearest(body.at, inside or within)
            if nearest is not None:
                goals[kind] = nearest
    tour = shortest_tour(grid, search.start.cell, goals)
    return Guided("known-positions", tuple(goals[kind] for kind in tour.order) if tour is not None else ())


def known_sightings(search: HouseSearch) -> Guided:
    """Return the robot that takes the shortest path after which a thing of each target was seen."""
    raster = Raster.of_plan(search.plan)
    grid, camera = raster.grid(), Camera(search.plan, raster)
    within = grid.distances(search.start.cell).reached()
    views = [
        frozenset(
            cell
            for body in search.plan.bodies
            if body.kind == kind and body.id not in search.plan.hidden
            for cell in within
            if camera.sees(cell, body.id)
        )
        for kind in search.targets
    ]
    path = shortest_sighting(grid, search.start.cell, views) or ()
    left = list(views)
    places: list[Cell] = []
    for cell in path:
        if any(cell in view for view in left):
            places.append(cell)
            left = [view for view in left if cell not in view]
    return Guided("known-sightings", tuple(places))
