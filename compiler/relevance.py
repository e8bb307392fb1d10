"""Relevance: what of a scene a goal depends on, by backward closure over the pack's actions.

From the goal's facts, every action that brings a fact about is followed to what it needs in turn. An
action's free parameters are bound through static facts, what is true now and what is already relevant,
so the work depends on the goal and not on the size of the building. Where many things would serve
(every towel wipes) the nearest few are kept; a wider closure keeps them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ..domains.action import Action, GroundAction, bind, unify
from ..domains.errors import NoRoute
from ..domains.formula import Atom, Var
from ..simulator.belief import Belief
from ..simulator.facts import Args, Facts, extend, ground_args
from .completeness import Completeness

NEAREST = 3
"""How many interchangeable helpers (tools, machines, places to put something down) a narrow closure keeps."""


@dataclass
class Closure:
    """What a goal depends on: facts, the ground actions that change them, and every name in either."""

    facts: dict[Atom, None] = field(default_factory=dict)
    actions: dict[tuple[str, Args], GroundAction] = field(default_factory=dict)
    names: dict[str, None] = field(default_factory=dict)
    complete: bool = True
    """Whether nothing was left out that could have helped."""

    def schemas(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.actions)


def closure(
    goal: Iterable[tuple[Atom, bool]], belief: Belief, facts: Facts, nearest: int | None = NEAREST
) -> Closure:
    """The backward closure of a goal's literals; ``nearest=None`` keeps every helper."""
    return _Search(belief, facts, nearest).run(goal)


