"""Dialogue of SayPlan's two stages: the model searches, then writes plans, with one static prompt for both.

When the model changes its mode in the search, it plans. What differs between SayPlan, its ablations and
LookPlanGraph's version of it is in :class:`DialogueForm`, and in whether the simulator's words on a plan are
told for another one, up to :data:`MAX_REPLANS` times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...compiler.decoding.json_schema import object_schema, one_of
from ...language.chat.prompt import messages
from ...language.chat.servers.model import ChatRequest, Constraint, Reply
from ...simulator.view import View
from .answers import TEXT, TEXTS, THOUGHTS, GraphCommand, read_command
from .conversation import Conversation, End, feedback_on, judged
from .declining import DECLINE
from .exploration import SEARCH, Exploration, steps_for

MAX_REPLANS = 5
"""Plans after the first one (SayPlan, section 5.2)."""


@dataclass(frozen=True, slots=True)
class DialogueForm:
    """Form of a dialogue: its static prompt, how the graph is written, and whether routes are filled in.

    ``without`` is the part of the search that is switched off, if any.
    """

    family: str
    graph: Callable[[View], object]
    routed: bool = True
    variant: int = 1
    without: str = ""


def search_and_plan(conversation: Conversation, constrained: bool, form: DialogueForm) -> End:
    """Hold the dialogue of both stages (SayPlan, Algorithm 1): a plan is asked for when the search has ended.

    So the methods that share the search make the same requests for it, and pay alike for their plans.
    """
    ended = explored(conversation, constrained, form)
    if ended is not None:
        return ended
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
    """Search, then run one plan without replanning; ``data`` is told beside the request for it."""
    ended = explored(conversation, constrained, form)
    if ended is not None:
        return ended
    reply, command = asked_for_plan(conversation, data, constrained, "plan", form)
    conversation.attempt(reply, command.plan, form.routed)
    return judged(conversation)


def explored(conversation: Conversation, constrained: bool, form: DialogueForm) -> End | None:
    """Run SayPlan's search, the same for all methods that share it; an end where there is nothing to plan.

    Without a search the whole scene is shown.
    """
    searched = conversation.request.search_only
    if form.without == SEARCH:
        conversation.show_all()
        return End("unsupported", ("a task of searching, and nothing is searched",)) if searched else None
    system = conversation.prompt(form.family, form.variant)
    search = Exploration(system, form.graph, constrained=constrained, without=form.without)
    if search.run(conversation) is None:
        steps = steps_for(conversation.instruction)
        return End("search-exhausted", (f"the search did not end within {steps} steps",))
    return End("answered") if searched else None


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
    system = conversation.prompt(form.family, form.variant)
    request = ChatRequest(messages(system, fields), constraint, purpose=purpose)
    reply = conversation.ask(request)
    return reply, read_command(reply.text)


def _schema() -> dict[str, object]:
    command = object_schema(
        command_name=one_of(("verify_plan", DECLINE)), node_name=one_of(("",)), plan=TEXTS
    )
    return object_schema(
        chain_of_thought=THOUGHTS, reasoning=TEXT, mode=one_of(("planning",)), command=command
    )
