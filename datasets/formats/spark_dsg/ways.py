"""Places and rooms of a Spark-DSG graph: in which room a place is, and what the robot can drive.

Ways are the edges between places. A room is an end of routes and never on the way from one place to another:
its centre may be inside a table, and what leads to it is one link from one of its places. Which place that
is may be changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import dist, inf
from typing import TYPE_CHECKING

from ....simulator.scene import Position

if TYPE_CHECKING:
    import networkx


@dataclass(frozen=True)
class Ways:
    """Kinds and positions of the nodes that are kept, their upper nodes, and pairs within a layer."""

    kinds: Mapping[int, str]
    positions: Mapping[int, Position | None]
    above: Mapping[int, int]
    beside: Sequence[tuple[int, int]]

    @cached_property
    def places(self) -> Mapping[int, Sequence[int]]:
        """The places in each room that has some, by the edges of the file."""
        inside: dict[int, list[int]] = {}
        for key, kind in self.kinds.items():
            room = self.above.get(key)
            if kind == "pose" and room is not None and self.kinds.get(room) == "room":
                inside.setdefault(room, []).append(key)
        return inside

    @cached_property
    def joined(self) -> networkx.Graph[int]:
        """The places, with those that an edge joins."""
        import networkx  # 0.1 s: only for such a graph

        joined = networkx.Graph()
        joined.add_nodes_from(key for key, kind in self.kinds.items() if kind == "pose")
        joined.add_edges_from((a, b) for a, b in self.beside if a in joined and b in joined)
        return joined

    @cached_property
    def rooms(self) -> Mapping[int, int]:
        """The room of each place: the one that it is in, or the nearest along the places, by their number."""
        room_of = {place: room for room, places in self.places.items() for place in places}
        queue = deque(room_of)
        while queue:
            place = queue.popleft()
            for other in self.joined[place]:
                if other not in room_of:
                    room_of[other] = room_of[place]
                    queue.append(other)
        return room_of

    @cached_property
    def _parts(self) -> Mapping[int, tuple[int, int]]:
        """The size and a number of all that edges join with a place."""
        import networkx

        parts = enumerate(networkx.connected_components(self.joined))
        return {place: (len(part), -number) for number, part in parts for place in part}

    def end(self, room: int, places: Collection[int]) -> int:
        """Return the place of a room from which it is driven to: the nearest of those joined with most."""
        most = max(self._parts[place] for place in places)
        centre = self.positions.get(room)

        def away(place: int) -> float:
            position = self.positions.get(place)
            return inf if centre is None or position is None else dist(centre, position)

        return min((place for place in places if self._parts[place] == most), key=away)

    def links(self, spare: int | None = None) -> Iterator[tuple[int, int]]:
        """Yield the ends of what the robot can drive; a ``spare`` room has all places."""
        for a, b in self.beside:
            kinds = {self.kinds.get(a), self.kinds.get(b)}
            if kinds == {"pose"} or (kinds == {"room"} and not self.joined_by_places(a, b)):
                yield a, b
        for room, places in self.places.items():
            yield room, self.end(room, places)
        loose = [key for key, kind in self.kinds.items() if kind == "pose"] if spare is not None else []
        if spare is not None and loose:
            yield spare, self.end(spare, loose)

    def joined_by_places(self, a: int, b: int) -> bool:
        """Return whether both of two rooms have places, which say how to get from one to the other."""
        return a in self.places and b in self.places
