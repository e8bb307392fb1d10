"""Planning that stopped without a plan, and when that proves something about the whole goal."""

from __future__ import annotations

from collections.abc import Sequence

from ...domains.ending import Ending
from ...domains.formula import Formula, conjuncts
from ..engines.engine import PlanResult

TOO_LATE = PlanResult(Ending.TIMED_OUT, None, None, None, False, None, False, "no time was left")


NOTHING_TRIED = PlanResult(
    Ending.NOT_FOUND, None, None, None, False, None, True, "none of its alternatives was planned for"
)

CONTRADICTION = PlanResult(
    Ending.UNSOLVABLE, None, None, None, False, "exclusive facts", True, "its facts exclude each other"
)


class Stopped(Exception):
    """A part that could not be planned: the engine's answer, and the part.

    ``sound`` says that an unsolvable part is a proof for the goal: nothing was left out of its problem, and
    it is what the goal asks for rather than something stronger. ``fault`` says that there was a plan,
    and that the simulator refused it or did not see it reach the part.
    """

    def __init__(
        self, result: PlanResult, part: Formula, complete: bool, objects: int = 0, fault: bool = False
    ) -> None:
        self.result, self.part, self.objects, self.fault = result, part, objects, fault
        self.sound = result.ending is Ending.UNSOLVABLE and complete
        super().__init__(f"{result.ending.value}: {part}")


def refused(why: str, part: Formula, engine: str, objects: int = 0) -> Stopped:
    """A plan that the simulator does not accept: a fault of the pack or the engine, no word on the goal."""
    detail = f"the plan of {engine} for {part} does not work: {why}"
    result = PlanResult(Ending.NOT_FOUND, None, None, None, False, None, True, detail)
    return Stopped(result, part, False, objects, True)


def asks(goal: Formula, part: Formula) -> bool:
    """Whether a goal asks for all of a part as it stands."""
    return part == goal or set(conjuncts(part)) <= set(conjuncts(goal))


def combined(failures: Sequence[Stopped], part: Formula) -> Stopped:
    """What it means that every alternative of a part failed: unsolvable only if all are, and soundly.

    No failure at all says nothing: that a part has no alternative is for its caller to say.
    """
    if not failures:
        return Stopped(NOTHING_TRIED, part, False)
    fault = next((f for f in failures if f.fault), None)
    other = fault or next((f for f in failures if f.result.ending is not Ending.UNSOLVABLE), None)
    if other is not None:
        return other
    first = failures[0]
    sound = all(f.sound for f in failures)
    return Stopped(first.result, part if len(failures) > 1 else first.part, sound, first.objects)
