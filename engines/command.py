"""Anybody's planner as an engine: a command line with ``{domain}``, ``{problem}`` and ``{plan}`` in it.

The planner gets two files and writes its plan to the third, or to ``{plan}.1``, ``{plan}.2`` and so on, of
which the last one counts. Where it does not, what it leaves in its folder is read when it is a plan, the
newest first: many planners name the file themselves, and ``{plan}`` may be left out. It runs without a shell,
in a folder of its own and under the limits of every engine; a moment before its time is over it is stopped,
and the plan that it wrote is taken. Must stay: only a plan is believed, and only by the simulator; no exit
code and no printed word proves anything. The numbers that are read from what it prints (`statistics`) are
those of Fast Downward, where it prints them.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..compiler.engine_plan import action_lines
from ..domains.ending import Ending
from ..domains.errors import InputError, clip
from .base import Budget, PddlText, Step, TextEngine, TextResult
from .statistics import read_statistics
from .worker import SHARED, Job, JobResult, Worker, decode, last_lines

PROGRAM = Path(__file__).with_name("programs") / "command.py"
PLACES = ("{domain}", "{problem}")
WHERE = "--engine-command"
_MEMORY = re.compile(r"MemoryError|bad_alloc|OutOfMemory|out of memory|cannot allocate memory", re.IGNORECASE)
"""What a program says that was refused memory. That it found no plan then is not worth remembering."""
_REPRODUCIBLE = (Ending.SOLVED, Ending.NOT_FOUND, Ending.UNSUPPORTED)


def command_words(command: str) -> tuple[str, ...]:
    """Split a command as a shell would, and name its files by whole paths: it runs in another folder.

    A word that is the name of a file here is such a file. Raises :class:`InputError` for a command that
    cannot be split or run, and for one without a place for the domain or the problem.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(WHERE, "a command line with its quotes closed", clip(command), "") from error
    lacking = [place for place in PLACES if not any(place in word for word in words)]
    if lacking:
        hint = "try: my-planner {domain} {problem} {plan}"
        raise InputError(WHERE, f"a command with {' and '.join(lacking)} in it", clip(command), hint)
    program = shutil.which(words[0])
    if program is None:
        hint = "give a program on the PATH, or the name of a file that may be executed"
        raise InputError(WHERE, "a program that can be run", clip(words[0]), hint)
    files = [_absolute(word) if Path(word).is_file() else word for word in words[1:]]
    return (_absolute(program), *files)


def _absolute(name: str) -> str:
    return str(Path(name).absolute())


@dataclass(frozen=True, slots=True)
class Command(TextEngine):
    """``words`` are what :func:`command_words` makes of a command line."""

    words: tuple[str, ...]
    name: str = "command"
    worker: Worker = SHARED
    supports_costs: bool = True

    def solve_text(self, text: PddlText, budget: Budget) -> TextResult:
        [result] = self.solve_many([text], budget)
        return result

    def solve_many(self, texts: Sequence[PddlText], budget: Budget) -> list[TextResult]:
        """Solve several tasks, two at a time, with a fair part of the seconds for each."""
        rounds = -(-len(texts) // self.worker.parallel)
        request = {"words": list(self.words), "seconds": budget.seconds / max(1, rounds)}
        jobs = [command_job(text, request, budget) for text in texts]
        return [self._result(outcome, budget) for outcome in self.worker.run(jobs, budget.seconds)]

    def _result(self, outcome: JobResult, budget: Budget) -> TextResult:
        answer = ProgramAnswer(outcome, budget)
        ending, detail = answer.failure or self._judge(answer, budget.memory_mb)
        return answer.result(self.name, ending, detail, reproducible=ending in _REPRODUCIBLE)

    def _judge(self, answer: ProgramAnswer, memory_mb: int) -> tuple[Ending, str]:
        if answer.plan is not None:
            return Ending.SOLVED, answer.output
        if answer.stopped:
            return Ending.TIMED_OUT, f"stopped at its limit, without a plan\n{answer.output}".strip()
        if answer.unreadable:
            return Ending.CRASHED, answer.unreadable
        words = f"the program ended with exit code {answer.exit} and wrote no plan"
        if answer.exit != 0 and _MEMORY.search(answer.output):
            return Ending.OUT_OF_MEMORY, f"{words}: its memory of {memory_mb} MB ran out\n{answer.output}"
        return Ending.NOT_FOUND, f"{words}\n{answer.output}".strip()


class ProgramAnswer:
    """The files and the exit of a program that planned, from the job of :func:`command_job`.

    ``plan`` is the newest whole plan, ``unreadable`` the reason for which there is none among the files
    that it wrote, ``failure`` the ending of a program that did not get so far as to write any.
    """

    def __init__(self, outcome: JobResult, budget: Budget) -> None:
        self.outcome = outcome
        self.output = last_lines(outcome.output)
        reply = decode(outcome.result)
        self.exit, self.stopped = reply.get("exit"), bool(reply.get("stopped"))
        self.plan: tuple[Step, ...] | None = None
        self.cost: int | None = None
        self.unreadable = ""
        self.failure = outcome.unanswered(budget.memory_mb, reply, "plans")
        if self.failure is None:
            self._read(reply["plans"])
            # What is none among other files was never meant to be a plan.
            if self.plan is None and not self.unreadable:
                self._read(reply.get("others", ()), with_actions=True)
                self.unreadable = "" if self.plan is not None else str(reply.get("unreadable", ""))

    def _read(self, texts: Sequence[str], with_actions: bool = False) -> None:
        """Take the newest text that is a plan."""
        for text in texts:
            try:
                lines = action_lines(text, "its plan")
            except InputError as error:
                self.unreadable = self.unreadable or str(error)
            else:
                if lines.actions or not with_actions:
                    self.plan, self.cost = lines.actions, lines.cost
                    return

    def result(
        self, engine: str, ending: Ending, detail: str, reproducible: bool, proof: str | None = None
    ) -> TextResult:
        """Return the answer; the cost is the planner's own word, and goes to the statistics alone."""
        printed = read_statistics(self.outcome.output)
        stated = {"plan_cost": self.cost} if ending is Ending.SOLVED and self.cost is not None else {}
        return TextResult(
            ending,
            self.plan if ending is Ending.SOLVED else None,
            proof=proof,
            reproducible=reproducible and not self.stopped,
            engine=engine,
            seconds=self.outcome.seconds,
            detail=detail,
            statistics=printed.counts | stated,
            times=printed.seconds,
        )


def command_job(text: PddlText, request: dict[str, Any], budget: Budget) -> Job:
    """Return the job of a program that plans for a text."""
    files = {"domain": text.domain, "problem": text.problem}
    return Job(PROGRAM, files | request, budget.memory_mb, foreign=True)
