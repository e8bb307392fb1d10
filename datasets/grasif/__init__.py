"""GRASIF's tasks: records with an initial and a goal graph, RobotHow's programs, goals from graphs."""

from typing import TYPE_CHECKING

from ... import on_demand

if TYPE_CHECKING:
    from .goal_graphs import goal_of_pair
    from .records import TaskRecord, read_records
    from .robothow import ActivityScript, read_script
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = ["ActivityScript", "TaskRecord", "goal_of_pair", "read_records", "read_script"]
