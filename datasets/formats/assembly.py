"""Complete imported scenes: single parents, links between rooms, a robot; each reader takes what it needs.

Other formats list relations between nodes, often transitive and sometimes circular; a scene is a tree. Some
have no links between rooms, since their simulators let the robot go anywhere, and some have no robot. What is
added is a choice: the robot's node says so in its provenance, and ``docs/formats.md`` lists the rest. Change
a choice together with that list; a scene that has a robot and joined rooms must stay as it is.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count, pairwise

from ...domains.errors import SceneError, clip
from ...simulator.scene import Link, Node, Scene
from ...simulator.scene_json import straight
from .document import distance

MAX_PAIRED = 40
"""Rooms up to which all pairs are linked; more are linked in a row."""


class Forest:
    """Parents that never form a circle; each look-up takes almost constant time (union by path halving)."""

    def __init__(self) -> None:
        self._root: dict[str, str] = {}

    def root(self, node_id: str) -> str:
        """Return the highest node above a node so far."""
        root = self._root
        while (above := root.get(node_id, node_id)) != node_id:
            root[node_id] = root.get(above, above)
            node_id = root[node_id]
        return node_id

    def hang(self, node_id: str, parent: str) -> bool:
        """Put a node without a parent below another; false, and no change, where that makes a circle."""
        if self.root(parent) == node_id:
            return False
        self._root[node_id] = parent
        return True


def join_rooms(nodes: Mapping[str, Node], links: Sequence[Link] = ()) -> tuple[Link, ...]:
    """Return the links and, where they leave rooms apart, straight ones between all rooms of different parts.

    For worlds whose simulator lets the robot go from any room to any other. Beyond :data:`MAX_PAIRED`
    rooms only those that follow each other are linked.
    """
    parts = Forest()
    for link in links:
        a, b = parts.root(link.a), parts.root(link.b)
        if a != b:
            parts.hang(a, b)
    rooms = [n for n in nodes.values() if n.type == "room"]
    part = {n.id: parts.root(n.id) for n in rooms}
    if len(rooms) <= MAX_PAIRED:
        pairs = [(a, b) for i, a in enumerate(rooms) for b in rooms[i + 1 :]]
    else:
        pairs = list(pairwise(rooms))
    added = [Link(a.id, b.id, straight(a, b)) for a, b in pairs if part[a.id] != part[b.id]]
    return (*links, *added)


def behind_door(
    door: Node, a: Node, b: Node, links: Iterable[Link], taken: Container[str]
) -> tuple[tuple[Node, ...], tuple[Link, ...]]:
    """Return the way from the room of a door to the one beyond: a link, and poses on it.

    A link with a door is the only one between its ends. Where the rooms have one already, a pose behind the
    door takes it.
    """
    whole = distance(a.position, door.position, b.position)
    if all({link.a, link.b} != {a.id, b.id} for link in links):
        return (), (Link(a.id, b.id, straight(a, b) if whole is None else whole, door.id),)
    lengths = [distance(room.position, door.position) for room in (a, b)]
    near, far = (straight(a, b) / 2 if length is None else length for length in lengths)
    pose = Node(fresh(f"behind_{door.id}", taken), "pose", classes=("doorway",), position=door.position)
    return (pose,), (Link(a.id, pose.id, near, door.id), Link(pose.id, b.id, far))


def add(nodes: dict[str, Node], node: Node, at: str, expected: str = "ids that are unique") -> None:
    """Put a node among others. Raises :class:`SceneError` where there is one of its id."""
    if node.id in nodes:
        got = f"{clip(node.id)}, which is of type {nodes[node.id].type}, too"
        raise SceneError(at, expected, got)
    nodes[node.id] = node


def fresh(name: str, taken: Container[str]) -> str:
    """Return a name that is not taken: itself, or with the first number that is free."""
    return next(n for n in chain((name,), (f"{name}{i}" for i in count(2))) if n not in taken)


def with_robot(nodes: dict[str, Node]) -> dict[str, Node]:
    """Return the nodes with a robot; one that is nowhere is put in the first room or pose, and says so."""
    robots = [n for n in nodes.values() if n.type == "agent"]
    nowhere = [n for n in robots if n.at is None and n.parent is None]
    if robots and not nowhere:
        return nodes
    places = [n for n in nodes.values() if n.type == "room"] or [
        n for n in nodes.values() if n.type == "pose"
    ]
    if not places:
        return nodes
    reason = {"at": NO_START if nowhere else NO_ROBOT}
    made = nowhere or [Node(fresh("agent", nodes), "agent", classes=("agent",))]
    return {**nodes, **{n.id: replace(n, at=places[0].id, provenance=reason) for n in made}}


def room_near(scene: Scene, agent: Node) -> str | None:
    """Return the robot's room, for formats without poses: from a pose the nearest, or the first."""
    here = agent.at or agent.parent
    if here is not None and (room := scene.room_of(here)) is not None:
        return room
    near = sorted(scene.neighbours.get(here or "", {}).items(), key=lambda item: item[1])
    rooms = [i for i, _ in near if scene.nodes[i].type == "room"] or list(scene.by_type.get("room", ()))
    return rooms[0] if rooms else None


NO_ROBOT = "chosen: the file has no robot, so it stands in the first room"
NO_START = "chosen: the file does not say where the robot is, so it stands in the first room"
