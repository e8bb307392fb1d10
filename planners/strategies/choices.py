"""Planning by choices: a goal's best choices one after the other, each as a plain conjunction of errands.

It is the first way for goals with more alternatives than can be planned one by one; the second is the
machinery for whole goals, which searches through alternatives itself. How many choices are planned for may be
changed, by count and never by clock. Must stay: every plan is judged by the goal as it was written, and that
there is no choice left, or no plan for any, proves nothing.
"""

from __future__ import annotations

from dataclasses import replace

from ...compiler.forms import branches, holds_now, is_literal, literals
from ...compiler.problem import Unsupported
from ...domains.deadline import LimitReached, note_cut
from ...domains.ending import Ending
from ...domains.errors import NoRoute
from ...domains.formula import Formula, Sometime, conjuncts
from ...engines.result import PlanResult, Why
from ...simulator.belief import Belief
from ...simulator.world import Refusal, World
from ..carrying_out import cost_of, perform
from ..failure import PlanningFailed
from ..optimization.cp_sat import NOT_INSTALLED, cp_sat_installed
from ..optimization.model import SolutionStatus
from ..selection.selection import Choices, Selection
from ..subgoals.branches import MAX_BRANCHES
from ..task import PlanningTask, Subplan

MAX_PLANS, MAX_FAILURES = 3, 8
"""Most choices that are planned for, and most that may fail."""

CLOSE = 1.02
"""A plan for the best choice that costs no more than so many times its estimate is taken at once."""

WORK = "planning for one choice after the other"

UNCHOSEN = "; alternatives were left to the engine, since "
"""How ``why`` says that no choice was made, before the reason."""

MAX_LITERALS = 150_000
"""Most literals of a goal for which a model is made."""


def worth_choosing(goal: Formula, belief: Belief) -> bool:
    """Return whether a normal form has more alternatives than can well be planned one by one.

    One disjunction of few branches that are each about one thing is planned branch by branch, so that real
    costs decide. Emptying the hand, or taking anything at all into it, is a choice, too; and so are
    alternatives that hold already, around which the rest has to be planned (no item in any office: not in the
    hand, or the robot is not there; exactly two of the cups).
    """
    parts = conjuncts(goal)
    now = [holds_now(part, belief.facts) for part in parts]
    open_parts = [part for part, holds in zip(parts, now, strict=True) if not holds]
    free = belief.pack.mapping.robot_free
    total, several = 0, any(a == free for part in open_parts for a, _ in literals(part))
    kept = (part for part, holds in zip(parts, now, strict=True) if holds)
    several = several or (bool(open_parts) and any(map(_has_alternatives, kept)))
    for part in filter(_has_alternatives, open_parts):
        options = branches(part, MAX_BRANCHES)
        total += MAX_BRANCHES + 1 if options is None else len(options)
        several = several or any(len(_subjects(option, belief)) > 1 for option in options or ())
    return (several or total > MAX_BRANCHES) and sum(1 for _ in literals(goal)) <= MAX_LITERALS


def _has_alternatives(part: Formula) -> bool:
    return not is_literal(part) and not isinstance(part, Sometime)


def _subjects(option: tuple[Formula, ...], belief: Belief) -> set[str]:
    """The things that the open literals of a branch are about, the robot left aside."""
    atoms = [a for p in option if not holds_now(p, belief.facts) for a, _ in literals(p)]
    return {a.args[0] for a in atoms if a.args and a.predicate != belief.pack.at}


def chosen(task: PlanningTask, subplan: Subplan) -> PlanResult | None:
    """Return the cheapest verified plan of the goal's best choices, or ``None``.

    Where the solver of choices does not run there is none, and the plan of another strategy says so.
    """
    if not cp_sat_installed():
        task.attempts.notes[UNCHOSEN] = NOT_INSTALLED
        return None
    choosing = _Choosing(task, subplan)
    try:
        choosing.run()
    except LimitReached as cut:
        if not cut.reproducible:
            note_cut(WORK)
    if choosing.choices.failure:
        task.attempts.notes[UNCHOSEN] = choosing.choices.failure
    return choosing.best


