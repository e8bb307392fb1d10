"""Exclusive groups shown to be invariants: what a pack's ``[exclusive]`` table says, proved from its actions.

Lifted simultaneous induction: suppose that all groups hold in a state. An action that adds a member must then
delete every other, or have a precondition that excludes it by some group; equal arguments included. What
fails is taken away and the rest is shown again, until all that is left is shown together. An initial state
has to be checked for each scene. Schemas of more kinds may be covered; a group must never be shown that some
plan can break, because checks and proofs of unsolvability rest on it.

The form of such groups is that of Helmert (2009), "Concise finite-domain representations for PDDL planning
tasks", section 5; there candidates are guessed, here a pack declares them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from ..formula import Atom, Term, Var
from ..mapping import SceneMapping
from ..pddl import Domain
from .containment import keeps_containment, keeps_in_place, keeps_standing, only_relations_say_where
from .instances import Instance, comparable, instances

MAX_OBJECTS = 4
"""Most objects of a state that is shown as an example."""

Groups = Mapping[str, tuple[Atom, ...]]

_PLACE, _ROBOT = " place", " robot"
_OTHER = " other"  # spaces: no parameter can be called so


@dataclass(frozen=True, slots=True)
class Unshown:
    """A group that is not shown to be exclusive: ``action`` adds ``added`` while ``other`` may hold.

    ``state`` is a smallest set of facts in which the action can be done and breaks the group, with the type
    of each of its ``objects``; both are empty where that takes more than four objects, or a thing in itself.
    """

    group: str
    action: str
    added: Atom | None
    other: Atom | None
    state: tuple[Atom, ...] = ()
    objects: tuple[tuple[str, str], ...] = ()

    @property
    def size(self) -> int:
        """Number of objects of the state, more than four where it is left out."""
        return len(self.objects) if self.state or self.objects else MAX_OBJECTS + 1

    def __str__(self) -> str:
        if self.added is None or self.other is None:
            return f"not shown to be exclusive: {self.action} has too many parameters to try them all"
        text = f"not shown to be exclusive: {self.action} adds {self.added} while {self.other} may hold"
        if not self.state:
            return text
        things = ", ".join(f"{name} - {kind}" for name, kind in self.objects)
        return f"{text}, for instance with {things} and {' '.join(map(str, self.state))}"


@dataclass(frozen=True, slots=True)
class Invariants:
    """Invariants that a pack's actions keep: they hold in every state if they hold in the first.

    ``contained`` says that nothing is ever in or on itself, through others or not, that the robot never
    stands at what it holds, and that no thing is in two places; ``placed`` that each thing is moreover always
    in some place or held, ``stays`` that the robot is always at one. ``once`` says by itself that no thing is
    in two places, or in one and held. All are true at the start of any scene in which the groups of
    :func:`whereabouts` hold, which ``Belief.invariants`` looks at.
    """

    groups: Groups
    unshown: tuple[Unshown, ...]
    contained: bool
    placed: bool
    stays: bool
    once: bool


def excludes(patterns: tuple[Atom, ...], first: Atom, second: Atom) -> bool:
    """Return whether a group lets at most one of two different facts hold.

    A pattern's first argument is the thing that it is about; one without arguments, or with ``*``, is about
    the robot, and excludes every other fact of its group.
    """
    if first == second:
        return False
    one = next((p for p in patterns if p.predicate == first.predicate), None)
    two = next((p for p in patterns if p.predicate == second.predicate), None)
    if one is None or two is None:
        return False
    return about_robot(one) or about_robot(two) or first.args[0] == second.args[0]


def about_robot(pattern: Atom) -> bool:
    return not pattern.args or "*" in pattern.args


def keeps_one(patterns: tuple[Atom, ...], domain: Domain) -> bool:
    """Return whether an action that ends a fact of a thing in a group begins another one of the same thing.

    Then exactly one of them holds for ever where the group is shown and one holds at the start.
    """
    names = {p.predicate for p in patterns}
    if any(len(p.args) != 1 or about_robot(p) for p in patterns):
        return False
    return all(
        any(added.predicate in names and added.args == ended.args for added in action.add)
        for action in domain.actions.values()
        for ended in action.delete
        if ended.predicate in names
    )


def whereabouts(mapping: SceneMapping) -> Groups:
    """Return the groups by which each thing is in one place or held, and the robot in one place."""
    x, y = Var("x"), Var("y")
    places = [Atom(r.predicate, (x, y)) for r in mapping.relations.values() if len(r.args) == 2]
    return {
        _PLACE: (*places, Atom(mapping.robot_held.predicate, (x,))),
        _ROBOT: (Atom(mapping.robot_position.predicate, ("*",)),),
    }


def show_invariants(domain: Domain, mapping: SceneMapping, placed_once: bool = True) -> Invariants:
    """Return the groups that the actions keep, and the reason for each of the others.

    ``placed_once`` says whether :func:`whereabouts` hold at the start; else containment is no invariant.

    Containment is shown first and by itself, since it is true of every scene at the start: the groups may
    rest on it, and it must not rest on groups that a scene breaks.
    """
    where: Groups = {}
    contained = placed_once and only_relations_say_where(mapping)
    if contained:
        where, _, contained = _shown(whereabouts(mapping), True, domain, mapping)
    groups, unshown, _ = _shown({**where, **mapping.exclusive}, contained, domain, mapping)
    shown = {n: g for n, g in groups.items() if n in mapping.exclusive}
    reports = tuple(unshown[n] for n in mapping.exclusive if n in unshown)
    placed = contained and _always_placed(where, domain, mapping)
    stays = contained and keeps_standing(domain, mapping)
    return Invariants(shown, reports, contained, placed, stays, _PLACE in where)


def _always_placed(where: Groups, domain: Domain, mapping: SceneMapping) -> bool:
    """Return whether each thing is in some place at the start and wherever actions lead."""
    held = mapping.robot_held.predicate
    if any(len(r.args) == 1 and r.predicate != held for r in mapping.relations.values()):
        return False
    search = _Induction(domain, mapping, where, True)
    ways = [way for action in domain.actions.values() for way in instances(action, domain) or ()]
    return all(keeps_in_place(way, mapping, search.excluded) for way in ways if search.applicable(way))


def _shown(
    candidates: Groups, contained: bool, domain: Domain, mapping: SceneMapping
) -> tuple[dict[str, tuple[Atom, ...]], dict[str, Unshown], bool]:
    """Return the candidates that can be shown together, why not the others, and containment."""
    groups = dict(candidates)
    unshown: dict[str, Unshown] = {}
    todo: dict[str, list[Instance]] = {}
    for action in domain.actions.values():
        ways = instances(action, domain)
        if ways is None:
            touched = {a.predicate for a in action.add}
            for name in [n for n, g in groups.items() if any(p.predicate in touched for p in g)]:
                del groups[name]
                unshown[name] = Unshown(name, action.name, None, None)
            contained = False
        todo[action.name] = ways or []
    while True:
        search = _Induction(domain, mapping, groups, contained)
        search.run(todo)
        kept = contained and _PLACE in groups and _ROBOT in groups and not search.loose
        if not search.breaches and kept == contained:
            return groups, unshown, contained
        contained = kept
        for name, breach in search.breaches.items():
            del groups[name]
            unshown[name] = breach


class _Induction:
    """One round: what some actions break, supposing that all groups hold before."""

    def __init__(self, domain: Domain, mapping: SceneMapping, groups: Groups, contained: bool) -> None:
        self.domain, self.mapping, self.groups, self.contained = domain, mapping, groups, contained
        self.breaches: dict[str, Unshown] = {}
        self.loose = False
        """True if some action may put a thing into itself or take the robot along with what it holds."""
        self.relations = {r.predicate for r in mapping.relations.values()}
        # By predicate, the groups that it is in, and whether its pattern there is about the robot.
        self.roles: dict[str, dict[str, bool]] = {}
        for name, patterns in groups.items():
            for pattern in patterns:
                self.roles.setdefault(pattern.predicate, {}).setdefault(name, about_robot(pattern))

    def run(self, todo: Mapping[str, list[Instance]]) -> None:
        """Try all instances, and note what they break."""
        for ways in todo.values():
            for instance in ways:
                if not self.applicable(instance):
                    continue
                for name, patterns in self.groups.items():
                    for breach in self.breaks(name, patterns, instance):
                        before = self.breaches.get(name)
                        if before is None or breach.size < before.size:
                            self.breaches[name] = breach
                if self.contained and not keeps_containment(instance, self.domain, self.mapping):
                    self.loose = True

    def applicable(self, instance: Instance) -> bool:
        """Return whether no two preconditions exclude each other."""
        pre = instance.precondition
        if self.contained and any(self.never(a, pre) for a in pre):
            return False
        return not any(self.excluded(a, pre) for a in pre)

    def never(self, atom: Atom, others: tuple[Atom, ...]) -> bool:
        """Return whether a fact cannot hold with others, as nothing is in itself or held where one stands."""
        if atom.predicate in self.relations and len(atom.args) == 2 and len(set(atom.args)) == 1:
            return True
        standing = Atom(self.mapping.robot_position.predicate, atom.args)
        return atom.predicate == self.mapping.robot_held.predicate and standing in others

    def excluded(self, atom: Atom, true: tuple[Atom, ...]) -> bool:
        """Return whether some group lets a fact not hold beside others: `excludes` for all groups at once."""
        own = self.roles.get(atom.predicate)
        if own is None:
            return False
        for fact in true:
            if fact == atom:
                continue
            other = self.roles.get(fact.predicate, {})
            for group, robot in own.items():
                if group in other and (robot or other[group] or fact.args[0] == atom.args[0]):
                    return True
        return False

    def breaks(self, name: str, patterns: tuple[Atom, ...], instance: Instance) -> Iterator[Unshown]:
        """Yield the ways in which an action may leave two facts of a group true."""
        for added in instance.add:
            own = next((p for p in patterns if p.predicate == added.predicate), None)
            if own is None:
                continue
            for pattern in patterns:
                for other in self.members(pattern, added, own, instance):
                    if other == added or other in instance.delete:
                        continue
                    together = other in instance.add
                    if together or not self.excluded(other, instance.precondition):
                        yield self.reported(name, instance, added, other, together)

    def members(self, pattern: Atom, added: Atom, own: Atom, instance: Instance) -> Iterator[Atom]:
        """Yield the facts of a pattern that the group allows only one of with an added fact.

        Arguments that are not the thing's are any symbol of the action, or any other object.
        """
        parameters = self.domain.predicates[pattern.predicate].parameters
        choices: list[list[str]] = []
        for position, parameter in enumerate(parameters):
            fitting = [s for s, t in instance.symbols.items() if comparable(t, parameter.type, self.domain)]
            choices.append([*fitting, f"?{_OTHER}{position + 1}"])
        if not about_robot(pattern) and not about_robot(own):
            choices[0] = [symbol for symbol in choices[0] if symbol == added.args[0]]
        for args in product(*choices):
            yield Atom(pattern.predicate, args)

    def reported(self, group: str, instance: Instance, added: Atom, other: Atom, together: bool) -> Unshown:
        facts = instance.precondition if together else (*instance.precondition, other)
        state = tuple(dict.fromkeys(facts))
        types = dict(instance.symbols)
        for atom in (added, other):
            for argument, parameter in zip(
                atom.args, self.domain.predicates[atom.predicate].parameters, strict=True
            ):
                types.setdefault(str(argument), parameter.type)
        names = {symbol: _readable(symbol, types) for symbol in types}
        variables = {symbol: Var(name) for symbol, name in names.items()}
        breach = Unshown(group, instance.name, _renamed(added, variables), _renamed(other, variables))
        # No scene has a thing in itself: a state with one explains nothing, even where it is not excluded.
        if len(types) > MAX_OBJECTS or any(self.never(a, state) for a in state):
            return breach
        example = tuple(_renamed(a, names) for a in state)
        return replace(breach, state=example, objects=tuple((names[s], t) for s, t in types.items()))


def _readable(symbol: str, taken: Iterable[str]) -> str:
    """Return a name for a symbol that no parameter of the action has."""
    name = symbol.removeprefix("?").strip()
    while symbol.startswith(f"?{_OTHER}") and f"?{name}" in taken:
        name = f"an{name}"
    return name


def _renamed(atom: Atom, terms: Mapping[str, Term]) -> Atom:
    return Atom(atom.predicate, tuple(terms[str(a)] for a in atom.args))
