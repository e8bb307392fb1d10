"""Parts of a scene as trees of lines: what the reader's search of the scene chose, or has expanded so far.

The search works on a view of the scene: expanded nodes show what is below them, collapsed ones do not.
The lines are printed by ``terminal.Screen``. :data:`MAX_CHILDREN` and :data:`MAX_CHILDREN_BRIEFLY` bound the
nodes shown below one node, neither the number of rooms nor the depth; they and the layout may be changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ...simulator.scene import CONTAINERS, Scene
from ...simulator.view import View
from ..kinds import unnamed_class
from .terminal import HEAD, NAME, QUIET, Line, branches, number_of

MAX_CHILDREN = 12
"""Most nodes shown below one node."""
MAX_CHILDREN_BRIEFLY = 6
"""The same in the picture shown while the reader searches."""


def sizes(scene: Scene) -> str:
    """Return the numbers of rooms, assets and objects of a scene in words."""
    return ", ".join(
        number_of(len(scene.by_type.get(kind, ())), kind) for kind in ("room", "asset", "object")
    )


def tree(scene: Scene, kept: Collection[str], chosen: Collection[str]) -> Iterator[Line]:
    """Yield the kept nodes below each other; those chosen stand out, rooms as headings."""
    roots = [i for i, n in scene.nodes.items() if n.parent is None and i in kept]

    def below(node_id: str) -> list[str]:
        shown = [c for c in scene.contents(node_id) if c in kept] if node_id else []
        return shown[:MAX_CHILDREN] + ([""] if len(shown) > MAX_CHILDREN else [])

    for guides, node_id in branches(roots, below):
        if not node_id:
            yield (guides, QUIET), ("…", QUIET)
            continue
        style = HEAD if scene.nodes[node_id].type == "room" else NAME if node_id in chosen else ""
        kind = unnamed_class(scene.nodes[node_id])
        yield (guides, QUIET), (f"{node_id}  {kind}" if kind else node_id, style)


def open_tree(view: View) -> Iterator[Line]:
    """Yield the number of collapsed nodes of a view, and the tree of its expanded ones without poses."""
    scene, expanded = view.scene, frozenset(view.expanded)
    yield from closed(view)
    inside = [n.id for n in view.visible if not expanded.isdisjoint(scene.ancestors(n.id))]
    shown = {i for i in (*inside, *view.expanded) if i in expanded or not view.expandable(i)}
    shown = {i for i in shown if scene.nodes[i].type != "pose"}
    shown |= {a for i in tuple(shown) for a in scene.ancestors(i)}
    yield from tree(scene, shown, frozenset(inside))


def picture(view: View) -> Iterator[Line]:
    """Yield the expanded nodes of a view during a search: the newest first, contents as a number."""
    scene = view.scene
    yield from closed(view)
    for opened in reversed(view.expanded):
        kind, children = scene.nodes[opened].type, scene.contents(opened)
        things = [c for c in children if scene.nodes[c].type not in CONTAINERS]
        if kind not in CONTAINERS or (not things and kind != "room"):
            continue
        yield ("  ", QUIET), (opened, HEAD)
        for place, name in enumerate(things[:MAX_CHILDREN_BRIEFLY]):
            last = place == len(things) - 1
            held = len(scene.children.get(name, ()))
            yield ("  └── " if last else "  ├── ", QUIET), (f"{name} ({held})" if held else name, "")
        if len(things) > MAX_CHILDREN_BRIEFLY:
            yield ("  └── ", QUIET), ("…", QUIET)


def closed(view: View) -> Iterator[Line]:
    """Yield the number of collapsed nodes of each level of a view."""
    kinds = [view.scene.nodes[i].type for i in view.closed]
    for kind in dict.fromkeys(kinds):
        yield ("  ", QUIET), (f"{number_of(kinds.count(kind), kind)} closed", QUIET)
