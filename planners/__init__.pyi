from ..acting.observation import Observation
from ..engines.result import Assembly, PlanResult
from ..pipeline.events import (
    Checked,
    Event,
    GoalWritten,
    Listener,
    Observed,
    Planned,
    PutBack,
    SearchDone,
    Voted,
)
from ..pipeline.hybrid import run
from ..pipeline.record import EXIT_CODES, OUTCOMES, Record, Round
from ..pipeline.votes import Vote
from .classical import plan_goal
from .request import Request
from .tidy import NotPutBack, Tidied, put_back

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
