"""Any unified-planning engine, inside a forked child of the worker; it imports unified-planning afresh.

unified-planning is two seconds of imports and holds process-wide state, so no process serves two calls, and
nothing is loaded in the worker, whose forks have to stay small and single-threaded. Its engines start
programs of their own and do not wait for them; the worker ends what they leave. The keys of an answer may be
changed together with `engines/unified.py`, which reads them.
"""

from __future__ import annotations

import importlib
from typing import Any

from .server import DONE, INPUT_ERROR, UNSUPPORTED, write_answer
from .unified_objects import build

# Features that PDDLReader finds in texts with costs: its numbers are real, and functions may be partial.
_FROM_READING = {"REAL_NUMBERS_IN_ACTIONS_COST", "UNDEFINED_INITIAL_NUMERIC"}


class _Unreadable(Exception):
    """A text that unified-planning's reader refuses."""


def run(request: dict[str, Any], result: int) -> int:
    """Write `{"names": {name: whether it knows costs}}` when asked for engines, else an outcome."""
    environment = importlib.import_module("unified_planning.environment").get_environment()
    environment.credits_stream = None
    environment.error_used_name = False  # PDDL lets an action and a predicate share a name
    code, answer = _names(environment) if "engine" not in request else _solve(environment, request)
    return write_answer(result, code, answer)


def _names(environment: Any) -> tuple[int, dict[str, Any]]:
    factory = environment.factory
    planners = {name: factory.engine(name) for name in factory.engines}
    return DONE, {
        "names": {
            name: "ACTIONS_COST" in engine.supported_kind().features
            for name, engine in planners.items()
            if engine.is_oneshot_planner()
        }
    }


def _solve(environment: Any, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    name = request["engine"]
    if name not in environment.factory.engines:
        return UNSUPPORTED, {"detail": f"unified-planning has no working engine {name!r} here"}
    try:
        problem = _problem(environment, request)
    except _Unreadable as error:
        return INPUT_ERROR, {"detail": f"unified-planning cannot read the text: {error}"}
    lacking = problem.kind.features - environment.factory.engine(name).supported_kind().features
    if "data" not in request:
        lacking -= _FROM_READING
    if lacking:
        words = ", ".join(sorted(lacking)).lower().replace("_", " ")
        return UNSUPPORTED, {"detail": f"{name} does not know {words}"}
    with environment.factory.OneshotPlanner(name=name) as planner:
        planner.skip_checks = True  # done above
        outcome = planner.solve(problem, timeout=request["seconds"])
    plan = outcome.plan
    answer: dict[str, Any] = {
        "status": outcome.status.name,
        "plan": None,
        "cost": None,
        "detail": "\n".join(message.message for message in outcome.log_messages or [])[-2000:],
    }
    if plan is not None:
        if not hasattr(plan, "actions"):
            return UNSUPPORTED, {
                "detail": f"{name} answered with a {type(plan).__name__}, not a sequence of actions"
            }
        answer["plan"] = [[a.action.name, *map(str, a.actual_parameters)] for a in plan.actions]
        answer["cost"] = _cost(problem, plan)
    return DONE, answer


def _problem(environment: Any, request: dict[str, Any]) -> Any:
    """The problem of a request: built of data, or read from a text."""
    if "data" in request:
        return build(request["data"], environment)
    reader = importlib.import_module("unified_planning.io").PDDLReader(environment)
    exceptions = importlib.import_module("unified_planning.exceptions")
    parsing = importlib.import_module("pyparsing").ParseBaseException
    try:
        return reader.parse_problem_string(request["domain"], request["problem"])
    except (parsing, exceptions.UPException, AssertionError, KeyError, ValueError, SyntaxError) as error:
        raise _Unreadable(f"{type(error).__name__}: {error}") from error


def _cost(problem: Any, plan: Any) -> int | None:
    """The plan's value under the problem's metric; its length where there is none."""
    metrics = importlib.import_module("unified_planning.model.metrics")
    match problem.quality_metrics:
        case [] | [metrics.MinimizeSequentialPlanLength()]:
            return len(plan.actions)
        case [metrics.MinimizeActionCosts() as metric]:
            total = 0
            for action in plan.actions:
                cost = metric.get_action_cost(action.action)
                values = dict(zip(action.action.parameters, action.actual_parameters, strict=True))
                value = cost.substitute(
                    {problem.environment.expression_manager.ParameterExp(p): v for p, v in values.items()}
                )
                if value.is_fluent_exp():
                    value = problem.initial_value(value)
                if not value.is_int_constant():
                    return None
                total += value.constant_value()
            return total
        case _:
            return None
