"""The least-cost search: beliefs say where things probably are, an order of least cost decides where to look.

Places are viewpoints for furniture that was seen and not inspected, and ways into rooms not entered. Each
has, for every target, the mass of the belief that would be looked at there: for furniture the weight of its
type in a room of its type, by the square root of its cells, and of that the share of cells that are left;
behind a door that of a usual room, as large as those entered so far. What was inspected has none: that is all
that observations change. Costs are metres of the known way and of looking. Of the places with the most mass
for each metre :data:`PLACES` are ordered, the first one is gone to, and the order is made anew there. Where
no furniture and no room is left, the rest of the floor is looked at as the nearest-door explorer does.

The order is that of most expected worth, where a find counts the less the later it is (``discounted_order``),
or one of those that it is compared with: of least expected cost (``expected_cost``: exact for so few places),
by mass for a metre, by mass, by the way. It is optimal for those places and these beliefs, and not for the
search: what is behind a door shows when it is passed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...acting.policies.discounted_order import soonest
from ...acting.policies.expected_cost import LookingProblem, best_order
from ...simulator.navigation.camera import SeenBody
from ...simulator.navigation.grid import Cell, Distances, Grid
from ...simulator.navigation.seen_map import SeenMap
from .beliefs import HouseBeliefs
from .explorer import DriveTo, Intent, LookAround
from .nearest_door import NearestDoor
from .sweep import covered, free_cells, furniture_left, inspected_within, next_ways, viewpoints

PLACES = 8
"""Places that are ordered exactly where later finds count less."""
FEWER_PLACES = 6
"""Places that are ordered exactly by least expected cost, which takes longer."""
SCALE = 100.0
"""Metres by which a find counts e times less. Chosen like :data:`ROOM`, and in generated buildings."""
REST = 15.0
"""Metres after which what is at none of the places ordered is found."""
LOOK = 0.5
"""Metres that a look around counts as."""
ROOM = 12.0
"""Metres that a usual search of a room costs beyond the way there.

It was chosen on nine houses that are in no set of episodes: with less, half-searched rooms are left too soon.
"""
ROOM_BY_RATE = 6.0
"""The same for the order by mass for a metre, which is better with less."""
USUAL_ROOM = 12.0
"""Summed square roots of cells of a room's furniture, before any was entered: six pieces of four cells."""
FAR = 1e6
"""Metres that stand for no way between two places."""
NOWHERE = 0.02
"""Probability that a target is at none of the places."""


PlaceOrder = Literal["soonest", "expected", "rate", "mass", "way"]
"""The order of places: most worth of finds, least expected cost, mass for a metre, mass, or the way there."""


@dataclass(frozen=True, slots=True)
class SearchPlace:
    """A place to look from: its cell, the mass of each target there, the way, the cost beyond it, and why."""

    cell: Cell
    masses: tuple[float, ...]
    metres: float
    look: float
    why: str
    door: str = ""


