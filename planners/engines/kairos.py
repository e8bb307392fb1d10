"""Kairos as an engine, from the package kairos-planner: the one planner here whose licence is permissive.

It runs as a program of its own, with one thread, and stops at its first plan. Before it is asked to plan, it
checks the text: it plans for a goal with an unknown predicate, which it takes for one that is never true. Its
word that there is no plan is passed on, and nobody takes it for a proof. Exit codes are those of its manual.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...domains.ending import Ending
from .base import Budget, PddlText, Step, TextEngine, TextResult
from .command import command_job, newest_plan
from .programs import server as wire
from .statistics import read_statistics
from .worker import SHARED, JobResult, Worker, decode, last_lines

_ENDINGS = {
    10: (Ending.UNSOLVABLE, "it says that there is no plan"),
    11: (Ending.TIMED_OUT, "stopped at its time limit"),
    12: (Ending.OUT_OF_MEMORY, "stopped at its memory limit"),
    13: (Ending.UNSUPPORTED, "a feature that it does not know"),
    14: (Ending.NOT_FOUND, "no plan was found"),
    2: (Ending.CRASHED, "the text cannot be read"),
}
_UNDECLARED = r"\[dialect\.undeclared_|: error: "


@dataclass(frozen=True, slots=True)
class Kairos(TextEngine):
    name: str = "kairos"
    worker: Worker = SHARED
    supports_costs: bool = True

    def solve_text(self, text: PddlText, budget: Budget) -> TextResult:
        return self.solve_many([text], budget)[0]

    def solve_many(self, texts: Sequence[PddlText], budget: Budget) -> list[TextResult]:
        """Solve several tasks, two at a time; the budget's seconds are for all of them together."""
        program = _program()
        files = ["{domain}", "{problem}"]
        limits = ["--threads", "1", "--no-anytime", "--memory", str(budget.memory_mb)]
        limits += ["--timeout", f"{budget.seconds:g}"]
        request = {
            "check": [program, "check", *files],
            "refused": _UNDECLARED,
            "words": [program, *files, *limits, "--output", "{plan}", "-v"],
            "seconds": budget.seconds,
        }
        jobs = [command_job(text, request, budget) for text in texts]
        return [self._result(outcome, budget) for outcome in self.worker.run(jobs, budget.seconds)]

    def _result(self, outcome: JobResult, budget: Budget) -> TextResult:
        ending, plan, cost, detail = self._judge(outcome, budget)
        told = read_statistics(outcome.output)
        return TextResult(
            ending,
            plan,
            cost,
            proof=f"reported by {self.name}" if ending is Ending.UNSOLVABLE else None,
            reproducible=ending not in (Ending.TIMED_OUT, Ending.CRASHED, Ending.OUT_OF_MEMORY),
            engine=self.name,
            seconds=outcome.seconds,
            detail=detail,
            statistics=told.counts,
            times=told.seconds,
        )

    def _judge(
        self, outcome: JobResult, budget: Budget
    ) -> tuple[Ending, tuple[Step, ...] | None, int | None, str]:
        reply = decode(outcome.result)
        if failure := outcome.failure(budget.memory_mb):
            return failure[0], None, None, f"{failure[1]}\n{last_lines(outcome.output)}".strip()
        if "plans" not in reply:
            ending = Ending.UNSUPPORTED if outcome.exit == wire.UNSUPPORTED else Ending.CRASHED
            return ending, None, None, last_lines(reply.get("detail", "")) or f"exit code {outcome.exit}"
        plan, cost, why = newest_plan(reply["plans"])
        if reply["exit"] == 0 and plan is not None:
            return Ending.SOLVED, plan, cost, f"{len(plan)} actions"
        if reply["stopped"]:
            return Ending.TIMED_OUT, None, None, "stopped at its time limit"
        ending, words = _ENDINGS.get(
            reply["exit"], (Ending.CRASHED, why or f"exit code {reply['exit']}, no plan")
        )
        return ending, None, None, words


def _program() -> str:
    beside = Path(sys.executable).with_name("kairos")
    return str(beside) if beside.is_file() else shutil.which("kairos") or "kairos"
