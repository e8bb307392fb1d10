"""Facts that a formula rests on in a world: as long as they hold, and what never changes, it holds.

A robot can look at facts, not at ``forall`` or "in the room". So a goal that has been reached is said in the
facts that make it true where the plan ends: for a choice the first one taken, for a place the chain of what a
thing is in or on. They may ask for more than the goal, never for less.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from ...domains.errors import InputError
from ...domains.evaluate import OpenState, conjunctive, evaluate, parts
from ...domains.formula import (
    Atom,
    Cardinality,
    Count,
    Equal,
    Formula,
    GroundAtom,
    Not,
    Sometime,
    Term,
    TrajectoryConstraint,
    Var,
    as_ground,
    substitute,
)
from ...domains.mapping import ROOM
from ...simulator.world import World

MAX_FACTS = 10_000
"""Most facts that one goal may rest on."""


def atom_of(fact: Formula) -> Formula:
    """Return the atom of a literal, what a literal says or denies."""
    return fact.part if isinstance(fact, Not) else fact


def evidence_of(formula: Formula, world: World) -> tuple[Formula, ...]:
    """Return literals, and ``sometime`` of literals, that hold in a world and from which a formula follows.

    The formula has to hold there; constraints on the run in it are left out. Raises :class:`InputError` where
    there are more than :data:`MAX_FACTS`.
    """
    literals: dict[Formula, None] = {}
    for literal in _evidence(formula, True, world, {}):
        literals[literal] = None
        if len(literals) > MAX_FACTS:
            hint = "quantify over a class instead of everything"
            raise InputError("goal", f"a goal that rests on at most {MAX_FACTS} facts", "more", hint)
    return tuple(literals)


def _evidence(formula: Formula, value: bool, world: World, bound: dict[str, str]) -> Iterator[Formula]:
    match formula:
        case Atom():
            yield from _of_atom(_ground(formula, bound), value, world)
            return
        case Equal():
            return
        case TrajectoryConstraint():
            return  # no fact of the end shows it: it is among the rules of a program
        case Sometime(body):
            happened = Sometime(substitute(body, dict[str, Term](bound)))
            yield happened if value else Not(happened)
            return
        case Count() | Cardinality():
            yield from _of_count(formula, value, world, bound)
            return
    everything = conjunctive(formula, value)
    for part, sign, choice in parts(formula, value, cast(OpenState, world), bound):
        if everything or evaluate(part, world, choice) == sign:
            yield from _evidence(part, sign, world, dict(choice))
            if not everything:
                return


def _of_count(
    formula: Count | Cardinality, value: bool, world: World, bound: dict[str, str]
) -> Iterator[Formula]:
    """Yield what a count rests on: as many true parts as it needs, or the false ones, or for both all."""
    exactly = formula.kind == "exactly"
    more = not exactly and (formula.kind == "at-least") == value
    enough = formula.number + (not value) if more else 0
    for part, _, choice in parts(formula, True, cast(OpenState, world), bound):
        holds = evaluate(part, world, choice)
        if exactly or holds == more:
            if holds and not exactly:
                if not enough:
                    return
                enough -= 1
            yield from _evidence(part, holds, world, dict(choice))


def _of_atom(atom: GroundAtom, value: bool, world: World) -> Iterator[Formula]:
    pack = world.pack
    meaning = pack.mapping.derived.get(atom.predicate)
    if meaning == ROOM:
        yield from _of_place(atom.args[0], world)
    elif meaning is not None:
        yield from _of_robot(world)
    elif atom.predicate in pack.fluents:
        yield atom if value else Not(atom)


def _of_place(name: str, world: World) -> Iterator[Formula]:
    """Yield the facts of where a thing is, from what it is in or on up to what stays where it is."""
    for node in world.state.around(name):
        if world.scene.nodes[node].type != "object":
            return
        for predicate in world.pack.locations:
            for args in world.state.facts.with_argument(predicate, 0, node):
                yield Atom(predicate, args)
        held = Atom(world.pack.mapping.robot_held.predicate, (node,))
        if world.state.facts.holds(held.predicate, held.args):
            yield held
            yield from _of_robot(world)


def _of_robot(world: World) -> Iterator[Formula]:
    yield Atom(world.pack.at, (world.state.stands_at,))
    yield from _of_place(world.state.stands_at, world)


def _ground(atom: Atom, bound: dict[str, str]) -> GroundAtom:
    return as_ground(
        Atom(atom.predicate, tuple(bound[a.name] if isinstance(a, Var) else a for a in atom.args))
    )
