"""The place on paper of each node of a scene: floors beside and below each other, each at the same scale.

Both kinds of floor, by positions and as nested boxes, end as points and boxes here, and everything else is
drawn upon them in one way.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from ...simulator.scene import CONTAINERS, PLACE_UNKNOWN, THINGS, Scene
from .floors import PAD, Floor
from .nested import Placed, Tile, in_rows, named, spread, tiles
from .shapes import MARGIN, WIDTH, Box, Point, name_of, width_of

HIGHEST, HIGHEST_OF_SEVERAL = 620.0, 440.0
"""Most pixels of the height of a floor that is drawn by positions: the only one, and one of several."""
MOST_PIXELS_A_METRE = 120.0
INSIDE = 22.0
"""Pixels around the rooms of a floor, where those at its edge have their names."""
TITLE = 22.0
GAP = 14.0
MOST_ROOMS = 400
"""Most rooms on floors on which nothing happens."""
MANY = 160
"""Most things in rooms that a floor of nested boxes shows; of more, only those that matter."""
MOST_LOOSE = 40
"""Most things that are listed of those in no room, and of those whose place is not known."""


@dataclass(frozen=True, slots=True)
class FlatFloor:
    """A floor by positions: the place of its scale, where its origin is, and its pixels a metre."""

    bar: Point
    origin: Point
    scale: float

    def on_paper(self, point: Point) -> Point:
        """Return where a point is, given in metres to the right and upwards."""
        return self.origin[0] + point[0] * self.scale, self.origin[1] - point[1] * self.scale


@dataclass
class Paper:
    """A page being laid out: points of nodes, boxes of rooms, nested boxes, and the frames of floors."""

    at: dict[str, Point] = field(default_factory=dict)
    rooms: dict[str, Box] = field(default_factory=dict)
    """Rooms that are drawn by positions."""
    boxes: list[Placed] = field(default_factory=list)
    frames: list[tuple[str, Box]] = field(default_factory=list)
    """Titles of floors, with the area of each."""
    grounds: list[FlatFloor] = field(default_factory=list)
    """The floors by positions."""
    bottom: float = 0.0
    left_out: int = 0
    """The number of floors that are not drawn."""

    def place(self, node: str, scene: Scene) -> Point | None:
        """Return the point of a node, or of the nearest one around it that has one."""
        around = (node, *scene.ancestors(node))
        return next((self.at[name] for name in around if name in self.at), None)


def laid_out(scene: Scene, floors: Sequence[Floor], top: float, matter: Collection[str]) -> Paper:
    """Return where everything is drawn, from a height of the paper downwards.

    Where a floor of boxes has much, ``matter`` are the nodes that are shown.
    """
    several = len(floors) > 1
    floors, left = _most_telling(floors, scene, matter)
    paper = Paper(bottom=top, left_out=left)
    flat = [f for f in floors if f.drawn_by_position]
    scale = _scale(flat)
    sizes = [_size(f, scale, several) for f in flat]
    if len(sizes) == 1:
        sizes = [(WIDTH - 2.0 * MARGIN, sizes[0][1])]
    corners, _, low = in_rows(sizes, WIDTH - 2 * MARGIN, GAP)
    for floor, (x, y), size in zip(flat, corners, sizes, strict=True):
        _by_position(paper, floor, scene, (MARGIN + x, top + y), size, scale)
    if flat:
        paper.bottom = top + low
    for floor in floors:
        if floor not in flat:
            _as_boxes(paper, floor.level if several else "", floor.rooms, scene, matter)
    for floor in flat:
        if loose := [room for room in floor.rooms if room not in floor.positions]:
            _as_boxes(paper, "rooms without a position", loose, scene, matter)
    for title, things in (("in no room", _outside(scene)), ("place not known", list(scene.unplaced))):
        if things:
            more = f" (and {len(things) - MOST_LOOSE} more)" if len(things) > MOST_LOOSE else ""
            _add(paper, "", [named(title + more, things[:MOST_LOOSE], scene)])
    return paper


def _outside(scene: Scene) -> list[str]:
    """Return the things that stand on a floor, or another level, in none of its rooms."""
    levels = {None, *(level for kind in CONTAINERS - {"room"} for level in scene.by_type.get(kind, ()))}
    things = (n for n in scene.nodes.values() if n.type in THINGS and n.relation != PLACE_UNKNOWN)
    return [n.id for n in things if n.parent in levels]


def _most_telling(floors: Sequence[Floor], scene: Scene, matter: Collection[str]) -> tuple[list[Floor], int]:
    """Return the floors that are drawn, and how many are left out where there are very many rooms.

    Those with rooms that matter are drawn, and others from the first on while there is room for them.
    """
    rooms = {scene.room_of(name) for name in matter}
    chosen = [not rooms.isdisjoint(floor.rooms) for floor in floors]
    room_left = MOST_ROOMS - sum(len(f.rooms) for f, tells in zip(floors, chosen, strict=True) if tells)
    kept: list[Floor] = []
    for floor, tells in zip(floors, chosen, strict=True):
        if tells or len(floor.rooms) <= room_left or not (kept or any(chosen)):
            kept.append(floor)
            room_left -= 0 if tells else len(floor.rooms)
    return kept, len(floors) - len(kept)


def _scale(floors: Sequence[Floor]) -> float:
    """Return the pixels a metre by which every floor fits the page."""
    scale = MOST_PIXELS_A_METRE
    highest = HIGHEST if len(floors) == 1 else HIGHEST_OF_SEVERAL
    for floor in floors:
        (left, low), (right, high) = floor.extent
        for span, most in ((right - left, WIDTH - 2 * MARGIN), (high - low, highest)):
            scale = min(scale, (most - 2 * INSIDE) / span) if span > 0 else scale
    return scale


def _size(floor: Floor, scale: float, several: bool) -> tuple[float, float]:
    (left, low), (right, high) = floor.extent
    title = TITLE if several else 0.0
    return max(160.0, (right - left) * scale + 2 * INSIDE), (high - low) * scale + 2 * INSIDE + title


def _by_position(
    paper: Paper, floor: Floor, scene: Scene, corner: Point, size: tuple[float, float], scale: float
) -> None:
    (left, low), (right, high) = floor.extent
    x, y = corner
    frame = Box(x, y, *size)
    paper.frames.append((floor.level, frame))
    beside, above = (size[0] - (right - left) * scale) / 2, size[1] - INSIDE - (high - low) * scale
    origin = (x + beside - left * scale, y + above + high * scale)
    ground = FlatFloor((x + 6, y + size[1] - 6), origin, scale)
    paper.grounds.append(ground)
    paper.at |= {node: ground.on_paper(point) for node, point in floor.positions.items()}
    for room in floor.rooms:
        points = [paper.at[i] for i in (room, *scene.descendants(room)) if i in floor.positions]
        if points:
            paper.rooms[room] = _around(points, PAD * scale, frame)


def _around(points: Sequence[Point], pad: float, frame: Box) -> Box:
    """Return the box around points, a little larger, within a frame."""
    pad = max(pad, 4.0)
    xs, ys = zip(*points, strict=True)
    left, top = max(frame.x + 1, min(xs) - pad), max(frame.y + 1, min(ys) - pad)
    right, low = min(frame.x + frame.width - 1, max(xs) + pad), min(frame.y + frame.height - 1, max(ys) + pad)
    return Box(left, top, right - left, low - top, radius=3)


def _as_boxes(paper: Paper, title: str, rooms: Sequence[str], scene: Scene, matter: Collection[str]) -> None:
    """Add rooms as nested boxes below what is on the paper; of much, only what matters, and what it is in."""
    total = sum(1 for room in rooms for _ in scene.descendants(room))
    kept = {above for name in matter for above in (name, *scene.ancestors(name))}
    _add(paper, title, tiles(rooms, scene, lambda node: total <= MANY or node in kept))


def _add(paper: Paper, title: str, rows: Sequence[Tile]) -> None:
    """Put tiles in rows below what is on the paper, in a frame where there is a title."""
    y = paper.bottom + (GAP if paper.bottom and (paper.boxes or paper.rooms) else 0)
    inset = 8.0 if title else 0.0
    corners, right, low = in_rows([(c.width, c.height) for c in rows], WIDTH - 2 * (MARGIN + inset), 8.0)
    head = TITLE if title else 0.0
    for (dx, dy), tile in zip(corners, rows, strict=True):
        for placed in spread(tile, MARGIN + inset + dx, y + head + dy):
            paper.boxes.append(placed)
            if placed.node:
                paper.at[placed.node] = (placed.box.x + placed.box.width - 4, placed.box.y + 2)
    if title:
        right = max(right, width_of(name_of(title), 12, bold=True))
        paper.frames.append((title, Box(MARGIN, y, right + 2 * inset, low + head + inset)))
    paper.bottom = y + low + head + inset
