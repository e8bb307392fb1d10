"""Print figures of drivers in the bundled houses, with intervals over houses: point goals, and searches.

    python tools/measure_drivers.py [oracle optimistic learned FOLDER ..]        all three where none is named
    python tools/measure_drivers.py searches N [EXPLORER ..] [DRIVER ..]    below explorers, in N houses

A point goal is a random cell of the largest connected part of a house, at least 4 cells away, and 300 moves;
600 are drawn over the 132 houses. FOLDER has other weights (`tools/train_driver.py`). Every house is driven
by weights that never saw it. The houses of searches are drawn by seed 0. SPL is by metres driven; intervals
are of 95 %, by a bootstrap over houses.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from unittest.mock import patch

from groundplan.datasets.episodes.episode import largest_part
from groundplan.datasets.episodes.houses import StoredHouse
from groundplan.datasets.library import load_set
from groundplan.domains.pack import load_pack
from groundplan.evaluation.report.statistics import Interval, bootstrap, wilson
from groundplan.evaluation.walking import WalkJudgement, judge_walk, path_weighted
from groundplan.language.english.embedding import load
from groundplan.methods.houses.driving import Driver, LearnedDriver
from groundplan.methods.houses.house_method import DRIVERS, EXPLORERS, HouseMethod
from groundplan.methods.method import Limits, Tools
from groundplan.planners.request import Request
from groundplan.simulator.belief import ground
from groundplan.simulator.navigation import Camera, Control, HouseWorld, Stance
from groundplan.simulator.navigation.grid import CELL, Cell

GOALS, MOVES, APART, SEED = 600, 300, 4, 0

Make = Callable[[str, HouseWorld], Driver]


@dataclass(frozen=True)
class PointGoal:
    """A drive: the house, where it begins, where it is to end, and the metres of the shortest way."""

    house: StoredHouse
    start: Stance
    goal: Cell
    metres: float
    one_room: bool


@dataclass(frozen=True, slots=True)
class Drive:
    """The end of a point goal."""

    house: str
    one_room: bool
    success: bool
    spl: float
    moves: int
    bumps: int


def drawn(count: int = GOALS) -> list[PointGoal]:
    """Draw point goals, those of one house after the other."""
    houses = [task.house.house for task in load_set("multi-object-search") if task.house is not None]
    random = Random(SEED)
    numbers = sorted(random.randrange(len(houses)) for _ in range(count))
    goals = []
    for number in numbers:
        house = houses[number]
        grid, camera = house.raster.grid(), Camera(house.plan, house.raster)
        cells = largest_part(grid)
        while True:
            start, goal = random.choice(cells), random.choice(cells)
            if abs(start[0] - goal[0]) + abs(start[1] - goal[1]) >= APART:
                break
        metres = grid.distances(start).metres(goal)
        together = camera.room_of(start) == camera.room_of(goal)
        goals.append(PointGoal(house, Stance(start, random.randrange(4)), goal, metres, together))
    return goals


def driven(point: PointGoal, make: Make) -> Drive:
    """Drive to a point goal, in at most 300 moves."""
    world = HouseWorld(point.house.plan, point.start, raster=point.house.raster)
    driver = make(point.house.id, world)
    glimpse = world.observe()
    driver.observe((glimpse,))
    driver.begin(point.start.cell, point.goal)
    while world.driven.moves < MOVES:
        command = driver.command(glimpse, point.goal)
        if command is None or command == Control.STOP:
            break
        seen = world.act(command).glimpses
        driver.observe(seen)
        glimpse = seen[-1]
    arrived = glimpse.stance.cell == point.goal
    spl = path_weighted(arrived, point.metres, world.driven.steps * CELL)
    moves, bumps = world.driven.moves, world.driven.bumps
    return Drive(point.house.id, point.one_room, arrived, spl, moves, bumps)


def shown(interval: Interval) -> str:
    """Return an interval to three digits."""
    return f"{interval.value:.3f} ({interval.low:.3f} to {interval.high:.3f})"


def interval(clusters: Sequence[Sequence[float]]) -> str:
    """Return a mean with its interval."""
    return shown(bootstrap(clusters))


def line(name: str, drives: Sequence[Drive]) -> str:
    """One row: goals, SR and SPL with intervals, in one room and across rooms, moves and bumps of a drive."""

    def over_houses(values: Sequence[tuple[str, float]]) -> str:
        by_house: dict[str, list[float]] = {}
        for house, value in values:
            by_house.setdefault(house, []).append(value)
        return interval(list(by_house.values()))

    def both(some: Sequence[Drive]) -> str:
        return f"{sum(d.success for d in some) / len(some):.3f} / {sum(d.spl for d in some) / len(some):.3f}"

    cells = (
        str(len(drives)),
        over_houses([(d.house, float(d.success)) for d in drives]),
        over_houses([(d.house, d.spl) for d in drives]),
        both([d for d in drives if d.one_room]),
        both([d for d in drives if not d.one_room]),
        f"{sum(d.moves for d in drives) / len(drives):.1f}",
        f"{sum(d.bumps for d in drives) / len(drives):.2f}",
    )
    return f"| {name} | {' | '.join(cells)} |"


def searches(count: int, explorers: Sequence[str], drivers: Sequence[str]) -> None:
    """Search houses, and print a row for each explorer and driver."""
    tasks = Random(SEED).sample(load_set("multi-object-search"), count)
    tools, pack = Tools(similarity=load()), load_pack()
    print("| explorer | driver | houses | success | SPL | metres | moves | goals | given up | no way |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    rows: dict[tuple[str, str], list[tuple[WalkJudgement, Mapping[str, int]]]] = {}
    for task in tasks:
        assert task.house is not None
        house, belief = task.house.search(), ground(task.load(), pack)
        request = Request(belief, task.instruction, task=task.id, search_only=True, house=house)
        for explorer, driver in product(explorers, drivers):
            with patch.dict(DRIVERS, {driver: maker(driver)}):
                record = HouseMethod(explorer, driver=driver).run(request, tools, Limits(seconds=600))
            counts: Mapping[str, int] = record.house["driver"]  # type: ignore[assignment]
            judged = judge_walk(record, task.house.episode)
            rows.setdefault((explorer, driver), []).append((judged, counts))
            print(task.id, explorer, driver, judged.success, f"{judged.spl:.3f}", file=sys.stderr, flush=True)
    for (explorer, driver), results in rows.items():
        walks = [walk for walk, _ in results]
        share = wilson(sum(walk.success for walk in walks), len(walks))
        sums = [sum(counts[key] for _, counts in results) for key in ("goals", "given_up", "no_way")]
        cells = (
            *(explorer, driver, str(len(walks)), shown(share)),
            interval([[walk.spl] for walk in walks]),
            *(f"{sum(getattr(w, key) or 0 for w in walks) / len(walks):.1f}" for key in ("metres", "moves")),
            *map(str, sums),
        )
        print(f"| {' | '.join(cells)} |")


def maker(name: str) -> Make:
    """Return what makes a driver, by its name or the folder of its weights."""
    folder = Path(name)
    return DRIVERS[name] if name in DRIVERS else lambda house, world: LearnedDriver.of_house(house, folder)


def main(names: Sequence[str]) -> None:
    if names[:1] == ["searches"]:
        explorers = [name for name in names[2:] if name in EXPLORERS]
        drivers = [name for name in names[2:] if name not in EXPLORERS]
        searches(int(names[1]), explorers or ["least-cost"], drivers or list(DRIVERS))
        return
    goals = drawn()
    print("| driver | goals | SR | SPL | in one room | across rooms | moves | bumps |")
    print("|---|---|---|---|---|---|---|---|")
    for name in names:
        make = maker(name)
        print(line(name, [driven(goal, make) for goal in goals]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(DRIVERS))
