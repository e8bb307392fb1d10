"""A chart as a value, whatever it shows; nothing of methods or results is loaded for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

ChartKind = Literal["curves", "stacks", "dots", "ranges", "points"]


@dataclass(frozen=True, slots=True)
class Point:
    """A point with the ends of its interval, where it has one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """The points of one line or one kind of bar; a ``level`` is one value for all x."""

    name: str
    points: tuple[Point, ...]
    level: bool = False


@dataclass(frozen=True, slots=True)
class SystemLook:
    """Numbers of a colour and of a mark, from 0: one for each method, one for each reader and engine."""

    colour: int
    mark: int


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart. In ``stacks``, ``dots`` and ``ranges`` the y of a point is the place of its category, from 0.

    In ``points`` both axes are logarithmic where ``logarithmic`` is true, and ``diagonal`` draws x = y.
    ``looks`` has a :class:`SystemLook` for each system of the report, the same in all of its charts.
    """

    name: str
    title: str
    kind: ChartKind
    x: str
    y: str
    series: tuple[Series, ...]
    categories: tuple[str, ...] = ()
    note: str = ""
    timed: bool = False
    logarithmic: bool = False
    diagonal: bool = False
    percent: bool = False
    looks: Mapping[str, SystemLook] = field(default_factory=dict)
