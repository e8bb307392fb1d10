"""Floors as places: a pack may let the robot be on a floor, where furniture stands in no room."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import parse_goal
from groundplan.domains.ending import Ending
from groundplan.domains.errors import NoRoute
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.printing import fill_routes, print_steps
from groundplan.simulator.scene import Link, Node, Scene

ENGINES = ("pyperplan", pytest.param("pyperplan-opt", marks=pytest.mark.slow))
HOUSEHOLD = Path(__file__).parents[2] / "domains" / "household"


@pytest.fixture(scope="module")
def floors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The household's pack, but that floors are places as well."""
    folder = tmp_path_factory.mktemp("floors") / "pack"
    shutil.copytree(HOUSEHOLD, folder)
    mapping = (folder / "mapping.toml").read_text(encoding="utf-8")
    for old, new in (
        ("[types]\n", '[types]\nfloor = "asset"\n'),
        ('"asset", "part"]', '"asset", "part", "floor"]'),
    ):
        assert old in mapping
        mapping = mapping.replace(old, new)
    (folder / "mapping.toml").write_text(mapping, encoding="utf-8")
    return folder


def hall(pack: Path, robot: str) -> Belief:
    """A floor with a kiosk that stands in no room, and with two rooms."""
    nodes = (
        Node("floor1", "floor", classes=("floor",)),
        Node("kiosk", "asset", "floor1", "in", ("kiosk",), ("release",)),
        Node("bread", "object", "kiosk", "ontop_of", ("bread",), ("pickup",)),
        Node("room0", "room", "floor1", "in", ("room",)),
        Node("table0", "asset", "room0", "in", ("table",), ("release",)),
        Node("cup", "object", "table0", "ontop_of", ("cup",), ("pickup",)),
        Node("room1", "room", "floor1", "in", ("room",)),
        Node("agent", "agent", at=robot, classes=("agent",)),
    )
    links = (Link("room0", "room1", 4.0),)
    return ground(Scene("hall", {n.id: n for n in nodes}, links), load_pack(str(pack)))


def contradictions(goal: str, belief: Belief) -> list[str]:
    diagnostics = check(parse_goal(goal), belief).diagnostics
    return [d.message for d in diagnostics if d.code == "contradiction"]


@pytest.mark.parametrize("first, second", [("floor1", "kiosk"), ("kiosk", "floor1")])
def test_a_floor_and_what_stands_on_it_are_one_place(floors: Path, first: str, second: str) -> None:
    assert contradictions(f"(and (robot_at {first}) (robot_at {second}))", hall(floors, "kiosk")) == []


@pytest.mark.parametrize(
    "goal",
    [
        "(and (robot_at floor1) (robot_at room0))",
        "(and (robot_at room0) (robot_at floor1))",
        "(and (robot_at kiosk) (robot_at table0))",
        "(and (robot_at kiosk) (holding bread) (in_room bread room1))",
    ],
)
def test_a_room_of_a_floor_is_another_place_than_the_floor(floors: Path, goal: str) -> None:
    assert contradictions(goal, hall(floors, "kiosk"))


@pytest.mark.parametrize(
    "robot, goal",
    [
        ("room0", "(and (not (robot_at floor1)) (not (robot_at room0)))"),
        ("table0", "(and (holding cup) (not (robot_at floor1)))"),
        ("room0", "(and (in_room cup room1) (not (robot_at floor1)))"),
        ("room0", "(or (and (robot_at floor1) (holding cup)) (and (holding cup) (robot_at room1)))"),
        ("room0", "(exists (?p - place) (and (robot_at ?p) (not (robot_at floor1)) (in_room cup room1)))"),
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_goals_about_a_floor_are_planned_for(floors: Path, robot: str, goal: str, engine: str) -> None:
    result = plan_goal(parse_goal(goal), hall(floors, robot), Engine.named(engine))
    assert result.ending is Ending.SOLVED and result.verified, result.reasons


@pytest.mark.parametrize(
    "goal, steps",
    [
        ("(holding bread)", ["pickup(bread)"]),
        ("(not (ontop_of bread kiosk))", ["pickup(bread)"]),
        ("(or (holding cup) (holding bread))", ["pickup(bread)"]),
        ("(and (sometime (holding bread)) (ontop_of bread kiosk))", ["pickup(bread)", "release(bread)"]),
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_what_needs_no_driving_is_planned_for_in_no_room(
    floors: Path, goal: str, steps: list[str], engine: str
) -> None:
    belief = hall(floors, "kiosk")
    result = plan_goal(parse_goal(goal), belief, Engine.named(engine))
    assert result.verified and result.cost_mm == 100 * len(steps), result.reasons
    assert [str(s) for s in print_steps(result.plan or (), belief)] == steps
    assert fill_routes(print_steps(result.plan or (), belief), belief) == print_steps(
        result.plan or (), belief
    )


def test_no_route_leads_from_what_is_in_no_room(floors: Path) -> None:
    belief = hall(floors, "kiosk")
    result = plan_goal(
        parse_goal("(and (holding bread) (robot_at room0))"), belief, Engine.named("pyperplan")
    )
    assert result.ending is Ending.UNSOLVABLE and result.reasons == ("no route leads from kiosk to room0",)
    routes = belief.routes
    assert routes.distance("kiosk", "kiosk") == 0 and routes.route("kiosk", "kiosk").hops == ()
    with pytest.raises(NoRoute):
        routes.distance("kiosk", "room0")
