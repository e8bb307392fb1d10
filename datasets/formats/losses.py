"""Losses of a scene in a file format: the scene compared with the one read back from the written file.

The caller writes and reads; :func:`differences` names what is missing or changed. Every field of ``Node`` is
compared, a new one by equality unless :func:`_changed` has a rule for it. Of ``Scene`` only nodes, links,
description and further keys are compared: a new field needs a comparison in ``differences``. Additions are no
losses: what only the scene read back has is not reported. The wording of the lines is free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import fields

from ...domains.errors import clip
from ...simulator.scene import Node, Scene

_PLURALS: Mapping[str, str] = {
    "type": "node types",
    "parent": "parents",
    "relation": "relations",
    "state": "states",
    "position": "positions",
    "at": "the place of the robot",
    "description": "descriptions",
    "extra": "other keys",
}
"""Fields of a node as messages name them; others have a name that needs no change."""


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
            nodes_by_loss.setdefault(_PLURALS.get(field, field), []).append(node.id)
    lines = []
    for loss, ids in nodes_by_loss.items():
        example = f"{clip(ids[0], 40)}{'' if len(ids) == 1 else ', ...'}"
        lines.append(f"{loss} ({len(ids)}: {example})")
    ends = [(given.get(x.a, ""), given.get(x.b, ""), x.length) for x in scene.links]
    doors = {x.door for x in scene.links} - {""}
    before = Counter((*sorted((a, b)), length) for a, b, length in ends)
    after = Counter((*sorted((x.a, x.b)), x.length) for x in again.links)
    if before != after:
        same_ways = {k[:2] for k in before} == {k[:2] for k in after}
        lines.append("lengths of links" if same_ways else "which places are linked, and lengths")
    if doors and len(again.doors) < len(scene.doors):
        lines.append(f"which doors are between rooms ({len(doors)}: {clip(min(doors), 40)})")
    if scene.description and scene.description != again.description:
        lines.append("the scene's description")
    if scene.extra and scene.extra != again.extra:
        lines.append(f"other keys of the document ({len(scene.extra)}: {clip(min(scene.extra), 40)})")
    if names is None and not lines and [i for i in again.nodes if i in scene.nodes] != list(scene.nodes):
        lines.append("the order of nodes")
    return tuple(lines)


def _changed(node: Node, other: Node, given: Mapping[str, str]) -> list[str]:
    """Return the fields in which a node read back differs, the id apart; the order of words means nothing."""
    parent = given.get(node.parent) if node.parent is not None else None
    at = given.get(node.at) if node.at is not None else None
    belongs, stands = parent == other.parent, at == other.at
    if node.type == "agent":  # the room of a robot without a pose is its parent or its place
        belongs = (parent or at) == (other.parent or other.at)
        stands = (at or parent) == (other.at or other.parent)
    rules = {
        "id": True,
        "parent": belongs,
        "relation": node.relation == other.relation or node.parent is None,
        "affordances": set(node.affordances) == set(other.affordances),
        "state": set(node.state) == set(other.state),
        "attributes": set(node.attributes) == set(other.attributes),
        "at": stands,
        "extra": not node.extra or node.extra == other.extra,
        "provenance": not node.provenance or node.provenance == other.provenance,
    }
    names = [field.name for field in fields(node)]
    return [n for n in names if not rules.get(n, getattr(node, n) == getattr(other, n, None))]
