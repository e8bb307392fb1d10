"""States of a scene as a circuit: the facts that goals reach, and the laws that hold between them.

Only what is asked for is encoded, and what the laws tie it to. For the rest of a proved group one variable
stands, *something else of this group*. So a state of the circuit may be one of several of the scene, or of
none where too much was left out; ``completion`` looks, and asks again with the ``whole`` of each group. What
has no state in the circuit has none in the scene: that must stay.

Derived facts are variables with definitions, so that containment is exact at any depth. Of very many movable
things only those that the goals name are followed: through another one a thing may be in any room.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice

from ...domains.deadline import check_time
from ...domains.formula import PASSING, Atom, GroundAtom, Term, Var, step_atom
from ...domains.mapping import ROOM
from ...simulator.scene import Scene
from .circuit import FALSE, TRUE, Gates, Literal
from .laws import ROBOT, ExclusiveFacts, Laws
from .solver import Constraints, Undecided

MAX_FACTS = 60_000
"""Most facts of one state."""
MAX_FOLLOWED = 12
"""Most movable things through which the room of a thing is followed, unless the goals name more."""

Key = tuple[ExclusiveFacts, str]
"""A group and its subject."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A fact that follows from containment: a thing in a room or below a place, or the robot at one."""

    kind: str
    name: str
    place: str


