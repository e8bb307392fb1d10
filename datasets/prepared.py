"""Data sets in folders of their own: prepared once from a file or folder, then found by name.

That of house searches comes with the package (:data:`BUNDLED`), and is used where none was prepared.

`groundplan datasets prepare` writes a folder of its own under the data home (:func:`data_home`). Its
``dataset.json`` names the set, its source and its files with their hashes. BEHAVIOR's sets hold problem files
(``behavior``), that of searches houses and episodes (``episodes``), the others GRASIF's records
(``tasks.jsonl``). To add a data set, add it to ``prepared.toml`` and to :data:`PREPARE`. Folders that users
prepared before are read back: keep the names of sets and files and the fields of ``dataset.json``.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from ..domains.errors import InputError, clip
from ..domains.files import read_bytes, read_json
from ..domains.pack import Pack, load_pack
from ..simulator.belief import ground
from ..simulator.scene_json import MAX_BYTES
from . import behavior, context_matters
from .archive import EAI, EAI_SHA256, read_members
from .behavior import ENDING, LEFT_OUT, LICENSE, SENTENCES, Files, behavior_tasks, counts_text
from .episodes.episode import SET as SEARCHES
from .formats.document import as_object
from .grasif.eai import GOALS, GRAPHS, PACK, CharacterTask, character_task, stored_tasks, wanted_goals
from .grasif.goal_graphs import FORMS, Form, goal_of_pair
from .grasif.records import TaskRecord, goal_graph, read_records, record_lines
from .grasif.robothow import choose
from .stored_episodes import (
    EPISODES,
    HOUSES,
    HOUSES_PACKED,
    episode_tasks,
    prepare_procthor,
)
from .task import Gold, Task

FORMAT, VERSION = "groundplan-dataset", 1
CHARACTER_GOALS = "eai-virtualhome"
OWN_GOALS = (*behavior.SETS, CHARACTER_GOALS, context_matters.SET, SEARCHES)
"""Sets whose tasks come with their goals, if any; the others are sets of records, with pairs of graphs."""
MANIFEST, RECORDS = "dataset.json", "tasks.jsonl"
BUNDLED: Mapping[str, tuple[str, ...]] = {SEARCHES: ("houses", "procthor")}
"""The folders of this package that hold a prepared set."""
MAX_MANIFEST = 1 << 20
"""Most bytes of ``dataset.json``."""

ROBOTHOW = "programs_processed_precond_nograb_morepreconds"
"""VirtualHome's folder of programs and graphs."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set; ``prepare`` makes the files of its folder from ``source``, which the user has."""

    name: str
    set: str
    title: str
    source: str
    license: str
    prepare: Callable[[Path], Files]


def data_home() -> Path:
    """Return the folder of prepared sets: ``GROUNDPLAN_DATA``, or ``groundplan`` in the XDG data home."""
    if chosen := os.environ.get("GROUNDPLAN_DATA"):
        return Path(chosen)
    given = os.environ.get("XDG_DATA_HOME")
    try:
        return Path(given or Path.home() / ".local" / "share") / "groundplan"
    except RuntimeError as error:  # no HOME, and a user without a name
        hint = "set HOME, or XDG_DATA_HOME to the folder for prepared data sets"
        raise InputError("data home", "a home folder", "none for this user", hint) from error


def prepare_robothow(source: Path) -> Files:
    """Make GRASIF's choice of RobotHow's programs.

    They are in VirtualHome's folder of programs and graphs. Those of one flat are also in EAI's wheel.
    """
    with ExitStack() as keep:
        folder = source
        if source.is_file():
            folder = Path(keep.enter_context(TemporaryDirectory()))
            for name, data in read_members(source, EAI_SHA256, lambda name: ROBOTHOW in name.parts, EAI):
                place = folder.joinpath(*name.parts[name.parts.index(ROBOTHOW) + 1 :])
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
        records, left_out = choose(folder, load_pack())
    return {**_record_files(records, source), LEFT_OUT: counts_text(left_out)}


def prepare_eai(wheel: Path) -> Files:
    """Take EAI's goals for VirtualHome, each with the scene that its program begins in."""
    ((_, text),) = read_members(wheel, EAI_SHA256, GOALS.__eq__, EAI)
    goals = wanted_goals(text.decode("utf-8"))

    def is_graph(name: PurePosixPath) -> bool:
        return GRAPHS in name.parts and name.stem.removeprefix("file") in goals

    tasks = {}
    for path, data in read_members(wheel, EAI_SHA256, is_graph, EAI):
        name = path.stem.removeprefix("file")
        tasks[name] = character_task(name, *goals[name], data.decode("utf-8"))
    return {RECORDS: record_lines(tasks[name] for name in sorted(tasks))}


