"""Errands in houses that nobody knows: what is looked for, what the pipeline sees, and the one record."""

from __future__ import annotations

from dataclasses import replace

import pytest

from groundplan.commands.console.outcomes import advice, meaning
from groundplan.datasets.library import load_set
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.methods.houses.errand import HouseErrand, named_kinds, seen_scene, with_house_settings
from groundplan.methods.houses.house_method import HouseMethod
from groundplan.methods.method import Limits, Tools
from groundplan.pipeline.record import Record
from groundplan.planners.request import Request
from groundplan.simulator.belief import ground
from groundplan.simulator.verification import verify_plan

ERRAND = HouseErrand("nearest-errand", HouseMethod("nearest-door"))
TASK = load_set("multi-object-search")[0]


def ran(instruction: str, method: HouseErrand = ERRAND) -> tuple[Record, Request]:
    assert TASK.house is not None
    belief = ground(TASK.load(), load_pack())
    request = Request(belief, instruction, task=TASK.id, house=TASK.house.search())
    tools = Tools(reader=EmbeddedReader(), engine=Engine.named("pyperplan"))
    return method.run(request, tools, Limits(seconds=60)), request


@pytest.mark.parametrize(
    ("instruction", "kinds"),
    [
        ("Find the mug and bring it to the sofa.", ("mug", "sofa")),
        ("Put the tissue box on the coffee table in the kitchen.", ("tissue_box", "coffee_table")),
        ("Find the plates.", ("plate",)),
        ("Go on.", ()),
    ],
)
def test_what_an_instruction_names_is_looked_for(instruction: str, kinds: tuple[str, ...]) -> None:
    assert named_kinds(instruction) == kinds


def test_one_record_has_the_search_the_goal_and_a_plan_of_the_whole_house() -> None:
    record, request = ran("Find the plate and put it on the bed.")
    assert record.outcome == "verified" and str(record.goal) == "(ontop_of small|7|22 2|1)"
    assert record.house["explorer"] == "nearest-door" and record.house["outcome"] == "found"
    assert record.goal is not None and not isinstance(record.goal, str)
    assert verify_plan(record.plan, request.belief, record.goal.formula).verified
    pddl = record.house["pddl"]
    assert isinstance(pddl, dict) and sorted(pddl) == ["domain.pddl", "problem.pddl", "symbols.json"]
    assert f"(stands_at {str(record.house['room']).replace('|', '_')})" in pddl["problem.pddl"]
    assert "(:goal (and (ontop_of small_7_22 n2_1)))" in pddl["problem.pddl"]
    rooms = [step.args[0] for step in record.plan if step.name == "goto"]
    assert rooms[-1] == "room|2" and "room|7" in rooms


def test_the_pipeline_sees_what_is_on_the_map_and_no_types_of_rooms() -> None:
    record, request = ran("Find the teddy bear and put it on the bed.")
    scene = seen_scene(request.belief.scene, record.house)
    graph = record.house["graph"]
    assert isinstance(graph, dict)
    seen = {*graph["rooms"], *graph["passages"], *graph["things"], "agent"}
    assert set(scene.nodes) <= seen and len(scene.nodes) < len(request.belief.scene.nodes)
    assert {scene.nodes[room].classes for room in graph["rooms"]} == {("room",)}
    assert record.house["seen_scene"] == scene.hash != request.belief.scene.hash


def test_what_is_not_found_ends_with_the_search() -> None:
    record, _ = ran("Find the unicorn and put it on the bed.")
    assert record.outcome in ("not-found", "out-of-budget") and not record.plan and record.house["finds"]
    assert record.reasons[0] == "not found: unicorn", "what is missing is named, and what was found is not"
    assert "bed" not in " ".join(record.reasons)
    assert advice(record) == "" and "engine" not in meaning(record), "none was asked"


def test_an_errand_needs_names_a_reader_an_engine_and_a_house() -> None:
    nameless, request = ran("Do it.")
    assert nameless.outcome == "unsupported" and "names things" in nameless.failures[0]
    assert ERRAND.run(request, Tools(), Limits()).outcome == "unsupported"
    assert ERRAND.run(replace(request, house=None), Tools(), Limits()).outcome == "unsupported"


def test_a_driver_is_one_of_an_errand_too() -> None:
    (method,) = with_house_settings((ERRAND,), ("optimistic",))
    assert isinstance(method, HouseErrand) and method.name == "nearest-errand with driver optimistic"
    record, _ = ran("Find the teddy bear and put it on the bed.", method)
    driver = record.house["driver"]
    assert isinstance(driver, dict) and driver["name"] == "optimistic" and record.verified
