"""Print figures of searches of unknown houses: by how far small things are seen, with noise, by origin.

    python tools/measure_searches.py [METHOD ..]        nearest-door and least-cost where none is named

The set `multi-object-search` has to be prepared (docs/house-search.md). Times are seconds of the processor.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from statistics import fmean

from groundplan.datasets.library import load_set
from groundplan.datasets.task import Task
from groundplan.domains.pack import load_pack
from groundplan.evaluation.walking import WalkJudgement, judge_walk
from groundplan.language.english.embedding import load
from groundplan.methods.houses.house_method import HouseMethod
from groundplan.methods.method import Limits, Tools
from groundplan.planners.request import Request
from groundplan.simulator.belief import ground
from groundplan.simulator.navigation import Noise

NOISE = Noise(missed=0.1, error=0.1, wrong_door=0.05)


def judged(task: Task, method: HouseMethod) -> WalkJudgement:
    """Search the house of a task."""
    assert task.house is not None
    belief = ground(task.load(), load_pack())
    request = Request(belief, task.instruction, task=task.id, search_only=True, house=task.house.search())
    tools = Tools(similarity=load())
    return judge_walk(method.run(request, tools, Limits(seconds=600)), task.house.episode)


def line(name: str, results: Sequence[WalkJudgement], seconds: float) -> str:
    """One row: success, SPL, tau, metres, moves, looks, metres to those of who knows, episodes a second."""
    done = [r for r in results if r.success]
    walks = [r for r in results if r.metres is not None]
    figures = (
        f"{sum(r.success for r in results)}/{len(results)}",
        f"{fmean(r.spl for r in results):.3f}",
        f"{fmean(r.tau or 0.0 for r in done):.2f}" if done else "",
        *(f"{fmean(getattr(r, key) for r in walks):.1f}" for key in ("metres", "moves", "looks")),
        f"{fmean(r.to_sighting for r in done if r.to_sighting is not None):.2f}" if done else "",
        f"{len(results) / seconds:.1f}" if seconds else "",
    )
    return f"| {name} | {' | '.join(figures)} |"


def main(names: Sequence[str]) -> None:
    tasks = load_set("multi-object-search")
    print("| method | success | SPL | tau | metres | moves | looks | to_sighting | episodes a second |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in names:
        methods = {f"{name}, {reach:g} m": HouseMethod(name, reach) for reach in (2.0, 1.5, 3.0, 5.0)}
        methods[f"{name}, 2 m, noise"] = HouseMethod(name, noise=NOISE)
        for title, method in methods.items():
            started = time.process_time()
            results = [judged(task, method) for task in tasks]
            print(line(title, results, time.process_time() - started), flush=True)
            if method == HouseMethod(name):
                for origin in ("collected", "generated"):
                    part = [
                        r
                        for t, r in zip(tasks, results, strict=True)
                        if t.house and t.house.episode.origin == origin
                    ]
                    print(line(f"- {origin}", part, 0), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ["nearest-door", "least-cost"])
