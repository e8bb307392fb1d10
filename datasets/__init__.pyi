from .drawn_tasks import generated_tasks, pick_and_place
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
    "generated_tasks",
    "load_scene",
    "load_set",
    "open_scene",
    "pick_and_place",
]
