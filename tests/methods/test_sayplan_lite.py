"""SayPlan* and SayPlan Lite with a scripted model, on LookPlanGraph's example (appendix A.1.2)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from shipped_prompts import told

from groundplan import Request, ground, load_pack, load_scene, parse_goal, verify_plan
from groundplan.datasets.formats.lookplangraph import read_graph
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.methods import METHODS, Limits, Tools
from groundplan.methods.conversations.dialogue import MAX_STEPS
from groundplan.methods.sayplan import shown_graph
from groundplan.pipeline.record import Record
from groundplan.simulator.belief import Belief
from groundplan.simulator.scene import Scene
from groundplan.simulator.view import View

INSTRUCTION = (
    "Take the socks, bottle of perfume, toothbrush, and notebook out of the carton and place them on the sofa"
    " in the living room."
)
THINGS = ("sock1", "sock2", "bottle__of__perfume1", "toothbrush1", "notebook1")
ON_THE_SOFA = parse_goal(f"(and {' '.join(f'(ontop_of {thing} sofa1)' for thing in THINGS)})").formula
PLAN = ["go_to(living_room1)", *(step for t in THINGS for step in (f"pick_up({t})", "put_on(sofa1)"))]
OPENED = [PLAN[0], "open(carton1)", *PLAN[1:]]
SHUT = "pick_up(sock1): cannot pick up sock1: carton1 is closed"


def on_sofa(name: str, *states: str) -> dict[str, object]:
    return {"id": name, "relation": "ontop_of", "related_to": "sofa1", "states": list(states)}


PRINTED = {
    "nodes": {
        "room": [{"id": "living_room1"}],
        "asset": [{"id": name, "located": "living_room1", "states": []} for name in ("floor1", "sofa1")],
        "object": [
            on_sofa("carton1", "closed"),
            on_sofa("sock1"),
            on_sofa("sock2"),
            on_sofa("bottle__of__perfume1", "closed"),
            on_sofa("toothbrush1"),
            on_sofa("notebook1"),
        ],
        "agent": [{"id": "agent1", "location": "living_room1", "holding": ""}],
    }
}
"""The memory graph of appendix A.1.2, with its brackets mended."""


@cache
def printed() -> Scene:
    return read_graph(PRINTED, "A.1.2", "socks")


@cache
def packed() -> Belief:
    """The example with the things in the closed carton, where its instruction has them."""
    nodes = dict(printed().nodes)
    nodes |= {t: replace(nodes[t], parent="carton1", relation="inside_of") for t in THINGS}
    return ground(Scene("packed", nodes, printed().links), load_pack("grasif"))


def search(name: str, node: str = "", mode: str | None = None, plan: Sequence[str] | None = None) -> str:
    command: dict[str, object] = {"command_name": name, "node_name": node}
    raw: dict[str, object] = {"chain_of_thought": ["so"], "reasoning": "it is"}
    if mode is not None:
        raw["mode"], command["plan"] = mode, list(plan or ())
    return json.dumps({**raw, "command": command})


def written(plan: Sequence[str]) -> str:
    return json.dumps({"chain_of_thought": ["so"], "plan": list(plan)})


EXPAND, VERIFY = search("expand_node", "living_room1"), search("verify_plan")


def ran(name: str, answers: Sequence[str], **fields: Any) -> tuple[Record, ScriptedModel]:
    model = ScriptedModel.of(*answers)
    request = Request(fields.pop("belief", packed()), INSTRUCTION, task="socks", **fields)
    return METHODS[name].run(request, Tools(model=model), Limits()), model


@pytest.mark.parametrize("name", ["sayplan-lite", "sayplan-lite-unconstrained"])
def test_the_socks_come_out_of_the_carton_once_it_is_opened(name: str) -> None:
    record, model = ran(name, [EXPAND, VERIFY, written(PLAN), written(OPENED)])
    assert (record.outcome, record.method) == ("executable", name)
    assert [a.feedback for a in record.attempts] == [(SHUT,), ()]
    assert [str(s) for s in record.plan] == OPENED
    assert verify_plan(record.plan, packed(), ON_THE_SOFA).verified
    assert not verify_plan((), packed(), ON_THE_SOFA).verified
    assert [r.purpose for r in model.history] == ["search", "search", "plan", "replan"]
    last = model.history[-1].messages[-1].content
    assert SHUT in last and '"message"' in last and INSTRUCTION in last
    constrained = {r.constraint is not None for r in model.history}
    assert constrained == {name == "sayplan-lite"}


def test_each_dialogue_is_told_of_its_own_stage_alone() -> None:
    _, model = ran("sayplan-lite", [EXPAND, VERIFY, written(OPENED)])
    systems = [r.messages[0].content for r in model.history]
    assert systems == [told("sayplan-lite-search-1")] * 2 + [told("sayplan-lite-plan-1")]
    assert "pick_up" not in systems[0] and "expand_node" not in systems[2]
    assert "memory:" not in model.history[2].messages[1].content


def test_the_graph_is_written_as_the_paper_has_it() -> None:
    assert shown_graph(View.first(printed()).expand("living_room1")) == PRINTED
    collapsed = shown_graph(View.first(printed()))
    assert collapsed == {"nodes": {key: PRINTED["nodes"][key] for key in ("room", "agent")}}
    held = replace(printed().nodes["sock1"], parent="agent1", relation="inside_hand")
    view = View.first(Scene("held", dict(printed().nodes) | {"sock1": held}, ()))
    robot = shown_graph(view)["nodes"]["agent"]  # type: ignore[index]
    assert robot == [{"id": "agent1", "location": "living_room1", "holding": "sock1"}]


def test_the_plan_for_the_graph_as_printed_is_done_at_once() -> None:
    belief = ground(printed(), load_pack("grasif"))
    record, _ = ran("sayplan-lite", [EXPAND, VERIFY, written(PLAN)], belief=belief)
    assert record.outcome == "executable" and len(record.attempts) == 1


@pytest.mark.parametrize("name", ["sayplan-lite", "sayplan-star"])
def test_no_request_has_poses_and_the_office_is_planned_in_the_same_actions(name: str) -> None:
    belief = ground(load_scene("office"), load_pack("grasif"))
    plan = ["go_to(kitchen)", "open(fridge)", "go_to(admin)", "go_to(kitchen)", "close(fridge)"]
    answers = [search("expand_node", "kitchen", "exploring"), search("verify_plan", "", "planning")]
    answers.append(json.dumps({"command": {"plan": plan}, "plan": plan}))
    record, model = ran(name, answers, belief=belief)
    assert record.outcome == "executable", record.reasons
    assert not any("pose1" in m.content for r in model.history for m in r.messages)
    assert '"location":""' in model.history[0].messages[1].content or name == "sayplan-star"


@pytest.mark.parametrize("name", ["sayplan-star", "sayplan-star-unconstrained"])
def test_sayplan_star_is_one_dialogue(name: str) -> None:
    exploring = search("expand_node", "living_room1", "exploring")
    planning = [search("verify_plan", "", "planning", plan) for plan in ((), PLAN, OPENED)]
    record, model = ran(name, [exploring, *planning])
    assert record.outcome == "executable" and record.attempts[0].feedback == (SHUT,)
    assert verify_plan(record.plan, packed(), ON_THE_SOFA).verified
    assert {r.messages[0].content for r in model.history} == {told("sayplan-star-1")}


def test_an_action_of_the_other_stage_changes_nothing_in_the_search() -> None:
    record, model = ran("sayplan-lite", [search("pick_up", "sock1"), EXPAND, VERIFY, written(OPENED)])
    assert [s["command"] for s in record.trace] == ["rejected", "expand", "terminate"]
    assert "expand_node or contract_node" in model.history[1].messages[1].content


def test_what_ends_a_run_of_sayplan_lite() -> None:
    assert ran("sayplan-lite", [EXPAND] * MAX_STEPS)[0].outcome == "search-exhausted"
    record, model = ran("sayplan-lite", [VERIFY, *[written(PLAN)] * 7])
    assert record.outcome == "rejected" and len(model.history) == 7 and len(record.attempts) == 6
    assert ran("sayplan-lite", [EXPAND, "Let me see."])[0].outcome == "answer-unreadable"
    assert ran("sayplan-lite", [EXPAND, VERIFY, '{"plan": "go_to(hall)"}'])[0].outcome == "service-failed"
    assert ran("sayplan-lite", [EXPAND, VERIFY], search_only=True)[0].outcome == "answered"


@pytest.mark.parametrize("name", ["sayplan-lite", "sayplan-star"])
def test_without_the_actions_of_grasif_they_are_unsupported(name: str) -> None:
    record, model = ran(name, [EXPAND], belief=ground(packed().scene, load_pack()))
    assert record.outcome == "unsupported" and "pack grasif" in record.reasons[0] and model.history == []
