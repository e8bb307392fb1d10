"""Planning for one goal without a reader: normal form, proofs, subgoals, and the simulator's verdict.

The narrow problem keeps the nearest few of many equal things and the likeliest ways of being in a room, the
wide one keeps them all. The wide one comes second, where the narrow one gave no plan; an optimal engine gets
it first. These passes, their shares of the time and the sentences may be changed. Must stay: a plan counts as
verified only if the simulator accepted it step by step, in the printed form that a robot gets; "unsolvable"
needs a proof from which nothing was left out, for a normal form that is equivalent to the goal.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ..compiler.forms import literals
from ..compiler.goals.goal import Goal
from ..compiler.goals.unplaced import places_unknown, unplaced_in
from ..compiler.normal import Expanded, expanded
from ..compiler.problem import Unsupported
from ..compiler.relevance import NEAREST, closure
from ..domains.deadline import Deadline, LimitReached, extended, limited, note_cut
from ..domains.ending import Ending
from ..domains.errors import NoRoute, clip
from ..domains.formula import Formula
from ..engines.base import Budget
from ..engines.engine import Engine
from ..engines.result import PlanResult
from ..simulator.belief import Belief
from ..simulator.printing import steps_with_sources
from ..simulator.verification import verify_plan
from . import optimality
from .carrying_out import cost_of
from .doors import shut_on_the_way, through_doors
from .proofs.search import Prover
from .selection.planner import ChoicePlanner, worth_choosing
from .subgoals.planner import SubgoalPlanner
from .subgoals.result import PlanningFailed

OWN_SHARE, OWN_SECONDS = 0.1, 0.5
"""The part of the time, and the most seconds of it, that no engine gets: its plan must still be verified."""

NARROW_SHARE = {True: 0.75, False: 0.5}
"""The part of the time that the narrow problem gets, by whether its form is exact: it may have no plan."""

NARROW = "planning with the nearest of equal things"

NO_MEMORY = "the system gave this process no more memory"
MAX_CHARACTERS = 200
"""Longest formula in a sentence for people."""

DOMAIN_FAULT = "planner and simulator disagree although the belief is the world: a fault in the domain pack"

ENGINE_FAULT = (
    "planner and simulator disagree although the belief is the world: first suspect {engine}, whose plan "
    "does not work; where its plan is right, it is a fault in the domain pack"
)
"""The same of an engine that is not listed as complete, such as a command line of a user's own."""

