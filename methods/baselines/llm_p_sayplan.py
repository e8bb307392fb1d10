"""Method ``llm+p-sayplan``: what SayPlan calls LLM+P (Rana et al., 2023, section 4), an ablation of itself.

SayPlan's search, then one request for a plan between rooms, with the way filled in by Dijkstra and without
replanning. It shares its name, and nothing else, with LLM+P of Liu et al. (2023).
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


@dataclass(frozen=True, slots=True)
class LlmPSayPlan:
    """Search, and plan once between rooms. ``constrained`` asks for answers under a JSON schema.

    ``variant`` is the version of the prompt; the graph has ``descriptions`` of nodes or not.
    """

    needs: ClassVar[Needs] = "model"
    tells_as: ClassVar[str] = "sayplan"
    prompts: ClassVar[tuple[str, ...]] = ("sayplan",)
    name: str = "llm+p-sayplan"
    constrained: bool = True
    variant: int = 1
    descriptions: bool = False

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Search the scene as ``sayplan`` does, then run the one plan with its routes filled in."""
        return converse(self.name, request, tools, limits, self._talk, self.descriptions)

    def _talk(self, conversation: Conversation) -> End:
        return search_and_plan_once(conversation, self.constrained, replace(PAPER, variant=self.variant), {})
