"""Bindings of actions: free parameters bound by static facts, current facts and facts that are relevant.

The most selective condition binds first. Where many objects would serve, the nearest few do. The narrow
closure looks at a literal again when a fact comes up that may bind its achievers further. The wide one goes
on from where a fact bound an action instead, for each further fact once.

A thing is put down at the nearest place, or at one that is relevant already. Driving between the places of a
room costs nothing, so that one of each room is enough, where no more is asked for than that the robot is
there. Where more is (a door that is open, a place that is vacant), one place may have it and another not.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import nsmallest

from ...domains.action import Action, bind, bound_args, extend
from ...domains.deadline import check_time
from ...domains.formula import Atom, GroundAtom, Var
from ...simulator.belief import Belief
from ...simulator.facts import Args, Facts
from ..placement import fixed_place
from .completeness import Completeness

WORK = "finding what the goal depends on"
FAR = float("inf")

Binding = dict[str, str]
Target = tuple[GroundAtom, bool]
"""A literal that an action is to make true."""
PartialBinding = tuple[Action, tuple[tuple[str, str], ...], Atom, Target]
"""An action bound in part, the condition whose facts bind it further, and its target."""


class DrivingDistances:
    """Millimetres to drive in one state; where a thing is, is looked up once."""

    def __init__(self, belief: Belief, now: Facts) -> None:
        self.belief, self.now = belief, now
        self.start = now.all(belief.pack.at)[0][0]
        """The place of the robot."""
        self._anchors: dict[str, str | None] = {}

    def anchor(self, name: str) -> str | None:
        """Return the room or pose around a thing now; ``None`` for what is in no room."""
        if name not in self._anchors:
            place = fixed_place(name, self.belief, self.now)
            self._anchors[name] = None if place is None else self.belief.routes.anchor_of(place)
        return self._anchors[name]

    def from_thing(self, centre: str) -> Callable[[str], float]:
        """Return the function from a thing to its distance from another, infinite without a route.

        Lengths are looked up once for all that it is asked: these may be all things of a large building.
        """
        here, anchor = self.anchor(centre), self.anchor
        lengths = {} if here is None else self.belief.routes.lengths(here)
        return lambda name: lengths.get(anchor(name) or "", FAR)

    def nearest(self, centre: str, facts: Sequence[Args], index: int, most: int) -> list[Args]:
        """Return the facts whose objects at an index are nearest to a thing, nearest first."""
        distance = self.from_thing(centre)
        return nsmallest(most, facts, lambda args: (distance(args[index]), args))


def _waiting_key(atom: Atom) -> tuple[str, int, str]:
    """Return the predicate of an atom with its first name and the position of that."""
    return next(
        ((atom.predicate, i, a) for i, a in enumerate(atom.args) if isinstance(a, str)),
        (atom.predicate, -1, ""),
    )


class Bindings:
    """The bindings of one closure, over the facts that have become relevant in it so far."""

    def __init__(
        self, belief: Belief, completeness: Completeness, distances: DrivingDistances, nearest: int | None
    ) -> None:
        self.pack, self.now = belief.pack, completeness.now
        self.completeness, self.distances, self.most = completeness, distances, nearest
        self.relevant = Facts()
        # Literals whose achievers are bound by facts of (predicate, position, name), to be looked at again.
        self._waiting: dict[tuple[str, int, str], dict[Target, None]] = {}
        self._partial: dict[tuple[str, int, str], dict[PartialBinding, None]] = {}

    def affected_by(self, fact: GroundAtom) -> tuple[list[PartialBinding], list[Target]]:
        """Return what a fact that has become relevant binds further, and literals to be looked at again."""
        anywhere = (fact.predicate, -1, "")
        keys = [(fact.predicate, i, n) for i, n in enumerate(fact.args)]
        further = [p for key in (anywhere, *keys) for p in self._partial.get(key, ())]
        again = [t for key in (*keys[:1], anywhere, *keys[1:]) for t in self._waiting.pop(key, ())]
        return further, again

    def go_on(self, partial: PartialBinding, args: Args) -> Iterator[Binding]:
        """Complete a binding in part with a fact that has become relevant."""
        action, bound, atom, target = partial
        binding = extend(atom, args, dict(bound))
        if binding is not None and self.completeness.possible(action, binding):
            yield from self.complete(action, binding, target)

    def bound_already(self, atom: Atom) -> bool:
        """Return whether a fact that holds, or one that is relevant, fits an atom with variables."""
        return any(
            facts.matching(atom.predicate, bound_args(atom, {})) for facts in (self.now, self.relevant)
        )

    def complete(self, action: Action, binding: Binding, target: Target) -> Iterator[Binding]:
        """Complete the binding of an action for ``target`` by its conditions, the most selective first."""
        free = [p.name for p in action.parameters if p.name not in binding]
        if not free:
            yield binding
            return
        atom, instances = self._choices(action, binding, free, target)
        for args in instances:
            check_time(WORK)
            extended = extend(atom, args, binding)
            if extended is not None and self.completeness.possible(action, extended):
                yield from self.complete(action, extended, target)

    def _choices(
        self, action: Action, binding: Binding, free: Sequence[str], target: Target
    ) -> tuple[Atom, list[Args]]:
        """Return an atom with free parameters, and what binds them: facts, or objects of a type."""
        open_atoms = [
            (bind(atom, binding), atom)
            for atom in action.precondition
            if any(isinstance(a, Var) and a.name in free for a in atom.args)
        ]
        if not open_atoms:
            return self._of_type(action, free[0], free, binding)
        best = min(self._rank(bound) for bound, _ in open_atoms)
        # Only the best rank is looked up: the rest may be lists as long as the building is large.
        lists = [
            (self.instances(bound, target), bound, atom)
            for bound, atom in open_atoms
            if self._rank(bound) == best
        ]
        instances, chosen, atom = min(lists, key=lambda each: len(each[0]))
        if best == 0:
            return atom, self._closest(atom, instances, free, binding)
        if best > 1 and target[0].predicate != self.pack.mapping.robot_free.predicate:
            # No fact binds it: it may be any object of its type.
            name = next(a.name for a in atom.args if isinstance(a, Var) and a.name in free)
            return self._of_type(action, name, free, binding)
        self.completeness.rely(action, chosen, binding, target)
        if self.most is None:
            partial = action, tuple(binding.items()), atom, target
            self._partial.setdefault(_waiting_key(chosen), {})[partial] = None
        return atom, instances

    def _of_type(
        self, action: Action, name: str, free: Sequence[str], binding: Binding
    ) -> tuple[Atom, list[Args]]:
        """Return the objects that a parameter may be by its type.

        Where neither a condition nor an effect tells of it, one object is as good as another, but for those
        that an action with distinct arguments has taken.
        """
        kind = next(p.type for p in action.parameters if p.name == name)
        atom, term = Atom("", (Var(name),)), Var(name)
        instances: list[Args] = [(n,) for n in self.completeness.of_type(kind)]
        if not any(term in a.args for a in (*action.precondition, *action.add, *action.delete)):
            return atom, instances[: len(action.parameters)]
        return atom, self._closest(atom, instances, free, binding)

    def _rank(self, atom: Atom) -> int:
        """Rank how well an atom binds a free parameter, 0 best.

        Static facts are complete. Places of things may change, so relations bind only the parameters that
        static facts leave open; the robot's place changes most easily and binds last.
        """
        if atom.predicate not in self.pack.fluents:
            return 0
        if atom.predicate == self.pack.at:
            return 3
        return 1 if any(isinstance(a, str) for a in atom.args) else 2

    def instances(self, atom: Atom, target: Target) -> list[Args]:
        """Return the facts that match an atom with free variables: true now, or relevant."""
        pattern = bound_args(atom, {})
        now = self.now.matching(atom.predicate, pattern)
        if atom.predicate not in self.pack.fluents:
            return now
        if self.most is not None:
            self._waiting.setdefault(_waiting_key(atom), {})[target] = None
        return list(dict.fromkeys(now + self.relevant.matching(atom.predicate, pattern)))

    def _closest(
        self, atom: Atom, instances: list[Args], free: Sequence[str], binding: Binding
    ) -> list[Args]:
        """Cut helpers to those that are nearest to the robot and to the bound objects of the action."""
        if self.most is None or len(instances) <= self.most:
            return instances
        index = next(i for i, a in enumerate(atom.args) if isinstance(a, Var) and a.name in free)
        self.completeness.left_out = True
        return list(
            dict.fromkeys(
                args
                for centre in dict.fromkeys((self.distances.start, *binding.values()))
                for args in self.distances.nearest(centre, instances, index, self.most)
            )
        )


class PuttingDown:
    """Choices of where to put things down within one closure; ``names`` are those that it keeps so far."""

    def __init__(self, belief: Belief, bindings: Bindings, names: Mapping[str, None]) -> None:
        self.belief, self.bindings, self.names = belief, bindings, names
        self.pack, self.everywhere = belief.pack, bindings.most is None
        self.completeness = bindings.completeness
        self._rooms_seen: dict[tuple[str, Target], set[tuple[str, ...]]] = {}

    @cached_property
    def relations(self) -> frozenset[str]:
        """The relations in which a thing can be reached in its place: those that putting down makes."""
        free = self.pack.mapping.robot_free
        made = (a for action, atom in self._actions() if atom == free for a in action.add)
        return frozenset(a.predicate for a in made if len(a.args) == 2)

    def _actions(self) -> Sequence[tuple[Action, Atom]]:
        """Return the actions that free the hand, each with that effect."""
        return self.pack.adders.get(self.pack.mapping.robot_free.predicate, ())

    def choices(self, item: str, denied: Container[GroundAtom] = ()) -> Iterator[tuple[Action, Binding]]:
        """Yield the actions that put a thing down, at relevant places and the nearest that is not denied."""
        held = self.pack.mapping.robot_held.predicate
        if not self.everywhere and not self.pack.unlimited_capacity:
            self.completeness.left_out = True
        for action, atom in self._actions():
            names = (a.args[0] for a in action.precondition if a.predicate == held)
            name = next((n.name for n in names if isinstance(n, Var)), None)
            if not atom.args and name is not None:
                yield from ((action, full) for full in self._placements(action, {name: item}, denied))

    def _placements(
        self, action: Action, binding: Binding, denied: Container[GroundAtom]
    ) -> Sequence[Binding]:
        """Return the bindings of a placing action to the nearest allowed place and to relevant ones."""
        free = [p.name for p in action.parameters if p.name not in binding]
        static = (a for a in action.precondition if a.predicate not in self.pack.fluents)
        atom = next((a for a in static if any(isinstance(t, Var) and t.name in free for t in a.args)), None)
        if atom is None:
            return ()
        target: Target = self.pack.mapping.robot_free, True
        options = self.bindings.instances(bind(atom, binding), target)
        extended = [e for args in options if (e := extend(atom, args, binding)) is not None]
        full = [f for e in extended for f in self.bindings.complete(action, e, target)]
        good = [e for e in full if self.completeness.possible(action, e)]
        good = [e for e in good if not self.pack.never_applies(action.ground_by(e))]
        good = [e for e in good if not any(bind(a, e) in denied for a in action.add)]
        distance = self.bindings.distances.from_thing(self.bindings.distances.start)
        good.sort(key=lambda e: (distance(e[free[0]]), e[free[0]]))
        if self.everywhere and not self._needs_place_only(action):
            return good
        relevant = [e for e in good if e[free[0]] in self.names]
        if not self.everywhere:
            return good[:1] + relevant
        first: dict[str, Binding] = {}
        for e in relevant:
            first.setdefault(self._room_or_item(e[free[0]]), e)
        return [*good[:1], *first.values()]

    def one_a_room(self, action: Action, choices: Iterable[Binding], target: Target) -> Iterator[Binding]:
        """Keep one place in each room where a thing may be put down, and places that are relevant already."""
        alike = self._needs_place_only(action)
        if self.everywhere and not alike:
            yield from choices
            return
        seen = self._rooms_seen.setdefault((action.name, target), set()) if self.everywhere else set()
        for full in sorted(choices, key=lambda b: tuple(b.values())):
            key = tuple(map(self._room_or_item, full.values()))
            if key not in seen or all(n in self.names for n in full.values()):
                seen.add(key)
                yield full
            elif not alike:
                self.completeness.left_out = True

    def _needs_place_only(self, action: Action) -> bool:
        """Return whether all that changes and that an action needs is where the robot and the thing are.

        Places take any number of things then: what is vacant changes, too.
        """
        if not self.pack.unlimited_capacity:
            return False
        mapping = self.pack.mapping
        where = {self.pack.at, mapping.robot_held.predicate, mapping.robot_free.predicate}
        changing = {a.predicate for a in action.precondition} & self.pack.fluents
        return changing <= where | self.completeness.relations

    def _room_or_item(self, name: str) -> str:
        """Return the room around what stays in its place, and a movable thing itself."""
        scene = self.belief.scene
        return name if scene.nodes[name].type == "object" else scene.anchor_of(name) or name
