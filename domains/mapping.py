"""The mapping file of a pack (``mapping.toml``), checked against the pack's PDDL domain.

Each table becomes one field of :class:`SceneMapping`; a new table needs a key in :data:`KEYS`, a field and a
function that reads it. Packs of version 1 must stay readable. Patterns such as ``(open ?x)`` are atoms over
``?x`` (the node itself) and ``?y`` (its parent); conditions and steps of an action, over its parameters.
Whatever does not fit the domain is refused with file, table and key.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from .action import Action
from .errors import PackError, clip, did_you_mean
from .formula import Atom, GroundAtom, Term, TypedVar, Var, as_ground
from .pddl import Domain
from .sexpr import Expression, Word, read


@dataclass(frozen=True, slots=True)
class ActionMapping:
    """Names of one action for people and robots: its printed step over the parameters, skill and verb."""

    navigation: bool = False
    event: bool = False
    step: Atom | None = None
    skill: str = ""
    verb: str = ""
    approach: str = ""
    """The skill that ends a drive before a thing; of the driving action only."""


@dataclass(frozen=True, slots=True)
class SkillMapping:
    """A skill of the robot as data: ``[skills.NAME]``, or what follows from the actions that have it.

    ``ports`` are the names of what it is given: the next stop of a drive, otherwise the parameters of its
    actions in their order, with the PDDL types that they may have in ``types``. ``pose`` is one of
    :data:`POSES`, with ``distance`` in metres from the thing. ``duration`` is in seconds, to which a drive
    adds its length at ``speed`` in metres per second. ``retries`` is how often it is tried again.
    """

    name: str
    ports: tuple[str, ...]
    types: tuple[str, ...]
    pose: str = ""
    distance: float = 0.0
    duration: float = 10.0
    speed: float | None = None
    retries: int = 0

    @property
    def pose_ports(self) -> tuple[str, ...]:
        """The ports that say where it is done: metres, radians for ``yaw``, and the name ``position_of``."""
        return POSES[self.pose]

    def seconds(self, length_mm: int) -> float:
        """Return how long it takes where it drives so many millimetres."""
        return self.duration + (length_mm / 1000 / self.speed if self.speed is not None else 0.0)


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule of the initial state: all ``when`` and no ``unless`` imply ``add`` of a node of ``types``."""

    add: Atom
    types: frozenset[str]
    when: tuple[Atom, ...]
    unless: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class SceneMapping:
    """All tables of a mapping file, typed."""

    types: Mapping[str, str]
    goal_predicates: tuple[str, ...]
    derived: Mapping[str, str]
    supertypes: Mapping[str, tuple[str, ...]]
    relations: Mapping[str, Atom]
    parents: Mapping[str, Atom]
    sight: Mapping[str, Atom]
    look: Mapping[str, Atom]
    robot_position: Atom
    robot_free: GroundAtom
    robot_held: Atom
    states: Mapping[str, tuple[Atom, ...]]
    affordances: Mapping[str, tuple[Atom, ...]]
    classes: Mapping[str, tuple[Atom, ...]]
    rules: tuple[Rule, ...]
    exclusive: Mapping[str, tuple[Atom, ...]]
    requires: Mapping[str, tuple[Atom, ...]]
    instead: Mapping[str, str]
    actions: Mapping[str, ActionMapping]
    words: Mapping[str, tuple[str, str]]
    conditions: Mapping[str, tuple[Atom, ...]]
    variants: Mapping[str, Mapping[str, tuple[Atom, ...]]]
    skills: Mapping[str, SkillMapping]
    frame: str
    """The frame of all positions that a robot is given."""
    distinct_arguments: bool = False
    room_step: str = ""
    """Name of the printed step that drives to a room by the shortest route; empty where there is none."""
    implied_access: bool = False
    """True where a printed step may be done anywhere in the room of what it is done at."""
    passable: Atom | None = None
    """The fact of a door between rooms, ``?x``, that lets the robot through; ``None`` without such doors."""
    operator_rules: tuple[str, ...] = ()
    """Constraints that every run keeps, as texts of formulas: this folder knows none but atoms."""


OTHER = "z"
"""The variable of ``[states]`` for the other node that a word names."""
AROUND = "around"
"""The key in ``[look]`` for all that is in a room: it is seen there only where this holds of the room."""
ROOM = "room"
"""The meaning of a derived predicate over a thing and the room around it."""

