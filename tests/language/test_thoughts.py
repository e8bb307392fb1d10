"""Thoughts of a model are no answer, and neither are the tokens of its template."""

from __future__ import annotations

import json

import pytest

from groundplan import ground, load_pack, load_scene
from groundplan.compiler.goals import Goal
from groundplan.language.chat.reader import read_goal
from groundplan.language.chat.thoughts import without_thought
from groundplan.language.reader import Unreadable

GOAL = "(hot cheese)"
OTHER = "(cold cheese)"


@pytest.fixture(scope="module")
def belief():
    return ground(load_scene("office"), load_pack())


ANSWERS = {
    "think": f"<think>{OTHER}?</think>\n{GOAL}",
    "two thoughts": f"<thinking>{OTHER}</thinking> So: <thought>{OTHER}</thought>{GOAL}",
    "no beginning": f"{OTHER} would do. Hm.\n</think>\n\n{GOAL}",
    "of a vendor": f"<acme:reasoning>{OTHER}</acme:reasoning>{GOAL}",
    "brackets": f"[ANALYSIS]{OTHER}[/ANALYSIS]\n{GOAL}",
    "bars": f"<|begin_of_thought|>{OTHER}<|end_of_thought|><|begin_of_solution|>{GOAL}<|end_of_solution|>",
    "capitals": f"<|START_THINKING|>{OTHER}<|END_THINKING|><|START_RESPONSE|>{GOAL}<|END_RESPONSE|>",
    "triangles": f"\u25c1think\u25b7{OTHER}\u25c1/think\u25b7{GOAL}",
    "channels": f"<|channel|>analysis<|message|>{OTHER}<|end|><|start|>assistant"
    f"<|channel|>commentary<|message|>{OTHER}<|end|><|start|>assistant"
    f"<|channel|>final <|constrain|>json<|message|>{GOAL}<|return|>",
    "header": f"<|start_header_id|>assistant<|end_header_id|>\n\n{GOAL}<|eot_id|>",
    "next turn": f"{GOAL}<|im_end|>\n<|im_start|>user\n{OTHER}<|im_end|>",
    "wide bars": f"{GOAL}<\uff5cend\u2581of\u2581sentence\uff5c>",
    "end of turn": f"{GOAL}<end_of_turn>\n<start_of_turn>user",
    "sentence": f"<s>{GOAL}</s>",
    "explained": json.dumps({"goal": GOAL, "explanation": "Then the cheese is hot."}),
    "keys": json.dumps({"reasoning": f"Not {OTHER}?", "goal": GOAL}),
}


@pytest.mark.parametrize("text", ANSWERS.values(), ids=ANSWERS)
def test_the_answer_is_what_stands_beside_thoughts(text, belief):
    found = read_goal(text, belief)
    assert isinstance(found, Goal) and str(found) == GOAL
    if not text.startswith("{"):
        assert found.source == text and text[slice(found.spans[()].start, found.spans[()].end)] == GOAL


THOUGHTS = (
    f"<think>{GOAL}",
    f"{GOAL}</think>",
    f"<deep-analysis>\nlet us say {GOAL}",
    f"Well.<think>{GOAL} and so on",
    f"<think>a</think><think>{GOAL}",
    f"<|channel|>analysis<|message|>{GOAL}<|end|>",
    f"<|channel|>analysis<|message|>{GOAL}",
    f"<think>Let me <think>{OTHER}</think> see, {GOAL}",
    f"<seed:cot_budget_reflect>{GOAL}</seed:cot_budget_reflect>",
    f"Here is my thought process: {GOAL}",
    json.dumps({"thought": GOAL}),
    json.dumps({"explanation": GOAL}),
    f"I think that {GOAL} might do",
)


@pytest.mark.parametrize("text", THOUGHTS)
def test_a_goal_in_a_thought_is_none(text, belief):
    found = read_goal(text, belief)
    assert isinstance(found, Unreadable) and found.feedback


def test_an_answer_in_json_is_left_as_it_is():
    for value in ({"things": ["<think>"], "rooms": ["<|hall|>"]}, ["</think>"], "[THINK]"):
        assert json.loads(without_thought(json.dumps(value))) == value
