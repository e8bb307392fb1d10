"""Words that a goal leaves out: nothing of what a right goal says is listed, and what it drops is."""

from __future__ import annotations

from pathlib import Path

import pytest
from reading_sets import load_instructions

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import load_scene, open_scene
from groundplan.domains.pack import load_pack
from groundplan.language.sentences.support import MAX_LISTED, unused
from groundplan.simulator.belief import Belief, ground

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


@pytest.mark.parametrize(
    ("instruction", "goal", "left"),
    [
        ("Put the orange in the refrigerator.", "(inside_of orange1 fridge)", ()),
        ("Put Peter's stapler on his desk.", "(ontop_of stapler desk2)", ()),
        ("Bring a rotten apple here.", "(exists (?a - apple) (and (rotten ?a) (in_room ?a kitchen)))", ()),
        ("Put the phone from Peter's office on Niko's desk.", "(ontop_of phone desk1)", ()),
        ("Put book1 on table1 in meeting_room3.", "(ontop_of book1 table1)", ()),
        ("Go to the admin and bring the fork.", "(robot_at admin)", ("fork",)),
        ("Put the apple and the pear into the fridge.", "(inside_of apple1 fridge)", ("pear",)),
        ("Heat the noodles for the tired guests.", "(hot noodles)", ("tired", "guests")),
    ],
)  # fmt: skip
def test_words_that_a_goal_says_nothing_of(
    office: Belief, instruction: str, goal: str, left: tuple[str, ...]
) -> None:
    assert unused(instruction, parse_goal(goal).formula, office) == left


def test_a_long_instruction_has_a_list_with_an_end(office: Belief) -> None:
    words = " ".join(f"zeb{'a' * n}" for n in range(1, 100))
    assert len(unused(words, parse_goal("(open fridge)").formula, office)) == MAX_LISTED


def test_of_right_goals_few_words_are_listed() -> None:
    """A list that is there for every goal would not be read: of the plain sets at most one goal in ten."""
    beliefs: dict[str, Belief] = {}
    listed, goals = 0, 0
    for name in ("office", "home", "procthor", "building"):
        for told in load_instructions(HERE / f"plain4_{name}.json"):
            if told.gold is None:
                continue
            if told.scene not in beliefs:
                file = Path(told.scene)
                scene = open_scene(str(file)) if file.suffix else load_scene(told.scene)
                beliefs[told.scene] = ground(scene, load_pack())
            goals += 1
            listed += bool(unused(told.text, parse_goal(told.gold).formula, beliefs[told.scene]))
    assert goals == 168 and listed <= goals // 10, listed


def test_words_of_a_count_are_said_by_it() -> None:
    office = ground(load_scene("office"), load_pack())
    goal = parse_goal("(exactly 3 (?x - complimentary_tshirt) (ontop_of ?x desk12))").formula
    assert unused("Put exactly 3 T-shirts on desk12.", goal, office) == ()
