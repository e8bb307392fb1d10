"""Containment kept by actions: nothing gets into itself, and the robot does not stand in what it holds.

Things that can be carried and reached into could in principle be put into one another in a ring. That they
are not is an invariant of the usual actions, shown here: a thing is put where the robot stands, and the robot
does not stand at anything that is in what it holds. Then no action applies with a thing for its own place, so
compiling and simulating may leave such arguments out. Actions of other forms may be added where the
invariant is proved for them: it mentions chains, which ``induction`` over pairs of facts cannot.

The invariant: each thing is in, on or under one place or held; these relations have no ring; and from where
the robot stands they lead up to a fixed place or a room, never through a held thing.
"""

from __future__ import annotations

from collections.abc import Callable

from ..formula import Atom, Var
from ..mapping import SceneMapping
from ..pddl import Domain
from .instances import Instance, comparable


def only_relations_say_where(mapping: SceneMapping) -> bool:
    """Return whether a scene's tree alone says where things are: then the invariant holds at the start."""
    x, y = Var("x"), Var("y")
    where = {r.predicate for r in mapping.relations.values()}
    where |= {mapping.robot_position.predicate, mapping.robot_held.predicate}
    if any(r.args not in ((x,), (x, y)) for r in mapping.relations.values()):
        return False
    if any(r.predicate == mapping.robot_position.predicate for r in mapping.relations.values()):
        return False
    tables = (mapping.states, mapping.affordances, mapping.classes)
    patterns = [a for table in tables for atoms in table.values() for a in atoms]
    patterns += [*mapping.parents.values(), *(rule.add for rule in mapping.rules)]
    return not any(a.predicate in where for a in patterns)


def keeps_in_place(
    instance: Instance, mapping: SceneMapping, excluded: Callable[[Atom, tuple[Atom, ...]], bool]
) -> bool:
    """Return whether an action that takes a thing from its place, or out of the hand, puts it somewhere.

    ``excluded`` says of a fact that it cannot hold together with others.
    """
    where = {r.predicate for r in mapping.relations.values()}
    placed = {atom.args[0] for atom in instance.add if atom.predicate in where}
    return all(
        atom.args[0] in placed or excluded(atom, instance.precondition)
        for atom in instance.delete
        if atom.predicate in where
    )


def keeps_standing(domain: Domain, mapping: SceneMapping) -> bool:
    """Return whether every action that takes the robot from a place brings it to one."""
    at = mapping.robot_position.predicate
    moving = (a for a in domain.actions.values() if any(d.predicate == at for d in a.delete))
    return all(any(e.predicate == at for e in action.add) for action in moving)


def keeps_containment(instance: Instance, domain: Domain, mapping: SceneMapping) -> bool:
    """Return whether an action that can be done keeps the invariant, by its form.

    It supposes that one fact at most says where a thing is, and where the robot is.
    """
    relations = {r.predicate for r in mapping.relations.values() if len(r.args) == 2}
    at, held = mapping.robot_position.predicate, mapping.robot_held.predicate
    things = [t for kind, t in mapping.types.items() if kind == "object"]
    pre = set(instance.precondition)
    moves = any(a.predicate == at and a not in pre for a in instance.add)

    def fixed(symbol: str) -> bool:
        kind = instance.symbols[symbol]
        return not any(comparable(kind, thing, domain) for thing in things)

    def linked(low: str, high: str) -> bool:
        return any(Atom(r, (low, high)) in pre for r in relations)

    for atom in instance.add:
        args = atom.args
        if atom in pre:
            continue
        if atom.predicate in relations:
            put_down = Atom(held, (args[0],)) in pre and Atom(at, (args[1],)) in pre and not moves
            if not (put_down or linked(*args) or (fixed(args[1]) and not moves)):
                return False
        elif atom.predicate == held:
            # What is picked up is at the robot's place, so that place is not in or on it.
            if moves or not any(linked(args[0], p.args[0]) for p in pre if p.predicate == at):
                return False
        elif atom.predicate == at and not fixed(args[0]):
            starts = [p.args[0] for p in pre if p.predicate == at]
            if any(a.predicate in relations or a.predicate == held for a in instance.add):
                return False
            if not any(linked(args[0], s) or linked(s, args[0]) for s in starts):
                return False
    return True
