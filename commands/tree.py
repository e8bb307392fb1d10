"""Parts of a scene as trees of lines: what a search chose, and what it has open while it goes on."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..simulator.scene import CONTAINERS, Scene
from ..simulator.view import View
from .terminal import HEAD, NAME, QUIET, Line, branches

MOST_NODES = 12
"""Nodes shown of what is below one node."""
MOST_BRIEFLY = 6
"""The same where all that is open is to fit on a screen."""


def tree(scene: Scene, kept: Collection[str], chosen: Collection[str], brief: bool = False) -> Iterator[Line]:
    """The kept nodes below each other; those chosen stand out, rooms as headings.

    Briefly, what things hold is counted instead.
    """
    roots = [i for i, n in scene.nodes.items() if n.parent is None and i in kept]
    most = MOST_BRIEFLY if brief else MOST_NODES

    def inside(node_id: str) -> list[str]:
        return [c for c in scene.children.get(node_id, ()) if c in kept]

    def below(node_id: str) -> list[str]:
        if not node_id or (brief and scene.nodes[node_id].type not in CONTAINERS):
            return []
        shown = inside(node_id)
        return shown[:most] + ([""] if len(shown) > most else [])

    for guides, node_id in branches(roots, below):
        if not node_id:
            yield (guides, QUIET), ("…", QUIET)
            continue
        kind = scene.nodes[node_id].type
        held = len(inside(node_id)) if brief and kind not in CONTAINERS else 0
        style = HEAD if kind == "room" else NAME if node_id in chosen else ""
        yield (guides, QUIET), (f"{node_id} ({held})" if held else node_id, style)


def open_tree(view: View, brief: bool = False) -> Iterator[Line]:
    """How much of a view is closed, and what it has open; no poses."""
    scene, open_ = view.scene, frozenset(view.expanded)
    closed = [scene.nodes[i].type for i in view.closed]
    for kind in dict.fromkeys(closed):
        many = closed.count(kind)
        yield ("  ", QUIET), (f"{many} {kind}{'s' if many != 1 else ''} closed", QUIET)
    inside = [n.id for n in view.visible if not open_.isdisjoint(scene.ancestors(n.id))]
    shown = {i for i in (*inside, *view.expanded) if i in open_ or not view.expandable(i)}
    shown = {i for i in shown if scene.nodes[i].type != "pose"}
    shown |= {a for i in tuple(shown) for a in scene.ancestors(i)}
    yield from tree(scene, shown, frozenset(inside), brief)
