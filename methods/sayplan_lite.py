"""Method ``sayplan-lite``: SayPlan Lite of LookPlanGraph (Onishchenko et al., 2025, appendix A.2).

Two dialogues, each told of its own stage alone: the search, with commands on rooms, ended by ``verify_plan``;
then plans in the actions of the pack ``grasif``, on the simulator's words at most :data:`MAX_REPLANS` after
the first. The graph is written as in appendix A.1.2. The prompts are ours, written to that appendix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ..compiler.decoding.json_schema import object_schema
from ..domains.pack import Pack
from ..language.chat.prompt import messages
from ..language.chat.servers.model import ChatRequest, Constraint, Reply
from ..pipeline.record import Record
from ..planners.request import Request
from ..simulator.view import View
from .conversations.answers import TEXTS, THOUGHTS, listed, read_object
from .conversations.conversation import Conversation, End, feedback_on, judged
from .conversations.dialogue import MAX_REPLANS
from .conversations.exploration import Exploration, steps_for
from .conversations.memory_graph import memory_graph
from .method import Limits, Needs, Tools
from .sayplan_star import GRASIF, converse_in_these_actions, plans_in_these_actions


@dataclass(frozen=True, slots=True)
class SayPlanLite:
    """Search in one dialogue, plan in another. ``constrained`` asks for answers under a JSON schema.

    ``variant`` is the version of both prompts; the graph has ``descriptions`` of nodes or not.
    """

    needs: ClassVar[Needs] = "model"
    tells_as: ClassVar[str] = "memory graph"
    pack: ClassVar[str] = GRASIF
    prompts: ClassVar[tuple[str, ...]] = ("sayplan-lite-search", "sayplan-lite-plan")
    name: str = "sayplan-lite"
    constrained: bool = True
    variant: int = 1
    descriptions: bool = False

    def plans_in(self, pack: Pack) -> bool:
        """Return whether a pack has the actions of the paper."""
        return plans_in_these_actions(pack)

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Search the scene, then plan until the simulator accepts every step."""
        talk = self._talk
        return converse_in_these_actions(self.name, request, tools, limits, talk, self.descriptions)

    def _talk(self, conversation: Conversation) -> End:
        system = conversation.prompt("sayplan-lite-search", self.variant)
        if Exploration(system, shown_graph, "verify_plan", self.constrained).run(conversation) is None:
            steps = steps_for(conversation.instruction)
            return End("search-exhausted", (f"the search did not end within {steps} steps",))
        if conversation.request.search_only:
            return End("answered")
        reply, texts = self._plan(conversation, {}, "plan")
        attempt = conversation.attempt(reply, texts, routed=False)
        for _ in range(MAX_REPLANS):
            if not attempt.feedback:
                break
            reply, texts = self._plan(conversation, feedback_on(attempt, texts), "replan")
            attempt = conversation.attempt(reply, texts, routed=False)
        return judged(conversation)

    def _plan(
        self, conversation: Conversation, feedback: Mapping[str, object], purpose: str
    ) -> tuple[Reply, tuple[str, ...]]:
        data: dict[str, object] = {
            "instruction": conversation.instruction,
            "memory graph": shown_graph(conversation.view),
            "feedback": feedback or "",
        }
        constraint = Constraint("sayplan-lite-plan", _schema) if self.constrained else None
        system = messages(conversation.prompt("sayplan-lite-plan", self.variant), data)
        reply = conversation.ask(ChatRequest(system, constraint, purpose=purpose))
        return reply, listed(read_object(reply.text).get("plan"))


def _schema() -> dict[str, object]:
    return object_schema(chain_of_thought=THOUGHTS, plan=TEXTS)


def shown_graph(view: View) -> dict[str, object]:
    """Return what a view shows as a memory graph."""
    return memory_graph(view.visible, view.scene, descriptions=True)
