"""Method ``llm-as-planner``: SayPlan's baseline LLM-As-Planner (Rana et al., 2023, section 4).

SayPlan's search, then one request for the whole plan, which names every pose and room on the way. It is open
loop: nothing is filled in, and nothing that the simulator says is told to the model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from ...pipeline.record import Record
from ...planners.request import Request
from ..conversations.conversation import Conversation, End, converse
from ..conversations.dialogue import search_and_plan_once
from ..method import Limits, Needs, Tools
from ..sayplan import PAPER

NAVIGATION = (
    "there is no path planner: write a goto for every pose and room on the way, one after the other along the"
    " links of the graph, from where the agent is"
)
"""What the request for the plan says beside the static prompt."""


@dataclass(frozen=True, slots=True)
class LlmAsPlanner:
    """Search, and plan once with all navigation. ``constrained`` asks for answers under a JSON schema.

    ``variant`` is the version of the prompt; the graph has ``descriptions`` of nodes or not.
    """

    needs: ClassVar[Needs] = "model"
    tells_as: ClassVar[str] = "sayplan"
    prompts: ClassVar[tuple[str, ...]] = ("sayplan",)
    name: str = "llm-as-planner"
    constrained: bool = True
    variant: int = 1
    descriptions: bool = False

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Search the scene as ``sayplan`` does, then run the one plan as it was written."""
        return converse(self.name, request, tools, limits, self._talk, self.descriptions)

    def _talk(self, conversation: Conversation) -> End:
        data = {"navigation": NAVIGATION}
        form = replace(PAPER, variant=self.variant, routed=False)
        return search_and_plan_once(conversation, self.constrained, form, data)
