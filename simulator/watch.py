"""Conditions that a world remembers having held (``sometime``), found again without looking at all of them.

After an action only a few conditions can have become true: those that mention a fact that it changed, and,
for rooms, those about things that moved. The index says which; ``domains.evaluate`` still defines the truth,
and a test compares the two. A new derived predicate of the mapping needs a case in :class:`Watch`, or stays
among the conditions that are looked at every time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from ..domains.deadline import check_size, check_time
from ..domains.evaluate import State, evaluate
from ..domains.formula import Atom, Formula, GroundAtom, Not, as_ground, is_ground_atom, walk
from ..domains.mapping import ROOM
from ..domains.pack import Pack
from .facts import Facts

WORK = "watching what has held"

_Sides = tuple[dict[str, Formula], dict[str, Formula]]


class Places(State, Protocol):
    """A world in which things and the robot have places."""

    pack: Pack
    facts: Facts

    @property
    def stands_at(self) -> str: ...

    def around(self, name: str) -> list[str]: ...

    def room_of(self, name: str) -> str | None: ...


class Watch:
    """An index of ground conditions, made once for a goal and shared by the copies of a world."""

    def __init__(self, conditions: Sequence[Formula], derived: Mapping[str, str]) -> None:
        check_size("literals", len(conditions), WORK)
        self.conditions = dict.fromkeys(conditions)
        self._by_fact: dict[Atom, list[Formula]] = {}
        self._others: list[Formula] = []
        # Positive and negative literals of derived predicates: by thing and room, by the robot's place.
        self._rooms: dict[str, _Sides] = {}
        self._places: _Sides = ({}, {})
        self._mixed: list[Formula] = []
        for condition in self.conditions:
            check_time(WORK)
            negative = isinstance(condition, Not)
            literal = condition.part if isinstance(condition, Not) else condition
            meaning = derived.get(literal.predicate) if isinstance(literal, Atom) else None
            if isinstance(literal, Atom) and meaning == ROOM:
                name, room = as_ground(literal).args
                self._rooms.setdefault(name, ({}, {}))[negative][room] = condition
            elif isinstance(literal, Atom) and meaning is not None:
                self._places[negative][as_ground(literal).args[0]] = condition
            else:
                self._index(condition, derived)

    def _index(self, condition: Formula, derived: Mapping[str, str]) -> None:
        """Index a condition by the facts in it; one with derived or quantified facts is always looked at."""
        self._others.append(condition)
        atoms = [n for n in walk(condition) if isinstance(n, Atom)]
        if any(a.predicate in derived or not is_ground_atom(a) for a in atoms):
            self._mixed.append(condition)
            return
        for atom in atoms:
            self._by_fact.setdefault(atom, []).append(condition)

    def all_true(self, world: Places) -> Iterator[Formula]:
        """Yield every condition that holds now."""
        yield from _true(self._others, world)
        yield from _on_sides(self._places, world.around(world.stands_at))
        for name in self._rooms:
            yield from self._of_room(name, world)

    def newly_true(self, world: Places, changed: Sequence[GroundAtom]) -> Iterator[Formula]:
        """Yield the conditions that hold now, of those that a change of some facts can have made true."""
        if not self.conditions:
            return
        by_fact = (c for a in changed for c in self._by_fact.get(a, ()))
        yield from _true(dict.fromkeys([*by_fact, *self._mixed]), world)
        if self._places != ({}, {}):
            yield from _on_sides(self._places, world.around(world.stands_at))
        for name in moved(world, changed) if self._rooms else ():
            if name in self._rooms:
                yield from self._of_room(name, world)

    def _of_room(self, name: str, world: Places) -> Iterator[Formula]:
        """Yield the conditions about the room of a thing that hold."""
        check_time(WORK)
        here = world.room_of(name)
        yield from _on_sides(self._rooms[name], () if here is None else (here,))


def _on_sides(sides: _Sides, here: Sequence[str]) -> Iterator[Formula]:
    """Yield the positive literals of places that are here, and the negative ones of places that are not."""
    positive, negative = sides
    yield from (positive[place] for place in here if place in positive)
    yield from (condition for place, condition in negative.items() if place not in here)


def _true(conditions: Iterable[Formula], world: Places) -> Iterator[Formula]:
    for condition in conditions:
        check_time(WORK)
        if evaluate(condition, world):
            yield condition


def moved(world: Places, changed: Sequence[GroundAtom]) -> list[str]:
    """Return the things that may be in another room after a change of facts, with all that is in them."""
    pack = world.pack
    held = pack.mapping.robot_held.predicate
    names: dict[str, None] = {}
    for atom in changed:
        if atom.predicate in (*pack.locations, held):
            names[atom.args[0]] = None
        if atom.predicate in (*pack.locations, held, pack.at):  # what is held goes where the robot goes
            names |= dict.fromkeys(args[0] for args in world.facts.all(held))
    queue = list(names)
    while queue:
        around = queue.pop()
        for predicate in pack.locations:
            for args in world.facts.with_argument(predicate, 1, around):
                if args[0] not in names:
                    names[args[0]] = None
                    queue.append(args[0])
    return list(names)
