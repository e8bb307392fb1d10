"""Sources of beliefs: how likely a thing is in a type of room, and on a type of furniture.

A :class:`Likelihood` gives weights, of which only ratios count: P(thing in a type of room) and P(thing on a
type of furniture), multiplied by who uses them. :class:`MeaningLikelihood` takes them from the similarity
of words by any :class:`TextSimilarity`, such as the embedded model: a thing is likelier in rooms and on
furniture whose names mean something near. Nothing is fitted; the temperatures were set before any search was
run. :class:`EqualLikelihood` knows nothing. A source that asks a chat model is in ``asking``. ``account``
says in the record of a run which source it was.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ...language.similarity import TextSimilarity

ROOMS = ("kitchen", "living room", "bedroom", "bathroom")
"""The types of rooms that beliefs tell apart in a house."""
ANY = "furniture"
"""The type of furniture of which nothing is known."""
ROOM_TEMPERATURE, FURNITURE_TEMPERATURE, TYPE_TEMPERATURE = 0.1, 0.2, 0.05
"""Differences of similarity by which something is e times as likely."""


class Likelihood(Protocol):
    """Weights of types of places for things, none of them negative. Names are words without underscores."""

    def prepare(self, things: Sequence[str], rooms: Sequence[str], furniture: Sequence[str]) -> None:
        """Get ready for weights of things in these rooms and on this furniture, where that takes asking."""
        ...

    def within(self, thing: str, room: str) -> float:
        """Return how likely a thing is in a type of room, relative to other types."""
        ...

    def upon(self, thing: str, furniture: str) -> float:
        """Return how likely a thing is on or in a type of furniture; :data:`ANY` for one not seen yet."""
        ...

    def types(self, furniture: Sequence[str]) -> Mapping[str, float]:
        """Return the probability of each of :data:`ROOMS` for a room with such furniture."""
        ...

    def account(self) -> dict[str, object]:
        """Return the name of the source, and what asking it came to."""
        ...


@dataclass(frozen=True, slots=True)
class EqualLikelihood:
    """The likelihood of somebody who thinks every place equally likely."""

    def prepare(self, things: Sequence[str], rooms: Sequence[str], furniture: Sequence[str]) -> None:
        """Do nothing."""

    def within(self, thing: str, room: str) -> float:
        """Return 1."""
        return 1.0

    def upon(self, thing: str, furniture: str) -> float:
        """Return 1."""
        return 1.0

    def types(self, furniture: Sequence[str]) -> Mapping[str, float]:
        """Return the same probability for every type."""
        return dict.fromkeys(ROOMS, 1 / len(ROOMS))

    def account(self) -> dict[str, object]:
        """Return the source ``equal``."""
        return {"source": "equal"}


@dataclass
class MeaningLikelihood:
    """The likelihood by similarity of meaning; similarities are kept."""

    similarity: TextSimilarity
    _kept: dict[tuple[str, str], float] = field(default_factory=dict, repr=False)

    def prepare(self, things: Sequence[str], rooms: Sequence[str], furniture: Sequence[str]) -> None:
        """Do nothing: similarities are computed where they are needed."""

    def within(self, thing: str, room: str) -> float:
        """Weigh a type of room by its similarity to the thing."""
        return math.exp(self._alike(thing, room) / ROOM_TEMPERATURE)

    def upon(self, thing: str, furniture: str) -> float:
        """Weigh a type of furniture by its similarity to the thing."""
        return math.exp(self._alike(thing, furniture) / FURNITURE_TEMPERATURE)

    def types(self, furniture: Sequence[str]) -> Mapping[str, float]:
        """Weigh the types of rooms by their mean similarity to the furniture."""
        if not furniture:
            return EqualLikelihood().types(())
        count = len(furniture)
        means = {room: sum(self._alike(kind, room) for kind in furniture) / count for room in ROOMS}
        return shares({room: mean / TYPE_TEMPERATURE for room, mean in means.items()})

    def account(self) -> dict[str, object]:
        """Return the source ``embeddings``."""
        return {"source": "embeddings"}

    def _alike(self, one: str, other: str) -> float:
        if (one, other) not in self._kept:
            (score,) = self.similarity.scores(one, [other])
            self._kept[one, other] = score
        return self._kept[one, other]


def shares(logs: Mapping[str, float]) -> Mapping[str, float]:
    """Return probabilities from the logarithms of weights."""
    highest = max(logs.values())
    weights = {key: math.exp(value - highest) for key, value in logs.items()}
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()}
