"""The drives of a plan as waypoints for Nav2: the file that RViz's Navigation 2 panel saves and loads.

A waypoint has a position in metres and an orientation as a quaternion in the order w x y z, both in the frame
`map` (`nav2_rviz_plugins/src/nav2_panel.cpp`). Other steps of a plan have no place in it: the comment beside
each waypoint is the printed step that it ends, so that whoever drives knows what comes next. A thing to be
stood before whose place nobody knows is a comment alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import atan2, cos, hypot, sin

from ...domains.errors import InputError, clip
from ...simulator.step import Step, read_step
from .poses import poses
from .source import ExportSource

FRAME = "map"
"""The only frame of such a file."""
BASE = ("stop", "before")
"""The poses of skills that drive the base."""
MAX_WAYPOINTS = 100_000
_NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_KEY = re.compile(r"  waypoint(\d+):  # (\S.*)")
NOWHERE = ": nobody knows where"
_COMMENT = re.compile(rf"  # \S.*{NOWHERE}")
_POSE = re.compile(rf"    pose: \[({_NUMBER}), ({_NUMBER}), ({_NUMBER})\]")
_TURN = re.compile(rf"    orientation: \[({_NUMBER}), ({_NUMBER}), ({_NUMBER}), ({_NUMBER})\]")


@dataclass(frozen=True, slots=True)
class NavWaypoint:
    """A stop of the base: the step that ends there, the position in metres, and the yaw in radians."""

    step: Step
    x: float
    y: float
    yaw: float


def write_waypoints(source: ExportSource) -> str:
    """Return the YAML of the drives of a plan; a stop without an orientation faces along the x axis.

    Raises :class:`InputError` for a stop without a position, and for positions in another frame.
    """
    if source.program.frame != FRAME:
        hint = "transform the positions of the scene, and leave `frame` out of the pack"
        raise InputError("nav2-waypoints", f"positions in the frame {FRAME}", source.program.frame, hint)
    lines, number = [""], 0
    for command, pose in zip(source.program.commands, poses(source), strict=True):
        kind, numbers = source.skill(command).pose, pose.numbers
        if "x" in numbers and kind in BASE:
            lines += [f"  waypoint{number}:  # {command.printed}", *_numbers(numbers)]
            number += 1
        elif kind == "stop":
            hint = "a scene with positions is needed to drive by coordinates"
            raise InputError(command.printed, "a position of where it ends", "none", hint)
        elif kind == "before":
            lines.append(f"  # {command.printed}{NOWHERE}")
    lines[0] = "waypoints:" if number else "waypoints: {}"
    return "\n".join(lines) + "\n"


def _numbers(numbers: Mapping[str, float]) -> tuple[str, str]:
    half = numbers.get("yaw", 0.0) / 2
    listed = ", ".join(repr(round(value, 9) + 0.0) for value in (cos(half), 0.0, 0.0, sin(half)))
    return f"    pose: [{numbers['x']!r}, {numbers['y']!r}, 0.0]", f"    orientation: [{listed}]"


def read_waypoints(text: str, where: str = "waypoints") -> tuple[NavWaypoint, ...]:
    """Read a file that :func:`write_waypoints` wrote. Raises :class:`InputError` with the line."""
    every = enumerate(text.removesuffix("\n").split("\n"), 1)
    lines = [(f"{where}:{n}", line) for n, line in every if not _COMMENT.fullmatch(line)]
    if not lines or lines[0][1] not in ("waypoints:", "waypoints: {}"):
        raise InputError(f"{where}:1", "waypoints:", clip(text))
    if len(lines) > 3 * MAX_WAYPOINTS or len(lines) % 3 != 1:
        raise InputError(
            where, f"at most {MAX_WAYPOINTS} waypoints of three lines each", f"{len(lines)} lines"
        )
    stops: list[NavWaypoint] = []
    for first in range(1, len(lines), 3):
        key, pose, turn = (
            _matched(pattern, *lines[first + i]) for i, pattern in enumerate((_KEY, _POSE, _TURN))
        )
        if int(key[1]) != len(stops):
            raise InputError(lines[first][0], f"waypoint{len(stops)}", f"waypoint{clip(key[1])}")
        w, tilt, lean, z = (float(turn[i]) for i in range(1, 5))
        if float(pose[3]) or tilt or lean or abs(hypot(w, z) - 1) > 1e-6:
            expected = "a pose on the floor, turned about the vertical axis by a unit quaternion"
            raise InputError(lines[first + 1][0], expected, clip(f"{pose[0].strip()} {turn[0].strip()}"))
        yaw = 2 * atan2(z, w)
        step = read_step(key[2], lines[first][0])
        stops.append(NavWaypoint(step, float(pose[1]), float(pose[2]), round(yaw, 4) + 0.0))
    return tuple(stops)


def _matched(pattern: re.Pattern[str], at: str, line: str) -> re.Match[str]:
    match = pattern.fullmatch(line)
    if match is None:
        raise InputError(at, "a line as `groundplan export --to nav2-waypoints` writes it", clip(line))
    return match
