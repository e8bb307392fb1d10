"""Settlement of one goal: check, plan, verify on the belief, and on the true world where there is one.

The planner's and the world's part of a run, and what a run keeps (:class:`RunState`, all that changes). The
reader has no part in it: :mod:`hybrid` asks it for goals and hands them on. A belief changes here only, by
what was observed where the true world refused a plan, and a verdict never changes afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from ..compiler.goals.checker import CheckReport, check
from ..compiler.goals.goal import Goal
from ..compiler.goals.unplaced import unplaced_alike, unplaced_in
from ..domains.deadline import LimitReached, extended
from ..domains.diagnostic import Diagnostic
from ..domains.errors import GoalError
from ..domains.evaluate import evaluate
from ..domains.formula import Atom
from ..language.confirming import may_hold_already
from ..language.questions.answering import Answer
from ..language.sentences.unused import unused
from ..simulator.belief import Belief
from ..simulator.verification import verify_plan
from ..simulator.world import World
from .classical import OWN_SECONDS, cut_off, plan_goal
from .engines.base import Budget
from .engines.engine import Engine
from .events import Checked, Event, Listener, Observed, Planned, PutBack
from .observation import Observation, observe
from .record import Round
from .request import ALL_STAGES, Request, Stages
from .result import NOT_PLANNED, PlanResult
from .tidy import NotPutBack, Tidied, put_back
from .votes import Vote

SO_ALREADY = "this is so already; say what has to change"
"""Feedback on a reader's goal that holds before anything is done, unless the instruction allows for that."""
FINDINGS = frozenset(("affordance", "contradiction", "count", "irreversible"))
"""Errors of the check that say what no plan can bring about; a goal with any other cannot be planned for."""
MAX_OBSERVATIONS = 10
"""Belief updates in one run."""


@dataclass
class RunState:
    """All that changes during a run."""

    belief: Belief
    observations: list[Observation] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    well_formed: list[Goal] = field(default_factory=list)
    """The goals that could be read, in order: repairs are compared with them."""
    conjuncts: tuple[str, ...] = ()
    """The conjuncts of the goal of the last round."""
    unplaced: tuple[str, ...] = ()
    """Things without a known place of which the goal that was checked last speaks."""
    searches: int = 0
    trace: list[Mapping[str, object]] = field(default_factory=list)
    subgraph: tuple[str, ...] = ()
    opened: dict[str, None] = field(default_factory=dict)
    shown: dict[str, None] = field(default_factory=dict)
    """The nodes that the searches have shown, beside those shown at first."""
    vote: Vote | None = None
    trials: dict[str, Trial] = field(default_factory=dict)
    """The goals that were judged for the vote."""
    counted_tokens: int = 0
    """The tokens of writing goals that are in the rounds already."""
    timings: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def timed(self, stage: str, clock: Callable[[], float]) -> Iterator[None]:
        started = clock()
        yield
        self.timings[stage] = self.timings.get(stage, 0.0) + clock() - started


@dataclass(frozen=True)
class Trial:
    """Judgement of a goal that is not settled yet: nothing has been told, and no world was asked."""

    outcome: str
    """*verified*, or the kind of its fault."""
    verdict: Verdict
    events: Sequence[Event]
    state: RunState


@dataclass(frozen=True)
class Verdict:
    """The end of one goal, or of a run: its outcome, and what that rests on."""

    outcome: str
    goal: str | None = None
    failures: tuple[str, ...] = ()
    planning: PlanResult = NOT_PLANNED
    diagnostics: tuple[Diagnostic, ...] = ()
    added: tuple[Atom, ...] = ()
    """The conjuncts of the goal that the reader did not write."""
    left: tuple[NotPutBack, ...] = ()
    answer: Answer | None = None

    @property
    def reasons(self) -> tuple[str, ...]:
        return (*self.failures, *self.planning.reasons)


def stopped(goal: Goal, cut: LimitReached, diagnostics: tuple[Diagnostic, ...] = ()) -> Verdict:
    """Return the verdict on a goal that a limit of time or size ended."""
    return Verdict(cut.ending.value, str(goal), planning=cut_off(cut), diagnostics=diagnostics)


