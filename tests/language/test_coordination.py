"""Coordinated requests: a goal has all of what "and" joins, or there is no goal."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from draws import draws
from hypothesis import example, given, settings
from hypothesis import strategies as st

from groundplan.domains.formula import conjuncts
from groundplan.language.embedded.clauses import read_clauses
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.language.english.lexical import Lexical
from groundplan.language.reader import NotUnderstood
from groundplan.simulator.scene_json import read_scene
from groundplan.simulator.view import View

OFFICE = read_scene(Path(__file__).parents[2] / "datasets" / "scenes" / "office.json")
STATES = {
    ("the fridge", "closed"): "(closed fridge)",
    ("the fridge", "open"): "(open fridge)",
    ("the microwave", "on"): "(turned_on microwave)",
    ("the microwave", "off"): "(turned_off microwave)",
    ("cabinet5", "open"): "(open cabinet5)",
    ("cabinet5", "closed"): "(closed cabinet5)",
    ("the coffee machine", "on"): "(turned_on coffee_machine)",
}
COMMANDS = {
    "open cabinet6": "(open cabinet6)",
    "put apple2 on the lunch table": "(ontop_of apple2 lunch_table)",
    "turn on the tv": "(turned_on tv)",
}
FORMS = [
    ("make sure that ", "{} is {}", " and that "),
    ("make sure ", "{} is {}", " and "),
    ("ensure that ", "{} is {}", " and "),
    ("please ensure ", "{} is {}", " and also that "),
    ("I want ", "{} {}", " and "),
    ("I would like ", "{} {}", ", and "),
    ("keep ", "{} {}", " and "),
    ("", "{} should be {}", " and "),
    ("", "{} must be {}", ", and "),
]


def goal(instruction: str) -> set[str] | None:
    """The conjuncts of a goal; nothing where the instruction is declined."""
    reader = EmbeddedReader(Lexical())
    search = reader.search(instruction, View.collapsed(OFFICE))
    written = reader.write(instruction, search.scene) if search.outcome == "found" else None
    if written is None or isinstance(written, NotUnderstood):
        return None
    return {str(part) for part in conjuncts(written.formula)}


def test_what_and_joins_is_all_asked_for() -> None:
    both = goal("Open cabinet6 and make sure that the microwave is on.")
    assert both == {"(open cabinet6)", "(turned_on microwave)"}
    for text in (
        "Make sure that the fridge is closed and that cabinet5 is closed.",
        "Make sure the fridge is closed and the microwave is on.",
        "I want the fridge open and the microwave on.",
        "The fridge should be open and the microwave on.",
    ):
        assert goal(text) is None, text


@pytest.mark.parametrize(
    ("instruction", "wanted"),
    [
        ("Leave the banana on the lunch table.", {"(ontop_of banana1 lunch_table)"}),
        ("Make sure the banana is on the lunch table.", {"(ontop_of banana1 lunch_table)"}),
        ("Leave the banana in the fridge.", {"(inside_of banana2 fridge)", "(closed fridge)"}),
        ("Leave the carrot in the fridge and put it on the lunch table.", None),
        # One banana is in the kitchen, the other in the cafeteria: the nearer one is not just as good.
        ("Leave the banana on Peter's desk.", None),
        ("Leave the kebab on Peter's desk.", {"(ontop_of chicken_kebab desk2)"}),
    ],
)
def test_what_is_to_be_left_somewhere_is_what_is_there(instruction: str, wanted: set[str] | None) -> None:
    assert goal(instruction) == wanted


@pytest.mark.parametrize(
    ("instruction", "wanted"),
    [
        (
            "Wipe the dirty plate with the paper towel.",
            {"(clean plate)", "(sometime (ontop_of paper_towel plate))"},
        ),
        ("Wash the plate in the dishwasher.", {"(clean plate)", "(sometime (inside_of plate dishwasher))"}),
        ("Wash the dirty plate with the paper towel.", None),
    ],
)
def test_the_tool_that_is_named_is_used(instruction: str, wanted: set[str] | None) -> None:
    assert goal(instruction) == wanted


def test_a_statement_after_a_request_is_no_context() -> None:
    """Joined by "and" it may be asked for, so it must not be left out."""
    assert goal("Close the fridge and the microwave is on.") is None
    clauses = read_clauses("Open the fridge and I am in the kitchen.")
    assert all(c.frames for c in clauses), "who speaks may be said so"


@draws(60, deadline=None)
@given(st.sampled_from(FORMS), st.sampled_from(list(permutations(STATES, 2))))
def test_a_goal_has_both_of_two_states_or_there_is_none(
    form: tuple[str, str, str], pair: tuple[tuple[str, str], tuple[str, str]]
) -> None:
    lead, each, joint = form
    instruction = f"{lead}{joint.join(each.format(*state) for state in pair)}."
    found = goal(instruction[0].upper() + instruction[1:])
    if found is not None and pair[0][0] != pair[1][0]:  # what is to be kept so stands in an always
        assert all(STATES[s] in " ".join(found) for s in pair), instruction


@settings(max_examples=30, deadline=None)
@example(("", "{} should be {}", " and "), ("cabinet5", "closed"), "open cabinet6", True)
@given(st.sampled_from(FORMS), st.sampled_from(list(STATES)), st.sampled_from(list(COMMANDS)), st.booleans())
def test_a_goal_has_a_state_and_a_command_or_there_is_none(
    form: tuple[str, str, str], state: tuple[str, str], command: str, first: bool
) -> None:
    wish = f"{form[0]}{form[1].format(*state)}"
    instruction = f"{command} and {wish}." if first else f"{wish} and {command}."
    found = goal(instruction[0].upper() + instruction[1:])
    if found is not None:
        assert all(part in " ".join(found) for part in (STATES[state], COMMANDS[command])), instruction
