"""Things that go the same way are carried together, in what the scene has and within what the goal says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from small_worlds import ALL_FOUR, CRATE, FIRST_TWO, rooms

from groundplan.compiler.goals.goal import parse_goal
from groundplan.domains.deadline import LimitReached
from groundplan.domains.ending import Ending
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.engines.result import PlanResult
from groundplan.planners.carrying_out import PlanSkeleton
from groundplan.planners.classical import plan_goal
from groundplan.planners.strategies import ordering, parts
from groundplan.planners.subgoals.carriers import Haul, Loading
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Link, Node, Scene

APART = 70_800
"""The cost of carrying four things one at a time, in millimetres."""


def planned(belief: Belief, goal: str, engine: str = "pyperplan") -> PlanResult:
    result = plan_goal(parse_goal(goal), belief, Engine.named(engine))
    assert result.verified
    return result


def uses_crate(result: PlanResult) -> bool:
    return any("crate" in step.args for step in result.steps)


@pytest.mark.parametrize(("count", "metres"), [(2, 11.0), (4, 11.8), (8, 13.4)])
def test_things_travel_in_the_crate_beside_them(count: int, metres: float) -> None:
    """The least costs, as an optimal search found them."""
    goal = " ".join(f"(ontop_of thing{n} table2)" for n in range(count))
    result = planned(rooms(count, CRATE), f"(and {goal})")
    assert result.cost_mm == metres * 1000
    assert "carrying things together" in result.assembly.why
    assert result.bound_mm is None


@pytest.mark.parametrize(
    "crate",
    [
        pytest.param({"affordances": ("pickup", "release")}, id="tray"),
        pytest.param({"affordances": ("pickup", "release", "open", "close"), "state": ("closed",)}, id="box"),
    ],
)
def test_a_tray_and_a_closed_box_do_as_well(crate: dict[str, Any]) -> None:
    result = planned(rooms(4, crate), f"(and {ALL_FOUR})")
    assert result.cost_mm is not None and result.cost_mm <= 12_000 and uses_crate(result)


def test_a_crate_that_the_goal_wants_where_it_is_comes_back() -> None:
    assert planned(rooms(4, CRATE), f"(and {ALL_FOUR} (ontop_of crate table1))").cost_mm == 22_000


def test_a_crate_that_is_to_go_there_as_well_takes_the_things_along() -> None:
    assert planned(rooms(4, CRATE), f"(and {ALL_FOUR} (ontop_of crate table2))").cost_mm == 11_800


def test_things_that_are_to_be_in_a_room_may_stay_in_their_crate() -> None:
    """It may also be held there."""
    result = planned(rooms(4, CRATE), "(forall (?t - thing) (in_room ?t room2))")
    assert result.cost_mm == 10_900 and "stay in their carrier" in result.assembly.why
    held = planned(rooms(4, CRATE), "(and (forall (?t - thing) (in_room ?t room2)) (hand_free))")
    assert held.cost_mm == 11_000


def test_things_that_are_to_lie_on_a_table_are_unloaded() -> None:
    mixed = f"(and {FIRST_TWO} (in_room thing2 room2) (in_room thing3 room2))"
    assert planned(rooms(4, CRATE), mixed).cost_mm == 11_400


def in_a_row(*sources: int) -> Belief:
    """Three rooms ten metres apart with a table each; a crate on the first, things on those given."""
    nodes = [Node(f"room{n}", "room") for n in (1, 2, 3)]
    nodes += [Node(f"table{n}", "asset", parent=f"room{n}", affordances=("release",)) for n in (1, 2, 3)]
    nodes += [Node("crate", "object", parent="table1", relation="ontop_of", **CRATE)]
    for number, source in enumerate(sources):
        extra = {"affordances": ("pickup",), "classes": ("thing",)}
        nodes.append(Node(f"thing{number}", "object", parent=f"table{source}", relation="ontop_of", **extra))
    nodes.append(Node("robot", "agent", at="room1"))
    links = (Link("room1", "room2", 10.0), Link("room2", "room3", 10.0))
    return ground(Scene("row", {n.id: n for n in nodes}, links), load_pack())


@pytest.mark.parametrize(("sources", "metres"), [((1, 2), 21.2), ((1, 2, 1, 2), 22.0), ((2, 1, 1), 21.6)])
def test_a_crate_is_loaded_in_several_rooms_along_the_way(sources: tuple[int, ...], metres: float) -> None:
    goal = " ".join(f"(ontop_of thing{n} table3)" for n in range(len(sources)))
    result = planned(in_a_row(*sources), f"(and {goal})")
    assert result.cost_mm == metres * 1000
    assert f"{len(sources)} of them are done by carrying" in result.assembly.why


def test_a_room_that_is_out_of_the_way_is_not_loaded_in() -> None:
    """The crate would have to be driven there and back past its target."""
    result = planned(
        in_a_row(1, 1, 3), " ".join(("(and", *(f"(ontop_of thing{n} table2)" for n in range(3)), ")"))
    )
    assert "2 of them are done by carrying" in result.assembly.why
    assert result.cost_mm == 31_200


@pytest.mark.parametrize("held", ["thing0", "crate", "pear"])
def test_a_full_hand_puts_down_what_it_holds_before_a_crate_is_loaded(held: str) -> None:
    pear = Node("pear", "object", parent="table1", relation="ontop_of", affordances=("pickup",))
    nodes = dict(rooms(4, CRATE, pear).scene.nodes)
    nodes[held] = replace(nodes[held], parent="robot", relation="inside_hand")
    belief = ground(Scene("held", nodes, (Link("room1", "room2", 10.0),)), load_pack())
    result = planned(belief, f"(and {ALL_FOUR})")
    assert result.cost_mm == 11_900


@pytest.mark.parametrize(
    ("goal", "metres"),
    [
        ("(not (exists (?x - item) (ontop_of ?x table1)))", 0.9),
        ("(and (not (exists (?x - item) (ontop_of ?x table1))) (hand_free))", 11.0),
    ],
)
def test_a_table_is_cleared_with_the_crate_that_stands_on_it(goal: str, metres: float) -> None:
    assert planned(rooms(4, CRATE), goal).cost_mm == metres * 1000


def test_the_robot_comes_back_to_where_it_is_to_be() -> None:
    """It is there now, which carrying undoes."""
    result = planned(rooms(4, CRATE), f"(and {ALL_FOUR} (robot_at room1))")
    assert result.cost_mm == 21_800 and result.assembly.mode == "split"


@pytest.mark.parametrize(
    "more",
    ["(sometime (ontop_of crate table1))", "(not (ontop_of crate table2))", "(sometime (holding crate))"],
)
def test_a_crate_of_which_the_goal_says_more_is_left_alone(more: str) -> None:
    belief = rooms(4, CRATE)
    assert "carrying" not in planned(belief, f"(and {ALL_FOUR} {more})").assembly.why


def test_a_thing_of_which_the_goal_says_more_travels_alone() -> None:
    result = planned(rooms(4, CRATE), f"(and {ALL_FOUR} (sometime (holding thing1)))")
    assert "3 of them are done by carrying" in result.assembly.why


@pytest.mark.parametrize("state", ["filled", "dirty", "hot"])
def test_things_in_a_state_that_nothing_ends_travel_alone(state: str) -> None:
    result = planned(rooms(4, CRATE, things={"state": (state,)}), f"(and {ALL_FOUR})")
    assert result.cost_mm == APART and not uses_crate(result)


def test_a_crate_with_something_in_it_stays() -> None:
    pear = Node("pear", "object", parent="crate", relation="inside_of", affordances=("pickup",))
    result = planned(rooms(4, CRATE, pear), f"(and {ALL_FOUR})")
    assert result.cost_mm == APART and not uses_crate(result)


def test_a_crate_that_cannot_be_picked_up_stays() -> None:
    result = planned(rooms(4, {"affordances": ("release", "contain")}), f"(and {ALL_FOUR})")
    assert result.cost_mm == APART and not uses_crate(result)


def test_a_crate_elsewhere_is_fetched_where_that_pays() -> None:
    far = Node("bin", "object", parent="table2", relation="ontop_of", affordances=("pickup", "release"))
    result = planned(rooms(4, {"affordances": ()}, far), f"(and {ALL_FOUR})")
    assert result.cost_mm == 32_000  # there, back with it, and there again
    assert planned(rooms(2, {"affordances": ()}, far), f"(and {FIRST_TWO})").cost_mm == 30_400


def test_more_than_a_crate_takes_go_in_several_trips_or_alone() -> None:
    goal = " ".join(f"(ontop_of thing{n} table2)" for n in range(14))
    result = planned(rooms(14, CRATE), f"(and {goal})")
    assert "12 of them are done by carrying" in result.assembly.why


@pytest.mark.parametrize(
    ("more", "metres"),
    [
        ("(not (holding crate))", 11.8),
        ("(not (holding thing1))", 11.8),
        ("(in_room crate room1)", 22.0),
        ("(in_room crate room2)", 11.8),
        ("(in_room crate room2) (not (holding crate))", 11.8),
    ],
)
def test_what_unloading_or_bringing_back_makes_true_is_no_reason_to_leave_a_crate(
    more: str, metres: float
) -> None:
    result = planned(rooms(4, CRATE), f"(and {ALL_FOUR} {more})")
    assert result.cost_mm == metres * 1000 and "carrying things together" in result.assembly.why


@pytest.mark.parametrize(
    ("goal", "metres"),
    [
        ("(and (not (ontop_of thing0 table1)) (hand_free))", 0.2),
        ("(not (exists (?x - thing) (ontop_of ?x table1)))", 0.7),
    ],
)
def test_what_only_has_to_leave_its_place_is_put_down_near_by(goal: str, metres: float) -> None:
    """One of the things may stay in the hand."""
    assert planned(rooms(4, CRATE), goal).cost_mm == metres * 1000


def test_what_has_to_leave_its_place_and_its_room_is_not_put_down_near_by() -> None:
    goal = "(and (not (ontop_of thing0 table1)) (not (in_room thing0 room1)) (hand_free))"
    assert planned(rooms(4, CRATE), goal).cost_mm == 10_200


def test_a_fixed_place_near_by_is_taken_rather_than_a_movable_thing() -> None:
    shelf = Node("shelf", "asset", parent="room1", affordances=("release",))
    goal = "(and (not (ontop_of thing0 table1)) (hand_free))"
    result = planned(rooms(4, CRATE, shelf), goal)
    assert result.cost_mm == 200 and not uses_crate(result)


def test_a_carrier_that_saves_little_of_a_long_order_is_not_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two things over ten metres, beside one that travels many kilometres."""
    tried: list[str] = []
    with_carrier = Loading.with_carrier

    def noted(self: Loading, haul: Haul, carrier: str) -> PlanSkeleton | None:
        tried.append(carrier)
        return with_carrier(self, haul, carrier)

    monkeypatch.setattr(Loading, "with_carrier", noted)
    far = Node("room9", "room"), Node("table9", "asset", parent="room9", affordances=("release",))
    scene = rooms(3, CRATE, *far).scene
    goal = f"(and {FIRST_TWO} (ontop_of thing2 table9))"
    for metres, hauls in ((20_000.0, False), (200.0, True)):
        tried.clear()
        links = (*scene.links, Link("room2", "room9", metres))
        planned(ground(replace(scene, links=links), load_pack()), goal)
        assert bool(tried) == hauls


def test_steps_of_loading_are_bounded_by_a_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plan does not depend on the clock: without steps left it is the one without a carrier."""
    monkeypatch.setattr("groundplan.planners.strategies.ordering.MAX_STEPS", 0)
    result = planned(rooms(4, CRATE), f"(and {ALL_FOUR})")
    assert result.cost_mm == APART and result.reproducible and not result.cut_off


def test_the_plan_at_hand_is_kept_where_an_order_with_carriers_takes_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ordered, calls = ordering.ordered, 0

    def once(*args: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise LimitReached(Ending.TIMED_OUT, "ordering subgoals", "its share of the time")
        return ordered(*args)

    for module in (ordering, parts):
        monkeypatch.setattr(module, "ordered", once)
    result = planned(rooms(4, CRATE), f"(and {ALL_FOUR})")
    assert calls == 2 and result.cost_mm == APART and not result.reproducible
    assert "ordering subgoals" in " ".join(result.cut_off)
