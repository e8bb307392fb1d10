"""Decision of an episode: from what is known and what was tried to what is done next, or to an end.

It changes nothing and sees no world. The answer is said in entries of the log, so that whoever takes up a log
comes to the same state. The goal is assessed, by planning for it, only where something that was seen may
change the answer; until then an assessment says where to look.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..compiler.goals.goal import Goal
from ..domains.ending import Ending
from ..domains.evaluate import evaluate
from ..domains.formula import TRUE
from ..engines.base import Budget
from ..engines.engine import Engine
from ..engines.result import PlanResult
from ..planners.classical import plan_goal
from ..simulator.belief import Belief
from ..simulator.observations.observation import Spot
from ..simulator.step import DONE, Step
from ..simulator.verification import unkept
from ..simulator.world import World
from .assessment import Assessment, assess
from .certainty.assumptions import assumptions
from .certainty.knowledge import Knowledge
from .certainty.support import unseen_support
from .finish import CUT_OFF, EXHAUSTED, GOAL_ERROR, NO_EXPANSIONS, NO_WAY, OTHERS, UNSURE, Finish
from .log import Intended, LookedAgain, Unreached
from .looking import candidates, look_plan, onward_of, sought_of, views_of
from .policies.policy import Policy, Priors, Situation
from .tries import Tries

NOT_SHOWN = "looking there did not show all of it"
"""The reason for which a spot is given up that is in sight and was not seen."""


@dataclass(frozen=True)
class Means:
    """Means by which an episode decides: a policy of looks, beliefs, an engine, and limits."""

    policy: Policy
    priors: Priors
    engine: Engine
    budget: Budget
    max_steps: int


@dataclass(frozen=True)
class Decision:
    """Next thing to do: entries of the log, an end, or, with neither, to decide again.

    ``knowledge`` is there where a placeholder was bound in place of an end.
    """

    tries: Tries
    entries: tuple[Intended | Unreached | LookedAgain, ...] = ()
    finish: Finish | None = None
    knowledge: Knowledge | None = None


def ending(knowledge: Knowledge, tries: Tries, finish: Finish) -> Decision:
    """Return the decision to end, with what that takes for granted.

    Where placeholders are left, things that fit them less well replace them, and nothing ends; without such
    things nothing is proved.
    """
    outcome, reasons = finish.outcome, finish.reasons
    if outcome != "verified" and knowledge.placeholders.unbound:
        relaxed = knowledge.bound(relaxed=True)
        if relaxed is not None:
            return Decision(tries, knowledge=relaxed)
        outcome = "not-found" if outcome == Ending.UNSOLVABLE.value else outcome
        reasons = knowledge.placeholders.reasons(reasons, knowledge.belief)
    assumes = assumptions(knowledge, outcome)
    return Decision(tries, finish=Finish(outcome, reasons, finish.places, assumes))


@dataclass(frozen=True)
class Deciding:
    """All that a decision follows from; ``executed`` are the steps that were done."""

    knowledge: Knowledge
    tries: Tries
    executed: Sequence[Step]
    means: Means

    def decide(self) -> Decision:
        """Return what to do next. Raises :class:`GoalError` where the goal is none for the world as seen."""
        if broken := [unkept(rule) for rule in self.knowledge.run.rules if rule.broken_by == "start"]:
            return self._end(GOAL_ERROR, *broken)
        steps, most = self.tries.steps, self.means.max_steps
        if self.knowledge.value is True:
            doubtful = self._doubtful
            if not doubtful:
                return self._reached()
            if steps < most:
                return self._look_or_end(doubtful)
        if steps >= most:
            return self._end("not-found", f"out of budget: {steps} steps were tried")
        if self.tries.look_first:
            first = self.tries.to_be_looked_at(self.tries.look_first, self.knowledge)
            if first:
                return self._look(first, True)
            return self._with(look_first=(), assessment=None).decide()
        if self.has_to_assess:
            return self._assessed()
        assert self.tries.assessment is not None
        spots = self._places(self.tries.assessment)
        if spots is None:
            return self._give_up()
        return self._look(spots, bool(self.tries.assessment.required))

    @property
    def is_reached(self) -> bool:
        """True where the goal is sure to hold by what was seen, and the rules leave nothing due."""
        return self.knowledge.value is True and not self._doubtful

    @property
    def assesses(self) -> bool:
        """True where the decision is by an assessment of the goal, new or not."""
        spent = self.tries.steps >= self.means.max_steps
        first = self.tries.to_be_looked_at(self.tries.look_first, self.knowledge)
        return not spent and not first and self.knowledge.value is not True

    @property
    def has_to_assess(self) -> bool:
        """True where there is no assessment, or an earlier one that leaves nothing to look at."""
        assessment = self.tries.assessment
        if assessment is None or assessment.plan is not None:
            return True
        if assessment.knowledge.belief is self.knowledge.belief:
            return False
        spots = self._places(assessment)
        if spots is None or self._may_look_again:
            return spots is None
        left = [spot for spot in spots if spot not in self.tries.unreached]
        return not views_of(left, World(self.believed))[0]

    def assessment(self) -> Assessment:
        """Assess the goal."""
        means = self.means
        return assess(self.knowledge, self.believed, means.engine, means.budget, self.tries.first)

    @property
    def believed(self) -> Belief:
        """The belief to plan with: without what was given up."""
        return self.knowledge.run.ruled(self.tries.excluded.applied(self.knowledge.belief))

    @property
    def _doubtful(self) -> tuple[Spot, ...]:
        return self.knowledge.rests_on_unseen(self.knowledge.goal.formula)

    @property
    def _may_look_again(self) -> bool:
        """True if what is sought may have come to where it was looked for already."""
        knowledge = self.knowledge
        return not knowledge.still and self.tries.passes == 1 and bool(knowledge.missing or knowledge.unseen)

    def _places(self, assessment: Assessment) -> tuple[Spot, ...] | None:
        """Return the spots that an assessment would have looked at, ``None`` where no look may help."""
        knowledge = self.knowledge
        if assessment.required:
            return tuple(s for s in assessment.required if s not in knowledge.belief.looked) or None
        more = knowledge.belief.unseen or knowledge.missing or assessment.lacks
        return knowledge.unlooked if more else None

    def _with(self, **changes: object) -> Deciding:
        return replace(self, tries=replace(self.tries, **changes))  # type: ignore[arg-type]

    def _end(self, outcome: str, *reasons: str, places: Sequence[Spot] = ()) -> Decision:
        return ending(self.knowledge, self.tries, Finish(outcome, reasons, tuple(map(str, places))))

    # A plan

    def _assessed(self) -> Decision:
        """Assess the goal, and follow the plan or look by it."""
        assessment, engine = self.assessment(), self.means.engine
        first = self.tries.first if assessment.result is None else None
        case = self._with(assessment=assessment, first=first)
        if assessment.plan is not None:
            return case._with(planning=assessment.plan)._followed(assessment.plan)
        if engine.exhausted and not assessment.required:
            planning = assessment.failed or PlanResult(Ending.NOT_FOUND, reasons=(NO_EXPANSIONS,))
            return case._with(planning=planning)._end("not-found", *planning.reasons)
        return case.decide()

    def _followed(self, plan: PlanResult) -> Decision:
        """Return the steps of a plan; where it has none, the goal holds as believed, and is not sure."""
        if steps := _to_be_done(plan):
            return Decision(self.tries, (Intended(None, steps),))
        knowledge = self.knowledge
        waiting = (
            x for x in knowledge.watched if x not in knowledge.happened and evaluate(x, knowledge.run.world)
        )
        doubtful = dict.fromkeys(spot for literal in waiting for spot in knowledge.rests_on_unseen(literal))
        if doubtful:
            return self._look_or_end(tuple(doubtful))
        if self._may_look_again:
            return Decision(self.tries, (LookedAgain(),))
        # Nothing that can be done would change that.
        return self._end("not-found", "all actions are done, and unobserved facts leave the goal undecided")

    def _reached(self) -> Decision:
        """Put back what was left otherwise than found, or end with a plan for the goal."""
        knowledge, means = self.knowledge, self.means
        goal, engine, budget = knowledge.goal, means.engine, means.budget
        belief = knowledge.run.ruled(knowledge.belief)
        tidying = self.tries.tidying.noted(goal, knowledge.actions, belief)
        if tidying.left and self.tries.steps < means.max_steps:
            back, tidying = tidying.planned(goal, self.believed, engine, budget)
            if back is not None:
                tries = replace(self.tries, tidying=tidying, planning=back)
                return Decision(tries, (Intended(None, _to_be_done(back)),))
        case, steps = self._with(tidying=tidying), _to_be_done(self.tries.planning)
        last = tuple(self.executed[len(self.executed) - len(steps) :])
        if not self.tries.planning.verified or last != steps:
            # The goal came true by what was seen, or by other people: the plan from here has no step.
            result = plan_goal(Goal.of(knowledge.remaining), belief, engine, budget)
            if not result.verified and knowledge.missing:  # sure, but with things in it that no plan has
                result = plan_goal(Goal.of(TRUE), belief, engine, budget)
            if not result.verified:
                return case._end(result.outcome, *result.reasons)
            case = case._with(planning=result)
        return case._end("verified")

    # A look

    def _look(self, spots: Sequence[Spot], all_needed: bool) -> Decision:
        """Choose a spot, and plan the look at it; give up those that cannot be looked at."""
        knowledge, means, believed = self.knowledge, self.means, self.believed
        goal, world = knowledge.goal.formula, World(believed)
        views, reasons = views_of([s for s in spots if s not in self.tries.unreached], world)
        given_up = tuple(Unreached(spot, reason) for spot, reason in reasons.items())
        if not views:
            case = replace(self, tries=self.tries.without_spots(reasons))
            again = Decision(case.tries, (LookedAgain(),)) if self._may_look_again else case._give_up()
            return replace(again, entries=(*given_up, *again.entries))
        sought = sought_of(goal, knowledge.belief, knowledge.missing, knowledge.unseen)
        listed = candidates(views, world, sought, means.priors)
        onward = onward_of(goal, believed, sought, world.state.stands_at)
        distance = believed.routes.distance
        chosen = means.policy.choose(
            Situation(world.state.stands_at, listed, sought, distance, onward, all_needed)
        ).spot
        steps = look_plan(chosen, believed, means.engine, means.budget)
        if isinstance(steps, str) or not steps:
            return Decision(self.tries, (*given_up, Unreached(chosen, str(steps or NOT_SHOWN))))
        now = self.tries.assessment
        # Kept in the log: without planning anew nobody could say later why a look was ended.
        any_news = now is not None and now.failed is not None and not now.errors
        return Decision(self.tries, (*given_up, Intended(chosen, steps, any_news)))

    def _look_or_end(self, spots: Sequence[Spot]) -> Decision:
        """Look at spots of what the goal rests on; end where none of them can be looked at."""
        unreached, knowledge = self.tries.unreached, self.knowledge
        if any(spot not in unreached for spot in spots):
            return self._look(spots, True)
        left = [f"not looked at: {spot} ({unreached[spot]})" for spot in spots]
        part = (name for name in knowledge.observed.in_part if knowledge.spot_of(name) in spots)
        left += [f"not all of it was seen: {name}" for name in part]
        return self._end("not-found", UNSURE, *left, places=spots)

    # An end without the goal

    def _give_up(self) -> Decision:
        """End without the goal: nothing is left to look at, and no plan was found with what is known.

        What was seen since the goal was last assessed counts, so that an end is the same for a robot that was
        taken up again just before it.
        """
        knowledge, assessment = self.knowledge, self.tries.assessment
        if assessment is None or assessment.knowledge.belief is not knowledge.belief:
            return Decision(self._with(assessment=None).tries)
        result, missing = assessment.failed, knowledge.missing
        reasons = [*assessment.errors, *(result.reasons if result is not None else ())]
        if missing:
            reasons.append(f"not found: {', '.join(missing)}")
        if result is not None and result.outcome in CUT_OFF:
            return self._end(result.outcome, *reasons)
        excluded, looked = self.tries.excluded.reasons, knowledge.belief.looked
        not_seen = {spot: why for spot, why in self.tries.unreached.items() if spot not in looked}
        if not_seen or excluded or (missing and not knowledge.still):
            more = [f"not looked at: {spot} ({why})" for spot, why in not_seen.items()]
            return self._end("not-found", *reasons, *more, *excluded, places=tuple(not_seen))
        if assessment.required:
            return self._end("not-found", *reasons, "it is not sure that the goal would hold")
        return self._end_all_seen(assessment, reasons)

    def _end_all_seen(self, assessment: Assessment, reasons: list[str]) -> Decision:
        """End where every place was looked at, with a proof that there is no plan if there is one."""
        knowledge, means, result = self.knowledge, self.means, assessment.failed
        lost = bool(knowledge.missing and assessment.errors)
        if (
            result is None and assessment.errors and not lost
        ):  # of a class that is nowhere: proved like others
            result = plan_goal(knowledge.goal, knowledge.belief, means.engine, means.budget)
            reasons = [*reasons, *result.reasons]
        if result is None and not lost:
            return self._end("not-found", *reasons)
        if result is not None and result.ending is not Ending.UNSOLVABLE and not lost:
            return self._with(planning=result)._end(result.outcome, *reasons)
        if not knowledge.still:
            return self._end("not-found", *reasons, OTHERS)
        support = unseen_support(knowledge, means.engine, means.budget)
        if doubtful := tuple(dict.fromkeys((*map(knowledge.spot_of, support.nodes), *support.views))):
            return self._look_or_end(doubtful)
        more = knowledge.belief.unseen or (not knowledge.missing and assessment.lacks)
        if lost or more or result is None:
            return self._end_exhausted(reasons)
        return self._with(planning=result)._end(result.outcome, *reasons)

    def _end_exhausted(self, reasons: Sequence[str]) -> Decision:
        """End with the places that were looked at as the proof that there is no plan."""
        knowledge = self.knowledge
        if "room" in knowledge.unseen:
            return self._end("not-found", *reasons, f"not looked at: {NO_WAY}")
        planning = PlanResult(Ending.UNSOLVABLE, proof=EXHAUSTED, reasons=(EXHAUSTED, *reasons))
        place = {name: number for number, name in enumerate(knowledge.belief.scene.nodes)}
        spots = sorted(knowledge.belief.looked, key=lambda spot: (place[spot.node], spot.relation))
        return self._with(planning=planning)._end("unsolvable", EXHAUSTED, *reasons, places=spots)


def _to_be_done(plan: PlanResult) -> tuple[Step, ...]:
    """Return the steps of a plan that a robot does."""
    return tuple(step for step in plan.steps if step != DONE)
