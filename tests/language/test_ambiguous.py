"""A question back: forty instructions with several readings, and forty with one, on four scenes."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from groundplan import Engine, Record, Request, ground, load_pack, open_scene, parse_goal, run
from groundplan.compiler.certificates import read_rules
from groundplan.compiler.comparison import entails
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.language.reader import Ambiguity, NotUnderstood
from groundplan.pipeline.clarifying import Clarification
from groundplan.simulator.belief import Belief
from groundplan.simulator.view import View

ROOT = Path(__file__).parent
INSTRUCTIONS = json.loads((ROOT / "ambiguous" / "instructions.json").read_text(encoding="utf-8"))[
    "instructions"
]
SCENES = sorted({one["scene"] for one in INSTRUCTIONS})
NIKO = "Put the book on the desk in Niko's office."
DECLINED = {"ambiguous-09"}
"""Ambiguous instructions that the reader declines without a question: both answers come to one goal."""
MISSED = {"ambiguous-05", "ambiguous-29"}
"""Those that it reads in one way: a plural name of one thing, and a counter in the room of the cloth."""


@cache
def belief_of(scene: str) -> Belief:
    return ground(open_scene(str(ROOT / scene) if scene.endswith(".json") else scene), load_pack())


@pytest.mark.parametrize("scene", SCENES)
def test_what_has_several_readings_is_asked_and_nothing_else(scene: str) -> None:
    pytest.importorskip("onnxruntime")
    reader, belief = EmbeddedReader(), belief_of(scene)
    for one in (one for one in INSTRUCTIONS if one["scene"] == scene):
        ambiguity = reader.ambiguity(one["text"], belief)
        if one["id"] in DECLINED:
            search = reader.search(one["text"], View.first(belief.scene))
            assert isinstance(reader.write(one["text"], search.scene), NotUnderstood)
        if not one["readings"] or one["id"] in DECLINED | MISSED:
            assert ambiguity is None, one
            continue
        assert isinstance(ambiguity, Ambiguity), one
        assert {reading.node for reading in ambiguity.readings} == set(one["readings"]), one
        for reading in ambiguity.readings:
            gold = parse_goal(one["readings"][reading.node]).formula
            assert entails(reading.goal.formula, gold, belief), (one, str(reading.goal))


def test_most_of_the_ambiguous_ones_are_asked_or_declined() -> None:
    number = sum(bool(one["readings"]) for one in INSTRUCTIONS)
    assert (number, len(INSTRUCTIONS) - number, number - len(MISSED)) == (40, 40, 38)


def asked(answer: int | None, ask: bool = True, reader: object = None) -> Record:
    request = Request(belief_of("office"), NIKO, ask=ask)
    engine = Engine.named("pyperplan")
    return run(request, engine, reader or EmbeddedReader(), answer=lambda question: answer)


def test_the_answer_is_settled_and_kept_in_the_record() -> None:
    pytest.importorskip("onnxruntime")
    record = asked(1)
    assert record.outcome == "verified" and str(record.goal) == "(ontop_of book2 desk1)"
    answer = record.as_json()["clarification"]
    assert (answer["question"], answer["answer"]) == ('Which is meant by "the book"?', 1)
    assert [one["node"] for one in answer["readings"]] == ["book1", "book2"]
    assert all(one["outcome"] == "verified" and one["cost"] > 0 for one in answer["readings"])
    assert record.reading is not None and record.instruction == NIKO


BOTH = "Bring the cell phone and the bowl to the living room."


def offered(text: str, scene: str = "house-5") -> list[str]:
    """The goals of a question about several phrases."""
    ambiguity = EmbeddedReader().ambiguity(text, belief_of(scene))
    assert isinstance(ambiguity, Ambiguity)
    assert ambiguity.phrases[1:] and {reading.node for reading in ambiguity.readings} == {None}
    assert {len(reading.nodes) for reading in ambiguity.readings} == {len(ambiguity.phrases)}
    return [str(reading.goal) for reading in ambiguity.readings]


def test_a_reading_of_which_a_part_is_so_already_is_a_choice_and_one_that_is_so_as_a_whole_is_not() -> None:
    pytest.importorskip("onnxruntime")
    assert len(offered(BOTH)) == 9  # three phones and rooms; bowl1 is in living_room3
    assert len(offered("Bring the bowl to the living room.")) == 3 * 3 - 1
    house = belief_of("house-5")
    named = BOTH.replace("the living room", "living_room3")
    choices = offered(named)
    assert len(choices) == 9 and "(in_room bowl1 living_room3)" in choices[0]
    reader = EmbeddedReader()
    assert reader.understood(named, house.scene)[0] is None
    record = run(Request(house, BOTH, ask=True), Engine.named("pyperplan"), reader, answer=lambda question: 2)
    assert record.outcome == "verified" and not any("bowl" in step for step in record.as_json()["plan"])


@pytest.mark.parametrize(
    ("scene", "text", "relation", "things", "places"),
    [
        ("home", "Put the sock on the bed.", "ontop_of", range(5), range(3)),
        ("home", "Put the pillow on the bed.", "ontop_of", range(3), range(3)),
        ("house-8", "Put the book on the bed.", "ontop_of", range(1, 7), range(1, 3)),
        ("home", "Put the bowl in the fridge.", "inside_of", range(7), range(2)),
    ],
)
def test_two_phrases_that_leave_each_other_open_are_one_question(
    scene: str, text: str, relation: str, things: range, places: range
) -> None:
    """Every thing can be chosen with every place, but for where it is already."""
    pytest.importorskip("onnxruntime")
    thing, place = text.rstrip(".").split()[2], text.rstrip(".").split()[-1]
    nodes = belief_of(scene).scene.nodes
    pairs = [(f"{thing}{n}", f"{place}{m}") for n in things for m in places]
    goals = offered(text, scene)
    choices = [(one, to) for one, to in pairs if nodes[one].parent != to]
    assert len(goals) == len(choices)
    assert all(f"({relation} {one} {to})" in goal for (one, to), goal in zip(choices, goals, strict=True))


def test_phrases_with_too_many_combinations_are_all_named_and_none_is_chosen() -> None:
    pytest.importorskip("onnxruntime")
    text = "Put the sock on the bed and the bowl in the fridge."
    request = Request(belief_of("home"), text, ask=True)
    record = run(request, Engine.named("pyperplan"), EmbeddedReader(), answer=lambda question: 0)
    assert (record.outcome, record.goal, record.clarification) == ("not-understood", None, None)
    named = '"the sock" (5) and "the bed" (3) and "the bowl" (7) and "the fridge" (2) may mean several'
    assert named in record.reasons[0]


def test_the_question_about_two_phrases_names_both() -> None:
    pytest.importorskip("onnxruntime")
    request = Request(belief_of("home"), "Put the sock on the bed.", ask=True)
    record = run(request, Engine.named("pyperplan"), EmbeddedReader(), answer=lambda question: 14)
    assert (record.outcome, str(record.goal)) == ("verified", "(ontop_of sock4 bed2)")
    assert record.clarification is not None
    assert record.clarification.question == 'Which is meant by "the sock" and "the bed"?'


def test_a_choice_that_a_rule_excludes_says_the_rule() -> None:
    rule = "(always (not (robot_at living_room3)))"
    request = Request(read_rules(rule, belief_of("house-5")), BOTH, ask=True)
    record = run(request, Engine.named("pyperplan"), EmbeddedReader(), answer=lambda question: None)
    readings = record.as_json()["clarification"]["readings"]
    assert [one["outcome"] for one in readings] == ["verified", "verified", "unsolvable"] * 3
    assert readings[2]["reasons"][-1] == f"because of the rule {rule}" and readings[0]["reasons"] == []


def test_without_an_answer_nothing_is_planned_and_without_ask_nothing_is_asked() -> None:
    pytest.importorskip("onnxruntime")
    record = asked(None)
    assert (record.outcome, record.exit_code, record.plan) == ("ambiguous", 3, ())
    assert record.clarification is not None and record.clarification.answer is None
    plain = asked(0, ask=False)
    assert plain.outcome == "verified" and plain.clarification is None


def test_a_model_is_not_asked_for_what_a_person_answered() -> None:
    """The rules of the embedded reader find the readings whoever reads; the answer is a goal already."""
    pytest.importorskip("onnxruntime")
    model = ScriptedModel([])
    record = asked(0, reader=ModelReader(model, load_pack()))
    assert record.outcome == "verified" and str(record.goal) == "(ontop_of book1 desk1)"
    assert not model.history


def test_each_choice_says_where_the_thing_is() -> None:
    pytest.importorskip("onnxruntime")
    choices: list[str] = []

    def answer(question: Clarification) -> None:
        choices.extend(question.choice(n) for n in range(len(question.ambiguity.readings)))

    run(
        Request(belief_of("office"), NIKO, ask=True),
        Engine.named("pyperplan"),
        EmbeddedReader(),
        answer=answer,
    )
    assert choices[0] == "book1 is on table3 in manipulation_lab: Put book1 on desk1."


def read_by(
    model: ScriptedModel, answer: int | None, ask: bool = True, text: str = "Sort the orange out."
) -> Record:
    """The record of a run in which a model reads, and a person answers by a number or not at all."""
    return run(
        Request(belief_of("office"), text, ask=ask),
        Engine.named("pyperplan"),
        ModelReader(model, load_pack(), search_protocol="words"),
        answer=lambda question: answer,
    )


def in_json(phrase: str, *goals: str) -> str:
    return json.dumps({"phrase": phrase, "readings": goals})


TWO = in_json("the orange", "(inside_of orange1 fridge)", "(holding orange1)")


def test_a_model_gives_its_readings_in_one_answer_and_a_person_chooses() -> None:
    model = ScriptedModel.of(TWO)
    record = read_by(model, 1)
    assert (record.outcome, str(record.goal)) == ("verified", "(holding orange1)")
    answer = record.as_json()["clarification"]
    assert (answer["question"], answer["answer"]) == ('Which is meant by "the orange"?', 1)
    assert [(one["node"], one["goal"]) for one in answer["readings"]] == [
        (None, "(inside_of orange1 fridge)"),
        (None, "(holding orange1)"),
    ]
    assert all(one["outcome"] == "verified" and one["cost"] > 0 for one in answer["readings"])
    assert [request.purpose for request in model.history] == ["readings"]
    assert record.usage["prompts"].keys() == {"readings"}


def test_without_an_answer_a_models_readings_end_as_ambiguous() -> None:
    record = read_by(ScriptedModel.of(TWO), None)
    assert (record.outcome, record.exit_code, record.plan) == ("ambiguous", 3, ())
    assert record.clarification is not None
    assert record.clarification.choice(0) == "Put orange1 into fridge."


@pytest.mark.parametrize(
    "answer",
    [
        in_json("", "(holding orange1)"),
        in_json("orange", "(holding orange1)", "(and (holding orange1) (not (hand_free)))"),
        in_json("orange", "(holding orange1)", "(holding unicorn)", "put it away", "(open"),
        "(holding orange1)",
    ],
)
def test_readings_that_are_one_goal_are_no_question(answer: str) -> None:
    """Those that are the same, name nothing here or are no goal are no choices."""
    record = read_by(ScriptedModel.of(answer), None)
    assert (record.outcome, record.clarification) == ("verified", None)
    assert str(record.goals[0].goal) == "(holding orange1)"


def test_what_a_model_writes_in_place_of_readings_is_judged_as_a_goal() -> None:
    declined = read_by(ScriptedModel.of(in_json("", '(missing "nothing: it is no task")')), None)
    assert declined.outcome == "declined"
    wrong = ScriptedModel.of(in_json("x", "(holding unicorn)", "(hot unicorn)"), "(holding orange1)")
    repaired = read_by(wrong, None)
    assert repaired.outcome == "verified" and [r.purpose for r in wrong.history] == ["readings", "repair"]
    none = ScriptedModel.of(json.dumps({"phrase": 3, "readings": []}), "(holding orange1)")
    assert read_by(none, None).outcome == "verified"
    other = read_by(ScriptedModel.of(in_json("ignore this", "(holding orange1)", "(hot orange1)")), None)
    assert other.clarification is not None
    assert other.clarification.question == 'Which is meant by "Sort the orange out."?'
    plain = ScriptedModel.of("(holding orange1)")
    assert read_by(plain, None, ask=False).outcome == "verified"
    assert [request.purpose for request in plain.history] == ["goal"]


def choices_of(record: Record) -> list[str]:
    assert record.clarification is not None
    return [str(reading.goal) for reading in record.clarification.ambiguity.readings]


NEVER = "(always (not (robot_at lobby)))"


def test_a_reading_that_leaves_out_a_prohibition_is_no_choice() -> None:
    text = "Sort the orange out without entering the lobby."
    kept = [f"(and (inside_of orange1 fridge) {NEVER})", f"(and (holding orange1) {NEVER})"]
    mixed = in_json("orange", *kept, "(holding orange1)")
    assert choices_of(read_by(ScriptedModel.of(mixed), None, text=text)) == kept
    none = ScriptedModel.of(in_json("orange", "(holding orange1)", "(inside_of orange1 fridge)"), kept[1])
    record = read_by(none, None, text=text)
    assert (record.goals[0].fault, record.clarification) == ("left-out", None)
    assert (record.outcome, str(record.goal)) == ("verified", kept[1])


def test_a_reading_that_is_so_already_is_no_choice() -> None:
    goals = ["(holding orange1)", "(inside_of orange1 fridge)"]
    so = f"(ontop_of orange1 {belief_of('office').scene.nodes['orange1'].parent})"
    assert choices_of(read_by(ScriptedModel.of(in_json("orange", *goals, so)), None)) == goals


def test_names_that_were_never_opened_are_looked_for_and_the_readings_written_again() -> None:
    hidden = in_json("orange", "(holding orange1)", "(ontop_of orange1 desk4)")
    model = ScriptedModel.of(hidden, hidden)
    record = read_by(model, None)
    assert choices_of(record) == ["(holding orange1)", "(ontop_of orange1 desk4)"]
    assert [request.purpose for request in model.history] == ["readings", "readings"]
    assert "desk4" in record.subgraph
