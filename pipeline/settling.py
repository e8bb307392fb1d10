"""Settlement of one goal: check, plan, verify on the belief, and on the true world where there is one.

The planner's and the world's part of a run, and what a run keeps (:class:`RunState`, all that changes). The
reader has no part in it: :mod:`hybrid` asks it for goals and hands them on. A belief changes here only, by
what was observed where the true world refused a plan, and a verdict never changes afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from ..acting.acting import act_in, result_in, weakened_if_unobserved
from ..acting.certainty.knowledge import Knowledge
from ..acting.certainty.mendable import UNSEEN_CODES
from ..acting.episode import Episode
from ..acting.trajectory import NOTHING_DONE, Trajectory
from ..compiler.certificates.constraints import with_ways_of
from ..compiler.goals.checker import CheckReport, check
from ..compiler.goals.goal import Goal
from ..compiler.goals.unplaced import places_unknown, unplaced_named
from ..compiler.normal import Expanded
from ..compiler.shown_part import CompileForm, compiled_from
from ..domains.deadline import LimitReached
from ..domains.diagnostic import Diagnostic
from ..domains.ending import Ending
from ..domains.errors import GoalError
from ..domains.formula import GroundAtom, conjunction, conjuncts
from ..engines.base import Budget
from ..engines.engine import Engine
from ..engines.result import NOT_PLANNED, PlanResult
from ..language.chat.doubts import NO_DOUBTS, Doubts
from ..language.chat.search.ranges import compared
from ..language.questions.answering import Answer, ask
from ..language.reader import Attempt, SearchResult, Tried
from ..planners.classical import cut_off, plan_goal
from ..planners.proofs.finding import excluded_by_rules
from ..planners.proofs.impossible import ImpossibleParts
from ..planners.request import ALL_STAGES, Request, Stages
from ..planners.tidy import NotPutBack, Tidied, put_back, unsaid
from ..simulator.belief import Belief
from ..simulator.observations.observation import Change
from ..simulator.scene import Scene
from ..simulator.sensing.environment import Environment
from ..simulator.step import Step
from ..simulator.world import World
from .audit import Audit
from .clarifying import Clarification
from .events import Checked, Listener, Observed, Planned, PutBack
from .faults import fault_of
from .leeway import Leeway
from .record import Record, Round
from .relaxing import Relaxed, can_be_had
from .subgraph import plan_shown

SO_ALREADY = "this is so already; say what has to change"
"""Feedback on a reader's goal that holds before anything is done, unless the instruction allows for that."""
FINDINGS = frozenset(("affordance", "contradiction", "count", "irreversible"))
"""Errors of the check that say what no plan can bring about; a goal with any other cannot be planned for."""


@dataclass(frozen=True)
class EarlierGoal:
    """A goal of the same instruction that was carried out, and what the world showed of it.

    ``record`` is that of its reading; ``outcome``, ``reasons`` and ``places`` are how acting for it ended.
    """

    goal: Goal
    record: Record
    outcome: str
    reasons: tuple[str, ...]
    places: tuple[str, ...] = ()


MOST_SUGGESTED = 3
"""Most goals that a reader is told of in place of an impossible one."""


