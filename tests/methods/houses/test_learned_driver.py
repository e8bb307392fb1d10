"""The learned driver: its weights and their manifest, its inputs, and training that gives the same bytes."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy
import pytest
import train_driver
from driver_training import (
    Floor,
    HouseTable,
    Recipe,
    drive,
    first_weights,
    gradients,
    mirror,
    path_lengths,
    sequences,
    trained,
)
from measure_drivers import drawn, driven, maker
from plain_house import two_rooms

from groundplan.datasets.library import load_set
from groundplan.domains.errors import InputError
from groundplan.domains.pack import load_pack
from groundplan.evaluation.walking import judge_walk
from groundplan.methods.houses.driving import LearnedDriver, learned
from groundplan.methods.houses.driving.learned import MANIFEST, TRAINED, WEIGHTS, packed
from groundplan.methods.houses.driving.policy import SHAPES, RecurrentPolicy
from groundplan.methods.houses.driving.view import (
    AROUND,
    FREE,
    NUMBERS,
    RANGES,
    REMEMBERED,
    SHUT,
    SIDE,
    FloorMemory,
    numbers,
    ranges_of,
    recalled,
)
from groundplan.methods.houses.house_method import HouseMethod
from groundplan.methods.method import Limits, Tools
from groundplan.planners.request import Request
from groundplan.simulator.belief import ground
from groundplan.simulator.navigation import Control, FloorPlan, HouseWorld, Stance
from groundplan.simulator.navigation.floor_plan import Point

TINY = Recipe(expert=24, round=16, rounds=1, epochs=1, last_epochs=1, batch=8)


def mirrored_rooms() -> FloorPlan:
    """The two rooms with left and right exchanged."""

    def turned(points: tuple[Point, ...]) -> tuple[Point, ...]:
        return tuple((-x, z) for x, z in points)

    plan = two_rooms()
    return FloorPlan(
        "rooms-two",
        tuple(replace(r, corners=turned(r.corners)) for r in plan.rooms),
        tuple(replace(p, ends=turned(p.ends)) for p in plan.passages),  # type: ignore[arg-type]
        tuple(replace(b, at=(-b.at[0], b.at[1]), outline=turned(b.outline)) for b in plan.bodies),
    )


@pytest.fixture(scope="module")
def floor() -> Floor:
    houses = [task.house.house for task in load_set("multi-object-search")[:2] if task.house is not None]
    return Floor.of([HouseTable.of(house) for house in houses])


def test_the_weights_are_those_of_the_manifest_and_small() -> None:
    manifest = json.loads((TRAINED / MANIFEST).read_text())
    data = (TRAINED / WEIGHTS).read_bytes()
    assert len(data) < 1_000_000 and hashlib.sha256(data).hexdigest() == manifest["weights"]
    assert sum(int(numpy.prod(shape)) for shape in SHAPES.values()) == 112_643
    assert manifest["unseen_houses"]["n"] == 600
    tasks = load_set("multi-object-search")
    assert manifest["houses"] == train_driver.houses_hash(tasks)


def test_no_bundled_house_is_driven_by_weights_that_saw_it() -> None:
    """The weights of a fold were trained in all folds but their own, and every house is in one."""
    manifest = json.loads((TRAINED / MANIFEST).read_text())
    names = [task.scene for task in load_set("multi-object-search")]
    assert sorted(house for fold in manifest["folds"] for house in fold) == sorted(names)
    assert manifest["folds"] == train_driver.folds_of(names[::-1])
    weights = learned.trained()
    for number, fold in enumerate(manifest["folds"]):
        assert all(weights.policy(house) is weights.policies[number] for house in fold)
    assert weights.policy("a house of somebody") is weights.policies[0]


def test_other_weights_than_the_manifest_says_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "weights"
    shutil.copytree(TRAINED, folder)
    data = bytearray((folder / WEIGHTS).read_bytes())
    data[5000] ^= 1
    (folder / WEIGHTS).write_bytes(bytes(data))
    with pytest.raises(InputError, match="hash"):
        learned.trained(folder)
    manifest = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps(manifest | {"layout": 99}))
    with pytest.raises(InputError, match="layout"):
        learned.trained(folder)


def test_the_tables_of_training_have_what_a_robot_sees(floor: Floor) -> None:
    (house, _) = (task.house.house for task in load_set("multi-object-search")[:2] if task.house is not None)
    table, draw = floor.tables[0], numpy.random.default_rng(0)
    for number in draw.integers(len(table.cells), size=40).tolist():
        for heading in range(4):
            world = HouseWorld(house.plan, Stance(table.cells[number], heading), raster=house.raster)
            assert (ranges_of(world.observe()) == table.ranges[number, heading]).all()


def test_the_memories_of_training_are_those_of_a_robot(floor: Floor) -> None:
    (house, other) = (t.house.house for t in load_set("multi-object-search")[:2] if t.house is not None)
    walks = drive(floor, RecurrentPolicy(first_weights(5)), 12, numpy.random.default_rng(4), beta=0.5)
    for walk, steps in enumerate(walks.lengths.tolist()):
        first = int(walks.cells[0, walk]) >= floor.first[1]
        home, memory = (other if first else house), FloorMemory()
        for cell, heading, recorded in zip(
            floor.places[walks.cells[:steps, walk]].tolist(),
            walks.headings[:steps, walk].tolist(),
            walks.memory[:steps, walk],
            strict=True,
        ):
            stance = Stance((cell[0], cell[1]), heading)
            memory.add(HouseWorld(home.plan, stance, raster=home.raster).observe())
            assert (memory.numbers(stance)[0] == recorded).all()


def test_what_is_recalled_of_a_direction() -> None:
    """Ahead: four free cells, of which two were visited, and a wall; behind: nothing was seen."""
    directions = numpy.zeros((1, AROUND, SIDE), dtype=numpy.uint8)
    directions[0, 0, :5] = FREE, FREE + 3, FREE, FREE + 1, SHUT
    near = numpy.asarray([[FREE + 9, FREE, SHUT, 0, FREE + 2]], dtype=numpy.uint8)
    (whole,) = recalled(directions, near)
    assert whole[[0, AROUND, 2 * AROUND]].tolist() == [4, False, 2]
    assert whole[[8, AROUND + 8, 2 * AROUND + 8]].tolist() == [0, True, 0]
    assert whole[3 * AROUND :].tolist() == [4, 0, 0, 0, 2]


def test_the_numbers_say_where_the_goal_is_as_seen_from_the_robot() -> None:
    seen = numpy.full((4, RANGES), 80, dtype=numpy.uint8)
    away = numpy.asarray([[0, 8]] * 4)
    memory = numpy.random.default_rng(0).integers(2, size=(4, REMEMBERED)).astype(numpy.uint8)
    given = numbers(seen, away, numpy.arange(4), numpy.asarray([-1, 0, 1, 2]), memory)
    assert given.shape == (4, NUMBERS) and (given[:, :RANGES] == 1).all()
    ahead, right = given[:, RANGES], given[:, RANGES + 1]
    assert ahead == pytest.approx([0.2, 0, -0.2, 0]) and right == pytest.approx([0, -0.2, 0, 0.2])
    assert (given[:, RANGES + 12 : RANGES + 16] == numpy.eye(4)).all()
    assert (mirror(mirror(given)) == given).all()


def test_a_mirrored_house_is_seen_and_remembered_mirrored() -> None:
    """In the mirrored plan a robot at the mirrored place has the mirrored numbers."""
    plan, turned = two_rooms(), mirrored_rooms()
    memory, other = FloorMemory(), FloorMemory()
    cells, headings = [(4, 4), (4, 5), (4, 6), (4, 6)], [0, 0, 0, 1]
    for cell, heading in zip(cells, headings, strict=True):
        stance, opposite = Stance(cell, heading), Stance((-cell[0], cell[1]), -heading % 4)
        memory.add(HouseWorld(plan, stance).observe())
        other.add(HouseWorld(turned, opposite).observe())
    one, two = (
        numbers(
            ranges_of(HouseWorld(house, at).observe())[None],
            numpy.asarray([away]),
            numpy.asarray([at.heading]),
            numpy.asarray([last]),
            kept.numbers(at),
        )
        for house, at, away, last, kept in (
            (plan, stance, (3, 5), 1, memory),
            (turned, opposite, (-3, 5), 0, other),
        )
    )
    assert mirror(one) == pytest.approx(two)


def test_gradients_are_those_of_finite_differences() -> None:
    draw = numpy.random.default_rng(0)
    weights = {name: value.astype(numpy.float64) for name, value in first_weights(1).items()}
    given, labels = draw.normal(size=(5, 3, NUMBERS)), draw.integers(3, size=(5, 3))
    mask = numpy.ones((5, 3))
    mask[3:, 1] = 0
    slopes, _ = gradients(weights, given, labels, mask)
    for name, value in weights.items():
        flat = value.reshape(-1)
        steepest = int(numpy.abs(slopes[name]).argmax())
        losses = []
        for change in (1e-3, -2e-3):
            flat[steepest] += change
            losses.append(gradients(weights, given, labels, mask)[1])
        flat[steepest] += 1e-3
        slope = (losses[0] - losses[1]) / 2e-3
        assert slopes[name].reshape(-1)[steepest] == pytest.approx(slope, rel=1e-2, abs=1e-5), name


def test_the_policy_of_a_search_is_that_of_training(floor: Floor) -> None:
    """Scores step by step are those whose cross entropy the gradients are of."""
    weights = first_weights(3)
    walks = drive(floor, None, 6, numpy.random.default_rng(1))
    given, labels, mask = sequences(floor, walks, mirrored=False)
    policy = RecurrentPolicy(weights)
    state, losses = policy.start(given.shape[1]), []
    for step in range(len(given)):
        scores, state = policy.step(given[step], state)
        shares = numpy.exp(scores) / numpy.exp(scores).sum(axis=1, keepdims=True)
        losses.append(-numpy.log(shares[numpy.arange(len(shares)), labels[step]]) * mask[step])
    _, loss = gradients(weights, given, labels, mask)
    assert float(numpy.sum(losses) / mask.sum()) == pytest.approx(loss, rel=1e-4)


def test_the_expert_drives_shortest_ways(floor: Floor) -> None:
    walks = drive(floor, None, 30, numpy.random.default_rng(2), most=400)
    assert walks.arrived.all()
    assert all(shortest == way for shortest, way in path_lengths(floor, walks).tolist())


def test_training_twice_gives_the_same_bytes_and_another_seed_others(floor: Floor) -> None:
    once, states = trained(floor, TINY, 0)
    again, _ = trained(floor, TINY, 0)
    other, _ = trained(floor, TINY, 1)
    assert states > 0 and packed([once]) == packed([again]) != packed([other])


def test_it_drives_to_a_cell_in_an_empty_room_and_stops_there() -> None:
    world = HouseWorld(two_rooms(), Stance((4, 4), 2))
    driver, glimpse, goal = LearnedDriver.of_house("two-rooms"), world.observe(), (12, 8)
    most = driver.begin((4, 4), goal)
    while (command := driver.command(glimpse, goal)) != Control.STOP:
        glimpse = world.act(command).glimpses[-1]
        assert world.driven.moves <= most
    assert glimpse.stance.cell == goal


def test_its_memory_is_of_one_goal() -> None:
    world = HouseWorld(two_rooms(), Stance((4, 4), 2))
    fresh, used = (LearnedDriver.of_house("two-rooms") for _ in range(2))
    used.begin((4, 4), (12, 8))
    for _ in range(5):
        used.command(world.observe(), (12, 8))
    for driver in (fresh, used):
        driver.begin((4, 4), (4, 12))
    assert [fresh.command(world.observe(), (4, 12)) for _ in range(9)] == [
        used.command(world.observe(), (4, 12)) for _ in range(9)
    ]


@pytest.mark.slow
def test_point_goals_and_searches_in_houses_that_its_weights_never_saw() -> None:
    drives = [driven(goal, maker("learned")) for goal in drawn(150)]
    assert sum(d.success for d in drives) / len(drives) >= 0.8
    results = []
    for task in load_set("multi-object-search")[::13]:
        assert task.house is not None
        request = Request(
            ground(task.load(), load_pack()), task.instruction, search_only=True, house=task.house.search()
        )
        record = HouseMethod("nearest-door", driver="learned").run(request, Tools(), Limits(seconds=60))
        results.append(judge_walk(record, task.house.episode).success)
    assert sum(results) >= 0.8 * len(results)
