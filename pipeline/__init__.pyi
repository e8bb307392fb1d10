from .audit import Audit
from .events import Checked, Event, GoalWritten, Listener, Observed, Planned, PutBack, SearchDone
from .hybrid import run
from .record import EXIT_CODES, OUTCOMES, Record, Round

__all__ = [
    "Audit",
    "Checked",
    "EXIT_CODES",
    "Event",
    "GoalWritten",
    "Listener",
    "OUTCOMES",
    "Observed",
    "Planned",
    "PutBack",
    "Record",
    "Round",
    "SearchDone",
    "run",
]
