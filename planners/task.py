"""The task of planning: a goal in normal form, the state that it is planned for from, and with what.

A strategy gets a task and returns an answer of planning. Values here never change but for `Attempts`, which
the strategies of a pass share: the time that is left, and what the engine's answers together mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from ..compiler.problem import denied_to_events
from ..compiler.relevance import NEAREST, Closure
from ..domains.action import PlanAction
from ..domains.ending import Ending
from ..domains.errors import clip
from ..domains.formula import Formula, GroundAtom
from ..engines.base import Budget
from ..engines.engine import Engine
from ..engines.result import Assembly, OrderBound, PlanResult
from ..simulator.belief import Belief
from ..simulator.facts import Facts
from ..simulator.world import Refusal, World
from .carrying_out import Accepted, PlanSkeleton, accepted, reached, world_for
from .failure import PlanningFailed, refused, vetoed
from .verdict import WrittenGoal

MAX_PART = 200
"""Longest part of a goal in a record."""


@dataclass
class Attempts:
    """State that the strategies of one pass share; ``remaining`` gives the seconds left.

    While the simulator refused a plan (``faults``), the engine's word proves nothing; one answer that a clock
    cut off makes a plan depend on a clock (``reproducible``). ``reserved`` are the seconds of those that
    remain which are kept for another strategy. ``closures`` are the literals of parts that were planned for
    from the belief's facts, and what they depend on; ``solver_failure`` is the reason for which the solver of
    orders did not run, where no clock stopped it. ``notes`` is what ``why`` says of strategies that did not
    serve, in all passes.
    """

    remaining: Callable[[], float]
    memory_mb: int = 2048
    faults: list[PlanningFailed] = field(default_factory=list)
    reproducible: bool = True
    reserved: float = 0.0
    closures: list[tuple[list[tuple[GroundAtom, bool]], Closure]] = field(default_factory=list)
    solver_failure: str = ""
    notes: dict[str, str] = field(default_factory=dict)

    def left(self) -> float:
        """Return the seconds that are left and not kept for another strategy."""
        return self.remaining() - self.reserved

    @contextmanager
    def reserving(self, share: float) -> Iterator[None]:
        """Keep a share of the seconds that are left for what is planned afterwards."""
        before = self.reserved
        self.reserved += max(0.0, share * self.left())
        try:
            yield
        finally:
            self.reserved = before

    def budget(self, seconds: float | None = None) -> Budget:
        """Return the limits of one question to an engine."""
        return Budget(max(0.05, self.left() if seconds is None else seconds), self.memory_mb)


@dataclass(frozen=True, slots=True)
class PlanningTask:
    """A goal in normal form that is planned for from ``facts``, for the sake of a goal as it was written.

    ``nearest`` is how many of many equal things a problem keeps, ``None`` for all of them.
    """

    written: WrittenGoal
    goal: Formula
    facts: Facts
    attempts: Attempts
    nearest: int | None = NEAREST

    @property
    def belief(self) -> Belief:
        """The belief that is planned over."""
        return self.written.belief

    @property
    def engine(self) -> Engine:
        """The engine that problems are given to."""
        return self.written.engine

    @property
    def in_one_piece(self) -> bool:
        """True if the engine gets every problem in one piece."""
        return self.engine.optimal or self.engine.whole

    def of(self, goal: Formula, facts: Facts | None = None) -> PlanningTask:
        """Return the task of another goal, from other facts where these are given."""
        return replace(self, goal=goal, facts=self.facts if facts is None else facts)

    def start(self) -> World:
        """Return a world in which nothing has been done yet."""
        return world_for(self.goal, self.belief, self.facts)

    def holds(self, part: Formula) -> bool:
        """Return whether a part of the goal is reached before anything is done."""
        return reached(part, self.start())

    def accepted(self, plan: PlanSkeleton | Sequence[PlanAction], lenient: bool = True) -> Accepted | Refusal:
        """Carry a plan out from the start; return it, or why it does not reach the goal."""
        return accepted(plan, self.goal, self.start(), lenient)

    def solved(
        self, plan: Accepted, mode: str, why: str, parts: Sequence[Formula], bound: OrderBound | None = None
    ) -> PlanResult:
        """Return the answer that an accepted plan is, with how it was made."""
        why += "".join(words + reason for words, reason in self.attempts.notes.items())
        return PlanResult(
            Ending.SOLVED,
            plan.actions,
            plan.cost,
            reproducible=self.attempts.reproducible,
            assembly=Assembly(mode, why, tuple(clip(str(p), MAX_PART) for p in parts), bound),
        )

    def refused(self, why: str, part: Formula) -> PlanningFailed:
        """Keep and return the failure of a plan that the simulator does not accept.

        Where the part denies what an event brings about, the event may be the cause, and nobody at fault.
        """
        denied = denied_to_events(part, self.belief)
        if denied:
            return vetoed(denied[0], part)
        self.attempts.faults.append(refused(why, part, self.engine.name))
        return self.attempts.faults[-1]


Subplan = Callable[[PlanningTask], PlanResult]
"""Planning for a task that a strategy makes of its own: the recursion, which is handed in."""

Strategy = Callable[[PlanningTask, Subplan], PlanResult | None]
"""A way to plan: an answer with a plan, or ``None`` where it does not apply or its plan does not work.

It raises :class:`PlanningFailed` where what it found out speaks for more than itself.
"""

Improvement = Callable[[PlanningTask, PlanResult, Subplan], PlanResult]
"""A way to make a plan cheaper: the same answer where there is none."""
