"""CP-SAT of OR-tools, inside a forked child of the worker; the only module that imports it.

``cp_model_helper`` is the layer below OR-tools' public Python model: it reads a model's text, needs neither
pandas nor numpy, and starts no threads, so the worker may fork after it was imported. (``cp_model`` costs
half a second and starts threads.) A test covers the four calls that are used. The keys of an answer may be
changed together with ``planners/optimization/cp_sat.py``, which reads them.
"""

from __future__ import annotations

import importlib
from typing import Any

from .server import DONE, INPUT_ERROR, write_answer

_HELPER = "ortools.sat.python.cp_model_helper"


def preload() -> None:
    importlib.import_module(_HELPER)


def run(request: dict[str, Any], result: int) -> int:
    """Write `{"status": "OPTIMAL", "values": "0110", "bound": 12.0}`, or a detail without a status."""
    helper = importlib.import_module(_HELPER)
    model, parameters = helper.CpModelProto(), helper.SatParameters()
    answer: dict[str, Any] = {"detail": "the model or its parameters cannot be read"}
    code = INPUT_ERROR
    if model.parse_text_format(request["model"]) and parameters.parse_text_format(request["parameters"]):
        solver = helper.SolveWrapper()
        solver.set_parameters(parameters)
        response = solver.solve(model)
        values = "".join(str(int(value)) for value in response.solution)
        answer = {"status": response.status.name, "values": values, "bound": response.best_objective_bound}
        code = DONE
    return write_answer(result, code, answer)
