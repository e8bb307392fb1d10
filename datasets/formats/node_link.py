"""Node-link JSON, as ``networkx.node_link_data`` writes it and d3 reads it.

A document is ``{"directed", "multigraph", "graph": {...}, "nodes": [{"id", ...}], "links" or "edges":
[{"source", "target", ...}]}``. Ids may be strings or numbers. Files that this package wrote (``MARK``) must
give the same scene in every version; for others, words for types and relations may be added
(``words.toml``).

In writing, the attributes of a node are those of the package's scene JSON, ``graph`` has the scene's name and
description, an edge of ``relation`` ``link`` with its ``length`` is a way, and every other edge leads from a
node to its parent with the relation between them. Reading that back gives the same scene.

Graphs from elsewhere are read where their attributes have sensible names:

- the node type under ``type``, ``kind``, ``category``, ``layer`` or ``level``, as in a scene or a synonym
  (``words.toml``)
- the parent under ``parent``, ``location``, ``located``, ``room`` or ``in``, else from an edge: ``relation``
  (``label``, ``type``) says whether the source contains the target or is in, on or under it; without a word
  an edge between places and rooms is a way, and any other leads from the higher level to the lower
- lengths under ``length``, ``distance`` or ``weight``; positions under ``position``, ``pos``, ``world``, or
  x, y and z. Where no node has a type and all have a position, it is a route graph: they are poses
- a ``door`` between two places whose state is closed or locked is a door of the link between them; other
  doors are poses
- ``classes`` or ``class``, ``affordances``, ``state`` or ``states``, ``attributes``, ``description`` as
  words. A state that the household does not know is an attribute; other keys are left out
- a robot is put into the first room where there is none; a thing that stands nowhere has no known place

Losses: edges that place a node where it is not kept, each; edges of other relations and keys that are not
read, counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...domains.errors import SceneError, clip, did_you_mean
from ...simulator.scene import (
    DOUBT,
    NODE_TYPES,
    PLACE_UNKNOWN,
    THINGS,
    Link,
    Loss,
    Node,
    Position,
    Scene,
    containers_around,
    default_class,
)
from ...simulator.scene_json import link_from_json, node_from_json, node_to_json, straight
from .assembly import Forest, add, behind_door, with_robot
from .classes import WORDS, class_name, implied, state_words
from .content import Content, Format, json_reader, json_writer
from .document import as_name, as_number, as_object, as_point, as_words, objects
from .losses import no_losses
from .unread import OTHER_PLACE, counted, fields_left, keeps, parts_left, places_unknown

MARK, VERSION = "groundplan-scene", 1
WAY = "link"
DOOR = "door"
SHUT = frozenset(("closed", "locked", "shut"))
"""States of a door that nobody goes through as it is; of these a locked one is not opened by hand."""
_WORDS = WORDS["node-link"]
TYPES = {word: kind for kind, words in _WORDS["types"].items() for word in (kind, *words)}
BELOW, ABOVE = (
    {word: relation for relation, words in _WORDS[end].items() for word in words}
    for end in ("below", "above")
)
"""Relations of the source of an edge to its target, and of the target to its source, by words of edges."""
_RANK = {kind: rank for rank, kind in enumerate(("campus", "building", "floor", "room", "asset", "object"))}
_PARENTS = ("parent", "location", "located", "room", "in")
_GRAPH_KEYS = ("directed", "multigraph", "graph", "nodes", "edges", "links")
_NODE_KEYS = frozenset(
    """id type kind category layer level state states attributes classes class class_name label name
    affordances position pos world x y z description relation""".split()
) | frozenset(_PARENTS)
_EDGE_KEYS = ("source", "target", "relation", "label", "type", "length", "distance", "weight", "key")


def to_node_link(scene: Scene) -> dict[str, object]:
    """Return a scene as a directed multigraph."""
    edges: list[dict[str, object]] = [
        {
            "source": x.a,
            "target": x.b,
            "relation": WAY,
            "length": x.length,
            **({"door": x.door} if x.door else {}),
        }
        for x in scene.links
    ]
    for node in scene.nodes.values():
        if node.parent is not None:
            edges.append({"source": node.id, "target": node.parent, "relation": node.relation})
    counts: dict[tuple[object, object], int] = {}
    for edge in edges:
        pair = (edge["source"], edge["target"])
        edge["key"] = counts[pair] = counts.get(pair, -1) + 1
    return {
        "directed": True,
        "multigraph": True,
        "graph": {"format": MARK, "version": VERSION, "name": scene.name, "description": scene.description},
        "nodes": [node_to_json(n) for n in scene.nodes.values()],
        "edges": edges,
    }


def read_graph(raw: object, where: str, default_name: str = "") -> Scene:
    """Read a node-link document as a scene; ``default_name`` names one that has no name.

    Raises :class:`SceneError` naming the place in the document.
    """
    document = as_object(raw, where)
    about = document.get("graph")
    graph = about if isinstance(about, dict) else {}
    name, text = graph.get("name"), graph.get("description")
    own = graph.get("format") == MARK
    nodes, links = (_own if own else _other)(document, where)
    title = name if isinstance(name, str) else default_name or where
    scene = Scene(title, nodes, links, text if isinstance(text, str) else "")
    return scene if own else replace(scene, losses=tuple(_losses(document, scene, where)))


def _losses(document: Mapping[str, object], scene: Scene, where: str) -> Iterator[Loss]:
    """Yield what a graph from elsewhere has and its scene has not."""
    yield from places_unknown(scene.nodes.values())
    container_of = containers_around(scene.nodes)
    unread: Counter[str] = Counter()
    doors = scene.door_ends
    for at, edge in _listed(document, where):
        ends = [as_name(edge.get(end), f"{at}.{end}") for end in ("source", "target")]
        if not all(end in scene.nodes for end in ends):
            name = clip(f"{ends[0]} {_word(edge)} {ends[1]}", 100)
            yield Loss("edge", name, "the file has no node of one of these ids")
            continue
        a, b = (scene.nodes[end] for end in ends)
        if a.id in doors or b.id in doors:
            continue  # a way through the door
        placed = _placed(a, b, edge)
        if placed is not None:
            if not keeps(scene.nodes, container_of, *placed):
                yield Loss("edge", clip(f"{a.id} {_word(edge)} {b.id}", 100), OTHER_PLACE)
        elif not {a.type, b.type} <= {"room", "pose"} or a is b:
            unread[_word(edge) or "without a relation"] += 1
    yield from counted("edge", unread, "edges of this kind are not read")
    if document.get("directed"):
        yield from _one_way(document, scene, where)
    yield from _other_places(document, scene, where)
    yield from fields_left([document.get("graph")], ("name", "description"), "graph")
    yield from parts_left(document, _GRAPH_KEYS)
    entries = [entry for _, entry in objects(document.get("nodes"), where)]
    yield from fields_left(entries, _NODE_KEYS, "nodes")
    if numbers := sum(isinstance(entry.get("level"), int | float) for entry in entries):
        yield Loss("field", "nodes.level", "a number, and levels have names", numbers)
    for entry in entries:
        name = as_name(entry.get("id"), where)
        if _is_shut(entry) and name not in doors:
            reason = "it is shut, and joins not two places of which one is a room: it is taken for open"
            yield Loss(DOUBT, clip(name, 100), reason)
    yield from fields_left((edge for _, edge in _listed(document, where)), _EDGE_KEYS, "edges")


def _one_way(document: Mapping[str, object], scene: Scene, where: str) -> Iterator[Loss]:
    """Yield the ways of a directed graph that it has in one direction only: a robot drives them in both."""
    links = {(link.a, link.b) for link in scene.links}
    links |= {(b, a) for a, b in links}
    ends = ("source", "target")
    pairs = [tuple(as_name(edge.get(end), at) for end in ends) for at, edge in _listed(document, where)]
    ways = {pair for pair in pairs if pair in links}
    alone = sum((b, a) not in ways for a, b in ways)
    if alone:
        yield Loss("edge", "edges in one direction", "a way is driven in both directions", alone)


def _other_places(document: Mapping[str, object], scene: Scene, where: str) -> Iterator[Loss]:
    """Yield the places under the keys of a node in which the scene does not have it."""
    for at, fields in objects(document.get("nodes"), f"{where}: nodes"):
        node = scene.nodes[as_name(fields.get("id"), f"{at}.id")]
        for key in _PARENTS:
            place = fields.get(key)
            name = as_name(place, f"{at}.{key}") if place not in (None, "") else node.at or node.parent
            if name not in (node.parent, node.at, *scene.ancestors(node.at or node.id)):
                yield Loss("field", clip(f"{node.id}.{key}: {place}", 100), "it is kept in another place")


def _word(edge: Mapping[str, object]) -> str:
    """Return the relation that an edge names, in one spelling; empty where it names none."""
    labels = (v for k in ("relation", "label", "type") if isinstance(v := edge.get(k), str))
    return next(labels, "").strip().lower().replace(" ", "_")


def _listed(document: Mapping[str, object], where: str) -> list[tuple[str, Mapping[str, object]]]:
    """Return the edges with their places, under either of the two names that networkx has used."""
    key = "edges" if "edges" in document else "links"
    return objects(document.get(key, []), f"{where}: {key}")


def _own(document: Mapping[str, object], where: str) -> tuple[dict[str, Node], tuple[Link, ...]]:
    nodes: dict[str, Node] = {}
    for at, entry in objects(document.get("nodes"), f"{where}: nodes"):
        add(nodes, node_from_json(entry, at), f"{at}.id")
    ways = ((at, edge) for at, edge in _listed(document, where) if edge.get("relation") == WAY)
    ends = {"source": "a", "target": "b", "length": "length", "door": "door"}
    raw = ((at, {name: edge[key] for key, name in ends.items() if key in edge}) for at, edge in ways)
    return nodes, tuple(link_from_json(link, nodes, at) for at, link in raw)


def _other(document: Mapping[str, object], where: str) -> tuple[dict[str, Node], tuple[Link, ...]]:
    entries: dict[str, tuple[str, Mapping[str, object]]] = {}
    for at, fields in objects(document.get("nodes"), f"{where}: nodes"):
        node_id = as_name(fields.get("id"), f"{at}.id")
        if node_id in entries:
            raise SceneError(f"{at}.id", "ids that are unique", clip(node_id))
        entries[node_id] = (at, fields)
    route_graph = not any(_types(fields) for _, fields in entries.values())
    nodes = {i: _node(i, fields, at, route_graph) for i, (at, fields) in entries.items()}
    stands: dict[str, list[tuple[str, str]]] = {}
    ways: list[tuple[str, str, Mapping[str, object], str]] = []
    for at, edge in _listed(document, where):
        a, b = (as_name(edge.get(end), f"{at}.{end}") for end in ("source", "target"))
        if a not in nodes or b not in nodes:
            continue  # among the losses
        placed = _placed(nodes[a], nodes[b], edge)
        if placed is not None:
            child, parent, relation = placed
            stands.setdefault(child, []).append((parent, relation))
        elif nodes[a].type in ("room", "pose") and nodes[b].type in ("room", "pose") and a != b:
            ways.append((a, b, edge, at))
    forest = Forest()
    for node_id, (at, fields) in entries.items():
        nodes[node_id] = _put(nodes, node_id, fields, at, stands.get(node_id, []), forest)
    links = [Link(a, b, _length(nodes[a], nodes[b], edge, at)) for a, b, edge, at in ways]
    for door in [i for i, (_, fields) in entries.items() if _is_shut(fields)]:
        links = _with_door(nodes, door, links)
    return with_robot(nodes), tuple(links)


def _is_shut(fields: Mapping[str, object]) -> bool:
    """Return whether a node is a door that its states say nobody goes through."""
    if not any(word.lower() == DOOR for word in _types(fields)):
        return False
    return not SHUT.isdisjoint(word.lower() for word in as_words(_first(fields, "state", "states"), ""))


def _with_door(nodes: dict[str, Node], door: str, links: list[Link]) -> list[Link]:
    """Return the links with a shut door between the places that it joins; make it an asset there."""
    ways = [link for link in links if door in (link.a, link.b)]
    ends = [link.b if link.a == door else link.a for link in ways]
    rooms = [end for end in ends if nodes[end].type == "room"]
    if len(set(ends)) != 2 or len(ways) != 2 or not rooms:
        return links
    own, other = rooms[0], next(end for end in ends if end != rooms[0])
    words = {word.lower() for word in (*nodes[door].state, *nodes[door].attributes)}
    affordances = () if "locked" in words else ("open", "close")
    node = replace(nodes[door], type="asset", parent=own, relation="in", state=("closed",))
    nodes[door] = node = replace(node, affordances=affordances)
    rest = [link for link in links if link not in ways]
    if all({link.a, link.b} != {own, other} for link in rest):
        return [*rest, Link(own, other, round(sum(link.length for link in ways), 3), door)]
    poses, through = behind_door(node, nodes[own], nodes[other], rest, nodes)
    nodes.update((pose.id, pose) for pose in poses)
    return [*rest, *through]


def _existing(value: object, nodes: Mapping[str, Node], at: str) -> str:
    node_id = as_name(value, at)
    if node_id not in nodes:
        raise SceneError(at, "the id of a node", clip(node_id), did_you_mean(node_id, nodes))
    return node_id


def _first(fields: Mapping[str, object], *keys: str) -> object:
    return next((fields[k] for k in keys if fields.get(k) is not None), None)


def _types(fields: Mapping[str, object]) -> list[str]:
    """Return the words that may say a node's type."""
    keys = ("type", "kind", "category", "layer", "level")
    return [word for key in keys if isinstance(word := fields.get(key), str)]