@dataclass
class EncodedState:
    """One state of a run. Facts are made as they are asked for, and by :meth:`close` what ties them."""

    laws: Laws
    circuit: Gates
    whole: bool = False
    facts: dict[GroundAtom, Literal] = field(default_factory=dict)
    others: dict[Key, tuple[Literal, GroundAtom]] = field(default_factory=dict)
    """Of a group the variable for what is not among the facts, with an example of it."""
    free: dict[Literal, Key] = field(default_factory=dict)
    """Variables for a place through something that is not followed, with the group of the thing."""
    steps: dict[Atom, Literal] | None = None
    """Of a state between start and end, variables for the steps of some patterns being done in it."""
    _unfollowed: dict[Key, Literal] = field(default_factory=dict)
    """Of a group the variable for being in something that is not followed, wherever that is."""
    _derived: dict[Derived, Literal] = field(default_factory=dict)
    _through: dict[Derived, Literal] = field(default_factory=dict)
    _named: dict[str, None] = field(default_factory=dict)
    """Movable things that are followed, since facts name them."""
    _followed: int = 0
    """How many there were when definitions were made."""
    _pending: deque[GroundAtom | Derived] = field(default_factory=deque)
    _causes: list[tuple[Literal, ...]] = field(default_factory=list)
    _asked: bool = True
    """True while facts come from goals and not from definitions."""
    _grown_from: int = 0
    """How many facts have all of their groups, where these are made whole."""
    _made_whole: set[Key] = field(default_factory=set)

    @property
    def size(self) -> int:
        return len(self.facts) + len(self._derived)

    # Facts

    def fact(self, predicate: str, args: tuple[str, ...]) -> Literal:
        """Return the literal of a fact of the pack."""
        atom = Atom(predicate, args)
        literal = self.facts.get(atom)
        if literal is not None:
            return literal
        value = self.laws.value(atom)
        if value is not None:
            return TRUE if value else FALSE
        if len(self.facts) >= MAX_FACTS:
            raise Undecided(f"more than {MAX_FACTS} facts take part")
        literal = self.facts[atom] = self.circuit.variable()
        self._pending.append(atom)
        if self._asked:
            nodes = self.laws.belief.scene.nodes
            self._named |= {name: None for name in args if nodes[name].type == "object"}
        return literal

    def holds(self, predicate: str, args: tuple[str, ...]) -> Literal:
        """Return the literal of a goal's atom, derived or not. Raises :class:`Undecided`."""
        belief = self.laws.belief
        meaning = belief.pack.mapping.derived.get(predicate)
        if meaning == ROOM:
            return self.in_room(args[0], args[1])
        if meaning is not None:
            return self.robot_at(args[0])
        if predicate in belief.pack.domain.predicates:
            return self.fact(predicate, args)
        return TRUE if belief.classified(predicate, args) else FALSE

    def in_room(self, name: str, room: str) -> Literal:
        nodes = self.laws.belief.scene.nodes
        if nodes[room].type != "room":
            return FALSE
        if nodes[name].type != "object":
            return TRUE if self.laws.belief.scene.room_of(name) == room else FALSE
        if self.laws.places_shown or self.laws.robot_shown:
            raise Undecided(self.laws.places_shown or self.laws.robot_shown)
        return self._derive(Derived("room", name, room))

    def robot_at(self, place: str) -> Literal:
        if self.laws.robot_shown or (self.laws.stood_at and self.laws.places_shown):
            raise Undecided(self.laws.robot_shown or self.laws.places_shown)
        return self._derive(Derived("robot", ROBOT, place))

    def _derive(self, derived: Derived) -> Literal:
        literal = self._derived.get(derived)
        if literal is None:
            literal = self._derived[derived] = self.circuit.variable()
            self.circuit.define(literal, ())
            self._pending.append(derived)
            if self._asked:
                nodes = self.laws.belief.scene.nodes
                ends = (derived.name, derived.place)
                self._named |= {name: None for name in ends if name and nodes[name].type == "object"}
        return literal

    def step(self, pattern: Atom) -> Literal:
        """Return the literal of a step of a pattern being done in the state."""
        steps = self.steps
        if steps is None:
            return FALSE
        if pattern.predicate == step_atom(PASSING, ()).predicate:  # a way is gone in either direction
            pattern = Atom(pattern.predicate, tuple(sorted(pattern.args, key=str)))
        if pattern not in steps:
            steps[pattern] = self.circuit.variable()
        return steps[pattern]

    # Definitions

    def close(self) -> None:
        """Make all that the facts are tied to."""
        self._asked = False
        if len(self._named) > self._followed:
            self._followed = len(self._named)
            pending = dict.fromkeys((*self._pending, *self._derived))
            self._pending = deque(pending)
        while True:
            while self._pending:
                check_time("comparing goals")
                one = self._pending.popleft()
                if isinstance(one, Derived):
                    self.circuit.define(self._derived[one], self._ways(one))
                else:
                    self._tie(one)
            if not self.whole or not self._grown():
                break
        self._asked = True

    def _tie(self, atom: GroundAtom) -> None:
        """Make the facts that the laws tie one to: its causes, and what says that its place is the hand."""
        mapping = self.laws.pack.mapping
        for needs in self.laws.causes(atom):
            literals = [self.fact(need.predicate, need.args) for need in needs]
            self._causes.append((*(-one for one in literals if one != TRUE), self.facts[atom]))
        if atom.predicate in self.laws.pack.locations:
            self.fact(mapping.robot_held.predicate, atom.args[:1])
        elif atom.predicate == mapping.robot_held.predicate:
            self.fact(mapping.robot_free.predicate, ())
        elif atom == mapping.robot_free:
            for args in self.laws.belief.facts.all(mapping.robot_held.predicate):
                self.fact(mapping.robot_held.predicate, args)

    def _grown(self) -> bool:
        """Make all facts of the groups that are touched, and what events bring about."""
        new = list(islice(self.facts, self._grown_from, None))
        self._grown_from += len(new)
        before = len(self.facts)
        for atom in new:
            for effect in self.laws.effects(atom):
                self.fact(effect.predicate, effect.args)
        touched = [(group, group.subject(a)) for a in new for group in self.laws.groups_of(a.predicate)]
        for key in dict.fromkeys((*touched, *self._unfollowed)):
            if key not in self._made_whole:
                self._made_whole.add(key)
                for member in self.laws.members(*key):
                    self.fact(member.predicate, member.args)
        return len(self.facts) > before

    def _ways(self, derived: Derived) -> list[Literal]:
        if derived.kind == "robot":
            return self._robot_ways(derived.place)
        name, place = derived.name, derived.place
        pack, nodes = self.laws.pack, self.laws.belief.scene.nodes
        ways = [
            self.fact(predicate, (name, fixed))
            for fixed in _fixed_within(place, self.laws.belief.scene)
            for predicate in self.laws.attainable.relations_to(fixed)
        ]
        left_out = False
        for predicate, carriers in self.laws.attainable.carriers.items():
            for carrier in carriers:
                if carrier in (name, place) or self.laws.value(Atom(predicate, (name, carrier))) is False:
                    continue
                if not self._follows(carrier, len(carriers)):
                    left_out = True
                    continue
                inner = self._derive(Derived(derived.kind, carrier, place))
                ways.append(self.circuit.conjunction((self.fact(predicate, (name, carrier)), inner)))
        held = pack.mapping.robot_held.predicate
        if left_out:
            thing = next(g for g in self.laws.groups_of(held) if held in g.own)
            ways.append(self._free(derived, (thing, name)))
        if derived.kind == "room" and nodes[place].type == "room":
            there = self._derive(Derived("robot", ROBOT, place))
            ways.append(self.circuit.conjunction((self.fact(held, (name,)), there)))
        return ways

    def _robot_ways(self, place: str) -> list[Literal]:
        at, stood_at = self.laws.pack.at, self.laws.stood_at
        ways = [self.fact(at, (fixed,)) for fixed in _fixed_within(place, self.laws.belief.scene)]
        left_out = False
        for thing in stood_at:
            if thing == place:
                continue
            if not self._follows(thing, len(stood_at)):
                left_out = True
                continue
            inner = self._derive(Derived("below", thing, place))
            ways.append(self.circuit.conjunction((self.fact(at, (thing,)), inner)))
        if left_out:
            robot = next(g for g in self.laws.groups_of(at) if at in g.shared)
            ways.append(self._free(Derived("robot", ROBOT, place), (robot, ROBOT)))
        return ways

    def _follows(self, name: str, number: int) -> bool:
        return name in self._named or (number <= MAX_FOLLOWED)

    def _free(self, derived: Derived, key: Key) -> Literal:
        """Return the variable for a derived fact that is so through something that is not followed.

        What a thing is in may be within several places at once, so several of these may be true together.
        """
        literal = self._through.get(derived)
        if literal is None:
            literal = self._through[derived] = self.circuit.variable()
            self.free[literal] = key
            if key not in self._unfollowed:
                self._unfollowed[key] = self.circuit.variable()
        return literal

    # Laws

    def _keys(self) -> dict[Key, list[Literal]]:
        """Return the groups that facts are in, with the literals of these."""
        keys: dict[Key, list[Literal]] = {}
        for atom, literal in self.facts.items():
            for group in self.laws.groups_of(atom.predicate):
                keys.setdefault((group, group.subject(atom)), []).append(literal)
        for key, literal in self._unfollowed.items():
            keys.setdefault(key, []).append(literal)
        return keys

    def constrain(self, constraints: Constraints, places: dict[object, int]) -> None:
        """Add the laws between the facts. ``places`` are the numbers of places that edges join."""
        constraints.clauses += self._causes
        constraints.clauses += [(-literal, self._unfollowed[key]) for literal, key in self.free.items()]
        keys = self._keys()
        self.others.clear()
        for key, literals in keys.items():
            group, subject = key
            rivals = list(literals)
            if self.laws.never_empty(group, subject):
                other = next((m for m in self.laws.members(group, subject) if m not in self.facts
                              and self.laws.value(m) is None), None)  # fmt: skip
                constant = any(self.laws.value(m) for m in self.laws.holding_now(group, subject))
                if other is not None and not constant:
                    literal = self.circuit.variable()
                    self.others[key] = (literal, other)
                    rivals.append(literal)
                constraints.clauses.append(((TRUE,) if constant else ()) + tuple(rivals))
            if any(self.laws.value(m) for m in self.laws.holding_now(group, subject)):
                rivals.append(TRUE)
            if subject != ROBOT and group.shared:  # the facts about the robot exclude those of each thing
                rivals += keys.get((group, ROBOT), [])
            if len(rivals) > 1:
                constraints.exclusive.append(tuple(rivals))
        steps = self.steps or {}
        for general in [one for one in steps if any(isinstance(a, Var) for a in one.args)]:
            special = (one for one in steps if one != general and covers(general, one) is not None)
            constraints.clauses += [(-steps[one], steps[general]) for one in special]
        if self.laws.belief.invariants.contained:
            self._add_edges(constraints, places)

    def _add_edges(self, constraints: Constraints, places: dict[object, int]) -> None:
        """Join things with what they are in or on, what is held with the robot, and that with its place."""
        pack = self.laws.pack
        at, held = pack.at, pack.mapping.robot_held.predicate

        def number(name: str) -> int:
            return places.setdefault((id(self), name), len(places) + 1)

        def always(name: str) -> None:
            """Join a thing with what it is in or on in every state, and that again."""
            for predicate in pack.locations:
                for args in self.laws.belief.facts.with_argument(predicate, 0, name):
                    if self.laws.value(Atom(predicate, args)) and (id(self), name) not in joined:
                        joined.add((id(self), name))
                        constraints.edges.append((number(name), number(args[1]), TRUE))
                        always(args[1])

        joined: set[tuple[int, str]] = set()
        for atom in self.facts:
            for name in atom.args if atom.predicate in (*pack.locations, at) else ():
                always(name)
        for atom, literal in self.facts.items():
            if atom.predicate in pack.locations:
                constraints.edges.append((number(atom.args[0]), number(atom.args[1]), literal))
            elif atom.predicate == held:
                constraints.edges.append((number(atom.args[0]), number(ROBOT), literal))
            elif atom.predicate == at:
                constraints.edges.append((number(ROBOT), number(atom.args[0]), literal))

    def variables(self) -> Iterable[Literal]:
        """Yield the variables of facts and of what is left out."""
        yield from self.facts.values()
        yield from self.free
        yield from self._unfollowed.values()
        yield from (literal for literal, _ in self.others.values())
        yield from (self.steps or {}).values()

    def values(self, values: Mapping[Literal, bool]) -> dict[GroundAtom, bool]:
        """Return the facts with their values in a state of the circuit."""
        return {atom: values[literal] for atom, literal in self.facts.items()}


def _fixed_within(place: str, scene: Scene) -> tuple[str, ...]:
    """Return a place and the fixed nodes that are built into it; a movable thing by itself."""
    return (place,) if scene.nodes[place].type == "object" else (place, *scene.built_in(place))


def covers(general: Atom, special: Atom) -> dict[str, Term] | None:
    """Return what the variables of a pattern of steps stand for in one that it covers, else ``None``."""
    if general.predicate != special.predicate or len(general.args) != len(special.args):
        return None
    passing = general.predicate == step_atom(PASSING, ()).predicate
    for args in (special.args, special.args[::-1]) if passing else (special.args,):
        binding: dict[str, Term] = {}
        if all(
            name == (binding.setdefault(term.name, name) if isinstance(term, Var) else term)
            for term, name in zip(general.args, args, strict=True)
        ):
            return binding
    return None
