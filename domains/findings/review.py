"""Findings about a pack that loads: what its files say can hardly be meant, each with file and line.

A pack that fits together may still do nothing: a class that gives its fact to the wrong node, a type that no
node has, a condition that never holds. Each rule here yields findings of one kind, by the schemas and tables
alone; a new rule is a function in :data:`RULES`. The built-in packs must have no findings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from ..action import Action
from ..checks.instances import comparable
from ..formula import Atom, Var
from ..pack import Pack
from ..storage.json_record import JsonRecord

PLACES = ("room", "asset", "pose")
"""The node types of a scene at which the robot may be at first, and to which routes lead."""


@dataclass(frozen=True, slots=True)
class PackFinding(JsonRecord):
    """One finding: a stable ``code``, the place (``file:line``, as far as known) and a sentence."""

    code: str
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: [{self.code}] {self.message}"


def review(
    pack: Pack, node_types: Collection[str] = (), relations: Collection[str] = ()
) -> tuple[PackFinding, ...]:
    """Return the findings about a pack's own files, not about a pack that it extends.

    ``node_types`` and ``relations`` are those of the scene format, where they are to be compared.
    """
    every = [f for rule in RULES for f in rule(pack)]
    every += _words_of_scenes(pack, node_types, relations)
    return tuple(dict.fromkeys(f for f in every if f.where))


def mapping_place(pack: Pack, table: str, key: str = "") -> str:
    """Return file and line of a key in the pack's own mapping; empty where another pack has it."""
    header, entry = re.compile(r"\s*\[+\s*([^\]]+?)\s*\]+"), re.compile(r'\s*"?([^"=\s]+)"?\s*=')
    current = ""
    for number, line in enumerate(pack.mapping_text.splitlines(), 1):
        if match := header.match(line):
            current = match[1]
        name = entry.match(line)
        found_key = current == table and key and name is not None and name[1] == key
        whole = match is not None and current == (f"{table}.{key}" if key else table)
        if found_key or whole:
            return f"{pack.where}/mapping.toml:{number}"
    return ""


def _own(pack: Pack, kind: str, name: str) -> str:
    """Return the place of a declaration in the pack's own domain file; empty where another pack has it."""
    place = pack.domain.place(kind, name)
    return place if place.startswith(f"{pack.where}/") else ""


def _types_without_nodes(pack: Pack) -> Iterator[PackFinding]:
    domain, given = pack.domain, dict.fromkeys(pack.mapping.types.values())
    for name in domain.types:
        if not any(domain.is_a(kind, name) for kind in given):
            there = ", ".join(f"{node} - {kind}" for node, kind in pack.mapping.types.items())
            message = f"no node of a scene is a {name}, so nothing can have its place: [types] has {there}"
            yield PackFinding("type-without-nodes", _own(pack, "type", name), message)


def _possible(pack: Pack) -> set[str]:
    """Return the predicates that may become true, conditions taken one by one."""
    mapping = pack.mapping
    tables = (mapping.states, mapping.affordances, mapping.classes)
    possible = {a.predicate for table in tables for atoms in table.values() for a in atoms}
    possible |= {a.predicate for a in (*mapping.relations.values(), *mapping.parents.values())}
    possible |= {pack.at, mapping.robot_free.predicate, mapping.robot_held.predicate}
    steps: list[tuple[tuple[Atom, ...], tuple[Atom, ...]]]
    steps = [(rule.when, (rule.add,)) for rule in mapping.rules]
    steps += [(action.precondition, action.add) for action in pack.domain.actions.values()]
    grew = True
    while grew:
        before = len(possible)
        for conditions, added in steps:
            if all(c.predicate in possible for c in conditions):
                possible |= {a.predicate for a in added}
        grew = len(possible) > before
    return possible


