"""Planning under constraints on the run: without regard to them, then by an engine, then through states.

Ways that the constraints never let the robot go are barred before any route is planned or priced, whether a
goal or a rule bars them. What is left of the goal is planned for as ever; most plans keep the rest of the
constraints by themselves, and are the cheapest then. Where one does not, an engine gets the goal with its
constraints, and after it states are searched through that remember the run. Must stay: a plan is verified by
the goal as it was written, its constraints and all that routes pass included; that there is none is said with
a certificate alone.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from ..compiler.certificates.constraints import avoiding, replace_rules, under_rules, without_constraints
from ..compiler.forms import literals
from ..compiler.goals.goal import Goal
from ..compiler.normal import constraints_in_facts, expanded
from ..compiler.problem import Unsupported
from ..compiler.relevance import NEAREST
from ..domains.deadline import LimitReached, note_cut, share_of_time, time_left
from ..domains.ending import Ending
from ..domains.errors import NoRoute, clip
from ..domains.formula import Formula, constraints, free_variables
from ..engines.result import Assembly, PlanResult, Why
from ..simulator.belief import Belief
from .failure import PlanningFailed
from .states.search import searched_plan
from .strategies.joint import planned_jointly
from .task import Attempts, PlanningTask
from .verdict import WrittenGoal

ENGINE_SHARE = 0.5
"""The part of the time left in which an engine plans for the goal with its constraints."""
FIRST_SHARE = 0.5
"""The part of the time in which the goal is planned for without regard to its constraints."""
NO_CERTIFICATE = "no plan was found that keeps the constraints, and no proof that there is none"
ON_ITS_WORD = "the engine says that no plan keeps the constraints, and no certificate of it was found"
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
    result: PlanResult | None = None
    if first.ending is not Ending.UNSOLVABLE:
        result = _compiled(written, narrowed)
        if result is None or not (result.verified or result.ending is Ending.UNSOLVABLE):
            result = _searched(written, narrowed)
        if result is not None and result.verified:
            return result
    if (proof := written.prover.thorough()) is not None:
        return proof.result()
    ending = Ending.NOT_FOUND if first.ending in (Ending.SOLVED, Ending.UNSOLVABLE) else first.ending
    none = ON_ITS_WORD if result is not None and result.ending is Ending.UNSOLVABLE else NO_CERTIFICATE
    return PlanResult(
        ending,
        reproducible=first.reproducible,
        reasons=(*reasons, *((none,) if ending is Ending.NOT_FOUND else ())),
        cut_off=first.cut_off,
    )


def _compiled(written: WrittenGoal, narrowed: Belief) -> PlanResult | None:
    """Return the engine's answer for the goal with its constraints.

    It is unsolvable where the engine says so of a problem that asks no more than the goal. That is no proof
    yet, which is a certificate, and no search of states follows it.
    """
    belief, whole = replace_rules(narrowed), under_rules(written.goal.formula, narrowed)
    about = WrittenGoal(written.goal, belief, written.engine)
    for nearest in (NEAREST, None):
        form = expanded(whole, narrowed, whole=nearest is None)
        kept = constraints_in_facts(form.form, belief)
        task = PlanningTask(about, kept.form, belief.facts, Attempts(lambda: time_left() or 0.0), nearest)
        try:
            with suppress(Unsupported, NoRoute), share_of_time(ENGINE_SHARE):
                # The world remembers more than the problem says, so that nothing is proved the cheapest.
                return written.judged(replace(planned_jointly(task, Why.COMPILED), bound_mm=None), narrowed)
        except PlanningFailed as failed:
            if failed.sound and form.exact and kept.exact and _only_as_asked(kept.form, belief):
                return failed.result
        except LimitReached as cut:
            note_cut(cut.work)
    return None


def _only_as_asked(form: Formula, belief: Belief) -> bool:
    """Return whether each run of the world that keeps a form is one of its problem.

    An event happens at once in the world, and is a step of its own in a problem, which has a state before
    it. Doors are worked from beyond in the world alone.
    """
    about = {atom.predicate for one in constraints(form) for atom, _ in literals(one)}
    if any(free_variables(one.parts[1]) for one in constraints(form) if one.kind == "never-do"):
        return False  # what makes such a condition false may be left out
    return not belief.scene.doors and about.isdisjoint(belief.pack.event_facts)


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
