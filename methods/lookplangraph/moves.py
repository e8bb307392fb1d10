"""Moves of LookPlanGraph: the functions of its appendix A.1.1, and the answer in which a model names one.

A function has one target. What a model writes is data: an answer that is no JSON object is an
:class:`UnreadableAnswer`; a function or a target that does not exist is refused in words, like an action that
cannot be done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...compiler.decoding.json_schema import object_schema, one_of
from ...language.chat.servers.model import Constraint
from ...simulator.step import Step
from ..conversations.answers import MAX_NAME, THOUGHTS, read_object, said
from ..conversations.declining import DECLINE

DONE = "done"
"""The function that ends a run, with any node as its target."""
LOOKS = ("look_on", "look_inside")
"""The functions after which what is seen is added to the memory graph."""
ACTIONS = (
    "go_to", "pick_up", "put_on", "put_inside", "turn_on", "turn_off", "open", "close", *LOOKS,
)  # fmt: skip
"""The functions that change or show the world."""
FUNCTIONS = (*ACTIONS, DONE, DECLINE)


@dataclass(frozen=True, slots=True)
class NextMove:
    """One move: a function, its target, and what the model says of it."""

    function: str
    target: str
    thought: str = ""

    @property
    def step(self) -> Step:
        """The move as a printed step of the pack."""
        return Step(self.function, (self.target,))

    def __str__(self) -> str:
        return str(self.step)


def read_move(text: str) -> NextMove:
    """Read a move in the form of appendix A.1.1. Raises :class:`UnreadableAnswer`.

    >>> read_move('{"next_move": {"function_name": "look_on", "function_target": "desk1"}}').step
    Step(name='look_on', args=('desk1',))
    """
    raw = read_object(text)
    move = raw.get("next_move")
    if not isinstance(move, dict):
        move = raw
    function, target = move.get("function_name"), move.get("function_target")
    return NextMove(
        function[:MAX_NAME] if isinstance(function, str) else "",
        target[:MAX_NAME] if isinstance(target, str) else "",
        said(raw.get("chain_of_thought"))[:2000],
    )


def move_constraint(targets: Sequence[str]) -> Constraint:
    """Return the form of an answer, with the nodes that are shown as the only targets."""

    def schema() -> dict[str, object]:
        move = object_schema(function_name=one_of(FUNCTIONS), function_target=one_of(tuple(targets)))
        return object_schema(chain_of_thought=THOUGHTS, next_move=move)

    return Constraint("lookplangraph-move", schema)
