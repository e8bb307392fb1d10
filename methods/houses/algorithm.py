"""SayNav's Algorithm 1 (Rajvanshi et al., 2024): look around, name the room, plan in it, go on by a door.

In each room the robot looks around, and an advisor says what room it is and whether it is worth searching; if
so, the advisor writes a short plan of places and looks, which is carried out. Then it takes the nearest door
that was not explored. The pseudo-code fails when all doors were explored; its text, figure 8 and the
worked example come back later to rooms that were not worth it, which ``revisit`` does. The memory of rooms is
the map's, or with ``memory`` the model's (figure 8).

Ours, where the paper is silent: coordinates of a plan count as those of the nearest thing within half a
metre, otherwise the line is refused with the looks after it; the nearest door is meant by the known way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...domains.errors import clip
from ...simulator.navigation.floor_plan import Point
from ...simulator.navigation.seen_map import SeenMap
from .advice import Advisor, Look, Navigate, RoomContents, spoken
from .explorer import DriveTo, GiveUp, Intent, LookAround
from .sweep import next_way

SNAP = 0.5
"""Metres from the coordinates of a plan to the thing that they mean, at most."""
TRIES = 5
"""Times that a drive is begun anew after it was interrupted."""
MAX_VISITS = 3
"""Times that the model's memory is asked about one room."""


