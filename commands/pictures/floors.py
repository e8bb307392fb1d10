"""The floors of a scene, and for each whether it can be drawn from above: by the positions of its nodes.

A floor is the nearest level above a room. It is drawn by positions where they tell most of its rooms, and
most of the furniture in them, apart; otherwise as nested boxes (``nested``). No position is made up: what has
none is where the nearest node around it is that has one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ...simulator.scene import CONTAINERS, Position, Scene
from .shapes import Point

PAD = 0.35
"""Metres that a room is drawn larger than the box around what is in it."""
SMALLEST, LARGEST = 0.01, 1e7
"""Metres between which the larger side of a floor plan is."""


@dataclass(frozen=True)
class Floor:
    """A level with its rooms, and the poses between them; ``level`` is empty where the scene has none."""

    level: str
    rooms: tuple[str, ...]
    poses: tuple[str, ...] = ()
    positions: Mapping[str, Point] = field(default_factory=dict)
    """Metres to the right and upwards: of rooms, poses and what is in the rooms, where they have any."""

    @cached_property
    def extent(self) -> tuple[Point, Point]:
        """The lower left and the upper right corner of its rooms, in metres."""
        xs, ys = zip(*self.positions.values(), strict=True)
        return (min(xs) - PAD, min(ys) - PAD), (max(xs) + PAD, max(ys) + PAD)

    @cached_property
    def drawn_by_position(self) -> bool:
        """True if positions tell most of the rooms apart, and most of what stands in them."""
        if not self.positions:
            return False
        (left, low), (right, high) = self.extent
        span = max(right - left, high - low)
        if not SMALLEST < span - 2 * PAD < LARGEST:
            return False
        places = {self.positions[room] for room in self.rooms if room in self.positions}
        return 2 * len(places) > len(self.rooms) and 2 * self.furnished >= self.furniture

    furniture: int = 0
    """The number of assets in its rooms."""
    furnished: int = 0
    """Those that have a position of their own."""


def floors_of(scene: Scene) -> list[Floor]:
    """Return the floors of a scene that have rooms or poses, by height, else in scene order."""
    level_of = {room: _level(room, scene) for room in scene.by_type.get("room", ())}
    level_of |= _of_poses(scene, level_of)
    grouped: dict[str, list[str]] = {}
    for node in scene.nodes:
        if node in level_of:
            grouped.setdefault(level_of[node], []).append(node)
    floors = [_floor(level, members, scene) for level, members in grouped.items()]
    heights = [_height((*floor.rooms, *floor.poses), scene) for floor in floors]
    order = (
        sorted(range(len(floors)), key=lambda n: heights[n])
        if not any(map(math.isnan, heights))
        else range(len(floors))
    )
    return [floors[n] for n in order]


def _height(nodes: Sequence[str], scene: Scene) -> float:
    """Return how high the lowest of some nodes is, in metres; not a number where none has a position."""
    return min((p[2] for n in nodes if (p := scene.nodes[n].position) is not None), default=math.nan)


def _level(node: str, scene: Scene) -> str:
    """Return the nearest level above a node that is no room; empty for none."""
    levels = CONTAINERS - {"room"}
    return next((a for a in scene.ancestors(node) if scene.nodes[a].type in levels), "")


def _of_poses(scene: Scene, level_of: Mapping[str, str]) -> dict[str, str]:
    """Return the level of each pose: its own, else that of the nearest place over links that has one."""
    poses = scene.by_type.get("pose", ())
    levels = {pose: level for pose in poses if (level := _level(pose, scene)) or not level_of}
    front = [*level_of, *levels]
    levels |= level_of
    for here in front:  # grows while it is gone through: a search in breadth
        for there in scene.neighbours.get(here, {}):
            if there not in levels:
                levels[there] = levels[here]
                front.append(there)
    return {pose: levels.get(pose, "") for pose in poses}


def _floor(level: str, members: Sequence[str], scene: Scene) -> Floor:
    rooms = tuple(m for m in members if scene.nodes[m].type == "room")
    poses = tuple(m for m in members if scene.nodes[m].type == "pose")
    positions: dict[str, Point] = {}
    furniture = furnished = 0
    for room in rooms:
        inside = [i for i in scene.descendants(room) if scene.nodes[i].type != "agent"]
        own = {i: _seen_from_above(p) for i in inside if (p := scene.nodes[i].position) is not None}
        assets = [i for i in inside if scene.nodes[i].type == "asset"]
        furniture, furnished = furniture + len(assets), furnished + sum(i in own for i in assets)
        position = scene.nodes[room].position
        if position is not None:
            positions[room] = _seen_from_above(position)
        elif own:
            xs, ys = zip(*own.values(), strict=True)
            positions[room] = ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2)
        positions |= own
    for pose in poses:
        if (position := scene.nodes[pose].position) is not None:
            positions[pose] = _seen_from_above(position)
    positions = {i: p for i, p in positions.items() if all(abs(v) < LARGEST for v in p)}
    return Floor(level, rooms, poses, positions, furniture, furnished)


def _seen_from_above(position: Position) -> Point:
    return position[0], position[1]


def round_metres(most: float) -> float:
    """Return the largest of 1, 2, 5, 10, .. metres, or a tenth of these, that is no more than a length."""
    power = 10.0 ** math.floor(math.log10(most))
    return next(power * step for step in (5, 2, 1) if power * step <= most * (1 + 1e-9))
