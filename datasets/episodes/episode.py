"""Episodes of multi-object search, in the fields of SayNav's data set (Rajvanshi et al., 2024, appendix).

``multi-object-search`` has the paper's mix of house sizes as far as there are houses: 132 of 3 to 10 rooms.
In each, three types of things are to be found of which the house has one that can be picked up, is not inside
anything closed, and is seen from some cell that the robot can reach; the start is a cell and a heading. All
is drawn from a seed and the house alone, so that an episode does not depend on which others there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from ...domains.errors import InputError, SceneError, clip
from ...simulator.navigation.camera import Camera, Stance
from ...simulator.navigation.floor_plan import Point
from ...simulator.navigation.grid import CELL, Cell, Grid
from ...simulator.navigation.house_world import HouseSearch
from ...simulator.navigation.tours import length, shortest_sighting, shortest_tour
from ..formats.document import RawEntry, as_name, as_number, as_object, objects
from .houses import StoredHouse

SET = "multi-object-search"
MIX: Mapping[int, int] = {3: 25, 4: 60, 5: 26, 6: 8, 7: 7, 8: 2, 10: 4}
"""Houses of each number of rooms. SayNav has 25, 56, 28, 8, 7, 3 and 5."""
TARGETS = 3
SEED = 0


@dataclass(frozen=True, slots=True)
class EpisodeTarget:
    """A type to find, the one thing of it, its place in metres, and the nearest free cell in its room."""

    kind: str
    id: str
    at: Point
    cell: Cell


@dataclass(frozen=True, slots=True)
class SearchEpisode:
    """A search: where it is, what is to be found, and where the robot starts.

    ``order`` and ``metres`` are the shortest tour to the cells of all targets; ``sighting_metres`` is the
    shortest path after which all of them were seen from within 2.0 m.
    """

    id: str
    house: str
    origin: str
    rooms: int
    targets: tuple[EpisodeTarget, ...]
    start: Stance
    order: tuple[str, ...]
    metres: float
    sighting_metres: float

    @property
    def kinds(self) -> tuple[str, ...]:
        """The types to find, in the order in which they are asked for."""
        return tuple(target.kind for target in self.targets)

    @property
    def instruction(self) -> str:
        """The task as a sentence."""
        named = [f"{'an' if k[0] in 'aeiou' else 'a'} {k.replace('_', ' ')}" for k in self.kinds]
        return f"Find {', '.join(named[:-1])} and {named[-1]}."

    def search(self, house: StoredHouse) -> HouseSearch:
        """Return what a robot is asked for, with the house as it is."""
        return HouseSearch(house.plan, self.start, self.kinds)

    def as_json(self) -> dict[str, object]:
        return {
            "id": self.id,
            "house": self.house,
            "origin": self.origin,
            "num_rooms": self.rooms,
            "num_targets": len(self.targets),
            "targets": [
                {"type": t.kind, "id": t.id, "position": list(t.at), "cell": list(t.cell)}
                for t in self.targets
            ],
            "start_position": [self.start.cell[0] * CELL, self.start.cell[1] * CELL],
            "start_heading": self.start.degrees,
            "shortest_path_targets_order": list(self.order),
            "shortest_path_length": self.metres,
            "shortest_sighting_length": self.sighting_metres,
        }


@dataclass(frozen=True)
class HouseEpisode:
    """An episode with its house."""

    episode: SearchEpisode
    house: StoredHouse

    def search(self) -> HouseSearch:
        """Return what a robot is asked for. Raises :class:`SceneError` for a house without a floor plan."""
        return self.episode.search(self.house)


def episode_from_json(value: object, at: str) -> SearchEpisode:
    """Read an episode. Raises :class:`SceneError` with the place of what is wrong."""
    raw = RawEntry(as_object(value, at), at)
    listed = objects(raw.fields.get("targets"), f"{at}.targets")
    targets = tuple(_target(RawEntry(target, place)) for place, target in listed)
    start, heading = _pair(raw, "start_position"), raw.number("start_heading")
    order = tuple(as_name(k, f"{at}.order") for k in raw.list("shortest_path_targets_order"))
    if not targets or sorted(order) != sorted(t.kind for t in targets):
        raise SceneError(f"{at}.shortest_path_targets_order", "an order of the targets", clip(order))
    if heading not in (0, 90, 180, 270):
        raise SceneError(f"{at}.start_heading", "0, 90, 180 or 270", clip(heading))
    return SearchEpisode(
        raw.name("id"),
        raw.name("house"),
        raw.name("origin"),
        int(raw.number("num_rooms")),
        targets,
        Stance((round(start[0] / CELL), round(start[1] / CELL)), int(heading) // 90),
        order,
        raw.number("shortest_path_length"),
        raw.number("shortest_sighting_length"),
    )


def _target(raw: RawEntry) -> EpisodeTarget:
    i, j = _pair(raw, "cell")
    return EpisodeTarget(raw.name("type"), raw.name("id"), _pair(raw, "position"), (int(i), int(j)))


def _pair(raw: RawEntry, key: str) -> Point:
    pair, at = raw.list(key), f"{raw.at}.{key}"
    if len(pair) != 2:
        raise SceneError(at, "two numbers", clip(pair))
    return as_number(pair[0], at), as_number(pair[1], at)


def draw_episodes(
    houses: Sequence[StoredHouse], mix: Mapping[int, int] = MIX, seed: int = SEED
) -> tuple[SearchEpisode, ...]:
    """Draw the houses of a mix and an episode in each, in the order of the houses.

    Houses with too few types to look for are passed over; of a size with fewer houses than the mix asks for,
    all are taken. Raises :class:`InputError` where that leaves none.
    """
    drawn = {h.id: episode for h in houses if (episode := draw_episode(h, seed)) is not None}
    chosen: set[str] = set()
    for rooms, count in mix.items():
        names = [h.id for h in houses if h.id in drawn and drawn[h.id].rooms == rooms]
        chosen.update(Random(f"{seed} {rooms}").sample(names, min(count, len(names))))
    if not chosen:
        sizes = ", ".join(map(str, mix))
        raise InputError("houses", f"some with {sizes} rooms and {TARGETS} types to look for", "none")
    return tuple(drawn[h.id] for h in houses if h.id in chosen)


def draw_episode(house: StoredHouse, seed: int = SEED) -> SearchEpisode | None:
    """Draw an episode in a house; ``None`` where there are fewer than three types to look for."""
    plan = house.plan
    camera, grid = Camera(plan, house.raster), house.raster.grid()
    within = largest_part(grid)
    movable = frozenset(n.id for n in house.scene().nodes.values() if n.type == "object")
    counts = Counter(body.kind for body in plan.bodies)
    views = {
        body.id: frozenset(c for c in within if camera.sees(c, body.id))
        for body in plan.bodies
        if counts[body.kind] == 1 and body.id in movable and body.id not in plan.hidden
    }
    candidates = [plan.body[name] for name, cells in sorted(views.items()) if cells]
    if len(candidates) < TARGETS:
        return None
    random = Random(f"{seed} {house.id}")
    bodies = random.sample(candidates, TARGETS)
    start = Stance(random.choice(within), random.randrange(4))
    targets = []
    for body in bodies:
        inside = [cell for cell in within if camera.room_of(cell) == body.room]
        nearest = grid.nearest(body.at, inside or within)
        assert nearest is not None  # the robot is somewhere
        targets.append(EpisodeTarget(body.kind, body.id, body.at, nearest))
    tour = shortest_tour(grid, start.cell, {t.kind: t.cell for t in targets})
    sighting = shortest_sighting(grid, start.cell, [views[t.id] for t in targets])
    assert tour is not None and sighting is not None  # all are in one connected part
    return SearchEpisode(
        f"{SET}-{house.id}",
        house.id,
        house.origin,
        len(plan.rooms),
        tuple(targets),
        start,
        tour.order,
        tour.metres,
        length(sighting),
    )


def largest_part(grid: Grid) -> tuple[Cell, ...]:
    """Return the largest set of free cells that are all reached from each other, in order."""
    left = set(grid.cells)
    largest: Iterable[Cell] = ()
    for cell in grid.cells:
        if cell in left:
            part = grid.distances(cell).reached()
            left.difference_update(part)
            largest = max(largest, part, key=lambda cells: len(tuple(cells)))
    return tuple(largest)
