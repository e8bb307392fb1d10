"""Losses of a scene in a format: the written file is read back and compared, so that nothing is forgotten.

A new field of nodes needs an entry in :data:`_FIELDS` and in :func:`_changed`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ...domains.errors import clip
from ...simulator.scene import Node, Scene

_FIELDS: Mapping[str, str] = {
    "type": "node types",
    "parent": "parents",
    "relation": "relations",
    "classes": "classes",
    "affordances": "affordances",
    "state": "states",
    "attributes": "attributes",
    "position": "positions",
    "at": "the place of the robot",
    "description": "descriptions",
    "provenance": "provenance",
}


def no_losses(scene: Scene) -> tuple[str, ...]:
    """Return no lines, for a format that holds everything that a scene has."""
    return ()


def differences(scene: Scene, again: Scene, names: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return a line for each property that a scene read back has lost or changed, with an example.

    ``names`` maps ids to those that the format gave; without it, they are the same.
    """
    given = names if names is not None else {i: i for i in scene.nodes}
    nodes_by_loss: dict[str, list[str]] = {}
    for node in scene.nodes.values():
        here = given.get(node.id)
        if here is None or here not in again.nodes:
            nodes_by_loss.setdefault(f"nodes of type {node.type}", []).append(node.id)
            continue
        if here != node.id:
            nodes_by_loss.setdefault("ids", []).append(node.id)
        for field in _changed(node, again.nodes[here], given):
            nodes_by_loss.setdefault(_FIELDS[field], []).append(node.id)
    lines = []
    for loss, ids in nodes_by_loss.items():
        example = f"{clip(ids[0], 40)}{'' if len(ids) == 1 else ', ...'}"
        lines.append(f"{loss} ({len(ids)}: {example})")
    ends = [(given.get(x.a, ""), given.get(x.b, ""), x.length) for x in scene.links]
    before = Counter((*sorted((a, b)), length) for a, b, length in ends)
    after = Counter((*sorted((x.a, x.b)), x.length) for x in again.links)
    if before != after:
        same_ways = {k[:2] for k in before} == {k[:2] for k in after}
        lines.append("lengths of links" if same_ways else "which places are linked, and lengths")
    if scene.description and scene.description != again.description:
        lines.append("the scene's description")
    if names is None and not lines and list(scene.nodes) != list(again.nodes):
        lines.append("the order of nodes")
    return tuple(lines)


def _changed(node: Node, other: Node, given: Mapping[str, str]) -> list[str]:
    """Return the fields in which a node read back differs; the order of words means nothing."""
    parent = given.get(node.parent) if node.parent is not None else None
    at = given.get(node.at) if node.at is not None else None
    belongs, stands = parent == other.parent, at == other.at
    if node.type == "agent":  # the room of a robot without a pose is its parent or its place
        belongs = (parent or at) == (other.parent or other.at)
        stands = (at or parent) == (other.at or other.parent)
    same = {
        "type": node.type == other.type,
        "parent": belongs,
        "relation": node.relation == other.relation or node.parent is None,
        "classes": node.classes == other.classes,
        "affordances": set(node.affordances) == set(other.affordances),
        "state": set(node.state) == set(other.state),
        "attributes": set(node.attributes) == set(other.attributes),
        "position": node.position == other.position,
        "at": stands,
        "description": node.description == other.description,
        "provenance": not node.provenance or node.provenance == other.provenance,
    }
    return [field for field, kept in same.items() if not kept]
