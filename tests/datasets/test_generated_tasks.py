"""Generated tasks: the same for the same seed, different from each other, right, and plannable."""

from __future__ import annotations

from functools import cache

import pytest
from drawn_tasks import KINDS, generated_tasks, pick_and_place
from strategies import household

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.query.answers import find
from groundplan.compiler.query.query import parse_query
from groundplan.datasets.generate.buildings import Sizes, furnished_building
from groundplan.datasets.scenes import load_scene
from groundplan.datasets.task import Task
from groundplan.domains.errors import InputError
from groundplan.domains.evaluate import evaluate
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.world import World


@cache
def belief() -> Belief:
    return ground(furnished_building(Sizes.usual(30, 3), 3), household())


@cache
def tasks() -> tuple[Task, ...]:
    return generated_tasks(belief(), 60, 1)


def test_every_kind_comes_and_the_seed_decides() -> None:
    stem = len(f"{belief().scene.name}-1-0001-")
    assert {t.id[stem:] for t in tasks()} == set(KINDS)
    assert len({t.id for t in tasks()}) == len({t.instruction for t in tasks()}) == 60
    assert generated_tasks(belief(), 60, 1) == tasks()
    assert generated_tasks(belief(), 60, 2) != tasks()
    assert generated_tasks(belief(), 25, 1) == tasks()[:25]


def test_goals_are_without_faults_and_not_true_yet() -> None:
    world = World(belief())
    for task in tasks():
        assert task.load() is task.base or task.load() == belief().scene
        if task.gold.goal:
            goal = parse_goal(task.gold.goal)
            assert check(goal, belief()).diagnostics == (), task.instruction
            assert not evaluate(goal.formula, world), task.instruction


def test_every_goal_gets_a_verified_plan() -> None:
    engine = Engine.named("pyperplan")
    for task in tasks():
        if task.gold.goal:
            assert plan_goal(parse_goal(task.gold.goal), belief(), engine).verified, task.instruction


@pytest.mark.parametrize("scene", ["office", "home"])
def test_scenes_that_were_not_generated_have_tasks_too(scene: str) -> None:
    known = ground(load_scene(scene), household())
    for task in generated_tasks(known, 20, 4):
        if task.gold.goal:
            assert check(parse_goal(task.gold.goal), known).ok
        else:
            assert answers(task, known) == list(task.gold.answers)


def answers(task: Task, known: Belief) -> list[str]:
    return [a.nodes[0] for a in find(parse_query(task.gold.query, "query"), known).answers]


def test_questions_are_answered_as_counting_by_hand_says() -> None:
    asked = generated_tasks(belief(), 40, 5, ("find", "find-lacking"))
    assert all(task.gold.query and not task.gold.goal for task in asked)
    for task in asked:
        assert answers(task, belief()) == list(task.gold.answers), task.instruction
    assert any(not task.gold.answers for task in asked) and any(len(task.gold.answers) > 1 for task in asked)


def test_locked_buildings_have_tasks_behind_locks() -> None:
    pack = load_pack("household-locks")
    known = ground(furnished_building(Sizes(2, 20, 120, 200, 12), 3), pack)
    locked = {n.id for n in known.scene.nodes.values() if "locked" in n.state}
    made = generated_tasks(known, 30, 1, ("place", "open"))
    behind = [t for t in made if any(f" {name})" in t.gold.goal for name in locked)]
    assert behind
    for task in behind[:4]:
        assert plan_goal(parse_goal(task.gold.goal), known, Engine.named("pyperplan")).verified, (
            task.instruction
        )


def test_what_a_scene_has_not_is_left_out_or_said() -> None:
    bare = ground(furnished_building(Sizes(1, 1, 1, 0)), household())
    assert {t.gold.query != "" for t in generated_tasks(bare, 1)} == {True}
    with pytest.raises(InputError, match="things for 50 tasks"):
        generated_tasks(bare, 50)
    with pytest.raises(InputError, match="things for 1 tasks"):
        generated_tasks(bare, 1, kinds=("heat",))
    with pytest.raises(InputError, match="did you mean 'heat'"):
        generated_tasks(bare, 1, kinds=("heet",))
    with pytest.raises(InputError, match="2 things to carry"):
        pick_and_place(bare, 2, 0)
