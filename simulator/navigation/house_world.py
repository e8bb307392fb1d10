"""The true house: it carries out a robot's commands and answers with what the camera then shows.

The five commands are those of SayNav's agent (Rajvanshi et al., 2024): turns of 90 degrees, 0.25 m forward,
stop, and looking around, which is four turns on the spot and ends where it began. Only this class holds the
truth about a house; a robot and its methods get glimpses. What was driven is counted here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from ...domains.errors import InputError
from .camera import REACH, Camera, Glimpse, Noise, Stance
from .floor_plan import FloorPlan
from .grid import CELL, STEPS, Grid, Raster

LOOK_MOVES = 4
"""Primitive moves of looking around, turns on the spot."""


class Control(StrEnum):
    """Control commands, by their names in the paper."""

    LEFT = "turn-left"
    RIGHT = "turn-right"
    FORWARD = "move-forward"
    STOP = "stop"
    LOOK = "look-around"


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to a command: whether the robot did it, and what was seen, in order."""

    done: bool
    glimpses: tuple[Glimpse, ...]


@dataclass(frozen=True, slots=True)
class Driven:
    """Counts of a walk. ``moves`` are primitive ones: steps forward, tried ones among them, and turns."""

    steps: int = 0
    turns: int = 0
    looks: int = 0
    bumps: int = 0

    @property
    def moves(self) -> int:
        return self.steps + self.turns + self.bumps

    @property
    def metres(self) -> float:
        return self.steps * CELL


@dataclass(frozen=True)
class HouseSearch:
    """A search that a robot is asked for: the true house, where it stands in it, and the types to find."""

    plan: FloorPlan
    start: Stance
    targets: tuple[str, ...]

    def world(self, reach: float = REACH, noise: Noise | None = None) -> HouseWorld:
        """Return the house with the robot at the start. Raises as :class:`HouseWorld` does."""
        return HouseWorld(self.plan, self.start, reach, noise)


class HouseWorld:
    """A house with a robot in it.

    Raises :class:`InputError` where the robot does not fit on its first cell, and without the extra ``maps``.
    """

    def __init__(
        self,
        plan: FloorPlan,
        start: Stance,
        reach: float = REACH,
        noise: Noise | None = None,
        raster: Raster | None = None,
    ) -> None:
        laid = raster if raster is not None else Raster.of_plan(plan)
        self._grid = laid.grid()
        self._camera = Camera(plan, laid, reach, noise)
        if not self._grid.is_free(start.cell):
            raise InputError(f"{plan.name}: start", "a cell on which the robot fits", str(start.cell))
        self._stance = start
        self.driven = Driven()
        """Counts of what was driven so far."""
        self._stopped = False

    @property
    def grid(self) -> Grid:
        """The true free cells, for a low level that is to be an oracle."""
        return self._grid

    def observe(self) -> Glimpse:
        """Return what the camera shows before anything is done."""
        return self._camera.look(self._stance)

    def act(self, command: Control) -> Response:
        """Carry out a command; a step to where the robot does not fit leaves it where it is."""
        if self._stopped:
            return Response(False, ())
        cell, heading = self._stance.cell, self._stance.heading
        count = self.driven
        match command:
            case Control.STOP:
                self._stopped = True
                return Response(True, ())
            case Control.LEFT | Control.RIGHT:
                heading = (heading + (1 if command == Control.RIGHT else 3)) % 4
                self.driven = replace(count, turns=count.turns + 1)
            case Control.FORWARD:
                i, j = STEPS[heading]
                ahead = (cell[0] + i, cell[1] + j)
                if not self._grid.is_free(ahead):
                    self.driven = replace(count, bumps=count.bumps + 1)
                    return Response(False, (self.observe(),))
                cell = ahead
                self.driven = replace(count, steps=count.steps + 1)
            case Control.LOOK:
                self.driven = replace(count, turns=count.turns + LOOK_MOVES, looks=count.looks + 1)
                stances = [Stance(cell, (heading + turned) % 4) for turned in range(1, LOOK_MOVES + 1)]
                return Response(True, tuple(map(self._camera.look, stances)))
        self._stance = Stance(cell, heading)
        return Response(True, (self.observe(),))
