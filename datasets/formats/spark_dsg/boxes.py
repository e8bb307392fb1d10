"""Boxes of Spark-DSG's nodes as sizes along the axes of the frame.

A box has ``dimensions`` (before version 1.1 ``min`` and ``max``) along axes of its own, and how these are
turned as the quaternion ``world_R_center``. What is kept is the size of the box around it along x, y and z.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, sqrt

from ....simulator.scene import EXTENT

MAX_METRES = 1e4


def with_extent(box: object) -> Mapping[str, object]:
    """Return the size of a box as a further key of a node; no key where there is none."""
    if not isinstance(box, dict) or box.get("type") == "INVALID":
        return {}
    sizes, turned = _numbers(box.get("dimensions"), 3), box.get("world_R_center")
    low, high = _numbers(box.get("min"), 3), _numbers(box.get("max"), 3)
    if not sizes and low and high:
        sizes = tuple(b - a for a, b in zip(low, high, strict=True))
    if not sizes or not all(0 < size < MAX_METRES for size in sizes):
        return {}
    quaternion = [turned.get(key) for key in "wxyz"] if isinstance(turned, dict) else [1.0, 0.0, 0.0, 0.0]
    rows = _turn(_numbers(quaternion, 4))
    if not rows:
        return {}
    along = (sum(abs(one) * size for one, size in zip(row, sizes, strict=True)) for row in rows)
    return {EXTENT: [round(metres, 3) for metres in along]}


def _turn(quaternion: tuple[float, ...]) -> tuple[tuple[float, float, float], ...]:
    """Return the rows of the matrix of a quaternion; none for one that is no turn."""
    length = sqrt(sum(number * number for number in quaternion))
    if not 0.5 < length < 2.0:
        return ()
    w, x, y, z = (number / length for number in quaternion)
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def _numbers(value: object, count: int) -> tuple[float, ...]:
    """Return so many numbers; none where there are others."""
    if not isinstance(value, list) or len(value) != count:
        return ()
    plain = all(isinstance(n, int | float) and not isinstance(n, bool) and abs(n) < 1e9 for n in value)
    return tuple(map(float, value)) if plain and all(map(isfinite, value)) else ()