def never_true(pack: Pack) -> dict[str, str]:
    """Return the predicates that no word, rule or action of a pack makes true, with a sentence for each."""
    possible, actions = _possible(pack), pack.domain.actions.values()
    added = {a.predicate for action in actions for a in action.add}
    messages: dict[str, str] = {}
    for name in (n for n in pack.domain.predicates if n not in possible and n not in added):
        users = [a.name for a in actions if any(c.predicate == name for c in a.precondition)]
        so = f", so {', '.join(users)} can never be done" if users else ""
        fact = Atom(name, tuple(Var(p.name) for p in pack.domain.predicates[name].parameters))
        messages[name] = f"{fact} is never true: no word of a scene, no rule and no action makes it so{so}"
    return messages


def _never_true(pack: Pack) -> Iterator[PackFinding]:
    for name, message in never_true(pack).items():
        yield PackFinding("never-true", _own(pack, "predicate", name), message)
    possible, actions = _possible(pack), pack.domain.actions.values()
    added = {a.predicate for action in actions for a in action.add}
    for action in actions:
        lacking = [c for c in action.precondition if c.predicate not in possible and c.predicate in added]
        if lacking:
            message = (
                f"{action.name} can never be done: what makes {lacking[0]} true can never be done either"
            )
            yield PackFinding("never-done", _own(pack, "action", action.name), message)


def _wrong_types(pack: Pack) -> Iterator[PackFinding]:
    domain = pack.domain
    for action in domain.actions.values():
        types = {p.name: p.type for p in action.parameters}
        for atom in (*action.precondition, *action.add, *action.delete):
            for term, parameter in zip(atom.args, domain.predicates[atom.predicate].parameters, strict=True):
                kind = types[term.name] if isinstance(term, Var) else parameter.type
                if domain.is_a(kind, parameter.type):
                    continue
                never = "" if comparable(kind, parameter.type, domain) else ", so it never holds"
                message = f"{action.name}: {term} of {atom} is of type {kind}, not {parameter.type}{never}"
                yield PackFinding("wrong-type", _own(pack, "action", action.name), message)


def _facts_of_the_parent(pack: Pack) -> Iterator[PackFinding]:
    tables = {
        "states": pack.mapping.states,
        "affordances": pack.mapping.affordances,
        "classes": pack.mapping.classes,
    }
    for table, words in tables.items():
        for word, atoms in words.items():
            for atom in atoms:
                if atom.args == (Var("y"),):
                    meant = Atom(atom.predicate, (Var("x"),))
                    message = (
                        f"{table}.{word}: {atom} is said of the parent; of the node itself it is {meant}"
                    )
                    yield PackFinding("fact-of-parent", mapping_place(pack, table, word), message)


def _groups(pack: Pack) -> Iterator[PackFinding]:
    for breach in pack.invariants.unshown:
        place = mapping_place(pack, "exclusive", breach.group) or _own(pack, "action", breach.action)
        yield PackFinding("not-exclusive", place, f"exclusive.{breach.group}: {breach}")


def _requirements(pack: Pack) -> Iterator[PackFinding]:
    for excess in pack.requirements.excess:
        place = mapping_place(pack, "requires", excess.predicate) or _own(pack, "action", excess.action)
        yield PackFinding("excess-requirement", place, f"requires.{excess.predicate}: {excess}")


def _parameters(pack: Pack) -> Iterator[PackFinding]:
    for action in pack.domain.actions.values():
        entry = pack.mapping_of(action.name)
        place = _own(pack, "action", action.name)
        bound = {a for c in action.precondition for a in c.args}
        free = [p for p in action.parameters if Var(p.name) not in bound and not entry.navigation]
        for parameter in free:
            message = (
                f"{action.name}: no condition names ?{parameter.name}, which may be any {parameter.type}"
            )
            yield PackFinding("unbound-parameter", place, message)
        if entry.step is None:
            continue
        for name in _unsaid(action, entry.step, pack):
            place = mapping_place(pack, "actions", action.name) or place
            message = (
                f"{action.name}: the step {_spelled(entry.step)} does not say ?{name}, and neither where the"
                " robot or a named thing is nor what is held tells it: print it"
            )
            yield PackFinding("unprinted-parameter", place, message)


