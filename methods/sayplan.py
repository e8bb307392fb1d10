"""Method ``sayplan``: Algorithm 1 of SayPlan (Rana et al., 2023), with the prompt of appendix J in our words.

One static prompt serves both stages (``conversations.dialogue``). In the first the model searches the
collapsed graph; when it changes its mode it plans, and the simulator's words on a plan are in the next
request, up to five times. The way between rooms is filled in by Dijkstra. No goal is written, so an accepted
plan is *executable* and nothing more. Two things are ours, since the paper leaves them open: the limit of the
search (``conversations.exploration``), and that feedback comes with the plan that it is about.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from ..language.chat.goal_scene import LEGEND
from ..language.chat.listing import listing
from ..language.chat.reader import UNBOUNDED
from ..pipeline.record import Record
from ..planners.request import Request
from ..simulator.sayplan_json import node_link
from ..simulator.view import View
from .conversations.conversation import Conversation, End, converse
from .conversations.dialogue import DialogueForm, search_and_plan
from .conversations.exploration import PARTS
from .method import Limits, Needs, Tools

SceneText = Literal["own", "listing"]


def listed_graph(view: View) -> list[str]:
    """Return what a view shows as our listing, which has neither poses nor links."""
    return [LEGEND, *listing(view.subgraph(), most=UNBOUNDED).split("\n")]


def graph(view: View) -> dict[str, object]:
    """Return what a view shows in the paper's form (appendices K and L), with descriptions if it has any."""
    return node_link(view.scene, [node.id for node in view.visible], descriptions=True)


PAPER = DialogueForm("sayplan", graph)


def paper_form(variant: int, scene_text: SceneText) -> DialogueForm:
    """Return the paper's dialogue with a version of its prompt, and the graph as JSON or as a listing."""
    return replace(PAPER, variant=variant, graph=graph if scene_text == "own" else listed_graph)


@dataclass(frozen=True, slots=True)
class SayPlan:
    """Search, plan, and plan again on feedback.

    ``constrained`` asks for answers under a JSON schema. ``variant`` is the version of the prompt, and
    ``scene_text`` is how the graph is written, and ``descriptions`` of nodes, which the paper's has not, are
    in it or not. ``without`` is a part of the search that is switched off.
    """

    needs: ClassVar[Needs] = "model"
    tells_as: ClassVar[str] = "sayplan"
    prompts: ClassVar[tuple[str, ...]] = ("sayplan",)
    scene_texts: ClassVar[tuple[str, ...]] = ("listing",)
    parts: ClassVar[tuple[str, ...]] = PARTS
    name: str = "sayplan"
    constrained: bool = True
    variant: int = 1
    scene_text: SceneText = "own"
    without: str = ""
    descriptions: bool = False

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Search the scene, then plan until the simulator accepts every step."""
        return converse(self.name, request, tools, limits, self._talk, self.descriptions)

    def _talk(self, conversation: Conversation) -> End:
        form = replace(paper_form(self.variant, self.scene_text), without=self.without)
        return search_and_plan(conversation, self.constrained, form)
