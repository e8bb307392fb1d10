"""Guards of commands: facts before a command from which it follows that the command breaks no rule.

They are computed on the plan's own run. In each state that a command passes, the parts of a constraint rest
on facts (``evidence``). These are taken back through the command: what its actions bring about needs nothing,
what they leave alone has to be so before. An event may add a fact, so that one does not come about needs a
condition of each such event to be false. So where a command can be done as planned, and its guards hold, its
constraints have in any world the values that they have in the plan. A command that cannot touch a constraint
in any world has no guard for it. Guards may ask for more than needed, never for less.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise, product

from ...compiler.attainable import Attainable
from ...compiler.normal import ground_form
from ...domains.action import Action, unify
from ...domains.deadline import check_time
from ...domains.errors import GoalError, InputError
from ...domains.evaluate import evaluate
from ...domains.formula import (
    PASSING,
    TRUE,
    And,
    Atom,
    Cardinality,
    Formula,
    GroundAtom,
    Not,
    Or,
    Term,
    TrajectoryConstraint,
    conjunction,
    disjunction,
    is_ground_atom,
    step_atom,
    substitute,
    walk,
)
from ...domains.mapping import ROOM
from ...simulator.belief import Belief
from ...simulator.facts import match
from ...simulator.trajectory import START, Values, after, matched
from ...simulator.verification import watched
from ...simulator.world import Effect, World
from .evidence import atom_of, evidence_of
from .rule import (
    REMEMBERED,
    Clearing,
    PassedState,
    ProgramConstraint,
    ProgramPlaces,
    ProgramRule,
    ProgramRules,
    StepGuard,
    is_clear,
)

MAX_CASES = 200
"""Most conjunctions that a count is written as, since a program's formulas have no counts."""
Needs = dict[Formula, None]
"""Facts before a command, in a fixed order."""


class TooManyFacts(Exception):
    """Raised where a rule cannot be said in so many facts."""


def constraints_of(formula: Formula, belief: Belief) -> tuple[TrajectoryConstraint, ...]:
    """Return the ground constraints of a rule, or of a part of a goal."""
    return tuple(c for c in watched(formula, belief) if isinstance(c, TrajectoryConstraint))


@dataclass(frozen=True)
class PlannedCommand:
    """A command on the plan's own run.

    ``before`` is the world before it, ``states`` are those that it passes, the last one where it ends.
    ``changed`` has for each of them what the actions made true and false by then, and ``does`` the printed
    steps and ways with the number of states before them. ``fired`` are the facts of its events, with what
    these needed and the state in which they came true.
    """

    before: World
    states: tuple[World, ...]
    changed: tuple[dict[GroundAtom, bool], ...]
    does: tuple[tuple[GroundAtom, int], ...]
    fired: dict[GroundAtom, tuple[tuple[GroundAtom, ...], int]]


def planned_command(before: World, effect: Effect, hops: Sequence[str], after: World) -> PlannedCommand:
    """Return a command by its effect; ``hops`` are the poses and rooms of its drive, the last its end."""
    pack, now, changes = before.pack, before.fork(), dict[GroundAtom, bool]()
    states: list[World] = []
    changed: list[dict[GroundAtom, bool]] = []
    does: list[tuple[GroundAtom, int]] = []
    fired: dict[GroundAtom, tuple[tuple[GroundAtom, ...], int]] = {}

    def put(true: Iterable[GroundAtom], false: Iterable[GroundAtom] = ()) -> None:
        for atom in false:
            now.state.facts.discard(atom.predicate, atom.args)
        for atom in true:
            now.state.facts.add(atom.predicate, atom.args)

    for number, action in enumerate(effect.actions):
        ground = pack.domain.actions[action.name].ground(action.args)
        if action.event:
            fluent = tuple(a for a in ground.precondition if a.predicate in pack.fluents)
            fired |= {atom: (fluent, len(states)) for atom in ground.add if atom not in fired}
            put(ground.add)
        else:
            here, start = now.state.anchor, now.state.stands_at
            if (printed := pack.printed(action.name, action.args)) is not None:
                does.append((printed, len(states)))
            if pack.mapping_of(action.name).navigation:
                ends = pairwise((here, *hops))
                does += [(step_atom(PASSING, way), len(states)) for a, b in ends for way in ((a, b), (b, a))]
                for hop in hops[:-1]:
                    gone, there = Atom(pack.at, (now.state.stands_at,)), Atom(pack.at, (hop,))
                    put([there], [gone])
                    states.append(now.fork())
                    changed.append({**changes, gone: False, there: True})
                put([Atom(pack.at, (start,))], [Atom(pack.at, (now.state.stands_at,))])
            put(ground.add, ground.delete)
            changes |= dict.fromkeys(ground.delete, False) | dict.fromkeys(ground.add, True)
        if number + 1 == len(effect.actions) or not effect.actions[number + 1].event:
            states.append(now.fork())
            changed.append(dict(changes))
    if states:
        states[-1] = after
    return PlannedCommand(before, tuple(states), tuple(changed), tuple(does), fired)


