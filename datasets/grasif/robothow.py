"""RobotHow's programs as tasks (Liao et al., CVPR 2019), with the choice that GRASIF made of them.

The folder ``programs_processed_precond_nograb_morepreconds`` of VirtualHome holds, side by side,
``init_and_final_graphs/SCENE/RUN/FILE.json`` (``{"init_graph", "final_graph"}``) and
``executable_programs/SCENE/RUN/FILE.txt`` (title, description, and lines ``[ACTION] <class> (id) ...``).
LookPlanGraph, appendix C, lists the activities that it leaves out by title and the actions to which it limits
the rest: :data:`LEFT_OUT` and :data:`ACTIONS` stay as they are there. What is left out beyond that is our
choice: pairs of graphs without a change of the goal's facts, and pairs that no plan can turn into each other
(other nodes, moved furniture). They are counted.
"""

from __future__ import annotations

import glob
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from ...domains.errors import InputError, SceneError, clip
from ...domains.files import read_text
from ...domains.formula import TRUE
from ...domains.pack import Pack
from ...simulator.belief import ground
from ...simulator.scene_json import load_json
from ..formats.document import as_object
from ..formats.virtualhome.reader import read_graph
from .goal_graphs import goal_of_pair
from .records import TaskRecord

GRAPHS, PROGRAMS = "init_and_final_graphs", "executable_programs"
MAX_FILES = 50_000
MAX_PROGRAM = 64 * 1024

_CHOICE = tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))[
    "lookplangraph"
]
LEFT_OUT = frozenset(map(str.lower, _CHOICE["left_out"]))
"""Titles of activities that LookPlanGraph leaves out (appendix C)."""
ACTIONS = frozenset(_CHOICE["actions"].split())
"""The actions that it limits programs to (appendix C)."""

_LINE = re.compile(r"\[\s*(\w+)\s*\]")


@dataclass(frozen=True, slots=True)
class ActivityScript:
    """The text of a VirtualHome program: the activity's title, its description and its action lines."""

    title: str
    description: str
    lines: tuple[str, ...]

    @property
    def actions(self) -> frozenset[str]:
        """The names of its actions, such as ``PUTBACK``."""
        return frozenset(m.group(1).upper() for line in self.lines if (m := _LINE.match(line)))

    @property
    def left_out(self) -> str:
        """The reason for which GRASIF leaves it out; empty where it does not."""
        if self.title.strip().lower() in LEFT_OUT:
            return "title"
        return "action" if self.actions - ACTIONS else ""


def read_script(text: str, where: str) -> ActivityScript:
    """Read the text of a program.

    Raises :class:`InputError` for a text without a title or with lines of other kinds.
    """
    lines = [line.strip() for line in text.strip().splitlines()]
    if not lines or lines[0].startswith("["):
        raise InputError(where, "a title, a description and actions in brackets", "no title")
    actions = tuple(line for line in lines[1:] if line.startswith("["))
    described = " ".join(line for line in lines[1:] if line and not line.startswith("["))
    for line in actions:
        if not _LINE.match(line):
            raise InputError(where, "a line like [WALK] <kitchen> (1)", clip(line))
    return ActivityScript(lines[0], described, actions)


def choose(folder: Path, pack: Pack) -> tuple[tuple[TaskRecord, ...], Counter[str]]:
    """Return GRASIF's choice of a RobotHow folder, and the number of programs left out by reason.

    Raises :class:`InputError` for another folder.
    """
    if not (folder / GRAPHS).is_dir() or not (folder / PROGRAMS).is_dir():
        hint = f"give the folder with {GRAPHS} and {PROGRAMS} in it, as VirtualHome's archive unpacks"
        raise InputError(str(folder), "RobotHow's programs with their graphs", "another folder", hint)
    left_out: Counter[str] = Counter()
    records = []
    for graph in _files(folder / GRAPHS):
        name = graph.relative_to(folder / GRAPHS).with_suffix("")
        text = _script_of(folder / PROGRAMS, name)
        if text is None:
            left_out["no program"] += 1
            continue
        script = read_script(read_text(text, MAX_PROGRAM), str(text))
        record = script.left_out or _record(graph, "-".join(name.parts), script, pack)
        if isinstance(record, TaskRecord):
            records.append(record)
        else:
            left_out[record] += 1
    return tuple(records), left_out


def _files(folder: Path) -> Iterator[Path]:
    """Yield the graphs of a folder in the order of their names; links are not followed out of it."""
    top = folder.resolve()
    for count, path in enumerate(sorted(folder.rglob("*.json"))):
        if count >= MAX_FILES:
            raise InputError(str(folder), f"at most {MAX_FILES} graphs", "more")
        if _is_inside(path, top):
            yield path


def _script_of(folder: Path, name: Path) -> Path | None:
    """Return the program of a graph: in the same place, or the only one of that name for its scene.

    Links are not followed out of the folder, and only regular files count.
    """
    top = folder.resolve()
    same = folder / name.parent / f"{name.name}.txt"
    if same.exists():
        return same if _is_inside(same, top) else None
    others = sorted((folder / name.parts[0]).rglob(f"{glob.escape(name.name)}.txt"))
    return others[0] if len(others) == 1 and _is_inside(others[0], top) else None


def _is_inside(path: Path, top: Path) -> bool:
    """Return whether a path leads to a regular file in a folder, by whatever links."""
    return path.is_file() and path.resolve().is_relative_to(top)


def _record(path: Path, name: str, script: ActivityScript, pack: Pack) -> TaskRecord | str:
    """Return the task of a pair of graphs, or the reason for leaving it out."""
    try:
        pair = as_object(load_json(path), str(path))
        init = read_graph(pair.get("init_graph"), f"{path}: init_graph", name)
        final = read_graph(pair.get("final_graph"), f"{path}: final_graph", f"{name}: goal")
        goal = goal_of_pair(ground(init, pack), final)
    except SceneError:
        return "graphs"
    if goal == TRUE:
        return "no change"
    return TaskRecord(name, script.title, script.description, init, final, script.lines)