def prepare_context_matters(clone: Path) -> Files:
    """Take the tasks of a clone of Context Matters, with their authors' labels."""
    tasks, left_out = context_matters.read_clone(clone)
    return {RECORDS: record_lines(tasks), LEFT_OUT: counts_text(left_out)}


def left_out(set_name: str, folder: Path | None = None) -> Mapping[str, int]:
    """Return how many tasks of its source a prepared set has not, by reason. Raises :class:`InputError`."""
    if set_name not in SETS:
        return {}
    place = (folder or place_of(set_name)) / LEFT_OUT
    raw = read_json(place, MAX_MANIFEST) if place.is_file() else {}
    if not isinstance(raw, dict) or not all(isinstance(count, int) for count in raw.values()):
        raise InputError(str(place), "counts by reason", "something else")
    return raw


def prepare_grasif(path: Path) -> Files:
    """Read records in GRASIF's own fields, from a JSONL file or pickle."""
    return _record_files(read_records(path), path)


def _record_files(records: tuple[TaskRecord, ...], source: Path) -> Files:
    if not records:
        raise InputError(str(source), "at least one task", "none")
    return {RECORDS: record_lines(records)}


PREPARE: Mapping[str, Callable[[Path], Files]] = {
    "bddl": behavior.prepare_grasif,
    "behavior-1k": behavior.prepare_all,
    "behavior-100": behavior.prepare_hundred,
    "robothow": prepare_robothow,
    "grasif": prepare_grasif,
    "eai-virtualhome": prepare_eai,
    "context-matters": prepare_context_matters,
    "procthor": prepare_procthor,
}
_TABLE = resources.files(__package__).joinpath("prepared.toml").read_text(encoding="utf-8")
DATASETS: Mapping[str, DataSet] = {
    name: DataSet(name, **entry, prepare=PREPARE[name]) for name, entry in tomllib.loads(_TABLE).items()
}
SETS: Mapping[str, DataSet] = {d.set: d for d in DATASETS.values()}


def prepared_files(name: str, source: Path, goals: Form | None = None) -> Files:
    """Make every file of a data set's folder, its manifest too. Raises :class:`InputError`.

    ``goals`` is the form of the goals from pairs of graphs, ``changed`` if left out (``goal_graphs``).
    """
    dataset = DATASETS[name]
    if goals is not None and dataset.set in OWN_GOALS:
        raise InputError("--goals", "a set with pairs of graphs", name, "it has no goals made from graphs")
    files = dataset.prepare(source)
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "name": dataset.name,
        "set": dataset.set,
        "title": dataset.title,
        "from": source.name,
        "license": dataset.license,
        **({} if dataset.set in OWN_GOALS else {"goals": goals or "changed"}),
        "files": {
            name: _digest(text.encode("utf-8", "backslashreplace")) for name, text in sorted(files.items())
        },
    }
    return {**files, MANIFEST: json.dumps(manifest, indent=1) + "\n"}


def files_of(folder: Path) -> frozenset[str]:
    """Return the names of a prepared set's files in a folder, whichever set; none where there is no set.

    Those are ``dataset.json`` and the files that it lists; any other file is the user's, under any name.
    """
    try:
        listed = _files_in(_manifest(folder))
    except InputError:
        return frozenset()
    names = (RECORDS, LEFT_OUT, LICENSE, SENTENCES, HOUSES, HOUSES_PACKED, EPISODES)
    usual = {p.name for p in folder.iterdir() if p.name in names or p.suffix == ENDING}
    return frozenset({MANIFEST, *(usual & listed.keys())})


def _manifest(folder: Path) -> Mapping[str, object]:
    """Return what a folder says of its set; nothing where it is none."""
    raw = read_json(folder / MANIFEST, MAX_MANIFEST)
    return raw if isinstance(raw, dict) and raw.get("format") == FORMAT else {}


def _files_in(manifest: Mapping[str, object]) -> Mapping[str, object]:
    """Return the files of a prepared set, each with its hash."""
    return as_object(manifest.get("files"), f"{MANIFEST}: files")


