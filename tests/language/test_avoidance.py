"""What is forbidden on the way, or wanted first, in sentences on four scenes: read as meant, or declined."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from groundplan import ground, load_pack, load_scene
from groundplan.compiler.certificates.constraints import without_constraints
from groundplan.compiler.goals import Goal
from groundplan.domains.formula import conjuncts, constraints
from groundplan.language.embedded.avoidance import restricted
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.simulator.belief import Belief
from groundplan.simulator.view import View

TABLE = tomllib.loads((Path(__file__).parent / "avoidance_sentences.toml").read_text(encoding="utf-8"))


def read(text: str, belief: Belief) -> Goal | None:
    reader = EmbeddedReader()
    search = reader.search(text, View.first(belief.scene))
    written = reader.write(text, search.scene) if search.outcome == "found" else None
    return written if isinstance(written, Goal) else None


def outcome(row: dict[str, object], belief: Belief) -> str:
    """Return whether a sentence was ``read``, ``declined``, or read as something else."""
    goal = read(str(row["text"]), belief)
    if goal is None:
        return "declined"
    kept = [str(part) for part in conjuncts(goal.formula) if constraints(part)]
    if kept != row["kept"] or not kept:
        return f"else: {goal}"
    if row["plain"]:
        plain = read(str(row["plain"]), belief)
        if plain is None or without_constraints(goal.formula) != plain.formula:
            return f"else: {goal}"
    return "read"


def test_sentences_are_read_as_meant_or_declined() -> None:
    outcomes: dict[str, str] = {}
    for scene, rows in TABLE.items():
        belief = ground(load_scene(scene), load_pack())
        outcomes |= {f"{scene}: {row['text']}": outcome(row, belief) for row in rows}
    wrong = {text: what for text, what in outcomes.items() if what not in ("read", "declined")}
    assert len(outcomes) >= 60
    assert wrong == {}
    meant = [f"{scene}: {row['text']}" for scene, rows in TABLE.items() for row in rows if row["kept"]]
    missed = [text for text in meant if outcomes[text] != "read"]
    assert len(missed) <= 0.3 * len(meant), missed


def test_what_forbids_nothing_is_left_alone() -> None:
    for text in (
        "Bring me the orange.",
        "Put it in the fridge, not on the table.",
        "",
        "Never mind.",
        "without",
    ):
        assert restricted(text) is None


def test_no_order_leaves_out_a_part_of_what_comes_first_or_later() -> None:
    office = ground(load_scene("office"), load_pack())
    for text in (
        "Bring me the orange before you put the apple in the fridge.",
        "Put the apple in the fridge before you bring me the orange.",
        "Wash the plate before you put it and the mug on the lunch table.",
    ):
        assert read(text, office) is None, text
    goal = read("Take the orange to Niko before you open the fridge.", office)
    assert goal is not None and "(sometime-before (open fridge) (ontop_of orange1 desk1))" in str(goal)


def test_what_is_kept_or_left_so_is_so_on_the_whole_way() -> None:
    office = ground(load_scene("office"), load_pack())
    assert str(read("Keep the fridge closed.", office)) == "(always (closed fridge))"
    assert str(read("Leave the microwave off.", office)) == "(always (turned_off microwave))"
    left = read("Take the drone out of Will's cabinet and leave the cabinet open.", office)
    assert left is not None and "(open cabinet4)" in [str(part) for part in conjuncts(left.formula)]


def test_not_closing_something_else_is_forbidden_and_what_was_used_is_left_open() -> None:
    office = ground(load_scene("office"), load_pack())
    other = read("Pick up the orange but don't close the fridge.", office)
    assert str(other) == "(and (holding orange1) (never (do close fridge)))"
    used = read("Put the scissors in the kitchen drawer but don't close the drawer.", office)
    assert used is not None and "(open drawer)" in [str(part) for part in conjuncts(used.formula)]
    either = read("Put the book in the fridge and don't close it.", office)
    assert str(either) == "(and (exists (?x - book) (inside_of ?x fridge)) (open fridge))"


LOBBY = "(and (sometime (robot_at lobby)) (robot_at kitchen))"


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("On the way to the kitchen, pick up the pepsi.", "(and (holding pepsi) (robot_at kitchen))"),
        ("Pick up the pepsi on the way to the kitchen.", "(and (holding pepsi) (robot_at kitchen))"),
        ("Go to the kitchen and visit the lobby on the way.", LOBBY),
        ("Go to the kitchen and, on the way, visit the lobby.", LOBBY),
        ("Go to the kitchen and, on the way, don't visit the lobby.", None),
        ("Go to the kitchen and pass through the lobby on your way there.", LOBBY),
        ("Stop by the lobby on your way to the kitchen.", LOBBY),
        ("Go to the kitchen and pick up the pepsi on the way, but never go through the lobby.",
         "(and (holding pepsi) (robot_at kitchen) (always (not (robot_at lobby))))"),
        ("Bring me the orange on the way to the kitchen.", None),
        ("On the way to the kitchen and the lobby, pick up the pepsi.", None),
        ("Don't open the fridge on the way to the kitchen.", None),
        ("Clear what is on the way to the kitchen.", None),
        ("Take the pepsi to the kitchen and open the fridge on the way.", None),
        ("On the way to the kitchen.", None),
    ],
)  # fmt: skip
def test_what_is_on_the_way_comes_before_the_place(text: str, goal: str | None) -> None:
    answer = read(text, ground(load_scene("office"), load_pack()))
    assert (None if answer is None else str(answer)) == goal


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Put the book in the fridge, but never go through the lobby.", "Put the book in the fridge."),
        ("Heat the noodles before you put the book in the fridge.", "Put the book in the fridge."),
        ("Pick up the orange, but never go through the lobby.", "Pick up the orange."),
    ],
)
def test_what_is_cut_off_leaves_the_rest_as_ambiguous_as_alone(text: str, plain: str) -> None:
    pytest.importorskip("onnxruntime")
    office = ground(load_scene("office"), load_pack())
    asked, alone = (EmbeddedReader().ambiguity(each, office) for each in (text, plain))
    assert (asked is None) == (alone is None)
    if asked is not None and alone is not None:
        assert asked.phrase == alone.phrase
        assert [one.node for one in asked.readings] == [one.node for one in alone.readings]
        assert all(constraints(one.goal.formula) for one in asked.readings)
