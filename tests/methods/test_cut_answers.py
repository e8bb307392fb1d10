"""Answers that the limit of their tokens cut off: one limit for every method, and an outcome of its own."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.model import ANSWER_TOKENS, CUT, ChatRequest, Reply, ServiceError, Usage
from groundplan.language.chat.servers.profile import GoalForm
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.methods import METHODS, Limits, Tools
from groundplan.methods.conversations.dialogue import MAX_STEPS, steps_for
from groundplan.pipeline.record import Record
from groundplan.planners.request import Request
from groundplan.simulator.belief import ground

ENGINE = Engine.named("pyperplan")
PACKS = {"sayplan-lite": "grasif", "sayplan-star": "grasif", "lookplangraph": "grasif-looking"}
TASK = "Put the orange into the fridge."


@dataclass
class CutModel:
    """Begins each answer, and never comes to its end; ``whole`` are answers before that."""

    whole: tuple[str, ...] = ()
    name: str = "cut"
    history: list[ChatRequest] = field(default_factory=list)

    def ask(self, request: ChatRequest) -> Reply:
        self.history.append(request)
        number = len(self.history)
        if number <= len(self.whole):
            return Reply(self.whole[number - 1], "text", Usage(10, 10))
        usage = Usage(10, request.max_tokens)
        return Reply('{"chain_of_thought": ["the orange is', "text", usage, CUT)


@dataclass
class ScriptedReplies:
    """Gives whole replies in their order."""

    replies: list[Reply]
    name: str = "scripted"
    history: list[ChatRequest] = field(default_factory=list)

    def ask(self, request: ChatRequest) -> Reply:
        self.history.append(request)
        return self.replies[len(self.history) - 1]


@pytest.mark.parametrize(
    "name", ["sayplan", "llm-as-planner", "llm+p-sayplan", "llm+p", "delta", "sayplan-lite", "sayplan-star",
             "lookplangraph", "subgoals", "hybrid", "hybrid-naming", "hybrid-query", "hybrid-dialogue",
             "hybrid-dialogue+", "hybrid-scene", "query", "full-scene"]
)  # fmt: skip
def test_an_answer_that_was_cut_off_has_an_outcome_of_its_own(name: str) -> None:
    belief = ground(load_scene("office"), load_pack(PACKS.get(name, "household")))
    model = CutModel(('{"things": ["orange"], "rooms": ["kitchen"]}',) if name == "subgoals" else ())
    tools = Tools(model, ModelReader(model, belief.pack), Engine.named("pyperplan"))
    record = METHODS[name].run(Request(belief, TASK), tools, Limits(60))
    assert record.outcome == "answer-cut" and record.exit_code == 3
    assert f"was cut off after {ANSWER_TOKENS} tokens" in record.reasons[0]
    assert {request.max_tokens for request in model.history} == {ANSWER_TOKENS} and ANSWER_TOKENS >= 4000


@pytest.mark.parametrize("form", ["pddl", "sentences"])
def test_a_model_is_told_that_its_goal_was_cut_off_and_may_write_it_again(form: GoalForm) -> None:
    belief = ground(load_scene("office"), load_pack())
    cut = "Put orange1 into fridge. " if form == "sentences" else "(and (inside_of orange1 fridge)"
    whole = "Put orange1 into fridge." if form == "sentences" else "(inside_of orange1 fridge)"
    feedback = f"the answer was cut off after {ANSWER_TOKENS} tokens"

    def ran(*answers: tuple[str, str]) -> tuple[Record, ScriptedReplies]:
        model = ScriptedReplies([Reply(text, "text", Usage(10, ANSWER_TOKENS), why) for text, why in answers])
        reader = ModelReader(model, belief.pack, goal_form=form)
        return METHODS["hybrid"].run(Request(belief, TASK), Tools(model, reader, ENGINE), Limits(60)), model

    record, model = ran((cut, CUT), (whole, "stop"))
    assert record.outcome == "verified" and record.goals[0].fault == "unreadable"
    assert record.goals[0].feedback == (feedback,)
    assert feedback in model.history[-1].messages[-1].content
    record, _ = ran((cut, CUT), ("Put nothing", "stop"), *([(cut, CUT)] * 9))
    assert (record.outcome, record.reasons, record.exit_code) == ("answer-cut", (feedback,), 3)


@pytest.mark.parametrize("name", ["sayplan", "hybrid", "llm+p-subgraph"])
def test_a_thought_that_was_cut_off_before_an_answer_is_no_failure_of_the_service(name: str) -> None:
    belief = ground(load_scene("office"), load_pack())
    for kind, outcome in (("cut", "answer-cut"), ("server-error", "service-failed")):
        model = ScriptedModel.of(ServiceError(kind, "no answer within 8192 tokens"))
        tools = Tools(model, ModelReader(model, belief.pack), ENGINE)
        record = METHODS[name].run(Request(belief, TASK), tools, Limits(60))
        assert (record.outcome, record.exit_code) == (outcome, 3)
        assert record.reasons[0] == "no answer within 8192 tokens"


def test_a_search_that_is_cut_off_every_time_ends_the_run_and_one_that_is_not_goes_on() -> None:
    belief = ground(load_scene("office"), load_pack())
    move = '{"move": {"chain_of_thought": "", "command": "expand", "node": "kitchen"}}'
    for whole in ((), (move,)):
        model = CutModel(whole)
        tools = Tools(model, ModelReader(model, belief.pack), ENGINE)
        record = METHODS["hybrid-dialogue"].run(Request(belief, TASK), tools, Limits(60))
        assert record.outcome == "answer-cut" and record.trace[-1]["command"] == "rejected"
        assert ("kitchen" in record.opened) is bool(whole)
        assert "cut off" in str(record.trace[-1]["thought"])
    for name in ("hybrid-naming", "hybrid-query"):  # what the instruction names is looked up all the same
        model = CutModel()
        tools = Tools(model, ModelReader(model, belief.pack), ENGINE)
        record = METHODS[name].run(Request(belief, TASK), tools, Limits(60))
        assert record.trace[0]["command"] == "rejected" and "cut off" in str(record.trace[0]["thought"])
        assert model.history[-1].purpose == "repair"


def test_long_instructions_may_take_more_steps() -> None:
    assert steps_for(TASK) == MAX_STEPS and steps_for(TASK * 16) == len(TASK) * 16 // 6 > MAX_STEPS
