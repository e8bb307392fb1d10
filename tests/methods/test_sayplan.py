"""SayPlan and its two baselines, with a scripted model on the paper's example (appendices K and L)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from papers_example import FIRST_PLAN, SECOND_PLAN, example
from shipped_prompts import prompt, prompt_names, told

from groundplan import Request, ground, load_pack, load_scene
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.methods import METHODS, Limits, Tools
from groundplan.methods.conversations.dialogue import MAX_STEPS
from groundplan.pipeline.record import Record
from groundplan.simulator.belief import Belief
from groundplan.simulator.sayplan_json import from_sayplan

COFFEE = "make a coffee for Tom and place it in his room"


def flat(machine: Sequence[str] = ("turn_on", "turn_off")) -> Belief:
    """The graph of appendices K and L; ``machine`` are the affordances of the coffee machine."""
    raw: Any = example()
    coffee_machine = next(node for node in raw["nodes"]["asset"] if node["id"] == "coffee_machine")
    coffee_machine["affordances"] = list(machine)
    return ground(from_sayplan(raw, "appendix K"), load_pack())


PRINTED, RELEASING = flat(), flat(("turn_on", "turn_off", "release"))
SEARCH = [
    "expand toms_room",
    "expand kitchen",
    "expand jacks_room",
    "contract jacks_room",
    "expand bobs_room",
]
FIRST = FIRST_PLAN.split()
SECOND = SECOND_PLAN.split()
SHUT = "pickup(coffee_mug): cannot pick up coffee_mug: wardrobe1 is closed"


def answer(mode: str, name: str, node: str = "", plan: Sequence[str] = ()) -> str:
    command = {"command_name": name, "node_name": node, "plan": list(plan)}
    return json.dumps({"chain_of_thought": ["so"], "reasoning": "it is", "mode": mode, "command": command})


def moves(*words: str) -> list[str]:
    return [answer("exploring", f"{w.split()[0]}_node", w.split()[1]) for w in words]


def planning(plan: Sequence[str] = ()) -> str:
    return answer("planning", "verify_plan", "", plan)


def ran(
    answers: Sequence[str], belief: Belief = RELEASING, name: str = "sayplan", search_only: bool = False
) -> tuple[Record, ScriptedModel]:
    model = ScriptedModel.of(*answers)
    request = Request(belief, COFFEE, task="coffee", search_only=search_only)
    return METHODS[name].run(request, Tools(model=model), Limits()), model


@pytest.mark.parametrize("name", ["sayplan", "sayplan-unconstrained"])
def test_coffee_for_tom_with_a_machine_that_takes_the_mug(name: str) -> None:
    record, model = ran([*moves(*SEARCH), planning(), planning(FIRST), planning(SECOND)], name=name)
    assert (record.outcome, record.method, record.task) == ("executable", name, "coffee")
    assert record.executable and not record.verified
    trace = [(step["command"], step["node"]) for step in record.trace]
    assert trace == [*(tuple(w.split()) for w in SEARCH), ("terminate", "")]
    assert record.opened == ("toms_room", "kitchen", "jacks_room", "bobs_room")
    assert "coffee_mug" in record.shown and record.invented == ()
    assert (record.compile_form, record.beyond_search) == (None, ())  # the model wrote the plan
    assert [a.feedback for a in record.attempts] == [(SHUT,), ()]
    purposes = [request.purpose for request in model.history]
    assert purposes == ["search"] * 6 + ["plan", "replan"]
    way = ["goto(pose1)", "goto(toms_room)", "goto(pose5)", "goto(kitchen)"]
    assert [str(s) for s in record.plan[4:8]] == way  # Dijkstra filled the poses in
    last = model.history[-1].messages[-1].content
    assert SHUT in last and '"access(wardrobe1)","pickup(coffee_mug)"' in last and COFFEE in last
    assert "jacks_room<->pose2" in last and all(
        m.messages[0].content == told("sayplan-1") for m in model.history
    )


def test_coffee_for_tom_as_printed_stops_where_the_machine_takes_nothing() -> None:
    record, _ = ran([*moves(*SEARCH), planning(), planning(FIRST), *[planning(SECOND)] * 5], PRINTED)
    why = "release(coffee_mug): cannot release coffee_mug: nothing can be put in or on coffee_machine"
    assert record.outcome == "rejected" and record.reasons == (why,)
    assert [a.feedback for a in record.attempts] == [(SHUT,), *[(why,)] * 5]
    assert not record.executable


def test_a_plan_in_the_answer_that_ends_the_search_is_asked_for_again() -> None:
    record, model = ran([*moves("expand bobs_room"), planning(FIRST), planning(SECOND)])
    assert record.outcome == "executable" and len(record.attempts) == 1
    assert [request.purpose for request in model.history] == ["search", "search", "plan"]


def test_the_memory_and_the_graph_of_a_search_are_in_each_request() -> None:
    _, model = ran([*moves(*SEARCH), planning(), planning(SECOND)])
    texts = [request.messages[-1].content for request in model.history]
    assert "memory" not in texts[0] and "wardrobe2" not in texts[0] and '"pose5"' in texts[0]
    assert 'memory: ["toms_room","kitchen"]' in texts[2] and "coffee_machine" in texts[2]
    assert 'memory: ["toms_room","kitchen","jacks_room"]' in texts[4]


def test_a_search_goes_on_after_a_name_that_does_not_exist() -> None:
    record, model = ran(
        [*moves("expand toms_office", "contract kitchen", "expand bed1"), planning(), planning(SECOND)]
    )
    assert record.outcome == "executable" and record.invented == ("toms_office",)
    assert [s["command"] for s in record.trace] == ["rejected"] * 3 + ["terminate"]
    assert "toms_office" in model.history[1].messages[-1].content
    assert "expand bobs_room first" in model.history[3].messages[-1].content


def test_a_plan_in_the_wrong_mode_is_no_plan() -> None:
    record, model = ran([answer("exploring", "verify_plan", "", SECOND), planning(), planning(SECOND)])
    assert [s["command"] for s in record.trace] == ["rejected", "terminate"]
    assert "mode planning" in model.history[1].messages[-1].content


def test_a_search_that_never_ends_is_exhausted_and_nothing_ends_it_before() -> None:
    record, model = ran(moves("expand kitchen", "contract kitchen") * MAX_STEPS)
    assert record.outcome == "search-exhausted" and len(model.history) == MAX_STEPS == 50
    assert record.attempts == () and record.plan == ()


def test_there_are_five_replans() -> None:
    record, model = ran([planning(), *[planning(FIRST)] * 9])
    assert record.outcome == "rejected" and len(record.attempts) == 6 == len(model.history) - 1


@pytest.mark.parametrize(
    ("plan", "feedback"),
    [
        (["walk to the kitchen"], "a step such as pickup(apple3)"),
        (["goto(cellar)"], "there is no cellar"),
        (["goto(kitchen)"] * 501, "at most 500 steps"),
        (["fly(kitchen)"], "there is no step fly(kitchen)"),
    ],
)
def test_a_plan_that_cannot_be_read_or_done_is_feedback(plan: list[str], feedback: str) -> None:
    record, model = ran([planning(), planning(plan), planning(), planning(SECOND)])
    assert record.outcome == "executable"
    assert feedback in " ".join(record.attempts[0].feedback)
    assert record.attempts[1].feedback == ("the answer has no plan",)
    assert [r.purpose for r in model.history] == ["search", "plan", "replan", "replan"]


@pytest.mark.parametrize(
    "text", ["", "I will go to the kitchen.", "[1, 2]", "{" * 5000, '{"mode": ', "x" * 70_000]
)
def test_an_answer_without_an_object_ends_the_run(text: str) -> None:
    record, _ = ran([*moves("expand bobs_room"), text])
    assert record.outcome == "answer-unreadable" and record.opened == ("bobs_room",)
    record, _ = ran([planning(), planning(FIRST), text])
    assert record.outcome == "answer-unreadable" and len(record.attempts) == 1 and not record.executable


@pytest.mark.parametrize(
    "odd", [{}, {"mode": 3, "command": []}, {"mode": None, "command": {"plan": {}, "node_name": ["a"]}}]
)
def test_an_object_of_odd_values_is_a_command_that_does_nothing(odd: object) -> None:
    record, _ = ran([json.dumps(odd), planning(), planning(SECOND)])
    assert [s["command"] for s in record.trace] == ["rejected", "terminate"]


def test_a_service_that_fails_leaves_what_was_done() -> None:
    record, _ = ran([*moves("expand bobs_room"), planning(), planning(FIRST)])
    assert record.outcome == "service-failed" and "the script has no answer" in record.reasons[0]
    assert len(record.attempts) == 1 and record.opened == ("bobs_room",)


def test_a_search_task_ends_with_the_search() -> None:
    record, model = ran([*moves("expand bobs_room"), planning()], search_only=True)
    assert record.outcome == "answered" and "coffee_mug" in record.subgraph and len(model.history) == 2


def test_llm_as_planner_writes_the_way_and_has_one_try() -> None:
    ways = [
        *"goto(pose1) goto(toms_room) goto(pose5) goto(kitchen)".split(),
        *"access(coffee_machine) turn_on(coffee_machine)".split(),
    ]
    record, model = ran([*moves(*SEARCH), planning(), planning(ways)], name="llm-as-planner")
    assert record.outcome == "executable" and [str(s) for s in record.plan] == ways
    assert "there is no path planner" in model.history[-1].messages[-1].content
    short = ["goto(kitchen)", *ways[4:]]
    record, model = ran([*moves(*SEARCH), planning(ways), planning(short)], name="llm-as-planner")
    assert record.outcome == "rejected" and len(record.attempts) == 1  # the search's last answer is no plan
    assert record.reasons == ("goto(kitchen): cannot go to kitchen: it is not next to bobs_room",)


def test_llm_p_has_its_way_filled_in_and_one_try() -> None:
    record, _ = ran([*moves(*SEARCH), planning(), planning(SECOND)], name="llm+p-sayplan")
    assert record.outcome == "executable"
    record, model = ran(
        [*moves(*SEARCH), planning(), planning(FIRST), planning(SECOND)], name="llm+p-sayplan"
    )
    assert record.outcome == "rejected" and record.reasons == (SHUT,) and len(model.history) == 7


def test_the_three_make_the_same_requests_for_the_same_search() -> None:
    asked = {}
    for name in ("sayplan", "llm-as-planner", "llm+p-sayplan"):
        _, model = ran([*moves(*SEARCH), planning(), planning(SECOND)], name=name)
        asked[name] = [r.canonical("m", {}) for r in model.history if r.purpose == "search"]
    assert (
        asked["sayplan"] == asked["llm-as-planner"] == asked["llm+p-sayplan"] and len(asked["sayplan"]) == 6
    )


def test_constrained_answers_name_only_what_is_shown() -> None:
    _, model = ran([*moves("expand bobs_room"), planning(), planning(SECOND)])
    search, plan = model.history[1].constraint, model.history[2].constraint
    assert search is not None and plan is not None and search.schema is not None and plan.schema is not None
    names = search.schema["properties"]["command"]["properties"]["node_name"]["enum"]  # type: ignore[index]
    assert "coffee_mug" in names and "fridge" not in names and names[-1] == ""
    assert plan.schema["properties"]["mode"]["enum"] == ["planning"]  # type: ignore[index]
    _, free = ran([planning(), planning(SECOND)], name="sayplan-unconstrained")
    assert all(request.constraint is None for request in free.history)


def test_the_prompt_of_a_method_is_about_no_scene_of_a_benchmark() -> None:
    names = {
        n.id
        for s in ("office", "home")
        for n in load_scene(s).nodes.values()
        if any(c.isdigit() for c in n.id)
    }
    for name in prompt_names():
        words = set(re.findall(r"\w+", prompt(name)))
        assert len(words) > 30 and not words & names, name
