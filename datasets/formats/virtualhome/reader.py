"""VirtualHome environment graphs (Puig et al., CVPR 2018; the simulator is under the MIT licence).

The simulator fixes the fields; the mapping below is ours and may be changed, with ``docs/formats.md``. A
document is ``{"nodes": [NODE, ...], "edges": [EDGE, ...]}`` with

- NODE ``{"id": 12, "class_name": "fridge", "category": "Appliances", "properties": ["CAN_OPEN"], "states":
  ["CLOSED"], "bounding_box": {"center": [x, y, z], "size": [...]}}``, the box may be null or missing
- EDGE ``{"from_id": 30, "relation_type": "INSIDE", "to_id": 12}``

or a RobotHow pair ``{"init_graph": DOCUMENT, "final_graph": DOCUMENT}``, of which ``item`` picks ``init``
(the default) or ``final``, or the states of a recording, ``{"graph_state_list": [DOCUMENT, ...]}``, picked by
their number. A pair may have such states, too.

Mapping to a scene:

- ids are class and number (``fridge12``; ``cup2_7`` for the class ``cup2``), the same in every graph
- categories Rooms, Characters: rooms, the robot; Walls, Floor(s), Ceiling, Doors and Windows are dropped.
  Things can be put into a room whose floor has SURFACES
- a node that is GRABBABLE or held is an object, any other an asset; classes: class and category
- ON, INSIDE: the parent. Of several the innermost: one that stands to another of them. What would put a fixed
  thing on a movable one, or close a circle, is passed over, and the room is left. HOLDS_RH, HOLDS_LH:
  in the robot's hand. Other relations (CLOSE, FACING, ...) are dropped
- GRABBABLE: pickup; CAN_OPEN: open, close; HAS_SWITCH: turn_on, turn_off; SURFACES: release; CONTAINERS:
  release, contain; RECIPIENT: release, contain, fill. Other properties are attributes (``movable``)
- OPEN, CLOSED, ON, OFF, CLEAN, DIRTY: states. Others are attributes (``plugged_in``)
- the centre of the box: the position, in metres, with the simulator's y upwards as z
- a door that is BETWEEN two rooms: a link through its centre; one that is CLOSED is an asset of the first of
  them, and the door of the link. Rooms that no door joins are linked straight, since the simulator lets a
  character walk from any room to any other
- further characters: assets, with the things that they hold attached
- a thing that is ON or INSIDE nothing that is kept has no known place; a robot in no room is in the first

Losses: nodes of the shell, each; relations that are not read, counted; relations to nodes that the file does
not have, each; ON and INSIDE between nodes that are kept and are not child and parent, nor a thing and its
room, each; that a further node is a character, each; keys that are not read, counted.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from ....domains.errors import SceneError, clip
from ....simulator.scene import DOUBT, PLACE_UNKNOWN, Link, Loss, Node, Position, Scene, containers_around
from ..assembly import Forest, behind_door, join_rooms, with_robot
from ..content import Content, Format, json_writer
from ..document import as_list, as_name, as_object, as_point, as_words, distance, objects
from ..losses import differences
from ..unread import OTHER_PLACE, counted, fields_left, keeps, parts_left, places_unknown
from .writer import (
    AFFORDANCES,
    DROPPED,
    FLOORS,
    STATES,
    UNSORTED,
    class_of,
    node_name,
    numbers,
    to_virtualhome,
)

RELATIONS = {"ON": "ontop_of", "INSIDE": "inside_of"}
HOLDS = frozenset(("HOLDS", "HOLDS_RH", "HOLDS_LH"))
_GRAPH_KEYS = ("nodes", "edges")
_NODE_KEYS = ("id", "class_name", "category", "properties", "states", "bounding_box")
_EDGE_KEYS = ("from_id", "relation_type", "to_id")
MAX_PLACES = 100
"""Things that one thing is on or in, at most: all of them are compared with each other."""


@dataclass(frozen=True, slots=True)
class _Item:
    """A node as the document has it; ``id`` is the scene's."""

    at: str
    id: str
    class_name: str
    category: str
    properties: tuple[str, ...]
    states: tuple[str, ...]
    position: Position | None


