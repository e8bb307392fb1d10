"""Semantic search as SayPlan has it (Algorithm 1, stage 1): the model expands and contracts, and ends it.

Nothing helps the model along: no loop is detected, and nothing is handed on where it does not end within
:func:`steps_for` steps (the paper has no limit). A command that the scene does not allow changes nothing, and
the simulator's words on it are in the next request. The list of what was expanded is the only memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...compiler.decoding.json_schema import object_schema, one_of
from ...domains.errors import clip
from ...language.chat.prompt import messages
from ...language.chat.servers.model import ChatRequest, Constraint
from ...language.reader import SearchStep
from ...pipeline.events import MoveRefused
from ...simulator.view import View, ViewError
from .answers import TEXT, TEXTS, THOUGHTS, GraphCommand, read_command
from .conversation import Conversation
from .declining import DECLINE

MAX_STEPS = 50
"""Most steps for a task of one or a few errands."""
CHARACTERS_A_STEP = 6
"""Characters of an instruction that allow another step, where it is a long one: an errand has some 50."""
SEARCH = "search"
PARTS = ("contract", "memory", SEARCH)
"""Parts that can be switched off: what was expanded stays so; what was is not told; all of it is shown."""


def steps_for(instruction: str) -> int:
    """Return the most steps of a run: more where an instruction has many errands."""
    return max(MAX_STEPS, len(instruction) // CHARACTERS_A_STEP)


@dataclass(frozen=True, slots=True)
class Exploration:
    """A search: its system text, how the scene is written, and by what the model ends it.

    SayPlan's model ends by changing its mode; without ``by_mode``, as in SayPlan Lite, by ``verify_plan``.
    ``without`` is one of :data:`PARTS`, which is switched off, or empty.
    """

    system: str
    graph: Callable[[View], object]
    by_mode: bool = True
    constrained: bool = True
    without: str = ""

    def run(self, conversation: Conversation) -> GraphCommand | None:
        """Search until the model ends it, and return its last command; ``None`` where the limit did.

        Raises :class:`UnreadableAnswer` and :class:`ServiceError`.
        """
        feedback = ""
        for _ in range(steps_for(conversation.instruction)):
            reply = conversation.ask(self._request(conversation, feedback))
            command = read_command(reply.text)
            tokens, thought = reply.usage.total, command.thought
            if command.mode == "planning" if self.by_mode else command.name == "verify_plan":
                conversation.trace.append(SearchStep("terminate", "", tokens, thought))
                return command
            try:
                conversation.view = self._carried_out(command, conversation)
            except ViewError as error:
                feedback = str(error)
                conversation.listen(MoveRefused(feedback))
                conversation.trace.append(SearchStep("rejected", command.node, tokens, feedback))
                continue
            feedback = ""
            name = command.name.removesuffix("_node")
            conversation.trace.append(SearchStep(name, command.node, tokens, thought))
        return None

    def _carried_out(self, command: GraphCommand, conversation: Conversation) -> View:
        """Return the view after a command. Raises :class:`ViewError`, which is feedback."""
        view = conversation.view
        if command.node and command.node not in view.scene.nodes:
            conversation.invented[command.node] = None
        if command.name == "expand_node":
            return view.expand(command.node)
        if command.name in self._commands:
            return view.contract(command.node)
        hint = "plans are for the mode planning" if self.by_mode else ""
        raise ViewError("command_name", " or ".join(self._commands), clip(command.name), hint)

    @property
    def _commands(self) -> tuple[str, ...]:
        """The commands that change the view."""
        return ("expand_node",) if self.without == "contract" else ("expand_node", "contract_node")

    def _request(self, conversation: Conversation, feedback: str) -> ChatRequest:
        view = conversation.view
        data: dict[str, object] = {
            "instruction": conversation.instruction,
            "3D scene graph": self.graph(view),
            "memory": list(view.memory),
            "feedback": feedback,
        }
        if self.without == "memory":
            del data["memory"]
        constraint = self._constraint(view) if self.constrained else None
        return ChatRequest(messages(self.system, data), constraint, purpose="search")

    def _constraint(self, view: View) -> Constraint:
        nodes = tuple(node.id for node in view.visible)
        name = "sayplan-search" if self.by_mode else "sayplan-lite-search"
        return Constraint(name, lambda: _schema(nodes, self.by_mode, self._commands))


def _schema(nodes: tuple[str, ...], by_mode: bool, commands: tuple[str, ...]) -> dict[str, object]:
    """Return the form of an answer in the search, with the nodes that are shown as the only names."""
    thoughts = {"chain_of_thought": THOUGHTS, "reasoning": TEXT}
    names = {
        "command_name": one_of((*commands, "verify_plan", DECLINE)),
        "node_name": one_of((*nodes, "")),
    }
    if not by_mode:
        return object_schema(**thoughts, command=object_schema(**names))
    command = object_schema(**names, plan=TEXTS)
    return object_schema(**thoughts, mode=one_of(("exploring", "planning")), command=command)
