from .classical import plan_goal
from .events import Checked, Event, GoalWritten, Listener, Observed, Planned, SearchDone
from .hybrid import Request, run
from .observation import Observation, observe
from .record import EXIT_CODES, OUTCOMES, Record, Round
from .result import Assembly, PlanResult

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
    "observe",
    "plan_goal",
    "run",
]
