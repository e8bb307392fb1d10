"""Plans for single parts of a goal: one problem for the engine, a checked plan, where it begins and ends.

A part with branches (a disjunction) has several plans, among which the order of all parts chooses. Which
branches are tried, and how long a hard part is searched, may be changed. What may not: a plan counts only
after `execution` carried it out, and a failure is a proof only as `result` says.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from ...compiler.forms import literals
from ...compiler.problem import Problem, build, denied_to_events
from ...compiler.relevance import NEAREST, Closure, closure
from ...domains.action import GroundAction
from ...domains.deadline import note_cut
from ...domains.ending import Ending
from ...domains.formula import And, Atom, Formula, conjunction, conjuncts
from ...engines.base import Budget
from ...engines.engine import Engine
from ...engines.result import PlanResult
from ...simulator.belief import Belief
from ...simulator.facts import Facts, ground_args
from ...simulator.world import Refusal, World
from ..carrying_out import (
    PlanSkeleton,
    carry_out,
    cost_of,
    driving_from,
    eliminate_redundant_actions,
    failure_reason,
    nearest_end,
    reached,
    skeleton_of,
    with_navigation,
    world_for,
)
from .branches import (
    branches_of,
    carriers,
    cost_estimate,
    diversified,
    final_literals,
    ranked,
    round_robin,
)
from .near import put_down_nearby
from .result import CONTRADICTION, TOO_LATE, PlanningFailed, Subgoal, combined, refused, vetoed
from .travel import SubgoalPlan

FIRST_TRY, PAIR_SECONDS, MAX_PAIRS = 3.0, 1.0, 28
"""Seconds of the first try of a part with three or more conjuncts, and of each pair of them after it."""

MAX_ANEW = 4
"""Most literals of a goal whose actions are found once more, for its parts together."""

MAX_PLANS = 6
"""Most plans of one subgoal among which the order chooses."""


class _Answer(NamedTuple):
    """A problem, and what the engine makes of it."""

    problem: Problem
    result: PlanResult


@dataclass
class PartPlanner:
    """Plans for parts of a goal over one belief with one engine; ``remaining`` gives the seconds left.

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
    reserved: float = 0.0
    """Seconds of those that remain which are kept for another way to plan."""
    as_written: Callable[[], Formula] | None = None
    """Gives the normal form that says just what the goal says, for what another way of saying it left out."""
    closures: list[tuple[list[tuple[Atom, bool]], Closure]] = field(default_factory=list)
    """The literals of parts that were planned for from the belief's facts, and what they depend on."""
    solver_failure: str = ""
    """The reason for which the solver of orders did not run, where no clock stopped it."""

    # One subgoal

    def subgoal(self, part: Formula, now: Facts, answer: _Answer | None = None) -> Subgoal:
        """Plan for one part, with an answer of the engine if it was asked already.

        Raises :class:`PlanningFailed` when there is no plan.
        """
        if self.holds(part, part, now):
            here = now.all(self.belief.pack.at)[0][0]
            if self.places_robot(conjuncts(part)) and self.belief.scene.nodes[here].type != "object":
                return Subgoal(part, (SubgoalPlan(here, here, 0, PlanSkeleton((), here)),))
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
        in_time = self.left() > 0  # an engine in this process may have slept past its limit
        results = self.engine.solve_many(problems, self.budget()) if in_time else [TOO_LATE] * len(parts)
        return list(map(_Answer, problems, results))

    def problem(self, part: Formula, now: Facts) -> Problem:
        """The problem of a part; for a proof that a plan is best, with all that could carry things."""
        if self.engine.optimal and self.nearest is None:
            return build(part, self.belief, now, None, carriers(self.belief), True)
        of_part = list(literals(part))
        relevant = closure(of_part, self.belief, now, self.nearest)
        if now is self.belief.facts:
            self.closures.append((of_part, relevant))
        return build(part, self.belief, now, self.nearest, relevant=relevant)

    def actions_for(self, goal: Formula) -> list[GroundAction]:
        """Return actions that a goal depends on: those of the parts planned for, if they do.

        What several errands may share, and parts that were left out, is found anew for few literals.
        """
        of_goal, start = dict.fromkeys(literals(goal)), World(self.belief)
        covered = any(of_goal.keys() <= set(some) for some, _ in self.closures)
        unmet = sum(start.holds(a.predicate, ground_args(a)) != yes for a, yes in of_goal)
        if not self.closures or (not covered and 1 < unmet <= MAX_ANEW):
            return [*closure(of_goal, self.belief, self.belief.facts, self.nearest).actions.values()]
        merged = {key: a for _, relevant in self.closures for key, a in relevant.actions.items()}
        return [*merged.values()]

    def solve(self, part: Formula, now: Facts, answer: _Answer | None = None) -> SubgoalPlan:
        """Plan for a conjunction: one problem, one plan, without its redundant actions.

        Raises :class:`PlanningFailed`.
        """
        if answer is None or answer.result.ending is Ending.TIMED_OUT:
            problem = answer.problem if answer is not None else self.problem(part, now)
            result, about = self.persevere(part, problem, now)
        else:
            (problem, result), about = answer, part
        self.reproducible = self.reproducible and result.reproducible
        if not result.reproducible and result.ending is not Ending.CRASHED:
            note_cut(f"the search of {self.engine.name}")
        if result.domain_fault:
            raise self.refused(result.detail, about)
        if result.plan is None:
            raise PlanningFailed(result, about, problem.complete)
        skeleton = skeleton_of(result.plan, self.belief)
        world = world_for(part, self.belief, now)
        if isinstance(carry_out(skeleton, world, lenient=False), Refusal) or not reached(part, world):
            skeleton = with_navigation(result.plan, self.belief)
            if why := failure_reason(skeleton, part, self.belief, now):
                raise self.refused(why, part)
        skeleton = eliminate_redundant_actions(skeleton, part, self.belief, now)
        if not result.optimal:
            skeleton = put_down_nearby(skeleton, part, self.belief, now)
        skeleton = nearest_end(skeleton, part, self.belief, now)
        return self.located(skeleton, now, result.optimal and problem.complete)

    def persevere(self, part: Formula, problem: Problem, now: Facts) -> tuple[PlanResult, Formula]:
        """Ask about a part and, if it is hard, about pairs of its conjuncts: the answer, and its subject.

        An engine may search for ever where two conjuncts alone are shown impossible at once.
        """
        if self.left() <= 0:
            return TOO_LATE, part
        conjunctive = conjuncts(part)
        if len(conjunctive) < 3 or self.engine.whole:
            return self.engine.solve(problem, self.budget()), part
        result = self.engine.solve(problem, self.budget(min(FIRST_TRY, self.left() / 3)))
        if result.ending is not Ending.TIMED_OUT:
            return result, part
        for pair in itertools.islice(itertools.combinations(conjunctive, 2), MAX_PAIRS):
            if self.left() <= 0:
                return TOO_LATE, part
            small = self.problem(conjunction(pair), now)
            result = self.engine.solve(small, self.budget(min(PAIR_SECONDS, self.left())))
            if result.ending is Ending.UNSOLVABLE and small.complete:
                return result, And(pair)
        return (self.engine.solve(problem, self.budget()) if self.left() > 0 else TOO_LATE), part

    def located(self, skeleton: PlanSkeleton, now: Facts, proved: bool) -> SubgoalPlan:
        """Find where a plan begins and ends, and what it costs from its first place on."""
        world = World(self.belief, (), now)
        start = driving_from(world)
        done = carry_out(skeleton, world)
        if isinstance(done, Refusal) or not done:
            return SubgoalPlan(None, None, 0, skeleton, proved)
        first = done[0]
        if not self.belief.pack.mapping_of(first.name).navigation:
            return SubgoalPlan(start, driving_from(world), cost_of(done, self.belief), skeleton, proved)
        cost = cost_of(done[1:], self.belief)
        return SubgoalPlan(first.args[1], driving_from(world), cost, skeleton, proved)

    # Small things that the methods above share

    def holds(self, part: Formula, goal: Formula, now: Facts) -> bool:
        """Return whether a part of a goal is reached before anything is done."""
        return reached(part, world_for(goal, self.belief, now))

    def places_robot(self, parts: Sequence[Formula]) -> bool:
        """Return whether parts say where the robot is at the end, and nothing else."""
        at = self.belief.pack.at
        literal_facts = [*literals(And(tuple(parts)))]
        of_end = any(positive for _, positive in final_literals(And(tuple(parts))))
        return of_end and all(a.predicate == at for a, _ in literal_facts)

    def left(self) -> float:
        """Return the seconds that are left and not kept for another way to plan."""
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
        return Budget(max(0.05, self.left() if seconds is None else seconds), self.memory_mb)

    def cost_from(self, now: Facts, plan: SubgoalPlan) -> int:
        """The cost of a plan with the drive to where it begins."""
        start = driving_from(World(self.belief, (), now))
        drive = self.belief.routes.distance(start, plan.entry) if plan.entry is not None else 0
        return drive + plan.cost

    def refused(self, why: str, part: Formula) -> PlanningFailed:
        """Keep and return the failure of a plan that the simulator does not accept.

        Where the part denies what an event brings about, the event may be the cause, and nobody at fault.
        """
        denied = denied_to_events(part, self.belief)
        if denied:
            return vetoed(denied[0], part)
        self.faults.append(refused(why, part, self.engine.name))
        return self.faults[-1]
