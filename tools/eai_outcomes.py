"""Plans for EAI's goals in VirtualHome, judged by EAI's own evaluator.

    groundplan datasets prepare eai-virtualhome --from eai_eval-1.0.5-py3-none-any.whl
    python tools/eai_outcomes.py eai_eval-1.0.5-py3-none-any.whl [--seconds 20] [--jobs 2]

Every goal that the pack virtualhome can say is checked and planned for. The graph in which a verified plan
ends is given to ``scene_evaluate_wID`` of the wheel. Its code is run for that: it is unpacked, not installed.
``--out FILE`` writes a line of JSON for each goal. ``--plans FILE`` writes the plans that the evaluator
confirms, by program: so ``datasets/grasif/eai_plans.json`` is made. The plan of a goal that holds at first is
``done()``.
"""

from __future__ import annotations

import argparse
import json
import sys
import zipfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from behavior_outcomes import with_free_hand
from oracles.eai_package import EaiEvaluator, final_graph

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.grasif.eai import GOALS, GRAPHS, wanted_goals
from groundplan.datasets.library import load_set
from groundplan.datasets.prepared import CHARACTER_GOALS
from groundplan.datasets.task import Task
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import ground
from groundplan.simulator.world import Refusal, World


@cache
def tasks() -> dict[str, Task]:
    return {task.id.removeprefix(f"{CHARACTER_GOALS}-"): task for task in load_set(CHARACTER_GOALS)}


@cache
def evaluator(wheel: Path) -> EaiEvaluator:
    return EaiEvaluator(wheel, Path(mkdtemp(prefix="eai-")))


def outcome(name: str, wheel: Path, seconds: float) -> dict[str, object]:
    """Return what becomes of a goal: how far it comes, and what EAI's evaluator says of its plan."""
    task = tasks()[name]
    row: dict[str, object] = {"task": task.id}
    if task.gold.lacking:
        return row | {"outcome": "no goal", "why": ", ".join(task.gold.lacking)}
    belief, goal = ground(task.load(), load_pack(task.pack)), parse_goal(task.gold.goal, name)
    report = check(goal, belief)
    if not report.ok:
        return row | {"outcome": "goal error", "why": report.diagnostics[0].message}
    planned = plan_goal(goal, belief, Engine.named("pyperplan"), Budget(seconds))
    row |= {"outcome": planned.outcome, "why": "; ".join(map(str, planned.reasons))}
    if planned.verified:
        world, made = World(belief), with_free_hand(planned, goal, belief, seconds)
        row["refused"] = sum(isinstance(world.apply(step), Refusal) for step in made)
        with zipfile.ZipFile(wheel) as archive:
            wanted = wanted_goals(archive.read(f"virtualhome_eval/{GOALS}").decode("utf-8"))[name][1]
            member = next(n for n in archive.namelist() if GRAPHS in n and n.endswith(f"/file{name}.json"))
            graph = json.loads(archive.read(member))["init_graph"]
        steps = tuple(map(str, made))
        row["confirmed"] = evaluator(wheel).satisfied(wanted, final_graph(graph, world), steps)
        row["steps"] = list(steps)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--plans", type=Path)
    given = parser.parse_args()
    decide = partial(outcome, wheel=given.wheel, seconds=given.seconds)
    with ProcessPoolExecutor(given.jobs) as pool:
        rows = list(pool.map(decide, tasks()))
    if given.out is not None:
        given.out.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    outcomes = Counter(str(row["outcome"]) for row in rows)
    print(f"{len(rows)} goals: " + ", ".join(f"{name} {count}" for name, count in outcomes.most_common()))
    confirmed = [row for row in rows if row.get("confirmed") and not row["refused"]]
    print(f"of {outcomes['verified']} plans EAI's evaluator confirms {len(confirmed)}")
    if given.plans is not None:
        plans = ((str(row["task"]).removeprefix(f"{CHARACTER_GOALS}-"), row["steps"]) for row in confirmed)
        lines = [f" {json.dumps(name)}: {json.dumps(steps or ['done()'])}" for name, steps in plans]
        given.plans.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
