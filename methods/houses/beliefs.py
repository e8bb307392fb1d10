"""Beliefs of an unexplored house: weights of furniture that was seen, and of what was not.

:class:`UsualPlaces` makes them of any :class:`Likelihood`: the type of a room follows from its furniture, and
a thing's weight on a piece of furniture is that of the furniture's type times that of its room's types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...acting.beliefs.likelihood import ANY, ROOMS, Likelihood


class HouseBeliefs(Protocol):
    """Weights of places for things; only their ratios count."""

    def prepare(self, targets: Sequence[str], furniture: Sequence[str]) -> None:
        """Get ready for weights of targets on furniture of these types."""
        ...

    def rooms(self, furniture: Sequence[str]) -> Mapping[str, float]:
        """Return the probability of each type of room, given the types of its furniture."""
        ...

    def weight(self, target: str, furniture: str, rooms: Mapping[str, float]) -> float:
        """Return how likely a thing is on furniture of a type in a room of these types, relatively."""
        ...

    def unseen(self, target: str) -> float:
        """Return the same for furniture not observed yet, in a room of any type."""
        ...

    def account(self) -> dict[str, object]:
        """Return what they come from, for the record."""
        ...


@dataclass(frozen=True, slots=True)
class UsualPlaces:
    """Beliefs from a likelihood of types of rooms and furniture."""

    likelihood: Likelihood

    def prepare(self, targets: Sequence[str], furniture: Sequence[str]) -> None:
        """Ask what has to be asked."""
        self.likelihood.prepare([_spoken(t) for t in targets], ROOMS, [_spoken(f) for f in furniture])

    def rooms(self, furniture: Sequence[str]) -> Mapping[str, float]:
        """Return the types that the likelihood concludes from the furniture."""
        return self.likelihood.types([_spoken(kind) for kind in furniture])

    def weight(self, target: str, furniture: str, rooms: Mapping[str, float]) -> float:
        """Weigh a place by its furniture, and by its room."""
        return self.likelihood.upon(_spoken(target), _spoken(furniture)) * self._within(target, rooms)

    def unseen(self, target: str) -> float:
        """Weigh a place of which nothing is known by the mean over all types of rooms."""
        return self.weight(target, ANY, dict.fromkeys(ROOMS, 1 / len(ROOMS)))

    def account(self) -> dict[str, object]:
        """Return the account of the likelihood."""
        return self.likelihood.account()

    def _within(self, target: str, rooms: Mapping[str, float]) -> float:
        return sum(share * self.likelihood.within(_spoken(target), room) for room, share in rooms.items())


def _spoken(kind: str) -> str:
    return kind.replace("_", " ")
