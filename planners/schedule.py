"""The schedule of planning: which strategies are tried for a goal, in which order, when, and in what time.

All of it is in the lists near the end. A goal gets the passes of its engine's schedule one after
the other, each with a share of the time; a pass tries its steps. The narrow problem keeps the nearest few of
many equal things and the likeliest ways of being in a room, the wide one keeps them all. The wide one comes
second, where the narrow one gave no plan; an optimal engine gets it first. `WAYS` is what a step of planning
does with any conjunction, that of a part or of a stage included.

What each strategy is needed for, with the test that fails without it, is in docs/planning.md. A strategy is
added by a module in `strategies` and a line here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ..compiler.normal import Expanded
from ..compiler.relevance import NEAREST
from ..domains.ending import Ending
from ..engines.engine import Engine
from ..engines.result import Assembly, PlanResult, Why
from . import optimality
from .failure import PlanningFailed
from .states.search import searchable
from .strategies.choices import chosen, worth_choosing
from .strategies.emptying import put_down_first
from .strategies.joint import together, undivided
from .strategies.parts import by_parts
from .strategies.removal import removal_first
from .strategies.states import made_cheaper, searched
from .strategies.things import thing_by_thing
from .strategies.unloading import unloaded_less
from .task import Improvement, PlanningTask, Strategy, Subplan

NO_WAY = "the last way answers or raises"


def plan(task: PlanningTask) -> PlanResult:
    """Plan for a conjunction from the facts of its task, by the first of :data:`WAYS` that has a plan.

    Raises :class:`PlanningFailed` with the part that failed.
    """
    for way in WAYS:
        try:
            result = way(task, plan)
        except PlanningFailed as failed:
            result = removal_first(task, plan) if failed.vetoed else None
            if result is None:
                raise
        if result is not None:
            return result
    raise AssertionError(NO_WAY)


def nothing_to_do(task: PlanningTask, subplan: Subplan) -> PlanResult | None:
    """Return the empty plan where the goal holds already."""
    if not task.holds(task.goal):
        return None
    return PlanResult(Ending.SOLVED, (), cost_mm=0, bound_mm=0, assembly=Assembly("joint", Why.SO))


def by_ways(task: PlanningTask, subplan: Subplan) -> PlanResult | None:
    """Plan for the goal as :func:`plan` does."""
    return subplan(task)


def disproved(task: PlanningTask, subplan: Subplan) -> PlanResult | None:
    """Return a proof by facts that never change, or that exclude each other, that there is no plan."""
    proof = task.written.prover.quick()
    return None if proof is None else proof.result()


class PassState(NamedTuple):
    """State of a pass: its task, how the pass before ended, and how the last of its own steps did."""

    task: PlanningTask
    before: Ending | None = None
    now: Ending | None = None


Condition = Callable[[PassState], bool]


def always(state: PassState) -> bool:
    """Return true: the step is tried in every case."""
    return True


def has_alternatives(state: PassState) -> bool:
    """Return whether the goal has more alternatives than can well be planned one by one."""
    return worth_choosing(state.task.goal, state.task.belief)


def choices_failed(state: PassState) -> bool:
    """Return whether choices were tried and none worked: often because there is no plan."""
    return state.now is not None


def was_late(state: PassState) -> bool:
    """Return whether the engine used up its time in the pass before."""
    return state.before is Ending.TIMED_OUT


def is_late(state: PassState) -> bool:
    """Return whether the engine used up its time in this pass, and not before."""
    return state.now is Ending.TIMED_OUT and not was_late(state)


def may_be_late(state: PassState) -> bool:
    """Return whether a search of states could follow where the engine uses up its time."""
    return not was_late(state) and searchable(state.task.goal)


Share = Callable[[Expanded, Engine], float]


def of_narrow(form: Expanded, engine: Engine) -> float:
    """Return the share of the narrow problem, which may have no plan where its form is not exact."""
    return 0.75 if form.exact else 0.5


def of_proof(form: Expanded, engine: Engine) -> float:
    """Return the share of an attempt to prove a plan the cheapest."""
    return optimality.share(engine)


def of_rest(form: Expanded, engine: Engine) -> float:
    """Return the share of the last pass: all that is left."""
    return 1.0


@dataclass(frozen=True, slots=True)
class ScheduleStep:
    """A strategy, when it is tried, its part of the time left, and what then makes its plan cheaper.

    ``kept`` is the part of the time that its engine leaves for the steps after it, where ``keeping`` holds.
    """

    strategy: Strategy
    when: Condition = always
    share: float = 1.0
    cheaper: tuple[Improvement, ...] = ()
    kept: float = 0.0
    keeping: Condition = always


@dataclass(frozen=True, slots=True)
class Pass:
    """Steps for a problem that keeps the ``nearest`` of many equal things, or all of them (``None``).

    ``share`` is its part of all the time, ``work`` its name among what a clock cut off.
    """

    nearest: int | None
    share: Share
    work: str
    steps: tuple[ScheduleStep, ...]


NARROW, PROOF = "planning with the nearest of equal things", optimality.PROOF
FOR_STATES = 0.4
NOT_FOR_IMPROVING = 0.5
"""The part of the time that engines leave where a plan is at hand and a cheaper one is looked for."""

# fmt: off
WAYS: tuple[Strategy, ...] = (nothing_to_do, undivided, by_parts, together)

CHOICES = ScheduleStep(chosen, has_alternatives, share=0.5, cheaper=(unloaded_less, made_cheaper))
NO_CHOICE = ScheduleStep(disproved, choices_failed)
AT_LEISURE = (thing_by_thing, put_down_first, unloaded_less, made_cheaper)

USUAL = (
    Pass(NEAREST, of_narrow, NARROW, (
        CHOICES,
        NO_CHOICE,
        ScheduleStep(by_ways, cheaper=AT_LEISURE),
    )),
    Pass(None, of_rest, NARROW, (
        ScheduleStep(disproved),
        ScheduleStep(searched, was_late, share=FOR_STATES),
        ScheduleStep(by_ways, cheaper=AT_LEISURE, kept=FOR_STATES, keeping=may_be_late),
        ScheduleStep(searched, is_late, share=FOR_STATES),
    )),
)
OPTIMAL = (
    Pass(None, of_proof, PROOF, (
        ScheduleStep(disproved),
        ScheduleStep(by_ways),
    )),
    Pass(NEAREST, of_rest, NARROW, (
        CHOICES,
        NO_CHOICE,
        ScheduleStep(by_ways),
    )),
)
UNDIVIDED = (
    Pass(None, of_rest, NARROW, (
        ScheduleStep(by_ways),
    )),
)
# fmt: on


def schedule_for(engine: Engine) -> tuple[Pass, ...]:
    """Return the schedule of an engine."""
    if engine.whole:
        return UNDIVIDED
    return OPTIMAL if engine.optimal else USUAL
