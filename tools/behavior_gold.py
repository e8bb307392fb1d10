"""Gold of BEHAVIOR's activities: plans, and instructions for the 186 within GRASIF's predicates.

    python tools/behavior_outcomes.py behavior-1k --archive bddl-3.6.0.tar.gz --out 1k.jsonl
    python tools/behavior_gold.py bddl-3.6.0.tar.gz --outcomes 1k.jsonl [FILE ..]
        [--sentences instructions_by_activity_name.json]

writes ``datasets/bddl/gold.json``. What it has for a problem file that is the same stays: remove it to make
all again. Of ``--outcomes`` those plans are taken that the package's evaluator confirms. The plan of one of
the 186 is the one that pyperplan and the strategies of this package find, verified by the simulator. The goal
graph of a task is what its plan leads to, as in GRASIF. An instruction is EAI's (behavior_eval of eai-eval
1.0.5, MIT) where that says what the goal of BEHAVIOR-1K asks for (read one by one: :data:`SAME`), else the
goal, said by the words of the pack and of the synsets.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.bddl.gold import digest
from groundplan.datasets.bddl.text import read_bddl
from groundplan.datasets.behavior import ALL, ENDING, HUNDRED, activity_task, prepare_grasif
from groundplan.datasets.prepared import place_of
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.pipeline.understanding import goal_in_words
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Scene

OUT = Path(__file__).parents[1] / "datasets" / "bddl" / "gold.json"
SECONDS = 90.0
SAME = frozenset(
    """assembling_gift_baskets clearing_the_table_after_dinner collecting_aluminum_cans
    installing_a_fax_machine installing_a_printer organizing_file_cabinet packing_bags_or_suitcase
    putting_leftovers_away storing_food unpacking_suitcase""".split()
)
"""Activities of which EAI's sentence, for BEHAVIOR-100, asks for the goal of BEHAVIOR-1K."""
NAME = re.compile(r'"([\w-]+)\.[a-z]\.\d\d_(\d+)"')
CLASS = re.compile(r'thing(s?) of class "([\w-]+)\.[a-z]\.\d\d"')


def in_words(said: str, scene: Scene) -> str:
    """Return a goal in words whose names and classes of BDDL are words too."""

    def name(found: re.Match[str]) -> str:
        words = as_words(found[1])
        several = sum(re.fullmatch(rf"{found[1]}\.[a-z]\.\d\d_\d+", i) is not None for i in scene.nodes) > 1
        return f"{words} {found[2]}" if several else f"the {words}"

    def kind(found: re.Match[str]) -> str:
        words = as_words(found[2])
        return f"things that are {words}" if found[1] else words

    text = CLASS.sub(kind, NAME.sub(name, said))
    return re.sub(r"(^|\. )([a-z])", lambda found: found[1] + found[2].upper(), text)


def as_words(synset: str) -> str:
    return synset.replace("__", " ").replace("_", " ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--sentences", type=Path)
    parser.add_argument("--outcomes", type=Path, nargs="*", default=[])
    asked = parser.parse_args()
    theirs = {} if asked.sentences is None else json.loads(asked.sentences.read_text(encoding="utf-8"))
    entries = json.loads(OUT.read_text(encoding="utf-8")) if OUT.is_file() else {}
    for file, text in sorted(prepare_grasif(asked.archive).items()):
        name = file.removesuffix(ENDING)
        if not file.endswith(ENDING) or entries.get(name, {}).get("sha256") == digest(text):
            continue
        task = activity_task(read_bddl(text, name), name)
        belief, goal = ground(task.load(), load_pack()), parse_goal(task.gold.goal, name)
        planned = plan_goal(goal, belief, Engine.named("pyperplan"), Budget(SECONDS))
        instruction, by = in_words(goal_in_words(goal, belief) or "", belief.scene), "goal"
        if name in SAME and name in theirs:
            instruction, by = theirs[name], "EAI"
        steps = [str(step) for step in planned.steps] if planned.verified else []
        entries[name] = {"sha256": digest(text), "by": by, "instruction": instruction, "plan": steps}
        print(name, planned.outcome, len(steps), instruction, flush=True)
    for outcomes in asked.outcomes:
        for row in map(json.loads, outcomes.read_text(encoding="utf-8").splitlines()):
            set_name = next(name for name in (ALL, HUNDRED) if row["task"].startswith(name))
            name = row["task"].removeprefix(f"{set_name}-")
            text = (place_of(set_name) / f"{name}{ENDING}").read_text(encoding="utf-8")
            name = name if set_name == ALL else f"{set_name}/{name}"
            if row.get("confirmed") and not row["refused"] and "by" not in entries.get(name, {}):
                entries[name] = {"sha256": digest(text), "plan": row["steps"] or ["done()"]}
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items())
    OUT.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