def _node(node_id: str, fields: Mapping[str, object], at: str, route_graph: bool) -> Node:
    """Read a node without its place; those of a route graph have no types."""
    types = _types(fields)
    kind = next((TYPES[w.lower()] for w in types if w.lower() in TYPES), None)
    position = _position(fields, at)
    if kind is None and route_graph and position is not None:
        kind = "pose"
    if kind is None:
        hint = did_you_mean(types[0], TYPES) if types else f"types are {', '.join(NODE_TYPES)}"
        raise SceneError(f"{at}.type", "a node type", clip(types[0] if types else None), hint)
    states = as_words(_first(fields, "state", "states"), f"{at}.state")
    words = as_words(fields.get("attributes"), f"{at}.attributes")
    stated = as_words(_first(fields, "classes", "class", "class_name"), f"{at}.classes")
    named = map(default_class, as_words(_first(fields, "label", "name"), f"{at}.label"))
    classes = stated or tuple(c for c in named if any(letter.isalpha() for letter in c))
    if not classes:
        own_class = default_class(node_id)
        classes = (own_class,) if any(letter.isalpha() for letter in own_class) else (kind,)
    affordances = fields.get("affordances")
    return Node(
        node_id,
        kind,
        classes=tuple(class_name(c) or c for c in classes),
        affordances=implied(kind, states)
        if affordances is None
        else as_words(affordances, f"{at}.affordances"),
        state=tuple(s.lower() for s in states if s.lower() in state_words()),
        attributes=tuple(dict.fromkeys((*words, *(s for s in states if s.lower() not in state_words())))),
        position=position,
        description=" ".join(as_words(fields.get("description"), f"{at}.description")),
    )


