"""Furnished buildings of any size: storeys, rooms by type, furniture by room, objects by furniture.

A building is a function of its sizes and seed: the same on every machine, byte for byte as a scene file.
Benchmarks are measured on such buildings, so random numbers must be drawn in the same order as before.
Lengths are computed in whole centimetres with integers, so no rounding of a processor shows.

On each storey corridors are rows of poses, and a pose has at most a room on either side. Corridors join at
their first poses; stairs join the first poses of two storeys, longer than the height between. Every other
link is as long as its ends are apart. Rooms hang on one pose each, so every place is reached and no way leads
through a room.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace

from ...domains.errors import InputError
from ...simulator.scene import Link, Node, Position, Scene
from .furnishing import BOXED, COLOURS, FURNITURE, LOCKS, OBJECTS, ROOMS, FurnitureKind

ROOMS_PER_CORRIDOR = 50
STEP, AISLE, SIDE = 400, 1600, 400
"""Centimetres between the poses of a corridor, between corridors, and from a pose to the middle of a room."""

STOREY, STAIRS = 350, 700
"""Centimetres from floor to floor, straight up and by the stairs."""

ASSETS_PER_ROOM, OBJECTS_PER_ROOM = 4, 10
BOXED_SHARE, DIRTY_SHARE, COLOURED_SHARE, OPEN_SHARE, RUNNING_SHARE = 0.04, 0.2, 0.3, 0.1, 0.3
MAX_NODES = 2_000_000

MORE = "ask for more assets, or take another seed"

_Point = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Sizes:
    """The size of a building; ``locks`` counts the locked pieces of furniture (keys come on top).

    Raises :class:`InputError` for sizes that no building has.
    """

    floors: int = 1
    rooms: int = 10
    assets: int = 40
    objects: int = 100
    locks: int = 0

    def __post_init__(self) -> None:
        largest = max(self.floors, self.rooms, self.assets, self.objects, self.locks)
        if largest > MAX_NODES:  # before floors are gone through
            raise _wrong(f"at most {MAX_NODES} nodes", "more")
        if not 1 <= self.floors <= self.rooms:
            raise _wrong("a room on every floor", f"{self.floors} floors and {self.rooms} rooms")
        if min(self.assets, self.objects, self.locks) < 0:
            raise _wrong("no negative numbers", f"{self.assets}, {self.objects} and {self.locks}")
        if self.objects and not self.assets:
            raise _wrong("furniture for the objects", f"0 assets for {self.objects} objects")
        if self.locks > self.assets:
            raise _wrong("furniture for the locks", f"{self.assets} assets for {self.locks} locks")
        if self.nodes > MAX_NODES:
            raise _wrong(f"at most {MAX_NODES} nodes", str(self.nodes))

    @property
    def floor_rooms(self) -> tuple[int, ...]:
        """The number of rooms on each floor, the lowest first."""
        each, more = divmod(self.rooms, self.floors)
        return tuple(each + (floor < more) for floor in range(self.floors))

    @property
    def nodes(self) -> int:
        """The number of nodes of the scene, without keys."""
        poses = sum((rooms + 1) // 2 for rooms in self.floor_rooms)
        return 2 + self.floors + self.rooms + poses + self.assets + self.objects

    @classmethod
    def usual(cls, rooms: int, floors: int = 1) -> Sizes:
        """Return the usual furniture and objects for a number of rooms."""
        return cls(floors, rooms, ASSETS_PER_ROOM * rooms, OBJECTS_PER_ROOM * rooms)

    @classmethod
    def of_nodes(cls, nodes: int) -> Sizes:
        """Return a usual building of exactly that many nodes.

        Raises :class:`InputError` below 20 and above :data:`MAX_NODES`.
        """
        if nodes > MAX_NODES:
            raise _wrong(f"at most {MAX_NODES} nodes", "more")
        rooms = max(1, (nodes - 4) * 2 // (2 * (ASSETS_PER_ROOM + OBJECTS_PER_ROOM) + 3))
        sizes = cls.usual(rooms, max(1, math.isqrt(rooms // 10)))
        left = nodes - replace(sizes, objects=0).nodes
        if left < 0 or nodes < 20:
            raise _wrong("at least 20 nodes", str(nodes))
        return replace(sizes, objects=left)


def furnished_building(sizes: Sizes, seed: int = 0) -> Scene:
    """Return the building of these sizes and seed; the robot stands at the first pose with an empty hand.

    Raises :class:`InputError` where fewer pieces of furniture have a plain door than should be locked.
    """
    return _Builder(sizes, random.Random(seed)).build(seed)


class _Builder:
    def __init__(self, sizes: Sizes, rng: random.Random) -> None:
        self.sizes, self.rng = sizes, rng
        self.nodes: dict[str, Node] = {}
        self.links: list[Link] = []
        self.counts: dict[str, int] = {}
        self.points: dict[str, _Point] = {}
        self.stairs = ""

    def build(self, seed: int) -> Scene:
        sizes = self.sizes
        self.add(Node("building1", "building", classes=("building",)))
        types = self.room_types()
        rooms: list[str] = []
        for floor, number in enumerate(sizes.floor_rooms):
            rooms += self.floor(floor, types[len(rooms) : len(rooms) + number])
        assets = self.furniture(rooms)
        self.objects(assets)
        self.locks(assets)
        self.add(Node("agent", "agent", at="pose1", classes=("agent",)))
        name = f"building-{sizes.floors}-{sizes.rooms}-{sizes.assets}-{sizes.objects}-{sizes.locks}-{seed}"
        description = f"A generated building: {sizes.rooms} rooms on {sizes.floors} floors, seed {seed}"
        return Scene(name, self.nodes, tuple(self.links), description)

    def add(self, node: Node) -> str:
        self.nodes[node.id] = node
        return node.id

    def named(self, kind: str) -> str:
        self.counts[kind] = self.counts.get(kind, 0) + 1
        return f"{kind}{self.counts[kind]}"

    # Floors and rooms

    def room_types(self) -> list[str]:
        """Choose the types of rooms: a kitchen, then decks of 20 in the shares of their types, shuffled."""
        deck = [kind for kind, room in ROOMS.items() for _ in range(room.share)]
        dealt = ["kitchen"]
        while len(dealt) < self.sizes.rooms:
            self.rng.shuffle(deck)
            dealt += deck
        return dealt[: self.sizes.rooms]

    def floor(self, level: int, types: list[str]) -> list[str]:
        floor = self.add(Node(f"floor{level + 1}", "floor", "building1", classes=("floor",)))
        rooms, first, previous = [], "", ""
        for number, kind in enumerate(types):
            corridor, along = divmod(number, ROOMS_PER_CORRIDOR)
            x, y, z = STEP * (along // 2), AISLE * corridor, STOREY * level
            if number % 2 == 0:
                pose = self.place("pose", "pose", floor, ("pose",), (x, y, z))
                if along:
                    self.link(previous, pose)
                elif corridor:
                    self.link(first, pose)
                elif level:
                    self.links.append(Link(self.stairs, pose, STAIRS / 100))
                if not along:
                    first = pose
                if not along and not corridor:
                    self.stairs = pose
                previous = pose
            side = SIDE if number % 2 else -SIDE
            middle = (x + self.rng.randrange(-100, 101), y + side + self.rng.randrange(-100, 101), z)
            rooms.append(self.place(kind, "room", floor, (kind, *ROOMS[kind].classes), middle))
            self.link(previous, rooms[-1])
        return rooms

    def place(self, kind: str, node_type: str, parent: str, classes: tuple[str, ...], point: _Point) -> str:
        name = self.named(kind)
        self.points[name] = point
        return self.add(Node(name, node_type, parent, classes=classes, position=_metres(point)))

    def link(self, a: str, b: str) -> None:
        """Add a link as long as its ends are apart, in whole millimetres."""
        squares = sum((10 * (p - q)) ** 2 for p, q in zip(self.points[a], self.points[b], strict=True))
        self.links.append(Link(a, b, math.isqrt(squares) / 1000))

    # Furniture and objects

    def furniture(self, rooms: list[str]) -> list[str]:
        """Deal furniture to the rooms in turn, each room's most typical piece first."""
        decks: dict[str, list[str]] = {}
        for number in range(self.sizes.assets):
            room = rooms[number % len(rooms)]
            if not decks.get(room):
                kinds = list(ROOMS[self.nodes[room].classes[0]].furniture)
                later = kinds[1:]
                self.rng.shuffle(later)
                decks[room] = [*reversed(later), kinds[0]]
            kind = decks[room].pop()
            made = FURNITURE[kind]
            x, y, z = self.points[room]
            spot = (x + self.rng.randrange(-150, 151), y + self.rng.randrange(-150, 151), z)
            classes = (kind, *made.classes)
            name = self.named(kind)
            state = self.state(made)
            self.add(Node(name, "asset", room, "in", classes, made.affordances, state, (), _metres(spot)))
        return [n.id for n in self.nodes.values() if n.type == "asset"]

    def state(self, made: FurnitureKind) -> tuple[str, ...]:
        """Choose the state: some plain doors are open, some machines without a door are on."""
        if made.lockable and self.rng.random() < OPEN_SHARE:
            return ("open",)
        if made.state == ("off",) and self.rng.random() < RUNNING_SHARE:
            return ("on",)
        return made.state

    def objects(self, assets: list[str]) -> None:
        # As often as there are kinds of objects for it: a counter holds more than a microwave.
        chances = [(a, kind) for a in assets for kind in FURNITURE[self.nodes[a].classes[0]].objects]
        if self.sizes.objects and not chances:
            raise _wrong(
                "furniture for the objects", f"none of {self.sizes.assets} assets that holds any", MORE
            )
        boxes: list[str] = []
        for _ in range(self.sizes.objects):
            if boxes and self.rng.random() < BOXED_SHARE:
                self.thing(self.rng.choice(BOXED), self.rng.choice(boxes))
                continue
            carrier, kind = self.rng.choice(chances)
            name = self.thing(kind, carrier)
            if "release" in OBJECTS[kind].affordances:
                boxes.append(name)

    def thing(self, kind: str, carrier: str) -> str:
        made = OBJECTS[kind]
        dirty = ("dirty",) * (made.dirty and self.rng.random() < DIRTY_SHARE)
        colour = (self.rng.choice(COLOURS),) if self.rng.random() < COLOURED_SHARE else ()
        name, classes, state = self.named(kind), (kind, *made.classes), (*made.state, *dirty)
        relation = self.relation(carrier)
        return self.add(Node(name, "object", carrier, relation, classes, made.affordances, state, colour))

    def relation(self, carrier: str) -> str:
        holds = self.nodes[carrier].affordances
        return "inside_of" if "open" in holds or "contain" in holds else "ontop_of"

    # Locks and keys

    def locks(self, assets: list[str]) -> None:
        """Lock furniture with plain doors; a key for each kind of lock lies somewhere that is not locked."""
        doors = [a for a in assets if FURNITURE[self.nodes[a].classes[0]].lockable]
        if self.sizes.locks > len(doors):
            got = f"{len(doors)} for {self.sizes.locks} locks"
            raise _wrong("enough furniture with a plain door", got, MORE)
        locked = self.rng.sample(doors, self.sizes.locks)
        kinds: dict[str, None] = {}
        for asset in locked:
            kind, node = self.rng.choice(LOCKS), self.nodes[asset]
            kinds[kind] = None
            affordances = (*node.affordances, f"{kind}_lock")
            self.nodes[asset] = replace(node, affordances=affordances, state=("closed", "locked"))
        shut = frozenset(locked)
        free = [a for a in assets if a not in shut and "release" in self.nodes[a].affordances]
        for kind in kinds:
            if not free:
                raise _wrong("a place for the keys", "furniture that is all locked", MORE)
            carrier = self.rng.choice(free)
            name = self.named(f"{kind}_key")
            self.add(
                Node(name, "object", carrier, self.relation(carrier), (f"{kind}_key", "key"), ("pickup",))
            )


def _wrong(expected: str, got: str, hint: str = "") -> InputError:
    return InputError("sizes of a building", expected, got, hint)


def _metres(point: _Point) -> Position:
    x, y, z = point
    return (x / 100, y / 100, z / 100)
