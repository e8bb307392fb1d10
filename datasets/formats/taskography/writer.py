"""Scenes as PDDL problems over Taskography's rearrangement domain (taskographyv2).

The domain fixes types and predicates (:data:`SIGNATURES`); which facts are written is ours, and ``reader``
must read them back. Every room has a place that is its door, with a location; every asset is a receptacle
with a place and a location in its room; an object that is on no asset has a place of its own. Rooms are
connected where the robot gets from one to the other without passing a third; where that is so for very many,
each is connected with the next. The domain has one kind of carrying, so what is inside, on or under an asset
is in that receptacle, and so is what is on or in a movable thing there. The goal is empty: whoever poses a
task fills it in.

Names become symbols that PDDL allows, by the table that is used for engines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files
from itertools import combinations, pairwise

from ....compiler.symbols import symbols
from ....domains.pddl import read_domain
from ....simulator.scene import Scene
from ..assembly import MAX_PAIRED, Forest, room_near

DOMAIN = "taskographyv2"
EXTENSIONS = (".taskography.pddl",)
_DOMAIN = read_domain(files(__package__).joinpath("domain.pddl").read_text(encoding="utf-8"), "domain.pddl")
TYPES = tuple(name for name in _DOMAIN.types if name != "object")
SIGNATURES: Mapping[str, tuple[str, ...]] = {
    name: tuple(variable.type for variable in predicate.parameters)
    for name, predicate in _DOMAIN.predicates.items()
}
"""The predicates of the domains, in lower case, and the types of their arguments."""


def write(scene: Scene) -> bytes:
    """Return the problem of a scene as the bytes of a PDDL file."""
    return problem_text(scene).encode("ascii")


def problem_text(scene: Scene) -> str:
    return _Writer(scene).text()


def names(scene: Scene) -> dict[str, str]:
    """Return the name of each node that is written."""
    writer = _Writer(scene)
    return {i: writer.names[i] for i in writer.kinds}


class _Writer:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        kinds = {
            "room": "room",
            "asset": "receptacle",
            "part": "receptacle",
            "object": "item",
            "agent": "agent",
        }
        self.kinds = {i: kinds[n.type] for i, n in scene.nodes.items() if n.type in kinds}
        # What is in no room has no location; the domain cannot say where it is.
        self.kinds = {i: k for i, k in self.kinds.items() if k in ("room", "agent") or self.placed(i)}
        # Places and locations get symbols of their own beside those of the nodes.
        made = [f"{kind} {i}" for i in self.kinds for kind in ("place", "location")]
        table = symbols((), SIGNATURES, made, [scene.name, *self.kinds])
        self.names, self.made = table.objects, table.actions

    def placed(self, node_id: str) -> bool:
        return any(self.scene.nodes[a].type in ("room", "agent") for a in self.scene.ancestors(node_id))

    def text(self) -> str:
        facts = [f"    ({' '.join(fact)})" for fact in self.facts()]
        objects = [f"    {self.names[i]} - {kind}" for i, kind in self.kinds.items()]
        for i, kind in self.kinds.items():
            if kind == "room" or self.spot(i) == i:
                objects += [f"    {self.made[f'{made} {i}']} - {made}" for made in ("place", "location")]
        lines = [
            f"(define (problem {self.names[self.scene.name]})",
            f"  (:domain {DOMAIN})",
            *("  (:objects", *objects, "  )"),
            *("  (:init", *facts, "  )"),
            "  (:goal (and)))",
        ]
        return "\n".join(lines) + "\n"

    def spot(self, node_id: str) -> str | None:
        """Return the node whose location a receptacle or item has: the asset around it, or itself."""
        if self.kinds[node_id] not in ("receptacle", "item"):
            return None
        if self.kinds[node_id] == "receptacle":
            return node_id
        for above in self.scene.ancestors(node_id):
            if self.kinds.get(above) == "receptacle":
                return above
            if self.scene.nodes[above].type == "agent":
                return None
        return node_id

    def facts(self) -> Iterator[tuple[str, ...]]:
        scene, names = self.scene, self.names
        for i, kind in self.kinds.items():
            name, place, location = names[i], self.made[f"place {i}"], self.made[f"location {i}"]
            spot = self.spot(i)
            room = i if kind == "room" else scene.room_of(i)
            if kind == "room" or spot == i:
                yield "placeInRoom", place, names[str(room)]
                yield "placeLocation", location, place
                yield "locationInPlace", location, place
            match kind:
                case "room":
                    yield "roomPlace", place, name
                case "receptacle":
                    yield "receptacleAtLocation", name, location
                    if "open" in scene.nodes[i].affordances:
                        yield "receptacleOpeningType", name
                    if "open" in scene.nodes[i].state:
                        yield "receptacleOpened", name
                case "item":
                    yield from self.item(i, spot)
                case _:
                    yield from self.agent(i)
        yield from self.connected()

    def item(self, node_id: str, spot: str | None) -> Iterator[tuple[str, ...]]:
        name = self.names[node_id]
        if spot is None:
            holder = next(a for a in self.scene.ancestors(node_id) if self.scene.nodes[a].type == "agent")
            yield "holds", self.names[holder], name
            yield "holdsAny", self.names[holder]
            return
        yield "itemAtLocation", name, self.made[f"location {spot}"]
        if spot != node_id:
            yield "inReceptacle", name, self.names[spot]
            yield "inAnyReceptacle", name

    def agent(self, node_id: str) -> Iterator[tuple[str, ...]]:
        room = room_near(self.scene, self.scene.nodes[node_id])
        if room is not None:
            yield "inRoom", self.names[node_id], self.names[room]
            yield "inPlace", self.names[node_id], self.made[f"place {room}"]
            yield "atLocation", self.names[node_id], self.made[f"location {room}"]

    def connected(self) -> Iterator[tuple[str, ...]]:
        """Yield both directions of every way that passes poses only."""
        poses, rooms_around = Forest(), dict[str, dict[str, None]]()
        types = {i: n.type for i, n in self.scene.nodes.items()}
        for link in self.scene.links:
            if types[link.a] == types[link.b] == "pose":
                a, b = poses.root(link.a), poses.root(link.b)
                if a != b:
                    poses.hang(a, b)
        pairs: dict[tuple[str, str], None] = {}
        for link in self.scene.links:
            ends = sorted((link.a, link.b), key=lambda i: types[i] != "room")
            if types[ends[0]] == types[ends[1]] == "room":
                pairs |= {(ends[0], ends[1]): None, (ends[1], ends[0]): None}
            elif types[ends[0]] == "room":
                rooms_around.setdefault(poses.root(ends[1]), {})[ends[0]] = None
        for around in rooms_around.values():
            rooms = list(around)
            near = combinations(rooms, 2) if len(rooms) <= MAX_PAIRED else pairwise(rooms)
            for a, b in near:
                pairs |= {(a, b): None, (b, a): None}
        for a, b in pairs:
            yield "roomsConnected", self.names[a], self.names[b]
