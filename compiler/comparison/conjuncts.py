"""Requirements of a goal: the parts that must all hold.

Goals are compared part by part. Parts are counted as a person would: a ``forall`` over a conjunction has as
many requirements as the conjunction, however many nodes it ranges over. A new connective is taken apart in
:func:`requirements`; ``drift`` decides which parts may stand for each other.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import prod
from typing import cast

from ...domains.evaluate import OpenState, required_parts
from ...domains.formula import (
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
    TrajectoryConstraint,
    TypedVar,
    Var,
    children,
    denied,
    rebuild,
    step_atom,
    step_name,
    substitute,
)
from ...simulator.belief import Belief
from ...simulator.world import World

MAX_INSTANCES = 200
"""Most instances of one ``forall`` that are looked at one by one."""
DERIVED = 40
"""A derived predicate comes to some twenty atoms, and costs as much as twice that (``expanded_size``)."""


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
            return (Or(tuple(denied(p) for p in parts)),)
        case Imply(left, right) if not positive:
            return (*requirements(left), *requirements(right, False))
        case Forall(variables, body) if positive:
            return tuple(Forall(variables, r) for r in requirements(body))
        case Exists(variables, body) if not positive:
            return tuple(Forall(variables, r) for r in requirements(body, False))
    return (formula if positive else Not(formula),)


def constrains(part: Formula) -> bool:
    """Return whether a part of a goal is a trajectory constraint, also for each of some things."""
    return constrains(part.body) if isinstance(part, Forall) else isinstance(part, TrajectoryConstraint)


def instances(formula: Formula, belief: Belief) -> tuple[Formula, ...]:
    """Return the ground instances of a ``forall`` that has few, and any other formula as it is."""
    if not isinstance(formula, Forall):
        return (formula,)
    if prod(len(belief.members(v.type)) for v in formula.variables) > MAX_INSTANCES:
        return (formula,)
    state = cast(OpenState, World(belief))  # which is asked for the members of classes alone
    each: dict[Formula, None] = {}
    for part, positive, binding in required_parts(formula, True, state, {}):
        names: dict[str, Term] = dict(binding)
        ground = substitute(part, names)
        each[ground if positive else Not(ground)] = None
    return tuple(each)


def remaining(parts: Sequence[Formula], gone: Collection[Formula], belief: Belief) -> tuple[Formula, ...]:
    """Return the parts that are not gone; of a ``forall`` that has gone in part, its other instances."""
    left: dict[Formula, None] = {}
    keys = {renamed(part) for part in gone}
    for part in parts:
        if renamed(part) in keys:
            continue
        each = instances(part, belief)
        others = tuple(one for one in each if one not in keys)
        left |= dict.fromkeys((part,) if others == each else others)
    return tuple(left)


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
    parts, others = children(first), children(repaired)
    if type(first) is not type(repaired) or len(parts) != len(others):
        return False
    match first, repaired:
        case Atom(), Atom():
            return _names_put_right(first, repaired, belief)
        case (Exists() | Forall() | Count(), Exists() | Forall() | Count()):
            if not _classes_put_right(first.variables, repaired.variables, belief):
                return False
    if not parts:
        return first == repaired
    if any(getattr(first, key, None) != getattr(repaired, key, None) for key in ("kind", "number")):
        return False
    return all(differs_by_unknown_names(a, b, belief) for a, b in zip(parts, others, strict=True))


def _names_put_right(first: Atom, repaired: Atom, belief: Belief) -> bool:
    scene = belief.scene
    predicates = {*belief.pack.public_predicates(), *scene.by_class, *scene.by_attribute}
    step = first.predicate == step_atom(step_name(first), ()).predicate
    right = first.predicate == repaired.predicate or not (step or first.predicate in predicates)
    pairs = zip(first.args, repaired.args, strict=False)
    same = all(a == b or (isinstance(a, str) and a not in scene.nodes) for a, b in pairs)
    return right and same and len(first.args) == len(repaired.args)


def _classes_put_right(first: Sequence[TypedVar], repaired: Sequence[TypedVar], belief: Belief) -> bool:
    pairs = zip(first, repaired, strict=False)
    same = all(a == b or (a.name == b.name and not belief.members(a.type)) for a, b in pairs)
    return same and len(first) == len(repaired)
