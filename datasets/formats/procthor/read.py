"""Houses of ProcTHOR, read from either of their two spellings.

``original`` is what ProcTHOR generates and AI2-THOR loads (house schema 0.0.1 to 1.0.0; allenai/procthor,
Apache-2.0): ``rooms[{id, roomType, floorPolygon}]``, ``doors[{id, room0, room1, wall0, openable, openness,
holePolygon or boundingBox}]`` with the hole measured along the first wall, ``walls[{id, roomId, polygon,
empty}]`` and ``objects[{id, assetId, position, kinematic, children, openness, isOn, isDirty}]``.
The abilities of a thing are in the asset database; here they are in the table of ``types``.

``compact`` has one house a line: ``rooms[{id, type, polygon}]``, ``doors[{id, room0, room1, x, z, openable,
openness}]``, ``open_walls[{room, seg}]``, ``objects[{id, type, room, parent, relation, x, y, z, pickupable,
openable, toggleable, receptacle, openness, isOn, isDirty}]`` and ``agent{x, z}``.

Lengths are metres; y is up. Heights of sizes, rotations, materials, lights and windows are not read.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from ....domains.errors import SceneError, clip
from ..document import as_list, as_name, as_number, as_object
from .house import Door, House, Point, Room, Thing, WallOpening, around
from .types import abilities, kind_of

MAX_CORNERS = 10_000
MAX_DEPTH = 100
"""Children of children, at most; houses have two levels."""

MAX_SEARCHED = 1_000_000
"""Rooms that are looked at, in all, to find those of objects whose ids do not name them."""


def is_original(raw: object) -> bool:
    return _first_room_has(raw, "floorPolygon")


def is_compact(raw: object) -> bool:
    return _first_room_has(raw, "polygon")


def _first_room_has(raw: object, key: str) -> bool:
    rooms = raw.get("rooms") if isinstance(raw, dict) else None
    return isinstance(rooms, list) and bool(rooms) and isinstance(rooms[0], dict) and key in rooms[0]


def read_house(raw: object, where: str, name: str) -> House:
    """Read a house in either spelling. Raises :class:`SceneError` naming the place in the document."""
    house = as_object(raw, where)
    reader = _Original(house, where) if is_original(house) else _Compact(house, where)
    given = house.get("id")
    return House(
        as_name(given, f"{where}: id") if given is not None else name,
        reader.words(),
        reader.rooms,
        tuple(reader.doors()),
        tuple(reader.openings()),
        tuple(reader.things()),
        reader.start(),
    )


class _Reader(ABC):
    """The part of reading that both spellings share."""

    kind_key: ClassVar[str]
    polygon_key: ClassVar[str]

    def __init__(self, house: Mapping[str, object], where: str) -> None:
        self.house, self.where = house, where
        self.rooms: dict[str, Room] = {}
        for at, room in self.listed("rooms"):
            room_id = as_name(room.get("id"), f"{at}.id")
            if room_id in self.rooms:
                raise SceneError(f"{at}.id", "ids that are unique", clip(room_id))
            corners = tuple(self.corners(room.get(self.polygon_key), f"{at}.{self.polygon_key}"))
            self.rooms[room_id] = Room(room_id, _text(room, self.kind_key, at), corners)
        if not self.rooms:
            raise SceneError(f"{where}: rooms", "at least one room", "none")

    def listed(self, key: str) -> Iterator[tuple[str, Mapping[str, object]]]:
        """Yield the objects of a list with their places; nothing where the list is absent."""
        value = self.house.get(key)
        for index, entry in enumerate(as_list(value, f"{self.where}: {key}") if value is not None else ()):
            at = f"{self.where}: {key}[{index}]"
            yield at, as_object(entry, at)

    def corners(self, value: object, at: str) -> Iterator[Point]:
        listed = as_list(value, at)
        if not 3 <= len(listed) <= MAX_CORNERS:
            raise SceneError(at, f"3 to {MAX_CORNERS} corners", str(len(listed)))
        for index, corner in enumerate(listed):
            yield self.point(corner, f"{at}[{index}]")

    @abstractmethod
    def point(self, value: object, at: str) -> Point:
        """Read a corner, x and z in metres."""

    @abstractmethod
    def door(self, at: str, door: Mapping[str, object]) -> Point:
        """Read the middle of a door, x and z in metres."""

    def doors(self) -> Iterator[Door]:
        """Yield the doors between two rooms; those that lead outside are passed over."""
        for at, door in self.listed("doors"):
            ends = [door.get("room0"), door.get("room1")]
            if None in ends or "exterior" in ends or ends[0] == ends[1]:
                continue
            a, b = (self.room(end, f"{at}.room{i}") for i, end in enumerate(ends))
            openness = door.get("openness")
            shut = openness is not None and as_number(openness, f"{at}.openness") == 0
            # A frame without a leaf is not openable, and its openness means nothing.
            leaf = _flag(door, "openable", at)
            name = as_name(door.get("id"), f"{at}.id")
            yield Door(name, (a, b), self.door(at, door), leaf and shut)

    def room(self, value: object, at: str) -> str:
        name = as_name(value, at)
        if name not in self.rooms:
            raise SceneError(at, "the id of a room", clip(name), f"rooms are {clip(', '.join(self.rooms))}")
        return name


class _Compact(_Reader):
    """A house in the compact spelling."""

    kind_key, polygon_key = "type", "polygon"

    def words(self) -> str:
        parts = (_text(self.house, key, self.where) for key in ("spec", "source"))
        return "; ".join(["ProcTHOR house", *(p for p in parts if p)])

    def point(self, value: object, at: str) -> Point:
        pair = as_list(value, at)
        if len(pair) != 2:
            raise SceneError(at, "x and z in metres", clip(pair))
        return as_number(pair[0], at), as_number(pair[1], at)

    def door(self, at: str, door: Mapping[str, object]) -> Point:
        return as_number(door.get("x"), f"{at}.x"), as_number(door.get("z"), f"{at}.z")

    def openings(self) -> Iterator[WallOpening]:
        for at, wall in self.listed("open_walls"):
            seg = as_list(wall.get("seg"), f"{at}.seg")
            if len(seg) != 4:
                raise SceneError(f"{at}.seg", "x and z of two ends", clip(seg))
            x0, z0, x1, z1 = (as_number(v, f"{at}.seg") for v in seg)
            yield WallOpening(self.room(wall.get("room"), f"{at}.room"), ((x0, z0), (x1, z1)))

    def things(self) -> Iterator[Thing]:
        relations = {"on": "ontop_of", "inside": "inside_of"}
        for at, thing in self.listed("objects"):
            parent, relation = thing.get("parent"), _text(thing, "relation", at)
            if relation and relation not in relations:
                raise SceneError(f"{at}.relation", "on or inside", clip(relation))
            x, y, z = (as_number(thing.get(axis), f"{at}.{axis}") for axis in "xyz")
            able = {k for k in ("pickupable", "openable", "toggleable", "receptacle") if _flag(thing, k, at)}
            yield Thing(
                at,
                as_name(thing.get("id"), f"{at}.id"),
                as_name(thing.get("type"), f"{at}.type"),
                self.room(thing.get("room"), f"{at}.room"),
                as_name(parent, f"{at}.parent") if parent is not None else None,
                relations.get(relation, ""),
                (x, z, y),
                frozenset(able),
                _state(thing, "openable" in able, at),
            )

    def start(self) -> Point | None:
        if self.house.get("agent") is None:
            return None
        at = f"{self.where}: agent"
        return self.door(at, as_object(self.house["agent"], at))


class _Original(_Reader):
    """A house in ProcTHOR's own spelling."""

    kind_key, polygon_key = "roomType", "floorPolygon"

    def __init__(self, house: Mapping[str, object], where: str) -> None:
        super().__init__(house, where)
        self.walls: dict[str, tuple[Point, Point]] = {}
        self.empty: list[WallOpening] = []
        self.searched = 0
        for at, wall in self.listed("walls"):
            along = self.along(wall.get("polygon"), f"{at}.polygon")
            self.walls[as_name(wall.get("id"), f"{at}.id")] = along
            name = wall.get("roomId")
            if _flag(wall, "empty", at) and isinstance(name, str) and name in self.rooms:
                self.empty.append(WallOpening(self.room(name, f"{at}.roomId"), along))

    def words(self) -> str:
        spec = self.metadata().get("roomSpecId")
        return f"ProcTHOR house; {spec}" if isinstance(spec, str) else "ProcTHOR house"

    def metadata(self) -> Mapping[str, object]:
        value = self.house.get("metadata")
        return value if isinstance(value, dict) else {}

    def point(self, value: object, at: str) -> Point:
        corner = as_object(value, at)
        return as_number(corner.get("x"), f"{at}.x"), as_number(corner.get("z"), f"{at}.z")

    def along(self, value: object, at: str) -> tuple[Point, Point]:
        """Read the two ends of a wall on the floor: the corners that differ in the plane."""
        corners = list(self.corners(value, at))
        return corners[0], next((c for c in corners[1:] if c != corners[0]), corners[0])

    def door(self, at: str, door: Mapping[str, object]) -> Point:
        wall = as_name(door.get("wall0"), f"{at}.wall0")
        if wall not in self.walls:
            raise SceneError(f"{at}.wall0", "the id of a wall", clip(wall))
        (x0, z0), (x1, z1) = self.walls[wall]
        middle = sum(self.hole(at, door)) / 2
        length = math.dist((x0, z0), (x1, z1)) or 1.0
        return x0 + (x1 - x0) * middle / length, z0 + (z1 - z0) * middle / length

    def hole(self, at: str, door: Mapping[str, object]) -> tuple[float, float]:
        """Return both ends of the hole, in metres along the wall."""
        polygon, box = door.get("holePolygon"), door.get("boundingBox")
        if polygon is None and box is not None:
            corners = as_object(box, f"{at}.boundingBox")
            ends = [as_object(corners.get(k), f"{at}.boundingBox.{k}") for k in ("min", "max")]
            return as_number(ends[0].get("x"), at), as_number(ends[1].get("x"), at)
        hole = as_list(polygon, f"{at}.holePolygon")
        if len(hole) < 2 or len(hole) > MAX_CORNERS:
            raise SceneError(f"{at}.holePolygon", "at least two corners", str(len(hole)))
        xs = [as_number(as_object(c, at).get("x"), f"{at}.holePolygon") for c in hole]
        return min(xs), max(xs)

    def openings(self) -> Sequence[WallOpening]:
        return self.empty

    def things(self) -> Iterator[Thing]:
        stack = [(at, thing, None, 0) for at, thing in self.listed("objects")]
        stack.reverse()
        todo: list[tuple[str, Mapping[str, object], Thing | None, int]] = list(stack)
        while todo:
            at, raw, parent, depth = todo.pop()
            if depth > MAX_DEPTH:
                raise SceneError(at, f"children at most {MAX_DEPTH} deep", "deeper")
            thing = self.thing(at, raw, parent)
            yield thing
            below = raw.get("children")
            children = as_list(below, f"{at}.children") if below is not None else []
            for index in reversed(range(len(children))):
                place = f"{at}.children[{index}]"
                todo.append((place, as_object(children[index], place), thing, depth + 1))

    def thing(self, at: str, raw: Mapping[str, object], parent: Thing | None) -> Thing:
        name = as_name(raw.get("id"), f"{at}.id")
        asset = raw.get("assetId")
        kind = kind_of(name.split("|")[0]) or kind_of(asset if isinstance(asset, str) else "")
        point = as_object(raw.get("position"), f"{at}.position")
        x, y, z = (as_number(point.get(axis), f"{at}.position.{axis}") for axis in "xyz")
        number = name.split("|")[1] if "|" in name else ""
        listed = f"room|{number}"
        fixed = _flag(raw, "kinematic", at)
        able = abilities(kind) if kind else frozenset(() if fixed else ("pickupable",))
        return Thing(
            at,
            name,
            kind or name.split("|")[0].rstrip("0123456789_") or "thing",
            parent.room if parent else listed if listed in self.rooms else self.room_around(at, (x, z)),
            parent.id if parent else None,
            "",
            (x, z, y),
            able,
            _state(raw, "openable" in able, at),
        )

    def room_around(self, at: str, point: Point) -> str:
        """Return the room around an object, within :data:`MAX_SEARCHED` looks at rooms."""
        self.searched += len(self.rooms)
        if self.searched > MAX_SEARCHED:
            size = f"a house with {len(self.rooms)} rooms and many other objects"
            raise SceneError(f"{at}.id", "an id that names its room, such as Mug|2|0", size)
        return around(self.rooms, point)

    def start(self) -> Point | None:
        agent = self.metadata().get("agent")
        if not isinstance(agent, dict) or agent.get("position") is None:
            return None
        return self.point(agent["position"], f"{self.where}: metadata.agent.position")


def _text(raw: Mapping[str, object], key: str, at: str) -> str:
    value = raw.get(key)
    if value is not None and not isinstance(value, str):
        raise SceneError(f"{at}.{key}", "text", clip(value))
    return value or ""


def _flag(raw: Mapping[str, object], key: str, at: str) -> bool:
    value = raw.get(key)
    if value is not None and not isinstance(value, bool):
        raise SceneError(f"{at}.{key}", "true or false", clip(value))
    return bool(value)


def _state(raw: Mapping[str, object], opens: bool, at: str) -> tuple[str, ...]:
    words: list[str] = []
    if opens and raw.get("openness") is not None:
        words.append("open" if as_number(raw["openness"], f"{at}.openness") > 0 else "closed")
    if raw.get("isOn") is not None:
        words.append("on" if _flag(raw, "isOn", at) else "off")
    if _flag(raw, "isDirty", at):
        words.append("dirty")
    return tuple(words)
