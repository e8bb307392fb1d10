"""Robot programs read back from JSON, as `plan` wrote them or as other programs changed them.

Errors name the place in the document; types are those of ``program.schema.json``. Only the printed step of
each command has to be there, and unknown keys are left alone. What may be left out is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from ..compiler.goals.goal import parse_goal
from ..domains.checks.induction import about_robot
from ..domains.errors import InputError, clip
from ..domains.files import parse_json
from ..domains.formula import (
    Atom,
    Count,
    Equal,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Not,
    TrajectoryConstraint,
    Var,
    is_ground_atom,
    walk,
)
from ..domains.storage.json_record import JsonRecord
from ..simulator.scene import Position
from ..simulator.step import MAX_STEPS, PROGRAM_FORMAT, read_step
from .conformity import nonconformity
from .fact_groups import FactGroup
from .program import Program, program_schema
from .rules.evidence import atom_of
from .rules.rule import REMEMBERED, ProgramRules
from .skill import Grounds, Skill

Entry = Mapping[str, Any]
"""An object of a document that was held against the schema."""
_Record = TypeVar("_Record", bound=JsonRecord)
_QUANTIFIED = (Exists, Forall, Count, Equal)
_PLAIN = (str, int, tuple)
_hints: Callable[[type], Mapping[str, Any]] = cache(get_type_hints)


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
    raw = _without_nulls(parse_json(text, where))
    if not isinstance(raw, dict) or raw.get("format") != PROGRAM_FORMAT:
        return None  # the record of a run, which has its program among other things
    if "commands" not in raw:
        raise InputError(f"{where}: commands", f"a list of at most {MAX_STEPS} commands", "none")
    schema = program_schema()
    if (fault := nonconformity(raw, schema, schema, lenient=True)) is not None:
        raise InputError(f"{where}: {fault.at.replace(': ', '.')}", fault.expected, fault.got)
    goal, commands = tuple(raw.get("goal", ())), raw["commands"]
    _check_indexes(commands, len(goal), where)
    reader, start, hashes = _Reader(), raw.get("start", {}), raw.get("hashes", {})
    program = Program(
        goal,
        tuple(_command(reader, entry, i, f"{where}: commands[{i}]") for i, entry in enumerate(commands)),
        start.get("node", ""),
        reader.value(Position, start["position"], where) if "position" in start else None,
        raw.get("scene", ""),
        hashes.get("pack", ""),
        hashes.get("scene", ""),
        raw.get("frame", "map"),
        reader.record(Grounds, raw["grounds"], f"{where}: grounds") if "grounds" in raw else None,
        reader.value(tuple[FactGroup, ...], raw.get("exclusive", ()), f"{where}: exclusive"),
        reader.record(ProgramRules, raw.get("rules", {}), f"{where}: rules"),
    )
    _check_groups(program, where)
    _check_parts(program, where)
    _check_guards(program, where)
    return program


def _command(reader: _Reader, raw: Entry, index: int, at: str) -> Skill:
    if "printed" not in raw:
        raise InputError(f"{at}.printed", "a printed step", "none")
    read_step(raw["printed"], f"{at}.printed")
    metres = round(raw.get("metres", 0) * 1000) / 1000
    return reader.record(Skill, {**raw, "step": index, "metres": metres}, at)


class _Reader:
    """Records of a document by the types of their fields; formulas come again and again, and are parsed once.

    A key that is missing has the default of its field, or else an empty value.
    """

    def __init__(self) -> None:
        self.formulas: dict[str, Formula] = {}

    def record(self, kind: type[_Record], raw: Entry, at: str) -> _Record:
        values: dict[str, Any] = {}
        for one in fields(kind):
            hint, free = _hints(kind)[one.name], one.name == "parts"  # conditions; all others are literals
            if one.name in raw:
                values[one.name] = self.value(hint, raw[one.name], f"{at}.{one.name}", free)
            elif one.default is MISSING:
                values[one.name] = self.value(hint, _empty(hint), f"{at}.{one.name}")
        return kind(**values)

    def value(self, hint: Any, raw: Any, at: str, free: bool = False) -> Any:
        """Return a value as the type of a field has it; ``None`` for a literal where an atom belongs."""
        if hint in (Formula, Atom, GroundAtom, TrajectoryConstraint):
            return self.formula(hint, raw, at, free)
        kind, below = get_origin(hint), get_args(hint)
        if raw is None or hint == Position:
            return raw and tuple(map(float, raw))
        if NoneType in below:
            return self.value(below[0], raw, at)
        if kind is tuple:
            read = (self.value(below[0], one, f"{at}[{i}]", free) for i, one in enumerate(raw))
            return tuple(one for one in read if one is not None)
        if kind is Mapping and (wrong := [one for one in raw.values() if not isinstance(one, str)]):
            raise InputError(at, "the names of nodes", clip(wrong[0]))
        return self.record(hint, raw, at) if kind is None and issubclass(hint, JsonRecord) else raw

    def formula(self, hint: Any, text: str, at: str, free: bool) -> Formula | None:
        formula = self.formulas[text] = self.formulas.get(text) or parse_goal(text, at).formula
        fits = is_ground_atom(atom_of(formula))
        expected = "a fact such as (open fridge), or (not (open fridge))"
        if hint is TrajectoryConstraint:
            fits, expected = isinstance(formula, hint), "a constraint on the run"
        elif hint is Atom:
            fits = isinstance(formula, Atom) and (about_robot(formula) or formula.args[0] == Var("x"))
            expected = "a fact of ?x, or of the robot as (holding *)"
        if not fits and not free:
            raise InputError(at, expected, clip(text))
        return None if hint == GroundAtom and isinstance(formula, Not) else formula


def _empty(hint: Any) -> object:
    """Return the value of a key that is missing."""
    kind = get_origin(hint) or hint
    return None if NoneType in get_args(hint) else {} if kind is Mapping else kind() if kind in _PLAIN else ""


def _check_groups(program: Program, where: str) -> None:
    for number, group in enumerate(program.exclusive):
        if group.one_of and any(len(p.args) != 1 or about_robot(p) for p in group.facts):
            at, got = f"{where}: exclusive[{number}].one_of", clip(list(group.one_of))
            raise InputError(at, "no things, where facts have not ?x alone", got)


def _check_parts(program: Program, where: str) -> None:
    """Refuse parts of a constraint that are not as many conditions of facts as its kind looks back at."""
    for number, rule in enumerate(program.rules.kept):
        for index, one in enumerate(rule.constraints):
            expected = len(one.constraint.parts) if one.constraint.kind in REMEMBERED else 0
            nodes = [node for part in one.parts for node in walk(part)]
            other = any(
                isinstance(n, _QUANTIFIED) or (isinstance(n, Atom) and not is_ground_atom(n)) for n in nodes
            )
            if other or (len(one.parts) != expected and not rule.unsaid):
                at = f"{where}: rules.kept[{number}].constraints[{index}].parts"
                raise InputError(at, f"{expected} conditions of facts", clip(list(map(str, one.parts))))


def _check_guards(program: Program, where: str) -> None:
    """Refuse a guard of a rule, or of a constraint, that the program does not have."""
    kept = program.rules.kept
    for command in program.commands:
        for number, guard in enumerate(command.guards):
            at = f"{where}: commands[{command.step}].guards[{number}]"
            if guard.rule >= len(kept):
                raise InputError(f"{at}.rule", f"an index below {len(kept)}, the rules", str(guard.rule))
            constraints = kept[guard.rule].constraints
            for index in (*guard.clear, *(passed.constraint for passed in guard.passes)):
                if index >= len(constraints):
                    expected = f"an index below {len(constraints)}, the constraints of the rule"
                    raise InputError(at, expected, str(index))
            for passed in guard.passes:
                size = len(constraints[passed.constraint].parts)
                if not size or any(len(values) != size for values in passed.values):
                    raise InputError(f"{at}.passes", f"{size} values in each state", clip(passed.values))


def _without_nulls(value: object) -> object:
    """Return a value of JSON without keys that are null: they count as missing."""
    if isinstance(value, dict):
        return {key: _without_nulls(one) for key, one in value.items() if one is not None}
    return list(map(_without_nulls, value)) if isinstance(value, list) else value


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
