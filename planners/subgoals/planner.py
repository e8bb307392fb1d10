"""Planning by subgoals: independent parts of a conjunctive goal, ordered by travel, merged and checked.

Each subgoal is solved alone, which keeps an engine's work small however many there are. A subgoal with
branches (a disjunction) has several plans; which of them to take is decided together with the order. The
merged plan is carried out on a world action by action; a subgoal that meets a changed world is planned again
from there. The goal is planned jointly when merging fails, the parts cannot be told apart, or the engine is
optimal. May be changed: which plans are tried, and in which order. What may not: a plan counts only after
`execution` carried it out, and a failure is a proof only as `result` says.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ...compiler.forms import literals
from ...compiler.problem import Problem, build
from ...compiler.relevance import NEAREST
from ...domains.action import PlanAction
from ...domains.deadline import LimitReached, note_cut
from ...domains.ending import Ending
from ...domains.errors import clip
from ...domains.formula import And, Formula, conjunction, conjuncts
from ...simulator.belief import Belief
from ...simulator.facts import Facts, ground_args
from ...simulator.world import Refusal, World
from ..engines.base import Budget
from ..engines.engine import Engine
from ..optimization import BooleanModel, Optimum, cp_sat_installed, optimize
from ..result import Assembly, OrderBound, PlanResult
from .branches import (
    branches_of,
    carriers,
    consistent_branches,
    cost_estimate,
    diversified,
    fixes_robot,
    leave_robot_free,
    prune_branches,
    ranked,
    round_robin,
    without_threats,
)
from .execution import (
    PlanSkeleton,
    carry_out,
    cost_of,
    eliminate_redundant_actions,
    failure_reason,
    reached,
    skeleton_of,
    with_navigation,
    world_for,
)
from .order import Order, order
from .result import CONTRADICTION, TOO_LATE, PlanningFailed, Subgoal, asks_for, combined, refused
from .split import split
from .travel import SubgoalPlan

FIRST_TRY, PAIR_SECONDS, MAX_PAIRS = 3.0, 1.0, 28
"""Seconds of the first try of a part with three or more conjuncts, and of each pair of them after it."""

MAX_PLANS = 6
"""Most plans of one subgoal among which the order chooses."""

ORDER_WORK = 2.0
"""Deterministic seconds of CP-SAT for finding the best order of many subgoals."""

MAX_CONSISTENT = 4
"""Most consistent branches of a goal that are planned for."""


class _Answer(NamedTuple):
    """A problem, and what the engine makes of it."""

    problem: Problem
    result: PlanResult


@dataclass
class SubgoalPlanner:
    """Plans for goals in normal form over one belief with one engine; ``remaining`` gives the seconds left.

    ``nearest`` is how many of many equal things a problem keeps, ``None`` for all of them. ``faults`` and
    ``reproducible`` collect what all the answers together mean: while the simulator refused a plan, the
    engine's word proves nothing, and one answer that a clock cut off makes the merged plan depend on a clock.
    """

    belief: Belief
    engine: Engine
    remaining: Callable[[], float]
    memory_mb: int = 2048
    nearest: int | None = NEAREST
    faults: list[PlanningFailed] = field(default_factory=list)
    reproducible: bool = True

    # The whole goal

    def plan(self, goal: Formula, facts: Facts | None = None) -> PlanResult:
        """Plan for a goal from ``facts``. Raises :class:`PlanningFailed` with the part that failed."""
        now = facts if facts is not None else self.belief.facts
        start = world_for(goal, self.belief, now)
        if reached(goal, start):
            nothing = Assembly("joint", "the goal holds already")
            return PlanResult(Ending.SOLVED, (), cost=0, bound=0, assembly=nothing)
        if self.engine.optimal:
            return self.plan_jointly(goal, now, "the engine looks for the best plan")
        if self.engine.whole:
            return self.plan_jointly(goal, now, "the engine gets the whole problem")
        parts = split(conjuncts(goal), self.belief, now)
        open_parts = [self.pruned(conjunction(p), now) for p in parts if not reached(And(p), start)]
        if len(open_parts) == 1:
            return self.plan_single(goal, open_parts[0], now, len(parts))
        try:
            merged = self.plan_split(goal, open_parts, now)
        except PlanningFailed as failed:
            # A part as the goal has it speaks for the goal; one with fewer branches does not.
            if not failed.fault and (failed.result.ending is not Ending.UNSOLVABLE or failed.sound):
                raise
            merged = None
        return merged or self.plan_jointly(goal, now, "the parts get in each other's way")

    def plan_single(self, goal: Formula, part: Formula, now: Facts, parts: int) -> PlanResult:
        """Plan for a goal with one part that is left to do."""
        try:
            subgoal = self.subgoal(part, now)
        except PlanningFailed as failed:
            if failed.fault:
                return self.plan_jointly(goal, now, "one part, whose plan alone does not work")
            raise failed.only_if(asks_for(goal, part)) from None
        best = min(subgoal.plans, key=lambda p: self.cost_from(now, p))
        world = world_for(goal, self.belief, now)
        done = carry_out(best.skeleton, world)
        if not isinstance(done, Refusal) and reached(goal, world):
            why = "one part" if parts == 1 else "the other parts hold already"
            return self.merged(done, "joint", why, [part])
        return self.plan_jointly(goal, now, "one part, with alternatives or side effects")

    def plan_jointly(self, goal: Formula, now: Facts, why: str) -> PlanResult:
        """Plan for all of the goal at once: branch by branch where there are few, else with an end phase."""
        branches = branches_of(goal, self.belief)
        if branches == []:
            raise PlanningFailed(CONTRADICTION, goal, True)
        if self.engine.whole:
            branches = None
        target = goal if branches is not None else self.pruned(goal, now)
        options = [target] if branches is None else ranked(branches, self.belief, now)
        # Half of the time is kept for single branches where the engine has to choose among all of them.
        choosing = branches is None and not self.engine.whole
        reserve = self.remaining() / 2 if choosing else 0.0
        best: PlanResult | None = None
        least_cost = 0
        failures: list[PlanningFailed] = []
        proved = self.engine.optimal and self.nearest is None
        for option in options:
            # The estimate is no bound that a proof could rest on.
            if best is not None and not proved and cost_estimate(option, self.belief, now) >= least_cost:
                continue
            try:
                plan = self.solve(option, now, reserve=reserve)
            except PlanningFailed as failed:
                failures.append(failed)
                proved = proved and failed.sound
                continue
            except LimitReached as cut:
                if best is None:
                    raise
                note_cut(cut.work)
                proved = False
                break
            proved = proved and plan.proved
            world = world_for(goal, self.belief, now)
            done = carry_out(plan.skeleton, world)
            if isinstance(done, Refusal) or not reached(goal, world):
                proved = False
                why_not = done.message if isinstance(done, Refusal) else "it does not reach the goal"
                failures.append(self.refused(why_not, option))
                continue
            cost = cost_of(done, self.belief)
            if best is None or cost < least_cost:
                best, least_cost = self.merged(done, "joint", why, [goal]), cost
        if best is None and choosing and not any(f.sound for f in failures):
            best = self.plan_consistent_branch(goal, now)
        if best is None:
            raise combined(failures, goal).only_if(target == goal)
        return replace(best, bound=best.cost if proved else None)

    def plan_consistent_branch(self, goal: Formula, now: Facts) -> PlanResult | None:
        """Plan for a branch of a goal whose literals go together; ``None`` when no such plan works."""
        consistent = consistent_branches(goal, self.belief, now)
        for branch in itertools.islice(consistent, MAX_CONSISTENT):
            try:
                result = self.plan(branch, now)
            except PlanningFailed:
                continue
            world = world_for(goal, self.belief, now)
            done = not any(isinstance(world.perform(a), Refusal) for a in result.plan or ())
            if done and reached(goal, world):
                return replace(
                    result, reproducible=False
                )  # only tried because the clock ended another search
        return None

    # Subgoals one after the other

    def plan_split(self, goal: Formula, parts: list[Formula], now: Facts) -> PlanResult | None:
        """Plan for each part alone and merge the plans; ``None`` when they do not merge."""
        world = world_for(goal, self.belief, now)
        done: list[PlanAction] = []
        if not now.holds(self.belief.pack.mapping.robot_free.predicate, ()):
            try:
                parts, emptied, world = self.empty_hand_first(parts, world)
            except PlanningFailed as failed:
                raise failed.only_if(False) from None  # the goal may be reached with a full hand
            if emptied is None:
                return None
            done += emptied
        holding = [c for c in conjuncts(goal) if reached(c, world)]
        parts = self.resolve([leave_robot_free(p, self.belief) for p in parts], world.facts, holding)
        ends = [p for p in parts if fixes_robot(p, self.belief)]
        if len(ends) > 1:
            parts = [p for p in parts if p not in ends] + [conjunction(ends)]
            ends = parts[-1:]
        parts = [p if p in ends else self.with_empty_hand(p) for p in parts]
        answers = self.ask_together(parts, world.facts)
        subgoals = []
        for part in parts:
            try:
                subgoals.append(self.subgoal(part, world.facts, answers.get(part)))
            except PlanningFailed as failed:
                # After a hand was emptied, what fails may have been possible before.
                raise failed.only_if(asks_for(goal, part) and not done) from None
        last = parts.index(ends[0]) if ends else None
        routes, plans = self.belief.routes, [s.plans for s in subgoals]
        solve = self.solve_model if cp_sat_installed() else None
        chosen = order(world.stands_at, plans, routes.distance, last, solve, routes.anchor)
        self.reproducible = self.reproducible and chosen.reproducible
        bound = chosen.evidence(world.stands_at, plans, cost_of(done, self.belief))
        for kept in ([], holding) if holding else ([],):
            run = self.carry_out_in_order(subgoals, chosen, world, kept)
            if run is not None and reached(goal, run[0]):
                return self.merged([*done, *run[1]], "split", _reason(chosen, len(parts)), parts, bound)
        return None

    def resolve(self, parts: list[Formula], now: Facts, holding: Sequence[Formula]) -> list[Formula]:
        """Replace a part whose branches are several subgoals themselves by those of its cheapest branch."""
        resolved: list[Formula] = []
        for part in parts:
            branches = branches_of(without_threats(part, holding, self.belief, now), self.belief) or []
            if len(branches) <= 1 or all(len(split(conjuncts(b), self.belief, now)) == 1 for b in branches):
                resolved.append(part)
                continue
            cheapest, least_cost = part, 0
            for branch in ranked(branches, self.belief, now):
                if cheapest is not part and cost_estimate(branch, self.belief, now) >= least_cost:
                    break
                try:
                    cost = self.plan(branch, now).cost or 0
                except PlanningFailed:
                    continue
                if cheapest is part or cost < least_cost:
                    cheapest, least_cost = branch, cost
            if cheapest is part:
                resolved.append(part)
            else:
                resolved += [conjunction(p) for p in split(conjuncts(cheapest), self.belief, now)]
        return resolved

    def with_empty_hand(self, part: Formula) -> Formula:
        """Add to a part that may leave something in the hand that it is empty: the next one needs it."""
        relations, derived = self.belief.pack.locations, self.belief.pack.mapping.derived
        if any(
            a.predicate in derived or (not positive and a.predicate in relations)
            for a, positive in literals(part)
        ):
            return conjunction((part, self.belief.pack.mapping.robot_free))
        return part

    def empty_hand_first(
        self, parts: list[Formula], world: World
    ) -> tuple[list[Formula], list[PlanAction] | None, World]:
        """Put the part about the held thing first, or putting the thing down; carry that out."""
        held = world.facts.all(self.belief.pack.mapping.robot_held.predicate)[0][0]
        about = [p for p in parts if any(held in ground_args(a) for a, _ in literals(p))]
        first = about[0] if about else self.belief.pack.mapping.robot_free
        done: list[PlanAction] = []
        after = self.carry_out_subgoal(self.subgoal(first, world.facts), 0, world, done)
        if after is None:
            return parts, None, world
        return [p for p in parts if p is not first], done, after

    def carry_out_in_order(
        self, subgoals: Sequence[Subgoal], chosen: Order, world: World, kept: Sequence[Formula]
    ) -> tuple[World, list[PlanAction]] | None:
        """Carry out subgoals in the order chosen, undoing none and nothing that is to be kept."""
        done: list[PlanAction] = []
        for index in chosen.sequence:
            after = self.carry_out_subgoal(subgoals[index], chosen.plans[index], world, done, kept)
            if after is None:
                return None
            world, kept = after, [*kept, subgoals[index].formula]
        return world, done

    def carry_out_subgoal(
        self, subgoal: Subgoal, first: int, world: World, done: list[PlanAction], kept: Sequence[Formula] = ()
    ) -> World | None:
        """Return the world after one subgoal, or ``None`` when that undoes what is to be kept.

        The chosen plan is tried first, then the others; then it is planned for again from the world as it is.
        The actions are added to ``done``.
        """
        part, plans = subgoal.formula, subgoal.plans
        for plan in (plans[first], *(p for i, p in enumerate(plans) if i != first)):
            after = self.attempt(part, plan.skeleton, world, done, kept)
            if after is not None:
                return after
        for harmless in dict.fromkeys((without_threats(part, kept, self.belief, world.facts), part)):
            try:
                again = self.subgoal(harmless, world.facts)
            except PlanningFailed:
                continue
            for plan in sorted(again.plans, key=lambda p: self.cost_from(world.facts, p)):
                after = self.attempt(part, plan.skeleton, world, done, kept)
                if after is not None:
                    return after
        return None

    def attempt(
        self,
        part: Formula,
        skeleton: PlanSkeleton,
        world: World,
        done: list[PlanAction],
        kept: Sequence[Formula],
    ) -> World | None:
        """Return the world after a plan that reaches its part and keeps the others."""
        trial = world.fork()
        actions = carry_out(skeleton, trial)
        if isinstance(actions, Refusal) or not all(reached(p, trial) for p in (part, *kept)):
            return None
        done += actions
        return trial

    # One subgoal

    def subgoal(self, part: Formula, now: Facts, answer: _Answer | None = None) -> Subgoal:
        """Plan for one part, with an answer of the engine if it was asked already.

        Raises :class:`PlanningFailed` when there is no plan.
        """
        if self.holds(part, part, now):
            return Subgoal(part, (SubgoalPlan(None, None, 0),))
        branches = branches_of(part, self.belief)
        if branches == []:
            raise PlanningFailed(CONTRADICTION, part, True)
        if branches is None or len(branches) == 1:
            return Subgoal(part, (self.solve(branches[0] if branches else part, now, answer),))
        options = diversified(ranked(branches, self.belief, now))
        plans: list[SubgoalPlan] = []
        failures: list[PlanningFailed] = []
        for batch in (options[i : i + MAX_PLANS] for i in range(0, len(options), MAX_PLANS)):
            best = min((self.cost_from(now, p) for p in plans), default=None)
            if best is not None and cost_estimate(batch[0], self.belief, now) >= best:
                break
            for option, each in zip(batch, self.ask(batch, now), strict=True):
                try:
                    plans.append(self.solve(option, now, each))
                except PlanningFailed as failed:
                    failures.append(failed)
        if not plans:
            raise combined(failures, part)
        unique = {(p.entry, p.exit): p for p in sorted(plans, key=lambda p: -p.cost)}
        best_first = sorted(unique.values(), key=lambda p: (self.cost_from(now, p), str(p.skeleton)))
        # By turns of where they begin: another part may need what the cheapest ones all use.
        return Subgoal(part, tuple(round_robin(best_first, lambda p: p.entry)[:MAX_PLANS]))

    def ask_together(self, parts: Sequence[Formula], now: Facts) -> dict[Formula, _Answer]:
        """Ask the engine at once about all parts that have one branch; an answer for each of them."""
        single: dict[Formula, Formula] = {}
        for part in parts:
            branches = branches_of(part, self.belief)
            if (branches is None or len(branches) == 1) and not self.holds(part, part, now):
                single[part] = branches[0] if branches else part
        if len(single) < 2:
            return {}
        return dict(zip(single, self.ask([*single.values()], now), strict=True))

    def ask(self, parts: Sequence[Formula], now: Facts) -> list[_Answer]:
        """Ask the engine about parts that do not depend on each other, in parallel where it can."""
        problems = [self.problem(p, now) for p in parts]
        in_time = self.remaining() > 0  # an engine in this process may have slept past its limit
        results = self.engine.solve_many(problems, self.budget()) if in_time else [TOO_LATE] * len(parts)
        return list(map(_Answer, problems, results))

    def problem(self, part: Formula, now: Facts) -> Problem:
        """The problem of a part; for a proof that a plan is best, with all that could carry things."""
        if self.engine.optimal and self.nearest is None:
            return build(part, self.belief, now, None, carriers(self.belief), True)
        return build(part, self.belief, now, self.nearest)

    def solve(
        self, part: Formula, now: Facts, answer: _Answer | None = None, reserve: float = 0.0
    ) -> SubgoalPlan:
        """Plan for a conjunction: one problem, one plan, without its redundant actions.

        ``reserve`` seconds are left over. Raises :class:`PlanningFailed`.
        """
        if answer is None or answer.result.ending is Ending.TIMED_OUT:
            problem = answer.problem if answer is not None else self.problem(part, now)
            result, about = self.persevere(part, problem, now, reserve)
        else:
            (problem, result), about = answer, part
        self.reproducible = self.reproducible and result.reproducible
        if not result.reproducible:
            note_cut(f"the search of {self.engine.name}")
        if result.plan is None:
            raise PlanningFailed(result, about, problem.complete)
        skeleton = skeleton_of(result.plan, self.belief)
        world = world_for(part, self.belief, now)
        if isinstance(carry_out(skeleton, world, lenient=False), Refusal) or not reached(part, world):
            skeleton = with_navigation(result.plan, self.belief)
            if why := failure_reason(skeleton, part, self.belief, now):
                raise self.refused(why, part)
        skeleton = eliminate_redundant_actions(skeleton, part, self.belief, now)
        return self.located(skeleton, now, result.optimal and problem.complete)

    def persevere(
        self, part: Formula, problem: Problem, now: Facts, reserve: float
    ) -> tuple[PlanResult, Formula]:
        """Ask about a part and, if it is hard, about pairs of its conjuncts: the answer, and its subject.

        An engine may search for ever where two conjuncts alone are shown impossible at once.
        """

        def left() -> float:
            return self.remaining() - reserve

        if left() <= 0:
            return TOO_LATE, part
        conjunctive = conjuncts(part)
        if len(conjunctive) < 3 or self.engine.whole:
            return self.engine.solve(problem, self.budget(left())), part
        result = self.engine.solve(problem, self.budget(min(FIRST_TRY, left() / 3)))
        if result.ending is not Ending.TIMED_OUT:
            return result, part
        for pair in itertools.islice(itertools.combinations(conjunctive, 2), MAX_PAIRS):
            if left() <= 0:
                return TOO_LATE, part
            small = self.problem(conjunction(pair), now)
            result = self.engine.solve(small, self.budget(min(PAIR_SECONDS, left())))
            if result.ending is Ending.UNSOLVABLE and small.complete:
                return result, And(pair)
        return (self.engine.solve(problem, self.budget(left())) if left() > 0 else TOO_LATE), part

    def located(self, skeleton: PlanSkeleton, now: Facts, proved: bool) -> SubgoalPlan:
        """Find where a plan begins and ends, and what it costs from its first place on."""
        world = World(self.belief, (), now)
        start = world.stands_at
        done = carry_out(skeleton, world)
        if isinstance(done, Refusal) or not done:
            return SubgoalPlan(None, None, 0, skeleton, proved)
        first = done[0]
        if not self.belief.pack.mapping_of(first.name).navigation:
            return SubgoalPlan(start, world.stands_at, cost_of(done, self.belief), skeleton, proved)
        cost = cost_of(done[1:], self.belief)
        return SubgoalPlan(first.args[1], world.stands_at, cost, skeleton, proved)

    # Small things that the methods above share

    def holds(self, part: Formula, goal: Formula, now: Facts) -> bool:
        """Return whether a part of a goal is reached before anything is done."""
        return reached(part, world_for(goal, self.belief, now))

    def pruned(self, goal: Formula, now: Facts) -> Formula:
        """Drop branches while the narrow problem is tried; the wide one keeps every one."""
        return goal if self.nearest is None else prune_branches(goal, self.belief, now)

    def budget(self, seconds: float | None = None) -> Budget:
        return Budget(max(0.05, self.remaining() if seconds is None else seconds), self.memory_mb)

    def solve_model(self, model: BooleanModel) -> Optimum:
        """Solve the model of an order, with a limit on the solver's own count of work."""
        optimum = optimize(model, self.budget(self.remaining() / 2), ORDER_WORK)
        if not optimum.reproducible:
            note_cut("the proof of the best order")
        return optimum

    def cost_from(self, now: Facts, plan: SubgoalPlan) -> int:
        """The cost of a plan with the drive to where it begins."""
        start = now.all(self.belief.pack.at)[0][0]
        drive = self.belief.routes.distance(start, plan.entry) if plan.entry is not None else 0
        return drive + plan.cost

    def refused(self, why: str, part: Formula) -> PlanningFailed:
        """Keep and return the failure of a plan that the simulator does not accept."""
        self.faults.append(refused(why, part, self.engine.name))
        return self.faults[-1]

    def merged(
        self,
        actions: Sequence[PlanAction],
        mode: str,
        why: str,
        parts: Sequence[Formula],
        bound: OrderBound | None = None,
    ) -> PlanResult:
        return PlanResult(
            Ending.SOLVED,
            tuple(actions),
            cost_of(actions, self.belief),
            reproducible=self.reproducible,
            assembly=Assembly(mode, why, tuple(clip(str(p), 200) for p in parts), bound),
        )


def _reason(chosen: Order, parts: int) -> str:
    """The reason for which a plan is split, and how good its order is."""
    reason = "one part is left" if parts == 1 else f"{parts} parts share no changing fact"
    if chosen.exact:
        return f"{reason}; their order is exact" if parts > 1 else reason
    over = chosen.cost / chosen.bound if chosen.bound else 1.0
    return f"{reason}; their order is at most {over:.2f} times the best"
