"""Assessment of a goal with what is known: its errors, the plan for it, and what has to be seen before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..compiler.goals.goal import Goal
from ..domains.ending import Ending
from ..domains.formula import FALSE, Formula
from ..engines.base import Budget
from ..engines.engine import Engine
from ..engines.result import PlanResult
from ..planners.classical import plan_goal
from ..simulator.belief import Belief
from ..simulator.observations.observation import Spot
from ..simulator.step import Step
from ..simulator.world import World
from .certainty.knowledge import Knowledge
from .certainty.mendable import mendable_errors
from .certainty.support import unseen_support


@dataclass(frozen=True, eq=False)
class Assessment:
    """Result of planning for a goal with some knowledge.

    ``errors`` are those of the goal that seeing more may mend, and ``result`` is the answer of planning for
    what remains of it, if that could be planned for. Where it is a plan after which the goal is not sure to
    hold, the spots that decide that are ``required`` looks.
    """

    knowledge: Knowledge
    engine: Engine
    budget: Budget
    errors: tuple[str, ...]
    result: PlanResult | None = None
    required: tuple[Spot, ...] = ()

    @property
    def plan(self) -> PlanResult | None:
        """The plan after which the goal is sure to hold."""
        return self.result if self.result is not None and self.result.verified and not self.required else None

    @property
    def failed(self) -> PlanResult | None:
        """The answer of planning that was no plan."""
        return self.result if self.result is not None and not self.result.verified else None

    @cached_property
    def lacks(self) -> bool:
        """True if something that was not given might make the goal possible."""
        if not self.knowledge.unseen:
            return False
        impossible = self.failed is not None and self.failed.ending is Ending.UNSOLVABLE
        return bool(self.errors) or (
            impossible and unseen_support(self.knowledge, self.engine, self.budget, lacks=True).anywhere
        )


def assess(
    knowledge: Knowledge, believed: Belief, engine: Engine, budget: Budget, first: PlanResult | None = None
) -> Assessment:
    """Check the goal, and plan for what remains of it from what is ``believed`` to be possible.

    ``first`` is a plan that was made before. Raises :class:`GoalError` for errors that nothing mends.
    """
    goal, belief, remaining = knowledge.goal, knowledge.belief, knowledge.remaining
    errors = mendable_errors(goal, belief, knowledge.unseen)
    of_rest = errors
    # Of an unobserved class there is none so far; a thing must have a place first.
    if remaining not in (FALSE, goal.formula):
        of_rest = mendable_errors(Goal.of(remaining), belief, knowledge.unseen)
    if any("place-unknown" in error for error in of_rest):
        return Assessment(knowledge, engine, budget, errors)
    result = first if believed.scene is knowledge.given.scene else None
    if result is None:
        result = plan_goal(
            goal if remaining == goal.formula else Goal.of(remaining), believed, engine, budget
        )
    required = _required_looks(result, knowledge, believed) if result.verified else ()
    return Assessment(knowledge, engine, budget, errors, result, required)


def _required_looks(plan: PlanResult, knowledge: Knowledge, believed: Belief) -> tuple[Spot, ...]:
    """Return the spots for the sake of which the goal is not sure to hold after a plan."""
    end = knowledge.run.world_of(believed)
    for step in plan.steps:
        end.apply(step)
    happened = (*knowledge.happened, *_on_the_way(plan.steps, knowledge, believed))
    ahead, goal = knowledge.open(end, happened), knowledge.run.end
    # What has no place is in none of the plan, and is in the way.
    return ahead.matters(goal) or (ahead.unlooked if ahead.decide(goal) is False else ())


def _on_the_way(steps: tuple[Step, ...], knowledge: Knowledge, believed: Belief) -> list[Formula]:
    """Return the watched conditions that are sure to hold at some time during steps."""
    literals = knowledge.watched
    if not literals:
        return []
    world, happened = World(believed, literals), dict[Formula, None]()
    for step in (None, *steps):
        if step is not None:
            world.apply(step)
        waiting = [x for x in literals if x not in happened and world.happened(x)]
        happened |= dict.fromkeys(x for x in waiting if knowledge.is_sure(x, world))
    return list(happened)
