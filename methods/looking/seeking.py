"""Methods that act for a given goal in a world that is known in part, each with another policy of looking.

They get the gold goal, as ``gold`` does: what they are compared by is where they look, and not what they
read. ``Execution`` does the rest, the same for all. Beliefs of where things are likely to be are those of
``lookplangraph-beliefs``, the similarity of names in meaning, and two of what is asked for: a thing may well
be in the room where the goal needs it, and at a place that the instruction speaks of.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from ...acting.acting import act_in, result_in
from ...acting.beliefs.naming import task_priors
from ...acting.beliefs.spots import SimilarityPriors
from ...acting.execution import Execution
from ...acting.likely import LeastExpectedCost, LikeliestFirst, LikeliestPerMetre
from ...acting.policy import NearestUnlooked, OptimisticNearest, Policy, Priors, Uniform
from ...domains.deadline import LimitReached, limited
from ...domains.errors import GoalError
from ...language.reader import ReaderError
from ...pipeline.record import Record
from ...planners.classical import cut_off
from ...planners.request import Request
from ...simulator.sensing.environment import Environment
from ..method import Limits, Tools, unsupported

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
    names of things and places alone, whatever is asked for.
    """

    acts: ClassVar[bool] = True
    takes_gold: ClassVar[bool] = True
    policy: Policy
    equal: bool = False
    task: bool = True

    @property
    def name(self) -> str:
        """The name of the policy, and what it does not believe."""
        part = "-equal" if self.equal else "" if self.task else "-anywhere"
        return self.policy.name + part

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
        environment = Environment(request.world or request.belief)
        try:
            execution = Execution(request, self.policy, tools.engine, limits.budget(), priors=priors)
        except GoalError as error:  # no goal for what is known, and seeing more does not mend it
            return replace(kept, outcome="goal-error", failures=(str(error),))
        try:
            with limited(limits.seconds):
                act_in(environment, execution)
        except LimitReached as cut:
            return acted(replace(kept, outcome=cut.ending.value, planning=cut_off(cut)), execution)
        except ReaderError as error:  # embeddings that are not installed
            return acted(replace(kept, outcome="service-failed", failures=(str(error),)), execution)
        try:
            result = result_in(environment, execution)
        except GoalError as error:  # none for this world, as it was seen on the way
            return acted(replace(kept, outcome="goal-error", failures=(str(error),)), execution)
        finish = execution.finish
        exhausted = finish.places if finish is not None and result.outcome == "unsolvable" else ()
        return acted(replace(kept, outcome=result.outcome, planning=result, exhausted=exhausted), execution)


def acted(record: Record, execution: Execution) -> Record:
    """Return a record with what was done, seen and looked at on the way, and put back at its end."""
    return replace(
        record,
        goal=execution.tidying.goal(execution.goal),
        added=(*record.added, *execution.tidying.added),
        left=(*record.left, *execution.tidying.left),
        executed=tuple(execution.executed),
        executed_mm=execution.executed_mm,
        looks=tuple(map(str, execution.looks)),
        replans=execution.replans,
        observations=tuple(o.as_json() for o in execution.observations),
    )
