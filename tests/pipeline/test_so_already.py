"""A reader's goal that holds before anything is done goes back, unless that may be what was asked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal, run
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.confirming import confirms, may_hold_already
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.language.english.lexical import Lexical
from groundplan.language.reader import PLAIN, History, NotUnderstood, SearchResult, Written
from groundplan.pipeline.record import Record
from groundplan.pipeline.settling import SO_ALREADY
from groundplan.simulator.belief import Belief
from groundplan.simulator.scene import Scene
from groundplan.simulator.view import View

PYPERPLAN = Engine.named("pyperplan")
CLOSED, BANANA = "(closed fridge)", "(holding banana2)"


@pytest.fixture(scope="module")
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


def scripted(*goals: str) -> ScriptedModel:
    """A model that opens the kitchen and then writes goals."""
    moves = [("expand", "kitchen"), ("terminate", "")]
    search = [json.dumps({"move": {"chain_of_thought": "", "command": c, "node": n}}) for c, n in moves]
    return ScriptedModel.of(*search, *goals)


def read_by(model: ScriptedModel, belief: Belief) -> ModelReader:
    return ModelReader(model, belief.pack, search_protocol="dialogue")


def told(belief: Belief, instruction: str, *goals: str) -> tuple[Record, ScriptedModel]:
    model = scripted(*goals)
    return run(Request(belief, instruction), PYPERPLAN, read_by(model, belief)), model


# Which instructions and goals may ask for what is so already


@pytest.mark.parametrize(
    ("instruction", "goal", "may"),
    [
        ("Close the fridge.", CLOSED, False),
        ("Make sure that the fridge is closed.", CLOSED, True),
        ("Please make very sure the fridge is closed.", CLOSED, True),
        ("Ensure the fridge is closed.", CLOSED, True),
        ("Keep the fridge closed.", CLOSED, True),
        ("Leave the fridge as it is.", CLOSED, True),
        ("The fridge should remain closed.", CLOSED, True),
        ("Check if the fridge is closed.", CLOSED, True),
        ("See to it that the fridge is closed.", CLOSED, True),
        ("Verify the fridge is closed.", CLOSED, True),
        ("Be sure that the fridge is closed.", CLOSED, True),
        ("Test whether the fridge is closed.", CLOSED, True),
        ("Test the microwave.", CLOSED, False),
        ("Don't open the fridge.", CLOSED, True),
        ("Don’t open the fridge.", CLOSED, True),
        ("Do not open the fridge.", CLOSED, True),
        ("You mustn't open the fridge.", CLOSED, True),
        ("Never open the fridge.", CLOSED, True),
        ("I can't find the banana, please put it away.", CLOSED, False),
        ("Stayed? Keeper of the checkbook: close the fridge.", CLOSED, False),
        ("Shut it.", "(not (open fridge))", False),
        ("Do not open it.", "(not (open fridge))", True),
        ("Shut it.", "(not (sometime (open fridge)))", False),
        ("Do not open it.", "(not (sometime (open fridge)))", True),
        ("Shut it.", "(sometime (closed fridge))", False),
        ("Do not open it.", "(sometime (closed fridge))", True),
        ("Shut it.", "(forall (?x - fridge) (not (open ?x)))", False),
        ("Do not open it.", "(forall (?x - fridge) (not (open ?x)))", True),
        ("Shut it.", "(forall (?x - asset) (imply (fridge ?x) (not (open ?x))))", False),
        ("Do not open it.", "(forall (?x - asset) (imply (fridge ?x) (not (open ?x))))", True),
        ("Shut it.", "(not (exists (?x - fridge) (open ?x)))", False),
        ("Do not open it.", "(not (exists (?x - fridge) (open ?x)))", True),
        ("Shut it.", "(at-most 1 (?x - fridge) (open ?x))", False),
        ("Do not open it.", "(at-most 1 (?x - fridge) (open ?x))", True),
        ("Shut it.", "(exactly 0 (?x - fridge) (open ?x))", False),
        ("Do not open it.", "(exactly 0 (?x - fridge) (open ?x))", True),
        ("Shut it.", "(exactly 1 (?x - fridge) (closed ?x))", False),
        ("Shut it.", "(and (not (open fridge)) (closed fridge))", False),
        ("Shut it.", "(or (not (open fridge)) (closed microwave))", False),
        ("Shut it.", "(forall (?x - fridge) (closed ?x))", False),
        ("Make sure of it.", "(and)", False),
        ("Make sure the kebab is hot.", "(inside_of chicken_kebab fridge)", False),
        ("Make sure the fridge is cold.", CLOSED, False),
        ("Make sure the fridge is tidy.", CLOSED, False),
        ("Make sure the fridge is not open.", CLOSED, True),
        ("Make sure the kebab is not hot.", "(cold chicken_kebab)", True),
        ("Make sure the orange is on the floor.", "(ontop_of orange1 floor)", True),
        ("Make sure it is not open.", "(not (open fridge))", True),
        ("Make sure it is closed.", "(not (open fridge))", False),
        ("Make sure it is closed.", "(sometime (closed fridge))", False),
        ("Make sure at most one is open.", "(at-most 1 (?x - fridge) (open ?x))", True),
        ("Shut it.", "(or)", False),
    ],
)
def test_words_and_prohibitions_tell_who_may_ask_for_what_is_so(
    instruction: str, goal: str, may: bool
) -> None:
    assert may_hold_already(instruction, parse_goal(goal).formula) is may


@pytest.mark.parametrize(
    "instruction",
    [
        "Could you please check that the fridge is closed? Thank you!",
        "Leave the banana where it is.",
        "Let the fridge stay closed.",
        "The fridge should still be closed.",
        "You must not open the fridge.",
        "Do not open or move the fridge.",
        "Make sure the fridge and the microwave are closed.",
        "Keep the fridge closed and leave the microwave closed.",
        "Keep everything closed, please.",
        "Be sure not to open the fridge.",
        "Make sure you do not open the fridge.",
        "Make sure to keep the fridge closed.",
    ],
)
def test_an_instruction_may_be_done_where_each_clause_confirms_or_forbids(instruction: str) -> None:
    assert confirms(instruction)


@pytest.mark.parametrize(
    "instruction",
    [
        "",
        "Thank you!",
        "Heat the kebab; do not leave the fridge open.",
        "Never mind the fridge, heat the kebab.",
        "Never mind the fridge.",
        "Make sure it is tidy. Heat the kebab.",
        "Make sure it is tidy (and heat the kebab)",
        "Make sure it is tidy and nuke the kebab.",
        "Make sure it is tidy, then you can heat the kebab.",
        "Check the oven is not hot and heat the kebab.",
        "Check the fridge while heating the kebab.",
        "Check the fridge - heat the kebab",
        "Do not open the fridge and heat the orange.",
        "Do not forget to heat the kebab.",
        "Do not stop until the kebab is hot.",
        "Don't just look, heat the kebab.",
        "Make sure to heat the kebab.",
        "Be sure that you heat the kebab.",
        "Heat the kebab that is still in the fridge.",
        "I still need the kebab heated.",
        "Take the banana that should stay cold.",
        "Keep heating the kebab.",
        "Put the check on the desk.",
    ],
)
def test_an_instruction_that_asks_for_something_else_is_not_done(instruction: str) -> None:
    assert not confirms(instruction)


# In a run


def test_a_goal_that_is_so_already_is_sent_back_before_planning(office: Belief) -> None:
    record, model = told(office, "Get the banana.", CLOSED, BANANA)
    assert record.verified and [str(r.goal) for r in record.goals] == [CLOSED, BANANA]
    assert record.goals[0].feedback == (SO_ALREADY,)
    (repair,) = [r for r in model.history if r.purpose == "repair"]
    assert SO_ALREADY in repair.messages[1].content


@pytest.mark.parametrize(
    ("instruction", "goal"),
    [
        ("Put the orange on the kitchen floor.", "(in_room orange1 kitchen)"),
        ("Put the kebab away.", "(inside_of chicken_kebab fridge)"),
        ("Put the fruit into the kitchen.", "(exists (?x - fruit) (in_room ?x kitchen))"),
        ("Shut everything in the kitchen.", "(forall (?x - fridge) (closed ?x))"),
        ("Switch the machines off.", "(and (turned_off microwave) (turned_off coffee_machine))"),
    ],
)
def test_a_description_of_the_scene_is_no_goal(instruction: str, goal: str, office: Belief) -> None:
    """Small models often say what they see."""
    record, _ = told(office, instruction, goal, goal)
    assert (record.outcome, record.plan, record.reasons) == ("goal-error", (), (SO_ALREADY,))


def test_repairs_are_judged_by_the_same_rule(office: Belief) -> None:
    record, _ = told(office, "Get the banana.", CLOSED, "(closed microwave)", "(and)", BANANA)
    assert record.verified
    assert [r.feedback for r in record.goals] == [(SO_ALREADY,)] * 3 + [()]


@pytest.mark.parametrize(
    "goals", [(CLOSED, CLOSED), (CLOSED, "(closed microwave)", CLOSED), ("(and)", "(and)")]
)
def test_where_nothing_better_comes_the_run_is_no_success(goals: tuple[str, ...], office: Belief) -> None:
    record, _ = told(office, "Get the banana.", *goals)
    assert (record.outcome, record.exit_code, record.plan) == ("goal-error", 3, ())
    assert not record.verified and record.reasons == (SO_ALREADY,)


@pytest.mark.parametrize(
    ("instruction", "goal"),
    [
        ("Heat the kebab; do not leave the fridge open.", CLOSED),
        ("Never mind the fridge, heat the kebab.", CLOSED),
        ("Make sure it is tidy. Heat the kebab.", CLOSED),
        ("Check the oven is not hot and heat the kebab.", CLOSED),
        ("Do not open the fridge and heat the orange.", CLOSED),
        ("Heat the kebab.", "(not (hot bread))"),
        ("Heat the kebab.", "(not (hot chicken_kebab))"),
        ("Heat the kebab.", "(sometime (closed fridge))"),
        ("Make sure the kebab is warm.", CLOSED),  # all of it confirms, and the goal leaves the kebab out
    ],
)
def test_a_clause_that_confirms_or_forbids_excuses_no_other(
    instruction: str, goal: str, office: Belief
) -> None:
    record, _ = told(office, instruction, goal, goal)
    assert (record.outcome, record.plan, record.reasons) == ("goal-error", (), (SO_ALREADY,))


@pytest.mark.parametrize(
    "instruction",
    [
        "Make sure the fridge is closed.",
        "Make certain the fridge is closed.",
        "Do not open the fridge.",
        "Could you please check that the fridge is still closed?",
        "The fridge must stay closed.",
    ],
)
def test_what_is_confirmed_or_forbidden_may_be_so(instruction: str, office: Belief) -> None:
    record, _ = told(office, instruction, CLOSED)
    assert record.verified and record.plan == ()
    assert [d.code for d in record.diagnostics] == ["already-true"]


def test_what_is_to_be_left_where_it_is_may_be_there(office: Belief) -> None:
    record, _ = told(office, "Leave the banana where it is.", "(inside_of banana2 fridge)")
    assert record.verified and record.plan == ()


def test_a_goal_of_which_a_part_holds_is_planned_for(office: Belief) -> None:
    record, _ = told(office, "Get the banana and close the fridge.", f"(and {CLOSED} {BANANA})")
    assert record.verified and len(record.goals) == 1


def test_a_goal_that_is_given_may_hold_already(office: Belief) -> None:
    record = run(Request(office, "Close the fridge.", parse_goal(CLOSED)), PYPERPLAN)
    assert record.verified and record.plan == ()


def test_a_first_goal_that_is_so_already_binds_no_repair_but_the_next_one_does(office: Belief) -> None:
    wrong = f"(and {BANANA} (open microwave) (turned_on fridge))"
    record, _ = told(office, "Get the banana.", CLOSED, wrong, CLOSED)
    assert record.outcome == "goal-drift"
    record, _ = told(office, "Get the banana.", CLOSED, wrong, BANANA)
    assert record.outcome == "goal-drift" and "dropped" in record.reasons[0]


def test_what_the_robot_finds_done_is_done(office: Belief) -> None:
    """The fridge was believed open; that somebody closed it meanwhile is no misreading."""
    believed = ground(office.scene.changed([], [], {"fridge": {"state": ("open",)}}), office.pack)
    reader = read_by(scripted(CLOSED), office)
    record = run(Request(believed, "Close the fridge.", world=office), PYPERPLAN, reader)
    assert record.verified and record.trajectory.observations and len(record.goals) == 1


@dataclass
class Stub:
    """A reader of any other kind: it hands over goals in their order."""

    goals: list[str]
    heard: list[Sequence[str]] = field(default_factory=list)
    name, traits, meter = "stub", PLAIN, None

    def search(self, instruction: str, view: View, reason: str = "") -> SearchResult:
        view = view.expand("kitchen")
        return SearchResult("found", tuple(n.id for n in view.visible), view)

    def write(self, instruction: str, subgraph: Scene) -> Written:
        return parse_goal(self.goals.pop(0)) if self.goals else NotUnderstood("no other reading")

    def repair(self, history: History, feedback: Sequence[str]) -> Written:
        self.heard.append(feedback)
        return self.write(history.instruction, history.subgraph)


@pytest.mark.parametrize(
    ("instruction", "outcome"),
    [
        ("Make sure the fridge is closed.", "verified"),
        ("Be sure that the fridge is closed.", "verified"),
        ("The fridge must stay closed.", "verified"),
        ("Close the fridge.", "not-understood"),
        ("Close the fridge again.", "not-understood"),
    ],
)
def test_the_embedded_reader_goes_by_the_same_words(instruction: str, outcome: str, office: Belief) -> None:
    record = run(Request(office, instruction), PYPERPLAN, EmbeddedReader(Lexical()))
    assert (record.outcome, record.plan) == (outcome, ())
    assert record.verified or "so already" in record.reasons[0]


def test_the_rule_is_the_same_for_every_reader(office: Belief) -> None:
    stub = Stub([CLOSED, BANANA])
    assert run(Request(office, "Get the banana."), PYPERPLAN, stub).verified
    assert stub.heard == [(SO_ALREADY,)]
    record = run(Request(office, "Get the banana."), PYPERPLAN, Stub([CLOSED]))
    assert (record.outcome, record.reasons[0]) == ("goal-error", SO_ALREADY)
    assert record.reasons[1] == "not understood: no other reading"