class Guarding:
    """Rules over a plan that is carried out in its world: the guard of each command, and what was cleared.

    ``rules`` are the rules and the parts of the goal that constrain the run, ``world`` is where the plan
    starts and remembers their constraints.
    """

    def __init__(self, rules: Sequence[Formula], world: World) -> None:
        self._belief = world.belief
        self._rules: dict[Formula, tuple[TrajectoryConstraint, ...]] = {
            rule: constraints_of(rule, world.belief) for rule in rules
        }
        self._forms: dict[TrajectoryConstraint, tuple[Formula, ...]] = {}
        self._unsaid: dict[Formula, str] = {}
        self._cleared: dict[TrajectoryConstraint, list[Clearing]] = {}
        self._start = World(world.belief)
        for rule, constraints in self._rules.items():
            try:
                for one in constraints:
                    if one.kind != "never-do":
                        grounded = ground_form(one, world.belief)
                        parts = grounded.parts if isinstance(grounded, TrajectoryConstraint) else (TRUE,)
                        remembered = one.kind in REMEMBERED
                        self._forms[one] = tuple(map(_uncounted, parts)) if remembered else parts
            except (GoalError, TooManyFacts):
                self._unsaid[rule] = "it comes to too many facts"
        self._memory = {c: world.memory.states[c] for some in self._rules.values() for c in some}

    def guards(
        self, number: int, command: PlannedCommand, world: World, given: Iterable[Formula]
    ) -> tuple[StepGuard, ...]:
        """Return the guards of a command, without what it needs anyway, and remember what it cleared."""
        guards: list[StepGuard] = []
        if not command.states:
            return ()
        touched = _Touch(command, self._one_hand, self._attainable)
        for index, (rule, constraints) in enumerate(self._rules.items()):
            if rule in self._unsaid:
                continue
            try:
                guard = self._guard(index, constraints, command, touched, frozenset(given))
                self._note_cleared(number, constraints, world)
            except InputError:
                self._unsaid[rule] = "it comes to too many facts"
                continue
            if guard.facts or guard.clear or guard.passes:
                guards.append(guard)
        self._memory = {c: world.memory.states[c] for c in self._memory}
        return tuple(guards)

    def rules(self) -> ProgramRules:
        """Return the rules for the program, once all its commands have guards."""
        kept = []
        for rule, constraints in self._rules.items():
            listed = tuple(
                ProgramConstraint(
                    one,
                    self._forms.get(one, ()) if one.kind in REMEMBERED else (),
                    tuple(self._cleared.get(one, ())),
                )
                for one in constraints
            )
            kept.append(ProgramRule(str(rule), listed, self._unsaid.get(rule, "")))
        rules = ProgramRules(tuple(kept))
        nodes = (node for one in rules for part in one.parts for node in walk(part))
        atoms = dict.fromkeys(filter(is_ground_atom, nodes))
        derived = self._belief.pack.mapping.derived
        start = [a for a in atoms if a.predicate not in derived and self._start.holds(a.predicate, a.args)]
        places = self._places() if any(a.predicate in derived for a in atoms) else None
        if places is not None:
            of_places = (places.at, places.held, *places.relations)
            facts = (Atom(p, args) for p in of_places for args in sorted(self._belief.facts.all(p)))
            start = list(dict.fromkeys((*start, *facts)))
        return ProgramRules(tuple(kept), tuple(start), places)

    def _places(self) -> ProgramPlaces:
        scene, pack = self._belief.scene, self._belief.pack
        fixed = (n.id for n in scene.nodes.values() if n.type not in ("object", "agent", "building", "floor"))
        inside = {name: above for name in fixed if (above := scene.above(name)) is not None}
        meanings = {meaning: name for name, meaning in pack.mapping.derived.items()}
        held = pack.mapping.robot_held.predicate
        around, room = meanings.get(pack.at, ""), meanings.get(ROOM, "")
        return ProgramPlaces(inside, tuple(pack.locations), pack.at, held, around, room)

    @cached_property
    def _attainable(self) -> Attainable:
        return Attainable(self._belief, self._belief.facts)

    @cached_property
    def _one_hand(self) -> bool:
        """True if it is shown that the robot holds at most one thing."""
        held = Atom(self._belief.pack.mapping.robot_held.predicate, ("*",))
        return any(held in group for group in self._belief.exclusive.values())

    def _note_cleared(self, number: int, constraints: Iterable[TrajectoryConstraint], world: World) -> None:
        for one in constraints:
            if one.kind not in REMEMBERED or is_clear(one, self._memory[one]):
                continue
            if is_clear(one, world.memory.states[one]):
                second = self._forms[one][1]
                facts = evidence_of(second, world) if evaluate(second, world) else ()
                self._cleared.setdefault(one, []).append(Clearing(number, facts))

    def _guard(
        self,
        index: int,
        constraints: Sequence[TrajectoryConstraint],
        command: PlannedCommand,
        touched: _Touch,
        given: Collection[Formula],
    ) -> StepGuard:
        needs: Needs = {}
        clear: list[int] = []
        passes: list[PassedState] = []
        for number, one in enumerate(constraints):
            check_time("finding what keeps the rules")
            if one.kind == "never-do":
                needs |= _allowed(one, command)
                continue
            parts = self._forms[one]
            asks = _Asking(one, parts, self._memory[one], command)
            if any(map(touched.rests_on_hand, asks.binding)):
                needs |= touched.hand
            if any(map(touched.touches, asks.binding)):
                if asks.has_to_be_clear:
                    clear.append(number)
                if asks.by_values:
                    needs |= asks.evidence()
            if asks.passing_matters:
                passes.append(PassedState(number, asks.passed))
        facts = tuple(fact for fact in needs if fact not in given)
        return StepGuard(index, facts, tuple(clear), tuple(passes))


