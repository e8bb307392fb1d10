"""Searches in plain English: read as questions, answered as a query written by hand is, or declined."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from groundplan import (
    Budget,
    Engine,
    Request,
    find,
    ground,
    load_pack,
    load_scene,
    open_scene,
    parse_query,
    run,
)
from groundplan.datasets.library import load_set
from groundplan.evaluation.judging import JudgedTask, judge_plan
from groundplan.language.embedded import EmbeddedReader
from groundplan.language.questions import Answer, ask
from groundplan.language.reader import NotUnderstood
from groundplan.simulator.belief import Belief
from groundplan.simulator.view import View

HERE = Path(__file__).parent
PACK = load_pack()
OWN = json.loads((HERE / "searches" / "own.json").read_text(encoding="utf-8"))
"""Scene, sentence, and the query that it asks; null where the scene or the sentence leaves it open."""
SETS = [f"{scene}-search-{kind}" for kind in ("simple", "complex") for scene in ("office", "home")]
README = HERE.parents[1] / "docs" / "readers.md"


@pytest.fixture(scope="module")
def beliefs() -> dict[str, Belief]:
    scenes = {name: load_scene(name) for name in ("office", "home", "house-3")}
    files = ("building", "procthor_house")
    scenes |= {name: open_scene(str(HERE / "scenes" / f"{name}.json")) for name in files}
    return {name: ground(scene, PACK) for name, scene in scenes.items()}


def test_searches_of_our_own_are_answered_as_queries_by_hand_are(beliefs: dict[str, Belief]) -> None:
    counts: Counter[str] = Counter()
    for scene, text, query in OWN:
        answer = ask(text, beliefs[scene])
        assert answer is not None, f"{text}: it is left to a reader of requests"
        if isinstance(answer, NotUnderstood):
            counts["declined" if query is None else "lost"] += 1
            continue
        assert query is not None, f"{text}: {answer.words}"
        by_hand = {a.nodes[0] for a in find(parse_query(query), beliefs[scene]).answers}
        assert set(answer.nodes) == by_hand, f"{text}: {answer.query}"
        counts["answered"] += 1
    assert counts["answered"] >= 210 and counts["lost"] <= 4, counts


def answered_as_printed() -> dict[str, list[str]]:
    """The ids of the paper's searches, by set, that are answered as their gold queries are."""
    answered: dict[str, list[str]] = {}
    for name in SETS:
        for task in load_set(name):
            answer = ask(task.instruction, ground(task.load(), PACK))
            assert answer is not None, task.instruction
            if isinstance(answer, Answer):
                assert answer.nodes == task.gold.answers, f"{task.id}: {answer.query}"
                answered.setdefault(name, []).append(task.id)
    return answered


def test_the_papers_searches_are_answered_as_printed() -> None:
    answered = answered_as_printed()
    assert [len(answered[name]) for name in SETS] == [14, 15, 9, 7]


def test_the_embedded_reader_opens_rooms_and_shuts_those_without_an_answer(
    beliefs: dict[str, Belief],
) -> None:
    view = View.first(beliefs["office"].scene)
    search = EmbeddedReader().search("Find me a carrot.", view)
    assert (search.outcome, search.subgraph, search.view.expanded) == ("found", ("carrot",), ("kitchen",))
    assert {s.command for s in search.trace} == {"expand", "contract"} and len(search.view.memory) == 37
    nowhere = EmbeddedReader().search(
        "My tie is in one of the closets. Locate it.", View.first(load_scene("home"))
    )
    assert (nowhere.outcome, nowhere.subgraph) == ("search-exhausted", ())


@pytest.mark.parametrize(
    "text",
    [
        "Find the phone and bring it to me.",
        "Find the phone. Bring it to me.",
        "Look for the hammer, then put it in the locker.",
        "Find a place for the phone.",
        "Find out whether the fridge is open.",
        "Locate the red folder and the stapler, and put them on desk1.",
        "The phone is on a desk. Find it and charge it, then bring it back.",
        "Find your way to the kitchen.",
        "I can't find the hammer, please bring me one.",
        "I am looking for something to do.",
        "Could you find the phone and bring it to me?",
        "Can you tell me where the phone is and bring it here?",
        "I need a hammer.",
    ],
)
def test_a_search_with_more_to_do_is_left_to_the_reader(beliefs: dict[str, Belief], text: str) -> None:
    assert ask(text, beliefs["building"]) is None