DRIVING_KEYS = ("room_step", "implied_access", "passable")
FIXED_STEPS = frozenset(("goto", "access", "done"))
"""Printed steps that every pack has."""
ACTION_KEYS = ("navigation", "event", "step", "skill", "approach", "verb")
POSES: Mapping[str, tuple[str, ...]] = {
    "": (),
    "stop": ("x", "y", "yaw"),
    "before": ("x", "y", "yaw", "position_of"),
    "thing": ("x", "y", "z", "position_of"),
}
"""Where a skill is done: nowhere in particular, with the base at a stop of a drive or before a thing, or with
the hand at the thing; and whose position that rests on."""
SKILL_NUMBERS: Mapping[str, tuple[float, float]] = {
    "distance": (0.0, 100.0),
    "duration": (0.001, 1e6),
    "speed": (0.001, 1000.0),
}
"""The numbers of a skill, each with the least and the greatest that it may be."""
MAX_RETRIES = 1000
SKILL_KEYS = ("ports", "pose", "retries", *SKILL_NUMBERS)
KEYS = frozenset(
    "format version name domain types goal relations parents sight look robot states affordances classes"
    " rules exclusive requires instead actions skills words variants extends conditions distinct_arguments"
    " driving operator".split()
)


def read_mapping(raw: Mapping[str, object], domain: Domain, where: str) -> SceneMapping:
    """Check the tables of a mapping file. Raises :class:`PackError` naming table and key."""
    file = _MappingFile(raw, domain, where)
    if raw.get("format") != "groundplan-pack" or raw.get("version") != 1:
        got = f"{raw.get('format')}, version {raw.get('version')}"
        raise file.fail("format", '"groundplan-pack", version 1', got)
    for key in raw:
        file.check_known(key, KEYS, key, "a known table")
    goal, robot = file.table("goal"), file.table("robot")
    types = {k: file.text(v, f"types.{k}") for k, v in file.table("types").items()}
    for node_type, pddl_type in types.items():
        if pddl_type not in domain.types:
            raise file.fail(f"types.{node_type}", "a type of the domain", pddl_type)
    goal_predicates = file.texts(goal.get("predicates", []), "goal.predicates")
    for name in goal_predicates:
        file.check_known(name, domain.predicates, "goal.predicates", "predicates of the domain")
    position = _robot_fact(file, robot, "at", 1)
    actions = _actions(file)
    return SceneMapping(
        types=types,
        goal_predicates=goal_predicates,
        derived=_derived(file, goal, position.predicate),
        supertypes=_supertypes(file, goal, types),
        relations=_relations(file),
        parents=_of_relations(file, "parents"),
        sight=_of_relations(file, "sight"),
        look=_of_relations(file, "look", AROUND),
        robot_position=position,
        robot_free=as_ground(_robot_fact(file, robot, "free", 0)),
        robot_held=_robot_fact(file, robot, "held", 1),
        states=_states(file),
        affordances={k: file.patterns(v, f"affordances.{k}") for k, v in file.table("affordances").items()},
        classes={k: file.patterns(v, f"classes.{k}") for k, v in file.table("classes").items()},
        rules=_rules(file),
        exclusive={k: _group(file, k, v) for k, v in file.table("exclusive").items()},
        requires=_requires(file),
        instead=_instead(file),
        actions=actions,
        words=_words(file),
        conditions=_conditions(file, file.table("conditions"), "conditions"),
        variants=_variants(file),
        skills=_skills(file, actions),
        frame=file.text(robot.get("frame", "map"), "robot.frame"),
        distinct_arguments=file.switch(raw.get("distinct_arguments", False), "distinct_arguments"),
        room_step=_room_step(file, actions),
        implied_access=file.switch(_driving(file).get("implied_access", False), "driving.implied_access"),
        passable=_passable(file),
        operator_rules=_operator_rules(file),
    )


