"""The walk of a search through a house, as moments of a page: the way, and the map as it grew.

A record may be anybody's file: a leg that is not as it should be is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from ...domains.files import items, mapping, number, objects, texts
from ...simulator.navigation.grid import CELL
from .paper import FlatFloor
from .playback import MOST_STEPS
from .shapes import Point

MOST_STRIPS = 4000
"""Most strips of floor of a leg."""


def legs_of(record: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
    """Return the legs of the walk that a record has; none for a run that searched no house."""
    return objects(mapping(record.get("house")).get("walk"))[:MOST_STEPS]


def way_of(legs: Sequence[Mapping[str, object]]) -> tuple[Point, ...]:
    """Return the points of a walk, in metres."""
    return tuple((x, y) for leg in legs for x, y in _rows(leg.get("way"), 2))


def sought(record: Mapping[str, object]) -> list[dict[str, str]]:
    """Return the types that were looked for, as parts of a goal: each as it is called, and in words."""
    named = texts(mapping(record.get("house")).get("targets"))
    return [{"formula": one, "words": f"Find: {one.replace('_', ' ')}."} for one in named]


def walked(record: Mapping[str, object], ground: FlatFloor) -> list[dict[str, object]]:
    """Return the moments of a walk: its ways on paper, what was new, and what was found by then."""
    moves_to, kinds = dict(_finds(record)), [one["formula"] for one in sought(record)]
    moments: list[dict[str, object]] = []
    for leg in legs_of(record):
        moves, room = leg.get("moves"), leg.get("room")
        by_then = moves if isinstance(moves, int) else 0
        moments.append(
            {
                "step": str(leg.get("intent", "")),
                "at": room if isinstance(room, str) else "",
                "held": [],
                "changes": [],
                "goal": "".join("01"[moves_to.get(one, math.inf) <= by_then] for one in kinds),
                "way": [_rounded(ground.on_paper((x, y))) for x, y in _rows(leg.get("way"), 2)],
                "floor": [_strip(row, ground) for row in _rows(leg.get("floor"), 3)[:MOST_STRIPS]],
                "seen": texts(leg.get("seen")),
                "walk": f"{_number(leg.get('metres')):.2f} metres, {by_then} moves",
            }
        )
    return moments


def first_seen(record: Mapping[str, object]) -> dict[str, int]:
    """Return for each node the number of the leg in which it was first seen."""
    legs = enumerate(legs_of(record))
    return {one: place for place, leg in legs for one in texts(leg.get("seen"))}


def walk_facts(record: Mapping[str, object]) -> Iterator[str]:
    """Yield numbers of a walk, in words."""
    legs = legs_of(record)
    if legs:
        yield f"{_number(legs[-1].get('metres')):.2f} metres driven in search"
        yield f"{_number(legs[-1].get('moves')):.0f} moves"


def _finds(record: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    for one in objects(mapping(record.get("house")).get("finds")):
        if isinstance(one.get("target"), str):
            yield one["target"], _number(one.get("moves"))


def _strip(row: Sequence[float], ground: FlatFloor) -> list[float]:
    """Return a strip of floor as a box on paper: left, top, width, height; neighbours share edges."""
    x, y, length = row
    half = CELL / 2
    left, low = _rounded(ground.on_paper((x - half, y - half)))
    right, top = _rounded(ground.on_paper((x + half, y - half + length)))
    return _rounded((left, top, right - left, low - top))


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(value, 1) for value in values]


def _rows(value: object, length: int) -> list[Sequence[float]]:
    """Return the lists of so many numbers in a list."""
    rows = [one for one in items(value) if isinstance(one, list) and len(one) == length]
    return [row for row in rows if all(math.isfinite(_number(n, math.nan)) for n in row)]


def _number(value: object, otherwise: float = 0.0) -> float:
    given = number(value)
    return float(given) if given is not None and abs(given) < 1e7 else otherwise
