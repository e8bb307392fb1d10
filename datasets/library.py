"""Task sets by name: those that come with the package, and those that the user prepared.

A set that comes with the package is a file ``tasks/SET.json``; to add one, put the file there and its name
into :data:`SETS`. The id of a task begins with the name of its set, by which :func:`find_task` finds the set.
Ids and instructions stay as they are: results are compared by them. Sets that cannot come with the package
are in ``prepared``. A sealed set is for one measurement at the end: nobody looks at it before, and it is read
only where that is asked for by name and flag.
"""

from __future__ import annotations

import hashlib
import json
import os.path
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..domains.errors import InputError, clip, did_you_mean
from ..simulator.scene import Scene
from .scenes import open_scene
from .task import Gold, Task, original_id

SAYPLAN: Mapping[str, tuple[str, ...]] = {
    "office-search": ("office-search-simple", "office-search-complex"),
    "home-search": ("home-search-simple", "home-search-complex"),
    "office-planning": ("office-planning-simple", "office-planning-long"),
}
_SAYPLAN_SETS = tuple(name for names in SAYPLAN.values() for name in names)
_HOUSEHOLDS = ("house-planning", "building-planning")
HIDDEN: Mapping[str, str] = {
    "grasif-hidden": "grasif-office",
    "house-hidden": "house-planning",
    "building-hidden": "building-planning",
}
"""Sets in which the robot has seen no movable thing yet, each with the set whose tasks it has otherwise."""
SETS = (*_SAYPLAN_SETS, "grasif-office", *HIDDEN, *_HOUSEHOLDS, "office-unsolvable")
SEALED: Mapping[str, str] = {
    "household-sealed": "cc3ce63eae07a052b48f66c1b2239b043a6a65761120cc9c9c2e21728af4d2fa",
}
"""The sealed sets that come with the package, each with the SHA-256 of its file."""
PREPARED = (
    "grasif-behavior", "grasif-robothow", "grasif", "behavior-1k", "behavior-100", "eai-virtualhome",
    "context-matters", "multi-object-search",
)  # fmt: skip
"""Sets that are prepared by the user; see ``prepared``."""
UNIONS: Mapping[str, tuple[str, ...]] = {
    **SAYPLAN,
    "sayplan-search": tuple(name for name in _SAYPLAN_SETS if "-search-" in name),
    "sayplan": _SAYPLAN_SETS,
    "household-planning": _HOUSEHOLDS,
}
PARAPHRASED = "-paraphrased"
"""The ending of a set's name with which each task is followed by its paraphrases."""


def load_set(name: str, folder: Path | None = None, sealed: bool = False) -> tuple[Task, ...]:
    """Load the tasks of a set or union of sets, in the paper's order.

    ``name`` is one of :data:`SETS`, :data:`UNIONS`, :data:`PREPARED` or, with ``sealed``, :data:`SEALED`.
    With :data:`PARAPHRASED` behind it, each task is followed by its paraphrases. A set that the user
    prepared is read from ``folder``, or from where it was prepared. Raises :class:`InputError` for another
    name, with the nearest ones, for a set that is not prepared yet, and for a sealed one that is not asked
    for as such or is not the file that was sealed.

    >>> from groundplan.datasets import load_set
    >>> [task.id for task in load_set("office-planning")][::15]
    ['office-planning-simple-01', 'office-planning-long-01']
    >>> {task.scene for task in load_set("home-search")}
    {'home'}
    """
    if name.endswith(PARAPHRASED):
        originals = load_set(name.removesuffix(PARAPHRASED), folder, sealed)
        return tuple(task for original in originals for task in (original, *original.reworded))
    if name in PREPARED:
        from .prepared import prepared_set  # formats and grammars that the shipped sets have no need of

        return prepared_set(name, folder)
    if name in UNIONS:
        return tuple(t for part in UNIONS[name] for t in load_set(part))
    if name in SEALED:
        if not sealed:
            hint = "groundplan bench --sealed opens it, for a measurement after which nothing is changed"
            raise InputError("task set", "a set that is not sealed", name, hint)
        return _shipped(name)
    if name not in SETS:
        names = [*SETS, *PREPARED, *UNIONS]
        hint = did_you_mean(name, names) or f"sets are {', '.join(names)}"
        raise InputError("task set", "the name of a set", clip(name), hint)
    return _shipped(name)