def read_graph(raw: object, where: str, default_name: str = "") -> Scene:
    """Read one environment graph as a scene with ``default_name``, since graphs have no names.

    Raises :class:`SceneError` naming the place in the document.
    """
    graph = as_object(raw, where)
    items: dict[str, _Item] = {}
    ids: dict[str, str] = {}
    for at, fields in objects(graph.get("nodes"), f"{where}: nodes"):
        key, item = _item(fields, at)
        if key in items or item.id in ids:
            raise SceneError(f"{item.at}.id", "ids that are unique", clip(key))
        items[key] = item
        ids[item.id] = key
    dangling: list[Loss] = []
    builder = _Builder(items, list(_edges(graph, items, where, dangling)))
    scene = builder.scene(default_name or where)
    return replace(scene, losses=(*dangling, *builder.losses(scene), *_fields_left(graph)))


def _fields_left(graph: Mapping[str, object]) -> Iterator[Loss]:
    """Yield the keys that are not read."""
    nodes = as_list(graph.get("nodes"), "nodes")
    boxes = [n.get("bounding_box") for n in nodes if isinstance(n, dict)]
    yield from parts_left(graph, _GRAPH_KEYS)
    yield from fields_left(nodes, _NODE_KEYS, "nodes")
    yield from fields_left(boxes, ("center",), "nodes.bounding_box")
    yield from fields_left(as_list(graph.get("edges", []), "edges"), _EDGE_KEYS, "edges")


def _item(fields: Mapping[str, object], at: str) -> tuple[str, _Item]:
    key = as_name(fields.get("id"), f"{at}.id")
    class_name = as_name(fields.get("class_name"), f"{at}.class_name")
    box = fields.get("bounding_box")
    centre = as_object(box, f"{at}.bounding_box").get("center") if box is not None else None
    point = as_point(centre, f"{at}.bounding_box.center")
    category = fields.get("category")
    return key, _Item(
        at,
        node_name(class_name, key),
        class_name,
        category.strip().lower() if isinstance(category, str) else "",
        tuple(p.upper() for p in as_words(fields.get("properties"), f"{at}.properties")),
        tuple(s.upper() for s in as_words(fields.get("states"), f"{at}.states")),
        (point[0], point[2], point[1]) if point is not None else None,
    )


def _edges(
    graph: Mapping[str, object], items: Mapping[str, _Item], where: str, dangling: list[Loss]
) -> Iterator[tuple[str, str, str]]:
    """Yield source, relation and target of the edges; those that lack an end are added to ``dangling``."""
    for at, fields in objects(graph.get("edges", []), f"{where}: edges"):
        relation = as_name(fields.get("relation_type"), f"{at}.relation_type").upper()
        if relation not in RELATIONS and relation not in HOLDS and relation != "BETWEEN":
            yield "", relation, ""
            continue
        ends = [as_name(fields.get(end), f"{at}.{end}") for end in ("from_id", "to_id")]
        if all(end in items for end in ends):
            yield ends[0], relation, ends[1]
        else:
            names = [items[end].id if end in items else end for end in ends]
            edge = clip(f"{names[0]} {relation} {names[1]}", 100)
            dangling.append(Loss("edge", edge, "the file has no node of one of these ids"))