@dataclass(frozen=True)
class _Asking:
    """One constraint and one command, and the facts that the former asks of the latter."""

    one: TrajectoryConstraint
    parts: tuple[Formula, ...]
    memory: int
    command: PlannedCommand

    @cached_property
    def binding(self) -> tuple[GroundAtom, ...]:
        """The atoms by which the command may break the constraint."""
        kind = self.one.kind
        parts = (
            () if kind == "sometime-after" else self.parts[:1] if kind == "sometime-before" else self.parts
        )
        return tuple(filter(is_ground_atom, (node for part in parts for node in walk(part))))

    @cached_property
    def values(self) -> tuple[Values, ...]:
        """The values in each state that the plan passes."""
        return tuple(tuple(evaluate(p, world) for p in self.parts) for world in self.command.states)

    @cached_property
    def before(self) -> Values:
        return tuple(evaluate(part, self.command.before) for part in self.parts)

    @cached_property
    def has_to_be_clear(self) -> bool:
        """True if the command as planned breaks the constraint in a state that is not clear."""
        if self.one.kind == "at-most-once":
            return any(b and not a for (a,), (b,) in pairwise((self.before, *self.values)))
        allowed = self.one.kind == "sometime-before" and is_clear(self.one, self.memory)
        return allowed and (any(first for first, _ in self.values) or bool(self._of_first()))

    @cached_property
    def by_values(self) -> bool:
        """True if the command is only safe where the parts have the values of the plan."""
        if self.one.kind == "sometime-before":
            return not self.has_to_be_clear
        return self.one.kind in ("always", "at-most-once")

    def evidence(self) -> Needs:
        """Return the facts before the command by which the parts have the values of the plan."""
        if self.one.kind == "sometime-before" and not any(first for first, _ in self.values):
            return self._of_first()
        needs: Needs = {}
        if self.one.kind == "at-most-once" and self.before[0] and self.values[0][0]:
            needs |= dict.fromkeys(evidence_of(self.parts[0], self.command.before))
        for number, values in enumerate(self.values):
            for part, value in zip(self.parts, values, strict=True):
                needs |= _needs_of(part, value, number, self.command)
        return needs

    def _of_first(self) -> Needs:
        needs: Needs = {}
        for number in range(len(self.values)):
            needs |= _needs_of(self.parts[0], False, number, self.command)
        return needs

    @cached_property
    def passed(self) -> tuple[Values, ...]:
        """The values in the states that the command is sure to pass, of a constraint that looks back.

        What others may have made false counts as false where it would clear the constraint.
        """
        atoms = (node for part in self.parts for node in walk(part))
        by_event = any(atom in self.command.fired for atom in atoms)  # which may take its time
        values = self.values[:-1] if by_event else self.values
        if self.one.kind == "at-most-once":
            return values
        sure = (
            second and not _needs_of(self.parts[1], True, number, self.command)
            for number, (_, second) in enumerate(values)
        )
        begins = self.one.kind == "sometime-after"
        return tuple((first and begins, second) for (first, _), second in zip(values, sure, strict=True))

    @property
    def passing_matters(self) -> bool:
        """True if the constraint remembers otherwise by what the command passes."""
        kind = self.one.kind
        if kind in REMEMBERED:
            for start in (START, 1, 2):
                before = state = after(kind, start, self.before)
                for values in self.passed:
                    state = after(kind, state, values)
                if state != before:
                    return True
        return False


