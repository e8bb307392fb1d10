"""Plans for goals of random worlds of several packs, as sources of exports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from oracles.attack import pack_worlds, worlds

from groundplan import Budget, Engine, parse_goal, plan_goal
from groundplan.compiler.goals.goal import Goal
from groundplan.domains.errors import PackError
from groundplan.domains.pack import Pack
from groundplan.engines.result import PlanResult
from groundplan.robot import translate
from groundplan.robot.exports import ExportSource
from groundplan.robot.exports.tree_nodes import pack_nodes
from groundplan.simulator.belief import Belief


def source(result: PlanResult, belief: Belief, goal: Goal) -> ExportSource:
    return ExportSource(translate(result, belief, goal), result, belief, goal)


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


def without_clashes(pack: Pack) -> bool:
    try:
        pack_nodes(pack)
    except PackError:
        return False
    return True
