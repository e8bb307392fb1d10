"""Stanford's 3D scene graphs (Armeni et al., ICCV 2019): the ``.npz`` files and a text form; read only.

The data set fixes the fields, and pickles must go through ``unpickle``; the mapping (``layers``) is ours.

``.npz``: a zip with ``output.npy``, an array of one Python object that numpy pickled: ``{"building":
{"name"}, "room": {1: {"id", "scene_category", "floor_number", "location"}}, "object": {1: {"class_",
"parent_room", "action_affordance", "material", "tactile_texture", "visual_texture", "location"}}, "camera",
"panorama"}`` and more fields (StanfordVL/3DSceneGraph, ``tools/load.py``). It is read by ``unpickle``, so
nothing in it runs and numpy is not needed; large arrays (segmentations, voxels) are inflated and not
kept.

``.scn``: JSON with the same fields, ``{"rooms": [...], "objects": [...]}`` (jiadingfang/3DSceneGraph).

Mapping to a scene: see ``layers``. Links are the shortest tree over the centres of rooms, storey by storey;
the robot stands in the first room. Lost: sizes, volumes, segmentations, voxels, cameras, objects in no room.

The data may be used for research that is not commercial, under an agreement with its authors; none comes with
this package.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from typing import IO, cast

from ....domains.errors import SceneError, clip
from ....simulator.scene import Scene
from ..assembly import with_robot
from ..content import Content, Format
from ..document import as_object
from ..unread import fields_left, parts_left
from .layers import layers, numbered, shortest_tree
from .tree import plain
from .unpickle import load

ZIP = b"PK\x03\x04"
MEMBER = "output.npy"
MAGIC = b"\x93NUMPY"
MAX_INFLATED = 2 << 30
"""Bytes of the inflated member, at most."""

MAX_HEADER = 1 << 16
MAX_LINE = 1 << 24
"""Bytes of a line of text, which old pickles have, at most."""


def _detect(content: Content) -> bool:
    raw = content.json_or_none
    if raw is not None:
        return _is_text_form(raw)
    try:
        return content.data.startswith(ZIP) and MEMBER in _members(content)
    except SceneError:
        return False


def _is_text_form(raw: object) -> bool:
    if not isinstance(raw, dict) or not isinstance(raw.get("rooms"), list):
        return False
    rooms = raw["rooms"]
    return bool(rooms) and isinstance(rooms[0], dict) and "scene_category" in rooms[0]


def _members(content: Content) -> list[str]:
    with _archive(content) as archive:
        return archive.namelist()


def _archive(content: Content) -> zipfile.ZipFile:
    data = content.data
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OverflowError, OSError, NotImplementedError) as error:
        raise SceneError(content.where, "a whole zip file", clip(str(error))) from error


class _Inflated:
    """A member of an archive for ``pickletools``: never more bytes, nor longer lines, than are allowed."""

    def __init__(self, member: IO[bytes], where: str) -> None:
        self.member, self.where, self.read_so_far = io.BufferedReader(cast(io.RawIOBase, member)), where, 0

    def read(self, size: int) -> bytes:
        if self.read_so_far + max(size, 0) > MAX_INFLATED:
            raise SceneError(self.where, f"at most {MAX_INFLATED} bytes", "more")
        data = self.member.read(max(size, 0))
        self.read_so_far += len(data)
        return data

    def readline(self) -> bytes:
        line = self.member.readline(MAX_LINE)
        if len(line) == MAX_LINE:
            raise SceneError(self.where, f"lines of at most {MAX_LINE} bytes", "a longer one")
        self.read_so_far += len(line)
        return line

    def tell(self) -> int:
        return self.read_so_far


def read_npz(content: Content) -> object:
    """Read the pickled object of a ``.npz`` file as plain values. Raises :class:`SceneError`."""
    where = f"{content.where}: {MEMBER}"
    try:
        with _archive(content) as archive, archive.open(MEMBER) as member:
            stream = _Inflated(member, where)
            _header(stream, where)
            value = plain(load(cast(IO[bytes], stream), where), where)
    except SceneError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, OverflowError) as error:
        raise SceneError(where, "a whole zip file", clip(str(error))) from error
    except (KeyError, RuntimeError, NotImplementedError) as error:
        # No such member, an encrypted one, or a compression that is not built in.
        raise SceneError(where, "an array that can be read", clip(str(error))) from error
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _header(stream: _Inflated, where: str) -> None:
    """Pass over numpy's header. Raises :class:`SceneError` for arrays of numbers."""
    head = stream.read(10)
    if head[:6] != MAGIC or head[6] not in (1, 2, 3):
        raise SceneError(where, "a numpy array", clip(str(head)))
    size = int.from_bytes(head[8:10] if head[6] == 1 else head[8:10] + stream.read(2), "little")
    if size > MAX_HEADER:
        raise SceneError(where, f"a header of at most {MAX_HEADER} bytes", str(size))
    text = stream.read(size)
    if not re.search(rb"'descr'\s*:\s*'\|?O", text):
        raise SceneError(where, "an array of one object, as numpy.savez writes a dictionary", clip(str(text)))


def _read(content: Content) -> Scene:
    if content.data.startswith(ZIP):
        raw, where, keys = read_npz(content), f"{content.where}: {MEMBER}", ("room", "object")
    else:
        raw, where, keys = content.json, content.where, ("rooms", "objects")
    return graph_scene(raw, where, content.path.name.split(".")[0] or "building", keys)


def graph_scene(raw: object, where: str, name: str, keys: tuple[str, str]) -> Scene:
    """Read a 3D scene graph as a scene. Raises :class:`SceneError` with the place in the document."""
    graph = as_object(raw, where)
    house = graph.get("building")
    building = as_object(house, f"{where}: building").get("name") if house is not None else None
    rooms, objects = (numbered(graph.get(key), f"{where}: {key}") for key in keys)
    title = building if isinstance(building, str) else ""
    parsed = layers(title, rooms, objects, where)
    left = fields_left([house], ("name",), "building")
    losses = (*parsed.losses, *parts_left(graph, ("building", *keys)), *left)
    return Scene(title or name, with_robot(parsed.nodes), shortest_tree(parsed.nodes), losses=losses)


FORMAT = Format("3d-scene-graph", "Stanford 3D scene graphs", _detect, _read)
