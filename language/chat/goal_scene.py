"""Scene in the prompts of a model that writes formulas: as JSON while that is short, as a listing otherwise.

So the prompt of a goal is bounded whatever a search has opened. The form of either, ``LEGEND`` and the limits
may not change without new recordings: a cassette is found by its requests.
"""

from __future__ import annotations

from ...simulator.sayplan_json import ARROW, node_link
from ...simulator.scene import CONTAINERS, Scene
from ..reader import SceneText
from .listing import MOST_TOKENS, listing
from .prompt import as_data
from .servers.meter import count_tokens

MOST_NODES = 100
"""Most nodes that are written as JSON: one takes some twenty tokens."""
LEGEND = "(a line is a room: thing (what it is and how) [on or in it: things])"


def scene_data(
    subgraph: Scene, most: int = MOST_TOKENS, form: SceneText = "own"
) -> dict[str, object] | list[str]:
    """Return a subgraph as data for a prompt: JSON of at most ``most`` tokens, or the lines of a listing.

    The JSON of the paper (``form``) is never cut.

    No goal names a pose, and routes from room to room are the planner's business; in JSON the parent of an
    asset or object stands in its own entry, and of the links those remain that say on which floor a room is.
    """
    if form == "sayplan":
        return node_link(subgraph, tuple(subgraph.nodes))
    shown = [node.id for node in subgraph.nodes.values() if node.type != "pose"]
    if form == "own" and (len(shown) <= MOST_NODES or most > MOST_TOKENS):
        graph = node_link(subgraph, shown, descriptions=True)
        levels = dict.fromkeys(i for i in shown if subgraph.nodes[i].type in CONTAINERS)
        links = [f"{low}{ARROW}{high}" for low in levels if (high := subgraph.nodes[low].parent) in levels]
        data = {"nodes": graph["nodes"], **({"links": links} if links else {})}
        if count_tokens(as_data(data)) <= most:
            return data
    return [LEGEND, *listing(subgraph, most=most).split("\n")]
