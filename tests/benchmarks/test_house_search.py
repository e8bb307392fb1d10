"""Processor time of a search of a house of ten rooms: reading its plan, the grid, and all that is done."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from groundplan.acting import EqualLikelihood
from groundplan.datasets.episodes import draw_episode, read_houses
from groundplan.methods.houses import Explorer, NearestDoor, OracleDriver, UsualPlaces, search_house
from groundplan.methods.houses.least_cost import LeastCost

HOUSES = Path(__file__).parents[1] / "datasets" / "procthor_houses"
SECONDS = 1.0


@pytest.mark.parametrize("name", ["nearest-door", "least-cost"])
def test_a_house_of_ten_rooms_is_searched_in_a_second_of_the_processor(name: str) -> None:
    (house,) = (h for h in read_houses(HOUSES) if len(h.house.rooms) == 10)
    episode = draw_episode(house)
    assert episode is not None
    equal = UsualPlaces(EqualLikelihood())
    taken = []
    for _ in range(3):  # the first one loads numpy and shapely
        explorer: Explorer = NearestDoor() if name == "nearest-door" else LeastCost(equal)
        started = time.process_time()
        world = episode.search(house).world()
        run = search_house(world, explorer, OracleDriver(world.grid), episode.kinds, 2.0)
        taken.append(time.process_time() - started)
        assert run.success
    assert min(taken) <= SECONDS