class _Builder:
    """A scene in the making: types first, then parents, then links."""

    def __init__(self, items: Mapping[str, _Item], edges: list[tuple[str, str, str]]) -> None:
        self.items, self.edges = items, edges
        people = [k for k, i in items.items() if (i.category or f"{i.class_name}s") == "characters"]
        self.robot = people[0] if people else None
        self.bystanders = people[1:]
        self.held: dict[str, str] = {}
        self.stands: dict[str, list[tuple[str, str]]] = {}
        self.between: dict[str, list[str]] = {}
        for source, relation, target in edges:
            if relation in HOLDS and source in people:
                self.held.setdefault(target, source)
            elif relation in RELATIONS and source != target:
                places = self.stands.setdefault(source, [])
                if len(places) == MAX_PLACES:
                    expected = f"a node ON or INSIDE at most {MAX_PLACES} others"
                    raise SceneError(items[source].at, expected, "more")
                places.append((RELATIONS[relation], target))
            elif relation == "BETWEEN":
                self.between.setdefault(source, []).append(target)
        self.kinds = {key: self.kind(key) for key in items}
        floors = (k for k, i in items.items() if i.category in FLOORS and "SURFACES" in i.properties)
        self.floored = frozenset(map(self.room, floors))

    def losses(self, scene: Scene) -> Iterator[Loss]:
        """Yield the nodes and edges that a scene made of this graph does not have."""
        for key, item in self.items.items():
            if not self.kinds[key]:
                yield Loss("node", item.id, f"the shell of a house ({item.category}) is left out")
        for key in self.bystanders:
            reason = "a scene has one robot: a further character is a thing that stays where it is"
            yield Loss(DOUBT, self.items[key].id, reason)
        yield from places_unknown(scene.nodes.values())
        room_of = containers_around(scene.nodes)
        unread: Counter[str] = Counter()
        ends_left: Counter[str] = Counter()
        joined = {door: rooms for door in self.between if len(rooms := self.rooms_at(door)) > 1}
        for source, relation, target in self.edges:
            if relation == "BETWEEN":
                if target not in joined.get(source, ()):
                    unread[relation] += 1
            elif not source:
                unread[relation] += 1
            elif not self.kinds[source] or not self.kinds[target]:
                ends_left[relation] += 1
            else:
                ends = [self.items[end].id for end in (source, target)]
                child, parent = ends[::-1] if relation in HOLDS else ends
                kept = keeps(scene.nodes, room_of, child, parent, RELATIONS.get(relation, ""))
                if relation in HOLDS:
                    node = scene.nodes[child]
                    kept = node.parent == parent and node.relation in ("inside_hand", "attached_to")
                if not kept:
                    yield Loss("edge", f"{ends[0]} {relation} {ends[1]}", OTHER_PLACE)
        yield from counted("edge", unread, "edges of this kind are not read")
        yield from counted("edge", ends_left, "one of its ends is left out")

    def rooms_at(self, door: str) -> list[str]:
        """Return the rooms that a door is between, each once."""
        ends = self.between.get(door, ())
        return list(dict.fromkeys(t for t in ends if self.items[t].category == "rooms"))

    def is_shut(self, key: str) -> bool:
        """Return whether a node is a closed door between two rooms."""
        return "CLOSED" in self.items[key].states and len(self.rooms_at(key)) > 1

    def kind(self, key: str) -> str:
        item = self.items[key]
        if item.category == "rooms":
            return "room"
        if key == self.robot:
            return "agent"
        if item.category in DROPPED:
            return "asset" if self.is_shut(key) else ""
        return "object" if "GRABBABLE" in item.properties or key in self.held else "asset"

    def scene(self, name: str) -> Scene:
        forest = Forest()
        nodes: dict[str, Node] = {}
        for key, item in self.items.items():
            kind = self.kinds[key]
            if kind:
                nodes[item.id] = self.node(key, kind, forest)
        links = list(self.doors())
        for door in filter(self.is_shut, self.between):
            first, *others = (nodes[self.items[room].id] for room in self.rooms_at(door))
            beyond, ways = behind_door(nodes[self.items[door].id], first, others[0], links, nodes)
            nodes |= {pose.id: pose for pose in beyond}
            links += ways
        return Scene(name, with_robot(nodes), join_rooms(nodes, links))

    def node(self, key: str, kind: str, forest: Forest) -> Node:
        item = self.items[key]
        affordances = dict.fromkeys(a for p in item.properties for a in AFFORDANCES.get(p, ()))
        words = [p for p in item.properties if p not in AFFORDANCES]
        words += [s for s in item.states if s not in STATES]
        sorts = (
            (item.category,) if kind in ("asset", "object") and item.category not in ("", UNSORTED) else ()
        )
        node = Node(
            item.id,
            kind,
            classes=tuple(dict.fromkeys((item.class_name, *sorts))),
            affordances=tuple(affordances),
            state=tuple(s.lower() for s in item.states if s in STATES),
            attributes=tuple(dict.fromkeys(w.lower() for w in words)),
            position=item.position,
        )
        if kind == "room":
            taking = dict.fromkeys((*affordances, *(("release",) if key in self.floored else ())))
            return replace(node, affordances=tuple(taking))
        if kind == "agent":
            room = self.room(key)
            return replace(node, at=self.items[room].id) if room is not None else node
        parent, relation = self.parent(key, kind, forest)
        above = self.items[parent].id if parent is not None else None
        return replace(node, parent=above, relation=relation)

    def parent(self, key: str, kind: str, forest: Forest) -> tuple[str | None, str]:
        """Return the innermost thing that a node is on or in, or its room, and the relation, if known."""
        holder = self.held.get(key)
        if holder is not None and holder == self.robot:
            return holder, "inside_hand"
        if holder is not None and forest.hang(key, holder):
            return holder, "attached_to"
        if self.is_shut(key):
            return self.rooms_at(key)[0], "in"
        fixed = ("asset",) if kind == "asset" else ("asset", "object")
        near = [(r, t) for r, t in self.stands.get(key, ()) if self.kinds[t] in fixed]
        others = {t for _, t in near}
        near.sort(key=lambda place: -sum(t in others for _, t in self.stands.get(place[1], ())))
        for relation, target in near:
            if forest.hang(key, target):
                return target, relation
        room = self.room(key)
        if room is None:
            return None, PLACE_UNKNOWN
        return room, "ontop_of" if kind == "object" else "in"

    def room(self, key: str) -> str | None:
        """Return the room that a node is in, directly or through a floor that is dropped."""
        places = [t for _, t in self.stands.get(key, ())]
        places += [t for p in places if not self.kinds[p] for _, t in self.stands.get(p, ())]
        return next((p for p in places if self.kinds[p] == "room"), None)

    def doors(self) -> Iterator[Link]:
        """Yield a link for each two rooms that a door that is not shut is between, by way of the door."""
        for door in itertools.filterfalse(self.is_shut, self.between):
            for a, b in pairwise(self.rooms_at(door)):
                length = distance(*(self.items[k].position for k in (a, door, b)))
                yield Link(self.items[a].id, self.items[b].id, 1.0 if length is None else length)


