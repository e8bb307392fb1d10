"""LLM+P and DELTA on what a search by naming shows, in place of the whole scene."""

from __future__ import annotations

import re

import pytest

from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal, verify_plan
from groundplan.domains.formula import Atom
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.methods import METHODS, Limits, Tools
from groundplan.methods.conversations.problem_text import (
    domain_text,
    scene_symbols,
    true_problem,
)
from groundplan.pipeline.record import Record
from groundplan.simulator.belief import Belief
from groundplan.simulator.view import View

PACK, ENGINE = load_pack(), Engine.named("pyperplan")
OFFICE = ground(load_scene("office"), PACK)
TASK = "Put the orange on the kitchen bench into the fridge and close it."
GOAL = (Atom("inside_of", ("orange1", "fridge")), Atom("closed", ("fridge",)))
NAMES = '{"things": ["orange", "fridge"], "rooms": ["kitchen"]}'


def shown() -> Belief:
    """The world of what the search shows when the model names the orange and the fridge."""
    reader = ModelReader(ScriptedModel.of(NAMES), PACK, search_protocol="naming")
    return ground(reader.search(TASK, View.first(OFFICE.scene)).scene, PACK)


def ran(name: str, *answers: str) -> tuple[Record, ScriptedModel]:
    model = ScriptedModel.of(*answers)
    tools = Tools(model, ModelReader(model, PACK, search_protocol="dialogue"), ENGINE)
    return METHODS[name].run(Request(OFFICE, TASK, task="orange"), tools, Limits()), model


def problem() -> str:
    part = shown()
    return true_problem(part, GOAL, scene_symbols(OFFICE, part.scene.nodes))


STAGES = {
    "llm+p-subgraph": lambda: (problem(),),
    "delta-given-subgraph": lambda: ('{"items": ["orange1", "fridge"]}', problem(), SUBGOALS),
    "delta-subgraph": lambda: (
        domain_text(PACK.domain),
        '{"items": ["orange1", "fridge"]}',
        problem(),
        SUBGOALS,
    ),
}
SUBGOALS = "(and (inside_of orange1 fridge))\n(and (closed fridge))"


@pytest.mark.parametrize("name", STAGES)
def test_the_model_sees_what_the_search_showed_and_its_plan_is_run_on_the_whole_scene(name: str) -> None:
    record, model = ran(name, NAMES, *STAGES[name]())
    assert (record.outcome, record.method) == ("executable", name), record.reasons
    assert verify_plan(record.plan, OFFICE, parse_goal(f"(and {GOAL[0]} {GOAL[1]})").formula).verified
    assert model.history[0].purpose == "search"
    assert "kitchen" in record.opened and record.trace and record.statistics["init_contradictions"] == 0
    told = "\n".join(m.content for m in model.history[-1].messages)
    assert "orange1" in told and "kebab" in told and "stapler" not in told
    part = shown().scene.nodes
    hidden = {n for n in OFFICE.scene.nodes if n not in part and n[-1].isdigit()}
    assert len(hidden) > 50 and not hidden & set(re.findall(r"\w+", told))


def test_the_requests_are_a_part_of_those_about_the_whole_scene() -> None:
    _, searched = ran("llm+p-subgraph", NAMES, problem())
    _, whole = ran("llm+p", problem())
    sizes = [len(model.history[-1].messages[-1].content) for model in (searched, whole)]
    assert sizes[0] < 0.4 * sizes[1], sizes
    assert searched.history[-1].messages[:-1] == whole.history[-1].messages[:-1]


def test_names_are_those_of_the_whole_scene_and_what_was_not_shown_is_judged_there() -> None:
    part = shown().scene.nodes
    few, every = scene_symbols(OFFICE, part).objects, scene_symbols(OFFICE).objects
    assert few and few.items() < every.items()
    record, _ = ran("llm+p-subgraph", NAMES, problem().replace("(closed fridge)", "(open fridge)", 1))
    assert record.statistics["init_contradictions"] == 1


@pytest.mark.parametrize("name", STAGES)
def test_without_a_search_there_is_no_subgraph(name: str) -> None:
    model = ScriptedModel.of(NAMES)
    tools = Tools(model, None, ENGINE)
    record = METHODS[name].run(Request(OFFICE, TASK, task="orange"), tools, Limits())
    assert record.outcome == "unsupported" and "needs a reader" in record.reasons[0]
    assert not model.history
