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
import zipfile

from ....domains.errors import SceneError
from ....simulator.scene import Scene
from ..assembly import with_robot
from ..content import Content, Format
from ..document import as_object
from ..unread import fields_left, parts_left
from .layers import layers, numbered, shortest_tree
from .unpickle import decoded

ZIP = b"PK\x03\x04"
MEMBER = "output.npy"


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
    try:
        with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, ValueError, OverflowError, OSError, NotImplementedError):
        return []


def read_npz(content: Content) -> object:
    """Read the pickled object of a ``.npz`` file as plain values. Raises :class:`SceneError`."""
    return decoded(content.data, f"{content.where}: {MEMBER}", MEMBER)


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
    nodes, _, losses = layers(title, rooms, objects, where)
    left = fields_left([house], ("name",), "building")
    losses = (*losses, *parts_left(graph, ("building", *keys)), *left)
    return Scene(title or name, with_robot(nodes), shortest_tree(nodes), losses=losses)


FORMAT = Format("3d-scene-graph", "Stanford 3D scene graphs", _detect, _read)