class _Choosing:
    """The choices of one goal, planned for one after the other; ``best`` is the cheapest verified plan."""

    def __init__(self, task: PlanningTask, subplan: Subplan) -> None:
        self.task, self.subplan = task, subplan
        self.choices = Choices(task.goal, task.belief, task.facts, task.attempts.budget)
        self.best: PlanResult | None = None

    def run(self) -> None:
        """Plan for one choice after the other, while a cheaper plan is in sight."""
        plans = failures = 0
        while plans < MAX_PLANS and failures < MAX_FAILURES:
            selection = self.choices.following()
            if selection is None or self._is_dearer(selection):
                return
            try:
                result = self._attempt(selection)
            except PlanningFailed as failed:
                if failed.result.ending not in (Ending.UNSOLVABLE, Ending.NOT_FOUND) and not failed.fault:
                    if failed.result.ending is Ending.TIMED_OUT:
                        note_cut(WORK)
                    return
                failures += 1
                if failed.fault or not self.choices.rule_out(failed.part):
                    self.choices.leave_out(selection)
                continue
            except (NoRoute, Unsupported):
                result = None
            if result is None:
                failures += 1
            else:
                plans += 1
                if self._keep(result, selection):
                    return
            self.choices.leave_out(selection)

    def _is_dearer(self, selection: Selection) -> bool:
        """Return whether a choice is estimated to cost no less than the best plan."""
        return self.best is not None and (selection.answer.cost or 0) >= (self.best.cost_mm or 0)

    def _keep(self, result: PlanResult, selection: Selection) -> bool:
        """Keep the cheaper of two plans; return whether this one is that of the best choice, near enough."""
        cost = result.cost_mm or 0
        if self.best is None or cost < (self.best.cost_mm or 0):
            self.best = result
        best_choice = selection.answer.status is SolutionStatus.OPTIMAL
        return best_choice and cost <= CLOSE * (selection.answer.cost or 0)

    def _attempt(self, selection: Selection) -> PlanResult | None:
        """Plan for what changes only and, where that undoes something else, for all of a choice."""
        judged = self.task.written.judged
        for formula in dict.fromkeys((selection.lean, selection.full)):
            planned = self.subplan(self.task.of(formula))
            result = judged(planned)
            if not result.verified and (away := self._driven_away(planned, selection.full)) is not None:
                planned, result = away, judged(away)
            if result.verified:
                answer = selection.answer
                solver, cut = answer.solver, answer.status is SolutionStatus.FEASIBLE
                why = planned.assembly.why + Why.CHOSEN.format(solver) + (Why.CUT_OFF if cut else "")
                assembly = replace(result.assembly, why=why, solver=solver)
                same = result.reproducible and self.choices.reproducible
                return replace(result, assembly=assembly, bound_mm=None, reproducible=same)
        return None

    def _driven_away(self, planned: PlanResult, choice: Formula) -> PlanResult | None:
        """Add a drive to the nearest place that is not denied to the robot.

        ``None`` where the plan needs none, cannot be carried out, or no such place can be reached.
        """
        belief, world = self.task.belief, World(self.task.belief)
        at, routes = belief.pack.at, belief.routes
        denied = {a.args[0] for a, positive in literals(choice) if not positive and a.predicate == at}
        if not denied or isinstance(perform(planned.plan or (), world), Refusal):
            return None
        around = world.state.around(world.state.stands_at)
        if denied.isdisjoint(around):
            return None
        anchors = (n for kind in ("room", "pose", "asset") for n in belief.scene.by_type.get(kind, ()))
        allowed = (n for n in anchors if n not in denied and routes.connected(around[-1], n))
        near = min(allowed, key=lambda n: (routes.distance(around[-1], n), n), default=None)
        driven = None if near is None else world.drive(near)
        if driven is None or isinstance(driven, Refusal):
            return None
        actions = (*(planned.plan or ()), *driven.actions)
        assembly = replace(planned.assembly, why=planned.assembly.why + Why.AWAY, order=None)
        return replace(planned, plan=actions, cost_mm=cost_of(actions, belief), assembly=assembly)
