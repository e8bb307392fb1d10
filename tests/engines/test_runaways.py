"""Goals and questions that once ran for minutes: over soon after the limit, in little memory.

Measured is processor time, against that of a loop that runs on the same machine at the same time; no clock of
the wall is asserted.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache

import pytest

from groundplan import (
    Engine,
    check,
    find,
    ground,
    load_pack,
    load_scene,
    parse_goal,
    parse_query,
    plan_goal,
    read_steps,
    verify_plan,
)
from groundplan.compiler.forms import branches
from groundplan.datasets.generate.buildings import Sizes, furnished_building
from groundplan.domains.deadline import LimitReached, limited
from groundplan.domains.formula import And, Atom, Not, Or
from groundplan.engines.base import Budget
from groundplan.simulator.belief import Belief

SECONDS = 1.0
"""The limit of a runaway here."""
REFERENCE = 0.05
"""Processor seconds of :func:`calibrated` on the machine on which the bounds below were set."""
MEGABYTES = 1000

COUNTS = "(at-least 2 (?x - item) (at-least 2 (?y - item) (at-least 2 (?r - room) {})))"
BOTH = "(and (in_room ?x ?r) (in_room ?y ?r))"
OFFICE = {
    "everything in one room": "(forall (?i - item) (in_room ?i kitchen))",
    "every thing once in every room": "(forall (?x - item ?r - room) (sometime (in_room ?x ?r)))",
    "three nested counts": COUNTS.format(BOTH),
    "no thing in another": "(forall (?x - item ?y - item) (or (= ?x ?y) (not (inside_of ?x ?y))))",
}


@cache
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


@cache
def building() -> Belief:
    return ground(furnished_building(Sizes.of_nodes(1000)), load_pack())


def calibrated() -> float:
    """Return the processor seconds of a fixed loop of dictionaries and tuples."""
    start = time.process_time()
    table: dict[tuple[int, int], int] = {}
    for number in range(400_000):
        key = (number % 977, number % 13)
        table[key] = table.get(key, 0) + len(key)
    return time.process_time() - start


def spent(work: Callable[[], object]) -> float:
    """Return the processor seconds of work, as they would be on the machine of ``REFERENCE``.

    Memory of the process must not grow beyond a bound on the way.
    """
    before, peak = calibrated(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    with suppress(LimitReached):
        work()
    seconds = time.process_time() - start
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < MEGABYTES * 1024
    slowness = max(before, calibrated()) / REFERENCE
    return seconds / max(1.0, slowness)


@pytest.mark.parametrize("goal", list(OFFICE.values()), ids=list(OFFICE))
def test_planning_is_over_soon_after_the_limit(goal: str) -> None:
    engine = Engine.named("pyperplan")
    assert spent(lambda: plan_goal(parse_goal(goal), office(), engine, Budget(SECONDS))) < 2 * SECONDS


def test_planning_in_a_building_is_over_soon_after_the_limit() -> None:
    room = building().scene.by_type["room"][0]
    goal = parse_goal(f"(forall (?x - item) (in_room ?x {room}))")
    engine = Engine.named("pyperplan")
    assert spent(lambda: plan_goal(goal, building(), engine, Budget(SECONDS))) < 2 * SECONDS


def test_checking_and_asking_are_over_soon_after_the_limit() -> None:
    question = parse_query(
        "(find (?a - item ?b - item ?c - item ?d - item) (and (in_room ?a kitchen) (not (= ?b ?c))))"
    )

    def work() -> None:
        with limited(SECONDS / 2):
            check(parse_goal(COUNTS.format(BOTH)), office())
        with limited(SECONDS / 2):
            find(question, office())

    assert spent(work) < 2 * SECONDS


def test_watching_a_long_plan_is_linear_in_its_steps() -> None:
    """2000 steps with every thing watched in every room took 287 s."""
    goal = parse_goal("(exists (?x - item) (exists (?r - room) (sometime (in_room ?x ?r))))").formula
    steps = read_steps("goto(pose13)\ngoto(pose8)\n" * 1000)
    assert spent(lambda: verify_plan(steps, office(), goal)) < 1.0


def test_a_branch_of_thousands_of_literals_is_put_together_in_one_pass() -> None:
    """The time of a conjunction was cubic in its literals."""
    literals = tuple(Not(Atom("inside_of", (f"a{number}", "b"))) for number in range(20_000))
    assert spent(lambda: branches(And((*literals, Or(literals[:2]))), 31)) < 1.0
    assert branches(And((Or(literals[:2]), *literals)), 31) == [
        (literals[0], *literals[1:]),
        (literals[1], literals[0], *literals[2:]),
    ]
    assert branches(And((*literals[:3], Or((literals[0].part, literals[4])))), 31) == [
        (*literals[:3], literals[4])
    ]
