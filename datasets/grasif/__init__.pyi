from .goal_graphs import goal_of_pair
from .records import TaskRecord, read_records
from .robothow import ActivityScript, read_script

__all__ = ["ActivityScript", "TaskRecord", "goal_of_pair", "read_records", "read_script"]
