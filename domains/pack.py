"""Domain packs: a world's language as a PDDL domain, a mapping, and optionally a wording for readers.

The mapping says how nodes of a scene graph become facts, how actions are printed as steps and named as robot
skills, and which words say that a fact holds or fails. Code knows predicates of the household only through
its pack, so a pack of a user's own works without Python; a test sees to that. The loader checks that the
files fit. A pack may extend a built-in one: its files then hold only what it adds. Files, hash and checks
are handled here; a new table belongs into ``mapping``, a new PDDL construct into ``pddl``.
"""

from __future__ import annotations

import hashlib
import os.path
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from .action import Action, GroundAction
from .checks.induction import Invariants, show_invariants
from .checks.requirements import Requirements, bear_out
from .errors import PackError, clip, did_you_mean
from .files import parse_toml, read_text
from .formula import PASSING, Atom, GroundAtom, Var, step_atom
from .mapping import ROOM, ActionMapping, SceneMapping, extended, read_mapping
from .pddl import Domain, read_domain
from .wording import FILE as WORDING
from .wording import Wording, read_wording

BUILT_IN = (
    "household", "household-locks", "household-shut", "grasif", "grasif-looking", "search", "behavior",
    "virtualhome",
)  # fmt: skip
MAX_BYTES = 1024 * 1024
"""Largest file of a pack; the household's mapping has 12 kB."""


