"""Placement: what can make a derived literal true, for the closure of a goal, and the marks that say so.

A thing may be in a room on or in anything there, in a movable thing that is there in turn, or in the hand of
a robot that is there. Each link of such a chain that may come to hold is a fact that the goal depends on, and
so is every place of each carrier. Where only the nearest few are to be kept, whatever is cut must be
reported; fewer may be kept only where what is left out cannot help or cost less.

Marks are the derived literals of a goal as facts of the end phase, without axioms. Once acting has ended, or
while it pauses for ``sometime``, nothing moves, so the room around a thing can be marked from the outside in
by free actions: what stands in the kitchen is ``within`` the kitchen, and what is in or on that, or in the
hand of a robot that is there, is as well. ``outside`` marks what is in some other place, which is the
negation since every thing is in exactly one. The actions are lifted and their facts grow with the things
times the places that a goal asks for; ``follow`` facts keep both to what may matter. The facts and actions
may be written in another way; they must stay positive STRIPS, and a mark must never be made that the state of
its phase does not bear out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..domains.action import Action, bind
from ..domains.deadline import check_size, check_time
from ..domains.formula import Atom, GroundAtom, TypedVar, Var, is_ground_atom
from ..domains.mapping import ROOM
from ..simulator.belief import Belief
from ..simulator.facts import Facts
from .attainable import Attainable

FIXED = ("room", "asset", "part", "pose")


@dataclass
class Followed:
    """The derived literals that a closure follows; each with its sign, in the order of being asked for."""

    things: dict[tuple[str, str, bool], None] = field(default_factory=dict)
    """A movable thing and the place that it is to be in, or outside of."""
    robot: dict[tuple[str, bool], None] = field(default_factory=dict)
    """Places that the robot is to be at, or not at."""
    relations: dict[str, None] = field(default_factory=dict)
    """The relations of which a link of the followed things may hold."""


def fixed_place(name: str, belief: Belief, facts: Facts) -> str | None:
    """Return the fixed place that a thing is at in a state, that of the robot for what it carries."""
    for _ in range(len(belief.scene.nodes)):
        if belief.scene.nodes[name].type != "object":
            return name
        above = None
        for predicate in belief.pack.locations:
            for args in facts.with_argument(predicate, 0, name):
                above = args[1]
        if above is None:
            return facts.all(belief.pack.at)[0][0]
        name = above
    return None


class Placement:
    """Needs of derived literals within one closure.

    ``need`` takes a literal that has become relevant, ``closest`` cuts a list of names to those that are kept
    and reports what it left out.
    """

    def __init__(
        self,
        belief: Belief,
        now: Facts,
        attainable: Attainable,
        need: Callable[[GroundAtom, bool], None],
        closest: Callable[[str, Sequence[str]], Sequence[str]],
    ) -> None:
        self.belief, self.now, self.attainable = belief, now, attainable
        self.need, self.closest = need, closest
        self.pack = belief.pack
        self.followed = Followed()
        # Movable things at which the robot may stand at the end.
        self.stands: dict[str, None] = {}
        here = now.all(self.pack.at)[0][0]
        if belief.scene.nodes[here].type == "object":
            self.stands[here] = None
        self.started = False

    def follow(self, atom: GroundAtom, positive: bool) -> None:
        """Ask for whatever can make a derived literal true."""
        if not self.started:
            self.started = True
            if not self.belief.invariants.placed:
                for name in self.belief.scene.by_type.get("object", ()):
                    if self.attainable.reachable(Atom(self.pack.at, (name,))):
                        self.need(Atom(self.pack.at, (name,)), True)
        args = atom.args
        if self.pack.mapping.derived[atom.predicate] == ROOM:
            self.thing(args[0], args[1], positive)
        else:
            self.robot(args[0], positive)

    def stood_at(self, name: str) -> None:
        """Take note that the robot may stand at a movable thing, and is then around it as well."""
        if name in self.stands:
            return
        self.stands[name] = None
        for place, positive in list(self.followed.robot):
            if name != place:
                self.thing(name, place, positive)

    def robot(self, place: str, positive: bool) -> None:
        """Ask for the ways of the robot to be at a place: at itself, or at a movable thing in it.

        What is fixed in a room needs no asking: driving from there into the room costs nothing. Not to be at
        a place the robot drives to another, which the closure keeps.
        """
        if (place, positive) in self.followed.robot:
            return
        self.followed.robot[place, positive] = None
        at, scene = self.pack.at, self.belief.scene
        if positive or scene.nodes[place].type == "object":
            kind = self.pack.domain.predicates[at].parameters[0].type
            spots = [place]
            if not self.belief.has_type(place, self.pack.navigation.parameters[1].type):
                spots += scene.built_in(place)
            for spot in spots:
                standing = scene.nodes[spot].type in FIXED or spot == place
                if standing and self.belief.has_type(spot, kind):
                    self.need(Atom(at, (spot,)), positive)
        for name in list(self.stands):
            if name != place:
                self.thing(name, place, positive)

    def thing(self, name: str, place: str, positive: bool) -> None:
        """Ask for the ways of a movable thing to be in a place, or outside of it."""
        if (name, place, positive) in self.followed.things:
            return
        self.followed.things[name, place, positive] = None
        check_time("finding what the goal depends on")
        check_size("literals", len(self.followed.things), "finding what the goal depends on")
        for relation in self.pack.locations:
            for spot in self.spots(relation, name, place, positive):
                self.link(relation, name, spot)
            possible = [
                c
                for c in self.attainable.carriers[relation]
                if c != name
                and (positive or c != place)
                and self.attainable.reachable(Atom(relation, (name, c)))
            ]
            for carrier in self.closest(name, possible):
                self.link(relation, name, carrier)
                if carrier != place:
                    self.thing(carrier, place, positive)
        held = Atom(self.pack.mapping.robot_held.predicate, (name,))
        if self.attainable.reachable(held):
            self.need(held, True)
            self.robot(place, positive)

    def link(self, relation: str, name: str, above: str) -> None:
        self.followed.relations[relation] = None
        self.need(Atom(relation, (name, above)), True)

    def spots(self, relation: str, name: str, place: str, positive: bool) -> Sequence[str]:
        """Return the fixed places inside (or outside) of a place that a thing may be in or on."""
        scene = self.belief.scene
        inside = {place, *scene.built_in(place)}
        names: list[str] = []
        if positive:
            names = [n for n in sorted(inside) if scene.nodes[n].type in FIXED]
        else:
            names = [n for kind in FIXED for n in scene.by_type.get(kind, ()) if n not in inside]
        able = [n for n in names if self.attainable.reachable(Atom(relation, (name, n)))]
        if not positive:
            able = list(self.one_a_room(relation, name, able))
        return self.closest(name, able)

    def one_a_room(self, relation: str, name: str, spots: Sequence[str]) -> Iterator[str]:
        """Yield one spot of each room and all that are not as good: driving between them costs nothing.

        A spot is as good as any where putting the thing there takes nothing but the thing and the place, at
        the least cost of any way. It stays good, as every place takes any number of things.
        """
        seen: set[str] = set()
        plain = self.plain_spots(relation, name, spots)
        for spot in spots:
            room = self.belief.scene.anchor_of(spot) or spot
            if spot not in plain or room not in seen or self.now.holds(relation, (name, spot)):
                yield spot
            if spot in plain:
                seen.add(room)

    def plain_spots(self, relation: str, name: str, spots: Sequence[str]) -> frozenset[str]:
        adders = [a for a in self.pack.domain.actions.values() if any(e.predicate == relation for e in a.add)]
        if not adders or not self.pack.unlimited_capacity:
            return frozenset()
        cheapest = min(a.cost or 0 for a in adders)
        return frozenset(
            s for s in spots if any(a.cost == cheapest and self.plain(a, relation, name, s) for a in adders)
        )

    def plain(self, action: Action, relation: str, name: str, spot: str) -> bool:
        """Return whether an action puts a thing on a spot without another condition that changes."""
        effect = next(e for e in action.add if e.predicate == relation)
        binding = {t.name: n for t, n in zip(effect.args, (name, spot), strict=True) if isinstance(t, Var)}
        usual = {Atom(self.pack.mapping.robot_held.predicate, (name,)), Atom(self.pack.at, (spot,))}
        for atom in action.precondition:
            ground = bind(atom, binding)
            if not is_ground_atom(ground):
                return False
            if atom.predicate in self.pack.fluents:
                if ground not in usual:
                    return False
            elif not self.now.holds(atom.predicate, ground.args):
                return False
        return True


ITEM, ABOVE, PLACE = Var("i"), Var("x"), Var("place")


class _Names(NamedTuple):
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
    of_thing = belief.pack.mapping.derived[atom.predicate] == ROOM
    return Atom(names.thing if of_thing else names.robot, atom.args)


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
