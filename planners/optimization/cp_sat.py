"""CP-SAT over Boolean models: the model as text to the worker, the values back.

One search worker, a fixed seed and a limit on CP-SAT's own count of work, never a clock, so that the same
model gives the same values on every machine; the budget's seconds end a job that would take too long in the
end. The parameters may be tuned, which changes plans. OR-tools is imported by ``programs/cp_sat.py`` only.
"""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

from ...domains.ending import Ending
from ...domains.errors import clip
from ...engines import programs
from ...engines.base import Budget
from ...engines.worker import SHARED, Job, Worker, decode, last_lines
from .model import BooleanModel, Optimum, SolutionStatus

PROGRAM = Path(programs.__file__).with_name("cp_sat.py")
SOLVER = "cp-sat"

_FIXED = (
    "num_workers: 1 random_seed: 0 linearization_level: 2"
    " cp_model_probing_level: 0 cp_model_use_sat_presolve: false"
)
"""Level 2 relaxes circuits, too: a tour of 40 places takes 0.1 s with it, and 10 s without. Two passes before
the search take half of the time of a choice and gain nothing, so they are left out."""

MAX_CHARACTERS = 150
"""Longest reason for which CP-SAT did not run, in a sentence for people."""

WORK = 1.0
"""Deterministic seconds that a model gets where the caller says nothing."""
NOT_INSTALLED = f"{SOLVER} did not run (OR-tools are not installed)"


def cp_sat_installed() -> bool:
    """Return whether OR-tools are installed; they are not imported for that."""
    return importlib.util.find_spec("ortools") is not None


def optimize(model: BooleanModel, budget: Budget, work: float = WORK, worker: Worker = SHARED) -> Optimum:
    """Find the cheapest values of a model, with at most ``work`` deterministic seconds of CP-SAT.

    A deterministic second is a count of steps that takes about one second of processor time.
    """
    parameters = f"{_FIXED} max_deterministic_time: {work}"
    request = {"model": model.text(), "parameters": parameters}
    [outcome] = worker.run([Job(PROGRAM, request, budget.memory_mb)], budget.seconds)
    reply = decode(outcome.result)
    if failure := outcome.failure(budget.memory_mb):
        ending, why = failure
        detail = f"{why}\n{last_lines(outcome.output)}".strip()
        return _unanswered(detail, "" if ending is Ending.TIMED_OUT else why, ending is Ending.UNSUPPORTED)
    status = SolutionStatus.__members__.get(reply.get("status", ""))
    if status is None:
        detail = reply.get("detail") or last_lines(outcome.output) or f"exit code {outcome.exit}"
        return _unanswered(detail, detail)
    if status in (SolutionStatus.INFEASIBLE, SolutionStatus.UNKNOWN):
        return Optimum(status, SOLVER)
    values = tuple(letter == "1" for letter in reply["values"])
    cost = model.values_cost(values)
    bound = cost if status is SolutionStatus.OPTIMAL else min(cost, math.ceil(reply["bound"] - 1e-6))
    return Optimum(status, SOLVER, values, cost, bound)


def _unanswered(detail: str, failure: str, reproducible: bool = False) -> Optimum:
    """Return the answer of CP-SAT where it has none; ``failure`` is the reason where no clock stopped it."""
    if failure:
        failure = f"{SOLVER} did not run ({clip(last_lines(failure, 1), MAX_CHARACTERS)})"
    return Optimum(SolutionStatus.UNKNOWN, SOLVER, reproducible=reproducible, detail=detail, failure=failure)