def _position(fields: Mapping[str, object], at: str) -> Position | None:
    value = _first(fields, "position", "pos", "world")
    if value is None and fields.get("x") is not None and fields.get("y") is not None:
        value = [fields["x"], fields["y"], fields.get("z", 0.0)]
    if isinstance(value, list) and len(value) == 2:
        value = [*value, 0.0]
    return as_point(value, f"{at}.position")


def _placed(a: Node, b: Node, edge: Mapping[str, object]) -> tuple[str, str, str] | None:
    """Return child, parent and relation if an edge places one node in or on another."""
    word = _word(edge)
    if word in BELOW:
        return a.id, b.id, BELOW[word]
    if word in ABOVE:
        return b.id, a.id, ABOVE[word]
    ranks = [_RANK.get(n.type, len(_RANK)) for n in (a, b)]
    if word or ranks[0] == ranks[1] or {a.type, b.type} <= {"room", "pose"}:
        return None
    child, parent = (a, b) if ranks[0] > ranks[1] else (b, a)
    return child.id, parent.id, "inside_hand" if parent.type == "agent" else ""


def _put(
    nodes: Mapping[str, Node],
    node_id: str,
    fields: Mapping[str, object],
    at: str,
    stands: list[tuple[str, str]],
    forest: Forest,
) -> Node:
    """Return the node in its place: its named parent, or the first that an edge gives without a circle."""
    node = nodes[node_id]
    key = next((k for k in _PARENTS if fields.get(k) not in (None, "")), None)
    relation = ""
    if key is not None:
        parent: str | None = _existing(fields[key], nodes, f"{at}.{key}")
        word = fields.get("relation")
        relation = BELOW.get(word.lower(), "") if isinstance(word, str) else ""
    else:
        fits = (p for p in stands if p[0] != node_id and forest.hang(node_id, p[0]))
        parent, relation = next(fits, (None, ""))
    if node.type == "agent":
        return replace(node, at=parent)
    if parent is None:
        return replace(node, relation=PLACE_UNKNOWN) if node.type in THINGS else node
    above = nodes[parent]
    if above.type == "agent":
        relation = "inside_hand"
    elif node.type not in ("object", "part") and (node.type != "asset" or above.type != "asset"):
        relation = "in"
    elif not relation:
        inside = not {"open", "close", "contain"}.isdisjoint(above.affordances)
        relation = "inside_of" if inside else "ontop_of"
    return replace(node, parent=parent, relation=relation)


def _length(a: Node, b: Node, edge: Mapping[str, object], at: str) -> float:
    for key in ("length", "distance", "weight"):
        if edge.get(key) is not None:
            return as_number(edge[key], f"{at}.{key}", "metres")
    return straight(a, b)


def _detect(content: Content) -> bool:
    raw = content.json_or_none
    if not isinstance(raw, dict) or not isinstance(raw.get("nodes"), list):
        return False
    edges = raw.get("edges", raw.get("links"))
    return isinstance(edges, list) and (
        "directed" in raw
        or "multigraph" in raw
        or any(isinstance(e, dict) and {"source", "target"} <= set(e) for e in edges[:3])
    )


FORMAT = Format(
    "node-link",
    "node-link JSON (networkx, d3)",
    _detect,
    json_reader(read_graph),
    json_writer(to_node_link),
    no_losses,
    (".node-link.json",),
)
