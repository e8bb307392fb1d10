"""Search episodes: drawn from houses by seed, their shortest tours, their prepared set and its tasks."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise, permutations
from pathlib import Path

import networkx
import pytest
from building_plans import building_plan

from groundplan.commands import main
from groundplan.datasets.episodes import SearchEpisode, StoredHouse, draw_episode, draw_episodes, read_houses
from groundplan.datasets.episodes.episode import episode_from_json
from groundplan.datasets.generate.buildings import Sizes, furnished_building
from groundplan.datasets.library import load_set
from groundplan.datasets.prepared import place_of, prepared_set
from groundplan.domains.errors import InputError, SceneError
from groundplan.methods.houses import NearestDoor, OracleDriver, search_house
from groundplan.simulator.navigation import Camera, HouseSearch, Raster, SeenMap, Stance, complete_graph
from groundplan.simulator.navigation.grid import middle

HERE = Path(__file__).parent
FOLDER = HERE / "procthor_houses"


@pytest.fixture(scope="module")
def houses() -> tuple[StoredHouse, ...]:
    return read_houses(FOLDER)


@pytest.fixture(scope="module")
def episodes(houses: tuple[StoredHouse, ...]) -> tuple[SearchEpisode, ...]:
    return draw_episodes(houses)


def of(houses: tuple[StoredHouse, ...], episode: SearchEpisode) -> StoredHouse:
    return next(h for h in houses if h.id == episode.house)


def test_the_houses_have_plans_with_the_rooms_doors_and_things_of_their_scenes(
    houses: tuple[StoredHouse, ...],
) -> None:
    assert Counter(len(h.plan.rooms) for h in houses) == {3: 3, 4: 3, 5: 1, 6: 2, 7: 1, 8: 1, 10: 1}
    for house in houses:
        scene = house.scene()
        assert [r.id for r in house.plan.rooms] == list(scene.by_type["room"])
        things = {n.id: n for n in scene.nodes.values() if n.type in ("asset", "object")}
        assert things.keys() == house.plan.body.keys()
        assert all(things[b.id].classes == (b.kind,) for b in house.plan.bodies)
        assert all((things[b.id].relation == "inside_of") == b.inside for b in house.plan.bodies)
        doors = {p.id.partition("#")[0] for p in house.plan.passages}
        assert doors == set(scene.by_type["pose"])


def test_an_episode_can_be_done_and_its_tour_is_the_shortest(
    houses: tuple[StoredHouse, ...], episodes: tuple[SearchEpisode, ...]
) -> None:
    assert len(episodes) == 12
    for episode in episodes:
        house = of(houses, episode)
        plan, grid = house.plan, house.raster.grid()
        camera = Camera(plan, house.raster)
        graph = networkx.Graph()
        graph.add_nodes_from(grid.cells)
        for i, j in grid.cells:
            graph.add_edges_from(((i, j), c) for c in ((i + 1, j), (i, j + 1)) if grid.is_free(c))
        kinds = Counter(b.kind for b in plan.bodies)
        assert len(set(episode.kinds)) == 3 and all(kinds[k] == 1 for k in episode.kinds)
        lengths = networkx.single_source_shortest_path_length(graph, episode.start.cell)
        for target in episode.targets:
            body = plan.body[target.id]
            assert body.id not in plan.hidden
            assert any(camera.sees(cell, body.id) for cell in lengths)
            assert camera.room_of(target.cell) == body.room and target.cell in lengths
        cells = {t.kind: t.cell for t in episode.targets}
        tours = {
            order: sum(
                networkx.shortest_path_length(graph, a, b)
                for a, b in pairwise((episode.start.cell, *(cells[k] for k in order)))
            )
            for order in permutations(cells)
        }
        assert episode.metres == 0.25 * min(tours.values()) == 0.25 * tours[episode.order]
        assert episode.sighting_metres <= episode.metres + 2.0


def test_an_episode_depends_on_its_house_and_the_seed_alone(houses: tuple[StoredHouse, ...]) -> None:
    some = houses[::4]
    alone = [draw_episode(h) for h in some]
    assert list(draw_episodes(tuple(reversed(some)))) == list(reversed(alone))
    assert draw_episode(some[0], seed=1) != alone[0]
    few = draw_episodes(houses, {3: 2, 10: 5})
    assert Counter(e.rooms for e in few) == {3: 2, 10: 1}
    with pytest.raises(InputError, match="some with 9 rooms"):
        draw_episodes(houses, {9: 1})


def test_episodes_are_read_as_they_were_written(episodes: tuple[SearchEpisode, ...]) -> None:
    for episode in episodes:
        raw = json.loads(json.dumps(episode.as_json()))
        assert episode_from_json(raw, "e") == episode
    assert raw["start_heading"] in (0, 90, 180, 270) and raw["num_targets"] == 3


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("targets", [], "an order of the targets"),
        ("targets", 7, "a list"),
        ("start_heading", 45, "0, 90, 180 or 270"),
        ("shortest_path_targets_order", ["x"], "an order of the targets"),
        ("start_position", [1], "two numbers"),
        ("shortest_path_length", "far", "a number"),
    ],
)
def test_what_is_no_episode_is_refused(
    episodes: tuple[SearchEpisode, ...], key: str, value: object, words: str
) -> None:
    with pytest.raises(SceneError, match=words):
        episode_from_json(episodes[0].as_json() | {key: value}, "e")


def test_the_set_is_prepared_listed_and_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GROUNDPLAN_DATA", str(tmp_path))
    prepare = ["datasets", "prepare", "procthor", "--from", str(FOLDER)]
    assert main(prepare) == 0
    assert (tmp_path / "procthor" / "LICENSE").read_text() == (FOLDER / "LICENSE").read_text()
    tasks = load_set("multi-object-search")
    assert all(t.house is not None and t.house.episode.id == t.id for t in tasks)
    assert tasks[0].instruction.startswith("Find a") and len(tasks) == 12
    for task in tasks[::4]:
        capsys.readouterr()
        assert main(["find", "--task", task.id, "--json"]) == 0
        answers = json.loads(capsys.readouterr().out)["answers"]
        assert sorted(answers) == sorted(task.gold.answers)
    assert main(prepare) == 2 and "--force" in capsys.readouterr().err
    assert main([*prepare, "--goals", "whole", "--force"]) == 2
    episodes = tmp_path / "procthor" / "episodes.jsonl"
    episodes.write_text(episodes.read_text().replace("start_heading", "start_heading "))
    other = (tmp_path / "procthor").rename(tmp_path / "other")
    with pytest.raises(InputError, match=r"the file that dataset\.json lists"):
        prepared_set("multi-object-search", other)


def test_132_houses_come_with_the_package_and_prepared_ones_go_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GROUNDPLAN_DATA", str(tmp_path))
    bundled = [task.house for task in load_set("multi-object-search") if task.house is not None]
    assert len(bundled) == len({one.house.id for one in bundled}) == 132
    assert main(["datasets", "list", "--json"]) == 0
    (row,) = [r for r in json.loads(capsys.readouterr().out) if r["set"] == "multi-object-search"]
    assert row["ready"] and row["tasks"] == 132 and Path(row["folder"]) == place_of("multi-object-search")
    place = place_of("multi-object-search")
    assert "Apache License" in (place / "LICENSE").read_text()
    assert main(["datasets", "prepare", "procthor", "--from", str(FOLDER)]) == 0
    assert len(load_set("multi-object-search")) == 12 and place_of("multi-object-search").parent == tmp_path


def test_the_episodes_that_come_along_are_those_of_their_houses() -> None:
    tasks = prepared_set("multi-object-search", place_of("multi-object-search"))
    for bundled in [task.house for task in tasks if task.house is not None][::33]:
        assert draw_episodes([bundled.house]) == (bundled.episode,)


def test_houses_twice_and_folders_without_any_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="files of ProcTHOR houses"):
        read_houses(tmp_path)
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        (tmp_path / name).write_bytes((FOLDER / "houses.jsonl.gz").read_bytes())
    with pytest.raises(InputError, match="unique"):
        read_houses(tmp_path)


def test_procthors_own_json_gives_a_plan_with_the_holes_of_its_doors() -> None:
    (house,) = read_houses(HERE / "formats" / "procthor.json")
    door = house.plan.passages[0]
    # The hole reaches from 1 to 2 m along a wall from (4, 0) to (4, 4).
    assert door.id == "door|2|3" and sorted(door.ends) == [(4.0, 1.0), (4.0, 2.0)]
    assert all(not body.outline for body in house.plan.bodies)
    assert house.raster.grid().route((8, 4), (24, 4)) is not None


@pytest.mark.parametrize("count", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_a_map_of_a_house_holds_what_can_be_seen_in_it_and_nothing_else(
    houses: tuple[StoredHouse, ...], count: int
) -> None:
    for house in houses[:count]:
        camera = Camera(house.plan, house.raster)
        seen = SeenMap(reach=2.0)
        cells = house.raster.grid().cells
        for cell in cells:
            for heading in range(4):
                seen.add(camera.look(Stance(cell, heading)))
        truth, graph = complete_graph(house.plan, camera), seen.graph()
        visible = {b.id for b in house.plan.bodies if any(camera.sees(c, b.id) for c in cells)}
        assert {**graph.large, **graph.small} == {
            name: body for name, body in {**truth.large, **truth.small}.items() if name in visible
        }
        assert graph.passages == truth.passages and graph.ways == truth.ways
        assert graph.rooms.keys() == truth.rooms.keys()


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_the_explorer_finds_all_targets_in_the_twelve_houses(
    houses: tuple[StoredHouse, ...], episodes: tuple[SearchEpisode, ...], every: int
) -> None:
    for episode in episodes[::every]:
        house = of(houses, episode)
        world = episode.search(house).world()
        run = search_house(world, NearestDoor(), OracleDriver(world.grid), episode.kinds, 2.0)
        assert run.success, (episode.id, run.outcome, run.reason)
        assert {f.id for f in run.finds} == {t.id for t in episode.targets}
        # Nobody who sees as far can be quicker than who knows everything.
        assert run.metres >= episode.sighting_metres
        for find in run.finds:
            x, z = house.plan.body[find.id].at
            assert min((middle(c)[0] - x) ** 2 + (middle(c)[1] - z) ** 2 for c in world.grid.cells) <= 4


@pytest.mark.parametrize(("rooms", "seed"), [(3, 0), (10, 1), (120, 2)])
def test_a_generated_building_is_searched_by_its_floor_plan(rooms: int, seed: int) -> None:
    scene = furnished_building(Sizes.usual(rooms), seed)
    plan = building_plan(scene)
    things = [n for n in scene.nodes.values() if n.type in ("asset", "object")]
    assert sorted(b.id for b in plan.bodies) == sorted(n.id for n in things)
    assert {b.id: b.room for b in plan.bodies} == {n.id: scene.room_of(n.id) for n in things}
    raster = Raster.of_plan(plan)
    grid, camera = raster.grid(), Camera(plan, raster)
    start = grid.nearest((0.0, 0.0))
    assert start is not None
    within = grid.distances(start).reached()
    assert {camera.room_of(c) for c in within} == {r.id for r in plan.rooms}
    visible = [b for b in plan.bodies if b.id not in plan.hidden]
    seen_from = {b.id for b in visible if any(camera.sees(c, b.id) for c in within)} if rooms < 50 else None
    assert seen_from is None or seen_from == {b.id for b in visible}
    if rooms < 50:
        kind = next(b.kind for b in reversed(visible) if b.small)
        search = HouseSearch(plan, Stance(start, 0), (kind,))
        world = search.world()
        run = search_house(world, NearestDoor(), OracleDriver(world.grid), search.targets, 2.0)
        assert run.success


def test_buildings_without_a_floor_plan_are_refused() -> None:
    with pytest.raises(InputError, match="one floor"):
        building_plan(furnished_building(Sizes.usual(20, floors=2)))
    with pytest.raises(InputError, match="pieces of furniture in a room"):
        building_plan(furnished_building(Sizes(1, 1, 40, 0)))
