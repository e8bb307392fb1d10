"""Shortest routes between places, by Dijkstra (1959) over the scene's links, in networkx.

Lengths are integers in millimetres, so that sums are exact and equal on every machine. A place that is no
pose or room (an asset, an object) is reached through its room; within a room driving costs nothing. Shortest
path trees are kept per source, because a plan's subgoals need the same few sources again and again. Another
cost model belongs into ``graph``; ties between routes must stay independent of hashing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..domains.deadline import check_time
from ..domains.errors import NoRoute
from .scene import Scene

if TYPE_CHECKING:
    import networkx


_Tree = tuple[dict[str, int], dict[str, list[str]]]


@dataclass(frozen=True, slots=True)
class Route:
    """A path through the topology: the nodes after the start, and the length in millimetres."""

    hops: tuple[str, ...]
    length: int


class Routes:
    """Shortest routes of a scene, computed on demand and remembered."""

    def __init__(self, scene: Scene, shut: frozenset[tuple[str, str]] = frozenset()) -> None:
        self.scene = scene
        self.shut = shut
        """Ends of links that nobody can go, in both orders."""
        # By source: lengths, and each node's predecessors on shortest paths, in the order of discovery.
        self._from: dict[str, _Tree] = {}
        self._anchors: dict[str, str | None] = {}

    def on(self, scene: Scene) -> Routes:
        """Return the routes of a scene with the same links, in which things may be elsewhere."""
        other = Routes(scene, self.shut)
        other._from = self._from
        for name in ("graph", "_areas"):
            if name in self.__dict__:
                other.__dict__[name] = self.__dict__[name]
        return other

    @cached_property
    def graph(self) -> networkx.Graph[str]:
        """The topology as a networkx graph; nodes and edges in sorted order, weights in millimetres."""
        import networkx  # 0.1 s: only where a route is needed

        graph: Any = networkx.Graph()
        near = self.scene.neighbours
        graph.add_nodes_from(sorted(near))
        graph.add_weighted_edges_from(
            (a, b, w) for a in sorted(near) for b, w in sorted(near[a].items()) if (a, b) not in self.shut
        )
        return graph

    def anchor(self, place: str) -> str:
        """Return the node of the topology through which a place is reached: itself, its pose or its room."""
        anchor = self.anchor_of(place)
        if anchor is None:
            raise NoRoute(place, "any room")
        return anchor

    def anchor_of(self, place: str) -> str | None:
        """Return the anchor of a place, ``None`` for what is in no room."""
        if place not in self._anchors:
            self._anchors[place] = self.scene.anchor_of(place)
        return self._anchors[place]

    def _tree(self, source: str) -> _Tree:
        tree = self._from.get(source)
        if tree is None:
            check_time("looking for routes")
            tree = self._from[source] = self._search(source)
        return tree

    def _search(self, source: str) -> _Tree:
        import networkx

        if source not in self.graph:
            return {source: 0}, {}
        before, lengths = networkx.dijkstra_predecessor_and_distance(self.graph, source)
        return lengths, before

    def distance(self, source: str, target: str) -> int:
        """Return the millimetres from place to place. Raises :class:`NoRoute` when no link connects them.

        From a place to itself they are 0, for what is in no room, too: there nothing is to be driven.
        """
        if source == target:
            return 0
        start, end = self.anchor(source), self.anchor(target)
        lengths: Mapping[str, int] = self._tree(start)[0]
        if end not in lengths:
            raise NoRoute(source, target)
        return lengths[end]

    def connected(self, source: str, target: str) -> bool:
        """Return whether a route exists; none leads to what is in no room."""
        start, end = self.anchor_of(source), self.anchor_of(target)
        return start is not None and end in self._tree(start)[0]

    def area(self, place: str) -> str | None:
        """Return a name for all that routes join with a place, ``None`` for what is in no room."""
        anchor = self.anchor_of(place)
        return None if anchor is None else self._areas.get(anchor, anchor)

    @cached_property
    def _areas(self) -> Mapping[str, str]:
        import networkx

        return {n: area[0] for area in map(sorted, networkx.connected_components(self.graph)) for n in area}

    def lengths(self, anchor: str) -> Mapping[str, int]:
        """Return the millimetres from a room or pose to all that a route leads to."""
        return self._tree(anchor)[0]

    def route(self, source: str, target: str) -> Route:
        """Return the shortest route between the anchors of two places. Raises :class:`NoRoute`."""
        if source == target:
            return Route((), 0)
        start, end = self.anchor(source), self.anchor(target)
        lengths, before = self._tree(start)
        if end not in lengths:
            raise NoRoute(source, target)
        hops = []
        here = end
        while here != start:
            hops.append(here)
            here = before[here][0]
        return Route(tuple(reversed(hops)), lengths[end])
