"""Plans for single parts of a goal: one problem for the engine, a checked plan, where it begins and ends.

A part with branches (a disjunction) has several plans, among which the order of all parts chooses. Which
branches are tried, and how long a hard part is searched, may be changed. What may not: a plan counts only
after :func:`accepted` carried it out, and a failure is a proof only as `failure` says.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from ...compiler.forms import literals, to_bring_about
from ...compiler.problem import Problem, build
from ...compiler.relevance import closure
from ...domains.action import GroundAction, Plan
from ...domains.deadline import note_cut
from ...domains.ending import Ending
from ...domains.formula import And, Formula, conjunction, conjuncts
from ...engines.result import PlanResult
from ...simulator.belief import Belief
from ...simulator.world import Refusal, World
from ..carrying_out import (
    Accepted,
    PlanSkeleton,
    carry_out,
    cost_of,
    driving_from,
    eliminate_redundant_actions,
    nearest_end,
    skeleton_of,
    with_navigation,
)
from ..failure import CONTRADICTION, TOO_LATE, PlanningFailed, combined
from ..states.search import cheaper_plan
from ..task import PlanningTask
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
from .travel import Subgoal, SubgoalPlan

FIRST_TRY, PAIR_SECONDS, MAX_PAIRS = 3.0, 1.0, 28
"""Seconds of the first try of a part with three or more conjuncts, and of each pair of them after it."""

MAX_ANEW = 4
"""Most literals of a goal whose actions are found once more, for its parts together."""

MAX_PLANS = 6
"""Most plans of one subgoal among which the order chooses."""


class EngineAnswer(NamedTuple):
    """A problem, and what the engine makes of it."""

    problem: Problem
    result: PlanResult


def subgoal(task: PlanningTask, answer: EngineAnswer | None = None) -> Subgoal:
    """Plan for one part, with an answer of the engine if it was asked already.

    Raises :class:`PlanningFailed` when there is no plan.
    """
    part, belief = task.goal, task.belief
    if task.holds(part):
        here = task.facts.all(belief.pack.at)[0][0]
        if places_robot(conjuncts(part), belief) and belief.scene.nodes[here].type != "object":
            return Subgoal(part, (SubgoalPlan(here, here, 0, PlanSkeleton((), here)),))
        return Subgoal(part, (SubgoalPlan(None, None, 0),))
    branches = branches_of(part, belief)
    if branches == []:
        raise PlanningFailed(CONTRADICTION, part, True)
    if branches is None or len(branches) == 1:
        return Subgoal(part, (solve(task.of(branches[0]) if branches else task, answer),))
    return Subgoal(part, _plans_of_branches(task, branches))


def _plans_of_branches(task: PlanningTask, branches: Sequence[Formula]) -> tuple[SubgoalPlan, ...]:
    """Return the cheapest plans of the branches, planned for while an estimate leaves hope."""
    options = diversified(ranked(branches, task.belief, task.facts))
    plans: list[SubgoalPlan] = []
    failures: list[PlanningFailed] = []
    for batch in (options[i : i + MAX_PLANS] for i in range(0, len(options), MAX_PLANS)):
        best = min((cost_from(task, p) for p in plans), default=None)
        if best is not None and cost_estimate(batch[0], task.belief, task.facts) >= best:
            break
        for option, each in zip(batch, ask(task, batch), strict=True):
            try:
                plans.append(solve(task.of(option), each))
            except PlanningFailed as failed:
                failures.append(failed)
    if not plans:
        raise combined(failures, task.goal)
    unique = {(p.entry, p.exit): p for p in sorted(plans, key=lambda p: -p.cost)}
    best_first = sorted(unique.values(), key=lambda p: (cost_from(task, p), str(p.skeleton)))
    # By turns of where they begin: another part may need what the cheapest ones all use.
    return tuple(round_robin(best_first, lambda p: p.entry)[:MAX_PLANS])


# Questions to the engine


def ask_together(task: PlanningTask, parts: Sequence[Formula]) -> dict[Formula, EngineAnswer]:
    """Ask the engine at once about all parts that have one branch; an answer for each of them."""
    single: dict[Formula, Formula] = {}
    for part in parts:
        branches = branches_of(part, task.belief)
        if (branches is None or len(branches) == 1) and not task.of(part).holds(part):
            single[part] = branches[0] if branches else part
    if len(single) < 2:
        return {}
    return dict(zip(single, ask(task, [*single.values()]), strict=True))


def ask(task: PlanningTask, parts: Sequence[Formula]) -> list[EngineAnswer]:
    """Ask the engine about parts that do not depend on each other, in parallel where it can."""
    problems = [problem(task.of(part)) for part in parts]
    in_time = task.attempts.left() > 0  # an engine in this process may have slept past its limit
    late = [TOO_LATE] * len(parts)
    results = task.engine.solve_many(problems, task.attempts.budget()) if in_time else late
    return list(map(EngineAnswer, problems, results))


def problem(task: PlanningTask) -> Problem:
    """Return the problem of a part; for a proof that a plan is best, with all that could carry things."""
    part, belief, facts = task.goal, task.belief, task.facts
    if task.engine.optimal and task.nearest is None:
        return build(
            part, belief, facts, None, carriers(belief), True, as_written=task.engine.reads_constraints
        )
    of_part = list(dict.fromkeys(to_bring_about(part)))
    relevant = closure(of_part, belief, facts, task.nearest)
    if facts is belief.facts:
        task.attempts.closures.append((of_part, relevant))
    return build(
        part, belief, facts, task.nearest, relevant=relevant, as_written=task.engine.reads_constraints
    )


def actions_for(task: PlanningTask) -> list[GroundAction]:
    """Return actions that a goal depends on: those of the parts planned for, if they do.

    What several errands may share, and parts that were left out, is found anew for few literals.
    """
    of_goal, start, closures = dict.fromkeys(literals(task.goal)), World(task.belief), task.attempts.closures
    covered = any(of_goal.keys() <= set(some) for some, _ in closures)
    unmet = sum(start.holds(a.predicate, a.args) != yes for a, yes in of_goal)
    if not closures or (not covered and 1 < unmet <= MAX_ANEW):
        return [*closure(of_goal, task.belief, task.belief.facts, task.nearest).actions.values()]
    merged = {key: a for _, relevant in closures for key, a in relevant.actions.items()}
    return [*merged.values()]


# One conjunction


def solve(task: PlanningTask, answer: EngineAnswer | None = None) -> SubgoalPlan:
    """Plan for a conjunction: one problem, one plan, without its redundant actions.

    Raises :class:`PlanningFailed`.
    """
    part, belief, facts, attempts = task.goal, task.belief, task.facts, task.attempts
    if answer is None or answer.result.ending is Ending.TIMED_OUT:
        question = answer.problem if answer is not None else problem(task)
        result, about = _persevere(task, question)
    else:
        (question, result), about = answer, part
    attempts.reproducible = attempts.reproducible and result.reproducible
    if not result.reproducible and result.ending is not Ending.CRASHED:
        note_cut(f"the search of {task.engine.name}")
    if result.domain_fault:
        raise task.refused(result.detail, about)
    if result.plan is None:
        raise PlanningFailed(result, about, question.complete)
    skeleton = _skeleton(task, result.plan)
    if isinstance(skeleton, Refusal):
        raise task.refused(skeleton.message, part)
    skeleton = eliminate_redundant_actions(skeleton, part, belief, facts)
    if not result.optimal:
        skeleton = put_down_nearby(skeleton, part, belief, facts)
    skeleton = nearest_end(skeleton, part, belief, facts)
    return located(task, skeleton, result.optimal and question.complete)


def _skeleton(task: PlanningTask, plan: Plan) -> PlanSkeleton | Refusal:
    """Return a plan without its driving, or with it where the goal asks for a place to be passed."""
    skeleton = skeleton_of(plan, task.belief)
    if isinstance(task.accepted(skeleton, lenient=False), Accepted):
        return skeleton
    skeleton = with_navigation(plan, task.belief)
    refusal = task.accepted(skeleton)
    return refusal if isinstance(refusal, Refusal) else skeleton


def ordered_within(task: PlanningTask, part: Subgoal) -> Subgoal:
    """Return a subgoal of several conjuncts with a cheaper plan where a short search of states finds one."""
    if len(conjuncts(task.goal)) == 1 or len(part.plans) > 1:
        return part
    plan = task.accepted(part.plans[0].skeleton, lenient=False)
    if isinstance(plan, Refusal):
        return part
    cheaper = cheaper_plan(plan.actions, task.goal, task.belief, task.facts, lambda: actions_for(task))
    skeleton = None if cheaper is None else _skeleton(task, cheaper.actions)
    if skeleton is None or isinstance(skeleton, Refusal):
        return part
    return Subgoal(part.formula, (located(task, skeleton, False),))


def _persevere(task: PlanningTask, question: Problem) -> tuple[PlanResult, Formula]:
    """Ask about a part and, if it is hard, about pairs of its conjuncts: the answer, and its subject.

    An engine may search for ever where two conjuncts alone are shown impossible at once.
    """
    part, engine, attempts = task.goal, task.engine, task.attempts
    if attempts.left() <= 0:
        return TOO_LATE, part
    conjunctive = conjuncts(part)
    if len(conjunctive) < 3 or engine.whole:
        return engine.solve(question, attempts.budget()), part
    result = engine.solve(question, attempts.budget(min(FIRST_TRY, attempts.left() / 3)))
    if result.ending is not Ending.TIMED_OUT:
        return result, part
    for pair in itertools.islice(itertools.combinations(conjunctive, 2), MAX_PAIRS):
        if attempts.left() <= 0:
            return TOO_LATE, part
        small = problem(task.of(conjunction(pair)))
        result = engine.solve(small, attempts.budget(min(PAIR_SECONDS, attempts.left())))
        if result.ending is Ending.UNSOLVABLE and small.complete:
            return result, And(pair)
    return (engine.solve(question, attempts.budget()) if attempts.left() > 0 else TOO_LATE), part


# Where a plan is on the map


def located(task: PlanningTask, skeleton: PlanSkeleton, proved: bool) -> SubgoalPlan:
    """Find where a plan begins and ends, and what it costs from its first place on."""
    belief, world = task.belief, World(task.belief, (), task.facts)
    start = driving_from(world)
    done = carry_out(skeleton, world)
    if isinstance(done, Refusal) or not done:
        return SubgoalPlan(None, None, 0, skeleton, proved)
    first = done[0]
    if not belief.pack.mapping_of(first.name).navigation:
        return SubgoalPlan(start, driving_from(world), cost_of(done, belief), skeleton, proved)
    return SubgoalPlan(first.args[1], driving_from(world), cost_of(done[1:], belief), skeleton, proved)


def cost_from(task: PlanningTask, plan: SubgoalPlan) -> int:
    """Return the cost of a plan with the drive to where it begins, in millimetres."""
    start = driving_from(World(task.belief, (), task.facts))
    drive = task.belief.routes.distance(start, plan.entry) if plan.entry is not None else 0
    return drive + plan.cost


def places_robot(parts: Sequence[Formula], belief: Belief) -> bool:
    """Return whether parts say where the robot is at the end, and nothing else."""
    whole = And(tuple(parts))
    of_end = any(positive for _, positive in final_literals(whole))
    return of_end and all(a.predicate == belief.pack.at for a, _ in literals(whole))
