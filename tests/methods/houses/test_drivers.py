"""Drivers: what they get, when a goal is given up or has no way, and what a record says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from plain_house import two_rooms

from groundplan.datasets.library import load_set
from groundplan.datasets.scenes import load_scene
from groundplan.domains.errors import InputError
from groundplan.domains.pack import load_pack
from groundplan.methods.groups import GROUPS
from groundplan.methods.houses import DriveTo, GiveUp, Intent, LookAround, NearestDoor, search_house
from groundplan.methods.houses.driving import Driver, OptimisticDriver, OracleDriver
from groundplan.methods.houses.driving.driver import moves_for
from groundplan.methods.houses.driving.view import FAR, SAMPLES, SIDE, behind, ranges, ranges_of
from groundplan.methods.houses.errand import with_house_settings
from groundplan.methods.houses.house_method import DRIVERS, HouseMethod
from groundplan.methods.method import Limits, Tools
from groundplan.methods.registry import METHODS
from groundplan.planners.request import Request
from groundplan.simulator.belief import ground
from groundplan.simulator.navigation import (
    Control,
    Glimpse,
    HouseSearch,
    HouseWorld,
    Noise,
    SeenMap,
    Stance,
)
from groundplan.simulator.navigation.grid import Cell

START = Stance((4, 4), 2)


@dataclass
class Spinner:
    """A driver that turns for ever, and keeps what it heard."""

    most: int | None = None
    heard: list[Glimpse] = field(default_factory=list)
    begun: list[Cell] = field(default_factory=list)

    def account(self) -> Mapping[str, object]:
        return {"name": "spinner"}

    def observe(self, glimpses: Sequence[Glimpse]) -> None:
        self.heard += glimpses

    def begin(self, start: Cell, goal: Cell) -> int | None:
        self.begun.append(goal)
        return self.most

    def command(self, glimpse: Glimpse, goal: Cell) -> Control | None:
        return Control.RIGHT


@dataclass
class Listed:
    """An explorer with a list of intents, that keeps the map as it is each time."""

    intents: list[Intent]
    name: str = "listed"
    blocked: list[frozenset[Cell]] = field(default_factory=list)
    aside: list[frozenset[Cell]] = field(default_factory=list)

    def next(self, seen: SeenMap, targets: tuple[str, ...]) -> Intent:
        self.blocked.append(frozenset(seen.blocked))
        self.aside.append(frozenset(seen.aside))
        return self.intents.pop(0) if self.intents else GiveUp("the list is at its end")


def test_a_driver_hears_of_every_view_of_a_look_around_too() -> None:
    driver = Spinner(most=3)
    world = HouseWorld(two_rooms(), START)
    search_house(world, Listed([LookAround(), DriveTo((9, 9))]), driver, ("unicorn",), 2.0)
    assert [g.stance.heading for g in driver.heard] == [2, 3, 0, 1, 2, 3, 0, 1]


def test_a_goal_that_was_not_reached_in_its_moves_stays_floor_and_is_counted_as_given_up() -> None:
    explorer = Listed([DriveTo((9, 9)), DriveTo((9, 9))])
    run = search_house(HouseWorld(two_rooms(), START), explorer, Spinner(most=5), ("unicorn",), 2.0)
    assert run.driven.moves == 10 and run.as_json()["driver"] == {
        "name": "spinner",
        "goals": 2,
        "no_way": 0,
        "given_up": 2,
    }
    assert explorer.aside[1:] == [{(9, 9)}] * 2 and explorer.blocked == [frozenset()] * 3


def test_a_goal_without_a_way_is_no_floor_and_is_counted_as_that() -> None:
    world = HouseWorld(two_rooms(closed=True), START)
    explorer = Listed([DriveTo((28, 14))])
    run = search_house(world, explorer, OracleDriver(world.grid), ("unicorn",), 2.0)
    assert (run.goals.goals, run.goals.no_way, run.goals.given_up) == (1, 1, 0)
    assert explorer.blocked[-1] == {(28, 14)} and not explorer.aside[-1]


def test_moves_for_a_goal_grow_with_the_cells_to_it() -> None:
    assert moves_for((0, 0), (3, -4)) == 60 + 4 * 7
    assert OptimisticDriver().begin((0, 0), (1, 1)) == 68
    assert OracleDriver(HouseWorld(two_rooms(), START).grid).begin((0, 0), (1, 1)) is None


def test_what_was_put_aside_is_no_goal_of_the_sweep_but_driven_over() -> None:
    world = HouseWorld(two_rooms(), START)
    seen = SeenMap(reach=2.0)
    search_house(world, NearestDoor(), OracleDriver(world.grid), ("mug",), 2.0, seen=seen)
    explorer = NearestDoor()
    first = explorer.next(seen, ("unicorn",))
    while not isinstance(first, DriveTo):
        first = explorer.next(seen, ("unicorn",))
    seen.aside.add(first.cell)
    again = NearestDoor(looked=set(explorer.looked), entered=dict(explorer.entered)).next(seen, ("unicorn",))
    assert isinstance(again, DriveTo) and again.cell != first.cell and seen.grid().is_free(first.cell)


@pytest.mark.parametrize("name", [name for name in DRIVERS if name != "oracle"])
def test_only_the_oracle_reads_the_true_floor(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    world = HouseWorld(two_rooms(), START)
    monkeypatch.setattr(HouseWorld, "grid", property(lambda self: pytest.fail("the true floor was read")))
    driver = DRIVERS[name]("no-such-house", world)
    run = search_house(world, Listed([LookAround(), DriveTo((28, 14))]), driver, ("pillow",), 2.0)
    assert run.success and run.driven.bumps == 0


@pytest.mark.parametrize("goal", [(8, 12), (12, 12), (28, 14), (20, 3)])
def test_the_optimistic_driver_reaches_goals_that_nobody_showed_it(goal: Cell) -> None:
    world = HouseWorld(two_rooms(), START)
    steps = world.grid.distances(START.cell)[goal]
    driver, glimpse = OptimisticDriver(), world.observe()
    driver.observe((glimpse,))
    while (command := driver.command(glimpse, goal)) not in (None, Control.STOP):
        assert command is not None
        glimpse = world.act(command).glimpses[-1]
        driver.observe((glimpse,))
        assert world.driven.moves < 120
    assert glimpse.stance.cell == goal and world.driven.bumps == 0
    assert steps <= world.driven.steps <= 2 * steps


def test_the_optimistic_driver_says_so_where_a_shut_door_leaves_no_way() -> None:
    explorer, driver = Listed([LookAround(), DriveTo((28, 14))]), OptimisticDriver()
    run = search_house(HouseWorld(two_rooms(closed=True), START), explorer, driver, ("unicorn",), 2.0)
    assert run.goals.no_way + run.goals.given_up == 1 and run.driven.moves <= moves_for((4, 4), (28, 14)) + 4


def test_a_step_that_did_not_move_the_robot_shows_a_cell_that_is_none() -> None:
    world = HouseWorld(two_rooms(), START)
    glimpse = world.observe()
    blind = Glimpse(glimpse.stance, glimpse.room, (), (), ())
    driver = OptimisticDriver()
    driver.observe((blind,))
    driver.hidden.clear()
    assert driver.command(blind, (4, 0)) == Control.FORWARD
    driver.observe((blind,))
    assert driver.floor == {(4, 3): False}


def test_ranges_end_at_the_first_cell_that_is_not_shown_as_free() -> None:
    """The robot stands in the hall of 4 by 4 m and looks at a wall, at 0.875 m and more of free cells."""
    world = HouseWorld(two_rooms(), Stance((4, 4), 2))
    seen = ranges_of(world.observe())
    assert len(seen) == 33 and seen[16] * FAR / SAMPLES == pytest.approx(0.875, abs=0.13)
    assert (seen <= SAMPLES).all()


def test_a_mirrored_floor_gives_the_ranges_the_other_way_round() -> None:
    import numpy

    draw = numpy.random.default_rng(0)
    free = draw.random((2 * SIDE + 1, 2 * SIDE + 1)) < 0.97
    free[SIDE, SIDE] = True
    for heading, mirrored in ((0, free[::-1]), (1, free[:, ::-1]), (2, free[::-1]), (3, free[:, ::-1])):
        assert (ranges(mirrored, heading) == ranges(free, heading)[::-1]).all()
    everywhere = numpy.ones_like(free)
    assert (ranges(everywhere, 0) == SAMPLES).all()


def test_what_lies_behind_the_floor_that_is_shown_is_taken_for_a_wall_until_it_is_seen() -> None:
    world = HouseWorld(two_rooms(), Stance((12, 8), 1))
    glimpse = world.observe()
    shown = {cell for cell, _ in glimpse.cells}
    walls = behind(glimpse)
    assert walls and not shown & set(walls)
    driver = OptimisticDriver()
    driver.observe((glimpse,))
    assert driver.hidden == set(walls)
    wrong = set(filter(world.grid.is_free, walls))
    for cell in sorted(wrong):
        driver.observe([Glimpse(Stance(cell, 0), "bedroom", (), (), ((cell, ("bedroom", True)),))])
    assert wrong and not driver.hidden & wrong


def test_settings_of_searches_are_rows_with_names_of_their_own() -> None:
    methods = (METHODS["nearest-door"], METHODS["gold"])
    rows = with_house_settings(
        methods, ("oracle", "optimistic"), ("exact", "noisy:missed=.2,seed=3"), (2.0, 1.5)
    )
    assert len(rows) == 9 and rows[0] is methods[0] and rows[-1] is methods[1]
    named = {method.name: method for method in rows}
    noise = "noisy:missed=0.2,error=0.1,wrong_door=0.05,seed=3"
    last = named[f"nearest-door with driver optimistic, {noise}, reach 1.5"]
    assert isinstance(last, HouseMethod) and last.explorer == "nearest-door"
    assert (last.driver, last.reach, last.noise) == ("optimistic", 1.5, Noise(0.2, 0.1, 0.05, 3))
    assert with_house_settings(methods) == methods
    with pytest.raises(InputError, match="optimistic"):
        with_house_settings(methods, ("optimist",))
    with pytest.raises(InputError, match="searches houses"):
        with_house_settings(methods[1:], ("optimistic",))


@pytest.mark.parametrize(
    "text",
    [
        *("", "nois", "exact:", "noisy:", "noisy:missed", "noisy:missed=2", "noisy:missed=-1"),
        *("noisy:missed=nan", "noisy:miss=.1", "noisy:missed=.1,missed=.1", "noisy:seed=1.5"),
        *("noisy:error=1e9", "noisy:seed=1000000000"),
    ],
)
def test_a_perception_that_there_is_not_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="perception"):
        Noise.read(text)


def test_a_perception_is_read_back_from_its_name() -> None:
    assert Noise.read("exact") is None and Noise.read("noisy") == Noise()
    noise = Noise(0.15, 0.0, 1.0, 7)
    assert Noise.read(str(noise)) == noise


def test_a_record_says_who_drove_what_was_seen_and_what_the_robot_made_of_the_house() -> None:
    request = Request(
        ground(load_scene("home"), load_pack()),
        "Find them.",
        search_only=True,
        house=HouseSearch(two_rooms(), START, ("pillow",)),
    )
    (method,) = with_house_settings((METHODS["nearest-door"],), ("optimistic",), ("noisy:missed=0",), (3.0,))
    house = method.run(request, Tools(), Limits()).house
    assert house["driver"] == {"name": "optimistic", "goals": 3, "no_way": 0, "given_up": 0}
    assert (house["reach"], house["noise"]) == (
        3.0,
        {"missed": 0.0, "error": 0.1, "wrong_door": 0.05, "seed": 0},
    )
    graph = house["graph"]
    assert isinstance(graph, dict) and set(graph["rooms"]) == {"hall", "bedroom"}
    assert graph["passages"]["door1"]["rooms"] == ["bedroom", "hall"]
    pillow = graph["things"]["pillow1"]
    assert (pillow["type"], pillow["room"], pillow["parent"]) == ("pillow", "bedroom", "bed1")


def test_a_driver_that_is_no_oracle_finds_all_in_a_house_of_the_set() -> None:
    task = load_set("multi-object-search")[0]
    assert task.house is not None
    search = task.house.search()
    world = search.world()
    driver: Driver = OptimisticDriver()
    assert search_house(world, NearestDoor(), driver, search.targets, 2.0).success


def test_the_groups_list_searches_with_the_usual_driver_alone() -> None:
    searches = [m for group in GROUPS for m in group.methods if isinstance(m, HouseMethod)]
    assert searches and all(m.driver == "oracle" and m.noise is None for m in searches)


def test_a_goal_outside_of_the_house_ends() -> None:
    driver = OptimisticDriver()
    explorer = Listed([DriveTo((200, 200))])
    run = search_house(HouseWorld(two_rooms(), START), explorer, driver, ("unicorn",), 2.0, 900)
    assert run.outcome == "gave-up" and run.goals.no_way + run.goals.given_up == 1