def _unsaid(action: Action, step: Atom, pack: Pack) -> list[str]:
    """Return the parameters that the simulator cannot find from a printed step and the state."""
    printed = {a.name for a in step.args if isinstance(a, Var)}
    clear = set(printed)
    for atom in action.precondition:
        terms = [a.name for a in atom.args if isinstance(a, Var)]
        if atom.predicate in (pack.at, pack.mapping.robot_held.predicate):
            clear |= set(terms)
        elif atom.predicate in pack.locations and terms[0] in printed:
            clear.add(terms[1])
    return [p.name for p in action.parameters if p.name not in clear]


def _spelled(step: Atom) -> str:
    return f"{step.predicate}({', '.join(map(str, step.args))})"


def _way_back(pack: Pack) -> Iterator[PackFinding]:
    """Find actions that lead the robot to a thing that no action leads it away from."""
    things = [kind for node, kind in pack.mapping.types.items() if node == "object"]
    back = any(
        Atom(pack.at, link.args[:1]) in action.precondition and Atom(pack.at, link.args[1:]) in action.add
        for action in pack.manipulations
        for link in action.precondition
        if link.predicate in pack.locations
    )
    for action in pack.domain.actions.values():
        types = {p.name: p.type for p in action.parameters}
        for atom in action.add:
            if back or atom.predicate != pack.at or action.name == pack.navigation.name:
                continue
            kind = types[atom.args[0].name] if isinstance(atom.args[0], Var) else "object"
            if any(comparable(kind, thing, pack.domain) for thing in things):
                message = f"{action.name} leads the robot to a thing, and no action leads back to its place"
                yield PackFinding("no-way-back", _own(pack, "action", action.name), message)


def _driving(pack: Pack) -> Iterator[PackFinding]:
    """Find places of the robot at which driving cannot begin or end, by the types of its parameters."""
    drive = pack.navigation
    for node in PLACES:
        kind = pack.mapping.types.get(node)
        for parameter, way in zip(drive.parameters, ("from", "to"), strict=True):
            if kind is None or pack.domain.is_a(kind, parameter.type):
                continue
            message = (
                f"{drive.name}: ?{parameter.name} is of type {parameter.type}, so the robot never drives"
                f" {way} a node of type {node}"
            )
            place = _own(pack, "action", drive.name) or mapping_place(pack, "types", node)
            yield PackFinding("not-driven", place, message)


def _goals(pack: Pack) -> Iterator[PackFinding]:
    if not pack.public_predicates():
        place = mapping_place(pack, "goal") or f"{pack.where}/mapping.toml:1"
        yield PackFinding("no-goals", place, "goals may use no predicate: list some in [goal] predicates")
    for name in pack.mapping.words:
        if name not in pack.domain.predicates and name not in pack.mapping.derived:
            message = f"words.{name}: there is no such predicate"
            yield PackFinding("unknown-word", mapping_place(pack, "words", name), message)


def _words_of_scenes(
    pack: Pack, node_types: Collection[str], relations: Collection[str]
) -> Iterator[PackFinding]:
    for table, names, there in (
        ("types", pack.mapping.types, node_types),
        ("relations", pack.mapping.relations, relations),
    ):
        for name in names:
            if there and name not in there:
                message = f"{table}.{name}: no scene has it; there are {', '.join(there)}"
                yield PackFinding("unknown-word", mapping_place(pack, table, name), message)


RULES: tuple[Callable[[Pack], Iterator[PackFinding]], ...] = (
    _types_without_nodes,
    _never_true,
    _wrong_types,
    _facts_of_the_parent,
    _groups,
    _requirements,
    _parameters,
    _way_back,
    _driving,
    _goals,
)
