"""What a goal is wrapped in is taken off, at its place; what is not one goal is declined, with a place."""

from __future__ import annotations

import json

import pytest
from draws import draws
from hypothesis import example, given
from hypothesis import strategies as st

from groundplan import check, ground, load_pack, load_scene
from groundplan.compiler.goals import (
    Goal,
    GoalSyntaxError,
    Missing,
    known_facts,
    parse_goal,
    parse_wrapped,
    spelled,
)

GOAL = "(and (hot cheese) (closed microwave))"


@pytest.fixture(scope="module")
def belief():
    return ground(load_scene("office"), load_pack())


WRAPPED = {
    "as it stands": GOAL,
    "fence": f"Done.\n~~\n```scheme\n{GOAL}\n```\nThe cheese (now warm) is ready. Or is it not?",
    "tag": f"Is it (hot soup)? No.\n<final-answer>\n{GOAL}\n</final-answer>",
    "tag round a fence": f"<output>```\n{GOAL}\n```</output>",
    "boxed": f"Thus $$\\boxed{{{GOAL}}}$$",
    "label": f"PDDL goal = {GOAL};",
    "emphasis": f"__{GOAL}__",
    "heading": f"### Result\n\n1. {GOAL}",
    "typographic quotes": f"\u201c{GOAL}\u201d",
    "words that introduce it": f"Sure! Here is the goal in PDDL:\n\n{GOAL}",
    "prose before a fence": f"The cheese (a thing) is heated:\n```lisp\n{GOAL}\n```\nThat (now) is all.",
    "markup": f'<pre><code class="lisp">{GOAL}</code></pre>',
    "tool call": f'<tool_call>{{"name": "set_goal", "arguments": {{"goal": "{GOAL}"}}}}</tool_call>',
    "goal": f"(:goal {GOAL} )",
    "goal of one conjunct": f"(:goal ; what holds\n (and {GOAL}))",
    "brackets": f"( {GOAL} )",
    "latex": rf"\( {GOAL} \)",
    "quoted list": f"'{GOAL}",
    "problem": f"(define (problem p)\n (:domain d) (:objects cheese - item)\n (:init (open microwave))\n"
    f" (:goal {GOAL})\n (:metric minimize (total-cost)))",
    "domain and problem": "(define (domain d) (:predicates (hot ?x) (closed ?x)))\n"
    f"(define (problem p) (:domain d) (:goal {GOAL}))",
    "comments": f"; (hot soup) or not\n(:goal {GOAL}) ; (cold cheese)",
    "object": json.dumps({"result": {"pddl": GOAL}, "sure": True}),
    "list": json.dumps([[GOAL]]),
    "text of JSON": json.dumps(GOAL),
    "wide": GOAL.replace("(", "\uff08").replace(")", "\uff09").replace("hot", "\uff48\uff4f\uff54"),
    "unseen": f"\ufeff{GOAL[:8]}\u200b{GOAL[8:]}",
    "escapes": f"Goal: \\{GOAL[:-1]}\\)",
    "said twice": f"{GOAL}\n\nAgain: {GOAL}",
    "in capitals": f"Goal: {GOAL.upper()}",
}


@pytest.mark.parametrize("text", WRAPPED.values(), ids=WRAPPED)
def test_one_goal_is_taken_out_of_what_it_is_wrapped_in(text, belief):
    found = parse_wrapped(text, is_fact=known_facts(belief))
    assert isinstance(found, Goal) and str(spelled(found, belief)) == GOAL
    assert found.source == text and check(spelled(found, belief), belief).ok
    inner = found.spans[1, 0]
    assert text[inner.start : inner.end].casefold() == "microwave"
    assert inner.line == text[: inner.start].count("\n") + 1


