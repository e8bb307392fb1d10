"""Goals of one fact, drawn: any predicate of a pack over any nodes and classes of a scene.

Most of them are impossible, since nothing chooses things that fit. What `check` says of them is compared with
what planning says: ``python -P tests/oracles/one_fact.py --drawn 130`` (with ``tests`` on ``PYTHONPATH``).
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.datasets.scenes import load_scene, open_scene
from groundplan.domains.diagnostic import has_errors
from groundplan.domains.ending import Ending
from groundplan.domains.formula import quote
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.planners.classical import plan_goal
from groundplan.planners.proofs.finding import impossible
from groundplan.simulator.belief import Belief, ground

GREENHOUSE = Path(__file__).parents[2] / "examples" / "greenhouse"
SHAPES = (
    "{fact}",
    "{fact}",
    "(not {fact})",
    "(exists (?x - {kind}) {of_any})",
    "(forall (?x - {kind}) {of_any})",
    "(at-least 1 (?x - {kind}) {of_any})",
    "(at-least 2 (?x - {kind}) {of_any})",
    "(exactly 1 (?x - {kind}) {of_any})",
)


def beliefs() -> dict[str, Belief]:
    """Return the office, a home, and a scene under a user's pack."""
    household = load_pack()
    return {
        "office": ground(load_scene("office"), household),
        "home": ground(load_scene("home"), household),
        "greenhouse": ground(open_scene(str(GREENHOUSE / "scene.json")), load_pack(str(GREENHOUSE))),
    }


def drawn_goals(belief: Belief, rng: random.Random) -> Iterator[Goal]:
    """Yield goals without end, of facts that fit the types of their predicates."""
    predicates = sorted((p, n) for p, n in belief.pack.public_predicates().items() if n)
    nodes, kinds = list(belief.scene.nodes), sorted(belief.scene.by_class)
    while True:
        predicate, arity = rng.choice(predicates)
        args = [quote(rng.choice(nodes)) for _ in range(arity)]
        fact, of_any = (f"({' '.join([predicate, *names])})" for names in (args, ["?x", *args[1:]]))
        text = rng.choice(SHAPES).format(fact=fact, of_any=of_any, kind=quote(rng.choice(kinds)))
        goal = parse_goal(text)
        if not {"type", "arity"}.intersection(d.code for d in check(goal, belief).diagnostics):
            yield goal


def judged(goal: Goal, belief: Belief) -> tuple[bool, Ending]:
    """Return whether the check finds an error, and how planning ends."""
    report = check(goal, belief)
    refused = not report.ok or has_errors(impossible(goal, belief))
    return refused, plan_goal(goal, belief, Engine.named("pyperplan")).ending


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drawn", type=int, default=130)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    drawer, scenes = random.Random(options.seed), beliefs()
    streams = {name: drawn_goals(belief, drawer) for name, belief in scenes.items()}
    counts: Counter[tuple[bool, str]] = Counter()
    for number in range(options.drawn):
        name = list(scenes)[number % len(scenes)]
        one = next(streams[name])
        wrong, ending = judged(one, scenes[name])
        counts[wrong, ending.value] += 1
        if wrong != (ending is Ending.UNSOLVABLE):
            print(f"{name}: {one}: {'an error' if wrong else 'no error'}, planning ends as {ending.value}")
    for (wrong, how), number in sorted(counts.items()):
        print(f"{number:4} {'an error' if wrong else 'no error'}, planning ends as {how}")
