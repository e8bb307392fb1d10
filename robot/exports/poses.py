"""Poses of the commands of a program, in numbers: of the base, or the position of the hand.

The pack says of each skill which of the two it is, and how far before a thing the base stands. Positions are
those of the scene, in metres. It has no orientations: the base faces the thing that it stands before, and
between stops it faces the way that it came. What rests on a position that nobody knows is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import atan2, hypot

from ..program import Program
from ..skill import Skill
from .source import ExportSource

Numbers = Mapping[str, float]
"""Numbers by the name of their port: ``x y z`` in metres, ``yaw`` in radians, from the x axis towards y."""
Point = tuple[float, float]


def poses(source: ExportSource) -> tuple[Numbers, ...]:
    """Return for each command what is known of where it is done."""
    done_at: list[Numbers] = []
    base = _flat(source.program)
    for command in source.program.commands:
        skill = source.skill(command)
        target = command.target
        numbers: dict[str, float] = {}
        if skill.pose == "thing" and target is not None and target.position is not None:
            numbers = dict(zip("xyz", target.position, strict=True))
        elif skill.pose == "stop":
            numbers, base = _facing(base, command.position[:2] if command.position is not None else None)
        elif skill.pose == "before":
            numbers, base = _before(base, command, skill.distance)
        done_at.append({name: round(value, 4) + 0.0 for name, value in numbers.items()})
    return tuple(done_at)


def _flat(program: Program) -> Point | None:
    return program.start_position[:2] if program.start_position is not None else None


def _facing(start: Point | None, end: Point | None) -> tuple[dict[str, float], Point | None]:
    """Return the pose at the end of a way, facing as it led, and that end."""
    if end is None:
        return {}, None
    pose = {"x": end[0], "y": end[1]}
    if start is not None and start != end:
        pose["yaw"] = atan2(end[1] - start[1], end[0] - start[0])
    return pose, end


def _before(base: Point | None, command: Skill, distance: float) -> tuple[dict[str, float], Point | None]:
    """Return the pose at a distance before the thing, on the way to it and facing it, and its point.

    Where the robot is nearer already it stays there; where only the place around the thing is known it is
    driven to that.
    """
    target = command.target
    if target is None or target.position is None:
        return {}, None
    thing = target.position[:2]
    if target.position_of != target.node or base is None or base == thing:
        return _facing(base, thing)
    away = hypot(thing[0] - base[0], thing[1] - base[1])
    share = min(1.0, distance / away)
    point = (thing[0] + (base[0] - thing[0]) * share, thing[1] + (base[1] - thing[1]) * share)
    pose, _ = _facing(base, thing)
    return pose | {"x": point[0], "y": point[1]}, point