def _check_files(folder: Path, listed: Mapping[str, object]) -> None:
    """Check that the files of a set are those of its list. Raises :class:`InputError` for the first other."""
    names = files_of(folder)
    for name, stored in sorted(listed.items()):
        if name not in names or _digest(read_bytes(folder / name, MAX_BYTES)) != stored:
            got = "another" if name in names else "none"
            hint = "it was edited, or its preparation was ended; prepare the set again with --force"
            raise InputError(clip(str(folder / name), 200), f"the file that {MANIFEST} lists", got, hint)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def folder_of(set_name: str) -> Path:
    """Return the folder in the data home where a prepared set is looked for."""
    return data_home() / SETS[set_name].name


def place_of(set_name: str) -> Path:
    """Return the folder in which a set is read: that of the data home, or the one that comes along."""
    prepared = folder_of(set_name)
    if set_name in BUNDLED and not (prepared / MANIFEST).is_file():
        return Path(str(resources.files("groundplan.datasets").joinpath(*BUNDLED[set_name])))
    return prepared


def prepared_set(set_name: str, folder: Path | None = None) -> tuple[Task, ...]:
    """Load the tasks of a prepared set, from a folder or the data home. Raises :class:`InputError`."""
    place = folder if folder is not None else place_of(set_name)
    dataset = SETS[set_name]
    if not (place / MANIFEST).is_file():
        hint = f"prepare it from {dataset.source}: groundplan datasets prepare {dataset.name} --from PATH"
        raise InputError(str(place), f"the prepared set {set_name}", "no dataset.json there", hint)
    manifest = _manifest(place)
    if manifest.get("set") != set_name:
        got = clip(manifest.get("set", "another file"))
        raise InputError(f"{place / MANIFEST}", f"the prepared set {set_name}", got)
    goals = manifest.get("goals", "changed")
    if goals not in FORMS:
        raise InputError(f"{place / MANIFEST}: goals", " or ".join(FORMS), clip(goals))
    return _loaded(set_name, place, goals, (place / MANIFEST).stat().st_mtime_ns)


def set_in(folder: Path) -> str | None:
    """Return the name of the prepared set in a folder, ``None`` where there is none."""
    name = _manifest(folder).get("set") if (folder / MANIFEST).is_file() else None
    return name if isinstance(name, str) and name in SETS else None


@cache
def _loaded(set_name: str, place: Path, goals: Form, stamp: int) -> tuple[Task, ...]:
    """Load the tasks of a folder; another preparation has another ``stamp``."""
    listed = _files_in(_manifest(place))
    _check_files(place, listed)
    if set_name in behavior.SETS:
        return behavior_tasks(set_name, place, listed.keys())
    if set_name == SEARCHES:
        return episode_tasks(place)
    if set_name == CHARACTER_GOALS:
        return tuple(character_goal(task) for task in stored_tasks(place / RECORDS))
    if set_name == context_matters.SET:
        return tuple(context_matters.stored_tasks(place / RECORDS))
    return tuple(record_task(r, set_name, goals) for r in read_records(place / RECORDS))


def record_task(record: TaskRecord, set_name: str, form: Form = "changed") -> Task:
    """Return a record as a task whose gold goal follows from its two graphs. Raises :class:`SceneError`."""
    belief = ground(record.init, load_pack())
    gold = Gold(
        goal=str(goal_of_pair(belief, record.goal, form)),
        rationale=record.detailed or "what differs between the initial and the goal graph",
        source=f"derived from the two graphs of {record.name}: {form} nodes",
        plan=record.actions,
    )
    return Task(
        f"{set_name}-{record.name}",
        set_name,
        record.init.name,
        record.human,
        gold,
        base=record.init,
        goal_scene=record.goal,
    )


def character_goal(task: CharacterTask) -> Task:
    """Return a goal of EAI's as a task; its instruction is the title of the activity."""
    lacking = f"no goal: it asks for {', '.join(task.lacking)}"
    gold = Gold(
        goal=task.goal,
        rationale=lacking if task.lacking else "the end state and the actions that EAI asks for",
        source=f"Stated: {task.name} in {GOALS.name} (eai-eval 1.0.5, MIT). See "
        "docs/datasets/virtualhome.md.",
        lacking=task.lacking,
        plan=task.plan,
    )
    name, scene = f"{CHARACTER_GOALS}-{task.name}", task.scene
    return Task(name, CHARACTER_GOALS, scene.name, task.title, gold, base=scene, pack=PACK)


def task_record(task: Task, steps: tuple[str, ...], pack: Pack) -> TaskRecord:
    """Return a task as a record: its goal graph is its own, or where the steps lead.

    Raises :class:`SceneError`.
    """
    scene = task.load()
    goal = task.goal_scene or goal_graph(scene, steps, pack, task.id)
    return TaskRecord(task.id, task.instruction, task.gold.rationale, scene, goal, steps)
