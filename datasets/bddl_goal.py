"""The goal of a BDDL activity in our goal language, meaning what BDDL's own evaluator decides.

The rules are those of ``condition_evaluation.py`` in the ``bddl`` package 3.6.0. A quantifier ranges over the
objects declared with exactly its synset. ``forn`` wants exactly N. ``forpairs`` over M and K objects wants,
with L the smaller number, L of the first that have some partner and L of the second that have one; that is
less than L disjoint pairs. ``fornpairs`` wants the same with its own N. Nothing is paired with itself, so for
a synset with itself K is M - 1, and the partners are counted as there: by their place in each object's list
of others.

``ontop`` and ``inside`` are the scene graph's relations to what directly carries a thing, as in GRASIF, where
a node has one. Everything in a scene exists, so ``real`` is true.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from ..domains.errors import did_you_mean
from ..domains.formula import (
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
from .bddl import AGENT, CONNECTIVES, Activity, Quantifier, atom, fail, operands, quantifier
from .bddl import Node as Expression

PREDICATES = {
    "ontop": ("ontop_of", 2),
    "inside": ("inside_of", 2),
    "open": ("open", 1),
    "toggled_on": ("turned_on", 1),
    "inroom": ("in_room", 2),
    "real": ("real", 1),
}
OPPOSITE = {"open": "closed", "turned_on": "turned_off"}
"""Exactly one of the two holds of a thing with a door or a switch; affirmations are easier to plan for."""

MAX_CHOICES = 10_000
"""Most combinations that a ``fornpairs`` over one synset may come to."""

Scope = Mapping[str, str]


def bddl_goal(activity: Activity) -> Formula:
    """The goal as a formula. Raises :class:`InputError` with line and column for what it cannot say."""
    return _Reader(activity).read(activity.goal, {})


class _Reader:
    def __init__(self, activity: Activity) -> None:
        self.activity, self.where = activity, activity.where

    def read(self, node: Expression, scope: Scope) -> Formula:
        """Translate a part; ``scope`` maps variables to their synsets."""
        match node.head():
            case "and" | "or" as head:
                parts = tuple(self.read(p, scope) for p in operands(node, self.where))
                return And(parts) if head == "and" else Or(parts)
            case "not":
                return self.negated(self.read(operands(node, self.where)[0], scope))
            case "imply":
                left, right = (self.read(p, scope) for p in operands(node, self.where))
                return Imply(left, right)
            case head if head in CONNECTIVES:
                return self.quantified(node, quantifier(node, self.where), scope)
            case _:
                return self.atom(node, scope)

    def negated(self, part: Formula) -> Formula:
        if isinstance(part, Atom) and part.predicate in OPPOSITE:
            return Atom(OPPOSITE[part.predicate], part.args)
        return Not(part)

    def quantified(self, node: Expression, found: Quantifier, scope: Scope) -> Formula:
        for _, synset in found.variables:
            self.check_synset(node, synset)
        body = self.read(found.body, {**scope, **dict(found.variables)})
        typed = [TypedVar(name, synset) for name, synset in found.variables]
        match found.kind:
            case "forall":
                return Forall((typed[0],), body)
            case "exists":
                return Exists((typed[0],), body)
            case "forn":
                return Count("exactly", found.number, (typed[0],), body)
        if typed[0].name == typed[1].name:
            raise fail(node, self.where, "two different variables", f"?{typed[0].name} twice")
        one, other = (self.activity.members(v.type) for v in typed)
        if typed[0].type == typed[1].type:
            number = max(0, len(one) - 1) if found.kind == "forpairs" else found.number
            return self.among(one, typed[0].name, typed[1].name, number, body, node)
        number = min(len(one), len(other)) if found.kind == "forpairs" else found.number
        holders = _so_many(number, len(other), typed[1], Exists((typed[0],), body))
        if isinstance(body, Atom) and body.args == tuple(Var(v.name) for v in typed):
            return holders
        rows = _so_many(number, len(one), typed[0], Exists((typed[1],), body))
        if isinstance(body, Atom) and body.args == tuple(Var(v.name) for v in reversed(typed)):
            return rows
        return conjunction((rows, holders))

    def among(
        self, names: tuple[str, ...], a: str, b: str, number: int, body: Formula, node: Expression
    ) -> Formula:
        """Pairs within one synset: each object with the others in order, counted by rows and by columns."""
        table = [
            [substitute(body, {a: first, b: second}) for second in names if second != first]
            for first in names
        ]
        rows, columns = (list(map(disjunction, t)) for t in (table, list(zip(*table, strict=True))))
        return conjunction((self.some(number, rows, node), self.some(number, columns, node)))

    def some(self, number: int, parts: list[Formula], node: Expression) -> Formula:
        """At least so many of the parts."""
        choices = list(itertools.islice(itertools.combinations(parts, number), MAX_CHOICES + 1))
        if len(choices) > MAX_CHOICES:
            raise fail(node, self.where, f"at most {MAX_CHOICES} ways to choose pairs", "more")
        return disjunction([conjunction(c) for c in choices])

    def check_synset(self, node: Expression, synset: str) -> None:
        known = set(self.activity.objects.values())
        if synset not in known:
            raise fail(node, self.where, "a synset with objects", synset, did_you_mean(synset, known))
        if synset in (AGENT, "object"):
            raise fail(node, self.where, "a synset of things", synset, "name the objects instead")

    def atom(self, node: Expression, scope: Scope) -> Formula:
        predicate, names = atom(node, self.where)
        if predicate not in PREDICATES:
            hint = f"goals that can be planned for use {', '.join(PREDICATES)}"
            raise fail(node, self.where, "a predicate that a scene knows", predicate, hint)
        ours, arity = PREDICATES[predicate]
        if len(names) != arity:
            raise fail(node, self.where, f"{arity} arguments of {predicate}", str(len(names)))
        rooms = {f.args[1] for f in self.activity.init if f.predicate == "inroom" and len(f.args) == 2}
        for index, name in enumerate(names):
            known = name in scope or name in self.activity.objects
            known = known or (predicate == "inroom" and index == 1 and name in rooms)
            if not known:
                hint = did_you_mean(name, [*scope, *self.activity.objects])
                raise fail(node, self.where, "a variable or a declared object", name, hint)
            if self.activity.objects.get(name) == AGENT and name not in scope:
                raise fail(node, self.where, "a goal about things", f"the robot {name}")
        if predicate == "real":
            return TRUE
        args: tuple[Term, ...] = tuple(Var(n) if n in scope else n for n in names)
        return Atom(ours, args)


def _so_many(number: int, total: int, variable: TypedVar, body: Formula) -> Formula:
    """At least so many of all objects of a variable; said with ``forall`` where it is every one of them."""
    if number == total:
        return Forall((variable,), body)
    return Count("at-least", number, (variable,), body)
