"""Task sets by name: those that come with the package, and those that the user prepared.

A set that comes with the package is a file ``tasks/SET.json``; to add one, put the file there and its name
into :data:`SETS`. Sets that cannot come along are prepared by ``prepared``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..domains.errors import InputError, clip, did_you_mean
from .task import Gold, Task

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