@dataclass
class SayNav:
    """An explorer; it is of one search.

    ``memory`` leaves it to the advisor to remember rooms, ``revisit`` comes back to rooms that were not worth
    a search at first. ``refused`` are the lines of answers that could not be followed.
    """

    advisor: Advisor
    name: str = "saynav"
    memory: bool = False
    revisit: bool = True
    searched: dict[str, None] = field(default_factory=dict)
    later: dict[str, None] = field(default_factory=dict)
    entered: dict[str, None] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)
    numbered: dict[str, str] = field(default_factory=dict)
    """Names of rooms with numbers: "bedroom 1"."""
    asked_about: dict[str, int] = field(default_factory=dict)
    _steps: Iterator[Intent] | None = field(default=None, repr=False)
    _seen: SeenMap = field(default_factory=SeenMap, repr=False)
    _targets: tuple[str, ...] = field(default=(), repr=False)

    def next(self, seen: SeenMap, targets: tuple[str, ...]) -> Intent:
        """Return the next intent of the algorithm. Raises what the advisor raises."""
        self._seen, self._targets = seen, targets
        if self._steps is None:
            self._steps = self._algorithm()
        return next(self._steps, GiveUp("all doors were explored"))

    def _algorithm(self) -> Iterator[Intent]:
        """Yield the intents of Algorithm 1; its ends are the task's."""
        again, before = False, ""
        while True:
            room = self._seen.room
            self.entered.setdefault(room)
            yield LookAround(f"in {self._called(room)}")
            if room != before or again:  # at a door that led nowhere new, there is nothing to decide anew
                contents = contents_of(self._seen, room)
                opinion = self.advisor.opinion(contents, self._targets)
                self._name(room, opinion.kind)
                if self._worth_searching(room, bool(opinion.likely), again):
                    self.searched.setdefault(room)
                    self.later.pop(room, None)
                    yield from self._search(contents, room)
            way = self._way_on()
            again, before = False, self._seen.room
            if way is None and self.revisit and self.later:
                way, again = self._way_back(), True
            if way is None:
                yield GiveUp("all doors were explored, and no room is left to come back to")
                return
            yield from way

    def _worth_searching(self, room: str, likely: bool, again: bool) -> bool:
        """Decide whether a room is searched now, and note it where it is to be later."""
        if not self.memory:
            if room in self.searched:
                return False
            if not likely and not again:
                self.later.setdefault(room)
            return likely or again
        self.asked_about[room] = self.asked_about.get(room, 0) + 1
        verdict = self.advisor.track(self._called(room), self._targets)
        if verdict == "later" and self.asked_about[room] < MAX_VISITS:
            self.later.setdefault(room)
        else:
            self.later.pop(room, None)
        return verdict == "search"

    def _search(self, contents: RoomContents, room: str) -> Iterator[Intent]:
        """Yield the steps of a plan for a room (lines 10 to 24)."""
        plan = self.advisor.plan(contents, self._targets, self._called(room))
        self.refused += plan.refused
        places = {**contents.furniture, **contents.objects}  # of what is at one place, the furniture is meant
        skipping = False
        for line in plan.lines:
            if isinstance(line, Navigate):
                name = snapped(line.at, places)
                skipping = name is None
                if name is None:
                    self.refused.append(f"nothing was seen at ({line.at[0]:g}, {line.at[1]:g})")
                    continue
                yield from self._drive_near(places[name], room, f"go to {name}")
            elif isinstance(line, Look) and not skipping:
                yield LookAround(f"look for {', '.join(spoken(t) for t in line.targets)}")

    def _drive_near(self, place: Point, room: str, why: str) -> Iterator[Intent]:
        """Yield drives to the free cell of a room nearest to a place that the robot knows a way to."""
        seen = self._seen
        if seen.stance is None:
            return
        grid = seen.grid()
        lengths = grid.distances(seen.stance.cell)
        cells = [c for c in grid.cells if lengths[c] >= 0 and seen.floor[c][0] == room]
        cell = grid.nearest(place, cells)
        if cell is not None:
            yield from self._drive(cell, why)

    def _way_on(self) -> Iterator[Intent] | None:
        """Return the drive through the nearest door that was not explored; ``None`` without one."""
        seen = self._seen
        if seen.stance is None:
            return None
        grid = seen.grid()
        way = next_way(seen, grid, grid.distances(seen.stance.cell), self.entered, self.tried)
        if way is None:
            return None
        if way.door:
            self.tried.add(way.door)
        return self._drive(way.cell, f"walk to {way.door or 'the neighbouring room'}")

    def _way_back(self) -> Iterator[Intent] | None:
        """Return the drive to the nearest room that was left for later; ``None`` where none is reached."""
        seen = self._seen
        if seen.stance is None:
            return None
        grid = seen.grid()
        lengths = grid.distances(seen.stance.cell)
        cells = [c for c in grid.cells if lengths[c] >= 0 and seen.floor[c][0] in self.later]
        cell = min(cells, key=lambda c: (lengths[c], c), default=None)
        if cell is None:
            return None
        return self._drive(cell, f"come back to {self._called(seen.floor[cell][0])}")

    def _drive(self, cell: tuple[int, int], why: str) -> Iterator[Intent]:
        for _ in range(TRIES):
            if self._seen.stance is None or self._seen.stance.cell == cell or cell in self._seen.vain:
                return
            yield DriveTo(cell, why=why)

    def _called(self, room: str) -> str:
        """Return the name of a room for people and models: its type with a number, once it has one."""
        return self.numbered.get(room, "a new room")

    def _name(self, room: str, kind: str) -> None:
        """Note the type of a room when it is first said."""
        if room in self.numbered:
            return
        self._seen.name_room(room, kind)
        count = sum(name.rpartition(" ")[0] == kind for name in self.numbered.values())
        self.numbered[room] = f"{kind} {count + 1}"


def contents_of(seen: SeenMap, room: str) -> RoomContents:
    """Return what was seen in a room, in the order of names; several of one type have numbers."""
    parts: list[dict[str, Point]] = []
    for small in (False, True):
        bodies = sorted(
            (b for b in seen.bodies.values() if b.room == room and b.small is small),
            key=lambda b: (b.kind, b.id),
        )
        counts: dict[str, int] = {}
        for body in bodies:
            counts[body.kind] = counts.get(body.kind, 0) + 1
        numbers: dict[str, int] = {}
        part = {}
        for body in bodies:
            numbers[body.kind] = numbers.get(body.kind, 0) + 1
            number = str(numbers[body.kind]) if counts[body.kind] > 1 else ""
            part[clip(f"{spoken(body.kind)}{number}", 60)] = (body.place[0], body.place[1])
        parts.append(part)
    return RoomContents(parts[0], parts[1])


def snapped(at: Point, places: dict[str, Point]) -> str | None:
    """Return the thing that coordinates mean, the nearest within :data:`SNAP`; ``None`` without one."""
    name = min(places, key=lambda n: round(math.dist(places[n], at), 6), default=None)
    return name if name is not None and math.dist(places[name], at) <= SNAP else None
