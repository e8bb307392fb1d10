"""The mapping file of a pack (``mapping.toml``), checked against the pack's PDDL domain.

Each table becomes one field of :class:`SceneMapping`; a new table needs a key in :data:`KEYS`, a field and a
method of the reader. Packs of version 1 must stay readable. Patterns such as ``(open ?x)`` are atoms over
``?x`` (the node itself) and ``?y`` (its parent); conditions and steps of an action, over its parameters.
Whatever does not fit the domain is refused with file, table and key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

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
    return _Reader(raw, domain, where).read()


class _Reader:
    def __init__(self, raw: Mapping[str, object], domain: Domain, where: str) -> None:
        self.raw, self.domain, self.where = raw, domain, where

    def fail(self, at: str, expected: str, got: object, hint: str = "") -> PackError:
        return PackError(f"{self.where}: {at}", expected, clip(got), hint)

    def read(self) -> SceneMapping:
        if self.raw.get("format") != "groundplan-pack" or self.raw.get("version") != 1:
            raise self.fail("format", '"groundplan-pack", version 1', self.raw.get("format"))
        for key in self.raw:
            if key not in KEYS:
                raise self.fail(key, "a known table", key, did_you_mean(key, KEYS))
        goal = self.table("goal")
        robot = self.table("robot")
        types = {k: self.text(v, f"types.{k}") for k, v in self.table("types").items()}
        for node_type, pddl_type in types.items():
            if pddl_type not in self.domain.types:
                raise self.fail(f"types.{node_type}", "a type of the domain", pddl_type)
        goal_predicates = self.texts(goal.get("predicates", []), "goal.predicates")
        for name in goal_predicates:
            if name not in self.domain.predicates:
                hint = did_you_mean(name, self.domain.predicates)
                raise self.fail("goal.predicates", "predicates of the domain", name, hint)
        position = self.robot_fact(robot, "at", 1)
        return SceneMapping(
            types=types,
            goal_predicates=goal_predicates,
            derived=self.derived(goal, position.predicate),
            supertypes=self.supertypes(goal, types),
            relations=self.relations(),
            parents=self.of_relations("parents"),
            sight=self.of_relations("sight"),
            look=self.of_relations("look", AROUND),
            robot_position=position,
            robot_free=as_ground(self.robot_fact(robot, "free", 0)),
            robot_held=self.robot_fact(robot, "held", 1),
            states=self.states(),
            affordances=self.atom_lists("affordances"),
            classes=self.atom_lists("classes"),
            rules=self.rules(),
            exclusive={k: self.group(k, v) for k, v in self.table("exclusive").items()},
            requires=self.requires(),
            instead=self.instead(),
            actions=self.actions(),
            words=self.words(),
            conditions=self.conditions(self.table("conditions"), "conditions"),
            variants=self.variants(),
            skills=self.skills(),
            frame=self.text(robot.get("frame", "map"), "robot.frame"),
            distinct_arguments=self.switch("distinct_arguments"),
            room_step=self.room_step(),
            implied_access=self.driving("implied_access", False) is True,
            passable=self.passable(),
            operator_rules=self.operator_rules(),
        )

    def table(self, key: str) -> Mapping[str, object]:
        return self.sub(self.raw, key)

    def sub(self, table: Mapping[str, object], key: str) -> Mapping[str, object]:
        value = table.get(key, {})
        if not isinstance(value, dict):
            raise self.fail(key, "a table", value)
        return value

    def switch(self, key: str) -> bool:
        value = self.raw.get(key, False)
        if not isinstance(value, bool):
            raise self.fail(key, "true or false", value)
        return value

    def driving(self, key: str, default: bool | str) -> object:
        """Return an entry of ``[driving]``, of the type of its default."""
        table = self.table("driving")
        for name in table:
            if name not in DRIVING_KEYS:
                raise self.fail(f"driving.{name}", " or ".join(DRIVING_KEYS), name)
        value = table.get(key, default)
        if not isinstance(value, type(default)):
            expected = "true or false" if isinstance(default, bool) else "a string"
            raise self.fail(f"driving.{key}", expected, value)
        return value

    def room_step(self) -> str:
        """Read the name of the step that drives to a room, which no other step has."""
        name = str(self.driving("room_step", ""))
        taken = {a.step.predicate for a in self.actions().values() if a.step is not None}
        if name and (not re.fullmatch(r"[A-Za-z_][\w-]*", name) or name in taken | FIXED_STEPS):
            raise self.fail("driving.room_step", "a name that no other step has", name)
        return name

    def passable(self) -> Atom | None:
        """Read the fact of a door that lets the robot through."""
        value = self.driving("passable", "")
        if not value:
            return None
        atom = self.pattern(value, "driving.passable", "x")
        if atom.args != (Var("x"),):
            raise self.fail("driving.passable", "a fact over ?x, the door", str(atom))
        return atom

    def text(self, value: object, at: str) -> str:
        if not isinstance(value, str):
            raise self.fail(at, "a string", value)
        return value

    def texts(self, value: object, at: str) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise self.fail(at, "a list of strings", value)
        return tuple(self.text(v, at) for v in value)

    def derived(self, goal: Mapping[str, object], position: str) -> dict[str, str]:
        """Check the meaning of each derived predicate: where the robot stands, or the room around a thing."""
        derived = {k: self.text(v, f"goal.derived.{k}") for k, v in self.sub(goal, "derived").items()}
        for name, meaning in derived.items():
            if name in self.domain.predicates:
                raise self.fail("goal.derived", "names that the domain does not use", name)
            if meaning not in (position, ROOM):
                raise self.fail("goal.derived", f'"{position}" (as robot.at) or "{ROOM}"', meaning)
        return derived

    def atom(self, value: object, at: str) -> Atom:
        expressions = read(self.text(value, at), f"{self.where}: {at}", PackError)
        if len(expressions) != 1 or not isinstance(expressions[0], Expression):
            raise self.fail(at, "one atom such as (open ?x)", value)
        node = expressions[0]
        predicate = self.domain.predicates.get(node.head())
        if predicate is None:
            hint = did_you_mean(node.head(), self.domain.predicates)
            raise self.fail(at, "a predicate of the domain", node.head(), hint)
        if len(node.items) - 1 != predicate.arity:
            raise self.fail(at, f"{predicate.arity} arguments for {predicate.name}", value)
        return Atom(predicate.name, tuple(self.term(i, at) for i in node.items[1:]))

    def term(self, item: Expression | Word, at: str) -> Term:
        if not isinstance(item, Word):
            raise self.fail(at, "variables", "a list")
        return Var(item.text[1:]) if item.text.startswith("?") else item.text

    def pattern(self, value: object, at: str, names: str = "xy") -> Atom:
        """Read an atom over the variables ``?x`` (the node itself) and ``?y`` (its parent)."""
        atom = self.atom(value, at)
        for term in atom.args:
            if isinstance(term, Var) and term.name not in names:
                expected = " and ".join(f"?{n}" for n in names) if names else "no variables"
                raise self.fail(at, f"{expected} as variables", str(atom), "?x is the node, ?y its parent")
        return atom

    def atom_lists(self, key: str, names: str = "xy") -> dict[str, tuple[Atom, ...]]:
        result = {}
        for name, value in self.table(key).items():
            at = f"{key}.{name}"
            result[name] = tuple(self.pattern(v, at, names) for v in self.texts(value, at))
        return result

    def states(self) -> dict[str, tuple[Atom, ...]]:
        """Read the words for states: facts of a node, or one fact of it and ``?z``, another that it names."""
        result = self.atom_lists("states", "xyz")
        for word, atoms in result.items():
            named = any(Var(OTHER) in a.args for a in atoms)
            if named and (len(atoms) > 1 or atoms[0].args != (Var("x"), Var(OTHER)) or " " in word):
                got = " ".join(map(str, atoms))
                hint = f'a node says it as "{word} NODE"'
                raise self.fail(f"states.{word}", "one fact over ?x and ?z in this order", got, hint)
        return result

    def robot_fact(self, robot: Mapping[str, object], key: str, arity: int) -> Atom:
        """Read a fact about the robot, over ``?x`` or without arguments."""
        atom = self.atom(robot.get(key), f"robot.{key}")
        if atom.args != (Var("x"),)[:arity]:
            expected = "a fact over ?x alone" if arity else "a fact without arguments"
            raise self.fail(f"robot.{key}", expected, str(atom))
        return atom

    def relations(self) -> dict[str, Atom]:
        """Read the fact of each relation: of the thing, or of the thing and what it is in or on."""
        result = {}
        for name, value in self.table("relations").items():
            atom = result[name] = self.atom(value, f"relations.{name}")
            if atom.args not in ((Var("x"),), (Var("x"), Var("y"))):
                hint = "?x is the thing, ?y what it is in or on"
                raise self.fail(f"relations.{name}", "a fact over ?x, or over ?x and ?y", str(atom), hint)
        return result

    def of_relations(self, key: str, *more: str) -> dict[str, Atom]:
        known = self.table("relations")
        for name in self.table(key):
            if name not in known and name not in more:
                raise self.fail(key, "a relation of [relations]", name, did_you_mean(name, known))
        return {k: self.fact_of_parent(v, f"{key}.{k}") for k, v in self.table(key).items()}

    def fact_of_parent(self, value: object, at: str) -> Atom:
        """Read a fact of what things are in or on: it is asked of places where nothing is, too."""
        atom = self.pattern(value, at)
        if atom.args != (Var("y"),):
            raise self.fail(at, "a fact over ?y alone", str(atom), "?y is what a thing is in or on")
        return atom

    def supertypes(self, goal: Mapping[str, object], types: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
        result = {}
        for name, value in self.sub(goal, "supertypes").items():
            result[name] = self.texts(value, f"goal.supertypes.{name}")
            for one in result[name]:
                if one not in types:
                    hint = did_you_mean(one, types) or f"there are {', '.join(types)}"
                    raise self.fail(f"goal.supertypes.{name}", "node types of [types]", one, hint)
        return result

    def group(self, name: str, value: object) -> tuple[Atom, ...]:
        """Read an exclusive group: facts of one thing, ``?x``, or of the robot (``*`` or no arguments)."""
        at = f"exclusive.{name}"
        atoms = tuple(self.atom(v, at) for v in self.texts(value, at))
        for atom in atoms:
            rest = [a for a in atom.args if a != "*"]
            about_thing = rest == list(atom.args) and rest[:1] == [Var("x")]
            different = all(isinstance(a, Var) for a in rest) and len(set(rest)) == len(rest)
            if not different or not (about_thing or len(rest) < len(atom.args) or not atom.args):
                hint = "(p ?x ?y): one ?y for each ?x; (p *): one at all"
                raise self.fail(at, "facts over ?x first, or with * for anything", str(atom), hint)
        if len({a.predicate for a in atoms}) < len(atoms):
            raise self.fail(at, "each predicate once", " ".join(map(str, atoms)))
        return atoms

    def requires(self) -> dict[str, tuple[Atom, ...]]:
        """Read what facts need: static facts of their arguments, called ``?x`` and ``?y``."""
        result = {}
        for name, value in self.table("requires").items():
            at = f"requires.{name}"
            predicate = self.domain.predicates.get(name)
            if predicate is None:
                hint = did_you_mean(name, self.domain.predicates)
                raise self.fail("requires", "a predicate of the domain", name, hint)
            names = "xy"[: predicate.arity]
            result[name] = tuple(self.pattern(v, at, names) for v in self.texts(value, at))
        return result

    def instead(self) -> dict[str, str]:
        result = {k: self.text(v, f"instead.{k}") for k, v in self.table("instead").items()}
        for name in (*result, *result.values()):
            if name not in self.domain.predicates:
                hint = did_you_mean(name, self.domain.predicates)
                raise self.fail("instead", "predicates of the domain", name, hint)
        return result

    def rules(self) -> tuple[Rule, ...]:
        value = self.raw.get("rules", [])
        if not isinstance(value, list):
            raise self.fail("rules", "a list of tables", value)
        rules = []
        for index, rule in enumerate(value):
            at = f"rules[{index}]"
            if not isinstance(rule, dict) or set(rule) - {"add", "types", "when", "unless"}:
                raise self.fail(at, "add, types, when and unless", rule)
            atoms = {
                k: tuple(self.pattern(v, at) for v in self.texts(rule.get(k, []), at))
                for k in ("when", "unless")
            }
            known = self.table("types")
            types = frozenset(self.texts(rule.get("types", list(known)), at))
            for name in sorted(types):
                if name not in known:
                    hint = did_you_mean(name, known) or f"there are {', '.join(known)}"
                    raise self.fail(at, "node types of [types]", name, hint)
            rules.append(Rule(self.pattern(rule.get("add"), at), types, atoms["when"], atoms["unless"]))
        return tuple(rules)

    def operator_rules(self) -> tuple[str, ...]:
        table = self.table("operator")
        for key in table:
            if key != "rules":
                raise self.fail(f"operator.{key}", "rules, a list of formulas", key)
        return self.texts(table.get("rules", []), "operator.rules")

    def actions(self) -> dict[str, ActionMapping]:
        result = {}
        for name, value in self.table("actions").items():
            at = f"actions.{name}"
            action = self.domain.actions.get(name)
            if action is None:
                raise self.fail(at, "an action of the domain", name, did_you_mean(name, self.domain.actions))
            if not isinstance(value, dict):
                raise self.fail(at, "a table", value)
            for key in value:
                if key not in ACTION_KEYS:
                    hint = did_you_mean(key, ACTION_KEYS) or f"there are {', '.join(ACTION_KEYS)}"
                    raise self.fail(f"{at}.{key}", "a key of an action", key, hint)
            for key in ("navigation", "event"):
                if not isinstance(value.get(key, False), bool):
                    hint = "exactly one action has navigation = true" if key == "navigation" else ""
                    raise self.fail(f"{at}.{key}", "true or false", value[key], hint)
            parameters = {p.name for p in action.parameters}
            step = value.get("step")
            verb = self.text(value.get("verb", ""), at)
            holes = [hole for hole in re.findall(r"\{([^{}]*)\}", verb) if hole not in parameters]
            if holes:
                expected = f"parameters of {name} in the verb ({', '.join(sorted(parameters))})"
                raise self.fail(f"{at}.verb", expected, f"{{{holes[0]}}}")
            result[name] = ActionMapping(
                navigation=value.get("navigation") is True,
                event=value.get("event") is True,
                step=self.step(step, parameters, at) if step is not None else None,
                skill=self.text(value.get("skill", ""), at),
                verb=verb,
                approach=self.text(value.get("approach", ""), at),
            )
            result[name] = self.with_skills(result[name], name)
        missing = sorted(set(self.domain.actions) - set(result))
        if missing:
            raise self.fail("actions", "a table for every action of the domain", f"none for {missing[0]}")
        if any(a.navigation for a in result.values()):  # without one the loader says so
            for name, action_mapping in result.items():
                self.check_step(action_mapping, f"actions.{name}")
        return result

    @staticmethod
    def with_skills(action: ActionMapping, name: str) -> ActionMapping:
        """Name the skills of an action that does not: after its printed step, or after the driving action."""
        if action.navigation:
            return replace(action, skill=action.skill or name, approach=action.approach or "approach")
        return replace(action, skill=action.skill or (action.step.predicate if action.step else ""))

    def check_step(self, action: ActionMapping, at: str) -> None:
        """Check that what can be printed has a step, and only that: printed steps are what is carried out."""
        by_itself = action.navigation or action.event
        if by_itself and action.step is not None:
            hint = "driving is printed as goto and access, events not at all"
            raise self.fail(f"{at}.step", "no step", str(action.step), hint)
        if not by_itself and action.step is None:
            hint = "a printed plan could not hold it"
            raise self.fail(at, "a step such as open(?x), or event = true", "neither", hint)

    def step(self, value: object, parameters: Iterable[str], at: str) -> Atom:
        """Read a printed step ``name(?a)`` as an atom over the action's parameters."""
        name, bracket, rest = self.text(value, at).partition("(")
        args = tuple(a.strip() for a in rest.removesuffix(")").split(",") if a.strip())
        variables = {f"?{p}" for p in parameters}
        if not bracket or not rest.endswith(")") or not set(args) <= variables:
            raise self.fail(at, "a step such as open(?x) over the action's parameters", value)
        return Atom(name.strip(), tuple(Var(a[1:]) for a in args))

    def skills(self) -> dict[str, SkillMapping]:
        """Read the skills that actions name, each once, in the order of the mapping."""
        uses: dict[str, list[tuple[TypedVar, ...]]] = {}
        stops: dict[str, str] = {}
        for name, action in self.actions().items():
            parameters = self.domain.actions[name].parameters
            if action.navigation:
                stops |= {action.skill: "stop", action.approach: ""}
                uses |= {skill: [parameters[-1:]] for skill in (action.skill, action.approach)}
            elif not action.event:
                uses.setdefault(action.skill, []).append(parameters)
        if not stops:
            return {}  # the loader says that a driving action is missing
        for name in self.table("skills"):
            # A pack may give the actions of one that it extends other skills.
            if name not in uses and "extends" not in self.raw:
                raise self.fail("skills", "the skill of an action", name, did_you_mean(name, uses))
        return {name: self.skill(name, use, stops.get(name, "")) for name, use in uses.items()}

    def skill(self, name: str, uses: list[tuple[TypedVar, ...]], pose: str) -> SkillMapping:
        """Read one skill; ``uses`` are the parameters of its actions, ``pose`` is that of an unsaid one."""
        at, table = f"skills.{name}", self.sub(self.table("skills"), name)
        for key in table:
            if key not in SKILL_KEYS:
                hint = did_you_mean(key, SKILL_KEYS) or f"there are {', '.join(SKILL_KEYS)}"
                raise self.fail(f"{at}.{key}", "a key of a skill", key, hint)
        most = max(uses, key=len)
        ports = self.texts(table.get("ports", [p.name for p in most]), f"{at}.ports")
        if "ports" in table and any(len(use) != len(ports) for use in uses):
            counts = " or ".join(dict.fromkeys(str(len(use)) for use in uses))
            hint = "one for each parameter of its actions, in their order"
            raise self.fail(f"{at}.ports", f"{counts} names", table["ports"], hint)
        pose = self.text(table.get("pose", pose), f"{at}.pose")
        if pose not in POSES:
            raise self.fail(f"{at}.pose", " or ".join(filter(None, POSES)), pose)
        repeated = [p for i, p in enumerate(ports) if p in (*ports[:i], *POSES[pose])]
        if repeated and "ports" in table:
            expected = f"different names, none of them {', '.join(POSES[pose])}"
            raise self.fail(f"{at}.ports", expected, repeated[0])
        retries = table.get("retries", 0)
        if isinstance(retries, bool) or not isinstance(retries, int) or not 0 <= retries <= MAX_RETRIES:
            raise self.fail(f"{at}.retries", f"a whole number from 0 to {MAX_RETRIES}", retries)
        numbers = {key: self.number(table[key], key, f"{at}.{key}") for key in SKILL_NUMBERS if key in table}
        kinds = (dict.fromkeys(use[i].type for use in uses if i < len(use)) for i in range(len(ports)))
        return SkillMapping(name, ports, tuple(map(" or ".join, kinds)), pose, retries=retries, **numbers)

    def number(self, value: object, key: str, at: str) -> float:
        """Read a number of a skill."""
        least, most = SKILL_NUMBERS[key]
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise self.fail(at, f"a number from {least:g} to {most:g}", value)
        return float(value)

    def words(self) -> dict[str, tuple[str, str]]:
        result = {}
        for name, value in self.table("words").items():
            texts = self.texts(value, f"words.{name}")
            predicate = self.domain.predicates.get(name)
            arity = predicate.arity if predicate else 2
            holes = [p.partition("}")[0] for t in texts for p in t.split("{")[1:]]
            if len(texts) != 2 or not all(h.isdigit() and int(h) < arity for h in holes):
                raise self.fail(f"words.{name}", "two texts over {0} and {1}", value)
            result[name] = (texts[0], texts[1])
        return result

    def conditions(self, table: Mapping[str, object], at: str) -> dict[str, tuple[Atom, ...]]:
        """Read additional preconditions, by action."""
        for action in table:
            if action not in self.domain.actions:
                hint = did_you_mean(action, self.domain.actions)
                raise self.fail(at, "an action of the domain", action, hint)
        return {
            action: tuple(
                self.condition(v, action, f"{at}.{action}") for v in self.texts(a, f"{at}.{action}")
            )
            for action, a in table.items()
        }

    def condition(self, value: object, action: str, at: str) -> Atom:
        """Read one additional precondition, over the parameters of the action."""
        atom = self.atom(value, at)
        parameters = {p.name: p.type for p in self.domain.actions[action].parameters}
        for term in atom.args:
            if not isinstance(term, Var) or term.name not in parameters:
                expected = " ".join(f"?{p}" for p in parameters) or "no arguments"
                raise self.fail(at, f"parameters of {action} ({expected})", str(atom))
        return atom

    def variants(self) -> dict[str, dict[str, tuple[Atom, ...]]]:
        variants = self.table("variants")
        return {v: self.conditions(self.sub(variants, v), f"variants.{v}") for v in variants}


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
