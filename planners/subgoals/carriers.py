"""Carrying several things at once: load a crate, carry it, unload it, as one more way of several subgoals.

Subgoals that bring things from one room to another can share a carrier: an empty movable thing that the pack
lets the robot pick up and put these things into or onto. The steps are planned by the engine one after the
other and carried out on a world, so a closed box is opened first, and a carrier that does not do is given up.
Which carriers are tried, and where they are put down, may be changed. These rules are what users expect:

- a carrier stays where it was unloaded, unless the goal says where it is or in which room, now or at the
  end: then it is brought there; a carrier or thing that the goal speaks of in any other way is left alone,
  but that it is not to be held asks for nothing, since the hand is empty in the end;
- a thing that holds others, that is in or on a movable thing, or that is in a state which no action ends
  (filled, hot, dirty) does not travel with others: the pack does not say what happens to it on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ...compiler.forms import literals
from ...domains.action import PlanAction, bind
from ...domains.deadline import check_time
from ...domains.formula import Atom, Formula, Not, Or, conjunction, conjuncts, disjunction
from ...simulator.facts import Facts, ground_args
from ...simulator.world import Refusal, World
from .execution import PlanSkeleton, carry_out, reached
from .result import Subgoal

MAX_CARRIERS, MAX_PLACES = 2, 3
"""Most carriers that are tried for the same things, nearest first, and most places to put one down."""

MAX_LOAD = 12
"""Most things in one carrier: no pack says how much one takes, and a person would not pile up more."""

Solve = Callable[[Sequence[Formula], Facts], list[PlanSkeleton] | None]
"""Plans for goals that do not depend on each other, from the same facts; ``None`` if one has none."""


@dataclass(frozen=True, slots=True)
class Haul:
    """Subgoals, by their index, that bring one thing each from one room to another."""

    subgoals: tuple[int, ...]
    atoms: tuple[Atom, ...]
    source: str
    target: str

    @property
    def things(self) -> tuple[str, ...]:
        return tuple(ground_args(a)[0] for a in self.atoms)


class Loading:
    """Ways to carry the things of a goal's subgoals together, in the world before them."""

    def __init__(self, goal: Formula, subgoals: Sequence[Subgoal], world: World, solve: Solve) -> None:
        self.goal, self.subgoals, self.world, self.solve = goal, subgoals, world, solve
        self.belief, self.pack, self.facts = world.belief, world.pack, world.facts
        self.used: set[str] = set()
        # By name, the parts of the goal that speak of it, but for those that an empty hand makes true.
        self.speaking: dict[str, dict[Formula, None]] = {}
        for part in conjuncts(self.to_bring_about(goal)):
            for atom, _ in literals(part):
                for name in ground_args(atom):
                    self.speaking.setdefault(name, {})[part] = None
        schemas, states = self.pack.domain.actions.values(), self.pack.mapping.states.values()
        may_hold = {a.predicate for atoms in (*(s.add for s in schemas), *states) for a in atoms}
        may_end = {a.predicate for s in schemas for a in s.delete}
        unary = {name for name, p in self.pack.domain.predicates.items() if p.arity == 1}
        self.lasting = sorted((may_hold - may_end) & unary)

    def hauls(self) -> list[Haul]:
        """Return the subgoals that share source and target, those first with which most can be saved."""
        groups: dict[tuple[str, str], list[tuple[int, Atom]]] = {}
        for index, subgoal in enumerate(self.subgoals):
            atom = self.placing(subgoal)
            if atom is None:
                continue
            thing, place = ground_args(atom)
            movable = self.belief.scene.nodes[place].type == "object"
            if movable or len(self.speaking.get(thing, ())) != 1 or not self.travels(thing):
                continue
            source, target = self.world.around(thing)[-1], self.world.around(place)[-1]
            if source != target and self.belief.routes.connected(source, target):
                groups.setdefault((source, target), []).append((index, atom))
        hauls = [
            Haul(tuple(i for i, _ in load), tuple(a for _, a in load), source, target)
            for (source, target), members in groups.items()
            for load in (members[n : n + MAX_LOAD] for n in range(0, len(members), MAX_LOAD))
            if len(load) > 1
        ]
        return sorted(hauls, key=lambda h: (-self.trips_saved(h), h.subgoals))

    def placing(self, subgoal: Subgoal) -> Atom | None:
        """Return the place of one thing that a subgoal asks for, as a fact; ``None`` where it asks for more.

        Of several places it is the one to which the subgoal's own plan brings the thing.
        """
        formula = self.to_bring_about(subgoal.formula)
        options = formula.parts if isinstance(formula, Or) else (formula,)
        atoms = [a for a in options if isinstance(a, Atom) and a.predicate in self.pack.locations]
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
        return 2 * (len(haul.things) - 1) * self.belief.routes.distance(haul.source, haul.target)

    def travels(self, name: str) -> bool:
        """Return whether a thing may be moved with others in or on it, or with others around it."""
        above = self.world.above(name)
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
            atoms = [a for a in haul.atoms if a.args[0] != carrier]  # it may be on its way there itself
            skeleton = self.with_carrier(replace(haul, atoms=tuple(atoms)), carrier)
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
        needs = [bind(n, binding) for n in self.pack.mapping.requires.get(predicate, ())]
        return bool(needs) and all(
            "" in n.args or self.facts.holds(n.predicate, ground_args(n)) for n in needs
        )

    def carriers(self, haul: Haul) -> list[str]:
        """Return the nearest carriers that are free to be used and take every thing."""
        routes, saved = self.belief.routes, self.trips_saved(haul)
        ranked = []
        for name in self.movable:
            check_time("looking for something to carry things in")
            room = self.world.around(name)[-1]
            if name in self.used or not routes.connected(room, haul.source):
                continue
            away = routes.distance(room, haul.source)
            if away >= saved:
                continue
            things = [t for t in haul.things if t != name]
            if self.own_parts(name) is not None and all(self.relations(t, name) for t in things):
                ranked.append((away, name))
        return [name for _, name in sorted(ranked)[:MAX_CARRIERS]]

    def relations(self, thing: str, carrier: str) -> list[Atom]:
        """Return the ways in which a thing can be in or on a carrier."""
        return [Atom(r, (thing, carrier)) for r in self.pack.locations if self.may_be(r, thing, carrier)]

    def own_parts(self, carrier: str) -> list[Formula] | None:
        """Return what the goal says of a carrier's place; ``None`` when it speaks of it otherwise.

        Of several places that would do it is the present one. Ways to hold the carrier are left out.
        """
        own: list[Formula] = []
        for part in self.speaking.get(carrier, ()):
            options = part.parts if isinstance(part, Or) else (part,)
            places = [a for a in options if isinstance(a, Atom) and a.predicate in self.pack.locations]
            others = [o for o in options if o not in places]
            if not places or any(a.args[0] != carrier for a in places):
                return None
            if not all(self.holds_it(other, carrier) for other in others):
                return None
            present = [a for a in places if self.facts.holds(a.predicate, ground_args(a))]
            own.append(disjunction(tuple(present[:1] or places)))
        return own

    def holds_it(self, option: Formula, carrier: str) -> bool:
        """Return whether an alternative has the robot hold a carrier."""
        return Atom(self.pack.mapping.robot_held.predicate, (carrier,)) in conjuncts(option)

    # Loading, carrying, unloading

    def with_carrier(self, haul: Haul, carrier: str) -> PlanSkeleton | None:
        """Plan to load, carry and unload a carrier; ``None`` when some step has no plan or does not work."""
        world = World(self.belief, (), self.facts)
        done: list[PlanAction] = []
        placed = [world.around(ground_args(a)[1])[0] for a in haul.atoms]
        if world.around(carrier)[-1] != haul.source and not self.put(carrier, haul.source, [], world, done):
            return None
        ways = [self.relations(thing, carrier) for thing in haul.things]
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
        plans = self.solve(goals, world.facts) if goals else []
        if plans is None:
            return False
        trial, actions = world.fork(), list[PlanAction]()
        for goal, plan in zip(goals, plans, strict=True):
            carried = carry_out(plan, trial)
            if isinstance(carried, Refusal) or not reached(goal, trial):
                return False
            actions += carried
        if not reached(conjunction(goals), trial):
            return False
        world.facts = trial.facts
        done += [a for a in actions if not self._is_drive(a) and not a.event]
        return True

    def _is_drive(self, action: PlanAction) -> bool:
        return self.pack.mapping_of(action.name).navigation
