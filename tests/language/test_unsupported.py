"""Names of a goal without a reason in the instruction: right ones have one, invented places have none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from reading_sets import belief_of, gold_of, load_instructions

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.profile import GoalForm
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.english import embedding
from groundplan.language.sentences.support import unsupported
from groundplan.pipeline.hybrid import Request, run
from groundplan.pipeline.record import Record
from groundplan.simulator.belief import Belief, ground

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


@pytest.mark.parametrize(
    ("instruction", "goal", "names"),
    [
        ("Put the orange into the fridge.", "(inside_of orange1 fridge)", ()),
        ("Refrigerate the orange.", "(inside_of orange1 fridge)", ()),
        ("Heat the kebab.", "(and (hot chicken_kebab) (turned_on microwave))", ()),
        ("Throw the orange peel away.", "(inside_of orange_peel rubbish_bin)", ()),
        ("Throw the orange peel away.", "(inside_of orange_peel cabinet)", ("cabinet",)),
        ("Hide Peter's phone.", "(inside_of phone cupboard1)", ()),
        ("Take the printout to Luis.", "(in_room document luis_office)", ()),
        ("Bring Will the gripper.", "(ontop_of gripper desk4)", ()),
        ("Will you bring the gripper?", "(ontop_of gripper desk4)", ("desk4",)),
        ("Collect every stapler on Filipe's desk.", "(inside_of stapler2 cabinet2)", ("cabinet2",)),
        ("I need a coffee.", "(inside_of coffee_mug rubbish_bin)", ("rubbish_bin",)),
        ("Drop what you are holding into the bin.", "(inside_of sweet_wrapper rubbish_bin)", ()),
        ("Open the fridge.", "(and (open fridge) (inside_of bowl cabinet))", ("bowl", "cabinet")),
        ("Open the fridge.", "(and (open fridge) (closed cabinet))", ()),  # so already: nothing is asked for
        ("Open the fridge.", "(and (open fridge) (not (inside_of bowl cabinet)))", ()),
        ("Open the fridge.", "(or (open fridge) (inside_of bowl cabinet))", ()),
        ("Open the fridge.", "(or (open cupboard1) (inside_of bowl cabinet))", ("cupboard1",)),
        ("Open the fridge.", "(sometime (open cupboard1))", ("cupboard1",)),
        ("Open the fridge.", "(exists (?x - apple) (inside_of ?x cupboard1))", ("cupboard1",)),
        ("Open the fridge.", "(and)", ()),
        ("", "(open fridge)", ("fridge",)),
        ("Open the frige.", "(open unicorn7)", ()),  # which is for the check to say
    ],
)
def test_names_without_a_reason(office: Belief, instruction: str, goal: str, names: tuple[str, ...]) -> None:
    assert unsupported(instruction, parse_goal(goal).formula, office) == names


def golds(name: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for instruction in load_instructions(HERE / f"{name}.json"):
        belief = belief_of(instruction)
        gold = gold_of(instruction, belief)
        if gold is not None:
            yield instruction.id, unsupported(instruction.text, gold.formula, belief)


@pytest.mark.parametrize("name", ["devset", "devset2"])
def test_names_of_right_goals_have_a_reason(name: str) -> None:
    """A few need knowledge of the world: butter melts where it is warm."""
    found = dict(golds(name))
    without = [key for key, names in found.items() if names]
    assert len(found) > 100 and len(without) <= 0.04 * len(found), without


def reading(office: Belief, instruction: str, *answers: str, form: GoalForm = "sentences") -> Record:
    model = ScriptedModel.of('{"things": ["orange"], "rooms": ["kitchen", "supplies_station"]}', *answers)
    reader = ModelReader(model, office.pack, search_protocol="naming", goal_form=form)
    return run(Request(office, instruction), Engine.named("pyperplan"), reader)


WRONG, RIGHT = "Put orange1 into cabinet.", "Put orange1 into fridge."


def test_a_name_without_a_reason_is_sent_back_once(office: Belief) -> None:
    record = reading(office, "Refrigerate the orange.", WRONG, RIGHT)
    assert record.verified and [r.fault for r in record.goals] == ["unsupported-name", ""]
    assert record.goals[0].feedback == (
        "the task says nothing of cabinet; name what it speaks of, or leave that out",
    )


def test_a_second_name_without_a_reason_ends_the_run(office: Belief) -> None:
    for second in (WRONG, "Put orange1 on kitchen_bench. Open cabinet."):
        record = reading(office, "Refrigerate the orange.", WRONG, second)
        assert record.outcome == "not-understood" and not record.verified and not record.plan
        assert [r.fault for r in record.goals] == ["unsupported-name"] * 2
        assert "cabinet" in record.reasons[0] and record.exit_code == 3


def test_a_part_with_a_reason_may_not_get_lost_on_the_way(office: Belief) -> None:
    record = reading(office, "Refrigerate the orange.", f"{RIGHT} Open cabinet.", "Open fridge.")
    assert record.outcome == "goal-drift"
    record = reading(office, "Refrigerate the orange.", f"{RIGHT} Open cabinet.", RIGHT)
    assert record.verified


def test_formulas_and_given_goals_need_no_reason(office: Belief) -> None:
    record = reading(office, "Refrigerate the orange.", "(inside_of orange1 cabinet)", form="pddl")
    assert record.verified
    given = Request(office, "Refrigerate the orange.", goal=parse_goal("(inside_of orange1 cabinet)"))
    assert run(given, Engine.named("pyperplan")).verified


@pytest.mark.skipif(not embedding.installed(), reason="needs the extra 'embedded'")
def test_likeness_to_the_instruction_as_a_whole_is_a_reason(office: Belief) -> None:
    goal = parse_goal("(robot_at cafeteria)").formula
    instruction = "Head to the place where people eat."
    assert unsupported(instruction, goal, office) == ("cafeteria",)
    assert unsupported(instruction, goal, office, embedding.load()) == ()


def test_the_place_where_an_instruction_is_given_is_spoken_of_by_me() -> None:
    office = ground(load_scene("office"), load_pack())
    goal = parse_goal("(robot_at nikos_office)").formula
    assert unsupported("Bring me a coffee.", goal, office) == ("nikos_office",)
    assert unsupported("Bring me a coffee.", goal, office, place="nikos_office") == ()
    assert unsupported("Make a coffee.", goal, office, place="nikos_office") == ("nikos_office",)
