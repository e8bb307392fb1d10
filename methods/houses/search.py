"""One search of a house: an explorer, a driver and the world by turns, until all is found or the end.

The world is asked for what the robot sees and for nothing else; the map is made of that alone. A target is
found when a thing of its type is seen, whatever the robot was doing. The record says what was found, when and
after how many metres, why the search ended, and what became of the cells that the robot was to drive to.

A walk has a :class:`Leg` for each thing that the explorer wanted. A map is the sum of its legs: each names
the rooms, doors and things that were seen for the first time, and the cells of the floor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from ...domains.deadline import check_time
from ...simulator.navigation.camera import Glimpse
from ...simulator.navigation.grid import CELL, Cell, middle
from ...simulator.navigation.house_world import LOOK_MOVES, Control, Driven, HouseWorld
from ...simulator.navigation.seen_map import SeenMap, SpatialGraph
from .driving.driver import Driver
from .explorer import DriveTo, Explorer, GiveUp, Intent, LookAround


@dataclass(frozen=True, slots=True)
class Leg:
    """A part of a walk; ``intent`` is what the explorer wanted, empty for the look from where it starts.

    ``way`` are the cells in which the robot was, ``seen`` and ``floor`` what it saw for the first time;
    ``moves`` and ``metres`` are those of the walk up to the end of the leg.
    """

    intent: str
    way: tuple[Cell, ...]
    room: str
    moves: int
    metres: float
    seen: tuple[str, ...]
    floor: tuple[Cell, ...]

    def as_json(self) -> dict[str, object]:
        """Return the leg with places in metres; of the way its corners, of the floor strips of cells."""
        return {
            "intent": self.intent,
            "way": [list(middle(cell)) for cell in _corners(self.way)],
            "room": self.room,
            "moves": self.moves,
            "metres": self.metres,
            "seen": list(self.seen),
            "floor": [[*middle((i, j)), CELL * count] for i, j, count in _strips(self.floor)],
        }


@dataclass
class WalkLog:
    """The legs of a walk so far, and how much of the map was known at the end of the last."""

    legs: list[Leg]
    way: list[Cell]
    known: tuple[int, int, int, int] = (0, 0, 0, 0)

    def pass_through(self, cell: Cell) -> None:
        """Note that the robot is in a cell."""
        if not self.way or self.way[-1] != cell:
            self.way.append(cell)

    def end_leg(self, intent: str, seen: SeenMap, moves: int, metres: float) -> None:
        """End a leg: what is on the map, and was not at the end of the last one, is new."""
        rooms, passages, bodies, cells = self.known
        new = [*list(seen.rooms)[rooms:], *list(seen.passages)[passages:], *list(seen.bodies)[bodies:]]
        floor = list(seen.floor)[cells:]
        self.legs.append(Leg(intent, tuple(self.way), seen.room, moves, metres, tuple(new), tuple(floor)))
        self.known = (len(seen.rooms), len(seen.passages), len(seen.bodies), len(seen.floor))
        self.way = self.way[-1:]


def _corners(way: tuple[Cell, ...]) -> list[Cell]:
    """Return the first cell of a way, the last, and those in which it turns."""
    kept = list(way[:1])
    for before, cell, after in zip(way, way[1:], way[2:], strict=False):
        if (cell[0] - before[0], cell[1] - before[1]) != (after[0] - cell[0], after[1] - cell[1]):
            kept.append(cell)
    return kept + list(way[1:][-1:])


def _strips(cells: tuple[Cell, ...]) -> Iterator[tuple[int, int, int]]:
    """Yield cells as strips along the second axis: the first cell of each, and how many they are."""
    strip: tuple[int, int, int] | None = None
    for i, j in sorted(cells):
        if strip is not None and strip[0] == i and strip[1] + strip[2] == j:
            strip = (i, strip[1], strip[2] + 1)
            continue
        if strip is not None:
            yield strip
        strip = (i, j, 1)
    if strip is not None:
        yield strip


MAX_MOVES = 1000
"""Most primitive moves of a search (ours; the paper says "within a time period")."""
MAX_IDLE = 20
"""Intents in a row that move nothing, after which an explorer is taken to be stuck."""


@dataclass(frozen=True, slots=True)
class Find:
    """A target that was seen: its type, the thing, and the moves and metres until then.

    ``look`` is the number of the command that showed it: finds of one command have no order among themselves.
    """

    target: str
    id: str
    moves: int
    metres: float
    look: int


@dataclass(frozen=True, slots=True)
class Goals:
    """Cells that a driver was to reach: how many, to how many there was no way, how many it gave up."""

    goals: int = 0
    no_way: int = 0
    given_up: int = 0


@dataclass(frozen=True)
class SearchRun:
    """The record of a search.

    ``outcome`` is ``found`` (all targets), ``gave-up``, ``out-of-moves``, or ``stuck`` (an explorer that
    wants what cannot be done). ``walk`` has a leg for each thing that the explorer wanted. ``graph`` is what
    the robot made of the house, ``room`` where it was at the end.
    """

    explorer: str
    outcome: str
    targets: tuple[str, ...]
    finds: tuple[Find, ...]
    driven: Driven
    driver: Mapping[str, object]
    goals: Goals
    graph: SpatialGraph
    room: str
    reason: str = ""
    walk: tuple[Leg, ...] = ()

    @property
    def intents(self) -> tuple[str, ...]:
        """The intents of the explorer, a line each."""
        return tuple(leg.intent for leg in self.walk[1:])

    @property
    def success(self) -> bool:
        return self.outcome == "found"

    @property
    def metres(self) -> float:
        return self.driven.metres

    def as_json(self) -> dict[str, object]:
        return {
            "explorer": self.explorer,
            "outcome": self.outcome,
            "reason": self.reason,
            "targets": list(self.targets),
            "finds": [asdict(find) for find in self.finds],
            "metres": self.metres,
            "moves": self.driven.moves,
            "turns": self.driven.turns,
            "looks": self.driven.looks,
            "bumps": self.driven.bumps,
            "driver": {**self.driver, **asdict(self.goals)},
            "room": self.room,
            "graph": self.graph.as_json(),
            "walk": [leg.as_json() for leg in self.walk],
        }


@dataclass
class _Search:
    world: HouseWorld
    explorer: Explorer
    driver: Driver
    targets: tuple[str, ...]
    max_moves: int
    seen: SeenMap
    finds: list[Find] = field(default_factory=list)
    log: WalkLog = field(default_factory=lambda: WalkLog([], []))
    commands: int = 0
    goals: Goals = Goals()
    pursued: Cell | None = None
    """The cell that the driver is on the way to."""
    allowed: int | None = None
    """Moves that are left for it; ``None`` for no limit."""

    @property
    def left(self) -> tuple[str, ...]:
        done = {find.target for find in self.finds}
        return tuple(t for t in self.targets if t not in done)

    def run(self) -> SearchRun:
        glimpse = self.world.observe()
        self.take((glimpse,))
        self.note("")
        idle = 0
        while self.left:
            check_time("searching a house")
            if self.world.driven.moves >= self.max_moves:
                return self.ended("out-of-moves", f"{self.max_moves} moves were made")
            intent = self.explorer.next(self.seen, self.left)
            if isinstance(intent, GiveUp):
                self.note(_line(intent))
                return self.ended("gave-up", intent.why)
            before = self.world.driven
            if isinstance(intent, LookAround):
                glimpse = self.look_around(glimpse)
            else:
                glimpse = self.drive(intent, glimpse)
            self.note(_line(intent))
            idle = idle + 1 if self.world.driven == before else 0
            if idle >= MAX_IDLE:
                return self.ended(
                    "stuck", f"{idle} times in a row nothing was done, the last: {_line(intent)}"
                )
        return self.ended("found")

    def note(self, intent: str) -> None:
        self.log.end_leg(intent, self.seen, self.world.driven.moves, self.world.driven.metres)

    def drive(self, intent: DriveTo, glimpse: Glimpse) -> Glimpse:
        """Drive until the goal, something new, a find, no way, or too many moves for that goal."""
        if intent.cell != self.pursued:
            self.pursued = intent.cell
            self.allowed = self.driver.begin(glimpse.stance.cell, intent.cell)
            self.goals = replace(self.goals, goals=self.goals.goals + 1)
        while self.world.driven.moves < self.max_moves:
            check_time("driving in a house")
            command = self.driver.command(glimpse, intent.cell)
            if command is None:
                self.seen.blocked.add(intent.cell)
                self.goals = replace(self.goals, no_way=self.goals.no_way + 1)
            elif command != Control.STOP and self.allowed == 0:
                self.seen.aside.add(intent.cell)
                self.goals = replace(self.goals, given_up=self.goals.given_up + 1)
                command = None
            if command is None or command == Control.STOP:
                self.pursued = None
                return glimpse
            if self.allowed is not None:
                self.allowed -= 1
            count = len(self.finds)
            glimpse, news = self.act(command, glimpse)
            if len(self.finds) > count or (news and intent.until_news):
                return glimpse
        return glimpse

    def look_around(self, glimpse: Glimpse) -> Glimpse:
        """Look around; where fewer moves are left than that takes, make as many of its turns as there are."""
        turns = self.max_moves - self.world.driven.moves
        if turns >= LOOK_MOVES:
            return self.act(Control.LOOK, glimpse)[0]
        for _ in range(turns):
            glimpse = self.act(Control.RIGHT, glimpse)[0]
        return glimpse

    def act(self, command: Control, before: Glimpse) -> tuple[Glimpse, bool]:
        """Carry a command out; return the last glimpse, and whether anything new was seen."""
        self.commands += 1
        response = self.world.act(command)
        news = self.take(response.glimpses)
        return (response.glimpses[-1] if response.glimpses else before), news

    def take(self, glimpses: Sequence[Glimpse]) -> bool:
        news = False
        self.driver.observe(glimpses)
        for glimpse in glimpses:
            news |= self.seen.add(glimpse)
            self.log.pass_through(glimpse.stance.cell)
            left = self.left
            driven = self.world.driven
            for body in glimpse.bodies:
                if body.kind in left and all(find.target != body.kind for find in self.finds):
                    self.finds.append(Find(body.kind, body.id, driven.moves, driven.metres, self.commands))
        return news

    def ended(self, outcome: str, reason: str = "") -> SearchRun:
        return SearchRun(
            self.explorer.name,
            outcome,
            self.targets,
            tuple(self.finds),
            self.world.driven,
            self.driver.account(),
            self.goals,
            self.seen.graph(),
            self.seen.room,
            reason,
            tuple(self.log.legs),
        )


def search_house(
    world: HouseWorld,
    explorer: Explorer,
    driver: Driver,
    targets: Sequence[str],
    reach: float,
    max_moves: int = MAX_MOVES,
    seen: SeenMap | None = None,
) -> SearchRun:
    """Search a house for a thing of each type, and return the record of the search.

    No move beyond ``max_moves`` is made: a look around that needs more ends after the turns that are left.
    ``reach`` is what the robot knows of its camera: the metres within which it sees small objects. ``seen``
    is a map that it has from before, which goes on to be filled. Raises what the explorer raises, such as
    :class:`ServiceError` of a model.
    """
    begun = seen if seen is not None else SeenMap(reach=reach)
    return _Search(world, explorer, driver, tuple(targets), max_moves, begun).run()


def _line(intent: Intent) -> str:
    match intent:
        case DriveTo(cell=(i, j)):
            return f"drive to ({0.25 * i:.2f}, {0.25 * j:.2f}): {intent.why}"
        case LookAround():
            return f"look around: {intent.why}"
        case GiveUp():
            return f"give up: {intent.why}"
