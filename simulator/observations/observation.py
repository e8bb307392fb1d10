"""Observations as data: what a robot sees after a step, and the places that it saw all of.

A scene says where things are; an observation says what was seen of it at one moment. A :class:`Spot` is a
place where things may be out of sight: in a relation to a node that the pack hides (``[sight]``: inside a
closed fridge), or somewhere in a room that nobody has looked around in yet. Nothing here knows a belief or a
world, so that a robot of one's own can make these too. The JSON is part of logs and fixed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields

from ...domains.errors import InputError, clip
from ...domains.mapping import AROUND
from ..scene import MAX_LENGTH, Link, Node, is_id
from ..scene_json import node_from_json, node_to_json

MAX_MM = 10**15
"""Most millimetres that one step moves: sums of them are exact as numbers of metres, too."""


@dataclass(frozen=True, slots=True, order=True)
class Spot:
    """A place to look at: a node, and the relation to it in which things may be there.

    With :data:`AROUND` for a relation it is a whole room or pose: all that is seen on entering it.
    """

    node: str
    relation: str = AROUND

    def __str__(self) -> str:
        return self.node if self.relation == AROUND else f"{self.relation} {self.node}"


@dataclass(frozen=True, slots=True)
class SeenInPart:
    """A node of which its place was seen, and of its states and attributes only some ``words``.

    A picture's description is such a sight. Its other states stay as they are believed when it is observed.
    """

    node: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Observations:
    """All that is seen at one moment: nodes as they are, ways, and spots of which everything was seen.

    ``nodes`` are in an order in which parents come before what is in or on them; ``ways`` are all links of
    the room or pose ``here``. Those of the nodes that are ``in_part`` were not seen with all their states;
    the key is in the JSON only where there are some.
    """

    here: str
    nodes: tuple[Node, ...] = ()
    ways: tuple[Link, ...] = ()
    spots: tuple[Spot, ...] = ()
    in_part: tuple[SeenInPart, ...] = ()

    def as_json(self) -> dict[str, object]:
        seen: dict[str, object] = {
            "here": self.here,
            "nodes": [node_to_json(n) for n in self.nodes],
            "ways": [[w.a, w.b, w.length, *([w.door] if w.door else [])] for w in self.ways],
            "spots": [[s.node, s.relation] for s in self.spots],
        }
        in_part = [[part.node, list(part.words)] for part in self.in_part]
        return seen | ({"in_part": in_part} if in_part else {})


@dataclass(frozen=True, slots=True)
class Change:
    """Change of a belief by an observation: of one node, what was believed and what is seen.

    ``seen`` is ``None`` for a thing that is not where it was believed; nobody knows then where it is.
    """

    node: str
    believed: str
    seen: str | None


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """The end of one step of a robot: whether it was done, the millimetres moved, and what is seen now.

    ``message`` says why a step was not done.
    """

    done: bool
    moved_mm: int
    observations: Observations
    message: str = ""

    def as_json(self) -> dict[str, object]:
        seen = self.observations.as_json()
        return {"done": self.done, "moved_mm": self.moved_mm, "observations": seen, "message": self.message}


def outcome_from_json(raw: object, where: str = "outcome") -> StepOutcome:
    """Read an outcome. Raises :class:`InputError` with the place, the expected and the given value.

    Whether there are nodes of the names in it can be said only with what is believed.
    """
    entry = _table(raw, {f.name for f in fields(StepOutcome)}, where)
    done, moved, message = entry["done"], entry["moved_mm"], entry["message"]
    if not isinstance(done, bool) or not isinstance(message, str):
        raise InputError(where, "done: true or false, and a message", f"{clip(done)}, {clip(message)}")
    if not isinstance(moved, int) or isinstance(moved, bool) or not 0 <= moved <= MAX_MM:
        raise InputError(f"{where}: moved_mm", f"millimetres, 0 to {MAX_MM}", clip(moved))
    return StepOutcome(done, moved, _observations(entry["observations"], f"{where}: observations"), message)


def spot_from_json(raw: object, where: str) -> Spot:
    """Read a spot, a list of a node and a relation. Raises :class:`InputError`."""
    match raw:
        case [str() as node, str() as relation] if is_id(node) and is_id(relation):
            return Spot(node, relation)
    raise InputError(where, "a node and a relation", clip(raw))


def _observations(raw: object, where: str) -> Observations:
    entry = _table(raw, {f.name for f in fields(Observations)}, where, optional=("in_part",))
    here = entry["here"]
    if not isinstance(here, str) or not is_id(here):
        raise InputError(f"{where}: here", "the id of a room or pose", clip(here))
    nodes = tuple(node_from_json(node, at) for node, at in _rows(entry, "nodes", where))
    ways = tuple(_way(row, at) for row, at in _rows(entry, "ways", where))
    spots = tuple(spot_from_json(row, at) for row, at in _rows(entry, "spots", where))
    seen = frozenset(node.id for node in nodes)
    in_part = tuple(_seen_in_part(row, at, seen) for row, at in _rows(entry, "in_part", where))
    return Observations(here, nodes, ways, spots, in_part)


def _seen_in_part(raw: object, where: str, seen: Collection[str]) -> SeenInPart:
    """Read which words were seen of a node, a list of its id and a list of words."""
    match raw:
        case [str() as node, list() as words] if all(isinstance(word, str) for word in words):
            if node in seen:
                return SeenInPart(node, tuple(words))
            raise InputError(where, "one of the nodes that are seen", clip(node))
    raise InputError(where, "a node, and the words for its state that were seen", clip(raw))


def _way(raw: object, where: str) -> Link:
    """Read a way: its two ends, its length, and its door where it has one."""
    if not isinstance(raw, list) or len(raw) not in (3, 4):
        expected = "two places, a length in metres, and the door where there is one"
        raise InputError(where, expected, clip(raw))
    a, b, length, *door = raw
    for name in (a, b, *door):
        if not is_id(name):
            raise InputError(where, "ids of two places, and of the door", clip(name))
    number = isinstance(length, int | float) and not isinstance(length, bool)
    if not number or not 0 <= length <= MAX_LENGTH:
        raise InputError(where, f"a length of 0 to {MAX_LENGTH} m", clip(length))
    return Link(a, b, float(length), *door)


def _table(raw: object, keys: set[str], where: str, optional: Collection[str] = ()) -> Mapping[str, object]:
    if not isinstance(raw, dict) or {*raw, *optional} != keys:
        raise InputError(where, f"an object with {', '.join(sorted(keys))}", clip(raw))
    return raw


def _rows(entry: Mapping[str, object], key: str, where: str) -> Iterator[tuple[object, str]]:
    """Yield what is in a list, each with its place for messages."""
    rows = entry.get(key, [])
    if not isinstance(rows, list):
        raise InputError(f"{where}: {key}", "a list", clip(rows))
    yield from ((row, f"{where}: {key}[{number}]") for number, row in enumerate(rows))


def differ(believed: Node, seen: Node) -> bool:
    """Return whether a node is seen otherwise than believed: its place, state, affordances or sort."""
    if describe(believed) != describe(seen):
        return True
    return _sort_of(believed) != _sort_of(seen)


def _sort_of(node: Node) -> tuple[str, str]:
    """Return the classes and the attributes of a node, each in one line."""
    return ", ".join(sorted(node.classes)), ", ".join(sorted(node.attributes))


def describe(node: Node, beside: Node | None = None) -> str:
    """The place and the state of a node in one line, and its sort where that of ``beside`` is another one."""
    place = f"{node.relation} {node.parent}" if node.parent is not None else "place not known"
    if node.at is not None:
        place = f"at {node.at}"
    state = f" ({', '.join(sorted(node.state))})" if node.state else ""
    can = f" [{', '.join(sorted(node.affordances))}]" if node.affordances else ""
    sort = ""
    if beside is not None:
        pairs = zip(("class", "attribute"), _sort_of(node), _sort_of(beside), strict=True)
        sort = "".join(f" {what}: {own or 'none'}" for what, own, other in pairs if own != other)
    return f"{place}{state}{can}{sort}"
