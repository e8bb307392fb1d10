"""Pyperplan as an engine: the embedded default, for positive tasks with types and without costs.

Requests are made and replies read here; the searches run in `programs/pyperplan.py`, which must know every
name in `SEARCHES`. Tasks may share child processes in another way, as long as no result depends on it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..domains.ending import Ending
from .base import CLOCKED, Budget, PddlText, TextEngine, TextResult
from .programs import server as wire
from .worker import SHARED, Job, JobResult, Worker, decode

PROGRAM = Path(__file__).with_name("programs") / "pyperplan.py"
EASY_TEXT = 200_000  # characters beyond which a task is not tried together with others
SEARCHES = ("auto", "bfs", "gbfs", "astar")


@dataclass(frozen=True, slots=True)
class Pyperplan(TextEngine):
    """`search` is one of `SEARCHES`; "auto" finds the plan with the fewest actions where that is cheap."""

    search: str = "auto"
    worker: Worker = SHARED
    name: str = "pyperplan"
    supports_costs: bool = False
    limits_expansions: bool = True

    def __post_init__(self) -> None:
        if self.search not in SEARCHES:
            raise ValueError(f"pyperplan has no search {self.search!r}; it has {', '.join(SEARCHES)}")

    def solve_text(self, text: PddlText, budget: Budget) -> TextResult:
        [outcome] = self.worker.run([self._job([text], self.search, budget)], budget.seconds)
        return self._result(outcome, outcome.result, budget)

    def solve_many(self, texts: Sequence[PddlText], budget: Budget) -> list[TextResult]:
        """Solve several tasks, two at a time; the budget's seconds are for all of them together."""
        start = time.monotonic()
        results = self._easy(texts, budget)
        hard = [i for i in range(len(texts)) if i not in results]
        jobs = [self._job([texts[i]], self.search, budget) for i in hard]
        left = max(budget.seconds - (time.monotonic() - start), 0.001)
        for i, outcome in zip(hard, self.worker.run(jobs, left) if jobs else [], strict=True):
            results[i] = self._result(outcome, outcome.result, budget)
        return [results[i] for i in range(len(texts))]

    def _easy(self, texts: Sequence[PddlText], budget: Budget) -> dict[int, TextResult]:
        """Results of the tasks that need little work, from few children: a child costs more than they do.

        A task that is not among them is to be run in a child of its own, where it cannot harm another.
        """
        if self.search != "auto" or len(texts) < 2:
            return {}
        short = [i for i, text in enumerate(texts) if len(text.domain) + len(text.problem) < EASY_TEXT]
        shares = [share for share in (short[0::2], short[1::2]) if share]
        jobs = [self._job([texts[i] for i in share], "easy", budget) for share in shares]
        results: dict[int, TextResult] = {}
        for share, outcome in zip(shares, self.worker.run(jobs, budget.seconds), strict=True):
            for i, line in zip(share, outcome.result.splitlines(keepends=True), strict=False):
                if line.endswith("\n") and "hard" not in decode(line):
                    done = JobResult(exit=wire.DONE, seconds=outcome.seconds / len(share))
                    results[i] = self._result(done, line, budget)
        return results

    def _job(self, texts: Sequence[PddlText], search: str, budget: Budget) -> Job:
        request: dict[str, object] = {
            "texts": [[text.domain, text.problem] for text in texts],
            "search": search,
        }
        if budget.expansions is not None:
            request["expansions"] = budget.expansions
        return Job(PROGRAM, request, budget.memory_mb)

    def _result(self, outcome: JobResult, line: str, budget: Budget) -> TextResult:
        reply = decode(line)
        outcome = replace(outcome, exit=reply.get("code", outcome.exit))
        if failure := outcome.unanswered(budget.memory_mb, reply, "plan", "stopped"):
            ending, detail = failure
        elif "plan" in reply:
            ending = Ending.UNSOLVABLE if reply["plan"] is None else Ending.SOLVED
            detail = reply["detail"]
        else:
            ending, detail = Ending.NOT_FOUND, f"stopped at its limit of {reply['stopped']} expanded states"
        return TextResult(
            ending,
            plan=tuple(map(tuple, reply["plan"])) if ending is Ending.SOLVED else None,
            proof=reply["proof"] if ending is Ending.UNSOLVABLE else None,
            reproducible=ending not in CLOCKED,
            engine=self.name,
            seconds=outcome.seconds,
            detail=detail,
            statistics={"expanded": reply["expanded"]} if "expanded" in reply else {},
        )