CHEAPER = "not proved to be the cheapest plan: {}"
SHUT = "the way leads through {}, which is shut, and no plan is made that opens such a door first"
DOORS = "a door between rooms may be worked from either side, and is opened on the way where it is closed"
UNUSED = "no proof rests on a name that nothing has: {}"
MAX_NAMES = 4
"""Most names of a pack that nothing in the scene has and that a failure lists."""
UNPROVED = "there may be a way all the same: where things are was not read just as the goal says it"
NO_CERTIFICATE = (
    "no certificate: nothing was shown that makes it impossible, so there may be a way all the same"
)


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

    Raises :class:`GoalError` when expanding the goal makes too many parts; check a goal with :func:`check`
    first. No plan, with or without a proof, is an ending of the result; so is a limit of time or size, and
    ``cut_off`` of the result names what the clock ended.

    >>> from groundplan import Engine, ground, load_pack, load_scene, parse_goal, plan_goal
    >>> office, engine = ground(load_scene("office"), load_pack()), Engine.named("pyperplan")
    >>> plan_goal(parse_goal("(holding banana2)"), office, engine).verified
    True
    >>> result = plan_goal(parse_goal("(and (open microwave) (turned_on microwave))"), office, engine)
    >>> result.ending.value, result.proof
    ('unsolvable', 'closed set of states (6 states)')
    """
    limits = budget or Budget()
    with limited(limits.seconds, clock) as deadline:
        try:
            form = normal or expanded(goal.formula, belief)
            result = _in_passes(goal, form, belief, engine, limits)
        except LimitReached as cut:
            result = cut_off(cut)
        except MemoryError:
            result = PlanResult(Ending.OUT_OF_MEMORY, reproducible=False, reasons=(NO_MEMORY,))
        result = optimality.with_reason(with_cuts(result, deadline), engine, belief)
        return _with_unused_names(_with_unknown_places(result, goal, belief), belief)


def _with_unused_names(result: PlanResult, belief: Belief) -> PlanResult:
    """Say which names of the pack nothing has, where there is neither a plan nor a proof."""
    names = belief.unused.names
    if result.plan is not None or result.ending is Ending.UNSOLVABLE or not names:
        return result
    return replace(result, reasons=(*result.reasons, *(UNUSED.format(one) for one in names[:MAX_NAMES])))


def _with_unknown_places(result: PlanResult, goal: Goal, belief: Belief) -> PlanResult:
    """Say what the goal leaves out; take back a bound where things may be anywhere, and say so."""
    if not belief.scene.unplaced:
        return result
    result = replace(result, unplaced=unplaced_in(goal.formula, belief))
    reason = places_unknown(list(belief.scene.unplaced))
    if result.verified and result.bound_mm:
        return replace(result, bound_mm=None, reasons=(*result.reasons, CHEAPER.format(reason)))
    if result.ending is Ending.NOT_FOUND:
        return replace(result, reasons=(*result.reasons, reason))
    return result


def _in_passes(goal: Goal, narrow: Expanded, belief: Belief, engine: Engine, limits: Budget) -> PlanResult:
    """Plan for a normal form, narrow and then wide, each pass with its share of the time."""
    # A proof of optimality needs the whole closure; a plan is found faster in the narrow problem.
    wide_first = engine.optimal
    proving = [(None, optimality.share(engine)), (NEAREST, 1.0)]
    passes = proving if wide_first else [(NEAREST, NARROW_SHARE[narrow.exact]), (None, 1.0)]
    if engine.whole:
        passes = [(None, 1.0)]
    failure: PlanningFailed | None = None
    faults: list[PlanningFailed] = []
    form, prover = narrow, Prover(goal.formula, belief)
    for nearest, share in passes:
        try:
            with limited(limits.seconds * share) as deadline:
                kept = min(OWN_SHARE * deadline.remaining(), OWN_SECONDS)

                def remaining(deadline: Deadline = deadline, kept: float = kept) -> float:
                    return deadline.remaining() - kept

                whole = nearest is None and not narrow.exact
                form = expanded(goal.formula, belief, whole=True) if whole else narrow
                exact = partial(_whole_form, goal, belief)
                planner = SubgoalPlanner(
                    belief, engine, remaining, limits.memory_mb, nearest, faults, as_written=exact
                )
                unsettled = nearest is None and not engine.whole
                if nearest is not None and worth_choosing(form.form, belief):
                    chosen = ChoicePlanner(
                        planner, partial(verified, goal=goal, belief=belief, engine=engine)
                    )
                    if (answer := chosen.plan(form.form)) is not None:
                        return answer
                    unsettled = True  # no choice works: often because there is none
                if unsettled and (proof := prover.quick()) is not None:
                    return proof.result()
                last = (nearest, share) == passes[-1] and not wide_first and not engine.whole
                late = last and failure is not None and failure.result.ending is Ending.TIMED_OUT
                planned = planner.planned_or_searched(form.form, last, late)
            with extended(OWN_SECONDS):
                result = verified(planned, goal, belief, engine)
            answer = result if form.exact else _unproved(result)
            if answer.verified or answer.domain_fault or (nearest, share) == passes[-1]:
                return answer
            failure = PlanningFailed(answer, form.form)
        except Unsupported as error:
            return PlanResult(Ending.UNSUPPORTED, reasons=(str(error),))
        except NoRoute as error:
            return PlanResult(Ending.NOT_FOUND, reasons=(str(error),))
        except LimitReached as cut:
            too_large = cut.ending is not Ending.TIMED_OUT  # the wide problem is no smaller
            if (nearest, share) == passes[-1] or (too_large and nearest is not None):
                raise
            note_cut(NARROW if nearest is not None else optimality.PROOF)
            failure = PlanningFailed(cut_off(cut), form.form)
        except PlanningFailed as failed:
            failure = failed
            ending = failed.result.ending
            if ending is Ending.TIMED_OUT and (nearest, share) != passes[-1]:
                note_cut(NARROW if nearest is not None else optimality.PROOF)
                continue
            final = ending not in (Ending.UNSOLVABLE, Ending.NOT_FOUND) and not failed.fault
            if final and not (wide_first and nearest is None):
                break
            if failed.sound and nearest is None:
                break
    assert failure is not None
    return _explained(failure, faults, form.form, prover, engine)


def _whole_form(goal: Goal, belief: Belief) -> Formula:
    return expanded(goal.formula, belief, whole=True).form


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


def disagreement(engine: Engine) -> str:
    """Say whose fault it most likely is that the simulator refused a plan of an engine."""
    if engine.complete:
        return DOMAIN_FAULT
    command = engine.options.command is not None
    return ENGINE_FAULT.format(engine="the engine command" if command else f"the engine {engine.name}")


def verified(result: PlanResult, goal: Goal, belief: Belief, engine: Engine) -> PlanResult:
    """Print a plan, with doors on its ways opened, run it on the simulator, and add what happened there."""
    if belief.scene.doors:
        result = _through_doors(result, goal, belief)
    printed = tuple(steps_with_sources(result.plan or (), belief))
    verification = verify_plan([step for _, step in printed], belief, goal.formula)
    if verification.verified:
        return replace(result, printed=printed, verification=verification)
    if belief.scene.doors and (door := shut_on_the_way(result.plan or (), belief, goal.formula)) is not None:
        return PlanResult(Ending.NOT_FOUND, reasons=(SHUT.format(door),))
    # Nothing is said of how good a plan is that was refused.
    return replace(
        result,
        bound_mm=None,
        assembly=replace(result.assembly, order=None),
        printed=printed,
        verification=verification,
        reasons=(disagreement(engine), *verification.feedback()),
        domain_fault=True,
    )


def _through_doors(result: PlanResult, goal: Goal, belief: Belief) -> PlanResult:
    """Return a plan through doors that are opened, and no bound: routes know of no work at doors."""
    plan = through_doors(result.plan or (), belief, goal.formula)
    reasons = (CHEAPER.format(DOORS),) if result.bound_mm else ()
    return replace(
        result,
        plan=plan,
        cost_mm=cost_of(plan, belief),
        bound_mm=None if plan else result.bound_mm,
        assembly=replace(result.assembly, order=None),
        reasons=(*result.reasons, *reasons),
    )


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
    prover: Prover,
    engine: Engine,
) -> PlanResult:
    """Say why there is no plan: proved by a certificate, or else that none was found."""
    result, part = failure.result, str(failure.part)
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
        refusal = (disagreement(engine), faults[0].result.detail)
        return PlanResult(
            Ending.NOT_FOUND, reproducible=result.reproducible, reasons=refusal, domain_fault=True
        )
    if result.ending is Ending.UNSOLVABLE:  # the word of an engine, or of a narrower problem
        reasons = (f"{part}: {Ending.NOT_FOUND.value}", NO_CERTIFICATE)
        return replace(result, ending=Ending.NOT_FOUND, proof=None, reasons=reasons)
    words = (line.strip() for line in result.detail.splitlines())
    lines = (f"{part}: {result.ending.value}", *filter(None, words))
    return replace(result, reasons=(*lines, NO_CERTIFICATE) if result.ending is Ending.NOT_FOUND else lines)
