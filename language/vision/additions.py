"""Additions to a memory graph: a description matched with what is known, as nodes that can be observed.

Furniture is never added or moved by a picture, and a thing without a known place is left out, with the
reason: what a model says of a picture is believed only where it fits. What it does not mention stays as it
is believed: a state that is said takes the place of those that exclude it, and of no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from types import MappingProxyType

from ...domains.pack import Pack
from ...simulator.belief import Belief, with_made
from ...simulator.observations.in_part import exclude, with_words
from ...simulator.observations.observation import Observations, SeenInPart
from ...simulator.scene import Node, Scene
from ...simulator.sensing.spots import holds_things
from .description import RELATIONS, Described, Named
from .eye import named_of

_IN_ROOM = ("asset", "part", "object")
"""The types of nodes of a room that a description may be about."""
NOTHING_IDENTIFIED: Mapping[Named, Node] = MappingProxyType({})


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


def added_nodes(
    description: Sequence[Described],
    belief: Belief,
    room: str,
    identified: Mapping[Named, Node] = NOTHING_IDENTIFIED,
) -> Additions:
    """Match a description with what is believed of a room.

    A name and number is a node of the room by its id (``bench 1``: ``bench1``, ``bench_1``, or ``bench``
    where there is no number), a thing of that name whose place nobody knows, or another object of the
    description. An object that the scene has elsewhere is taken for another one, with the next free number.
    A known thing keeps the states that nothing is said of; states that exclude each other, or that the pack
    does not have, are left out with the reason. What is said to be inside of a place that holds things on
    top alone is on it, and the other way round. Names that are ``identified`` are those of nodes that whoever
    tracks things knows, and what can be done with a new one is what can be done with that node.
    """
    scene = belief.scene
    fit = {name: node for name, node in identified.items() if node.id == room or node.type in _IN_ROOM}
    in_rooms = (i for i, node in scene.nodes.items() if i == room or node.type in _IN_ROOM)
    here = [i for i in in_rooms if i == room or scene.room_of(i) == room]
    lost = {named_of(i): i for i, n in scene.nodes.items() if n.type == "object" and n.parent is None}
    by_name = {named_of(i): i for i in here} | {name: node.id for name, node in fit.items()}
    matching = _Matching({one.name: one for one in description}, belief, fit, by_name)
    for name in matching.described:
        same = by_name.get(name, lost.get(name))
        if same is not None and (scene.nodes.get(same) or fit[name]).type != "object":
            matching.leave_out(name, "it is furniture, which no picture moves")
            continue
        ids = matching.ids
        ids[name] = same if same is not None else _free(name, scene, ids.values())
    for name in matching.ids:
        matching.add(name)
    for name in matching.ids:
        matching.add_states(name)
    by_node = {node: matching.described[name] for name, node in matching.ids.items()}
    nodes = tuple(matching.nodes.values())
    in_part = tuple(SeenInPart(node.id, _said(by_node[node.id], node)) for node in nodes)
    return Additions(nodes, tuple(matching.left_out), in_part)


def _said(one: Described, node: Node) -> tuple[str, ...]:
    """Return the words of a description that its node has, too."""
    return tuple(word for word in (*one.states, *one.properties) if word in (*node.state, *node.attributes))


@dataclass
class _Matching:
    """A description on its way to nodes; ``by_name`` are the nodes of the room and those identified."""

    described: Mapping[Named, Described]
    belief: Belief
    identified: Mapping[Named, Node]
    by_name: Mapping[Named, str]
    ids: dict[Named, str] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def leave_out(self, name: Named, reason: str) -> None:
        self.left_out.append(f"{_spoken(name)}: {reason}")

    def add(self, name: Named, below: tuple[Named, ...] = ()) -> bool:
        """Add an object after what it is in or on; return whether it has a place."""
        own = self.ids[name]
        if own in self.nodes:
            return True
        one, scene = self.described[name], self.belief.scene
        target = one.related_to
        if target is None or one.relation is None:
            reason = "its place is not seen"
        elif target in below or target == name:
            reason = "it would be in or on itself"
        elif target in self.ids:
            reason = "" if self.add(target, (*below, name)) else f"{_spoken(target)} has no place"
        else:
            reason = "" if target in self.by_name else f"{_spoken(target)} is not known in the room"
        if reason or target is None or one.relation is None:
            if not below:
                self.leave_out(name, reason)
            return False
        parent = self.ids.get(target, self.by_name.get(target, ""))
        if self._is_below(parent, own):
            self.leave_out(name, "it would be in or on itself")
            return False
        believed = scene.nodes.get(own)
        before = self._new(name) if believed is None else with_made(believed, self.belief)
        relation = self._relation_at(parent, one.relation)
        stays = (before.parent, before.relation) == (parent, relation)
        position = before.position if stays else None
        self.nodes[own] = replace(before, parent=parent, relation=relation, position=position)
        return True

    def _relation_at(self, parent: str, relation: str) -> str:
        """Return a relation as it was said, or the other one where a place can have that alone."""
        if relation not in RELATIONS or parent not in self.belief.scene.nodes:
            return relation
        other = RELATIONS[relation == RELATIONS[0]]
        alone = holds_things(self.belief, parent, other) and not holds_things(self.belief, parent, relation)
        return other if alone else relation

    def _is_below(self, node: str, other: str) -> bool:
        """Return whether a node is another, or in or on it, where nodes that are added count first."""
        tracked = {one.id: one for one in self.identified.values()}
        at: str | None = node
        while at is not None and at != other:
            above = self.nodes.get(at) or self.belief.scene.nodes.get(at) or tracked.get(at)
            at = above.parent if above is not None else None
        return at is not None

    def _new(self, name: Named) -> Node:
        properties = self.described[name].properties
        if name in self.identified:
            return replace(self.identified[name], state=(), attributes=properties)
        return Node(self.ids[name], "object", classes=(name[0],), attributes=properties)

    def add_states(self, name: Named) -> None:
        """Give an object that has a place the states that are said of it, and what they say can be done."""
        node = self.nodes.get(self.ids[name])
        if node is None:
            return
        stated, reason = _with_states(node, self.described[name].states, self.belief.pack)
        is_new = node.id not in self.belief.scene.nodes and name not in self.identified
        self.nodes[node.id] = replace(stated, affordances=_affordances(stated)) if is_new else stated
        if reason:
            self.leave_out(name, reason)


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
