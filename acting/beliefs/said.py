"""Beliefs of where an instruction says that things are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...domains.mapping import AROUND
from ...simulator.belief import Belief
from ...simulator.observations.observation import Spot
from ..policies.policy import Priors

MENTION_WEIGHT = 50.0
"""Times by which a place is likelier for a thing where the instruction says that it is there."""


@dataclass(frozen=True)
class SaidPlaces:
    """Priors by which things are where the instruction says, and otherwise where others believe them.

    ``places`` are rooms and furniture by the name of a thing.
    """

    places: Mapping[str, tuple[str, ...]]
    others: Priors

    def weight(self, thing: str, spot: Spot, belief: Belief) -> float:
        """Return the weight of the others, times :data:`MENTION_WEIGHT` at a place that was said."""
        scene, weight = belief.scene, self.others.weight(thing, spot, belief)
        around = (spot.node, *scene.ancestors(spot.node))
        for place in self.places.get(thing, ()):
            # A look around a room shows what is on its furniture, too.
            if place in around or (spot.relation == AROUND and spot.node == scene.room_of(place)):
                return weight * MENTION_WEIGHT
        return weight
