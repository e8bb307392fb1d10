"""The solver of Boolean models: CP-SAT where OR-tools is installed and works, else branch and bound.

Both take the same models and give the same kind of answer, so that only :class:`Optimum`'s ``solver`` tells
which it was; circuits need CP-SAT. Another solver may be put first here; a cut-off search must never be
called optimal or infeasible. OR-tools is loaded by the worker, and only when a model is to be solved.
"""

from __future__ import annotations

import importlib.util
from dataclasses import replace

from ...engines.base import Budget
from . import branch_and_bound, cp_sat
from .model import BooleanModel, Optimum

WORK = 1.0
"""Deterministic seconds of CP-SAT that a model gets where the caller says nothing."""


def cp_sat_installed() -> bool:
    """Return whether OR-tools is installed; it is not imported for that."""
    return importlib.util.find_spec("ortools") is not None


def optimize(model: BooleanModel, budget: Budget, work: float = WORK) -> Optimum:
    """Find the cheapest values of a model within a count of work, and within a budget by the clock.

    ``work`` are deterministic seconds of CP-SAT; branch and bound, which counts its own steps, ignores them.
    Where CP-SAT fails, other than by the clock, branch and bound answers and ``failure`` says why; a model
    with circuits then has no answer.
    """
    if not cp_sat_installed():
        return branch_and_bound.solve(model)
    answer = cp_sat.solve(model, budget, work)
    if not answer.failure or model.circuits:
        return answer
    instead = branch_and_bound.solve(model)
    return replace(instead, reproducible=answer.reproducible, failure=answer.failure)
