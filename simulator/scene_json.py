"""Scenes as JSON: reading with errors that say where and what to try, writing that is stable.

The format is versioned (``"format": "groundplan-scene", "version": 1``). Unknown keys are errors, because a
misspelt key would otherwise silently lose its value. A new key needs an entry in :data:`NODE_KEYS`, a field
of :class:`Node` and a line in :func:`node_to_json`; files of version 1 must stay readable.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from ..domains import files
from ..domains.deadline import check_time
from ..domains.errors import SceneError, clip, did_you_mean
from .scene import PLACE_UNKNOWN, Link, Loss, Node, Position, Scene, default_class, is_id

FORMAT, VERSION = "groundplan-scene", 1
MAX_BYTES = 512 * 1024 * 1024
MAX_MEMORY = 1_300_000_000
"""Bytes that a scene may need, from above: a Spark-DSG file of 100,000 nodes needs at most 990 million."""
DEFAULT_LENGTH = 1.0
"""Metres of a link whose ends have no positions and whose length is not given."""

WORK = "reading the scene"
KEYS = frozenset("format version name description nodes links source license extra losses".split())
NODE_KEYS = frozenset(
    "id type parent relation classes affordances state attributes position at description provenance "
    "extra".split()
)
_LISTS = frozenset({"classes", "affordances", "state", "attributes"})
_TEXTS = NODE_KEYS - _LISTS - {"position", "provenance", "extra"}


def load_json(path: Path) -> object:
    """Read a JSON file within the bounds of scene files.

    Raises :class:`SceneError` where it cannot be read or parsed.
    """
    return parse_json(files.read_text(path, MAX_BYTES, SceneError), str(path))


def parse_json(text: str, where: str) -> object:
    """Parse JSON within the bounds of scene files. Raises :class:`SceneError` with line and column."""
    return files.parse_json(text, where, SceneError, memory=MAX_MEMORY, unique=True)


def read_scene(path: Path) -> Scene:
    """Read a scene file in the package's own format."""
    return scene_from_json(load_json(path), str(path), path.stem)


def scene_from_json(raw: object, where: str, default_name: str = "") -> Scene:
    """Build a scene from parsed JSON; ``default_name`` (or else ``where``) names one without a name.

    Raises :class:`SceneError` naming the place in the document.
    """
    if not isinstance(raw, dict):
        raise SceneError(where, "an object with format, version, nodes and links", type(raw).__name__)
    if raw.get("format") != FORMAT:
        hint = "convert other formats with 'groundplan scene convert'"
        raise SceneError(f"{where}: format", f'"{FORMAT}"', clip(raw.get("format")), hint)
    if raw.get("version") != VERSION:
        raise SceneError(f"{where}: version", str(VERSION), clip(raw.get("version")))
    for key in raw:
        if key not in KEYS:
            raise SceneError(f"{where}: {clip(key)}", "a known key", clip(key), did_you_mean(key, KEYS))
    nodes: dict[str, Node] = {}
    for index, item in enumerate(_list(raw, "nodes", where)):
        check_time(WORK)
        node = node_from_json(item, f"{where}: nodes[{index}]")
        if node.id in nodes:
            other = f"{clip(node.id)}, the id of nodes[{list(nodes).index(node.id)}] too"
            hint = "give one of the two another id, or leave it out"
            raise SceneError(f"{where}: nodes[{index}].id", "ids that are unique", other, hint)
        nodes[node.id] = node
    links = tuple(
        link_from_json(item, nodes, f"{where}: links[{index}]")
        for index, item in enumerate(_list(raw, "links", where) if "links" in raw else [])
    )
    name = raw.get("name", default_name or where)
    if not isinstance(name, str):
        raise SceneError(f"{where}: name", "a string", clip(name))
    extra = raw.get("extra", {})
    if not isinstance(extra, dict):
        raise SceneError(f"{where}: extra", "an object", clip(extra))
    given = _list(raw, "losses", where) if "losses" in raw else []
    losses = tuple(loss_from_json(item, f"{where}: losses[{i}]") for i, item in enumerate(given))
    return Scene(name, nodes, links, str(raw.get("description", "")), losses, extra)


def _list(raw: Mapping[str, object], key: str, where: str) -> list[object]:
    value = raw.get(key)
    if not isinstance(value, list):
        raise SceneError(f"{where}: {key}", "a list", type(value).__name__)
    return value


def node_from_json(raw: object, where: str) -> Node:
    """Build one node from its JSON object."""
    if not isinstance(raw, dict):
        raise SceneError(where, "an object", type(raw).__name__)
    fields = node_fields(raw, where)
    for key in ("id", "type"):
        if not isinstance(fields.get(key), str) or not fields[key]:
            raise SceneError(f"{where}.{key}", "a non-empty string", clip(raw.get(key)))
    if not is_id(fields["id"]):
        raise SceneError(
            f"{where}.id", "an id that does not begin with two null characters", clip(fields["id"])
        )
    classes = fields.pop("classes", ()) or (default_class(str(fields["id"])),)
    return Node(classes=classes, **fields)  # type: ignore[arg-type]


def node_fields(raw: Mapping[str, object], where: str) -> dict[str, object]:
    """Check the given fields of a node; an overlay's changes are such fields too."""
    # A large scene has a million fields: their places are spelt out only in errors.
    fields: dict[str, object] = {}
    for key, value in raw.items():
        if isinstance(value, str) and key in _TEXTS:
            fields[key] = value
        elif key in _LISTS:
            words = _words(value)
            if words is None:
                raise _wrong(where, key, "a list of non-empty strings", value)
            fields[key] = words
        elif key == "position":
            fields[key] = _position(value, where)
        elif key == "provenance":
            if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
                raise _wrong(where, key, "an object of strings", value)
            fields[key] = value
        elif key == "extra":
            if not isinstance(value, dict):
                raise _wrong(where, key, "an object", value)
            fields[key] = value
        elif key not in NODE_KEYS:
            raise _wrong(where, key, "a known key", key, did_you_mean(key, NODE_KEYS))
        elif value is None and key in ("parent", "at"):
            fields[key] = value
        else:
            raise _wrong(where, key, "a string", value)
    return fields


