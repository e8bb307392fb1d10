"""Bounds of orders, rechecked from what a record lists: right ones pass, and whatever is changed does not."""

from __future__ import annotations

import copy
import itertools
import json
import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from drawn_tasks import pick_and_place

from groundplan.compiler.certificates import stretches
from groundplan.compiler.certificates.certificate import Refused
from groundplan.compiler.certificates.findings import Finding
from groundplan.compiler.certificates.order_bounds import (
    FINE,
    Distance,
    Stop,
    exhausted,
    least_costs,
    path_cost,
    placed,
    tree_value,
)
from groundplan.compiler.certificates.orders import KEY, MAX_STOPS, read_errands
from groundplan.compiler.certificates.records import recheck
from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.deadline import LimitReached
from groundplan.domains.formula import And, conjunction
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.pipeline.hybrid import Request, run
from groundplan.simulator.belief import ground
from groundplan.simulator.scene_json import scene_from_json, scene_to_json
from groundplan.simulator.step import read_step
from groundplan.simulator.verification import verify_plan

OFFICE = ground(load_scene("office"), load_pack())
ORDER_KEYS = (KEY, "order_cost", "order_bound", "order_gap")
Json = dict[str, Any]


@cache
def planned(errands: int, seed: int, also: str = "(and)") -> tuple[str, Goal]:
    """Return the record of a run for random errands, as JSON, and the goal."""
    goal = Goal.of(conjunction((pick_and_place(OFFICE, errands, seed), parse_goal(also).formula)))
    record = run(Request(OFFICE, goal=goal), Engine.named("pyperplan"))
    return json.dumps(record.as_json()), goal


def findings(record: Json, goal: Goal) -> dict[str, Finding]:
    every = recheck(record, OFFICE, goal.formula)
    return {key: every[key] for key in ORDER_KEYS}


def statuses(record: Json, goal: Goal) -> list[str]:
    return [finding.status for finding in findings(record, goal).values()]


def test_the_order_of_few_errands_is_rechecked_by_exhaustion() -> None:
    text, goal = planned(4, 1)
    record = json.loads(text)
    assert statuses(record, goal) == ["rechecked"] * 4 and record["order_gap"] == 0
    detail = findings(record, goal)["order_bound"].detail
    assert detail == "of the order of these stops, by all orders of 4 errands"


def test_of_what_a_plan_saves_nothing_is_believed() -> None:
    text, goal = planned(4, 0)  # a door that one errand leaves open
    record = json.loads(text)
    assert record["cost"] < record["order_bound"] == record["order_cost"]
    bound = findings(record, goal)["order_bound"]
    assert bound.status == "not checked"
    assert bound.detail.startswith("rechecked up to 255.218 m of 255.318 m, of the order of these stops")
    assert "alone they cost 0.1 m more than in the plan" in bound.detail


