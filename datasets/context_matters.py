"""Tasks of Context Matters, each with what the authors say of whether it can be done.

A clone of the data set (Lab-RoCoCo-Sapienza/context-matters-dataset) has the task folders
``SPLIT/SCENE/problem_N`` that ``formats.context_matters`` reads, or its ``dataset_creation.py`` makes them.
Beside them ``SPLIT.json`` lists ``{"problems": {"problem_N": {"goal", "graph": [SCENE, ..], "description",
"relaxation_expected"}}}``. The label of a task is the flag there, and that of the split
:data:`IMPOSSIBLE_SPLIT`, whose flags are all false, its name. The set has no gold goal: only what is
impossible says how a run is right. The remark of a task often tells the label ("the mop is missing"), so it
is the reason of the gold and no part of the scene.

Folders that users prepared before are read back: keep the names of the fields and of the labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..domains.errors import InputError, SceneError, clip
from ..domains.files import read_json
from ..simulator.scene import Scene
from ..simulator.scene_json import MAX_BYTES
from .formats.content import Content
from .formats.context_matters import FORMAT, TEXTS, one_line, task_folders
from .formats.document import as_name, as_object, object_lines
from .formats.registry import read
from .formats.registry import read_json as read_scene
from .grasif.records import SceneRecord
from .task import IMPOSSIBLE, LABELS, POSSIBLE, RELAXED, Gold, Task

SET = "context-matters"
IMPOSSIBLE_SPLIT = "impossible_tasks"
"""A split of the data set until March 2025."""
MAX_REASON = 80
"""Characters of the reason for which tasks are left out."""


@dataclass(frozen=True, slots=True)
class LabelledTask(SceneRecord):
    """A task with the authors' remark on it and their label, one of :data:`LABELS`."""

    name: str
    instruction: str
    remark: str
    label: str
    scene: Scene


def read_clone(clone: Path) -> tuple[tuple[LabelledTask, ...], Mapping[str, int]]:
    """Return the tasks of a clone in order, and how many were left out, by reason.

    Raises :class:`InputError` for a folder that is no clone, and where no task can be read.
    """
    problems = _problems(clone)
    folders = dict(task_folders(clone)) if problems else {}
    if not folders:
        expected = "a clone with SPLIT.json and the task folders SPLIT/SCENE/problem_N"
        got, hint = "no SPLIT.json", "give the folder with general.json in it"
        if problems:
            got, hint = "no task folders", "its dataset_creation.py makes them; its commit c765521 has them"
        raise InputError(str(clone), expected, got, hint)
    tasks, left_out, faults = [], Counter[str](), []
    for name, folder in folders.items():
        try:
            tasks.append(_read_task(name, folder, problems))
        except InputError as error:
            faults.append(error)
            left_out[clip(f"not as expected: {error.expected}", MAX_REASON)] += 1
    if not tasks:
        raise faults[0]
    listed = {f"{split}/{scene}/{n}" for (split, n), p in problems.items() for scene in _scenes(p)}
    missing = len(listed - folders.keys())
    return tuple(tasks), {**left_out, **({"listed without a folder": missing} if missing else {})}


def _problems(clone: Path) -> Mapping[tuple[str, str], Mapping[str, object]]:
    """Return the problems of the lists in a folder, by split and name; other files of JSON have none."""
    problems = {}
    for path in sorted(clone.glob("*.json")):
        raw = read_json(path, MAX_BYTES)
        listed = raw.get("problems") if isinstance(raw, dict) else None
        for name, problem in listed.items() if isinstance(listed, dict) else ():
            problems[path.stem, name] = as_object(problem, f"{path}: problems.{clip(name)}")
    return problems


def _scenes(problem: Mapping[str, object]) -> list[object]:
    graphs = problem.get("graph")
    return graphs if isinstance(graphs, list) else []


def _read_task(
    name: str, folder: Path, problems: Mapping[tuple[str, str], Mapping[str, object]]
) -> LabelledTask:
    """Read a task folder. Raises :class:`InputError`."""
    instruction, remark = (one_line(folder / file) for file in TEXTS[:2])
    if not instruction:
        raise SceneError(str(folder / TEXTS[0]), f"an instruction in {TEXTS[0]}", "none")
    scene, _ = read(folder, FORMAT.name)
    split, _, below = name.partition("/")
    problem = problems.get((split, below.rpartition("/")[2]), {})
    label = IMPOSSIBLE if split == IMPOSSIBLE_SPLIT else _flagged(problem, instruction)
    return LabelledTask(name.replace("/", "-"), instruction, remark, label, replace(scene, description=""))


def _flagged(problem: Mapping[str, object], instruction: str) -> str:
    """Return the label of a problem's flag; none where the list has another text than the folder."""
    flag, goal = problem.get("relaxation_expected"), problem.get("goal")
    same = isinstance(goal, str) and " ".join(goal.split()) == instruction
    return (RELAXED if flag else POSSIBLE) if same and isinstance(flag, bool) else ""


def stored_tasks(path: Path) -> Iterator[Task]:
    """Read tasks from the lines of a prepared file. Raises :class:`SceneError` with the place."""
    for at, raw in object_lines(Content(path)):
        name, instruction = (as_name(raw.get(key), f"{at}: {key}") for key in ("name", "instruction"))
        remark, label = raw.get("remark"), raw.get("label")
        if not isinstance(remark, str) or not isinstance(label, str) or label not in ("", *LABELS):
            expected = f"a remark, and a label: {', '.join(LABELS)} or none"
            raise SceneError(at, expected, clip(f"{remark!r}, {label!r}"))
        scene = read_scene(raw.get("scene"), f"{at}: scene", name)
        yield _task(LabelledTask(name, instruction, remark, label, scene))


def _task(task: LabelledTask) -> Task:
    gold = Gold(
        goal="",
        rationale=task.remark,
        source=f"Stated: {task.name} of Context Matters. See docs/datasets/context-matters.md.",
        unsolvable=f"Its authors call it impossible: {task.remark}" if task.label == IMPOSSIBLE else "",
        label=task.label,
    )
    return Task(f"{SET}-{task.name}", SET, task.scene.name, task.instruction, gold, base=task.scene)
