"""Planning by subgoals: independent parts of a conjunctive goal, ordered by travel, merged and checked.

Each subgoal is solved alone, which keeps an engine's work small however many there are. A subgoal with
branches (a disjunction) has several plans; which of them to take is decided together with the order. The
merged plan is carried out on a world action by action; a subgoal that meets a changed world is planned again
from there. The goal is planned jointly when merging fails, the parts cannot be told apart, or the engine is
optimal. May be changed: which plans are tried, and in which order. What may not: a plan counts only after
`execution` carried it out, and a failure is a proof only as `result` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ...compiler.forms import literals
from ...compiler.problem import denied_to_events
from ...domains.action import PlanAction
from ...domains.deadline import LimitReached, note_cut, share_of_time
from ...domains.ending import Ending
from ...domains.errors import NoRoute, clip
from ...domains.formula import And, Atom, Formula, Not, conjunction, conjuncts
from ...engines.result import Assembly, OrderBound, PlanResult, Why
from ...simulator.facts import Facts, ground_args
from ...simulator.world import Refusal, World
from ..carrying_out import (
    PlanSkeleton,
    carry_out,
    cost_of,
    driving_from,
    reached,
    skeleton_of,
    world_for,
)
from ..optimization import BooleanModel, Optimum, cp_sat_installed, optimize
from ..states.search import cheaper_plan, searchable, searched_plan
from .branches import (
    branches_of,
    cost_estimate,
    fixes_robot,
    leave_robot_free,
    prune_branches,
    ranked,
    with_something_held,
    without_threats,
)
from .carriers import Loading, left_loaded
from .exposure import exposed
from .near import put_down_here
from .order import Order, insertion_costs, order
from .parts import PartPlanner
from .result import CONTRADICTION, PlanningFailed, Subgoal, asks_for, combined
from .split import depends_on_hand, split

ORDER_WORK = 2.0
"""Deterministic seconds of CP-SAT for finding the best order of many subgoals."""

MAX_HAULS, MAX_STEPS, LEAST_SAVED = 8, 200, 500
"""Most groups of subgoals for which a carrier is looked for, most steps planned for in that, and the part of
an order's cost, as its divisor, that a group has to save for a carrier to be looked for."""

CARRIERS_AT_MOST = 0.6
"""The part of the time left after which carriers, and then an order with them, are given up: the plan without
them needs the rest."""

JOINT_SHARE, MAX_JOINT = 1 / 3, 8
"""The part of the time that is kept for planning all parts at once, and most parts for which any is kept."""

SEARCH_SHARE = 0.4
"""The part of the time that is kept for a search without an engine."""

BRANCH_SHARE = 1 / 2
"""The part of the time that is kept for the branches after one that is planned for."""

FEW_ERRANDS = 3
"""Most errands of a plan below whose cost a cheaper one is looked for."""


class _Ordered(NamedTuple):
    """Subgoals, and the order in which to do them."""

    subgoals: Sequence[Subgoal]
    order: Order


