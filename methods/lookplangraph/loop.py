"""Loop of LookPlanGraph (Onishchenko et al., 2025, Algorithm 1): a move, what came of it, the next move.

A move is a function of appendix A.1.1 and its one target. What a model writes is data: an answer that is no
JSON object is an :class:`UnreadableAnswer`; a function or a target that does not exist is refused in words,
like an action that cannot be done. Each move is tried on the memory graph first. One that cannot be done
there, or fails in the world, comes back in words, at most :data:`MAX_REFUSALS` times in a row: the next one
ends the run. The memory graph grows by what is seen after a look.
Who chooses the moves is a :class:`Mover`: a model, or the beliefs of the hybrid for comparison.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ...compiler.decoding.json_schema import object_schema, one_of
from ...domains.deadline import check_time
from ...language.chat.servers.model import Constraint
from ...simulator.belief import Belief
from ...simulator.sensing.environment import TrueWorld
from ...simulator.sensing.snapshot import believed_after
from ...simulator.step import Step
from ...simulator.world import Refusal, World
from ..conversations.answers import MAX_NAME, THOUGHTS, read_object, said
from ..conversations.conversation import End
from ..conversations.declining import DECLINE
from ..conversations.dialogue import MAX_STEPS

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


MAX_REFUSALS = 5
"""Refusals in a row that another move may follow ("a maximum of five iterations", section 6.2)."""
MAX_ACTIONS = MAX_STEPS
"""Actions of one run, as many as steps of a search; the paper has a limit and does not print it."""
MANY_ACTIONS = 1000
"""Actions of a run that is to end by itself, as many as an execution tries."""


class Mover(Protocol):
    """Chooses moves. It sees no world."""

    def move(self, belief: Belief, handled: Collection[str] = (), feedback: str = "") -> NextMove:
        """Return the next move, which may be one that cannot be done.

        ``belief`` is what the robot knows, ``handled`` what it has handled, and ``feedback`` why its last
        move was refused.
        """
        ...


@dataclass
class Walk:
    """A run so far: the steps that were done, the moves that were tried, and what the robot knows now."""

    belief: Belief
    executed: list[Step] = field(default_factory=list)
    executed_mm: int = 0
    moves: list[tuple[NextMove, str]] = field(default_factory=list)
    """All moves, each with the words with which it was refused, or none."""
    handled: dict[str, None] = field(default_factory=dict)


def walk_by_moves(environment: TrueWorld, walk: Walk, mover: Mover, max_actions: int = MAX_ACTIONS) -> End:
    """Do what a mover says until it says *done*, too much is refused, or the actions are used up.

    ``walk`` is filled as it goes, so that it is there when the mover raises. *Done* ends a run whatever was
    reached: whether it was true is for others to judge.
    """
    walk.belief = walk.belief.observe(environment.look())
    feedback, refused = "", 0
    while True:
        check_time("acting in the world")
        move = mover.move(walk.belief, tuple(walk.handled), feedback)
        if move.function == DONE:
            walk.moves.append((move, ""))
            return End("executable")
        if len(walk.executed) >= max_actions:
            return End("out-of-budget", (f"{max_actions} actions were done, and the next move was not done",))
        feedback = _tried(move, environment, walk)
        walk.moves.append((move, feedback))
        refused = refused + 1 if feedback else 0
        if refused > MAX_REFUSALS:
            return End("rejected", (f"{refused} moves in a row were refused", feedback))


def _tried(move: NextMove, environment: TrueWorld, walk: Walk) -> str:
    """Try a move in memory and then in the world; return why it was refused, or nothing."""
    scene = walk.belief.scene
    if move.function not in ACTIONS:
        return f"{move}: there is no such function"
    if move.target not in scene.nodes or move.target in scene.unplaced:
        return f"{move}: the graph has no such node"
    if move.function == "go_to" and scene.nodes[move.target].type != "room":
        return f"{move}: go_to takes a room"
    world = World(walk.belief)
    effect = world.apply(move.step)
    if isinstance(effect, Refusal):
        return f"{move}: {effect.message}"
    outcome = environment.act(move.step)
    believed = believed_after(walk.belief, world, effect) if outcome.done else walk.belief
    walk.belief = believed.observe(outcome.observations)
    if not outcome.done:
        return f"{move}: {outcome.message}"
    walk.executed.append(move.step)
    walk.executed_mm += outcome.moved_mm
    walk.handled[move.target] = None
    return ""