NOT_ONE = {
    "two": (f"{GOAL}\n(hot cheese)", 2, 1, "a second one: (hot cheese)"),
    "two of which one is an example": (f"Like (hot soup): {GOAL}", 1, 18, "a second one"),
    "two fences": (f"```\n{GOAL}\n```\nor\n```\n(hot cheese)\n```", 6, 1, "a second one"),
    "a broken one beside": (f"{GOAL} (exists (x) (hot ?x))", 1, 48, "got x"),
    "two in (:goal ..)": ("(:goal (hot cheese) (closed microwave))", 1, 1, "one formula in (:goal ..)"),
    "constraints": ("(define (problem p) (:goal (hot cheese)) (:constraints (hot egg)))", 1, 42, "left out"),
    "denied": ("The goal is not (hot cheese).", 1, 13, "(not)"),
    "open": ("Perhaps: (hot cheese)", 1, 1, "(Perhaps)"),
    "asked": ("Is it (hot cheese)?", 1, 19, "(?)"),
    "denied in JSON": ('{"not": "(hot cheese)"}', 1, 3, "(not)"),
    "missing bracket": (f"Goal: {GOAL[:-1]}\n", 1, 43, "a bracket may be missing"),
    "missing bracket of the goal": (f"Goal:\n (:goal {GOAL}", 2, 2, "a bracket that is closed"),
    "one bracket more": (f"**{GOAL})**", 1, 40, "it is one too many, or one is missing before it"),
    "open fence": (f"```\n{GOAL}", 1, 1, "a fence that is closed"),
    "call": ("Goal: closed(microwave)", 1, 7, "a formula such as (closed microwave)"),
    "no goal": ("I cannot do that (sorry).", 1, 1, "expected ("),
    "nothing": ("  ", 1, 1, "an empty text"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "line", "column", "words"), NOT_ONE.values(), ids=NOT_ONE)
def test_what_is_not_one_goal_is_declined_with_its_place(text, line, column, words, belief):
    with pytest.raises(GoalSyntaxError) as raised:
        parse_wrapped(text, "answer", known_facts(belief))
    found = raised.value.diagnostic
    assert found.span is not None and (found.span.line, found.span.column) == (line, column), raised.value
    assert words in str(raised.value)


TAKEN_BACK = (
    "{} is false", "Incorrect: {}", "I refuse to write {}", "The opposite of {}",
    "The previous goal was {}", "Falsch: {}", "Thought: {}", "Thinking...\n{}", "Avoid {}",
    "{} then close it", "(false) {}", ":( {}", "({}", "\u00ac{}", "!{}", "~{}", "~~{}~~", "\u2260 {}",
    "$\\lnot {}$", "\\neg{}", "\u274c {}", "-{}-?", "// {}", "# {}", "/* {} */", "#| {} |#",
    "<!-- {} -->", "<del>{}</del>", "<cot>{}</cot>", "<wrong_answer>{}</wrong_answer>",
    "<inner_monologue>{}</inner_monologue>", "```thinking\n{}\n```", "```\n# {}\n```",
    "negated: true\ngoal: {}", '{{"rejected": "{}"}}', '{{"goal": null, "forbidden": "{}"}}',
    '{{"initial_state": "{}"}}', ":precondition {}", "<|im_end|>\n<|im_start|>user\n{}",
)  # fmt: skip


@pytest.mark.parametrize("around", TAKEN_BACK)
def test_a_goal_beside_what_is_no_introduction_is_declined(around, belief):
    text = around.format("(hot cheese)")
    with pytest.raises(GoalSyntaxError) as raised:
        parse_wrapped(text, "answer", known_facts(belief))
    span = raised.value.diagnostic.span
    assert span is not None and text[span.start : span.end].strip() not in ("", "(hot cheese)")


def test_names_in_quotes_keep_what_is_in_them():
    name = 'tin \u200b\uff08\\\\_\uff09 \\"x\\" ;'
    goal = f'(closed "{name}")'
    alone = parse_wrapped(f"Goal: {goal}")
    assert alone == parse_wrapped(goal) or str(alone) == str(parse_goal(goal))
    assert str(parse_wrapped(json.dumps({"goal": goal}))) == str(parse_goal(goal))


def test_what_is_missing_is_taken_out_too():
    assert parse_wrapped('Answer: `(missing "a fork")`') == Missing("a fork")


def test_a_name_is_not_taken_for_one_that_is_only_like_it(belief):
    for text in ("(closed Microwaves)", "(Hott cheese)", "(exists (?x - Cheeses) (hot ?x))"):
        assert spelled(parse_goal(text), belief) == parse_goal(text)
    written = parse_goal("(exists (?x - APPLE) (and (Inside\\_Of ?x FRIDGE) (= ?x Apple1)))")
    assert str(spelled(written, belief)) == "(exists (?x - apple) (and (inside_of ?x fridge) (= ?x apple1)))"


@draws(60)
@given(st.text() | st.text(alphabet="()?-and ort\"'\\{}[]:;`<>/\n\x00\ud800goal define", max_size=60))
@example("(" * 50_000)
@example("( x" * 50_000)
@example("<answer>" * 20_000)
@example("((a" * 90)
def test_any_text_is_a_goal_or_declined(text):
    try:
        found = parse_wrapped(text)
    except GoalSyntaxError as error:
        assert error.diagnostic.span is not None
        return
    assert isinstance(found, Missing) or text[found.spans[()].start] in "(\\\uff08"
