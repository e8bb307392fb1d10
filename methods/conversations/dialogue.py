"""Dialogue of SayPlan's two stages: the model searches, then writes plans in what the search left open.

What differs between SayPlan, its ablations and LookPlanGraph's versions of it is in :class:`DialogueForm`. A
plan is asked for when the search has ended, so methods that share the search make the same requests for it,
and pay alike for their plans.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...compiler.decoding.json_schema import object_schema, one_of
from ...language.chat.prompt import messages
from ...language.chat.servers.model import ChatRequest, Constraint
from ...simulator.view import View
from .answers import TEXT, TEXTS, THOUGHTS, read_command
from .conversation import Conversation, End, judged
from .declining import DECLINE
from .exploration import SEARCH, Exploration, steps_for

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