class _Touch:
    """Atoms that a command may change in any world in which it can be done as planned.

    ``hand`` are facts by which it carries what it carries in the plan.
    """

    def __init__(self, command: PlannedCommand, one_hand: bool, attainable: Attainable) -> None:
        world = command.before
        pack, held = world.pack, world.pack.mapping.robot_held.predicate
        self._command, self._pack, self._attainable = command, pack, attainable
        self._changed = {atom for changes in command.changed for atom in changes}
        self._moved = {a.args[0] for a in self._changed if a.predicate in (*pack.locations, held)}
        self._drives = any(atom.predicate == pack.at for atom in self._changed)
        in_hand = [args[0] for args in sorted(world.state.facts.all(held))] if self._drives else []
        self._moved.update(in_hand)
        self._carries_any = self._drives and not one_hand
        self.hand: Needs = {}
        if self._drives and one_hand:
            for atom in [Atom(held, (name,)) for name in in_hand] or [pack.mapping.robot_free]:
                self.hand |= _before(atom, True, len(command.states) - 1, command)

    def touches(self, atom: GroundAtom) -> bool:
        """Return whether the command may change an atom where the facts of the hand hold."""
        meaning = self._pack.mapping.derived.get(atom.predicate)
        if meaning is None:
            return atom in self._changed or any(
                next(_enabled(atom, number, self._command), None) is not None
                for number in range(len(self._command.states))
            )
        if meaning != ROOM:
            return self._drives or self._moves_carrier
        if self._command.before.scene.nodes[atom.args[0]].type != "object":
            return False
        return atom.args[0] in self._moved or self._carries_any or self._moves_carrier

    def rests_on_hand(self, atom: GroundAtom) -> bool:
        """Return whether an atom may change with what the robot carries."""
        return self._drives and self._pack.mapping.derived.get(atom.predicate) == ROOM

    @cached_property
    def _moves_carrier(self) -> bool:
        carriers = {name for some in self._attainable.carriers.values() for name in some}
        return not carriers.isdisjoint(self._moved)


