"""Relevance: the part of a scene that a goal depends on, by backward closure over the pack's actions.

From the goal's literals, every achiever of a fact is followed to its preconditions in turn. Free parameters
of an action are bound by static facts, current facts and facts that are relevant already, so the work grows
with the goal more than with the building. Where many objects would serve (every towel wipes) the nearest
few are kept (``NEAREST``, which may be changed); ``nearest=None`` keeps them all. Whatever is left out that
may matter must clear :attr:`Closure.complete` (rules in ``completeness``), or a proof of unsolvability would
be false; the same goal must give the same closure in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest

from ..domains.action import Action, GroundAction, bind, extend, ground_atom, unify
from ..domains.deadline import check_size, check_time
from ..domains.formula import Atom, GroundAtom, Var
from ..simulator.belief import Belief
from ..simulator.facts import Args, Facts
from .completeness import Completeness
from .placement import FIXED, Followed, Placement, fixed_place

NEAREST = 3
"""Number of interchangeable helpers (tools, machines, places to put something down) that are kept."""

ALL_HELPERS = 10**6
"""As many of them as there are."""

WORK = "finding what the goal depends on"


@dataclass
class Closure:
    """Closure of a goal: relevant facts, the ground actions that change them, and all names in either."""

    facts: dict[GroundAtom, None] = field(default_factory=dict)
    actions: dict[tuple[str, Args], GroundAction] = field(default_factory=dict)
    names: dict[str, None] = field(default_factory=dict)
    followed: Followed = field(default_factory=Followed)
    """The derived literals among the facts, and those that these follow from."""
    complete: bool = True
    """True if nothing was left out that may help."""

    def schemas(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.actions)


def closure(
    goal: Iterable[tuple[GroundAtom, bool]], belief: Belief, facts: Facts, nearest: int | None = NEAREST
) -> Closure:
    """Compute the backward closure of a goal's literals; ``nearest=None`` keeps every helper."""
    search = _Search(belief, facts, nearest)
    for _ in search.steps(goal):
        pass
    return search.result


def growing_closure(
    goal: Iterable[tuple[GroundAtom, bool]], belief: Belief, facts: Facts
) -> Iterator[Closure]:
    """Yield the closure with every helper as it grows, what needs the fewest actions first."""
    search = _Search(belief, facts, ALL_HELPERS)
    for _ in search.steps(goal, next_literal=0):
        yield search.result


@dataclass(frozen=True, slots=True)
class _Partial:
    """An action bound in part, for a target, and the condition whose facts bind it further."""

    action: Action
    binding: tuple[tuple[str, str], ...]
    atom: Atom
    target: tuple[GroundAtom, bool]


def _waiting_key(atom: Atom) -> tuple[str, int, str]:
    """Return the predicate of an atom with its first name and the position of that."""
    return next(
        ((atom.predicate, i, a) for i, a in enumerate(atom.args) if isinstance(a, str)),
        (atom.predicate, -1, ""),
    )


