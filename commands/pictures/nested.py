"""Rooms as nested boxes, for scenes without positions: what is in what, each box with its name.

Boxes stand in rows, in the order of the scene. What is deeper than :data:`DEPTH` is left out, and so is what
a room has where there is much: it then has the number of the things in it behind its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ...simulator.scene import Scene
from .shapes import Box, title_of, width_of

DEPTH = 3
"""Levels of boxes: a room, what stands in it, what is in or on that."""
SIZE = 11.0
"""Size of the names in boxes, in pixels."""
_GAP, _TITLE, _CHIP = 5.0, 18.0, 17.0
_LONGEST = 28
"""Most characters of a name in a box."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A box with the boxes in it, whose places are relative to its own corner."""

    node: str
    title: str
    width: float
    height: float
    inside: tuple[tuple[float, float, Tile], ...] = ()


@dataclass(frozen=True, slots=True)
class Placed:
    """A box on paper, with its name and how deep it is: 0 for a room."""

    node: str
    title: str
    box: Box
    depth: int
    leaf: bool


def tiles(rooms: Iterable[str], scene: Scene, shown: Callable[[str], bool]) -> list[Tile]:
    """Return a tile for each room, with what is in it where that is ``shown``."""
    return [_tile(room, scene, shown, 1) for room in rooms]


def named(title: str, nodes: Sequence[str], scene: Scene) -> Tile:
    """Return a tile with a title around nodes without tiles in them."""
    names = [title_of(node, scene, _LONGEST) for node in nodes]
    wide = [width_of(name, SIZE) + 12 for name in names]
    inside = [Tile(n, name, w, _CHIP) for n, name, w in zip(nodes, names, wide, strict=True)]
    return _around("", title, inside)


def _tile(node: str, scene: Scene, shown: Callable[[str], bool], depth: int) -> Tile:
    below = [c for c in scene.contents(node) if scene.nodes[c].type != "agent"]
    kept = [c for c in below if shown(c)] if depth < DEPTH else []
    name = title_of(node, scene, _LONGEST)
    if left := _count(below, scene) - _count(kept, scene) if len(kept) < len(below) else 0:
        name += f" (+{left})" if kept else f" ({left})"
    if not kept:
        return Tile(node, name, width_of(name, SIZE) + 12, _CHIP)
    return _around(node, name, [_tile(c, scene, shown, depth + 1) for c in kept])


def _count(nodes: Iterable[str], scene: Scene) -> int:
    """Return the number of nodes with all below them."""
    return sum(1 + sum(1 for _ in scene.descendants(node)) for node in nodes)


def _around(node: str, title: str, inside: Sequence[Tile]) -> Tile:
    """Return a tile around others, a little wider than high."""
    area = sum((c.width + _GAP) * (c.height + _GAP) for c in inside)
    wide = max(width_of(title, SIZE, bold=True) + 12, (1.8 * area) ** 0.5, *(c.width for c in inside))
    places, right, low = in_rows([(c.width, c.height) for c in inside], wide, _GAP)
    moved = tuple((x + _GAP, y + _TITLE, c) for (x, y), c in zip(places, inside, strict=True))
    width = max(right, width_of(title, SIZE, bold=True) + 2)
    return Tile(node, title, width + 2 * _GAP, low + _TITLE + _GAP, moved)


def in_rows(
    sizes: Sequence[tuple[float, float]], width: float, gap: float
) -> tuple[list[tuple[float, float]], float, float]:
    """Return the upper left corners of boxes in rows of a width, and their right and lower end."""
    corners: list[tuple[float, float]] = []
    x = y = right = row = 0.0
    for wide, high in sizes:
        if x and x + wide > width:
            x, y, row = 0.0, y + row + gap, 0.0
        corners.append((x, y))
        right, row = max(right, x + wide), max(row, high)
        x += wide + gap
    return corners, right, y + row


def spread(tile: Tile, x: float, y: float, depth: int = 0) -> Iterable[Placed]:
    """Yield the boxes of a tile at a place on paper, those around others first."""
    box = Box(x, y, tile.width, tile.height, radius=3)
    yield Placed(tile.node, tile.title, box, depth, not tile.inside)
    for dx, dy, inner in tile.inside:
        yield from spread(inner, x + dx, y + dy, depth + 1)
