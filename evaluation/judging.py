"""Judgement of one run of a method on a task: one definition of success for all methods.

A plan is judged by the steps that the method ended with, run on the task's true scene, and never by what the
method says of it:

- ``executable``: there is a plan, the simulator accepts every step, and none breaks a rule of an operator;
- ``success``: executable, and the gold goal holds at the end;
- ``success_asked``: the same for the gold without what the instruction does not ask for (doors that are to be
  shut again, machines to be switched off), where the task says so: our golds are tidy, and that helps methods
  that are told to be;
- ``intent`` and ``intent_skip``: the gold holds when refused steps are mended, or left out
  (``carrying_out``), both stand-ins for a person's judgement.

All are false without a plan. What is found by a search (``intent``, errors, wrong nodes) may be given a time;
what it did not suffice for is ``None``, and named in ``unchecked``. The definitions stay, since rows hold
their values; another measure is another field with a default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any

from ..compiler.certificates.rules import read_rules
from ..compiler.goals.checker import check
from ..compiler.goals.goal import Goal, parse_goal
from ..compiler.query.answers import find
from ..compiler.query.query import check_query, parse_query
from ..datasets.task import Task
from ..domains.deadline import LimitReached, limited
from ..domains.diagnostic import Diagnostic
from ..domains.formula import names
from ..domains.pack import Pack
from ..pipeline.record import Record, Round
from ..simulator.belief import Belief, ground
from ..simulator.sensing.hiding import with_hidden
from ..simulator.verification import Verification, verify_plan
from .acting import ActingJudgement, as_done, judge_acting
from .carrying_out import carry_out_leniently
from .graphs import GraphJudgement, goal_graph, judge_graph
from .plan_errors import NeededNodes, errors_of, handled_nodes, wrong_nodes
from .searching import SearchJudgement, judge_search
from .walking import WalkJudgement, judge_walk


@dataclass(frozen=True)
class JudgedTask:
    """A task under a pack: its scene as a belief, which is the true world too, and its gold goals.

    ``misfit`` says why the goal of a set that others made does not fit its scene; the task has none then.
    """

    task: Task
    belief: Belief
    misfit: str = ""

    @classmethod
    def of(cls, task: Task, pack: Pack, rules: str | None = None) -> JudgedTask:
        """Load the scene of a task under rules, and answer its gold query where it comes without answers.

        Raises :class:`InputError` for a scene that does not fit the pack or the rules. A goal that others
        wrote, and that does not fit the scene in the pack of its task, is left out.
        """
        belief = read_rules(rules, ground(task.load(), pack), f"rules, for the task {task.id}")
        if task.gold.query and not task.gold.answers:
            where = task.gold_at("query")
            query = parse_query(task.gold.query, where)
            check_query(query, belief).raise_errors(where)
            nodes = tuple(answer.nodes[0] for answer in find(query, belief).answers)
            task = replace(task, gold=replace(task.gold, answers=nodes))
        finding = misfit(task, belief) if pack.name == task.pack else None
        if finding is None:
            return cls(task, belief)
        return cls(replace(task, gold=replace(task.gold, goal="")), belief, finding.message)

    @property
    def no_goal(self) -> str:
        """The reason for which a task that is to be planned for has no goal; empty for any other."""
        lacking = ", ".join(self.task.gold.lacking)
        return self.misfit or (f"it asks for {lacking}, which no pack has" if lacking else "")

    @property
    def is_search(self) -> bool:
        """True if the task asks for nodes of the scene, and nothing is to be planned."""
        return not self.task.gold.goal and not self.task.gold.unsolvable and self.task.graded

    @cached_property
    def known(self) -> Belief:
        """Belief of the robot at the start: the scene, and where the task hides things, only the fixed ones.

        Hidden things that the gold names are known by name, with their place unknown.
        """
        if not self.task.hidden:
            return self.belief
        return with_hidden(self.belief, named=names(self.gold.formula))

    @cached_property
    def gold(self) -> Goal:
        """The gold goal, checked against the scene. Raises :class:`InputError`."""
        return self._checked(self.task.gold.goal, "goal")

    @cached_property
    def requested(self) -> Goal:
        """The part of the gold goal that the instruction asks for: all of it where the task names none."""
        return self._checked(self.task.gold.requested, "requested") if self.task.gold.requested else self.gold

    @cached_property
    def needed(self) -> NeededNodes:
        """The nodes that a plan for the gold goal, or for the part that is asked for, may need."""
        return NeededNodes((self.gold.formula, self.requested.formula), self.belief)

    @cached_property
    def goal_graph(self) -> Belief | None:
        """The state that the task's own plan leads to; ``None`` where it comes without one."""
        return goal_graph(self.task, self.belief)

    def _checked(self, text: str, key: str) -> Goal:
        where = self.task.gold_at(key)
        goal = parse_goal(text, where)
        check(goal, self.belief).raise_errors(where)
        return goal


