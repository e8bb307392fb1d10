"""SayPlan (Rana et al., 2023), its two ablations, and LookPlanGraph's versions of it: one dialogue each.

``sayplan`` is Algorithm 1, with the prompt of appendix J in our words (``conversations.dialogue``). The way
between rooms is filled in by Dijkstra. No goal is written, so an accepted plan is *executable* and nothing
more. Two things are ours, since the paper leaves them open: the limit of the search
(``conversations.dialogue``), and that feedback comes with the plan that it is about.

``llm-as-planner`` and ``llm+p-sayplan`` share its search and write one plan (section 4): the first with every
pose and room on the way, open loop; the second between rooms, which shares its name, and nothing else, with
LLM+P of Liu et al. ``sayplan-star`` and ``sayplan-lite`` are those of Onishchenko et al. (2025), in the
actions of the pack ``grasif``, where putting a thing on or in something stands for access and release, and no
routes are filled in: SayPlan* over a graph without poses (section 6.1), SayPlan Lite in two dialogues over
that of appendix A.1.2 (appendix A.2). The prompts are ours.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from ..language.chat.listing import LEGEND, listing
from ..language.chat.reader import UNBOUNDED
from ..pipeline.record import Record
from ..planners.request import Request
from ..simulator.sayplan_json import node_link
from ..simulator.view import View
from .conversations.conversation import Conversation, End, converse
from .conversations.dialogue import PARTS, DialogueForm, TwoStages
from .lookplangraph.memory import memory_graph
from .method import Limits, Needs, PackActions, Tools

SceneText = Literal["own", "listing"]
NAVIGATION = (
    "there is no path planner: write a goto for every pose and room on the way, one after the other along the"
    " links of the graph, from where the agent is"
)
"""What ``llm-as-planner`` says in the request for the plan beside the static prompt."""


def graph(view: View) -> dict[str, object]:
    """Return what a view shows in the paper's form (appendices K and L), with descriptions if it has any."""
    return node_link(view.scene, [node.id for node in view.visible], descriptions=True)


def listed_graph(view: View) -> list[str]:
    """Return what a view shows as our listing, which has neither poses nor links."""
    return [LEGEND, *listing(view.subgraph(), most=UNBOUNDED).split("\n")]


def graph_without_poses(view: View) -> dict[str, object]:
    """Return what a view shows in SayPlan's form, without its poses."""
    return node_link(view.scene, [n.id for n in view.visible if n.type != "pose"], descriptions=True)


def shown_graph(view: View) -> dict[str, object]:
    """Return what a view shows as a memory graph of LookPlanGraph."""
    return memory_graph(view.visible, view.scene, descriptions=True)


PAPER = DialogueForm("sayplan", "sayplan", graph)
LLM_AS_PLANNER = replace(PAPER, routed=False, replans=0, navigation=NAVIGATION)
LLM_P = replace(PAPER, replans=0)
STAR = DialogueForm("sayplan-star", "sayplan-star", graph_without_poses, routed=False)
LITE = DialogueForm("sayplan-lite-search", "sayplan-lite-plan", shown_graph, routed=False)
ACTIONS = PackActions(
    "grasif", frozenset("pick_up put_on put_inside put_under attach turn_on turn_off open close".split())
)
"""The actions of LookPlanGraph's appendix A.2."""


@dataclass(frozen=True, slots=True)
class SayPlan:
    """Search, plan, and plan again on feedback, as its form has it.

    ``constrained`` asks for answers under a JSON schema. ``variant`` is the version of the prompts, and
    ``scene_text`` is how the graph is written, and ``descriptions`` of nodes, which the paper's has not, are
    in it or not. ``without`` is a part of the search that is switched off. Of a form that is not the paper's
    neither of the two can be chosen.
    """

    needs: ClassVar[Needs] = "model"
    name: str = "sayplan"
    constrained: bool = True
    variant: int = 1
    scene_text: SceneText = "own"
    without: str = ""
    descriptions: bool = False
    form: DialogueForm = field(default=PAPER, repr=False)
    tells_as: str = field(default="sayplan", repr=False)
    actions: PackActions | None = field(default=None, repr=False)

    @property
    def prompts(self) -> tuple[str, ...]:
        """The names of its prompts."""
        return tuple(dict.fromkeys((self.form.search, self.form.plan)))

    @property
    def scene_texts(self) -> tuple[str, ...]:
        """Other forms of the graph."""
        return ("listing",) if self.form == PAPER else ()

    @property
    def parts(self) -> tuple[str, ...]:
        """Parts that can be switched off."""
        return PARTS if self.form == PAPER else ()

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Search the scene, then plan until the simulator accepts every step or no plan is asked for."""
        lacking = self.actions.lacking(self.name, request) if self.actions is not None else None
        return lacking or converse(self.name, request, tools, limits, self._talk, self.descriptions)

    def _talk(self, conversation: Conversation) -> End:
        form = self.form if self.scene_text == "own" else replace(self.form, graph=listed_graph)
        return TwoStages(conversation, form, self.constrained, self.variant, self.without).hold()