def test_where_a_solver_proved_more_than_the_charges_show_it_is_said() -> None:
    text, goal = planned(16, 0)
    record = json.loads(text)
    bound = findings(record, goal)["order_bound"]
    assert bound.status == "not checked" and "by spanning trees over 16 errands" in bound.detail
    shown = float(bound.detail.split(" m of ")[0].rpartition(" ")[2])
    assert 0.99 * record["order_bound"] < shown <= record["order_bound"]
    gap = round(record["order_cost"] / shown - 1, 4)
    fields = findings(record | {"order_bound": shown, "order_gap": gap}, goal)
    alone = fields.pop("order_cost")  # a fridge that another errand leaves open
    assert alone.status == "not checked" and "the plan shows 709.026 m of it" in alone.detail
    assert [finding.status for finding in fields.values()] == ["rechecked"] * 3
    bare = record[KEY] | {"entering": [], "leaving": []}
    weaker = findings(record | {KEY: bare}, goal)["order_bound"]
    assert weaker.status == "not checked" and 0 < float(weaker.detail.split()[3]) < shown


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (None, "not checked"),
        ([], "refused"),
        ("x", "refused"),
        ({}, "refused"),
        ({"errands": [[]]}, "refused"),
        ({"errands": [[["pose1", "pose1"]]]}, "refused"),
        ({"errands": [[["pose1", None, 1.0]]]}, "refused"),
        ({"errands": [[["pose1", "pose1", -1.0]]]}, "refused"),
        ({"errands": [[["pose1", "pose1", float("nan")]]]}, "refused"),
        ({"errands": [[["pose1", "pose1", float("inf")]]]}, "refused"),
        ({"errands": [[["pose1", "pose1", True]]]}, "refused"),
        ({"errands": [[["pose1", "pose1", 10**400]]]}, "refused"),
        ({"errands": [[["no such place", "pose1", 1.0]]]}, "refused"),
        ({"errands": [[[["pose1"], "pose1", 1.0]]]}, "refused"),
        ({"errands": [[["pose1", "pose1", 0.0]]] * 1_000_000}, "not checked"),
        ({"errands": [[["pose1", "pose1", 0.0]] * 1_000_000]}, "not checked"),
        ({"start": None}, "refused"),
        ({"start": "pose1"}, "not checked"),
        ({"before": -1}, "refused"),
        ({"before": "x"}, "refused"),
        ({"fixed_end": 1}, "refused"),
        ({"entering": [0.0] * 1_000_000}, "refused"),
        ({"leaving": {}}, "refused"),
        ({"leaving": [float("nan")]}, "refused"),
    ],
)
def test_what_is_no_list_of_stops_shows_nothing(change: object, status: str) -> None:
    text, goal = planned(4, 1)
    record = json.loads(text)
    changed = record[KEY] | change if isinstance(change, dict) and change else change
    fields = findings(record | {KEY: changed}, goal)
    assert fields[KEY].status == status
    assert "rechecked" not in [f.status for f in fields.values()]
    assert fields["order_bound" if change is None else KEY].detail


@pytest.mark.parametrize(
    "change",
    [
        {"order_bound": 300.0},
        {"order_cost": 300.0},
        {"order_cost": 300.0, "order_bound": 300.0},
        {"order_bound": 300.0, "order_cost": 300.0, "order_gap": 0},
        {"order_gap": 0.1},
        {"order_bound": float("inf")},
        {"order_bound": None},
        {"order_cost": "x"},
    ],
)
def test_what_a_record_claims_beyond_its_stops_is_refused(change: Json) -> None:
    text, goal = planned(4, 1)
    assert "refused" in statuses(json.loads(text) | change, goal)


def test_lengths_that_are_none_end_in_a_finding() -> None:
    text, goal = planned(4, 1)
    for key in ("cost", "metres", "bound"):
        changed = json.loads(text) | {key: float("inf")}
        assert recheck(changed, OFFICE, goal.formula)[key].status == "refused"


def test_no_changed_list_of_stops_raises_the_bound() -> None:
    """Whatever is changed: a bound that is taken is one of the plan's own places at the plan's own cost."""
    text, goal = planned(4, 1)
    original = json.loads(text)
    numbers = random.Random(4)
    names = sorted(OFFICE.scene.nodes)
    taken = 0
    for _ in range(150):
        record = copy.deepcopy(original)
        key = record[KEY]
        for _ in range(numbers.randint(1, 3)):
            plan = numbers.choice(numbers.choice(key["errands"]))
            match numbers.randrange(6):
                case 0:
                    plan[numbers.randrange(2)] = numbers.choice(names)
                case 1:
                    plan[2] = round(max(0.0, plan[2] + numbers.uniform(-5, 20)), 3)
                case 2:
                    numbers.shuffle(key["errands"])
                case 3:
                    key["errands"].append(numbers.choice(key["errands"]))
                case 4:
                    key["fixed_end"] = True
                case 5:
                    key["before"] = round(numbers.uniform(0, 9), 3)
        try:
            errands = read_errands(key, OFFICE)
        except Refused:
            errands = None
        if errands is not None:
            first = [plans[0] for plans in errands.stops]
            record["order_cost"] = (errands.before + path_cost(errands.start, first, route)) / 1000
            record["order_bound"] = record["order_cost"]
            record["order_gap"] = 0
        if findings(record, goal)["order_bound"].status == "rechecked":
            taken += 1
            assert errands is not None
            least = tried(errands.start, errands.stops, route)
            assert record["order_bound"] * 1000 <= errands.before + least
            assert record["order_bound"] <= record["cost"]
    assert 0 < taken < 60


