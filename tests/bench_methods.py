"""Methods without an engine or a reader, for tests of the runner; other processes can import them."""

from __future__ import annotations

import os
import signal
import time
from contextlib import ExitStack
from dataclasses import dataclass

from groundplan.evaluation.bench import Account
from groundplan.evaluation.gold_reader import GoldReader
from groundplan.evaluation.judging import JudgedTask
from groundplan.methods import Limits, Tools
from groundplan.pipeline.record import PlanAttempt, Record
from groundplan.planners.request import Request
from groundplan.simulator.step import Step


def no_tools(case: JudgedTask, seed: int | None, account: Account, keep: ExitStack) -> Tools:
    return Tools()


def gold_tools(case: JudgedTask, seed: int | None, account: Account, keep: ExitStack) -> Tools:
    return Tools(reader=GoldReader(case))


@dataclass(frozen=True)
class Written:
    """Writes the same plan for every task; ``name`` may be chosen."""

    name: str = "written"
    step: str = "goto"
    target: str = "pose13"

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        attempt = PlanAttempt("a plan", (Step(self.step, (self.target,)),))
        return Record("executable", task=request.task, engine="none", method=self.name, attempts=(attempt,))


@dataclass(frozen=True)
class Troubled:
    """Ends its process, or sleeps, on some tasks; elsewhere it says in which process it ran."""

    name: str = "troubled"
    killed: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    raising: tuple[str, ...] = ()
    asleep: tuple[str, ...] = ()

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        if request.task in self.killed:
            os.kill(os.getpid(), signal.SIGKILL)
        if request.task in self.left:
            os._exit(3)
        if request.task in self.raising:
            raise RuntimeError("a fault of the method")
        if request.task in self.asleep:
            time.sleep(600)
        return Record(
            "not-found", task=request.task, engine="none", method=self.name, failures=(str(os.getpid()),)
        )


def refuse_to_load() -> None:
    raise ImportError("cannot be loaded there")


@dataclass(frozen=True)
class Unloadable(Written):
    """Cannot be loaded in another process."""

    def __reduce__(self):
        return refuse_to_load, ()


def wait_for_long() -> None:
    time.sleep(600)


@dataclass(frozen=True)
class Unready(Written):
    """Does not come to an end of loading in another process."""

    def __reduce__(self):
        return wait_for_long, ()


@dataclass(frozen=True)
class Lingering(Written):
    """Takes 0.4 s, and notes in a file of the task the process that its own process belongs to."""

    name: str = "lingering"
    folder: str = ""

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        with open(f"{self.folder}/{request.task}", "a", encoding="ascii") as file:
            file.write(f"{os.getppid()}\n")
        time.sleep(0.4)
        return super().run(request, tools, limits)