@dataclass(frozen=True)
class Pack:
    """A domain and its mapping, checked against each other; ``hash`` identifies both texts.

    ``language`` is the wording for readers, which changes no plan, or ``None`` where the pack has none.
    """

    name: str
    domain: Domain
    mapping: SceneMapping
    hash: str
    fluents: frozenset[str] = field(default_factory=frozenset)
    language: Wording | None = None
    where: str = field(default="", compare=False)
    """Folder of the pack, or the name of a built-in one."""
    mapping_text: str = field(default="", repr=False, compare=False)
    """Text of its own ``mapping.toml``, for the lines of findings."""

    @cached_property
    def invariants(self) -> Invariants:
        """Invariants that the pack's actions are shown to keep, and ``[exclusive]`` groups that are not."""
        return show_invariants(self.domain, self.mapping)

    @cached_property
    def requirements(self) -> Requirements:
        """Requirements of ``[requires]`` that all actions bear out, and those that would exclude plans."""
        return bear_out(self.domain, self.mapping)

    def never_applies(self, action: GroundAction) -> bool:
        """Return whether equal arguments keep an action from being done in any state of any scene.

        Either the pack wants different ones, or a condition would put a thing into itself.
        """
        if len(set(action.args)) == len(action.args):
            return False
        if not self.domain.actions[action.name].allows(action.args):
            return True
        if not self.invariants.contained:
            return False
        held = {a.args for a in action.precondition if a.predicate == self.mapping.robot_held.predicate}
        return any(
            (a.predicate in self.locations and len(set(a.args)) == 1)
            or (a.predicate == self.at and a.args in held)
            for a in action.precondition
        )

    # What follows is looked up for every action of every plan.

    @cached_property
    def navigation(self) -> Action:
        """The action schema that drives between places."""
        return next(self.domain.actions[n] for n, m in self.mapping.actions.items() if m.navigation)

    @cached_property
    def events(self) -> tuple[Action, ...]:
        """The schemas of events, in the order of the mapping."""
        return tuple(self.domain.actions[n] for n, m in self.mapping.actions.items() if m.event)

    @cached_property
    def adders(self) -> Mapping[str, Sequence[tuple[Action, Atom]]]:
        """The actions that add facts of a predicate, each with the fact as its schema has it."""
        return _by_predicate((a, e) for a in self.domain.actions.values() for e in a.add)

    @cached_property
    def deleters(self) -> Mapping[str, Sequence[tuple[Action, Atom]]]:
        """The actions that delete facts of a predicate; one that adds the same fact again leaves it true."""
        return _by_predicate((a, e) for a in self.domain.actions.values() for e in a.delete if e not in a.add)

    @cached_property
    def state_predicates(self) -> frozenset[str]:
        """The predicates that actions change or that words for states say, but for places and the robot."""
        mapping = self.mapping
        of_words = (a.predicate for atoms in mapping.states.values() for a in atoms)
        of_robot = (self.at, mapping.robot_held.predicate, mapping.robot_free.predicate)
        return self.fluents.union(of_words).difference(self.locations, of_robot)

    @cached_property
    def event_facts(self) -> frozenset[str]:
        """The predicates that events add."""
        return frozenset(a.predicate for e in self.events for a in e.add)

    @cached_property
    def event_triggers(self) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
        """For each event the predicates of its conditions and of its effects.

        It happens only after facts of the former came true or facts of the latter became false.
        """
        return tuple(
            (frozenset(a.predicate for a in e.precondition), frozenset(a.predicate for a in e.add))
            for e in self.events
        )

    @cached_property
    def at(self) -> str:
        """The predicate of the robot's position in the initial state and in actions."""
        return self.mapping.robot_position.predicate

    @cached_property
    def standing(self) -> str:
        """The predicate by which a goal says where the robot is: the derived one, if the pack has one."""
        return next((p for p, meaning in self.mapping.derived.items() if meaning == self.at), self.at)

    @cached_property
    def locations(self) -> tuple[str, ...]:
        """The predicates of a thing and what it is in or on, in the order of the mapping."""
        pairs = (r.predicate for r in self.mapping.relations.values() if len(r.args) == 2)
        return tuple(dict.fromkeys(pairs))

    @cached_property
    def unsaid(self) -> tuple[str, ...]:
        """The predicates of changing facts that no word, relation or rule of a scene can say, sorted."""
        mapping = self.mapping
        told_by = [a for atoms in mapping.states.values() for a in atoms]
        told_by += [*mapping.relations.values(), *(rule.add for rule in mapping.rules)]
        told_by += [mapping.robot_position, mapping.robot_free, mapping.robot_held]
        return tuple(sorted(self.fluents - {a.predicate for a in told_by}))

    @cached_property
    def unlimited_capacity(self) -> bool:
        """True if every place takes any number of things: moving them changes nothing else."""
        relations = frozenset(self.locations)
        moved = {*relations, self.mapping.robot_free.predicate, self.mapping.robot_held.predicate}
        touched = ({a.predicate for a in (*x.add, *x.delete)} for x in self.domain.actions.values())
        return all(t.isdisjoint(relations) or t <= moved for t in touched)

    @cached_property
    def manipulations(self) -> tuple[Action, ...]:
        """The actions that print a step, in the order of the mapping."""
        return tuple(self.domain.actions[n] for n, m in self.mapping.actions.items() if m.step is not None)

    def words(self, predicate: str, args: tuple[str, ...], holds: bool) -> str:
        """Say in English that a fact holds or fails."""
        pair = self.mapping.words.get(predicate)
        if pair is None:
            said = " ".join([predicate.replace("_", " "), *args])
            return said if holds else f"{Atom(predicate, args)} does not hold"
        text = pair[0] if holds else pair[1]
        return filled(text, {str(index): name for index, name in enumerate(args)})

    def mapping_of(self, action: str) -> ActionMapping:
        return self.mapping.actions[action]

    def printed(self, action: str, args: Sequence[str]) -> GroundAtom | None:
        """Return the printed step of an action, as an atom of ``step_atom``; ``None`` for one without."""
        step = self.mapping_of(action).step
        if step is None:
            return None
        parameters = (p.name for p in self.domain.actions[action].parameters)
        names = dict(zip(parameters, args, strict=True))
        args = tuple(names[a.name] if isinstance(a, Var) else a for a in step.args)
        return step_atom(step.predicate, args)

    def public_predicates(self) -> dict[str, int]:
        """Return name and arity of every predicate that a goal may use."""
        return public_predicates(self.domain, self.mapping)


def only_by(actions: Iterable[Action], pack: Pack) -> str:
    """Say which actions alone make something so, by their printed steps: "only wash and wipe make it so"."""
    steps = ((action.name, pack.mapping_of(action.name).step) for action in actions)
    words = ((step.predicate if step is not None else name).replace("_", " ") for name, step in steps)
    named = list(dict.fromkeys(words))
    makes = "makes it so" if len(named) == 1 else "make it so"
    return f"only {' and '.join(filter(None, [', '.join(named[:-1]), named[-1]]))} {makes}"


def _by_predicate(effects: Iterable[tuple[Action, Atom]]) -> dict[str, list[tuple[Action, Atom]]]:
    table: dict[str, list[tuple[Action, Atom]]] = {}
    for action, effect in effects:
        table.setdefault(effect.predicate, []).append((action, effect))
    return table


def filled(text: str, names: Mapping[str, str]) -> str:
    """Fill ``{hole}`` in a text in one pass: names come from scene files and may hold braces themselves."""
    return re.sub(r"\{([^{}]+)\}", lambda hole: names.get(hole[1], hole[0]), text)


def public_predicates(domain: Domain, mapping: SceneMapping) -> dict[str, int]:
    """Return name and arity of every predicate that a goal may use."""
    arity = {p: domain.predicates[p].arity for p in mapping.goal_predicates}
    arity |= {p: 2 if meaning == ROOM else 1 for p, meaning in mapping.derived.items()}
    return dict(sorted(arity.items()))


