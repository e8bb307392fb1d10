"""Print looks of two policies and LookPlanGraph's loop where the loop's *done* is proved by what it saw.

    python -P tests/measure_done.py [SET ..]        grasif-hidden, house-hidden and building-hidden

The loop ends when the goal holds as far as it knows. Where a goal says something of all of a class, or of how
many there are, that may be a guess that turns out right. Here a run counts whose goal is true of what it saw
and of whatever may be at the spots that it did not look at, as it is of each run of ours. Means are over the
tasks that both end so.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from statistics import fmean

from scipy.stats import wilcoxon

from groundplan.datasets.library import load_set
from groundplan.domains.deadline import LimitReached, limited
from groundplan.domains.formula import Sometime, walk
from groundplan.domains.pack import load_pack
from groundplan.evaluation.judging import JudgedTask, judge_run
from groundplan.language.embedded.embedding import load
from groundplan.planners.engines.engine import Engine
from groundplan.planners.methods import METHODS, Limits, Tools
from groundplan.planners.online.beliefs import SimilarityPriors, task_priors
from groundplan.planners.online.lookplangraph.believing import BelievingMover
from groundplan.planners.online.lookplangraph.loop import Walk, walk_by_moves
from groundplan.planners.online.lookplangraph.method import LOOKS, LookPlanGraphByBeliefs
from groundplan.planners.request import Request
from groundplan.simulator.sensing import Environment
from groundplan.simulator.sensing.open_state import OpenBelief
from groundplan.simulator.sensing.spots import spots_of

LOOPS = ("lookplangraph-beliefs", "lookplangraph-beliefs-long", "lookplangraph-beliefs-task",
         "lookplangraph-beliefs-task-long")  # fmt: skip
OURS = ("expected-cost", "likeliest-first")
SETS = ("grasif-hidden", "house-hidden", "building-hidden")
ENGINE, SIMILARITY, LIMITS = Engine.named("pyperplan"), load(), Limits(120)


def ours(case: JudgedTask, method: str) -> int | None:
    """Return the looks of a run of a policy that ends rightly."""
    request = Request(case.known, case.task.instruction, case.gold, case.task.id, case.belief)
    record = METHODS[method].run(request, Tools(engine=ENGINE, similarity=SIMILARITY), LIMITS)
    judged = judge_run(record, case)
    assert judged is not None and judged.acting is not None
    return judged.acting.looks if judged.success else None


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
    print("| set | loop | policy | both end | proved | looks of the policy | of the loop | fewer, more | p |")
    print("|---" * 9 + "|")
    pooled: dict[tuple[str, str], list[tuple[int, int, bool]]] = {}
    for chosen in sets:
        cases = [JudgedTask.of(task, pack) for task in load_set(chosen)]
        counts = {policy: [ours(case, policy) for case in cases] for policy in OURS}
        for name in LOOPS:
            loop = METHODS[name]
            assert isinstance(loop, LookPlanGraphByBeliefs)
            runs = [of_the_loop(case, loop) for case in cases]
            for policy in OURS:
                pairs = zip(counts[policy], runs, strict=True)
                both = [(a, *b) for a, b in pairs if a is not None and b is not None]
                pooled.setdefault((name, policy), []).extend(both)
                print(row(chosen, name, policy, both), flush=True)
    for (name, policy), both in pooled.items():
        print(row("all", name, policy, both))


def row(chosen: str, loop: str, policy: str, both: Sequence[tuple[int, int, bool]]) -> str:
    pairs = [(a, b) for a, b, proved in both if proved]
    fewer, more = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
    p = wilcoxon([a - b for a, b in pairs]).pvalue if fewer + more else 1.0
    means = " | ".join(f"{fmean(side):.1f}" for side in zip(*pairs, strict=True))
    counts = f"{len(both)} | {len(pairs)} | {means} | {fewer}, {more} | {p:.3f}"
    return f"| {chosen} | `{loop}` | `{policy}` | {counts} |"


if __name__ == "__main__":
    main(sys.argv[1:] or SETS)
