"""The goal of a BDDL activity as a formula of the package's goal language, with the meaning of BDDL.

That meaning is fixed by ``condition_evaluation.py`` in the ``bddl`` package 3.6.0 and must be kept; which of
several equivalent formulas is written may be changed, for one easier to plan for. A quantifier ranges over
the objects declared with exactly its synset. ``forn`` means exactly N. ``forpairs`` over M and K objects asks
for L of the first that have some partner and L of the second that have one, with L the smaller number; that
is less than L disjoint pairs. ``fornpairs`` asks for the same with its own N. Nothing is paired with itself,
so for a synset with itself K is M - 1, and the partners are counted as there: by their place in each object's
list of others.

A thing in a scene graph is in or on one other. ``ontop`` is that relation. ``inside`` reaches further, since
BEHAVIOR's simulator decides it by volume: a thing on a plate in the fridge is inside the fridge. So it may
also hold by way of a carrier in which or on which the goal itself places the thing, and its negation also
covers the present carrier. Because a thing has one place, pairs are counted from the side of the carriers,
and where only one thing can carry, "exactly one" becomes ``exists``: equal in every state, and easier to plan
for.
Everything in a scene exists, so ``real`` is true.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from ...domains.errors import did_you_mean
from ...domains.formula import (
    TRUE,
    And,
    Atom,
    Count,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Term,
    TypedVar,
    Var,
    conjunction,
    disjunction,
    substitute,
)
from ...domains.sexpr import Expression
from .predicates import IMPLIED, PREDICATES, RELATIONS
from .text import AGENT, CONNECTIVES, Activity, Quantifier, atom, fail, goal_atoms, operands, quantifier

OPPOSITE = {"open": "closed", "turned_on": "turned_off"}
"""Exactly one of the two holds of a thing with a door or a switch; affirmations are easier to plan for."""

MAX_CHOICES = 10_000
"""Most combinations that a ``fornpairs`` over one synset may come to."""

Scope = Mapping[str, str]
_Ways = dict[str, dict[tuple[str, str], None]]
"""The relations and movable carriers by way of which each object may be inside another."""


def unsaid_predicates(activity: Activity) -> tuple[str, ...]:
    """Return the predicates of the goal that :func:`bddl_goal` cannot say, sorted."""
    return tuple(sorted({name for name, _, _ in goal_atoms(activity)} - PREDICATES.keys()))


def bddl_goal(activity: Activity) -> Formula:
    """Translate the goal to a formula. Raises :class:`SceneError` with line and column if that cannot be."""
    return _Reader(activity).read(activity.goal, {}, True)


class _Reader:
    def __init__(self, activity: Activity) -> None:
        self.activity, self.where = activity, activity.where
        fixed = {f.args[0] for f in activity.init if f.predicate == "inroom" and f.args}
        self.future = {f.args[0] for f in activity.init if f.predicate == "future" and f.holds and f.args}
        self.goal_carriers: _Ways = {}
        for predicate, names, positive in goal_atoms(activity):
            if positive and predicate in RELATIONS and len(names) == 2:
                ways = {(RELATIONS[predicate], c): None for c in names[1] if c not in fixed}
                for name in names[0]:
                    self.goal_carriers.setdefault(name, {}).update(ways)
        self.present_carriers: _Ways = {}
        for fact in activity.init:
            if fact.holds and fact.predicate in RELATIONS and len(fact.args) == 2:
                thing, carrier = fact.args
                if carrier not in fixed:
                    self.present_carriers.setdefault(thing, {})[RELATIONS[fact.predicate], carrier] = None

    def read(self, node: Expression, scope: Scope, positive: bool) -> Formula:
        """Translate a part; ``scope`` maps variables to their synsets, ``positive`` is its polarity."""
        match node.head():
            case "and" | "or" as head:
                parts = tuple(self.read(p, scope, positive) for p in operands(node, self.where))
                return And(parts) if head == "and" else Or(parts)
            case "not":
                part = self.read(operands(node, self.where)[0], scope, not positive)
                if isinstance(part, Atom) and part.predicate in OPPOSITE:
                    return Atom(OPPOSITE[part.predicate], part.args)
                return Not(part)
            case "imply":
                left, right = operands(node, self.where)
                return Imply(self.read(left, scope, not positive), self.read(right, scope, positive))
            case head if head in CONNECTIVES:
                return self.quantified(node, quantifier(node, self.where), scope, positive)
            case _:
                return self.atom(node, scope, positive)

    def quantified(self, node: Expression, parts: Quantifier, scope: Scope, positive: bool) -> Formula:
        for _, synset in parts.variables:
            self.check_synset(node, synset)
        body = self.read(parts.body, {**scope, **dict(parts.variables)}, positive)
        typed = [TypedVar(name, synset) for name, synset in parts.variables]
        match parts.kind:
            case "forall":
                return Forall((typed[0],), body)
            case "exists":
                return Exists((typed[0],), body)
            case "forn" if parts.number == 1 and self.carries_alone(typed[0].name, body):
                return Exists((typed[0],), body)
            case "forn":
                return Count("exactly", parts.number, (typed[0],), body)
        if typed[0].name == typed[1].name:
            raise fail(node, self.where, "two different variables", f"?{typed[0].name} twice")
        one, other = (self.activity.members(v.type) for v in typed)
        if typed[0].type == typed[1].type:
            number = max(0, len(one) - 1) if parts.kind == "forpairs" else parts.number
            return self.among(one, typed[0].name, typed[1].name, number, body, node)
        number = min(len(one), len(other)) if parts.kind == "forpairs" else parts.number
        holders = _so_many(number, len(other), typed[1], Exists((typed[0],), body))
        if isinstance(body, Atom) and body.args == tuple(Var(v.name) for v in typed):
            return holders
        rows = _so_many(number, len(one), typed[0], Exists((typed[1],), body))
        if isinstance(body, Atom) and body.args == tuple(Var(v.name) for v in reversed(typed)):
            return rows
        return conjunction((rows, holders))

    def carries_alone(self, variable: str, body: Formula) -> bool:
        """Return whether a body places one and the same thing in or on the object of a variable."""
        match body:
            case Atom(predicate, (first, second)) if predicate in RELATIONS.values():
                return second == Var(variable) and not isinstance(first, Var)
            case And(parts):
                return any(self.carries_alone(variable, p) for p in parts)
            case Forall((typed,), inner) if self.activity.members(typed.type) and typed.name != variable:
                one = self.activity.members(typed.type)[0]
                return self.carries_alone(variable, substitute(inner, {typed.name: one}))
        return False

    def among(
        self, names: tuple[str, ...], a: str, b: str, number: int, body: Formula, node: Expression
    ) -> Formula:
        """Translate pairs within one synset: each object with the others, counted by rows and by columns."""
        if len(names) ** 2 > MAX_CHOICES:
            raise fail(node, self.where, f"at most {MAX_CHOICES} pairs", str(len(names) ** 2))
        table = [
            [substitute(body, {a: first, b: second}) for second in names if second != first]
            for first in names
        ]
        rows, columns = (list(map(disjunction, t)) for t in (table, list(zip(*table, strict=True))))
        return conjunction((self.some(number, rows, node), self.some(number, columns, node)))

    def some(self, number: int, parts: list[Formula], node: Expression) -> Formula:
        """Return that at least ``number`` of the parts hold."""
        choices = list(itertools.islice(itertools.combinations(parts, number), MAX_CHOICES + 1))
        if len(choices) > MAX_CHOICES:
            raise fail(node, self.where, f"at most {MAX_CHOICES} ways to choose pairs", "more")
        return disjunction([conjunction(c) for c in choices])

    def check_synset(self, node: Expression, synset: str) -> None:
        synsets = set(self.activity.objects.values())
        if synset not in synsets:
            raise fail(node, self.where, "a synset with objects", synset, did_you_mean(synset, synsets))
        if synset in (AGENT, "object"):
            raise fail(node, self.where, "a synset of things", synset, "name the objects instead")

    def atom(self, node: Expression, scope: Scope, positive: bool) -> Formula:
        predicate, names = atom(node, self.where)
        if predicate not in PREDICATES:
            hint = f"goals that can be planned for use {', '.join(PREDICATES)}"
            raise fail(node, self.where, "a predicate that a scene knows", predicate, hint)
        goal_predicate, arity = PREDICATES[predicate]
        if len(names) != arity:
            raise fail(node, self.where, f"{arity} arguments of {predicate}", str(len(names)))
        rooms = {f.args[1] for f in self.activity.init if f.predicate == "inroom" and len(f.args) == 2}
        for index, name in enumerate(names):
            is_room = predicate == "inroom" and index == 1 and name in rooms
            if name not in scope and name not in self.activity.objects and not is_room:
                hint = did_you_mean(name, [*scope, *self.activity.objects])
                raise fail(node, self.where, "a variable or a declared object", name, hint)
            if self.activity.objects.get(name) == AGENT and name not in scope:
                raise fail(node, self.where, "a goal about things", f"the robot {name}")
        if predicate == "real" and not any(n in self.future for m in self.members(names, scope) for n in m):
            return TRUE
        args: tuple[Term, ...] = tuple(Var(n) if n in scope else n for n in names)
        if predicate in IMPLIED:
            args = (*args, IMPLIED[predicate][1])
        if predicate != "inside":
            return Atom(goal_predicate, args)
        one, other = self.members(names, scope)
        return disjunction([Atom(goal_predicate, args), *self.by_way_of(args, one, other, positive)])

    def members(self, names: tuple[str, ...], scope: Scope) -> tuple[tuple[str, ...], ...]:
        """Return the objects that each of some names stands for."""
        return tuple(self.activity.members(scope[n]) if n in scope else (n,) for n in names)

    def by_way_of(
        self, args: tuple[Term, ...], one: tuple[str, ...], other: tuple[str, ...], positive: bool
    ) -> Iterator[Formula]:
        """Yield the ways in which one thing may be inside another on a movable carrier of a third synset."""
        kinds = {self.activity.objects[o] for o in other if o in self.activity.objects}
        carriers: dict[tuple[str, str], None] = {}
        for name in one:
            carriers |= self.goal_carriers.get(name, {})
            carriers |= {} if positive else self.present_carriers.get(name, {})
        for relation, carrier in carriers:
            if self.activity.objects.get(carrier) not in kinds:
                yield conjunction((Atom(relation, (args[0], carrier)), Atom("inside_of", (carrier, args[1]))))


def _so_many(number: int, total: int, variable: TypedVar, body: Formula) -> Formula:
    """Return that at least ``number`` objects of a variable satisfy a body: ``forall`` if it is all."""
    if number == total:
        return Forall((variable,), body)
    return Count("at-least", number, (variable,), body)
