"""Tidying at the end of acting: what was found otherwise than it is left, and what was put back of it.

When a goal is reached, what the robot's actions have left otherwise, and the goal says nothing of, is planned
for beside the goal. It follows from the actions that were done, so that it is in no log: whoever takes up a
log comes to the same. Must stay: a goal that is reached is reached, whatever becomes of the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..compiler.goals.goal import Goal
from ..domains.action import PlanAction
from ..domains.formula import GroundAtom, conjunction
from ..engines.base import Budget
from ..engines.engine import Engine
from ..engines.result import PlanResult
from ..planners.classical import plan_goal
from ..planners.tidy import NOT_TRIED, NotPutBack, unsaid
from ..simulator.belief import Belief
from ..simulator.step import DONE
from ..simulator.world import World


@dataclass(frozen=True)
class Tidying:
    """Facts that one episode puts back: the hand and, with ``doors``, doors and switches.

    ``added`` are the facts that were put back, ``left`` those that were not. Once it is ``given_up``, no way
    is planned any more: a step of the last one kept failing.
    """

    active: bool
    doors: bool = False
    given_up: bool = False
    added: tuple[GroundAtom, ...] = ()
    left: tuple[NotPutBack, ...] = ()

    def goal(self, goal: Goal) -> Goal:
        """Return a goal with the facts that were put back."""
        return Goal.of(conjunction((goal.formula, *self.added))) if self.added else goal

    def noted(self, goal: Goal, actions: Sequence[PlanAction], belief: Belief) -> Tidying:
        """Note what actions up to a belief have left otherwise, and what of that was put back since."""
        left = unsaid(goal.formula, actions, World(belief), self.doors) if self.active else ()
        tried = dict.fromkeys((*self.added, *(one.fact for one in self.left)))
        added = tuple(fact for fact in tried if fact not in left)
        return replace(self, added=added, left=tuple(NotPutBack(fact, NOT_TRIED) for fact in left))

    def planned(
        self, goal: Goal, belief: Belief, engine: Engine, budget: Budget
    ) -> tuple[PlanResult | None, Tidying]:
        """Plan for what is left: all facts together first, and one by one where that has no plan.

        Return the plan, and without one why each fact has none.
        """
        facts = tuple(one.fact for one in self.left)
        why_not: list[NotPutBack] = []
        for some in dict.fromkeys((facts, *((fact,) for fact in facts))) if not self.given_up else ():
            extended = Goal.of(conjunction((self.goal(goal).formula, *some)))
            result = plan_goal(extended, belief, engine, budget)
            if result.verified and any(step != DONE for step in result.steps):
                return result, self
            why_not += [NotPutBack(fact, result.outcome) for fact in some if len(some) == 1]
        return None, replace(self, left=tuple(why_not) or self.left)
