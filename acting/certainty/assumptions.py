"""Assumptions of an end: what it takes for granted beyond what was looked at, a sentence each."""

from __future__ import annotations

from ...simulator.observations.observation import Spot
from ...simulator.scene import THINGS, Node
from ...simulator.sensing.open_state import OpenBelief
from ..finish import WAYS
from ..looking import needed_kinds
from .knowledge import Knowledge

ELSEWHERE = "\0"
"""The name of a room that there may be; no node of a scene that was read has it."""


def assumptions(knowledge: Knowledge, outcome: str) -> tuple[str, ...]:
    """Return what an end rests on beyond what was looked at."""
    if outcome == "verified":
        return _of_what_is_reached(knowledge)
    if outcome != "unsolvable" or not knowledge.confirm:
        return ()
    rooms, routes = knowledge.belief.scene.by_type.get("room", ()), knowledge.belief.routes
    return () if all(routes.connected(knowledge.run.world.state.here, room) for room in rooms) else (WAYS,)


def _of_what_is_reached(knowledge: Knowledge) -> tuple[str, ...]:
    goal, belief, unseen = knowledge.goal.formula, knowledge.belief, knowledge.unseen
    counted = dict.fromkeys(needed_kinds(goal, False))
    kinds = [kind for kind in counted if belief.may_have_unseen(kind, THINGS)]
    sentences = []
    if kinds and knowledge.open(unseen=(*unseen, *THINGS)).decide(goal) is not True:
        sentences = [f"the robot was told of every {kind} that there is" for kind in kinds]
    if "room" in unseen and counted:
        beyond = belief.on(belief.scene.changed(add=(Node(ELSEWHERE, "room"),)))
        missing, unsure, happened = knowledge.missing, knowledge.unsure, knowledge.happened
        there = OpenBelief(beyond, (Spot(ELSEWHERE),), missing, happened, unsure=unsure, unseen=unseen)
        if there.decide(goal) is not True:
            sentences.append("there are no rooms but those to which the robot has seen a way")
    return tuple(sentences)
