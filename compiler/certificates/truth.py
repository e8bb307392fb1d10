"""Possible truth of a goal, given facts that never change and facts that exclude each other.

:class:`Truth` answers for the goal as it was written, quantifiers over the closed scene and all: can it
still be true? Facts are true, false or open; the robot's place and the rooms of things follow from the open
links between things. Where that does not contradict the goal, it is split into cases over one fact at a time.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from ...domains.formula import (
    And,
    Atom,
    Cardinality,
    Count,
    Equal,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Sometime,
    TypedVar,
    Var,
)
from ...domains.mapping import ROOM
from ...simulator.facts import ground_args
from .certificate import Refused
from .groups import Exclusion
from .induction import Induction

FIXED = ("room", "asset", "part")
Binding = Mapping[str, str]
Part = tuple[Formula, bool, Binding]
"""A formula, whether it is to be true, and the binding of its variables."""


class Truth:
    """Three-valued truth of facts and goals; ``assumed`` are the facts of the present case."""

    def __init__(self, induction: Induction, goal: Formula, groups: Exclusion) -> None:
        self.induction, self.groups = induction, groups
        self.belief, self.pack, self.scene = induction.belief, induction.pack, induction.belief.scene
        self.locations = self.pack.locations
        self.goal: Part = (goal, True, {})
        self.everywhere = True
        """False to leave aside that what can be nowhere else is in a room, which takes looking everywhere."""
        self.assumed: dict[Atom, bool] = {}
        self.taken: dict[tuple[int, str], Atom] = {}
        self.derived: list[Atom] = []
        self.cases, self.most_cases, self.supposed = 0, 0, 0
        self._inside: dict[str, tuple[str, ...]] = {}
        self._receivers: dict[str, tuple[str, ...]] = {}

    # Cases

    def suppose(self, values: dict[Atom, bool]) -> None:
        """Begin with the truth of some facts instead of none."""
        self.assumed, self.taken, self.derived = {}, {}, []
        for atom, value in values.items():
            self.settle(atom, value)
        self.supposed = len(values)

    def refuted(self) -> bool:
        """Return whether the goal is false in every case. Raises :class:`Refused` beyond ``most_cases``."""
        parts = list(self.conjuncts(*self.goal))
        return self.contradicts(parts)

    def contradicts(self, parts: Sequence[Part]) -> bool:
        mark, learned, open_atom = len(self.assumed), True, None
        try:
            while learned:
                learned, open_atom = False, None
                if any(self.nowhere(n) for n in self.things()):
                    return True
                for part in parts:
                    if not self.possible(*part):
                        return True
                    atom = self.open(*part) if self.most_cases else None
                    if atom is None:
                        continue
                    values = [value for value in (True, False) if self.holds_with(part, atom, value)]
                    if len(values) == 2:
                        open_atom = open_atom or atom
                    elif values:
                        self.assume(atom, values[0])
                        learned = True
                    else:
                        return True
            if open_atom is None:
                return False
            return all(self.case(parts, open_atom, value) for value in (True, False))
        finally:
            while len(self.assumed) > mark:
                self.retract()

    def things(self) -> list[str]:
        """Return the movable things that the present case speaks of."""
        cases = itertools.islice(self.assumed, self.supposed, None)
        names = dict.fromkeys(str(n) for a in cases for n in a.args[:1])
        return [n for n in names if self.groups.placed and self.scene.nodes[n].type == "object"]

    def case(self, parts: Sequence[Part], atom: Atom, value: bool) -> bool:
        self.assume(atom, value)
        try:
            return self.contradicts(parts)
        finally:
            self.retract()

    def holds_with(self, part: Part, atom: Atom, value: bool) -> bool:
        self.assume(atom, value)
        try:
            return self.possible(*part)
        finally:
            self.retract()

    def assume(self, atom: Atom, value: bool) -> None:
        self.cases += 1
        if self.cases > self.most_cases:
            raise Refused(f"the goal has more than {self.most_cases} cases")
        self.settle(atom, value)

    def settle(self, atom: Atom, value: bool) -> None:
        self.assumed[atom] = value
        if value and atom.predicate in self.pack.mapping.derived:
            self.derived.append(atom)
        elif value:
            for key in self.groups.keys(atom.predicate, ground_args(atom)):
                self.taken.setdefault(key, atom)

    def retract(self) -> None:
        atom, value = self.assumed.popitem()
        if value and atom.predicate in self.pack.mapping.derived:
            self.derived.pop()
        elif value:
            for key in self.groups.keys(atom.predicate, ground_args(atom)):
                if self.taken[key] == atom:
                    del self.taken[key]

    # Formulas

    def conjuncts(self, node: Formula, positive: bool, binding: Binding) -> Iterator[Part]:
        """Yield the parts that must all hold for a formula to have a value."""
        if self.conjunctive(node, positive):
            for child in self.children(node, positive, binding):
                yield from self.conjuncts(*child)
        else:
            yield node, positive, binding

    def conjunctive(self, node: Formula, positive: bool) -> bool:
        match node:
            case Not():
                return True
            case And() | Forall():
                return positive
            case Or() | Exists() | Imply():
                return not positive
        return False

    def children(self, node: Formula, positive: bool, binding: Binding) -> Iterator[Part]:
        match node:
            case Not(part):
                yield part, not positive, binding
            case And(parts) | Or(parts) | Cardinality(_, _, parts):
                for part in parts:
                    yield part, positive, binding
            case Imply(left, right):
                yield left, not positive, binding
                yield right, positive, binding
            case Exists(variables, body) | Forall(variables, body) | Count(_, _, variables, body):
                guard = body.left if isinstance(node, Forall) and isinstance(body, Imply) else body
                guards = (
                    (guard.parts if isinstance(guard, And) else (guard,))
                    if (not isinstance(node, Forall) or guard is not body)
                    else ()
                )
                static = [g for g in guards if isinstance(g, Atom) and self.static(g.predicate)]
                for choice in self.bindings(variables, static, binding):
                    yield body, positive, choice

    def bindings(
        self, variables: tuple[TypedVar, ...], guards: Sequence[Atom], binding: Binding
    ) -> Iterator[Binding]:
        """Yield the bindings under which no static guard is false."""
        if not variables:
            yield binding
            return
        for name in self.belief.members(variables[0].type):
            self.induction.spend()
            choice = {**binding, variables[0].name: name}
            now = [g for g in guards if all(not isinstance(a, Var) or a.name in choice for a in g.args)]
            if all(self.possible(g, True, choice) for g in now):
                yield from self.bindings(variables[1:], guards, choice)

    def possible(self, node: Formula, positive: bool, binding: Binding) -> bool:
        """Return whether a formula may have a value; ``True`` wherever that is open."""
        self.induction.spend()
        match node:
            case Atom(predicate, args):
                value = self.truth(predicate, tuple(_name(a, binding) for a in args))
                return value is None or value == positive
            case Equal(left, right):
                return (_name(left, binding) == _name(right, binding)) == positive
            case Count(kind, number, _, _) | Cardinality(kind, number, _):
                return self.countable(node, kind, number, positive, binding)
            case Sometime(body):
                return not positive or self.ever(body, binding)
        each = (self.possible(*child) for child in self.children(node, positive, binding))
        return all(each) if self.conjunctive(node, positive) else any(each)

    def countable(self, node: Formula, kind: str, number: int, positive: bool, binding: Binding) -> bool:
        """Return whether the number of true parts may be as a count says, or may not be so."""
        may = must = 0
        for part, _, choice in self.children(node, True, binding):
            may += self.possible(part, True, choice)
            must += not self.possible(part, False, choice)
        if kind == "exactly":
            return must <= number <= may if positive else must < number or may > number
        if (kind == "at-least") == positive:
            return may >= number if positive else may > number
        return must <= number if positive else must < number

    def ever(self, body: Formula, binding: Binding) -> bool:
        """Return whether a formula may hold in some state, whatever the present case is."""
        case = self.assumed, self.taken, self.derived
        self.assumed, self.taken, self.derived = {}, {}, []
        try:
            return self.possible(body, True, binding)
        finally:
            self.assumed, self.taken, self.derived = case

    def open(self, node: Formula, positive: bool, binding: Binding) -> Atom | None:
        """Return a fact that a part which may hold still depends on."""
        if isinstance(node, Atom):
            predicate, args = node.predicate, tuple(_name(a, binding) for a in node.args)
            if self.truth(predicate, args) is not None:
                return None
            if self.pack.mapping.derived.get(predicate) == ROOM:
                held, robot = self.pack.mapping.robot_held.predicate, self.pack.standing
                if robot != self.pack.at and self.truth(robot, args[1:]) is None:
                    return Atom(robot, args[1:])
                if self.fact(held, args[:1]) is None:
                    return Atom(held, args[:1])
            return Atom(predicate, args)
        if isinstance(node, Sometime):
            return None
        for child in self.children(node, positive, binding):
            if self.possible(*child) and (atom := self.open(*child)) is not None:
                return atom
        return None

    # Facts

    def static(self, predicate: str) -> bool:
        return predicate not in self.pack.fluents and predicate not in self.pack.mapping.derived

    def truth(self, predicate: str, args: tuple[str, ...]) -> bool | None:
        """Return whether an atom of a goal is true, as the simulator decides it; ``None`` where open."""
        meaning = self.pack.mapping.derived.get(predicate)
        if meaning is not None:
            value = self.in_room(args[0], args[1]) if meaning == ROOM else self.robot_at(args[0])
            return self.assumed.get(Atom(predicate, args)) if value is None else value
        if predicate in self.pack.domain.predicates:
            return self.fact(predicate, args)
        node = self.scene.nodes.get(args[0]) if len(args) == 1 else None
        if node is None:
            return False
        if self.belief.is_type(predicate):
            return args[0] in self.belief.members(predicate)
        return predicate in node.classes or predicate in node.attributes

    def fact(self, predicate: str, args: tuple[str, ...]) -> bool | None:
        """Return whether a fact is true in every state of the case, in none, or whether that is open."""
        holds = self.induction.facts.holds(predicate, args)
        if predicate not in self.pack.fluents:
            return holds
        atom = Atom(predicate, args)
        if (value := self.assumed.get(atom)) is not None:
            return value
        if self.groups.contained and not self.contained(predicate, args):
            return False
        if any(self.taken.get(key, atom) != atom for key in self.groups.keys(predicate, args)):
            return False
        if not holds and self.induction.limited(predicate, args):
            return False
        return True if holds and self.induction.kept(atom) else None

    def contained(self, predicate: str, args: tuple[str, ...]) -> bool:
        """Return whether a fact leaves nothing in itself and nothing in the hand that the robot stands at."""
        if predicate == self.pack.mapping.robot_held.predicate:
            stands = self.taken.get((self.groups.one_stand, ""))
            there = [a for a in self.derived if len(a.args) == 1]
            return all(a.args != args for a in (*there, *([stands] if stands is not None else [])))
        return predicate not in self.locations or args[0] != args[1]

    def robot_at(self, place: str) -> bool | None:
        """Return whether the robot stands at a place or at something in it."""
        nodes, at = self.scene.nodes, self.pack.at
        stands = self.taken.get((self.groups.one_stand, ""))
        if stands is not None and nodes[str(stands.args[0])].type != "object":
            return str(stands.args[0]) in self.inside(place)
        for atom in self.derived:
            if self.pack.mapping.derived[atom.predicate] == at:
                one = str(atom.args[0])
                if one != place and one in self.inside(place):
                    return True
                if self.apart(one, place):
                    return False
                if nodes[one].type == "object" and nodes[place].type == "room" and self.groups.contained:
                    # What the robot reaches into is not in its hand, and neither is what that is in or on.
                    if not self.leads(one, place, False):
                        return False
                    if not self.elsewhere(one, place, False):
                        return True
        if any(self.fact(at, (n,)) is not False for n in self.inside(place)):
            return True if self.everywhere and self.groups.stands and not self.away(place) else None
        near = (c for c in self.stands if c != place and self.fact(at, (c,)) is not False)
        return None if any(self.leads(c, place, False) for c in near) else False

    def away(self, room: str) -> bool:
        """Return whether the robot may be anywhere but in a room."""
        if self.scene.nodes[room].type != "room":
            return True
        here = set(self.inside(room))
        fixed = (n for n, x in self.scene.nodes.items() if x.type != "object" and n not in here)
        if any(self.fact(self.pack.at, (n,)) is not False for n in fixed):
            return True
        things = (c for c in self.stands if self.fact(self.pack.at, (c,)) is not False)
        return any(self.elsewhere(c, room, False) for c in things)

    def apart(self, one: str, other: str) -> bool:
        """Return whether the robot cannot be at two fixed places at once: neither is around the other."""
        fixed = all(self.scene.nodes[p].type != "object" for p in (one, other))
        return fixed and one not in self.inside(other) and other not in self.inside(one)

    def in_room(self, name: str, room: str) -> bool | None:
        """Return whether a thing is in a room: by what it is in or on, or in the hand of the robot there."""
        if self.scene.nodes[name].type != "object":
            return self.scene.nodes[name].type in FIXED and self.scene.room_of(name) == room
        if (link := self.link(name)) is not None:
            if len(link.args) == 1:
                return self.truth(self.pack.standing, (room,)) if self.pack.standing != self.pack.at else None
            above = str(link.args[1])
            if self.scene.nodes[above].type != "object":
                return self.in_room(above, room)
        for atom in self.derived:
            if len(atom.args) == 2 and atom.args[0] == name and atom.args[1] != room:
                return False
        robot = self.truth(self.pack.standing, (room,)) if self.pack.standing != self.pack.at else None
        if robot is False and not self.receivers(room):
            return False
        if not self.leads(name, room, robot is not False):
            return False
        return None if not self.everywhere or self.elsewhere(name, room, robot is not True) else True

    def link(self, name: str) -> Atom | None:
        """Return the one fact that says where a thing is, where that is settled."""
        if self.groups.one_place < 0:
            return None
        link = self.taken.get((self.groups.one_place, name))
        if link is not None:
            placed = (
                link.predicate in self.locations or link.predicate == self.pack.mapping.robot_held.predicate
            )
            return link if placed else None
        for predicate in self.locations:
            for args in self.induction.facts.with_argument(predicate, 0, name):
                if self.fact(predicate, args):
                    return Atom(predicate, args)
        return None

    def leads(self, name: str, target: str, by_hand: bool) -> bool:
        """Return whether a thing may be in or on something, to any depth, that is in a place."""
        held, ends = self.pack.mapping.robot_held.predicate, self.receivers(target)
        stack, seen = [name], {name}
        while stack:
            thing = stack.pop()
            if by_hand and self.fact(held, (thing,)) is not False:
                return True
            if any(self.may_be_at(thing, end) for end in ends):
                return True
            for carrier in self.carriers:
                if carrier not in seen and self.may_be_at(thing, carrier):
                    seen.add(carrier)
                    stack.append(carrier)
        return False

    def elsewhere(self, name: str, room: str, by_hand: bool) -> bool:
        """Return whether a thing may be anywhere but in a room, where every thing must be somewhere."""
        here, held = set(self.inside(room)), self.pack.mapping.robot_held.predicate
        stack, seen = [name], {name}
        while stack:
            thing = stack.pop()
            if not self.somewhere(thing) or (by_hand and self.fact(held, (thing,)) is not False):
                return True
            if any(end not in here and self.may_be_at(thing, end) for end in self.ends):
                return True
            for carrier in self.carriers:
                if carrier not in seen and self.may_be_at(thing, carrier):
                    seen.add(carrier)
                    stack.append(carrier)
        return False

    def somewhere(self, thing: str) -> bool:
        """Return whether a thing is always in or on something or in the hand, and never in itself."""
        places = (*self.locations, self.pack.mapping.robot_held.predicate)
        return self.groups.placed and any(self.induction.facts.with_argument(p, 0, thing) for p in places)

    def nowhere(self, thing: str) -> bool:
        """Return whether a thing that must be somewhere has no place left."""
        if (
            not self.somewhere(thing)
            or self.fact(self.pack.mapping.robot_held.predicate, (thing,)) is not False
        ):
            return False
        return not any(self.may_be_at(thing, p) for p in (*self.ends, *self.carriers))

    def may_be_at(self, name: str, above: str) -> bool:
        self.induction.spend()
        return any(self.fact(p, (name, above)) is not False for p in self.locations)

    def receivers(self, target: str) -> tuple[str, ...]:
        """Return what in a place something may be in or on."""
        if target not in self._receivers:
            self._receivers[target] = tuple(n for n in self.inside(target) if self.receives(n))
        return self._receivers[target]

    def receives(self, name: str) -> bool:
        limited, matching = self.induction.limited, self.induction.matching
        return any(not limited(p, (None, name)) or matching(p, (None, name)) for p in self.locations)

    @cached_property
    def carriers(self) -> tuple[str, ...]:
        return tuple(c for c in self.scene.by_type.get("object", ()) if self.receives(c))

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """The fixed places that something may be in or on."""
        return tuple(n for n, x in self.scene.nodes.items() if x.type != "object" and self.receives(n))

    @cached_property
    def stands(self) -> tuple[str, ...]:
        """The movable things that the robot may reach into."""
        limited, holds, at = self.induction.limited, self.induction.facts.holds, self.pack.at
        objects = self.scene.by_type.get("object", ())
        return tuple(c for c in objects if not limited(at, (c,)) or holds(at, (c,)))

    def inside(self, place: str) -> tuple[str, ...]:
        """Return a place and all that is fixed in it."""
        if place not in self._inside:
            below = self.scene.descendants(place) if self.scene.nodes[place].type in FIXED else ()
            fixed = (n for n in below if self.scene.nodes[n].type in ("asset", "part"))
            self._inside[place] = (place, *fixed)
        return self._inside[place]


def _name(term: object, binding: Binding) -> str:
    return binding[term.name] if isinstance(term, Var) else str(term)
