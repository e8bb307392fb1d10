"""The outcomes of planning, goal by goal, written by one version of the code and compared with another's.

    python -P tools/planning_outcomes.py collect golds --engine pyperplan --out before.jsonl
    python -P tools/planning_outcomes.py collect worlds --engine fast-downward --count 400 --out before.jsonl
    python -P tools/planning_outcomes.py collect shared --count 200 --whole --out before.jsonl
    python -P tools/planning_outcomes.py compare before.jsonl after.jsonl

``golds`` are the gold goals of the task sets for planning, ``worlds`` the goals of random worlds
(`tests/oracles/random_worlds.py`), ``shared`` drawn goals of three to six things that share places. With
``--whole`` each goal is planned for once more, by the engine alone with the whole problem. ``collect`` goes
on where a file of results ends. ``compare`` lists every difference of outcome, proof and cost, and exits
with 1 where an answer was lost or a plan is more than 1.05 times as dear. Seconds are of processor time,
children included, and are not compared.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from oracles.attack import worlds

from groundplan import Engine, ground, load_pack, load_scene, parse_goal, plan_goal
from groundplan.compiler.goals.goal import Goal
from groundplan.datasets.library import load_set
from groundplan.domains.errors import GoalError
from groundplan.engines.base import Budget
from groundplan.engines.registry import EngineOptions
from groundplan.simulator.belief import Belief

SETS = ("office-planning", "house-planning", "building-planning")
DEARER, SECONDS, TREATED = 1.05, 20.0, 0.25
Row = dict[str, object]
Item = tuple[str, Goal, Belief]


def golds(count: int) -> Iterator[Item]:
    """Yield the gold goals of the sets for planning, ``count`` of each."""
    for name in SETS:
        for task in load_set(name)[:count]:
            if task.gold.goal is not None:
                yield task.id, parse_goal(task.gold.goal), ground(task.load(), load_pack())


def drawn(count: int) -> Iterator[Item]:
    """Yield the goals of random worlds of three packs."""
    for world in worlds(count):
        for number, goal in enumerate(world.goals):
            yield f"{world.pack}-{world.seed}-{number}", goal.goal, world.belief


def shared(count: int) -> Iterator[Item]:
    """Yield goals of three to six things that share few places, of which some are taken from there."""
    pack = load_pack()
    scenes = [load_scene("office"), load_scene("home")]
    scenes += [load_set(name)[number].load() for name in SETS[1:] for number in (0, 14)]
    beliefs = [ground(scene, pack) for scene in scenes]
    for seed in range(count):
        draw = random.Random(f"shared {seed}")
        belief = draw.choice(beliefs)
        facts, scene = belief.facts, belief.scene
        here = {args[0]: args[1] for name in pack.locations for args in sorted(facts.all(name))}
        here = {thing: place for thing, place in here.items() if facts.holds("can_pickup", (thing,))}
        places = [args[0] for args in sorted(facts.all("can_release")) if args[0] in scene.by_type["asset"]]
        taken = sorted(set(here.values()) & set(places))
        few = draw.sample(taken, min(2, len(taken))) + draw.sample(places, 1)
        near = sorted(thing for thing, place in here.items() if place in few)
        things = draw.sample(near, min(len(near), 4)) + draw.sample(sorted(here), 3)
        parts = list[str]()
        for thing in dict.fromkeys(things):
            elsewhere = [place for place in few if place != here[thing]]
            target = draw.choice(elsewhere)
            relation = "inside_of" if facts.holds("container", (target,)) else "ontop_of"
            parts.append(f"({relation} {thing} {target})")
            if draw.random() < TREATED:
                state = f"({draw.choice(('hot', 'cold', 'clean'))} {thing})"
                parts[-1] = draw.choice((state, f"(and {state} {parts[-1]})"))
        chosen = draw.sample(parts, min(len(parts), draw.randint(3, 6)))
        yield f"shared-{seed}", parse_goal(f"(and {' '.join(chosen)})"), belief


ITEMS = {"golds": golds, "worlds": drawn, "shared": shared}


def processor_seconds() -> float:
    """Return the processor seconds of this process and of its children that ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def outcome(goal: Goal, belief: Belief, engine: Engine, seconds: float) -> Row:
    """Return what planning for a goal came to."""
    began = processor_seconds()
    try:
        result = plan_goal(goal, belief, engine, Budget(seconds))
    except GoalError as error:
        return {"outcome": "goal-error", "reasons": [str(error)]}
    return {
        "outcome": result.outcome,
        "cost_mm": result.cost_mm if result.verified else None,
        "bound_mm": result.bound_mm,
        "optimal": result.verified and result.optimal,
        "proof": result.proof,
        "mode": result.assembly.mode if result.verified else None,
        "why": result.assembly.why if result.verified else None,
        "cut_off": list(result.cut_off),
        "reasons": list(result.reasons),
        "seconds": round(processor_seconds() - began, 2),
    }


