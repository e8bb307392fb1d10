"""Method ``sayplan``: Algorithm 1 of SayPlan (Rana et al., 2023), with the prompt of appendix J in our words.

One static prompt serves both stages. In the first the model searches the collapsed graph; when it changes
its mode it plans, and the simulator's words on a plan are in the next request, up to :data:`MAX_REPLANS`
times. The way between rooms is filled in by Dijkstra. No goal is written, so an accepted plan is *executable*
and nothing more. Two things are ours, since the paper leaves them open: the limit of the search
(``exploration``), and that feedback comes with the plan that it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from ...language.chat.goal_scene import LEGEND
from ...language.chat.listing import listing
from ...language.chat.prompt import messages
from ...language.chat.reader import UNBOUNDED
from ...language.chat.servers.model import ChatRequest, Constraint, Reply
from ...simulator.sayplan_json import node_link
from ...simulator.view import View
from ..record import Record
from ..request import Request
from .conversations.answers import TEXT, TEXTS, GraphCommand, object_schema, one_of, read_command
from .conversations.conversation import Conversation, End, converse, feedback_on, judged, prompt
from .conversations.exploration import MAX_STEPS, Exploration
from .method import Limits, Tools

MAX_REPLANS = 5
"""Plans after the first one (section 5.2)."""
MAX_TOKENS = 1000


SceneText = Literal["own", "listing"]


def listed_graph(view: View) -> list[str]:
    """Return what a view shows as our listing, which has neither poses nor links."""
    return [LEGEND, *listing(view.subgraph(), most=UNBOUNDED).split("\n")]


def graph(view: View) -> dict[str, object]:
    """Return what a view shows in the paper's form (appendices K and L)."""
    return node_link(view.scene, [node.id for node in view.visible])


@dataclass(frozen=True, slots=True)
class DialogueForm:
    """Form of a dialogue: its static prompt, how the graph is written, and whether routes are filled in."""

    family: str
    graph: Callable[[View], object]
    routed: bool = True
    variant: int = 1

    @property
    def prompt(self) -> str:
        """The static prompt, in the version that ``variant`` says."""
        return prompt(f"{self.family}-{self.variant}")


PAPER = DialogueForm("sayplan", graph)


def paper_form(variant: int, scene_text: SceneText) -> DialogueForm:
    """Return the paper's dialogue with a version of its prompt, and the graph as JSON or as a listing."""
    return replace(PAPER, variant=variant, graph=graph if scene_text == "own" else listed_graph)


@dataclass(frozen=True, slots=True)
class SayPlan:
    """Search, plan, and plan again on feedback.

    ``constrained`` asks for answers under a JSON schema. ``variant`` is the version of the prompt, and
    ``scene_text`` is how the graph is written.
    """

    prompts: ClassVar[tuple[str, ...]] = ("sayplan",)
    scene_texts: ClassVar[tuple[str, ...]] = ("listing",)
    name: str = "sayplan"
    constrained: bool = True
    variant: int = 1
    scene_text: SceneText = "own"

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Search the scene, then plan until the simulator accepts every step."""
        return converse(self.name, request, tools, limits, self._talk)

    def _talk(self, conversation: Conversation) -> End:
        form = paper_form(self.variant, self.scene_text)
        return search_and_plan(conversation, self.constrained, form)


def search_and_plan(conversation: Conversation, constrained: bool, form: DialogueForm) -> End:
    """Hold the dialogue of both stages."""
    ended = explored(conversation, constrained, form)
    if isinstance(ended, End):
        return ended
    reply, command = ended
    if not command.plan:  # the answer that ended the search need not have a plan yet
        reply, command = asked_for_plan(conversation, {}, constrained, "plan", form)
    attempt = conversation.attempt(reply, command.plan, form.routed)
    for _ in range(MAX_REPLANS):
        if not attempt.feedback:
            break
        data = {"feedback": feedback_on(attempt, command.plan)}
        reply, command = asked_for_plan(conversation, data, constrained, "replan", form)
        attempt = conversation.attempt(reply, command.plan, form.routed)
    return judged(conversation)


def search_and_plan_once(
    conversation: Conversation, constrained: bool, form: DialogueForm, data: Mapping[str, object]
) -> End:
    """Search, then run one plan without replanning; ``data`` is told beside the request for it.

    The request is made even if the answer that ended the search has a plan.
    """
    ended = explored(conversation, constrained, form)
    if isinstance(ended, End):
        return ended
    reply, command = asked_for_plan(conversation, data, constrained, "plan", form)
    conversation.attempt(reply, command.plan, form.routed)
    return judged(conversation)


def explored(
    conversation: Conversation, constrained: bool, form: DialogueForm
) -> End | tuple[Reply, GraphCommand]:
    """Run SayPlan's search, the same for all methods that share it; an end where there is nothing to plan."""
    ended = Exploration(form.prompt, form.graph, "mode", constrained).run(conversation)
    if ended is None:
        return End("search-exhausted", (f"the search did not end within {MAX_STEPS} steps",))
    return End("answered") if conversation.request.search_only else ended


def asked_for_plan(
    conversation: Conversation,
    data: Mapping[str, object],
    constrained: bool,
    purpose: str,
    form: DialogueForm,
) -> tuple[Reply, GraphCommand]:
    """Ask for a plan in what the search left open. Raises as :meth:`Exploration.run` does."""
    fields: dict[str, object] = {
        "instruction": conversation.instruction,
        "3D scene graph": form.graph(conversation.view),
        "mode": "planning",
        **data,
    }
    constraint = Constraint("sayplan-plan", _schema) if constrained else None
    request = ChatRequest(messages(form.prompt, fields), constraint, MAX_TOKENS, purpose)
    reply = conversation.ask(request)
    return reply, read_command(reply.text)


def _schema() -> dict[str, object]:
    command = object_schema(command_name=one_of(("verify_plan",)), node_name=one_of(("",)), plan=TEXTS)
    return object_schema(chain_of_thought=TEXTS, reasoning=TEXT, mode=one_of(("planning",)), command=command)
