"""The scene graph: typed nodes in a hierarchy, and traversable links between poses and rooms.

A :class:`Scene` is a value; changing one gives another (:meth:`Scene.changed`). Look-ups that everything
needs (children, neighbours, members of a class) are indexes that are built once, on first use. The rules of a
scene are in :func:`check`; a new type of node or relation needs an entry in the tables below, a rule there,
and a pattern in the packs that plan with it. The form that is hashed (:func:`node_key`) must stay: records
hold the hash. The JSON form is in ``scene_json``, other formats in ``datasets/formats``.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from unicodedata import normalize

from ..domains.deadline import check_time
from ..domains.errors import SceneError, clip, did_you_mean
from ..domains.storage.json_record import JsonRecord

BUILT_IN = ("asset", "part")
"""The types of fixed nodes that stand in another one."""
NODE_TYPES = ("campus", "building", "floor", "room", "pose", "asset", "object", "part", "agent")
RELATIONS = ("inside_of", "ontop_of", "under", "attached_to", "inside_hand", "in")
CONTAINERS = frozenset({"campus", "building", "floor", "room"})
THINGS = ("asset", "object", "part")
ANCHORS = ("pose", "room")
"""The types of nodes that links join, where the robot's base can be."""
MOVABLE = ("object",)
PLACE_UNKNOWN = "unknown"
"""The relation of an asset, object or part that is somewhere, and nobody knows where; it has no parent."""

RESERVED = "\0\0"
"""Begins the names of things that there may be (``sensing.open_state``), which no node has."""

NOT_READ = "this key is not read"
"""The reason of the loss of a key of a file."""
DOUBT = "doubt"
"""The kind of loss of what a file says in two ways, or is unlikely: the scene has one reading of it."""
EXTENT = "extent"
"""The further key of a node with its size along x, y and z, in metres."""

MAX_LENGTH = 1_000_000
"""Most metres of a link."""

MAX_DEPTH = 500
"""Most nodes above a node. Whatever looks at all that is above each node takes time in proportion."""

Position = tuple[float, float, float]

_NUMBERED = re.compile(r"\d++[\s_.\-]*+")
"""Final number of an id with its separator, matched on the reversed id, in one pass."""


@dataclass(frozen=True, slots=True)
class Node:
    """One entity; ``relation`` is how it stands to ``parent``, ``at`` the pose of an agent.

    A thing whose place is not known has no parent and the relation :data:`PLACE_UNKNOWN`.
    """

    id: str
    type: str
    parent: str | None = None
    relation: str = "in"
    classes: tuple[str, ...] = ()
    affordances: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    position: Position | None = None
    at: str | None = None
    description: str = ""
    provenance: Mapping[str, str] = field(default_factory=dict, compare=False, hash=False)
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)
    """Further keys of a file, as JSON: kept for whoever reads the scene, and no part of any goal."""


@dataclass(frozen=True, slots=True)
class Link:
    """A connection that the robot can drive in both directions; ``length`` in metres.

    ``door`` is the asset that has to be open on the way, empty for none. It stands in the room at one end,
    and is worked from both.
    """

    a: str
    b: str
    length: float
    door: str = ""


@dataclass(frozen=True, slots=True)
class Loss(JsonRecord):
    """Part of a file that the scene read from it does not have, and the reason.

    ``kind`` is ``node`` or ``edge`` (left out), ``place`` (a node whose place the file does not give, or not
    as one), ``goal``, ``fact``, ``field`` (a key that is not read) or :data:`DOUBT`. ``id`` is the name in
    the file of what was lost, or of its sort where ``count`` are alike.
    """

    kind: str
    id: str
    reason: str
    count: int = 1


def is_id(value: object) -> bool:
    """Return whether a value can be the id of a node: a text that is not empty and not :data:`RESERVED`."""
    return isinstance(value, str) and value != "" and not value.startswith(RESERVED)


def default_class(node_id: str) -> str:
    """Return the class of a node without classes: its id without final digits (``desk3`` → ``desk``)."""
    number = _NUMBERED.match(node_id[::-1])
    return node_id[: len(node_id) - number.end()] or node_id if number is not None else node_id


