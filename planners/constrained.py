"""Planning under constraints on the run: first without regard to them, then through states that remember it.

Ways that the constraints never let the robot go are barred before any route is planned or priced, whether a
goal or a rule bars them. What is left of the
goal is planned for as ever; most plans keep the rest of the constraints by themselves, and are the cheapest
then. Where one does not, states are searched through that remember the run. Must stay: a plan is verified by
the goal as it was written, its constraints and all that routes pass included; that there is none is said with
a certificate alone.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from ..compiler.certificates.constraints import avoiding, replace_rules, under_rules, without_constraints
from ..compiler.goals.goal import Goal
from ..compiler.normal import expanded
from ..domains.deadline import LimitReached, note_cut, share_of_time
from ..domains.ending import Ending
from ..domains.errors import NoRoute, clip
from ..engines.result import Assembly, PlanResult, Why
from ..simulator.belief import Belief
from .states.search import searched_plan
from .verdict import WrittenGoal

FIRST_SHARE = 0.5
"""The part of the time in which the goal is planned for without regard to its constraints."""
NO_CERTIFICATE = "no plan was found that keeps the constraints, and no proof that there is none"
BROKEN = "without regard to the constraints there is a plan, and it breaks them: {}"
MAX_WORDS = 200

PlanEnd = Callable[[Goal, Belief], PlanResult]
"""Planning for what a goal asks without its constraints."""


def plan_constrained(written: WrittenGoal, plan_end: PlanEnd) -> PlanResult:
    """Plan for a goal with constraints on the run. Raises :class:`LimitReached` at a limit."""
    belief, whole = written.belief, under_rules(written.goal.formula, written.belief)
    if (proof := written.prover.quick()) is not None:
        return proof.result()
    narrowed = avoiding(whole, belief)
    with share_of_time(FIRST_SHARE):
        first = plan_end(Goal.of(without_constraints(whole)), replace_rules(narrowed))
    reasons = first.reasons
    if first.plan is not None:
        with suppress(NoRoute):
            judged = written.judged(first, narrowed)
            if judged.verified:
                return judged
            feedback = judged.verification.feedback() or ("it cannot be carried out",)
            reasons = (BROKEN.format(clip("; ".join(feedback), MAX_WORDS)),)
    if first.ending is not Ending.UNSOLVABLE:
        result = _searched(written, narrowed)
        if result is not None and result.verified:
            return result
    if (proof := written.prover.thorough()) is not None:
        return proof.result()
    ending = Ending.NOT_FOUND if first.ending in (Ending.SOLVED, Ending.UNSOLVABLE) else first.ending
    return PlanResult(
        ending,
        reproducible=first.reproducible,
        reasons=(*reasons, *((NO_CERTIFICATE,) if ending is Ending.NOT_FOUND else ())),
        cut_off=first.cut_off,
    )


def _searched(written: WrittenGoal, narrowed: Belief) -> PlanResult | None:
    """Return a plan from a search of states that remember the run."""
    form = expanded(under_rules(written.goal.formula, narrowed), narrowed, whole=True).form
    try:
        plan = searched_plan(form, narrowed, narrowed.facts)
    except LimitReached as cut:
        note_cut(cut.work)
        return None
    if plan is None:
        return None
    assembly = Assembly("joint", Why.REMEMBERED, (clip(str(form), MAX_WORDS),))
    result = PlanResult(Ending.SOLVED, plan.actions, plan.cost, assembly=assembly)
    with suppress(NoRoute):
        return written.judged(result, narrowed)
    return None