class _MappingFile:
    """A mapping file beside its domain: values by their place, each of the type that is expected there."""

    def __init__(self, raw: Mapping[str, object], domain: Domain, where: str) -> None:
        self.raw, self.domain, self.where = raw, domain, where

    def fail(self, at: str, expected: str, got: object, hint: str = "") -> PackError:
        return PackError(f"{self.where}: {at}", expected, clip(got), hint)

    def check_known(
        self, name: str, known: Collection[str], at: str, expected: str, listed: bool = False
    ) -> None:
        """Refuse a name that is none of those known, with the nearest, or with all if they are ``listed``."""
        if name not in known:
            hint = did_you_mean(name, known) or (f"there are {', '.join(known)}" if listed else "")
            raise self.fail(at, expected, name, hint)

    def table(self, key: str) -> Mapping[str, object]:
        return self.sub(self.raw, key)

    def sub(self, table: Mapping[str, object], key: str) -> Mapping[str, object]:
        value = table.get(key, {})
        if not isinstance(value, dict):
            raise self.fail(key, "a table", value)
        return value

    def switch(self, value: object, at: str, hint: str = "") -> bool:
        if not isinstance(value, bool):
            raise self.fail(at, "true or false", value, hint)
        return value

    def text(self, value: object, at: str) -> str:
        if not isinstance(value, str):
            raise self.fail(at, "a string", value)
        return value

    def texts(self, value: object, at: str) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise self.fail(at, "a list of strings", value)
        return tuple(self.text(v, at) for v in value)

    def atom(self, value: object, at: str) -> Atom:
        expressions = read(self.text(value, at), f"{self.where}: {at}", PackError)
        if len(expressions) != 1 or not isinstance(expressions[0], Expression):
            raise self.fail(at, "one atom such as (open ?x)", value)
        node = expressions[0]
        self.check_known(node.head(), self.domain.predicates, at, "a predicate of the domain")
        predicate, args = self.domain.predicates[node.head()], list[Term]()
        if len(node.items) - 1 != predicate.arity:
            raise self.fail(at, f"{predicate.arity} arguments for {predicate.name}", value)
        for item in node.items[1:]:
            if not isinstance(item, Word):
                raise self.fail(at, "variables", "a list")
            args.append(Var(item.text[1:]) if item.text.startswith("?") else item.text)
        return Atom(predicate.name, tuple(args))

    def pattern(self, value: object, at: str, names: str = "xy") -> Atom:
        """Read an atom over the variables ``?x`` (the node itself) and ``?y`` (its parent)."""
        atom = self.atom(value, at)
        for term in atom.args:
            if isinstance(term, Var) and term.name not in names:
                expected = " and ".join(f"?{n}" for n in names) if names else "no variables"
                raise self.fail(at, f"{expected} as variables", str(atom), "?x is the node, ?y its parent")
        return atom

    def patterns(self, value: object, at: str, names: str = "xy") -> tuple[Atom, ...]:
        return tuple(self.pattern(v, at, names) for v in self.texts(value, at))


# What a goal and a state can say


def _derived(file: _MappingFile, goal: Mapping[str, object], position: str) -> dict[str, str]:
    """Check the meaning of each derived predicate: where the robot stands, or the room around a thing."""
    derived = {k: file.text(v, f"goal.derived.{k}") for k, v in file.sub(goal, "derived").items()}
    for name, meaning in derived.items():
        if name in file.domain.predicates:
            raise file.fail("goal.derived", "names that the domain does not use", name)
        if meaning not in (position, ROOM):
            raise file.fail("goal.derived", f'"{position}" (as robot.at) or "{ROOM}"', meaning)
    return derived


