"""Perception in a house: what a robot's camera shows from where it stands, exactly or with noise.

The rules are those of SayNav's experiments with ground truth (Rajvanshi et al., 2024), where the paper says
them, and ours where it does not:

- the field of view is 90 degrees around one of four headings; its edges belong to it
- walls and doors that are shut hide what is behind them, furniture hides nothing
- furniture and doors are seen at any distance, by their middle or a corner; small objects by their middle,
  within ``reach`` metres of the robot's middle (2.0 m: ours)
- what is in something closed is never seen
- a cell of the floor is seen where its middle is, to half a degree; a robot that sees it sees whether it fits

:class:`Noise` is ours: sightings that are missed, errors of position, doors seen in the wrong state. It is
seeded, and never stands for SayNav's visual observations. Needs numpy and shapely (extra ``maps``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any

from ...domains.errors import InputError, clip, did_you_mean
from .floor_plan import FloorPlan, Point
from .grid import CELL, Cell, Raster, middle

if TYPE_CHECKING:
    from numpy import bool_, float64, int32, int64
    from numpy.typing import NDArray

REACH = 2.0
"""Metres within which small objects are seen."""
BESIDE = 0.15
"""Metres in front of a door where a point of it is seen: the door itself stands in the wall."""
RAYS = 720
"""Directions in which walls are looked for, for cells of the floor."""
HALF_VIEW = math.cos(math.pi / 4) - 1e-9
"""Cosine of half the field of view."""
AHEAD: Sequence[Point] = ((0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0))
"""The direction of each heading."""


@dataclass(frozen=True, slots=True)
class Stance:
    """Cell and heading of the robot; ``heading`` is 0 to 3, for 0, 90, 180 and 270 degrees."""

    cell: Cell
    heading: int

    @property
    def degrees(self) -> int:
        return 90 * self.heading


@dataclass(frozen=True, slots=True)
class SeenBody:
    """A thing as it was seen: its name and type, its room, and its place (x, z, height of the middle)."""

    id: str
    kind: str
    room: str
    place: tuple[float, float, float]
    small: bool = False
    parent: str | None = None
    closed: bool = False
    outline: tuple[Point, ...] = ()
    """Corners on the floor of a large one."""


@dataclass(frozen=True, slots=True)
class SeenPassage:
    """A door or passage as it was seen; ``rooms`` are those on the sides that were seen."""

    id: str
    middle: Point
    rooms: tuple[str, ...]
    leaf: bool = True
    closed: bool = False


@dataclass(frozen=True, eq=False)
class Glimpse:
    """One view of the camera: things, passages, and cells of the floor with whether the robot fits there."""

    stance: Stance
    room: str
    bodies: tuple[SeenBody, ...]
    passages: tuple[SeenPassage, ...]
    cells: tuple[tuple[Cell, tuple[str, bool]], ...]
    """Cells, each with its room and whether the robot fits there."""


@dataclass(frozen=True, slots=True)
class Noise:
    """Faults of perception: shares of sightings missed and of doors seen in the wrong state, and metres.

    ``error`` is the standard deviation of each coordinate of a place on the floor. Raises ``ValueError`` for
    shares that are none.
    """

    missed: float = 0.1
    error: float = 0.1
    wrong_door: float = 0.05
    seed: int = 0

    def __post_init__(self) -> None:
        shares, numbers = (self.missed, self.wrong_door), (self.error, self.seed)
        if not all(0 <= one <= 1 for one in shares) or not all(0 <= one < 1e9 for one in numbers):
            raise ValueError("shares are from 0 to 1, errors are metres, and seeds are below 1e9")

    @classmethod
    def read(cls, text: str) -> Noise | None:
        """Read ``exact``, ``noisy`` or ``noisy:missed=..,error=..,wrong_door=..,seed=..``.

        What is not named is as usual; ``exact`` is ``None``. Raises :class:`InputError` for anything else.
        """
        names = [one.name for one in fields(cls)]
        kind, colon, settings = text.strip().partition(":")
        if kind not in ("exact", "noisy") or (colon and (kind == "exact" or not settings)):
            expected = f"exact, noisy or noisy:{','.join(f'{name}=..' for name in names)}"
            raise InputError("perception", expected, clip(text))
        given: dict[str, float] = {}
        for part in settings.split(",") if settings else ():
            name, equals, number = (one.strip() for one in part.partition("="))
            if not equals or name not in names or name in given:
                expected = f"{', '.join(names)}, each once, as NAME=NUMBER"
                raise InputError("perception", expected, clip(part), did_you_mean(name, names))
            try:
                given[name] = int(number) if name == "seed" else float(number)
            except ValueError as error:
                expected = "a whole number" if name == "seed" else "a number"
                raise InputError(f"perception: {name}", expected, clip(number)) from error
        try:
            return cls(**given) if kind == "noisy" else None  # type: ignore[arg-type]
        except ValueError as error:
            raise InputError("perception", str(error), clip(text)) from error

    def __str__(self) -> str:
        return f"noisy:{','.join(f'{f.name}={getattr(self, f.name)}' for f in fields(self))}"


class Camera:
    """A camera in a house. Its views are a function of the stance; with noise also of those before it."""

    def __init__(
        self, plan: FloorPlan, raster: Raster, reach: float = REACH, noise: Noise | None = None
    ) -> None:
        import numpy

        self.plan, self.raster, self.reach, self.noise = plan, raster, reach, noise
        self._random = Random(noise.seed) if noise is not None else None
        self._numpy: Any = numpy
        # A wall that only touches the line of sight at its end hides too: no gap between two walls.
        self.walls = numpy.asarray(plan.barriers, dtype=float).reshape(-1, 4)
        self.visible = tuple(b for b in plan.bodies if b.id not in plan.hidden)
        owners, points = [], []
        for number, body in enumerate(self.visible):
            for anchor in plan.anchors[body.id]:
                owners.append(number)
                points.append(anchor)
        self._owners = numpy.asarray(owners, dtype=int)
        self._points = numpy.asarray(points, dtype=float).reshape(-1, 2)
        self._small = numpy.asarray([self.visible[n].small for n in owners], dtype=bool)
        sides = [(o, side) for o in plan.passages for side in o.beside(BESIDE)]
        self._sides = [(o, self._room_at(side) or self._nearer(o.rooms, side)) for o, side in sides]
        self._side_points = numpy.asarray([side for _, side in sides], dtype=float).reshape(-1, 2)
        self._places: NDArray[float64] = (raster.cells * CELL).astype(numpy.float64)
        self._cells = [(int(i), int(j)) for i, j in raster.cells]
        self._cell_rooms = [plan.rooms[int(r)].id for r in raster.rooms]
        self._number = {cell: n for n, cell in enumerate(self._cells)}
        facts = zip(self._cell_rooms, map(bool, raster.free), strict=True)
        self._floor_cells = list(zip(self._cells, facts, strict=True))

    def _room_at(self, point: Point) -> str | None:
        return next((r.id for r in self.plan.rooms if r.holds(point)), None)

    def _nearer(self, rooms: Sequence[str], point: Point) -> str:
        """Return the one of some rooms with the corner nearest to a point."""
        return min(rooms, key=lambda r: min(math.dist(c, point) for c in self.plan.room[r].corners))

    def room_of(self, cell: Cell) -> str:
        """Return the room that a cell is in."""
        return self._cell_rooms[self._number[cell]]

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells within rooms."""
        return tuple(self._cells)

    def all_bodies(self) -> tuple[SeenBody, ...]:
        """Return everything that can be seen from somewhere, as it is without noise."""
        return tuple(map(self._body, range(len(self.visible))))

    def look(self, stance: Stance) -> Glimpse:
        """Return the view from a stance."""
        numpy = self._numpy
        eye = middle(stance.cell)
        ahead = AHEAD[stance.heading]
        away = numpy.hypot(self._points[:, 0] - eye[0], self._points[:, 1] - eye[1])
        near = numpy.logical_or(~self._small, away <= self.reach + 1e-9)
        seen = near & self._in_view(eye, ahead, self._points)
        seen[seen] = self._clear(eye, self._points[seen])
        bodies = tuple(self._body(int(n)) for n in numpy.unique(self._owners[seen]))
        sides = self._in_view(eye, ahead, self._side_points)
        sides[sides] = self._clear(eye, self._side_points[sides])
        rooms: dict[str, list[str]] = {}
        for n in sides.nonzero()[0]:
            passage, room = self._sides[int(n)]
            rooms.setdefault(passage.id, []).append(room)
        passages = tuple(
            SeenPassage(o.id, o.middle, tuple(sorted(set(rooms[o.id]))), o.leaf, o.closed)
            for o in self.plan.passages
            if o.id in rooms
        )
        if self._random is not None:
            bodies, passages = self._blurred(bodies, passages, self._random)
        return Glimpse(stance, self.room_of(stance.cell), bodies, passages, self._floor(eye, ahead))

    def sees(self, cell: Cell, body: str) -> bool:
        """Return whether a thing is seen from a cell with the right heading, without noise."""
        points = self._numpy.asarray(self.plan.anchors[body], dtype=float)
        thing = self.plan.body[body]
        if body in self.plan.hidden:
            return False
        eye = middle(cell)
        if thing.small and math.dist(eye, self.plan.anchors[body][0]) > self.reach + 1e-9:
            return False
        return bool(self._clear(eye, points).any())

    def _body(self, number: int) -> SeenBody:
        body = self.visible[number]
        x, z = body.at
        place = (round(x, 3), round(z, 3), round((body.low + body.high) / 2, 3))
        outline = () if body.small else body.outline
        return SeenBody(body.id, body.kind, body.room, place, body.small, body.parent, body.closed, outline)

    def _in_view(self, eye: Point, ahead: Point, points: NDArray[float64]) -> NDArray[bool_]:
        """Return which points are in the field of view; one that is where the robot stands is."""
        numpy = self._numpy
        x, z = points[:, 0] - eye[0], points[:, 1] - eye[1]
        within: NDArray[bool_] = x * ahead[0] + z * ahead[1] >= HALF_VIEW * numpy.hypot(x, z)
        return within

    def _clear(self, eye: Point, points: NDArray[float64]) -> NDArray[bool_]:
        """Return to which points nothing is in the way: no wall has a point in common with the line."""
        numpy = self._numpy
        if not len(self.walls) or not len(points):
            return numpy.ones(len(points), dtype=bool)  # type: ignore[no-any-return]
        x, z = points[:, 0, None] - eye[0], points[:, 1, None] - eye[1]
        ax, az = self.walls[None, :, 0] - eye[0], self.walls[None, :, 1] - eye[1]
        bx, bz = self.walls[None, :, 2] - eye[0], self.walls[None, :, 3] - eye[1]
        # The ends of the wall are on different sides of the line of sight, and its ends on those of the wall.
        side_a, side_b = x * az - z * ax, x * bz - z * bx
        wx, wz = bx - ax, bz - az
        eye_side = -wx * az + wz * ax
        point_side = wx * (z - az) - wz * (x - ax)
        crossed = (side_a * side_b <= 1e-12) & (eye_side * point_side <= 1e-12)
        # Parallel and on one line is no crossing: walls are seen along.
        crossed &= numpy.abs(x * wz - z * wx) > 1e-12
        return numpy.logical_not(crossed.any(axis=1))  # type: ignore[no-any-return]

    def floor_from(self, cell: Cell) -> tuple[tuple[NDArray[int32], NDArray[bool_]], ...]:
        """Return what each heading shows of the floor from a cell: cells, a row each, and which are free."""
        numpy = self._numpy
        eye = middle(cell)
        shown = self._shown(eye, numpy.ones(len(self._places), dtype=bool), numpy.arange(RAYS))
        cells, free, places = self.raster.cells[shown], self.raster.free[shown], self._places[shown]
        views = [self._in_view(eye, ahead, places) for ahead in AHEAD]
        return tuple((cells[view], free[view]) for view in views)

    def _floor(self, eye: Point, ahead: Point) -> tuple[tuple[Cell, tuple[str, bool]], ...]:
        """Return the cells of the floor in view, by the distance of the nearest wall in each direction."""
        within = self._in_view(eye, ahead, self._places)
        cells = self._floor_cells
        return tuple([cells[n] for n in self._shown(eye, within, self._rays(ahead)).tolist()])

    def _shown(self, eye: Point, within: NDArray[bool_], rays: NDArray[int64]) -> NDArray[int64]:
        """Return the numbers of some cells that no wall hides; ``rays`` are their directions."""
        numpy = self._numpy
        x, z = self._places[within, 0] - eye[0], self._places[within, 1] - eye[1]
        ray = numpy.rint(numpy.arctan2(z, x) * (RAYS / (2 * math.pi))).astype(int) % RAYS
        shown: NDArray[int64] = numpy.flatnonzero(within)[
            numpy.hypot(x, z) <= self._wall_distances(eye, rays)[ray] + 1e-6
        ]
        return shown

    def _rays(self, ahead: Point) -> NDArray[int64]:
        """Return the numbers of the directions in view, and one more to either side."""
        numpy = self._numpy
        centre = round(math.atan2(ahead[1], ahead[0]) * RAYS / (2 * math.pi))
        rays: NDArray[int64] = numpy.arange(centre - RAYS // 8 - 1, centre + RAYS // 8 + 2) % RAYS
        return rays

    def _wall_distances(self, eye: Point, rays: NDArray[int64]) -> NDArray[float64]:
        """Return the metres to the nearest wall in each direction, infinite but for some of them."""
        numpy = self._numpy
        limits: NDArray[float64] = numpy.full(RAYS, math.inf)
        if not len(self.walls):
            return limits
        cos, sin = (values[rays] for values in self._directions)
        ax, az = self.walls[:, 0] - eye[0], self.walls[:, 1] - eye[1]
        wx, wz = self.walls[:, 2] - self.walls[:, 0], self.walls[:, 3] - self.walls[:, 1]
        # eye + t (cos, sin) = a + s (b - a)
        across = cos[:, None] * wz - sin[:, None] * wx
        with numpy.errstate(divide="ignore", invalid="ignore"):
            t = (ax * wz - az * wx) / across
            s = (ax * sin[:, None] - az * cos[:, None]) / across
            hit = (t >= 0) & (s >= -1e-9) & (s <= 1 + 1e-9)
        limits[rays] = numpy.where(hit, t, math.inf).min(axis=1)
        return limits

    @cached_property
    def _directions(self) -> tuple[NDArray[float64], NDArray[float64]]:
        numpy = self._numpy
        angles = numpy.arange(RAYS) * (2 * math.pi / RAYS)
        return numpy.cos(angles), numpy.sin(angles)

    def _blurred(
        self, bodies: tuple[SeenBody, ...], passages: tuple[SeenPassage, ...], random: Random
    ) -> tuple[tuple[SeenBody, ...], tuple[SeenPassage, ...]]:
        noise = self.noise or Noise(0, 0, 0)
        kept = []
        for body in bodies:
            x, z, height = body.place
            missed = random.random() < noise.missed
            moved = (x + random.gauss(0, noise.error), z + random.gauss(0, noise.error), height)
            if not missed:
                kept.append(replace(body, place=moved))
        doors = []
        for passage in passages:
            missed, wrong = random.random() < noise.missed, random.random() < noise.wrong_door
            if not missed:
                doors.append(replace(passage, closed=passage.closed ^ (wrong and passage.leaf)))
        return tuple(kept), tuple(doors)
