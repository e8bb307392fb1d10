"""Trajectory of an episode: what was done in the true world, and what was seen otherwise than believed.

What is seen is decided in ``simulator.sensing``, and what follows from it in ``Belief.observe``. The JSON is
part of records and fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..domains.action import PlanAction
from ..domains.storage.json_record import JsonRecord, plain
from ..simulator.observations.observation import Change, Spot, StepOutcome
from ..simulator.step import Step
from ..simulator.verification import KeptRule, joined


@dataclass(frozen=True, slots=True)
class Observation(JsonRecord):
    """New knowledge about a node after ``step`` steps; ``seen`` is ``None`` when it was not there."""

    step: int
    node: str
    believed: str
    seen: str | None


WRITTEN = ("observations", "executed", "executed_metres", "looks", "replans", "exhausted")
"""The keys of a trajectory in a record."""


@dataclass(frozen=True)
class Trajectory:
    """Steps that were done and what came of them; a sum of two goes on with the other one."""

    executed: tuple[Step, ...] = ()
    executed_mm: int = 0
    """Millimetres, as the world counted them; steps that were not done may have moved the robot, too."""
    actions: tuple[PlanAction, ...] = ()
    """The pack's actions that the robot did, as far as it believed them possible."""
    looks: tuple[Spot | str, ...] = ()
    """The spots to which the robot went to look, in order."""
    replans: int = 0
    """The plans for the goal that were given up for others."""
    observations: tuple[Observation, ...] = ()
    """What was seen otherwise than believed, each with the number of steps done before."""
    exhausted: tuple[str, ...] = ()
    """The spots that were looked at, where that is the proof that there is no plan."""
    rules: tuple[KeptRule, ...] = ()
    """The rules of the operator on this run, as far as the robot saw it."""

    def after(
        self,
        step: Step | None,
        outcome: StepOutcome,
        actions: Sequence[PlanAction],
        changes: Sequence[Change],
        rules: Sequence[KeptRule] = (),
    ) -> Trajectory:
        """Return the trajectory after a step was tried, or after looking around where there is none.

        ``rules`` are those of the operator in the state that is believed then.
        """
        done = step is not None and outcome.done
        executed = (*self.executed, step) if step is not None and outcome.done else self.executed
        seen = (Observation(len(executed), c.node, c.believed, c.seen) for c in changes)
        return replace(
            self,
            executed=executed,
            executed_mm=self.executed_mm + (outcome.moved_mm if step is not None else 0),
            actions=(*self.actions, *actions),
            observations=(*self.observations, *seen),
            rules=joined(self.rules, rules, same_state=not done),
        )

    def without_plan(self) -> Trajectory:
        """Return the trajectory where the plan is given up for another."""
        return replace(self, replans=self.replans + 1)

    def as_json(self) -> dict[str, object]:
        """Return the keys of a record, in metres."""
        return {name: plain(getattr(self, name)) for name in WRITTEN}

    @property
    def executed_metres(self) -> float:
        return self.executed_mm / 1000

    def __add__(self, later: Trajectory) -> Trajectory:
        done = len(self.executed)
        return Trajectory(
            (*self.executed, *later.executed),
            self.executed_mm + later.executed_mm,
            (*self.actions, *later.actions),
            (*self.looks, *later.looks),
            self.replans + later.replans,
            (*self.observations, *(replace(o, step=done + o.step) for o in later.observations)),
            later.exhausted,
            joined(self.rules, later.rules, same_state=True),
        )


NOTHING_DONE = Trajectory()
