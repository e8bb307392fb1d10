"""Methods that act for a given goal in a world that is known in part, each with another policy of looking.

They get the gold goal, as ``gold`` does: what they are compared by is where they look, and not what they
read. ``Episode`` does the rest, the same for all. Beliefs of where things are likely to be are those of
``lookplangraph-beliefs``, the similarity of names in meaning, and two of what is asked for: a thing may well
be in the room where the goal needs it, and at a place that the instruction mentions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from ...acting.acting import act_in, result_in
from ...acting.beliefs.naming import task_priors
from ...acting.beliefs.spots import SimilarityPriors
from ...acting.episode import Episode
from ...acting.policies.likely import LeastExpectedCost, LikeliestFirst, LikeliestPerMetre
from ...acting.policies.policy import NearestUnlooked, OptimisticNearest, Policy, Priors, Uniform
from ...compiler.shown_part import beyond_search
from ...domains.deadline import LimitReached, limited
from ...domains.errors import GoalError
from ...engines.result import NOT_PLANNED
from ...language.reader import ReaderError
from ...language.vision.eye import TrueEye
from ...pipeline.record import Record
from ...pipeline.understanding import goal_in_words
from ...planners.classical import cut_off
from ...planners.request import Request
from ..method import Limits, Needs, Tools, unsupported
from ..sight import eye_of, named_with, world_of

POLICIES: tuple[Policy, ...] = (
    LeastExpectedCost(),
    LikeliestPerMetre(),
    LikeliestFirst(),
    OptimisticNearest(),
    NearestUnlooked(),
)


@dataclass(frozen=True, slots=True)
class Seeking:
    """Acting for the goal of a request by a policy.

    With ``equal`` every place is as likely as any other. Without ``task`` beliefs are those of the
    names of things and places alone, whatever is asked for. An ``eye``, if any, tells the robot of things.
    """

    acts: ClassVar[bool] = True
    takes_gold: ClassVar[bool] = True
    needs: ClassVar[Needs] = "nothing"
    policy: Policy
    equal: bool = False
    task: bool = True
    eye: TrueEye | None = None

    @property
    def name(self) -> str:
        """The name of the policy, and what it does not believe."""
        part = "-equal" if self.equal else "" if self.task else "-anywhere"
        return named_with(self.policy.name + part, self.eye)

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Act in the true world of a request, which is the belief where it has none, until the goal holds."""
        if request.goal is None or tools.engine is None:
            return unsupported(request, f"{self.name} needs a goal and an engine")
        if not self.equal and tools.similarity is None:
            return unsupported(request, f"{self.name} needs the similarity of texts")
        priors: Priors = Uniform()
        if not self.equal and tools.similarity is not None:
            text = (request.instruction or "") if self.task else ""
            priors = SimilarityPriors(tools.similarity, text)
            priors = task_priors(priors, request.goal.formula, text) if self.task else priors
        kept = Record("not-found", task=request.task, instruction=request.instruction, method=self.name)
        kept = replace(kept, engine=tools.engine.name, goal=request.goal)
        begin = partial(Episode, request, self.policy, tools.engine, limits.budget(), priors=priors)
        return acted(kept, begin, request, limits, self.eye)


def acted(
    record: Record, begin: Callable[..., Episode], request: Request, limits: Limits, eye: TrueEye | None
) -> Record:
    """Act in the world of a request, as an eye sees it, until the end; return a record with all that came.

    With an eye the robot looks twice before it gives up, as where others move things, and nothing is called
    unsolvable. What was put back at its end is a part of the goal of the record.
    """
    try:
        episode = begin(still=eye is None or not eye.errs)
    except GoalError as error:  # no goal for what is known, and seeing more does not mend it
        return replace(record, outcome="goal-error", failures=(str(error),))
    world = world_of(request, eye, lambda: episode.belief)
    planning, failures = NOT_PLANNED, tuple[str, ...]()
    try:
        with limited(limits.seconds):
            act_in(world, episode)
        planning = result_in(world, episode)
        outcome = planning.outcome
    except LimitReached as cut:
        outcome, planning = cut.ending.value, cut_off(cut)
    except ReaderError as error:  # embeddings that are not installed, or a model that is gone
        outcome, failures = error.outcome, (str(error),)
    except GoalError as error:  # none for this world, as it was seen on the way
        outcome, failures = "goal-error", (str(error),)
    tidying = episode.tries.tidying
    goal = tidying.goal(episode.goal)
    beyond = beyond_search(planning.names, episode.belief.scene, record.shown)
    return replace(
        record,
        outcome=outcome,
        planning=planning,
        failures=failures,
        goal=goal,
        says=goal_in_words(goal, episode.belief) if record.says is not None else None,
        added=(*record.added, *tidying.added),
        left=(*record.left, *tidying.left),
        supposed=episode.knowledge.placeholders.taken,
        trajectory=episode.trajectory,
        compile_form="scene",
        eye=eye_of(world, eye),
        beyond_search=beyond if record.beyond_search is not None else None,
    )
