"""Carrying several things at once: load a crate, carry it, unload it, as one more way of several subgoals.

Subgoals that bring things to one room can share a carrier: an empty movable thing that the pack lets the
robot pick up and put these things into or onto. It is loaded in one room, or in several along the way. The
steps are planned by the engine one after the other and carried out on a world, so a closed box is opened
first, and a carrier that does not do is given up.
Which carriers are tried, and where they are put down, may be changed. These rules are what users expect:

- a carrier stays where it was unloaded, unless the goal says where it is or in which room, now or at the
  end: then it is brought there; a carrier or thing that the goal mentions in any other way is left alone,
  but that it is not to be held asks for nothing, since the hand is empty in the end;
- what may stay in its carrier, since the goal names a room only, is not unloaded;
- a thing that holds others, that is in or on a movable thing, or that is in a state which no action ends
  (filled, hot, dirty) does not travel with others: the pack does not say what happens to it on the way.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ...compiler.forms import literals
from ...domains.action import PlanAction, ground_atom
from ...domains.deadline import check_time
from ...domains.formula import (
    Atom,
    Formula,
    GroundAtom,
    Not,
    Or,
    conjunction,
    conjuncts,
    disjunction,
    is_ground_atom,
)
from ...simulator.belief import Belief
from ...simulator.facts import Facts
from ...simulator.world import Refusal, World
from ..carrying_out import (
    PlanSkeleton,
    accepted,
    carry_out,
    eliminate_redundant_actions,
    ever_shorter,
    last_in_time,
    reached,
    works,
)
from .travel import Subgoal

MAX_CARRIERS, MAX_PLACES = 2, 3
"""Most carriers that are tried for the same things, nearest first, and most places to put one down."""

MAX_SOURCES = 4
"""Most rooms in which one carrier is loaded."""

MAX_LOAD = 12
"""Most things in one carrier: no pack says how much one takes, and a person would not pile up more."""

Solve = Callable[[Sequence[Formula], Facts], list[PlanSkeleton] | None]
"""Plans for goals that do not depend on each other, from the same facts; ``None`` if one has none."""


def left_loaded(skeleton: PlanSkeleton, goal: Formula, belief: Belief, facts: Facts) -> PlanSkeleton:
    """Return a plan without unloading what may stay in its carrier; the goal says ``in_room`` as it is."""
    before = skeleton
    shorter = ever_shorter(skeleton, goal, belief, facts, lambda action: unloads(action, belief))
    skeleton = last_in_time(shorter, skeleton, "looking for what may stay in its carrier")
    if skeleton == before:
        return before
    skeleton = eliminate_redundant_actions(skeleton, goal, belief, facts)
    last = belief.pack.domain.actions[skeleton.actions[-1].name].ground(skeleton.actions[-1].args)
    where = next((a.args[0] for a in last.precondition if a.predicate == belief.pack.at), None)
    held = PlanSkeleton(skeleton.actions[:-1], where)
    return held if skeleton.final is None and works(held, goal, belief, facts) else skeleton


def unloads(action: PlanAction, belief: Belief) -> bool:
    """Return whether an action takes a thing that can be picked up out of, or off, another one."""
    pack, nodes = belief.pack, belief.scene.nodes
    ground = pack.domain.actions[action.name].ground(action.args)
    held = {a.args[0] for a in ground.add if a.predicate == pack.mapping.robot_held.predicate}
    left = [a.args for a in ground.delete if a.predicate in pack.locations]
    return any(inner in held and nodes[outer].type == "object" for inner, outer in left)


@dataclass(frozen=True, slots=True)
class Haul:
    """Subgoals, by their index, that bring one thing each to one room, from the room at the same position."""

    subgoals: tuple[int, ...]
    atoms: tuple[GroundAtom, ...]
    sources: tuple[str, ...]
    target: str

    @property
    def things(self) -> tuple[str, ...]:
        return tuple(a.args[0] for a in self.atoms)

    @property
    def rooms(self) -> tuple[str, ...]:
        """The rooms that things come from, each once."""
        return tuple(dict.fromkeys(self.sources))

    def without(self, name: str) -> Haul:
        """Return the haul of all other things, which is that of the same subgoals."""
        kept = [(a, s) for a, s in zip(self.atoms, self.sources, strict=True) if a.args[0] != name]
        return replace(self, atoms=tuple(a for a, _ in kept), sources=tuple(s for _, s in kept))


class Loading:
    """Ways to carry the things of a goal's subgoals together, in the world before them.

    ``used`` are the carriers taken, ``steps`` counts the goals of loading and unloading planned for so far.
    """

    def __init__(self, goal: Formula, subgoals: Sequence[Subgoal], world: World, solve: Solve) -> None:
        self.goal, self.subgoals, self.world, self.solve = goal, subgoals, world, solve
        self.belief, self.pack, self.facts = world.belief, world.pack, world.state.facts
        self.used: set[str] = set()
        self.steps = 0
        # By name, the parts of the goal that mention it, but for those that an empty hand makes true.
        self.speaking: dict[str, dict[Formula, None]] = {}
        for part in conjuncts(self.to_bring_about(goal)):
            for atom, _ in literals(part):
                for name in atom.args:
                    self.speaking.setdefault(name, {})[part] = None
        schemas, states = self.pack.domain.actions.values(), self.pack.mapping.states.values()
        may_hold = {a.predicate for atoms in (*(s.add for s in schemas), *states) for a in atoms}
        may_end = {a.predicate for s in schemas for a in s.delete}
        unary = {name for name, p in self.pack.domain.predicates.items() if p.arity == 1}
        self.lasting = sorted((may_hold - may_end) & unary)

    def hauls(self, least: int = 0) -> list[Haul]:
        """Return the subgoals that share source and target, or target alone, most to be saved first.

        Those that save no more than the least millimetres of driving are left out.
        """
        groups: dict[tuple[str, str], list[tuple[int, GroundAtom, str]]] = {}
        for index, subgoal in enumerate(self.subgoals):
            if (way := self.way_of(subgoal)) is not None:
                source, target, atom = way
                groups.setdefault((source, target), []).append((index, atom, source))
        for target in dict.fromkeys(target for _, target in groups):
            sources = [source for source, other in groups if other == target]
            if 1 < len(sources) <= MAX_SOURCES:
                groups["", target] = [m for source in sources for m in groups[source, target]]
        hauls = []
        for (_, target), members in groups.items():
            for load in (members[n : n + MAX_LOAD] for n in range(0, len(members), MAX_LOAD)):
                if len(load) > 1:
                    indices, atoms, sources_of = zip(*load, strict=True)
                    hauls.append(Haul(indices, atoms, sources_of, target))
        saved = ((self.trips_saved(haul), haul) for haul in hauls)
        worth = [(-millimetres, haul.subgoals, haul) for millimetres, haul in saved if millimetres > least]
        return [haul for *_, haul in sorted(worth, key=lambda each: each[:2])]

    def way_of(self, subgoal: Subgoal) -> tuple[str, str, GroundAtom] | None:
        """Return from which room to which a subgoal brings its one thing, and the place it is to have.

        ``None`` where it asks for more, the thing may not travel with others, or stays in its room.
        """
        atom = self.placing(subgoal)
        if atom is None:
            return None
        thing, place = atom.args
        movable = self.belief.scene.nodes[place].type == "object"
        if movable or len(self.speaking.get(thing, ())) != 1 or not self.travels(thing):
            return None
        source, target = self.world.state.around(thing)[-1], self.world.state.around(place)[-1]
        apart = source != target and self.belief.routes.connected(source, target)
        return (source, target, atom) if apart else None

    def placing(self, subgoal: Subgoal) -> GroundAtom | None:
        """Return the place of one thing that a subgoal asks for, as a fact; ``None`` where it asks for more.

        Of several places it is the one to which the subgoal's own plan brings the thing.
        """
        formula = self.to_bring_about(subgoal.formula)
        options = formula.parts if isinstance(formula, Or) else (formula,)
        atoms = [a for a in options if is_ground_atom(a) and a.predicate in self.pack.locations]
        if len(atoms) < len(options) or len({a.args[0] for a in atoms}) > 1:
            return None
        if len(atoms) > 1:
            world = World(self.belief, (), self.facts)
            if isinstance(carry_out(subgoal.plans[0].skeleton, world), Refusal):
                return None
            atoms = [a for a in atoms if reached(a, world)]
        return atoms[0] if atoms else None

    def to_bring_about(self, formula: Formula) -> Formula:
        """Return a conjunction without what an empty hand makes true: that something is not held."""
        denied = (c.part if isinstance(c, Not) else None for c in conjuncts(formula))
        held = self.pack.mapping.robot_held.predicate
        empty = [isinstance(atom, Atom) and atom.predicate == held for atom in denied]
        parts = [c for c, by_itself in zip(conjuncts(formula), empty, strict=True) if not by_itself]
        return conjunction(parts) if any(empty) else formula

    def trips_saved(self, haul: Haul) -> int:
        """The millimetres of driving there and back that carrying all things at once may save."""
        apart = sum(2 * self.belief.routes.distance(source, haul.target) for source in haul.sources)
        return apart - 2 * self.along(haul.rooms, haul.target)

    def along(self, rooms: Sequence[str], target: str) -> int:
        """The millimetres of driving through rooms to the last one."""
        stops = [*rooms, target]
        return sum(self.belief.routes.distance(a, b) for a, b in itertools.pairwise(stops))

    def way_through(self, haul: Haul, start: str) -> tuple[str, ...]:
        """Return the rooms that things come from in the order that takes the least driving from a start."""
        orders = itertools.permutations(haul.rooms)
        distance = self.belief.routes.distance
        return min(orders, key=lambda o: distance(start, o[0]) + self.along(o, haul.target))

    def travels(self, name: str) -> bool:
        """Return whether a thing may be moved with others in or on it, or with others around it."""
        above = self.world.state.above(name)
        return (
            above is not None
            and self.belief.scene.nodes[above].type != "object"
            and not self.contents(name)
            and not any(self.facts.holds(p, (name,)) for p in self.lasting)
        )

    def contents(self, name: str) -> list[str]:
        return [args[0] for r in self.pack.locations for args in self.facts.with_argument(r, 1, name)]

    def loaded(self, haul: Haul) -> Iterator[tuple[str, PlanSkeleton]]:
        """Yield carriers with a plan each that does all of a haul; add the one taken to ``used``."""
        for carrier in self.carriers(haul):
            skeleton = self.with_carrier(haul.without(carrier), carrier)  # it may be on its way there itself
            if skeleton is not None:
                yield carrier, skeleton

    # Carriers

    @cached_property
    def movable(self) -> list[str]:
        """The things that the robot can pick up, and in or on which things can be put."""
        held = self.pack.mapping.robot_held.predicate
        names = []
        for name in self.belief.scene.by_type.get("object", ()):
            if self.may_be(held, name) and any(self.may_be(r, "", name) for r in self.pack.locations):
                names.append(name)
        return [n for n in names if self.travels(n)]

    def may_be(self, predicate: str, *args: str) -> bool:
        """Return whether the pack's requirements let a fact come true; an empty name stands for anything."""
        binding = dict(zip(("x", "y"), args, strict=False))
        needs = [ground_atom(n, binding) for n in self.pack.mapping.requires.get(predicate, ())]
        return bool(needs) and all("" in n.args or self.facts.holds(n.predicate, n.args) for n in needs)

    def carriers(self, haul: Haul) -> list[str]:
        """Return the nearest carriers that are free to be used and take every thing."""
        routes, saved = self.belief.routes, self.trips_saved(haul)
        ranked = []
        for name in self.movable:
            check_time("looking for something to carry things in")
            room = self.world.state.around(name)[-1]
            if name in self.used or not routes.connected(room, haul.target):
                continue
            away = min(routes.distance(room, source) for source in haul.rooms)
            if away >= saved:
                continue
            things = [t for t in haul.things if t != name]
            if self.own_parts(name) is not None and all(self.relations(t, name) for t in things):
                ranked.append((away, name))
        return [name for _, name in sorted(ranked)[:MAX_CARRIERS]]

    def relations(self, thing: str, carrier: str) -> list[GroundAtom]:
        """Return the ways in which a thing can be in or on a carrier."""
        return [Atom(r, (thing, carrier)) for r in self.pack.locations if self.may_be(r, thing, carrier)]

    def own_parts(self, carrier: str) -> list[Formula] | None:
        """Return what the goal says of a carrier's place; ``None`` when it mentions it otherwise.

        Of several places that would do it is the present one. Ways to hold the carrier are left out.
        """
        own: list[Formula] = []
        held = Atom(self.pack.mapping.robot_held.predicate, (carrier,))
        for part in self.speaking.get(carrier, ()):
            options = part.parts if isinstance(part, Or) else (part,)
            places = [a for a in options if is_ground_atom(a) and a.predicate in self.pack.locations]
            others = [o for o in options if o not in places]
            if not places or any(a.args[0] != carrier for a in places):
                return None
            if not all(held in conjuncts(other) for other in others):
                return None
            present = [a for a in places if self.facts.holds(a.predicate, a.args)]
            own.append(disjunction(tuple(present[:1] or places)))
        return own

    # Loading, carrying, unloading

    def with_carrier(self, haul: Haul, carrier: str) -> PlanSkeleton | None:
        """Plan to load, carry and unload a carrier; ``None`` when some step has no plan or does not work."""
        world = World(self.belief, (), self.facts)
        done: list[PlanAction] = []
        placed = [world.state.around(a.args[1])[0] for a in haul.atoms]
        for source in self.way_through(haul, world.state.around(carrier)[-1]) if haul.atoms else ():
            if world.state.around(carrier)[-1] != source and not self.put(carrier, source, [], world, done):
                return None
            here = zip(haul.things, haul.sources, strict=True)
            ways = [self.relations(thing, carrier) for thing, room in here if room == source]
            most = max(len(w) for w in ways)
            if not any(self.do([w[min(n, len(w) - 1)] for w in ways], world, done) for n in range(most)):
                return None
        own = self.own_parts(carrier) or []
        if not self.put(carrier, haul.target, placed, world, done):
            return None
        if not self.do(haul.atoms, world, done) or not self.do(own, world, done):
            return None
        return PlanSkeleton(tuple(done))

    def put(self, carrier: str, room: str, near: Sequence[str], world: World, done: list[PlanAction]) -> bool:
        """Put a carrier down somewhere in a room, beside other things rather than elsewhere."""
        scene = self.belief.scene
        places = [n for n in near if scene.nodes[n].type != "object"]
        places += [room, *(n for n in scene.by_type.get("asset", ()) if scene.room_of(n) == room)]
        options = [a for place in dict.fromkeys(places) for a in self.relations(carrier, place)]
        return any(self.do([option], world, done) for option in options[:MAX_PLACES])

    def do(self, goals: Sequence[Formula], world: World, done: list[PlanAction]) -> bool:
        """Bring goals about one after the other; a world in which that fails is left as it was."""
        goals = [g for g in goals if not reached(g, world)]
        self.steps += len(goals)
        plans = self.solve(goals, world.state.facts) if goals else []
        if plans is None:
            return False
        trial, actions = world.fork(), list[PlanAction]()
        for goal, plan in zip(goals, plans, strict=True):
            carried = accepted(plan, goal, trial)
            if isinstance(carried, Refusal):
                return False
            actions += carried.actions
        if not reached(conjunction(goals), trial):
            return False
        world.state = trial.state
        done += [a for a in actions if not self._is_drive(a) and not a.event]
        return True

    def _is_drive(self, action: PlanAction) -> bool:
        return self.pack.mapping_of(action.name).navigation
