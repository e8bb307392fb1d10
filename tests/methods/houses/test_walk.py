"""The legs of a walk through a house: together they are the map, and each is what the robot did."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

pytest.importorskip("shapely")

from groundplan.datasets.library import find_task
from groundplan.methods.houses.driving.driver import OracleDriver
from groundplan.methods.houses.nearest_door import NearestDoor
from groundplan.methods.houses.search import SearchRun, search_house

HOUSE = "multi-object-search-gen_000"


@pytest.fixture(scope="module")
def run() -> SearchRun:
    episode = find_task(HOUSE).house
    assert episode is not None
    search = episode.search()
    world = search.world(2.0, None)
    return search_house(world, NearestDoor(), OracleDriver(world.grid), search.targets, 2.0)


def test_the_legs_are_the_map(run: SearchRun) -> None:
    seen = [name for leg in run.walk for name in leg.seen]
    graph = run.graph
    assert len(seen) == len(set(seen))
    assert set(seen) == {*graph.rooms, *graph.passages, *graph.large, *graph.small}
    cells = [cell for leg in run.walk for cell in leg.floor]
    assert len(cells) == len(set(cells)) > 100
    for find in run.finds:
        first = next(leg for leg in run.walk if find.id in leg.seen)
        assert first.moves >= find.moves and all(
            leg.moves < find.moves for leg in run.walk[: run.walk.index(first)]
        )


def test_each_leg_begins_where_the_last_one_ended_and_the_last_ends_the_walk(run: SearchRun) -> None:
    for before, after in zip(run.walk, run.walk[1:], strict=False):
        assert after.way[0] == before.way[-1] and before.moves <= after.moves
        steps = sum(math.dist(a, b) for a, b in zip(after.way, after.way[1:], strict=False))
        assert steps * 0.25 == pytest.approx(after.metres - before.metres)
    assert (
        run.walk[0].intent == "" and run.walk[-1].moves == run.driven.moves and run.walk[-1].room == run.room
    )
    assert run.intents == tuple(leg.intent for leg in run.walk[1:])


def length(way: Sequence[Sequence[float]]) -> float:
    return sum(math.dist(a, b) for a, b in pairwise(way))


def test_corners_and_strips_lose_nothing(run: SearchRun) -> None:
    for leg in run.walk:
        told: Any = leg.as_json()
        assert length(told["way"]) == pytest.approx(0.25 * length(leg.way))
        strips = [(round(4 * x), round(4 * y), round(4 * long)) for x, y, long in told["floor"]]
        assert {(i, j + n) for i, j, count in strips for n in range(count)} == set(leg.floor)
