"""Observations beside the scene that is believed: names that neither has, things that are gone, ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...domains.errors import SceneError, clip, did_you_mean
from ...domains.mapping import SceneMapping
from ..scene import ANCHORS, THINGS, Link, Node, Scene
from .observation import Observations, Spot


def check_seen_names(observations: Observations, scene: Scene) -> None:
    """Refuse names of what is neither believed nor seen. Raises :class:`SceneError`."""
    named = [("here", observations.here), *(("a spot", spot.node) for spot in observations.spots)]
    for way in observations.ways:
        ends = (way.a, way.b, *([way.door] if way.door else []))
        named += (("an end of a way, or its door,", name) for name in ends)
    seen = {node.id for node in observations.nodes}
    for what, name in named:
        if name not in scene.nodes and name not in seen:
            hint, expected = did_you_mean(name, scene.nodes), f"{what} to be a node"
            raise SceneError("observations", f"{expected} that is believed or seen", clip(name), hint)
    for part in observations.in_part:
        if part.node not in seen:
            raise SceneError("observations", "what is seen in part to be seen", clip(part.node))


def missing_from_view(observations: Observations, scene: Scene, mapping: SceneMapping) -> Iterator[str]:
    """Yield the things that are believed where all was seen, and were not seen; in scene order."""
    # Of rooms, the one that the robot is in; those beside it are seen from outside.
    here = observations.here
    seen = {n.id for n in observations.nodes if n.type not in ANCHORS or here in (n.id, n.parent)}
    for name, node in scene.nodes.items():
        parent = node.parent
        if name in seen or parent not in seen or parent is None or node.type not in THINGS:
            continue
        on_floor = scene.nodes[parent].type in ANCHORS
        hidden = not on_floor and (node.relation in mapping.sight or node.relation in mapping.look)
        agent = scene.nodes[parent].type == "agent"
        if (
            agent
            or Spot(parent, node.relation) in observations.spots
            or (not hidden and Spot(observations.here) in observations.spots)
        ):
            yield name


def ways_now(
    observations: Observations, nodes: Mapping[str, Node], links: tuple[Link, ...]
) -> tuple[Link, ...]:
    """Return the links, with those of the place that the robot is at as it sees them."""
    here = observations.here
    if Spot(here) not in observations.spots:
        return links
    seen = {_ends(way): way for way in observations.ways}
    stops = {here, *(n.id for n in observations.nodes if n.type == "pose" and n.parent == here)}
    believed = {_ends(way): way for way in links if way.a in stops or way.b in stops}
    if {e: (w.length, w.door) for e, w in seen.items()} == {
        e: (w.length, w.door) for e, w in believed.items()
    }:
        return links
    return (*(way for way in links if _ends(way) not in believed), *observations.ways)


def _ends(link: Link) -> tuple[str, str]:
    return (link.a, link.b) if link.a < link.b else (link.b, link.a)
