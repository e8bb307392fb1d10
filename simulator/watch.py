"""Formulas by what can change their truth, so that after an action only those that it touched are evaluated.

A world remembers in this way which conditions have held (``sometime``), and a robot program which part of the
goal an action brings about. ``domains.evaluate`` still defines the truth, and a test compares the two. A new
derived predicate of the mapping needs a case in :class:`Touched`, or is evaluated after every action.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from ..domains.deadline import check_size, check_time
from ..domains.formula import Count, Exists, Forall, Formula, GroundAtom, Sometime, is_ground_atom, walk
from ..domains.mapping import ROOM
from ..domains.pack import Pack
from .facts import Facts

WORK = "watching what has held"


class Places(Protocol):
    """A world in which things have places."""

    pack: Pack
    facts: Facts


class Touched:
    """An index of formulas by the facts, and by the things whose rooms, they are about.

    It is made once for a goal and shared by the copies of a world.
    """

    def __init__(self, formulas: Sequence[Formula], derived: Mapping[str, str]) -> None:
        check_size("literals", len(formulas), WORK)
        self._by_fact: dict[GroundAtom, dict[int, None]] = {}
        self._by_thing: dict[str, dict[int, None]] = {}
        self._always: dict[int, None] = {}
        for number, formula in enumerate(formulas):
            check_time(WORK)
            for node in walk(formula):
                if isinstance(node, Sometime | Exists | Forall | Count):
                    self._always[number] = None
                if not is_ground_atom(node):
                    continue
                if node.predicate not in derived:
                    self._by_fact.setdefault(node, {})[number] = None
                elif derived[node.predicate] == ROOM:
                    self._by_thing.setdefault(node.args[0], {})[number] = None
                else:
                    self._always[number] = None

    def by(self, changed: Sequence[GroundAtom], world: Places) -> Iterator[int]:
        """Yield the numbers of the formulas whose truth a change of some facts can have changed."""
        numbers = dict(self._always)
        for fact in changed:
            numbers |= self._by_fact.get(fact, {})
        for thing in _moved(world, changed) if self._by_thing else ():
            numbers |= self._by_thing.get(thing, {})
        yield from numbers


def _moved(world: Places, changed: Sequence[GroundAtom]) -> list[str]:
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
