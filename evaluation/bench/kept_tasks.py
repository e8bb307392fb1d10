"""Tasks of users, kept in the folder of a comparison with their scenes, so that it is made again from there.

A set of tasks from a file is a file of the same name, and each of its scenes one that is called by its hash,
as scene JSON. A scene that comes along keeps its name. The tasks, their golds and scenes have the hashes
that the manifest has.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from ...datasets.own_tasks import ENDING, read_own_tasks
from ...datasets.scenes import SCENES, load_scene
from ...datasets.task import Task
from ...domains.storage.own_file import encoded, own_folder, replace_whole
from ...simulator.scene import Scene
from ...simulator.scene_json import scene_text

TASKS = "tasks"
"""The folder of these files, beside the rows."""


def keep_tasks(tasks: Iterable[Task], folder: Path) -> None:
    """Write the tasks that came from files of users, and their scenes, into a folder of results.

    Raises ``OSError`` where they cannot be written.
    """
    lines: dict[str, list[str]] = defaultdict(list)
    scenes: dict[str, Scene] = {}
    for task in tasks:
        if task.place:
            scene = task.load()
            name = scene.name if _comes_along(scene) else f"{scene.hash}.json"
            lines[task.set].append(json.dumps(_line(task, name), ensure_ascii=False))
            scenes |= {} if _comes_along(scene) else {name: scene}
    if lines:
        with own_folder(folder / TASKS):
            for name, scene in scenes.items():
                _keep(folder / TASKS / name, scene_text(scene))
            for name, own in lines.items():
                _keep(folder / TASKS / f"{name}{ENDING}", "\n".join([*own, ""]))


def kept_tasks(names: str, folder: Path) -> str:
    """Return names of task sets, with a file of a user's tasks as the folder of results has kept it."""
    files = {place.name: place for place in (folder / TASKS).glob(f"*{ENDING}")}
    return ",".join(str(files.get(Path(name.strip()).name, name)) for name in names.split(","))


def tasks_of(folder: Path) -> dict[str, Task]:
    """Return the tasks that a folder of results has kept, by their ids. Raises :class:`InputError`."""
    files = sorted((folder / TASKS).glob(f"*{ENDING}"))
    return {task.id: task for file in files for task in read_own_tasks(file)}


def _comes_along(scene: Scene) -> bool:
    return scene.name in SCENES and load_scene(scene.name).hash == scene.hash


def _line(task: Task, scene: str) -> dict[str, object]:
    """Return a task as a line of a user's file has it, without keys that say nothing."""
    gold = task.gold
    line: dict[str, object] = {
        "id": task.id,
        "instruction": task.instruction,
        "scene": scene,
        **{key: getattr(gold, key) for key in ("goal", "requested", "query", "any", "unsolvable")},
    }
    return {key: value for key, value in line.items() if value}


def _keep(path: Path, text: str) -> None:
    """Write a file that is not there as it should be."""
    if not path.is_file() or path.read_bytes() != encoded(text):
        replace_whole(path, text)