class _Search:
    def __init__(self, belief: Belief, facts: Facts, nearest: int | None) -> None:
        self.belief, self.now, self.nearest = belief, facts, nearest
        self.pack = belief.pack
        self.result = Closure()
        self.relevant = Facts()
        self.queue: list[tuple[Atom, bool]] = []
        self.done: set[tuple[Atom, bool]] = set()
        # Who bound a parameter through facts of (predicate, place, name) and must look again at new ones.
        self.waiting: dict[tuple[str, int, str], dict[tuple[Atom, bool], None]] = {}
        self.judge = Completeness(belief, facts)
        self.adders: dict[str, list[tuple[Action, Atom]]] = {}
        self.deleters: dict[str, list[tuple[Action, Atom]]] = {}
        navigation = self.pack.navigation.name
        for action in self.pack.domain.actions.values():
            if action.name != navigation:
                for atom in action.add:
                    self.adders.setdefault(atom.predicate, []).append((action, atom))
                for atom in action.delete:
                    self.deleters.setdefault(atom.predicate, []).append((action, atom))

    def run(self, goal: Iterable[tuple[Atom, bool]]) -> Closure:
        literals = list(goal)
        for atom, positive in literals:
            self.need(atom, positive)
        self.elsewhere(
            {ground_args(a)[0] for a, positive in literals if a.predicate == self.pack.at and not positive}
        )
        denied = {atom for atom, positive in literals if not positive}
        for atom in sorted(denied, key=str):
            # What must leave a place has to go somewhere, when the hand is wanted for more.
            if atom.predicate in self.where and self.now.holds(atom.predicate, ground_args(atom)):
                self.put_down(ground_args(atom)[0], denied)
        self.name(self.now.all(self.pack.at)[0])
        for held in self.now.all(self.pack.mapping.robot_held.predicate):
            self.name(held)
        while self.queue:
            atom, positive = self.queue.pop()
            self.producers(atom, positive)
        self.result.complete = self.result.complete and not self.judge.overlooks(self.relevant)
        return self.result

    def name(self, names: Iterable[str]) -> None:
        for name in names:
            self.result.names.setdefault(name)

    def need(self, atom: Atom, positive: bool = True) -> None:
        if (atom, positive) in self.done:
            return
        self.done.add((atom, positive))
        self.result.facts.setdefault(atom)
        args = ground_args(atom)
        self.name(args)
        self.queue.append((atom, positive))
        if self.relevant.add(atom.predicate, args):
            for place, name in enumerate(args):
                for key in ((atom.predicate, place, name), (atom.predicate, -1, "")):
                    self.queue += self.waiting.pop(key, {})

    def elsewhere(self, denied: set[str]) -> None:
        """Where the robot may not stay, keep the nearest place that it may go to instead."""
        here = self.now.all(self.pack.at)[0][0]
        if here not in denied:
            return
        kind = self.pack.navigation.parameters[1].type
        others = [n for n in self.judge.of_type(kind) if n not in denied and self.far(here, n) < float("inf")]
        self.name(sorted(others, key=lambda n: (self.far(here, n), n))[:1])

    def producers(self, fact: Atom, positive: bool) -> None:
        """Follow every action that makes a fact true (or false) to what it needs."""
        free = self.pack.mapping.robot_free.predicate
        if positive and fact.predicate == free and self.nearest is not None:
            if not self.now.holds(free, ()):
                self.empty_hand()
            return
        table = self.adders if positive else self.deleters
        entries = list(table.get(fact.predicate, ()))
        if positive and fact.predicate == self.pack.at:
            # One drives to a place; reaching into a movable container also needs the way back.
            here, target = self.now.all(self.pack.at)[0][0], ground_args(fact)[0]
            if self.is_item(target):
                entries += self.deleters.get(fact.predicate, ())
                self.set_down(target)
            elif not self.is_item(here):
                return
        for action, atom in entries:
            binding = unify(atom, fact)
            if binding is None:
                continue
            found = self.bindings(action, binding, (fact, positive))
            if fact.predicate == free:
                found = self.one_a_room(action, found)
            for full in found:
                self.take(action, full)
                if fact.predicate == free:
                    self.take_again(action, full)

    def take_again(self, action: Action, full: dict[str, str]) -> None:
        """What the robot holds now, and puts down to have its hand free, may be wanted in it again."""
        held = self.pack.mapping.robot_held.predicate
        for made in action.add:
            atom = bind(made, full)
            if atom.predicate in self.judge.relations and self.now.holds(held, ground_args(atom)[:1]):
                self.need(atom)

    def one_a_room(self, action: Action, found: Iterable[dict[str, str]]) -> Iterator[dict[str, str]]:
        """Of the places in a room where a thing may be put down, one: driving between them costs nothing.

        What the goal speaks of is kept beside it.
        """
        seen: set[tuple[str, ...]] = set()
        for full in sorted(found, key=lambda b: tuple(b.values())):
            key = tuple(self.room(n) if not self.is_item(n) else n for n in full.values())
            if key not in seen or all(n in self.result.names for n in full.values()):
                seen.add(key)
                yield full
            elif not self.judge.roomy:
                self.result.complete = False

    def room(self, name: str) -> str:
        return self.belief.scene.room_of(name) or name

    def take(self, action: Action, binding: dict[str, str]) -> None:
        args = tuple(binding[p.name] for p in action.parameters)
        if (action.name, args) in self.result.actions:
            return
        ground = action.ground(args)
        for atom in ground.precondition:
            if atom.predicate not in self.pack.fluents and not self.now.holds(
                atom.predicate, ground_args(atom)
            ):
                return
        if len(set(args)) < len(args):
            # Arguments differ; where PDDL would let them be the same, nothing shows that there is no plan.
            if self.judge.possible(action, binding) and not any(
                map(self.judge.on_itself, (*ground.precondition, *ground.add))
            ):
                self.result.complete = False
            return
        self.result.actions[action.name, args] = ground
        self.name(args)
        for atom in ground.precondition:
            if atom.predicate in self.pack.fluents:
                self.need(atom)

    def bindings(
        self, action: Action, binding: dict[str, str], who: tuple[Atom, bool]
    ) -> Iterator[dict[str, str]]:
        """Complete a binding through the action's conditions, the most selective first."""
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
            if self.judge.possible(action, binding):
                self.result.complete = False  # it may be anything, and nothing is tried
            return
        kind = min(self.trust(bound) for bound, _ in open_atoms)
        # Only the most trusted are looked up: the rest may be lists as long as the building is large.
        lists = [
            (self.known(bound, atom.predicate not in self.pack.fluents, who), atom)
            for bound, atom in open_atoms
            if self.trust(bound) == kind
        ]
        found, atom = min(lists, key=lambda pair: len(pair[0]))
        static = kind == 0
        if kind > 1 and who[0].predicate != self.pack.mapping.robot_free.predicate:
            # Nothing is known that would bind it: it may be anything of its type.
            name = next(a.name for a in atom.args if isinstance(a, Var) and a.name in free)
            atom = Atom(atom.predicate, (Var(name),))
            found = [
                (n,) for n in self.judge.of_type(next(p.type for p in action.parameters if p.name == name))
            ]
            static = True
        elif not static:
            self.judge.rely(action, bind(atom, binding), binding, who)
        if static and self.nearest is not None and len(found) > self.nearest:
            found = self.closest(atom, found, free, binding)
        for args in found:
            extended = extend(atom, args, binding)
            if extended is not None and self.judge.possible(action, extended):
                yield from self.bindings(action, extended, who)

    def trust(self, atom: Atom) -> int:
        """How well an atom binds a free parameter, 0 best.

        What is static is known completely. Where a thing is may change, so relations bind only what
        statics leave open; where the robot stands changes most easily and binds last.
        """
        if atom.predicate not in self.pack.fluents:
            return 0
        if atom.predicate == self.pack.at:
            return 3
        return 1 if any(isinstance(a, str) for a in atom.args) else 2

    def known(self, atom: Atom, static: bool, who: tuple[Atom, bool]) -> list[Args]:
        """The facts that an atom with free variables may become: true now, or relevant."""
        fixed = [(i, a) for i, a in enumerate(atom.args) if isinstance(a, str)]
        if static:
            lists = [self.now.with_argument(atom.predicate, i, a) for i, a in fixed]
            return min(lists, key=len) if lists else self.now.all(atom.predicate)
        place, name = fixed[0] if fixed else (-1, "")
        self.waiting.setdefault((atom.predicate, place, name), {})[who] = None
        if not fixed:
            both = self.now.all(atom.predicate) + self.relevant.all(atom.predicate)
        else:
            both = self.now.with_argument(atom.predicate, place, name)
            both = both + self.relevant.with_argument(atom.predicate, place, name)
        return list(dict.fromkeys(both))

    def closest(
        self, atom: Atom, found: Sequence[Args], free: Sequence[str], binding: dict[str, str]
    ) -> list[Args]:
        """The helpers that are nearest to the robot and to the thing they are wanted for."""
        assert self.nearest is not None
        index = next(i for i, a in enumerate(atom.args) if isinstance(a, Var) and a.name in free)
        keep: dict[Args, None] = {}
        for centre in dict.fromkeys((self.now.all(self.pack.at)[0][0], *binding.values())):
            ranked = sorted(found, key=lambda args: (self.far(centre, args[index]), args))
            keep |= dict.fromkeys(ranked[: self.nearest])
        self.result.complete = False
        return list(keep)

    def is_item(self, name: str) -> bool:
        return self.belief.scene.nodes[name].type == "object"

    def far(self, centre: str, name: str) -> float:
        here, there = self.whereabouts(centre), self.whereabouts(name)
        if here is None or there is None:
            return float("inf")
        try:
            return self.belief.routes.distance(here, there)
        except NoRoute:
            return float("inf")

    def whereabouts(self, name: str) -> str | None:
        """The fixed place that a thing is at now."""
        for _ in range(len(self.belief.scene.nodes)):
            if self.belief.scene.nodes[name].type != "object":
                return name
            above = None
            for predicate in self.pack.locations:
                for args in self.now.with_argument(predicate, 0, name):
                    above = args[1]
            if above is None:
                return self.now.all(self.pack.at)[0][0]
            name = above
        return None

    def set_down(self, item: str) -> None:
        """A movable thing that is to be reached into may have to be put somewhere else first."""
        if self.nearest is not None:
            self.result.complete = False
            if any(args[0] == item for r in self.where for args in self.now.with_argument(r, 0, item)):
                return
        self.put_down(item, set())

    @property
    def where(self) -> list[str]:
        """The relations in which a thing can be reached where it is: those that putting it down makes."""
        free = self.pack.mapping.robot_free
        made = (a for action, atom in self.adders.get(free.predicate, ()) if atom == free for a in action.add)
        return list(dict.fromkeys(a.predicate for a in made if len(a.args) == 2))

    def empty_hand(self) -> None:
        """Keep what puts down the thing that is held, at relevant places and at the nearest that takes it."""
        self.result.complete = False
        for held in self.now.all(self.pack.mapping.robot_held.predicate):
            self.put_down(held[0], set())

    def put_down(self, item: str, denied: set[Atom]) -> None:
        """Keep what puts a thing down, at relevant places and at the nearest where that is not denied."""
        held = self.pack.mapping.robot_held.predicate
        self.result.complete = self.result.complete and self.judge.roomy
        for action, atom in self.adders.get(self.pack.mapping.robot_free.predicate, ()):
            names = (a.args[0] for a in action.precondition if a.predicate == held)
            name = next((n.name for n in names if isinstance(n, Var)), None)
            if atom.args or name is None:
                continue
            for full in self.bindings_by_statics(action, {name: item}, denied):
                self.take(action, full)
                for made in action.ground(tuple(full[p.name] for p in action.parameters)).add:
                    if len(made.args) == 2:
                        self.need(made)

    def bindings_by_statics(
        self, action: Action, binding: dict[str, str], denied: set[Atom]
    ) -> list[dict[str, str]]:
        free = [p.name for p in action.parameters if p.name not in binding]
        found: list[dict[str, str]] = []
        for atom in action.precondition:
            if atom.predicate in self.pack.fluents or not any(
                isinstance(a, Var) and a.name in free for a in atom.args
            ):
                continue
            options = self.known(bind(atom, binding), True, (atom, True))
            extended = [e for args in options if (e := extend(atom, args, binding)) is not None]
            good = [e for e in extended if self.judge.possible(action, e)]
            good = [e for e in good if len(set(e.values())) == len(e)]
            good = [e for e in good if not any(bind(a, e) in denied for a in action.add)]
            start = self.now.all(self.pack.at)[0][0]
            good.sort(key=lambda e: (self.far(start, e[free[0]]), e[free[0]]))
            relevant = [e for e in good if e[free[0]] in self.result.names]
            found = good[:1] + relevant
            break
        return found