@dataclass
class LeastCost:
    """An explorer that goes where everything is probably found soonest; it is of one search."""

    beliefs: HouseBeliefs
    name: str = "least-cost"
    order: PlaceOrder = "soonest"
    single: bool = False
    """Whether it looks for one target after the other, as searches for single objects do."""
    rest: NearestDoor = field(default_factory=NearestDoor)
    """Places that were looked from and rooms that were entered; and what is done when none is left."""

    def next(self, seen: SeenMap, targets: tuple[str, ...]) -> Intent:
        """Return the drive to the best place, or a look around where the robot came for one."""
        if seen.stance is None:
            return LookAround("nothing was seen yet")
        if self.single:
            targets = targets[:1]
        here, rest = seen.stance.cell, self.rest
        if here not in rest.looked and (seen.room not in rest.entered or here == rest.goal):
            rest.looked.add(here)
            rest.entered.setdefault(seen.room)
            return LookAround(f"in {seen.room}")
        grid = seen.grid()
        lengths = grid.distances(here)
        places = self._places(seen, grid, lengths, targets)
        if not places:
            return rest.next(seen, targets)
        best = self._best(places, grid)
        if best.door:
            rest.tried.add(best.door)
        rest.goal = best.cell
        for room in seen.rooms:
            cells = (c for left in furniture_left(seen, room).values() for c in left)
            rest.attempt(best.cell, cells, inspected_within(seen))
        if best.cell == here:
            rest.looked.add(here)
            return LookAround(best.why)
        return DriveTo(best.cell, why=best.why)

    def _places(
        self, seen: SeenMap, grid: Grid, lengths: Distances, targets: tuple[str, ...]
    ) -> list[SearchPlace]:
        """Return the viewpoints and ways on with their masses."""
        free, looked = free_cells(seen, grid, lengths), self.rest.looked
        self.beliefs.prepare(targets, [b.kind for b in seen.bodies.values() if not b.small])
        entered = [room for room in seen.rooms if room in self.rest.entered]
        places = [
            SearchPlace(view.cell, view.masses, view.metres, LOOK, f"furniture in {room}")
            for room in entered
            for view in viewpoints(
                seen, lengths, free.get(room, ()), self._masses(seen, room, targets), looked
            )
        ]
        sizes = [sum(math.sqrt(len(covered(b))) for b in _furniture(seen, room)) for room in entered]
        usual = sum(sizes) / len(sizes) if sizes else USUAL_ROOM
        room_cost = LOOK + (ROOM_BY_RATE if self.order == "rate" else ROOM)
        for way in next_ways(seen, grid, lengths, self.rest.entered, self.rest.tried):
            room = seen.floor[way.cell][0]
            masses = self._masses_behind([] if way.door else _furniture(seen, room), usual, targets)
            why = f"to {way.door}" if way.door else f"into {room}"
            places.append(SearchPlace(way.cell, masses, way.metres, room_cost, why, way.door))
        return places

    def _masses(self, seen: SeenMap, room: str, targets: Sequence[str]) -> dict[Cell, tuple[float, ...]]:
        """Return the masses of the cells from which furniture of a room is looked at that is left."""
        kinds = self.beliefs.rooms([b.kind for b in _furniture(seen, room)])
        masses: dict[Cell, tuple[float, ...]] = {}
        for body_id, cells in furniture_left(seen, room).items():
            body = seen.bodies[body_id]
            # What was inspected is excluded (Bayes' rule): the rest keeps the weight that it had.
            share = 1 / math.sqrt(len(covered(body)))
            one = tuple(share * self.beliefs.weight(t, body.kind, kinds) for t in targets)
            for cell in self.rest.worth_trying(cells):
                before = masses.get(cell, (0.0,) * len(targets))
                masses[cell] = tuple(a + b for a, b in zip(before, one, strict=True))
        return masses

    def _masses_behind(
        self, bodies: Sequence[SeenBody], usual: float, targets: Sequence[str]
    ) -> tuple[float, ...]:
        """Return the masses of a room that was not entered, by the furniture that was seen in it."""
        if not bodies:
            return tuple(max(usual, 1.0) * self.beliefs.unseen(t) for t in targets)
        kinds, size = self.beliefs.rooms([b.kind for b in bodies]), max(usual, 2.0 * len(bodies))
        sums = (sum(self.beliefs.weight(t, b.kind, kinds) for b in bodies) for t in targets)
        return tuple(size * (total / len(bodies)) for total in sums)

    def _best(self, places: list[SearchPlace], grid: Grid) -> SearchPlace:
        """Return the first place of the order."""
        totals = [max(sum(p.masses[t] for p in places), 1e-12) for t in range(len(places[0].masses))]
        chances = [
            tuple((1 - NOWHERE) * p.masses[t] / total for t, total in enumerate(totals)) for p in places
        ]

        some = [1 - math.prod(1 - chance for chance in row) for row in chances]
        costs = [p.metres + p.look for p in places]
        values = {
            "way": [-cost for cost in costs],
            "mass": some,
            "rate": [value / cost for value, cost in zip(some, costs, strict=True)],
        }
        by = values.get(self.order, values["rate"])
        count = FEWER_PLACES if self.order == "expected" else PLACES
        chosen = sorted(range(len(places)), key=lambda n: (-by[n], places[n].cell, n))[:count]
        if self.order in values:
            return places[chosen[0]]
        travel = [[0.0] * len(chosen) for _ in chosen]
        for row, n in enumerate(chosen[:-1]):  # ways are as long in both directions
            lengths = grid.distances(places[n].cell)
            for column in range(row + 1, len(chosen)):
                metres = min(lengths.metres(places[chosen[column]].cell), FAR)
                travel[row][column] = travel[column][row] = metres
        problem = LookingProblem(
            tuple(places[n].look for n in chosen),
            tuple(places[n].metres for n in chosen),
            tuple(map(tuple, travel)),
            tuple(tuple(chances[n][t] for n in chosen) for t in range(len(totals))),
        )
        first = best_order(problem)[0] if self.order == "expected" else soonest(problem, SCALE, REST)
        return places[chosen[first]]


def _furniture(seen: SeenMap, room: str) -> list[SeenBody]:
    """Return the furniture that was seen in a room."""
    return [b for b in seen.bodies.values() if b.room == room and not b.small]