def load_pack(name_or_path: str = "household", variant: str | None = None) -> Pack:
    """Load a built-in pack by name, or the folder that holds ``mapping.toml``.

    ``variant`` names one of the pack's ``[variants]``, which add preconditions to its actions. Costs of
    actions are in millimetres of driving. Raises :class:`PackError` with file and place, or the nearest name.

    >>> from groundplan import load_pack
    >>> pack = load_pack("household", variant="one-handed")
    >>> print(*(event.name for event in pack.events))
    heat heat_on_top chill wash brew wipe
    >>> pack.words("inside_of", ("mug1", "sink"), False)
    'mug1 is not inside sink'
    """
    if name_or_path in BUILT_IN:
        return _built_in(name_or_path, variant)
    folder = Path(name_or_path)
    if not os.path.isdir(folder):  # which answers for names that are too long as well
        hint = did_you_mean(name_or_path, BUILT_IN) or f"built in: {', '.join(BUILT_IN)}"
        raise PackError(clip(name_or_path), "a built-in pack or a folder with mapping.toml", "neither", hint)
    return _load(folder, str(folder), variant)


def template_texts() -> dict[str, str]:
    """Return the files of a small pack to begin one's own with, and of a scene for it, by name."""
    folder = files(__package__).joinpath("template")
    names = ("domain.pddl", "mapping.toml", WORDING, "scene.json")
    return {name: folder.joinpath(name).read_text(encoding="utf-8") for name in names}


@cache
def _built_in(name: str, variant: str | None) -> Pack:
    return _load(files(__package__).joinpath(name), name, variant)


def _read(folder: Traversable, name: str, where: str) -> str:
    if Path(name).name != name:
        raise PackError(where, "a file name without folders", clip(name))
    file = folder.joinpath(name)
    if isinstance(file, Path):
        return read_text(file, MAX_BYTES, PackError)
    return file.read_text(encoding="utf-8")  # of a built-in pack, where the package itself is an archive


@dataclass(frozen=True, slots=True)
class _Source:
    """A pack's tables, domain and wording, joined with those it extends, and the texts that are hashed."""

    raw: Mapping[str, object]
    domain: Domain
    texts: tuple[str, ...]
    wording: tuple[tuple[str, str], ...]


def _source(folder: Traversable, where: str) -> _Source:
    text = _read(folder, "mapping.toml", where)
    raw = parse_toml(text, f"{where}/mapping.toml", PackError)
    domain_file = str(raw.get("domain", "domain.pddl"))
    domain_text = _read(folder, domain_file, where)
    worded = folder.joinpath(WORDING)
    there = worded.exists() if isinstance(worded, Path) else worded.is_file()
    wording = ((f"{where}/{WORDING}", _read(folder, WORDING, where)),) if there else ()
    base = raw.get("extends")
    if base is None:
        domain = read_domain(domain_text, f"{where}/{domain_file}")
        return _Source(raw, domain, (text, domain_text), wording)
    # A folder could lead to itself; a built-in pack extends only those before it.
    bases = BUILT_IN[: BUILT_IN.index(where)] if where in BUILT_IN else BUILT_IN
    if not isinstance(base, str) or base not in bases:
        hint = did_you_mean(base, bases) if isinstance(base, str) else ""
        raise PackError(
            f"{where}/mapping.toml: extends", f"a built-in pack ({', '.join(bases)})", clip(base), hint
        )
    above = _source(files(__package__).joinpath(base), base)
    domain = read_domain(domain_text, f"{where}/{domain_file}", above.domain)
    texts = (text, domain_text, *above.texts)
    return _Source(extended(above.raw, raw), domain, texts, above.wording + wording)


def _load(folder: Traversable, where: str, variant: str | None) -> Pack:
    source = _source(folder, where)
    mapping = read_mapping(source.raw, source.domain, f"{where}/mapping.toml")
    domain = _with_conditions(source.domain, mapping.conditions)
    if variant is not None:
        if variant not in mapping.variants:
            hint = did_you_mean(variant, mapping.variants)
            raise PackError(where, "a variant of the pack", clip(variant), hint)
        domain = _with_conditions(domain, mapping.variants[variant])
    if mapping.distinct_arguments:
        domain = replace(domain, actions={n: replace(a, distinct=True) for n, a in domain.actions.items()})
    _check_events(domain, mapping, where)
    digest = hashlib.sha256("\0".join([*source.texts, variant or ""]).encode()).hexdigest()
    language = read_wording(source.wording, public_predicates(domain, mapping))
    name = str(source.raw.get("name", where))
    return Pack(name, domain, mapping, digest, domain.fluents(), language, where, source.texts[0])


