"""Beliefs of a robot that has not seen all of a world yet: things hidden, or nothing known but where it is.

These make the start of an episode from a true scene. A thing that a task names is known by name, and nobody
knows where and how it is; what contained hidden things is still known as what may contain some.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...domains.formula import names
from ...domains.pack import Pack
from ..belief import Belief, ground
from ..scene import MOVABLE, PLACE_UNKNOWN, THINGS, Node, Scene
from ..world import World
from .sight import observations_of

EVERYTHING = ("room", "pose", *THINGS)
"""The types of nodes that may be anywhere in a building nobody has been in."""


def with_hidden(truth: Belief, hidden: Iterable[str] | None = None, named: Iterable[str] = ()) -> Belief:
    """Return the belief of a robot that knows the fixed things of a world, and has not seen movable ones.

    ``hidden`` are the things that it has not seen, all objects by default; of these it knows ``named`` by
    name. What it holds it knows.

    >>> from groundplan import ground, load_pack, load_scene
    >>> office = ground(load_scene("office"), load_pack())
    >>> belief = with_hidden(office, named=["orange1"])
    >>> belief.scene.nodes["orange1"].relation, "banana2" in belief.scene.nodes, belief.unseen
    ('unknown', False, ('object',))
    """
    scene = truth.scene
    held = frozenset(scene.descendants(scene.agent.id))
    things = [i for i, n in scene.nodes.items() if n.type in MOVABLE]
    gone = frozenset(things if hidden is None else hidden) - held
    # What is in a hidden thing is hidden with it.
    gone = gone.union(*(scene.descendants(i) for i in gone)) if gone else gone
    known_by_name = frozenset((*named, *_in_rules(truth))) & gone
    nodes: dict[str, Node] = {}
    for name, node in scene.nodes.items():
        if name in known_by_name:
            nodes[name] = _by_name(node)
        elif name not in gone:
            nodes[name] = _still_a_carrier(node, truth)
    return _under_rules_of(truth, ground(_scene(scene, nodes), truth.pack), MOVABLE)


def unexplored(truth: Belief, named: Iterable[str] = ()) -> Belief:
    """Return the belief of a robot that knows the place where it is and the ways from there, and no more.

    Things that are ``named`` it knows by name, with their place unknown.
    """
    scene, world = truth.scene, World(truth)
    here = world.state.here
    seen = observations_of(world)
    places = {node.id for node in seen.nodes if node.type not in (*THINGS, "agent")}
    held = frozenset(scene.descendants(scene.agent.id))
    by_name = frozenset((*named, *_in_rules(truth)))
    doors = {link.door: node for link in seen.ways for node in seen.nodes if node.id == link.door}
    nodes: dict[str, Node] = {}
    for name, node in scene.nodes.items():
        if name in places or name in held or node.type == "agent":
            nodes[name] = node
        elif name in doors:
            nodes[name] = doors[name]
        elif name in by_name and node.type in THINGS:
            nodes[name] = _by_name(node)
    robot = nodes[scene.agent.id]
    nodes[robot.id] = replace(robot, at=here, parent=robot.parent if robot.parent in nodes else None)
    return _under_rules_of(
        truth, ground(_scene(replace(scene, links=seen.ways), nodes), truth.pack), EVERYTHING
    )


def _under_rules_of(truth: Belief, partial: Belief, unseen: tuple[str, ...]) -> Belief:
    """Return a belief of a part, with what an operator asks of every run in all of the scene."""
    return replace(partial, unseen=unseen, barred=truth.barred, forbidden=truth.forbidden, rules=truth.rules)


def _in_rules(truth: Belief) -> tuple[str, ...]:
    """Return the names in rules: who has to keep them was told of these."""
    return tuple(name for rule in truth.rules for name in names(rule))


def _by_name(node: Node) -> Node:
    """Return a node of which a robot knows the name and the sort, and neither place nor state."""
    return replace(node, parent=None, relation=PLACE_UNKNOWN, position=None, state=())


def _scene(scene: Scene, nodes: dict[str, Node]) -> Scene:
    links = tuple(x for x in scene.links if {x.a, x.b, *filter(None, [x.door])} <= nodes.keys())
    return Scene(scene.name, nodes, links, scene.description, scene.losses)


def _still_a_carrier(node: Node, truth: Belief) -> Node:
    """Return a node that can be seen to hold things even where those are hidden."""
    children = truth.scene.children.get(node.id, ())
    return as_carrier(node, (truth.scene.nodes[child].relation for child in children), truth.pack)


def as_carrier(node: Node, relations: Iterable[str], pack: Pack) -> Node:
    """Return a node with the pack's words for what holds things in some relations."""
    mapping = pack.mapping
    words = list(node.affordances)
    for relation in relations:
        atom = mapping.parents.get(relation)
        for word, atoms in mapping.affordances.items():
            if atom is not None and [a.predicate for a in atoms] == [atom.predicate] and word not in words:
                words.append(word)
    return node if len(words) == len(node.affordances) else replace(node, affordances=tuple(words))
