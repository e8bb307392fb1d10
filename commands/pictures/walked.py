"""The walk of a search through a house, as moments of a page: the way, and the map as it grew.

A record may be anybody's file: a leg that is not as it should be is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from ...simulator.navigation.grid import CELL
from .paper import FlatFloor
from .playback import MOST_STEPS
from .shapes import Point

MOST_STRIPS = 4000
"""Most strips of floor of a leg."""


def legs_of(record: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
    """Return the legs of the walk that a record has; none for a run that searched no house."""
    house = record.get("house")
    walk = house.get("walk") if isinstance(house, dict) else None
    legs = [leg for leg in walk if isinstance(leg, dict)] if isinstance(walk, list) else []
    return legs[:MOST_STEPS]


def way_of(legs: Sequence[Mapping[str, object]]) -> tuple[Point, ...]:
    """Return the points of a walk, in metres."""
    return tuple((x, y) for leg in legs for x, y in _rows(leg.get("way"), 2))


def sought(record: Mapping[str, object]) -> list[dict[str, str]]:
    """Return the types that were looked for, as parts of a goal: each as it is called, and in words."""
    house = record.get("house")
    targets = house.get("targets") if isinstance(house, dict) else None
    named = [one for one in targets if isinstance(one, str)] if isinstance(targets, list) else []
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
                "seen": [one for one in _list(leg.get("seen")) if isinstance(one, str)],
                "walk": f"{_number(leg.get('metres')):.2f} metres, {by_then} moves",
            }
        )
    return moments


def first_seen(record: Mapping[str, object]) -> dict[str, int]:
    """Return for each node the number of the leg in which it was first seen."""
    legs = enumerate(legs_of(record))
    return {one: number for number, leg in legs for one in _list(leg.get("seen")) if isinstance(one, str)}


def walk_facts(record: Mapping[str, object]) -> Iterator[str]:
    """Yield numbers of a walk, in words."""
    legs = legs_of(record)
    if legs:
        yield f"{_number(legs[-1].get('metres')):.2f} metres driven in search"
        yield f"{_number(legs[-1].get('moves')):.0f} moves"


def _finds(record: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    house = record.get("house")
    for one in _list(house.get("finds")) if isinstance(house, dict) else []:
        if isinstance(one, dict) and isinstance(one.get("target"), str):
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
    rows = [one for one in _list(value) if isinstance(one, list) and len(one) == length]
    return [row for row in rows if all(math.isfinite(_number(n, math.nan)) for n in row)]


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _number(value: object, otherwise: float = 0.0) -> float:
    plain = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e7
    return float(value) if plain else otherwise  # type: ignore[arg-type]
