"""Rooms and things with a room each, as Stanford's 3D scene graphs describe buildings.

3D Scene Graph (Armeni et al., ICCV 2019) gives an object's room, class and material, and what people do with
such things. It does not give what stands on what, what can be carried, or which rooms are next to each other.
So the following is our choice, and may be changed together with ``docs/formats.md``:

- furniture and appliances, by class or by its last word (``classes``), are assets; all else are objects
  that can be picked up and lie in their room (``ontop_of`` it)
- what people do: ``open``, ``close``, ``turn on``, ``turn off``, ``fill`` are affordances; the rest keep
  their words (``sit_on``), which mean nothing to the household
- materials and textures are attributes (``made_of_wood``, ``striped``)
- ids are class and number (``dining_table_33``), as in the task sets that build on the graphs
- storeys (nodes of type ``floor``, ``floor_A``) and the building are nodes above the rooms
- objects that are in no room are kept, and their place is not known

Losses: those places, each; locations that are no point, each; keys that are not read, counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from ....domains.errors import SceneError, clip, did_you_mean
from ....simulator.scene import PLACE_UNKNOWN, Link, Loss, Node, Position
from ....simulator.scene_json import straight
from ..assembly import add
from ..classes import FIXED, abilities, class_name
from ..document import as_name, as_object, as_point, as_words, objects
from ..unread import fields_left, places_unknown

MAX_ROOMS = 1000
"""Rooms of a building, at most: the ways between them are found among all pairs."""

ROOM_KINDS, OBJECT_KINDS = ("scene_category", "category"), ("class_", "class")
"""Keys under which a room or an object may have its class."""
ROOM_KEYS = frozenset(("id", "scene_category", "category", "floor_number", "location"))
OBJECT_KEYS = frozenset(
    """id class_ class parent_room action_affordance material tactile_texture visual_texture location
    description""".split()
)


Item = tuple[str, Mapping[str, object], str]
"""The number of a room or object, its fields, and their place in the document."""


def layers(
    building: str, rooms: Sequence[Item], objects: Sequence[Item], where: str
) -> tuple[dict[str, Node], Mapping[str, str], tuple[Loss, ...]]:
    """Return the nodes of a building, without a robot, the names of rooms by their number, and losses.

    Raises :class:`SceneError` with the place in the document.
    """
    if not 1 <= len(rooms) <= MAX_ROOMS:
        raise SceneError(f"{where}: rooms", f"1 to {MAX_ROOMS} rooms", str(len(rooms)))
    top = building or None
    nodes = {top: Node(top, "building", classes=("building",))} if top is not None else {}
    names: dict[str, str] = {}
    for number, fields, at in rooms:
        kind = _class(fields, ROOM_KINDS, at) or "room"
        storey = fields.get("floor_number")
        parent = top
        if storey is not None:
            parent = f"floor_{as_name(storey, f'{at}.floor_number')}"
            nodes.setdefault(parent, Node(parent, "floor", parent=top, classes=("floor",)))
        name = f"{kind}_{number}"
        room = Node(
            name,
            "room",
            parent=parent,
            classes=(kind,),
            affordances=("release",),
            position=_centre(fields, at),
        )
        if number in names:
            raise SceneError(at, "rooms with a number of their own", clip(number))
        names[number] = name
        add(nodes, room, at)
    losses: list[Loss] = []
    for number, fields, at in objects:
        home = fields.get("parent_room")
        if home is None:
            add(nodes, _thing(number, fields, None, at), at)
            continue
        room_number = as_name(home, f"{at}.parent_room")
        if room_number not in names:
            raise SceneError(
                f"{at}.parent_room",
                "the number of a room",
                clip(room_number),
                did_you_mean(room_number, names),
            )
        add(nodes, _thing(number, fields, names[room_number], at), at)
    losses += places_unknown(nodes.values())
    for key, read, kinds, items in (
        ("rooms", ROOM_KEYS, ROOM_KINDS, rooms),
        ("objects", OBJECT_KEYS, OBJECT_KINDS, objects),
    ):
        entries = [fields for _, fields, _ in items]
        strange = sum(_is_strange(fields.get("location")) for fields in entries)
        if strange:
            losses.append(Loss("field", f"{key}.location", "several points, or no list of numbers", strange))
        losses += fields_left(_without_labels(items, kinds), read, key)
    return nodes, names, tuple(losses)


def _class(fields: Mapping[str, object], keys: Sequence[str], at: str) -> str:
    for key in keys:
        if fields.get(key) is not None:
            return class_name(as_name(fields[key], f"{at}.{key}"))
    return ""


def _thing(number: str, fields: Mapping[str, object], room: str | None, at: str) -> Node:
    kind = _class(fields, OBJECT_KINDS, at) or "object"
    noun = kind.rsplit("_", 1)[-1]
    node_type, implied = abilities(kind if kind in FIXED else noun)
    actions = [class_name(w) for w in _words(fields, "action_affordance", at)]
    stated = [w for w in actions if w not in ("pick_up", "grab", "hold", "move")]
    attributes = [f"made_of_{class_name(w)}" for w in _words(fields, "material", at)]
    for key in ("tactile_texture", "visual_texture"):
        attributes += [class_name(w) for w in _words(fields, key, at)]
    description = fields.get("description")
    return Node(
        f"{kind}_{number}",
        node_type,
        parent=room,
        relation=PLACE_UNKNOWN if room is None else "in" if node_type == "asset" else "ontop_of",
        classes=(kind,),
        affordances=tuple(dict.fromkeys((*stated, *implied))),
        attributes=tuple(dict.fromkeys(attributes)),
        position=_centre(fields, at),
        description=description if isinstance(description, str) else "",
    )


def _words(fields: Mapping[str, object], key: str, at: str) -> tuple[str, ...]:
    """Read the words of a list; materials that were not recognised are null there."""
    value = fields.get(key)
    words = [v for v in value if v is not None] if isinstance(value, list) else value
    return as_words(words, f"{at}.{key}")


def _centre(fields: Mapping[str, object], at: str) -> Position | None:
    """Read the location; some objects of task sets have three of them, which mean nothing."""
    value = fields.get("location")
    if value is None or _is_strange(value):
        return None
    point = as_point(value, f"{at}.location")
    return point and (round(point[0], 4), round(point[1], 4), round(point[2], 4))


def _without_labels(items: Sequence[Item], kinds: Sequence[str]) -> Iterator[Mapping[str, object]]:
    """Yield the fields of rooms or objects, without a label that is only their class and number."""
    for number, fields, at in items:
        label = class_name(str(fields.get("label", "")))
        plain = label == f"{_class(fields, kinds, at)}_{number}"
        yield {k: v for k, v in fields.items() if k != "label"} if plain else fields


def _is_strange(location: object) -> bool:
    """Return whether a location is there and is no list of numbers."""
    return location is not None and (
        not isinstance(location, list) or any(isinstance(v, list) for v in location)
    )


def numbered(value: object, at: str) -> list[Item]:
    """List the rooms or objects of a mapping by number, or of a list of objects with ids; absent: none."""
    if value is None:
        return []
    if isinstance(value, list):
        listed = objects(value, at)
        return [(as_name(fields.get("id"), f"{place}.id"), fields, place) for place, fields in listed]
    items = []
    for key, entry in as_object(value, at).items():
        number = as_name(key, at)
        place = f"{at}.{clip(number, 40)}"
        items.append((number, as_object(entry, place), place))
    return items


def shortest_tree(nodes: Mapping[str, Node]) -> tuple[Link, ...]:
    """Return links that join all rooms with the least total length, each storey before the next.

    The graphs have no ways. Taskography (Agia et al., CoRL 2021) joins the rooms of a storey by the shortest
    tree over their centres and storeys where rooms of theirs are nearest; this is the same in one tree
    (Prim).
    """
    rooms = [n for n in nodes.values() if n.type == "room"]
    if not rooms:
        return ()
    far = 1e9  # more than any length: another floor is joined only when a floor is complete
    todo = {r.id: r for r in rooms[1:]}
    last, best = rooms[0], {r.id: (float("inf"), 0.0, rooms[0].id) for r in rooms[1:]}
    links: list[Link] = []
    while todo:
        for room in todo.values():
            length = straight(last, room)
            weight = length + (far if last.parent != room.parent else 0.0)
            if weight < best[room.id][0]:
                best[room.id] = (weight, length, last.id)
        chosen = min(todo, key=lambda i: best[i][0])
        links.append(Link(best[chosen][2], chosen, best[chosen][1]))
        last = todo.pop(chosen)
    return tuple(links)


def every_pair(nodes: Mapping[str, Node]) -> tuple[Link, ...]:
    """Return a link between every two rooms."""
    rooms = [n for n in nodes.values() if n.type == "room"]
    return tuple(Link(a.id, b.id, straight(a, b)) for a, b in combinations(rooms, 2))
