"""The goal as it was written, and the simulator's verdict on plans for it.

Planning works on normal forms, of which some say a little more or less than the goal. Here is what all of
that is held against: a plan counts as verified only if the simulator accepted it step by step, in the printed
form that a robot gets, and the goal held at the end as it was written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from ..compiler.goals.goal import Goal
from ..compiler.normal import expanded
from ..domains.deadline import extended
from ..domains.ending import Ending
from ..domains.formula import Atom, Formula, walk
from ..engines.engine import Engine
from ..engines.result import PlanResult
from ..simulator.belief import Belief
from ..simulator.printing import steps_with_sources
from ..simulator.verification import verify_plan
from .carrying_out import cost_of
from .doors import shut_on_the_way, through_doors
from .proofs.search import Prover

OWN_SECONDS = 0.5
"""Seconds for the verification of a plan: kept back from engines, and given where the time is over, since a
plan would be lost without it."""

DOMAIN_FAULT = "planner and simulator disagree although the belief is the world: a fault in the domain pack"

ENGINE_FAULT = (
    "planner and simulator disagree although the belief is the world: first suspect {engine}, whose plan "
    "does not work; where its plan is right, it is a fault in the domain pack"
)
"""The same of an engine that is not listed as complete, such as a command line of a user's own."""

BEYOND = "a plan for what the search showed does not reach the goal in the whole scene"
NOT_CHEAPEST = "not proved to be the cheapest plan: {}"
SHUT = "the way leads through {}, which is shut, and no plan is made that opens such a door first"
POSES = "poses are in rooms, and one of them may be nearer than the room that the goal names"
DOORS = "a door between rooms may be worked from either side, and is opened on the way where it is closed"


def disagreement(engine: Engine) -> str:
    """Say whose fault it most likely is that the simulator refused a plan of an engine."""
    if engine.complete:
        return DOMAIN_FAULT
    command = engine.options.command is not None
    return ENGINE_FAULT.format(engine="the engine command" if command else f"the engine {engine.name}")


@dataclass(frozen=True)
class WrittenGoal:
    """A goal as it was written, over a belief, with the engine that plans for it."""

    goal: Goal
    belief: Belief
    engine: Engine

    @cached_property
    def whole_form(self) -> Formula:
        """The normal form that leaves nothing out of what the goal says."""
        return expanded(self.goal.formula, self.belief, whole=True).form

    @cached_property
    def prover(self) -> Prover:
        """The search for a proof that the goal has no plan, which remembers what it found."""
        return Prover(self.goal.formula, self.belief)

    def judged(self, result: PlanResult, ways: Belief | None = None) -> PlanResult:
        """Print a plan, with doors on its ways opened, run it on the simulator, and add what happened.

        ``ways`` is the belief whose routes the plan drives, where the goal bars some of the belief itself.
        """
        ways, scene = ways or self.belief, self.belief.scene
        with extended(OWN_SECONDS):
            if scene.doors:
                return self._judged(self._through_doors(result, ways), ways)
            if self._derived and any(map(scene.above, scene.by_type.get("pose", ()))):
                result = _without_bound(result, POSES)
            return self._judged(result, ways)

    @cached_property
    def _derived(self) -> bool:
        """True if the goal asks in which room something is, or where the robot is."""
        derived = self.belief.pack.mapping.derived
        return any(isinstance(atom, Atom) and atom.predicate in derived for atom in walk(self.goal.formula))

    def _judged(self, result: PlanResult, ways: Belief) -> PlanResult:
        belief, formula = self.belief, self.goal.formula
        printed = tuple(steps_with_sources(result.plan or (), ways))
        verification = verify_plan([step for _, step in printed], belief.whole or belief, formula)
        if verification.verified:
            return replace(result, printed=printed, verification=verification)
        if belief.whole is not None:  # what was not shown counts, too
            return PlanResult(Ending.NOT_FOUND, reasons=(BEYOND, *verification.feedback()))
        if belief.scene.doors and (door := shut_on_the_way(result.plan or (), ways, formula)) is not None:
            return PlanResult(Ending.NOT_FOUND, reasons=(SHUT.format(door),))
        # Nothing is said of how good a plan is that was refused.
        return replace(
            result,
            bound_mm=None,
            assembly=replace(result.assembly, order=None),
            printed=printed,
            verification=verification,
            reasons=(disagreement(self.engine), *verification.feedback()),
            domain_fault=True,
        )

    def _through_doors(self, result: PlanResult, ways: Belief) -> PlanResult:
        """Return a plan through doors that are opened, and no bound: routes know of no work at doors."""
        plan = through_doors(result.plan or (), ways, self.goal.formula)
        return _without_bound(replace(result, plan=plan, cost_mm=cost_of(plan, ways)), DOORS)


def _without_bound(result: PlanResult, why: str) -> PlanResult:
    """Return a plan without what is said of how good it is, and the reason; no plan at all is the best."""
    return replace(
        result,
        bound_mm=None if result.plan else result.bound_mm,
        assembly=replace(result.assembly, order=None),
        reasons=(*result.reasons, *((NOT_CHEAPEST.format(why),) if result.bound_mm else ())),
    )
