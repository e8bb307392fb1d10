"""Goals that are relaxed because all of them is impossible, where whoever asked allows it.

A run asks ``planners.why_not`` for what can be had, and takes of the corrections that leave something to do
the nearest. Of equally near ones it is one that keeps what was asked of the run, prohibitions among it. The
event, the record with its proofs, the last line, the picture and the page say so: it is never done silently.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..compiler.goals.goal import Goal
from ..domains.deadline import time_left
from ..domains.storage.json_record import JsonRecord
from ..engines.base import Budget
from ..engines.engine import Engine
from ..language.sentences.saying import say
from ..planners.proofs.impossible import ImpossibleParts
from ..planners.why_not import Correction, why_not
from ..simulator.belief import Belief

SUGGESTING = 0.3
"""The part of the time left in which it is looked for what to tell a reader."""


@dataclass(frozen=True)
class Relaxed(JsonRecord):
    """A goal that was asked for and is impossible, and the correction that was taken in its place."""

    goal: Goal
    correction: Correction
    conflicts: tuple[ImpossibleParts, ...]
    belief: Belief

    @property
    def words(self) -> tuple[str, ...]:
        """Each change in words."""
        return tuple(change.words(self.belief) for change in self.correction.changes)

    def as_json(self) -> dict[str, object]:
        return {
            "goal": str(self.goal),
            "says": say(self.goal.formula, self.belief),
            "changes": [change.as_json(self.belief) for change in self.correction.changes],
            "given_up": self.correction.given_up,
            "nearest": self.correction.nearest,
        }


def can_be_had(goal: Goal, belief: Belief, engine: Engine, limits: Budget) -> tuple[Correction, ...]:
    """Return what can be had of an impossible goal, with something to do and all that it asks of the run."""
    seconds = min(limits.seconds, (time_left() or limits.seconds) * SUGGESTING)
    some = why_not(goal, belief, engine, replace(limits, seconds=seconds)).corrections
    return tuple(one for one in some if one.result.steps and not one.conditions)


def relaxed(goal: Goal, belief: Belief, engine: Engine, limits: Budget) -> Relaxed | None:
    """Return what can be had of an impossible goal, ``None`` where nothing was found in time."""
    answer = why_not(goal, belief, engine, limits)
    return Relaxed(goal, answer.first, answer.conflicts, belief) if answer.first is not None else None
