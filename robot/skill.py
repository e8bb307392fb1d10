"""One command of a robot program: what to do, to what, where, and what a monitor can check.

Positions are in metres in the frame of the program, and belong to nodes of the scene: it has no
orientations, so a robot turns from ``position`` (its base) towards ``target``. Facts are literals of the
domain pack, as goals write them. The JSON keys are read by robots and stay; a new one needs an entry in
``program.schema.json`` and on the page docs/outputs.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..domains.formula import Formula, GroundAtom
from ..domains.storage.json_record import JsonRecord
from ..simulator.scene import Position
from .rules.rule import StepGuard


@dataclass(frozen=True, slots=True)
class Target(JsonRecord):
    """The node that a command is about: what is driven to, approached, opened, picked, or placed on.

    ``position`` is its place, or where that is not known that of the nearest node around it that has one;
    ``position_of`` says whose it is. Both are ``None`` where no node around it has a position.
    """

    node: str
    position: Position | None = None
    position_of: str | None = None


@dataclass(frozen=True, slots=True)
class Expectation(JsonRecord):
    """Literals that hold before a command, so that it can be done, and those that hold when it is done."""

    before: tuple[Formula, ...] = ()
    after: tuple[Formula, ...] = ()


@dataclass(frozen=True, slots=True)
class Waiting(JsonRecord):
    """Something that happens by itself once a command is done, and that the next command waits for.

    Where it is not ``needed``, neither the goal nor a later command rests on it, and nobody has to wait. It
    happens while its ``conditions`` hold, of which those are listed that actions change.
    """

    event: str
    arguments: tuple[str, ...]
    conditions: tuple[GroundAtom, ...]
    facts: tuple[GroundAtom, ...]
    words: tuple[str, ...]
    needed: bool = True


@dataclass(frozen=True, slots=True)
class Moment(JsonRecord):
    """A literal that had to hold at some time: with which command it came true, and what that rested on."""

    literal: Formula
    step: int
    facts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Grounds(JsonRecord):
    """Grounds of a goal: facts that make it true where the plan ends, and what had to be on the way.

    While the facts hold and the moments have been, the goal holds. They may ask for more than it, never less.
    """

    facts: tuple[Formula, ...] = ()
    moments: tuple[Moment, ...] = ()


@dataclass(frozen=True, slots=True)
class Waypoint(JsonRecord):
    """A stop of a motion, and the command (counted from 0) that drives there alone."""

    step: int
    node: str
    position: Position | None


@dataclass(frozen=True, slots=True)
class Skill(JsonRecord):
    """One command. ``pose`` is where the robot's base is when it is done, ``position`` that node's place.

    ``serves`` is the index of the goal's conjunct that the command works towards (module ``serving``),
    ``None`` only where no goal was given. ``waypoints`` is filled at the first of several drives in a row,
    which are one motion: its stops, this command's among them. ``metres`` are what the command drives.
    ``guards`` are what keeps it from breaking a rule.
    """

    skill: str
    arguments: tuple[str, ...]
    pose: str
    position: Position | None
    step: int
    printed: str
    serves: int | None
    target: Target | None = None
    metres: float = 0.0
    waypoints: tuple[Waypoint, ...] = ()
    expects: Expectation = Expectation()
    waits_for: tuple[Waiting, ...] = ()
    guards: tuple[StepGuard, ...] = ()
