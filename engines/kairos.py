"""Kairos as an engine, from the package kairos-planner: the one planner here whose licence is permissive.

It runs as a program of its own, with one thread, and stops at its first plan. Before it is asked to plan, it
checks the text: it plans for a goal with an unknown predicate, which it takes for one that is never true. Its
word that there is no plan is passed on, and nobody takes it for a proof. Exit codes are those of its manual.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..domains.ending import Ending
from .base import CLOCKED, Budget, PddlText, TextEngine, TextResult
from .command import ProgramAnswer, command_job
from .worker import SHARED, JobResult, Worker

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
    reads_constraints: bool = True

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
        answer = ProgramAnswer(outcome, budget)
        ending, detail = answer.failure or _judge(answer)
        proof = f"reported by {self.name}" if ending is Ending.UNSOLVABLE else None
        reproducible = ending not in CLOCKED
        result = answer.result(self.name, ending, detail, reproducible, proof)
        return replace(result, cost=answer.cost if ending is Ending.SOLVED else None)


def _judge(answer: ProgramAnswer) -> tuple[Ending, str]:
    if answer.exit == 0 and answer.plan is not None:
        return Ending.SOLVED, f"{len(answer.plan)} actions"
    if answer.stopped:
        return Ending.TIMED_OUT, "stopped at its time limit"
    nothing = answer.unreadable or f"exit code {answer.exit}, no plan"
    return _ENDINGS.get(answer.exit or 0, (Ending.CRASHED, nothing))


def _program() -> str:
    beside = Path(sys.executable).with_name("kairos")
    return str(beside) if beside.is_file() else shutil.which("kairos") or "kairos"
