"""How an instruction was read: the reader's confidence, and the words that its goal leaves out, for records."""

from __future__ import annotations

from dataclasses import dataclass

from ..compiler.goals.goal import GoalSyntaxError, parse_goal
from ..language.reader import Reader
from ..language.sentences.unused import unused
from .request import Request


@dataclass(frozen=True)
class Understanding:
    """A reader's confidence in its last goal, and the words of the instruction of which the goal is silent.

    ``confidence`` is from 0 to 1, ``None`` for a reader that has no measure of it.
    """

    confidence: float | None = None
    unused: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        return {"confidence": self.confidence, "unused": list(self.unused)}


def understanding(goal: str | None, request: Request, reader: Reader | None) -> Understanding | None:
    """Return how the instruction of a run was read; ``None`` where no reader wrote a goal."""
    if reader is None or request.instruction is None or goal is None:
        return None
    try:
        formula = parse_goal(goal).formula
    except GoalSyntaxError:
        return None
    return Understanding(reader.confidence, unused(request.instruction, formula, request.belief))
