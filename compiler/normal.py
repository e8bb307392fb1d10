"""Ground normal form of a goal over a scene: the first pass of the compiler.

Quantifiers are expanded over the nodes of the scene (a closed world); static facts (classes, attributes,
static predicates, equality) are decided at once; derived predicates are replaced by the facts they follow
from; negation ends up in front of atoms. The result is built from fluents, ``And``, ``Or``, cardinality
constraints and ``Sometime`` over literals that hold together. The bounds may be changed. A plan for the form
must satisfy the goal; where the form asks for more than the goal, :class:`Expanded` must say so, or a proof
of unsolvability would be false.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ..domains.deadline import check_size, check_time
from ..domains.errors import GoalError, clip
from ..domains.formula import (
    FALSE,
    TRUE,
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
    Term,
    TypedVar,
    Var,
    conjunction,
    disjunction,
    walk,
)
from ..domains.mapping import ROOM
from ..simulator.belief import Belief
from ..simulator.facts import Facts
from .attainable import Attainable
from .forms import at_least, branches, negate_if, truth

MAX_SOMETIME = 64
"""Most disjuncts in the normal form of the body of one ``sometime``."""
MAX_PARTS = 200_000
"""Most parts that expanding one goal may create."""

Binding = dict[str, str]


@dataclass(frozen=True, slots=True)
class Expanded:
    """A goal in normal form; ``exact`` if the two are equivalent.

    Otherwise a thing may be in a room in a way that the form leaves out or forbids (in a crate that is
    carried there). A plan for the form is verified by the goal, but unsolvability of the form proves nothing.
    """

    form: Formula
    exact: bool


def normal_form(formula: Formula, belief: Belief, facts: Facts | None = None) -> Formula:
    """Return the ground normal form of a checked goal; :func:`expanded` also says whether it is exact."""
    return expanded(formula, belief, facts).form


def expanded(formula: Formula, belief: Belief, facts: Facts | None = None) -> Expanded:
    """Return the ground normal form of a checked goal.

    ``facts`` are the current state where it differs from the belief; they only decide the places of things in
    the goal. Raises :class:`GoalError` when the expansion is too large.
    """
    expander = _Expander(belief, facts or belief.facts)
    derived, at = belief.pack.mapping.derived, belief.pack.at
    places = [a.args[0] for a in walk(formula) if isinstance(a, Atom) and derived.get(a.predicate) == at]
    expander.robot_places = tuple(dict.fromkeys(p for p in places if isinstance(p, str)))
    expander.any_place = any(isinstance(p, Var) for p in places)
    located = [a for a in walk(formula) if isinstance(a, Atom) and a.predicate in belief.pack.locations]
    names = (name for a in located for name in a.args[1:] if isinstance(name, str))
    expander.named_carriers = tuple(dict.fromkeys(n for n in names if n in belief.scene.nodes))
    form = expander.expand(formula, {}, True)
    return Expanded(form, expander.exact and expander.stands_exactly())


@dataclass
class _Expander:
    belief: Belief
    facts: Facts
    robot_places: tuple[str, ...] = ()
    """Places of the robot that the goal names."""
    any_place: bool = False
    """True if a place of the robot is a variable of the goal."""
    named_carriers: tuple[str, ...] = ()
    """Nodes that a thing is to be in or on by the goal."""
    parts: int = 0
    """Number of expanded parts so far."""
    literals: int = 0
    """Number of ways of being in a room so far."""
    exact: bool = True
    """True while no way of being in a room was left out or forbidden."""
    standing: dict[tuple[str, bool], None] = field(default_factory=dict)
    """Places of the robot in the form, with the sign of their literals."""

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
    def attainable(self) -> Attainable:
        return Attainable(self.belief, self.facts)

    def stands_exactly(self) -> bool:
        """Return whether the robot's place at a movable thing is translated exactly.

        Standing at a movable thing is also standing at everything around it. The translation looks only for
        the room around the things that the goal names; other places are met by the robot at themselves.
        """
        nodes = self.belief.scene.nodes
        movable = {p for p, positive in self.standing if positive and nodes[p].type == "object"}
        start = self.facts.all(self.belief.pack.at)[0][0]
        if nodes[start].type == "object":
            movable.add(start)
        around = movable.issubset(self.robot_places) and movable.issubset(self.carriers)
        for place, positive in self.standing if movable else ():
            kind = nodes[place].type
            if kind == "pose" or movable == {place} or (positive and kind == "room" and around):
                continue
            return False
        return True

    def count(self) -> None:
        check_time("expanding the goal")
        self.parts += 1
        if self.parts > MAX_PARTS:
            hint = "quantify over a class instead of everything"
            raise GoalError("goal", f"at most {MAX_PARTS} expanded parts", "more", hint)

    def expand(self, node: Formula, binding: Binding, positive: bool) -> Formula:
        self.count()
        match node:
            case Atom(predicate, args):
                return self.atom(predicate, tuple(self.name(a, binding) for a in args), positive)
            case Equal(left, right):
                return truth((self.name(left, binding) == self.name(right, binding)) == positive)
            case Not(part):
                return self.expand(part, binding, not positive)
            case And(parts) | Or(parts):
                both = isinstance(node, And) == positive
                return self.join((self.expand(p, binding, positive) for p in parts), both)
            case Imply(left, right):
                sides = (self.expand(left, binding, not positive), self.expand(right, binding, positive))
                return disjunction(sides) if positive else conjunction(sides)
            case Exists(variables, body) | Forall(variables, body):
                both = isinstance(node, Forall) == positive
                guard = body if isinstance(node, Exists) else Not(body)
                choices = self.bindings(variables, guard, binding)
                return self.join((self.expand(body, b, positive) for b in choices), both)
            case Count(kind, number, variables, body):
                bodies = [(body, b) for b in self.bindings(variables, body, binding)]
                return self.cardinality(kind, number, bodies, positive)
            case Cardinality(kind, number, parts):
                return self.cardinality(kind, number, [(p, binding) for p in parts], positive)
            case Sometime(body):
                return self.sometime(node, self.expand(body, binding, True), positive)

    def sometime(self, node: Formula, inner: Formula, positive: bool) -> Formula:
        """Expand ``sometime`` over the normal form of its literal: one of its disjuncts held."""
        disjuncts = branches(inner, MAX_SOMETIME)
        if not positive or disjuncts is None:
            expected = "sometime over a literal of few places, and not denied"
            raise GoalError("goal", expected, clip(str(node)), "say what must hold at the end instead")
        held = [conjunction(c) for c in disjuncts]
        return disjunction([c if c in (TRUE, FALSE) else Sometime(c) for c in held])

    def join(self, parts: Iterator[Formula], both: bool) -> Formula:
        """Conjoin or disjoin parts, stopping at the first that decides the result."""
        collected: list[Formula] = []
        for part in parts:
            if part == (FALSE if both else TRUE):
                return part
            collected.append(part)
        return conjunction(collected) if both else disjunction(collected)

    def name(self, term: Term, binding: Binding) -> str:
        return binding[term.name] if isinstance(term, Var) else term

    def bindings(
        self, variables: tuple[TypedVar, ...], guard: Formula, binding: Binding
    ) -> Iterator[Binding]:
        """Yield the bindings for which ``guard`` can be true, by types and static conjuncts."""
        if not variables:
            yield binding
            return
        first, rest = variables[0], variables[1:]
        for name in self.guarded(first, guard):
            yield from self.bindings(rest, guard, {**binding, first.name: name})

    def guarded(self, variable: TypedVar, guard: Formula) -> Sequence[str]:
        """Return the members of a variable's type that have the classes which ``guard`` requires."""
        members = self.belief.members(variable.type)
        parts = guard.parts if isinstance(guard, And) else (guard,)
        if isinstance(guard, Not) and isinstance(guard.part, Imply):
            left = guard.part.left
            parts = left.parts if isinstance(left, And) else (left,)
        for part in parts:
            if isinstance(part, Atom) and part.args == (Var(variable.name),):
                allowed = self.static_members(part.predicate)
                if allowed is not None:
                    members = [m for m in members if m in allowed]
        return members

    def static_members(self, name: str) -> frozenset[str] | None:
        """Return the nodes with a class or attribute; ``None`` for a predicate of the pack."""
        belief = self.belief
        if name in belief.pack.public_predicates():
            return None
        scene = belief.scene
        return frozenset(
            [*scene.by_class.get(name, ()), *scene.by_attribute.get(name, ())]
            + (list(belief.members(name)) if belief.is_type(name) else [])
        )

    def cardinality(
        self, kind: str, number: int, bodies: list[tuple[Formula, Binding]], positive: bool
    ) -> Formula:
        """Expand a bound on the number of true parts, or its negation."""
        true = [self.expand(body, b, True) for body, b in bodies]
        false = [self.expand(body, b, False) for body, b in bodies]
        total = len(bodies)
        bounds: list[tuple[Formula, Formula]] = []  # each with its negation
        if kind != "at-most":
            bounds.append((at_least(number, true), at_least(total - number + 1, false)))
        if kind != "at-least":
            bounds.append((at_least(total - number, false), at_least(number + 1, true)))
        return conjunction([b for b, _ in bounds]) if positive else disjunction([n for _, n in bounds])

    def atom(self, predicate: str, args: tuple[str, ...], positive: bool) -> Formula:
        pack, scene = self.belief.pack, self.belief.scene
        meaning = pack.mapping.derived.get(predicate)
        if meaning == ROOM:
            form = self.in_room(args[0], args[1], positive, ())
            check_size("literals", self.literals, "expanding the goal")
            return negate_if(form, positive)
        if meaning is not None:
            return negate_if(self.at_place(args[0], positive), positive)
        if predicate in pack.domain.predicates:
            return negate_if(self.fact(predicate, args), positive)
        node = scene.nodes[args[0]]
        true = predicate in node.classes or predicate in node.attributes
        true = true or (self.belief.is_type(predicate) and args[0] in self.belief.members(predicate))
        return truth(true == positive)

    def fact(self, predicate: str, args: tuple[str, ...]) -> Formula:
        """Return the atom of a fluent, the truth of a static fact."""
        if predicate in self.belief.pack.fluents:
            return Atom(predicate, args)
        return truth(self.facts.holds(predicate, args))

    def at_place(self, place: str, positive: bool, reaching: bool = True) -> Formula:
        """Expand the robot's being at a place: there, or at something in it.

        To get to a room it is enough to drive into it, so a positive literal becomes that and the places that
        the goal names; a negative one rules out everything in the room. A movable thing that the robot
        reaches into may be anywhere, and stepping back from it costs nothing.
        """
        at, scene = self.belief.pack.at, self.belief.scene
        self.standing[place, positive] = None
        inside = [i for i in scene.descendants(place) if scene.nodes[i].type in ("asset", "part")]
        if positive:
            if not self.any_place:
                inside = [i for i in inside if i in self.robot_places]
            here: list[Formula] = [Atom(at, (p,)) for p in (place, *inside)]
            if not reaching or scene.nodes[place].type != "room":
                return disjunction(here)
            movable = [m for m in self.robot_places if m in self.carriers]
            there = [self.in_room(m, place, True, (), False) for m in movable]
            ways = (conjunction((Atom(at, (m,)), t)) for m, t in zip(movable, there, strict=True))
            return disjunction([*here, *ways])
        if scene.nodes[place].type != "pose":
            inside += [c for c in self.carriers if c != place]
        return disjunction([Atom(at, (p,)) for p in (place, *inside)])

    def in_room(
        self, name: str, room: str, positive: bool, through: tuple[str, ...], reaching: bool = True
    ) -> Formula:
        """Expand a thing's being in a room: on or in something that is there, or held there."""
        check_time("expanding the goal")
        scene, mapping = self.belief.scene, self.belief.pack.mapping
        if scene.nodes[name].type != "object":
            return truth(scene.room_of(name) == room)
        ways: list[Formula] = []
        fixed = [i for i in scene.descendants(room) if scene.nodes[i].type in ("asset", "part")]
        for place in (room, *fixed):
            relations = self.relations_to(name, place)
            ways += [self.fact(predicate, (name, place)) for predicate in relations]
            # The mapping may require more of a place than the actions do.
            if self.exact and self.attainable.other_relations(name, place, relations):
                self.exact = False
        for predicate in self.belief.pack.locations:
            followed = self.followed(predicate, name)
            for carrier in self.carriers:
                link = self.fact(predicate, (name, carrier))
                if carrier in followed and carrier not in (name, *through):
                    ways.append(
                        conjunction((link, self.in_room(carrier, room, positive, (*through, name), reaching)))
                    )
                elif not positive and carrier != name:
                    # The goal does not want it in there: forbidding that is simpler than following it.
                    ways.append(link)
        self.exact = self.exact and not self.omits_carriers(name, room, positive, through)
        held = Atom(mapping.robot_held.predicate, (name,))
        ways.append(conjunction((held, self.at_place(room, positive, reaching))))
        self.literals += len(ways)
        return disjunction(ways)

    def followed(self, predicate: str, name: str) -> frozenset[str]:
        """Return the carriers through which a thing is followed: its present ones and those of the goal."""
        carriers = (args[1] for args in self.facts.with_argument(predicate, 0, name))
        return frozenset((*carriers, *self.named_carriers))

    def omits_carriers(self, name: str, room: str, positive: bool, through: tuple[str, ...]) -> bool:
        """Return whether a carrier of a thing is left out though reachable, or forbidden wherever it is."""
        for predicate, carriers in self.attainable.carriers.items():
            followed = self.followed(predicate, name)
            for carrier in carriers:
                if carrier in (name, *through) or (carrier in followed and carrier in self.carriers):
                    continue
                stays = self.attainable.permanent_room(carrier)
                harmless = stays is not None and (stays == room) != positive
                if not harmless and self.attainable.reachable(Atom(predicate, (name, carrier))):
                    return True
        return False

    def relations_to(self, name: str, place: str) -> list[str]:
        """Return the relations that a thing has to a fixed place, or may have by the pack's requirements."""
        pack, ends = self.belief.pack, (name, place)
        return [
            predicate
            for predicate in pack.locations
            if (
                predicate in pack.mapping.requires
                and unmet_requirement(predicate, ends, self.belief, self.facts) is None
            )
            or self.facts.holds(predicate, ends)
        ]


def unmet_requirement(predicate: str, args: tuple[str, ...], belief: Belief, facts: Facts) -> Atom | None:
    """Return the first unmet requirement of a fact, or ``None``; a held thing need not be picked up."""
    mapping = belief.pack.mapping
    values = dict(zip(("x", "y"), args, strict=False))
    held = bool(args) and facts.holds(mapping.robot_held.predicate, args[:1])
    pickable = mapping.requires.get(mapping.robot_held.predicate, ())
    for need in mapping.requires.get(predicate, ()):
        names = tuple(values[a.name] if isinstance(a, Var) else a for a in need.args)
        if not facts.holds(need.predicate, names) and not (held and need in pickable):
            return Atom(need.predicate, names)
    return None
