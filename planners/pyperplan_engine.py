"""Pyperplan as an engine: the embedded default, for positive tasks with types and without costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..domains.ending import Ending
from . import worker_process as wire
from .text import Budget, PddlText, TextResult
from .worker import SHARED, Answer, Job, Worker, decode, last_lines

PROGRAM = Path(__file__).with_name("pyperplan_process.py")
SEARCHES = ("auto", "bfs", "gbfs", "astar")


@dataclass(frozen=True, slots=True)
class Pyperplan:
    """`search` is one of `SEARCHES`; "auto" finds the plan with the fewest actions where that is cheap."""

    search: str = "auto"
    worker: Worker = SHARED
    name: str = "pyperplan"
    supports_costs: bool = False
    supports_negation: bool = False

    def __post_init__(self) -> None:
        if self.search not in SEARCHES:
            raise ValueError(f"pyperplan has no search {self.search!r}; it has {', '.join(SEARCHES)}")

    def prepare(self) -> None:
        """Start the worker in the background, so that the first call does not wait for it."""
        self.worker.prepare(PROGRAM)

    def solve_text(self, text: PddlText, budget: Budget) -> TextResult:
        return self.solve_many([text], budget)[0]

    def solve_many(
        self,
        texts: Sequence[PddlText],
        budget: Budget,
        stop: Callable[[TextResult], bool] | None = None,
    ) -> list[TextResult]:
        """Solve several tasks, two at a time; the budget's seconds are for all of them together.

        `stop` sees the results in the order of the texts. After the first one for which it says `True`, the
        rest is not found, whether or not it happened to be ready: the same call gives the same answer.
        """

        def done(_: int, answer: Answer) -> bool:
            return stop is not None and stop(self._result(answer, budget))

        jobs = [
            Job(PROGRAM, {"domain": t.domain, "problem": t.problem, "search": self.search}, budget.memory_mb)
            for t in texts
        ]
        return [self._result(answer, budget) for answer in self.worker.run(jobs, budget.seconds, done)]

    def _result(self, answer: Answer, budget: Budget) -> TextResult:
        said = decode(answer.result)
        if failure := answer.failure(budget.memory_mb):
            ending, words = failure
            detail = f"{words}\n{last_lines(answer.output)}".strip()
        elif answer.exit == wire.DONE and "plan" in said:
            ending = Ending.UNSOLVABLE if said["plan"] is None else Ending.SOLVED
            detail = said["detail"]
        else:
            ending = Ending.UNSUPPORTED if answer.exit == wire.UNSUPPORTED else Ending.CRASHED
            detail = said.get("detail") or last_lines(answer.output) or f"exit code {answer.exit}"
        return TextResult(
            ending,
            plan=tuple(map(tuple, said["plan"])) if ending is Ending.SOLVED else None,
            proof=said["proof"] if ending is Ending.UNSOLVABLE else None,
            reproducible=ending not in (Ending.TIMED_OUT, Ending.CRASHED, Ending.OUT_OF_MEMORY),
            engine=self.name,
            seconds=answer.seconds,
            detail=detail,
        )
