"""SayNav's advisor without a language model: its questions answered from the beliefs of `least-cost`.

The algorithm is the same, so that a comparison with that search under the same beliefs shows what the
way of deciding is worth. A room is worth a search for a target that is likelier there than in a room of any
type; a plan goes to all furniture, the likeliest first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .advice import Look, Navigate, RoomContents, RoomOpinion, RoomPlan, Verdict, kind_name
from .beliefs import HouseBeliefs


@dataclass(frozen=True, slots=True)
class BelievingAdvisor:
    """An advisor by beliefs; it has no memory of rooms."""

    beliefs: HouseBeliefs

    def opinion(self, contents: RoomContents, targets: Sequence[str]) -> RoomOpinion:
        """Return the likeliest type of a room, and the targets that it makes likelier."""
        rooms = self._rooms(contents, targets)
        likely = tuple(
            t for t in targets if self.beliefs.weight(t, "furniture", rooms) >= self.beliefs.unseen(t)
        )
        return RoomOpinion(max(rooms, key=lambda kind: rooms[kind]), likely)

    def plan(self, contents: RoomContents, targets: Sequence[str], kind: str) -> RoomPlan:
        """Return a way to all furniture by the weight of the targets on it."""
        rooms = self._rooms(contents, targets)

        def weight(name: str) -> float:
            return sum(
                self.beliefs.weight(t, kind_name(name), rooms) / self.beliefs.unseen(t) for t in targets
            )

        lines: list[Navigate | Look] = []
        for name in sorted(contents.furniture, key=lambda n: (-weight(n), n)):
            lines += [Navigate(contents.furniture[name]), Look(tuple(targets))]
        return RoomPlan(tuple(lines))

    def track(self, room: str, targets: Sequence[str]) -> Verdict:
        """Return that a room is to be searched."""
        return "search"

    def _rooms(self, contents: RoomContents, targets: Sequence[str]) -> Mapping[str, float]:
        """Return the types of a room by its furniture, with the beliefs ready for what is in it."""
        kinds = [kind_name(name) for name in contents.furniture]
        self.beliefs.prepare(targets, kinds)
        return self.beliefs.rooms(kinds)
