"""Words about a goal for records: itself in English, and what it leaves out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..compiler.goals.goal import Goal
from ..domains.storage.json_record import JsonRecord
from ..language.reader import Reader, Tried
from ..language.sentences.saying import say
from ..simulator.belief import Belief
from .audit import Audit


@dataclass(frozen=True)
class Understanding(JsonRecord):
    """Difference of a goal and the instruction that it was read from.

    ``unused`` are words of the instruction of which the goal is silent; ``unsupported`` are names of the goal
    of which the instruction is. ``forgotten`` are words for which the goal of a model has no part.
    """

    unused: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()


def understanding(read: Audit | None, goal: Tried | None, reader: Reader | None) -> Understanding | None:
    """Return how an instruction was read; ``None`` where no reader wrote a goal.

    ``goal`` is what came of the goal that was read, with what is to be put back.
    """
    if reader is None or read is None or not isinstance(goal, Goal):
        return None
    whole = read if goal == read.goal else replace(read, goal=goal)
    words = tuple(words for words, _ in read.forgotten) if reader.traits.forgets else ()
    return Understanding(whole.unused, read.unsupported, words)


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