@dataclass
class RunState:
    """All that changes during a run."""

    belief: Belief
    trajectory: Trajectory = NOTHING_DONE
    knowledge: Knowledge | None = None
    """What was known at the end of the last goal that was acted for."""
    environment: Environment | None = None
    """The true world as it is now, where the run acts in one."""
    rounds: list[Round] = field(default_factory=list)
    leeway: Leeway = field(default_factory=Leeway)
    """The goals that could be read, which repairs are compared with, and what these may leave out."""
    relaxed: Relaxed | None = None
    clarification: Clarification | None = None
    revealed: Scene | None = None
    """The part of the scene that the reader was shown last."""
    conjuncts: tuple[str, ...] = ()
    """The conjuncts of the goal of the last round."""
    unplaced: tuple[str, ...] = ()
    """Things without a known place that the goal which was checked last mentions."""
    searches: int = 0
    looked_for: list[str] = field(default_factory=list)
    """The kinds of things for which a search was taken up again, since there was no plan without them."""
    in_vain: set[str] = field(default_factory=set)
    """Those of the kinds whose last search showed nothing new."""
    trace: list[Mapping[str, object]] = field(default_factory=list)
    subgraph: tuple[str, ...] = ()
    opened: dict[str, None] = field(default_factory=dict)
    shown: dict[str, None] = field(default_factory=dict)
    """The nodes that the searches have shown, beside those shown at first."""
    counted_tokens: int = 0
    """The tokens of writing goals that are in the rounds already."""
    timings: dict[str, float] = field(default_factory=dict)

    @property
    def ruled(self) -> Belief:
        """The belief with what its rules ask of the rest of the run."""
        return self.belief if self.knowledge is None else self.knowledge.run.ruled(self.belief)

    @contextmanager
    def timed(self, stage: str, clock: Callable[[], float]) -> Iterator[None]:
        started = clock()
        yield
        self.timings[stage] = self.timings.get(stage, 0.0) + clock() - started

    def take_up(self, earlier: EarlierGoal) -> tuple[str, ...]:
        """Go on from an earlier goal; return the feedback on it."""
        goal, record, belief = earlier.goal, earlier.record, self.belief
        self.leeway = Leeway([goal], [one.impossible for one in record.dropped])
        places = earlier.places if earlier.outcome == Ending.UNSOLVABLE.value else ()
        impossible = self.leeway.learn(goal, belief, places)
        feedback = Verdict(earlier.outcome, goal, earlier.reasons, impossible=impossible).feedback
        fault = fault_of(goal, earlier.outcome, check(goal, belief).diagnostics)
        *before, last = record.goals
        self.rounds = [*before, replace(last, goal=goal, feedback=feedback, fault=fault)]
        self.conjuncts = tuple(map(str, conjuncts(goal.formula)))
        self.subgraph, self.opened = record.subgraph, dict.fromkeys(record.opened)
        self.shown = dict.fromkeys(record.shown)
        return feedback

    def attempts(self) -> tuple[Attempt, ...]:
        """The goals that were judged, with the feedback on each."""
        return tuple(Attempt(r.goal, r.feedback) for r in self.rounds if not r.reopened)

    def note(self, search: SearchResult) -> None:
        """Keep a search, or the part of it that was made, for the record."""
        self.trace += [step.as_json() for step in search.trace]
        self.subgraph = search.subgraph
        self.opened |= dict.fromkeys(search.view.memory)
        self.shown |= dict.fromkeys(search.view.ever_shown)


@dataclass(frozen=True)
class Verdict:
    """The end of one goal, or of a run: its outcome, and what that rests on."""

    outcome: str
    goal: Tried | None = None
    failures: tuple[str, ...] = ()
    planning: PlanResult = NOT_PLANNED
    diagnostics: tuple[Diagnostic, ...] = ()
    added: tuple[GroundAtom, ...] = ()
    """The conjuncts of the goal that the reader did not write."""
    left: tuple[NotPutBack, ...] = ()
    answer: Answer | None = None
    read: Audit | None = None
    """The audit of the goal as a reader wrote it."""
    lacking: tuple[str, ...] = ()
    """The kinds of things that no search showed and without which no plan was found."""
    doubts: Doubts = NO_DOUBTS
    """Reasons to doubt that a goal was read from the instruction, for which it was turned down."""
    impossible: tuple[ImpossibleParts, ...] = ()
    """The parts that another goal may leave out."""
    suggested: tuple[str, ...] = ()
    """What can be had in place of the goal, in words."""

    @property
    def reasons(self) -> tuple[str, ...]:
        return (*self.failures, *self.planning.reasons)

    @property
    def feedback(self) -> tuple[str, ...]:
        """The words that a reader is told: the reasons, and what alone may be left out."""
        why = (reason for one in self.impossible if one.proof is not None for reason in one.reasons)
        may_go = (one.feedback for one in self.impossible)
        return tuple(dict.fromkeys((*self.reasons, *why, *may_go, *self.suggested)))


