"""The parts of a goal one by one: planned apart, ordered by travel, merged and carried out.

Each part is solved alone, which keeps an engine's work small however many there are. The merged plan is
carried out subgoal by subgoal; one that meets a changed world is planned again from there (`merging`). Where
the parts cannot be told apart or do not merge, there is no answer, and the goal is planned for as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...compiler.forms import literals
from ...domains.action import PlanAction
from ...domains.ending import Ending
from ...domains.errors import NoRoute
from ...domains.formula import And, Formula, conjunction, conjuncts
from ...engines.result import PlanResult, Why
from ...simulator.world import Refusal
from ..carrying_out import arrived, cost_of, driving_from, reached
from ..failure import PlanningFailed, asks_for
from ..subgoals.branches import (
    branches_of,
    cost_estimate,
    fixes_robot,
    leave_robot_free,
    ranked,
    without_threats,
)
from ..subgoals.solving import ask_together, cost_from, ordered_within, places_robot, subgoal
from ..subgoals.split import depends_on_hand, split
from ..subgoals.travel import Subgoal
from ..task import PlanningTask, Subplan
from .joint import planned_jointly, pruned
from .merging import done_in_order, subgoal_done
from .ordering import OrderedSubgoals, ordered, with_carriers

JOINT_SHARE, MAX_JOINT = 1 / 3, 8
"""The part of the time that is kept for planning all parts at once, and most parts for which any is kept."""


def by_parts(task: PlanningTask, subplan: Subplan) -> PlanResult | None:
    """Plan for the parts of a goal that are open; ``None`` where their plans do not merge."""
    goal, start = task.goal, task.start()
    parts = split(conjuncts(goal), task.belief, task.facts)
    open_parts = [pruned(conjunction(p), task) for p in parts if not reached(And(p), start)]
    if len(open_parts) > 1:  # where the robot is to be, it has to come back to
        stays = [p for p in parts if reached(And(p), start) and places_robot(p, task.belief)]
        open_parts += [conjunction(p) for p in stays]
    if len(open_parts) == 1:
        return _one_part(task, open_parts[0], Why.ONE if len(parts) == 1 else Why.OTHERS_HOLD)
    # A part may be hopeless alone, and not together with the others: many are never planned together.
    may_join = len(open_parts) <= MAX_JOINT
    try:
        with task.attempts.reserving(JOINT_SHARE if may_join else 0.0):
            return planned_apart(task, open_parts, subplan)
    except PlanningFailed as failed:
        # A part as the goal has it speaks for the goal; with fewer branches or an empty hand it does not.
        ending = failed.result.ending
        late = ending is Ending.TIMED_OUT and may_join
        stronger = ending is Ending.NOT_FOUND and may_join and not asks_for(goal, failed.part)
        open_end = late or stronger or ending is Ending.UNSOLVABLE
        if not failed.fault and (not open_end or failed.sound):
            raise
    return None


def planned_apart(
    task: PlanningTask, parts: Sequence[Formula], subplan: Subplan, why: Why = Why.PARTS
) -> PlanResult | None:
    """Plan for each of some parts alone and merge the plans; ``None`` when they do not merge."""
    return _Apart(task, subplan, why).plan(parts)


def _one_part(task: PlanningTask, part: Formula, why: str) -> PlanResult:
    """Plan for a goal with one part that is left to do."""
    try:
        plans = subgoal(task.of(part)).plans
    except PlanningFailed as failed:
        if failed.fault:
            return planned_jointly(task, Why.NOT_ALONE)
        raise failed.only_if(asks_for(task.goal, part)) from None
    best = min(plans, key=lambda plan: cost_from(task, plan))
    plan = task.accepted(best.skeleton)
    if isinstance(plan, Refusal):
        return planned_jointly(task, Why.CHOICE)
    return task.solved(plan, "joint", why, [part])


class _Apart:
    """Several parts of one task: what is done with a full hand first, then the others in their order."""

    def __init__(self, task: PlanningTask, subplan: Subplan, why: Why) -> None:
        self.task, self.belief, self.subplan, self.why = task, task.belief, subplan, why
        self.world = task.start()
        self.done: list[PlanAction] = []

    def plan(self, parts: Sequence[Formula]) -> PlanResult | None:
        """Plan for each part alone and merge the plans; ``None`` when they do not merge."""
        task, belief = self.task, self.belief
        full = not task.facts.holds(belief.pack.mapping.robot_free.predicate, ())
        # What is held stays there where nothing that is to be done takes a hand.
        carrying = full and not depends_on_hand(task.goal, belief, task.facts)
        if full and not carrying:
            remaining = self.without_held(parts)
            if remaining is None:
                return None
            parts = remaining
        holding = [c for c in conjuncts(task.goal) if reached(c, self.world)]
        parts, ends = self.prepared(parts, holding, carrying)
        subgoals = self.subgoals(parts)
        try:
            apart = ordered(task, subgoals, ends, driving_from(self.world))
        except NoRoute:  # no drive joins the parts: the robot rides from one to another
            return None
        together = with_carriers(task, apart, ends, self.world)
        for way in (together, apart) if together is not None else (apart,):
            for kept in ([], holding) if holding else ([],):
                if (result := self.merged(way, kept)) is not None:
                    return result
        return None

    def without_held(self, parts: Sequence[Formula]) -> list[Formula] | None:
        """Do the part about the held thing first, or put the thing down; return the other parts."""
        held = self.world.state.facts.all(self.belief.pack.mapping.robot_held.predicate)[0][0]
        about = [p for p in parts if any(held in a.args for a, _ in literals(p))]
        first = about[0] if about else self.belief.pack.mapping.robot_free
        try:
            plans = subgoal(self.task.of(first, self.world.state.facts))
        except PlanningFailed as failed:
            raise failed.only_if(False) from None  # the goal may be reached with a full hand
        after = subgoal_done(self.task, plans, 0, self.world, self.done)
        if after is None:
            return None
        self.world = after
        return [p for p in parts if p is not first]

    def prepared(
        self, parts: Sequence[Formula], holding: Sequence[Formula], carrying: bool
    ) -> tuple[list[Formula], list[Formula]]:
        """Return the parts as they are planned for, and those of them that say how the robot ends."""
        free = [leave_robot_free(p, self.belief) for p in parts]
        resolved = self.resolved(free, holding)
        ends = [p for p in resolved if fixes_robot(p, self.belief)]
        if len(ends) > 1:
            resolved = [p for p in resolved if p not in ends] + [conjunction(ends)]
            ends = resolved[-1:]
        return [p if p in ends or carrying else self.ending_with_empty_hand(p) for p in resolved], ends

    def resolved(self, parts: Sequence[Formula], holding: Sequence[Formula]) -> list[Formula]:
        """Replace a part whose branches are several subgoals themselves by those of its cheapest branch."""
        belief, facts = self.belief, self.world.state.facts
        resolved: list[Formula] = []
        for part in parts:
            branches = branches_of(without_threats(part, holding, belief, facts), belief) or []
            if len(branches) <= 1 or all(len(split(conjuncts(b), belief, facts)) == 1 for b in branches):
                resolved.append(part)
                continue
            cheapest = self.cheapest(branches)
            if cheapest is None:
                resolved.append(part)
            else:
                resolved += [conjunction(p) for p in split(conjuncts(cheapest), belief, facts)]
        return resolved

    def cheapest(self, branches: Sequence[Formula]) -> Formula | None:
        """Return the branch with the cheapest plan; ``None`` where none has one."""
        best: tuple[int, Formula] | None = None
        facts = self.world.state.facts
        for branch in ranked(branches, self.belief, facts):
            if best is not None and cost_estimate(branch, self.belief, facts) >= best[0]:
                break
            try:
                cost = self.subplan(self.task.of(branch, facts)).cost_mm or 0
            except PlanningFailed:
                continue
            if best is None or cost < best[0]:
                best = cost, branch
        return None if best is None else best[1]

    def ending_with_empty_hand(self, part: Formula) -> Formula:
        """Add to a part that may leave something in the hand that it is empty: the next one needs it."""
        relations, derived = self.belief.pack.locations, self.belief.pack.mapping.derived
        if any(
            a.predicate in derived or (not positive and a.predicate in relations)
            for a, positive in literals(part)
        ):
            return conjunction((part, self.belief.pack.mapping.robot_free))
        return part

    def subgoals(self, parts: Sequence[Formula]) -> list[Subgoal]:
        """Plan for each part alone from where the held thing was put down."""
        here = self.task.of(self.task.goal, self.world.state.facts if self.done else self.task.facts)
        answers = ask_together(here, parts)
        subgoals = []
        for part in parts:
            try:
                alone = here.of(part)
                subgoals.append(ordered_within(alone, subgoal(alone, answers.get(part))))
            except PlanningFailed as failed:
                # After a hand was emptied, what fails may have been possible before.
                raise failed.only_if(asks_for(self.task.goal, part) and not self.done) from None
        return subgoals

    def merged(self, way: OrderedSubgoals, kept: Sequence[Formula]) -> PlanResult | None:
        """Carry subgoals out in their order; ``None`` where they undo what is kept, or miss the goal."""
        task = self.task
        run = done_in_order(task, way, self.world, kept)
        if run is None:
            return None
        world, actions = run
        plan = arrived([*self.done, *actions], task.goal, world)
        if isinstance(plan, Refusal):
            return None
        plans = [s.plans for s in way.subgoals]
        bound = way.order.bounded(driving_from(self.world), plans, cost_of(self.done, self.belief))
        bound = replace(bound, unsolved=task.attempts.solver_failure)
        # Distances are those of driving, and what was planned anew is no plan of the order.
        shown = not self.belief.rides and plan.cost <= bound.cost
        formulas = [s.formula for w in way.subgoals for s in w.apart or (w,)]
        return task.solved(plan, "split", way.reason(self.why), formulas, bound if shown else None)
