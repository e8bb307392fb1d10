"""A sequence of goals with a scripted model: each planned for from the end of the last."""

from __future__ import annotations

import json

import llama_grammar
import llguidance
import pytest

from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal, verify_plan
from groundplan.domains.errors import GoalError
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.sentences.reading import LOOK_FOR
from groundplan.methods import METHODS, Limits, Tools
from groundplan.methods.conversations.answers import UnreadableAnswer
from groundplan.methods.conversations.goal_lines import MAX_GOALS, goals_in_lines, read_goals
from groundplan.pipeline.record import Record
from groundplan.simulator.view import View

PACK, ENGINE, LLAMA = load_pack(), Engine.named("pyperplan"), llama_grammar.library()
OFFICE = ground(load_scene("office"), PACK)
TASK = "Put the banana from the fridge on the kitchen bench and come to the lobby with the spoon."
LINES = """1. Put banana2 on kitchen_bench.
2. Close fridge.
3. (holding spoon)
4. Hold spoon. Go to lobby."""
GOAL = parse_goal(
    "(and (ontop_of banana2 kitchen_bench) (closed fridge) (holding spoon) (robot_at lobby))"
).formula


def ran(*answers: str, name: str = "subgoals", task: str = TASK) -> tuple[Record, ScriptedModel]:
    model = ScriptedModel.of(*answers)
    tools = Tools(model, ModelReader(model, PACK, search_protocol="dialogue"), ENGINE)
    return METHODS[name].run(Request(OFFICE, task, task="banana"), tools, Limits()), model


@pytest.mark.parametrize("name", ["subgoals", "subgoals-unconstrained"])
def test_goals_are_reached_in_their_order_and_each_from_the_end_of_the_last(name: str) -> None:
    record, model = ran("no names", LINES, name=name)
    assert (record.outcome, record.method, record.engine) == ("executable", name, "pyperplan")
    assert not record.verified and verify_plan(record.plan, OFFICE, GOAL).verified
    acts = [str(s) for s in record.plan if s.name not in ("goto", "access")]
    assert acts[:4] == ["open(fridge)", "pickup(banana2)", "release(banana2)", "close(fridge)"], acts
    assert acts[-1] == "pickup(spoon)"
    assert str(record.plan[-1]) == "goto(lobby)"
    assert [str(r.goal) for r in record.goals][2] == "(holding spoon)" and record.statistics == {
        "subgoals": 4
    }
    search, goals = model.history
    assert (search.purpose, goals.purpose) == ("search", "subgoals")  # the naming protocol's one request
    assert "kitchen" in record.opened and "banana2" in record.shown and record.compile_form == "scene"
    assert (goals.constraint is None) == name.endswith("unconstrained")
    assert "Put X into Y." in goals.messages[0].content and TASK in goals.messages[1].content
    assert "fridge (closed)" in goals.messages[1].content


def test_a_goal_that_a_later_one_undoes_is_undone() -> None:
    record, _ = ran("", "Hold banana2.\nPut banana2 on kitchen_bench.\nHold banana2.")
    assert record.outcome == "executable"
    assert verify_plan(record.plan, OFFICE, parse_goal("(holding banana2)").formula).verified
    assert [s.name for s in record.plan].count("pickup") == 2


@pytest.mark.parametrize(
    ("answer", "outcome", "words"),
    [
        ("", "answer-unreadable", "expected 1 to 32 sub-goals"),
        ("Close fridge.\n" * (MAX_GOALS + 1), "answer-unreadable", f"got {MAX_GOALS + 1}"),
        ("goto(kitchen)", "goal-error", "one of the pack's sentences"),
        ('Look for "tea".', "goal-error", "a goal about what the scene shows"),
        ("(and (closed fridge)", "goal-error", ""),
        ("Close fridge.\nClose freezer9.", "goal-error", "goal 2 of 2"),
        ("Close fridge.\nPut fridge on kitchen_bench.", "goal-error", "goal 2 of 2"),
        ("Hold banana2.\n(and (holding banana2) (hand_free))", "goal-error", "goal 2 of 2"),
        ("Hold banana2.\n(and (open microwave) (turned_on microwave))", "not-found", "goal 2 of 2"),
        ("{" * 20_000, "answer-unreadable", "no JSON object"),
        ('{"subgoals": 3}', "answer-unreadable", "got 0"),
        ('{"subgoals": [{"sentences": [{"say": 3}]}]}', "goal-error", "sentences"),
    ],
)
def test_what_is_no_list_of_goals_ends_the_run(answer: str, outcome: str, words: str) -> None:
    record, _ = ran("", answer)
    assert record.outcome == outcome and words in record.reasons[0], record.reasons
    assert record.attempts == () and not record.planned