def without_a_goal(instruction: str, belief: Belief, asks_where: bool, forgets: bool) -> Verdict | None:
    """Answer a question; decline things without a known place, and a model's choice by distance.

    A model (which ``forgets``) is shown no distances, and a goal has no superlatives; ``None`` where a goal
    is to be written.
    """
    reply = None if asks_where else ask(instruction, belief)
    if isinstance(reply, Answer):
        return Verdict("answered", answer=reply)
    if reply is not None:
        return Verdict("not-understood", failures=(str(reply),))
    if not asks_where and (by := compared(instruction, belief.scene)) and forgets:
        reason = f"no goal says which is the {by}, and nothing was measured; name the one that is meant"
        return Verdict("not-understood", failures=(f"not understood: {reason}",))
    lost = unplaced_named(instruction, belief.scene)
    if lost:  # whoever reads sees only what has a place, and might take another thing for it
        return Verdict("not-understood", failures=(f"not understood: {places_unknown(lost)}",))
    return None


def stopped(goal: Goal, cut: LimitReached, diagnostics: tuple[Diagnostic, ...] = ()) -> Verdict:
    """Return the verdict on a goal that a limit of time or size ended."""
    return Verdict(cut.ending.value, goal, planning=cut_off(cut), diagnostics=diagnostics)


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

    def audit(self, goal: Goal, place: str | None = None) -> Audit:
        """Return the audit of a goal that was given, or read from what was said at a place."""
        instruction = self.request.instruction if self.request.goal is None else None
        return Audit(goal, self.state.belief, instruction, place)

    def suggested(self, audit: Audit) -> tuple[str, ...]:
        """Say what can be had in place of an impossible goal, and is no drift, where that is to be told."""
        if not self.request.suggest or not can_be_planned_for(audit.report):
            return ()
        state, words = self.state, list[str]()
        for one in can_be_had(audit.goal, state.belief, self.engine, self.budget):
            other = replace(audit, goal=one.goal)
            if not state.leeway.drift(other, True, bool(state.trajectory.executed)):
                words.append(f"can be had: {one.goal} ({one.result.verification.metres:.2f} metres)")
        return tuple(words[:MOST_SUGGESTED])

    def asks_for_nothing(self, audit: Audit) -> bool:
        """Return whether a reader's goal is so already, though something is to be done."""
        return self.stages.already_so and audit.asks_for_nothing

    def settle(self, audit: Audit) -> Verdict:
        """Check a goal, plan for it, verify the plan; where there is a true world, act in it.

        A verified plan for a reader's goal is made again with what it left otherwise put back. Acting goes on
        from the state that was reached: what the robot sees there changes the belief, and the same goal is
        planned for again. What the goal names and nobody knows the place of is looked for.
        """
        goal, (report, excluded) = audit.goal, self._check(audit)
        diagnostics = report.diagnostics
        if report.cut is not None:
            return stopped(goal, report.cut, diagnostics)
        errors = [d for d in diagnostics if d.severity == "error"]
        to_be_found = self.request.world is not None and self._may_be_found(errors)
        planned_for = report.ok or (not self.stages.check and can_be_planned_for(report))
        if not planned_for and not to_be_found:
            return Verdict("goal-error", goal, tuple(map(str, errors)), excluded, diagnostics)
        if not self.state.trajectory.observations and self.asks_for_nothing(audit):
            return Verdict("goal-error", goal, (SO_ALREADY,), diagnostics=diagnostics)
        tidied = Tidied(goal, NOT_PLANNED)
        lacking: tuple[str, ...] = ()
        try:
            if not to_be_found:
                result, lacking = self._plan(goal, report)
                tidied = self._put_back(goal, result, report)
            if to_be_found or (self.request.world is not None and tidied.result.verified):
                tidied = self._act(tidied, goal)
        except GoalError as error:
            return self._goal_error(goal, error)
        except LimitReached as cut:
            return stopped(goal, cut, diagnostics)
        if tidied.added or tidied.left:
            self.listener(PutBack(tidied.goal, tidied.added, tidied.left))
        self.listener(Planned(tidied.result))
        return Verdict(
            tidied.result.outcome,
            tidied.goal,
            planning=tidied.result,
            diagnostics=diagnostics,
            added=tidied.added,
            left=tidied.left,
            lacking=lacking,
        )

    def _goal_error(self, goal: Goal, error: GoalError) -> Verdict:
        """Return the verdict on an expansion that is too large, or on a goal with errors in what was seen."""
        seen = self.audit(goal).report
        errors = tuple(str(d) for d in seen.diagnostics if d.severity == "error")
        return Verdict("goal-error", goal, errors or (str(error),), diagnostics=seen.diagnostics)

    def _may_be_found(self, errors: Sequence[Diagnostic]) -> bool:
        """Return whether a goal is to be acted for at once, since seeing more of the world may mend it."""
        if self.state.belief.unseen:
            return all(d.code in UNSEEN_CODES for d in errors)
        return bool(errors) and all(d.code == "place-unknown" for d in errors)

    def _check(self, audit: Audit) -> tuple[CheckReport, PlanResult]:
        """Return what the check says of a goal, and the proof that a rule excludes it, where one does."""
        with self.state.timed("check", self.clock):
            report, excluded = audit.report, NOT_PLANNED
            shown = excluded_by_rules(audit.goal, self.state.belief) if report.ok else None
            if shown is not None and not (self.state.belief.unseen and shown[1].of_places):
                finding, proof = shown
                report = replace(report, diagnostics=(*report.diagnostics, finding))
                excluded = replace(proof.result(), reasons=())  # the finding says them
            self.state.unplaced = audit.unplaced
        self.listener(Checked(report.diagnostics))
        return report, excluded

    @property
    def compile_form(self) -> CompileForm:
        """The part of the scene that problems are compiled from: all of it, where nobody searches."""
        return self.request.compile_form if self.request.goal is None else "scene"

    @property
    def _compiled(self) -> Belief:
        """The belief that problems are compiled from: all of it, or what the searches have shown."""
        return compiled_from(self.state.belief, self.compile_form, self.state.shown)

    def _plan(self, goal: Goal, report: CheckReport) -> tuple[PlanResult, tuple[str, ...]]:
        """Plan for a goal; without a plan also say which kinds of things that no search showed it takes."""
        belief = self._compiled
        lacking: tuple[str, ...] = ()
        with self.state.timed("plan", self.clock):
            if belief.whole is None:
                result = plan_goal(goal, belief, self.engine, self.budget, normal=report.normal)
            else:
                result, lacking = plan_shown(goal, belief, self.engine, self.budget, report.normal)
            return weakened_if_unobserved(result, goal.formula, self.state.belief), lacking

    def _put_back(self, goal: Goal, result: PlanResult, report: CheckReport) -> Tidied:
        """Plan again for a goal and for what it says nothing of to be as it was found."""
        if not self.request.tidy:
            return Tidied(goal, result)
        with self.state.timed("plan", self.clock):
            return self._tidied(goal, result, report.normal if self._compiled.whole is None else None)

    def _tidied(self, goal: Goal, result: PlanResult, normal: Expanded | None = None) -> Tidied:
        """Put back doors and switches for a reader's goal; a goal that was given says how they are to be."""
        doors = self.request.goal is None
        return put_back(goal, result, self._compiled, self.engine, self.budget, normal, doors)

    def _act(self, tidied: Tidied, goal: Goal) -> Tidied:
        """Carry a plan out in the true world; put back there what was found, and not what was believed."""
        with self.state.timed("act", self.clock):
            tidied = self._acted_tidily(tidied, goal)
            if self.request.tidy and tidied.result.verified:
                tidied = self._put_back_what_looks_left(tidied)
        self.state.unplaced = self.audit(goal).unplaced
        return tidied

    def _acted_tidily(self, tidied: Tidied, goal: Goal) -> Tidied:
        """Act for a goal with what is to be put back, for the goal alone where that cannot be done."""
        plan: PlanResult | None = tidied.result if tidied.result.verified else None
        while True:
            result, otherwise = self._acted(tidied.goal, plan, tidied.added)
            if otherwise:  # as found is as the robot finds it, not as it was believed to be
                kept = tuple(a for a in tidied.added if a not in otherwise)
                left = Goal.of(conjunction((goal.formula, *kept)))
                again = plan_goal(left, self.state.ruled, self.engine, self.budget)
                more = self._tidied(left, again)
                both = dict.fromkeys((*tidied.left, *more.left))
                tidied = Tidied(more.goal, more.result, (*kept, *more.added), tuple(both))
                plan = more.result if more.result.verified else None
            elif tidied.added and not result.verified:
                refused = (NotPutBack(fact, result.outcome) for fact in tidied.added)
                tidied, plan = Tidied(goal, result, left=(*refused, *tidied.left)), None
            else:
                return replace(tidied, result=result)

    def _put_back_what_looks_left(self, tidied: Tidied) -> Tidied:
        """Close what was opened to look inside, and whatever else no plan for the goal put back."""
        belief, actions = self.state.belief, self.state.trajectory.actions
        left = unsaid(tidied.goal.formula, actions, World(belief), doors=self.request.goal is None)
        facts = tuple(atom for atom in left if atom not in {one.fact for one in tidied.left})
        if not facts:
            return tidied
        goal = Goal.of(conjunction((tidied.goal.formula, *facts)))
        plan = plan_goal(goal, self.state.ruled, self.engine, self.budget)
        result = self._acted(goal, plan, ())[0] if plan.verified else plan
        if result.verified:
            return replace(tidied, goal=goal, result=result, added=(*tidied.added, *facts))
        return replace(tidied, left=(*tidied.left, *(NotPutBack(a, result.outcome) for a in facts)))

    def _acted(
        self, goal: Goal, plan: PlanResult | None, added: Sequence[GroundAtom]
    ) -> tuple[PlanResult, tuple[GroundAtom, ...]]:
        """Act for a goal from the state that was reached; return the last plan, with the world's verdict.

        Acting ends where something is seen that is not as one of the facts ``added`` to the goal says; these
        facts are returned.
        """
        state, world = self.state, self.request.world
        assert world is not None
        if state.environment is None:
            state.environment = Environment(world)
        request = Request(state.belief, goal=goal, tidy=False)
        # The scene that was given may be wrong: what the goal rests on has to be seen once.
        episode = Episode(
            request, engine=self.engine, budget=self.budget, confirm=True, first=plan, earlier=state.knowledge
        )
        before = len(state.trajectory.executed)
        otherwise: tuple[GroundAtom, ...] = ()

        def tell(step: Step | None, changes: Sequence[Change]) -> bool:
            nonlocal otherwise
            observations = episode.trajectory.observations
            for observation in observations[len(observations) - len(changes) :]:
                self.listener(Observed(replace(observation, step=before + observation.step)))
            seen = {change.node for change in changes}
            otherwise = tuple(atom for atom in added if seen.intersection(atom.args))
            return bool(otherwise)

        try:
            finish = act_in(state.environment, episode, tell)
        finally:
            state.belief = with_ways_of(episode.belief, state.belief)  # what a goal bars is of that goal
            state.trajectory += episode.trajectory
            state.knowledge = episode.knowledge
        if finish is None:
            return episode.tries.planning, otherwise
        return result_in(state.environment, episode), ()


def can_be_planned_for(report: CheckReport) -> bool:
    """Return whether all that the check found is what a planner could find out, too."""
    return all(d.code in FINDINGS for d in report.diagnostics if d.severity == "error")
