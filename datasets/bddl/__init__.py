"""BEHAVIOR's activities in BDDL: text, goals and scenes."""

from typing import TYPE_CHECKING

from ... import on_demand

if TYPE_CHECKING:
    from .goal import bddl_goal
    from .scene import bddl_scene
    from .text import Activity, read_bddl
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = ["Activity", "bddl_goal", "bddl_scene", "read_bddl"]
