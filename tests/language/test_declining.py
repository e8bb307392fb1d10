"""Instructions to be declined: a model that says so is believed soon, and is told nothing that is false."""

from __future__ import annotations

import json

import pytest

from groundplan.compiler.goals.goal import Missing, parse_answer
from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.model import ChatRequest
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.pipeline.hybrid import Request, run
from groundplan.pipeline.record import Record
from groundplan.simulator.belief import ground

PACK = load_pack()
OFFICE = ground(load_scene("office"), PACK)
MOST_CALLS = 3
DECLINED = (
    ("Water the flowers in the lobby.", "flowers, a watering can"),
    ("Call Niko and tell him that lunch is ready.", "a way to make a phone call"),
    ("Put the stapler into Tobi's cabinet.", "Tobi's cabinet"),
    ("Feed the cat.", "a cat, cat food"),
    ("Play some music in the cafeteria.", "a radio"),
    ("Paint the kitchen wall blue.", "blue paint"),
    ("Send the thesis to the printer in Paris.", "a printer in Paris"),
    ("Make me a pizza.", "pizza dough, an oven"),
    ("Mend the broken drone.", "tools that mend it"),
    ("Book meeting room 2 for tomorrow.", "a calendar"),
    ("Iron Peter's shirt.", "a shirt, an iron"),
    ("Find out who ate my lunch.", "a camera"),
    ("Give the unicorn an apple.", "a unicorn"),
    ("Translate the document into French.", "a translator"),
    ("Open the window, it is hot in here.", "a window"),
    ("Drive me to the airport.", "a car"),
    ("Sharpen the pencils.", "pencils, a sharpener"),
    ("Vacuum the carpet in Aaron's office.", "a vacuum cleaner, a carpet"),
    ("Switch the lights off in the lobby.", "the lights in the lobby"),
    ("Buy milk.", "a shop"),
    ("Sing a song for Ajay.", "a voice"),
    ("Water my yucca, please.", "a yucca"),
    ("Charge the robot's battery.", "a charger"),
    ("Take the elevator to the roof.", "an elevator"),
)


@pytest.fixture(autouse=True)
def without_embeddings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groundplan.language.english.embedding.installed", lambda: False)


def ran(
    instruction: str, missing: str, protocol: str = "words", asks: str = ""
) -> tuple[Record, ScriptedModel]:
    def answer(request: ChatRequest) -> str:
        named = asks or json.dumps({"things": missing.split(", "), "rooms": ["lobby"]})
        return named if request.purpose == "search" else f'(missing "{missing}")'

    model = ScriptedModel.always(answer)
    reader = ModelReader(model, PACK, search_protocol=protocol)
    return run(Request(OFFICE, instruction), Engine.named("pyperplan"), reader), model


@pytest.mark.parametrize(("instruction", "missing"), DECLINED)
def test_a_model_that_declines_is_asked_three_times_at_most(instruction: str, missing: str) -> None:
    record, model = ran(instruction, missing)
    assert record.outcome in ("search-exhausted", "not-understood") and len(model.history) <= MOST_CALLS
    assert not record.plan and not any(" is shown" in line for r in record.goals for line in r.feedback)


@pytest.mark.parametrize("asks", ['(missing "{}")', "(find (?x - fridge))"])
@pytest.mark.parametrize(("instruction", "missing"), DECLINED)
def test_by_questions_as_well(instruction: str, missing: str, asks: str) -> None:
    record, model = ran(instruction, missing, "query", asks.format(missing))
    assert record.outcome == "search-exhausted" and len(model.history) <= MOST_CALLS
    assert [r.purpose for r in model.history][:2] == ["search", "goal"]


@pytest.mark.parametrize(("instruction", "missing"), DECLINED)
def test_a_model_that_says_why_is_asked_once(instruction: str, missing: str) -> None:
    record, model = ran(instruction, f"nothing: this robot has no {missing}")
    assert record.outcome == "declined" and record.exit_code == 3
    assert "this robot has no" in record.reasons[0]
    assert [r.purpose for r in model.history if r.purpose != "search"] == ["goal"] and len(model.history) <= 2


def test_feedback_names_what_is_shown_only_where_all_of_a_name_fits() -> None:
    """The id of a thing may be a part of the words for another one."""
    instruction = "Put the stapler from the cabinet in the kitchen on the kitchen bench."
    record, _ = ran(instruction, "the cabinet in the kitchen")
    assert any("is shown: cabinet is in kitchen" in line for r in record.goals for line in r.feedback)
    record, _ = ran(instruction, "Niko's cabinet of curiosities")
    assert not any(" is shown" in line for r in record.goals for line in r.feedback)


@pytest.mark.parametrize(
    ("instruction", "declined"),
    [
        ("Put the nearest chair into the lobby.", True),
        ("Bring me the banana that is closest to the door.", True),
        ("Put the orange into the nearest fridge.", False),
    ],
)
def test_a_choice_by_distance_is_declined_where_several_could_be_meant(
    instruction: str, declined: bool
) -> None:
    record, model = ran(instruction, "nothing: no distances")
    assert record.outcome == ("not-understood" if declined else "declined")
    assert bool(model.history) is not declined
    assert ("nothing was measured" in record.reasons[0]) is declined


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("nothing: it asks for nothing", "it asks for nothing"),
        ("Nothing - it contradicts itself", "it contradicts itself"),
        ("nothing", "nothing"),
        ("nothing to hold the door", ""),
        ("a mug", ""),
    ],
)
def test_reasons_of_answers_that_ask_for_nothing(words: str, reason: str) -> None:
    answer = parse_answer(f'(missing "{words}")')
    assert isinstance(answer, Missing) and answer.declined == reason
