"""Answers that the limit of their tokens cut off: one limit for every method, and an outcome of its own."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.model import ANSWER_TOKENS, CUT, ChatRequest, Reply, Usage
from groundplan.methods import METHODS, Limits, Tools
from groundplan.methods.conversations.exploration import MAX_STEPS, steps_for
from groundplan.planners.request import Request
from groundplan.simulator.belief import ground

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


@pytest.mark.parametrize(
    "name", ["sayplan", "llm-as-planner", "llm+p-sayplan", "llm+p", "delta", "sayplan-lite", "sayplan-star",
             "lookplangraph", "subgoals"]
)  # fmt: skip
def test_an_answer_that_was_cut_off_has_an_outcome_of_its_own(name: str) -> None:
    belief = ground(load_scene("office"), load_pack(PACKS.get(name, "household")))
    model = CutModel(('{"things": ["orange"], "rooms": ["kitchen"]}',) if name == "subgoals" else ())
    tools = Tools(model, ModelReader(model, belief.pack), Engine.named("pyperplan"))
    record = METHODS[name].run(Request(belief, TASK), tools, Limits(60))
    assert record.outcome == "answer-cut" and record.exit_code == 3
    assert f"was cut off after {ANSWER_TOKENS} tokens" in record.reasons[0]
    assert model.history[-1].max_tokens == ANSWER_TOKENS >= 4000


def test_a_model_is_told_that_its_goal_was_cut_off() -> None:
    belief = ground(load_scene("office"), load_pack())
    model = CutModel()
    tools = Tools(model, ModelReader(model, belief.pack), Engine.named("pyperplan"))
    record = METHODS["hybrid"].run(Request(belief, TASK), tools, Limits(60))
    assert record.outcome == "goal-error" and record.goals[0].fault == "unreadable"
    assert record.goals[0].feedback == (f"the answer was cut off after {ANSWER_TOKENS} tokens",)


def test_long_instructions_may_take_more_steps() -> None:
    assert steps_for(TASK) == MAX_STEPS and steps_for(TASK * 16) == len(TASK) * 16 // 6 > MAX_STEPS
