"""Plans for BEHAVIOR's activities, judged by the evaluator of the ``bddl`` package itself.

    groundplan datasets prepare behavior-1k --from bddl-3.6.0.tar.gz
    python tools/behavior_outcomes.py behavior-1k --archive bddl-3.6.0.tar.gz [--seconds 20] [--jobs 2]

Every task with a goal is checked, compiled and planned for; a verified plan is carried out, and the package's
``condition_evaluation.py`` decides the goal as it was written on the facts at its start and at its end. The
package's code is run for that: it is unpacked, not installed. Printed are the counts; ``--out FILE`` writes a
line of JSON for each activity.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from oracles.bddl import facts_of
from oracles.bddl_package import PackageEvaluator

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.compiler.normal import normal_form
from groundplan.compiler.pddl import render
from groundplan.compiler.problem import build
from groundplan.datasets.behavior import ENDING, HUNDRED
from groundplan.datasets.library import load_set
from groundplan.datasets.prepared import place_of
from groundplan.datasets.task import Task
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.engines.result import PlanResult
from groundplan.pipeline.hybrid import run
from groundplan.planners.classical import plan_goal
from groundplan.planners.request import Request
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.step import DONE, Step
from groundplan.simulator.world import Refusal, World


@cache
def tasks(set_name: str) -> dict[str, Task]:
    return {task.id: task for task in load_set(set_name)}


@cache
def evaluator(archive: Path) -> PackageEvaluator:
    return PackageEvaluator(archive, Path(mkdtemp(prefix="bddl-")))


def outcome(task_id: str, set_name: str, archive: Path, seconds: float) -> dict[str, object]:
    """Return what becomes of an activity: how far it comes, and what the package says of its plan."""
    task = tasks(set_name)[task_id]
    row: dict[str, object] = {"task": task_id}
    if task.gold.lacking:
        return row | {"outcome": "no goal", "why": ", ".join(task.gold.lacking)}
    belief, goal = ground(task.load(), load_pack(task.pack)), parse_goal(task.gold.goal, task_id)
    report = check(goal, belief)
    if not report.ok:
        return row | {"outcome": "goal error", "why": report.diagnostics[0].message}
    render(build(normal_form(goal.formula, belief), belief, nearest=None))
    name = task_id.removeprefix(f"{set_name}-")
    text = (place_of(set_name) / f"{name}{ENDING}").read_text(encoding="utf-8")
    judge = partial(evaluator(archive).satisfied, text, "igibson" if set_name == HUNDRED else "omnigibson")
    world = World(belief)
    row["before"] = judge(facts_of(world))
    planned = plan_goal(goal, belief, Engine.named("pyperplan"), Budget(seconds))
    row |= {"outcome": planned.outcome, "why": "; ".join(map(str, planned.reasons))}
    if planned.verified:
        steps = with_free_hand(planned, goal, belief, seconds)
        row["steps"] = [str(step) for step in steps]
        refused = [step for step in steps if isinstance(world.apply(step), Refusal)]
        row |= {"refused": len(refused), "confirmed": judge(facts_of(world))}
    return row


def with_free_hand(planned: PlanResult, goal: Goal, belief: Belief, seconds: float) -> Sequence[Step]:
    """Return the steps of a plan, made once more to put down at its end what it took up, if that is found."""
    record = run(Request(belief, goal=goal), Engine.named("pyperplan"), None, Budget(seconds))
    return [step for step in record.plan if step != DONE] if record.outcome == "verified" else planned.steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set")
    parser.add_argument("--archive", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    decide = partial(outcome, set_name=given.set, archive=given.archive, seconds=given.seconds)
    with ProcessPoolExecutor(given.jobs) as pool:
        rows = list(pool.map(decide, tasks(given.set)))
    if given.out is not None:
        given.out.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    outcomes = Counter(str(row["outcome"]) for row in rows)
    compiled = sum("before" in row for row in rows)
    print(f"{len(rows)} activities load; {len(rows) - outcomes['no goal']} have a goal; {compiled} compile")
    print(", ".join(f"{name}: {count}" for name, count in outcomes.most_common()))
    confirmed = [row for row in rows if row.get("confirmed") and not row["refused"]]
    held = sum(bool(row["before"]) for row in confirmed)
    verified = sum("confirmed" in row for row in rows)
    print(f"of {verified} plans the package confirms {len(confirmed)}; {held} of these goals held at first")


if __name__ == "__main__":
    main()
