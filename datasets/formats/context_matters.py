"""Task folders of Context Matters (Musumeci et al., 2025; Lab-RoCoCo-Sapienza/context-matters-dataset).

The data set fixes names and fields; the mapping to a scene is ours and may be changed, with
``docs/formats.md``. A task is a folder ``TASK/SCENE/problem_N`` with

- ``SCENE.npz``: a Stanford 3D scene graph whose objects may have a ``description``, or ``SCENE.json``:
  ``{"scene_info", "rooms": {"9": {"id", "category", "label"}}, "objects": {"1": {"id", "class", "label",
  "parent_room", "description", "action_affordance"}}}``, which has no positions; the first is preferred
- ``task.txt``: what the robot is asked to do, and ``description.txt``: remarks on it; both may be missing
- ``init_loc.txt``: the label of the room where the robot starts (``bedroom_3``)

A folder above tasks can be given with the ``item`` ``SCENE/problem_N``, as much of it as is needed; a
``SCENE.json`` alone is a scene, too. Mapping to a scene: as in ``stanford.layers``. The robot of these tasks
goes from any room to any other, so all rooms are linked, by the distance of their centres where it is known.
Task and remarks are the scene's description. Lost: as for the graphs, and the domains of the tasks. Read
only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ...domains.errors import SceneError, clip, did_you_mean
from ...simulator.scene import Node, Scene
from .assembly import with_robot
from .classes import class_name
from .content import Content, Format
from .document import as_object
from .stanford.layers import every_pair, layers, numbered
from .stanford.scene import read_npz
from .unread import parts_left

TEXTS = ("task.txt", "description.txt", "init_loc.txt")
MAX_TEXT = 100_000
MAX_ROOMS = 300
"""Rooms of which all pairs are linked, at most."""

MAX_FOLDERS = 20_000
LEVELS = 3


def _detect(content: Content) -> bool:
    if content.is_folder:
        return next(task_folders(content.path), None) is not None
    return _is_scene(content.json_or_none)


def _is_scene(raw: object) -> bool:
    rooms = raw.get("rooms") if isinstance(raw, dict) else None
    first = next(iter(rooms.values()), None) if isinstance(rooms, dict) else None
    return isinstance(first, dict) and "category" in first and isinstance(raw, dict) and "objects" in raw


def task_folders(top: Path) -> Iterator[tuple[str, Path]]:
    """Yield the task folders in a folder, or the folder itself, with their names below it, sorted."""
    todo, seen = [(top, "", 0)], 0
    while todo:
        folder, name, level = todo.pop()
        files, below = _listed(folder)
        if any(f in files for f in TEXTS) and any(f.endswith((".npz", ".json")) for f in files):
            yield name, folder
            continue
        seen += len(below)
        if level < LEVELS and seen <= MAX_FOLDERS:
            todo += [(folder / b, f"{name}/{b}" if name else b, level + 1) for b in reversed(below)]


def _listed(folder: Path) -> tuple[list[str], list[str]]:
    """Return the names of files and of folders; links are not followed, unreadable folders are empty."""
    files: list[str] = []
    folders: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                (folders if entry.is_dir(follow_symlinks=False) else files).append(entry.name)
    except OSError:
        return [], []
    return sorted(files), sorted(folders)


def _read(content: Content) -> Scene:
    if not content.is_folder:
        content.expect_no_item()
        return _scene(content, content.path.name.split(".")[0] or "scene", "", "")
    folder = _chosen(content)
    task, remark, start = (one_line(folder / name) for name in TEXTS)
    parts = [f"task: {task}" if task else "", remark]
    graph = _graph(folder)
    # Of the path only what belongs to the data set: the scene's file and the folder of the task.
    title = f"{graph.path.name.split('.')[0]}/{folder.resolve().name}"
    return _scene(graph, title, "; ".join(p for p in parts if p), start)


def _chosen(content: Content) -> Path:
    """Return the task folder that is meant."""
    tasks = dict(task_folders(content.path))
    if "" in tasks:
        content.expect_no_item()
        return tasks[""]
    item = content.item.strip("/")
    matching = [name for name in tasks if item and f"/{name}".endswith(f"/{item}")]
    if len(tasks) == 1 and not item:
        matching = list(tasks)
    if len(matching) != 1:
        got = f"{clip(content.item)}, which means {len(matching)} of them" if item else f"{len(tasks)} tasks"
        close = did_you_mean(item, tasks) if item else ""
        hint = "; ".join(filter(None, (close, f"choose one: {clip(', '.join(tasks), 300)}")))
        raise SceneError(content.where, "a task folder, or --item for one of several", got, hint)
    return tasks[matching[0]]


def one_line(path: Path) -> str:
    """Read a short text as one line; empty where there is no such file."""
    if not os.path.isfile(path):
        return ""
    text = Content(path).text
    if len(text) > MAX_TEXT:
        raise SceneError(str(path), f"at most {MAX_TEXT} characters", str(len(text)))
    return " ".join(text.split())


def _graph(folder: Path) -> Content:
    """Return the scene file of a task: the ``.npz`` file, or else a ``.json`` file that is a scene."""
    files, _ = _listed(folder)
    for ending in (".npz", ".json"):
        for name in files:
            content = Content(folder / name)
            if name.endswith(ending) and (ending == ".npz" or _is_scene(content.json_or_none)):
                return content
    raise SceneError(
        str(folder), "a .npz file, or a .json file that is a scene", clip(", ".join(files)) or "nothing"
    )


def _scene(content: Content, title: str, task: str, start: str) -> Scene:
    where = content.where
    archive = content.path.suffix == ".npz"
    graph = as_object(read_npz(content) if archive else content.json, where)
    keys = ("room", "object") if archive else ("rooms", "objects")
    rooms, objects = (numbered(graph.get(key), f"{where}: {key}") for key in keys)
    nodes, named, losses = layers("", rooms, objects, where)
    if len(named) > MAX_ROOMS:
        raise SceneError(f"{where}: {keys[0]}", f"at most {MAX_ROOMS} rooms", str(len(named)))
    if start:
        labelled = (named[number] for number, fields, _ in rooms if fields.get("label") == start)
        room = next(labelled, class_name(start))
        if room not in nodes or nodes[room].type != "room":
            names = list(named.values())
            hint = did_you_mean(room, names) or f"rooms are {clip(', '.join(names))}"
            raise SceneError(str(content.path.parent / TEXTS[2]), "the label of a room", clip(start), hint)
        nodes = {**nodes, "agent": Node("agent", "agent", classes=("agent",), at=room)}
    losses = (*losses, *parts_left(graph, keys))
    return Scene(title, with_robot(nodes), every_pair(nodes), task, losses)


FORMAT = Format("context-matters", "Context Matters task folders", _detect, _read, several=True)