def misfit(task: Task, belief: Belief) -> Diagnostic | None:
    """Return the first error of a goal that others wrote, where it does not fit the scene."""
    if not task.foreign or not task.gold.goal:
        return None
    report = check(parse_goal(task.gold.goal, task.gold_at("goal")), belief)
    return (
        next((d for d in report.diagnostics if d.severity == "error"), None) if report.cut is None else None
    )


@dataclass(frozen=True, slots=True)
class PlanJudgement:
    """Judgement of a plan. ``cost`` is metres of an executable plan, with the pack's effort for each action.

    ``inserted`` and ``skipped`` are the steps that ``intent`` put in and left out, ``left_out`` those that
    ``intent_skip`` left out. ``errors`` are the kinds of errors of the plan, ``execution_errors`` those that
    SayPlan counts (``plan_errors``). ``wrong_nodes`` are nodes of the scene that its goal or plan is about,
    and no plan for the gold goal needs. ``graph`` has GRASIF's measures (``graphs``), where the task comes
    with a plan. ``acting`` is about tasks in which things are hidden: there the plan is what was done.
    ``unmet`` has a sentence for each part of the gold goal that does not hold at the end: after the last step
    that the simulator accepts, without a plan in the initial state. ``unchecked`` are the measures that could
    not be decided in the time that there was.
    """

    executable: bool = False
    intent: bool | None = False
    intent_skip: bool | None = False
    success: bool = False
    success_asked: bool = False
    cost: float | None = None
    steps: int = 0
    inserted: int | None = 0
    skipped: int | None = 0
    left_out: int | None = 0
    errors: tuple[str, ...] | None = ()
    execution_errors: tuple[str, ...] | None = ()
    wrong_nodes: tuple[str, ...] | None = ()
    graph: GraphJudgement | None = None
    acting: ActingJudgement | None = None
    unmet: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UngradedJudgement:
    """Judgement of a run on a task without a gold: whether the simulator accepts its plan, and its steps."""

    executable: bool
    steps: int


WITHOUT_PLAN = ("declined", "unsolvable", "not-understood", "goal-error", "search-exhausted", "not-found")
"""Endings in which a system itself says that it has no plan; in the first two that there is none.

A search that a model never ended (``search-exhausted`` where it writes the plan) says nothing.
"""


@dataclass(frozen=True, slots=True)
class DecliningJudgement:
    """Judgement of a run on a task without a solution.

    ``success`` is true where it came to no plan and said so (:data:`WITHOUT_PLAN`), ``declined`` where its
    model said that there is none, ``proved`` where that was proved. ``executable`` is true for the worst
    ending, a plan that the simulator accepts.
    """

    success: bool
    declined: bool
    proved: bool
    executable: bool


Judgement = PlanJudgement | SearchJudgement | WalkJudgement | UngradedJudgement | DecliningJudgement


PARTS = 4
"""The searches of a judgement, each of which gets an equal part of the time: those of :func:`_searches`."""


def judge_plan(record: Record, case: JudgedTask, seconds: float = inf) -> PlanJudgement:
    """Judge the plan that a record ends with on the scene of its task, or what was done in it.

    ``seconds`` are for the searches of it, all together; carrying the plan out takes what it takes.
    """
    if case.task.hidden:
        acting = judge_acting(record, case.belief, case.gold.formula)
        case = replace(case, task=replace(case.task, hidden=False))
        unmet = verify_plan(record.trajectory.executed, case.belief, case.gold.formula).unsatisfied
        return replace(judge_plan(as_done(record), case, seconds), acting=acting, unmet=unmet)
    if record.trajectory.executed:  # the plan is the last one, from where the robot was then
        record = as_done(record)
    decided: dict[str, Any] = {}
    unchecked: list[str] = []
    for measures, search in _searches(record, case):
        try:
            with limited(seconds / PARTS):
                decided |= zip(measures, search(), strict=True)
        except LimitReached:
            decided |= dict.fromkeys(measures)
            unchecked += measures
    graph = judge_graph(record, case.belief, case.goal_graph) if case.goal_graph is not None else None
    return replace(_carried_out(record, case), **decided, graph=graph, unchecked=tuple(unchecked))