@dataclass(frozen=True)
class Scene:
    """A scene graph. ``nodes`` keep the order of their source; ids are unique and parents exist.

    ``losses`` are what the file had and the scene has not; equality and hash leave them out. Raises
    :class:`SceneError` when the nodes and links do not form a scene.
    """

    name: str
    nodes: Mapping[str, Node]
    links: tuple[Link, ...] = ()
    description: str = ""
    losses: tuple[Loss, ...] = field(default=(), compare=False)
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)
    """Further keys of a file beside its nodes and links, as JSON: kept, and no part of any goal."""

    def __post_init__(self) -> None:
        # A scene's hash is compared before and after a reader saw it: nobody may change the nodes in between.
        object.__setattr__(self, "nodes", MappingProxyType(dict(self.nodes)))
        check(self)

    def __reduce__(self) -> tuple[type[Scene], tuple[object, ...]]:
        """Pickle by the constructor's arguments, since a read-only mapping cannot be pickled."""
        return Scene, (self.name, dict(self.nodes), self.links, self.description, self.losses, self.extra)

    @cached_property
    def children(self) -> Mapping[str, tuple[str, ...]]:
        """The ids below each node, in scene order."""
        return _grouped((n.parent, n.id) for n in self.nodes.values() if n.parent is not None)

    @cached_property
    def neighbours(self) -> Mapping[str, Mapping[str, int]]:
        """Adjacent places with the length of the link, in millimetres; the shortest of parallel links."""
        near: dict[str, dict[str, int]] = {}
        for link in self.links:
            length = round(link.length * 1000)
            for here, there in ((link.a, link.b), (link.b, link.a)):
                lengths = near.setdefault(here, {})
                lengths[there] = min(length, lengths.get(there, length))
        return near

    @cached_property
    def doors(self) -> Mapping[tuple[str, str], str]:
        """The doors between rooms, by the two ends of their link, in both orders."""
        ends = ((link, pair) for link in self.links for pair in ((link.a, link.b), (link.b, link.a)))
        return {pair: link.door for link, pair in ends if link.door}

    @cached_property
    def door_ends(self) -> Mapping[str, tuple[str, str]]:
        """The two ends of the link of each door: the room that the door is in, and the place beyond."""
        return {door: (a, b) for (a, b), door in self.doors.items() if self.nodes[door].parent == a}

    @cached_property
    def by_type(self) -> Mapping[str, tuple[str, ...]]:
        """The nodes of each type, in scene order."""
        return _grouped((node.type, node.id) for node in self.nodes.values())

    @cached_property
    def by_class(self) -> Mapping[str, tuple[str, ...]]:
        """The nodes of each class, in scene order."""
        return _grouped((name, node.id) for node in self.nodes.values() for name in node.classes)

    @cached_property
    def by_attribute(self) -> Mapping[str, tuple[str, ...]]:
        """The nodes with each attribute, in scene order."""
        return _grouped((name, node.id) for node in self.nodes.values() for name in node.attributes)

    @cached_property
    def unplaced(self) -> Mapping[str, None]:
        """The things whose place is not known, with all that is in or on them, in scene order."""
        roots = [n.id for n in self.nodes.values() if n.relation == PLACE_UNKNOWN]
        unplaced = {i for root in roots for i in (root, *self.descendants(root))}
        return {i: None for i in self.nodes if i in unplaced} if unplaced else {}

    @cached_property
    def agent(self) -> Node:
        """The robot. Raises :class:`SceneError` when there is not exactly one."""
        agents = self.by_type.get("agent", ())
        if len(agents) != 1:
            raise SceneError(self.name, "exactly one node of type agent", str(len(agents)))
        return self.nodes[agents[0]]

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the canonical text: the same for the same nodes and links in any order."""
        nodes = {}
        for name, node in self.nodes.items():
            check_time("hashing the scene")
            nodes[name] = node_key(node)
        links = sorted(
            (*sorted((x.a, x.b)), round(x.length * 1000), *([x.door] if x.door else [])) for x in self.links
        )
        text = json.dumps({"nodes": nodes, "links": links}, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def ancestors(self, node_id: str) -> Iterator[str]:
        """Yield the ids above a node, nearest first."""
        parent = self.nodes[node_id].parent
        while parent is not None:
            yield parent
            parent = self.nodes[parent].parent

    def room_of(self, node_id: str) -> str | None:
        """Return the room that a node is or is in; ``None`` outside of rooms."""
        if self.nodes[node_id].type == "room":
            return node_id
        return next((a for a in self.ancestors(node_id) if self.nodes[a].type == "room"), None)

    def descendants(self, node_id: str) -> Iterator[str]:
        """Yield every id below a node, parents before their children."""
        stack = list(reversed(self.children.get(node_id, ())))
        while stack:
            current = stack.pop()
            yield current
            stack.extend(reversed(self.children.get(current, ())))

    def contents(self, node_id: str) -> Iterator[str]:
        """Yield what is in or on a node: of a pose in it, what stands there instead of the pose."""
        for child in self.children.get(node_id, ()):
            if self.nodes[child].type == "pose":
                yield from self.children.get(child, ())
            else:
                yield child

    def above(self, node_id: str) -> str | None:
        """Return the node that a fixed node stands in; ``None`` for rooms, poses in none, what is above."""
        node = self.nodes[node_id]
        if node.type == "pose":
            within = node.parent is not None and self.nodes[node.parent].type == "room"
            return node.parent if within else None
        return node.parent if node.type in BUILT_IN else None

    def anchor_of(self, node_id: str) -> str | None:
        """Return the pose or room from which a node is reached: itself, or the nearest around it."""
        around = (node_id, *self.ancestors(node_id))
        return next((a for a in around if self.nodes[a].type in ANCHORS), None)

    def built_in(self, node_id: str) -> Iterator[str]:
        """Yield the fixed nodes and poses from which :meth:`above` leads up to a place, parents first.

        A floor has what stands on it in no room, and not what is in its rooms.
        """
        stack = list(reversed(self.children.get(node_id, ())))
        while stack:
            current = stack.pop()
            if self.above(current) is not None:
                yield current
                stack.extend(reversed(self.children.get(current, ())))

    def changed(
        self,
        add: Iterable[Node] = (),
        remove: Iterable[str] = (),
        change: Mapping[str, Mapping[str, object]] | None = None,
    ) -> Scene:
        """Return a scene with nodes added, removed (with all below them) or changed field by field."""
        gone: set[str] = set()
        for node_id in remove:
            _check_there(node_id, self, "remove")
            gone |= {node_id, *self.descendants(node_id)}
        nodes = {i: n for i, n in self.nodes.items() if i not in gone}
        for node_id, fields in (change or {}).items():
            _check_there(node_id, self, "change")
            nodes[node_id] = replace(nodes[node_id], **fields)  # type: ignore[arg-type]
        for node in add:
            if node.id in nodes:
                hint = "choose another id, or change the node that has it"
                raise SceneError(f"{self.name}: add", "a new id", clip(node.id), hint)
            nodes[node.id] = node
        links = tuple(
            replace(x, door="") if x.door in gone else x
            for x in self.links
            if x.a not in gone and x.b not in gone
        )
        return replace(self, nodes=nodes, links=links)


def undescribed(scene: Scene) -> Scene:
    """Return a scene without descriptions of nodes, which no fact says."""
    if not any(node.description for node in scene.nodes.values()):
        return scene
    return replace(scene, nodes={i: replace(node, description="") for i, node in scene.nodes.items()})


def _check_there(node_id: str, scene: Scene, where: str) -> None:
    """Check that a node is there. Raises :class:`SceneError` with the nearest ids."""
    if node_id not in scene.nodes:
        hint = did_you_mean(node_id, scene.nodes)
        raise SceneError(f"{scene.name}: {where}", "the id of a node", clip(node_id), hint)


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    groups: dict[str, list[str]] = {}
    for key, node_id in pairs:
        groups.setdefault(key, []).append(node_id)
    return {key: tuple(ids) for key, ids in groups.items()}


def node_key(node: Node) -> list[object]:
    """Return the canonical form of a node: all but order within sets, provenance and what is extra."""
    return [
        node.type,
        node.parent,
        node.relation if node.parent is not None else "in",
        list(node.classes),
        sorted(node.affordances),
        sorted(node.state),
        sorted(node.attributes),
        list(node.position) if node.position else None,
        node.at,
        node.description,
    ]


def check(scene: Scene) -> None:
    """Check the rules of a scene. Raises :class:`SceneError` at the first that is broken."""
    spelt: dict[str, str] = {}
    for node_id, node in scene.nodes.items():
        if node.id != node_id or not is_id(node_id):
            expected = "nodes under their own ids, not empty and without two null characters in front"
            raise SceneError(scene.name, expected, clip(node_id))
        composed = node_id if node_id.isascii() else normalize("NFC", node_id)
        if composed != node_id and (
            composed in scene.nodes or spelt.setdefault(composed, node_id) != node_id
        ):
            got = f"{clip(node_id)} twice, with its accents as signs of their own and as part of the letters"
            raise SceneError(scene.name, "ids that differ to the eye", got, "give one of them another id")
        if node.type not in NODE_TYPES:
            hint = did_you_mean(node.type, NODE_TYPES) or f"types are {', '.join(NODE_TYPES)}"
            raise SceneError(place(scene, node), "a node type", clip(node.type), hint)
        unplaced = node.relation == PLACE_UNKNOWN and node.parent is None and node.type in THINGS
        if node.relation not in RELATIONS and not unplaced:
            hint = did_you_mean(node.relation, RELATIONS) or f"relations are {', '.join(RELATIONS)}"
            raise SceneError(place(scene, node), "a relation", clip(node.relation), hint)
        if node.parent is not None and node.parent not in scene.nodes:
            hint = did_you_mean(node.parent, scene.nodes)
            raise SceneError(place(scene, node), "a parent that exists", clip(node.parent), hint)
        if node.type in THINGS and node.parent is None and not unplaced:
            hint = f'every asset and object is somewhere; "relation": "{PLACE_UNKNOWN}" if nobody knows where'
            raise SceneError(place(scene, node), "a parent", "none", hint)
        if node.position is not None and not all(map(math.isfinite, node.position)):
            raise SceneError(place(scene, node), "a finite position", str(node.position))
        if node.at is not None:
            target = scene.nodes.get(node.at)
            if target is None or target.type not in ("pose", "room", "asset"):
                hint = did_you_mean(node.at, scene.nodes)
                raise SceneError(place(scene, node), "at: a pose, room or asset", clip(node.at), hint)
    _check_hierarchy(scene)
    for link in scene.links:
        for end in (link.a, link.b):
            node_type = scene.nodes[end].type if end in scene.nodes else "unknown"
            if node_type not in ("pose", "room"):
                hint = did_you_mean(end, scene.nodes) if node_type == "unknown" else ""
                where = f"{scene.name}: link {clip(link.a)} - {clip(link.b)}"
                raise SceneError(where, "poses or rooms", f"{node_type} {clip(end)}", hint)
        if not 0 <= link.length <= MAX_LENGTH or link.a == link.b:
            where = f"{scene.name}: link {clip(link.a)} - {clip(link.b)}"
            raise SceneError(where, f"two ends and a length of 0 to {MAX_LENGTH} m", str(link.length))
    _check_doors(scene)


def place(scene: Scene, node: Node) -> str:
    """Return the location of a node for messages: the scene and the node."""
    return f"{scene.name}: node {clip(node.id)}"


def _check_doors(scene: Scene) -> None:
    """Check that each door is an asset of the room at one end of one link, with no other link beside it."""
    if not any(link.door for link in scene.links):
        return
    ends: dict[frozenset[str], str] = {}
    taken: set[str] = set()
    for link in scene.links:
        where = f"{scene.name}: link {clip(link.a)} - {clip(link.b)}"
        pair = frozenset((link.a, link.b))
        if pair in ends and ends[pair] != link.door:
            raise SceneError(where, "one way between two places that has a door", "another link beside it")
        ends[pair] = link.door
        if not link.door:
            continue
        node = scene.nodes.get(link.door)
        if node is None or node.type != "asset":
            got = clip(link.door) if node is None else f"{node.type} {clip(link.door)}"
            hint = did_you_mean(link.door, scene.nodes) if node is None else ""
            raise SceneError(f"{where}: door", "the id of an asset", got, hint)
        if node.parent not in pair:
            raise SceneError(f"{where}: door", "an asset of the room at one end", f"in {clip(node.parent)}")
        if link.door in taken:
            raise SceneError(f"{where}: door", "a door on one link", f"{clip(link.door)} on several")
        taken.add(link.door)


def _check_hierarchy(scene: Scene) -> None:
    """Check that parents lead to a root in few steps, and that nothing movable carries something fixed."""
    rank = {t: i for i, t in enumerate(("campus", "building", "floor", "room"))}
    _check_depth(scene)
    for node in scene.nodes.values():
        if node.parent is None:
            continue
        above = scene.nodes[node.parent]
        if node.type in rank and rank.get(above.type, 99) >= rank[node.type]:
            raise SceneError(place(scene, node), "a parent on a higher level", f"{above.type} {above.id}")
        if node.type in ("asset", "part") and above.type in ("object", "agent"):
            raise SceneError(place(scene, node), "a fixed parent", f"{above.type} {above.id}")
        if (above.type == "agent") != (node.relation == "inside_hand"):
            raise SceneError(
                place(scene, node), "relation inside_hand, with the agent as parent", node.relation
            )
        if node.type == "object" and above.type in ("floor", "building", "campus"):
            raise SceneError(place(scene, node), "a room, pose, asset, object or agent as parent", above.type)


def _check_depth(scene: Scene) -> None:
    """Check that no node is below itself, nor more than :data:`MAX_DEPTH` nodes deep."""
    depth: dict[str, int] = {}
    for start, node in scene.nodes.items():
        if node.parent is None or node.parent in depth:  # nearly always: parents are mostly named first
            depth[start] = 1 + depth[node.parent] if node.parent is not None else 0
            continue
        trail: dict[str, None] = {}
        current: str | None = start
        while current is not None and current not in depth:
            if current in trail:
                names = list(trail)
                loop = " → ".join(clip(t, 30) for t in [*names[names.index(current) :][:5], current])
                hint = "give one of them another parent, or none"
                raise SceneError(place(scene, scene.nodes[current]), "a hierarchy without cycles", loop, hint)
            trail[current] = None
            current = scene.nodes[current].parent
        above = depth[current] if current is not None else -1
        depth |= {name: above + n for n, name in enumerate(reversed(trail), 1)}
    for name, nodes_above in depth.items():
        if nodes_above > MAX_DEPTH:
            got = f"{nodes_above} or more"
            hint = "a deeper one is mostly a mistake in the parents; leave out what is within the innermost"
            raise SceneError(
                place(scene, scene.nodes[name]), f"at most {MAX_DEPTH} nodes above a node", got, hint
            )


def containers_around(nodes: Mapping[str, Node]) -> dict[str, str | None]:
    """Return the nearest room, floor or building of each node, or itself; ``None`` for what is in none.

    They are found once for all nodes, since files may nest things ten thousand deep.
    """
    around: dict[str, str | None] = {}
    for start in nodes:
        trail: list[str] = []
        passed: set[str] = set()
        current: str | None = start
        while current is not None and current not in around and current not in passed:
            if nodes[current].type in CONTAINERS:
                around[current] = current
                break
            trail.append(current)
            passed.add(current)
            current = nodes[current].parent
        container = around.get(current) if current is not None else None
        around |= dict.fromkeys(trail, container)
    return around
