"""Method ``sayplan-star``: SayPlan*, LookPlanGraph's own version of SayPlan (Onishchenko et al., 2025, 6.1).

SayPlan's one dialogue over a graph without poses, in the actions of the pack ``grasif``: putting a thing on
or in something stands for access and release. Routes are no matter there, so none are filled in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from ..domains.pack import Pack
from ..pipeline.record import Record
from ..planners.request import Request
from ..simulator.sayplan_json import node_link
from ..simulator.view import View
from .conversations.conversation import Conversation, End, converse
from .conversations.dialogue import DialogueForm, search_and_plan
from .method import Limits, Needs, Tools, unsupported

GRASIF = "grasif"
"""The pack that these actions are in."""
ACTIONS = frozenset("pick_up put_on put_inside put_under attach turn_on turn_off open close".split())


def plans_in_these_actions(pack: Pack) -> bool:
    """Return whether a pack has the actions of LookPlanGraph's appendix A.2 as printed steps."""
    steps = {a.step.predicate for a in pack.mapping.actions.values() if a.step is not None}
    return pack.mapping.room_step == "go_to" and steps >= ACTIONS


def converse_in_these_actions(
    name: str,
    request: Request,
    tools: Tools,
    limits: Limits,
    talk: Callable[[Conversation], End],
    descriptions: bool,
) -> Record:
    """Run a method's conversation as ``converse`` does; ``unsupported`` where a pack lacks the actions."""
    if not plans_in_these_actions(request.belief.pack):
        return unsupported(request, f"{name} needs the actions of the pack {GRASIF}")
    return converse(name, request, tools, limits, talk, descriptions)


def graph_without_poses(view: View) -> dict[str, object]:
    """Return what a view shows in SayPlan's form, without its poses."""
    return node_link(view.scene, [n.id for n in view.visible if n.type != "pose"], descriptions=True)


STAR = DialogueForm("sayplan-star", graph_without_poses, routed=False)


@dataclass(frozen=True, slots=True)
class SayPlanStar:
    """One dialogue, as SayPlan's. ``constrained`` asks for answers under a JSON schema.

    ``variant`` is the version of the prompt; the graph has ``descriptions`` of nodes or not.
    """

    needs: ClassVar[Needs] = "model"
    tells_as: ClassVar[str] = "sayplan without poses"
    pack: ClassVar[str] = GRASIF
    prompts: ClassVar[tuple[str, ...]] = ("sayplan-star",)
    name: str = "sayplan-star"
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
        return search_and_plan(conversation, self.constrained, replace(STAR, variant=self.variant))