def _searches(
    record: Record, case: JudgedTask
) -> Iterator[tuple[tuple[str, ...], Callable[[], Sequence[object]]]]:
    """Yield what is found of a plan by searches: the names of measures, and what finds their values."""
    gold, belief = case.gold.formula, case.belief

    def errors() -> Sequence[object]:
        last = replace(record, goals=record.goals[-1:], attempts=record.attempts[-1:])
        made = errors_of(record, belief, gold, invented_names(last, belief))
        return made.kinds, made.execution

    def mended() -> Sequence[object]:
        run = carry_out_leniently(record.plan, belief, gold)
        return run.goal_value, run.inserted, run.skipped

    def skipping() -> Sequence[object]:
        run = carry_out_leniently(record.plan, belief, gold, insert=False)
        return run.goal_value, run.skipped

    if record.planned and not verify_plan(record.plan, belief, gold).executable:
        yield ("intent", "inserted", "skipped"), mended
        yield ("intent_skip", "left_out"), skipping
    yield ("errors", "execution_errors"), errors
    yield ("wrong_nodes",), lambda: (wrong_nodes(_used_last(record, belief), case.needed, belief),)


def _used_last(record: Record, belief: Belief) -> Iterable[str]:
    """Return the names in the last goal of a run and those that the steps of its plan handle."""
    of_goal = [name for one in record.goals[-1:] for name in _names_of(one)]
    return (*of_goal, *handled_nodes(record.plan, belief))


def _carried_out(record: Record, case: JudgedTask) -> PlanJudgement:
    """Judge what a plan comes to, as it was written."""
    gold, belief = case.gold.formula, case.belief
    if not record.planned:
        return PlanJudgement(unmet=verify_plan((), belief, gold).unsatisfied)
    seen = verify_plan(record.plan, belief, gold)
    if seen.executable:
        part = verify_plan(record.plan, belief, case.requested.formula)
        good, keeps = bool(seen.goal_value), seen.keeps_rules
        return PlanJudgement(
            keeps,
            good,
            good,
            seen.verified,
            part.verified,
            plan_cost(seen, belief) / 1000 if keeps else None,
            len(record.plan),
            unmet=seen.unsatisfied,
        )
    return PlanJudgement(steps=len(record.plan), unmet=seen.unsatisfied)


def judge_run(record: Record, case: JudgedTask, seconds: float = inf) -> Judgement:
    """Judge a run by what its task asks for; ``seconds`` as in :func:`judge_plan`."""
    if case.task.house is not None:
        return judge_walk(record, case.task.house.episode)
    if not case.task.graded or case.task.gold.unsolvable:
        done = as_done(record) if record.trajectory.executed else record
        accepted = done.planned and verify_plan(done.plan, case.belief).verified
        if not case.task.graded:
            return UngradedJudgement(accepted, len(done.plan))
        endless = record.outcome == "search-exhausted" and record.compile_form is None
        success = not done.planned and record.outcome in WITHOUT_PLAN and not endless
        return DecliningJudgement(
            success, record.outcome == "declined", record.outcome == "unsolvable", accepted
        )
    if case.is_search:
        return judge_search(record, case.task, case.belief)
    return judge_plan(record, case, seconds)


def plan_cost(carried_out: Verification, belief: Belief) -> int:
    """Return the cost of a plan in millimetres: the way driven, and the effort of each manipulation."""
    schemas = belief.pack.domain.actions
    effort = (schemas[a.name].cost or 0 for a in carried_out.actions if not a.event)
    return carried_out.length_mm + sum(effort)


def invented_names(record: Record, belief: Belief) -> tuple[str, ...]:
    """Return the names that a run used and the scene does not have, each once, in the order of use.

    They are looked for in every goal that was written, well-formed or not refused for its form, in the steps
    of every plan, and among those that the method itself noted. Names that a reader was given for things
    that nobody had seen are none of them.
    """
    used: dict[str, None] = dict.fromkeys(record.invented)
    for one in record.goals:
        used |= dict.fromkeys(_names_of(one))
    for attempt in record.attempts:
        used |= dict.fromkeys(name for step in attempt.steps for name in step.args)
    used |= dict.fromkeys(name for step in record.plan for name in step.args)
    given = {*belief.scene.nodes, *record.supposed}
    return tuple(name for name in used if name not in given)


def _names_of(one: Round) -> Iterable[str]:
    """Return the names in a goal that was tried; none of an answer that is no goal."""
    return names(one.goal.formula) if isinstance(one.goal, Goal) else ()
