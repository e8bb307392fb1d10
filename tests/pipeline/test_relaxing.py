"""Goals that are relaxed where that is allowed: what is said of it, and what is never relaxed."""

from __future__ import annotations

import pytest

from groundplan import Engine, Record, Request, ground, load_pack, load_scene, parse_goal, run
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.pipeline.events import Event, GoalRelaxed

BOTH = "(and (hot pepsi) (holding pepsi) (hand_free))"


def ran(goal: str, relax: bool = True) -> tuple[Record, list[Event]]:
    office, told = ground(load_scene("office"), load_pack()), []
    request = Request(office, goal=parse_goal(goal), relax=relax)
    return run(request, Engine.named("pyperplan"), listener=told.append), told


def test_a_relaxed_goal_is_verified_and_says_what_it_gives_up_with_the_proof() -> None:
    record, told = ran(BOTH)
    assert record.outcome == "verified" and str(record.goal) == "(and (hot pepsi) (hand_free))"
    assert record.relaxed is not None and str(record.relaxed.goal) == BOTH
    answer = record.as_json()
    assert answer["relaxed"]["changes"] == [
        {"part": "(holding pepsi)", "says": "Hold pepsi.", "kind": "drop", "to": []}
    ]
    assert (answer["relaxed"]["given_up"], answer["relaxed"]["nearest"]) == (1, True)
    (left,) = answer["dropped_as_impossible"]
    assert left["set"] == ["(holding pepsi)", "(hand_free)"] and left["certificate"] is not None
    assert sum(isinstance(event, GoalRelaxed) for event in told) == 1


@pytest.mark.parametrize(
    ("goal", "relax", "outcome"),
    [
        (BOTH, False, "goal-error"),
        ("(open fridge)", True, "verified"),
        ("(inside_of unicorn fridge)", True, "goal-error"),
        ("(holding fridge)", True, "goal-error"),
        ("(and (open microwave) (turned_on microwave))", False, "unsolvable"),
    ],
)
def test_nothing_is_relaxed_unless_it_is_impossible_and_allowed(goal: str, relax: bool, outcome: str) -> None:
    record, told = ran(goal, relax)
    assert (record.outcome, record.relaxed) == (outcome, None)
    assert not any(isinstance(event, GoalRelaxed) for event in told)


@pytest.mark.parametrize("suggest", [False, True])
def test_what_can_be_had_is_told_to_a_reader_where_that_is_wanted(suggest: bool) -> None:
    model = ScriptedModel.of(BOTH, "(and (hot pepsi) (hand_free))")
    office = ground(load_scene("office"), load_pack())
    request = Request(office, "Heat the pepsi, hold it, and free your hand.", suggest=suggest)
    record = run(request, Engine.named("pyperplan"), ModelReader(model, office.pack))
    assert record.outcome == "verified" and record.relaxed is None
    words = [one for one in record.goals[0].feedback if one.startswith("can be had: ")]
    assert words == suggest * [
        "can be had: (and (hot pepsi) (hand_free)) (81.17 metres)",
        "can be had: (and (hot pepsi) (holding pepsi)) (81.17 metres)",
    ]
    assert ("can be had" in str(model.history[-1].messages)) is suggest


def test_what_keeps_a_prohibition_is_told_and_what_drops_it_is_not() -> None:
    goal, kept = "(and (holding pepsi) (hot noodles) (never (robot_at kitchen)))", "(holding pepsi)"
    model = ScriptedModel.of(goal, f"(and {kept} (never (robot_at kitchen)))")
    office = ground(load_scene("office"), load_pack())
    request = Request(office, "Get the pepsi, heat the noodles, never go into the kitchen.", suggest=True)
    record = run(request, Engine.named("pyperplan"), ModelReader(model, office.pack))
    words = [one for one in record.goals[0].feedback if one.startswith("can be had: ")]
    assert words == [f"can be had: (and {kept} (always (not (robot_at kitchen)))) (27.16 metres)"]