def _needs_of(part: Formula, value: bool, number: int, command: PlannedCommand) -> Needs:
    """Return the facts before a command by which a part has a value in a state that it passes."""
    world = command.states[number] if number >= 0 else command.before
    needs: Needs = {}
    for literal in evidence_of(part if value else Not(part), world):
        atom = atom_of(literal)
        assert is_ground_atom(atom), literal
        needs |= _before(atom, atom is literal, number, command)
    return needs


def _allowed(one: TrajectoryConstraint, command: PlannedCommand) -> Needs:
    """Return the facts before a command by which none of its steps is forbidden."""
    pattern, condition = one.parts
    needs: Needs = {}
    for printed, number in command.does:
        if (binding := matched(pattern, printed)) is not None:
            now = substitute(condition, dict[str, Term](binding))
            needs |= _needs_of(now, False, number - 1, command)
    return needs


def _before(atom: GroundAtom, holds: bool, number: int, command: PlannedCommand) -> Needs:
    """Return what has to be so before a command for a fact to be as planned in a state that it passes."""
    changes = command.changed[number] if number >= 0 else {}
    if not holds:
        needs: Needs = {} if atom in changes else {Not(atom): None}
        first = next((n for n in range(number + 1) if command.changed[n].get(atom) is False), 0)
        for state in range(first, number + 1):
            for conditions in _enabled(atom, state, command):
                needs |= _blocked(conditions, state, command)
        return needs
    if changes.get(atom):
        return {}
    if atom not in changes and command.before.state.facts.holds(atom.predicate, atom.args):
        return {atom: None}
    conditions, state = command.fired[atom]
    return {need: None for c in conditions for need in _before(c, True, state, command)}


def _blocked(conditions: Sequence[GroundAtom], state: int, command: PlannedCommand) -> Needs:
    """Return what has to be so before a command for an event not to happen in a state that it passes."""
    facts = command.states[state].state.facts
    false = [c for c in conditions if not facts.holds(c.predicate, c.args)]
    ways = (_before(condition, False, state, command) for condition in false)
    return min(ways, key=len, default={})


def _enabled(atom: GroundAtom, state: int, command: PlannedCommand) -> Iterator[tuple[GroundAtom, ...]]:
    """Yield the conditions of each event that may add a fact because of what a command has changed."""
    world, pack, changes = command.before, command.before.pack, command.changed[state]
    for event in pack.events:
        for effect in event.add:
            binding = unify(effect, atom)
            for args in _arguments(event, binding, world) if binding is not None else ():
                ground = event.ground(args)
                conditions = tuple(c for c in ground.precondition if c.predicate in pack.fluents)
                undone = changes.get(atom) is False
                if undone or any(changes.get(c) or c.predicate in pack.event_facts for c in conditions):
                    yield conditions


def _arguments(event: Action, binding: Mapping[str, str], world: World) -> Iterator[tuple[str, ...]]:
    """Yield the arguments that an event may have, by its types and what never changes."""
    belief = world.belief
    lasting = [a for a in event.precondition if a.predicate not in belief.pack.fluents]
    for bound in match(lasting, world.state.facts, binding):
        choices = ([bound[p.name]] if p.name in bound else belief.members(p.type) for p in event.parameters)
        for args in product(*choices):
            fits = all(map(belief.has_type, args, (p.type for p in event.parameters)))
            if fits and event.allows(args):
                yield args


def _uncounted(form: Formula) -> Formula:
    """Return a ground form without counts. Raises :class:`TooManyFacts`."""
    match form:
        case And(parts):
            return conjunction([_uncounted(part) for part in parts])
        case Or(parts):
            return disjunction([_uncounted(part) for part in parts])
        case Cardinality(_, number, parts):
            if math.comb(len(parts), number) > MAX_CASES:
                raise TooManyFacts
            some = combinations([_uncounted(part) for part in parts], number)
            return disjunction([conjunction(one) for one in some])
    return form
