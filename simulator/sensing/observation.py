"""Observations as data: what a robot sees after a step, and the places that it saw all of.

A scene says where things are; an observation says what was seen of it at one moment. A :class:`Spot` is a
place where things may be out of sight: in a relation to a node that the pack hides (``[sight]``: inside a
closed fridge), or somewhere in a room that nobody has looked around in yet. Nothing here knows a belief or a
world, so that a robot of one's own can make these too. The JSON is part of logs and fixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from ...domains.errors import InputError, clip
from ...domains.mapping import AROUND
from ..scene import Link, Node
from ..scene_json import node_from_json, node_to_json


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
class Observations:
    """All that is seen at one moment: nodes as they are, ways, and spots of which everything was seen.

    ``nodes`` are in an order in which parents come before what is in or on them; ``ways`` are all links of
    the room or pose ``here``.
    """

    here: str
    nodes: tuple[Node, ...] = ()
    ways: tuple[Link, ...] = ()
    spots: tuple[Spot, ...] = ()

    def as_json(self) -> dict[str, object]:
        return {
            "here": self.here,
            "nodes": [node_to_json(n) for n in self.nodes],
            "ways": [[w.a, w.b, w.length, *([w.door] if w.door else [])] for w in self.ways],
            "spots": [[s.node, s.relation] for s in self.spots],
        }


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
    """Read an outcome. Raises :class:`InputError` with the place, the expected and the given value."""
    entry = _table(raw, {f.name for f in fields(StepOutcome)}, where)
    done, moved, message = entry["done"], entry["moved_mm"], entry["message"]
    if not isinstance(done, bool) or not isinstance(message, str):
        raise InputError(where, "done: true or false, and a message", clip(f"{done}, {message}"))
    if not isinstance(moved, int) or isinstance(moved, bool) or moved < 0:
        raise InputError(f"{where}: moved_mm", "millimetres, 0 or more", clip(str(moved)))
    return StepOutcome(done, moved, _observations(entry["observations"], f"{where}: observations"), message)


def _observations(raw: object, where: str) -> Observations:
    entry = _table(raw, {f.name for f in fields(Observations)}, where)
    here = entry["here"]
    if not isinstance(here, str):
        raise InputError(f"{where}: here", "the id of a room or pose", clip(str(here)))
    nodes = tuple(node_from_json(n, f"{where}: nodes") for n in _rows(entry, "nodes", where))
    ways = []
    for row in _rows(entry, "ways", where):
        if not isinstance(row, list) or len(row) not in (3, 4) or not isinstance(row[2], int | float):
            expected = "two places, a length in metres, and the door where there is one"
            raise InputError(f"{where}: ways", expected, clip(str(row)))
        ways.append(Link(str(row[0]), str(row[1]), float(row[2]), *map(str, row[3:])))
    spots = []
    for row in _rows(entry, "spots", where):
        if not isinstance(row, list) or len(row) != 2 or not all(isinstance(t, str) for t in row):
            raise InputError(f"{where}: spots", "a node and a relation", clip(str(row)))
        spots.append(Spot(row[0], row[1]))
    return Observations(here, nodes, tuple(ways), tuple(spots))


def _table(raw: object, keys: set[str], where: str) -> Mapping[str, object]:
    if not isinstance(raw, dict) or set(raw) != keys:
        raise InputError(where, f"an object with {', '.join(sorted(keys))}", clip(str(raw)))
    return raw


def _rows(entry: Mapping[str, object], key: str, where: str) -> list[object]:
    rows = entry[key]
    if not isinstance(rows, list):
        raise InputError(f"{where}: {key}", "a list", clip(str(rows)))
    return rows


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
