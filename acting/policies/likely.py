"""Policies that weigh what is likely: by probability, by probability for the way, by expected cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .expected_cost import LookingProblem, best_order
from .policy import LookOption, Situation

LOOK_MM = 10_000
"""Effort of a look in millimetres of driving, beside what has to be done for it. By metres alone a look would
be free, and every place on the way be looked at. Figures: ``docs/decisions/0033-beliefs-and-looks.md``."""

ROUNDING = 1e-12
"""Share by which probabilities are made smaller, so that no sum of them is above one."""


@dataclass(frozen=True, slots=True)
class LikeliestFirst:
    """The spot where one of the sought things is likeliest, whatever the way there costs.

    Where every spot costs one look, it is the order with the fewest expected looks for one thing.
    """

    name: str = "likeliest-first"

    def choose(self, situation: Situation) -> LookOption:
        return max(situation.candidates, key=lambda c: (_some(c, situation), -c.reach_mm - c.effort_mm))


@dataclass(frozen=True, slots=True)
class LikeliestPerMetre:
    """The spot with the most probability of a sought thing for each metre of driving, opening and looking.

    ``look_mm`` is the effort of a look in millimetres of driving.
    """

    name: str = "likeliest-per-metre"
    look_mm: int = LOOK_MM

    def choose(self, situation: Situation) -> LookOption:
        def rate(candidate: LookOption) -> tuple[float, int]:
            cost = candidate.reach_mm + _cost_there(candidate, self.look_mm)
            return _some(candidate, situation) / max(cost, 1), -cost

        return max(situation.candidates, key=rate)


@dataclass(frozen=True, slots=True)
class LeastExpectedCost:
    """The first spot of the order with the least expected cost until all that is sought was seen.

    The order is optimal for few spots, and good for many, see :mod:`.expected_cost`. Where every spot has
    to be looked at (``all_needed``), it is the shortest way through them. ``look_mm`` is the effort of a look
    in millimetres of driving.
    """

    name: str = "expected-cost"
    look_mm: int = LOOK_MM

    def choose(self, situation: Situation) -> LookOption:
        spots = situation.candidates
        sought: tuple[str, ...] = () if situation.all_needed else situation.sought
        chances = tuple(tuple(_chance(c, thing) * (1 - ROUNDING) for c in spots) for thing in sought)
        order = best_order(
            LookingProblem(
                tuple(float(_cost_there(c, self.look_mm)) for c in spots),
                tuple(float(c.reach_mm) for c in spots),
                _distances([spot.place for spot in spots], situation.distance),
                # What is certain to be nowhere makes every spot count.
                chances or ((0.0,) * len(spots),),
            )
        )
        return spots[order[0]]


def _distances(places: Sequence[str], distance: Callable[[str, str], int]) -> tuple[tuple[float, ...], ...]:
    """Return the distances between places, which are the same both ways."""
    rows = [[0.0] * len(places) for _ in places]
    for i, one in enumerate(places):
        for j in range(i):
            rows[i][j] = rows[j][i] = float(distance(one, places[j]))
    return tuple(map(tuple, rows))


def _cost_there(candidate: LookOption, look_mm: int) -> int:
    """Return the cost of a look beside the way; what is seen by being there costs nothing more."""
    return candidate.effort_mm + (look_mm if candidate.acts else 0)


def _some(candidate: LookOption, situation: Situation) -> float:
    """Return the probability that at least one sought thing is at a spot."""
    none = 1.0
    for thing in situation.sought:
        none *= 1 - _chance(candidate, thing)
    return 1 - none


def _chance(candidate: LookOption, thing: str) -> float:
    return candidate.probability.get(thing, 0.0)