def _supertypes(
    file: _MappingFile, goal: Mapping[str, object], types: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    result = {}
    for name, value in file.sub(goal, "supertypes").items():
        result[name] = file.texts(value, at := f"goal.supertypes.{name}")
        for one in result[name]:
            file.check_known(one, types, at, "node types of [types]", listed=True)
    return result


def _robot_fact(file: _MappingFile, robot: Mapping[str, object], key: str, arity: int) -> Atom:
    """Read a fact about the robot, over ``?x`` or without arguments."""
    atom = file.atom(robot.get(key), f"robot.{key}")
    if atom.args != (Var("x"),)[:arity]:
        expected = "a fact over ?x alone" if arity else "a fact without arguments"
        raise file.fail(f"robot.{key}", expected, str(atom))
    return atom


def _states(file: _MappingFile) -> dict[str, tuple[Atom, ...]]:
    """Read the words for states: facts of a node, or one fact of it and ``?z``, another that it names."""
    result = {k: file.patterns(v, f"states.{k}", "xyz") for k, v in file.table("states").items()}
    for word, atoms in result.items():
        named = any(Var(OTHER) in a.args for a in atoms)
        if named and (len(atoms) > 1 or atoms[0].args != (Var("x"), Var(OTHER)) or " " in word):
            got = " ".join(map(str, atoms))
            hint = f'a node says it as "{word} NODE"'
            raise file.fail(f"states.{word}", "one fact over ?x and ?z in this order", got, hint)
    return result


def _relations(file: _MappingFile) -> dict[str, Atom]:
    """Read the fact of each relation: of the thing, or of the thing and what it is in or on."""
    result = {}
    for name, value in file.table("relations").items():
        atom = result[name] = file.atom(value, f"relations.{name}")
        if atom.args not in ((Var("x"),), (Var("x"), Var("y"))):
            hint = "?x is the thing, ?y what it is in or on"
            raise file.fail(f"relations.{name}", "a fact over ?x, or over ?x and ?y", str(atom), hint)
    return result


def _of_relations(file: _MappingFile, key: str, *more: str) -> dict[str, Atom]:
    """Read facts of what things are in or on: they are asked of places where nothing is, too."""
    relations, result = file.table("relations"), {}
    for name in file.table(key):
        if name not in more:
            file.check_known(name, relations, key, "a relation of [relations]")
    for name, value in file.table(key).items():
        atom = result[name] = file.pattern(value, f"{key}.{name}")
        if atom.args != (Var("y"),):
            hint = "?y is what a thing is in or on"
            raise file.fail(f"{key}.{name}", "a fact over ?y alone", str(atom), hint)
    return result


def _group(file: _MappingFile, name: str, value: object) -> tuple[Atom, ...]:
    """Read an exclusive group: facts of one thing, ``?x``, or of the robot (``*`` or no arguments)."""
    at = f"exclusive.{name}"
    atoms = tuple(file.atom(v, at) for v in file.texts(value, at))
    for atom in atoms:
        rest = [a for a in atom.args if a != "*"]
        about_thing = rest == list(atom.args) and rest[:1] == [Var("x")]
        different = all(isinstance(a, Var) for a in rest) and len(set(rest)) == len(rest)
        if not different or not (about_thing or len(rest) < len(atom.args) or not atom.args):
            hint = "(p ?x ?y): one ?y for each ?x; (p *): one at all"
            raise file.fail(at, "facts over ?x first, or with * for anything", str(atom), hint)
    if len({a.predicate for a in atoms}) < len(atoms):
        raise file.fail(at, "each predicate once", " ".join(map(str, atoms)))
    return atoms


def _requires(file: _MappingFile) -> dict[str, tuple[Atom, ...]]:
    """Read what facts need: static facts of their arguments, called ``?x`` and ``?y``."""
    result, predicates = {}, file.domain.predicates
    for name, value in file.table("requires").items():
        file.check_known(name, predicates, "requires", "a predicate of the domain")
        result[name] = file.patterns(value, f"requires.{name}", "xy"[: predicates[name].arity])
    return result


def _instead(file: _MappingFile) -> dict[str, str]:
    result = {k: file.text(v, f"instead.{k}") for k, v in file.table("instead").items()}
    for name in (*result, *result.values()):
        file.check_known(name, file.domain.predicates, "instead", "predicates of the domain")
    return result


def _rules(file: _MappingFile) -> tuple[Rule, ...]:
    value, types, rules = file.raw.get("rules", []), file.table("types"), list[Rule]()
    if not isinstance(value, list):
        raise file.fail("rules", "a list of tables", value)
    for index, rule in enumerate(value):
        at = f"rules[{index}]"
        if not isinstance(rule, dict) or set(rule) - {"add", "types", "when", "unless"}:
            raise file.fail(at, "add, types, when and unless", rule)
        when, unless = (file.patterns(rule.get(key, []), at) for key in ("when", "unless"))
        of_types = frozenset(file.texts(rule.get("types", list(types)), at))
        for name in sorted(of_types):
            file.check_known(name, types, at, "node types of [types]", listed=True)
        rules.append(Rule(file.pattern(rule.get("add"), at), of_types, when, unless))
    return tuple(rules)


def _operator_rules(file: _MappingFile) -> tuple[str, ...]:
    table = file.table("operator")
    for key in table:
        if key != "rules":
            raise file.fail(f"operator.{key}", "rules, a list of formulas", key)
    return file.texts(table.get("rules", []), "operator.rules")


def _words(file: _MappingFile) -> dict[str, tuple[str, str]]:
    result = {}
    for name, value in file.table("words").items():
        texts = file.texts(value, f"words.{name}")
        predicate = file.domain.predicates.get(name)
        arity = predicate.arity if predicate else 2
        holes = [p.partition("}")[0] for t in texts for p in t.split("{")[1:]]
        if len(texts) != 2 or not all(h.isdigit() and int(h) < arity for h in holes):
            raise file.fail(f"words.{name}", "two texts over {0} and {1}", value)
        result[name] = (texts[0], texts[1])
    return result


# Actions


def _actions(file: _MappingFile) -> dict[str, ActionMapping]:
    result = {}
    for name, value in file.table("actions").items():
        file.check_known(name, file.domain.actions, f"actions.{name}", "an action of the domain")
        result[name] = _action(file, file.domain.actions[name], value)
    missing = sorted(set(file.domain.actions) - set(result))
    if missing:
        raise file.fail("actions", "a table for every action of the domain", f"none for {missing[0]}")
    if any(a.navigation for a in result.values()):  # without one the loader says so
        for name, action in result.items():
            _check_step(file, action, f"actions.{name}")
    return result


def _action(file: _MappingFile, action: Action, value: object) -> ActionMapping:
    """Read the table of one action; its skills are named after its step, or after the driving action."""
    name, at = action.name, f"actions.{action.name}"
    if not isinstance(value, dict):
        raise file.fail(at, "a table", value)
    for key in value:
        file.check_known(key, ACTION_KEYS, f"{at}.{key}", "a key of an action", listed=True)
    hint = "exactly one action has navigation = true"
    navigation = file.switch(value.get("navigation", False), f"{at}.navigation", hint)
    event = file.switch(value.get("event", False), f"{at}.event")
    parameters = {p.name for p in action.parameters}
    verb = file.text(value.get("verb", ""), at)
    holes = [hole for hole in re.findall(r"\{([^{}]*)\}", verb) if hole not in parameters]
    if holes:
        expected = f"parameters of {name} in the verb ({', '.join(sorted(parameters))})"
        raise file.fail(f"{at}.verb", expected, f"{{{holes[0]}}}")
    step = _step(file, value["step"], parameters, at) if value.get("step") is not None else None
    skill, approach = (file.text(value.get(key, ""), at) for key in ("skill", "approach"))
    if navigation:
        skill, approach = skill or name, approach or "approach"
    elif step is not None:
        skill = skill or step.predicate
    return ActionMapping(navigation, event, step, skill, verb, approach)


def _check_step(file: _MappingFile, action: ActionMapping, at: str) -> None:
    """Check that what can be printed has a step, and only that: printed steps are what is carried out."""
    by_itself = action.navigation or action.event
    if by_itself and action.step is not None:
        hint = "driving is printed as goto and access, events not at all"
        raise file.fail(f"{at}.step", "no step", str(action.step), hint)
    if not by_itself and action.step is None:
        hint = "a printed plan could not hold it"
        raise file.fail(at, "a step such as open(?x), or event = true", "neither", hint)


def _step(file: _MappingFile, value: object, parameters: Iterable[str], at: str) -> Atom:
    """Read a printed step ``name(?a)`` as an atom over the action's parameters."""
    name, bracket, rest = file.text(value, at).partition("(")
    args = tuple(a.strip() for a in rest.removesuffix(")").split(",") if a.strip())
    variables = {f"?{p}" for p in parameters}
    if not bracket or not rest.endswith(")") or not set(args) <= variables:
        raise file.fail(at, "a step such as open(?x) over the action's parameters", value)
    return Atom(name.strip(), tuple(Var(a[1:]) for a in args))


def _variants(file: _MappingFile) -> dict[str, dict[str, tuple[Atom, ...]]]:
    variants = file.table("variants")
    return {v: _conditions(file, file.sub(variants, v), f"variants.{v}") for v in variants}


def _conditions(file: _MappingFile, table: Mapping[str, object], at: str) -> dict[str, tuple[Atom, ...]]:
    """Read additional preconditions, by action, each over the parameters of the action."""
    for action in table:
        file.check_known(action, file.domain.actions, at, "an action of the domain")
    result = {}
    for action, value in table.items():
        place, names = f"{at}.{action}", [p.name for p in file.domain.actions[action].parameters]
        atoms = result[action] = tuple(file.atom(v, place) for v in file.texts(value, place))
        for atom in atoms:
            if not all(isinstance(term, Var) and term.name in names for term in atom.args):
                expected = " ".join(f"?{name}" for name in names) or "no arguments"
                raise file.fail(place, f"parameters of {action} ({expected})", str(atom))
    return result


# Driving and skills


def _driving(file: _MappingFile) -> Mapping[str, object]:
    table = file.table("driving")
    for name in table:
        if name not in DRIVING_KEYS:
            raise file.fail(f"driving.{name}", " or ".join(DRIVING_KEYS), name)
    return table


def _room_step(file: _MappingFile, actions: Mapping[str, ActionMapping]) -> str:
    """Read the name of the step that drives to a room, which no other step has."""
    name = file.text(_driving(file).get("room_step", ""), "driving.room_step")
    taken = {a.step.predicate for a in actions.values() if a.step is not None}
    if name and (not re.fullmatch(r"[A-Za-z_][\w-]*", name) or name in taken | FIXED_STEPS):
        raise file.fail("driving.room_step", "a name that no other step has", name)
    return name


def _passable(file: _MappingFile) -> Atom | None:
    """Read the fact of a door that lets the robot through."""
    value = file.text(_driving(file).get("passable", ""), "driving.passable")
    if not value:
        return None
    atom = file.pattern(value, "driving.passable", "x")
    if atom.args != (Var("x"),):
        raise file.fail("driving.passable", "a fact over ?x, the door", str(atom))
    return atom


def _skills(file: _MappingFile, actions: Mapping[str, ActionMapping]) -> dict[str, SkillMapping]:
    """Read the skills that actions name, each once, in the order of the mapping."""
    uses: dict[str, list[tuple[TypedVar, ...]]] = {}
    stops: dict[str, str] = {}
    for name, action in actions.items():
        parameters = file.domain.actions[name].parameters
        if action.navigation:
            stops |= {action.skill: "stop", action.approach: ""}
            uses |= {skill: [parameters[-1:]] for skill in (action.skill, action.approach)}
        elif not action.event:
            uses.setdefault(action.skill, []).append(parameters)
    if not stops:
        return {}  # the loader says that a driving action is missing
    for name in file.table("skills") if "extends" not in file.raw else ():
        # A pack may give the actions of one that it extends other skills.
        file.check_known(name, uses, "skills", "the skill of an action")
    return {name: _skill(file, name, use, stops.get(name, "")) for name, use in uses.items()}


def _skill(file: _MappingFile, name: str, uses: list[tuple[TypedVar, ...]], pose: str) -> SkillMapping:
    """Read one skill; ``uses`` are the parameters of its actions, ``pose`` is that of an unsaid one."""
    at, table = f"skills.{name}", file.sub(file.table("skills"), name)
    for key in table:
        file.check_known(key, SKILL_KEYS, f"{at}.{key}", "a key of a skill", listed=True)
    most = max(uses, key=len)
    ports = file.texts(table.get("ports", [p.name for p in most]), f"{at}.ports")
    if "ports" in table and any(len(use) != len(ports) for use in uses):
        counts = " or ".join(dict.fromkeys(str(len(use)) for use in uses))
        hint = "one for each parameter of its actions, in their order"
        raise file.fail(f"{at}.ports", f"{counts} names", table["ports"], hint)
    pose = file.text(table.get("pose", pose), f"{at}.pose")
    if pose not in POSES:
        raise file.fail(f"{at}.pose", " or ".join(filter(None, POSES)), pose)
    repeated = [p for i, p in enumerate(ports) if p in (*ports[:i], *POSES[pose])]
    if repeated and "ports" in table:
        expected = f"different names, none of them {', '.join(POSES[pose])}"
        raise file.fail(f"{at}.ports", expected, repeated[0])
    retries = table.get("retries", 0)
    if isinstance(retries, bool) or not isinstance(retries, int) or not 0 <= retries <= MAX_RETRIES:
        raise file.fail(f"{at}.retries", f"a whole number from 0 to {MAX_RETRIES}", retries)
    numbers = {}
    for key, (least, greatest) in SKILL_NUMBERS.items():
        value = table.get(key, least)
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= greatest:
            raise file.fail(f"{at}.{key}", f"a number from {least:g} to {greatest:g}", value)
        if key in table:
            numbers[key] = float(value)
    kinds = (dict.fromkeys(use[i].type for use in uses if i < len(use)) for i in range(len(ports)))
    return SkillMapping(name, ports, tuple(map(" or ".join, kinds)), pose, retries=retries, **numbers)


def extended(base: Mapping[str, object], own: Mapping[str, object]) -> dict[str, object]:
    """Join the mapping of a pack with that of the pack it extends: tables and lists are joined.

    An entry for one name, the two texts of a predicate for instance, replaces the extended pack's.
    """
    joined = dict(base)
    for key, value in own.items():
        before = joined.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            joined[key] = before | value if key == "words" else extended(before, value)
        elif isinstance(before, list) and isinstance(value, list):
            joined[key] = [*before, *value]
        else:
            joined[key] = value
    return joined
