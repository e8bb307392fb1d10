"""Policies: where a robot looks next for what its goal needs and nobody knows the place of.

A policy sees places as numbers: for each the way there, the effort of opening and looking, and the
probability that each sought thing is there; and the routes between them. It knows nothing of goals, scenes or
worlds, so that a rule and an exact search are values of one kind. Lengths are integers in millimetres, as
everywhere in planning. A policy must be deterministic: the same situation gives the same choice, and ties go
to the first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ...simulator.belief import Belief
from ...simulator.observations.observation import Spot


@dataclass(frozen=True, slots=True)
class LookOption:
    """A spot that could be looked at next.

    ``place`` is the room or pose from which it is seen, for :attr:`Situation.distance`; ``reach_mm`` the
    millimetres of the route there from where the robot is, and ``effort_mm`` the effort of what has to be
    done there, such as opening a door and looking, in millimetres of driving. ``probability`` is, for each
    sought thing, that of its being at this spot; over all candidates the numbers of one thing add up to at
    most one.
    ``acts`` is false where being there is enough to see what is there.
    """

    spot: Spot
    place: str
    reach_mm: int
    effort_mm: int
    probability: Mapping[str, float] = field(default_factory=dict)
    acts: bool = True


@dataclass(frozen=True, slots=True)
class Situation:
    """Basis of a choice: where the robot is, what it seeks, and where it could look.

    ``candidates`` are never empty, and in the order of the scene. ``sought`` are names of things and of
    classes. ``onward`` are, for each sought thing, the places where the goal needs it next, as far as it
    names them. ``distance`` returns the millimetres of the shortest route between two places that
    candidates or ``onward`` name. ``all_needed`` is true where every candidate has to be looked at before the
    goal can be said to hold (``forall``), so that only the order matters.
    """

    here: str
    candidates: tuple[LookOption, ...]
    sought: tuple[str, ...]
    distance: Callable[[str, str], int]
    onward: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    all_needed: bool = False


class Policy(Protocol):
    """A rule that chooses where to look next. A policy is a value that other processes can be sent."""

    @property
    def name(self) -> str: ...

    def choose(self, situation: Situation) -> LookOption:
        """Return one of the candidates of a situation."""
        ...


class Priors(Protocol):
    """Beliefs of where things are likely to be, before anything was seen."""

    def weight(self, thing: str, spot: Spot, belief: Belief) -> float:
        """Return a number of 0 or more, larger where a thing or class is likelier at a spot.

        Numbers of one thing count relative to each other: they are normalized over the candidates.
        """
        ...


@dataclass(frozen=True, slots=True)
class Uniform:
    """Priors of who knows nothing: every spot is as likely as every other."""

    def weight(self, thing: str, spot: Spot, belief: Belief) -> float:
        return 1.0


@dataclass(frozen=True, slots=True)
class NearestUnlooked:
    """The spot that costs least to look at, whatever is likely there."""

    name: str = "nearest-unlooked"

    def choose(self, situation: Situation) -> LookOption:
        return min(situation.candidates, key=lambda c: c.reach_mm + c.effort_mm)


@dataclass(frozen=True, slots=True)
class OptimisticNearest:
    """The spot through which the goal would be cheapest if what is sought were there.

    It is the first look of a plan that assumes the best, which is then corrected by what is seen (the
    free-space assumption: Koenig, Tovey and Smirnov, Artificial Intelligence 147, 2003).
    """

    name: str = "optimistic-nearest"

    def choose(self, situation: Situation) -> LookOption:
        distance, onward = situation.distance, situation.onward

        def through(candidate: LookOption) -> int:
            ways = [
                min(distance(candidate.place, place) for place in onward[thing])
                for thing in situation.sought
                if onward.get(thing)
            ]
            return candidate.reach_mm + candidate.effort_mm + min(ways, default=0)

        return min(situation.candidates, key=through)
