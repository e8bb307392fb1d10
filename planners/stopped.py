"""Planning that stopped without a plan, and when that proves something about the whole goal."""

from __future__ import annotations

from collections.abc import Sequence

from ..domains.ending import Ending
from ..domains.formula import Formula, conjuncts
from .solving import PlanResult

TOO_LATE = PlanResult(Ending.TIMED_OUT, None, None, None, False, None, False, "no time was left")


CONTRADICTION = PlanResult(
    Ending.UNSOLVABLE, None, None, None, False, "exclusive facts", True, "its facts exclude each other"
)


class Stopped(Exception):
    """A part that could not be planned: the engine's answer, and the part.

    ``sound`` says that an unsolvable part is a proof for the goal: nothing was left out of its problem, and
    it is what the goal asks for rather than something stronger.
    """

    def __init__(self, result: PlanResult, part: Formula, complete: bool, objects: int = 0) -> None:
        self.result, self.part, self.objects = result, part, objects
        self.sound = result.ending is Ending.UNSOLVABLE and complete
        super().__init__(f"{result.ending.value}: {part}")


def asks(goal: Formula, part: Formula) -> bool:
    """Whether a goal asks for all of a part as it stands."""
    return part == goal or set(conjuncts(part)) <= set(conjuncts(goal))


def combined(failures: Sequence[Stopped], part: Formula) -> Stopped:
    """What it means that every alternative of a part failed: unsolvable only if all are, and soundly."""
    other = next((f for f in failures if f.result.ending is not Ending.UNSOLVABLE), None)
    if other is not None:
        return other
    first = failures[0] if failures else Stopped(CONTRADICTION, part, True)
    sound = all(f.sound for f in failures)
    return Stopped(first.result, part if len(failures) > 1 else first.part, sound, first.objects)
