"""Expansion of a goal's derived predicates: the room around a thing, and the place of the robot.

``in_room`` and ``robot_at`` are no facts that actions change; they follow from such facts. Here they are
replaced by the ways in which they can be true: in or on something of the room, in a movable thing that is
there, in the hand of the robot that is there. Only carriers that hold the thing now, or that the goal names,
are followed, since the ways through all of them are too many to write down; :attr:`Whereabouts.exact` turns
false where that leaves something out. With ``whole``, such a literal stays an atom instead, which
``placement`` compiles exactly. Limits and the choice of carriers may be changed; an omission must clear
``exact``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from ..domains.deadline import check_size, check_time
from ..domains.formula import Atom, Formula, GroundAtom, Term, Var, conjunction, disjunction, walk
from ..domains.mapping import ROOM
from ..domains.pack import Pack
from ..simulator.belief import Belief
from ..simulator.facts import Facts
from .attainable import Attainable
from .forms import truth

MAX_FOLLOWED = 5
"""Most carriers of one thing that are followed to any depth; the ways grow with their factorial."""
MAX_DEPTH = 2
"""Carriers within one another that are followed where there are more."""

REACHED = ("room", "pose", "asset", "part")
"""Types of places that the robot can drive to; at others it is where it stands at something on them."""


@dataclass
class Whereabouts:
    """Ways in which the derived literals of one goal can be true, and whether any was left out."""

    belief: Belief
    facts: Facts
    goal: Formula
    whole: bool = False
    """True if a literal that cannot be expanded exactly stays an atom."""
    around_robot: bool = False
    """True if the robot's place stays an atom as well."""
    exact: bool = True
    """True while no way was left out or forbidden."""
    literals: int = 0
    """Number of ways of being in a room so far."""
    standing: dict[tuple[str, bool], None] = field(default_factory=dict)
    """Places of the robot in the form, with the sign of their literals."""

    @cached_property
    def robot_places(self) -> tuple[Term, ...]:
        """Places of the robot that the goal names, and its variables for one."""
        derived, at = self.belief.pack.mapping.derived, self.belief.pack.at
        atoms = (a for a in walk(self.goal) if isinstance(a, Atom))
        return tuple(dict.fromkeys(a.args[0] for a in atoms if derived.get(a.predicate) == at))

    @cached_property
    def named_carriers(self) -> tuple[str, ...]:
        """Nodes that a thing is to be in or on by the goal."""
        locations = self.belief.pack.locations
        located = [a for a in walk(self.goal) if isinstance(a, Atom) and a.predicate in locations]
        names = (name for a in located for name in a.args[1:] if isinstance(name, str))
        return tuple(dict.fromkeys(n for n in names if n in self.belief.scene.nodes))

    @cached_property
    def carriers(self) -> tuple[str, ...]:
        """The movable things that something is in or on now, could be put into, or should be in or on."""
        nodes, mapping = self.belief.scene.nodes, self.belief.pack.mapping
        carriers = set(self.named_carriers)
        for above in mapping.parents.values():
            carriers |= {args[0] for args in self.facts.all(above.predicate)}
        for predicate in self.belief.pack.locations:
            carriers |= {args[1] for args in self.facts.all(predicate)}
        return tuple(sorted(c for c in carriers if nodes[c].type == "object"))

    @cached_property
    def stood_at(self) -> tuple[str, ...]:
        """The movable things at which the robot may come to stand."""
        things = self.belief.scene.by_type.get("object", ())
        return tuple(n for n in things if self.attainable.reachable(Atom(self.belief.pack.at, (n,))))

    @cached_property
    def attainable(self) -> Attainable:
        return Attainable(self.belief, self.facts)

    # The robot

    def stands_exactly(self) -> bool:
        """Return whether the robot's place at a movable thing is translated exactly.

        Standing at a movable thing is also standing at everything around it. The translation looks only for
        the room around the things that the goal names; other places are met by the robot at themselves,
        which asks for more than the goal where stepping back from a thing takes anything.
        """
        nodes = self.belief.scene.nodes
        if not steps_back_freely(self.belief.pack) and self.stood_at:
            return all(self._is_bare(place) for place, _ in self.standing)
        movable = {p for p, positive in self.standing if positive and nodes[p].type == "object"}
        start = self.facts.all(self.belief.pack.at)[0][0]
        if nodes[start].type == "object":
            movable.add(start)
        if not movable:
            return True
        around = movable.issubset(self.robot_places) and movable.issubset(self.stood_at)
        for place, positive in self.standing:
            kind = nodes[place].type
            if self._is_bare(place) or movable == {place} or (positive and kind == "room" and around):
                continue
            return False
        return True

    def robot_at(self, place: str, positive: bool, reaching: bool = True) -> Formula:
        """Expand the robot's being at a place: there, or at something in it.

        To get to a room it is enough to drive into it. So a positive literal becomes that, its poses from
        which no route leads there, and the places that the goal names; a negative one rules out all in it. A
        movable thing that the robot reaches into may be anywhere, and stepping back from it costs nothing.
        """
        at, scene = self.belief.pack.at, self.belief.scene
        if self.around_robot and not self._is_bare(place):
            return self.unexpanded(Atom(self.belief.pack.standing, (place,)), positive)
        self.standing[place, positive] = None
        inside = list(scene.built_in(place))
        if positive:
            any_place = any(isinstance(p, Var) for p in self.robot_places)
            if not any_place and scene.nodes[place].type in REACHED:
                poses = [i for i in inside if scene.nodes[i].type == "pose"]
                joined = self.belief.routes.lengths(place) if poses else {}
                apart = {pose for pose in poses if pose not in joined}
                inside = [i for i in inside if i in self.robot_places or i in apart]
            here: list[Formula] = [Atom(at, (p,)) for p in (place, *inside)]
            if not reaching or scene.nodes[place].type != "room":
                return disjunction(here)
            movable = [m for m in self.robot_places if isinstance(m, str) and m in self.stood_at]
            there = [self._ways(m, place, True, (), False) for m in movable]
            ways = (conjunction((Atom(at, (m,)), t)) for m, t in zip(movable, there, strict=True))
            return disjunction([*here, *ways])
        if not self._is_bare(place):
            inside += [c for c in self.stood_at if c != place]
        return disjunction([Atom(at, (p,)) for p in (place, *inside)])

    def _is_bare(self, place: str) -> bool:
        """Return whether a place is a pose without a thing, at which nothing is but the robot."""
        scene = self.belief.scene
        return scene.nodes[place].type == "pose" and not scene.children.get(place)

    # Things

    def in_room(self, name: str, room: str, positive: bool) -> Formula:
        """Expand a thing's being in a room: on or in something that is there, or held there."""
        scene = self.belief.scene
        if scene.nodes[name].type != "object":
            return truth(scene.room_of(name) == room)
        if not self.whole:
            return self._ways(name, room, positive, ())
        before, self.exact = self.exact, True
        standing = dict(self.standing)
        ways = self._ways(name, room, positive, ())
        expanded, self.exact = self.exact, before
        if expanded:
            return ways
        self.standing.clear()
        self.standing |= standing
        return self.unexpanded(self.derived(ROOM, name, room), positive)

    def derived(self, meaning: str, *args: str) -> GroundAtom:
        """Return the derived atom of a meaning as it stands."""
        return Atom(next(p for p, m in self.belief.pack.mapping.derived.items() if m == meaning), args)

    def unexpanded(self, atom: GroundAtom, positive: bool) -> GroundAtom:
        """Return a derived atom as it stands; its negation needs every thing to be in exactly one place."""
        self.exact = self.exact and (positive or self.belief.invariants.placed)
        return atom

    def _ways(
        self, name: str, room: str, positive: bool, through: tuple[str, ...], reaching: bool = True
    ) -> Formula:
        """Return the ways of a movable thing to be in a room that do not lead ``through`` a thing again."""
        check_time("expanding the goal")
        scene, mapping = self.belief.scene, self.belief.pack.mapping
        ways: list[Formula] = []
        fixed = list(scene.built_in(room))
        for place in (room, *fixed):
            relations = self.relations_to(name, place)
            ways += [self.fact(predicate, (name, place)) for predicate in relations]
            # The mapping may require more of a place than the actions do.
            if self.exact and self.attainable.other_relations(name, place, relations):
                self.exact = False
        for predicate in self.belief.pack.locations:
            followed = self.followed(predicate, name, through)
            for carrier in self.carriers:
                link = self.fact(predicate, (name, carrier))
                if carrier in followed and carrier not in (name, *through):
                    inner = self._ways(carrier, room, positive, (*through, name), reaching)
                    ways.append(conjunction((link, inner)))
                elif not positive and carrier != name:
                    # The goal does not want it in there: forbidding that is simpler than following it.
                    ways.append(link)
        self.exact = self.exact and not self.omits_carriers(name, room, positive, through)
        held = Atom(mapping.robot_held.predicate, (name,))
        ways.append(conjunction((held, self.robot_at(room, positive, reaching))))
        self.literals += len(ways)
        check_size("literals", self.literals, "expanding the goal")
        return disjunction(ways)

    def followed(self, predicate: str, name: str, through: tuple[str, ...]) -> frozenset[str]:
        """Return the carriers through which a thing is followed: its present ones and those of the goal."""
        carriers = frozenset(
            (*(a[1] for a in self.facts.with_argument(predicate, 0, name)), *self.named_carriers)
        )
        if len(through) < MAX_DEPTH or len(carriers.intersection(self.carriers)) <= MAX_FOLLOWED:
            return carriers
        return frozenset()

    def omits_carriers(self, name: str, room: str, positive: bool, through: tuple[str, ...]) -> bool:
        """Return whether a carrier of a thing is left out though reachable, or forbidden wherever it is."""
        for predicate, carriers in self.attainable.carriers.items():
            followed = self.followed(predicate, name, through)
            for carrier in carriers:
                if carrier in (name, *through) or (carrier in followed and carrier in self.carriers):
                    continue
                stays = self.attainable.permanent_room(carrier)
                harmless = stays is not None and (stays == room) != positive
                if not harmless and self.attainable.reachable(Atom(predicate, (name, carrier))):
                    return True
        return False

    def fact(self, predicate: str, args: tuple[str, ...]) -> Formula:
        """Return the atom of a fluent, the truth of a static fact."""
        if predicate in self.belief.pack.fluents:
            return Atom(predicate, args)
        return truth(self.facts.holds(predicate, args))

    def relations_to(self, name: str, place: str) -> list[str]:
        """Return the relations that a thing has to a fixed place, or may have.

        What it may have says the mapping's ``[requires]``; with ``whole``, the actions.
        """
        pack, ends = self.belief.pack, (name, place)
        return [
            predicate
            for predicate in pack.locations
            if self.may_be(predicate, ends)
            or self.facts.holds(predicate, ends)
            or (self.whole and self.attainable.reachable(Atom(predicate, ends)))
        ]

    def may_be(self, predicate: str, ends: tuple[str, str]) -> bool:
        """Return whether a thing may come into a relation: by the requirements, or else by the actions."""
        pack = self.belief.pack
        required = pack.mapping.requires.get(predicate)
        if required is None or unmet_requirement(predicate, ends, self.belief, self.facts) is not None:
            return False
        counts = pack.requirements.needed[predicate]
        return required == counts or self.attainable.reachable(Atom(predicate, ends))


