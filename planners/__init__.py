"""Engines behind one interface, subgoals, and the pipeline from instruction to verified plan."""

from typing import TYPE_CHECKING

from .. import on_demand

if TYPE_CHECKING:
    from .classical import plan_goal
    from .hybrid import Request, run
    from .observation import Observation, observe
    from .reachability import Unreachable, unreachable
    from .record import EXIT_CODES, OUTCOMES, Record, Round
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = [
    "EXIT_CODES",
    "OUTCOMES",
    "Observation",
    "Record",
    "Request",
    "Round",
    "Unreachable",
    "observe",
    "plan_goal",
    "run",
    "unreachable",
]
