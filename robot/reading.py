"""Robot programs read back from JSON, as `plan` wrote them or as other programs changed them.

Errors name the place in the document; types are those of ``program.schema.json``. Only the printed step of
each command has to be there: files written before the other keys are read too, and unknown keys are left
alone. What may be left out is decided here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
    Not,
    TrajectoryConstraint,
    Var,
    is_ground_atom,
    walk,
)
from ..simulator.scene import Position
from ..simulator.step import MAX_STEPS, PROGRAM_FORMAT, read_step
from .conformity import nonconformity
from .fact_groups import FactGroup
from .program import Program, program_schema
from .rules.rule import (
    REMEMBERED,
    Clearing,
    PassedState,
    ProgramConstraint,
    ProgramPlaces,
    ProgramRule,
    ProgramRules,
    StepGuard,
)
from .skill import Expectation, Grounds, Moment, Skill, Target, Waiting, Waypoint

Entry = Mapping[str, Any]
"""An object of a document that was held against the schema."""


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
    goal = tuple(raw.get("goal", ()))
    _check_indexes(raw["commands"], len(goal), where)
    facts: dict[str, Formula] = {}
    rules = _rules(raw.get("rules", {}), f"{where}: rules", facts)
    commands = (_command(c, i, f"{where}: commands[{i}]", facts) for i, c in enumerate(raw["commands"]))
    start, hashes = raw.get("start", {}), raw.get("hashes", {})
    program = Program(
        goal,
        tuple(commands),
        start.get("node", ""),
        _position(start),
        raw.get("scene", ""),
        hashes.get("pack", ""),
        hashes.get("scene", ""),
        raw.get("frame", "map"),
        _grounds(raw.get("grounds"), where, facts),
        tuple(_group(g, f"{where}: exclusive[{i}]") for i, g in enumerate(raw.get("exclusive", ()))),
        rules,
    )
    _check_guards(program, where)
    return program


def _rules(entry: Entry, at: str, facts: dict[str, Formula]) -> ProgramRules:
    kept = []
    for i, rule in enumerate(entry.get("kept", ())):
        listed = [
            _constraint(one, f"{at}.kept[{i}].constraints[{j}]", facts, "unsaid" in rule)
            for j, one in enumerate(rule.get("constraints", ()))
        ]
        kept.append(ProgramRule(rule.get("rule", ""), tuple(listed), rule.get("unsaid", "")))
    start = (_fact(text, f"{at}.start[{i}]", facts) for i, text in enumerate(entry.get("start", ())))
    return ProgramRules(tuple(kept), tuple(filter(is_ground_atom, start)), _places(entry.get("places"), at))


def _places(entry: Entry | None, at: str) -> ProgramPlaces | None:
    if entry is None:
        return None
    inside = entry.get("inside", {})
    if wrong := [above for above in inside.values() if not isinstance(above, str)]:
        raise InputError(f"{at}.places.inside", "the names of nodes", clip(wrong[0]))
    predicates = (entry.get(name, "") for name in ("at", "held", "around", "room"))
    return ProgramPlaces(inside, tuple(entry.get("relations", ())), *predicates)


def _constraint(entry: Entry, at: str, facts: dict[str, Formula], unsaid: bool) -> ProgramConstraint:
    constraint = parse_goal(entry.get("constraint", ""), f"{at}.constraint").formula
    if not isinstance(constraint, TrajectoryConstraint):
        raise InputError(f"{at}.constraint", "a constraint on the run", clip(str(constraint)))
    parts = tuple(parse_goal(t, f"{at}.parts[{i}]").formula for i, t in enumerate(entry.get("parts", ())))
    expected = len(constraint.parts) if constraint.kind in REMEMBERED else 0
    quantified = (n for part in parts for n in walk(part) if isinstance(n, Exists | Forall | Count | Equal))
    open_atoms = (n for part in parts for n in walk(part) if isinstance(n, Atom) and not is_ground_atom(n))
    if (len(parts) != expected and not unsaid) or any(True for _ in (*quantified, *open_atoms)):
        raise InputError(f"{at}.parts", f"{expected} conditions of facts", clip(list(map(str, parts))))
    cleared = tuple(
        Clearing(
            one.get("step", 0),
            tuple(_fact(t, f"{at}.cleared[{i}].facts", facts) for t in one.get("facts", ())),
        )
        for i, one in enumerate(entry.get("cleared", ()))
    )
    return ProgramConstraint(constraint, parts, cleared)


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


def _grounds(entry: Entry | None, where: str, facts: dict[str, Formula]) -> Grounds | None:
    if entry is None:
        return None
    at = f"{where}: grounds"
    moments = tuple(
        Moment(
            _fact(moment["literal"], f"{at}.moments[{i}].literal", facts),
            moment["step"],
            tuple(_fact(text, f"{at}.moments[{i}].facts", facts) for text in moment.get("facts", ())),
        )
        for i, moment in enumerate(entry.get("moments", ()))
        if "literal" in moment and "step" in moment
    )
    return Grounds(
        tuple(_fact(t, f"{at}.facts[{i}]", facts) for i, t in enumerate(entry.get("facts", ()))), moments
    )


def _group(entry: Entry, at: str) -> FactGroup:
    patterns: list[Atom] = []
    for text in entry.get("facts", ()):
        pattern = parse_goal(text, f"{at}.facts").formula
        if not isinstance(pattern, Atom) or not (about_robot(pattern) or pattern.args[0] == Var("x")):
            raise InputError(f"{at}.facts", "a fact of ?x, or of the robot as (holding *)", clip(text))
        patterns.append(pattern)
    one_of = tuple(entry.get("one_of", ()))
    if one_of and any(len(p.args) != 1 or about_robot(p) for p in patterns):
        raise InputError(f"{at}.one_of", "no things, where facts have not ?x alone", clip(list(one_of)))
    return FactGroup(tuple(patterns), one_of)


def _position(entry: Entry) -> Position | None:
    if (numbers := entry.get("position")) is None:
        return None
    x, y, z = map(float, numbers)
    return x, y, z


def _command(raw: Entry, index: int, at: str, facts: dict[str, Formula]) -> Skill:
    """Return a command; ``facts`` are those that were parsed before: most come again and again."""
    if "printed" not in raw:
        raise InputError(f"{at}.printed", "a printed step", "none")
    read_step(raw["printed"], f"{at}.printed")
    target, expects = raw.get("target"), raw.get("expects", {})

    def listed(entry: Entry, key: str, below: str) -> tuple[Formula, ...]:
        texts = entry.get(key, ())
        return tuple(_fact(text, f"{at}.{below}.{key}[{i}]", facts) for i, text in enumerate(texts))

    return Skill(
        skill=raw.get("skill", ""),
        arguments=tuple(raw.get("arguments", ())),
        pose=raw.get("pose", ""),
        position=_position(raw),
        step=index,
        printed=raw["printed"],
        serves=raw.get("serves"),
        target=_target(target) if target is not None else None,
        length_mm=round(raw.get("metres", 0) * 1000),
        waypoints=tuple(
            Waypoint(w.get("step", 0), w.get("node", ""), _position(w)) for w in raw.get("waypoints", ())
        ),
        expects=Expectation(listed(expects, "before", "expects"), listed(expects, "after", "expects")),
        waits_for=tuple(
            Waiting(
                w.get("event", ""),
                tuple(w.get("arguments", ())),
                tuple(filter(is_ground_atom, listed(w, "facts", f"waits_for[{i}]"))),
                tuple(w.get("words", ())),
                w.get("needed", True),
                tuple(filter(is_ground_atom, listed(w, "conditions", f"waits_for[{i}]"))),
            )
            for i, w in enumerate(raw.get("waits_for", ()))
        ),
        guards=tuple(
            StepGuard(
                g.get("rule", 0),
                listed(g, "facts", f"guards[{i}]"),
                tuple(g.get("clear", ())),
                tuple(
                    PassedState(p.get("constraint", 0), tuple(map(tuple, p.get("values", ()))))
                    for p in g.get("passes", ())
                ),
            )
            for i, g in enumerate(raw.get("guards", ()))
        ),
    )


def _target(entry: Entry) -> Target:
    return Target(entry.get("node", ""), _position(entry), entry.get("position_of"))


def _fact(text: str, at: str, facts: dict[str, Formula]) -> Formula:
    fact = facts.get(text)
    if fact is None:
        fact = facts[text] = parse_goal(text, at).formula
    atom = fact.part if isinstance(fact, Not) else fact
    if not is_ground_atom(atom):
        raise InputError(at, "a fact such as (open fridge), or (not (open fridge))", clip(text))
    return fact
