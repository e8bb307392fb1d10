"""The schedule of planning: which strategies are tried for a goal, in which order, when, and in what time.

`classical` runs it. A goal gets the passes of its engine's schedule one after the other, as long as one ends
without an answer that is final (`goes_on`). The narrow problem keeps the nearest few of many equal things and
the likeliest ways of being in a room, the wide one keeps them all. A pass tries its steps until one has an
answer; its plan is made cheaper, and judged by the goal as it was written. `WAYS` is what planning does with
any conjunction, that of a part or of a second stage included.

What each strategy is needed for, with the test that fails without it, is in docs/planning.md. A strategy is
added by a module in `strategies` and a line here: in `WAYS` if it serves parts as well, in a pass if it
serves whole goals, in `IMPROVEMENTS` if it needs a plan at hand. What a strategy does inside (which plans of
a part are tried, what is carried together) is in its module, with the shares of time of that.
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
from .strategies.joint import all_at_once, in_one_piece
from .strategies.parts import by_parts
from .strategies.prevention import events_prevented
from .strategies.searching import made_cheaper, searched
from .strategies.things import thing_by_thing
from .strategies.unloading import unloaded_less
from .task import Improvement, PlanningTask, Strategy, Subplan

NO_WAY = "the last way answers or raises"


def plan(task: PlanningTask) -> PlanResult:
    """Plan for a conjunction from the facts of its task, by the first of :data:`WAYS` that has an answer.

    A way that raises :class:`PlanningFailed` ends that, with the part that failed. Where an event may have
    spoilt its plan, :data:`AFTER_A_VETO` is tried before.
    """
    for way in WAYS:
        try:
            result = way(task, plan)
        except PlanningFailed as failed:
            result = AFTER_A_VETO(task, plan) if failed.vetoed else None
            if result is None:
                raise
        if result is not None:
            return result
    raise AssertionError(NO_WAY)


def nothing_to_do(task: PlanningTask, subplan: Subplan) -> PlanResult | None:
    """Return the empty plan where the goal holds already; nothing costs less, whatever the engine."""
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
    """State of a pass: its task, how the pass before ended, what it tried, and how that failed last."""

    task: PlanningTask
    before: Ending | None = None
    tried: tuple[Strategy, ...] = ()
    failed: Ending | None = None


Condition = Callable[[PassState], bool]


def always(state: PassState) -> bool:
    """Return true: the step is tried in every case."""
    return True


def has_alternatives(state: PassState) -> bool:
    """Return whether the goal has more alternatives than can well be planned one by one."""
    return worth_choosing(state.task.goal, state.task.belief)


def no_choice_worked(state: PassState) -> bool:
    """Return whether choices were tried in this pass: often none works because there is no plan."""
    return chosen in state.tried


def ran_out_before(state: PassState) -> bool:
    """Return whether the pass before used up its time."""
    return state.before is Ending.TIMED_OUT


def ran_out_now(state: PassState) -> bool:
    """Return whether this pass used up the time of its engine, and the one before did not."""
    return state.failed is Ending.TIMED_OUT and not ran_out_before(state)


def may_run_out(state: PassState) -> bool:
    """Return whether a search of states could follow where the engine uses up its time."""
    return not ran_out_before(state) and searchable(state.task.goal)


Share = Callable[[Expanded, Engine], float]
"""The part of the time limit that a pass gets, by the narrow normal form and the engine."""


@dataclass(frozen=True, slots=True)
class ScheduleStep:
    """A strategy, when it is tried, its part of the time left then, and what makes its plan cheaper after it.

    ``leaves`` is the part of that time that its engine leaves for later steps, where ``leaving`` holds.
    """

    strategy: Strategy
    when: Condition = always
    share: float = 1.0
    improvements: tuple[Improvement, ...] = ()
    leaves: float = 0.0
    leaving: Condition = always


@dataclass(frozen=True, slots=True)
class Pass:
    """Steps for a problem that keeps the ``nearest`` of many equal things, or all of them (``None``).

    ``share`` is its part of the time limit, ``work`` its name among what a clock cut off.
    """

    nearest: int | None
    share: Share
    steps: tuple[ScheduleStep, ...]
    work: str = ""


IMPROVING = 0.5
"""The part of the time left in which cheaper plans are looked for, where one is at hand."""

# fmt: off
WAYS: tuple[Strategy, ...] = (nothing_to_do, in_one_piece, by_parts, all_at_once)
AFTER_A_VETO: Strategy = events_prevented
IMPROVEMENTS: tuple[Improvement, ...] = (unloaded_less, made_cheaper, thing_by_thing, put_down_first)

CHOICES = ScheduleStep(chosen, has_alternatives, share=0.5, improvements=(unloaded_less, made_cheaper))
CHECK_CHOICES = ScheduleStep(disproved, no_choice_worked)

USUAL = (
    # The narrow problem may have no plan where its form is not exact.
    Pass(NEAREST, lambda form, _: 0.75 if form.exact else 0.5, (
        CHOICES,
        CHECK_CHOICES,
        ScheduleStep(by_ways, improvements=IMPROVEMENTS),
    ), "planning with the nearest of equal things"),
    Pass(None, lambda *_: 1.0, (
        ScheduleStep(disproved),
        ScheduleStep(searched, ran_out_before, share=0.4),
        ScheduleStep(by_ways, improvements=IMPROVEMENTS, leaves=0.4, leaving=may_run_out),
        ScheduleStep(searched, ran_out_now, share=0.8),
    )),
)
OPTIMAL = (
    Pass(None, lambda _, engine: optimality.share(engine), (
        ScheduleStep(disproved),
        ScheduleStep(by_ways),
    ), optimality.PROOF),
    Pass(NEAREST, lambda *_: 1.0, (
        CHOICES,
        CHECK_CHOICES,
        ScheduleStep(by_ways),
    )),
)
WHOLE = (
    Pass(None, lambda *_: 1.0, (
        ScheduleStep(by_ways),
    )),
)
# fmt: on


def schedule_for(engine: Engine) -> tuple[Pass, ...]:
    """Return the schedule of an engine."""
    if engine.whole:
        return WHOLE
    return OPTIMAL if engine.optimal else USUAL
