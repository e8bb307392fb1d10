"""Engines behind one interface, subgoals, and the pipeline from instruction to verified plan."""

from typing import TYPE_CHECKING

from .. import on_demand

if TYPE_CHECKING:
    from .classical import plan_goal
    from .events import Checked, Event, GoalWritten, Listener, Observed, Planned, SearchDone
    from .hybrid import Request, run
    from .observation import Observation, observe
    from .reachability import Unreachable, unreachable
    from .record import EXIT_CODES, OUTCOMES, Record, Round
    from .result import Assembly, PlanResult
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = [
    "EXIT_CODES",
    "OUTCOMES",
    "Assembly",
    "Checked",
    "Event",
    "GoalWritten",
    "Listener",
    "Observation",
    "Observed",
    "PlanResult",
    "Planned",
    "Record",
    "Request",
    "Round",
    "SearchDone",
    "Unreachable",
    "observe",
    "plan_goal",
    "run",
    "unreachable",
]
