"""Shapes on paper and the widths of texts: what pictures are made of, whatever they are written as.

Units are pixels of a page of :data:`WIDTH`, y grows downwards. Colours are those of Okabe and Ito (2008),
which people tell apart who see few, and nothing is said by colour alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal
from unicodedata import combining, east_asian_width

from ...simulator.scene import Scene
from ..console.escape import safe
from ..kinds import with_class

WIDTH = 960
MARGIN = 20

INK, DIM, PALE, LINE = "#1f2328", "#59636e", "#f3f5f7", "#b6bfc8"
BLUE, GREEN, ORANGE, RED = "#0072b2", "#00775a", "#e69f00", "#b84a00"
"""Blue, bluish green and vermilion of the palette are darkened where they are the colour of a text."""
VISITED, OPENED = "#dcecf7", "#fff3cf"

MAX_NAME = 40
"""Most characters of a name in a picture."""

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]

_NARROW, _BROAD = frozenset(" .,:;'|!()[]{}ijlftrI-/\\"), frozenset("mwMW@%&")


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with round corners; ``x`` and ``y`` are its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    fill: str = "none"
    stroke: str = "none"
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Path:
    """A line through points; with ``fill`` the area within."""

    points: tuple[Point, ...]
    stroke: str = LINE
    width: float = 1.0
    fill: str = "none"
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Dot:
    """A circle around a point."""

    x: float
    y: float
    radius: float
    fill: str
    stroke: str = "none"


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text; ``x`` and ``y`` are where its baseline begins, or its middle or end by ``anchor``."""

    x: float
    y: float
    text: str
    size: float = 13.0
    fill: str = INK
    bold: bool = False
    anchor: Anchor = "start"
    halo: bool = False
    """True for a white rim, by which a name can be read across lines."""


Shape = Box | Path | Dot | Words


@dataclass(frozen=True, slots=True)
class Drawing:
    """A page of shapes, those in front last; ``title`` says in a sentence what is to be seen."""

    width: float
    height: float
    title: str
    shapes: tuple[Shape, ...]


def name_of(text: str, limit: int = MAX_NAME) -> str:
    """Return a name of a scene as it is drawn: what cannot be seen is escaped, what is long is cut."""
    shown = safe(text)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def title_of(node: str, scene: Scene, limit: int = MAX_NAME) -> str:
    """Return the name of a node as it is drawn, with the class that it does not say."""
    return name_of(with_class(node, scene), limit)


def width_of(text: str, size: float, bold: bool = False) -> float:
    """Return how wide a text is at most, in a sans-serif font of a size in pixels."""
    em = sum(map(_em, text))
    return em * size * (1.08 if bold else 1.0)


def _em(character: str) -> float:
    if combining(character):
        return 0.0
    if character in _NARROW:
        return 0.4
    if character in _BROAD or east_asian_width(character) in "WF":
        return 1.0
    if not character.isascii():
        return 0.78
    return 0.66 if character.isupper() else 0.6


def fitted(text: str, width: float, size: float, bold: bool = False) -> str:
    """Return a text, cut so that it fits a width."""
    if width_of(text, size, bold) <= width:
        return text
    left = width - width_of("…", size, bold)
    kept = 0
    for character in text:
        left -= width_of(character, size, bold)
        if left < 0:
            break
        kept += 1
    return text[:kept].rstrip() + "…"


def wrapped(text: str, width: float, size: float, most: int, bold: bool = False) -> list[str]:
    """Return a text in at most so many lines of a width; the last one is cut where there is more."""
    lines: list[str] = []
    words = text.split(" ")
    while words and len(lines) < most:
        line = words.pop(0)
        while words and width_of(f"{line} {words[0]}", size, bold) <= width:
            line = f"{line} {words.pop(0)}"
        if words and len(lines) == most - 1:
            line = f"{line} {' '.join(words)}"
        lines.append(fitted(line, width, size, bold))
    return lines


@dataclass(frozen=True, slots=True)
class Label:
    """A name beside a point on paper."""

    at: Point
    text: str
    size: float = 11.0
    fill: str = INK
    bold: bool = False
    gap: float = 6.0
    """Pixels that it keeps from the point."""
    centred: bool = False
    """True for a name that is best above its point."""
    far: bool = False
    """True for a name that may stand a line further away, rather than be left out."""


def placed(labels: Iterable[Label], taken: Iterable[Box], most: int) -> list[Words]:
    """Return the labels that have room, each near its point, the first ones first.

    ``taken`` is where nothing may be written; no two labels overlap, and a label without room is left out.
    """
    full = [(b.x, b.y, b.x + b.width, b.y + b.height) for b in taken]
    words: list[Words] = []
    for label in labels:
        if len(words) == most:
            break
        wide = width_of(label.text, label.size, label.bold)
        for start, base in _spots(label, wide):
            area = (start - 1, base - label.size * 0.85, start + wide + 1, base + label.size * 0.3)
            inside = area[0] >= MARGIN / 2 and area[2] <= WIDTH - MARGIN / 2
            if inside and not any(_overlap(area, other) for other in full):
                full.append(area)
                words.append(Words(start, base, label.text, label.size, label.fill, label.bold, halo=True))
                break
    return words


def _spots(label: Label, wide: float) -> Iterator[Point]:
    """Yield where the text of a label may begin: around its point, then further away."""
    (x, y), high = label.at, label.size
    for gap in (label.gap, label.gap + high) if label.far else (label.gap,):
        sides = [(x + gap, y + high * 0.35), (x - gap - wide, y + high * 0.35)]
        over = [(x - wide / 2, y - gap - high * 0.2), (x - wide / 2, y + gap + high * 0.8)]
        corners = [(left, base) for _, base in over for left in (x + gap, x - gap - wide)]
        yield from (*over[:1], *sides, *over[1:], *corners) if label.centred else (*sides, *over, *corners)


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
