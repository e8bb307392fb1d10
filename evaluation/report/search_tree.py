"""The search of a run as a tree: what was opened, in which move, and what was chosen below.

The places of nodes are those of the task's scene, where this installation has the scene that the manifest
names; otherwise the moves alone are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...datasets.library import find_task
from ...domains.errors import InputError
from ...simulator.scene import Scene
from ..bench.results import RunRow


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of the scene with the moves of the search that were about it, counted from 1.

    ``chosen`` is true for what the search handed on; ``others`` counts what it showed below and did not.
    """

    id: str
    moves: tuple[tuple[int, str], ...] = ()
    chosen: bool = False
    others: int = 0
    children: tuple[TreeNode, ...] = ()


def scene_of(task: str, hashes: Mapping[str, str]) -> Scene | None:
    """Return the scene of a task, where this installation has the one of the manifest, by its hash."""
    try:
        scene = find_task(task).load()
    except InputError:
        return None
    return scene if hashes.get(task) == scene.hash else None


def search_tree(row: RunRow, scene: Scene) -> tuple[TreeNode, ...]:
    """Return the tree of a search, from the nodes without parents down; nothing where nothing was searched.

    It has what was opened or closed, what was chosen, and all that is above these.
    """
    record = row.record
    moves: dict[str, list[tuple[int, str]]] = {}
    trace = record.get("trace")
    for number, step in enumerate(trace if isinstance(trace, list) else (), 1):
        if isinstance(step, dict) and str(step.get("node")) in scene.nodes:
            moves.setdefault(str(step["node"]), []).append((number, str(step.get("command", ""))))
    chosen = {name for name in _texts(record.get("subgraph")) if name in scene.nodes}
    shown = {name for name in _texts(record.get("shown")) if name in scene.nodes}
    drawn = set(moves) | chosen if moves else set()
    drawn |= {above for name in drawn for above in scene.ancestors(name)}

    def node(name: str) -> TreeNode:
        children = scene.children.get(name, ())
        below = tuple(node(child) for child in children if child in drawn)
        others = sum(child in shown for child in children if child not in drawn)
        return TreeNode(name, tuple(moves.get(name, ())), name in chosen, others, below)

    return tuple(node(name) for name in scene.nodes if name in drawn and scene.nodes[name].parent is None)


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []
