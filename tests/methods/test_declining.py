"""Declining: the model of every method can say that a task has no plan, in the form of its answers."""

from __future__ import annotations

import json
from collections.abc import Sequence

import llama_grammar
import llguidance
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shipped_prompts import told

from groundplan import Engine, Request, ground, load_pack, load_scene
from groundplan.compiler.decoding.dialects import GbnfDialect
from groundplan.language.chat.prompt_form import OwnPrompt
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.model import ChatRequest
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.methods import METHODS, Limits, Tools
from groundplan.methods.conversations.declining import (
    CONVERSATION_PROMPTS,
    MAX_REASON,
    declined_text,
    reason_of,
    with_note,
)

WHY = "nobody here has a ladder"
COMMAND = json.dumps(
    {
        "chain_of_thought": [WHY],
        "reasoning": "",
        "mode": "exploring",
        "command": {"command_name": "decline", "node_name": "", "plan": []},
    }
)
VERIFY = {"command_name": "verify_plan", "node_name": "", "plan": []}
ENDS = json.dumps({"mode": "planning", "command": VERIFY})
PLAN = json.dumps({"chain_of_thought": [WHY], "plan": ["decline()"]})
MOVE = json.dumps(
    {"chain_of_thought": [WHY], "next_move": {"function_name": "decline", "function_target": "kitchen"}}
)
TEXT = f'(declined "{WHY}")'
NAMED = json.dumps({"things": ["ladder"], "rooms": ["kitchen"]})
SAID: tuple[tuple[str, str, Sequence[str]], ...] = (
    ("sayplan", "household", (COMMAND,)),
    ("sayplan", "household", (ENDS, COMMAND)),
    ("sayplan", "household", (ENDS, PLAN)),
    ("llm-as-planner", "household", (ENDS, COMMAND)),
    ("llm+p-sayplan", "household", (COMMAND,)),
    ("sayplan-star", "grasif", (COMMAND,)),
    ("sayplan-lite", "grasif", (COMMAND,)),
    ("sayplan-lite", "grasif", (ENDS, PLAN)),
    ("llm+p", "household", (TEXT,)),
    ("delta-given", "household", (json.dumps({"items": []}), TEXT)),
    ("subgoals", "household", (NAMED, TEXT)),
    ("lookplangraph", "grasif-looking", (MOVE,)),
)


def ran(method: str, pack: str, answers: Sequence[str], own: tuple[OwnPrompt, ...] = ()):  # type: ignore[no-untyped-def]
    belief = ground(load_scene("office"), load_pack(pack))
    model = ScriptedModel.of(*answers)
    tools = Tools(model, ModelReader(model, belief.pack), Engine.named("pyperplan"), own_prompts=own)
    return METHODS[method].run(Request(belief, "Change the lamp on the ceiling."), tools, Limits()), model


@pytest.mark.parametrize(("method", "pack", "answers"), SAID)
def test_every_baseline_may_decline(method: str, pack: str, answers: Sequence[str]) -> None:
    record, model = ran(method, pack, answers)
    assert (record.outcome, record.exit_code, record.plan) == ("declined", 3, ()), record.reasons
    assert record.reasons == (f"declined: {WHY}",) and len(model.history) == len(answers)


@pytest.mark.parametrize(("method", "pack", "answers"), SAID)
def test_the_schema_of_the_answer_allows_it_and_the_prompt_tells_of_it(
    method: str, pack: str, answers: Sequence[str]
) -> None:
    _, model = ran(method, pack, answers)
    last: ChatRequest = model.history[-1]
    texts = " ".join(message.content for message in last.messages)
    assert "Some tasks have no plan" in texts and "decline" in texts
    if answers[-1] == TEXT:
        assert last.constraint is not None
        grammar = llguidance.LLMatcher.grammar_from_lark(last.constraint.sent("lark"))
        matcher = llguidance.LLMatcher(llguidance.LLTokenizer("byte"), grammar)
        assert matcher.validate_tokens(list(TEXT.encode())) == len(TEXT) and not matcher.is_error()
        if (llama := llama_grammar.library()) is not None:
            assert llama_grammar.LlamaGrammar(llama, last.constraint.sent("gbnf")).accepts(TEXT)


def test_a_prompt_of_a_user_is_left_as_it_is() -> None:
    own = (OwnPrompt("llm-p", "0" * 12, "Translate."),)
    _, model = ran("llm+p", "household", (TEXT,), own)
    assert "Some tasks have no plan" not in model.history[0].messages[0].content


def test_what_is_told_of_declining_may_be_a_users() -> None:
    own = (OwnPrompt("declining", "0" * 12, "No way?\n\n## command\nDecline.\n\n## text\nSay it."),)
    assert with_note("llm-p", "One.\n\nTwo.\n\nThree.", own) == "One.\n\nNo way? Say it.\n\nTwo.\n\nThree."
    those_told = [form.name for form in CONVERSATION_PROMPTS.values() if form.declines]
    assert len(those_told) == 8
    assert all(told(f"{name}-{n}").count("Some tasks") == 1 for name in those_told for n in (1, 2, 3))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (TEXT, WHY),
        ("(declined)", ""),
        ('<think>(declined "no")</think>(declined "yes")', "yes"),
        ('(declined "' + "x" * 900 + '")', "x" * MAX_REASON),
        (COMMAND, WHY),
        ('{"command_name": "decline"}', ""),
        ('{"plan": ["decline()", "goto(kitchen)"]}', None),
        ('{"plan": ["goto(decline)"]}', None),
        ('{"reasoning": "I decline"}', None),
        ("I decline.", None),
        ('(define (problem p)) (declined "no")', None),
        ("", None),
    ],
)
def test_what_declines_and_what_does_not(text: str, reason: str | None) -> None:
    assert reason_of(text) == reason


@given(st.text(max_size=200))
def test_no_text_is_trouble(text: str) -> None:
    assert reason_of(text) is None or text.strip()
    assert reason_of('{"command": ' + json.dumps(text) + "}") is None


def test_the_rule_of_the_grammar_is_bounded() -> None:
    assert f"{{0,{MAX_REASON - 1}}}" in declined_text(GbnfDialect())
