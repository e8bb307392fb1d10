"""The planning problem: positive STRIPS with types and costs, independent of how it is written down.

A :class:`Problem` is built over the closure of a goal in normal form. What the goal needs beyond STRIPS
(negation, disjunction, cardinality constraints, ``sometime``) is compiled here into extra predicates and
actions. Another compilation may replace this one as long as :meth:`Problem.scene_plan`, which leaves the
extra actions out, makes of every plan one that satisfies the goal, and the same input gives the same problem.

- a negated fact becomes a complementary predicate ``not-p``, kept up by every action that changes ``p``;
- ``sometime`` over a literal becomes a free action that notes it;
- a derived literal (``in_room`` where a crate could carry the thing) becomes marks, see ``placement``;
- disjunctions and cardinality constraints become an *end phase*: a free action ends acting, after which only
  goal actions apply, one per disjunct, and counters that walk over the parts without ever deleting.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

from ..domains.action import Action, Plan, PlanAction
from ..domains.deadline import check_size, check_time
from ..domains.errors import GroundplanError
from ..domains.formula import (
    PASSING,
    And,
    Atom,
    Cardinality,
    Formula,
    GroundAtom,
    Not,
    Or,
    Sometime,
    TrajectoryConstraint,
    TypedVar,
    Var,
    as_ground,
    conjuncts,
    step_atom,
    step_name,
)
from ..domains.formula import names as names_in
from ..simulator.belief import Belief
from ..simulator.facts import Facts
from ..simulator.world import matched
from .equality import equality_facts, equality_predicates, inequalities_as_facts, told_apart
from .forms import literals, to_bring_about
from .placement import goal_atom, marks
from .relevance import NEAREST, Closure, closure
from .run_conditions import Passing, RunConditions, TooManyCases, Variant
from .symbols import ROOT

# Names of what a problem adds have brackets, as no name of a pack can; their symbols are the words between.
ACTING, ENDED, END_ACTING = "(acting)", "(ended)", "(end-acting)"
ROUTE = "(route)"
WORK = "writing the problem"


def complement_of(predicate: str) -> str:
    """Return the name of the predicate that holds where another does not."""
    return f"(not-{predicate})"


def in_order(facts: Iterable[GroundAtom]) -> tuple[GroundAtom, ...]:
    """Return facts by the words of their predicates and their arguments, each once."""
    return tuple(sorted(set(facts), key=lambda a: (a.predicate.strip("()"), a.args)))


class Unsupported(GroundplanError):
    """Error for a goal that no engine supports, with the reason."""


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
    one_by_one = nearest is None
    return _Builder(goal, belief, now, relevant, every_action, one_by_one, as_written).build()


def denied_to_events(goal: Formula, belief: Belief) -> tuple[GroundAtom, ...]:
    """Return the facts that a goal in normal form wants false and that an event of the pack could add.

    To an engine an event is a free action that it need not take. In the world it happens by itself, so that
    a plan for such a goal may be refused by the simulator without a fault of anybody's.
    """
    added = belief.pack.event_facts
    denied = (atom for atom, positive in literals(goal) if not positive and atom.predicate in added)
    return tuple(dict.fromkeys(denied))


class _Builder:
    def __init__(
        self,
        goal: Formula,
        belief: Belief,
        now: Facts,
        relevant: Closure,
        every_action: bool,
        one_by_one: bool,
        as_written: bool,
    ) -> None:
        self.goal, self.belief, self.now, self.relevant = goal, belief, now, relevant
        self.every_action, self.as_written = every_action, as_written
        # Disjunctions and counts of one conjunction are then shown one after the other: all of them have to
        # be, and a search that proves costs would go through all orders, since showing costs nothing.
        self.one_by_one = one_by_one
        self.shown_before: GroundAtom | None = None
        self.pack, self.domain = belief.pack, belief.pack.domain
        self.extra_actions: list[Action] = []
        self.extra_predicates: dict[str, tuple[TypedVar, ...]] = {}
        self.extra_init: list[GroundAtom] = []
        self.constants: set[str] = set()
        self.negated: set[str] = set()
        self.end_phase = False
        self.marks_at_end = False
        self.passing = Passing((), belief)
        self.kept: list[TrajectoryConstraint] = []
        self.constraints: tuple[TrajectoryConstraint, ...] = ()
        self.aliases: dict[str, str] = {}
        self.among: dict[frozenset[str], str] = {}

    def build(self) -> Problem:
        goal = self.condition(self.goal)
        check_time(WORK)
        for name in (n for one in self.kept for n in names_in(one) if n in self.belief.scene.nodes):
            self.relevant.names.setdefault(name)
        self.passing = Passing(self.kept, self.belief)
        self.add_passed()
        objects = self.objects()
        kept = {name for name, _ in objects}
        schemas = self.relevant.schemas()
        navigation = self.pack.navigation
        self.mark(kept)
        actions = [
            a
            for n, a in self.domain.actions.items()
            if self.every_action or n in schemas or n == navigation.name
        ]
        actions, memory = self.keeping_run(actions, objects)
        goal = (*goal, *memory)
        ends = [n for n, t in objects if self.domain.is_a(t, navigation.parameters[0].type)]
        # One drives to what stays where it is: a pack may have its things for places, too.
        places = [n for n in ends if self.belief.scene.nodes[n].type != "object"]
        distances = self.distances(places)
        actions, routes = self.routed(actions, distances, ends)
        conditions = (*goal, *(p for a in self.extra_actions for p in a.precondition))
        in_actions = (p for a in actions for p in (*a.precondition, *a.add, *a.delete))
        atoms = (*conditions, *in_actions, *(a for one in self.constraints for a, _ in literals(one)))
        used = {a.predicate for a in atoms if a.predicate in self.domain.predicates} | self.negated
        init = self.initial(used, kept)
        # Driving from a place to itself is ruled out by `routed` where it would matter.
        split = {
            a.name: [a] if self.own_name(a) == navigation.name else told_apart(a, self.negated, self.pack)
            for a in actions
        }
        actions = [self.complemented(variant) for variants in split.values() for variant in variants]
        self.aliases |= {
            v.name: self.aliases.get(name, name)
            for name, variants in split.items()
            for v in variants
            if v.name != name
        }
        self.extra_predicates |= equality_predicates(actions)
        init += equality_facts(actions, objects, self.domain.types)
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
            init=in_order(init),
            goal=goal,
            distances=distances,
            navigation=navigation.name,
            events=frozenset(e.name for e in self.pack.events),
            artificial=frozenset(a.name for a in self.extra_actions),
            complete=self.relevant.complete,
            aliases=self.aliases,
            constraints=self.constraints,
        )

    # Constraints on the run

    def keeping_run(
        self, actions: list[Action], objects: tuple[tuple[str, str], ...]
    ) -> tuple[list[Action], list[GroundAtom]]:
        """Compile constraints into the actions that touch them; return what they ask of the end as well."""
        if not self.kept:
            return actions, []
        runs = tuple(one for one in self.kept if one.kind != "never-do")
        steps = tuple(one for one in self.kept if one.kind == "never-do")
        for one in steps:
            self.check_barred(one)
        if self.as_written:
            self.constraints, runs = runs, ()
            self.constants.update(n for one in self.constraints for n in names_in(one))
        run = RunConditions(runs, steps, self.belief, self.now, objects)
        if (start := run.start()) is None:
            raise Unsupported("the first state breaks a constraint on the run")
        self.extra_predicates |= {name: () for name in run.predicates()}
        self.extra_init += start
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
            conditions.append(atom if positive else self.complement(atom))
            self.constants.update(atom.args)
        for parameter, names in sorted(one.case.among, key=lambda pair: pair[0]):
            fact = self.among.setdefault(names, f"(among {len(self.among)})")
            self.extra_predicates[fact] = (TypedVar("x", ROOT),)
            self.extra_init += [Atom(fact, (name,)) for name in sorted(names)]
            conditions.append(Atom(fact, (Var(parameter),)))
        return replace(
            action,
            precondition=(*action.precondition, *conditions),
            add=(*action.add, *one.add),
            delete=(*action.delete, *one.delete),
        )

    def check_barred(self, forbidden: TrajectoryConstraint) -> None:
        """Refuse a forbidden way that routes still go."""
        pattern, ways = forbidden.parts[0], self.belief.scene.neighbours
        if not isinstance(pattern, Atom) or step_name(pattern) != PASSING:
            return
        for ends in ((a, b) for a, near in ways.items() for b in near):
            if ends not in self.belief.barred and matched(pattern, step_atom(PASSING, ends)) is not None:
                raise Unsupported("a way that is forbidden is no action of the problem")

    def own_name(self, action: Action) -> str:
        """Return the pack's name of an action or of a variant of one."""
        return self.aliases.get(action.name, action.name)

    # Objects, distances, initial state

    def objects(self) -> tuple[tuple[str, str], ...]:
        nodes, types = self.belief.scene.nodes, self.pack.mapping.types
        return tuple(sorted((n, types[nodes[n].type]) for n in self.relevant.names if nodes[n].type in types))

    def distances(self, places: Sequence[str]) -> dict[tuple[str, str], int]:
        """Return the millimetres between places, without pairs that no route connects."""
        check_size("facts", len(places) ** 2, WORK)
        routes = self.belief.routes
        joined = ((a, b) for a in places for b in places if routes.connected(a, b))
        if self.passing.groups:
            joined = ((a, b) for a, b in joined if not self.passing.unseen(a, b))
        return {(a, b): routes.distance(a, b) for a, b in joined}

    def add_passed(self) -> None:
        """Add to the objects what drives have to stop at, so that constraints on the run see it."""
        if not self.passing.groups:
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
                self.relevant.names |= dict.fromkeys(self.passing.unseen(start, end))

    def routed(
        self, actions: list[Action], distances: Mapping[tuple[str, str], int], places: Sequence[str]
    ) -> tuple[list[Action], list[GroundAtom]]:
        """Give driving a static precondition ``route`` if not every place can be reached from every other.

        Likewise if the goal denies the robot a place: driving from a place to itself would make the place and
        its complement true at once.
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

    # Compilation of the goal

    def condition(self, node: Formula) -> tuple[GroundAtom, ...]:
        """Return equivalent positive atoms, adding the predicates and actions that they need."""
        atoms: dict[GroundAtom, None] = {}
        for part in conjuncts(node):
            match part:
                case Atom(predicate, _) | Not(Atom(predicate, _)) if predicate in self.pack.mapping.derived:
                    atoms[self.marked(part)] = None
                case Atom():
                    atoms[as_ground(part)] = None
                case Not(Atom() as atom):
                    atoms[self.complement(as_ground(atom))] = None
                case Sometime(body):
                    atoms[self.noted(body)] = None
                case Or(parts):
                    atoms[self.next_shown(self.shown(parts))] = None
                case Cardinality(_, number, parts):
                    atoms[self.next_shown(self.counted(number, parts))] = None
                case And():
                    atoms |= dict.fromkeys(self.condition(part))
                case TrajectoryConstraint():
                    self.kept.append(part)
                case _:
                    raise Unsupported(f"not in normal form: {part}")
        return tuple(atoms)

    def marked(self, literal: Formula) -> GroundAtom:
        """Return the mark of the end phase that stands for a derived literal."""
        self.end()
        self.marks_at_end = True
        atom, positive = next(literals(literal))
        return goal_atom(atom, positive, self.belief)

    def mark(self, kept: set[str]) -> None:
        """Add what makes the marks of the derived literals that must hold in the end."""
        if self.marks_at_end:
            added = marks(self.relevant.followed, self.belief, sorted(kept), Atom(ENDED))
            self.extra_predicates |= added.predicates
            self.extra_actions += added.actions
            self.extra_init += added.init

    def complement(self, atom: GroundAtom) -> GroundAtom:
        name = complement_of(atom.predicate)
        self.negated.add(atom.predicate)
        self.extra_predicates[name] = self.domain.predicates[atom.predicate].parameters
        return Atom(name, atom.args)

    def free_action(self, name: str, precondition: tuple[GroundAtom, ...], add: GroundAtom) -> None:
        self.extra_predicates.setdefault(add.predicate, ())
        for atom in precondition:
            self.constants.update(atom.args)
        self.extra_actions.append(Action(name, (), precondition, (add,), (), 0))

    def noted(self, literal: Formula) -> GroundAtom:
        """Return a fact that a free action adds while a literal holds.

        Where derived literals are in it, acting pauses: once, since the marks of a moment stay.
        """
        if any(a.predicate in self.pack.mapping.derived for a, _ in literals(literal)):
            return self.noted_in_pause(literal)
        fact: GroundAtom = Atom(f"(seen-{len(self.extra_actions)})")
        needed = self.condition(literal)
        self.free_action(f"(note-{len(self.extra_actions)})", needed, fact)
        return fact

    def noted_in_pause(self, literal: Formula) -> GroundAtom:
        """Return a fact that is added in a pause of acting, in which the places of things are marked."""
        self.end()
        phase = f" {len(self.extra_actions)}"
        marks_of_phase: list[GroundAtom] = [Atom(n) for n in (ACTING, f"(fresh{phase})", f"(paused{phase})")]
        acting, fresh, paused = marks_of_phase
        seen: GroundAtom = Atom(f"(seen{phase})")
        self.extra_predicates |= {a.predicate: () for a in (fresh, paused, seen)}
        self.extra_init.append(fresh)
        kept = sorted(name for name, _ in self.objects())
        added = marks(self.relevant.followed, self.belief, kept, paused, phase)
        self.extra_predicates |= added.predicates
        self.extra_init += added.init
        needed = tuple(
            goal_atom(a, positive, self.belief, phase)
            if a.predicate in self.pack.mapping.derived
            else (a if positive else self.complement(a))
            for a, positive in literals(literal)
        )
        self.extra_actions += (
            Action(f"(pause{phase})", (), (acting, fresh), (paused,), (acting, fresh), 0),
            *added.actions,
            Action(f"(resume{phase})", (), (paused,), (acting,), (paused,), 0),
        )
        self.free_action(f"(note{phase})", (paused, *needed), seen)
        return seen

    def next_shown(self, fact: GroundAtom) -> GroundAtom:
        """Let what is shown next wait for a fact of the end phase."""
        if self.one_by_one:
            self.shown_before = fact
        return fact

    def branch_conditions(self, parts: Sequence[Formula]) -> list[tuple[GroundAtom, ...]]:
        """Return the conditions of parts of which not all have to hold: none waits for another."""
        before = self.shown_before
        conditions = []
        for part in parts:
            self.shown_before = before
            conditions.append(self.condition(part))
        self.shown_before = before
        return conditions

    def end(self) -> GroundAtom:
        """Return the fact of the end phase that showing waits for, and add the action that begins it."""
        if not self.end_phase:
            self.end_phase = True
            self.extra_predicates |= {ACTING: (), ENDED: ()}
            self.extra_init.append(Atom(ACTING))
            ending = Action(END_ACTING, (), (Atom(ACTING),), (Atom(ENDED),), (Atom(ACTING),), 0)
            self.extra_actions.append(ending)
        return self.shown_before or Atom(ENDED)

    def shown(self, parts: tuple[Formula, ...]) -> GroundAtom:
        """Return a fact of the end phase that holds if one of the disjuncts does."""
        ended = self.end()
        conditions = self.branch_conditions(parts)
        fact: GroundAtom = Atom(f"(shown-{len(self.extra_actions)})")
        self.extra_predicates[fact.predicate] = ()  # also for an empty disjunction, which no action shows
        for condition in conditions:
            self.free_action(f"(show-{len(self.extra_actions)})", (ended, *condition), fact)
        return fact

    def counted(self, number: int, parts: tuple[Formula, ...]) -> GroundAtom:
        """Return a fact of the end phase that holds if ``number`` of the parts do.

        Counters walk over the parts: ``count-k-j-c`` holds if c of the first j parts do.
        """
        ended = self.end()
        conditions = self.branch_conditions(parts)
        key = f"count-{len(self.extra_actions)}"

        def fact(index: int, true: int) -> GroundAtom:
            return Atom(f"({key}-{index}-{true})")

        start = fact(0, 0)
        self.extra_predicates[start.predicate] = ()
        self.extra_init.append(start)
        for index, condition in enumerate(conditions):
            for true in range(min(index, number) + 1):
                if number - true > len(parts) - index:
                    continue
                here = fact(index, true)
                self.extra_predicates.setdefault(here.predicate, ())
                if true < number:
                    action = f"(hit-{len(self.extra_actions)})"
                    self.free_action(action, (ended, here, *condition), fact(index + 1, true + 1))
                self.free_action(f"(skip-{len(self.extra_actions)})", (ended, here), fact(index + 1, true))
        return fact(len(parts), number)

    def complemented(self, action: Action) -> Action:
        """Return the action with the complement of every negated predicate kept up."""
        add, delete = list(action.add), list(action.delete)
        for atom in action.add:
            if atom.predicate in self.negated:
                delete.append(Atom(complement_of(atom.predicate), atom.args))
        for atom in action.delete:
            if atom.predicate in self.negated and atom not in action.add:
                add.append(Atom(complement_of(atom.predicate), atom.args))
        return replace(action, add=tuple(add), delete=tuple(delete))

    def complements(self, init: list[GroundAtom], objects: tuple[tuple[str, str], ...]) -> list[GroundAtom]:
        """Return the initial facts of the complementary predicates."""
        true = set(init)
        facts: list[GroundAtom] = []
        for predicate in sorted(self.negated):
            tuples: list[tuple[str, ...]] = [()]
            for parameter in self.domain.predicates[predicate].parameters:
                names = [n for n, t in objects if self.domain.is_a(t, parameter.type)]
                check_size("facts", len(facts) + len(tuples) * len(names), WORK)
                tuples = [(*t, n) for t in tuples for n in names]
            name = complement_of(predicate)
            facts += [Atom(name, t) for t in tuples if Atom(predicate, t) not in true]
        return facts
