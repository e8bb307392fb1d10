"""A goal is parsed where its text comes from, and what is asked about it is asked once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from groundplan.compiler.goals import goal as goals
from groundplan.compiler.goals.goal import Goal, Missing, parse_goal
from groundplan.datasets.scenes import open_scene
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.profile import GoalForm
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.language.reader import Unreadable
from groundplan.pipeline import audit
from groundplan.pipeline.audit import Audit
from groundplan.pipeline.hybrid import Request, run
from groundplan.simulator.belief import Belief, ground

ENGINE = Engine.named("pyperplan")
NAMED = '{"things": ["orange"], "rooms": ["kitchen"]}'


@pytest.fixture(scope="module")
def office() -> Belief:
    return ground(open_scene("office"), load_pack())


def asking(belief: Belief, form: GoalForm, *answers: str) -> tuple[ModelReader, ScriptedModel]:
    model = ScriptedModel.of(NAMED, *answers)
    return ModelReader(model, belief.pack, search_protocol="naming", goal_form=form), model


def counted(monkeypatch: pytest.MonkeyPatch, module: object, name: str) -> list[object]:
    """The arguments that a function of a module is called with from now on."""
    seen: list[object] = []
    function: Callable[..., object] = getattr(module, name)

    def counting(*arguments: object, **named: object) -> object:
        seen.append(arguments)
        return function(*arguments, **named)

    monkeypatch.setattr(module, name, counting)
    return seen


def test_a_goal_that_was_read_is_parsed_nowhere(office: Belief, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = counted(monkeypatch, goals, "_answer")
    record = run(Request(office, "Heat up the chicken kebab."), ENGINE, EmbeddedReader(pack=office.pack))
    assert record.verified and record.added and parsed == []


def test_each_answer_of_a_model_is_parsed_once(office: Belief, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = ("(inside_of unicorn7 fridge)", "(inside_of orange1 fridge)")
    reader, _ = asking(office, "pddl", *answers)
    parsed = counted(monkeypatch, goals, "_answer")
    record = run(Request(office, "Refrigerate the orange."), ENGINE, reader)
    assert record.verified and len(record.goals) == len(parsed) == len(answers)


def test_a_goal_is_checked_and_compared_with_its_instruction_once(
    office: Belief, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, _ = asking(office, "sentences", "Put orange1 into cabinet.", "Put orange1 into fridge.")
    asked = {name: counted(monkeypatch, audit, name) for name in ("check", "without_reason")}
    record = run(Request(office, "Refrigerate the orange.", tidy=False), ENGINE, reader)
    assert record.verified and [r.fault for r in record.goals] == ["unsupported-name", ""]
    assert {name: len(calls) for name, calls in asked.items()} == {"check": 2, "without_reason": 2}


def test_a_formula_in_place_of_sentences_is_no_goal_and_shown_as_it_was_written(office: Belief) -> None:
    formula = "(inside_of orange1 fridge)"
    reader, model = asking(office, "sentences", formula, "Put orange1 into fridge.")
    record = run(Request(office, "Refrigerate the orange."), ENGINE, reader)
    assert record.verified and isinstance(record.goals[0].goal, Unreadable)
    assert record.goals[0].as_json()["goal"] == formula
    assert [m.content for m in model.history[-1].messages if m.role == "assistant"][-1] == formula


def test_a_record_has_what_was_tried_as_it_is(office: Belief) -> None:
    reader, _ = asking(office, "pddl", "no idea", "I cannot", "(inside_of orange1 fridge)")
    record = run(Request(office, "Refrigerate the orange.", tidy=False), ENGINE, reader)
    assert [type(r.goal) for r in record.goals] == [Unreadable, Unreadable, Goal]
    assert (
        isinstance(record.goal, Goal)
        and record.goal.formula == parse_goal("(inside_of orange1 fridge)").formula
    )
    reader, _ = asking(office, "pddl", '(missing "a lemon")', *[NAMED] * 9)
    record = run(Request(office, "Refrigerate the lemon."), ENGINE, reader)
    assert record.goals[0].goal == Missing("a lemon")
    assert record.goals[0].as_json()["goal"] == '(missing "a lemon")'


def test_a_goal_that_was_given_is_held_against_no_instruction(office: Belief) -> None:
    given = Audit(parse_goal("(closed fridge)"), office)
    assert given.report.ok and not given.asks_for_nothing
    assert given.unused == given.unsupported == () and not given.doubts(office.scene)
    read = Audit(given.goal, office, "Put the pepsi into the fridge.")
    assert read.asks_for_nothing and read.unused == ("pepsi",) and read.unsupported == ()
    assert read.doubts(office.scene).left_out == (("pepsi", ("pepsi",)),)
