"""Nearness to the goal: what an instruction is about is often in the room where it is needed.

Of 30 things that the goals of houses and generated buildings name together with a place, 16 are in the room
of that place at the beginning, where chance would put 5 or 6 (``tests/measure_nearness.py``). So
:class:`NearGoalPriors` is a mixture: with probability :data:`SHARE_NEAR` the thing is in a room where the
goal names a place together with it, and otherwise anywhere, both by other priors.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ....domains.formula import Formula
from ....simulator.belief import Belief
from ....simulator.sensing.observation import Spot
from ....simulator.sensing.spots import spots_of
from ..looking import onward_of
from ..policy import Priors
from .spots import room_above

SHARE_NEAR = 0.5
"""Probability that a thing is in a room where the goal needs it."""


@dataclass
class NearGoalPriors:
    """Priors for things of a goal: those of ``inner``, and likelier in the rooms where the goal needs them.

    Weights are those of a mixture of two distributions over all spots, looked at or not: the more of the
    goal's rooms was looked at in vain, the less is left for them.
    """

    inner: Priors
    goal: Formula
    _factors: dict[str, tuple[frozenset[str], float]] = field(default_factory=dict, repr=False)
    _made_for: Belief | None = field(default=None, repr=False)

    def weight(self, thing: str, spot: Spot, belief: Belief) -> float:
        """Return how likely a thing is at a spot, relative to other spots."""
        if self._made_for is not belief:
            self._factors, self._made_for = {}, belief
        if thing not in self._factors:
            self._factors[thing] = self._near(thing, belief)
        rooms, factor = self._factors[thing]
        weight = self.inner.weight(thing, spot, belief)
        return weight * (1 - SHARE_NEAR + (factor if _room_of(spot, belief) in rooms else 0.0))

    def _near(self, thing: str, belief: Belief) -> tuple[frozenset[str], float]:
        """Return the rooms where the goal needs a thing, and how much likelier it is there."""
        places = onward_of(self.goal, belief, [thing], belief.start).get(thing, ())
        rooms = frozenset(_room_of(Spot(place), belief) for place in places if place in belief.scene.nodes)
        everywhere = near = 0.0
        for spot in spots_of(belief):
            weight = self.inner.weight(thing, spot, belief)
            everywhere += weight
            near += weight if _room_of(spot, belief) in rooms else 0.0
        if not near:
            return frozenset(), 0.0
        return rooms, SHARE_NEAR * everywhere / near


def _room_of(spot: Spot, belief: Belief) -> str:
    return room_above(spot.node, belief.scene) or spot.node
