"""Laws of a scene: proved of every state that it can be brought to, and the background of all comparisons.

A fact that actions cannot make true, or not undo, has one value. Of a group that the pack's actions are shown
to keep (``Belief.invariants``) one fact at most holds. One always does where the group is about one thing or
the robot, one holds now, and every action that takes one away brings another. An event's effect holds where
its condition does. A law may be added if it holds in every state that plans can reach; nothing is taken from
a pack's tables that is not shown of its actions.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from ...domains.action import Action, ground_all, ground_atom, unify
from ...domains.checks.induction import about_robot, whereabouts
from ...domains.deadline import check_time
from ...domains.formula import Atom, GroundAtom, Var
from ...domains.pddl import Domain
from ...simulator.belief import Belief
from ...simulator.facts import Facts, match
from ..attainable import Attainable, fits

ROBOT = ""
"""The subject of a group that is about the robot; no node has an empty name."""
Names = dict[str, str]


@dataclass(frozen=True, slots=True)
class ExclusiveFacts:
    """A proved group: predicates about the robot, and about the thing that is their first argument."""

    shared: tuple[str, ...]
    own: tuple[str, ...]
    lasting: bool
    """True if every action that takes one of its facts away brings another about the same."""

    def subject(self, atom: GroundAtom) -> str:
        return ROBOT if atom.predicate in self.shared else atom.args[0]

    def true(self, subject: str, facts: Facts) -> tuple[GroundAtom, ...]:
        """Return the facts of the group about a subject that are true."""
        if subject == ROBOT:
            return tuple(Atom(p, args) for p in self.shared for args in facts.all(p))
        return tuple(Atom(p, args) for p in self.own for args in facts.with_argument(p, 0, subject))


def _exclusive(patterns: tuple[Atom, ...], lasting: bool, domain: Domain) -> ExclusiveFacts:
    shared = sorted({p.predicate for p in patterns if about_robot(p)})
    own = sorted({p.predicate for p in patterns}.difference(shared))
    lasting = not (shared and own) and (lasting or _is_lasting({*shared, *own}, bool(own), domain))
    return ExclusiveFacts(tuple(shared), tuple(own), lasting)


def _is_lasting(predicates: set[str], by_thing: bool, domain: Domain) -> bool:
    for action in domain.actions.values():
        added = {a.args[:1] if by_thing else () for a in action.add if a.predicate in predicates}
        gone = (d for d in action.delete if d.predicate in predicates)
        if any((d.args[:1] if by_thing else ()) not in added for d in gone):
            return False
    return True


class Laws:
    """The laws of one belief, each looked up when it is needed, and kept."""

    def __init__(self, belief: Belief) -> None:
        self.belief, self.pack = belief, belief.pack
        self.attainable = Attainable(belief, belief.facts)
        self.value, self.things = cache(self._value), cache(self._things)
        self.members, self.effects = cache(self._members), cache(self._effects)

    def _value(self, atom: GroundAtom) -> bool | None:
        """Return the value that a fact has in every state, ``None`` where it has none of its own."""
        check_time("comparing goals")
        true = self.belief.facts.holds(atom.predicate, atom.args)
        if atom.predicate not in self.pack.fluents:
            return true
        if true:
            return None if self._may_be_undone(atom) else True
        inside_itself = atom.predicate in self.pack.locations and len(set(atom.args)) == 1
        if inside_itself and self.belief.invariants.contained:
            return False
        return None if self.attainable.reachable(atom) else False

    def _may_be_undone(self, atom: GroundAtom) -> bool:
        ways = ((a, unify(effect, atom)) for a, effect in self.pack.deleters.get(atom.predicate, ()))
        return any(binding is not None and self.attainable.applies(a, binding) for a, binding in ways)

    def grows(self, predicate: str) -> bool:
        """Return whether nothing takes a fact of a predicate away."""
        return not self.pack.deleters.get(predicate)

    def _things(self, type_name: str) -> tuple[str, ...]:
        """Return the nodes of a PDDL type, fixed ones first."""
        nodes = self.belief.scene.nodes
        fitting = (n for n in nodes if self.belief.has_type(n, type_name))
        return tuple(sorted(fitting, key=lambda n: nodes[n].type == "object"))

    # Groups

    @cached_property
    def groups(self) -> tuple[ExclusiveFacts, ...]:
        shown = self.belief.invariants
        patterns = [(group, False) for group in shown.groups.values()]
        thing, robot = whereabouts(self.pack.mapping).values()
        if shown.once:
            patterns.append((thing, shown.placed))
        if shown.contained:
            patterns.append((robot, shown.stays))
        merged: dict[tuple[tuple[str, ...], tuple[str, ...]], ExclusiveFacts] = {}
        for group, lasting in patterns:
            facts = _exclusive(group, lasting, self.pack.domain)
            before = merged.get((facts.shared, facts.own))
            if before is None or facts.lasting:
                merged[facts.shared, facts.own] = facts
        return tuple(merged.values())

    def groups_of(self, predicate: str) -> Iterator[ExclusiveFacts]:
        return (g for g in self.groups if predicate in g.shared or predicate in g.own)

    def holding_now(self, group: ExclusiveFacts, subject: str) -> tuple[GroundAtom, ...]:
        """Return the facts of a group about a subject that hold at the start."""
        return group.true(subject, self.belief.facts)

    def never_empty(self, group: ExclusiveFacts, subject: str) -> bool:
        """Return whether some fact of a group about a subject holds in every state."""
        return group.lasting and bool(self.holding_now(group, subject))

    def _members(self, group: ExclusiveFacts, subject: str) -> tuple[GroundAtom, ...]:
        """Return the facts of a group about a subject that may hold, those of the start first."""
        first = self.holding_now(group, subject)
        more: list[GroundAtom] = []
        for predicate in group.shared if subject == ROBOT else group.own:
            parameters = self.pack.domain.predicates[predicate].parameters
            choices = [self.things(p.type) for p in parameters]
            if subject != ROBOT:
                choices[0] = (subject,)
            atoms = (Atom(predicate, args) for args in itertools.product(*choices))
            more += (a for a in atoms if a not in first and self.value(a) is not False)
        return (*first, *more)

    # Events

    def _bound_events(self, atoms: Sequence[Atom], atom: GroundAtom, event: Action) -> Iterator[Names]:
        """Yield an event's parameters where one of some atoms is a fact, as far as static facts bind them."""
        static = [c for c in event.precondition if c.predicate not in self.pack.fluents]
        for one in atoms:
            if (binding := unify(one, atom)) is not None:
                yield from match(static, self.belief.facts, binding)

    def _completed(self, bound: Names, names: Iterable[str], event: Action) -> Iterator[Names]:
        """Yield a binding with every choice of some more of an event's parameters."""
        kinds = {p.name: p.type for p in event.parameters}
        free = [name for name in names if name not in bound]
        for things in itertools.product(*(self.things(kinds[name]) for name in free)):
            yield {**bound, **dict(zip(free, things, strict=True))}

    def causes(self, atom: GroundAtom) -> Iterator[tuple[GroundAtom, ...]]:
        """Yield the conditions under which an event makes a fact true, without those that always hold."""
        for event in self.pack.events:
            names = [p.name for p in event.parameters]
            for bound in self._bound_events(event.add, atom, event):
                for whole in self._completed(bound, names, event):
                    if not fits(event, whole, self.belief) or not event.allows([whole[n] for n in names]):
                        continue
                    needs = ground_all(event.precondition, whole)
                    values = [self.value(c) for c in needs]
                    if False not in values:
                        yield tuple(c for c, v in zip(needs, values, strict=True) if v is None)

    def _effects(self, atom: GroundAtom) -> tuple[GroundAtom, ...]:
        """Return the facts that an event may make true where a fact is among its conditions."""
        made: dict[GroundAtom, None] = {}
        for event in self.pack.events:
            for bound in self._bound_events(event.precondition, atom, event):
                for effect in event.add:
                    names = [a.name for a in effect.args if isinstance(a, Var)]
                    ways = self._completed(bound, names, event)
                    made |= dict.fromkeys(ground_atom(effect, whole) for whole in ways)
        return tuple(made)

    # Places

    @cached_property
    def places_shown(self) -> str:
        """Reason why a thing's room, and the robot's place at a thing, follow from no facts; or nothing."""
        shown = self.belief.invariants
        if not shown.once:
            return f"the pack {self.pack.name} is not shown to keep each thing in one place"
        if not shown.contained:
            return f"the pack {self.pack.name} is not shown to keep things out of themselves"
        return ""

    @cached_property
    def robot_shown(self) -> str:
        """Reason why the robot's place follows from no facts; or nothing."""
        at = self.pack.at
        one = [g for g in self.groups_of(at) if at in g.shared]
        if not one or not any(self.never_empty(g, ROBOT) and g.shared == (at,) for g in one):
            return f"the pack {self.pack.name} is not shown to keep the robot in one place"
        return ""

    @cached_property
    def stood_at(self) -> tuple[str, ...]:
        """The movable things at which the robot may come to stand."""
        things = self.belief.scene.by_type.get("object", ())
        return tuple(n for n in things if self.value(Atom(self.pack.at, (n,))) is not False)
