"""Planning for one goal without a reader: the passes of a schedule, and the explanation of a failure.

Which strategies are tried, in which order and in what time, is said by `schedule`. Must stay: a plan counts
as verified only if the simulator accepted it (`verdict`); "unsolvable" needs a proof from which nothing was
left out, for a normal form that is equivalent to the goal.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from ..compiler.forms import literals
from ..compiler.goals.goal import Goal
from ..compiler.goals.unplaced import places_unknown, unplaced_in
from ..compiler.normal import Expanded, expanded
from ..compiler.problem import Unsupported
from ..compiler.relevance import closure
from ..domains.deadline import (
    Deadline,
    LimitReached,
    extended,
    limited,
    note_cut,
    share_of_time,
    time_left,
)
from ..domains.ending import Ending
from ..domains.errors import GoalError, NoRoute, clip
from ..domains.formula import Formula, constraints, names
from ..engines.base import Budget
from ..engines.engine import Engine
from ..engines.result import PlanResult
from ..simulator.belief import Belief
from . import optimality
from .constrained import plan_constrained
from .failure import PlanningFailed
from .schedule import IMPROVING, Pass, PassState, ScheduleStep, plan, schedule_for
from .task import Attempts, PlanningTask
from .verdict import NOT_CHEAPEST, OWN_SECONDS, WrittenGoal, disagreement

OWN_SHARE = 0.1
"""The part of a short time limit that is kept back for verification, in place of all :data:`OWN_SECONDS`."""

NO_MEMORY = "the system gave this process no more memory"
MAX_CHARACTERS = 200
"""Longest formula in a sentence for people."""

UNUSED = "no proof rests on a name that nothing has: {}"
MAX_NAMES = 4
"""Most names of a pack that nothing in the scene has and that a failure lists."""
UNPROVED = "unsolvability is not proved: the normal form only approximates where the goal wants things"
A_PART = "it was planned with what the search showed alone"
NO_CERTIFICATE = "no plan was found, and no proof that there is none"


def plan_goal(
    goal: Goal,
    belief: Belief,
    engine: Engine,
    budget: Budget | None = None,
    clock: Callable[[], float] = time.monotonic,
    normal: Expanded | None = None,
) -> PlanResult:
    """Plan for a checked goal, without a reader, and verify the plan.

    The seconds of ``budget`` are for everything together (30 s by default), engines and own work alike; a
    limit that is in force already may end it sooner. ``normal`` is the goal's normal form where the check
    made it already. The cost of the result is in metres: the routes, and the pack's effort for each
    manipulation.

    Raises :class:`GoalError` when the goal names what is not in the scene, or when expanding it makes too
    many parts; check a goal with :func:`check` first. No plan, with or without a proof, is an ending of the
    result; so is a limit of time or size, and ``cut_off`` of the result names what the clock ended.

    >>> from groundplan import Engine, ground, load_pack, load_scene, parse_goal, plan_goal
    >>> office, engine = ground(load_scene("office"), load_pack()), Engine.named("pyperplan")
    >>> plan_goal(parse_goal("(holding banana2)"), office, engine).verified
    True
    >>> result = plan_goal(parse_goal("(and (open microwave) (turned_on microwave))"), office, engine)
    >>> result.ending.value, result.proof
    ('unsolvable', 'closed set of states (6 states)')
    """
    unknown = sorted(set(names(goal.formula)) - belief.scene.nodes.keys())
    if unknown:
        raise GoalError("goal", "names of nodes in the scene", ", ".join(map(clip, unknown)))
    limits = budget or Budget()
    with limited(limits.seconds, clock) as deadline:
        try:
            written = WrittenGoal(goal, belief, engine)
            if belief.rules or constraints(goal.formula):
                result = plan_constrained(written, partial(_of_end, engine, limits))
            else:
                result = _Planning(written, normal or expanded(goal.formula, belief), limits).run()
        except LimitReached as cut:
            result = cut_off(cut)
        except MemoryError:
            result = PlanResult(Ending.OUT_OF_MEMORY, reproducible=False, reasons=(NO_MEMORY,))
        result = optimality.with_reason(with_cuts(result, deadline), engine, belief)
        return _with_unused_names(_with_unknown_places(result, goal, belief), belief)


def _of_end(engine: Engine, limits: Budget, goal: Goal, belief: Belief) -> PlanResult:
    """Plan for what a goal with constraints asks without them."""
    return _Planning(WrittenGoal(goal, belief, engine), expanded(goal.formula, belief), limits).run()


def _with_unused_names(result: PlanResult, belief: Belief) -> PlanResult:
    """Say which names of the pack nothing has, where there is neither a plan nor a proof."""
    names = belief.unused.names
    if result.plan is not None or result.ending is Ending.UNSOLVABLE or not names:
        return result
    return replace(result, reasons=(*result.reasons, *(UNUSED.format(one) for one in names[:MAX_NAMES])))


def _with_unknown_places(result: PlanResult, goal: Goal, belief: Belief) -> PlanResult:
    """Say what the goal leaves out; take back a bound where more may serve than was planned with."""
    if not belief.scene.unplaced and belief.whole is None:
        return result
    result = replace(result, unplaced=unplaced_in(goal.formula, belief))
    reason = places_unknown(list(belief.scene.unplaced)) if belief.whole is None else A_PART
    if result.verified and result.bound_mm:
        return replace(result, bound_mm=None, reasons=(*result.reasons, NOT_CHEAPEST.format(reason)))
    if result.ending is Ending.NOT_FOUND:
        return replace(result, reasons=(*result.reasons, reason))
    return result


class _Planning:
    """The passes of one goal. ``failure`` is how the last of them ended."""

    def __init__(self, written: WrittenGoal, narrow: Expanded, limits: Budget) -> None:
        self.written, self.narrow, self.limits = written, narrow, limits
        self.form = narrow.form
        self.failure: PlanningFailed | None = None
        self.faults: list[PlanningFailed] = []
        self.notes: dict[str, str] = {}

    def run(self) -> PlanResult:
        """Return the answer of planning; where there is no plan, it says which strategies did not serve."""
        try:
            result = self.through_passes()
        except Unsupported as error:
            result = PlanResult(Ending.UNSUPPORTED, reasons=(str(error),))
        except NoRoute as error:
            result = PlanResult(Ending.NOT_FOUND, reasons=(str(error),))
        except LimitReached as cut:
            result = cut_off(cut)
        if result.plan is not None or result.ending is Ending.UNSOLVABLE:
            return result
        unserved = (words.removeprefix("; ") + reason for words, reason in self.notes.items())
        return replace(result, reasons=(*result.reasons, *unserved))

    def through_passes(self) -> PlanResult:
        """Return the answer of the first pass that has one that is final, or why there is none."""
        passes = schedule_for(self.written.engine)
        for one in passes:
            last = one is passes[-1]
            outcome = self.outcome_of(one, last)
            if isinstance(outcome, PlanResult):
                if last or not self.goes_on(one, outcome):
                    return outcome
                outcome = PlanningFailed(outcome, self.form)
            self.failure = outcome
            if not self.goes_on(one, outcome):
                break
        assert self.failure is not None
        return _explained(self.failure, self.faults, self.form, self.written)

    def outcome_of(self, one: Pass, last: bool) -> PlanResult | PlanningFailed:
        """Return how a pass ends."""
        try:
            with limited(self.limits.seconds * one.share(self.narrow, self.written.engine)) as deadline:
                return self.answered(one, deadline)
        except LimitReached as cut:
            too_large = cut.ending is not Ending.TIMED_OUT  # the wide problem is no smaller
            if last or (too_large and one.nearest is not None):
                raise
            note_cut(one.work)
            return PlanningFailed(cut_off(cut), self.form)
        except PlanningFailed as failed:
            if failed.result.ending is Ending.TIMED_OUT and not last:
                note_cut(one.work)
            return failed

    def goes_on(self, one: Pass, outcome: PlanResult | PlanningFailed) -> bool:
        """Return whether another pass follows one that ended so.

        After an answer it does where that is neither a plan nor a proof, and nobody is at fault. After a
        failure it does where the wide problem may hold what the narrow one left out, or where time ran out:
        an engine that crashed, or took all memory, would again, but that a proof was asked for.
        """
        if isinstance(outcome, PlanResult):
            return not (outcome.verified or outcome.domain_fault or outcome.ending is Ending.UNSOLVABLE)
        if outcome.sound and one.nearest is None:
            return False
        open_end = outcome.result.ending in (Ending.UNSOLVABLE, Ending.NOT_FOUND, Ending.TIMED_OUT)
        proving = self.written.engine.optimal and one.nearest is None
        return open_end or outcome.fault or proving

    def answered(self, one: Pass, deadline: Deadline) -> PlanResult:
        """Return the answer of one pass. Raises :class:`PlanningFailed` where its steps have no plan."""
        goal, belief = self.written.goal, self.written.belief
        whole = one.nearest is None and not self.narrow.exact
        form = expanded(goal.formula, belief, whole=True) if whole else self.narrow
        self.form = form.form
        kept = min(OWN_SHARE * deadline.remaining(), OWN_SECONDS)
        attempts = Attempts(
            lambda: (time_left() or 0.0) - kept, self.limits.memory_mb, self.faults, notes=self.notes
        )
        task = PlanningTask(self.written, form.form, belief.facts, attempts, one.nearest)
        state = PassState(task, self.failure.result.ending if self.failure is not None else None)
        failure: PlanningFailed | None = None
        for step in one.steps:
            if not step.when(state):
                continue
            try:
                result = _planned(step, state)
            except PlanningFailed as failed:
                failure, result = failed, None
                state = state._replace(failed=failed.result.ending)
            if result is not None:
                return result if form.exact or result.ending is Ending.UNSOLVABLE else _unproved(result)
            state = state._replace(tried=(*state.tried, step.strategy))
        assert failure is not None, "the last step of a pass answers or raises"
        raise failure


def _planned(step: ScheduleStep, state: PassState) -> PlanResult | None:
    """Return the answer of one step, made cheaper and judged by the goal as it was written."""
    task = state.task
    with share_of_time(step.share):
        with task.attempts.reserving(step.leaves if step.leaving(state) else 0.0):
            result = step.strategy(task, plan)
        if result is None or result.ending is Ending.UNSOLVABLE:
            return result
        best = result
        for improvement in step.improvements:  # a plan is at hand, which nothing may lose
            with suppress(PlanningFailed, NoRoute, Unsupported):
                try:
                    with share_of_time(IMPROVING):
                        best = improvement(task, best, plan)
                except LimitReached as cut:
                    if not cut.reproducible:
                        note_cut(cut.work)
    if best is result and result.verified:
        return result
    judged = task.written.judged(best)
    return judged if judged.verified or best is result else task.written.judged(result)


def cut_off(cut: LimitReached) -> PlanResult:
    """Return the answer of planning that a limit of time or size ended."""
    work = () if cut.reproducible else (cut.work,)
    return PlanResult(cut.ending, reproducible=cut.reproducible, reasons=(str(cut),), cut_off=work)


def with_cuts(result: PlanResult, deadline: Deadline) -> PlanResult:
    """Add to an answer what the clock ended on the way to it."""
    if not deadline.cuts:
        return result
    cuts = tuple(dict.fromkeys((*result.cut_off, *deadline.cuts)))
    return replace(result, reproducible=False, cut_off=cuts)


def _unproved(result: PlanResult) -> PlanResult:
    """Weaken a plan for a normal form that does not say just what the goal says.

    It may not be the best there is, unless it costs nothing. One that can be carried out and misses the goal
    is no fault of the pack.
    """
    verification = result.verification
    if verification.executable and not verification.verified:
        return PlanResult(Ending.NOT_FOUND, reasons=(UNPROVED, *verification.feedback()))
    return result if result.cost_mm == 0 else replace(result, bound_mm=None)


def _explained(
    failure: PlanningFailed,
    faults: list[PlanningFailed],
    form: Formula,
    written: WrittenGoal,
) -> PlanResult:
    """Say why there is no plan: proved by a certificate, or else that none was found."""
    result, part, prover = failure.result, str(failure.part), written.prover
    if len(part) > MAX_CHARACTERS:  # the goal as it was written says it in fewer words
        part = clip(str(prover.goal), MAX_CHARACTERS)
    proof = None
    try:
        if result.ending in (Ending.UNSOLVABLE, Ending.NOT_FOUND) or failure.fault:
            proof = prover.thorough(
                lambda: closure(literals(form), prover.belief, prover.belief.facts, None).facts
            )
        else:  # an engine that gave up may have looked for what cannot be
            with extended(OWN_SECONDS):
                proof = prover.quick()
    except LimitReached:
        note_cut("the search for a certificate that there is no plan")
    if proof is not None:
        return replace(proof.result(), reproducible=result.reproducible)
    if faults:  # a plan was refused and no other worked
        refusal = (disagreement(written.engine), faults[0].result.detail)
        return PlanResult(
            Ending.NOT_FOUND, reproducible=result.reproducible, reasons=refusal, domain_fault=True
        )
    if result.ending is Ending.UNSOLVABLE:  # the word of an engine, or of a narrower problem
        reasons = (f"{part}: {Ending.NOT_FOUND.value}", NO_CERTIFICATE)
        return replace(result, ending=Ending.NOT_FOUND, proof=None, reasons=reasons)
    words = (line.strip() for line in result.detail.splitlines())
    lines = (f"{part}: {result.ending.value}", *filter(None, words))
    return replace(result, reasons=(*lines, NO_CERTIFICATE) if result.ending is Ending.NOT_FOUND else lines)