def _with_conditions(domain: Domain, conditions: Mapping[str, tuple[Atom, ...]]) -> Domain:
    actions = dict(domain.actions)
    for action, extra in conditions.items():
        actions[action] = replace(actions[action], precondition=actions[action].precondition + extra)
    return replace(domain, actions=actions)


def _check_events(domain: Domain, mapping: SceneMapping, where: str) -> None:
    """Check that events only add facts: then their order cannot matter and skipping one cannot help."""
    for name, entry in mapping.actions.items():
        action = domain.actions[name]
        if entry.event and action.delete:
            hint = "let it add an achievement instead (hot: has been heated)"
            raise PackError(f"{where}: event {name}", "only added facts", str(action.delete[0]), hint)
        bound = {term for a in action.precondition for term in a.args}
        free = [p for p in action.parameters if Var(p.name) not in bound]
        if entry.event and free:
            hint = "it would happen to everything of that type"
            raise PackError(f"{where}: event {name}", "a condition on each parameter", str(free[0]), hint)
        if entry.event and action.cost != 0:
            raise PackError(f"{where}: event {name}", "no cost", str(action.cost))
    if sum(m.navigation for m in mapping.actions.values()) != 1:
        raise PackError(where, "exactly one action with navigation = true", "none or several")
    for name, entry in mapping.actions.items():
        if domain.actions[name].cost is None and not entry.navigation:
            hint = "only the driving action costs the length of a route"
            at = _place(domain.actions[name], domain, where)
            raise PackError(at, f"a cost in whole millimetres for {name}", "(distance ...)", hint)
    _check_navigation(domain, mapping, where)
    _check_standing(domain, mapping, where)


def _place(action: Action, domain: Domain, where: str) -> str:
    return domain.place("action", action.name) or f"{where}: action {action.name}"


def _check_navigation(domain: Domain, mapping: SceneMapping, where: str) -> None:
    """Check that driving does nothing but drive: plans are driven anew, by shortest routes."""
    action = next(domain.actions[n] for n, m in mapping.actions.items() if m.navigation)
    names = [Var(p.name) for p in action.parameters]
    at = mapping.robot_position.predicate
    if len(names) != 2:
        raise PackError(f"{where}: action {action.name}", "two places, from and to", str(len(names)))
    source, target = (Atom(at, (n,)) for n in names)
    if action.precondition != (source,):
        got = " ".join(map(str, action.precondition)) or "none"
        hint = "nothing else may be asked of driving: give the condition to other actions"
        raise PackError(f"{where}: condition of {action.name}", f"only {source}", clip(got), hint)
    if (action.add, action.delete, action.cost) != ((target,), (source,), None):
        got = " ".join([*map(str, action.add), *(f"(not {a})" for a in action.delete)])
        hint = "driving changes nothing else, and costs the length of the route"
        raise PackError(f"{where}: effect of {action.name}", f"{target} (not {source})", clip(got), hint)


def _check_standing(domain: Domain, mapping: SceneMapping, where: str) -> None:
    """Check that every action leaves the robot at just one place: routes and steps begin where it stands."""
    at = mapping.robot_position.predicate
    for action in domain.actions.values():
        come = tuple(dict.fromkeys(a for a in action.add if a.predicate == at))
        gone = [a for a in action.delete if a.predicate == at]
        left = [a for a in gone if a in action.precondition]
        stays = any(a in action.precondition for a in come)
        if (left or stays) if len(come) == 1 else not come and not gone:
            continue
        if not come:
            got = f"(not {gone[0]}) and no place instead"
        elif len(come) > 1:
            got = " ".join(map(str, come))
        else:
            got = f"{come[0]}, and the place before is kept"
        hint = f"let it need and delete the place before, ({at} ?a), and add one other, ({at} ?b)"
        expected = f"the robot at one place after {action.name}"
        raise PackError(_place(action, domain, where), expected, clip(got), hint)


def driving_steps(pack: Pack) -> tuple[str, ...]:
    """Return the names of printed steps that are part of driving."""
    return ("access", pack.mapping.room_step)


def forbidden_steps(pack: Pack) -> dict[tuple[str, int], None]:
    """Return the printed steps that a goal may forbid, each with the number of its arguments."""
    printed = (pack.mapping_of(action.name).step for action in pack.manipulations)
    steps = ((one.predicate, len(one.args)) for one in printed if one is not None)
    return dict.fromkeys(((PASSING, 2), *(one for one in steps if one[0] not in driving_steps(pack))))
