"""Opening of many nodes of a view at once, with what is above them, and a step of the trace for each."""

from __future__ import annotations

from collections.abc import Iterable

from ....simulator.scene import CONTAINERS
from ....simulator.view import View
from ...reader import SearchStep


def opened(view: View, places: Iterable[str]) -> tuple[View, tuple[SearchStep, ...]]:
    """Return a view in which the places are expanded, and a step for each that was not before.

    ``places`` are ids of rooms or levels above them. In one go, since a building may have thousands.
    """
    scene, expanded = view.scene, dict.fromkeys(view.expanded)
    new: dict[str, None] = {}
    for place in places:
        above = [a for a in scene.ancestors(place) if scene.nodes[a].type in CONTAINERS]
        for node in (*reversed(above), place):
            if node not in expanded:
                expanded[node] = new[node] = None
    memory = tuple(dict.fromkeys((*view.memory, *new)))
    return View(scene, tuple(expanded), memory), tuple(SearchStep("expand", node) for node in new)
