"""The planning problem: positive STRIPS with types and costs, independent of how it is written down.

A :class:`Problem` is built over the closure of a goal in normal form. What the goal needs beyond STRIPS
(negation, disjunction, cardinality constraints, ``sometime``) is compiled into extra predicates and actions
(``goal_conditions``), and constraints on the run into the actions that touch them. Another compilation may
replace this one as long as :meth:`Problem.scene_plan`, which leaves the extra actions out, makes of every
plan one that satisfies the goal, and the same input gives the same problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

from ..domains.action import Action, Plan, PlanAction
from ..domains.deadline import check_size, check_time
from ..domains.formula import (
    PASSING,
    Atom,
    Formula,
    GroundAtom,
    TrajectoryConstraint,
    TypedVar,
    Var,
    step_atom,
    step_name,
)
from ..domains.formula import names as names_in
from ..simulator.belief import Belief
from ..simulator.facts import Facts
from ..simulator.trajectory import matched
from .equality import equality_facts, equality_predicates, inequalities_as_facts, told_apart
from .forms import literals, to_bring_about
from .goal_conditions import ACTING, WORK, GoalConditions, objects_of
from .goal_conditions import Unsupported as Unsupported
from .relevance import NEAREST, Closure, closure
from .run_conditions import Passing, RunConditions, TooManyCases, Variant
from .symbols import ROOT

ROUTE = "(route)"


def in_order(facts: Iterable[GroundAtom]) -> tuple[GroundAtom, ...]:
    """Return facts by the words of their predicates and their arguments, each once."""
    return tuple(sorted(set(facts), key=lambda a: (a.predicate.strip("()"), a.args)))


@dataclass(frozen=True)
class Problem:
    """A STRIPS problem; objects and facts are sorted, ``constants`` are the objects that actions name.

    ``distances`` are millimetres between places, for the navigation action.
    """

    name: str
    types: Mapping[str, str]
    predicates: Mapping[str, tuple[TypedVar, ...]]
    actions: tuple[Action, ...]
    objects: tuple[tuple[str, str], ...]
    constants: frozenset[str]
    init: tuple[GroundAtom, ...]
    goal: tuple[GroundAtom, ...]
    distances: Mapping[tuple[str, str], int]
    navigation: str
    events: frozenset[str]
    artificial: frozenset[str]
    complete: bool
    """True if nothing relevant is left out, so that its unsolvability is that of the whole scene."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """The pack's names of actions that are split: by equal arguments, or by what the run has to keep."""
    constraints: tuple[TrajectoryConstraint, ...] = ()
    """Constraints on the run that are written as they are, over facts of the problem."""

    def scene_plan(self, plan: Iterable[tuple[str, ...]]) -> Plan:
        """Return the pack's actions of an engine's plan: goal actions and counters dropped, events marked."""
        return tuple(
            PlanAction(own, tuple(args), own in self.events)
            for name, *args in plan
            if name not in self.artificial
            for own in (self.aliases.get(name, name),)
        )

    def without_equality(self) -> Problem:
        """Return the problem for engines that do not know ``=``: arguments differ by a static predicate."""
        if not any(a.distinct for a in self.actions):
            return self
        actions = tuple(inequalities_as_facts(a, self.types) for a in self.actions)
        facts = equality_facts(actions, self.objects, self.types)
        return replace(
            self,
            actions=actions,
            predicates={**self.predicates, **equality_predicates(actions)},
            init=in_order((*self.init, *facts)),
        )

    def cost(self, plan: Plan) -> int:
        """Return the cost of a plan in millimetres: effort plus the length of the routes."""
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
    relevant: Closure | None = None,
    as_written: bool = False,
) -> Problem:
    """Compile a goal in normal form into a problem over its closure.

    ``facts`` are the current state (default: the belief's); ``nearest=None`` keeps every helper; ``extra``
    names are kept too, and with ``every_action`` all actions of the pack. ``relevant`` is the closure of the
    goal's literals, with the same facts and number of helpers, where it was made already. With
    ``as_written``, constraints on the run are those of PDDL3, and not compiled into actions; their parts are
    over facts either way. Raises :class:`Unsupported` for a goal that is not in normal form.
    """
    now = facts if facts is not None else belief.facts
    if relevant is None:
        relevant = closure(to_bring_about(goal), belief, now, nearest)
    for name in extra:
        relevant.names.setdefault(name)
    conditions = GoalConditions(belief, relevant, one_by_one=nearest is None)
    return _Builder(belief, now, relevant, conditions, as_written).build(goal, every_action)


def denied_to_events(goal: Formula, belief: Belief) -> tuple[GroundAtom, ...]:
    """Return the facts that a goal in normal form wants false and that an event of the pack could add.

    To an engine an event is a free action that it need not take. In the world it happens by itself, so that
    a plan for such a goal may be refused by the simulator without a fault of anybody's.
    """
    added = belief.pack.event_facts
    denied = (atom for atom, positive in literals(goal) if not positive and atom.predicate in added)
    return tuple(dict.fromkeys(denied))