class _Search:
    def __init__(self, belief: Belief, facts: Facts, nearest: int | None) -> None:
        self.belief, self.now, self.nearest = belief, facts, nearest
        self.pack = belief.pack
        self.result = Closure()
        self.relevant = Facts()
        self.queue: list[tuple[GroundAtom, bool]] = []
        self.done: set[tuple[GroundAtom, bool]] = set()
        # Literals whose achievers are bound by facts of (predicate, position, name), to be looked at again.
        self.waiting: dict[tuple[str, int, str], dict[tuple[GroundAtom, bool], None]] = {}
        # The wide closure goes on from where a fact bound an action instead, for each further fact once.
        self.partial: dict[tuple[str, int, str], dict[_Partial, None]] = {}
        self.further: list[tuple[_Partial, Args]] = []
        self.reached_into: dict[str, None] = {}
        self.names_before = 0
        self.rooms_seen: dict[tuple[str, tuple[GroundAtom, bool]], set[tuple[str, ...]]] = {}
        self.completeness = Completeness(belief, facts)
        self.placement = Placement(belief, facts, self.completeness.attainable, self.need, self.nearest_of)
        self.result.followed = self.placement.followed
        self.anchors: dict[str, str | None] = {}
        self.adders: dict[str, list[tuple[Action, Atom]]] = {}
        self.deleters: dict[str, list[tuple[Action, Atom]]] = {}
        navigation = self.pack.navigation.name
        for action in self.pack.domain.actions.values():
            if action.name != navigation:
                for atom in action.add:
                    self.adders.setdefault(atom.predicate, []).append((action, atom))
                for atom in action.delete:
                    self.deleters.setdefault(atom.predicate, []).append((action, atom))

    def steps(self, goal: Iterable[tuple[GroundAtom, bool]], next_literal: int = -1) -> Iterator[None]:
        """Make the closure, one literal at a time: the last that was found next, or the first."""
        literals = list(goal)
        for atom, positive in literals:
            check_time(WORK)
            self.need(atom, positive)
        denied_places = {
            a.args[0] for a, positive in literals if a.predicate == self.pack.at and not positive
        }
        self.keep_other_place(denied_places)
        denied = {atom for atom, positive in literals if not positive}
        for atom in sorted(denied, key=str):
            check_time(WORK)
            # A thing that must leave its place has to go somewhere, if the hand is needed for more.
            if atom.predicate in self.placing_relations and self.now.holds(atom.predicate, atom.args):
                self.keep_put_down(atom.args[0], denied)
        self.keep_names(self.now.all(self.pack.at)[0])
        for held in self.now.all(self.pack.mapping.robot_held.predicate):
            self.keep_names(held)
        while self.queue or self.further:
            check_time(WORK)
            if self.further:
                self.follow_further(*self.further.pop())
            else:
                self.follow_achievers(*self.queue.pop(next_literal))
            if not self.queue and not self.further:
                self.need_missing()
                self.keep_places_again()
            yield
        if self.nearest is None:
            self.keep_way_out(denied_places)
        yield

    def need_missing(self) -> None:
        """Need facts that could be achieved to bind a parameter, beside those that bound it so far.

        The narrow closure does so only where nothing bound it.
        """
        missing: dict[Atom, list[GroundAtom]] = {}
        for bound, atom in self.completeness.missing(self.relevant, self.needs_no_more):
            if atom is None or self.nearest is not None:
                self.result.complete = False
            if atom is not None:
                missing.setdefault(bound, []).append(atom)
        for bound, atoms in missing.items():
            index = next(i for i, a in enumerate(bound.args) if isinstance(a, Var))
            if self.nearest is not None:
                if self.bound_already(bound):
                    continue
                start = self.now.all(self.pack.at)[0][0]
                facts = self.nearest_first(start, [a.args for a in atoms], index, self.nearest)
                atoms = [Atom(bound.predicate, args) for args in facts]
            for atom in atoms[: self.nearest]:
                self.need(atom)

    def needs_no_more(self, bound: Atom) -> bool:
        """Return whether facts that could be achieved for a condition change nothing any more."""
        return self.nearest is not None and not self.result.complete and self.bound_already(bound)

    def bound_already(self, atom: Atom) -> bool:
        """Return whether a fact that holds, or one that is relevant, fits an atom with variables."""
        fixed = [(i, a) for i, a in enumerate(atom.args) if isinstance(a, str)]
        return any(
            all(args[i] == a for i, a in fixed)
            for facts in (self.now, self.relevant)
            for args in (
                facts.with_argument(atom.predicate, *fixed[0]) if fixed else facts.all(atom.predicate)
            )
        )

    def keep_names(self, names: Iterable[str]) -> None:
        for name in names:
            self.result.names.setdefault(name)

    def need(self, atom: GroundAtom, positive: bool = True) -> None:
        if (atom, positive) in self.done:
            return
        self.done.add((atom, positive))
        self.result.facts.setdefault(atom)
        args = atom.args
        self.keep_names(args)
        if atom.predicate in self.pack.mapping.derived:
            self.placement.follow(atom, positive)
            return
        self.queue.append((atom, positive))
        if atom.predicate == self.pack.at and self.is_item(args[0]):
            self.placement.stood_at(args[0])
        if self.relevant.add(atom.predicate, args):
            keys = [(atom.predicate, i, n) for i, n in enumerate(args)] if self.partial else []
            for key in ((atom.predicate, -1, ""), *keys):
                self.further += ((partial, args) for partial in self.partial.get(key, ()))
            for position, name in enumerate(args):
                for key in ((atom.predicate, position, name), (atom.predicate, -1, "")):
                    self.queue += self.waiting.pop(key, {})

    def keep_other_place(self, denied: set[str]) -> None:
        """Keep the nearest other places for the robot, if its own is denied by the goal."""
        here = self.now.all(self.pack.at)[0][0]
        if here not in denied or self.nearest is None:
            return
        place_type = self.pack.navigation.parameters[1].type
        others = [
            n
            for n in self.completeness.of_type(place_type)
            if n not in denied and self.driving_distance(here, n) < float("inf")
        ]
        self.keep_names(sorted(others, key=lambda n: (self.driving_distance(here, n), n))[: self.nearest])

    def keep_way_out(self, denied: set[str]) -> None:
        """Keep a place wherever a robot that leaves denied places first comes to one that is not denied.

        On any route from a denied place it passes one of these, and may end there at no greater cost.
        """
        scene, routes = self.belief.scene, self.belief.routes
        for place, positive in self.result.followed.robot:
            if not positive:
                denied |= {place, *scene.built_in(place)}
        queue = sorted({routes.anchor(n) for n in denied if scene.nodes[n].type in FIXED and self.roomed(n)})
        passed = set(queue)
        place_type = self.pack.navigation.parameters[1].type
        while queue:
            anchor = queue.pop()
            spots = (anchor, *scene.built_in(anchor))
            there = (n for n in spots if routes.anchor_of(n) == anchor and n not in denied)
            allowed = (n for n in there if self.belief.has_type(n, place_type))
            other = next(allowed, None)
            if other is not None:
                self.keep_names((other,))
                continue
            near = [n for n in sorted(scene.neighbours.get(anchor, ())) if n not in passed]
            passed.update(near)
            queue += near

    def roomed(self, name: str) -> bool:
        return self.belief.scene.anchor_of(name) is not None

    def nearest_of(self, centre: str, names: Sequence[str]) -> Sequence[str]:
        """Cut names to the nearest few, and say that this closure leaves something out."""
        if self.nearest is None or len(names) <= self.nearest:
            return names
        self.result.complete = False
        return [n for (n,) in self.nearest_first(centre, [(n,) for n in names], 0, self.nearest)]

    def follow_achievers(self, fact: GroundAtom, positive: bool) -> None:
        """Follow every action that makes a fact true (or false) to its preconditions."""
        free = self.pack.mapping.robot_free.predicate
        if positive and fact.predicate == free and self.nearest is not None:
            if not self.now.holds(free, ()):
                self.keep_empty_hand()
            return
        table = self.adders if positive else self.deleters
        entries = list(table.get(fact.predicate, ()))
        if positive and fact.predicate == self.pack.at:
            # One drives to a place, or rides where no way leads; reaching into a movable container also needs
            # the way back.
            here, target = self.now.all(self.pack.at)[0][0], fact.args[0]
            if self.is_item(target):
                entries += self.deleters.get(fact.predicate, ())
                self.keep_places_for(target)
            elif not self.is_item(here):
                if not self.rides_to(target):
                    return
                self.keep_landings(target, entries)
        for action, atom in entries:
            binding = unify(atom, fact)
            if binding is None:
                continue
            self.keep_choices(action, self.bindings(action, binding, (fact, positive)), (fact, positive))

    def rides_to(self, place: str) -> bool:
        """Return whether other actions than driving are kept as ways to a place: all, if helpers are."""
        here = self.now.all(self.pack.at)[0][0]
        no_way = self.driving_distance(here, place) == float("inf")
        return bool(self.belief.rides) and (self.nearest is None or no_way)

    def keep_landings(self, place: str, rides: Iterable[tuple[Action, Atom]]) -> None:
        """Keep the places that the robot rides to, and from which it drives to a place."""
        near = self.lengths_from(place)
        for action, atom in rides:
            kinds = [p.type for p in action.parameters if Var(p.name) in atom.args]
            landings = [
                (n,) for kind in kinds for n in self.completeness.of_type(kind) if self.anchor(n) in near
            ]
            for landing in self.nearest_first(place, landings, 0, self.nearest or len(landings)):
                self.need(Atom(self.pack.at, landing))

    def keep_choices(
        self, action: Action, choices: Iterable[dict[str, str]], target: tuple[GroundAtom, bool]
    ) -> None:
        """Keep the bindings of an action for a target."""
        empties = target[0].predicate == self.pack.mapping.robot_free.predicate
        if empties:
            choices = self.one_place_a_room(action, choices, target)
        for full in choices:
            self.keep_action(action, full)
            if empties:
                self.keep_way_back(action, full)

    def follow_further(self, partial: _Partial, args: Args) -> None:
        """Take up the binding of an action again with a fact that has become relevant."""
        binding = extend(partial.atom, args, dict(partial.binding))
        if binding is not None and self.completeness.possible(partial.action, binding):
            choices = self.bindings(partial.action, binding, partial.target)
            self.keep_choices(partial.action, choices, partial.target)

    def keep_places_again(self) -> None:
        """Keep places for what is reached into among those that have become relevant since."""
        while self.names_before != len(self.result.names):
            self.names_before = len(self.result.names)
            for item in list(self.reached_into):
                self.keep_put_down(item, set())

    def keep_way_back(self, action: Action, full: dict[str, str]) -> None:
        """Keep the way back into the hand of a thing that is put down to have the hand free."""
        held = self.pack.mapping.robot_held.predicate
        for made in action.add:
            atom = ground_atom(made, full)
            if atom.predicate in self.completeness.relations and self.now.holds(held, atom.args[:1]):
                self.need(atom)

    def one_place_a_room(
        self, action: Action, choices: Iterable[dict[str, str]], target: tuple[GroundAtom, bool]
    ) -> Iterator[dict[str, str]]:
        """Keep one place in each room where a thing may be put down: driving between them costs nothing.

        Places that are relevant already are kept beside it, and all of them where more than the robot's being
        there is asked for (a door that is open, a place that is vacant): one may have it, and another not.
        """
        alike = self.needs_place_only(action)
        if self.nearest is None and not alike:
            yield from choices
            return
        seen = self.rooms_seen.setdefault((action.name, target), set()) if self.nearest is None else set()
        for full in sorted(choices, key=lambda b: tuple(b.values())):
            key = tuple(self.room(n) if not self.is_item(n) else n for n in full.values())
            if key not in seen or all(n in self.result.names for n in full.values()):
                seen.add(key)
                yield full
            elif not alike:
                self.result.complete = False

    def needs_place_only(self, action: Action) -> bool:
        """Return whether all that changes and that an action needs is where the robot and the thing are.

        Places take any number of things then: what is vacant changes, too.
        """
        if not self.pack.unlimited_capacity:
            return False
        mapping = self.pack.mapping
        where = {self.pack.at, mapping.robot_held.predicate, mapping.robot_free.predicate}
        changing = {a.predicate for a in action.precondition} & self.pack.fluents
        return changing <= where | self.completeness.relations

    def room(self, name: str) -> str:
        return self.belief.scene.anchor_of(name) or name

    def keep_action(self, action: Action, binding: dict[str, str]) -> None:
        args = tuple(binding[p.name] for p in action.parameters)
        if (action.name, args) in self.result.actions:
            return
        # An effect says no types: a fact of an asset may be that of an action on items.
        if not all(self.belief.has_type(binding[p.name], p.type) for p in action.parameters):
            return
        ground = action.ground(args)
        for atom in ground.precondition:
            if atom.predicate not in self.pack.fluents and not self.now.holds(atom.predicate, atom.args):
                return
        if self.pack.never_applies(ground):
            return
        self.result.actions[action.name, args] = ground
        check_size("bindings", len(self.result.actions), WORK)
        self.keep_names(args)
        for atom in ground.precondition:
            if atom.predicate in self.pack.fluents:
                self.need(atom)

    def bindings(
        self, action: Action, binding: dict[str, str], target: tuple[GroundAtom, bool]
    ) -> Iterator[dict[str, str]]:
        """Complete the binding of an action for ``target`` by its conditions, the most selective first."""
        free = [p.name for p in action.parameters if p.name not in binding]
        if not free:
            yield binding
            return
        open_atoms = [
            (bind(atom, binding), atom)
            for atom in action.precondition
            if any(isinstance(a, Var) and a.name in free for a in atom.args)
        ]
        if not open_atoms:
            yield from self.bound_by_type(action, binding, free, target)
            return
        best = min(self.rank(bound) for bound, _ in open_atoms)
        # Only the best rank is looked up: the rest may be lists as long as the building is large.
        lists = [
            (self.instances(bound, atom.predicate not in self.pack.fluents, target), bound, atom)
            for bound, atom in open_atoms
            if self.rank(bound) == best
        ]
        instances, chosen, atom = min(lists, key=lambda each: len(each[0]))
        static = best == 0
        if best > 1 and target[0].predicate != self.pack.mapping.robot_free.predicate:
            # No fact binds it: it may be any object of its type.
            name = next(a.name for a in atom.args if isinstance(a, Var) and a.name in free)
            atom = Atom(atom.predicate, (Var(name),))
            instances = [
                (n,)
                for n in self.completeness.of_type(next(p.type for p in action.parameters if p.name == name))
            ]
            static = True
        elif not static:
            self.completeness.rely(action, chosen, binding, target)
            if self.nearest is None:
                partial = _Partial(action, tuple(binding.items()), atom, target)
                self.partial.setdefault(_waiting_key(chosen), {})[partial] = None
        if static and self.nearest is not None and len(instances) > self.nearest:
            instances = self.closest(atom, instances, free, binding)
        for args in instances:
            check_time(WORK)
            extended = extend(atom, args, binding)
            if extended is not None and self.completeness.possible(action, extended):
                yield from self.bindings(action, extended, target)

    def bound_by_type(
        self, action: Action, binding: dict[str, str], free: Sequence[str], target: tuple[GroundAtom, bool]
    ) -> Iterator[dict[str, str]]:
        """Bind a parameter that no condition binds by its type.

        Where no effect tells of it either, one object is as good as another, but for those that an action
        with distinct arguments has taken.
        """
        if not self.completeness.possible(action, binding):
            return
        parameter = next(p for p in action.parameters if p.name == free[0])
        names = self.completeness.of_type(parameter.type)
        term = Var(parameter.name)
        if not any(term in a.args for a in (*action.add, *action.delete)):
            names = names[: len(action.parameters)]
        elif self.nearest is not None and len(names) > self.nearest:
            instances = [(n,) for n in names]
            names = [n for (n,) in self.closest(Atom("", (term,)), instances, free, binding)]
        for name in names:
            check_time(WORK)
            yield from self.bindings(action, {**binding, parameter.name: name}, target)

    def rank(self, atom: Atom) -> int:
        """Rank how well an atom binds a free parameter, 0 best.

        Static facts are complete. Places of things may change, so relations bind only the parameters that
        static facts leave open; the robot's place changes most easily and binds last.
        """
        if atom.predicate not in self.pack.fluents:
            return 0
        if atom.predicate == self.pack.at:
            return 3
        return 1 if any(isinstance(a, str) for a in atom.args) else 2

    def instances(self, atom: Atom, static: bool, target: tuple[GroundAtom, bool]) -> list[Args]:
        """Return the facts that match an atom with free variables: true now, or relevant."""
        fixed = [(i, a) for i, a in enumerate(atom.args) if isinstance(a, str)]
        if static:
            lists = [self.now.with_argument(atom.predicate, i, a) for i, a in fixed]
            return min(lists, key=len) if lists else self.now.all(atom.predicate)
        if self.nearest is not None:
            self.waiting.setdefault(_waiting_key(atom), {})[target] = None
        if not fixed:
            both = self.now.all(atom.predicate) + self.relevant.all(atom.predicate)
        else:
            position, name = fixed[0]
            both = self.now.with_argument(atom.predicate, position, name)
            both = both + self.relevant.with_argument(atom.predicate, position, name)
        return list(dict.fromkeys(both))

    def closest(
        self, atom: Atom, instances: Sequence[Args], free: Sequence[str], binding: dict[str, str]
    ) -> list[Args]:
        """Return the helpers that are nearest to the robot and to the bound objects of the action."""
        assert self.nearest is not None
        index = next(i for i, a in enumerate(atom.args) if isinstance(a, Var) and a.name in free)
        keep: dict[Args, None] = {}
        for centre in dict.fromkeys((self.now.all(self.pack.at)[0][0], *binding.values())):
            ranked = self.nearest_first(centre, instances, index, self.nearest)
            keep |= dict.fromkeys(ranked)
        self.result.complete = False
        return list(keep)

    def nearest_first(self, centre: str, facts: Sequence[Args], index: int, most: int) -> list[Args]:
        """Return the facts whose objects at an index are nearest to a thing, nearest first."""
        # One look-up each: these may be all things of a large building.
        lengths, anchor, far = self.lengths_from(centre), self.anchor, float("inf")
        return nsmallest(most, facts, lambda args: (lengths.get(anchor(args[index]) or "", far), args))

    def is_item(self, name: str) -> bool:
        return self.belief.scene.nodes[name].type == "object"

    def driving_distance(self, centre: str, name: str) -> float:
        """Return the millimetres to drive between two things, infinite without a route."""
        return self.lengths_from(centre).get(self.anchor(name) or "", float("inf"))

    def lengths_from(self, centre: str) -> Mapping[str, int]:
        """Return the millimetres from the room or pose around a thing to all that a route leads to."""
        here = self.anchor(centre)
        return {} if here is None else self.belief.routes.lengths(here)

    def anchor(self, name: str) -> str | None:
        """Return the room or pose around a thing now; ``None`` for what is in no room."""
        if name not in self.anchors:
            place = fixed_place(name, self.belief, self.now)
            self.anchors[name] = None if place is None else self.belief.routes.anchor_of(place)
        return self.anchors[name]

    def keep_places_for(self, item: str) -> None:
        """Keep places for a movable thing that is reached into: it may have to be put down first."""
        if self.nearest is not None:
            self.result.complete = False
            if any(self.now.with_argument(r, 0, item) for r in self.placing_relations):
                return
        else:
            self.reached_into[item] = None
        self.keep_put_down(item, set())

    @property
    def placing_relations(self) -> list[str]:
        """The relations in which a thing can be reached in its place: those that putting it down makes."""
        free = self.pack.mapping.robot_free
        made = (a for action, atom in self.adders.get(free.predicate, ()) if atom == free for a in action.add)
        return list(dict.fromkeys(a.predicate for a in made if len(a.args) == 2))

    def keep_empty_hand(self) -> None:
        """Keep the actions that put down the held thing, at relevant places and at the nearest."""
        self.result.complete = False
        for held in self.now.all(self.pack.mapping.robot_held.predicate):
            self.keep_put_down(held[0], set())

    def keep_put_down(self, item: str, denied: set[GroundAtom]) -> None:
        """Keep the actions that put a thing down, at relevant places and the nearest that is not denied."""
        held = self.pack.mapping.robot_held.predicate
        if self.nearest is not None and not self.pack.unlimited_capacity:
            self.result.complete = False
        for action, atom in self.adders.get(self.pack.mapping.robot_free.predicate, ()):
            names = (a.args[0] for a in action.precondition if a.predicate == held)
            name = next((n.name for n in names if isinstance(n, Var)), None)
            if atom.args or name is None:
                continue
            for full in self.placements(action, {name: item}, denied):
                self.keep_action(action, full)
                for made in action.ground(tuple(full[p.name] for p in action.parameters)).add:
                    if len(made.args) == 2:
                        self.need(made)

    def placements(
        self, action: Action, binding: dict[str, str], denied: set[GroundAtom]
    ) -> list[dict[str, str]]:
        """Return the bindings of a placing action to the nearest allowed place and to relevant ones."""
        free = [p.name for p in action.parameters if p.name not in binding]
        for atom in action.precondition:
            if atom.predicate in self.pack.fluents or not any(
                isinstance(a, Var) and a.name in free for a in atom.args
            ):
                continue
            target = (self.pack.mapping.robot_free, True)
            options = self.instances(bind(atom, binding), True, target)
            extended = [e for args in options if (e := extend(atom, args, binding)) is not None]
            full = [f for e in extended for f in self.bindings(action, e, target)]
            good = [e for e in full if self.completeness.possible(action, e)]
            good = [e for e in good if not self.pack.never_applies(action.ground_by(e))]
            good = [e for e in good if not any(bind(a, e) in denied for a in action.add)]
            start = self.now.all(self.pack.at)[0][0]
            lengths, anchor, far = self.lengths_from(start), self.anchor, float("inf")
            good.sort(key=lambda e: (lengths.get(anchor(e[free[0]]) or "", far), e[free[0]]))
            if self.nearest is None and not self.needs_place_only(action):
                return good
            relevant = [e for e in good if e[free[0]] in self.result.names]
            return good[:1] + (relevant if self.nearest is not None else self.one_each(relevant, free[0]))
        return []

    def one_each(self, choices: Sequence[dict[str, str]], parameter: str) -> list[dict[str, str]]:
        """Keep the first choice in each room, where a place is as good as another, and all movable places."""
        rooms: dict[str, dict[str, str]] = {}
        for full in choices:
            place = full[parameter]
            rooms.setdefault(place if self.is_item(place) else self.room(place), full)
        return list(rooms.values())
