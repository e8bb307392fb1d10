"""Method ``lookplangraph``: LookPlanGraph (Onishchenko et al., 2025), one model call for every action.

The robot knows rooms and furniture. In each call the model gets the instruction, the memory graph filtered to
the robot's room and to what was handled, and why its last move was refused; it answers with one move. A look
adds what is on or in a piece of furniture (in GRASIF "nodes that connected to explored nodes", section 6.2).
The prompts are ours, written to appendix A.1. ``lookplangraph-beliefs`` has the moves chosen by beliefs for
the gold goal in place of a model.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from ...acting.beliefs.naming import task_priors
from ...acting.beliefs.spots import SimilarityPriors
from ...acting.policies.policy import Priors
from ...acting.trajectory import Trajectory
from ...domains.deadline import LimitReached, limited
from ...language.chat.prompt import messages
from ...language.chat.servers.model import ChatRequest
from ...language.reader import ReaderError
from ...language.vision.eye import TrueEye
from ...pipeline.events import MoveRefused
from ...pipeline.record import PlanAttempt, Record
from ...planners.classical import cut_off
from ...planners.request import Request
from ...simulator.belief import Belief
from ...simulator.sensing.environment import TrueWorld
from ...simulator.sensing.hiding import with_hidden
from ..conversations.conversation import Conversation, End, converse
from ..conversations.dialogue import steps_for
from ..method import Limits, Needs, PackActions, Tools, unsupported
from ..sight import eye_of, world_of
from .believing import BelievingMover
from .loop import (
    ACTIONS,
    LOOKS,
    MAX_ACTIONS,
    Mover,
    NextMove,
    Walk,
    move_constraint,
    read_move,
    walk_by_moves,
)
from .memory import filtered_nodes, memory_graph

FUNCTIONS = PackActions("grasif-looking", frozenset(ACTIONS) - {"go_to"})
"""The functions of the paper's appendix A.1.1, as printed steps."""


