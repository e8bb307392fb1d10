"""ConceptGraphs' objects and relations as JSON (Gu et al., ICRA 2024; the code is MIT).

A map is a folder with ``objects.json`` and, where relations were asked for, ``edges.json``, or the first file
alone:

- ``{"object_1": {"id", "object_tag": "dining table", "object_caption", "bbox_center": [x, y, z],
  "bbox_extent", "bbox_volume"}}``
- ``{"edge_1": {"object_1_id", "object_2_id", "relationship": "on top of", "edge_description", ..}}``

Mapping to a scene, which may be changed with ``docs/formats.md``: a thing is called by its tag and id
(``dining_table_41``), the tag is its class, the caption its description. Furniture and appliances
(``classes``) are assets, other things can be picked up. There are no rooms in such a map, so it is one
room, with the robot in it. A movable thing is on, in or under what an edge says, or else on the floor.

The map's frame is that of the first camera, as a rule: x to the right, y down, z ahead. Where the things
differ less in y than in z, positions are turned to that of ROS (x ahead, y to the left, z up), and a doubt
says so.

Losses: relations that are no place (next to, behind), relations of furniture, extents, volumes. Read only.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ...domains.errors import SceneError, clip
from ...simulator.scene import DOUBT, Loss, Node, Position, Scene
from .assembly import Forest, add, with_robot
from .classes import WORDS, class_name, phrase_abilities
from .content import Content, Format
from .document import as_name, as_object, as_point, as_words
from .unread import OTHER_PLACE, counted, fields_left

OBJECTS, EDGES = "objects.json", "edges.json"
ROOM = "room"
RELATIONS = WORDS["concept-graphs"]["relations"]
_KEYS = frozenset("id object_tag object_caption bbox_center".split())
_EDGE_KEYS = frozenset(
    "object_1_id object_2_id relationship object_1_tag object_2_tag edge_description edge_id".split()
)
TURNED = "the things differ less in y than in z: y is taken to point down, and positions are turned to z up"


def _detect(content: Content) -> bool:
    if not content.is_folder:
        return _is_map(content)
    objects = Content(content.path / OBJECTS)  # one that is no JSON says so when it is read
    return os.path.isfile(objects.path) and (objects.json_or_none is None or _is_map(objects))


def _is_map(content: Content) -> bool:
    raw = content.json_or_none
    first = next(iter(raw.values()), None) if isinstance(raw, dict) else None
    return isinstance(first, dict) and {"object_tag", "bbox_center"} <= first.keys()


def _read(content: Content) -> Scene:
    folder = content.path if content.is_folder else content.path.parent
    objects = Content(folder / OBJECTS) if content.is_folder else content
    beside = objects.path.name == OBJECTS and Path(folder / EDGES).is_file()
    edges = Content(folder / EDGES) if beside else None
    name = folder.resolve().name if objects.path.name == OBJECTS else content.name
    related = (edges.json, edges.where) if edges is not None else ({}, "")
    return read_map(objects.json, objects.where, name, *related)


def read_map(raw: object, where: str, name: str, edges: object, edges_where: str) -> Scene:
    """Read the objects of a map and their relations as a scene. Raises :class:`SceneError`."""
    entries = _entries(raw, where)
    ids: dict[str, str] = {}
    nodes = {ROOM: Node(ROOM, "room", classes=("room",), provenance={"id": "chosen: a map has no rooms"})}
    for at, fields in entries:
        number = as_name(fields.get("id"), f"{at}.id")
        if number in ids:
            raise SceneError(f"{at}.id", "ids that are unique", clip(number))
        node = _thing(number, fields, at)
        ids[number] = node.id
        add(nodes, node, f"{at}.id", "names that are unique")
    related = _entries(edges, edges_where)
    losses = [*_place(nodes, ids, related)]
    positions = [node.position for node in nodes.values() if node.position is not None]
    if _lies_on_its_side(positions):
        nodes = {i: replace(node, position=_upright(node.position)) for i, node in nodes.items()}
        losses.append(Loss(DOUBT, "bbox_center", TURNED, len(positions)))
    losses += fields_left((fields for _, fields in entries), _KEYS, "objects")
    losses += fields_left((edge for _, edge in related), _EDGE_KEYS, "edges")
    return Scene(name, with_robot(nodes), (), "", tuple(losses))


def _entries(raw: object, where: str) -> list[tuple[str, Mapping[str, object]]]:
    """Return the entries of a file, each with its place."""
    listed = ((f"{where}: {clip(key, 40)}", entry) for key, entry in as_object(raw, where).items())
    return [(at, as_object(entry, at)) for at, entry in listed]


def _thing(number: str, fields: Mapping[str, object], at: str) -> Node:
    tag = class_name(" ".join(as_words(fields.get("object_tag"), f"{at}.object_tag"))) or "object"
    kind, affordances = phrase_abilities(tag)
    return Node(
        f"{tag}_{number}",
        kind,
        ROOM,
        "in" if kind == "asset" else "ontop_of",
        classes=(tag,),
        affordances=affordances,
        position=as_point(fields.get("bbox_center"), f"{at}.bbox_center"),
        description=" ".join(as_words(fields.get("object_caption"), f"{at}.object_caption")),
    )


def _place(
    nodes: dict[str, Node], ids: Mapping[str, str], edges: Sequence[tuple[str, Mapping[str, object]]]
) -> Iterator[Loss]:
    """Put movable things where edges say, and yield the edges that are not kept."""
    forest, unread = Forest(), Counter[str]()
    placed: set[str] = set()
    for at, edge in edges:
        ends = [as_name(edge.get(f"object_{n}_id"), f"{at}.object_{n}_id") for n in (1, 2)]
        word = class_name(" ".join(as_words(edge.get("relationship"), f"{at}.relationship")))
        triple = clip(f"{ends[0]} {word} {ends[1]}", 100)
        if not all(end in ids for end in ends):
            yield Loss("edge", triple, "the file has no object of one of these ids")
            continue
        a, b = (nodes[ids[end]] for end in ends)
        pair = _relation(a, b, word)
        if pair is None:
            unread[word or "without a relation"] += 1
            continue
        child, parent, relation = pair
        if child.id in placed or child.id == parent.id or not forest.hang(child.id, parent.id):
            yield Loss("edge", triple, OTHER_PLACE)
            continue
        placed.add(child.id)
        nodes[child.id] = replace(child, parent=parent.id, relation=relation)
    yield from counted("edge", unread, "no place of a movable thing")


def _relation(a: Node, b: Node, word: str) -> tuple[Node, Node, str] | None:
    """Return the movable thing that an edge places, where, and how; the lower thing may be named first."""
    if word in RELATIONS["under"] and a.type == "asset" and b.type == "object":
        return b, a, "ontop_of"
    relation = next((name for name, words in RELATIONS.items() if word in words), None)
    return (a, b, relation) if relation is not None and a.type == "object" else None


def _lies_on_its_side(positions: Sequence[Position]) -> bool:
    """Return whether most things differ less in y than in z."""
    spans = []
    for axis in (1, 2):
        values = sorted(position[axis] for position in positions)
        spans.append(values[9 * len(values) // 10] - values[len(values) // 10] if len(values) > 1 else 0.0)
    return spans[0] < spans[1]


def _upright(position: Position | None) -> Position | None:
    return None if position is None else (position[2], -position[0], -position[1])


FORMAT = Format("concept-graphs", "ConceptGraphs objects.json, edges.json", _detect, _read)