@cache
def _shipped(name: str) -> tuple[Task, ...]:
    if name in HIDDEN:
        base = HIDDEN[name]
        return tuple(
            replace(task, id=name + task.id.removeprefix(base), set=name, hidden=True)
            for task in _shipped(base)
        )
    data = files(__package__).joinpath("tasks", f"{name}.json").read_bytes()
    if name in SEALED and (got := hashlib.sha256(data).hexdigest()) != SEALED[name]:
        raise InputError(f"tasks/{name}.json", f"the sealed file, SHA-256 {SEALED[name]}", got)
    raw = json.loads(data)
    return tuple(_task(entry, raw["set"], entry.get("scene") or raw["scene"]) for entry in raw["tasks"])


def _task(entry: Mapping[str, Any], set_name: str, scene: str) -> Task:
    if "as" in entry:  # another set's task under another name, in other words or with a plan
        same = find_task(str(entry["as"]))
        gold = replace(same.gold, plan=tuple(entry.get("plan", ())))
        same = replace(same, id=entry["id"], set=set_name, gold=gold)
        return replace(same, instruction=entry["instruction"], paraphrases=())
    fields: dict[str, Any] = {"goal": "", "rationale": "", "source": ""} | entry["gold"]
    fields = {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}
    overlay = entry.get("overlay") or {}
    paraphrases = tuple(entry.get("paraphrases", ()))
    return Task(
        entry["id"],
        set_name,
        scene,
        entry["instruction"],
        Gold(**fields),
        overlay,
        paraphrases=paraphrases,
    )


def find_task(task_id: str) -> Task:
    """Find a task by its id, among the sets that come with the package and those the user prepared.

    The id of a paraphrase has ``~`` and its number, from 1, behind that of its task. Raises
    :class:`InputError` with the nearest ids, and for the tasks of a sealed set.

    >>> from groundplan import find_task
    >>> task = find_task("office-planning-simple-01")
    >>> task.instruction, task.gold.goal
    ("Close Jason's cabinet.", '(closed cabinet5)')
    >>> task.load().name
    'office'
    """
    tasks = {t.id: t for s in _holding(task_id) for t in load_set(s)}
    original = tasks.get(original_id(task_id))
    candidates = tasks if original is None else {t.id: t for t in (original, *original.reworded)}
    if task_id not in candidates:
        raise InputError("task", "the id of a task", clip(task_id), did_you_mean(task_id, candidates))
    return candidates[task_id]


def names_task(name: str) -> bool:
    """Return whether a name is the form of a task's id: that of a set, a hyphen and more, itself no set.

    >>> from groundplan.datasets.library import names_task
    >>> names_task("office-planning-simple-01"), names_task("office-planning-simple")
    (True, False)
    """
    is_set = name.removesuffix(PARAPHRASED) in (*SETS, *PREPARED, *SEALED, *UNIONS)
    return not is_set and bool(_named_sets(name))


def find_scene(name_or_file: str, item: str = "", form: str = "", labels: str = "", robot: str = "") -> Scene:
    """Open a scene by name, a scene file, or one scene of a file, folder or prepared set with several.

    ``name_or_file`` is what :func:`open_scene` takes, one of :data:`PREPARED`, or the folder of a prepared
    set; ``item`` is the id of the scene there, for a set that of the task, with or without the set's name.
    ``form`` names the format of a file whose content does not show it; ``labels`` and ``robot`` are those of
    :func:`open_scene`. Raises :class:`InputError`.
    """
    if name_or_file in PREPARED:
        return _scene_of_set(name_or_file, load_set(name_or_file), item)
    if not form and os.path.isdir(name_or_file):
        from .prepared import set_in

        set_name = set_in(folder := Path(name_or_file))
        if set_name is not None:
            return _scene_of_set(name_or_file, load_set(set_name, folder), item)
    return open_scene(name_or_file, item, form, labels, robot)


def _scene_of_set(where: str, tasks: Sequence[Task], item: str) -> Scene:
    """Return the scene of the task that an item names. Raises :class:`InputError` with the items."""
    scenes = {t.id.removeprefix(f"{t.set}-"): t for t in tasks}
    full = {t.id: t for t in tasks}
    task = scenes.get(item) or full.get(item)
    if task is None:
        from .formats.content import unchosen

        raise unchosen(where, "scene", item, scenes, InputError)
    return task.load()


def _named_sets(task_id: str) -> list[str]:
    """Return the sets whose names an id begins with."""
    return [s for s in (*SETS, *SEALED, *PREPARED) if task_id.startswith(f"{s}-")]


def _holding(task_id: str) -> tuple[str, ...]:
    """Return the sets that may hold a task: the one that its id begins with, or all that are shipped."""
    prefixes = _named_sets(task_id)
    return (max(prefixes, key=len),) if prefixes else SETS
