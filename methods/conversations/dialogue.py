"""Dialogue of SayPlan's two stages: the model searches, then writes plans in what the search left open.

The search is Algorithm 1's stage 1: the model expands and contracts, and ends it. Nothing helps it along: no
loop is detected, and nothing is handed on where it does not end within :func:`steps_for` steps (the paper has
no limit). A command that the scene does not allow changes nothing, and the simulator's words on it are in the
next request. The list of what was expanded is the only memory.

What differs between SayPlan, its ablations and LookPlanGraph's versions of it is in :class:`DialogueForm`. A
plan is asked for when the search has ended, so methods that share the search make the same requests for it,
and pay alike for their plans.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...compiler.decoding.json_schema import object_schema, one_of
from ...domains.errors import clip
from ...language.chat.prompt import messages
from ...language.chat.servers.model import ChatRequest, Constraint
from ...language.reader import SearchStep
from ...pipeline.events import MoveRefused
from ...simulator.view import View, ViewError
from .answers import TEXT, TEXTS, THOUGHTS, GraphCommand, read_command
from .conversation import Conversation, End, judged
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


MAX_REPLANS = 5
"""Plans after the first one (SayPlan, section 5.2)."""


@dataclass(frozen=True, slots=True)
class DialogueForm:
    """Form of a dialogue: the prompts of its stages, how the graph is written, and what becomes of a plan.

    Where one static prompt serves both stages, the model ends the search by its change of mode. Otherwise it
    is told of each stage alone, and ends by ``verify_plan``. With ``routed`` the ways are filled in. The
    simulator's words on a plan are told for another one, ``replans`` times at most; ``navigation`` is told
    with the request for a plan.
    """

    search: str
    plan: str
    graph: Callable[[View], object]
    routed: bool = True
    replans: int = MAX_REPLANS
    navigation: str = ""

    @property
    def is_one(self) -> bool:
        """True if one prompt serves both stages."""
        return self.search == self.plan


@dataclass(frozen=True, slots=True)
class TwoStages:
    """The dialogue of a run; ``without`` is the part of the search that is switched off, if any."""

    conversation: Conversation
    form: DialogueForm
    constrained: bool = True
    variant: int = 1
    without: str = ""

    def hold(self) -> End:
        """Hold both stages (SayPlan, Algorithm 1). Raises as :meth:`Exploration.run` does."""
        ended = self._explored()
        if ended is not None:
            return ended
        feedback = self._plan("plan", {})
        for _ in range(self.form.replans):
            if feedback:
                feedback = self._plan("replan", feedback)
        return judged(self.conversation)

    def _explored(self) -> End | None:
        """Run the search, or show the whole scene; return an end where there is nothing to plan."""
        conversation, form = self.conversation, self.form
        searched = conversation.request.search_only
        if self.without == SEARCH:
            conversation.show_all()
            return End("unsupported", ("a task of searching, and nothing is searched",)) if searched else None
        system = conversation.prompt(form.search, self.variant)
        search = Exploration(system, form.graph, form.is_one, self.constrained, self.without)
        if search.run(conversation) is None:
            steps = steps_for(conversation.instruction)
            return End("search-exhausted", (f"the search did not end within {steps} steps",))
        return End("answered") if searched else None

    def _plan(self, purpose: str, feedback: Mapping[str, object]) -> Mapping[str, object]:
        """Ask for a plan and run it; return what is told of it for the next one, nothing once it is accepted.

        That is the plan as the model wrote it, and the simulator's words.
        """
        conversation, form = self.conversation, self.form
        graph = form.graph(conversation.view)
        shown = {"3D scene graph": graph, "mode": "planning"} if form.is_one else {"memory graph": graph}
        data: dict[str, object] = {
            "instruction": conversation.instruction,
            **shown,
            "navigation": form.navigation,
            "feedback": feedback or "",
        }
        system = messages(conversation.prompt(form.plan, self.variant), data)
        constraint = (_COMMAND if form.is_one else _PLAN) if self.constrained else None
        reply = conversation.ask(ChatRequest(system, constraint, purpose=purpose))
        plan = read_command(reply.text).plan
        attempt = conversation.attempt(reply, plan, form.routed)
        return {"plan": list(plan), "message": list(attempt.feedback)} if attempt.feedback else {}


def _command() -> dict[str, object]:
    command = object_schema(
        command_name=one_of(("verify_plan", DECLINE)), node_name=one_of(("",)), plan=TEXTS
    )
    return object_schema(
        chain_of_thought=THOUGHTS, reasoning=TEXT, mode=one_of(("planning",)), command=command
    )


_COMMAND = Constraint("sayplan-plan", _command)
_PLAN = Constraint("sayplan-lite-plan", lambda: object_schema(chain_of_thought=THOUGHTS, plan=TEXTS))
