"""Memory graph of LookPlanGraph (Onishchenko et al., 2025): what its robot knows, as a model reads it.

The memory graph begins with what never moves. A prompt has all rooms, since the robot may go to any of them,
and beyond that what is in its room and what it has handled before (section 4.2). Its JSON is that of appendix
A.1.2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from ...simulator.belief import Belief
from ...simulator.observations.state_words import facts_said
from ...simulator.scene import THINGS, Node, Scene
from ...simulator.view import LEVELS


def filtered_nodes(belief: Belief, handled: Collection[str]) -> tuple[Node, ...]:
    """Return the nodes that a model is told of, in the order of the scene.

    A thing whose place nobody knows is not among them, and what is known of looks is not in their states.
    """
    scene = belief.scene
    place = scene.agent.at or scene.agent.parent
    room = scene.room_of(place) if place is not None else None
    kept = {name for name in handled if name in scene.nodes}
    kept |= {above for name in kept for above in scene.ancestors(name)}
    return tuple(
        _without_looks(node, belief)
        for node in scene.nodes.values()
        if node.type in (*LEVELS, "room", "agent")
        or (
            (node.type in THINGS and node.id not in scene.unplaced)
            and (node.id in kept or scene.room_of(node.id) == room or _held(node, scene))
        )
    )


def _held(node: Node, scene: Scene) -> bool:
    return node.parent == scene.agent.id


def _without_looks(node: Node, belief: Belief) -> Node:
    """Return a node without the words for the robot having looked there, which the paper's graph lacks."""
    mapping = belief.pack.mapping
    looks = {atom.predicate for atom in mapping.look.values()}
    words = tuple(
        word for word in node.state if not any(a.predicate in looks for a in facts_said(word, node, mapping))
    )
    return node if words == node.state else replace(node, state=words)


def memory_graph(shown: Iterable[Node], scene: Scene, descriptions: bool = False) -> dict[str, object]:
    """Return nodes of a scene as JSON, in the order of :data:`LEVELS`, assets, objects and the robot.

    Poses are left out. Attributes stand as ``properties``; levels above rooms, which that paper does not
    have, have their names, and ``descriptions``, which it does not have either, a key of their own.
    """
    groups: dict[str, list[dict[str, object]]] = {}
    for node in shown:
        match node.type:
            case "pose":
                continue
            case "agent":
                entry = _agent(node, scene)
            case "object":
                entry = {"relation": node.relation, "related_to": node.parent, "states": list(node.state)}
            case level if level in LEVELS:
                entry = {}
            case _:
                entry = {"located": scene.room_of(node.id), "states": list(node.state)}
        if node.attributes and node.type != "agent":
            entry["properties"] = list(node.attributes)
        if descriptions and node.description:
            entry["description"] = node.description
        kind = "asset" if node.type == "part" else node.type
        groups.setdefault(kind, []).append({"id": node.id, **entry})
    order = (*LEVELS, "asset", "object", "agent")
    return {"nodes": {kind: groups[kind] for kind in order if kind in groups}}


def _agent(node: Node, scene: Scene) -> dict[str, object]:
    """Return the room and the hand of a robot; no room where it stands on a pose between rooms."""
    place = node.at or node.parent
    room = place
    if place is not None and scene.nodes[place].type != "room":
        room = scene.room_of(place)
    held = [i for i in scene.children.get(node.id, ()) if scene.nodes[i].relation == "inside_hand"]
    return {"location": room or "", "holding": held[0] if held else ""}
