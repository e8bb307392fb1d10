"""Spark-DSG / Hydra scene graphs as JSON (Hughes et al., RSS 2022; Rosinol et al., RSS 2020; BSD-3-Clause).

The ``spark-dsg`` package fixes the fields. Files that groundplan wrote must be read back to the same scene;
the mapping of others, below, may be changed with ``docs/formats.md``.

A document, as ``DynamicSceneGraph.save("x.json")`` of the ``spark-dsg`` package writes it, is ``{"nodes":
[NODE, ...], "edges": [EDGE, ...], "layer_names": {...}, "metadata": {...}, "SPARK_DSG_header": {...}}`` with

- NODE ``{"id": 64-bit number, "layer": 2, "partition": 0, "attributes": {"type", "position": [x, y, z],
  "name", "semantic_label", "metadata", ...}}``
- EDGE ``{"source", "target", "info": {"weight", "weighted", "metadata"}}``, between layers (the higher is the
  parent) or within one

Mapping to a scene:

- ids as the package prints them: ``O(12)`` for the letter in the highest byte and the number in the others
- layers by ``layer_names``; without them by the type of a node's attributes, or else objects and agents 2,
  places 3, rooms 4, buildings 5
- places, mesh places and traversability places are poses; of each agent's trajectory the last node is kept
- classes: the name in the labelspace of the layer (``metadata.labelspaces._l2p0``), else the node's name
  where it says more than the id, else ``object``, ``room``, ...; spelt like ``dining_table``
- furniture and appliances (``classes``) are assets, other objects can be picked up. They stand at the place
  that an edge leads to, and the robot drives there for them; one that no edge leads to a place or room has no
  known place. A graph without rooms gets one
- a place is in the room that an edge leads to. One with things that is in none is in the nearest room along
  the places
- edges between places are links. A room is an end of routes: its only link is to the nearest of its places,
  of those that most others are joined with. Edges between rooms are links where one of the two has no places.
  Lengths are distances of positions, since the weight of an edge between places is its clearance
- meshes, boxes, features, times and deformation are left out

Losses, counted but for places: nodes of other layers and of an agent's earlier trajectory; edges that are no
link and no parent, and those between rooms that places lead to; numbers of labels that no label space names;
keys that are not read.

In writing, everything that a scene has is kept: as layers, edges and positions for all who read such files,
and whole under ``groundplan`` in the metadata of nodes and graph, from which it is read back exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import dist
from types import MappingProxyType

from ....domains.deadline import check_time
from ....domains.errors import SceneError, clip
from ....simulator.scene import PLACE_UNKNOWN, Link, Loss, Node, Position, Scene, containers_around
from ....simulator.scene_json import WORK, link_from_json, node_from_json, straight
from ..assembly import fresh, with_robot
from ..classes import abilities, class_name
from ..content import Content, Format, json_writer
from ..document import as_list, as_object, as_point
from ..losses import no_losses
from ..unread import counted, fields_left, keeps, parts_left, places_unknown
from .binary import as_json, is_binary
from .boxes import with_extent
from .ways import Ways
from .writer import NO_LABEL, OWN, to_spark

KINDS = {"OBJECTS": "object", "AGENTS": "agent", "PLACES": "pose", "MESH_PLACES": "pose", "ROOMS": "room"}
KINDS |= {"TRAVERSABILITY": "pose", "FLOORS": "floor", "BUILDINGS": "building", "CAMPUS": "campus"}
USUAL = {2: "object", 3: "pose", 4: "room", 5: "building"}
"""Kinds by layer where a file does not name its layers (before version 1.1)."""
SORTS = {"Object": "object", "KhronosObject": "object", "Place": "pose", "Place2d": "pose", "Room": "room"}
"""Kinds by the type of a node's attributes, which goes before the number of a layer without a name."""
NO_LABELS: Mapping[int, str] = MappingProxyType({})
_INDEX = (1 << 56) - 1
_KEYS = frozenset(
    "SPARK_DSG_header directed multigraph layer_keys layer_ids layer_names metadata nodes edges".split()
)
_ATTRIBUTES = frozenset(("type", "position", "name", "semantic_label", "bounding_box", "metadata"))


@dataclass(frozen=True, slots=True)
class _Item:
    """A node as the file has it; ``own`` is the scene's node in a file that this package wrote."""

    at: str
    id: str
    kind: str
    layer: int
    sort: str
    position: Position | None
    own: Node | None
    extra: Mapping[str, object]


def symbol(value: int) -> str:
    """Return a node's id as Spark-DSG prints it."""
    letter = chr(value >> 56)
    return f"{letter}({value & _INDEX})" if letter.isascii() and letter.isalpha() else str(value)


