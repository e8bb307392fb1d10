"""Beliefs of where things usually are in houses: which room, on what furniture, before anything was seen.

:class:`MeaningBeliefs` takes them from the similarity of words by any :class:`TextSimilarity`, such as the
embedded model: a thing is likelier in rooms and on furniture whose names mean something near. Nothing is
fitted to houses; the temperatures were set before any search was run. :class:`EqualBeliefs` knows nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ...methods.method import TextSimilarity

ROOMS = ("kitchen", "living room", "bedroom", "bathroom")
"""The types of rooms that beliefs tell apart."""
ROOM_TEMPERATURE, FURNITURE_TEMPERATURE, TYPE_TEMPERATURE = 0.1, 0.2, 0.05
"""Differences of similarity by which something is e times as likely."""


class HouseBeliefs(Protocol):
    """Weights of places for things; only their ratios count."""

    def rooms(self, furniture: Sequence[str]) -> Mapping[str, float]:
        """Return the probability of each type of room, given the types of its furniture."""
        ...

    def weight(self, target: str, furniture: str, rooms: Mapping[str, float]) -> float:
        """Return how likely a thing is on furniture of a type in a room of these types, relatively."""
        ...

    def unseen(self, target: str) -> float:
        """Return the same for furniture that nobody has seen yet, in a room of any type."""
        ...


@dataclass(frozen=True, slots=True)
class EqualBeliefs:
    """Beliefs of somebody who thinks every place equally likely."""

    def rooms(self, furniture: Sequence[str]) -> Mapping[str, float]:
        """Return the same probability for every type."""
        return {room: 1 / len(ROOMS) for room in ROOMS}

    def weight(self, target: str, furniture: str, rooms: Mapping[str, float]) -> float:
        """Return 1."""
        return 1.0

    def unseen(self, target: str) -> float:
        """Return 1."""
        return 1.0


@dataclass
class MeaningBeliefs:
    """Beliefs by similarity of meaning; similarities are kept."""

    similarity: TextSimilarity
    _kept: dict[tuple[str, str], float] = field(default_factory=dict, repr=False)

    def rooms(self, furniture: Sequence[str]) -> Mapping[str, float]:
        """Weigh the types of rooms by their mean similarity to the furniture."""
        kinds = list(furniture)
        if not kinds:
            return EqualBeliefs().rooms(())
        means = {room: sum(self._alike(kind, room) for kind in kinds) / len(kinds) for room in ROOMS}
        return _shares({room: mean / TYPE_TEMPERATURE for room, mean in means.items()})

    def weight(self, target: str, furniture: str, rooms: Mapping[str, float]) -> float:
        """Weigh a place by the similarity of the thing to its room and its furniture."""
        on = math.exp(self._alike(target, furniture) / FURNITURE_TEMPERATURE)
        return on * self._within(target, rooms)

    def unseen(self, target: str) -> float:
        """Weigh a place of which nothing is known by the mean over all types of rooms."""
        furniture = math.exp(self._alike(target, "furniture") / FURNITURE_TEMPERATURE)
        return furniture * self._within(target, EqualBeliefs().rooms(()))

    def _within(self, target: str, rooms: Mapping[str, float]) -> float:
        return sum(
            share * math.exp(self._alike(target, room) / ROOM_TEMPERATURE) for room, share in rooms.items()
        )

    def _alike(self, one: str, other: str) -> float:
        if (one, other) not in self._kept:
            (score,) = self.similarity.scores(one.replace("_", " "), [other.replace("_", " ")])
            self._kept[one, other] = score
        return self._kept[one, other]


def _shares(logs: Mapping[str, float]) -> Mapping[str, float]:
    """Return probabilities from the logarithms of weights."""
    highest = max(logs.values())
    weights = {key: math.exp(value - highest) for key, value in logs.items()}
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()}
