"""Words about a goal for records: itself in English, how sure its reader was, and what it leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..compiler.goals.goal import Goal
from ..domains.formula import And, Formula, conjuncts
from ..language.chat.doubts import without_reason
from ..language.reader import PlacedReader, Reader, Tried
from ..language.sentences.saying import say
from ..language.sentences.unused import unused
from ..planners.request import Request
from ..simulator.belief import Belief


@dataclass(frozen=True)
class Understanding:
    """A reader's confidence in its last goal, and where goal and instruction differ.

    ``confidence`` is from 0 to 1, ``None`` for a reader that has no measure of it. ``unused`` are words of
    the instruction of which the goal is silent; ``unsupported`` are names of the goal of which the
    instruction is.
    """

    confidence: float | None = None
    unused: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        differ = {"unused": list(self.unused), "unsupported": list(self.unsupported)}
        return {"confidence": self.confidence, **differ}


def understanding(
    goal: Tried | None, added: Sequence[Formula], request: Request, reader: Reader | None
) -> Understanding | None:
    """Return how the instruction of a run was read; ``None`` where no reader wrote a goal.

    ``added`` are conjuncts of the goal that are not the reader's.
    """
    if reader is None or request.instruction is None or not isinstance(goal, Goal):
        return None
    formula = goal.formula
    own = And(tuple(part for part in conjuncts(formula) if part not in added))
    instruction, belief = request.instruction, request.belief
    place = reader.place if isinstance(reader, PlacedReader) else None
    without = without_reason(instruction, own, belief, place)
    return Understanding(reader.confidence, unused(instruction, formula, belief), without)


def place_in_words(node_id: str, belief: Belief) -> str:
    """Say where a thing is: what it is in or on, in the words of the pack."""
    node = belief.scene.nodes[node_id]
    if node.parent is None:
        return node_id
    relation = belief.pack.mapping.relations.get(node.relation)
    predicate = relation.predicate if relation is not None else ""
    if predicate not in belief.pack.mapping.words:
        return f"{node_id} is in {node.parent}"
    return belief.pack.words(predicate, (node_id, node.parent), True)


def goal_in_words(goal: Tried | None, belief: Belief) -> str | None:
    """Say a goal in English; ``None`` where there is none, or an answer in its place."""
    return say(goal.formula, belief) if isinstance(goal, Goal) else None