class SubgoalPlanner(PartPlanner):
    """Plans for whole goals in normal form over one belief with one engine."""

    def plan(self, goal: Formula, facts: Facts | None = None) -> PlanResult:
        """Plan for a goal from ``facts``. Raises :class:`PlanningFailed` with the part that failed."""
        now = facts if facts is not None else self.belief.facts
        start = world_for(goal, self.belief, now)
        if reached(goal, start):
            nothing = Assembly("joint", Why.SO)
            return PlanResult(Ending.SOLVED, (), cost_mm=0, bound_mm=0, assembly=nothing)
        if self.engine.optimal:
            return self.plan_jointly(goal, now, Why.BEST)
        if self.engine.whole:
            return self.plan_jointly(goal, now, Why.WHOLE)
        parts = split(conjuncts(goal), self.belief, now)
        open_parts = [self.pruned(conjunction(p), now) for p in parts if not reached(And(p), start)]
        if len(open_parts) > 1:  # where the robot is to be, it has to come back to
            stays = [And(p) for p in parts if reached(And(p), start) and self.places_robot(p)]
            open_parts += [conjunction(p.parts) for p in stays]
        if len(open_parts) == 1:
            return self.plan_single(goal, open_parts[0], now, len(parts))
        # A part may be hopeless alone, and not together with the others: many are never planned together.
        may_join = len(open_parts) <= MAX_JOINT
        try:
            with self.reserving(JOINT_SHARE if may_join else 0.0):
                merged = self.plan_split(goal, open_parts, now)
        except PlanningFailed as failed:
            # A part as the goal has it speaks for the goal; with fewer branches or an empty hand it does not.
            ending = failed.result.ending
            late = ending is Ending.TIMED_OUT and may_join
            stronger = ending is Ending.NOT_FOUND and may_join and not asks_for(goal, failed.part)
            open_end = late or stronger or ending is Ending.UNSOLVABLE
            if not failed.fault and (not open_end or failed.sound):
                raise
            merged = None
        return merged or self.plan_jointly(goal, now, Why.TANGLED)

    def plan_single(self, goal: Formula, part: Formula, now: Facts, parts: int) -> PlanResult:
        """Plan for a goal with one part that is left to do."""
        try:
            subgoal = self.subgoal(part, now)
        except PlanningFailed as failed:
            if failed.fault:
                return self.plan_jointly(goal, now, Why.NOT_ALONE)
            raise failed.only_if(asks_for(goal, part)) from None
        best = min(subgoal.plans, key=lambda p: self.cost_from(now, p))
        world = world_for(goal, self.belief, now)
        done = carry_out(best.skeleton, world)
        if not isinstance(done, Refusal) and reached(goal, world):
            why = Why.ONE if parts == 1 else Why.OTHERS_HOLD
            return self.merged(done, "joint", why, [part])
        return self.plan_jointly(goal, now, Why.CHOICE)

    def plan_jointly(self, goal: Formula, now: Facts, why: str) -> PlanResult:
        """Plan for all of the goal at once: branch by branch where there are few, else with an end phase."""
        branches = branches_of(goal, self.belief)
        if branches == []:
            raise PlanningFailed(CONTRADICTION, goal, True)
        if self.engine.whole:
            branches = None
        target = goal if branches is not None else self.pruned(goal, now)
        options = [target] if branches is None else ranked(branches, self.belief, now)
        best: PlanResult | None = None
        least_cost = 0
        failures: list[PlanningFailed] = []
        proved = self.engine.optimal and self.nearest is None and not self.belief.rides
        for number, option in enumerate(options):
            # The estimate is no bound that a proof could rest on.
            if best is not None and not proved and cost_estimate(option, self.belief, now) >= least_cost:
                continue
            try:
                more = number < len(options) - 1 and not self.engine.optimal
                with self.reserving(BRANCH_SHARE if more else 0.0):
                    plan = self.solve(option, now)
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
        if best is None and any(f.result.ending is Ending.UNSUPPORTED for f in failures):
            best = self.plan_after_removal(goal, now)
        if best is None:
            raise combined(failures, goal).only_if(target == goal)
        return replace(best, bound_mm=best.cost_mm if proved else None)

    def plan_after_removal(self, goal: Formula, now: Facts) -> PlanResult | None:
        """Take away first what an event could change against the goal; ``None`` when no such plan works."""
        places = exposed(denied_to_events(goal, self.belief), self.belief, now)
        if not places or self.engine.whole:
            return None
        away = conjunction([Not(place) for place in places])
        for last in (conjunction((goal, away)), goal):  # where it is not to be put back, or may be
            world = world_for(goal, self.belief, now)
            try:
                first = self.plan(away, now).plan or ()
            except PlanningFailed:
                continue
            refused = any(isinstance(world.perform(a), Refusal) for a in first)
            rest = None if refused else self.plan_after(world, last, goal)
            if rest is not None:
                return self.merged([*first, *(rest.plan or ())], "joint", Why.REMOVED, [goal])
        return None

    def plan_after(self, world: World, last: Formula, goal: Formula) -> PlanResult | None:
        """Plan for what is left in a world after a first plan; ``None`` where both do not reach the goal."""
        try:
            rest = self.plan(last, world.facts)
        except PlanningFailed:
            return None
        refused = any(isinstance(world.perform(a), Refusal) for a in rest.plan or ())
        return None if refused or not reached(goal, world) else rest

    def made_cheaper(self, result: PlanResult, goal: Formula) -> PlanResult:
        """Return a cheaper plan for a goal of few errands where a short search finds one."""
        if result.plan and Why.CARRYING.partition("{}")[2] in result.assembly.why:
            result = self.left_loaded(result, goal)
        errands = len(result.assembly.subgoals)
        plain = errands > 1 and all(isinstance(c, Atom) for c in conjuncts(goal))  # their order says it all
        if not result.plan or self.engine.optimal or self.engine.whole or errands > FEW_ERRANDS or plain:
            return result
        actions = cheaper_plan(result.plan, goal, self.belief, lambda: self.actions_for(goal))
        if actions is None:
            return result
        why = result.assembly.why + Why.CHEAPER
        whole = (clip(str(goal), 200),)
        assembly = replace(result.assembly, mode="joint", why=why, subgoals=whole, order=None)
        cost = cost_of(actions, self.belief)
        return replace(result, plan=tuple(actions), cost_mm=cost, assembly=assembly)

    def left_loaded(self, result: PlanResult, goal: Formula) -> PlanResult:
        """Return a plan that leaves in a carrier what may stay there by the goal as it was written."""
        exact = self.as_written() if self.as_written is not None else goal
        if not any(a.predicate in self.belief.pack.mapping.derived for a, _ in literals(exact)):
            return result
        before = skeleton_of(result.plan or (), self.belief)
        after = left_loaded(before, exact, self.belief, self.belief.facts)
        world = world_for(exact, self.belief)
        done = carry_out(after, world, lenient=False)
        if after == before or isinstance(done, Refusal) or not reached(exact, world):
            return result
        assembly = replace(result.assembly, why=result.assembly.why + Why.LOADED)
        return replace(result, plan=tuple(done), cost_mm=cost_of(done, self.belief), assembly=assembly)

    def planned_or_searched(self, goal: Formula, last: bool, late: bool) -> PlanResult:
        """Plan for a whole goal; the last time with a search of states after the engine, or before it.

        ``late`` says that the engine used up its time before. Raises :class:`PlanningFailed`.
        """
        if late and (searched := self.searched(goal)) is not None:
            return searched
        try:
            with self.reserving(SEARCH_SHARE if last and not late and searchable(goal) else 0.0):
                planned = self.plan(goal)
        except PlanningFailed as failed:
            again = last and not late and failed.result.ending is Ending.TIMED_OUT
            if not again or (searched := self.searched(goal)) is None:
                raise
            return searched
        unburdened = self.plan_after_put_down(goal)
        if unburdened is not None and (unburdened.cost_mm or 0) < (planned.cost_mm or 0):
            planned = unburdened
        return self.made_cheaper(planned, goal)

    def plan_after_put_down(self, goal: Formula) -> PlanResult | None:
        """Plan for several things to do after putting down what is held; ``None`` where that is no way.

        A full hand ties all parts together, and no carrier can be loaded with it.
        """
        now = self.belief.facts
        world = world_for(goal, self.belief)
        several = sum(not reached(c, world) for c in conjuncts(goal)) > 1
        whole = self.engine.optimal or self.engine.whole
        if whole or not several or now.holds(self.belief.pack.mapping.robot_free.predicate, ()):
            return None
        first = put_down_here(self.belief, now)
        done = carry_out(first, world) if first is not None else []
        if isinstance(done, Refusal) or not done:
            return None
        try:
            rest = self.plan_after(world, goal, goal)
        except LimitReached as cut:
            note_cut(cut.work)
            return None
        if rest is None:
            return None
        why = Why.EMPTIED + rest.assembly.why
        actions = (*done, *(rest.plan or ()))
        assembly = replace(rest.assembly, why=why, order=None)
        return replace(rest, plan=actions, cost_mm=cost_of(actions, self.belief), assembly=assembly)

    def searched(self, goal: Formula) -> PlanResult | None:
        """Search for a plan without an engine, which may have spent its time on a part; ``None`` for none.

        It does not stand in for an engine that never answered.
        """
        if not self.engine.answers:
            return None
        try:
            with share_of_time(SEARCH_SHARE):
                actions = searched_plan(goal, self.belief, self.belief.facts)
        except LimitReached as cut:
            note_cut(cut.work)
            return None
        return None if actions is None else self.merged(actions, "joint", Why.SEARCHED, [goal])

    # Subgoals one after the other

    def plan_split(self, goal: Formula, parts: list[Formula], now: Facts) -> PlanResult | None:
        """Plan for each part alone and merge the plans; ``None`` when they do not merge."""
        world = world_for(goal, self.belief, now)
        done: list[PlanAction] = []
        full = not now.holds(self.belief.pack.mapping.robot_free.predicate, ())
        # What is held stays there where nothing that is to be done takes a hand.
        carrying = full and not depends_on_hand(goal, self.belief, now)
        if full and not carrying:
            try:
                parts, emptied, world = self.do_held_thing_first(parts, world)
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
        parts = [p if p in ends or carrying else self.ending_with_empty_hand(p) for p in parts]
        here = world.facts if done else now
        answers = self.ask_together(parts, here)
        subgoals = []
        for part in parts:
            try:
                subgoals.append(self.subgoal(part, here, answers.get(part)))
            except PlanningFailed as failed:
                # After a hand was emptied, what fails may have been possible before.
                raise failed.only_if(asks_for(goal, part) and not done) from None
        try:
            apart = self.ordered(subgoals, ends, driving_from(world))
        except NoRoute:  # no drive joins the parts: the robot rides from one to another
            return None
        together = self.with_carriers(goal, apart, ends, world)
        for way in (together, apart) if together is not None else (apart,):
            plans = [s.plans for s in way.subgoals]
            bound = way.order.evidence(driving_from(world), plans, cost_of(done, self.belief))
            bound = replace(bound, unsolved=self.solver_failure)
            for kept in ([], holding) if holding else ([],):
                run = self.carry_out_in_order(way.subgoals, way.order, world, kept)
                if run is not None and reached(goal, run[0]):
                    formulas = [s.formula for w in way.subgoals for s in w.apart or (w,)]
                    actions = [*done, *run[1]]
                    # Distances are those of driving, and what was planned anew is no plan of the order.
                    shown = not self.belief.rides and cost_of(actions, self.belief) <= bound.cost
                    return self.merged(actions, "split", _reason(way), formulas, bound if shown else None)
        return None

    def ordered(self, subgoals: Sequence[Subgoal], ends: Sequence[Formula], start: str) -> _Ordered:
        """Find the order of subgoals from a place; the one that says how the robot ends comes last."""
        last = next((i for i, s in enumerate(subgoals) if ends and s.formula is ends[0]), None)
        routes, plans = self.belief.routes, [s.plans for s in subgoals]
        solve = self.solve_model if cp_sat_installed() else None
        chosen = order(start, plans, routes.distance, last, solve, lambda p: routes.anchor_of(p) or p)
        self.reproducible = self.reproducible and chosen.reproducible
        return _Ordered(subgoals, chosen)

    def with_carriers(
        self, goal: Formula, apart: _Ordered, ends: Sequence[Formula], world: World
    ) -> _Ordered | None:
        """Let things that go the same way share a carrier; ``None`` where that never costs less."""
        subgoals, chosen = apart
        loading = Loading(goal, subgoals, world, self.skeletons)
        distance = self.belief.routes.distance
        # In the order chosen; what a haul does together is inserted where it costs least.
        sequence = [(subgoals[i], subgoals[i].plans[chosen.plans[i]]) for i in chosen.sequence]
        cost = chosen.cost
        try:
            with share_of_time(CARRIERS_AT_MOST):
                for haul in loading.hauls(cost // LEAST_SAVED)[:MAX_HAULS]:
                    if loading.steps >= MAX_STEPS:
                        break
                    if not all(any(step[0] is subgoals[i] for step in sequence) for i in haul.subgoals):
                        continue  # carried by another one
                    for carrier, skeleton in loading.loaded(haul):
                        plan = self.located(skeleton, world.facts, False)
                        own = loading.own_parts(carrier) or []
                        members = [
                            s
                            for i, s in enumerate(subgoals)
                            if i in haul.subgoals or loading.to_bring_about(s.formula) in own
                        ]
                        goals = tuple(dict.fromkeys((*haul.atoms, *own)))
                        step = (Subgoal(conjunction(goals), (plan,), tuple(members)), plan)
                        rest = [step for step in sequence if step[0] not in members]
                        before = [own_plan for _, own_plan in rest]
                        costs = insertion_costs(driving_from(world), before, plan, distance)
                        costs = costs[: len(rest) + (not ends)]
                        if min(costs) < cost:
                            place = costs.index(min(costs))
                            cost, sequence = costs[place], [*rest[:place], step, *rest[place:]]
                            loading.used.add(carrier)
                            break
        except LimitReached as cut:
            note_cut(cut.work)
            self.reproducible = False
        if cost == chosen.cost:
            return None
        try:
            with share_of_time(CARRIERS_AT_MOST):
                return self.ordered([s for s, _ in sequence], ends, driving_from(world))
        except LimitReached as cut:
            note_cut(cut.work)
            self.reproducible = False
            return None

    def skeletons(self, goals: Sequence[Formula], facts: Facts) -> list[PlanSkeleton] | None:
        """Plan for goals from the same facts, for a way that is only tried: no failure there is a fault."""
        faults = len(self.faults)
        try:
            answers = self.ask(goals, facts)
            return [self.solve(g, facts, a).skeleton for g, a in zip(goals, answers, strict=True)]
        except PlanningFailed:
            return None
        finally:
            del self.faults[faults:]

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
                    cost = self.plan(branch, now).cost_mm or 0
                except PlanningFailed:
                    continue
                if cheapest is part or cost < least_cost:
                    cheapest, least_cost = branch, cost
            if cheapest is part:
                resolved.append(part)
            else:
                resolved += [conjunction(p) for p in split(conjuncts(cheapest), self.belief, now)]
        return resolved

    def ending_with_empty_hand(self, part: Formula) -> Formula:
        """Add to a part that may leave something in the hand that it is empty: the next one needs it."""
        relations, derived = self.belief.pack.locations, self.belief.pack.mapping.derived
        if any(
            a.predicate in derived or (not positive and a.predicate in relations)
            for a, positive in literals(part)
        ):
            return conjunction((part, self.belief.pack.mapping.robot_free))
        return part

    def do_held_thing_first(
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
        if subgoal.apart:
            after = world
            for single in subgoal.apart:
                if (after := self.carry_out_subgoal(single, 0, after, done, kept)) is None:
                    return None
                kept = [*kept, single.formula]
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

    # Small things that the methods above share

    def pruned(self, goal: Formula, now: Facts) -> Formula:
        """Make a goal stronger while the narrow problem is tried; the wide one keeps every branch."""
        if self.nearest is None:
            return goal
        return prune_branches(with_something_held(goal, self.belief, now), self.belief, now)

    def solve_model(self, model: BooleanModel) -> Optimum:
        """Solve the model of an order, with a limit on the solver's own count of work."""
        optimum = optimize(model, self.budget(self.remaining() / 2), ORDER_WORK)
        self.solver_failure = optimum.failure or self.solver_failure
        if not optimum.reproducible and not optimum.failure:
            note_cut("the proof of the best order")
        return optimum

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


def _reason(way: _Ordered) -> str:
    """The reason for which a plan is split."""
    together = [len(s.apart) for s in way.subgoals if s.apart]
    parts = len(way.subgoals) + sum(together) - len(together)
    reason = Why.LEFT if parts == 1 else Why.PARTS.format(parts)
    return reason + (Why.CARRYING.format(sum(together)) if together else "")
