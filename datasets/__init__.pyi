from .library import SETS, find_task, load_set
from .prepared import DATASETS, DataSet
from .scenes import SCENES, load_scene, open_scene
from .task import Gold, Task, apply_overlay

__all__ = [
    "DATASETS",
    "DataSet",
    "Gold",
    "SCENES",
    "SETS",
    "Task",
    "apply_overlay",
    "find_task",
    "load_scene",
    "load_set",
    "open_scene",
]