def test_an_answer_may_be_json_or_in_a_fence() -> None:
    entry = {"say": "Put {0} on {1}.", "name0": "banana2", "name1": "kitchen_bench"}
    listed = json.dumps({"subgoals": [{"sentences": [entry]}, "Close fridge."]})
    fenced = "```\nPut banana2 on kitchen_bench.\nClose fridge.\n```"
    goals = ["(ontop_of banana2 kitchen_bench)", "(closed fridge)"]
    assert [str(g) for g in read_goals(listed, PACK)] == goals == [str(g) for g in read_goals(fenced, PACK)]
    with pytest.raises(UnreadableAnswer):
        read_goals("\n \n", PACK)
    with pytest.raises(GoalError):
        read_goals("Here you are:\nClose fridge.", PACK)


def test_the_grammar_admits_lines_of_sentences_and_no_other_names() -> None:
    scene = View.first(OFFICE.scene).expand("kitchen").subgraph()
    constraint = goals_in_lines(scene, PACK)
    assert constraint.lark is not None and constraint.gbnf is not None
    grammar = llguidance.LLMatcher.grammar_from_lark(constraint.lark)
    failed, complaints = llguidance.LLMatcher.validate_grammar_with_warnings(grammar)
    assert not failed, complaints
    right = "Put banana2 on kitchen_bench. Close fridge.\nHold spoon."
    texts = {right: True, right.replace("spoon", "mop"): False, "Close fridge.\n" * 2: False}
    texts |= {'Look for "tea".': False}  # the search has ended
    texts |= {"\n".join(["Close fridge."] * n): n == MAX_GOALS for n in (MAX_GOALS, MAX_GOALS + 1)}
    for text, fits in texts.items():
        matcher = llguidance.LLMatcher(llguidance.LLTokenizer("byte"), grammar)
        raw = list(text.encode())
        assert (matcher.try_consume_tokens(raw) == len(raw) and matcher.is_accepting()) is fits, text
        if LLAMA is not None:
            assert llama_grammar.LlamaGrammar(LLAMA, constraint.gbnf).accepts(text) is fits
    assert constraint.schema is not None and "banana2" in json.dumps(constraint.schema)
    assert LOOK_FOR not in json.dumps(constraint.schema)
    assert constraint.schema["properties"]["subgoals"]["maxItems"] == MAX_GOALS  # type: ignore[index]


@pytest.mark.parametrize("variant", [1, 2, 3])
def test_the_examples_of_a_prompt_are_lists_of_goals(variant: int) -> None:
    from shipped_prompts import prompt

    parts = prompt(f"subgoals-{variant}").split('"\n')[1:]
    assert parts
    for part in parts:
        lines = [n for n in part.split("Task:")[0].splitlines() if n and not n.startswith("Answer")]
        assert read_goals("\n".join(lines), PACK)


def test_what_it_lacks_is_unsupported() -> None:
    model = ScriptedModel.of()
    reader = ModelReader(model, PACK, search_protocol="naming")
    method = METHODS["subgoals"]
    assert method.run(Request(OFFICE, TASK), Tools(model, reader), Limits()).outcome == "unsupported"
    searching = Request(OFFICE, TASK, search_only=True)
    assert method.run(searching, Tools(model, reader, ENGINE), Limits()).outcome == "unsupported"
