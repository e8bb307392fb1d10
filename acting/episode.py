"""An episode: one goal, carried out step by step in a world that may differ from what is believed.

    episode = Episode(request, policy, engine)
    while (step := episode.next()) is not None:
        episode.report(do(step))            # a robot, or Environment.act
    episode.finish                          # how it ended

It hands out the steps of a plan, and believes what it is told of each. It continues from the state that was
reached: nothing is done again. It looks around only where the goal needs it: for things without a place, and,
where the belief is marked open, until the goal is true of whatever may still be unseen. Where to look next is
the policy's choice. Knowledge is a value (``certainty.knowledge``); whether the plan still works says
``monitor``, what to do next says ``decision``, and here is all that changes. Nothing knows the true world,
and nothing waits, so that a robot's node can call it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from ..compiler.goals.goal import Goal
from ..domains.ending import Ending
from ..domains.errors import GoalError, InputError, clip
from ..domains.formula import Formula
from ..engines.base import Budget
from ..engines.engine import Engine
from ..engines.result import PlanResult
from ..language.embedded.supposing import Supposition
from ..planners.request import Request
from ..simulator.belief import Belief
from ..simulator.observations.observation import Change, StepOutcome
from ..simulator.step import Step
from .beliefs.said import SaidPlaces
from .certainty.knowledge import Knowledge
from .certainty.placeholders import NO_PLACEHOLDERS, Placeholders
from .decision import NOT_SHOWN, Deciding, Decision, Means, ending
from .finish import GOAL_ERROR, Finish
from .log import Entry, Intended, LookedAgain, Reported, Unreached
from .monitor import matters, other_ways, still_works
from .policies.policy import NearestUnlooked, Policy, Priors, Uniform
from .tidying import Tidying
from .trajectory import NOTHING_DONE, Trajectory
from .tries import MAX_FAILED_LOOKS, MAX_TRIES, Tries

REJECTED, MISLED = "rejected", "by what the robot was told the goal is reached; in the true world it is not"
MAX_STEPS = 1000
"""Steps that one episode tries."""


class Recorder(Protocol):
    """Keeper of an episode that goes on, so that it can be taken up again elsewhere."""

    def record(self, episode: Episode, changes: Sequence[Change]) -> None:
        """Keep what is new; ``changes`` are those of the belief since the last call.

        It is called at the beginning, when a step is handed out, after each report and at the end.
        """


class Episode:
    """A goal on the way: :meth:`next` gives a step, :meth:`report` takes what came of it.

    ``request`` has the goal and the belief; its true world, if any, is not read. ``policy`` chooses where to
    look, by ``priors``; ``engine`` plans, each time within ``budget``. Where somebody else may move things
    (``still`` is false), places are looked at a second time before a thing is given up, and nothing is called
    unsolvable. With ``confirm`` what was only given is not enough for the end: what the goal rests on is
    looked at once on the way; without it, what is given is taken for true. ``first`` is a plan for the goal,
    where one was made already. ``recorder`` keeps all that happens. ``judge`` knows the true world, and has
    the last word where what the robot is told may be wrong: a goal that it denies ends as ``rejected``.
    Where the run began with another goal, ``earlier`` is the knowledge at the end of that: constraints on the
    run go on from there.
    Where the request is ``tidy``, a hand that was free is free again at the end, unless the goal says that
    something is held.

    The goal of an instruction may name what is in its ``supposition`` alone, of which the belief of the
    request has nothing: such names are placeholders, until things that fit are seen. Then doors and switches
    are put back, too, those that were opened to look inside among them.

    Raises ``ValueError`` for a request without a goal, and :class:`GoalError` for a goal that has errors
    which seeing more cannot mend.

    >>> from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal
    >>> from groundplan.acting import Episode
    >>> from groundplan.simulator.sensing import Environment
    >>> office = ground(load_scene("office"), load_pack())
    >>> robot = Environment(office, failure=0.2, seed=3)
    >>> request = Request(office, goal=parse_goal("(holding banana2)"))
    >>> episode = Episode(request, engine=Engine.named("pyperplan"))
    >>> while (step := episode.next()) is not None:
    ...     changes = episode.report(robot.act(step))
    >>> done = episode.trajectory
    >>> episode.finish.outcome, done.executed[-1], done.executed_mm == robot.moved_mm
    ('verified', Step(name='pickup', args=('banana2',)), True)
    """

    def __init__(
        self,
        request: Request,
        policy: Policy | None = None,
        engine: Engine | None = None,
        budget: Budget | None = None,
        *,
        priors: Priors | None = None,
        still: bool = True,
        confirm: bool = True,
        max_steps: int = MAX_STEPS,
        first: PlanResult | None = None,
        supposition: Supposition | None = None,
        recorder: Recorder | None = None,
        judge: Callable[[Formula], bool] | None = None,
        earlier: Knowledge | None = None,
    ) -> None:
        goal, likely = request.goal, priors or Uniform()
        if goal is None:
            raise ValueError("an episode needs a goal")
        placeholders = NO_PLACEHOLDERS
        if supposition is not None:
            placeholders = Placeholders.of(supposition, goal.formula)
            likely = SaidPlaces(supposition.places, likely)
        engine = engine or Engine.named("pyperplan")
        self.means = Means(policy or NearestUnlooked(), likely, engine, budget or Budget(), max_steps)
        self.knowledge = Knowledge.at_start(goal, request.belief, confirm, still, placeholders, earlier)
        self.tries = Tries(Tidying(request.tidy, doors=supposition is not None), first)
        self.trajectory: Trajectory = replace(NOTHING_DONE, rules=self.knowledge.run.rules)
        self.finish: Finish | None = None
        self.log: list[Entry] = []
        self._queue: list[Step] = []
        self._intended = Intended(None, ())
        """What the steps that are left are for."""
        self.due: Step | None = None
        """The step that was handed out and of which no outcome was reported."""
        self._passed: list[Deciding] = []
        """Decisions of a log by an assessment of the goal that is not made again before it is needed."""
        self._half: tuple[Deciding, int] | None = None
        """The decision of which a log may have the first entries alone, and where these begin."""
        self._recorder, self._judge = recorder, judge
        self._record()

    # Interface of robots

    @property
    def goal(self) -> Goal:
        """The goal, with the things that were taken for placeholders."""
        return self.knowledge.goal

    @property
    def belief(self) -> Belief:
        return self.knowledge.belief

    def next(self) -> Step | None:
        """Return the step to do now, ``None`` at the end; the same one until its outcome is reported."""
        while self.due is None and self.finish is None:
            if self._queue and self.tries.steps < self.means.max_steps:
                if forbidding := self.knowledge.run.forbids(self._queue[0]):
                    self._leave_undone(self._queue[0], forbidding)
                else:
                    self.due = self._queue[0]
            else:
                self._queue.clear()
                try:
                    self._follow(self._decision())
                except GoalError as error:  # what was seen shows that the goal is none for this world
                    reasons = (error.got or str(error),)
                    self._follow(ending(self.knowledge, self.tries, Finish(GOAL_ERROR, reasons)))
        self._record()
        return self.due if self.finish is None else None

    def report(self, outcome: StepOutcome) -> tuple[Change, ...]:
        """Take what came of the step, or of looking around where no step is due; return what changed.

        Raises :class:`SceneError` for observations that form no scene with what is believed, or name what is
        neither believed nor seen, or a placeholder; the report may be mended then, and nothing has been taken
        from it.
        """
        step, before = self.due, self.knowledge
        self.knowledge = after = before.after(step, outcome)
        self.due = self._half = None
        changes, actions = after.belief.log[len(before.belief.log) :], after.actions[len(before.actions) :]
        self.log.append(Reported(step, outcome))
        self.trajectory = self.trajectory.after(step, outcome, actions, changes, after.run.rules)
        new_ways = other_ways(before, after)
        if new_ways:
            tries, self.tries = self.tries, self.tries.with_ways(before, after)
            if self.tries is not tries:
                self._assess_anew()
        if step is not None:
            self.tries = self.tries.after_step(step, outcome.done, changes)
            if outcome.done:
                self._queue.pop(0)
            elif self.tries.failures.get(step, 0) >= MAX_TRIES:
                self._give_up(step)
        if changes or new_ways:
            self._reconsider(before)
        if not self._queue:
            self._end_of_look()
        if changes and (bound := self.knowledge.bound()) is not None:
            self._follow(Decision(self.tries, knowledge=bound))
        self._record(changes)
        return changes

    def cut_off(self, outcome: str, reasons: Sequence[str]) -> None:
        """End as it is written of a run that the clock or the machine ended, where no step is left to do."""
        if not self._queue:
            self._follow(ending(self.knowledge, self.tries, Finish(outcome, tuple(reasons))))
            self._record()

    @classmethod
    def resume(cls, request: Request, log: Sequence[Entry], *args: Any, **options: Any) -> Episode:
        """Return an episode that continues where a log of the same request ends, as if it had not been cut.

        Further arguments are those of :class:`Episode`. Raises :class:`InputError` for a log that does not
        fit the request.
        """
        episode = cls(request, *args, **options)
        for number, entry in enumerate(log):
            episode._replay(entry, f"log[{number}]")
        episode._record()
        return episode

    def _replay(self, entry: Entry, where: str) -> None:
        if isinstance(entry, Reported):
            if entry.step is not None:
                self.due = self._queue[0] if self._queue else None
                self._record()
                if entry.step != self.due:
                    due = str(self.due or "no step")
                    raise InputError(where, due, str(entry.step), "is this the log of this request?")
            self.report(entry.outcome)
        elif not isinstance(entry, Unreached) or entry.spot not in self.tries.unreached:
            self._pass(entry)
            self._enter(entry)

    def _pass(self, entry: Intended | Unreached | LookedAgain) -> None:
        """Note what a decision of a log is to those that come after it, without making it again."""
        case = self._deciding()
        if isinstance(entry, Unreached):
            self._half = self._half or (case, len(self.log))
        if isinstance(entry, Intended) and entry.look is None and case.is_reached:
            tidying = self.tries.tidying.noted(self.goal, self.knowledge.actions, self.belief)
            self.tries = replace(self.tries, tidying=tidying)
        elif case.assesses:
            if self.tries.look_first:
                self.tries = replace(self.tries, look_first=())
                self._assess_anew()
            self._passed.append(self._deciding())
            self.tries = replace(self.tries, first=None)

    # Decisions

    def _deciding(self) -> Deciding:
        return Deciding(self.knowledge, self.tries, self.trajectory.executed, self.means)

    def _decision(self) -> Decision:
        """Return what is decided now, by the assessment to which the decisions of a log came."""
        for case in self._passed:
            case = replace(case, tries=replace(case.tries, assessment=self.tries.assessment))
            if case.has_to_assess:
                self.tries = replace(self.tries, assessment=case.assessment())
        self._passed.clear()
        half, self._half = self._half, None
        if half is not None:  # the log ends with spots that were given up, and maybe not with all of them
            case, start = half
            case = replace(case, tries=replace(case.tries, assessment=self.tries.assessment))
            decision, there = case.decide(), tuple(self.log[start:])
            tries = decision.tries.without_spots(self.tries.unreached)
            if decision.entries[: len(there)] == there:
                return replace(decision, tries=tries, entries=decision.entries[len(there) :])
        return self._deciding().decide()

    def _assess_anew(self) -> None:
        self.tries = replace(self.tries, assessment=None)
        self._passed.clear()

    def _follow(self, decision: Decision) -> None:
        """Do what was decided: go on with other steps or knowledge, or end."""
        self.tries, bound, finish = decision.tries, decision.knowledge, decision.finish
        for entry in decision.entries:
            self._enter(entry)
        if bound is not None:
            self.knowledge, self.due = bound, None
            self._intended = replace(self._intended, look=None)
            self._queue.clear()
            self._assess_anew()
        if finish is not None:
            self._queue.clear()
            self.finish = finish if self._borne_out(finish) else Finish(REJECTED, (MISLED,))
            if finish.outcome == Ending.UNSOLVABLE.value:
                self.trajectory = replace(self.trajectory, exhausted=finish.places)

    def _borne_out(self, finish: Finish) -> bool:
        """Return whether a goal that is believed reached is reached, as far as anybody is there to say."""
        if self._judge is None or finish.outcome != "verified":
            return True
        return self._judge(self.tries.tidying.goal(self.goal).formula)

    def _enter(self, entry: Intended | Unreached | LookedAgain) -> None:
        """Write an entry of the log, and do as it says."""
        self.log.append(entry)
        if not isinstance(entry, Unreached):
            self._half = None
        match entry:
            case Intended(look, steps):
                self._intended, self._queue = entry, list(steps)
                if look is None:
                    self._assess_anew()
                else:
                    self.trajectory = replace(self.trajectory, looks=(*self.trajectory.looks, look))
            case Unreached(spot, reason):
                self.tries = self.tries.without_spots({spot: reason})
            case LookedAgain():
                self.knowledge = self.knowledge.looked_again()
                self.tries = self.tries.in_another_pass()
                self._assess_anew()

    def _leave_undone(self, step: Step, forbidding: str) -> None:
        """Do nothing that the goal or a rule forbids: give a look up for it, or end."""
        look, reason = self._intended.look, f"{clip(forbidding)} forbids {step}"
        self._queue.clear()
        if look is not None and look not in self.tries.unreached:
            self._enter(Unreached(look, reason))
        else:
            self._follow(ending(self.knowledge, self.tries, Finish(Ending.NOT_FOUND.value, (reason,))))

    # What came of a step

    def _give_up(self, step: Step) -> None:
        """Give up a step that failed time and again: see its things first, or look for another way."""
        look = self._intended.look
        self.tries = replace(self.tries, failures={s: n for s, n in self.tries.failures.items() if s != step})
        self._queue.clear()
        if look is not None:
            if look not in self.tries.unreached:
                self._enter(Unreached(look, f"{step} failed {MAX_TRIES} times"))
        elif spots := self.tries.unseen_of(step, self.knowledge):
            self.tries = replace(self.tries, look_first=spots)
            self.trajectory = self.trajectory.without_plan()
            return
        excluded, other_way = self.tries.excluded.without(step, self.belief, MAX_TRIES)
        self.tries = replace(self.tries, excluded=excluded)
        if look is None and not other_way:
            if self.knowledge.value is not True:
                end = Finish("not-found", excluded.reasons[-1:])
                return self._follow(ending(self.knowledge, self.tries, end))
            # It was to put something back.
            self.tries = replace(self.tries, tidying=replace(self.tries.tidying, given_up=True))
        if look is None:
            self.trajectory = self.trajectory.without_plan()
        self._assess_anew()

    def _reconsider(self, before: Knowledge) -> None:
        """Keep the steps that are left where they still do what they are for, or else drop them."""
        look, after = self._intended.look, self.knowledge
        news = matters(before, after, self._intended.any_news)
        if news and (look is not None or not self._queue):
            self._assess_anew()
        if not self._queue:
            return
        # What is sought may be in sight: then it is asked again whether to go on looking.
        ended = news and look is not None
        if ended or not still_works(self._queue, look, after, self._deciding().believed):
            self._queue.clear()
            self._assess_anew()
            if look is None:
                self.trajectory = self.trajectory.without_plan()

    def _end_of_look(self) -> None:
        """Note what a look has shown that was carried out."""
        look, tries = self._intended.look, self.tries
        if look is None:
            return
        self._intended = replace(self._intended, look=None)
        self.tries = tries.after_look(look, self.knowledge)
        failed = self.tries is not tries and self.tries.failed_looks[look] >= MAX_FAILED_LOOKS
        if failed and look not in tries.unreached:
            self._enter(Unreached(look, NOT_SHOWN))

    def _record(self, changes: Sequence[Change] = ()) -> None:
        if self._recorder is not None:
            self._recorder.record(self, changes)
