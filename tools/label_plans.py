"""Blind labels of plans: draw plans that a model came to, print a sheet for somebody to label, compare.

    python tools/label_plans.py draw ROWS.jsonl --count 20 --seed 1 --out PLANS.json
    python tools/label_plans.py sheet PLANS.json > SHEET.md
    python tools/label_plans.py agreement PLANS.json LABELS.json

``draw`` takes rows of `groundplan bench`. The sheet has what a person needs to judge a plan, and nothing of
what the classifier says of it. Labels are a JSON object: for each id of a plan the list of its kinds.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from groundplan import find_task, ground, load_pack, open_scene, parse_goal, read_steps, verify_plan
from groundplan.evaluation.golds.label_agreement import agreement
from groundplan.evaluation.plan_errors import ERROR_KINDS, errors_of
from groundplan.pipeline.record import PlanAttempt, Record
from groundplan.simulator.belief import Belief
from groundplan.simulator.world import World

RULES = Path(__file__).parent.parent / "tests" / "evaluation" / "labelling.md"
"""What labellers are told."""


@dataclass(frozen=True)
class PlanCase:
    """A plan with its task; ``opened`` are the rooms that the search opened, ``None`` without a search."""

    id: str
    task: str
    instruction: str
    gold: str
    steps: tuple[str, ...]
    feedback: tuple[str, ...]
    opened: tuple[str, ...] | None

    def belief(self) -> Belief:
        try:
            scene = find_task(self.task).load()
        except ValueError:
            scene = open_scene(self.task)
        return ground(scene, load_pack())

    def record(self, belief: Belief) -> Record:
        opened = self.opened or ()
        shown = tuple(n for room in opened for n in belief.scene.descendants(room))
        attempt = PlanAttempt("", read_steps("\n".join(self.steps)), self.feedback)
        trace = ({"command": "expand"},) if self.opened is not None else ()
        return Record("rejected", attempts=(attempt,), opened=opened, shown=shown, trace=trace)

    def kinds(self) -> tuple[str, ...]:
        """Return what the rules say."""
        belief = self.belief()
        return errors_of(self.record(belief), belief, parse_goal(self.gold).formula).kinds


def load_cases(path: Path) -> tuple[PlanCase, ...]:
    raw = json.loads(path.read_text(encoding="utf-8"))
    return tuple(
        PlanCase(
            **{k: tuple(v) if isinstance(v, list) else v for k, v in one.items()}
        )
        for one in raw["plans"]
    )  # fmt: skip


def sheet(cases: Sequence[PlanCase]) -> Iterator[str]:
    yield RULES.read_text(encoding="utf-8")
    for case in cases:
        belief = case.belief()
        world, steps = World(belief), read_steps("\n".join(case.steps))
        words = f"{case.instruction} {' '.join(case.steps)} {case.gold}"
        scene = belief.scene
        named = [n for n in scene.nodes if n in words and scene.nodes[n].type in ("asset", "object")]
        rooms = dict.fromkeys((*(case.opened or ()), *(r for n in named if (r := scene.room_of(n)))))
        yield f"## {case.id}\n\nInstruction: {case.instruction}\n"
        if case.opened is not None:
            yield f"Rooms opened by the search: {', '.join(case.opened) or 'none'}\n"
        here = world.state.stands_at
        yield f"The robot is at {here}. What is in the rooms opened, and in others that matter:\n"
        for room in rooms:
            inside = [n for n in scene.descendants(room) if scene.nodes[n].type in ("asset", "object")]
            yield f"- {room}: " + "; ".join(_node(n, belief) for n in inside)
        yield "\nSteps:\n"
        yield from (f"{i}. {step}" for i, step in enumerate(steps, 1))
        seen = verify_plan(steps, belief)
        yield "\nThe simulator: " + ("; ".join(seen.feedback()) or "every step can be done") + "\n"


def _node(name: str, belief: Belief) -> str:
    node = belief.scene.nodes[name]
    where = f" ({node.relation} {node.parent})" if node.type == "object" else ""
    about = [*node.state, *node.attributes]
    return name + where + (f" [{', '.join(about)}]" if about else "")


def compare(cases: Sequence[PlanCase], labels: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield a line for each kind: how often people and rules gave it, both, agreement and kappa."""
    found = {case.id: case.kinds() for case in cases if case.id in labels}
    yield f"{len(found)} plans of {len(cases)} labelled"
    yield f"{'kind':20} {'people':>6} {'rules':>6} {'both':>6} {'agree':>6} {'kappa':>6}"
    for kind in ERROR_KINDS:
        one = agreement([kind in labels[i] for i in found], [kind in found[i] for i in found])
        kappa = "-" if one.kappa is None else f"{one.kappa:.2f}"
        yield f"{kind:20} {one.first:6} {one.second:6} {one.both:6} {one.observed:6.2f} {kappa:>6}"
    for i, kinds in found.items():
        if set(kinds) != set(labels[i]):
            yield f"{i}: people {', '.join(labels[i]) or 'none'}; rules {', '.join(kinds) or 'none'}"


def draw(rows: Sequence[Mapping[str, object]], count: int, seed: int) -> dict[str, object]:
    """Return plans of rows of a comparison, each plan of a task once, in an order that a seed draws."""
    planned: dict[tuple[object, ...], dict[str, object]] = {}
    for row in rows:
        record = row["record"]
        assert isinstance(record, dict)
        if row["kind"] != "plan" or not record["plan"]:
            continue
        attempts = record["attempts"]
        searched = bool(record["opened"] or record["trace"])
        planned[(row["task"], *record["plan"])] = {
            "task": row["task"],
            "instruction": record["instruction"],
            "gold": find_task(str(row["task"])).gold.goal,
            "steps": record["plan"],
            "feedback": attempts[-1]["feedback"] if attempts else [],
            "opened": record["opened"] if searched else None,
        }
    chosen = Random(seed).sample(list(planned.values()), min(count, len(planned)))
    return {"plans": [{"id": f"p{n:02}", **one} for n, one in enumerate(chosen, 1)]}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=["draw", "sheet", "agreement"])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if given.what == "draw":
        rows = [json.loads(line) for file in given.files for line in file.open(encoding="utf-8")]
        given.out.write_text(json.dumps(draw(rows, given.count, given.seed), indent=1) + "\n")
        return
    cases = load_cases(given.files[0])
    if given.what == "sheet":
        print(*sheet(cases), sep="\n")
    else:
        print(*compare(cases, json.loads(given.files[1].read_text(encoding="utf-8"))), sep="\n")


if __name__ == "__main__":
    main()
