"""Goals with hidden choices on the office: their costs beside Fast Downward's, which gets each as a whole.

``pytest tests/benchmarks/test_choices.py -m slow -s`` prints the table of ``docs/benchmarks.md``:
metres of the plan, and processor seconds of this process and the engines' together, each time with a worker
that has to be started. Asserted are costs, never seconds.
"""

from __future__ import annotations

import random
import resource
from functools import cache

import pytest

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.engines.registry import EngineOptions
from groundplan.engines.result import PlanResult
from groundplan.engines.worker import SHARED
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief, ground

SNACKS = "(at-least 2 (?x - snack) (in_room ?x ?{}))"
WRITTEN = {
    "every PhD bay has a snack": "(forall (?o - phd_bay) (exists (?a - snack) (in_room ?a ?o)))",
    "five snacks in meeting room 4": "(at-least 5 (?x - snack) (in_room ?x meeting_room4))",
    "exactly three snacks there": "(exactly 3 (?x - snack) (in_room ?x meeting_room4))",
    "three drinks in one office": "(exists (?r - office) (at-least 3 (?x - drink) (in_room ?x ?r)))",
    "all fruit in one office": "(exists (?r - office) (forall (?f - fruit) (in_room ?f ?r)))",
    "two bays with two snacks each": "(exists (?a - phd_bay ?b - phd_bay) "
    f"(and (not (= ?a ?b)) {SNACKS.format('a')} {SNACKS.format('b')}))",
    "at most two foods in the kitchen": "(at-most 2 (?x - food) (in_room ?x kitchen))",
}
ALL_ITEMS = "(forall (?i - item) (in_room ?i kitchen))"


@cache
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


def drawn(seed: int) -> dict[str, str]:
    """Return random goals: one of six sets of three things, six choices of six things, or of three rooms."""
    nodes = office().scene.nodes.values()
    items = [n.id for n in nodes if n.type == "object" and "pickup" in n.affordances]
    places = [n for n in nodes if n.type == "asset" and "release" in n.affordances]
    tables = [n.id for n in places if not {"open", "contain"} & set(n.affordances)]
    rooms = sorted({n.parent for n in places if n.parent is not None})
    draw = random.Random(seed)

    def on(item: str) -> str:
        return f"(ontop_of {item} {draw.choice(tables)})"

    def either(parts: list[str]) -> str:
        return f"(or {' '.join(parts)})"

    sets = [f"(and {' '.join(on(i) for i in draw.sample(items, 3))})" for _ in range(6)]
    choices = [either([on(draw.choice(items)) for _ in range(6)]) for _ in range(6)]
    trips = [either([f"(in_room {i} {r})" for r in draw.sample(rooms, 3)]) for i in draw.sample(items, 6)]
    return {
        f"one of six sets of three things ({seed})": either(sets),
        f"six choices of six things ({seed})": f"(and {' '.join(choices)})",
        f"six things, three rooms each ({seed})": f"(and {' '.join(trips)})",
    }


GOALS = WRITTEN | drawn(1) | drawn(2) | drawn(3)


def planned(goal: str, engine: Engine, seconds: float = 60.0) -> PlanResult:
    result = plan_goal(parse_goal(goal), office(), engine, Budget(seconds))
    assert result.verified, goal
    return result


def spent() -> float:
    """The processor seconds of this process and of those that it waited for."""
    SHARED.close()
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def test_a_choice_costs_less_than_the_first_plan_of_fast_downward() -> None:
    goal = GOALS["all fruit in one office"]
    whole = planned(goal, Engine.named("fast-downward", EngineOptions(whole=True)))
    chosen = planned(goal, Engine.named("pyperplan"))
    assert chosen.cost is not None and whole.cost is not None
    assert chosen.cost <= whole.cost


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_table() -> None:
    print()
    for name, goal in GOALS.items():
        cells, costs = [], []
        for engine in (
            Engine.named("pyperplan"),
            Engine.named("fast-downward"),
            Engine.named("fast-downward", EngineOptions(whole=True)),
        ):
            before = spent()
            result = planned(goal, engine)
            costs.append(result.cost_mm or 0)
            cells.append(f"{costs[-1] / 1000:.0f} m, {spent() - before:.2f} s")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
        assert max(costs[:2]) <= costs[2]
    before = spent()
    result = planned(ALL_ITEMS, Engine.named("pyperplan"))
    cell = f"{(result.cost_mm or 0) / 1000:.0f} m, {spent() - before:.2f} s"
    print(f"| all 78 things into the kitchen | {cell} | | |")
