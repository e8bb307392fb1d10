"""Marks: the derived literals of a goal as facts of the end phase, without axioms.

Once acting has ended, or while it pauses for ``sometime``, nothing moves, so the room around a thing can be
marked from the outside in by free actions: what stands in the kitchen is ``within`` the kitchen, and what is
in or on that, or in the hand of a robot that is there, is as well. ``outside`` marks what is in some other
place, which is the negation since every thing is in exactly one. The actions are lifted and their facts grow
with the things times the places that a goal asks for; ``follow`` facts keep both to what :mod:`placement`
says may matter. The facts and actions may be written in another way; they must stay positive STRIPS, and a
mark must never be made that the state of its phase does not bear out.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ..domains.action import Action
from ..domains.formula import Atom, GroundAtom, TypedVar, Var
from ..domains.mapping import ROOM
from ..simulator.belief import Belief
from .placement import Followed

ITEM, ABOVE, PLACE = Var("i"), Var("x"), Var("place")


@dataclass(frozen=True, slots=True)
class _Names:
    """The predicates of one sign: of a thing's mark, of the pairs to be marked, and of the robot's mark."""

    thing: str
    follow: str
    robot: str


def _names(positive: bool, phase: str) -> _Names:
    """Return the names of one sign: brackets, which no predicate of a pack can have, around their symbols."""
    word = "within" if positive else "outside"
    return _Names(f"({word}{phase})", f"(follow {word})", f"(robot {word}{phase})")


@dataclass(frozen=True, slots=True)
class Marks:
    """Predicates, actions and facts that the derived literals of a goal add to its problem."""

    predicates: dict[str, tuple[TypedVar, ...]]
    actions: tuple[Action, ...]
    init: tuple[GroundAtom, ...]


def goal_atom(atom: GroundAtom, positive: bool, belief: Belief, phase: str = "") -> GroundAtom:
    """Return the mark that stands for a derived literal in a phase in which nothing moves."""
    names = _names(positive, phase)
    if belief.pack.mapping.derived[atom.predicate] == ROOM:
        return Atom(names.thing, atom.args)
    return Atom(names.robot, atom.args)


def marks(
    followed: Followed, belief: Belief, kept: Collection[str], ended: GroundAtom, phase: str = ""
) -> Marks:
    """Compile the derived literals of a closure over the names that it keeps.

    ``ended`` holds in the phase in which the marks are made; each phase has its own.
    """
    pack, scene = belief.pack, belief.scene
    of, top = pack.domain.predicates, "object"
    held, at = pack.mapping.robot_held.predicate, pack.at
    predicates: dict[str, tuple[TypedVar, ...]] = {}
    actions: list[Action] = []
    init: list[GroundAtom] = []
    fixed = [n for n in kept if scene.nodes[n].type != "object"]
    for positive in (True, False):
        names = _names(positive, phase)
        things = [(i, place) for i, place, sign in followed.things if sign == positive]
        robots = [place for place, sign in followed.robot if sign == positive]
        if not things and not robots:
            continue
        pair = (TypedVar("x", top), TypedVar("place", top))
        predicates |= {names.thing: pair, names.follow: pair, names.robot: (TypedVar("place", top),)}
        init += [Atom(names.follow, ends) for ends in things]
        for place in dict.fromkeys([*(p for _, p in things), *robots]):
            inside = {place, *scene.built_in(place)}
            init += [Atom(names.thing, (n, place)) for n in fixed if (n in inside) == positive]
            if positive and scene.nodes[place].type == "object":
                init.append(Atom(names.thing, (place, place)))
        above = Atom(names.thing, (ABOVE, PLACE))
        mark, follow = Atom(names.thing, (ITEM, PLACE)), Atom(names.follow, (ITEM, PLACE))
        robot = Atom(names.robot, (PLACE,))

        def free(name: str, parameters: tuple[TypedVar, ...], needs: tuple[Atom, ...], add: Atom) -> None:
            actions.append(Action(name, parameters, (ended, *needs), (add,), (), 0))

        for relation in followed.relations:
            item, support = (
                TypedVar(v, p.type) for v, p in zip(("i", "x"), of[relation].parameters, strict=True)
            )
            linked = (follow, Atom(relation, (ITEM, ABOVE)), above)
            free(f"(mark {names.thing} {relation})", (item, support, TypedVar("place", top)), linked, mark)
        if robots:
            stand = TypedVar("x", of[at].parameters[0].type)
            needs = (Atom(at, (ABOVE,)), above)
            free(f"(mark {names.robot})", (stand, TypedVar("place", top)), needs, robot)
            item = TypedVar("i", of[held].parameters[0].type)
            carried = (follow, Atom(held, (ITEM,)), robot)
            free(f"(mark {names.thing} {held})", (item, TypedVar("place", top)), carried, mark)
    return Marks(predicates, tuple(actions), tuple(init))
