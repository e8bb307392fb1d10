"""Robot programs read back from JSON, as `plan` wrote them or as other programs changed them.

Errors name the place in the document. Only the printed step of each command has to be there: files written
before the other keys are read too, and unknown keys are left alone. What may be left out is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from ..compiler.goals.goal import parse_goal
from ..domains.errors import InputError, clip
from ..domains.files import parse_json
from ..domains.formula import Formula, GroundAtom, Not, is_ground_atom
from ..simulator.scene import Position
from ..simulator.step import MAX_STEPS, PROGRAM_FORMAT, read_step
from .program import FRAME, Program
from .skill import Expectation, Skill, Target, Waiting, Waypoint

MAX_METRES = 1e9
_Value = TypeVar("_Value")


def read_program(text: str, where: str = "program") -> Program:
    """Read a robot program; ``where`` is what an error calls the text. Positions are in metres.

    Raises :class:`InputError` with the place in the document, also for facts that are no literals.
    """
    program = program_in(text, where)
    if program is None:
        raise InputError(where, f'a robot program, "format": "{PROGRAM_FORMAT}"', clip(text))
    return program


def program_in(text: str, where: str) -> Program | None:
    """Return the robot program that a text is, ``None`` for another text.

    Raises :class:`InputError` as :func:`read_program` does.
    """
    text = text.removeprefix("\ufeff")
    if not text.lstrip().startswith("{") or PROGRAM_FORMAT not in text:
        return None
    raw = parse_json(text, where)
    if not isinstance(raw, dict) or raw.get("format") != PROGRAM_FORMAT:
        return None  # the record of a run, which has its program among other things
    for key, value in (("version", 1), ("frame", FRAME)):
        if raw.get(key, value) != value:
            raise InputError(f"{where}: {key}", str(value), clip(raw[key]))
    if not isinstance(raw.get("commands"), list) or len(raw["commands"]) > MAX_STEPS:
        got = f"{len(raw['commands'])} of them" if isinstance(raw.get("commands"), list) else "none"
        raise InputError(f"{where}: commands", f"a list of at most {MAX_STEPS} commands", got)
    whole = _Object(raw, where, {})
    goal, commands = whole.texts("goal"), whole.objects("commands", _command)
    _check_indexes(raw["commands"], len(goal), where)
    start, hashes = whole.below("start"), whole.below("hashes")
    return Program(
        goal,
        tuple(replace(c, step=index) for index, c in enumerate(commands)),
        start.text("node"),
        start.position("position"),
        whole.text("scene"),
        hashes.text("pack"),
        hashes.text("scene"),
    )


def _check_indexes(commands: list[dict[str, Any]], conjuncts: int, where: str) -> None:
    """Refuse a command under another index than its own, and one that serves what the goal does not have."""
    for index, raw in enumerate(commands):
        step, serves = raw.get("step"), raw.get("serves")
        if step is not None and step != index:
            at = f"{where}: commands[{index}].step"
            raise InputError(at, f"{index}, the place of the command", clip(step))
        if serves is not None and serves >= conjuncts:
            at = f"{where}: commands[{index}].serves"
            raise InputError(at, f"an index below {conjuncts}, the conjuncts of the goal", clip(serves))


class _Object:
    """An object of the document with its place, and the facts that were parsed before, by their text."""

    def __init__(self, raw: object, where: str, parsed: dict[str, Formula]) -> None:
        if not isinstance(raw, dict):
            raise InputError(where, "an object", clip(raw))
        self.raw: Mapping[str, Any] = raw
        self.where, self._parsed = where, parsed

    def at(self, key: str) -> str:
        return f"{self.where}.{key}" if ": " in self.where else f"{self.where}: {key}"

    def has(self, key: str) -> bool:
        return self.raw.get(key) is not None

    def below(self, key: str) -> _Object:
        return _Object(self.raw[key] if self.has(key) else {}, self.at(key), self._parsed)

    def text(self, key: str) -> str:
        return _text(self.raw[key], self.at(key)) if self.has(key) else ""

    def number(self, key: str) -> float:
        return _number(self.raw[key], self.at(key)) if self.has(key) else 0.0

    def index(self, key: str) -> int | None:
        value = self.raw.get(key)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
            raise InputError(self.at(key), "a number, counted from 0", clip(value))
        return value

    def position(self, key: str) -> Position | None:
        if not self.has(key):
            return None
        numbers = self._list(key, _number)
        if len(numbers) != 3:
            raise InputError(self.at(key), "three numbers in metres", str(len(numbers)))
        return numbers[0], numbers[1], numbers[2]

    def texts(self, key: str) -> tuple[str, ...]:
        return self._list(key, _text)

    def objects(self, key: str, build: Callable[[_Object], _Value]) -> tuple[_Value, ...]:
        return self._list(key, lambda raw, at: build(_Object(raw, at, self._parsed)))

    def facts(self, key: str) -> tuple[Formula, ...]:
        return self._list(key, self._fact)

    def atoms(self, key: str) -> tuple[GroundAtom, ...]:
        return tuple(filter(is_ground_atom, self.facts(key)))

    def _list(self, key: str, read: Callable[[Any, str], _Value]) -> tuple[_Value, ...]:
        values = self.raw[key] if self.has(key) else []
        if not isinstance(values, list):
            raise InputError(self.at(key), "a list", clip(values))
        return tuple(read(value, f"{self.at(key)}[{i}]") for i, value in enumerate(values))

    def _fact(self, raw: object, at: str) -> Formula:
        """Return the literal that a text is; a program has the same ones again and again."""
        text = _text(raw, at)
        fact = self._parsed.get(text)
        if fact is None:
            fact = self._parsed[text] = parse_goal(text, at).formula
        atom = fact.part if isinstance(fact, Not) else fact
        if not is_ground_atom(atom):
            raise InputError(at, "a fact such as (open fridge), or (not (open fridge))", clip(text))
        return fact


def _text(raw: object, at: str) -> str:
    if not isinstance(raw, str):
        raise InputError(at, "a text", clip(raw))
    return raw


def _number(raw: object, at: str) -> float:
    if not isinstance(raw, int | float) or isinstance(raw, bool) or not abs(raw) <= MAX_METRES:
        raise InputError(at, f"a number of at most {MAX_METRES:.0f} metres", clip(raw))
    return float(raw)


def _command(entry: _Object) -> Skill:
    if not isinstance(entry.raw.get("printed"), str):
        raise InputError(entry.at("printed"), "a printed step", clip(entry.raw.get("printed")))
    read_step(entry.text("printed"), entry.at("printed"))
    target = entry.below("target") if entry.has("target") else None
    expects = entry.below("expects")
    return Skill(
        skill=entry.text("skill"),
        arguments=entry.texts("arguments"),
        pose=entry.text("pose"),
        position=entry.position("position"),
        step=entry.index("step") or 0,
        printed=entry.text("printed"),
        serves=entry.index("serves"),
        target=_target(target) if target is not None else None,
        length_mm=round(entry.number("metres") * 1000),
        waypoints=entry.objects("waypoints", _waypoint),
        expects=Expectation(expects.facts("before"), expects.facts("after")),
        waits_for=entry.objects("waits_for", _waiting),
    )


def _target(entry: _Object) -> Target:
    return Target(entry.text("node"), entry.position("position"), entry.text("position_of") or None)


def _waypoint(entry: _Object) -> Waypoint:
    return Waypoint(entry.index("step") or 0, entry.text("node"), entry.position("position"))


def _waiting(entry: _Object) -> Waiting:
    needed = entry.raw.get("needed", True)
    if not isinstance(needed, bool):
        raise InputError(entry.at("needed"), "true or false", clip(needed))
    event, facts = entry.text("event"), entry.atoms("facts")
    return Waiting(event, entry.texts("arguments"), facts, entry.texts("words"), needed)
