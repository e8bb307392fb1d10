"""Requirements of a goal: the parts that must all hold, and those of them that are without errors.

Goals are compared part by part. Parts are counted as a person would: a ``forall`` over a conjunction has as
many requirements as the conjunction, however many nodes it ranges over. A new connective is taken apart in
:func:`requirements`; ``drift`` decides which parts may stand for each other.
"""

from __future__ import annotations

from dataclasses import replace

from ...domains.exclusive import clash
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
    children,
    conjunction,
    conjuncts,
    is_ground_atom,
    rebuild,
    substitute,
)
from ...simulator.belief import Belief
from ..forms import is_literal, negation
from ..goals.checker import check
from ..goals.goal import Goal

DERIVED = 40
"""A derived predicate comes to some twenty atoms, and costs as much as twice that."""


def requirements(formula: Formula, positive: bool = True) -> tuple[Formula, ...]:
    """Return the parts that must all hold for a goal, whatever connectives say so."""
    match formula:
        case Not(part):
            return requirements(part, not positive)
        case And(parts) if positive:
            return tuple(r for p in parts for r in requirements(p))
        case Or(parts) if not positive:
            return tuple(r for p in parts for r in requirements(p, False))
        case And(parts):
            return (Or(tuple(_denied(p) for p in parts)),)
        case Imply(left, right) if not positive:
            return (*requirements(left), *requirements(right, False))
        case Forall(variables, body) if positive:
            return tuple(Forall(variables, r) for r in requirements(body))
        case Exists(variables, body) if not positive:
            return tuple(Forall(variables, r) for r in requirements(body, False))
    return (formula if positive else Not(formula),)


def _denied(formula: Formula) -> Formula:
    return formula.part if isinstance(formula, Not) else Not(formula)


def without_errors(goal: Goal, belief: Belief) -> Formula:
    """Return the parts of a goal without errors of their own; of two that contradict, either will do."""
    while True:
        # Some errors are only looked for where there are no others, so what is left is checked again.
        errors = [d for d in check(goal, belief).diagnostics if d.severity == "error"]
        parts = list(conjuncts(goal.formula))
        if not errors:
            return goal.formula
        spans = [goal.spans[(i,) if isinstance(goal.formula, And) else ()] for i in range(len(parts))]
        kept: list[Formula] = []
        for part, span in zip(parts, spans, strict=True):
            own = [d.code for d in errors if d.span is not None and span.start <= d.span.start < span.end]
            denied = next((i for i, k in enumerate(kept) if _exclude(k, part, belief)), None)
            if own and own.count("contradiction") == len(own) and denied is not None:
                kept[denied] = Or((kept[denied], part))
            elif not own:
                kept.append(part)
        if len(kept) == len(parts):  # an error of the whole
            return TRUE
        goal = Goal.of(conjunction(kept))


def _exclude(part: Formula, other: Formula, belief: Belief) -> bool:
    """Return whether two literals, or a choice of literals and another, cannot hold together."""
    if isinstance(part, Or):
        return any(_exclude(p, other, belief) for p in part.parts)
    if is_ground_atom(part) and is_ground_atom(other):
        return clash(part, [other], belief.exclusive) is not None
    return is_literal(part) and is_literal(other) and negation(part) == other


def expanded_size(node: Formula, belief: Belief) -> int:
    """Estimate the number of atoms that a formula expands to."""
    if isinstance(node, Atom):
        return DERIVED if node.predicate in belief.pack.mapping.derived else 1
    inner = sum(expanded_size(c, belief) for c in children(node)) or 1
    if isinstance(node, Exists | Forall | Count):
        for variable in node.variables:
            inner *= max(1, len(belief.members(variable.type)))
    return inner


def renamed(formula: Formula, depth: int = 0) -> Formula:
    """Return the formula with its variables named by depth, so that their names do not matter."""
    match formula:
        case Exists(variables, body) | Forall(variables, body) | Count(_, _, variables, body):
            new = tuple(TypedVar(f"{depth + i}", v.type) for i, v in enumerate(variables))
            binding: dict[str, Term] = {v.name: Var(n.name) for v, n in zip(variables, new, strict=True)}
            body = renamed(substitute(body, binding), depth + len(new))
            return replace(formula, variables=new, body=body)
    return rebuild(formula, lambda part: renamed(part, depth))


def differs_by_unknown_names(first: Formula, repaired: Formula, belief: Belief) -> bool:
    """Return whether a repaired formula is the first with nothing but unknown names put right."""
    scene = belief.scene
    if isinstance(first, Atom) and isinstance(repaired, Atom):
        predicates = {*belief.pack.public_predicates(), *scene.by_class, *scene.by_attribute}
        right = first.predicate == repaired.predicate or first.predicate not in predicates
        pairs = zip(first.args, repaired.args, strict=False)
        same = all(a == b or (isinstance(a, str) and a not in scene.nodes) for a, b in pairs)
        return right and same and len(first.args) == len(repaired.args)
    parts, others = children(first), children(repaired)
    if type(first) is not type(repaired) or len(parts) != len(others):
        return False
    if isinstance(first, Exists | Forall | Count) and isinstance(repaired, Exists | Forall | Count):
        kinds = zip(first.variables, repaired.variables, strict=False)
        if len(first.variables) != len(repaired.variables) or any(
            a != b and (a.name != b.name or belief.members(a.type)) for a, b in kinds
        ):
            return False
    if isinstance(first, Count) and isinstance(repaired, Count):
        if (first.kind, first.number) != (repaired.kind, repaired.number):
            return False
    elif not parts:
        return first == repaired
    return all(differs_by_unknown_names(a, b, belief) for a, b in zip(parts, others, strict=True))
