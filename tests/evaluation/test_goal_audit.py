"""The audit of gold goals: faults planted in copies of our golds, our own sets, files and their places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.library import load_set
from groundplan.datasets.task import Task
from groundplan.domains.formula import conjuncts
from groundplan.domains.pack import load_pack
from groundplan.evaluation.golds.goal_audit import GoldText, audited, counted_by_code
from groundplan.simulator.belief import Belief, ground

OWN = (
    "office-planning-simple",
    "office-planning-long",
    "grasif-office",
    "house-planning",
    "office-unsolvable",
)


@cache
def belief_of(task_id: str) -> Belief:
    return ground(task_of(task_id).load(), load_pack())


@cache
def task_of(task_id: str) -> Task:
    return next(task for name in OWN for task in load_set(name) if task.id == task_id)


def codes(task: Task, goal: str, **changes: object) -> set[str]:
    gold = replace(GoldText.of(task, belief_of(task.id)), goal=goal, **changes)  # type: ignore[arg-type]
    return {one.diagnostic.code for one in audited(gold).findings}


GOLDS = [task.id for name in ("office-planning-simple", "office-planning-long") for task in load_set(name)]


def contradictory(goal: str) -> str:
    part = conjuncts(parse_goal(goal).formula)[0]
    return f"(and {goal} (not {part}))"


PLANTED: dict[str, tuple[Callable[[str], str], set[str]]] = {
    "unreadable": (lambda goal: goal[:-1], {"syntax"}),
    "empty": (lambda goal: " ", {"empty"}),
    "a name that is not there": (lambda goal: f"(and {goal} (holding ghost77))", {"unknown-node"}),
    "a class that is not there": (
        lambda goal: f"(and {goal} (exists (?x - unicorn) (holding ?x)))",
        {"unknown-class"},
    ),
    "too few arguments": (lambda goal: f"(and {goal} (inside_of apple1))", {"arity"}),
    "of another type": (lambda goal: f"(and {goal} (holding fridge))", {"type", "affordance"}),
    "repeated": (lambda goal: f"(and {goal} {goal})", {"redundant"}),
    "contradictory": (contradictory, {"contradiction", "impossible"}),
    "a count beyond what there is": (
        lambda goal: f"(and {goal} (at-least 5000 (?x - item) (in_room ?x kitchen)))",
        {"count"},
    ),
    "two things in one hand": (
        lambda goal: f"(and {goal} (holding apple1) (holding apple2))",
        {"contradiction", "impossible"},
    ),
    "never": (lambda goal: f"(and {goal} (filled orange1))", {"impossible", "affordance"}),
    "true at the start": (lambda goal: "(closed fridge)", {"already-true"}),
    "true in every state": (lambda goal: "(or (open fridge) (closed fridge))", {"vacuous"}),
}


@pytest.mark.parametrize("fault", PLANTED)
@pytest.mark.parametrize("task_id", GOLDS[::3])
def test_a_planted_fault_is_found_with_its_kind(fault: str, task_id: str) -> None:
    plant, expected = PLANTED[fault]
    task = task_of(task_id)
    if fault == "true at the start" and not belief_of(task_id).facts.holds("closed", ("fridge",)):
        pytest.skip("the fridge is open in this task")
    assert codes(task, plant(task.gold.goal)) & expected


def test_our_own_golds_have_no_error() -> None:
    for name in OWN:
        for task in load_set(name):
            findings = audited(GoldText.of(task, ground(task.load(), load_pack()))).findings
            assert not [one for one in findings if one.diagnostic.severity == "error"], task.id


def test_what_a_reference_misses_and_what_it_does_beside() -> None:
    task = next(t for t in load_set("grasif-office") if t.id == "grasif-office-02")
    belief = ground(task.load(), load_pack())
    gold = GoldText.of(task, belief)
    assert not audited(gold).findings
    (missed,) = audited(replace(gold, goal="(open fridge)")).findings
    assert (missed.diagnostic.code, missed.diagnostic.severity, missed.basis) == (
        "not-reached",
        "error",
        "proved",
    )
    (cut,) = audited(replace(gold, steps=gold.steps[:-2])).findings
    assert cut.diagnostic.code == "not-reached"
    (broken,) = audited(replace(gold, steps=("pickup(orange1)",))).findings
    assert "cannot be carried out" in broken.diagnostic.message
    (beside,) = audited(replace(gold, steps=gold.steps[:-1], goal="(inside_of orange1 fridge)")).findings
    assert (beside.diagnostic.code, beside.basis) == ("asks-less", "suspected")
    assert beside.diagnostic.message.endswith(": (open fridge)")


def test_a_part_that_follows_from_the_rest_is_redundant_by_the_laws_of_the_scene() -> None:
    task = task_of("office-planning-simple-02")
    gold = "(and (inside_of orange1 fridge) (closed fridge) (cold orange1))"
    found = audited(replace(GoldText.of(task, belief_of(task.id)), goal=gold)).findings
    assert [one.diagnostic.message for one in found] == ["(cold orange1) follows from the rest of the goal"]
    assert list(counted_by_code(found)) == [("office-planning-simple", "redundant", "warning")]
