"""HOV-SG's graphs: a folder each for floors, rooms and objects (Werby et al., RSS 2024; the code is MIT).

A graph is a folder with ``floors/F.json``, ``rooms/F_R.json`` and ``objects/F_R_N.json``, as ``save_graph``
writes them. One above it that holds ``graph`` will do, and floors or objects may be missing:

- floor ``{"floor_id", "name", "rooms", "vertices", "floor_height", "floor_zero_level"}``
- room ``{"room_id", "name", "floor_id", "objects", "vertices", "centroid", "room_zero_level", ..}``
- object ``{"object_id", "name", "room_id", "vertices", "embedding"}``

Mapping to a scene, which may be changed with ``docs/formats.md``: names of an open vocabulary (``kitchen``,
``dining table``) are classes; a name that only repeats the id (``room_0``, ``object_0_0_1``, ``unknown``)
says nothing. Objects that a room lists and no file describes are movable things of class ``object``: nothing
is known of them but the room. Furniture (``classes``) is fixed. HOV-SG's y points up: positions are turned
to z up (x, -z, y). Rooms are at their centroid or the middle of their outline, objects at that of their box.
There are no ways between rooms, since HOV-SG's robot drives by a map of its own: all are linked straight, and
a doubt says so.

Losses: embeddings, images, heights, outlines but for their middle. Read only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from ...domains.deadline import check_time
from ...domains.errors import SceneError, clip
from ...simulator.scene import DOUBT, PLACE_UNKNOWN, Loss, Node, Position, Scene
from ...simulator.scene_json import WORK
from .assembly import add, join_rooms, with_robot
from .classes import class_name, phrase_abilities
from .content import Content, Format
from .document import as_list, as_name, as_number, as_object
from .unread import fields_left, places_unknown

FOLDERS = ("floors", "rooms", "objects")
MAX_FILES = 100_000
MAX_BYTES_IN_ALL = 1_000_000_000
"""Bytes of all files: most are the outlines of rooms."""
_READ = {
    "floors": frozenset("floor_id name rooms".split()),
    "rooms": frozenset("room_id name floor_id objects vertices centroid room_zero_level".split()),
    "objects": frozenset("object_id name room_id vertices".split()),
}

_ROOM = re.compile(r"\d+_\d+\.json")
_Entry = tuple[str, Mapping[str, object]]


def _detect(content: Content) -> bool:
    return content.is_folder and _graph(content.path) is not None


def _graph(folder: Path) -> Path | None:
    """Return the folder of the graph: one with a file of a room, by its name."""
    places = (folder, folder / "graph")
    return next((p for p in places if any(_ROOM.fullmatch(file.name) for file in _files(p / "rooms"))), None)


def _files(folder: Path) -> list[Path]:
    """Return the JSON files in a folder, in the order of their numbers; links are not followed."""
    try:
        with os.scandir(folder) as entries:
            files = (e.name for e in entries if e.name.endswith(".json") and e.is_file(follow_symlinks=False))
            names = list(islice(files, MAX_FILES + 1))
    except (OSError, ValueError):  # a name with a null character
        return []
    return [folder / name for name in sorted(names, key=lambda n: (_numbers(n.removesuffix(".json")), n))]


def _numbers(name: str) -> list[int]:
    return [int(part[:9]) if part.isascii() and part.isdigit() else -1 for part in name.split("_")]


def _read(content: Content) -> Scene:
    folder = _graph(content.path)
    if folder is None:
        raise SceneError(content.where, "a folder with rooms/F_R.json", "none")
    entries = {name: list(_entries(folder / name)) for name in FOLDERS}
    nodes: dict[str, Node] = {}
    for at, fields in entries["floors"]:
        add(nodes, Node(_floor(fields, at), "floor", classes=("floor",)), at)
    listed: dict[str, str] = {}
    for at, fields in entries["rooms"]:
        room = _room(fields, at)
        if (floor := _floor(fields, at)) not in nodes:
            nodes[floor] = Node(floor, "floor", classes=("floor",), provenance={"id": f"named by {room.id}"})
        add(nodes, room, at)
        names = as_list(fields.get("objects", []), f"{at}.objects")
        listed |= {as_name(name, f"{at}.objects"): room.id for name in names}
    described: set[str] = set()
    for at, fields in entries["objects"]:
        name = as_name(fields.get("object_id"), f"{at}.object_id")
        described.add(name)
        add(nodes, _thing(name, fields, listed, nodes, at), at)
    for name, room_id in listed.items():
        if name not in described:
            bare = Node(f"object_{name}", "object", room_id, "ontop_of", ("object",), ("pickup",))
            add(nodes, bare, str(folder))
    losses = [*_losses(entries, nodes, len(listed.keys() - described))]
    title = content.path.resolve().name if folder == content.path else content.path.name
    return Scene(title, with_robot(nodes), join_rooms(nodes), "", tuple(losses))


def _entries(folder: Path) -> Iterator[_Entry]:
    files, size = _files(folder), 0
    if len(files) > MAX_FILES:
        raise SceneError(str(folder), f"at most {MAX_FILES} files", str(len(files)))
    for file in files:
        check_time(WORK)
        content = Content(file)
        size += len(content.data)
        if size > MAX_BYTES_IN_ALL:
            raise SceneError(str(folder), f"at most {MAX_BYTES_IN_ALL} bytes in all files", "more")
        yield content.where, as_object(content.json, content.where)


def _floor(fields: Mapping[str, object], at: str) -> str:
    return f"floor_{as_name(fields.get('floor_id'), f'{at}.floor_id')}"


def _room(fields: Mapping[str, object], at: str) -> Node:
    number = as_name(fields.get("room_id"), f"{at}.room_id")
    level = fields.get("room_zero_level")
    height = as_number(level, f"{at}.room_zero_level") if level is not None else 0.0
    given = fields.get("centroid")
    points = [given] if given is not None else as_list(fields.get("vertices", []), f"{at}.vertices")
    position = _middle(points, height, f"{at}.{'centroid' if given is not None else 'vertices'}")
    kind = _class(fields.get("name"), "room", f"{at}.name")
    classes = tuple(dict.fromkeys((kind, "room")))
    return Node(f"room_{number}", "room", _floor(fields, at), classes=classes, position=position)


def _thing(
    number: str, fields: Mapping[str, object], listed: Mapping[str, str], nodes: Mapping[str, Node], at: str
) -> Node:
    given = fields.get("room_id")
    room = f"room_{as_name(given, f'{at}.room_id')}" if given is not None else listed.get(number)
    if room is not None and room not in nodes:
        raise SceneError(f"{at}.room_id", "the id of a room", clip(given))
    kind = _class(fields.get("name"), "object", f"{at}.name")
    sort, affordances = phrase_abilities(kind)
    relation = PLACE_UNKNOWN if room is None else "in" if sort == "asset" else "ontop_of"
    position = _middle(as_list(fields.get("vertices", []), f"{at}.vertices"), 0.0, f"{at}.vertices")
    name = f"object_{number}" if kind == "object" else f"{kind}_{number}"
    return Node(name, sort, room, relation, (kind,), affordances, position=position)


def _class(value: object, usual: str, at: str) -> str:
    """Return the class that a name says; the usual one for a name that repeats the id, or ``unknown``."""
    words = class_name(as_name(value, at)) if value not in (None, "") else usual
    letters = [part for part in words.split("_") if not part.isdigit()]
    return usual if letters in ([usual], ["unknown"], []) else words


def _middle(points: Sequence[object], height: float, at: str) -> Position | None:
    """Return the middle of the box around points with y up, with z up; points of two numbers are x and z."""
    spans: list[list[float]] = []
    for point in points:
        numbers = [as_number(value, at) for value in as_list(point, at)]
        if len(numbers) not in (2, 3):
            raise SceneError(at, "points of two or three numbers", clip(point))
        x, y, z = numbers if len(numbers) == 3 else (numbers[0], height, numbers[1])
        spans.append([x, -z, y])
    if not spans:
        return None
    x, y, z = ((min(axis) + max(axis)) / 2 for axis in zip(*spans, strict=True))
    return (x, y, z)


def _losses(entries: Mapping[str, list[_Entry]], nodes: Mapping[str, Node], bare: int) -> Iterator[Loss]:
    for folder in FOLDERS:
        yield from fields_left((fields for _, fields in entries[folder]), _READ[folder], folder)
    if bare:
        reason = "a room lists them and no file describes them: class, box and position are not known"
        yield Loss("field", "objects", reason, bare)
    yield from places_unknown(nodes.values())
    rooms = sum(node.type == "room" for node in nodes.values())
    if rooms > 1:
        yield Loss(DOUBT, "ways between rooms", "the graph has none: rooms are linked straight", rooms)


FORMAT = Format("hov-sg", "HOV-SG graph folders", _detect, _read)
