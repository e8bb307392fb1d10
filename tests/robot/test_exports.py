"""Exports: every plan reads back identical from every format, whatever the names of a scene are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from golds import TASKS, belief_of, gold_plan
from oracles.attack import pack_worlds, worlds
from oracles.tree_rules import broken_rules

from groundplan import Budget, Engine, load_pack, parse_goal, plan_goal
from groundplan.compiler.goals.goal import Goal
from groundplan.domains.errors import InputError, PackError
from groundplan.domains.evaluate import evaluate
from groundplan.engines.result import PlanResult
from groundplan.robot import translate
from groundplan.robot.exports import (
    EXPORT_FORMATS,
    ExportSource,
    check_tree,
    kernels_of,
    read_tree,
    source_of,
    write_export,
    write_tree,
)
from groundplan.robot.exports.nav2_route import read_route, route_graph
from groundplan.robot.exports.nav2_waypoints import read_waypoints
from groundplan.robot.exports.plansys2 import read_plansys2
from groundplan.robot.exports.py_trees_module import read_module
from groundplan.robot.exports.tree_nodes import pack_nodes
from groundplan.simulator.belief import Belief
from groundplan.simulator.step import read_steps
from groundplan.simulator.verification import watched
from groundplan.simulator.world import World

PACK = load_pack()
WITHOUT_POSITIONS = ("btcpp", "plansys2", "py-trees", "steps", "program")


def source(result: PlanResult, belief: Belief, goal: Goal) -> ExportSource:
    return ExportSource(translate(result, belief, goal), result, belief, goal)


def planned(goal: str, belief: Belief, seconds: float = 30) -> ExportSource:
    parsed = parse_goal(goal)
    result = plan_goal(parsed, belief, Engine.named("pyperplan"), Budget(seconds))
    assert result.verified, result.reasons
    return source(result, belief, parsed)


def hold(of: ExportSource, names: tuple[str, ...] = tuple(EXPORT_FORMATS)) -> None:
    """Assert that a plan reads back identical from each format, by readers that know nothing of it."""
    steps = of.program.steps()
    files: dict[str, Mapping[str, str]] = {name: write_export(name, of) for name in names}
    texts = {name: next(iter(of_one.values())) for name, of_one in files.items()}
    assert read_steps(texts["steps"]) == read_steps(texts["program"]) == steps
    assert read_module(texts["py-trees"]) == steps
    ast.parse(texts["py-trees"])
    for form in ("sequence", "reactive"):
        xml = write_tree(of, form)
        assert read_tree(xml) == (form, steps)
        assert broken_rules(xml) == []
        assert check_tree(xml) == check_tree(xml, "tree", pack_nodes(of.pack)) == ()
        assert source_of(read_tree(xml)[1], of.belief, of.goal).program.steps() == steps
    ps = files["plansys2"]
    assert read_plansys2(ps["plan.txt"], ps["symbols.json"], of.belief) == of.plan.plan
    assert all(
        re.fullmatch(r"\d+\.\d{3}: \(\S[^()]*\) \[\d+\.\d{3}\]", x) for x in ps["plan.txt"].splitlines()
    )
    assert re.fullmatch(r"(set (instance|predicate|goal) \S.*\n)*", ps["knowledge.txt"])
    if "nav2-route" in names:
        assert read_route(texts["nav2-route"]) == route_graph(of.belief)
        driven = [
            s
            for s, c in zip(steps, of.program.commands, strict=True)
            if of.skill(c).pose in ("stop", "before")
        ]
        assert [stop.step for stop in read_waypoints(texts["nav2-waypoints"])] == driven


def check_kernels(of: ExportSource) -> None:
    """Assert that each kernel holds where its step is done, and that the goal's facts hold at the end."""

    assert of.goal is not None
    kernels = kernels_of(of)
    world = World(of.belief, watched(of.goal.formula, of.belief))
    for kernel in kernels.steps:
        if not hasattr(kernel.doing, "printed"):
            continue  # an event comes at once
        assert [f for f in kernel.before if not evaluate(f, world)] == [], kernel.doing
        world.apply(read_steps(kernel.doing.printed)[0])
    assert [f for f in kernels.goal if not evaluate(f, world)] == []


@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.id)
def test_gold_plans_read_back_from_every_format(task) -> None:
    result = gold_plan(task.id)
    of = source(result, belief_of(task.id), parse_goal(task.gold.goal))
    hold(of)
    check_kernels(of)


def generated(count: int, first: int, folder: Path) -> Iterator[ExportSource]:
    """Yield plans for goals of random worlds of several packs."""
    for world in [
        *worlds(count, ("household", "household-locks", "foundry"), first),
        *pack_worlds(count // 4, folder, first),
    ]:
        for drawn in world.goals[:3]:
            goal = parse_goal(str(drawn))
            result = plan_goal(goal, world.belief, Engine.named("pyperplan"), Budget(2))
            if result.verified:
                yield source(result, world.belief, goal)


def without_clashes(pack) -> bool:
    try:
        pack_nodes(pack)
    except PackError:
        return False
    return True


def check_generated(count: int, first: int, folder: Path) -> int:
    plans = 0
    for of in generated(count, first, folder):
        if not without_clashes(of.pack):
            continue
        try:
            hold(of, WITHOUT_POSITIONS)
        except InputError as error:  # a door that is worked from its other side
            assert "before it" in str(error)
            continue
        check_kernels(of)
        plans += 1
    return plans


def test_plans_of_random_worlds_read_back(tmp_path: Path) -> None:
    assert check_generated(10, 0, tmp_path) > 12


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_300_plans_of_random_worlds_read_back(tmp_path: Path) -> None:
    assert check_generated(170, 2000, tmp_path) > 300
