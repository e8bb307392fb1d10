from .goal import bddl_goal
from .scene import bddl_scene
from .text import Activity, read_bddl

__all__ = ["Activity", "bddl_goal", "bddl_scene", "read_bddl"]
