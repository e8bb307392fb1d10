"""CP-SAT over Boolean models: the model as text to the worker, the values back.

One search worker, a fixed seed and a limit on CP-SAT's own count of work, never a clock, so that the same
model gives the same values on every machine; the budget's seconds end a job that would take too long in the
end. The parameters may be tuned, which changes plans. OR-tools is imported by ``programs/cp_sat.py`` only.
"""

from __future__ import annotations

import math
from pathlib import Path

from ..engines import programs
from ..engines.base import Budget
from ..engines.worker import SHARED, Job, Worker, decode, last_lines
from .model import BooleanModel, Optimum, SolutionStatus

PROGRAM = Path(programs.__file__).with_name("cp_sat.py")
SOLVER = "cp-sat"

_FIXED = (
    "num_workers: 1 random_seed: 0 linearization_level: 2"
    " cp_model_probing_level: 0 cp_model_use_sat_presolve: false"
)
"""Level 2 relaxes circuits, too: a tour of 40 places takes 0.1 s with it, and 10 s without. Two passes before
the search take half of the time of a choice and gain nothing, so they are left out."""

_STATUSES = {status.name: status for status in SolutionStatus}


def solve(model: BooleanModel, budget: Budget, work: float, worker: Worker = SHARED) -> Optimum:
    """Find the cheapest values of a model, with at most ``work`` deterministic seconds of CP-SAT.

    A deterministic second is a count of steps that takes about one second of processor time.
    """
    parameters = f"{_FIXED} max_deterministic_time: {work}"
    request = {"model": model.text(), "parameters": parameters}
    [outcome] = worker.run([Job(PROGRAM, request, budget.memory_mb)], budget.seconds)
    reply = decode(outcome.result)
    if failure := outcome.failure(budget.memory_mb):
        detail = f"{failure[1]}\n{last_lines(outcome.output)}".strip()
        return Optimum(SolutionStatus.UNKNOWN, SOLVER, reproducible=False, detail=detail)
    status = _STATUSES.get(reply.get("status", ""))
    if status is None:
        detail = reply.get("detail") or last_lines(outcome.output) or f"exit code {outcome.exit}"
        return Optimum(SolutionStatus.UNKNOWN, SOLVER, reproducible=False, detail=detail)
    if status in (SolutionStatus.INFEASIBLE, SolutionStatus.UNKNOWN):
        return Optimum(status, SOLVER)
    values = tuple(letter == "1" for letter in reply["values"])
    cost = model.values_cost(values)
    bound = cost if status is SolutionStatus.OPTIMAL else min(cost, math.ceil(reply["bound"] - 1e-6))
    return Optimum(status, SOLVER, values, cost, bound)