def collect(options: argparse.Namespace) -> int:
    """Write a line for each goal that the file has none for."""
    engine = Engine.named(options.engine)
    whole = Engine.named(options.engine, replace(EngineOptions(), whole=True))
    done = set(read(options.out)) if options.out.exists() else set()
    with options.out.open("a", encoding="utf-8") as lines:
        for key, goal, belief in ITEMS[options.items](options.count):
            if key in done:
                continue
            row: Row = {"id": key, "goal": str(goal), **outcome(goal, belief, engine, options.seconds)}
            if options.whole:
                row["whole"] = outcome(goal, belief, whole, options.seconds)
            lines.write(json.dumps(row) + "\n")
            lines.flush()
    return 0


def read(path: Path) -> dict[str, Row]:
    """Return the rows of a file by their ids."""
    return {(row := json.loads(line))["id"]: row for line in path.read_text("utf-8").splitlines()}


def cost(row: Mapping[str, object]) -> int | None:
    """Return the cost of a verified plan, in millimetres."""
    return value if isinstance(value := row.get("cost_mm"), int) else None


def compare(options: argparse.Namespace) -> int:
    """Print the differences of two files, and of two ways to plan within the second."""
    before, after = read(options.before), read(options.after)
    both = [key for key in before if key in after]
    faults, sums = 0, [0, 0]
    for key in both:
        old, new = before[key], after[key]
        was, now = cost(old), cost(new)
        lost = [
            name
            for name, bad in (
                ("plan", was is not None and now is None),
                ("proof", old["outcome"] == "unsolvable" and new["outcome"] != "unsolvable"),
                ("optimal", bool(old.get("optimal")) and not new.get("optimal")),
                ("dearer", was is not None and now is not None and now > DEARER * was),
            )
            if bad
        ]
        faults += bool(lost)
        if was is not None and now is not None:
            sums = [sums[0] + was, sums[1] + now]
        if lost or (old["outcome"], was) != (new["outcome"], now):
            print(f"{' '.join(lost) or 'other'}: {key} {old['outcome']} {was} -> {new['outcome']} {now}")
            print(f"    {str(old['goal'])[:300]}\n    {old.get('why')} -> {new.get('why')}")
    print(f"{len(both)} goals, {faults} lost or dearer; cost {sums[0]} -> {sums[1]} mm")
    return 1 if faults else 0


def gaps(options: argparse.Namespace) -> int:
    """Print how dear plans are beside the cheaper of them and the whole problem's."""
    rows = [row for row in read(options.file).values() if cost(row) is not None]
    total = least = 0
    ratios = list[tuple[float, str]]()
    for row in rows:
        own, other = cost(row) or 0, cost(row["whole"]) if isinstance(row.get("whole"), dict) else None
        best = own if other is None else min(own, other)
        total, least = total + own, least + best
        ratios.append((own / max(best, 1), str(row["id"])))
    for ratio, key in sorted(ratios, reverse=True)[:15]:
        print(f"{ratio:.3f} {key}")
    print(f"{len(rows)} plans, {total / max(least, 1):.4f} in sum, {max(ratios)[0]:.3f} at most")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    collecting = verbs.add_parser("collect")
    collecting.add_argument("items", choices=sorted(ITEMS))
    collecting.add_argument("--engine", default="pyperplan")
    collecting.add_argument("--count", type=int, default=10_000)
    collecting.add_argument("--seconds", type=float, default=SECONDS, help="for each goal")
    collecting.add_argument("--whole", action="store_true", help="plan for the whole problem, too")
    collecting.add_argument("--out", type=Path, required=True)
    collecting.set_defaults(run=collect)
    comparing = verbs.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.set_defaults(run=compare)
    measuring = verbs.add_parser("gaps")
    measuring.add_argument("file", type=Path)
    measuring.set_defaults(run=gaps)
    options = parser.parse_args()
    return int(options.run(options))


if __name__ == "__main__":
    sys.exit(main())
