"""Searches of houses that nobody knows: what ends them, what they count, and that nobody sees the truth."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from types import FunctionType, MethodType, ModuleType

import pytest
from plain_house import two_rooms

from groundplan.methods.houses import (
    DriveTo,
    Explorer,
    GiveUp,
    Intent,
    LookAround,
    NearestDoor,
    OracleDriver,
    SearchRun,
    search_house,
)
from groundplan.simulator.navigation import Camera, FloorPlan, HouseWorld, SeenMap, Stance


def run(
    explorer: Explorer, targets: Sequence[str], plan: FloorPlan | None = None, moves: int = 1000
) -> tuple[SearchRun, HouseWorld]:
    world = HouseWorld(plan if plan is not None else two_rooms(), Stance((4, 4), 2))
    return search_house(world, explorer, OracleDriver(world.grid), targets, 2.0, moves), world


def test_the_nearest_door_explorer_finds_what_is_in_two_rooms() -> None:
    result, world = run(NearestDoor(), ("pillow", "mug", "vase"))
    assert result.outcome == "found" and result.success
    assert {f.target: f.id for f in result.finds} == {"pillow": "pillow1", "mug": "mug1", "vase": "vase1"}
    assert result.finds[0].target == "mug", "the hall is searched before the door is passed"
    assert result.driven == world.driven and result.metres == world.driven.metres
    metres = [f.metres for f in result.finds]
    assert metres == sorted(metres) and metres[-1] <= result.metres
    assert result.as_json()["moves"] == world.driven.moves == world.driven.steps + world.driven.turns


@pytest.mark.parametrize("target", ["ring", "unicorn"])
def test_what_is_hidden_or_not_there_is_given_up_after_everything_was_looked_at(target: str) -> None:
    result, _ = run(NearestDoor(), (target, "mug"))
    assert (result.outcome, [f.target for f in result.finds]) == ("gave-up", ["mug"])
    assert "everything" not in result.reason and result.reason


def test_a_map_from_before_is_used_and_goes_on_to_be_filled() -> None:
    first = HouseWorld(two_rooms(), Stance((4, 4), 2))
    seen = SeenMap(reach=2.0)
    search_house(first, NearestDoor(), OracleDriver(first.grid), ("unicorn",), 2.0, seen=seen)
    places = len(seen.floor)
    again = HouseWorld(two_rooms(), Stance((4, 4), 2))
    explorer = NearestDoor(entered=dict.fromkeys(seen.rooms))
    run = search_house(again, explorer, OracleDriver(again.grid), ("unicorn",), 2.0, seen=seen)
    assert len(seen.floor) == places and run.metres < first.driven.metres


def test_a_shut_door_keeps_the_robot_out() -> None:
    result, _ = run(NearestDoor(), ("pillow",), two_rooms(closed=True))
    assert result.outcome == "gave-up" and not result.finds


@pytest.mark.parametrize("moves", [0, 1, 2, 3, 5, 7, 9, 14, 30])
def test_a_search_ends_with_its_moves(moves: int) -> None:
    result, world = run(NearestDoor(), ("pillow", "ring"), moves=moves)
    assert result.outcome == "out-of-moves" and world.driven.moves == moves
    assert result.as_json()["moves"] == moves and all(find.moves <= moves for find in result.finds)


def test_a_look_around_with_too_few_moves_left_makes_as_many_of_its_turns_and_what_they_show_counts() -> None:
    # The mug is behind the robot, two turns away.
    for moves, outcome in ((1, "out-of-moves"), (2, "found"), (3, "found")):
        result, world = run(Stubborn(LookAround()), ("mug",), moves=moves)
        assert (result.outcome, world.driven.moves) == (outcome, moves)
        assert [find.moves for find in result.finds] == ([2] if outcome == "found" else [])
        assert world.driven.turns == moves and world.driven.looks == 0
    result, world = run(Stubborn(LookAround()), ("unicorn",), moves=6)
    assert (result.outcome, world.driven.looks, world.driven.moves) == ("out-of-moves", 1, 6)


@dataclass
class Stubborn:
    """An explorer that always wants the same."""

    intent: Intent
    name: str = "stubborn"

    def next(self, seen: SeenMap, targets: tuple[str, ...]) -> Intent:
        return self.intent


def test_an_explorer_that_wants_what_cannot_be_is_stuck_and_one_may_give_up() -> None:
    result, world = run(Stubborn(DriveTo((400, 400))), ("pillow",))
    assert result.outcome == "stuck" and world.driven.moves == 0
    result, _ = run(Stubborn(GiveUp("no wish to")), ("pillow",))
    assert (result.outcome, result.reason) == ("gave-up", "no wish to")
    result, world = run(Stubborn(LookAround()), ("pillow",), moves=12)
    assert result.outcome == "out-of-moves" and world.driven.looks == 3


@dataclass
class Prying:
    """An explorer that notes all that it could get at by way of what it is handed."""

    inner: NearestDoor
    kinds: set[type]
    name: str = "prying"

    def next(self, seen: SeenMap, targets: tuple[str, ...]) -> Intent:
        reached: dict[int, object] = {}
        todo: list[object] = [seen, targets]
        while todo:
            thing = todo.pop()
            if id(thing) in reached or isinstance(thing, type | ModuleType | FunctionType | MethodType):
                continue
            reached[id(thing)] = thing
            self.kinds.add(type(thing))
            todo += gc.get_referents(thing)
        return self.inner.next(seen, targets)


def test_an_explorer_reaches_no_truth_through_what_it_gets() -> None:
    prying = Prying(NearestDoor(), set())
    result, _ = run(prying, ("pillow", "mug"))
    assert result.success and SeenMap in prying.kinds
    assert prying.kinds.isdisjoint({FloorPlan, HouseWorld, Camera, OracleDriver})
