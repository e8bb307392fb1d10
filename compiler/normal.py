"""From a goal to its ground normal form over a scene.

Quantifiers range over the closed scene and are expanded; what never changes (classes, attributes, static
predicates, equality) is decided on the spot; derived predicates are replaced by what they follow from;
negation ends up in front of atoms. What remains is built from atoms that actions change,
``And``, ``Or``, ``Cardinality("at-least", ...)`` and ``Sometime`` over literals that hold together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

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
"""Most conjunctions that the body of one ``sometime`` may come to."""
MAX_PARTS = 200_000
"""Most parts that expanding one goal may create."""

Binding = dict[str, str]


@dataclass(frozen=True, slots=True)
class Expanded:
    """A goal in normal form, and whether it says just what the goal says.

    Where it does not, a thing could be in a room in ways that the form leaves out or forbids (in a crate
    that is carried there). A plan for the form is judged by the goal, but that there is none proves nothing.
    """

    form: Formula
    exact: bool


def normal_form(formula: Formula, belief: Belief, facts: Facts | None = None) -> Formula:
    """The ground normal form of a checked goal; :func:`expanded` also says whether it is exact."""
    return expanded(formula, belief, facts).form


def expanded(formula: Formula, belief: Belief, facts: Facts | None = None) -> Expanded:
    """The ground normal form of a checked goal.

    ``facts`` are what is true now where that differs from the belief; they only decide where things are
    that the goal speaks of. Raises :class:`GoalError` when the expansion is too large.
    """
    expander = _Expander(belief, facts or belief.facts)
    derived, at = belief.pack.mapping.derived, belief.pack.at
    places = [a.args[0] for a in walk(formula) if isinstance(a, Atom) and derived.get(a.predicate) == at]
    expander.mentioned = tuple(dict.fromkeys(p for p in places if isinstance(p, str)))
    expander.anywhere = any(isinstance(p, Var) for p in places)
    located = [a for a in walk(formula) if isinstance(a, Atom) and a.predicate in belief.pack.locations]
    names = (name for a in located for name in a.args[1:] if isinstance(name, str))
    expander.nested = tuple(dict.fromkeys(n for n in names if n in belief.scene.nodes))
    form = expander.expand(formula, {}, True)
    return Expanded(form, expander.exact and expander.stands_exactly())


@dataclass
class _Expander:
    belief: Belief
    facts: Facts
    mentioned: tuple[str, ...] = ()
    """Where the goal wants the robot, by name."""
    anywhere: bool = False
    """Whether it also wants the robot somewhere that a variable stands for."""
    nested: tuple[str, ...] = ()
    """What the goal wants something to be in or on."""
    made: int = field(default=0)
    exact: bool = True
    """Whether no way of being in a room was left out or forbidden so far."""
    stood: dict[tuple[str, bool], None] = field(default_factory=dict)
    """The places that the robot is to be at, or not."""

    @cached_property
    def carriers(self) -> tuple[str, ...]:
        """The movable things that something is in or on now, could be put in, or should be."""
        nodes, mapping = self.belief.scene.nodes, self.belief.pack.mapping
        carriers = set(self.nested)
        for above in mapping.parents.values():
            carriers |= {args[0] for args in self.facts.all(above.predicate)}
        for predicate in self.belief.pack.locations:
            carriers |= {args[1] for args in self.facts.all(predicate)}
        return tuple(sorted(c for c in carriers if nodes[c].type == "object"))

    @cached_property
    def attainable(self) -> Attainable:
        return Attainable(self.belief, self.facts)

    def stands_exactly(self) -> bool:
        """Whether standing at a movable thing, which is also standing around it, is asked for as it is read.

        Only a room is looked for around what the goal names; other places know of the robot at themselves.
        """
        nodes = self.belief.scene.nodes
        movable = {p for p, positive in self.stood if positive and nodes[p].type == "object"}
        start = self.facts.all(self.belief.pack.at)[0][0]
        if nodes[start].type == "object":
            movable.add(start)
        around = movable.issubset(self.mentioned) and movable.issubset(self.carriers)
        for place, positive in self.stood if movable else ():
            kind = nodes[place].type
            if kind == "pose" or movable == {place} or (positive and kind == "room" and around):
                continue
            return False
        return True

    def count(self) -> None:
        self.made += 1
        if self.made > MAX_PARTS:
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
                done = (self.expand(p, binding, positive) for p in parts)
                return self.join(done, both)
            case Imply(left, right):
                sides = (self.expand(left, binding, not positive), self.expand(right, binding, positive))
                return disjunction(sides) if positive else conjunction(sides)
            case Exists(variables, body) | Forall(variables, body):
                both = isinstance(node, Forall) == positive
                must = body if isinstance(node, Exists) else Not(body)
                found = self.bindings(variables, must, binding)
                return self.join((self.expand(body, b, positive) for b in found), both)
            case Count(kind, number, variables, body):
                choices = list(self.bindings(variables, body, binding))
                return self.tally(kind, number, [(body, b) for b in choices], positive)
            case Cardinality(kind, number, parts):
                return self.tally(kind, number, [(p, binding) for p in parts], positive)
            case Sometime(body):
                return self.sometime(node, self.expand(body, binding, True), positive)

    def sometime(self, node: Formula, inner: Formula, positive: bool) -> Formula:
        """Having held at some time, over what a literal comes to: one of several conjunctions held."""
        found = branches(inner, MAX_SOMETIME)
        if not positive or found is None:
            expected = "sometime over a literal of few places, and not denied"
            raise GoalError("goal", expected, clip(str(node)), "say what must hold at the end instead")
        held = [conjunction(c) for c in found]
        return disjunction([c if c in (TRUE, FALSE) else Sometime(c) for c in held])

    def join(self, parts: Iterator[Formula], both: bool) -> Formula:
        """And or Or, stopping at the first part that decides it."""
        collected: list[Formula] = []
        for part in parts:
            if part == (FALSE if both else TRUE):
                return part
            collected.append(part)
        return conjunction(collected) if both else disjunction(collected)

    def name(self, term: Term, binding: Binding) -> str:
        return binding[term.name] if isinstance(term, Var) else term

    def bindings(self, variables: tuple[TypedVar, ...], must: Formula, binding: Binding) -> Iterator[Binding]:
        """Bindings under which ``must`` can be true: members of the types, cut down by static conjuncts."""
        if not variables:
            yield binding
            return
        first, rest = variables[0], variables[1:]
        for name in self.guarded(first, must):
            yield from self.bindings(rest, must, {**binding, first.name: name})

    def guarded(self, variable: TypedVar, must: Formula) -> Sequence[str]:
        members = self.belief.members(variable.type)
        parts = must.parts if isinstance(must, And) else (must,)
        if isinstance(must, Not) and isinstance(must.part, Imply):
            left = must.part.left
            parts = left.parts if isinstance(left, And) else (left,)
        for part in parts:
            if isinstance(part, Atom) and part.args == (Var(variable.name),):
                allowed = self.static_members(part.predicate)
                if allowed is not None:
                    members = [m for m in members if m in allowed]
        return members

    def static_members(self, name: str) -> frozenset[str] | None:
        """The nodes with a class or attribute; ``None`` for a predicate of the pack."""
        belief = self.belief
        if name in belief.pack.public_predicates():
            return None
        scene = belief.scene
        return frozenset(
            [*scene.by_class.get(name, ()), *scene.by_attribute.get(name, ())]
            + (list(belief.members(name)) if belief.is_type(name) else [])
        )

    def tally(self, kind: str, number: int, bodies: list[tuple[Formula, Binding]], positive: bool) -> Formula:
        true = [self.expand(body, b, True) for body, b in bodies]
        false = [self.expand(body, b, False) for body, b in bodies]
        total = len(bodies)
        least, most = at_least(number, true), at_least(total - number, false)
        match (kind, positive):
            case ("at-least", True):
                return least
            case ("at-least", False):
                return at_least(total - number + 1, false)
            case ("at-most", True):
                return most
            case ("at-most", False):
                return at_least(number + 1, true)
            case (_, True):
                return conjunction((least, most))
        return disjunction((at_least(total - number + 1, false), at_least(number + 1, true)))

    def atom(self, predicate: str, args: tuple[str, ...], positive: bool) -> Formula:
        pack, scene = self.belief.pack, self.belief.scene
        meaning = pack.mapping.derived.get(predicate)
        if meaning == ROOM:
            return negate_if(self.in_room(args[0], args[1], positive, ()), positive)
        if meaning is not None:
            return negate_if(self.robot_at(args[0], positive), positive)
        if predicate in pack.domain.predicates:
            return negate_if(self.fact(predicate, args), positive)
        node = scene.nodes[args[0]]
        true = predicate in node.classes or predicate in node.attributes
        true = true or (self.belief.is_type(predicate) and args[0] in self.belief.members(predicate))
        return truth(true == positive)

    def fact(self, predicate: str, args: tuple[str, ...]) -> Formula:
        """A fact that actions change; whether it holds where none does."""
        if predicate in self.belief.pack.fluents:
            return Atom(predicate, args)
        return truth(self.facts.holds(predicate, args))

    def robot_at(self, place: str, positive: bool, reaching: bool = True) -> Formula:
        """Standing at a place or at something in it.

        To get to a room it is enough to go to its floor, so a positive reading names that and
        whatever else the goal speaks of; a negative one rules out everything in the room. What the robot
        reaches into may be anywhere, and stepping back from it costs nothing.
        """
        at, scene = self.belief.pack.at, self.belief.scene
        self.stood[place, positive] = None
        inside = [i for i in scene.descendants(place) if scene.nodes[i].type in ("asset", "part")]
        if positive:
            if not self.anywhere:
                inside = [i for i in inside if i in self.mentioned]
            here: list[Formula] = [Atom(at, (p,)) for p in (place, *inside)]
            if not reaching or scene.nodes[place].type != "room":
                return disjunction(here)
            movable = [m for m in self.mentioned if m in self.carriers]
            there = [self.in_room(m, place, True, (), False) for m in movable]
            ways = (conjunction((Atom(at, (m,)), t)) for m, t in zip(movable, there, strict=True))
            return disjunction([*here, *ways])
        if scene.nodes[place].type != "pose":
            inside += [c for c in self.carriers if c != place]
        return disjunction([Atom(at, (p,)) for p in (place, *inside)])

    def in_room(
        self, name: str, room: str, positive: bool, through: tuple[str, ...], reaching: bool = True
    ) -> Formula:
        """The ways in which a thing can be in a room: on or in what is there, or held there."""
        scene, mapping = self.belief.scene, self.belief.pack.mapping
        if scene.nodes[name].type != "object":
            return truth(scene.room_of(name) == room)
        ways: list[Formula] = []
        fixed = [i for i in scene.descendants(room) if scene.nodes[i].type in ("asset", "part")]
        for place in (room, *fixed):
            at_place = self.ways_of_being_at(name, place)
            ways += [self.fact(predicate, (name, place)) for predicate in at_place]
            # The mapping may require more of a place than the actions do.
            if self.exact and self.attainable.others(name, place, at_place):
                self.exact = False
        for predicate in self.belief.pack.locations:
            now = {args[1] for args in self.facts.with_argument(predicate, 0, name)} | set(self.nested)
            for carrier in self.carriers:
                link = self.fact(predicate, (name, carrier))
                if carrier in now and carrier not in (name, *through):
                    ways.append(
                        conjunction((link, self.in_room(carrier, room, positive, (*through, name), reaching)))
                    )
                elif not positive and carrier != name:
                    # Nobody asks for it to be in there: ruling it out is simpler than following it.
                    ways.append(link)
        self.exact = self.exact and not self.leaves_out(name, room, positive, through)
        held = Atom(mapping.robot_held.predicate, (name,))
        ways.append(conjunction((held, self.robot_at(room, positive, reaching))))
        return disjunction(ways)

    def leaves_out(self, name: str, room: str, positive: bool, through: tuple[str, ...]) -> bool:
        """Whether a thing could be in something movable that is left out, or forbidden wherever it is."""
        for predicate, carriers in self.attainable.carriers.items():
            now = {args[1] for args in self.facts.with_argument(predicate, 0, name)} | set(self.nested)
            for carrier in carriers:
                if carrier in (name, *through) or (carrier in now and carrier in self.carriers):
                    continue
                stays = self.attainable.room_for_good(carrier)
                harmless = stays is not None and (stays == room) != positive
                if not harmless and self.attainable.could(Atom(predicate, (name, carrier))):
                    return True
        return False

    def ways_of_being_at(self, name: str, place: str) -> list[str]:
        """The relations that a thing may have to a fixed place by the pack's requirements, or has."""
        pack, ends = self.belief.pack, (name, place)
        return [
            predicate
            for predicate in pack.locations
            if (
                predicate in pack.mapping.requires
                and lacking(predicate, ends, self.belief, self.facts) is None
            )
            or self.facts.holds(predicate, ends)
        ]


def lacking(predicate: str, args: tuple[str, ...], belief: Belief, facts: Facts) -> Atom | None:
    """The first thing that a fact requires and that is not so; what is held need not be picked up."""
    mapping = belief.pack.mapping
    values = dict(zip(("x", "y"), args, strict=False))
    held = bool(args) and facts.holds(mapping.robot_held.predicate, args[:1])
    pickable = mapping.requires.get(mapping.robot_held.predicate, ())
    for need in mapping.requires.get(predicate, ()):
        names = tuple(values[a.name] if isinstance(a, Var) else a for a in need.args)
        if not facts.holds(need.predicate, names) and not (held and need in pickable):
            return Atom(need.predicate, names)
    return None