def unmet_requirement(
    predicate: str, args: tuple[str, ...], belief: Belief, facts: Facts
) -> GroundAtom | None:
    """Return the first unmet requirement of a fact, or ``None``; a held thing need not be picked up."""
    requirements = belief.pack.requirements
    values = dict(zip(("x", "y"), args, strict=False))
    held = bool(args) and facts.holds(belief.pack.mapping.robot_held.predicate, args[:1])
    for need in requirements.needed.get(predicate, ()):
        names = tuple(values[a.name] if isinstance(a, Var) else a for a in need.args)
        if not facts.holds(need.predicate, names) and not (held and need in requirements.pickup):
            return Atom(need.predicate, names)
    return None


def steps_back_freely(pack: Pack) -> bool:
    """Return whether an action of no cost or condition leads back from whatever the robot reaches into."""
    into: set[str] = set()
    back: set[str] = set()
    for action in pack.domain.actions.values():
        changing = {c for c in action.precondition if c.predicate in pack.fluents}
        for link in (c for c in changing if c.predicate in pack.locations):
            thing, above = (Atom(pack.at, (end,)) for end in link.args)
            if above in changing and thing in action.add:
                into.add(link.predicate)
            if changing == {thing, link} and action.add == (above,) and action.cost == 0:
                back.add(link.predicate)
    return into <= back