@dataclass(frozen=True)
class Pipeline:
    """The planner's and the world's part: from a goal to a verdict."""

    request: Request
    engine: Engine
    budget: Budget
    listener: Listener
    clock: Callable[[], float]
    state: RunState
    stages: Stages = ALL_STAGES

    def settle(self, goal: Goal) -> Verdict:
        """Check a goal, plan for it, verify the plan; observe and plan again where the world differs.

        A verified plan for a reader's goal is made again with what it left otherwise put back.
        """
        while True:
            report = self._check(goal)
            diagnostics = report.diagnostics
            if report.cut is not None:
                return stopped(goal, report.cut, diagnostics)
            if not report.ok and (self.stages.check or not _can_be_planned_for(report)):
                errors = tuple(str(d) for d in diagnostics if d.severity == "error")
                return Verdict("goal-error", str(goal), errors, diagnostics=diagnostics)
            if not self.state.observations and self.misses_the_point(goal, report):
                return Verdict("goal-error", str(goal), (SO_ALREADY,), diagnostics=diagnostics)
            try:
                result = self._plan(goal, report)
            except GoalError as error:  # an expansion that is too large
                return Verdict("goal-error", str(goal), (str(error),), diagnostics=diagnostics)
            tidied = self._put_back(goal, result, report)
            try:
                if not self._observe(tidied.goal, tidied.result):
                    break
            except LimitReached as cut:
                return stopped(goal, cut, diagnostics)
        with extended(OWN_SECONDS):
            tidied = self._on_world(tidied, goal, result)
        if tidied.added or tidied.left:
            self.listener(PutBack(tidied.goal, tidied.added, tidied.left))
        self.listener(Planned(tidied.result))
        return Verdict(
            tidied.result.outcome,
            str(tidied.goal),
            planning=tidied.result,
            diagnostics=diagnostics,
            added=tidied.added,
            left=tidied.left,
        )

    def misses_the_point(self, goal: Goal, report: CheckReport) -> bool:
        """Return whether a reader's goal is so already, though something is to be done."""
        if self.request.goal is not None or self.request.instruction is None or not self.stages.already_so:
            return False
        codes = {d.code for d in report.diagnostics}
        vacuous = "vacuous" in codes and evaluate(goal.formula, World(self.state.belief))
        if not vacuous and "already-true" not in codes:
            return False
        instruction, belief = self.request.instruction, self.state.belief
        # What leaves a part of the instruction out has not read that it asks for nothing else.
        return not may_hold_already(instruction, goal.formula) or bool(
            unused(instruction, goal.formula, belief)
        )

    def _check(self, goal: Goal) -> CheckReport:
        with self.state.timed("check", self.clock):
            report = check(goal, self.state.belief)
            spoken_of = unplaced_in if self.request.goal is not None else unplaced_alike
            self.state.unplaced = spoken_of(goal.formula, self.state.belief)
        self.listener(Checked(report.diagnostics))
        return report

    def _plan(self, goal: Goal, report: CheckReport) -> PlanResult:
        with self.state.timed("plan", self.clock):
            return plan_goal(goal, self.state.belief, self.engine, self.budget, normal=report.normal)

    def _put_back(self, goal: Goal, result: PlanResult, report: CheckReport) -> Tidied:
        """Plan again for a reader's goal and for what it says nothing of to be as it was found."""
        if not self.request.tidy or self.request.goal is not None:
            return Tidied(goal, result)
        with self.state.timed("plan", self.clock):
            return put_back(goal, result, self.state.belief, self.engine, self.budget, report.normal)

    def _observe(self, goal: Goal, result: PlanResult) -> bool:
        """Update the belief where the true world refuses a plan; return whether anything was learned."""
        world, state = self.request.world, self.state
        if world is None or not result.verified or len(state.observations) >= MAX_OBSERVATIONS:
            return False
        if verify_plan(result.steps, world, goal.formula).verified:
            return False
        observations, state.belief = observe(result.steps, state.belief, world)
        state.observations += observations
        for observation in observations:
            self.listener(Observed(observation))
        return bool(observations)

    def _on_world(self, tidied: Tidied, goal: Goal, plain: PlanResult) -> Tidied:
        """Verify a plan once more, on the true world; that of the goal alone where the other is refused."""
        tidied = replace(tidied, result=self._in_truth(tidied.goal, tidied.result))
        if tidied.added and not tidied.result.verified:
            alone = self._in_truth(goal, plain)
            if alone.verified:
                refused = tuple(NotPutBack(fact, "rejected") for fact in tidied.added)
                return Tidied(goal, alone, left=(*refused, *tidied.left))
        return tidied

    def _in_truth(self, goal: Goal, result: PlanResult) -> PlanResult:
        world = self.request.world
        if world is None or not result.verified:
            return result
        verification = verify_plan(result.steps, world, goal.formula)
        return replace(result, verification=verification, reasons=verification.feedback())


def _can_be_planned_for(report: CheckReport) -> bool:
    """Return whether all that the check found is what a planner could find out, too."""
    return all(d.code in FINDINGS for d in report.diagnostics if d.severity == "error")
