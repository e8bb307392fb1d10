"""Additions to a memory graph: a description matched with what is known, as nodes that can be observed.

Furniture is never added or moved by a picture, and a thing without a known place is left out, with the
reason: what a model says of a picture is believed only where it fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...simulator.scene import Node, Scene
from ...simulator.sensing.observation import Observations
from .description import Described, Named
from .eye import named_of


@dataclass(frozen=True, slots=True)
class Additions:
    """New or moved things as nodes, parents before what is in or on them, and why others are left out."""

    nodes: tuple[Node, ...] = ()
    left_out: tuple[str, ...] = ()

    def seen_from(self, here: str) -> Observations:
        """Return them as observations of a robot in a room, for :meth:`Belief.observe`.

        They exhaust no place: that a model does not name a thing is no proof that it is not there.
        """
        return Observations(here, self.nodes)


def added_nodes(description: Sequence[Described], scene: Scene, room: str) -> Additions:
    """Match a description with the nodes of a room.

    A name and number is a node of the room by its id (``bench 1``: ``bench1``, ``bench_1``, or ``bench``
    where there is no number), a thing of that name whose place nobody knows, or another object of the
    description. An object that the scene has elsewhere is taken for another one, with the next free number.
    """
    here = [i for i in scene.nodes if i == room or scene.room_of(i) == room]
    lost = {named_of(i): i for i, n in scene.nodes.items() if n.type == "object" and n.parent is None}
    by_name = {named_of(i): i for i in here if scene.nodes[i].type in ("asset", "part", "object", "room")}
    described = {one.name: one for one in description}
    ids: dict[Named, str] = {}
    left: list[str] = []
    for name in described:
        same = by_name.get(name, lost.get(name))
        if same is not None and scene.nodes[same].type != "object":
            left.append(f"{_spoken(name)}: it is furniture, which no picture moves")
            continue
        ids[name] = same if same is not None else _free(name, scene, ids.values())
    nodes: dict[str, Node] = {}
    for name in ids:
        _add(name, described, ids, by_name, scene, nodes, left, ())
    return Additions(tuple(nodes.values()), tuple(left))


def _add(
    name: Named,
    described: Mapping[Named, Described],
    ids: Mapping[Named, str],
    by_name: Mapping[Named, str],
    scene: Scene,
    nodes: dict[str, Node],
    left: list[str],
    below: tuple[Named, ...],
) -> bool:
    """Add an object after what it is in or on; return whether it has a place."""
    if ids[name] in nodes:
        return True
    one = described[name]
    target = one.related_to
    if target is None or one.relation is None:
        reason = "its place is not seen"
    elif target in below or target == name:
        reason = "it would be in or on itself"
    elif target in ids:
        inner = _add(target, described, ids, by_name, scene, nodes, left, (*below, name))
        reason = "" if inner else f"{_spoken(target)} has no place"
    else:
        reason = "" if target in by_name else f"{_spoken(target)} is not known in the room"
    if reason or target is None or one.relation is None:
        if not below:
            left.append(f"{_spoken(name)}: {reason}")
        return False
    parent = ids.get(target, by_name.get(target, ""))
    if _is_below(parent, ids[name], nodes, scene):
        left.append(f"{_spoken(name)}: it would be in or on itself")
        return False
    before = scene.nodes.get(ids[name])
    nodes[ids[name]] = Node(
        ids[name],
        "object",
        parent=parent,
        relation=one.relation,
        state=one.states,
        affordances=before.affordances if before is not None else _affordances(one),
        attributes=before.attributes if before is not None else one.properties,
        classes=before.classes if before is not None else (name[0],),
    )
    return True


def _is_below(node: str, other: str, nodes: Mapping[str, Node], scene: Scene) -> bool:
    """Return whether a node is another, or in or on it, where ``nodes`` count before those of the scene."""
    at: str | None = node
    while at is not None and at != other:
        at = (nodes.get(at) or scene.nodes[at]).parent
    return at is not None


def _affordances(one: Described) -> tuple[str, ...]:
    """Return what can be done with a new thing, by LookPlanGraph's rules for states (section 4.1)."""
    words = ["pickup"]
    words += ["open", "close"] if {"open", "closed"} & set(one.states) else []
    words += ["turn_on", "turn_off"] if {"on", "off"} & set(one.states) else []
    return tuple(words)


def _free(name: Named, scene: Scene, taken: Iterable[str]) -> str:
    used = {*scene.nodes, *taken}
    number = name[1]
    while f"{name[0]}{number}" in used:
        number += 1
    return f"{name[0]}{number}"


def _spoken(name: Named) -> str:
    return f"{name[0]} {name[1]}"
