"""All of a goal at once: branch by branch where there are few, else with an end phase.

It is what remains where parts get in each other's way, and all that an engine gets that is optimal or is to
have every problem in one piece.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...domains.deadline import LimitReached, note_cut
from ...domains.formula import Formula
from ...engines.result import PlanResult, Why
from ...simulator.world import Refusal
from ..carrying_out import Accepted
from ..failure import CONTRADICTION, PlanningFailed, combined
from ..subgoals.branches import (
    branches_of,
    cost_estimate,
    prune_branches,
    ranked,
    with_something_held,
)
from ..subgoals.solving import solve
from ..task import PlanningTask, Subplan

BRANCH_SHARE = 1 / 2
"""The part of the time that is kept for the branches after one that is planned for."""


def in_one_piece(task: PlanningTask, subplan: Subplan) -> PlanResult | None:
    """Plan for all of the goal where the engine gets every problem in one piece."""
    if not task.in_one_piece:
        return None
    return planned_jointly(task, Why.BEST if task.engine.optimal else Why.WHOLE)


def all_at_once(task: PlanningTask, subplan: Subplan) -> PlanResult:
    """Plan for all of the goal, whose parts get in each other's way."""
    return planned_jointly(task, Why.TANGLED)


def planned_jointly(task: PlanningTask, why: str) -> PlanResult:
    """Plan for all of the goal at once. Raises :class:`PlanningFailed` where no branch has a plan."""
    goal, engine = task.goal, task.engine
    branches = branches_of(goal, task.belief)
    if branches == []:
        raise PlanningFailed(CONTRADICTION, goal, True)
    if engine.whole:
        branches = None
    target = goal if branches is not None else pruned(goal, task)
    options = [target] if branches is None else ranked(branches, task.belief, task.facts)
    search = _Branches(task, options)
    best = min(search.plans(), key=lambda plan: plan.cost, default=None)
    if best is None:
        raise combined(search.failures, goal).only_if(target == goal)
    return replace(task.solved(best, "joint", why, [goal]), bound_mm=best.cost if search.proved else None)


def pruned(goal: Formula, task: PlanningTask) -> Formula:
    """Make a goal stronger while the narrow problem is tried; the wide one keeps every branch."""
    if task.nearest is None:
        return goal
    return prune_branches(with_something_held(goal, task.belief, task.facts), task.belief, task.facts)


class _Branches:
    """The branches of a goal, planned for one by one; ``proved`` if the cheapest plan is the best."""

    def __init__(self, task: PlanningTask, options: list[Formula]) -> None:
        self.task, self.options = task, options
        self.failures: list[PlanningFailed] = []
        self.least_cost: int | None = None
        self.proved = task.engine.optimal and task.nearest is None and not task.belief.rides

    def plans(self) -> Iterator[Accepted]:
        """Yield accepted plans of the branches, while an estimate leaves hope for a cheaper one."""
        for number, option in enumerate(self.options):
            # The estimate is no bound that a proof could rest on.
            if not self.proved and self._is_hopeless(option):
                continue
            try:
                plan = self._plan(option, more=number < len(self.options) - 1)
            except PlanningFailed as failed:
                self.failures.append(failed)
                self.proved = self.proved and failed.sound
                continue
            except LimitReached as cut:
                if self.least_cost is None:
                    raise
                note_cut(cut.work)
                self.proved = False
                return
            if self.least_cost is None or plan.cost < self.least_cost:
                self.least_cost = plan.cost
            yield plan

    def _is_hopeless(self, option: Formula) -> bool:
        least, task = self.least_cost, self.task
        return least is not None and cost_estimate(option, task.belief, task.facts) >= least

    def _plan(self, option: Formula, more: bool) -> Accepted:
        """Plan for one branch, with time kept for more; the plan has to reach the goal as a whole."""
        task = self.task
        with task.attempts.reserving(BRANCH_SHARE if more and not task.engine.optimal else 0.0):
            plan = solve(task.of(option))
        self.proved = self.proved and plan.proved
        done = task.accepted(plan.skeleton)
        if isinstance(done, Refusal):
            self.proved = False
            raise task.refused(done.message, option)
        return done
