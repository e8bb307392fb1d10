"""An execution: one goal, carried out step by step in a world that may differ from what is believed.

    execution = Execution(request, policy, engine)
    while (step := execution.next()) is not None:
        execution.report(do(step))          # a robot, or Environment.act
    execution.finish                        # how it ended

It plans for the goal with what is believed, hands out the steps, and believes what it is told of each. It
continues from the state that was reached: nothing is done again. It looks around only where the goal needs
it: for things without a place, and, where the belief is marked open, until the goal is true of whatever may
still be unseen. Where to look next is the policy's choice. It plans again only when something that it sees
changes the answer. Nothing here knows the true world, and nothing waits, so that a robot's node can call it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..compiler.goals.goal import Goal
from ..domains.action import PlanAction
from ..domains.ending import Ending
from ..domains.errors import GoalError, InputError
from ..domains.formula import FALSE, TRUE, Formula, names
from ..engines.base import Budget
from ..engines.engine import Engine
from ..engines.result import NOT_PLANNED, PlanResult
from ..planners.classical import plan_goal
from ..planners.request import Request
from ..simulator.belief import Belief
from ..simulator.observations.observation import Change, Spot, StepOutcome
from ..simulator.sensing.snapshot import believed_after
from ..simulator.sensing.spots import room_of_spot
from ..simulator.step import DONE, Step
from ..simulator.world import Refusal, World
from .barring import Barred
from .certainty.mendable import mendable_errors
from .certainty.sightings import Sightings
from .certainty.support import Support, unseen_support
from .finish import CUT_OFF, EXHAUSTED, GOAL_ERROR, NO_EXPANSIONS, NO_WAY, OTHERS, UNSURE, Finish
from .log import Entry, Intended, LookedAgain, Recorder, Reported, Unreached
from .looking import (
    candidates,
    in_sight,
    look_plan,
    onward_of,
    quantified,
    sought_of,
)
from .observation import Observation
from .policy import LookOption, NearestUnlooked, Policy, Priors, Situation, Uniform
from .tidying import Tidying

MAX_TRIES = 8
"""Tries of one step that fails and shows nothing new, before another way is planned."""
MAX_STEPS = 1000
"""Steps that one execution tries."""
MAX_LOOKS_IN_VAIN = 2
"""Looks at one spot that do not show all that is there, before it is given up."""


class Execution(Sightings):
    """A goal on the way: :meth:`next` gives a step, :meth:`report` takes what came of it.

    ``request`` has the goal and the belief; its true world, if any, is not read. ``policy`` chooses where to
    look, by ``priors``; ``engine`` plans, each time within ``budget``. Where somebody else may move things
    (``still`` is false), places are looked at a second time before a thing is given up, and nothing is called
    unsolvable. With ``confirm`` what was only given is not enough for the end: what the goal rests on is
    looked at once on the way; without it, what is given is taken for true. ``first`` is a plan for the goal,
    where one was made already. ``recorder`` keeps all that happens. Where the request is ``tidy``, a hand
    that was free is free again at the end, unless the goal says that something is held.

    Raises ``ValueError`` for a request without a goal, and :class:`GoalError` for a goal that has errors
    which seeing more cannot mend.

    >>> from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal
    >>> from groundplan.acting import Execution
    >>> from groundplan.simulator.sensing import Environment
    >>> office = ground(load_scene("office"), load_pack())
    >>> robot = Environment(office, failure=0.2, seed=3)
    >>> request = Request(office, goal=parse_goal("(holding banana2)"))
    >>> execution = Execution(request, engine=Engine.named("pyperplan"))
    >>> while (step := execution.next()) is not None:
    ...     changes = execution.report(robot.act(step))
    >>> execution.finish.outcome, execution.executed[-1], execution.executed_mm == robot.moved_mm
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
        recorder: Recorder[Execution] | None = None,
    ) -> None:
        if request.goal is None:
            raise ValueError("an execution needs a goal")
        super().__init__(request.goal, request.belief, confirm, still)
        self.policy: Policy = policy or NearestUnlooked()
        self.priors: Priors = priors or Uniform()
        self.engine = engine or Engine.named("pyperplan")
        self.budget = budget or Budget()
        self.max_steps = max_steps
        self.finish: Finish | None = None
        self.planning: PlanResult = NOT_PLANNED
        """The last plan for the goal."""
        self.planned_from: Belief = request.belief
        """The belief that the last plan begins with."""
        self.executed: list[Step] = []
        self.executed_mm = 0
        self.actions: list[PlanAction] = []
        """The pack's actions that the robot did, as far as it believed them possible."""
        self.looks: list[Spot] = []
        """The spots to which the robot went to look, in order."""
        self.replans = 0
        """How often a plan for the goal was given up for another."""
        self.observations: list[Observation] = []
        """What was seen otherwise than believed, each with the number of steps done before."""
        self.tidying = Tidying(request.tidy)
        """What was left otherwise than found, and put back in the end."""
        self.log: list[Entry] = []
        self._request = replace(request, world=None)
        self._queue: list[Step] = []
        self._purpose: Spot | None = None
        self._pending: Step | None = None
        self._tries: dict[Step, int] = {}
        self._tried = 0
        self._vain: dict[Spot, int] = {}
        self._unreached: dict[Spot, str] = {}
        self._must_look: tuple[Spot, ...] = ()
        self._look_first: tuple[Spot, ...] = ()
        """The spots of things that could not be handled where they were given, to be looked at first."""
        self._barred = Barred()
        self._sweeps = 1
        self._due = True
        self._judged: Belief | None = None
        """The belief with which the goal was last checked and planned for."""
        self._first = first
        self._failed: PlanResult | None = None
        self._lacks: bool | None = None
        """Whether something that nobody told of might make the goal possible, where that was asked."""
        self._any_news = False
        self._errors = mendable_errors(self.goal, self.belief, self.unseen)
        self._note_happened()
        self._recorder = recorder
        self._record()

    # Interface of robots

    @property
    def due(self) -> Step | None:
        """The step that was handed out and of which no outcome was reported."""
        return self._pending

    @property
    def state(self) -> World:
        """A copy of the world as it is believed now."""
        return self._world.fork()

    def next(self) -> Step | None:
        """Return the step to do now, ``None`` at the end; the same one until its outcome is reported."""
        while self._pending is None and self.finish is None:
            if self._queue and self._tried < self.max_steps:
                self._pending = self._queue[0]
            else:
                self._queue.clear()
                try:
                    self._decide()
                except GoalError as error:  # what was seen shows that the goal is none for this world
                    self._end(GOAL_ERROR, (error.got or str(error),))
        self._record()
        return self._pending if self.finish is None else None

    def report(self, outcome: StepOutcome) -> tuple[Change, ...]:
        """Take what came of the step, or of looking around where no step is due; return what changed.

        Raises :class:`SceneError` for observations that form no scene with what is believed, or name what is
        neither believed nor seen; the report may be mended then, and nothing has been taken from it.
        """
        step, before = self._pending, self.belief
        believed, actions = self._advanced(step, outcome)
        after = believed.observe(outcome.observations)
        self._pending = None
        if step is not None and outcome.done and self._queue and self._queue[0] == step:
            self._queue.pop(0)
        self.actions += actions
        self.log.append(Reported(step, outcome))
        changes = after.log[len(before.log) :]
        if after is not before:
            # A copy of the difference alone: a world on top of each belief would be a tower of them.
            self.belief, self._world = after, World(after, (), after.facts.copy())
        self._evidence.note(actions, outcome.observations, self.belief)
        self._spots()  # now, so that they are the same for whoever replays it and decides less
        other_ways = after.scene.links != before.scene.links or after.shut_ways != before.shut_ways
        if other_ways and self._unreached:
            self._take_up_again(before)
        if step is not None:
            self.executed_mm += outcome.moved_mm
            self._tried += 1
            if outcome.done:
                self.executed.append(step)
                self._tries.pop(step, None)
        self.observations += [Observation(len(self.executed), c.node, c.believed, c.seen) for c in changes]
        self._note_happened()
        if step is not None and not outcome.done:
            self._tried_in_vain(step, changes)
        if changes or other_ways:
            self._reconsider(changes, other_ways)
        if not self._queue:
            self._end_of_plan()
        self._record(changes)
        return changes

    def cut_off(self, outcome: str, reasons: Sequence[str]) -> None:
        """End as it is written of a run that the clock or the machine ended, where no step is left to do."""
        if not self._queue:
            self._end(outcome, tuple(reasons))
            self._record()

    @classmethod
    def resume(cls, request: Request, log: Sequence[Entry], *args: object, **options: object) -> Execution:
        """Return an execution that continues where a log of the same request ends; its plans are kept.

        Further arguments are those of :class:`Execution`. Raises :class:`InputError` for a log that does not
        fit the request.
        """
        execution = cls(request, *args, **options)  # type: ignore[arg-type]
        for number, entry in enumerate(log):
            execution._replay(entry, f"log[{number}]")
        execution._due = True  # what was known of the goal when the log ended is not in it
        execution._record()
        return execution

    def _replay(self, entry: Entry, where: str) -> None:
        match entry:
            case Intended(look, steps, any_news):
                self._intend(look, steps, any_news)
            case Reported(step, outcome):
                if step is not None:
                    self._pending = self._queue[0] if self._queue else None
                    self._record()
                    if step != self._pending:
                        due = str(self._pending or "no step")
                        raise InputError(where, due, str(step), "is this the log of this request?")
                self.report(outcome)
            case Unreached(spot, reason):
                self._give_up_spot(spot, reason)
            case LookedAgain():
                self._look_again()

    def _record(self, changes: Sequence[Change] = ()) -> None:
        if self._recorder is not None:
            self._recorder.record(self, changes)

    # What is believed

    def _advanced(self, step: Step | None, outcome: StepOutcome) -> tuple[Belief, Sequence[PlanAction]]:
        """Return what is believed after a step, before anything was seen, and the actions that it was."""
        if step is None or not outcome.done:
            return self.belief, ()
        world = self._world.fork()
        effect = world.apply(step)
        if isinstance(effect, Refusal):  # it has been done all the same: what is seen says what is so
            return self.belief, ()
        return believed_after(self.belief, world, effect), effect.actions

    def _take_up_again(self, before: Belief) -> None:
        """Let spots be looked at that were given up and to which a way leads now, and none led before."""
        here = self._world.around(self._world.stands_at)[-1]
        for spot in tuple(self._unreached):
            room = room_of_spot(spot, self._world)
            if room is None or not self.belief.routes.connected(here, room):
                continue
            if room not in before.scene.nodes or not before.routes.connected(here, room):
                del self._unreached[spot]
                self._due = True

    def _tried_in_vain(self, step: Step, changes: Sequence[Change]) -> None:
        """Count a step that was not done; give it up after :data:`MAX_TRIES`.

        It is counted anew where something about what it is done with was seen.
        """
        if any(change.node in step.args for change in changes):
            self._tries.pop(step, None)
            return
        self._tries[step] = self._tries.get(step, 0) + 1
        if self._tries[step] < MAX_TRIES:
            return
        self._tries.pop(step)
        self._queue.clear()
        if self._purpose is None and (spots := self._spots_of_unseen(step)):
            self.replans += 1
            self._look_first = spots
            return
        if self._purpose is not None:
            self._give_up_spot(self._purpose, f"{step} failed {MAX_TRIES} times")
        if not self._barred.give_up(step, self.belief, MAX_TRIES) and self._purpose is None:
            if self._open().decide(self.goal.formula) is not True:
                return self._end("not-found", (self._barred.reasons[-1],))
            self.tidying.given_up = True  # it was to put something back
        if self._purpose is None:
            self.replans += 1
        self._due = True

    def _spots_of_unseen(self, step: Step) -> tuple[Spot, ...]:
        """Return the spots at which things of a step are believed to be that nobody has seen there."""
        nodes, seen = self.belief.scene.nodes, self._evidence.seen
        things = [a for a in step.args if nodes[a].type == "object" and a not in seen]
        spots = (self._spot_of(name) for name in things)
        left = (s for s in spots if s not in self.belief.looked and s not in self._unreached)
        return tuple(dict.fromkeys(left))

    def _reconsider(self, changes: Sequence[Change], other_ways: bool) -> None:
        """Keep the steps that are left where they still do what they are for, or else drop them."""
        interesting = self._interesting(changes) or (other_ways and self._any_news)
        if self._purpose is not None or not self._queue:
            self._due = self._due or interesting
        if not self._queue:
            return
        world = World(self._believed_for_planning())
        works = not any(isinstance(world.apply(step), Refusal) for step in self._queue)
        if self._purpose is None:
            works = works and self._open(world).decide(self.goal.formula) is True
        elif interesting:  # what is sought may be in sight: ask again whether to go on looking
            works = False
        if not works:
            self._queue.clear()
            self.replans += self._purpose is None
            self._due = True

    def _interesting(self, changes: Sequence[Change]) -> bool:
        """Return whether a change may make another plan possible, or needed."""
        if self._any_news and not self._missing():
            return True
        goal, belief = self.goal.formula, self.belief
        named = frozenset(names(goal))
        kinds = quantified(goal)
        return any(c.node in named or any(c.node in belief.members(kind) for kind in kinds) for c in changes)

    def _end_of_plan(self) -> None:
        """Note what a plan that was carried out has shown."""
        spot, self._purpose = self._purpose, None
        if spot is None:
            return
        half = (name for name in self._evidence.in_part if name not in self.belief.scene.unplaced)
        if spot in self.belief.looked and all(self._spot_of(name) != spot for name in half):
            return
        self._vain[spot] = self._vain.get(spot, 0) + 1
        if self._vain[spot] >= MAX_LOOKS_IN_VAIN:
            self._give_up_spot(spot, "looking there did not show all of it")

    # What to do next

    def _decide(self) -> None:
        """Intend something to do, or end."""
        if self._open().decide(self.goal.formula) is True:
            believed = self._rests_on_unseen(self.goal.formula)
            if not believed:
                return self._end_reached()
            if self._tried < self.max_steps:
                return self._look_or_end(believed)
        if self._tried >= self.max_steps:
            return self._end("not-found", (f"out of budget: {self._tried} steps were tried",))
        if self._look_first:
            left = [s for s in self._look_first if s not in self.belief.looked and s not in self._unreached]
            if left:
                return self._look(left, True)
            self._look_first, self._due = (), True
        if self._due or not (self._failed or self._errors or self._must_look):
            self._due, self._judged, self._must_look, self._failed = False, self.belief, (), None
            self._lacks = None
            self._errors = mendable_errors(self.goal, self.belief, self.unseen)
            rest = self._rest()
            # Of a class that nobody has seen there is none so far; a thing must have a place first.
            of_rest = rest not in (FALSE, self.goal.formula)
            errors = mendable_errors(Goal.of(rest), self.belief, self.unseen) if of_rest else self._errors
            if not any("place-unknown" in error for error in errors) and self._plan(rest):
                return None
            if self.engine.exhausted and not self._must_look:
                self.planning = self._failed or PlanResult(Ending.NOT_FOUND, reasons=(NO_EXPANSIONS,))
                return self._end("not-found", self.planning.reasons)
        if self._must_look:
            open_spots = [s for s in self._must_look if s not in self.belief.looked]
            if not open_spots:
                self._due = True
                return None
            return self._look(open_spots, True)
        if self.belief.unseen or self._missing() or self._more_may_help():
            return self._look(self._unlooked(), False)
        return self._give_up()

    def _more_may_help(self) -> bool:
        """Return whether something that nobody told of might make the goal possible."""
        failed = self._failed
        if self._lacks is None:
            self._lacks = bool(self.unseen and self._errors)
            if self.unseen and failed is not None and failed.ending is Ending.UNSOLVABLE:
                self._lacks = self._lacks or self._support(lacks=True).anywhere
        return self._lacks

    def _look_or_end(self, spots: Sequence[Spot]) -> None:
        """Look at spots of what the goal rests on; end where none of them can be looked at."""
        if any(spot not in self._unreached for spot in spots):
            return self._look(spots, True)
        left = [f"not looked at: {spot} ({self._unreached[spot]})" for spot in spots]
        part = [name for name in self._evidence.in_part if self._spot_of(name) in spots]
        left += [f"not all of it was seen: {name}" for name in part]
        return self._end("not-found", (UNSURE, *left), tuple(map(str, spots)))

    def _plan(self, rest: Formula) -> bool:
        """Plan for the rest of the goal; return whether there is a plan after which it is sure to hold."""
        belief = self._believed_for_planning()
        result = self._first if belief.scene is self._given.scene else None
        self._first = None
        if result is None:
            goal = self.goal if rest == self.goal.formula else Goal.of(rest)
            result = plan_goal(goal, belief, self.engine, self.budget)
        if not result.verified:
            self._failed = result
            return False
        self._failed = None
        end = World(belief)
        for step in result.steps:
            end.apply(step)
        ahead = self._open(end, dict.fromkeys((*self._happened, *self._on_the_way(result.steps, belief))))
        self._must_look = ahead.matters(self.goal.formula)
        if not self._must_look and ahead.decide(self.goal.formula) is False:
            self._must_look = ahead.unlooked  # what has no place is in none of the plan, and is in the way
        if self._must_look:
            return False
        self.planning, self.planned_from = result, belief
        steps = tuple(step for step in result.steps if step != DONE)
        if not steps:
            if doubtful := self._unsure_of_what_happened():
                self._look_or_end(doubtful)
                return True
            if self._may_look_again():
                self._look_again()
                return True
            # Seen from here the goal holds, and yet is not sure: nothing that can be done would change that.
            self._end("not-found", ("nothing is left to do, and the goal is not sure to hold",))
            return True
        self._intend(None, steps)
        return True

    def _look(self, places: Sequence[Spot], all_needed: bool) -> None:
        """Choose a spot, and plan the look at it; give up those that cannot be looked at."""
        belief = self._believed_for_planning()
        world = World(belief)
        left = [spot for spot in places if spot not in self._unreached]
        sought = sought_of(self.goal.formula, self.belief, self._missing(), self.unseen)
        listed, unreached = candidates(left, world, sought, self.priors)
        for spot, reason in unreached.items():
            self._give_up_spot(spot, reason)
        if not listed:
            return self._look_again() if self._may_look_again() else self._give_up()
        onward = onward_of(self.goal.formula, belief, sought, world.stands_at)
        situation = Situation(world.stands_at, listed, sought, belief.routes.distance, onward, all_needed)
        chosen: LookOption = self.policy.choose(situation)
        steps = look_plan(chosen.spot, belief, self.engine, self.budget)
        if isinstance(steps, str):
            return self._give_up_spot(chosen.spot, steps)
        if not steps:  # it is in sight, and was not seen: a robot that reports nothing
            return self._give_up_spot(chosen.spot, "looking there did not show all of it")
        # Kept in the log: without planning anew nobody could say later why a look was ended.
        self._intend(chosen.spot, steps, self._failed is not None and not self._errors)
        return None

    def _intend(self, look: Spot | None, steps: Sequence[Step], any_news: bool = False) -> None:
        self.log.append(Intended(look, tuple(steps), any_news))
        self._any_news = any_news
        self._queue, self._purpose = list(steps), look
        self._due = False
        if look is not None:
            self.looks.append(look)

    def _give_up_spot(self, spot: Spot, reason: str) -> None:
        if spot not in self._unreached:
            self._unreached[spot] = reason
            self.log.append(Unreached(spot, reason))

    def _may_look_again(self) -> bool:
        """Return whether what is sought may have come to where it was looked for already."""
        return not self.still and self._sweeps == 1 and bool(self._missing() or self.unseen)

    def _look_again(self) -> None:
        self._sweeps += 1
        seen_now = frozenset(spot for spot in self.belief.looked if in_sight(spot, self._world))
        self.belief = replace(self.belief, looked=seen_now)
        self._world = World(self.belief)
        self._unreached.clear()
        self._vain.clear()
        self._due = True
        self.log.append(LookedAgain())

    def _believed_for_planning(self) -> Belief:
        return self._barred.applied(self.belief)

    # Ends

    def _end_reached(self) -> None:
        self.tidying.note(self.goal, self.actions, self.belief)
        if self.tidying.left and self._tried < self.max_steps:
            belief = self._believed_for_planning()
            if (result := self.tidying.plan(self.goal, belief, self.engine, self.budget)) is not None:
                self.planning, self.planned_from = result, belief
                return self._intend(None, tuple(step for step in result.steps if step != DONE))
        if not self.planning.verified or not self._planned_to_the_end():
            # The goal came true by what was seen, or by other people: the plan from here has no step.
            result = plan_goal(Goal.of(self._rest()), self.belief, self.engine, self.budget)
            if not result.verified and self._missing():  # sure, but with things in it that no plan has
                result = plan_goal(Goal.of(TRUE), self.belief, self.engine, self.budget)
            if not result.verified:
                return self._end(result.outcome, result.reasons)
            self.planning, self.planned_from = result, self.belief
        self._end("verified", ())
        return None

    def _planned_to_the_end(self) -> bool:
        """Return whether the last steps that were done are those of the last plan."""
        steps = [step for step in self.planning.steps if step != DONE]
        return self.executed[len(self.executed) - len(steps) :] == steps

    def _give_up(self) -> None:
        """End without the goal: nothing is left to look at, and no plan was found with what is known.

        What was seen since the goal was last considered counts, so that an end is the same for a robot that
        was taken up again just before it.
        """
        if self._judged is not self.belief:
            self._due = True
            return None
        result = self._failed
        reasons = [*self._errors, *(result.reasons if result is not None else ())]
        not_seen = {
            spot: reason for spot, reason in self._unreached.items() if spot not in self.belief.looked
        }
        missing = self._missing()
        if missing:
            reasons.append(f"not found: {', '.join(missing)}")
        if result is not None and result.outcome in CUT_OFF:
            return self._end(result.outcome, tuple(reasons))
        if not_seen or self._barred.reasons or (missing and not self.still):
            more = [f"not looked at: {spot} ({reason})" for spot, reason in not_seen.items()]
            return self._end("not-found", (*reasons, *more, *self._barred.reasons), tuple(map(str, not_seen)))
        if self._must_look:
            return self._end("not-found", (*reasons, "it is not sure that the goal would hold"))
        if missing and self._errors:
            doubtful = self._proof_rests_on()
            return self._look_or_end(doubtful) if doubtful else self._end_exhausted(tuple(reasons))
        if result is None and self._errors:  # of a class that is nowhere: proved like any other goal
            result = plan_goal(self.goal, self.belief, self.engine, self.budget)
            reasons += result.reasons
        if result is None:
            return self._end("not-found", tuple(reasons))
        if result.ending is Ending.UNSOLVABLE and not self.still:
            return self._end("not-found", (*reasons, OTHERS))
        if result.ending is Ending.UNSOLVABLE and (doubtful := self._proof_rests_on()):
            return self._look_or_end(doubtful)
        if (self.belief.unseen or self._lacks) and result.ending is Ending.UNSOLVABLE:
            return self._end_exhausted(tuple(reasons))
        self.planning, self.planned_from = result, self.belief
        return self._end(result.outcome, tuple(reasons))

    def _proof_rests_on(self) -> tuple[Spot, ...]:
        """Return the spots of what was never seen, if there might be a plan were that otherwise."""
        support = self._support()
        return tuple(dict.fromkeys((*map(self._spot_of, support.nodes), *support.views)))

    def _support(self, lacks: bool = False) -> Support:
        seen, in_part, rest = self._evidence.seen, self._evidence.in_part, Goal.of(self._rest())
        return unseen_support(
            rest, self.belief, seen, in_part, self._spots(), self.engine, self.budget, lacks
        )

    def _end_exhausted(self, reasons: tuple[str, ...]) -> None:
        """End with the places that were looked at as the proof that there is no plan."""
        if not self.still:
            return self._end("not-found", (*reasons, OTHERS))
        if "room" in self.unseen:
            return self._end("not-found", (*reasons, f"not looked at: {NO_WAY}"))
        self.planning = PlanResult(Ending.UNSOLVABLE, proof=EXHAUSTED, reasons=(EXHAUSTED, *reasons))
        self.planned_from = self.belief
        place = {name: number for number, name in enumerate(self.belief.scene.nodes)}
        spots = sorted(self.belief.looked, key=lambda spot: (place[spot.node], spot.relation))
        looked = tuple(map(str, spots))
        return self._end("unsolvable", (EXHAUSTED, *reasons), looked)

    def _end(self, outcome: str, reasons: tuple[str, ...], places: tuple[str, ...] = ()) -> None:
        self._queue.clear()
        self.finish = Finish(outcome, reasons, places, self._taken_for_granted(outcome))
