"""Acting in an environment: an execution and a world, until the execution ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...domains.deadline import check_time
from ...simulator.sensing.environment import Environment
from ...simulator.sensing.observation import Change, StepOutcome
from ...simulator.step import Step
from .execution import Execution, Finish


def act_in(
    environment: Environment,
    execution: Execution,
    tell: Callable[[Step | None, Sequence[Change]], bool] | None = None,
) -> Finish | None:
    """Look around, and do the steps of an execution in an environment until it ends; return how.

    ``tell`` gets each step that was tried and what it changed in the belief, and no step for the look at the
    start. Where it returns true, the execution is left as it is, and ``None`` is returned. Raises
    :class:`LimitReached` at the deadline that is in force.
    """
    changes = execution.report(StepOutcome(True, 0, environment.look()))
    if tell is not None and tell(None, changes):
        return None
    while (step := execution.next()) is not None:
        check_time("acting in the world")
        changes = execution.report(environment.act(step))
        if tell is not None and tell(step, changes):
            return None
    return execution.finish