DETOUR = ["goto(pose13)", "goto(pose14)", "goto(pose13)", "goto(pose8)"]


def wasteful(record: Json, at: int) -> Json:
    """Return a record whose plan drives to and fro before a step, from pose8 and back, for nothing."""
    plan = [*record["plan"][:at], *DETOUR, *record["plan"][at:]]
    more = 2 * (route("pose8", "pose13") + route("pose13", "pose14")) / 1000
    lengths = {key: round(record[key] + more, 3) for key in ("cost", "metres")}
    return record | {"plan": plan} | lengths


def claims(record: Json, key: Json) -> Json:
    """Return a record that says its plan is the best order of some stops, at the plan's whole cost."""
    return record | {KEY: key, "order_cost": record["cost"], "order_bound": record["cost"], "order_gap": 0}


def test_what_a_plan_drives_for_nothing_raises_no_bound() -> None:
    text, goal = planned(4, 1)
    honest = json.loads(text)
    assert OFFICE.start == honest[KEY]["start"] == "pose8"
    record = wasteful(honest, 0)
    assert recheck(record, OFFICE, goal.formula)["cost"].status == "rechecked"
    nothing = honest[KEY] | {"errands": []}
    for key in (nothing, nothing | {"before": record["cost"]}):
        assert findings(claims(record, key), goal)[KEY].status == "refused"
    forged = [
        honest[KEY] | {"before": round(record["cost"] - honest["cost"], 3)},
        nothing | {"errands": [[["pose8", "pose8", record["cost"]]]]},
        nothing | {"errands": [[["pose8", honest[KEY]["errands"][-1][0][1], record["cost"]]]]},
    ]
    for key in forged:
        fields = findings(claims(record, key), goal)
        assert {fields[name].status for name in ORDER_KEYS[1:]} <= {"not checked"}, key
        assert "rechecked up to" in fields["order_bound"].detail
    unlisted = findings(record, goal)["order_bound"]
    assert unlisted.status == "not checked" and "m more than these stops" in unlisted.detail


def test_no_part_of_a_plan_counts_twice() -> None:
    text, goal = planned(4, 1)
    record = json.loads(text)
    first = record[KEY]["errands"][0]
    again = [[list(plan) for plan in first], *record[KEY]["errands"]]
    again[0][0][2] = 0.0  # it has been done, and costs nothing
    again[0][0][1] = again[0][0][0]
    longer = record | {KEY: record[KEY] | {"errands": again}}
    assert findings(longer, goal)["order_cost"].status == "rechecked"
    again[0][0][2] = 1.0
    changed = record | {KEY: record[KEY] | {"errands": again}, "order_cost": record["order_cost"] + 1}
    alone = findings(changed, goal)["order_cost"]
    assert alone.status == "not checked" and "at the costs that the record states" in alone.detail


def test_cuts_of_a_long_plan_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    text, goal = planned(4, 1)
    monkeypatch.setattr(stretches, "MAX_CUTS", 3)
    assert findings(json.loads(text), goal)[KEY].detail.endswith("stopped at 3 ways to cut the plan")


