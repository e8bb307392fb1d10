"""A map of the rooms for people while a robot acts: what of each was looked at, and where it looks next.

The robot's room comes first, then the one that it goes to look at, then those with places that nobody has
looked at; rooms that are exhausted come last. The layout may be changed.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...acting.episode import Episode
from ...acting.log import Intended
from ...simulator.observations.observation import Spot
from ...simulator.scene import Scene
from ...simulator.sensing.spots import spots_of
from .terminal import GOOD, HEAD, NAME, QUIET, UNSURE, Line, number_of


def room_map(episode: Episode) -> Iterator[Line]:
    """Yield a line for each room that is known, with what was looked at and what the robot believes there."""
    belief = episode.belief
    scene = belief.scene
    here = episode.knowledge.run.world.state.here
    next_look = looking_at(episode)
    there = _room_of(next_look.node, scene) if next_look is not None else None
    spots: dict[str, list[Spot]] = {name: [] for name in scene.by_type.get("room", ())}
    for spot in spots_of(belief):
        if (room := _room_of(spot.node, scene)) in spots:
            spots[room].append(spot)
    left = {room: [s for s in listed if s not in belief.looked] for room, listed in spots.items()}
    for room in sorted(spots, key=lambda r: (r != here, r != there, not left[r])):
        looked = len(spots[room]) - len(left[room])
        things = sum(scene.nodes[i].type == "object" for i in scene.descendants(room))
        style, mark = (HEAD, "● ") if room == here else (NAME, "→ ") if room == there else ("", "  ")
        seen = f"{looked} of {len(spots[room])} looked at" if left[room] else "all looked at"
        words = f"{room}: {seen}, {number_of(things, 'thing')} known"
        if room == there:
            words += f"; looks next: {next_look}"
        yield (mark, GOOD if room == here else UNSURE if room == there else QUIET), (words, style)


def looking_at(episode: Episode) -> Spot | None:
    """Return the spot that the robot is on its way to look at, if it is looking."""
    last = next((entry for entry in reversed(episode.log) if isinstance(entry, Intended)), None)
    return last.look if last is not None and last.look not in episode.belief.looked else None


def _room_of(node: str, scene: Scene) -> str | None:
    """Return the room that a node is in, or the node itself where it is a room."""
    around = (node, *scene.ancestors(node))
    return next((name for name in around if scene.nodes[name].type == "room"), None)
