"""Memory of LookPlanGraph: what a robot knows of a scene, and the part of it that is told to a model.

The memory graph begins with what never moves. A prompt has all rooms, since the robot may go to any of them,
and beyond that what is in its room and what it has handled before (section 4.2).
"""

from __future__ import annotations

from collections.abc import Collection
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
