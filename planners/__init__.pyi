from .classical import plan_goal
from .events import Checked, Event, GoalWritten, Listener, Observed, Planned, PutBack, SearchDone, Voted
from .hybrid import run
from .observation import Observation
from .record import EXIT_CODES, OUTCOMES, Record, Round
from .request import Request
from .result import Assembly, PlanResult
from .tidy import NotPutBack, Tidied, put_back
from .votes import Vote

__all__ = [
    "EXIT_CODES",
    "OUTCOMES",
    "Assembly",
    "Checked",
    "Event",
    "GoalWritten",
    "Listener",
    "NotPutBack",
    "Observation",
    "Observed",
    "PlanResult",
    "Planned",
    "PutBack",
    "Record",
    "Request",
    "Round",
    "SearchDone",
    "Tidied",
    "Vote",
    "Voted",
    "plan_goal",
    "put_back",
    "run",
]
