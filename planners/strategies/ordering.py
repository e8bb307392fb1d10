"""Subgoals in an order, and those of them that are done together by carrying things in something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...domains.deadline import LimitReached, note_cut, share_of_time
from ...domains.formula import Formula, conjunction
from ...engines.result import Why
from ...simulator.facts import Facts
from ...simulator.world import World
from ..carrying_out import PlanSkeleton, driving_from
from ..failure import PlanningFailed
from ..optimization import BooleanModel, Optimum, cp_sat_installed, optimize
from ..subgoals.carriers import Haul, Loading
from ..subgoals.order import Order, insertion_costs, order
from ..subgoals.solving import ask, located, solve
from ..subgoals.travel import Subgoal
from ..task import PlanningTask

ORDER_WORK = 2.0
"""Deterministic seconds of CP-SAT for finding the best order of many subgoals."""

MAX_HAULS, MAX_STEPS, LEAST_SAVED = 8, 200, 500
"""Most groups of subgoals for which a carrier is looked for, most steps planned for in that, and the part of
an order's cost, as its divisor, that a group has to save for a carrier to be looked for."""

CARRIERS_AT_MOST = 0.6
"""The part of the time left after which carriers, and then an order with them, are given up: the plan without
them needs the rest."""


class OrderedSubgoals(NamedTuple):
    """Subgoals, and the order in which to do them."""

    subgoals: Sequence[Subgoal]
    order: Order

    def reason(self, why: Why) -> str:
        """Return the reason for which a plan is split: ``why``, of so many parts."""
        together = [len(s.apart) for s in self.subgoals if s.apart]
        parts = len(self.subgoals) + sum(together) - len(together)
        reason = Why.LEFT if parts == 1 else why.format(parts)
        return reason + (Why.CARRYING.format(sum(together)) if together else "")


def ordered(
    task: PlanningTask, subgoals: Sequence[Subgoal], ends: Sequence[Formula], start: str
) -> OrderedSubgoals:
    """Find the order of subgoals from a place; the one that says how the robot ends comes last."""
    last = next((i for i, s in enumerate(subgoals) if ends and s.formula is ends[0]), None)
    routes, plans, attempts = task.belief.routes, [s.plans for s in subgoals], task.attempts

    def solve_model(model: BooleanModel) -> Optimum:
        optimum = optimize(model, attempts.budget(attempts.remaining() / 2), ORDER_WORK)
        attempts.solver_failure = optimum.failure or attempts.solver_failure
        if not optimum.reproducible and not optimum.failure:
            note_cut("the proof of the best order")
        return optimum

    solver = solve_model if cp_sat_installed() else None
    chosen = order(start, plans, routes.distance, last, solver, lambda p: routes.anchor_of(p) or p)
    attempts.reproducible = attempts.reproducible and chosen.reproducible
    return OrderedSubgoals(subgoals, chosen)


def with_carriers(
    task: PlanningTask, apart: OrderedSubgoals, ends: Sequence[Formula], world: World
) -> OrderedSubgoals | None:
    """Let things that go the same way share a carrier; ``None`` where that never costs less."""
    hauling = _Hauling(task, apart, ends, world)
    try:
        with share_of_time(CARRIERS_AT_MOST):
            hauling.run()
    except LimitReached as cut:
        note_cut(cut.work)
        task.attempts.reproducible = False
    if hauling.cost == apart.order.cost:
        return None
    try:
        with share_of_time(CARRIERS_AT_MOST):
            return ordered(task, [s for s, _ in hauling.sequence], ends, driving_from(world))
    except LimitReached as cut:
        note_cut(cut.work)
        task.attempts.reproducible = False
        return None


class _Hauling:
    """An order of subgoals in which hauls are put in place of what they do together, where that is cheaper.

    ``sequence`` are the subgoals in the order chosen, with the plan of each; ``cost`` is what it costs.
    """

    def __init__(
        self, task: PlanningTask, apart: OrderedSubgoals, ends: Sequence[Formula], world: World
    ) -> None:
        self.task, self.ends, self.world = task, ends, world
        self.subgoals, chosen = apart
        self.loading = Loading(task.goal, self.subgoals, world, self.skeletons)
        self.sequence = [(self.subgoals[i], self.subgoals[i].plans[chosen.plans[i]]) for i in chosen.sequence]
        self.cost = chosen.cost

    def run(self) -> None:
        """Try the hauls that could save most, the nearest carriers first."""
        for haul in self.loading.hauls(self.cost // LEAST_SAVED)[:MAX_HAULS]:
            if self.loading.steps >= MAX_STEPS:
                break
            if not all(any(step[0] is self.subgoals[i] for step in self.sequence) for i in haul.subgoals):
                continue  # carried by another one
            for carrier, skeleton in self.loading.loaded(haul):
                if self.takes(haul, carrier, skeleton):
                    break

    def takes(self, haul: Haul, carrier: str, skeleton: PlanSkeleton) -> bool:
        """Insert a haul where it costs least, if that makes the order cheaper; return whether it does."""
        loading, task = self.loading, self.task.of(self.task.goal, self.world.state.facts)
        plan = located(task, skeleton, False)
        own = loading.own_parts(carrier) or []
        members = [
            s
            for i, s in enumerate(self.subgoals)
            if i in haul.subgoals or loading.to_bring_about(s.formula) in own
        ]
        goals = tuple(dict.fromkeys((*haul.atoms, *own)))
        step = (Subgoal(conjunction(goals), (plan,), tuple(members)), plan)
        rest = [step for step in self.sequence if step[0] not in members]
        before = [own_plan for _, own_plan in rest]
        distance = self.task.belief.routes.distance
        costs = insertion_costs(driving_from(self.world), before, plan, distance)
        costs = costs[: len(rest) + (not self.ends)]
        if min(costs) >= self.cost:
            return False
        place = costs.index(min(costs))
        self.cost, self.sequence = costs[place], [*rest[:place], step, *rest[place:]]
        loading.used.add(carrier)
        return True

    def skeletons(self, goals: Sequence[Formula], facts: Facts) -> list[PlanSkeleton] | None:
        """Plan for goals from the same facts, for a way that is only tried: no failure there is a fault."""
        task, faults = self.task.of(self.task.goal, facts), self.task.attempts.faults
        before = len(faults)
        try:
            answers = ask(task, goals)
            return [solve(task.of(g), a).skeleton for g, a in zip(goals, answers, strict=True)]
        except PlanningFailed:
            return None
        finally:
            del faults[before:]
