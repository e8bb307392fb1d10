"""Judgement of runs that act in a world of which the robot does not know everything.

What counts is what was done in the world, and whether the run said rightly that it was done: a run that ends
with another word than *verified* or *executable* is no success, even if the goal happens to hold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..domains.formula import Formula
from ..engines.result import NOT_PLANNED
from ..pipeline.record import PlanAttempt, Record
from ..simulator.belief import Belief
from ..simulator.verification import verify_plan

SAYING_DONE = ("verified", "executable")
"""Outcomes of a run that says it has reached the goal."""


@dataclass(frozen=True, slots=True)
class ActingJudgement:
    """Judgement of what was done in the world.

    ``ended``: the run said that it was done; ``reached``: the gold goal held at the end; ``false_done``: it
    said so, and the goal did not hold. ``looks`` counts the steps that are looks of the pack, ``metres`` what
    was driven, and ``steps`` all that was done.
    """

    ended: bool = False
    reached: bool = False
    false_done: bool = False
    looks: int = 0
    metres: float = 0.0
    steps: int = 0


def as_done(record: Record) -> Record:
    """Return a record whose plan is what was done in the world, for judges of plans.

    A run that did not say it was done has no plan: nothing that it did was meant to be the end.
    """
    attempts = (PlanAttempt("", record.trajectory.executed),) if record.outcome in SAYING_DONE else ()
    outcome = "executable" if attempts else "not-found"
    trajectory = replace(record.trajectory, exhausted=())
    return replace(record, outcome=outcome, planning=NOT_PLANNED, attempts=attempts, trajectory=trajectory)


def judge_acting(record: Record, belief: Belief, gold: Formula) -> ActingJudgement:
    """Judge what a run did in the world that ``belief`` says at the start."""
    seen = verify_plan(record.trajectory.executed, belief, gold)
    ended, reached = record.outcome in SAYING_DONE, seen.verified
    return ActingJudgement(
        ended,
        reached,
        ended and not reached,
        sum(step.name in _looks(belief) for step in record.trajectory.executed),
        record.trajectory.executed_mm / 1000,
        len(record.trajectory.executed),
    )


def _looks(belief: Belief) -> frozenset[str]:
    """Return the printed steps whose actions are looks: they bring about what has to hold to see a spot."""
    pack = belief.pack
    facts = {atom.predicate for atom in pack.mapping.look.values()}
    names = (action.name for fact in facts for action, _ in pack.adders.get(fact, ()))
    steps = (pack.mapping_of(name).step for name in names)
    return frozenset(step.predicate for step in steps if step is not None)
