"""Mixtures of beliefs: with some probability a thing is at favoured spots, and otherwise anywhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from ...simulator.belief import Belief
from ...simulator.observations.observation import Spot
from ...simulator.sensing.spots import spots_of
from ..policies.policy import Priors


@dataclass
class MixedPriors(ABC):
    """Priors that favour spots: those of ``inner``, with a share of the probability moved to some spots.

    Weights are those of a mixture of two distributions over all spots, looked at or not, both by ``inner``:
    the more of the favoured spots was looked at in vain, the less is left for them.
    """

    inner: Priors
    _weights: dict[str, dict[Spot, float]] = field(default_factory=dict, init=False, repr=False)
    _made_for: Belief | None = field(default=None, init=False, repr=False)

    @abstractmethod
    def favoured(self, thing: str, belief: Belief) -> Iterable[tuple[Collection[Spot], float]]:
        """Yield sets of favoured spots of a thing and the share of each, which are mixed in one by one."""

    def weight(self, thing: str, spot: Spot, belief: Belief) -> float:
        """Return how likely a thing is at a spot, relative to other spots."""
        if self._made_for is not belief:
            self._weights, self._made_for = {}, belief
        if thing not in self._weights:
            self._weights[thing] = self._mixed(thing, belief)
        weights = self._weights[thing]
        return weights[spot] if spot in weights else self.inner.weight(thing, spot, belief)

    def _mixed(self, thing: str, belief: Belief) -> dict[Spot, float]:
        weights = {spot: self.inner.weight(thing, spot, belief) for spot in spots_of(belief)}
        for spots, share in self.favoured(thing, belief):
            there = sum(weight for spot, weight in weights.items() if spot in spots)
            if there > 0:
                factor = share * sum(weights.values()) / there
                weights = {s: w * (1 - share + (factor if s in spots else 0.0)) for s, w in weights.items()}
        return weights
