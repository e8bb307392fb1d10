"""Print figures of searchers in worlds that no episode of `multi-object-search` is in, to develop them.

    python tools/develop_searches.py HOUSES [METHOD[:SETTING=VALUE,..] ..]

HOUSES is the folder of ProcTHOR houses that the set was prepared from. In each house that is left over, 25
episodes are drawn from as many seeds; beside them stand generated buildings of 6 to 9 rooms. A setting is a
number that the module of the searcher names, such as `greedy-rate:ROOM_BY_RATE=3`, and holds for that row.
What is chosen here was never tried on the set itself.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import fmean

from building_plans import building_plan

from groundplan.datasets.episodes import draw_episode, draw_episodes
from groundplan.datasets.episodes.episode import TARGETS, largest_part
from groundplan.datasets.episodes.houses import read_houses
from groundplan.datasets.generate.buildings import Sizes, furnished_building
from groundplan.evaluation.walking import path_weighted
from groundplan.language.english.embedding import load
from groundplan.methods.houses import OracleDriver, least_cost, search_house
from groundplan.methods.houses.house_method import EXPLORERS
from groundplan.methods.method import Tools
from groundplan.simulator.navigation.camera import REACH, Camera, Stance
from groundplan.simulator.navigation.grid import Raster
from groundplan.simulator.navigation.house_world import HouseSearch
from groundplan.simulator.navigation.tours import shortest_tour

DRAWS, BUILDINGS = 25, 40

Drawn = tuple[HouseSearch, float]
"""A search, and the length of its shortest tour."""


def house_searches(source: Path) -> Iterator[Drawn]:
    """Draw searches in the houses that the set has no episode in."""
    houses = read_houses(source)
    used = {episode.house for episode in draw_episodes(houses)}
    for house in houses:
        if house.id not in used:
            for seed in range(1, DRAWS + 1):
                if (episode := draw_episode(house, seed)) is not None:
                    yield episode.search(house), episode.metres


def building_searches() -> Iterator[Drawn]:
    """Draw searches in generated buildings, as those in houses are drawn; some have too few types."""
    for seed in range(1, BUILDINGS + 1):
        scene = furnished_building(Sizes.usual(6 + seed % 4), seed)
        plan = building_plan(scene)
        raster = Raster.of_plan(plan)
        grid, camera = raster.grid(), Camera(plan, raster)
        within = largest_part(grid)
        counts = Counter(body.kind for body in plan.bodies)
        seen = [
            body
            for body in sorted(plan.bodies, key=lambda b: b.id)
            if counts[body.kind] == 1 and scene.nodes[body.id].type == "object"
            if body.id not in plan.hidden and any(camera.sees(cell, body.id) for cell in within)
        ]
        if len(seen) < TARGETS:
            continue
        random = Random(f"building {seed}")
        goals = {}
        for body in random.sample(seen, TARGETS):
            inside = [cell for cell in within if camera.room_of(cell) == body.room]
            cell = grid.nearest(body.at, inside or within)
            assert cell is not None  # the robot is somewhere
            goals[body.kind] = cell
        start = Stance(random.choice(within), random.randrange(4))
        tour = shortest_tour(grid, start.cell, goals)
        assert tour is not None  # all are in one connected part
        yield HouseSearch(plan, start, tuple(goals)), tour.metres


def figures(name: str, drawn: Sequence[Drawn], tools: Tools) -> str:
    """Carry every search out, and return success, SPL, metres and seconds of the processor."""
    started, runs = time.process_time(), []
    for search, length in drawn:
        world = search.world()
        explorer = EXPLORERS[name](search, tools)
        runs.append((search_house(world, explorer, OracleDriver(world.grid), search.targets, REACH), length))
    spl = fmean(path_weighted(run.success, length, run.metres) for run, length in runs)
    metres = fmean(run.metres for run, _ in runs)
    found = sum(run.success for run, _ in runs)
    return f"{found}/{len(runs)} | {spl:.3f} | {metres:.1f} | {time.process_time() - started:.0f}"


def main(source: str, titles: Sequence[str]) -> None:
    sets = {"houses": list(house_searches(Path(source))), "buildings": list(building_searches())}
    tools = Tools(similarity=load())
    print("| method | worlds | success | SPL | metres | seconds |\n|---|---|---|---|---|---|")
    for title in titles:
        name, _, settings = title.partition(":")
        pairs = [setting.partition("=") for setting in settings.split(",") if setting]
        usual = {key: getattr(least_cost, key) for key, _, _ in pairs}
        for key, _, value in pairs:
            setattr(least_cost, key, type(usual[key])(value))
        for worlds, drawn in sets.items():
            print(f"| {title} | {worlds} | {figures(name, drawn, tools)} |", flush=True)
        for key, value in usual.items():
            setattr(least_cost, key, value)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:] or ["least-cost", "least-cost-single", "greedy-rate", "nearest-place"])
