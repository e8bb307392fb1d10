"""One command of a robot program: what to do, to what, where, and what a monitor can check.

Positions are in metres in the frame of the program, and belong to nodes of the scene: it has no
orientations, so a robot turns from ``position`` (its base) towards ``target``. Facts are literals of the
domain pack, as goals write them. The JSON keys are read by robots and stay; a new one needs an entry in
``program.schema.json``, in ``reading`` and on the page docs/outputs.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..domains.formula import Formula, GroundAtom
from ..simulator.scene import Position
from .rules.rule import StepGuard


@dataclass(frozen=True, slots=True)
class Target:
    """The node that a command is about: what is driven to, approached, opened, picked, or placed on.

    ``position`` is its place, or where that is not known that of the nearest node around it that has one;
    ``position_of`` says whose it is. Both are ``None`` where no node around it has a position.
    """

    node: str
    position: Position | None = None
    position_of: str | None = None

    def as_json(self) -> dict[str, object]:
        return {"node": self.node, "position": listed(self.position), "position_of": self.position_of}


@dataclass(frozen=True, slots=True)
class Expectation:
    """Literals that hold before a command, so that it can be done, and those that hold when it is done."""

    before: tuple[Formula, ...] = ()
    after: tuple[Formula, ...] = ()

    def as_json(self) -> dict[str, object]:
        return {"before": list(map(str, self.before)), "after": list(map(str, self.after))}


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something that happens by itself once a command is done, and that the next command waits for.

    Where it is not ``needed``, neither the goal nor a later command rests on it, and nobody has to wait. It
    happens while its ``conditions`` hold, of which those are listed that actions change.
    """

    event: str
    arguments: tuple[str, ...]
    facts: tuple[GroundAtom, ...]
    words: tuple[str, ...]
    needed: bool = True
    conditions: tuple[GroundAtom, ...] = ()

    def as_json(self) -> dict[str, object]:
        return {
            "event": self.event,
            "arguments": list(self.arguments),
            "conditions": list(map(str, self.conditions)),
            "facts": list(map(str, self.facts)),
            "words": list(self.words),
            "needed": self.needed,
        }


@dataclass(frozen=True, slots=True)
class Moment:
    """A literal that had to hold at some time: with which command it came true, and what that rested on."""

    literal: Formula
    step: int
    facts: tuple[Formula, ...]

    def as_json(self) -> dict[str, object]:
        return {"literal": str(self.literal), "step": self.step, "facts": list(map(str, self.facts))}


@dataclass(frozen=True, slots=True)
class Grounds:
    """Grounds of a goal: facts that make it true where the plan ends, and what had to be on the way.

    While the facts hold and the moments have been, the goal holds. They may ask for more than it, never less.
    """

    facts: tuple[Formula, ...] = ()
    moments: tuple[Moment, ...] = ()

    def as_json(self) -> dict[str, object]:
        return {"facts": list(map(str, self.facts)), "moments": [m.as_json() for m in self.moments]}


@dataclass(frozen=True, slots=True)
class Waypoint:
    """A stop of a motion, and the command (counted from 0) that drives there alone."""

    step: int
    node: str
    position: Position | None

    def as_json(self) -> dict[str, object]:
        return {"step": self.step, "node": self.node, "position": listed(self.position)}


@dataclass(frozen=True, slots=True)
class Skill:
    """One command. ``pose`` is where the robot's base is when it is done, ``position`` that node's place.

    ``serves`` is the index of the goal's conjunct that the command works towards (module ``serving``),
    ``None`` only where no goal was given. ``waypoints`` is filled at the first of several drives in a row,
    which are one motion: its stops, this command's among them. ``length_mm`` is what the command drives, in
    millimetres. ``guards`` are what keeps it from breaking a rule.
    """

    skill: str
    arguments: tuple[str, ...]
    pose: str
    position: Position | None
    step: int
    printed: str
    serves: int | None
    target: Target | None = None
    length_mm: int = 0
    waypoints: tuple[Waypoint, ...] = ()
    expects: Expectation = Expectation()
    waits_for: tuple[Waiting, ...] = ()
    guards: tuple[StepGuard, ...] = ()

    @property
    def metres(self) -> float:
        return self.length_mm / 1000

    def as_json(self) -> dict[str, object]:
        return {
            "skill": self.skill,
            "arguments": list(self.arguments),
            "pose": self.pose,
            "position": listed(self.position),
            "step": self.step,
            "printed": self.printed,
            "serves": self.serves,
            "target": self.target.as_json() if self.target is not None else None,
            "metres": self.metres,
            "waypoints": [w.as_json() for w in self.waypoints],
            "expects": self.expects.as_json(),
            "waits_for": [w.as_json() for w in self.waits_for],
            "guards": [guard.as_json() for guard in self.guards],
        }


def listed(position: Sequence[float] | None) -> list[float] | None:
    """Return a position as JSON has it."""
    return list(position) if position is not None else None