def _check_barred(forbidden: TrajectoryConstraint, belief: Belief) -> None:
    """Refuse a forbidden way that routes still go."""
    pattern, ways = forbidden.parts[0], belief.scene.neighbours
    if not isinstance(pattern, Atom) or step_name(pattern) != PASSING:
        return
    for ends in ((a, b) for a, near in ways.items() for b in near):
        if ends not in belief.barred and matched(pattern, step_atom(PASSING, ends)) is not None:
            raise Unsupported("a way that is forbidden is no action of the problem")


class _Builder:
    def __init__(
        self, belief: Belief, now: Facts, relevant: Closure, conditions: GoalConditions, as_written: bool
    ) -> None:
        self.belief, self.now, self.relevant = belief, now, relevant
        self.pack, self.domain = belief.pack, belief.pack.domain
        self.extra, self.as_written = conditions, as_written
        self.constraints: tuple[TrajectoryConstraint, ...] = ()
        self.aliases: dict[str, str] = {}
        self.among: dict[frozenset[str], str] = {}

    def build(self, form: Formula, every_action: bool) -> Problem:
        extra, navigation = self.extra, self.pack.navigation
        goal = extra.condition(form)
        check_time(WORK)
        for name in (n for one in extra.constraints for n in names_in(one) if n in self.belief.scene.nodes):
            self.relevant.names.setdefault(name)
        passing = Passing(extra.constraints, self.belief)
        self.add_passed(passing)
        objects = objects_of(self.relevant, self.belief)
        kept = {name for name, _ in objects}
        extra.add_marks(kept)
        schemas = {*self.relevant.schemas(), navigation.name}
        actions = [a for n, a in self.domain.actions.items() if every_action or n in schemas]
        actions, memory = self.keeping_run(actions, objects)
        goal = (*goal, *memory)
        ends = [n for n, t in objects if self.domain.is_a(t, navigation.parameters[0].type)]
        # One drives to what stays where it is: a pack may have its things for places, too.
        places = [n for n in ends if self.belief.scene.nodes[n].type != "object"]
        distances = self.distances(places, passing)
        actions, routes = self.routed(actions, distances, ends)
        used = self.used(goal, actions)
        init = self.initial(used, kept)
        actions = [extra.complemented(a) for a in self.told_apart(actions)]
        extra.predicates |= equality_predicates(actions)
        init += equality_facts(actions, objects, self.domain.types)
        init += [*extra.complements(init, objects), *extra.init, *routes]
        if ACTING in extra.predicates:
            actions = [replace(a, precondition=(Atom(ACTING), *a.precondition)) for a in actions]
        predicates = {p: self.domain.predicates[p].parameters for p in sorted(used)}
        return Problem(
            name=self.belief.scene.name,
            types=self.domain.types,
            predicates={**predicates, **extra.predicates},
            actions=(*actions, *extra.actions),
            objects=objects,
            constants=frozenset(extra.constants),
            init=in_order(init),
            goal=goal,
            distances=distances,
            navigation=navigation.name,
            events=frozenset(e.name for e in self.pack.events),
            artificial=frozenset(a.name for a in extra.actions),
            complete=self.relevant.complete,
            aliases=self.aliases,
            constraints=self.constraints,
        )

    def used(self, goal: Iterable[GroundAtom], actions: Iterable[Action]) -> set[str]:
        """Return the pack's predicates in goal, actions and constraints, and those with a complement."""
        atoms: list[Atom] = [*goal, *(p for a in self.extra.actions for p in a.precondition)]
        atoms += (p for a in actions for p in (*a.precondition, *a.add, *a.delete))
        atoms += (a for one in self.constraints for a, _ in literals(one))
        return {a.predicate for a in atoms if a.predicate in self.domain.predicates} | self.extra.negated

    def told_apart(self, actions: Iterable[Action]) -> Iterator[Action]:
        """Yield the variants of actions by equal arguments."""
        for action in actions:
            own = self.own_name(action)
            # Driving from a place to itself is ruled out by `routed` where it would matter.
            driving = own == self.pack.navigation.name
            for variant in [action] if driving else told_apart(action, own, self.extra.negated, self.pack):
                if variant.name != action.name:
                    self.aliases[variant.name] = own
                yield variant

    # Constraints on the run

    def keeping_run(
        self, actions: list[Action], objects: tuple[tuple[str, str], ...]
    ) -> tuple[list[Action], list[GroundAtom]]:
        """Compile constraints into the actions that touch them; return what they ask of the end as well."""
        if not self.extra.constraints:
            return actions, []
        runs = tuple(one for one in self.extra.constraints if one.kind != "never-do")
        steps = tuple(one for one in self.extra.constraints if one.kind == "never-do")
        for one in steps:
            _check_barred(one, self.belief)
        if self.as_written:
            self.constraints, runs = runs, ()
            self.extra.constants.update(n for one in self.constraints for n in names_in(one))
        run = RunConditions(runs, steps, self.belief, self.now, objects)
        if (start := run.start()) is None:
            raise Unsupported("the first state breaks a constraint on the run")
        self.extra.predicates |= {name: () for name in run.predicates()}
        self.extra.init += start
        changed: list[Action] = []
        for action in actions:
            try:
                variants = run.variants(action)
            except TooManyCases:
                raise Unsupported(
                    f"a constraint on the run has too many cases to be compiled into {action.name}"
                ) from None
            for number, case in enumerate(variants):
                name = f"{action.name} case {number}" if number else action.name
                if number:
                    self.aliases[name] = action.name
                changed.append(self.variant(replace(action, name=name), case))
        if not any(a.name == self.pack.navigation.name for a in changed):
            raise Unsupported("constraints on the run leave no way to drive")
        return changed, run.goal()

    def variant(self, action: Action, one: Variant) -> Action:
        """Return an action in one case."""
        conditions: list[Atom] = []
        for atom, positive in sorted(one.case.literals, key=str):
            conditions.append(atom if positive else self.extra.complement(atom))
            self.extra.constants.update(atom.args)
        for parameter, names in sorted(one.case.among, key=lambda pair: pair[0]):
            fact = self.among.setdefault(names, f"(among {len(self.among)})")
            self.extra.predicates[fact] = (TypedVar("x", ROOT),)
            self.extra.init += [Atom(fact, (name,)) for name in sorted(names)]
            conditions.append(Atom(fact, (Var(parameter),)))
        return replace(
            action,
            precondition=(*action.precondition, *conditions),
            add=(*action.add, *one.add),
            delete=(*action.delete, *one.delete),
        )

    def own_name(self, action: Action) -> str:
        """Return the pack's name of an action or of a variant of one."""
        return self.aliases.get(action.name, action.name)

    # Drives and the initial state

    def distances(self, places: Sequence[str], passing: Passing) -> dict[tuple[str, str], int]:
        """Return the millimetres between places, without pairs that no route connects."""
        check_size("facts", len(places) ** 2, WORK)
        routes = self.belief.routes
        joined = ((a, b) for a in places for b in places if routes.connected(a, b))
        if passing.groups:
            joined = ((a, b) for a, b in joined if not passing.unseen(a, b))
        return {(a, b): routes.distance(a, b) for a, b in joined}

    def add_passed(self, passing: Passing) -> None:
        """Add to the objects what drives have to stop at, so that constraints on the run see it."""
        if not passing.groups:
            return
        nodes, routes = self.belief.scene.nodes, self.belief.routes
        kind, types = self.pack.navigation.parameters[0].type, self.pack.mapping.types
        places = [
            name
            for name in self.relevant.names
            if nodes[name].type != "object" and self.domain.is_a(types.get(nodes[name].type, ""), kind)
        ]
        check_size("facts", len(places) ** 2, WORK)
        for start, end in permutations(places, 2):
            check_time(WORK)
            if routes.connected(start, end):
                self.relevant.names |= dict.fromkeys(passing.unseen(start, end))

    def routed(
        self, actions: list[Action], distances: Mapping[tuple[str, str], int], places: Sequence[str]
    ) -> tuple[list[Action], list[GroundAtom]]:
        """Give driving a static precondition ``route`` if not every place can be reached from every other.

        Likewise if the goal denies the robot a place: driving from a place to itself would make the place and
        its complement true at once.
        """
        if len(distances) == len(places) ** 2 and self.pack.at not in self.extra.negated:
            return actions, []
        navigation = self.pack.navigation
        parameters = navigation.parameters
        self.extra.predicates[ROUTE] = (
            TypedVar("from", parameters[0].type),
            TypedVar("to", parameters[1].type),
        )
        route = Atom(ROUTE, tuple(Var(p.name) for p in parameters[:2]))
        changed = [
            replace(a, precondition=(*a.precondition, route)) if self.own_name(a) == navigation.name else a
            for a in actions
        ]
        return changed, [Atom(ROUTE, pair) for pair in sorted(distances) if pair[0] != pair[1]]

    def initial(self, used: set[str], kept: set[str]) -> list[GroundAtom]:
        facts: list[GroundAtom] = []
        for predicate in sorted(used):
            arity = self.domain.predicates[predicate].arity
            if arity == 0:
                facts += [Atom(predicate, args) for args in self.now.all(predicate)]
                continue
            for name in kept:
                check_time(WORK)
                for args in self.now.with_argument(predicate, 0, name):
                    if all(a in kept for a in args):
                        facts.append(Atom(predicate, args))
        return facts
