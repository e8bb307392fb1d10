"""Print where LookPlanGraph's loop ends rightly, and whether its *done* is proved by what it saw.

    python -P tools/measure_done.py [SET ..] > tests/evaluation/measured/hidden_done.tsv

Sets are grasif-hidden, house-hidden and building-hidden. The loop ends when the goal holds as far as it
knows. Where a goal says something of all of a class, or of how many there are, that may be a guess that turns
out right. Proved is a run whose goal is true of what it saw and of whatever may be at the spots that it did
not look at, as it is of each run of ours.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from groundplan.acting import SimilarityPriors
from groundplan.acting.beliefs import task_priors
from groundplan.datasets.library import load_set
from groundplan.domains.deadline import LimitReached, limited
from groundplan.domains.formula import Sometime, walk
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.evaluation.judging import JudgedTask
from groundplan.language.english.embedding import load
from groundplan.methods import METHODS, Limits
from groundplan.methods.lookplangraph.believing import BelievingMover
from groundplan.methods.lookplangraph.loop import Walk, walk_by_moves
from groundplan.methods.lookplangraph.method import LOOKS, LookPlanGraphByBeliefs
from groundplan.simulator.sensing import Environment
from groundplan.simulator.sensing.open_state import OpenBelief
from groundplan.simulator.sensing.spots import spots_of

LOOPS = ("lookplangraph-beliefs", "lookplangraph-beliefs-long", "lookplangraph-beliefs-task",
         "lookplangraph-beliefs-task-long")  # fmt: skip
SETS = ("grasif-hidden", "house-hidden", "building-hidden")
ENGINE, SIMILARITY, LIMITS = Engine.named("pyperplan"), load(), Limits(120)


def of_the_loop(case: JudgedTask, loop: LookPlanGraphByBeliefs) -> tuple[int, bool] | None:
    """Return the looks of a run of the loop that ends rightly, and whether it is proved."""
    said = case.task.instruction if loop.task else ""
    priors = SimilarityPriors(SIMILARITY, said)
    believed = task_priors(priors, case.gold.formula, said) if loop.task else priors
    steps, environment = Walk(case.known), Environment(case.belief)
    mover = BelievingMover(case.gold, believed, ENGINE, LIMITS.budget())
    try:
        with limited(LIMITS.seconds):
            end = walk_by_moves(environment, steps, mover, loop.max_actions)
    except LimitReached:
        return None
    if end is None or end.outcome != "executable" or not environment.judge(case.gold.formula).reached:
        return None
    looks = sum(step.name in LOOKS for step in steps.executed)
    belief = steps.belief
    unlooked = [spot for spot in spots_of(belief) if spot not in belief.looked]
    happened = [part.body for part in walk(case.gold.formula) if isinstance(part, Sometime)]
    state = OpenBelief(belief, unlooked, tuple(belief.scene.unplaced), happened)
    return looks, state.decide(case.gold.formula) is True


def main(sets: Sequence[str]) -> None:
    pack = load_pack("grasif-looking")
    print("method", "task", "looks", "proved", sep="\t")
    for chosen in sets:
        for case in (JudgedTask.of(task, pack) for task in load_set(chosen)):
            for name in LOOPS:
                loop = METHODS[name]
                assert isinstance(loop, LookPlanGraphByBeliefs)
                end = of_the_loop(case, loop)
                if end is not None:
                    print(name, case.task.id, end[0], int(end[1]), sep="\t", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or SETS)
