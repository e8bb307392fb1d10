"""Doubts about a scene, whatever its format: two lengths of a way, other units, a robot that is nowhere.

A scene keeps each link as its file has it, and routes take the shortest between two places. What is unlikely
is listed among the losses and changes nothing. A further doubt is a function here; how long a way in a
building may be is ours and may be changed.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...domains.errors import clip
from ...simulator.scene import DOUBT, Link, Loss, Scene
from .assembly import NO_START

LONG = 200.0
"""Metres from a room to the next place of its building beyond which a file is likely not in metres."""


def doubts(scene: Scene) -> tuple[Loss, ...]:
    """Return what is doubtful about the links of a scene and the place of its robot."""
    return (*_of_two_lengths(scene), *_long(scene), *_of_start(scene))


def _of_start(scene: Scene) -> Iterator[Loss]:
    robots = (scene.nodes[i] for i in scene.by_type.get("agent", ()))
    for robot in (r for r in robots if r.provenance.get("at") == NO_START):
        yield Loss(DOUBT, clip(robot.id), NO_START.removeprefix("chosen: "))


def _of_two_lengths(scene: Scene) -> Iterator[Loss]:
    lengths: dict[tuple[str, str], set[int]] = {}
    for link in scene.links:
        ends = (link.a, link.b) if link.a < link.b else (link.b, link.a)
        lengths.setdefault(ends, set()).add(round(link.length * 1000))
    for (a, b), several in lengths.items():
        if len(several) > 1:
            listed = " and ".join(f"{n / 1000:g}" for n in sorted(several)[:2])
            reason = f"there are links of {listed} m between these places; the shortest counts"
            yield Loss(DOUBT, clip(f"{a} - {b}", 100), reason, len(several))


def _long(scene: Scene) -> Iterator[Loss]:
    long = [x for x in scene.links if x.length > LONG and _in_one_building(scene, x)]
    if long:
        most = max(long, key=lambda link: link.length)
        reason = f"{most.length:g} m from a room to the next place: lengths and positions are in metres"
        yield Loss(DOUBT, clip(f"{most.a} - {most.b}", 100), reason, len(long))


def _in_one_building(scene: Scene, link: Link) -> bool:
    """Return whether a link has a room at one end and does not lead from building to building."""
    ends = (link.a, link.b)
    if all(scene.nodes[end].type != "room" for end in ends):
        return False
    around = [next((a for a in scene.ancestors(e) if scene.nodes[a].type == "building"), None) for e in ends]
    return None in around or around[0] == around[1]
