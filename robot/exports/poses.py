"""Poses of the commands of a program, in numbers: of the base, or the position of the hand.

The pack says of each skill which of the two it is, and how far before a thing the base stands: before its
edge where the scene has its size, else before its centre. Positions are those of the scene, in metres. It has
no orientations: the base faces the thing that it stands before, and between stops it faces the way that it
came. A thing without a position of its own is where the nearest thing or place around it is that has one, and
whose position it is is said. The centre of a room is nobody's position but its own. What rests on a position
that nobody knows is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import atan2, hypot

from ...simulator.scene import EXTENT
from ..program import Program
from ..skill import Target
from .source import ExportSource

Point = tuple[float, float]
SOLID = ("asset", "part", "object")
"""Types of nodes before which the base stands; at a place or in a room it stands on its position."""


@dataclass(frozen=True, slots=True)
class CommandPose:
    """A place where a command is done, as far as it is known.

    ``numbers`` are by the name of their port, ``x y z`` in metres and ``yaw`` in radians from the x axis
    towards y, empty where nobody knows a position; ``position_of`` is the node whose position they rest on.
    """

    numbers: Mapping[str, float] = field(default_factory=dict)
    position_of: str = ""

    def ports(self) -> dict[str, float | str]:
        """Return the values by port."""
        named = {"position_of": self.position_of} if self.position_of else {}
        return {**self.numbers, **named}


def poses(source: ExportSource) -> tuple[CommandPose, ...]:
    """Return for each command what is known of where it is done."""
    done_at: list[CommandPose] = []
    base = _flat(source.program)
    for command in source.program.commands:
        skill = source.skill(command)
        stop = command.position[:2] if command.position is not None else None
        target = _known(command.target, source)
        numbers: dict[str, float] = {}
        if skill.pose == "thing" and target is not None:
            numbers = dict(zip("xyz", target.position or (), strict=True))
        elif skill.pose == "stop":
            numbers, base = _facing(base, stop)
        elif skill.pose == "before":
            numbers, base = _before(base, target, skill.distance, source)
            base = base or stop  # somewhere near the stop from which it is reached
        rounded = {name: round(value, 4) + 0.0 for name, value in numbers.items()}
        named = target is not None and bool(numbers) and skill.pose != "stop"
        done_at.append(CommandPose(rounded, str(target.position_of) if target is not None and named else ""))
    return tuple(done_at)


def _flat(program: Program) -> Point | None:
    return program.start_position[:2] if program.start_position is not None else None


def _known(target: Target | None, source: ExportSource) -> Target | None:
    """Return a target whose position is its own, or that of a thing or place that it is at."""
    if target is None or target.position is None or target.position_of is None:
        return None
    around = source.belief.scene.nodes[target.position_of]
    return target if target.position_of == target.node or around.type in (*SOLID, "pose") else None


def _facing(start: Point | None, end: Point | None) -> tuple[dict[str, float], Point | None]:
    """Return the pose at the end of a way, facing as it led, and that end."""
    if end is None:
        return {}, None
    pose = {"x": end[0], "y": end[1]}
    if start is not None and start != end:
        pose["yaw"] = atan2(end[1] - start[1], end[0] - start[0])
    return pose, end


def _before(
    base: Point | None, target: Target | None, distance: float, source: ExportSource
) -> tuple[dict[str, float], Point | None]:
    """Return the pose at a distance before what has the position, on the way to it, and its point.

    The distance is from the edge of its box, or from its centre where no size is known.
    Where the robot is nearer already it stays there. From where nobody knows there is no way to it.
    """
    if target is None or target.position is None or target.position_of is None:
        return {}, None
    thing = target.position[:2]
    if source.belief.scene.nodes[target.position_of].type not in SOLID or base == thing:
        return _facing(base, thing)
    if base is None:
        return {}, None
    way = base[0] - thing[0], base[1] - thing[1]
    size = source.belief.scene.nodes[target.position_of].extra.get(EXTENT)
    share = min(1.0, _to_edge(way, size) + distance / hypot(*way))
    point = thing[0] + way[0] * share, thing[1] + way[1] * share
    pose, _ = _facing(base, thing)
    return pose | {"x": point[0], "y": point[1]}, point


def _to_edge(way: Point, size: object) -> float:
    """Return the part of a way from the middle of a box that leads to its edge; 0 where it has no size."""
    match size:
        case [int() | float() as x, int() | float() as y, int() | float()]:
            sides = [half / abs(step) for half, step in ((x / 2, way[0]), (y / 2, way[1])) if step]
            return max(0.0, min(sides))
    return 0.0
