"""The formats that scenes are read from and written to.

To add one, write a module with a ``FORMAT`` and name it here. The order matters only for files that satisfy
several: the first wins, so the more particular formats come first. Names and endings of formats are options
of the command line and stay.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from dataclasses import replace
from pathlib import Path

from ...domains.errors import InputError, SceneError, UnsupportedInput, clip, did_you_mean
from ...simulator.scene import Scene
from . import (
    bddl,
    concept_graphs,
    context_matters,
    delta,
    gml,
    graphml,
    hov_sg,
    lookplangraph,
    native,
    node_link,
    sayplan,
)
from .content import HEAD, Content, Embedded, Format, choice, scene_id
from .doubts import doubts
from .procthor import scene as procthor
from .robots import with_one_robot
from .spark_dsg import reader as spark_dsg
from .spark_dsg.labels import read_labels
from .stanford import scene as stanford
from .taskography import reader as taskography
from .virtualhome import reader as virtualhome

FORMATS: tuple[Format, ...] = (
    native.FORMAT,
    taskography.FORMAT,
    lookplangraph.FORMAT,
    sayplan.FORMAT,
    virtualhome.FORMAT,
    procthor.FORMAT,
    delta.FORMAT,
    stanford.FORMAT,
    context_matters.FORMAT,
    concept_graphs.FORMAT,
    hov_sg.FORMAT,
    spark_dsg.FORMAT,
    node_link.FORMAT,
    gml.FORMAT,
    graphml.FORMAT,
    bddl.FORMAT,
)


def by_name(name: str) -> Format:
    """Return a format by its name. Raises :class:`InputError` with the nearest names."""
    formats = {f.name: f for f in FORMATS}
    if name in formats:
        return formats[name]
    hint = did_you_mean(name, formats) or f"formats are {', '.join(formats)}"
    raise InputError("format", "the name of a scene format", clip(name), hint)


def by_file_name(name: str) -> Format | None:
    """Return the format that is written to a file of that name: the one with the longest ending that fits."""
    ending = _ending(name)
    return next((f for f in FORMATS if ending in f.extensions), None)


def scene_name(file_name: str) -> str:
    """Return the name of a scene that its file does not name: ``flat`` for ``flat.dsg.json``."""
    return file_name[: len(file_name) - len(_ending(file_name))] or file_name


def _ending(file_name: str) -> str:
    """Return the longest ending of a format that a file's name has, else the last suffix."""
    endings = (end for f in FORMATS for end in f.extensions if file_name.lower().endswith(end))
    return max(endings, key=len, default=Path(file_name).suffix)


def detect(content: Content) -> Format:
    """Find the format of a file or folder.

    Raises :class:`SceneError` where no format fits, or the file cannot be read.
    """
    for candidate in FORMATS:
        if candidate.detect(content):
            return candidate
    names = ", ".join(f.name for f in FORMATS)
    if content.is_folder:
        got = "a folder that matches none of the folder formats (context-matters, concept-graphs, hov-sg)"
        raise SceneError(content.where, "a scene", got, "give a scene file in it")
    if content.json_or_none is None and not _is_meant_as_json(content):
        hint = f"formats are {names}; if it is one of them, `groundplan scene convert --from NAME` says why"
        raise SceneError(content.where, "a scene file in a known format", _kind(content.data), hint)
    # A file meant as JSON gets the error of its JSON, which has a place.
    raw = content.json
    got = type(raw).__name__
    if isinstance(raw, dict):
        got = f"an object with the keys {clip(', '.join(map(str, raw)))}" if raw else "an empty object"
    own = '"format": "groundplan-scene", "version": 1'
    hint = f"formats are told apart by content: {names}; `groundplan scene convert --from NAME` reads as one"
    hint += f"; a scene in groundplan's own format has {own}"
    raise SceneError(content.where, "an object in a known scene format", got, hint)


def _is_meant_as_json(content: Content) -> bool:
    """Return whether a file is meant as JSON, by its first sign or its name.

    Raises :class:`SceneError` for a file that cannot be read.
    """
    named = content.path.name.lower().removesuffix(".gz").endswith((".json", ".jsonl"))
    return named or content.data[:HEAD].removeprefix(BOM_UTF8).lstrip()[:1] in (b"{", b"[", b'"')


def _kind(data: bytes) -> str:
    """Describe a file of no format in a few words."""
    if data.startswith(b"PK"):
        return "a zip file, cut off or without such a scene"
    start = data[:HEAD]
    try:
        text = start.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start < len(start) - 3:  # no letter that the head cuts
            return "bytes that are no text"
        text = start[: error.start].decode("utf-8-sig")
    line = next((x.strip() for x in text.splitlines() if x.strip()), "")
    return f"text that begins {clip(repr(line), 60)}" if line else "a file without text"


def read(
    path: Path, form: str = "", item: str = "", labels: str = "", robot: str = ""
) -> tuple[Scene, Format]:
    """Read a scene in the named format, or in the one its content shows.

    ``item`` picks one scene of several, and of a JSON list; ``labels`` is a file with words for the numbers
    of a format that has numbers, ``robot`` the agent that is the robot. What is doubtful about its ways is
    among its losses. Raises :class:`InputError`: :class:`SceneError` for what is no scene,
    :class:`UnsupportedInput` for an item of a single one, and for labels of a format without numbers.
    """
    words = read_labels(Path(labels)) if labels else {}
    content = _of_list(Content(path, item, scene_name(path.name), words))
    chosen = by_name(form) if form else detect(content)
    if not chosen.several:
        content.expect_no_item()
    if labels and not chosen.labelled:
        problem = f"the format {chosen.name} has words for its nodes, and --labels names numbers"
        raise UnsupportedInput(content.where, problem, "leave --labels out")
    scene = chosen.read(content)
    if chosen is not native.FORMAT or robot:  # in our own files a second robot is an error
        scene = with_one_robot(scene, robot)
    losses = tuple(dict.fromkeys((*scene.losses, *doubts(scene))))  # our own files may list them already
    return replace(scene, losses=losses), chosen


def _of_list(content: Content) -> Content:
    """Return the scene that ``item`` picks of a JSON list of scenes; a file of another kind as it is."""
    scenes = content.json_or_none
    if not isinstance(scenes, list) or not scenes or not all(isinstance(s, dict) for s in scenes):
        return content
    item, number = content.item, 1
    if item.isascii() and item.isdigit():
        number = int(item[:9])
    elif item:
        number = next((n for n, scene in enumerate(scenes, 1) if scene_id(scene) == item), 0)
    if not 1 <= number <= len(scenes) or (len(scenes) > 1 and not item):
        got = clip(item) if item else f"{len(scenes)} scenes"
        hint = choice(scenes, len(scenes))
        raise SceneError(content.where, "one scene, or --item for one of several", got, hint)
    name = scene_id(scenes[number - 1]) or f"{content.default_name}: {number}"
    return Embedded(Path(f"{content.where}:{number}"), default_name=name, value=scenes[number - 1])


def read_json(value: object, where: str, default_name: str = "") -> Scene:
    """Read a scene that is part of a larger JSON document. Raises :class:`SceneError`."""
    content = Embedded(Path(where), default_name=default_name, value=value)
    return detect(content).read(content)