def test_a_hand_that_is_full_at_first_is_emptied_before_all_errands() -> None:
    raw = scene_to_json(OFFICE.scene)
    agent = next(node["id"] for node in raw["nodes"] if node["type"] == "agent")
    thing = next(node for node in raw["nodes"] if node["id"] == "banana2")
    thing |= {"parent": agent, "relation": "inside_hand"}
    belief = ground(scene_from_json(raw, "held"), load_pack())
    plan = ["goto(pose13)", "goto(jasons_office)", "access(desk5)", "release(banana2)", "pickup(monitor)"]
    done = verify_plan([read_step(step, "plan") for step in plan], belief)
    assert done.executable
    emptied = route("pose8", "jasons_office") + 100
    first = [Stop("jasons_office", "jasons_office", 100)]
    for before, missing in ((0, None), (emptied, 0), (emptied + 5, 5), (emptied + 105, 105)):
        shown = stretches.Stretches(belief, done).shown("jasons_office", before, first)
        assert shown == stretches.Shown(0, 0) if missing is None else stretches.Shown(3, missing)


def test_the_last_errand_is_only_fixed_where_the_goal_says_so() -> None:
    text, goal = planned(4, 1, "(robot_at kitchen)")
    record = json.loads(text)
    assert record[KEY]["fixed_end"] and statuses(record, goal) == ["rechecked"] * 4
    held, holding = planned(3, 1, "(holding banana2)")
    assert json.loads(held)[KEY]["fixed_end"]
    bound = findings(json.loads(held), holding)["order_bound"]
    assert bound.status in ("rechecked", "not checked")
    assert isinstance(goal.formula, And)
    elsewhere = conjunction(goal.formula.parts[:-1])
    assert statuses(record | {"goal": str(elsewhere)}, Goal.of(elsewhere))[2] != "refused"


def route(source: str, target: str) -> int:
    return OFFICE.routes.distance(source, target)


def tried(start: str, stops: Sequence[Sequence[Stop]], between: Distance, ends: bool = False) -> int:
    """Return the cost of the best order and plans, by trying all of them."""
    orders = itertools.permutations(stops[:-1] if ends else stops)
    sequences = ((*order, *stops[len(stops) - ends :]) for order in orders)
    return min(path_cost(start, plans, between) for order in sequences for plans in itertools.product(*order))


def country(
    numbers: random.Random, count: int, ways: int, nowhere: float
) -> tuple[list[list[Stop]], Distance]:
    """Return errands between random places on a plane, some of them anywhere, and the way between places."""
    spots = {str(n): (numbers.randrange(60), numbers.randrange(60)) for n in range(7)}

    def between(a: str, b: str) -> int:
        return sum(abs(x - y) for x, y in zip(spots[a], spots[b], strict=True))

    def stop() -> Stop:
        if numbers.random() < nowhere:
            return Stop(None, None, numbers.randrange(3))
        a, b = numbers.choice(sorted(spots)), numbers.choice(sorted(spots))
        return Stop(a, b, max(0, between(a, b) + numbers.randint(-2, 9)))

    return [[stop() for _ in range(numbers.randint(1, ways))] for _ in range(count)], between


@pytest.mark.parametrize("ends", [False, True])
def test_no_order_is_cheaper_than_the_bounds(ends: bool) -> None:
    numbers = random.Random(7)
    tight = 0
    for _ in range(150):
        stops, between = country(numbers, numbers.randint(1, 5), 2, 0.2)
        least = tried("0", stops, between, ends)
        assert exhausted("0", stops, between, ends) == least
        going, lost = placed(stops, between)
        costs = least_costs("0", going, between)
        last = len(going) if ends and going and stops[-1] is going[-1] else None
        for spread in (0, 5, 40):
            enter, leave = ([numbers.randint(-spread * FINE, spread * FINE) for _ in costs] for _ in range(2))
            value = tree_value(costs, enter, leave, last)
            assert 0 <= value <= least + lost
            tight += value == least > 0
    assert tight


def test_lists_are_read_up_to_a_length() -> None:
    key: Json = {"errands": [[["pose1", "pose1", 0.0]]] * MAX_STOPS, "start": "pose1", "before": 0.0}
    key |= {"fixed_end": False, "entering": [], "leaving": []}
    assert len(read_errands(key, OFFICE).stops) == MAX_STOPS
    with pytest.raises(LimitReached, match=f"stopped at {MAX_STOPS} plans"):
        read_errands(key | {"errands": key["errands"] * 2}, OFFICE)
