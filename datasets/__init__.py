"""Scenes, task sets with gold goals, and the formats of other programs."""

from typing import TYPE_CHECKING

from .. import on_demand

if TYPE_CHECKING:
    from .library import SETS, find_task, load_set
    from .prepared import DATASETS, DataSet
    from .scenes import SCENES, load_scene, open_scene
    from .task import Gold, Task, apply_overlay
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = [
    "DATASETS",
    "SCENES",
    "SETS",
    "DataSet",
    "Gold",
    "Task",
    "apply_overlay",
    "find_task",
    "load_scene",
    "load_set",
    "open_scene",
]