def _wrong(where: str, key: str, expected: str, got: object, hint: str = "") -> SceneError:
    return SceneError(f"{where}.{clip(key)}", expected, clip(got), hint)


def _words(value: object) -> tuple[str, ...] | None:
    """Return a list of words as a tuple, each word once; ``None`` for anything else."""
    if not isinstance(value, list):
        return None
    try:
        return _unique(tuple(value))
    except TypeError:  # a list or an object among them cannot be hashed
        return None


@lru_cache(maxsize=4096)
def _unique(words: tuple[object, ...]) -> tuple[str, ...] | None:
    """Check words once for all nodes that have the same ones, and let them share one tuple."""
    if not all(isinstance(w, str) and w for w in words):
        return None
    return tuple(dict.fromkeys(str(w) for w in words))


def _position(value: object, where: str) -> Position | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 3 or not all(map(_is_coordinate, value)):
        raise _wrong(where, "position", "three numbers in metres", value)
    x, y, z = map(float, value)
    return (x, y, z)


def _is_coordinate(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e9


def link_from_json(raw: object, nodes: Mapping[str, Node], where: str) -> Link:
    """Build one link from its JSON object; a length that is missing is the distance of the ends."""
    if not isinstance(raw, dict) or set(raw) - {"a", "b", "length", "door"}:
        raise SceneError(where, "an object with a, b and length, and with door where there is one", clip(raw))
    a, b, length, door = raw.get("a"), raw.get("b"), raw.get("length"), raw.get("door", "")
    if not isinstance(a, str) or not isinstance(b, str):
        raise SceneError(where, "a and b: ids of nodes", clip(raw))
    if not isinstance(door, str):
        raise SceneError(f"{where}.door", "the id of an asset", clip(door))
    if length is None:
        length = straight(nodes.get(a), nodes.get(b))
    if isinstance(length, bool) or not isinstance(length, int | float) or abs(length) > 1e9:
        raise SceneError(f"{where}.length", "metres", clip(length))
    return Link(a, b, float(length), door)


def link_to_json(link: Link) -> dict[str, object]:
    """Write a link as JSON, without a door where it has none."""
    raw: dict[str, object] = {"a": link.a, "b": link.b, "length": link.length}
    return raw | {"door": link.door} if link.door else raw


def loss_from_json(raw: object, where: str) -> Loss:
    """Build a loss from its JSON object."""
    if not isinstance(raw, dict) or set(raw) != {"kind", "id", "reason", "count"}:
        raise SceneError(where, "an object with kind, id, reason and count", clip(raw))
    kind, name, reason, count = (raw[key] for key in ("kind", "id", "reason", "count"))
    if not isinstance(kind, str) or not isinstance(name, str) or not isinstance(reason, str):
        raise SceneError(where, "kind, id and reason: strings", clip(raw))
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise SceneError(f"{where}.count", "a whole number from 0", clip(count))
    return Loss(kind, name, reason, count)


def straight(a: Node | None, b: Node | None) -> float:
    """Return the distance of two nodes in metres; :data:`DEFAULT_LENGTH` where a position is missing."""
    if a is None or b is None or a.position is None or b.position is None:
        return DEFAULT_LENGTH
    return round(math.dist(a.position, b.position), 3)


def node_to_json(node: Node) -> dict[str, object]:
    """Write a node as JSON, without keys that have their default."""
    raw: dict[str, object] = {"id": node.id, "type": node.type}
    if node.parent is not None:
        raw["parent"] = node.parent
        raw["relation"] = node.relation
    elif node.relation == PLACE_UNKNOWN:
        raw["relation"] = node.relation
    if node.at is not None:
        raw["at"] = node.at
    if node.classes != (default_class(node.id),):
        raw["classes"] = list(node.classes)
    for key, values in (
        ("affordances", node.affordances),
        ("state", node.state),
        ("attributes", node.attributes),
    ):
        if values:
            raw[key] = list(values)
    if node.position is not None:
        raw["position"] = list(node.position)
    if node.description:
        raw["description"] = node.description
    if node.provenance:
        raw["provenance"] = dict(node.provenance)
    if node.extra:
        raw["extra"] = dict(node.extra)
    return raw


def scene_to_json(scene: Scene) -> dict[str, object]:
    """Write a scene as JSON; reading it back gives an equal scene, with the losses of its first file."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": scene.name,
        "description": scene.description,
        **({"extra": dict(scene.extra)} if scene.extra else {}),
        "nodes": [node_to_json(n) for n in scene.nodes.values()],
        "links": [link_to_json(x) for x in scene.links],
        **({"losses": [loss.as_json() for loss in scene.losses]} if scene.losses else {}),
    }


def scene_text(scene: Scene) -> str:
    """Write the text of a scene file, one node or link a line so that differences read well."""
    raw = scene_to_json(scene)
    parts = []
    for key, value in raw.items():
        if isinstance(value, list):
            lines = ",\n  ".join(json.dumps(v, ensure_ascii=False) for v in value)
            parts.append(f" {json.dumps(key)}: [\n  {lines}]" if value else f" {json.dumps(key)}: []")
        else:
            parts.append(f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(parts) + "}\n"
