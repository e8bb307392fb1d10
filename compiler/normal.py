"""Ground normal form of a goal over a scene: the first pass of the compiler.

Quantifiers are expanded over the nodes of the scene (a closed world); static facts (classes, attributes,
static predicates, equality) are decided at once; derived predicates are replaced by the facts they follow
from; negation ends up in front of atoms. The result is built from fluents, ``And``, ``Or``, cardinality
constraints, ``Sometime`` over literals that hold together and constraints on the run over forms of their
parts. The bounds may be changed. A plan for the form must satisfy the goal; where the form asks for more than
the goal, :class:`Expanded` must say so, or a proof of unsolvability would be false.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..domains.deadline import check_time
from ..domains.errors import GoalError, clip
from ..domains.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    Cardinality,
    ConstraintKind,
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
    TrajectoryConstraint,
    TypedVar,
    Var,
    conjunction,
    disjunction,
    named,
    substitute,
)
from ..domains.mapping import ROOM
from ..simulator.belief import Belief
from ..simulator.facts import Facts
from ..simulator.world import World
from .forms import at_least, branches, negate_if, truth
from .whereabouts import Whereabouts

MAX_SOMETIME = 64
"""Most disjuncts in the normal form of the body of one ``sometime``."""
MAX_PARTS = 200_000
"""Most parts that expanding one goal may create."""

Binding = dict[str, str]


@dataclass(frozen=True, slots=True)
class Expanded:
    """A goal in normal form; ``exact`` if the two are equivalent.

    Otherwise a thing may be in a room in a way that the form leaves out or forbids (in a crate that is
    carried there). A plan for the form is verified by the goal, but unsolvability of the form proves nothing,
    and neither does what follows from it: for that there is :func:`ground_form`.
    """

    form: Formula
    exact: bool


def normal_form(formula: Formula, belief: Belief, facts: Facts | None = None) -> Formula:
    """Return the ground normal form of a checked goal; :func:`expanded` also says whether it is exact."""
    return expanded(formula, belief, facts).form


def expanded(formula: Formula, belief: Belief, facts: Facts | None = None, whole: bool = False) -> Expanded:
    """Return the ground normal form of a checked goal.

    ``facts`` are the current state where it differs from the belief; they only decide the places of things in
    the goal. With ``whole``, a derived literal with more ways of being true than can be written down stays an
    atom of the form, as ``(in_room apple kitchen)`` where a crate could carry the apple; otherwise the
    likeliest ways are taken, and the form is not exact. Raises :class:`GoalError` when the expansion is too
    large.
    """
    now = facts or belief.facts
    for around_robot in (False, True):  # with it, the literals of the robot's place stay as they are, too
        whereabouts = Whereabouts(belief, now, formula, whole, around_robot)
        form = _Expander(belief, now, whereabouts).expand(formula, {}, True)
        exact = whereabouts.exact and whereabouts.stands_exactly()
        if exact or not whole:
            break
    return Expanded(form, exact)


def ground_form(formula: Formula, belief: Belief) -> Formula:
    """Return the ground form of a goal in which derived literals stay as they are: it means the same.

    Raises :class:`GoalError` when the expansion is too large.
    """
    return _Expander(belief, belief.facts, _Derived(belief, belief.facts, formula)).expand(formula, {}, True)


class _Derived(Whereabouts):
    """The derived literals of a goal as they are."""

    def in_room(self, name: str, room: str, positive: bool) -> Formula:
        if self.belief.scene.nodes[name].type != "object":
            return super().in_room(name, room, positive)
        return self.unexpanded(self.derived(ROOM, name, room), positive)

    def robot_at(self, place: str, positive: bool, reaching: bool = True) -> Formula:
        return self.unexpanded(Atom(self.belief.pack.standing, (place,)), positive)


def constraints_in_facts(form: Formula, belief: Belief, facts: Facts | None = None) -> Expanded:
    """Return a normal form with the constraints on the run over facts; ``exact`` if it means the same."""
    match form:
        case And(parts):
            written = [constraints_in_facts(part, belief, facts) for part in parts]
            return Expanded(conjunction([w.form for w in written]), all(w.exact for w in written))
        case TrajectoryConstraint(kind, parts) if kind != "never-do":
            written = [in_facts(part, belief, facts) for part in parts]
            constraint = TrajectoryConstraint(kind, tuple(w.form for w in written))
            return Expanded(constraint, all(w.exact for w in written))
    return Expanded(form, True)


def in_facts(form: Formula, belief: Belief, facts: Facts | None = None) -> Expanded:
    """Return a ground form with its derived literals written as facts; ``exact`` if it means the same.

    Its things are followed through the carriers that a goal's would be. A movable thing at which the robot
    stands is taken to be where it is now.
    """
    now = facts or belief.facts
    whereabouts = _AsFacts(belief, now, form)
    written = _Expander(belief, now, whereabouts).expand(form, {}, True)
    return Expanded(written, whereabouts.exact and whereabouts.stands_as_written())


class _AsFacts(Whereabouts):
    """The derived literals of a ground form as facts, of which all that make one true are written down."""

    @cached_property
    def world(self) -> World:
        return World(self.belief, (), self.facts)

    def stands_as_written(self) -> bool:
        """Return whether the robot is at no place by way of a movable thing, which may be elsewhere later."""
        return not self.stood_at or all(self._is_bare(place) for place, _ in self.standing)

    def robot_at(self, place: str, positive: bool, reaching: bool = True) -> Formula:
        self.standing[place, positive] = None
        inside = [place, *self.belief.scene.built_in(place)]
        inside += [c for c in self.stood_at if c != place and place in self.world.state.around(c)]
        return disjunction([Atom(self.belief.pack.at, (name,)) for name in inside])


@dataclass
class _Expander:
    belief: Belief
    facts: Facts
    whereabouts: Whereabouts
    """Reading of the derived predicates."""
    parts: int = 0
    """Number of expanded parts so far."""

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
                return self.atom(predicate, tuple(named(a, binding) for a in args), positive)
            case Equal(left, right):
                return truth((named(left, binding) == named(right, binding)) == positive)
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
            case TrajectoryConstraint(kind, parts):
                return self.constraint(kind, parts, binding, positive)
            case Sometime(body):
                return self.sometime(node, self.expand(body, binding, True), positive)

    def constraint(
        self, kind: ConstraintKind, parts: tuple[Formula, ...], binding: Binding, positive: bool
    ) -> Formula:
        """Expand a constraint with the derived literals of its parts left as they are: it means the same."""
        if not positive:
            expected = "a constraint on the run that is not denied"
            raise GoalError("goal", expected, clip(str(Not(TrajectoryConstraint(kind, parts)))))
        if kind == "never-do":  # its variables are those of the step
            ground: dict[str, Term] = dict(binding)
            return substitute(TrajectoryConstraint(kind, parts), ground)
        as_written = replace(self, whereabouts=_Derived(self.belief, self.facts, And(parts)))
        forms = tuple(as_written.expand(part, binding, True) for part in parts)
        self.parts = as_written.parts
        if kind == "always":
            return TRUE if forms == (TRUE,) else TrajectoryConstraint(kind, forms)
        return TrajectoryConstraint(kind, forms)

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

    def bindings(
        self, variables: tuple[TypedVar, ...], guard: Formula, binding: Binding
    ) -> Iterator[Binding]:
        """Yield the bindings for which ``guard`` can be true, by types and static conjuncts."""
        if not variables:
            yield binding
            return
        first, rest = variables[0], variables[1:]
        again = any(v.name == first.name for v in rest)  # then the guard mentions the later variable
        for name in self.belief.members(first.type) if again else self.guarded(first, guard):
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
            return negate_if(self.whereabouts.in_room(args[0], args[1], positive), positive)
        if meaning is not None:
            return negate_if(self.whereabouts.robot_at(args[0], positive), positive)
        if predicate in pack.domain.predicates:
            return negate_if(self.whereabouts.fact(predicate, args), positive)
        node = scene.nodes[args[0]]
        true = predicate in node.classes or predicate in node.attributes
        true = true or (self.belief.is_type(predicate) and args[0] in self.belief.members(predicate))
        return truth(true == positive)