def _graphs(raw: object) -> Mapping[str, object]:
    """Return the graphs of a document by the names for ``item``."""
    if not isinstance(raw, dict) or not ("init_graph" in raw or "graph_state_list" in raw):
        return {"": raw}
    states = raw.get("graph_state_list")
    pair = {name: raw[f"{name}_graph"] for name in ("init", "final") if f"{name}_graph" in raw}
    return {**pair, **{str(n): s for n, s in enumerate(states if isinstance(states, list) else (), 1)}}


def _detect(content: Content) -> bool:
    graph = next(iter(_graphs(content.json_or_none).values()), None)
    if not isinstance(graph, dict):
        return False
    nodes, edges = graph.get("nodes"), graph.get("edges", [])
    named = isinstance(nodes, list) and any(isinstance(n, dict) and "class_name" in n for n in nodes[:3])
    # Other graphs may give their nodes a class of this name; their edges have other keys, or another name.
    ours = not isinstance(edges, list) or all("source" not in e for e in edges[:3] if isinstance(e, dict))
    return named and ours and "links" not in graph


def _read(content: Content) -> Scene:
    graphs = _graphs(content.json)
    if list(graphs) == [""]:
        content.expect_no_item()
    item = content.item or next(iter(graphs), "")
    if item not in graphs or (item == "1" and not content.item and len(graphs) > 1):
        got = clip(content.item) if content.item else f"{len(graphs)} states"
        states = sum(name.isdigit() for name in graphs)
        named = [name for name in graphs if not name.isdigit()] + ([f"1 to {states}"] if states else [])
        hint = f"choose one: {', '.join(named)}"
        raise SceneError(content.where, "one graph, or --item for one of several", got, hint)
    below = f": {item}" if item else ""
    return read_graph(graphs[item], f"{content.where}{below}", f"{content.name}{below}")


def _loses(scene: Scene) -> tuple[str, ...]:
    names = {i: node_name(class_of(scene.nodes[i]), str(n)) for i, n in numbers(scene).items()}
    return differences(scene, read_graph(to_virtualhome(scene), "again"), names)


FORMAT = Format(
    "virtualhome",
    "VirtualHome environment graph",
    _detect,
    _read,
    json_writer(to_virtualhome),
    _loses,
    (".virtualhome.json",),
    several=True,
)
