"""The planning problem: what an engine gets, independent of how it is written down.

A :class:`Problem` is positive STRIPS with types and costs. Whatever a goal needs beyond that (negation,
disjunction, counting, ``sometime``) is compiled into extra predicates and actions here, and taken
out of the plan again by :meth:`Problem.lift`:

- a negated fact becomes a complementary predicate ``not-p``, kept up by every action that changes ``p``;
- ``sometime`` over a literal becomes a free action that notes it;
- disjunctions and counts become an *end phase*: a free action ends acting, after which only goal actions
  apply, one per disjunct, and counters that walk over the parts of a count without ever deleting.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..domains.action import Action, Plan, PlanAction
from ..domains.errors import GroundplanError, NoRoute
from ..domains.formula import And, Atom, Cardinality, Formula, Not, Or, Sometime, TypedVar, Var, conjuncts
from ..simulator.belief import Belief
from ..simulator.facts import Facts, ground_args
from .forms import literals
from .relevance import NEAREST, Closure, closure

ACTING, ENDED = "acting", "ended"
ROUTE = "route"


class Unsupported(GroundplanError):
    """A goal that no engine may be asked, with the reason."""


@dataclass(frozen=True)
class Problem:
    """Types, objects and facts are sorted; ``constants`` are the objects that actions name.

    ``distances`` are millimetres between places, for the navigation action.
    """

    name: str
    types: Mapping[str, str]
    predicates: Mapping[str, tuple[TypedVar, ...]]
    actions: tuple[Action, ...]
    objects: tuple[tuple[str, str], ...]
    constants: frozenset[str]
    init: tuple[Atom, ...]
    goal: tuple[Atom, ...]
    distances: Mapping[tuple[str, str], int]
    navigation: str
    events: frozenset[str]
    artificial: frozenset[str]
    complete: bool
    """Whether everything relevant is in it, so that a proof of unsolvability speaks for the whole scene."""

    def lift(self, plan: Iterable[tuple[str, ...]]) -> Plan:
        """The pack's actions of an engine's plan: goal actions and counters dropped, events marked."""
        return tuple(
            PlanAction(name, tuple(args), name in self.events)
            for name, *args in plan
            if name not in self.artificial
        )

    def cost(self, plan: Plan) -> int:
        """The cost of a plan in millimetres: effort plus the length of the routes."""
        by_name = {a.name: a for a in self.actions}
        total = 0
        for step in plan:
            cost = by_name[step.name].cost
            total += self.distances[step.args[0], step.args[1]] if cost is None else cost
        return total


def build(
    goal: Formula,
    belief: Belief,
    facts: Facts | None = None,
    nearest: int | None = NEAREST,
    extra: Iterable[str] = (),
    every_action: bool = False,
) -> Problem:
    """Compile a goal in normal form into a problem over what it depends on.

    ``facts`` are what is true now (default: the belief); ``nearest=None`` keeps every helper; ``extra``
    names are kept too, and with ``every_action`` actions that the goal has no need of. Raises
    :class:`Unsupported` for a negation of what an event may bring about.
    """
    now = facts if facts is not None else belief.facts
    wanted = list(literals(goal))
    found = closure(wanted, belief, now, nearest)
    for name in extra:
        found.names.setdefault(name)
    check_events(wanted, found, belief)
    return _Builder(goal, belief, now, found, every_action).build()


def check_events(wanted: Sequence[tuple[Atom, bool]], found: Closure, belief: Belief) -> None:
    """To an engine an event is a free action, which is right as long as nobody wants its effect false."""
    added = {a for (name, _), g in found.actions.items() for a in g.add if _is_event(belief, name)}
    for atom, positive in wanted:
        if positive or atom.predicate not in belief.pack.event_facts:
            continue
        fires = atom in added or any(_could_fire(belief, atom, found))
        if fires:
            raise Unsupported(
                f"{Not(atom)}: an event may make {atom} true, and no engine can be forbidden it"
            )


def _is_event(belief: Belief, action: str) -> bool:
    return belief.pack.mapping_of(action).event


def _could_fire(belief: Belief, atom: Atom, found: Closure) -> Iterable[bool]:
    """Whether some event could add a fact, given the machines and tools of the scene."""
    positive = closure([(atom, True)], belief, belief.facts, nearest=None)
    for (name, _), ground in positive.actions.items():
        yield _is_event(belief, name) and atom in ground.add


class _Builder:
    def __init__(self, goal: Formula, belief: Belief, now: Facts, found: Closure, every_action: bool) -> None:
        self.goal, self.belief, self.now, self.found = goal, belief, now, found
        self.every_action = every_action
        self.pack, self.domain = belief.pack, belief.pack.domain
        self.extra_actions: list[Action] = []
        self.extra_predicates: dict[str, tuple[TypedVar, ...]] = {}
        self.extra_init: list[Atom] = []
        self.constants: set[str] = set()
        self.negated: set[str] = set()
        self.end_phase = False

    def build(self) -> Problem:
        goal = self.condition(self.goal)
        objects = self.objects()
        kept = {name for name, _ in objects}
        schemas = self.found.schemas()
        navigation = self.pack.navigation
        actions = [
            a
            for n, a in self.domain.actions.items()
            if self.every_action or n in schemas or n == navigation.name
        ]
        places = [n for n, t in objects if self.domain.is_a(t, navigation.parameters[0].type)]
        distances = self.distances(places)
        actions, routes = self.routed(actions, distances, places)
        used = {p.predicate for a in actions for p in (*a.precondition, *a.add, *a.delete)} - {ROUTE}
        asked = (*goal, *(p for a in self.extra_actions for p in a.precondition))
        used |= {a.predicate for a in asked if a.predicate in self.domain.predicates} | self.negated
        init = self.initial(used, kept)
        actions = [self.complemented(a) for a in actions]
        init += [*self.complements(init, objects), *self.extra_init, *routes]
        if self.end_phase:
            actions = [replace(a, precondition=(Atom(ACTING), *a.precondition)) for a in actions]
        predicates = {p: self.domain.predicates[p].parameters for p in sorted(used)}
        return Problem(
            name=self.belief.scene.name,
            types=self.domain.types,
            predicates={**predicates, **self.extra_predicates},
            actions=(*actions, *self.extra_actions),
            objects=objects,
            constants=frozenset(self.constants),
            init=tuple(sorted(set(init), key=lambda a: (a.predicate, a.args))),
            goal=goal,
            distances=distances,
            navigation=navigation.name,
            events=frozenset(e.name for e in self.pack.events),
            artificial=frozenset(a.name for a in self.extra_actions),
            complete=self.found.complete,
        )

    # What is in it

    def objects(self) -> tuple[tuple[str, str], ...]:
        nodes, types = self.belief.scene.nodes, self.pack.mapping.types
        return tuple(sorted((n, types[nodes[n].type]) for n in self.found.names if nodes[n].type in types))

    def distances(self, places: Sequence[str]) -> dict[tuple[str, str], int]:
        found = {}
        for a in places:
            for b in places:
                try:
                    found[a, b] = self.belief.routes.distance(a, b)
                except NoRoute:
                    continue
        return found

    def routed(
        self, actions: list[Action], distances: Mapping[tuple[str, str], int], places: Sequence[str]
    ) -> tuple[list[Action], list[Atom]]:
        """Where not every place can be reached, driving needs a static ``route``.

        It also does where the goal wants the robot away from somewhere: driving from a place to itself
        would make the place and its complement true at once.
        """
        if len(distances) == len(places) ** 2 and self.pack.at not in self.negated:
            return actions, []
        navigation = self.pack.navigation
        parameters = navigation.parameters
        self.extra_predicates[ROUTE] = (
            TypedVar("from", parameters[0].type),
            TypedVar("to", parameters[1].type),
        )
        route = Atom(ROUTE, tuple(Var(p.name) for p in parameters[:2]))
        changed = [
            replace(a, precondition=(*a.precondition, route)) if a.name == navigation.name else a
            for a in actions
        ]
        return changed, [Atom(ROUTE, pair) for pair in sorted(distances) if pair[0] != pair[1]]

    def initial(self, used: set[str], kept: set[str]) -> list[Atom]:
        found: list[Atom] = []
        for predicate in sorted(used):
            arity = self.domain.predicates[predicate].arity
            if arity == 0:
                found += [Atom(predicate, args) for args in self.now.all(predicate)]
                continue
            for name in kept:
                for args in self.now.with_argument(predicate, 0, name):
                    if all(a in kept for a in args):
                        found.append(Atom(predicate, args))
        return found

    # What STRIPS lacks

    def condition(self, node: Formula) -> tuple[Atom, ...]:
        """Positive atoms that say the same, with the extra predicates and actions that this takes."""
        found: dict[Atom, None] = {}
        for part in conjuncts(node):
            match part:
                case Atom():
                    found[part] = None
                case Not(Atom() as atom):
                    found[self.opposite(atom)] = None
                case Sometime(body):
                    found[self.noted(body)] = None
                case Or(parts):
                    found[self.shown(parts)] = None
                case Cardinality(_, number, parts):
                    found[self.counted(number, parts)] = None
                case And():
                    found |= dict.fromkeys(self.condition(part))
                case _:
                    raise Unsupported(f"not in normal form: {part}")
        return tuple(found)

    def opposite(self, atom: Atom) -> Atom:
        name = f"not-{atom.predicate}"
        self.negated.add(atom.predicate)
        self.extra_predicates[name] = self.domain.predicates[atom.predicate].parameters
        return Atom(name, atom.args)

    def free_action(self, name: str, precondition: tuple[Atom, ...], add: Atom) -> None:
        self.extra_predicates.setdefault(add.predicate, ())
        for atom in precondition:
            self.constants.update(ground_args(atom))
        self.extra_actions.append(Action(name, (), precondition, (add,), (), 0))

    def noted(self, literal: Formula) -> Atom:
        fact = Atom(f"seen-{len(self.extra_actions)}")
        needed = self.condition(literal)
        self.free_action(f"note-{len(self.extra_actions)}", needed, fact)
        return fact

    def end(self) -> Atom:
        if not self.end_phase:
            self.end_phase = True
            self.extra_predicates |= {ACTING: (), ENDED: ()}
            self.extra_init.append(Atom(ACTING))
            ending = Action("end-acting", (), (Atom(ACTING),), (Atom(ENDED),), (Atom(ACTING),), 0)
            self.extra_actions.append(ending)
        return Atom(ENDED)

    def shown(self, parts: tuple[Formula, ...]) -> Atom:
        ended = self.end()
        conditions = [self.condition(part) for part in parts]
        fact = Atom(f"shown-{len(self.extra_actions)}")
        self.extra_predicates[fact.predicate] = ()  # nothing shows an empty disjunction
        for condition in conditions:
            self.free_action(f"show-{len(self.extra_actions)}", (ended, *condition), fact)
        return fact

    def counted(self, number: int, parts: tuple[Formula, ...]) -> Atom:
        """Walk over the parts; ``count-k-j-c`` says that c of the first j parts were found true."""
        ended = self.end()
        conditions = [self.condition(part) for part in parts]
        key = f"count-{len(self.extra_actions)}"

        def fact(index: int, found: int) -> Atom:
            return Atom(f"{key}-{index}-{found}")

        start = fact(0, 0)
        self.extra_predicates[start.predicate] = ()
        self.extra_init.append(start)
        for index, condition in enumerate(conditions):
            for found in range(min(index, number) + 1):
                if number - found > len(parts) - index:
                    continue
                here = fact(index, found)
                self.extra_predicates.setdefault(here.predicate, ())
                if found < number:
                    action = f"hit-{len(self.extra_actions)}"
                    self.free_action(action, (ended, here, *condition), fact(index + 1, found + 1))
                self.free_action(f"skip-{len(self.extra_actions)}", (ended, here), fact(index + 1, found))
        return fact(len(parts), number)

    def complemented(self, action: Action) -> Action:
        """The action with the complement of every negated predicate kept up."""
        add, delete = list(action.add), list(action.delete)
        for atom in action.add:
            if atom.predicate in self.negated:
                delete.append(Atom(f"not-{atom.predicate}", atom.args))
        for atom in action.delete:
            if atom.predicate in self.negated and atom not in action.add:
                add.append(Atom(f"not-{atom.predicate}", atom.args))
        return replace(action, add=tuple(add), delete=tuple(delete))

    def complements(self, init: list[Atom], objects: tuple[tuple[str, str], ...]) -> list[Atom]:
        true = set(init)
        found = []
        for predicate in sorted(self.negated):
            tuples: list[tuple[str, ...]] = [()]
            for parameter in self.domain.predicates[predicate].parameters:
                names = [n for n, t in objects if self.domain.is_a(t, parameter.type)]
                tuples = [(*t, n) for t in tuples for n in names]
            found += [Atom(f"not-{predicate}", t) for t in tuples if Atom(predicate, t) not in true]
        return found
