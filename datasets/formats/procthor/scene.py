"""ProcTHOR houses (Deitke et al., NeurIPS 2022), in ProcTHOR's JSON and in a compact form; read only.

``read`` lists the fields of the two. A file has one house, or one house a line (ProcTHOR-10K, the
compact form); ``item`` picks it by its id or by its line, counted from 1.

Mapping to a scene, which is ours and may be changed together with ``docs/formats.md``:

- rooms: rooms at the centroid of their outline, on which things can be put; the class is the room's type
- doors: poses in the middle of the hole, each linked to its two rooms by the straight distance to their
  centres. A door that is shut is an asset of the first of its rooms, and the door of a link between them.
  Doors to the outside are left out
- walls that are absent between two rooms: a pose in the middle of the longest such piece, linked like a door
- pickupable things, and things on them: objects; all others: assets
- ``openable``: open, close; ``toggleable``: turn_on, turn_off; ``receptacle``: release; bins, sinks, bowls
  and the like: contain
- ``openness``, ``isOn``, ``isDirty``: open or closed, on or off, dirty
- parent: ``ontop_of`` or ``inside_of`` as stated; where nothing is stated, in things that open and in bins
- the agent's position: the robot in the room whose outline is around it; the first room where the house has
  none, or it is in no outline

Positions are x, z and the height. Lost: polygons, sizes, rotations, assets, windows, lights, materials.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import dist

from ....domains.errors import SceneError, clip
from ....simulator.navigation.floor_plan import Point
from ....simulator.scene import DOUBT, PLACE_UNKNOWN, Link, Loss, Node, Position, Scene
from ....simulator.scene_json import parse_json, straight
from ..assembly import add, behind_door, fresh, with_robot
from ..classes import class_name
from ..content import Content, Format, choice
from ..document import distance
from ..unread import places_unknown
from .house import Door, House, Thing, WallOpening
from .read import house_losses, is_compact, is_original, read_house
from .types import CONTAINERS, ON_TOP

MAX_LINE = 16 * 1024 * 1024
"""Bytes of a first line that detection looks at."""

NO_OUTLINE = "it is in no room's outline, or in two, and nothing names its room: its place is not known"
NO_START = "the robot is in no room's outline, or in two, so it stands in the first room"

AFFORDANCES = {
    "pickupable": ("pickup",),
    "receptacle": ("release",),
    "openable": ("open", "close"),
    "toggleable": ("turn_on", "turn_off"),
}


def _detect(content: Content) -> bool:
    raw = content.json_or_none
    if raw is None:
        raw = _first_line(content)
    return is_compact(raw) or is_original(raw)


def _first_line(content: Content) -> object:
    try:
        head = content.data.lstrip()[:MAX_LINE].split(b"\n", 1)[0]
    except SceneError:
        return None
    return _json_or_none(head.decode("utf-8", "replace")) if head.startswith(b"{") else None


def _json_or_none(line: str) -> object:
    try:
        return parse_json(line, "")
    except SceneError:
        return None


def _read(content: Content) -> Scene:
    raw, where = _pick(content)
    name = content.path.name.split(".")[0] or "house"
    scene = house_scene(read_house(raw, where, name), where)
    return replace(scene, losses=(*scene.losses, *house_losses(raw, where)))


def _pick(content: Content) -> tuple[object, str]:
    """Return the house that ``item`` names, and its place for messages."""
    lines = [line for line in content.text.splitlines() if line.strip()]
    if content.json_or_none is not None or not lines or _json_or_none(lines[0]) is None:
        lines = [content.text]  # one house, perhaps over several lines
    if not content.item:
        if len(lines) == 1:
            return content.json, content.where
        got = f"{len(lines)} houses"
        raise SceneError(content.where, "one house, or --item for one of several", got, _choice(lines))
    if content.item.isascii() and content.item.isdigit() and 1 <= int(content.item[:9]) <= len(lines):
        number = int(content.item[:9])
        where = f"{content.where}:{number}"
        return parse_json(lines[number - 1], where), where
    quoted = json.dumps(content.item)
    for number, line in enumerate(lines, 1):
        where = f"{content.where}:{number}"
        raw = parse_json(line, where) if quoted in line else None
        if isinstance(raw, dict) and raw.get("id") == content.item:
            return raw, where
    hint = f"the file has {len(lines)} houses; {_choice(lines)}"
    raise SceneError(content.where, "the id or number of a house", clip(content.item), hint)


def _choice(lines: Sequence[str]) -> str:
    """Say which houses there are: the first ids, and the numbers of all."""
    return choice((_json_or_none(line) for line in lines), len(lines))


def house_scene(house: House, where: str) -> Scene:
    """Build the scene of a house.

    Raises :class:`SceneError` where an id is used twice or a parent is unknown.
    """
    nodes: dict[str, Node] = {}
    for area in house.rooms.values():
        kinds, centre = (class_name(area.kind),) if area.kind else ("room",), _at(area.centre())
        add(nodes, Node(area.id, "room", classes=kinds, affordances=("release",), position=centre), where)
    links: list[Link] = []
    for node, ends in _ways(house, nodes):
        add(nodes, node, where)
        a, b = (nodes[room_id] for room_id in ends)
        if node.type == "asset":
            beyond, ways = behind_door(node, a, b, links, nodes)
            nodes |= {pose.id: pose for pose in beyond}
            links += ways
            continue
        for room in (a, b):
            length = distance(room.position, node.position)
            links.append(Link(room.id, node.id, straight(a, b) / 2 if length is None else length))
    moving = _movable(house)
    things = {thing.id: thing for thing in house.things}
    for thing in house.things:
        add(nodes, _thing(thing, things, moving), thing.at)
    losses = [*house.losses, *places_unknown(nodes.values(), NO_OUTLINE)]
    if house.start is not None:
        around = [room.id for room in house.rooms.values() if room.holds(house.start)]
        if len(around) != 1:
            losses.append(Loss(DOUBT, "agent", NO_START))
        provenance = {"at": f"chosen: {NO_START}"} if len(around) != 1 else {}
        here = around[0] if len(around) == 1 else next(iter(house.rooms))
        robot = Node(fresh("agent", nodes), "agent", classes=("agent",), at=here, position=_at(house.start))
        add(nodes, replace(robot, provenance=provenance), where)
    return Scene(house.name, with_robot(nodes), tuple(links), house.words, tuple(losses))


def _at(point: Point) -> Position:
    return (round(point[0], 3), round(point[1], 3), 0.0)


def _ways(house: House, nodes: dict[str, Node]) -> Iterator[tuple[Node, tuple[str, str]]]:
    """Yield the node of each door, and a pose for each pair of rooms with an open wall between them."""
    for door in house.doors:
        yield _door(door), door.rooms
    for name, ends_of, pieces in named_openings(house.openings, nodes):
        (x0, z0), (x1, z1) = pieces[0]
        middle = _at(((x0 + x1) / 2, (z0 + z1) / 2))
        yield Node(name, "pose", classes=("opening",), position=middle), ends_of


def _door(door: Door) -> Node:
    """Return a shut door as an asset of its first room, any other as a pose."""
    node = Node(
        door.id, "pose", classes=("door",), position=_at(door.middle) if door.middle is not None else None
    )
    if not door.closed:
        return node
    able, shut = AFFORDANCES["openable"], ("closed",)
    return replace(node, type="asset", parent=door.rooms[0], affordances=able, state=shut)


def named_openings(
    openings: tuple[WallOpening, ...], taken: Container[str]
) -> Iterator[tuple[str, tuple[str, str], list[tuple[Point, Point]]]]:
    """Yield a name for each pair of rooms with an open wall between them, the rooms, and the absent pieces.

    The longest piece is the first.
    """
    for (a, b), pieces in _openings(openings).items():
        yield fresh(f"opening|{a.removeprefix('room|')}|{b.removeprefix('room|')}", taken), (a, b), pieces


def _openings(openings: tuple[WallOpening, ...]) -> dict[tuple[str, str], list[tuple[Point, Point]]]:
    """Return the pieces of absent wall that two rooms share, by their ids; the longest first."""
    shared: dict[tuple[tuple[float, float], ...], dict[str, WallOpening]] = {}
    for opening in openings:
        key = tuple(sorted((round(x, 2), round(z, 2)) for x, z in opening.ends))
        shared.setdefault(key, {})[opening.room] = opening
    pieces: dict[tuple[str, str], list[tuple[Point, Point]]] = {}
    for rooms in shared.values():
        for a, b in combinations(sorted(rooms)[:4], 2):
            pieces.setdefault((a, b), []).append(rooms[a].ends)
    return {pair: sorted(ends, key=lambda e: -dist(*e)) for pair, ends in sorted(pieces.items())}


def _movable(house: House) -> frozenset[str]:
    """Return the ids of things that can be picked up, and of things on them, which move along."""
    moving = {t.id for t in house.things if "pickupable" in t.abilities}
    above: dict[str, list[str]] = {}
    for thing in house.things:
        if thing.parent is not None:
            above.setdefault(thing.parent, []).append(thing.id)
    todo = list(moving)
    while todo:
        for child in above.get(todo.pop(), ()):
            if child not in moving:
                moving.add(child)
                todo.append(child)
    return frozenset(moving)


def _thing(thing: Thing, things: dict[str, Thing], moving: frozenset[str]) -> Node:
    movable = thing.id in moving
    words = [word for able, given in AFFORDANCES.items() if able in thing.abilities for word in given]
    if thing.kind in CONTAINERS and "receptacle" in thing.abilities:
        words.append("contain")
    parent = thing.parent
    if parent is None:
        parent, relation = thing.room, "ontop_of" if movable else "in"
        relation = PLACE_UNKNOWN if parent is None else relation
    else:
        relation = thing.relation or ("inside_of" if holds_inside(things[parent]) else "ontop_of")
    return Node(
        thing.id,
        "object" if movable else "asset",
        parent=parent,
        relation=relation,
        classes=(class_name(thing.kind),),
        affordances=tuple(words),
        state=thing.state,
        position=thing.position,
    )


def holds_inside(thing: Thing) -> bool:
    """Return whether things are in and not on a thing, where the house does not say."""
    opens = "openable" in thing.abilities and "receptacle" in thing.abilities and thing.kind not in ON_TOP
    return opens or thing.kind in CONTAINERS


FORMAT = Format("procthor", "ProcTHOR houses", _detect, _read, several=True)
