"""The failure of planning: for which part of a goal there is no plan, and what that proves.

A `PlanningFailed` is sound only if it speaks for the whole goal: then the search may end early, and look for
a certificate. Without one, nothing here is a proof that a user sees. The details in words may be changed
freely.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..domains.ending import Ending
from ..domains.errors import clip
from ..domains.formula import Formula, GroundAtom, Not, conjuncts
from ..engines.result import PlanResult

TOO_LATE = PlanResult(Ending.TIMED_OUT, reproducible=False, detail="no time was left")
NOTHING_TRIED = PlanResult(Ending.NOT_FOUND, detail="none of its alternatives was planned for")
CONTRADICTION = PlanResult(Ending.UNSOLVABLE, proof="no branch without facts that exclude each other")
"""The answer for a part each of whose branches asks for facts shown to be exclusive: no engine is asked. It
ends the search; that there is no plan is said only where a certificate is found as well."""


class PlanningFailed(Exception):
    """No plan for a part of the goal: the engine's answer, and the part.

    ``sound`` means that an unsolvable part is a proof for the goal: nothing was left out of its problem, and
    the goal asks for all of the part, not for less. ``fault`` means that there was a plan, and that the
    simulator refused it or did not see it reach the part; ``vetoed``, that an event may have spoilt a plan.
    """

    def __init__(
        self,
        result: PlanResult,
        part: Formula,
        complete: bool = False,
        fault: bool = False,
        vetoed: bool = False,
    ) -> None:
        self.result, self.part, self.fault = result, part, fault
        self.vetoed = vetoed or result.ending is Ending.UNSUPPORTED
        self.sound = result.ending is Ending.UNSOLVABLE and complete
        super().__init__(f"{result.ending.value}: {part}")

    def only_if(self, speaks_for_goal: bool) -> PlanningFailed:
        """Return the same failure, which stays sound only if its part speaks for the goal."""
        return PlanningFailed(self.result, self.part, self.sound and speaks_for_goal, self.fault, self.vetoed)


def refused(why: str, part: Formula, engine: str) -> PlanningFailed:
    """A plan that the simulator does not accept: a fault of the pack or the engine, which proves nothing."""
    detail = f"the plan of {engine} for {clip(str(part))} does not work: {why}"
    return PlanningFailed(PlanResult(Ending.NOT_FOUND, detail=detail), part, fault=True)


def vetoed(denied: GroundAtom, part: Formula) -> PlanningFailed:
    """A plan that an event may have spoilt: the goal wants its effect false, and no engine can forbid it."""
    detail = f"{Not(denied)}: an event made {denied} true in every plan that was tried"
    return PlanningFailed(PlanResult(Ending.UNSUPPORTED, detail=detail), part, fault=True)


def asks_for(goal: Formula, part: Formula) -> bool:
    """Return whether a goal asks for all of a part as it stands."""
    return part == goal or set(conjuncts(part)) <= set(conjuncts(goal))


def combined(failures: Sequence[PlanningFailed], part: Formula) -> PlanningFailed:
    """The failure of a part all of whose branches failed: unsolvable only if all are, and soundly.

    No failure at all proves nothing: a part without any branch is for the caller to report.
    """
    if not failures:
        return PlanningFailed(NOTHING_TRIED, part)
    vetoed = any(f.vetoed for f in failures)
    fault = next((f for f in failures if f.fault), None)
    other = fault or next((f for f in failures if f.result.ending is not Ending.UNSOLVABLE), None)
    if other is not None:
        other.vetoed = vetoed
        return other
    first = failures[0]
    return PlanningFailed(
        first.result, part if len(failures) > 1 else first.part, all(f.sound for f in failures), vetoed=vetoed
    )
