"""One robot with one hand: what files of other systems have more of is kept as things, and listed.

A scene has one robot, which holds one thing at most. Files of simulators for several agents, or for people
with two hands, are read all the same. Users say which agent is the robot, else it is the first.
"""

from __future__ import annotations

from dataclasses import replace

from ...domains.errors import InputError, clip, did_you_mean
from ...simulator.scene import DOUBT, PLACE_UNKNOWN, Loss, Node, Scene
from .assembly import NO_START
from .unread import NO_PLACE

ONE_ROBOT = "a scene has one robot, {}: a further agent is a thing that stays where it is (--robot picks one)"
ONE_HAND = "the robot holds another thing, and has one hand: the place of this one is not known"


def with_one_robot(scene: Scene, robot: str = "") -> Scene:
    """Return a scene in which one agent is the robot and holds the first thing that it held.

    It is the first, or the one that is named, by its id or the letters before its number in brackets. Raises
    :class:`InputError` for the name of none.
    """
    agents = scene.by_type.get("agent", ())
    if robot:
        named = [i for i in agents if robot in (i, i.partition("(")[0])]
        if not named:
            hint = did_you_mean(robot, agents) or f"agents are {clip(', '.join(agents)) or 'none'}"
            raise InputError("robot", "the name of an agent of the scene", clip(robot), hint)
        agents = (named[0], *(i for i in agents if i != named[0]))
    second_hands = scene.children.get(agents[0], ())[1:] if agents else ()
    if len(agents) < 2 and not second_hands:
        return scene
    others = agents[1:]
    change: dict[str, dict[str, object]] = {i: _thing(scene, scene.nodes[i]) for i in others}
    held = [i for agent in others for i in scene.children.get(agent, ())]
    change |= {i: {"relation": "attached_to"} for i in held}
    change |= {i: {"parent": None, "relation": PLACE_UNKNOWN} for i in second_hands}
    losses = [Loss(DOUBT, clip(i), ONE_ROBOT.format(clip(agents[0]))) for i in others]
    losses += [Loss("place", clip(i), NO_PLACE) for i in others if change[i]["parent"] is None]
    losses += [Loss("place", clip(i), ONE_HAND) for i in second_hands]
    return replace(scene.changed(change=change), losses=(*scene.losses, *losses))


def _thing(scene: Scene, agent: Node) -> dict[str, object]:
    """Return the fields that make furniture of an agent, in the room or at the asset where it is."""
    here = agent.at or agent.parent if agent.provenance.get("at") != NO_START else None
    place = here if here is not None and scene.nodes[here].type in ("asset", "pose") else None
    room = scene.room_of(here) if here is not None and place is None else place
    relation = "in" if room is not None else PLACE_UNKNOWN
    kept = {key: source for key, source in agent.provenance.items() if key != "at"}
    called = tuple(dict.fromkeys(("agent", *agent.classes)))
    where = {"parent": room, "relation": relation, "at": None}
    return {"type": "asset", "classes": called, **where, "provenance": kept}
