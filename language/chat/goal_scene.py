"""Scene in the prompts of a model that writes formulas: a listing, or the JSON of SayPlan's paper.

So the prompt of a goal is bounded whatever a search has opened. The form of either, ``LEGEND`` and the limits
may not change without new recordings: a cassette is found by its requests.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...simulator.sayplan_json import node_link
from ...simulator.scene import Scene
from ..reader import SceneText
from .listing import MOST_TOKENS, listing

LEGEND = "(a line is a room: thing (what it is and how) [on or in it: things])"


def scene_data(
    subgraph: Scene, most: int = MOST_TOKENS, form: SceneText = "own", named: Sequence[str] = ()
) -> dict[str, object] | list[str]:
    """Return a subgraph as data for a prompt: the lines of a listing of about ``most`` tokens, or JSON.

    The JSON of the paper (``form``) is never cut, and has descriptions, which the paper's has not; nor are
    things cut from a listing that are ``named``.
    """
    if form == "sayplan":
        return node_link(subgraph, tuple(subgraph.nodes), descriptions=True)
    return [LEGEND, *listing(subgraph, most=most, named=named).split("\n")]
