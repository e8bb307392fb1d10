"""Words about a goal for records: itself in English, how sure its reader was, and what it leaves out."""

from __future__ import annotations

from dataclasses import dataclass

from ..compiler.goals.goal import GoalSyntaxError, parse_goal
from ..language.reader import Reader
from ..language.sentences.saying import say
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


def goal_in_words(text: str | None, request: Request) -> str | None:
    """Say the goal of a verdict in English; ``None`` where its text is no goal."""
    if request.goal is not None:
        return say(request.goal.formula, request.belief)
    try:
        return say(parse_goal(text).formula, request.belief) if text is not None else None
    except GoalSyntaxError:
        return None
