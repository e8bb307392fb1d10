"""Tasks of users: a file of JSON lines, an instruction, a scene and perhaps a gold goal or query each.

A scene is a name that comes along, or a file, looked for beside the file of tasks. A task without a gold is
run like any other, and nothing is said of whether it was right. The keys stay: files of users have them.
"""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..compiler.goals.goal import parse_goal
from ..compiler.query.query import parse_query
from ..domains.errors import InputError, clip, did_you_mean
from ..domains.files import json_lines, read_lines
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
NEEDED = 'write {"instruction": "..", "scene": ".."} on one line, with a goal or a query if there is one'


def read_own_tasks(path: Path, faults: list[InputError] | None = None) -> tuple[Task, ...]:
    """Return the tasks of a file, in its order; the set is called after the file.

    Raises :class:`InputError` with file and line for one that is no task, and for a scene at fault. Where a
    list for ``faults`` is given, such lines are left out and the errors put there.
    """
    file = clip(str(path), 200)
    scenes: dict[tuple[str, str], Scene] = {}
    tasks: dict[str, Task] = {}
    for number, row in json_lines(read_lines(path, MAX_BYTES), file, NEEDED):
        try:
            if isinstance(row, InputError):
                raise row
            task = _Line(row, path, number, f"{file}:{number}").task(scenes)
            if (other := tasks.get(task.id)) is not None:
                hint = f"{other.place} has it"
                raise InputError(f"{task.place}: id", "one that no other line has", clip(task.id), hint)
        except InputError as error:
            if faults is None:
                raise
            faults.append(error)
            continue
        tasks[task.id] = task
        if len(tasks) > MAX_TASKS:
            hint = "give the rest in a file of its own"
            raise InputError(task.place, f"at most {MAX_TASKS} tasks", "more", hint)
    if not tasks and not faults:
        raise InputError(file, "a task a line", "none", NEEDED)
    return tuple(tasks.values())


@dataclass(frozen=True)
class _Line:
    """One line of the file at ``path``; ``where`` names it in messages."""

    raw: Mapping[str, object]
    path: Path
    number: int
    where: str

    def text(self, key: str, needed: bool = False) -> str:
        value = self.raw.get(key, "")
        if not isinstance(value, str) or (needed and not value.strip()):
            got = clip(repr(value)) if key in self.raw else "no such key"
            hint = f'write "{key}": ".."' if needed else f'write "{key}": "..", or leave it out'
            raise InputError(f"{self.where}: {key}", "a text", got, hint)
        return value

    def task(self, scenes: dict[tuple[str, str], Scene]) -> Task:
        """Return the task. ``scenes`` are those that were read, by name and item."""
        for key in self.raw:
            if key not in KEYS:
                keys = f"keys are {', '.join(KEYS)}"
                raise InputError(self.where, "the keys of a task", clip(key), did_you_mean(key, KEYS) or keys)
        name = self.path.name.removesuffix(ENDING)
        instruction, gold = self.text("instruction", needed=True), self._gold()
        named = self.text("scene", needed=True), self.text("item")
        if named not in scenes:
            scenes[named] = self._scene(*named)
        own = self.text("id") or f"{name}-{self.number}"
        base = scenes[named]
        return Task(own, name, base.name, instruction, gold, base=base, place=self.where)

    def _scene(self, named: str, item: str) -> Scene:
        beside = self.path.parent / named
        place = named if named in SCENES or not os.path.exists(beside) else str(beside)
        try:
            return find_scene(place, item)
        except InputError as error:
            hint = error.hint or "give the name of a scene, or a file beside this one"
            file = "" if error.where == "scene" else f" {error.where}"
            raise InputError(f"{self.where}: scene{file}", error.expected, error.got, hint) from error

    def _gold(self) -> Gold:
        """Return the gold, of which goals and queries are read here, and held against the scene later."""
        goal, requested, query, why = map(self.text, ("goal", "requested", "query", "unsolvable"))
        for key, text in (("goal", goal), ("requested", requested)):
            if key in self.raw:  # an empty one is no goal
                parse_goal(text, f"{self.where}: {key}")
        if "query" in self.raw:
            parse_query(query, f"{self.where}: query")
        if sum(map(bool, (goal, query, why))) > 1:
            expected = "a gold goal, a gold query, or why there is no plan"
            raise InputError(self.where, expected, "several", "leave all but one out")
        enough = self.raw.get("any", 0)
        if not isinstance(enough, int) or isinstance(enough, bool) or enough < 0:
            expected = "the number of answers that suffice"
            raise InputError(f"{self.where}: any", expected, clip(repr(enough)), "give 1, or 0 for all")
        for key, given, of, beside in (
            ("requested", requested, "goal", goal),
            ("any", enough, "query", query),
        ):
            if given and not beside:
                raise InputError(
                    f"{self.where}: {key}", f"a {of} that it is about", "none", f'add "{of}": ".."'
                )
        return Gold(goal, "", self.where, query=query, any=enough, requested=requested, unsolvable=why)
