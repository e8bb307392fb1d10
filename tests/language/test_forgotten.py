"""What a goal forgets of its instruction: told where a part is missing, and of no goal that has all of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.datasets.library import load_set
from groundplan.datasets.task import Task
from groundplan.domains.formula import Forall, Not, conjunction, conjuncts
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.evaluation.judging import JudgedTask
from groundplan.language.chat.forgotten import forgotten
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.search.name_index import NameIndex
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.pipeline.hybrid import Request, run
from groundplan.pipeline.record import Record
from groundplan.simulator.belief import ground

PACK = load_pack()
TASKS = [t for name in ("office-planning", "household-planning") for t in load_set(name) if t.gold.goal]
OFFICE = ground(TASKS[0].load(), PACK)
INDEX = NameIndex(OFFICE.scene)
DOUBTED = {"building-planning-22"}
"""Tasks whose gold is doubted: "carry all books out of it, also the one in the box" names a box."""


def words(instruction: str, goal: str) -> list[str]:
    return [said for said, _ in forgotten(instruction, parse_goal(goal).formula, OFFICE, INDEX)]


BOTH = "(and (inside_of banana1 fridge) (inside_of banana2 fridge))"
KEBAB = "Heat the chicken kebab and put it on the kitchen bench."
CABINETS = "Close the cabinets in meeting rooms 1 and 2."


@pytest.mark.parametrize(
    ("instruction", "goal", "missing"),
    [
        (KEBAB, "(hot chicken_kebab)", ["put", "kitchen bench"]),
        (KEBAB, "(ontop_of chicken_kebab kitchen_bench)", ["heat"]),
        ("Shut the fridge.", "(hand_free)", ["shut", "fridge"]),
        ("Leave the fridge open.", "(open fridge)", []),
        ("Put both bananas into the fridge.", "(inside_of banana1 fridge)", ["both bananas"]),
        ("Put both bananas into the fridge.", BOTH, []),
        ("Put every banana into the fridge.", "(forall (?b - banana) (inside_of ?b fridge))", []),
        ("Put the orange next to the microwave into the fridge.", "(inside_of orange1 fridge)", []),
        (CABINETS, "(closed fridge)", ["close cabinets", "meeting_room1", "meeting_room2"]),
    ],
)
def test_a_part_that_is_missing_is_told(instruction: str, goal: str, missing: list[str]) -> None:
    got = words(instruction, goal)
    assert [w.lower() for w in got] == [w.lower() for w in missing]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_gold_goals_forget_nothing(task: Task) -> None:
    belief = JudgedTask.of(task, PACK).belief
    gold = parse_goal(task.gold.goal).formula
    assert bool([*forgotten(task.instruction, gold, belief, NameIndex(belief.scene))]) is (task.id in DOUBTED)


def shortened() -> Iterator[tuple[Task, Goal]]:
    """Each gold of several conjuncts without one that its instruction asks for, in turn another one."""
    for number, task in enumerate(TASKS):
        whole = conjuncts(parse_goal(task.gold.goal).formula)
        requested = conjuncts(parse_goal(task.gold.requested or task.gold.goal).formula)
        asked = [part for part in whole if part in requested and not isinstance(part, Not | Forall)]
        left = [part for part in whole if part != asked[number % len(asked)]] if asked else []
        if left:
            yield task, Goal.of(conjunction(left))


def test_most_goals_without_a_conjunct_are_noticed() -> None:
    silent = []
    for task, goal in shortened():
        belief = JudgedTask.of(task, PACK).belief
        if not [*forgotten(task.instruction, goal.formula, belief, NameIndex(belief.scene))]:
            silent.append(task.id)
    assert len([*shortened()]) >= 57 and len(silent) <= 12, silent


def ran(*goals: str) -> tuple[Record, ScriptedModel]:
    model = ScriptedModel.of(*goals)
    instruction = "Put the orange into the fridge and close the cabinet in Jason's office."
    return run(Request(OFFICE, instruction), Engine.named("pyperplan"), ModelReader(model, PACK)), model


def test_what_is_forgotten_goes_back_once_and_a_model_that_insists_is_believed() -> None:
    part, whole = "(inside_of orange1 fridge)", "(and (inside_of orange1 fridge) (closed cabinet5))"
    record, model = ran(part, whole)
    assert record.verified and [r.fault for r in record.goals] == ["left-out", ""] and len(model.history) == 2
    assert "close" in record.goals[0].feedback[0] and record.reading.forgotten == ()
    record, model = ran(part, part)
    assert record.verified and len(model.history) == 2 and "close" in record.reading.forgotten
    record, model = ran(whole)
    assert record.verified and len(model.history) == 1
