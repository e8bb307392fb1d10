"""Tries of an episode so far: what failed, what was given up, and what planning for the goal has shown.

All that a decision rests on beside what is known. It follows from the log, so that whoever takes up a log
comes to the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..engines.result import NOT_PLANNED, PlanResult
from ..simulator.observations.observation import Change, Spot
from ..simulator.sensing.spots import room_of_spot
from ..simulator.step import Step
from .assessment import Assessment
from .certainty.knowledge import Knowledge
from .exclusion import Excluded
from .tidying import Tidying

MAX_TRIES = 8
"""Tries of one step that fails and shows nothing new, before another way is planned."""
MAX_FAILED_LOOKS = 2
"""Looks at one spot that do not show all that is there, before it is given up."""


@dataclass(frozen=True)
class Tries:
    """Tries so far."""

    tidying: Tidying
    first: PlanResult | None = None
    """A plan for the goal that was made before, until it is asked for."""
    steps: int = 0
    """Steps that were tried."""
    failures: Mapping[Step, int] = field(default_factory=dict)
    failed_looks: Mapping[Spot, int] = field(default_factory=dict)
    unreached: Mapping[Spot, str] = field(default_factory=dict)
    """Spots that were given up, each with the reason."""
    look_first: tuple[Spot, ...] = ()
    """The spots of things that could not be handled where they were given, to be looked at first."""
    passes: int = 1
    """How often all places are looked at, this time included."""
    excluded: Excluded = field(default_factory=Excluded)
    assessment: Assessment | None = None
    """The assessment of the goal by which looks are chosen; none where it has to be made anew."""
    planning: PlanResult = NOT_PLANNED
    """The last plan for the goal."""

    def without_spots(self, reasons: Mapping[Spot, str]) -> Tries:
        """Return the tries where spots are given up for reasons."""
        return replace(self, unreached={**self.unreached, **reasons})

    def in_another_pass(self) -> Tries:
        """Return the tries where every place is looked at once more."""
        passes = self.passes + 1
        return replace(self, passes=passes, unreached={}, failed_looks={})

    def after_step(self, step: Step, done: bool, changes: Sequence[Change]) -> Tries:
        """Return the tries after a step; it is counted anew where something about its things was seen."""
        failures = {tried: count for tried, count in self.failures.items() if tried != step}
        if not done and not any(change.node in step.args for change in changes):
            failures[step] = self.failures.get(step, 0) + 1
        return replace(self, steps=self.steps + 1, failures=failures)

    def after_look(self, spot: Spot, knowledge: Knowledge) -> Tries:
        """Return the tries after the last step of a look at a spot."""
        in_part, unplaced = knowledge.observed.in_part, knowledge.belief.scene.unplaced
        whole = all(knowledge.spot_of(name) != spot for name in in_part if name not in unplaced)
        if spot in knowledge.belief.looked and whole:
            return self
        return replace(self, failed_looks={**self.failed_looks, spot: self.failed_looks.get(spot, 0) + 1})

    def with_ways(self, before: Knowledge, after: Knowledge) -> Tries:
        """Let spots be looked at that were given up and to which a way leads now, and none led before."""
        here, scene, routes = after.run.world.state.here, before.belief.scene, before.belief.routes
        left = dict(self.unreached)
        for spot in self.unreached:
            room = room_of_spot(spot, after.run.world)
            if room is None or not after.belief.routes.connected(here, room):
                continue
            if room not in scene.nodes or not routes.connected(here, room):
                del left[spot]
        return self if len(left) == len(self.unreached) else replace(self, unreached=left)

    def unseen_of(self, step: Step, knowledge: Knowledge) -> tuple[Spot, ...]:
        """Return the spots at which things of a step are believed to be that nobody has seen there."""
        nodes, seen = knowledge.belief.scene.nodes, knowledge.observed.seen
        things = (a for a in step.args if nodes[a].type == "object" and a not in seen)
        return self.to_be_looked_at(tuple(dict.fromkeys(map(knowledge.spot_of, things))), knowledge)

    def to_be_looked_at(self, spots: Sequence[Spot], knowledge: Knowledge) -> tuple[Spot, ...]:
        """Return the spots that were neither looked at nor given up."""
        return tuple(s for s in spots if s not in knowledge.belief.looked and s not in self.unreached)
