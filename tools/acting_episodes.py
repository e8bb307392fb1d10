"""Episodes in worlds that fail and change: gold goals of a task set, with a seed for each episode.

    python -P tools/acting_episodes.py --set office-planning --count 1000 --failure 0.2 --moves 1
    python -P tools/acting_episodes.py --set office-planning --count 300 --hidden

Each episode is a task and a seed. Its robot knows the task's scene; `--moves` things of the goal are
somewhere else, or are put there by somebody at a step drawn by the seed, before the robot has handled them.
With `--hidden` the robot has seen no movable thing. A run is a success when it says `verified` and the goal
holds in the true world, and a false one when it says so and the goal does not hold. Rows go to the file of
`--out`, a line each.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from groundplan.acting import Episode, NearestUnlooked, OptimisticNearest, Policy, act_in
from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.datasets.library import load_set
from groundplan.datasets.task import Task
from groundplan.domains.formula import names, walk
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.evaluation.report.statistics import wilson
from groundplan.planners.request import Request
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.sensing import Environment, Move, with_hidden

POLICIES: dict[str, Policy] = {p.name: p for p in (NearestUnlooked(), OptimisticNearest())}


def moves(truth: Belief, goal: Goal, count: int, seed: int) -> list[Move]:
    """Return things of a goal, with other places and times for them, drawn from a seed."""
    draw, scene = random.Random(seed), truth.scene
    kinds = [v.type for part in walk(goal.formula) for v in getattr(part, "variables", ())]
    spoken_of = dict.fromkeys([*names(goal.formula), *(n for kind in kinds for n in truth.members(kind))])
    things = [n for n in spoken_of if n in scene.nodes and scene.nodes[n].type == "object"]
    things = things or list(scene.by_type["object"])
    places = [n for n in scene.by_type["asset"] if "release" in scene.nodes[n].affordances]
    drawn: list[Move] = []
    for thing in draw.sample(things, min(count, len(things))):
        place = draw.choice([p for p in places if p != scene.nodes[thing].parent])
        inside = truth.facts.holds("container", (place,))
        drawn.append(Move(draw.randrange(20), thing, "inside_of" if inside else "ontop_of", place))
    return drawn


def episodes(tasks: list[Task], count: int, share: tuple[int, int]) -> Iterator[tuple[Task, int]]:
    """Yield tasks and seeds: every task as often as every other."""
    for number in range(count):
        if number % share[1] == share[0]:
            yield tasks[number % len(tasks)], number // len(tasks)


def row_of(task: Task, seed: int, options: argparse.Namespace) -> dict[str, object]:
    """Run one episode."""
    truth = ground(task.load(), load_pack(options.pack))
    goal = parse_goal(task.gold.goal)
    others = moves(truth, goal, options.moves, seed)
    belief = with_hidden(truth, named=names(goal.formula)) if options.hidden else truth
    world = Environment(truth, failure=options.failure, moves=others, undoing=options.undoing, seed=seed)
    policy = POLICIES[options.policy]
    started = time.process_time()
    episode = Episode(
        Request(belief, goal=goal), policy, Engine.named(options.engine), still=not options.moves
    )
    finish = act_in(world, episode)
    assert finish is not None
    reached = world.judge(goal.formula).reached
    return {
        "task": task.id,
        "seed": seed,
        "moved": [[m.after, m.thing, m.relation, m.parent] for m in others],
        "outcome": finish.outcome,
        "reached": reached,
        "metres": episode.trajectory.executed_mm / 1000,
        "counted": episode.trajectory.executed_mm == world.moved_mm,
        "steps": len(episode.trajectory.executed),
        "looks": len(episode.trajectory.looks),
        "replans": episode.trajectory.replans,
        "seconds": round(time.process_time() - started, 2),
        "reasons": list(finish.reasons[:3]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--set", default="office-planning")
    parser.add_argument("--pack", default="household")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--failure", type=float, default=0.0)
    parser.add_argument("--moves", type=int, default=0)
    parser.add_argument("--undoing", action="store_true", help="others move what the robot put down, too")
    parser.add_argument("--hidden", action="store_true")
    parser.add_argument("--policy", choices=sorted(POLICIES), default="nearest-unlooked")
    parser.add_argument("--engine", default="pyperplan")
    parser.add_argument("--share", default="0/1", help="I/N: only every Nth episode, from the Ith on")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    part, of = map(int, options.share.split("/"))
    tasks = [task for task in load_set(options.set) if task.gold.goal]
    rows = []
    for task, seed in episodes(tasks, options.count, (part, of)):
        rows.append(row_of(task, seed, options))
        if options.out is not None:
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(rows[-1]) + "\n")
    good = sum(row["outcome"] == "verified" and row["reached"] is True for row in rows)
    false = sum(row["outcome"] == "verified" and row["reached"] is False for row in rows)
    low, high = wilson(good, len(rows)).low, wilson(good, len(rows)).high
    print(f"{len(rows)} episodes, {good} succeed ({low:.3f} to {high:.3f}), {false} say so falsely")
    print(dict(Counter(str(row["outcome"]) for row in rows)))
    print(f"metres as the world counted: {all(row['counted'] for row in rows)}")
    means = {
        key: sum(float(str(row[key])) for row in rows) / len(rows) for key in ("looks", "metres", "seconds")
    }
    print("mean of {} looks, {} metres, {} CPU seconds".format(*(f"{mean:.2f}" for mean in means.values())))


if __name__ == "__main__":
    main()
