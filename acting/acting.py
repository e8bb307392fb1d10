"""Acting in an environment: an episode and a robot, until the episode ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..domains.deadline import check_time
from ..domains.ending import Ending
from ..domains.errors import GoalError
from ..domains.formula import Formula
from ..engines.result import NOT_PLANNED, PlanResult
from ..simulator.belief import Belief
from ..simulator.observations.observation import Change, StepOutcome
from ..simulator.sensing.environment import Robot, TrueWorld
from ..simulator.sensing.open_state import OpenBelief
from ..simulator.sensing.spots import spots_of
from ..simulator.step import Step
from ..simulator.verification import watched
from ..simulator.world import World
from .episode import Episode
from .finish import GOAL_ERROR, Finish

NOT_ALL_SEEN = "not everything was seen, and what was not may decide this"
"""The reason for which nothing is said to be so, or to be impossible."""


def act_in(
    robot: Robot, episode: Episode, tell: Callable[[Step | None, Sequence[Change]], bool | None] | None = None
) -> Finish | None:
    """Let a robot look around and do the steps of an episode until it ends; return how.

    An episode that was taken up goes on without the look. ``tell`` gets each step that was tried and what it
    changed in the belief, and no step for the look at the start. Where it returns true, the episode is left
    as it is, and ``None`` is returned. Raises :class:`LimitReached` at the deadline that is in force.
    """
    if not episode.log:
        changes = episode.report(StepOutcome(True, 0, robot.look()))
        if tell is not None and tell(None, changes):
            return None
    while (step := episode.next()) is not None:
        check_time("acting in the world")
        changes = episode.report(robot.act(step))
        if tell is not None and tell(step, changes):
            return None
    return episode.finish


def weakened_if_unobserved(result: PlanResult, goal: Formula, belief: Belief) -> PlanResult:
    """Return a plan's result as it may be said of a world of which not everything was seen.

    There nothing is unsolvable, and nothing verified that something unseen may make false.
    """
    if not belief.unseen:
        return result
    if result.ending is Ending.UNSOLVABLE:
        return PlanResult(Ending.NOT_FOUND, reasons=(NOT_ALL_SEEN, *result.reasons))
    if not result.verified:
        return result
    literals = watched(goal, belief)
    end = World(belief, literals)
    for step in result.steps:
        end.apply(step)
    unlooked = tuple(spot for spot in spots_of(belief, after_looks=True) if spot not in belief.looked)
    happened = dict.fromkeys(literal for literal in literals if end.happened(literal))
    unplaced = tuple(belief.scene.unplaced)
    if OpenBelief(belief, unlooked, unplaced, happened, end, unsure=unplaced).decide(goal) is True:
        return result
    failed = replace(result.verification, goal_value=False, unsatisfied=(NOT_ALL_SEEN,))
    return replace(result, verification=failed, reasons=(NOT_ALL_SEEN,))


def result_in(world: TrueWorld, episode: Episode) -> PlanResult:
    """Return the last plan of an episode that has ended, with the verdict of the true world on its goal.

    An end without the goal has a result of the same outcome. Raises ``ValueError`` before the end, and
    :class:`GoalError` where what was seen showed that the goal is none for this world.
    """
    finish, result = episode.finish, episode.tries.planning
    if finish is None:
        raise ValueError("the episode has not ended")
    if finish.outcome == "verified":
        judgement = world.judge(episode.tries.tidying.goal(episode.goal).formula)
        if judgement.reached:
            return result
        failed = replace(result.verification, goal_value=False, unsatisfied=judgement.unsatisfied)
        return replace(result, verification=failed, reasons=judgement.unsatisfied)
    if finish.outcome == GOAL_ERROR:
        raise GoalError("goal", "a goal that is valid in the observed world", "; ".join(finish.reasons))
    if result is NOT_PLANNED or result.outcome != finish.outcome:
        return PlanResult(Ending(finish.outcome), reasons=finish.reasons)
    return result
