"""Tasks of users: a file of JSON lines, an instruction, a scene and perhaps a gold goal or query each.

A scene is a name that comes along, or a file, looked for beside the file of tasks. A task without a gold is
run like any other, and nothing is said of whether it was right. The keys stay: files of users have them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..domains.errors import InputError, clip, did_you_mean
from ..domains.files import parse_json, read_text
from ..simulator.scene import Scene
from .library import find_scene
from .scenes import SCENES
from .task import Gold, Task

ENDING = ".jsonl"
"""End of the names of such files."""
MAX_BYTES = 16 * 1024 * 1024
MAX_TASKS = 10_000
KEYS = ("id", "instruction", "scene", "item", "goal", "requested", "query", "any", "unsolvable")
"""Keys of a line; ``instruction`` and ``scene`` are needed."""


def read_own_tasks(path: Path) -> tuple[Task, ...]:
    """Return the tasks of a file, in its order; the set is called after the file.

    Raises :class:`InputError` with the line for one that is no task, and for a scene at fault.
    """
    name = path.name.removesuffix(ENDING)
    scenes: dict[tuple[str, str], Scene] = {}
    tasks: dict[str, Task] = {}
    for number, line in enumerate(read_text(path, MAX_BYTES).splitlines(), 1):
        if not line.strip():
            continue
        where = f"{clip(str(path), 200)}, line {number}"
        task = _task(_object(line, where), name, number, path.parent, scenes, where)
        if task.id in tasks:
            raise InputError(where, "an id that no other line has", clip(task.id))
        tasks[task.id] = task
        if len(tasks) > MAX_TASKS:
            raise InputError(where, f"at most {MAX_TASKS} tasks", "more")
    if not tasks:
        raise InputError(clip(str(path), 200), "a task a line", "none")
    return tuple(tasks.values())


def _object(line: str, where: str) -> Mapping[str, object]:
    raw = parse_json(line, where)
    if not isinstance(raw, dict):
        raise InputError(where, 'an object such as {"instruction": "..", "scene": ".."}', clip(line))
    for key in raw:
        if key not in KEYS:
            hint = did_you_mean(key, KEYS) or f"keys are {', '.join(KEYS)}"
            raise InputError(where, "the keys of a task", clip(key), hint)
    return raw


def _task(
    raw: Mapping[str, object],
    name: str,
    number: int,
    folder: Path,
    scenes: dict[tuple[str, str], Scene],
    where: str,
) -> Task:
    """Return the task of a line. ``scenes`` are those that were read, by name and item."""

    def text(key: str, default: str | None = "") -> str:
        value = raw.get(key, default)
        if not isinstance(value, str) or (default is None and not value.strip()):
            raise InputError(f"{where}: {key}", "a text", clip(repr(value)))
        return value

    instruction, named, item = text("instruction", None), text("scene", None), text("item")
    goal, query, unsolvable = text("goal"), text("query"), text("unsolvable")
    if sum(map(bool, (goal, query, unsolvable))) > 1:
        raise InputError(where, "a gold goal, a gold query, or why there is no plan", "several")
    enough = raw.get("any", 0)
    if not isinstance(enough, int) or isinstance(enough, bool) or enough < 0:
        raise InputError(f"{where}: any", "how many answers suffice", clip(repr(enough)))
    if (named, item) not in scenes:
        beside = folder / named
        place = named if named in SCENES or not beside.exists() else str(beside)
        scenes[named, item] = find_scene(place, item)
    scene = scenes[named, item]
    gold = Gold(goal, "", where, query=query, any=enough, requested=text("requested"))
    gold = replace(gold, unsolvable=unsolvable)
    return Task(text("id") or f"{name}-{number}", name, scene.name, instruction, gold, base=scene)
