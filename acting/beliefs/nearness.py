"""Nearness to the goal: what an instruction is about is often in the room where it is needed.

Of 30 things that the goals of houses and generated buildings name together with a place, 16 are in the room
of that place at the beginning, where chance would put 5 or 6 (``tools/measure_nearness.py``). So
:class:`NearGoalPriors` is a mixture: with probability :data:`SHARE_NEAR` the thing is in a room where the
goal names a place together with it, and otherwise anywhere, both by other priors.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ...domains.formula import Formula
from ...simulator.belief import Belief
from ...simulator.observations.observation import Spot
from ...simulator.sensing.spots import spots_of
from ..looking import onward_of
from ..policies.policy import Priors
from .mixture import MixedPriors
from .spots import room_above

SHARE_NEAR = 0.5
"""Probability that a thing is in a room where the goal needs it."""


@dataclass
class NearGoalPriors(MixedPriors):
    """Priors for things of a goal: those of ``inner``, and likelier in rooms where the goal needs them."""

    inner: Priors
    goal: Formula

    def favoured(self, thing: str, belief: Belief) -> Iterable[tuple[Collection[Spot], float]]:
        """Yield the spots of the rooms where the goal needs a thing."""
        places = onward_of(self.goal, belief, [thing], belief.start).get(thing, ())
        rooms = {room_of(place, belief) for place in places if place in belief.scene.nodes}
        yield {spot for spot in spots_of(belief) if room_of(spot.node, belief) in rooms}, SHARE_NEAR


def room_of(name: str, belief: Belief) -> str:
    """Return the room of a node; the node itself where it is a room, or in none that is known."""
    return room_above(name, belief.scene) or name