def read_graph(
    raw: object, where: str, default_name: str = "", labels: Mapping[int, str] = NO_LABELS
) -> Scene:
    """Read a scene graph as a scene; ``default_name`` names one that has no name.

    ``labels`` are words for the numbers of objects, before those of the file. Raises :class:`SceneError`
    naming the place in the document.
    """
    return _Reader(as_object(raw, where), where, labels).scene(default_name or where)


class _Reader:
    def __init__(self, raw: Mapping[str, object], where: str, labels: Mapping[int, str]) -> None:
        self.raw, self.where, self.given = raw, where, labels
        metadata = raw.get("metadata")
        self.metadata = metadata if isinstance(metadata, dict) else {}
        own = self.metadata.get(OWN)
        self.own: Mapping[str, object] = own if isinstance(own, dict) else {}
        self.kinds = self.layer_kinds()
        self.items: dict[int, _Item] = {}
        self.spaces: dict[str, Mapping[int, str]] = {}
        self.entries = self.listed("nodes")
        for index, entry in enumerate(self.entries):
            key, item = self.item(entry, f"{where}: nodes[{index}]")
            if key in self.items:
                raise SceneError(f"{item.at}.id", "ids that are unique", clip(str(key)))
            self.items[key] = item
        self.above: dict[int, int] = {}
        self.beside: list[tuple[int, int]] = []
        self.pairs = list(self.edges())
        for a, b in self.pairs:
            layers = self.items[a].layer, self.items[b].layer
            if layers[0] == layers[1]:
                self.beside.append((a, b))
            else:
                above, below = (a, b) if layers[0] > layers[1] else (b, a)
                other = self.above.get(below)
                nearer = self.items[below].kind == "object" and self.items[above].kind == "pose"
                if other is None or (nearer and self.items[other].kind != "pose"):
                    self.above[below] = above

    def listed(self, key: str) -> Sequence[object]:
        """Return the entries of a list; a file without edges has none."""
        return as_list(self.raw.get(key, [] if key == "edges" else None), f"{self.where}: {key}")

    def layer_kinds(self) -> Mapping[int, str]:
        """Return node types by layer. Agents share a layer with objects; their attributes tell them apart."""
        names = self.raw.get("layer_names")
        if not isinstance(names, dict):
            return USUAL
        kinds: dict[int, str] = {}
        for name, key in names.items():
            layer = key.get("layer") if isinstance(key, dict) else key
            if isinstance(layer, int) and KINDS.get(name, "agent") != "agent":
                kinds[layer] = KINDS[name]
        return kinds

    def item(self, entry: object, at: str) -> tuple[int, _Item]:
        fields = as_object(entry, at)
        key, layer, part = fields.get("id"), fields.get("layer"), fields.get("partition", 0)
        if not isinstance(key, int) or isinstance(key, bool) or not 0 <= key < 1 << 64:
            raise SceneError(f"{at}.id", "a whole number of 64 bits", clip(key))
        if not isinstance(layer, int) or isinstance(layer, bool):
            raise SceneError(f"{at}.layer", "the number of a layer", clip(layer))
        attributes = as_object(fields.get("attributes"), f"{at}.attributes")
        position = as_point(attributes.get("position"), f"{at}.attributes.position")
        sort = str(attributes.get("type", ""))
        kind = "agent" if sort.startswith("Agent") else self.kinds.get(layer, "")
        if self.kinds is USUAL:
            kind = SORTS.get(sort.removesuffix("Attributes").removesuffix("Node"), kind)
        label = attributes.get("semantic_label")
        word = self.labels(layer, part).get(label) if isinstance(label, int) else None
        name = attributes.get("name")
        if word is None and isinstance(name, str) and name != symbol(key):
            word = name
        metadata = attributes.get("metadata")
        own = metadata.get(OWN) if isinstance(metadata, dict) else None
        node = node_from_json(own, f"{at}.attributes.metadata.{OWN}") if own is not None else None
        if node is not None and node.position is not None and position is not None:
            node = replace(node, position=position)  # others may have moved it since
        extra = with_extent(attributes.get("bounding_box"))
        return key, _Item(at, symbol(key), kind, layer, class_name(word or "") or kind, position, node, extra)

    def labels(self, layer: int, part: object) -> Mapping[int, str]:
        """Return the label space of a layer and its partition, made once for all nodes."""
        spaces, name = self.metadata.get("labelspaces"), f"_l{layer}p{part}"
        if name not in self.spaces:
            space = spaces.get(name) if isinstance(spaces, dict) else None
            listed = space if isinstance(space, list) else []
            pairs = [pair for pair in listed if isinstance(pair, list) and len(pair) == 2]
            words: dict[int, str] = {}
            words |= {n: w for n, w in pairs if isinstance(n, int) and isinstance(w, str)}
            given = self.given if self.kinds.get(layer) == "object" else NO_LABELS
            words.update(given)
            self.spaces[name] = words
        return self.spaces[name]

    def edges(self) -> Iterator[tuple[int, int]]:
        for index, entry in enumerate(self.listed("edges")):
            at = f"{self.where}: edges[{index}]"
            fields = as_object(entry, at)
            for end in ("source", "target"):
                key = fields.get(end)
                if not isinstance(key, int) or key not in self.items:
                    raise SceneError(f"{at}.{end}", "the id of a node", clip(key))
            source, target = fields["source"], fields["target"]
            assert isinstance(source, int) and isinstance(target, int)
            if source != target:
                yield source, target

    def scene(self, default_name: str) -> Scene:
        agents = self.agents()
        kept = {
            k: i
            for k, i in self.items.items()
            if i.own is not None or (i.kind and (i.kind != "agent" or k in agents))
        }
        ids = {key: item.own.id if item.own is not None else item.id for key, item in kept.items()}
        taken: dict[str, Node | None] = {}
        for key, item in kept.items():
            if ids[key] in taken:
                raise SceneError(f"{item.at}.id", "names that are unique", clip(ids[key]))
            taken[ids[key]] = None
        rooms = any(item.kind == "room" for item in kept.values())
        nodes: dict[str, Node] = {}
        spare = ""
        if not rooms and any(i.kind in ("object", "pose") and i.own is None for i in kept.values()):
            spare = fresh("room", taken)
            made = {"id": "chosen: the file has no room"}
            nodes[spare] = Node(spare, "room", classes=("room",), provenance=made)
        positions = {key: item.position for key, item in kept.items()}
        ways = Ways({k: i.kind for k, i in kept.items()}, positions, self.above, self.beside)
        carriers = {self.above.get(key) for key, item in kept.items() if item.kind == "object"}
        for key, item in kept.items():
            room = ids[ways.rooms[key]] if key in carriers and key in ways.rooms else spare or None
            nodes[ids[key]] = item.own or self.node(key, item, ids, room)
        links = tuple(self.links(ways, kept, ids, nodes, spare))
        nodes = with_robot(nodes)
        losses = tuple(self.losses(ways, kept, ids, nodes))
        name, description = self.own_text("name", default_name), self.own_text("description", "")
        return Scene(name, nodes, links, description, losses)

    def losses(
        self, ways: Ways, kept: Mapping[int, _Item], ids: Mapping[int, str], nodes: Mapping[str, Node]
    ) -> Iterator[Loss]:
        """Yield what the file has and the scene has not; what this package wrote is whole in the metadata."""
        left = [item for key, item in self.items.items() if key not in kept]
        agents = sum(item.kind == "agent" for item in left)
        if agents:
            reason = "of each agent the end of its trajectory is kept"
            yield Loss("node", "earlier poses of agents", reason, agents)
        others = Counter(f"layer {item.layer}" for item in left if item.kind != "agent")
        yield from counted("node", others, "such layers are not read")
        yield from places_unknown(nodes.values())
        room_of = containers_around(nodes)
        ends_left: Counter[str] = Counter()
        replaced: Counter[str] = Counter()
        unread: Counter[str] = Counter()
        for a, b in self.pairs:
            below, above = sorted((a, b), key=lambda key: self.items[key].layer)
            low, high = self.items[below], self.items[above]
            name = f"{high.kind or 'other'} - {low.kind or 'other'}"
            if a not in kept or b not in kept:
                ends_left[name] += 1
            elif low.own is not None and high.own is not None:
                continue
            elif low.kind == high.kind == "room":
                replaced[name] += ways.joined_by_places(a, b)
            elif {low.kind, high.kind} != {"pose"}:
                starts = (ids[below], nodes[ids[below]].at or ids[below])
                unread[name] += not any(keeps(nodes, room_of, start, ids[above]) for start in starts)
        yield from counted("edge", ends_left, "one of its ends is left out")
        yield from counted("edge", +replaced, "the way from one to the other leads through their places")
        yield from counted("edge", +unread, "it is no way, and a node has one parent")
        yield from parts_left(self.raw, _KEYS)
        yield from self.keys_left()

    def keys_left(self) -> Iterator[Loss]:
        """Yield the keys of nodes and edges that are not read, of those that this package did not write."""
        unnamed = 0

        def attributes() -> Iterator[Mapping[str, object]]:
            nonlocal unnamed
            for entry, item in zip(self.entries, self.items.values(), strict=True):
                if item.own is None:
                    fields = as_object(entry, item.at)
                    unnamed += self.is_unnamed(fields)
                    yield as_object(fields.get("attributes"), "")

        yield from fields_left(attributes(), _ATTRIBUTES, "nodes.attributes")
        if unnamed:
            reason = "no label space names these numbers; --labels FILE gives one"
            yield Loss("field", "nodes.attributes.semantic_label", reason, unnamed)
        if not self.own:
            yield from fields_left(self.listed("edges"), ("source", "target"), "edges")

    def is_unnamed(self, entry: Mapping[str, object]) -> bool:
        """Return whether a node has a label that is not in the label space of its layer."""
        label = as_object(entry.get("attributes"), "").get("semantic_label")
        layer = entry.get("layer")
        if not isinstance(label, int) or label == NO_LABEL or not isinstance(layer, int):
            return False
        return label not in self.labels(layer, entry.get("partition", 0))

    def agents(self) -> frozenset[int]:
        """Return the agent that this package wrote, or the last node of each agent's trajectory."""
        agents = [k for k, i in self.items.items() if i.kind == "agent"]
        own = [k for k in agents if self.items[k].own is not None]
        return frozenset(own[:1] or {k >> 56: k for k in agents}.values())

    def node(self, key: int, item: _Item, ids: Mapping[int, str], room: str | None) -> Node:
        """Read a node with its place; ``room`` is where a place is that no edge puts in one."""
        above = self.above.get(key)
        node = Node(ids[key], item.kind, classes=(item.sort,), position=item.position, extra=item.extra)
        upper = self.items[above].kind if above is not None and above in ids else ""
        if item.kind == "agent":
            at = ids.get(above) if above is not None and upper in ("pose", "room") else None
            return replace(node, at=at or self.near(item, ids))
        if item.kind != "object":
            fits = upper in ("building", "floor", "campus") or (item.kind == "pose" and upper == "room")
            if above is not None and fits:
                return replace(node, parent=ids[above])
            if item.kind != "pose" or room is None:
                return node
            return replace(node, parent=room, provenance={"parent": NEAREST_ROOM})
        parent = ids[above] if above is not None and upper in ("pose", "room") else room
        kind, affordances = abilities(item.sort)
        relation = PLACE_UNKNOWN if parent is None else "in" if kind == "asset" else "ontop_of"
        return replace(node, type=kind, parent=parent, relation=relation, affordances=affordances)

    def near(self, item: _Item, ids: Mapping[int, str]) -> str | None:
        """Return the nearest of the first places and rooms; none where positions are missing."""
        check_time(WORK)
        keys = islice((key for key in ids if self.items[key].kind in ("pose", "room")), MAX_NEAR)
        listed = [(key, place) for key in keys if (place := self.items[key].position) is not None]
        if item.position is None or not listed:
            return None
        here = item.position
        return ids[min(listed, key=lambda entry: dist(here, entry[1]))[0]]

    def links(
        self,
        ways: Ways,
        kept: Mapping[int, _Item],
        ids: Mapping[int, str],
        nodes: Mapping[str, Node],
        spare: str,
    ) -> Iterator[Link]:
        """Yield the links that this package wrote, and those of others."""
        at = f"{self.where}: metadata.{OWN}.links"
        for index, entry in enumerate(as_list(self.own.get("links", []), at)):
            link = link_from_json(entry, nodes, f"{at}[{index}]")
            if link.a in nodes and link.b in nodes:
                yield link
        for a, b in ways.links(SPARE if spare else None):
            if a == SPARE or kept[a].own is None or kept[b].own is None:
                ends = (spare if a == SPARE else ids[a], ids[b])
                yield Link(*ends, straight(nodes[ends[0]], nodes[ends[1]]))

    def own_text(self, key: str, default: str) -> str:
        """Return the scene's name or description in a file that this package wrote."""
        text = self.own.get(key)
        return text if isinstance(text, str) else default


NEAREST_ROOM = "chosen: things stand here, and no edge says in which room: the nearest along the places"
SPARE = -1
"""The key of the room that a graph without rooms gets."""
MAX_NEAR = 1000
"""Places that are looked at for one that an edge does not name."""


def _detect(content: Content) -> bool:
    if is_binary(content):
        return True
    raw = content.json_or_none
    if not isinstance(raw, dict) or not isinstance(raw.get("nodes"), list):
        return False
    return "SPARK_DSG_header" in raw or "layer_keys" in raw or "layer_ids" in raw


def _read(content: Content) -> Scene:
    raw = as_json(content) if is_binary(content) else content.json
    return read_graph(raw, content.where, content.name, content.labels)


FORMAT = Format(
    "spark-dsg",
    "Spark-DSG / Hydra JSON, or binary (.sparkdsg)",
    _detect,
    _read,
    json_writer(to_spark, None),
    no_losses,
    (".dsg.json", ".spark.json"),
    labelled=True,
)
