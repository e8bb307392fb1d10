"""The part of a scene that a goal depends on, by backward closure over the pack's actions.

From the goal's literals, every achiever of a fact is followed to its preconditions in turn. Its free
parameters are bound by facts (``bindings``), so the work grows with the goal more than with the building.
Where many objects would serve (every towel wipes) the nearest few are kept (``NEAREST``, which may be
changed); ``nearest=None`` keeps them all. Whatever is left out that may matter must be noted in
``completeness``, or a proof of unsolvability would be false; the same goal must give the same closure in the
same order.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ...domains.action import Action, GroundAction, ground_atom, unify
from ...domains.deadline import check_size, check_time
from ...domains.formula import Atom, GroundAtom, Var
from ...simulator.belief import Belief
from ...simulator.facts import Args, Facts
from ..placement import FIXED, Followed, Placement
from .bindings import FAR, WORK, Binding, Bindings, DrivingDistances, PartialBinding, PuttingDown, Target
from .completeness import Completeness

NEAREST = 3
"""Number of interchangeable helpers (tools, machines, places to put something down) that are kept."""

ALL_HELPERS = 10**6
"""As many of them as there are."""


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


class _Search:
    def __init__(self, belief: Belief, facts: Facts, nearest: int | None) -> None:
        self.belief, self.now, self.nearest = belief, facts, nearest
        self.pack = belief.pack
        self.result = Closure()
        self.queue: list[Target] = []
        self.further: list[tuple[PartialBinding, Args]] = []
        self.done: set[Target] = set()
        self.reached_into: dict[str, None] = {}
        self.completeness, self.distances = Completeness(belief, facts), DrivingDistances(belief, facts)
        self.bindings = Bindings(belief, self.completeness, self.distances, nearest)
        self.putting_down = PuttingDown(belief, self.bindings, self.result.names)
        self.placement = Placement(belief, facts, self.completeness.attainable, self.need, self.nearest_of)
        self.result.followed = self.placement.followed

    def steps(self, goal: Iterable[Target], next_literal: int = -1) -> Iterator[None]:
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
            if atom.predicate in self.putting_down.relations and self.now.holds(atom.predicate, atom.args):
                self.keep_put_down(atom.args[0], denied)
        self.keep_names(self.now.all(self.pack.at)[0])
        for held in self.now.all(self.pack.mapping.robot_held.predicate):
            self.keep_names(held)
        names_before = 0
        while self.queue or self.further:
            check_time(WORK)
            if self.further:
                partial, args = self.further.pop()
                action, _, _, target = partial
                self.keep_choices(action, self.bindings.go_on(partial, args), target)
            else:
                self.follow_achievers(*self.queue.pop(next_literal))
            if not self.queue and not self.further:
                self.need_missing()
                # Places for what is reached into may have become relevant since.
                while names_before != len(self.result.names):
                    names_before = len(self.result.names)
                    for item in list(self.reached_into):
                        self.keep_put_down(item)
            self.result.complete = not self.completeness.left_out
            yield
        if self.nearest is None:
            self.keep_way_out(denied_places)
        self.result.complete = not self.completeness.left_out
        yield

    def need_missing(self) -> None:
        """Need facts that could be achieved to bind a parameter, beside those that bound it so far.

        The narrow closure does so only where nothing bound it.
        """
        missing: dict[Atom, list[GroundAtom]] = {}
        for bound, atom in self.completeness.missing(self.bindings.relevant, self.needs_no_more):
            if atom is None or self.nearest is not None:
                self.completeness.left_out = True
            if atom is not None:
                missing.setdefault(bound, []).append(atom)
        for bound, atoms in missing.items():
            index = next(i for i, a in enumerate(bound.args) if isinstance(a, Var))
            if self.nearest is not None:
                if self.bindings.bound_already(bound):
                    continue
                args = [a.args for a in atoms]
                facts = self.distances.nearest(self.distances.start, args, index, self.nearest)
                atoms = [Atom(bound.predicate, args) for args in facts]
            for atom in atoms:
                self.need(atom)

    def needs_no_more(self, bound: Atom) -> bool:
        """Return whether facts that could be achieved for a condition change nothing any more."""
        narrow = self.nearest is not None and self.completeness.left_out
        return narrow and self.bindings.bound_already(bound)

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
        if self.bindings.relevant.add(atom.predicate, args):
            further, again = self.bindings.affected_by(atom)
            self.further += ((partial, args) for partial in further)
            self.queue += again

    def keep_other_place(self, denied: set[str]) -> None:
        """Keep the nearest other places for the robot, if its own is denied by the goal."""
        here = self.distances.start
        if here not in denied or self.nearest is None:
            return
        distance = self.distances.from_thing(here)
        names = self.completeness.of_type(self.pack.navigation.parameters[1].type)
        others = [(n,) for n in names if n not in denied and distance(n) < FAR]
        for other in self.distances.nearest(here, others, 0, self.nearest):
            self.keep_names(other)

    def keep_way_out(self, denied: set[str]) -> None:
        """Keep a place wherever a robot that leaves denied places first comes to one that is not denied.

        On any route from a denied place it passes one of these, and may end there at no greater cost.
        """
        scene, routes = self.belief.scene, self.belief.routes
        for place, positive in self.result.followed.robot:
            if not positive:
                denied |= {place, *scene.built_in(place)}
        fixed = (n for n in denied if scene.nodes[n].type in FIXED and scene.anchor_of(n) is not None)
        queue = sorted({routes.anchor(n) for n in fixed})
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

    def nearest_of(self, centre: str, names: Sequence[str]) -> Sequence[str]:
        """Cut names to the nearest few, and say that this closure leaves something out."""
        if self.nearest is None or len(names) <= self.nearest:
            return names
        self.completeness.left_out = True
        return [n for (n,) in self.distances.nearest(centre, [(n,) for n in names], 0, self.nearest)]

    def achievers(self, predicate: str, positive: bool) -> list[tuple[Action, Atom]]:
        """Return the actions that change facts of a predicate, without driving."""
        table = self.pack.adders if positive else self.pack.deleters
        return [(a, e) for a, e in table.get(predicate, ()) if a.name != self.pack.navigation.name]

    def follow_achievers(self, fact: GroundAtom, positive: bool) -> None:
        """Follow every action that makes a fact true (or false) to its preconditions."""
        free = self.pack.mapping.robot_free.predicate
        if positive and fact.predicate == free and self.nearest is not None:
            if not self.now.holds(free, ()):
                self.completeness.left_out = True
                for held in self.now.all(self.pack.mapping.robot_held.predicate):
                    self.keep_put_down(held[0])
            return
        entries = self.achievers(fact.predicate, positive)
        if positive and fact.predicate == self.pack.at:
            # One drives to a place, or rides where no way leads; reaching into a movable container also needs
            # the way back.
            here, target = self.distances.start, fact.args[0]
            if self.is_item(target):
                entries += self.achievers(fact.predicate, False)
                self.keep_places_for(target)
            elif not self.is_item(here):
                no_way = self.distances.from_thing(here)(target) == FAR
                # Other actions than driving are ways to a place where helpers are kept, or no route is.
                if not self.belief.rides or not (self.nearest is None or no_way):
                    return
                self.keep_landings(target, entries)
        for action, atom in entries:
            binding = unify(atom, fact)
            if binding is not None:
                choices = self.bindings.complete(action, binding, (fact, positive))
                self.keep_choices(action, choices, (fact, positive))

    def keep_landings(self, place: str, rides: Iterable[tuple[Action, Atom]]) -> None:
        """Keep the places that the robot rides to, and from which it drives to a place."""
        distance = self.distances.from_thing(place)
        for action, atom in rides:
            kinds = [p.type for p in action.parameters if Var(p.name) in atom.args]
            landings = [(n,) for kind in kinds for n in self.completeness.of_type(kind) if distance(n) < FAR]
            for landing in self.distances.nearest(place, landings, 0, self.nearest or len(landings)):
                self.need(Atom(self.pack.at, landing))

    def keep_choices(self, action: Action, choices: Iterable[Binding], target: Target) -> None:
        """Keep the bindings of an action for a target."""
        empties = target[0].predicate == self.pack.mapping.robot_free.predicate
        if empties:
            choices = self.putting_down.one_a_room(action, choices, target)
        for full in choices:
            self.keep_action(action, full)
            if empties:
                self.keep_way_back(action, full)

    def keep_way_back(self, action: Action, full: Binding) -> None:
        """Keep the way back into the hand of a thing that is put down to have the hand free."""
        held = self.pack.mapping.robot_held.predicate
        for made in action.add:
            if made.predicate in self.completeness.relations:
                atom = ground_atom(made, full)
                if self.now.holds(held, atom.args[:1]):
                    self.need(atom)

    def keep_action(self, action: Action, binding: Binding) -> None:
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

    def is_item(self, name: str) -> bool:
        return self.belief.scene.nodes[name].type == "object"

    def keep_places_for(self, item: str) -> None:
        """Keep places for a movable thing that is reached into: it may have to be put down first."""
        if self.nearest is not None:
            self.completeness.left_out = True
            if any(self.now.with_argument(r, 0, item) for r in self.putting_down.relations):
                return
        else:
            self.reached_into[item] = None
        self.keep_put_down(item)

    def keep_put_down(self, item: str, denied: Container[GroundAtom] = ()) -> None:
        """Keep the actions that put a thing down, at relevant places and the nearest that is not denied."""
        for action, full in self.putting_down.choices(item, denied):
            self.keep_action(action, full)
            for made in action.ground_by(full).add:
                if len(made.args) == 2:
                    self.need(made)