@pytest.mark.parametrize(
    "text",
    [
        "Where is the hammer?",
        "Has anyone seen the hammer?",
        "I can't find the hammer.",
        "Any idea where the hammer is?",
        "Hello robot. Could you help me find the hammer, please?",
        "Track down the hammer for me.",
        "I am looking for a hammer.",
        "Check where the hammer is.",
        "Someone left a hammer in the storage room. Locate it.",
    ],
)
def test_one_thing_is_searched_for_in_many_words(beliefs: dict[str, Belief], text: str) -> None:
    answer = ask(text, beliefs["building"])
    assert isinstance(answer, Answer) and answer.words == "hammer1 is on rack1, in storage_room1."


def test_a_search_says_where_the_thing_is_and_brings_nothing(beliefs: dict[str, Belief]) -> None:
    engine, reader = Engine.named("pyperplan"), EmbeddedReader()
    search = run(Request(beliefs["office"], "Find me a ripe banana."), engine, reader)
    assert (search.outcome, search.plan) == ("answered", ())
    assert search.answer is not None and search.answer.words == "banana1 is on lunch_table, in cafeteria."
    errand = run(Request(beliefs["office"], "Bring me the ripe banana."), engine, reader)
    assert errand.outcome == "verified" and any("pickup(banana1)" in str(step) for step in errand.plan)


def test_what_was_told_and_not_read_is_said_and_leaves_one_thing(beliefs: dict[str, Belief]) -> None:
    answer = ask(
        "I printed a document. I do not know which printer has it. Find the document.", beliefs["office"]
    )
    assert isinstance(answer, Answer) and answer.nodes == ("document",)
    assert any(note.startswith("not read: ") for note in answer.notes)
    several = ask("Luis gave a neighbour a stapler. Find the stapler.", beliefs["office"])
    assert isinstance(several, NotUnderstood) and "not read: Luis gave" in several.reason


def test_where_a_thing_is_not_as_told_its_place_is_said(beliefs: dict[str, Belief]) -> None:
    answer = ask("My tie is in one of the closets. Locate it.", beliefs["home"])
    assert isinstance(answer, Answer) and (answer.nodes, answer.words) == ((), "None.")
    assert answer.notes == ("elsewhere: tie0 is on bed1, in bedroom1",)


def test_two_readings_that_differ_are_declined(beliefs: dict[str, Belief]) -> None:
    refused = ask("Find a laptop in an office without a phone.", beliefs["building"])
    assert isinstance(refused, NotUnderstood) and "two ways" in refused.reason


@pytest.mark.slow
def test_the_table_of_all_ninety_instructions_is_that_of_the_document() -> None:
    """`pytest tests/language/test_searches.py -k ninety` says what the table in docs/readers.md has to be."""
    rows, answered = [], answered_as_printed()
    for name in SETS:
        rows.append((name, len(answered[name]), 15 - len(answered[name]), 0))
    for name in ("office-planning-simple", "office-planning-long"):
        right, wrong = 0, 0
        for task in load_set(name):
            case = JudgedTask.of(task, PACK)
            request = Request(case.belief, task.instruction)
            record = run(request, Engine.named("pyperplan"), EmbeddedReader(), Budget(60))
            right += record.outcome == "verified" and judge_plan(record, case).success
            wrong += record.outcome in ("verified", "answered") and not judge_plan(record, case).success
        rows.append((name, right, 15 - right - wrong, wrong))
    table = "\n".join(
        f"| `{name}` | {right} | {declined} | {wrong} |" for name, right, declined, wrong in rows
    )
    assert table in re.sub(r" +", " ", README.read_text(encoding="utf-8")), table


def test_the_largest_of_a_kind_is_not_taken_for_the_largest_of_all() -> None:
    """The office says of a meeting room that it is the largest: among meeting rooms."""
    office = ground(load_scene("office"), load_pack())
    for words in (
        "Find me the largest room.",
        "Which room is the largest?",
        "Which rooms are largest?",
        "Which of the rooms is the largest?",
        "How many rooms are the largest?",
    ):
        assert isinstance(ask(words, office), NotUnderstood), words
    for words in ("Find me the largest meeting room.", "Which meeting room is the largest?"):
        assert isinstance(answer := ask(words, office), Answer) and "meeting_room3" in answer.words
