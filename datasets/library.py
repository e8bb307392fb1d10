"""The scenes and tasks that come with the package, and scenes from files.

A task is a dataset entry: a scene, an overlay (what one instruction adds to the scene or changes in it), an
instruction and its gold goal with the reason for it. The base scenes stay as published.
"""

from __future__ import annotations

import json
import os.path
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..domains.errors import InputError, SceneError, clip, did_you_mean
from ..simulator.scene import Scene
from ..simulator.scene_json import node_fields, node_from_json, scene_from_json

SCENES = ("office", "home")
SAYPLAN: Mapping[str, tuple[str, ...]] = {
    "office-search": ("office-search-simple", "office-search-complex"),
    "home-search": ("home-search-simple", "home-search-complex"),
    "office-planning": ("office-planning-simple", "office-planning-long"),
}
_SAYPLAN_SETS = tuple(name for names in SAYPLAN.values() for name in names)
SETS = (*_SAYPLAN_SETS, "grasif-office")
PREPARED = ("grasif-behavior", "grasif-robothow", "grasif")
"""Sets that are prepared by the user; see ``prepared``."""
UNIONS: Mapping[str, tuple[str, ...]] = {**SAYPLAN, "sayplan": _SAYPLAN_SETS}


@dataclass(frozen=True)
class Gold:
    """What an instruction means, and why: the goal of a planning task, the query of a search task.

    ``accepted`` and ``rejected`` are example outcomes of a plan. ``answers`` are the nodes that the query
    finds on the full scene, in its order; ``any`` says how many of them will do, 0 that all are wanted.
    ``published`` are the rooms that the paper's answer comes to: none where it says that there is none.
    ``plan`` are the actions that come with a task of GRASIF; its goal graph is what they lead to.
    """

    goal: str
    rationale: str
    source: str
    alternatives: tuple[str, ...] = ()
    accepted: tuple[Mapping[str, object], ...] = ()
    rejected: tuple[Mapping[str, object], ...] = ()
    query: str = ""
    answers: tuple[str, ...] = ()
    any: int = 0
    published: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()


@dataclass(frozen=True)
class Task:
    """One entry of a task set. ``base`` is the scene itself where it is none that comes with the package."""

    id: str
    set: str
    scene: str
    instruction: str
    gold: Gold
    overlay: Mapping[str, object] = field(default_factory=dict)
    base: Scene | None = None

    def load(self) -> Scene:
        """The task's scene: the base scene with the overlay applied. Raises :class:`SceneError`."""
        base = self.base if self.base is not None else load_scene(self.scene)
        return apply_overlay(base, self.overlay, self.id)


def apply_overlay(scene: Scene, overlay: Mapping[str, object], where: str) -> Scene:
    """A scene with nodes added, removed and changed as an overlay says."""
    for key in overlay:
        if key not in ("add", "remove", "change"):
            raise SceneError(f"{where}: overlay", "add, remove and change", clip(key))
    add, remove, change = overlay.get("add", []), overlay.get("remove", []), overlay.get("change", {})
    if not isinstance(add, list) or not isinstance(remove, list) or not isinstance(change, dict):
        raise SceneError(
            f"{where}: overlay", "lists to add and remove, an object to change", "something else"
        )
    return scene.changed(
        [node_from_json(n, f"{where}: overlay.add[{i}]") for i, n in enumerate(add)],
        [str(r) for r in remove],
        {k: node_fields(v, f"{where}: overlay.change.{clip(k)}") for k, v in change.items()},
    )


@cache
def load_scene(name: str) -> Scene:
    """A scene that comes with the package, by name. Raises :class:`InputError` with the nearest names."""
    if name not in SCENES:
        hint = did_you_mean(name, SCENES) or f"scenes are {', '.join(SCENES)}; files are for open_scene"
        raise InputError("scene", "the name of a scene that comes along", clip(name), hint)
    text = files(__package__).joinpath("scenes", f"{name}.json").read_text(encoding="utf-8")
    return scene_from_json(json.loads(text), name)


def open_scene(name_or_file: str) -> Scene:
    """A built-in scene by name, or a scene file in any format that is read.

    Raises :class:`InputError` for neither, :class:`SceneError` for a file that is no scene.
    """
    if name_or_file in SCENES:
        return load_scene(name_or_file)
    path = Path(name_or_file)
    # Unlike Path.exists, os.path.exists answers for a name that is too long, too.
    if not os.path.exists(path) and path.suffix != ".json" and "/" not in name_or_file:
        hint = did_you_mean(name_or_file, SCENES) or f"scenes are {', '.join(SCENES)}; or give a file"
        raise InputError("scene", "the name of a scene or a file", clip(name_or_file), hint)
    from .formats.registry import read  # the formats are loaded for files only

    return read(path)[0]


def load_set(name: str, folder: Path | None = None) -> tuple[Task, ...]:
    """The tasks of a set or union of sets, in the paper's order.

    A set that is prepared by the user is read from ``folder``, or from where it was prepared. Raises
    :class:`InputError`.
    """
    if name in PREPARED:
        from .prepared import prepared_set  # formats and grammars that the shipped sets have no need of

        return prepared_set(name, folder)
    if name in UNIONS:
        return tuple(t for part in UNIONS[name] for t in load_set(part))
    if name not in SETS:
        known = [*SETS, *PREPARED, *UNIONS]
        hint = did_you_mean(name, known) or f"sets are {', '.join(known)}"
        raise InputError("task set", "the name of a set", clip(name), hint)
    return _shipped(name)


@cache
def _shipped(name: str) -> tuple[Task, ...]:
    raw = json.loads(files(__package__).joinpath("tasks", f"{name}.json").read_text(encoding="utf-8"))
    return tuple(_task(entry, raw["set"], raw["scene"]) for entry in raw["tasks"])


def _task(entry: Mapping[str, Any], set_name: str, scene: str) -> Task:
    if "as" in entry:  # another set's task under another name, in other words or with a plan
        same = find_task(str(entry["as"]))
        known = replace(same.gold, plan=tuple(entry.get("plan", ())))
        return replace(same, id=entry["id"], set=set_name, instruction=entry["instruction"], gold=known)
    gold = entry["gold"]
    overlay = entry.get("overlay") or {}
    assert isinstance(gold, dict) and isinstance(overlay, dict)
    return Task(
        id=str(entry["id"]),
        set=set_name,
        scene=scene,
        instruction=str(entry["instruction"]),
        overlay=overlay,
        gold=Gold(
            goal=str(gold.get("goal", "")),
            rationale=str(gold.get("rationale", "")),
            source=str(gold.get("source", "")),
            alternatives=tuple(gold.get("alternatives", ())),
            accepted=tuple(gold.get("accepted", ())),
            rejected=tuple(gold.get("rejected", ())),
            query=str(gold.get("query", "")),
            answers=tuple(gold.get("answers", ())),
            any=int(gold.get("any", 0)),
            published=tuple(gold.get("published", ())),
        ),
    )


def find_task(task_id: str) -> Task:
    """A task by its id. Raises :class:`InputError` with the nearest ids."""
    tasks = {t.id: t for s in _holding(task_id) for t in load_set(s)}
    if task_id not in tasks:
        raise InputError("task", "the id of a task", clip(task_id), did_you_mean(task_id, tasks))
    return tasks[task_id]


def _holding(task_id: str) -> tuple[str, ...]:
    """The sets that a task may be of: one of those that its id begins with, or all that are shipped."""
    named = [s for s in (*SETS, *PREPARED) if task_id.startswith(f"{s}-")]
    return (max(named, key=len),) if named else SETS