@dataclass(frozen=True, slots=True)
class LookPlanGraph:
    """A model moves the robot. ``constrained`` asks for answers under a JSON schema.

    ``variant`` is the version of the prompt; the memory graph has ``descriptions`` of nodes or not. An
    ``eye``, if any, tells the robot of things.
    """

    needs: ClassVar[Needs] = "model"
    tells_as: ClassVar[str] = "memory graph"
    actions: ClassVar[PackActions] = FUNCTIONS
    prompts: ClassVar[tuple[str, ...]] = ("lookplangraph",)
    acts: ClassVar[bool] = True
    name: str = "lookplangraph"
    constrained: bool = True
    variant: int = 1
    descriptions: bool = False
    eye: TrueEye | None = None

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Act until the model says that it is done, or a limit ends the run."""
        if (lacking := not_for_this_method(self.name, request)) is not None:
            return lacking
        walk = Walk(with_hidden(request.belief))
        asking = _AskingMover(self)
        start = replace(request, belief=walk.belief, world=request.world or request.belief)
        world = world_of(start, self.eye, lambda: walk.belief)

        def talk(conversation: Conversation) -> End:
            asking.conversation = conversation
            ended: End | None = None
            try:
                ended = walk_by_moves(world, walk, asking, steps_for(conversation.instruction))
            finally:  # also where the model or a limit ends the run in the middle
                conversation.note(_attempt(walk, ended, sum(asking.tokens)))
            return ended

        record = converse(self.name, request, tools, limits, talk)
        if record.outcome == "unsupported":
            return record
        named = dict.fromkeys(move.target for move, _ in walk.moves if move.target)
        invented = tuple(name for name in named if name not in walk.belief.scene.nodes)
        record = _walked(record, walk, world, self.eye, asking.tokens)
        return replace(record, shown=tuple(asking.shown), invented=invented)


@dataclass
class _AskingMover:
    """Asks a model for each move; ``shown`` are the nodes that it was told of."""

    method: LookPlanGraph
    conversation: Conversation | None = None
    shown: dict[str, None] = field(default_factory=dict)
    tokens: list[int] = field(default_factory=list)

    def move(self, belief: Belief, handled: Collection[str] = (), feedback: str = "") -> NextMove:
        """Ask for the next move. Raises :class:`UnreadableAnswer` and :class:`ServiceError`."""
        conversation = self.conversation
        assert conversation is not None, "the conversation is there before the first move"
        if feedback:
            conversation.listen(MoveRefused(feedback))
        nodes = filtered_nodes(belief, handled)
        self.shown |= dict.fromkeys(node.id for node in nodes)
        data: dict[str, object] = {
            "instruction": conversation.instruction,
            "memory graph": memory_graph(nodes, belief.scene, self.method.descriptions),
            "feedback": feedback,
        }
        constraint = move_constraint([n.id for n in nodes]) if self.method.constrained else None
        system = messages(conversation.prompt("lookplangraph", self.method.variant), data)
        reply = conversation.ask(ChatRequest(system, constraint, purpose="act"))
        self.tokens.append(reply.usage.total)
        return read_move(reply.text)


@dataclass(frozen=True, slots=True)
class LookPlanGraphByBeliefs:
    """The same loop, its moves by the similarity of names for the goal of the request.

    With more than the usual ``max_actions`` it ends in nearly all tasks, not in those alone in which its
    beliefs are right, so that looks can be compared over all of them. With ``task`` it has all beliefs
    of the policies: also that a thing may well be in a room where the goal needs it, or where the instruction
    says (``beliefs.naming``). The published loop leaves that to its model. The robot is told of things by an
    ``eye``, if any.
    """

    acts: ClassVar[bool] = True
    takes_gold: ClassVar[bool] = True
    needs: ClassVar[Needs] = "nothing"
    actions: ClassVar[PackActions] = FUNCTIONS
    name: str = "lookplangraph-beliefs"
    max_actions: int = MAX_ACTIONS
    task: bool = False
    eye: TrueEye | None = None

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Act until the mover says that it is done, or a limit ends the run."""
        if request.goal is None or tools.engine is None or tools.similarity is None:
            return unsupported(request, f"{self.name} needs a goal, an engine and the similarity of texts")
        if (lacking := not_for_this_method(self.name, request)) is not None:
            return lacking
        text = (request.instruction or "") if self.task else ""
        priors: Priors = SimilarityPriors(tools.similarity, text)
        if self.task:
            priors = task_priors(priors, request.goal.formula, text)
        mover: Mover = BelievingMover(request.goal, priors, tools.engine, limits.budget())
        walk = Walk(request.belief)
        world = world_of(request, self.eye, lambda: walk.belief)
        kept = Record("not-found", task=request.task, instruction=request.instruction, method=self.name)
        kept = replace(kept, engine=tools.engine.name)
        try:
            with limited(limits.seconds):
                end = walk_by_moves(world, walk, mover, self.max_actions)
        except LimitReached as cut:
            ended = replace(kept, outcome=cut.ending.value, planning=cut_off(cut))
        except ReaderError as error:  # embeddings that are not installed
            ended = replace(kept, outcome=error.outcome, failures=(str(error),))
        else:
            attempts = (_attempt(walk, end),)
            ended = replace(kept, outcome=end.outcome, failures=end.reasons, attempts=attempts)
        return _walked(ended, walk, world, self.eye)


def not_for_this_method(name: str, request: Request) -> Record | None:
    """Return the record of a request that cannot be run by moves of LookPlanGraph; ``None`` where it can."""
    if request.search_only:
        return unsupported(request, f"{name} acts, and does not answer where something is")
    return FUNCTIONS.lacking(name, request)


def _attempt(walk: Walk, end: End | None, tokens: int = 0) -> PlanAttempt:
    """Return what was done as the one plan of a run, with the refusals that ended it."""
    text = "\n".join(str(move) for move, _ in walk.moves)
    refused = end.reasons if end is not None and end.outcome == "rejected" else ()
    return PlanAttempt(text, tuple(walk.executed), refused, tokens)


def _walked(
    record: Record, walk: Walk, world: TrueWorld, eye: TrueEye | None, tokens: Sequence[int] = ()
) -> Record:
    """Return a record with what was done in the world, and the moves as its trace."""
    spent = [*tokens, *[0] * (len(walk.moves) - len(tokens))]
    trace = tuple(
        {
            "command": "refused" if why else move.function,
            "node": move.target,
            "tokens": used,
            "thought": why or move.thought,
        }
        for (move, why), used in zip(walk.moves, spent, strict=False)
    )
    looks = tuple(f"{step.name} {step.args[0]}" for step in walk.executed if step.name in LOOKS)
    trajectory = Trajectory(tuple(walk.executed), walk.executed_mm, looks=looks)
    return replace(record, trace=trace, trajectory=trajectory, eye=eye_of(world, eye))
