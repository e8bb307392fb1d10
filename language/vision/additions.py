"""Additions to a memory graph: a description matched with what is known, as nodes that can be observed.

Furniture is never added or moved by a picture, and a thing without a known place is left out, with the
reason: what a model says of a picture is believed only where it fits. What it does not mention stays as it
is believed: a state that is said takes the place of those that exclude it, and of no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from ...domains.pack import Pack
from ...simulator.belief import Belief
from ...simulator.observations.in_part import exclude, with_words
from ...simulator.observations.observation import Observations, SeenInPart
from ...simulator.scene import Node, Scene
from .description import Described, Named
from .eye import named_of


@dataclass(frozen=True, slots=True)
class Additions:
    """New or known things as nodes, parents before what is in or on them.

    ``left_out`` says why others are left out, or states that were said of a thing; ``in_part`` has the
    states and properties that were said of each node.
    """

    nodes: tuple[Node, ...] = ()
    left_out: tuple[str, ...] = ()
    in_part: tuple[SeenInPart, ...] = ()

    def seen_from(self, here: str) -> Observations:
        """Return them as observations of a robot in a room, for :meth:`Belief.observe`.

        They exhaust no place: that a model does not name a thing is no proof that it is not there. Of the
        nodes only what was said counts as seen: the place, and some words for the state.
        """
        return Observations(here, self.nodes, in_part=self.in_part)


def added_nodes(description: Sequence[Described], belief: Belief, room: str) -> Additions:
    """Match a description with what is believed of a room.

    A name and number is a node of the room by its id (``bench 1``: ``bench1``, ``bench_1``, or ``bench``
    where there is no number), a thing of that name whose place nobody knows, or another object of the
    description. An object that the scene has elsewhere is taken for another one, with the next free number.
    A known thing keeps the states that nothing is said of; states that exclude each other, or that the pack
    does not have, are left out with the reason.
    """
    scene = belief.scene
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
        _add(name, described, ids, by_name, belief, nodes, left, ())
    for name, node in ids.items():
        if node not in nodes:
            continue
        stated, reason = _with_states(nodes[node], described[name].states, belief.pack)
        nodes[node] = stated if node in scene.nodes else replace(stated, affordances=_affordances(stated))
        if reason:
            left.append(f"{_spoken(name)}: {reason}")
    by_node = {ids[name]: described[name] for name in ids}
    in_part = tuple(SeenInPart(node.id, _said(by_node[node.id], node)) for node in nodes.values())
    return Additions(tuple(nodes.values()), tuple(left), in_part)


def _said(one: Described, node: Node) -> tuple[str, ...]:
    """Return the words of a description that its node has, too."""
    return tuple(word for word in (*one.states, *one.properties) if word in (*node.state, *node.attributes))


def _add(
    name: Named,
    described: Mapping[Named, Described],
    ids: Mapping[Named, str],
    by_name: Mapping[Named, str],
    belief: Belief,
    nodes: dict[str, Node],
    left: list[str],
    below: tuple[Named, ...],
) -> bool:
    """Add an object after what it is in or on; return whether it has a place."""
    if ids[name] in nodes:
        return True
    one, scene = described[name], belief.scene
    target = one.related_to
    if target is None or one.relation is None:
        reason = "its place is not seen"
    elif target in below or target == name:
        reason = "it would be in or on itself"
    elif target in ids:
        inner = _add(target, described, ids, by_name, belief, nodes, left, (*below, name))
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
    believed = scene.nodes.get(ids[name])
    new = Node(ids[name], "object", classes=(name[0],), attributes=one.properties)
    before = new if believed is None else belief.with_made(believed)
    stays = (before.parent, before.relation) == (parent, one.relation)
    position = before.position if stays else None
    nodes[ids[name]] = replace(before, parent=parent, relation=one.relation, position=position)
    return True


def _is_below(node: str, other: str, nodes: Mapping[str, Node], scene: Scene) -> bool:
    """Return whether a node is another, or in or on it, where ``nodes`` count before those of the scene."""
    at: str | None = node
    while at is not None and at != other:
        at = (nodes.get(at) or scene.nodes[at]).parent
    return at is not None


def _with_states(node: Node, words: Sequence[str], pack: Pack) -> tuple[Node, str]:
    """Return a node with the states that are said of it, and why states are left out, or nothing."""
    there = pack.mapping.states
    strange = [word for word in words if word not in there]
    usable = [word for word in words if word in there]
    for pair in combinations(usable, 2):
        if exclude(*pair, node, pack):
            return node, f"its states, {' and '.join(pair)} exclude each other"
    reason = f"its state {', '.join(strange)}, of which the pack {pack.name} says nothing" if strange else ""
    return with_words(node, usable, pack), reason


def _affordances(new: Node) -> tuple[str, ...]:
    """Return what can be done with a new thing, by LookPlanGraph's rules for states (section 4.1)."""
    words = ["pickup"]
    words += ["open", "close"] if {"open", "closed"} & set(new.state) else []
    words += ["turn_on", "turn_off"] if {"on", "off"} & set(new.state) else []
    return tuple(words)


def _free(name: Named, scene: Scene, taken: Iterable[str]) -> str:
    used = {*scene.nodes, *taken}
    number = name[1]
    while f"{name[0]}{number}" in used:
        number += 1
    return f"{name[0]}{number}"


def _spoken(name: Named) -> str:
    return f"{name[0]} {name[1]}"
